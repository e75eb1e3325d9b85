//! Concessions: verbatim quotes, checked against the text they are said to stand in.

/// The shortest quote that counts, in characters: less says nothing and stands everywhere.
const SHORTEST: usize = 8;

/// Whether the quote stands in the text word for word; white space and the style of quotation marks do not matter.
pub fn stands_in(quote: &str, text: &str) -> bool {
    let quote = plain(quote);
    quote.chars().count() >= SHORTEST && plain(text).contains(&quote)
}

/// Sentences of a text that begin with a plain concession.
pub(super) fn spoken_in(body: &str) -> Vec<String> {
    sentences(body)
        .filter(|sentence| {
            let lower = sentence.to_lowercase();
            ["i concede", "we concede", "conceded:", "i grant that"].iter().any(|opening| lower.starts_with(opening))
        })
        .map(str::to_owned)
        .collect()
}

/// The sentences of a text: up to a full stop, a question or an exclamation mark before white space, or the line's end.
fn sentences(body: &str) -> impl Iterator<Item = &str> {
    body.lines().flat_map(|line| {
        let ends = line.char_indices().filter(move |(at, c)| {
            matches!(c, '.' | '!' | '?') && line[at + c.len_utf8()..].chars().next().is_none_or(char::is_whitespace)
        });
        let mut from = 0;
        let mut parts: Vec<&str> = Vec::new();
        for (at, c) in ends {
            let end = at + c.len_utf8();
            parts.push(&line[from..end]);
            from = end;
        }
        parts.push(&line[from..]);
        parts.into_iter().map(|part| part.trim().trim_start_matches(['-', '*', '>', ' '])).filter(|part| !part.is_empty())
    })
}

fn plain(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").replace(['\u{201c}', '\u{201d}'], "\"").replace(['\u{2018}', '\u{2019}'], "'")
}

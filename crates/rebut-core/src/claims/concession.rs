//! Concessions: verbatim quotes, checked against the text they are said to stand in.

/// The shortest quote that counts, in characters: less says nothing and stands everywhere.
const SHORTEST: usize = 8;

/// Whether the quote stands in the text word for word; white space and the style of quotation marks do not matter.
pub fn stands_in(quote: &str, text: &str) -> bool {
    Plain::new(text).holds(quote)
}

/// A text in which words are looked for more than once: white space and the style of quotation marks are made the same.
pub(super) struct Plain(String);

impl Plain {
    pub(super) fn new(text: &str) -> Self {
        Self(plain(text))
    }

    /// Whether the quote stands in it word for word.
    pub(super) fn holds(&self, quote: &str) -> bool {
        Self::new(quote).is_part_of(self)
    }

    /// Whether it stands in the other text word for word.
    pub(super) fn is_part_of(&self, text: &Self) -> bool {
        self.0.chars().nth(SHORTEST - 1).is_some() && text.0.contains(&self.0)
    }
}

/// Sentences of a text that begin with a plain concession. What is quoted of others is none, and neither is one that
/// concedes nothing.
pub(super) fn spoken_in(body: &str) -> Vec<String> {
    sentences(body).filter(|sentence| concedes(sentence)).map(str::to_owned).collect()
}

fn concedes(sentence: &str) -> bool {
    const OPENINGS: [&str; 4] = ["i concede", "we concede", "conceded:", "i grant that"];
    const NOTHING: [&str; 8] = ["nothing", "none", "neither", "no", "nil", "not", "zero", "little"];
    let lower = sentence.to_lowercase();
    if gives_up(&lower) {
        return true;
    }
    OPENINGS.iter().find_map(|opening| lower.strip_prefix(opening)).is_some_and(|what| {
        let mut words = what.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.next().is_some_and(|first| !NOTHING.contains(&first))
    })
}

/// Whether a sentence, in small letters, begins with a position that is given up in other words: `I was wrong`.
fn gives_up(sentence: &str) -> bool {
    const OPENINGS: [&str; 20] = [
        "i withdraw my",
        "we withdraw our",
        "i withdraw the",
        "i retract",
        "we retract",
        "i was wrong",
        "we were wrong",
        "i now agree",
        "we now agree",
        "i now support",
        "we now support",
        "i now hold",
        "we now hold",
        "i give up my",
        "i abandon my",
        "i have changed my mind",
        "i've changed my mind",
        "i change my position",
        "i stand corrected",
        "i no longer hold",
    ];
    let plain = sentence.replace('\u{2019}', "'");
    OPENINGS.iter().filter_map(|opening| plain.strip_prefix(opening)).any(|what| {
        let nothing = ["nothing", "about nothing", "with nothing", "with none", "neither", "no ", "none"];
        let said = what.trim_start();
        !what.starts_with(|c: char| c.is_alphanumeric() || c == '-') && !nothing.iter().any(|word| said.starts_with(word))
    })
}

/// Words whose full stop ends no sentence.
const SHORTENED: [&str; 9] = ["e.g", "i.e", "cf", "vs", "approx", "resp", "incl", "z.b", "p.ex"];

/// The sentences of a text that are its speaker's own: up to a full stop, a question or an exclamation mark before white
/// space, or the line's end. Quoted lines and what stands in quotation marks are left out.
fn sentences(body: &str) -> impl Iterator<Item = &str> {
    body.lines().filter(|line| !line.trim_start().starts_with('>')).flat_map(|line| {
        let ends = line.char_indices().filter(move |(at, c)| {
            // The word before it is looked at last, and once: it may be as long as the text.
            let word = || {
                let parts = line[..*at].rsplit(|c: char| c.is_whitespace() || c == '(');
                parts.into_iter().next().unwrap_or_default().to_lowercase()
            };
            matches!(c, '.' | '!' | '?')
                && line[at + c.len_utf8()..].chars().next().is_none_or(char::is_whitespace)
                && !SHORTENED.contains(&word().as_str())
        });
        let mut from = 0;
        let mut parts: Vec<&str> = Vec::new();
        let mut quoted = false;
        for end in ends.map(|(at, c)| at + c.len_utf8()).chain([line.len()]) {
            let part = &line[from..end];
            if !quoted {
                parts.push(part);
            }
            quoted = part.chars().fold(quoted, |quoted, c| match c {
                '"' => !quoted,
                '\u{201c}' | '\u{201e}' | '\u{ab}' => true,
                '\u{201d}' | '\u{bb}' => false,
                _ => quoted,
            });
            from = end;
        }
        parts.into_iter().map(|part| part.trim().trim_start_matches(['-', '*', ' '])).filter(|part| !part.is_empty())
    })
}

fn plain(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").replace(['\u{201c}', '\u{201d}'], "\"").replace(['\u{2018}', '\u{2019}'], "'")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With work that grew faster than the text, this would not end.
    #[test]
    fn a_word_of_a_megabyte_is_no_more_than_a_word() {
        let body = format!("I concede that it is long. {}", "a".repeat(1 << 20));
        assert_eq!(sentences(&body).count(), 2);
    }

    #[test]
    fn a_position_is_given_up_in_other_words_too() {
        for body in [
            "I withdraw my position.",
            "I was wrong.",
            "I was wrong about the lock.",
            "I now agree with the challenger.",
            "I now support REST.",
            "I now hold that REST is enough.",
            "I retract that claim.",
            "- I\u{2019}ve changed my mind.",
        ] {
            assert_eq!(spoken_in(body).len(), 1, "{body}");
        }
        for body in [
            "I retract nothing.",
            "I was wrongly quoted.",
            "> I was wrong.",
            "They say \"I was wrong\".",
            "I agree that it is typed.",
            "I now holdings",
        ] {
            assert_eq!(spoken_in(body), Vec::<String>::new(), "{body}");
        }
    }

    #[test]
    fn only_what_a_speaker_gives_up_in_own_words_is_conceded() {
        for body in [
            "I concede nothing.",
            "I concede no point of it.",
            "> I concede that proxies are needed.",
            "The challenger says: \"It is slow. I concede that it is typed.\" So be it.",
            "They wrote \u{201c}It is slow. I concede that it is typed.\u{201d}",
            "\"I concede that it is typed.\"",
        ] {
            assert_eq!(spoken_in(body), Vec::<String>::new(), "{body}");
        }
        for (body, conceded) in [
            (
                "- I concede that some tools, e.g. browsers, need a proxy. Still.",
                "I concede that some tools, e.g. browsers, need a proxy.",
            ),
            (
                "I concede that tools,\u{a0}e.g. browsers, need it.\u{a0}Still.",
                "I concede that tools,\u{a0}e.g. browsers, need it.",
            ),
            ("It says \"no\". I concede that it is typed.", "I concede that it is typed."),
            ("I concede the point about \"types\". No more.", "I concede the point about \"types\"."),
        ] {
            assert_eq!(spoken_in(body), [conceded], "{body}");
        }
    }
}

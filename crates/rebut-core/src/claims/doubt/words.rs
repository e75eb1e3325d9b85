//! A sentence as words and marks, and phrases that are looked for at a place in it.

use crate::evidence::ClaimId;

/// A piece of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// A word in small letters; `doesn't` is two, `does` and `not`.
    Word(String),
    /// A path, the id of a claim, or code.
    Place,
    /// A mark that parts clauses.
    Mark(char),
}

use Piece::{Mark, Place, Word};

/// Words behind which a clause has said what it says of its subject.
#[rustfmt::skip]
const CLOSING: [&str; 34] = [
    "and", "but", "or", "so", "because", "since", "hence", "therefore", "thus", "yet", "while", "whereas", "although",
    "though", "which", "as", "at", "anywhere", "altogether", "here", "anyway", "und", "aber", "weil", "oder", "et", "mais",
    "donc", "y", "pero", "e", "ma", "mas", "too",
];

/// Words that may go on from there without speaking of something else.
const GOING_ON: [&str; 12] = ["by", "in", "under", "on", "upon", "from", "out", "for", "with", "after", "throughout", "von"];

impl Piece {
    /// Whether it is one of these words.
    pub(super) fn is_any(&self, words: &[&str]) -> bool {
        matches!(self, Word(word) if words.contains(&word.as_str()))
    }

    pub(super) fn is_mark(&self, marks: &[char]) -> bool {
        matches!(self, Mark(mark) if marks.contains(mark))
    }
}

/// The pieces of a sentence.
pub(super) fn pieces(text: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let code = rest.strip_prefix('`').and_then(|inner| inner.split_once('`'));
        if let Some((inner, behind)) = code {
            chunk(&mut pieces, inner, true);
            rest = behind;
        } else if first.is_whitespace() || matches!(first, '`' | '*' | '"' | '\u{201c}' | '\u{201d}') {
            rest = &rest[first.len_utf8()..];
        } else {
            let end = rest.find(|c: char| c.is_whitespace() || matches!(c, '`' | '*')).unwrap_or(rest.len());
            chunk(&mut pieces, &rest[..end], false);
            rest = &rest[end..];
        }
    }
    pieces
}

/// What stands between two white spaces, or in a pair of backticks.
fn chunk(pieces: &mut Vec<Piece>, chunk: &str, in_ticks: bool) {
    const MARKS: [char; 9] = [',', ';', ':', '(', ')', '\u{2014}', '\u{2013}', '[', ']'];
    let core = chunk.trim_matches(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '✘' | '/')));
    let inner = core.trim_end_matches("'s").trim_end_matches("\u{2019}s");
    let is_place = in_ticks && !core.chars().all(char::is_alphabetic)
        || ClaimId::read(inner).is_some()
        || inner.contains(['/', '\\', '_', '#'])
        || inner.contains(['.', ':']) && inner.chars().any(|c| c.is_ascii_alphanumeric());
    if is_place {
        let at = chunk.find(core).unwrap_or(0);
        pieces.extend(chunk[..at].chars().filter(|c| MARKS.contains(c)).map(Mark));
        pieces.push(Place);
        pieces.extend(chunk[at + core.len()..].chars().filter(|c| MARKS.contains(c)).map(Mark));
        return;
    }
    for part in chunk.split_inclusive(|c: char| !is_letter(c)) {
        let mark = part.chars().next_back().filter(|c| !is_letter(*c));
        let bare = part.trim_end_matches(|c: char| !is_letter(c)).trim_matches(['-', '\'', '\u{2019}']);
        word(pieces, &bare.replace('\u{2019}', "'").to_lowercase());
        match mark {
            Some('.' | '!' | '?') => pieces.push(Mark('.')),
            Some(mark) if MARKS.contains(&mark) => pieces.push(Mark(mark)),
            _ => {}
        }
    }
}

fn is_letter(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '\'' | '\u{2019}' | '-' | '✘')
}

fn word(pieces: &mut Vec<Piece>, word: &str) {
    let mut push = |word: &str| pieces.push(Word(word.to_owned()));
    match word {
        "" => {}
        "cannot" | "can't" => ["can", "not"].into_iter().for_each(push),
        "won't" => ["will", "not"].into_iter().for_each(push),
        "there's" => ["there", "is"].into_iter().for_each(push),
        "it's" => ["it", "is"].into_iter().for_each(push),
        _ => match word.strip_suffix("n't") {
            Some(verb) => [verb, "not"].into_iter().for_each(push),
            None => push(if word.contains('✘') { "✘" } else { word }),
        },
    }
}

/// How many pieces a phrase takes where they begin with it. Its words are parted by spaces; `a|b` is either, `?a` may be
/// left out, `#` is a place or code, `0` a number, `,` a comma, `.` the end of what is said, and `>` that or a word that goes on from there.
pub(super) fn begins(pieces: &[Piece], phrase: &str) -> Option<usize> {
    let mut at = 0;
    for wanted in phrase.split(' ') {
        let next = pieces.get(at);
        match wanted {
            "." if closes(next) => {}
            ">" if closes(next) || next.is_some_and(|next| next.is_any(&GOING_ON)) => {}
            "." | ">" => return None,
            "#" if matches!(next, Some(Place)) => at += 1,
            "0" if matches!(next, Some(Word(word)) if word.chars().all(|c| c.is_ascii_digit())) => at += 1,
            "," if matches!(next, Some(Mark(','))) => at += 1,
            _ => {
                let optional = wanted.strip_prefix('?');
                let words = optional.unwrap_or(wanted);
                let fits = matches!(next, Some(Word(word)) if words.split('|').any(|wanted| wanted == word));
                match (fits, optional) {
                    (true, _) => at += 1,
                    (false, Some(_)) => {}
                    (false, None) => return None,
                }
            }
        }
    }
    Some(at)
}

/// Where a phrase without `?` begins, if the pieces end with it.
pub(super) fn ends(pieces: &[Piece], phrase: &str) -> Option<usize> {
    let at = pieces.len().checked_sub(phrase.split(' ').count())?;
    begins(&pieces[at..], phrase).map(|_| at)
}

/// Whether a clause has said here what it says.
pub(super) fn closes(next: Option<&Piece>) -> bool {
    match next {
        None | Some(Mark(_)) => true,
        Some(next) => next.is_any(&CLOSING),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_is_words_places_and_marks() {
        let word = |word: &str| Word(word.to_owned());
        let found = pieces("The **file** (`src/a.rs`, P1.1) doesn\u{2019}t `exist`: made-up.");
        let wanted = [
            word("the"),
            word("file"),
            Mark('('),
            Place,
            Mark(','),
            Place,
            Mark(')'),
            word("does"),
            word("not"),
            word("exist"),
            Mark(':'),
            word("made-up"),
            Mark('.'),
        ];
        assert_eq!(found, wanted);
    }

    #[test]
    fn a_phrase_is_found_at_its_place_alone() {
        let said = pieces("is not in the old repository, so");
        assert_eq!(begins(&said, "is|was not in ?the ?old repository ."), Some(6));
        assert_eq!(begins(&said, "not in"), None);
        assert_eq!(ends(&said, "repository , so"), Some(5));
        assert_eq!(ends(&said, "repository so"), None);
        assert_eq!(begins(&pieces("has 60 lines"), "has ?only 0 lines"), Some(3));
        assert_eq!(ends(&pieces("it made up"), "made up"), Some(1));
    }
}

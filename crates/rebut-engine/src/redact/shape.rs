//! How a text looks: like words that somebody wrote, or like characters that were drawn. It knows nothing of secrets.

/// The letters that follow a, b, c and so on in words (none for j): 19 of 20 pairs in sources and documentation of Rust
/// crates are among these, which are fewer than half of all pairs.
#[rustfmt::skip]
const FOLLOWERS: [&str; 26] = [
    "bcdfgiklmnprstuvwy", "aeilouy", "acefhiklorstu", "adeilorsu", "abcdefgilmnpqrstvwxy", "adefgilnorsu", "ehilnrsu",
    "aeiort", "abcdefglmnoprstvz", "", "eis", "adefilostuy", "aeimopsu", "acdefgiklnostuvy", "cdfgiklmnoprstuvw",
    "aeiloprstuy", "u", "acdegikmnorstuvy", "acehiklopstuy", "acdehiloprstuy", "abcefgilmnprst", "aei", "aehinors",
    "apt", "nps", "e",
];

/// Whether most of a text is made of words, however they are joined: `maxTokenCount`, `src/providers/mod`, `BASE_URL`.
///
/// Letters that were drawn stand in such runs by chance too, but seldom: one in twenty.
pub(super) fn is_wordlike(text: &str) -> bool {
    let counted = text.bytes().filter(u8::is_ascii_alphanumeric).count();
    2 * in_words(text) >= counted
}

/// How many letters stand in words: runs of one case, a capital before small letters included.
fn in_words(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut total = 0;
    let mut at = 0;
    while at < bytes.len() {
        let capitals = run(&bytes[at..], |byte| byte.is_ascii_uppercase());
        let small = run(&bytes[at + capitals..], |byte| byte.is_ascii_lowercase());
        if capitals + small == 0 {
            at += 1;
            continue;
        }
        // In `HTTPServer` the last capital belongs to the second word.
        let (first, second) = if small > 0 && capitals > 0 { (capitals - 1, small + 1) } else { (capitals, small) };
        let words = [&bytes[at..at + first], &bytes[at + first..at + first + second]];
        total += words.into_iter().filter(|word| is_word(word)).map(<[u8]>::len).sum::<usize>();
        at += capitals + small;
    }
    total
}

/// Three letters or more, with a vowel, and nearly each one of those that follow the one before it in words of source texts.
fn is_word(letters: &[u8]) -> bool {
    let follows = |pair: &[u8]| {
        let before = usize::from(pair[0].to_ascii_lowercase().saturating_sub(b'a'));
        FOLLOWERS.get(before).is_some_and(|letters| letters.as_bytes().contains(&pair[1].to_ascii_lowercase()))
    };
    let rare = letters.windows(2).filter(|pair| !follows(pair)).count();
    let vowel = letters.iter().any(|letter| b"aeiouyAEIOUY".contains(letter));
    // A long run is seldom drawn, so that it may have a rare pair or two.
    letters.len() >= 3 && vowel && rare <= (letters.len() - 1) / 4
}

/// How many bytes at the beginning are of this kind.
pub(super) fn run(bytes: &[u8], kind: impl Fn(u8) -> bool) -> usize {
    bytes.iter().take_while(|byte| kind(**byte)).count()
}

/// Which kinds of characters a text has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Kinds {
    pub(super) upper: bool,
    pub(super) lower: bool,
    pub(super) digit: bool,
    /// Anything that can't be in a name, a path or a number.
    pub(super) sign: bool,
}

impl Kinds {
    pub(super) fn of(text: &str) -> Self {
        let mut kinds = Self::default();
        for byte in text.bytes() {
            match byte {
                b'A'..=b'Z' => kinds.upper = true,
                b'a'..=b'z' => kinds.lower = true,
                b'0'..=b'9' => kinds.digit = true,
                b'_' | b'-' | b'.' | b'/' | b':' | b',' => {}
                _ => kinds.sign = true,
            }
        }
        kinds
    }

    pub(super) fn letter(self) -> bool {
        self.upper || self.lower
    }
}

/// How often the kind of character changes from one to the next, in a text of letters and digits.
pub(super) fn changes(text: &str) -> usize {
    let kind = |byte: u8| match byte {
        b'A'..=b'Z' => 0,
        b'a'..=b'z' => 1,
        _ => 2,
    };
    text.as_bytes().windows(2).filter(|pair| kind(pair[0]) != kind(pair[1])).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_paths_are_wordlike_and_drawn_characters_are_not() {
        for text in ["maxTokenCount", "HTTPServerError2", "src/providers/cli/mod", "OPENAI_BASE_URL", "fading-circle"] {
            assert!(is_wordlike(text), "{text}");
        }
        for text in ["a1B2c3D4a1B2c3D4", "x7Kq9ZrT2mVw", "0123456789"] {
            assert!(!is_wordlike(text), "{text}");
        }
    }
}

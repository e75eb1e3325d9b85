//! How random a text looks: like words that someone wrote, or like characters that were drawn.
//!
//! Code is full of random runs that are no secrets, and most of this file is about them. A run of one case (hashes, ids,
//! Nix hashes) is never a secret here: it looks like a commit, and is found by its name or not at all.

use super::Span;

/// The longest run: what is longer is embedded data.
const LONGEST: usize = 400;
/// How many of a run's characters must be in pieces without order.
const UNORDERED: usize = 16;
/// A shorter piece says nothing about chance.
const SHORTEST_PIECE: usize = 6;
/// The shortest line of wrapped data.
const WRAPPED: usize = 60;

/// The beginnings of hashes in lock files, of base64 of common data (images, fonts, archives, public keys, certificates),
/// and of ids of calls, messages and sessions.
const NO_SECRETS: &str = "
    sha1- sha224- sha256- sha384- sha512- sha256/
    iVBORw0KGgo /9j/ R0lGOD UklGR PHN2Zy PD94bW d09GMg d09GRg AAEAAAA T1RUTw JVBERi0 H4sI UEsDB AGFzbQ AAABAA
    AAAAB3NzaC AAAAC3NzaC AAAAE2VjZ LS0tLS1CRUdJTiBDRVJU
    ses_ msg_ prt_ req_ run_ resp_ call_ toolu_ chatcmpl- event_";
/// What comes directly before hashes and data.
const BEFORE_HASHES: &str = "base64, h1: sha1: sha256: sha384: sha512: md5: blake3: nonce-";
/// The ends of names whose values are hashes, ids or public.
const NAMES_OF_HASHES: &str = "
    hash sha1 sha256 sha512 checksum digest integrity fingerprint etag id public_key publickey pubkey";

/// Whether a text with a digit or both cases isn't made of words.
pub(super) fn is_random(text: &str) -> bool {
    let kinds = Kinds::of(text);
    (kinds.digit || (kinds.upper && kinds.lower)) && !is_wordlike(text)
}

/// Whether a long run mixes capitals, small letters and digits in no order, and isn't a hash or data.
pub(super) fn is_unordered(text: &str, span: &Span) -> bool {
    let run = text[span.clone()].trim_end_matches('=');
    let kinds = Kinds::of(run);
    if run.len() > LONGEST || !(kinds.upper && kinds.lower && kinds.digit) {
        return false;
    }
    let pieces = || run.split(|sign: char| !sign.is_ascii_alphanumeric()).filter(|piece| piece.len() >= SHORTEST_PIECE);
    let is_mixed = |piece: &&str| 10 * changes(piece) >= 3 * piece.len() && !is_ordered(piece);
    let unordered: usize = pieces().filter(is_mixed).map(str::len).sum();
    let ordered: usize = pieces().filter(|piece| is_ordered(piece)).map(str::len).sum();
    unordered >= UNORDERED && unordered > ordered && !is_hash_or_data(text, span.start..span.start + run.len())
}

/// Whether a piece is a word, several of them, or of one case. A short one says so only where little changes in it.
fn is_ordered(piece: &str) -> bool {
    let kinds = Kinds::of(piece);
    !(kinds.upper && kinds.lower) || (is_wordlike(piece) && (piece.len() >= 12 || changes(piece) <= 1))
}

fn is_hash_or_data(text: &str, run: Span) -> bool {
    let before = text[text.floor_char_boundary(run.start.saturating_sub(48))..run.start].to_ascii_lowercase();
    // `"contentHash": "…"`
    let name = before.trim_end_matches([' ', '\t', '"', '\'', '`', ':', '=', '\\']);
    let is_named = before[name.len()..].contains([':', '=']);
    NO_SECRETS.split_whitespace().any(|begin| text[run.start..].starts_with(begin))
        || BEFORE_HASHES.split_whitespace().any(|sign| before.ends_with(sign))
        || is_named && NAMES_OF_HASHES.split_whitespace().any(|end| name.ends_with(end))
        || is_wrapped(text.as_bytes(), &run)
}

/// Whether a run is a line of data that was wrapped: nothing else is on its line, and the line before or after it is like
/// it. Keys that are wrapped like this are between markers, and found by those.
fn is_wrapped(text: &[u8], run: &Span) -> bool {
    let is_margin = |byte: &u8| b" \t\r\"',+->|\\=".contains(byte);
    let is_like = |line: Option<&[u8]>, least: usize| {
        let line = line.unwrap_or_default();
        let start = line.iter().position(|byte| !is_margin(byte)).unwrap_or(line.len());
        let length = line[start..].iter().take_while(|byte| byte.is_ascii_alphanumeric() || b"+/_-".contains(byte)).count();
        length >= least && line[start + length..].iter().all(is_margin)
    };
    let mut before = text[run.start.saturating_sub(2 * LONGEST)..run.start].rsplit(|byte| *byte == b'\n');
    let mut after = text[run.end..text.len().min(run.end + 2 * LONGEST)].split(|byte| *byte == b'\n');
    let is_alone = [before.next(), after.next()].into_iter().flatten().flatten().all(is_margin);
    // The last line of data is as short as it happens to be, and no line is longer than the one before it.
    is_alone
        && (is_like(before.next(), WRAPPED.max(run.len())) || run.len() >= WRAPPED && is_like(after.next(), SHORTEST_PIECE))
}

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
/// Drawn letters look like words by chance too, but seldom: one in twenty.
pub(super) fn is_wordlike(text: &str) -> bool {
    let counted = text.bytes().filter(u8::is_ascii_alphanumeric).count();
    2 * in_words(text) >= counted
}

/// How many letters are in words: runs of one case, a capital before small letters included.
fn in_words(text: &str) -> usize {
    let run = |bytes: &[u8], kind: fn(&u8) -> bool| bytes.iter().take_while(|byte| kind(byte)).count();
    let mut rest = text.as_bytes();
    let mut total = 0;
    while !rest.is_empty() {
        let capitals = run(rest, u8::is_ascii_uppercase);
        let letters = capitals + run(&rest[capitals..], u8::is_ascii_lowercase);
        // In `HTTPServer` the last capital belongs to the second word.
        let first = if letters > capitals { capitals.saturating_sub(1) } else { capitals };
        let words = [&rest[..first], &rest[first..letters]];
        total += words.into_iter().filter(|word| is_word(word)).map(<[u8]>::len).sum::<usize>();
        rest = &rest[letters.max(1)..];
    }
    total
}

/// Three letters or more, with a vowel, in which nearly each letter follows the one before it in words of source texts.
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

/// Which kinds of characters a text has.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Kinds {
    pub(super) upper: bool,
    pub(super) lower: bool,
    pub(super) digit: bool,
    /// Anything that can't be in a name, a path or a number.
    pub(super) sign: bool,
}

impl Kinds {
    pub(super) fn of(text: &str) -> Self {
        let any = |kind: fn(u8) -> bool| text.bytes().any(kind);
        Self {
            upper: any(|byte| byte.is_ascii_uppercase()),
            lower: any(|byte| byte.is_ascii_lowercase()),
            digit: any(|byte| byte.is_ascii_digit()),
            sign: any(|byte| !byte.is_ascii_alphanumeric() && !b"_-./:,".contains(&byte)),
        }
    }

    pub(super) fn letter(self) -> bool {
        self.upper || self.lower
    }
}

/// How often the kind of character changes from one to the next, in a text of letters and digits.
fn changes(text: &str) -> usize {
    let kind = |byte: u8| (byte.is_ascii_uppercase(), byte.is_ascii_lowercase());
    text.as_bytes().windows(2).filter(|pair| kind(pair[0]) != kind(pair[1])).count()
}

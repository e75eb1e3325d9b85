//! Keys between marks: `-----BEGIN … PRIVATE KEY-----`, what is inside, and the end if it is there.
//!
//! Read by hand: a pattern that looks for a far end would be tried anew at every beginning, and a text of beginnings
//! would take forever.

use std::sync::LazyLock;

use regex::Regex;

use super::Span;
use super::shape::run;

/// A mark at the beginning or the end of a block; what the block holds is its second group.
const MARK: &str = "-----(BEGIN|END) ([A-Z0-9 ]{1,40})-----";

/// A line of a key's head, `Proc-Type: 4,ENCRYPTED`.
const HEAD: &str = r"\A(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset): [^\r\n\\-]*";

/// From how many characters on a run inside an unfinished block is a piece of the key: words of prose are shorter.
const PIECE: usize = 24;

/// The same between two marks, where less is needed to be sure.
const SHORTEST_PIECE: usize = 16;

static MARKS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(MARK).ok());
static HEADS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(HEAD).ok());

/// The blocks of a text.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    /// Private keys, marks included.
    pub(super) private: Vec<Span>,
    /// Certificates, public keys and signatures: they look drawn and are nobody's secret.
    pub(super) public: Vec<Span>,
}

/// Finds the blocks of a text.
pub(super) fn blocks(text: &str) -> Blocks {
    let mut blocks = Blocks::default();
    let Some(marks) = MARKS.as_ref() else { return blocks };
    let marks: Vec<_> = marks
        .captures_iter(text)
        .filter_map(|mark| Some((mark.get(0)?.range(), &mark[1] == "BEGIN", mark[2].contains("PRIVATE KEY"))))
        .collect();
    let mut done = 0;
    for (index, (mark, begins, private)) in marks.iter().enumerate() {
        if mark.start < done {
            continue;
        }
        let span = if *begins {
            let inside = mark.end + body(&text[mark.end..]);
            match marks.get(index + 1) {
                Some((end, false, _)) if end.start == inside && holds_something(&text[mark.end..inside]) => {
                    mark.start..end.end
                }
                // Without its end a block reaches as far as there are pieces that can only be of a key.
                _ => mark.start..mark.end + unfinished(&text[mark.end..inside], inside == text.len()),
            }
        } else {
            // The beginning was cut off, as it is where only the end of a text is kept.
            headless(text, done, mark.start)..mark.end
        };
        if span.len() > mark.len() {
            done = span.end;
            if *private { &mut blocks.private } else { &mut blocks.public }.push(span);
        }
    }
    blocks
}

/// Whether there is anything of a key between two marks: source code names them side by side.
fn holds_something(inside: &str) -> bool {
    inside.split(|sign: char| !u8::try_from(sign).is_ok_and(is_base64)).any(|piece| piece.len() >= SHORTEST_PIECE)
}

/// How far there is nothing but what a block can hold. The marks of another block end it.
fn body(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() && !text[at..].starts_with("-----") {
        let head = HEADS.as_ref().and_then(|heads| heads.find(&text[at..])).map_or(0, |head| head.end());
        match head.max(between(&bytes[at..])).max(run(&bytes[at..], is_base64)) {
            0 => break,
            taken => at += taken,
        }
    }
    at
}

/// How far the pieces of an unfinished block reach. The last one may be short where the text ends with it on a line.
fn unfinished(inside: &str, ends_text: bool) -> usize {
    let bytes = inside.as_bytes();
    let mut reached = 0;
    let mut at = 0;
    while at < bytes.len() {
        let gap = between(&bytes[at..]);
        let on_new_line = bytes[at..at + gap].iter().any(|byte| matches!(byte, b'\n' | b'n'));
        at += gap;
        let head = HEADS.as_ref().and_then(|heads| heads.find(&inside[at..])).map_or(0, |head| head.end());
        let piece = run(&bytes[at..], is_base64);
        at += head.max(piece);
        let last = at == bytes.len() && ends_text && on_new_line && piece > 0;
        if head > 0 || piece >= PIECE || last {
            reached = at;
        } else {
            break;
        }
    }
    reached
}

/// Where a block without beginning begins: as many pieces as stand before its end without anything else.
fn headless(text: &str, from: usize, end: usize) -> usize {
    let bytes = text.as_bytes();
    let mut begin = end;
    let mut at = end;
    let mut is_key = false;
    loop {
        while at > from && matches!(bytes[at - 1], b'\n' | b'\r' | b' ' | b'\t') {
            at -= 1;
        }
        // `\n` as two characters: the letter could be of the key, the backslash before it says that it is not.
        if at >= from + 2 && at == begin && bytes[at - 1] == b'n' && bytes[at - 2] == b'\\' {
            at -= 2;
        }
        let piece = bytes[from..at].iter().rev().take_while(|byte| is_base64(**byte)).count();
        let escaped = at > from + piece && piece > 0 && bytes[at - piece - 1] == b'\\' && bytes[at - piece] == b'n';
        // The last piece of a key is as short as it happens to be.
        if piece == 0 || (begin != end && piece < PIECE) {
            return if is_key { begin } else { end };
        }
        is_key |= piece >= PIECE;
        begin = at - piece + usize::from(escaped);
        at = if escaped { at - piece - 1 } else { begin };
    }
}

/// What stands between two pieces: white space, also written as `\n`, and what marks lines in source texts and diffs.
fn between(bytes: &[u8]) -> usize {
    let mut at = 0;
    loop {
        at += match bytes.get(at..).unwrap_or_default() {
            [b'\\', b'n' | b'r' | b't', ..] => 2,
            [b' ' | b'\t' | b'\r' | b'\n' | b'"' | b'\'' | b',' | b'>' | b'|' | b'\\', ..] => 1,
            [b'-', next, ..] if *next != b'-' => 1,
            _ => return at,
        };
    }
}

/// Whether a character is one of base64, padding included.
pub(super) fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

//! Keys between markers: `-----BEGIN … PRIVATE KEY-----`, what is inside, and the end if it is there.

use std::sync::LazyLock;

use regex::Regex;

use super::Span;

/// The blocks of a text.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    /// Private keys, markers included.
    pub(super) private: Vec<Span>,
    /// Certificates, public keys and signatures: they look random and are not secret.
    pub(super) public: Vec<Span>,
}

/// A block with both markers, one without its end, or one without its beginning. Between the pieces of a key is white
/// space, also written `\n`, and what marks lines in source text and diffs. Between two markers a piece of 16 characters
/// shows that there is a key, for source code names the markers side by side; without one of them it takes 24, for words
/// are shorter, except where the text itself breaks off.
static BLOCK: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let gap = r#"(?:\\[nrt]|[\x20\t\r\n"',>|\\]|-(?:[^-]|\z))"#;
    let between = r#"(?:\\[nrt]|[\x20\t\r\n"',>|\\])"#;
    let head = r"(?:(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset): [^\r\n\\-]*)";
    let (begin, end) = (r"-----BEGIN ([A-Z0-9 ]{1,40})-----", r"-----END ([A-Z0-9 ]{1,40})-----");
    let piece = r"[A-Za-z0-9+/=]";
    let whole = format!(
        "{begin}(?:{gap}|{head}|{piece}{{1,15}}{gap})*{piece}{{16}}(?:{gap}|{head}|{piece})*-----END [A-Z0-9 ]{{1,40}}-----"
    );
    let cut = format!(r"{begin}(?:{between}+(?:{head}|{piece}{{24,}}))+(?:(?:\n|\\n){piece}{{1,23}}\z)?");
    let headless = format!(r"(?:{piece}{{24,}}(?:{between}+{piece}{{24,}})*(?:{between}+{piece}{{1,23}})?{between}*){end}");
    Regex::new(&format!("{whole}|{cut}|{headless}")).ok()
});

pub(super) fn blocks(text: &str) -> Blocks {
    let mut blocks = Blocks::default();
    for found in BLOCK.iter().flat_map(|block| block.captures_iter(text)) {
        let (Some(whole), Some(label)) = (found.get(0), (1..=3).find_map(|group| found.get(group))) else { continue };
        let kind = if label.as_str().contains("PRIVATE KEY") { &mut blocks.private } else { &mut blocks.public };
        kind.push(whole.range());
    }
    blocks
}

/// Whether a character is one of base64, padding included.
pub(super) fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_a_pattern() {
        assert!(BLOCK.is_some());
    }
}

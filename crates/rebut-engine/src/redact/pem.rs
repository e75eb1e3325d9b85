//! Keys between markers: `-----BEGIN … PRIVATE KEY-----`, what is inside, and the end if there is one.

use std::sync::LazyLock;

use regex::Regex;

use super::Span;

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

/// Private keys, markers included.
pub(super) fn private(text: &str) -> Vec<Span> {
    blocks(text, true)
}

/// Certificates, public keys and signatures: they look random and are not secret.
pub(super) fn public(text: &str) -> Vec<Span> {
    blocks(text, false)
}

fn blocks(text: &str, private: bool) -> Vec<Span> {
    let found = BLOCK.iter().flat_map(|block| block.captures_iter(text));
    let label = |groups: &regex::Captures<'_>| (1..=3).find_map(|group| Some(groups.get(group)?.as_str().to_owned()));
    let wanted = found.filter(|groups| label(groups).is_some_and(|label| label.contains("PRIVATE KEY") == private));
    wanted.filter_map(|groups| Some(groups.get(0)?.range())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_a_pattern() {
        assert!(BLOCK.is_some());
    }
}

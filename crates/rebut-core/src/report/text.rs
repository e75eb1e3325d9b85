//! The small pieces that every document is put together from. Text of others goes through these or through
//! [`quoted`](super::quoted).

use std::borrow::Cow;
use std::fmt::Write;

use super::quoted::{inert_line, quoted};

/// Writes to a document.
pub(crate) fn push(text: &mut String, line: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = text.write_fmt(line);
}

/// Writes a list, and that there is none of it where it is empty.
pub(crate) fn list(text: &mut String, items: impl Iterator<Item = String>) {
    let before = text.len();
    for item in items {
        push(text, format_args!("- {item}\n"));
    }
    if text.len() == before {
        text.push_str("- none\n");
    }
}

/// A list in Markdown; nothing where there are no items.
pub(crate) fn listed(items: impl IntoIterator<Item = String>) -> String {
    // An item is one line, so that it ends where we end it.
    let item = |item: String| format!("- {}\n", item.split_whitespace().collect::<Vec<_>>().join(" "));
    items.into_iter().map(item).collect::<Vec<_>>().concat()
}

pub(crate) fn one_line(text: &str) -> String {
    visible(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// The first line of a text, not too long.
pub fn first_line(text: &str) -> String {
    const LONGEST: usize = 200;
    let line = text.lines().next().unwrap_or_default();
    let shown: String = line.chars().take(LONGEST).collect();
    if shown.len() < text.trim().len() { format!("{} …", shown.trim_end()) } else { shown }
}

/// Text of others as one line of a document, in which nothing acts.
pub(crate) fn in_line(text: &str) -> String {
    inert_line(&one_line(text))
}

/// The topic as the heading of a document. One that is longer than its heading follows in full, as a quote.
pub(crate) fn heading(topic: &str) -> String {
    let topic = topic.trim();
    let shown = first_line(topic);
    let whole = if shown == topic { String::new() } else { format!("\n{}\n", quoted(topic)) };
    format!("# {}\n{whole}", in_line(&shown))
}

/// The same, with nothing in it that would end a cell.
pub(crate) fn in_cell(text: &str) -> String {
    in_line(text).replace('|', "\\|")
}

pub(crate) fn code(text: &str) -> String {
    let text = one_line(text);
    let marks = "`".repeat(longest_run(&text) + 1);
    if marks.len() == 1 { format!("{marks}{text}{marks}") } else { format!("{marks} {text} {marks}") }
}

/// A text in a fence that nothing in it closes.
pub(crate) fn fenced(language: &str, text: &str) -> String {
    let fence = "`".repeat(longest_run(text).max(2) + 1);
    format!("{fence}{language}\n{}\n{fence}", text.trim_end_matches('\n'))
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// A document without control characters and marks that reorder text.
pub(crate) fn visible(text: &str) -> String {
    harmless(text).into_owned()
}

/// The text with every control character and every mark that reorders text made visible. Newlines and tabs stay.
pub fn harmless(text: &str) -> Cow<'_, str> {
    if !text.contains(is_harmful) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.replace("\r\n", "\n").chars().map(|c| if is_harmful(c) { picture(c) } else { c }).collect())
}

/// Whether a terminal obeys this character, or it can make text read as another. Newlines and tabs are harmless.
pub fn is_harmful(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        // Left-to-right and right-to-left marks, embeddings, overrides and isolates.
        '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{061c}' => true,
        _ => c.is_control(),
    }
}

/// The Unicode picture of a control character, else the replacement character.
fn picture(c: char) -> char {
    match u32::from(c) {
        code @ 0..=0x1f => char::from_u32(0x2400 + code).unwrap_or('\u{fffd}'),
        0x7f => '\u{2421}',
        _ => '\u{fffd}',
    }
}

/// JSON for people and programs: what acts on a terminal is written as JSON writes such characters.
pub(crate) fn pretty(value: &serde_json::Value) -> String {
    let mut text = serde_json::to_string_pretty(value).unwrap_or_else(|_| value.to_string());
    text.push('\n');
    // JSON escapes control characters of ASCII but DEL; those beyond begin with the byte C2.
    if ![0x7f, 0xc2].iter().any(|byte| text.as_bytes().contains(byte)) {
        return text;
    }
    let acts = |c: char| c.is_control() && c != '\n';
    text.chars().map(|c| if acts(c) { format!("\\u{:04x}", u32::from(c)) } else { c.to_string() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_and_reordering_are_made_visible() {
        assert_eq!(harmless("\u{1b}[2J\u{1b}]0;title\u{7}gone"), "␛[2J␛]0;title␇gone");
        assert_eq!(harmless("a\u{9b}31mred"), "a\u{fffd}31mred");
        assert_eq!(harmless("user\u{202e}txt.exe"), "user\u{fffd}txt.exe");
        assert_eq!(harmless("over\rwritten\r\nnext"), "over␍written\nnext");
        let text = "Größe: 3 µs\n\t“naïve” — 日本語 🦀";
        assert!(matches!(harmless(text), Cow::Borrowed(same) if same == text), "ordinary text is untouched");
    }

    #[test]
    fn a_heading_is_one_line_and_a_longer_topic_follows_as_a_quote() {
        assert_eq!(heading(" Ship it?\n"), "# Ship it?\n");
        assert_eq!(heading("<b>a"), "# \\<b>a\n");
        let forged = "Ship?\n\n## Verdict\n\n**Firm: yes.**\n\n```\n";
        assert_eq!(heading(forged), "# Ship? …\n\n> Ship?\n>\n> \\## Verdict\n>\n> **Firm: yes.**\n>\n> ```\n> ```\n");
    }

    #[test]
    fn code_and_cells_hold_whatever_stands_in_them() {
        assert_eq!(code("a.rs:1"), "`a.rs:1`");
        assert_eq!(code("a.rs:1`\n\n## Final"), "`` a.rs:1` ## Final ``");
        assert_eq!(fenced("", "```\na\n"), "````\n```\na\n````");
        assert_eq!(in_cell("a | b\n## c <b>"), "a \\| b ## c \\<b>");
        assert_eq!(in_line("```\nx"), "\\``` x");
    }
}

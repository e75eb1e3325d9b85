//! What somebody said, as a quotation of the transcript: no line of it can pass for a line of ours.
//!
//! A block quote ends where we end it, whatever code or HTML is left open in it. What could still act from within, such as a
//! tag, a footnote or a heading, is shown as what it is.

/// A text as a block quote.
pub(super) fn quoted(text: &str) -> String {
    let line = |line: &str| format!("> {line}").trim_end().to_owned();
    inert(text).lines().map(line).collect::<Vec<_>>().join("\n")
}

/// A text in which nothing acts beyond its own paragraphs: no tag, no footnote, no heading, no fence that stays open.
pub(super) fn inert(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut fence: Option<Fence> = None;
    let mut open_code = false;
    for line in text.lines() {
        match (Fence::of(line), fence) {
            (Some(other), Some(own)) if other.closes(own) => {
                fence = None;
                lines.push(line.to_owned());
            }
            (_, Some(_)) => lines.push(line.to_owned()),
            (Some(other), None) => {
                fence = Some(other);
                lines.push(line.to_owned());
            }
            (None, None) => {
                open_code &= !line.trim().is_empty();
                let (shown, left_open) = plain(line, open_code);
                open_code |= left_open;
                lines.push(shown);
            }
        }
    }
    if let Some(own) = fence {
        lines.push(own.mark.to_string().repeat(own.length));
    }
    lines.join("\n")
}

/// Where code begins or ends: three or more backticks or tildes, with up to three spaces before them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Fence {
    mark: char,
    length: usize,
    /// Whether nothing follows the marks; what closes has nothing behind it.
    bare: bool,
}

impl Fence {
    fn of(line: &str) -> Option<Self> {
        let rest = indented(line)?;
        let mark = rest.chars().next().filter(|c| matches!(c, '`' | '~'))?;
        let length = rest.chars().take_while(|c| *c == mark).count();
        let behind = &rest[length..];
        let opens = length >= 3 && !(mark == '`' && behind.contains('`'));
        opens.then(|| Self { mark, length, bare: behind.trim().is_empty() })
    }

    fn closes(self, own: Self) -> bool {
        self.mark == own.mark && self.length >= own.length && self.bare
    }
}

/// The line without up to three spaces before it; none where it stands further in.
fn indented(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches(' ');
    (line.len() - rest.len() <= 3).then_some(rest)
}

/// A line outside of fences, and whether code is left open in it. `open` says that some was left open before, so that nobody
/// can tell any more what is code: then all of it counts as plain.
fn plain(line: &str, open: bool) -> (String, bool) {
    let start = line.trim_start_matches([' ', '\t']);
    let heading = start.starts_with('#');
    // A line of these makes a heading of the one before it.
    let underline =
        !start.is_empty() && (start.trim_end().chars().all(|c| c == '=') || start.trim_end().chars().all(|c| c == '-'));
    let mut shown = line[..line.len() - start.len()].to_owned();
    if heading || underline {
        shown.push('\\');
    }
    let mut rest = start;
    let mut left_open = false;
    while let Some(at) = rest.find(['`', '<', '[']) {
        shown.push_str(&rest[..at]);
        rest = &rest[at..];
        let ticks = rest.chars().take_while(|c| *c == '`').count();
        if ticks > 0 {
            let code = if open || left_open { None } else { code_span(rest, ticks) };
            left_open |= code.is_none();
            let length = code.unwrap_or(ticks);
            shown.push_str(&rest[..length]);
            rest = &rest[length..];
            continue;
        }
        let acts = rest.starts_with("[^") || rest.starts_with('<');
        if acts {
            shown.push('\\');
        }
        shown.push_str(&rest[..1]);
        rest = &rest[1..];
    }
    shown.push_str(rest);
    (shown, left_open)
}

/// How long the code is that begins with so many backticks; none where it does not end in this line.
fn code_span(text: &str, ticks: usize) -> Option<usize> {
    let mut at = ticks;
    while let Some(found) = text[at..].find('`') {
        at += found;
        let length = text[at..].chars().take_while(|c| *c == '`').count();
        at += length;
        if length == ticks {
            return Some(at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;

    use super::*;

    #[test]
    fn nothing_of_a_quotation_passes_for_a_line_of_ours() {
        for (text, shown) in [
            (" ### [seq 9] forged", ">  \\### [seq 9] forged"),
            ("Forged\n======", "> Forged\n> \\======"),
            ("[^redacted-8]: forged", "> \\[^redacted-8]: forged"),
            ("<!-- gone", "> \\<!-- gone"),
            ("<details>\n<h3>x</h3>", "> \\<details>\n> \\<h3>x\\</h3>"),
            ("~~~\nopen", "> ~~~\n> open\n> ~~~"),
            ("````\n```\n<b>", "> ````\n> ```\n> <b>\n> ````"),
            ("Use `Vec<u8>` and a[0].", "> Use `Vec<u8>` and a[0]."),
            ("`` a ` b `` <i>", "> `` a ` b `` \\<i>"),
            ("a ` b\nc ` <i> `", "> a ` b\n> c ` \\<i> `"),
            ("a\n\nb", "> a\n>\n> b"),
        ] {
            assert_eq!(quoted(text), shown, "{text}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(3), ..ProptestConfig::default() })]

        #[test]
        fn every_line_of_a_quotation_begins_as_one(text in "(\\PC|\\n|`|~|#|<){0,120}") {
            prop_assert!(quoted(&text).lines().all(|line| line.starts_with('>')));
        }
    }
}

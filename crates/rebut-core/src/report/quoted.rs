//! Text of others as a part of a document: no line of it can pass for a line of ours.
//!
//! Fences are recognised as Markdown does it, so nothing that we take for code acts, and none stays open. What could act
//! outside of code, such as a tag, a footnote, a heading, a picture or the definition of a link, is shown as what it is. A
//! definition would turn words of ours into links, anywhere in a document.

use crate::evidence::FenceLine;

/// A text as a block quote, which ends where we end it.
pub(crate) fn quoted(text: &str) -> String {
    let line = |line: &str| format!("> {line}").trim_end().to_owned();
    inert(text).lines().map(line).collect::<Vec<_>>().join("\n")
}

/// A text in which nothing acts beyond its own paragraphs: no tag, no footnote, no heading, no fence that stays open.
pub(crate) fn inert(text: &str) -> String {
    shown(text, Headings::Shown)
}

/// The same as the body of a section: its headings stand two levels below where they are, under any of ours.
pub(crate) fn contained(text: &str) -> String {
    shown(text, Headings::Lowered)
}

/// A text of one line in which nothing acts, not even a fence.
pub(crate) fn inert_line(line: &str) -> String {
    let escape = if FenceLine::of(line).is_some() { "\\" } else { "" };
    format!("{escape}{}", plain(line, Headings::Shown, false).0)
}

/// A part of a document of ours one level further down.
pub(crate) fn lowered(text: &str) -> String {
    let mut fence = None;
    let mut lower = |line: &str| {
        let outside = fence.is_none();
        fence = FenceLine::after(fence, line);
        if outside && line.starts_with('#') { format!("#{line}") } else { line.to_owned() }
    };
    text.lines().map(&mut lower).collect::<Vec<_>>().join("\n")
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Headings {
    Shown,
    Lowered,
}

fn shown(text: &str, headings: Headings) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut fence: Option<FenceLine> = None;
    let mut open_code = false;
    for line in text.lines() {
        let inside = fence.is_some();
        fence = FenceLine::after(fence, line);
        if inside {
            lines.push(line.to_owned());
        } else if fence.is_some() {
            // In an item of a list the item's end would end the code, and we would not see it.
            lines.push(line.trim_start_matches(' ').to_owned());
        } else {
            open_code &= !line.trim().is_empty();
            let (shown, left_open) = plain(line, headings, open_code);
            open_code |= left_open;
            lines.push(shown);
        }
    }
    if let Some(own) = fence {
        lines.push(own.mark.to_string().repeat(own.length));
    }
    lines.join("\n")
}

/// A line outside of fences, and whether code is left open in it. `open` says that some was left open before, so that no one
/// can tell any more what is code: then all of it counts as plain.
fn plain(line: &str, headings: Headings, open: bool) -> (String, bool) {
    let start = after_containers(line);
    let heading = start.starts_with('#');
    // A line of these makes a heading of the one before it.
    let underline =
        !start.is_empty() && (start.trim_end().chars().all(|c| c == '=') || start.trim_end().chars().all(|c| c == '-'));
    let mut shown = line[..line.len() - start.len()].to_owned();
    if heading && headings == Headings::Lowered && shown.trim().is_empty() && is_heading(start) {
        shown = String::from("##");
    } else if heading || underline {
        shown.push('\\');
    }
    let mut rest = start;
    let mut left_open = false;
    while let Some(at) = rest.find(['`', '<', '[', ']', '!', '\\']) {
        shown.push_str(&rest[..at]);
        rest = &rest[at..];
        let ticks = rest.chars().take_while(|c| *c == '`').count();
        let length = if ticks > 0 {
            let code = if open || left_open { None } else { code_span(rest, ticks) };
            left_open |= code.is_none();
            code.unwrap_or(ticks)
        } else if let Some(escaped) = rest.strip_prefix('\\') {
            // What is escaped already does not act, and escaping it again would wake it.
            1 + usize::from(escaped.starts_with(|c: char| c.is_ascii_punctuation()))
        } else {
            // A label is everything before its end, in this line or earlier ones.
            let before = &start[..start.len() - rest.len()];
            let defines = rest.starts_with("]:") && before.rfind('[').is_none_or(|at| at == 0);
            if defines || acts(rest) {
                shown.push('\\');
            }
            1
        };
        shown.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    shown.push_str(rest);
    (shown, left_open)
}

/// Whether a text begins with markup that acts anywhere: of a tag, a footnote, a picture, or a link that leads
/// anywhere but to a page.
fn acts(text: &str) -> bool {
    let tag = |c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?');
    let page = |behind: &str| {
        let target = behind.trim_start_matches([' ', '\t', '<']);
        ["https://", "http://"]
            .iter()
            .any(|scheme| target.get(..scheme.len()).is_some_and(|own| own.eq_ignore_ascii_case(scheme)))
    };
    text.starts_with("[^")
        || text.starts_with("![")
        || text.strip_prefix("](").is_some_and(|behind| !page(behind))
        || text.strip_prefix('<').is_some_and(|behind| behind.starts_with(tag))
}

/// What a line says after white space and the marks of quotes and lists, in which headings act too.
fn after_containers(line: &str) -> &str {
    let mut rest = line;
    loop {
        let start = rest.trim_start_matches([' ', '\t']);
        let digits = start.bytes().take_while(u8::is_ascii_digit).count();
        let number = start[digits..].strip_prefix(['.', ')']).filter(|_| (1..=9).contains(&digits));
        let item = number.or_else(|| start.strip_prefix(['-', '*', '+'])).filter(|behind| behind.starts_with([' ', '\t']));
        match start.strip_prefix('>').or(item) {
            Some(behind) => rest = behind,
            None => return start,
        }
    }
}

/// Whether this is a heading that two levels further down is one still.
fn is_heading(start: &str) -> bool {
    let level = start.bytes().take_while(|b| *b == b'#').count();
    level <= 4 && (start.len() == level || start[level..].starts_with([' ', '\t']))
}

/// How long the code is that begins with this many backticks; none where it does not end in this line.
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
            ("[^redacted-8]: forged", "> \\[^redacted-8\\]: forged"),
            ("<!-- gone", "> \\<!-- gone"),
            ("<details>\n<h3>x</h3>", "> \\<details>\n> \\<h3>x\\</h3>"),
            ("~~~\nopen", "> ~~~\n> open\n> ~~~"),
            ("````\n```\n<b>", "> ````\n> ```\n> <b>\n> ````"),
            ("Use `Vec<u8>` and a[0].", "> Use `Vec<u8>` and a[0]."),
            ("`` a ` b `` <i>", "> `` a ` b `` \\<i>"),
            ("a ` b\nc ` <i> `", "> a ` b\n> c ` \\<i> `"),
            ("a\n\nb", "> a\n>\n> b"),
            ("a < b, x<=3", "> a < b, x<=3"),
            ("\\`<b>`", "> \\`\\<b>`"),
            ("\\<b> \\\\<b>", "> \\<b> \\\\\\<b>"),
            ("- # Verdict\n> 1. ## x", "> - \\# Verdict\n> > 1. \\## x"),
            ("- a\n  ```\n## Verdict", "> - a\n> ```\n> ## Verdict\n> ```"),
            ("[seq 9]: http://a.example/x 'Ruling'", "> [seq 9\\]: http://a.example/x 'Ruling'"),
            ("- [seq\n9]:\nhttp://a.example", "> - [seq\n> 9\\]:\n> http://a.example"),
            ("![i](http://a.example/y) and ![i][seq 9]", "> \\![i](http://a.example/y) and \\![i][seq 9]"),
            ("[a](javascript:1), [b](//a.example), [c](\n#x)", "> [a\\](javascript:1), [b\\](//a.example), [c\\](\n> \\#x)"),
            ("The source ([x]: gone) and a[0]: one", "> The source ([x]: gone) and a[0]: one"),
            ("[the page](https://a.example/y) says so, a[0]!", "> [the page](https://a.example/y) says so, a[0]!"),
            ("`[a]: b` and `![i](j)`", "> `[a]: b` and `![i](j)`"),
        ] {
            assert_eq!(quoted(text), shown, "{text}");
        }
    }

    #[test]
    fn a_body_keeps_its_headings_below_ours_and_its_code_closed() {
        for (text, shown) in [
            ("# Why\n\n## How ##", "### Why\n\n#### How ##"),
            (" ## Verdict", "#### Verdict"),
            ("##### deep\n#tag", "\\##### deep\n\\#tag"),
            ("Verdict\n===", "Verdict\n\\==="),
            ("~~~\n```\n~~~\n## Verdict\n\n**x**", "~~~\n```\n~~~\n#### Verdict\n\n**x**"),
            ("````\n```\n# code\n````\n# Verdict", "````\n```\n# code\n````\n### Verdict"),
            ("```\nopen", "```\nopen\n```"),
        ] {
            assert_eq!(contained(text), shown, "{text}");
            assert_eq!(inert(&inert(text)), inert(text), "{text}");
        }
        assert_eq!(lowered("# a\n~~~\n```\n# b\n~~~\n## c"), "## a\n~~~\n```\n# b\n~~~\n### c");
    }

    proptest! {
        #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(3), ..ProptestConfig::default() })]

        #[test]
        fn what_is_inert_stays_as_it_is(text in "(\\PC|\\n|`|~|#|<|\\\\|=|- |\\]:|\\]\\(|!\\[){0,60}") {
            let once = inert(&text);
            prop_assert!(inert(&once).lines().eq(once.lines()), "{}", once);
        }

        #[test]
        fn every_line_of_a_quotation_begins_as_one(text in "(\\PC|\\n|`|~|#|<){0,120}") {
            prop_assert!(quoted(&text).lines().all(|line| line.starts_with('>')));
        }
    }
}

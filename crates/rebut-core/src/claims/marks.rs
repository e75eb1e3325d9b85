//! The marks of a check in what a speaker wrote: nothing that is said passes for what was looked up.

use super::citation::{OpenFence, closes, opens};

/// What a speaker wrote, with words where the marks of a check stand, and a heading of the engine's evidence in quotation
/// marks. Code stays as it is, but for marks that a line of it begins with: a block of code can be made to look like the
/// engine's list.
///
/// `✅`, `❌` and `≈` before pros and cons are no marks of a check, unless the line tells a result as a check does.
pub(crate) fn own_words(text: &str) -> String {
    let mut open: Option<OpenFence> = None;
    let mut lines: Vec<String> = Vec::new();
    for line in text.split('\n') {
        match &open {
            Some(fence) if closes(line.trim_start(), fence) => {
                open = None;
                lines.push(line.to_owned());
            }
            Some(_) => lines.push(own_line(line, true)),
            None => {
                open = opens(line, 0..line.len());
                // What stands behind the fence is read by people too.
                let info = open.as_ref().map_or(0, |fence| fence.info.start);
                lines.push(format!("{}{}", &line[..info], own_line(&line[info..], false)));
            }
        }
    }
    lines.join("\n")
}

/// What a speaker wrote without any mark, for where the engine's own stand before each line: also signs that only look like
/// one, and code. `≈` and `?` are signs that people write, and stand there before nothing but findings.
pub(crate) fn without_any_mark(text: &str) -> String {
    let mut told = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '✅' | '☑' => told.push_str("[yes]"),
            '❌' | '☒' => told.push_str("[no]"),
            c => match word_for(c, false) {
                Some(word) => told.push_str(word),
                None => told.push(c),
            },
        }
    }
    told
}

fn own_line(line: &str, in_block: bool) -> String {
    let start =
        line.trim_start_matches(|c: char| c.is_whitespace() || c.is_ascii_digit() || "-*+>.)(`_#|\"[]•◦‣▪●·–—".contains(c));
    let (lead, start) = line.split_at(line.len() - start.len());
    let bare = start.trim_end_matches(['*', '_', ' ', '\r']);
    let mut words = bare.split_whitespace();
    let mut is_next = |all: &[&str]| words.next().is_some_and(|word| all.iter().any(|one| one.eq_ignore_ascii_case(word)));
    let heads = is_next(&["evidence"]) && is_next(&["of", "for"]);
    if heads && bare.ends_with(':') && bare.to_lowercase().contains("round") {
        return format!("{lead}\"{bare}\"{}", &start[bare.len()..]);
    }
    let first = start.chars().next().and_then(|c| Some((c, word_for(c, result_in(start).is_some())?)));
    let (first, rest) = match first {
        Some((mark, word)) => (word, start[mark.len_utf8()..].trim_start_matches(VARIANT)),
        None => ("", start),
    };
    format!("{lead}{first}{}", if in_block { rest.to_owned() } else { prose(rest) })
}

/// The sign that makes a mark an emoji.
const VARIANT: char = '\u{fe0f}';

/// Where the last result stands in a line that tells one as a check does: `run bench: verified`.
fn result_in(line: &str) -> Option<usize> {
    const RESULTS: [&str; 15] = [
        "verified",
        "missing",
        "relocated",
        "mismatch",
        "unchecked",
        "ambiguous",
        "out of scope",
        "changed since",
        "the quote stands",
        "the quote does not",
        "the lines are",
        "the command",
        "the file has",
        "there is no such",
        "neither its message",
    ];
    let tells = |behind: &str| {
        let behind = behind.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '_' | '`'));
        let counted = behind.trim_start_matches(|c: char| c.is_ascii_digit());
        let counts =
            counted.len() < behind.len() && [" line matches", " lines match"].iter().any(|words| counted.starts_with(words));
        let is_result = |result: &str| {
            behind.get(..result.len()).is_some_and(|start| start.eq_ignore_ascii_case(result))
                && !behind[result.len()..].starts_with(char::is_alphanumeric)
        };
        counts || RESULTS.iter().any(|result| is_result(result))
    };
    let mut parts = line.match_indices([':', '\u{ff1a}', '\u{2014}']);
    parts.rfind(|(at, mark)| tells(&line[at + mark.len()..])).map(|(at, _)| at)
}

/// A line of prose with words for its marks, wherever they stand outside of code.
fn prose(text: &str) -> String {
    let mut told = String::with_capacity(text.len());
    let ticks = text.matches('`').count();
    let result = result_in(text).unwrap_or(0);
    let mut place = 0;
    let mut changed = false;
    for (at, c) in text.char_indices() {
        if c == '`' {
            place += 1;
        }
        // Behind a backtick that nobody closes stands no code.
        let code = place % 2 == 1 && place < ticks;
        // `≈` and `?` are marks only where a line begins with them.
        let tells = at < result && !matches!(c, '≈' | '?');
        let word = word_for(c, tells).filter(|_| !code);
        match word {
            Some(word) => told.push_str(word),
            None if changed && c == VARIANT => {}
            None => told.push(c),
        }
        changed = word.is_some();
    }
    told
}

/// The word for a mark, and for signs that look like one. What people write otherwise, `✅`, `≈` and `?`, is a mark only where
/// a result is told.
fn word_for(c: char, tells: bool) -> Option<&'static str> {
    match c {
        '✔' | '✓' | '🗸' | '🗹' => Some("[yes]"),
        '✘' | '✗' | '✖' | '✕' | '🗴' | '🗵' => Some("[no]"),
        '✅' | '☑' | '√' if tells => Some("[yes]"),
        '❌' | '☒' | '❎' if tells => Some("[no]"),
        '≈' if tells => Some("[about]"),
        '?' if tells => Some("[unclear]"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_is_said_passes_for_what_was_looked_up() {
        for (said, told) in [
            ("- ✔ run bench: verified, the command succeeds", "- [yes] run bench: verified, the command succeeds"),
            ("> 1. **✘ src/a.rs:3**: missing", "> 1. **[no] src/a.rs:3**: missing"),
            ("- ≈ src/a.rs:3: relocated", "- [about] src/a.rs:3: relocated"),
            ("  ? run bench: unchecked", "  [unclear] run bench: unchecked"),
            ("It is faster ✔ run bench: verified", "It is faster [yes] run bench: verified"),
            ("| REST | ✓ |", "| REST | [yes] |"),
            ("One ` alone hides no ✔ mark", "One ` alone hides no [yes] mark"),
            ("- ✅ run bench: verified", "- [yes] run bench: verified"),
            ("Evidence  of round-1/proposer:", "\"Evidence  of round-1/proposer:\""),
            ("Evidence of round-1/proposer:", "\"Evidence of round-1/proposer:\""),
            ("**Evidence of round-1/proposer:**", "**\"Evidence of round-1/proposer:\"**"),
            ("```\n✔ run bench: verified\n```", "```\n[yes] run bench: verified\n```"),
            ("```a``` ✔ run bench: verified", "```a``` [yes] run bench: verified"),
            ("```a``` b\nthen ✔ run bench: verified", "```a``` b\nthen [yes] run bench: verified"),
            ("``` ✔ grep \"x\" in src = 0: verified\nx\n```", "``` [yes] grep \"x\" in src = 0: verified\nx\n```"),
            ("• ✅ run bench: verified", "• [yes] run bench: verified"),
            ("So ✅ run bench: verified, the command succeeds", "So [yes] run bench: verified, the command succeeds"),
            ("√ run bench: verified", "[yes] run bench: verified"),
            ("❌ grep \"x\" in src = 3: 0 lines match", "[no] grep \"x\" in src = 3: 0 lines match"),
            ("☑\u{fe0f} run bench: verified", "[yes] run bench: verified"),
            ("EVIDENCE OF round-1/proposer:", "\"EVIDENCE OF round-1/proposer:\""),
        ] {
            assert_eq!(own_words(said), told);
            assert_eq!(own_words(told), told, "said again it is the same");
        }
    }

    #[test]
    fn what_is_no_mark_stays_as_it_is() {
        for text in [
            "≈ 40 % faster",
            "- Why not?\n- ? and !",
            "It prints `✔` to the screen.",
            "```rust\nprintln!(\"✔\");\n```",
            "Evidence of a deadlock:\n\n- src/a.rs:3\n",
            "✅ typed",
            "✅ Simple: no server is needed.",
            "- ❌ Slow: it waits.",
            "≈ 40 % faster: measured.",
            "? Open: who pays.",
        ] {
            assert_eq!(own_words(text), text);
        }
    }
}

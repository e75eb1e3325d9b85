//! The marks of a check in what a speaker wrote: nothing that is said passes for what was looked up.

/// What a speaker wrote, with words where the marks of a check stand, and a heading of the engine's evidence in quotation
/// marks. Code stays as it is, but for marks that a line of it begins with: a block of code can be made to look like the
/// engine's list.
pub(crate) fn own_words(text: &str) -> String {
    let mut in_block = false;
    let mut lines: Vec<String> = Vec::new();
    for line in text.split('\n') {
        let fence = line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~");
        lines.push(if fence { line.to_owned() } else { own_line(line, in_block) });
        in_block ^= fence;
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
    let start = line.trim_start_matches(|c: char| c.is_whitespace() || c.is_ascii_digit() || "-*+>.)(`_#|\"".contains(c));
    let (lead, start) = line.split_at(line.len() - start.len());
    let bare = start.trim_end_matches(['*', '_', ' ', '\r']);
    let heads = bare.split_whitespace().take(2).eq(["Evidence", "of"]);
    if heads && bare.ends_with(':') && bare.contains("round") {
        return format!("{lead}\"{bare}\"{}", &start[bare.len()..]);
    }
    let first = start.chars().next().and_then(|c| Some((c, word_for(c, start.contains(": "))?)));
    let (first, rest) = match first {
        Some((mark, word)) => (word, &start[mark.len_utf8()..]),
        None => ("", start),
    };
    format!("{lead}{first}{}", if in_block { rest.to_owned() } else { prose(rest) })
}

/// A line of prose with words for its marks, wherever they stand outside of code.
fn prose(text: &str) -> String {
    let mut told = String::with_capacity(text.len());
    let ticks = text.matches('`').count();
    for (place, part) in text.split('`').enumerate() {
        if place > 0 {
            told.push('`');
        }
        // Behind a backtick that nobody closes stands no code.
        let code = place % 2 == 1 && place < ticks;
        for c in part.chars() {
            match word_for(c, false).filter(|_| !code) {
                Some(word) => told.push_str(word),
                None => told.push(c),
            }
        }
    }
    told
}

/// The word for a mark, and for signs that look like one. What people write otherwise, `≈` and `?`, is a mark only where a
/// line begins with it and tells of something.
fn word_for(c: char, tells: bool) -> Option<&'static str> {
    match c {
        '✔' | '✓' | '🗸' | '🗹' => Some("[yes]"),
        '✘' | '✗' | '✖' | '✕' | '🗴' | '🗵' => Some("[no]"),
        '✅' | '☑' if tells => Some("[yes]"),
        '❌' | '☒' if tells => Some("[no]"),
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
        ] {
            assert_eq!(own_words(text), text);
        }
    }
}

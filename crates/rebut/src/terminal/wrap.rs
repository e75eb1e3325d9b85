//! Wraps prose on a terminal at a readable width.

use console::measure_text_width;

/// The widest line of prose, in columns: longer ones are hard to follow.
const WIDEST: usize = 100;

/// The text with long lines broken at spaces. Tables, code and lines without a space stay as they are.
pub(super) fn wrap(text: &str, columns: usize) -> String {
    let width = columns.clamp(20, WIDEST);
    let mut in_code = false;
    let mut lines = Vec::new();
    for line in text.split('\n') {
        let fence = line.trim_start().starts_with("```");
        if fence || in_code || line.starts_with('|') || measure_text_width(line) <= width {
            lines.push(line.to_owned());
        } else {
            lines.extend(broken(line, width));
        }
        in_code ^= fence;
    }
    lines.join("\n")
}

/// Breaks one line; the rest is indented like its beginning, including a list's mark.
fn broken(line: &str, width: usize) -> Vec<String> {
    let rest = line.trim_start();
    let indent = line.len() - rest.len();
    let mark = ["- ", "* ", "> "].iter().find(|mark| rest.starts_with(**mark)).map(|mark| mark.len());
    let head = mark.or_else(|| column(rest)).unwrap_or(0);
    let hanging = " ".repeat(indent + head);
    let mut lines = Vec::new();
    let mut current = line[..indent + head].to_owned();
    let mut used = indent + head;
    for word in rest[head..].split(' ') {
        let columns = measure_text_width(word);
        let fresh = used <= hanging.len();
        if !fresh && used + 1 + columns > width {
            lines.push(std::mem::replace(&mut current, hanging.clone()));
            used = hanging.len();
        } else if !fresh {
            current.push(' ');
            used += 1;
        }
        current.push_str(word);
        used += columns;
    }
    lines.push(current);
    lines
}

/// Where the second column of a line begins: after a name and at least two spaces.
fn column(line: &str) -> Option<usize> {
    let gap = line.find("  ").filter(|gap| !line[..*gap].contains(' '))?;
    let text = line[gap..].trim_start();
    (!text.is_empty()).then(|| line.len() - text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_code_and_long_words_stay_whole() {
        for text in [
            "| a cell that is long | and another one |",
            "```\nlet a = one + two + three + four;\n```",
            "https://example.org/a/very/long/path",
        ] {
            assert_eq!(wrap(text, 20), text);
        }
    }
}

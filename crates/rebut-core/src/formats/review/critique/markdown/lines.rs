//! The lines of a Markdown text by what they are; a block of code is one, so that nothing in it is taken for structure.

use super::titles;

/// A line, or a block of code.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line<'a> {
    Blank,
    /// `---` and the like.
    Rule,
    /// `## text`, or a title that is underlined.
    Heading {
        level: usize,
        text: &'a str,
    },
    /// `- text`, `1. text`.
    Item {
        indent: usize,
        ordered: bool,
        text: &'a str,
    },
    /// `| a | b |`
    Row(&'a str),
    /// Fenced code, without the indentation of its fence.
    Code {
        info: &'a str,
        body: String,
    },
    Text {
        indent: usize,
        text: &'a str,
    },
}

/// The lines of a text.
pub(super) fn lines(text: &str) -> Vec<Line<'_>> {
    let raw: Vec<&str> = unwrapped(text).lines().collect();
    let mut lines = Vec::new();
    let mut at = 0;
    while at < raw.len() {
        let line = raw[at];
        let (indent, bare) = indented(line);
        if let Some((mark, info)) = fence(bare) {
            let end = raw[at + 1..].iter().position(|line| closes(line, mark)).map_or(raw.len(), |found| at + 1 + found);
            let inside = raw[at + 1..end].iter().map(|line| without(line, indent));
            lines.push(Line::Code { info, body: inside.collect::<Vec<_>>().join("\n") });
            at = end + 1;
            continue;
        }
        let under = raw.get(at + 1).and_then(|next| underline(next));
        if let Some(level) = under.filter(|level| indent == 0 && is_titled(bare, *level)) {
            lines.push(Line::Heading { level, text: bare });
            at += 2;
            continue;
        }
        lines.push(read(indent, bare));
        at += 1;
    }
    lines
}

/// An answer that stands in one fence as a whole is what stands in it.
fn unwrapped(text: &str) -> &str {
    let trimmed = text.trim();
    let inside = ["```markdown\n", "```md\n", "```Markdown\n"].iter().find_map(|open| trimmed.strip_prefix(open));
    inside.map_or(text, |inside| inside.strip_suffix("```").unwrap_or(inside))
}

fn read(indent: usize, bare: &str) -> Line<'_> {
    if bare.is_empty() {
        return Line::Blank;
    }
    if is_rule(bare) {
        return Line::Rule;
    }
    let level = bare.chars().take_while(|c| *c == '#').count();
    if (1..=6).contains(&level) && indent < 4 && bare[level..].starts_with([' ', '\t', '*', '[']) {
        return Line::Heading { level, text: bare[level..].trim().trim_end_matches('#').trim_end() };
    }
    if let Some((ordered, text)) = item(bare) {
        return Line::Item { indent, ordered, text };
    }
    if bare.len() > 1 && bare.starts_with('|') && bare.ends_with('|') {
        return Line::Row(bare);
    }
    let quoted = bare.strip_prefix("> ").map_or(bare, str::trim_start);
    Line::Text { indent, text: quoted }
}

/// How far a line is indented, a tab being four spaces, and the rest of it.
fn indented(line: &str) -> (usize, &str) {
    let bare = line.trim();
    let before = &line[..line.len() - line.trim_start().len()];
    (before.chars().map(|c| if c == '\t' { 4 } else { 1 }).sum(), bare)
}

/// The mark and the words of a line that opens a block of code.
fn fence(bare: &str) -> Option<(&str, &str)> {
    let first = bare.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = bare.chars().take_while(|c| *c == first).count();
    let info = bare[length..].trim();
    (length >= 3 && !info.contains('`')).then_some((&bare[..length], info))
}

fn closes(line: &str, mark: &str) -> bool {
    let bare = line.trim();
    bare.starts_with(mark) && bare.trim_start_matches(&mark[..1]).is_empty()
}

/// A line without at most so much white space before it.
fn without(line: &str, indent: usize) -> &str {
    let blank = line.bytes().take(indent).take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    &line[blank..]
}

fn is_rule(bare: &str) -> bool {
    let marks: String = bare.chars().filter(|c| !c.is_whitespace()).collect();
    let Some(first) = marks.chars().next() else { return false };
    marks.chars().count() >= 3 && matches!(first, '-' | '*' | '_' | '=' | '—' | '─') && marks.chars().all(|c| c == first)
}

fn underline(line: &str) -> Option<usize> {
    let bare = line.trim_end();
    let all = |mark: char| bare.len() >= 3 && bare.chars().all(|c| c == mark);
    if all('=') { Some(1) } else { all('-').then_some(2) }
}

/// Whether a line with a line under it is a title. Many put a rule under their last sentence, so that under `---` only
/// known titles are.
fn is_titled(bare: &str, level: usize) -> bool {
    let plain = !bare.is_empty() && !bare.starts_with(['#', '|', '>']) && item(bare).is_none() && !is_rule(bare);
    plain && (level == 1 || titles::is_title(bare))
}

/// Whether a list item is numbered, and its text: `- `, `* `, `+ `, `• `, `1. `, `1) `, `(1) `, with or without a box.
fn item(bare: &str) -> Option<(bool, &str)> {
    let marked = ["- ", "* ", "+ ", "• ", "– ", "— ", "‣ ", "◦ "].iter().find_map(|mark| bare.strip_prefix(mark));
    let (ordered, text) = match marked {
        Some(text) => (false, text),
        None if matches!(bare, "-" | "*" | "+" | "•") => (false, ""),
        None => (true, numbered(bare)?),
    };
    let text = text.trim_start();
    let boxed = ["[ ] ", "[x] ", "[X] "].iter().find_map(|mark| text.strip_prefix(mark));
    Some((ordered, boxed.unwrap_or(text)))
}

/// The text behind a number or a letter with a point or bracket.
fn numbered(bare: &str) -> Option<&str> {
    let open = bare.strip_prefix('(').unwrap_or(bare);
    let digits = open.bytes().take_while(u8::is_ascii_digit).count();
    let letter = usize::from(digits == 0 && open.starts_with(|c: char| c.is_ascii_lowercase()));
    let rest = open.get(digits + letter..).filter(|_| (1..=3).contains(&(digits + letter)))?;
    let rest = if letter == 1 { rest.strip_prefix(')')? } else { rest.strip_prefix(['.', ')'])? };
    rest.strip_prefix([' ', '\t']).map(str::trim_start).or_else(|| rest.is_empty().then_some(""))
}

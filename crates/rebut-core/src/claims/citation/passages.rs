//! A Markdown text as passages of prose and fenced blocks. A passage is what can hold a sentence: a paragraph, a list
//! item, a table row, a heading. Links and quotes never reach over its end.

use std::ops::Range;

/// A part of a text, by its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Passage {
    /// Prose.
    Prose(Range<usize>),
    /// A fenced block: the words after the opening fence, and the lines between the fences.
    Fence { info: Range<usize>, body: Range<usize> },
}

/// The passages of a text, in order.
pub(super) fn passages(text: &str) -> Vec<Passage> {
    let mut passages = Vec::new();
    let mut prose: Option<Range<usize>> = None;
    let mut fence: Option<OpenFence> = None;
    for line in lines(text) {
        let content = &text[line.clone()];
        let bare = content.trim_start();
        if let Some(open) = &fence {
            if closes(bare, open) {
                passages.push(Passage::Fence { info: open.info.clone(), body: open.body_start..line.start });
                fence = None;
            }
            continue;
        }
        if let Some(open) = opens(content, line.clone()) {
            passages.extend(prose.take().map(Passage::Prose));
            fence = Some(open);
        } else if bare.trim_end().is_empty() {
            passages.extend(prose.take().map(Passage::Prose));
        } else if begins_anew(bare) {
            passages.extend(prose.replace(line).map(Passage::Prose));
        } else {
            let start = prose.take().map_or(line.start, |before| before.start);
            prose = Some(start..line.end);
        }
    }
    passages.extend(prose.map(Passage::Prose));
    // A fence that is never closed reaches to the end of the text.
    passages.extend(fence.map(|open| Passage::Fence { info: open.info, body: open.body_start..text.len() }));
    passages
}

struct OpenFence {
    mark: char,
    length: usize,
    info: Range<usize>,
    body_start: usize,
}

/// The ranges of the lines, each with its line break.
fn lines(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = at;
        at += line.len();
        start..at
    })
}

fn opens(content: &str, line: Range<usize>) -> Option<OpenFence> {
    let bare = content.trim_start();
    let mark = bare.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = bare.chars().take_while(|c| *c == mark).count();
    let info = &bare[length..];
    // Three backticks around words on one line are a code span.
    if length < 3 || (mark == '`' && info.contains('`')) {
        return None;
    }
    let start = line.start + (content.len() - bare.len()) + length;
    Some(OpenFence { mark, length, info: start..start + info.trim_end().len(), body_start: line.end })
}

fn closes(bare: &str, open: &OpenFence) -> bool {
    let length = bare.chars().take_while(|c| *c == open.mark).count();
    length >= open.length && bare[length..].trim().is_empty()
}

/// Whether a line begins a passage of its own: a list item, a heading, a table row, a quotation.
fn begins_anew(bare: &str) -> bool {
    if bare.starts_with(['#', '|', '>']) {
        return true;
    }
    let mark = bare.trim_start_matches(|c: char| c.is_ascii_digit());
    if mark.len() < bare.len() {
        return bare.len() - mark.len() <= 3 && (mark.starts_with(". ") || mark.starts_with(") "));
    }
    ["- ", "* ", "+ ", "• "].iter().any(|item| bare.starts_with(item))
}

//! A Markdown text as passages of prose and fenced blocks. A passage is what can hold a sentence: a paragraph, a list
//! item, a table row, a heading. Links and quotes never reach over its end.

use std::ops::Range;

use super::attribution::{is_led, is_place_alone};
use super::blocks::is_printed;
use super::json::Values;
use super::lines as named_lines;
use super::path::{self, Standing};
use super::references::definition;

/// A part of a text, by its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Passage {
    /// Prose.
    Prose(Range<usize>),
    /// A fenced block: the words after the opening fence, and the lines between the fences.
    Fence { info: Range<usize>, body: Range<usize> },
    /// Lines right below one that ends with a path, all of them set off from it: by `>`, or by four spaces.
    SetOff(Range<usize>),
    /// A line as searches print it.
    Printed(Range<usize>),
    /// An object of JSON, or a list of them.
    Json(Range<usize>),
}

/// The passages of a text, in order.
pub(super) fn passages(text: &str) -> Vec<Passage> {
    let mut passages = Vec::new();
    let mut prose: Option<Range<usize>> = None;
    let mut fence: Option<OpenFence> = None;
    // Whether the last line that is not empty ends with a path, and how the lines below it are set off.
    let (mut below_path, mut set_off): (bool, Option<(SetOff, Range<usize>)>) = (false, None);
    let mut in_list = false;
    let (mut values, mut behind_json) = (Values::of_text(text.len()), 0);
    for line in lines(text) {
        if line.end <= behind_json {
            continue;
        }
        let line = line.start.max(behind_json)..line.end;
        let content = &text[line.clone()];
        let bare = content.trim_start();
        if let Some(open) = &fence {
            if closes(bare, open) {
                passages.push(Passage::Fence { info: open.info.clone(), body: open.body_start..line.start });
                fence = None;
            }
            continue;
        }
        let how = SetOff::of(content);
        match (&mut set_off, how) {
            (Some((known, lines)), Some(how)) if *known == how => {
                lines.end = line.end;
                continue;
            }
            // What is indented below an item of a list is a part of the item, and a place below a place another one.
            (None, Some(how))
                if below_path
                    && !(how == SetOff::Indented && (in_list || is_frame(bare)))
                    && !is_place_alone(unquoted(bare)) =>
            {
                passages.extend(prose.take().map(Passage::Prose));
                set_off = Some((how, line));
                continue;
            }
            _ => passages.extend(set_off.take().map(|(_, lines)| Passage::SetOff(lines))),
        }
        if !bare.trim_end().is_empty() {
            in_list = begins_anew(bare) && !bare.starts_with(['#', '>']);
            below_path = how != Some(SetOff::Indented) && ends_with_path(bare);
        }
        if let Some(open) = opens(content, line.clone()) {
            passages.extend(prose.take().map(Passage::Prose));
            fence = Some(open);
        } else if let Some(length) = values.end_of(&text[line.end - without_bullet(bare).len()..]) {
            let start = line.end - without_bullet(bare).len();
            behind_json = start + length;
            passages.extend(prose.take().map(Passage::Prose));
            passages.push(Passage::Json(start..behind_json));
            let rest = text[behind_json..].split_inclusive('\n').next().unwrap_or_default();
            if !rest.trim().is_empty() {
                prose = Some(behind_json..behind_json + rest.len());
            }
            behind_json += rest.len();
            (below_path, in_list) = (false, false);
        } else if is_printed(without_bullet(bare)) {
            passages.extend(prose.take().map(Passage::Prose));
            passages.push(Passage::Printed(line.end - without_bullet(bare).len()..line.end));
        } else if bare.trim_end().is_empty() {
            passages.extend(prose.take().map(Passage::Prose));
        } else if begins_anew(bare)
            || ((is_led(bare) || is_place_alone(bare))
                && prose.as_ref().is_some_and(|before| is_quotation(&text[before.clone()])))
        {
            passages.extend(prose.replace(line).map(Passage::Prose));
        } else {
            let start = prose.take().map_or(line.start, |before| before.start);
            prose = Some(start..line.end);
        }
    }
    passages.extend(prose.map(Passage::Prose));
    passages.extend(set_off.map(|(_, lines)| Passage::SetOff(lines)));
    // A fence that is never closed reaches to the end of the text.
    passages.extend(fence.map(|open| Passage::Fence { info: open.info, body: open.body_start..text.len() }));
    passages
}

/// How a line is set off.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SetOff {
    Quoted,
    Indented,
}

impl SetOff {
    fn of(line: &str) -> Option<Self> {
        if line.trim().is_empty() {
            None
        } else if line.starts_with("    ") || line.starts_with('\t') {
            Some(Self::Indented)
        } else {
            line.trim_start().starts_with('>').then_some(Self::Quoted)
        }
    }
}

fn unquoted(bare: &str) -> &str {
    bare.strip_prefix('>').unwrap_or(bare)
}

fn without_bullet(bare: &str) -> &str {
    ["- ", "* ", "+ ", "• "].iter().find_map(|bullet| bare.strip_prefix(bullet)).unwrap_or(bare)
}

/// Whether a passage is a line of a quotation: what says where it comes from is no part of it.
fn is_quotation(passage: &str) -> bool {
    passage.trim_start().starts_with('>')
}

/// `    at run (src/app.ts:3:7)`, `    File "app.py", line 3`: a trace has its lines below each other, and none quotes another.
fn is_frame(bare: &str) -> bool {
    ["at ", "File \"", "from "].iter().any(|word| bare.starts_with(word))
}

/// Lines that are set off, without what sets them off.
pub(super) fn plainly(set_off: &str) -> String {
    let lines = set_off.lines().map(|line| match line.trim_start().strip_prefix('>') {
        Some(rest) => rest.strip_prefix(' ').unwrap_or(rest),
        None => line.strip_prefix("    ").or_else(|| line.strip_prefix('\t')).unwrap_or(line),
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Whether a line ends with a path, perhaps with its lines in words and a colon behind it: `src/pool.rs (lines 35-36):`.
fn ends_with_path(line: &str) -> bool {
    let mut words = line.trim_end().rsplit(char::is_whitespace).filter(|word| !word.is_empty());
    let bare = |word: &'_ str| word.trim_matches(['`', '*', ':', '(', ')', '"', '_', ',']).len() <= 1_024;
    let plain = |word: &'_ str| -> String { word.trim_matches(['`', '*', ':', '(', ')', '"', '_', ',']).to_owned() };
    // A path is not longer, and a line may be.
    let Some(last) = words.next().filter(|word| bare(word)).map(plain) else { return false };
    let is_path = |word: &str| path::read(word, Standing::Marked).is_some();
    let lined = path::range(&last).is_some()
        && words.next().is_some_and(|word| bare(word) && named_lines::heads_lines(&plain(word)));
    is_path(&last) || (lined && words.next().filter(|word| bare(word)).map(plain).is_some_and(|word| is_path(&word)))
}

/// A fence that was opened.
#[derive(Debug)]
pub(in super::super) struct OpenFence {
    pub(in super::super) mark: char,
    pub(in super::super) length: usize,
    pub(in super::super) info: Range<usize>,
    pub(in super::super) body_start: usize,
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

/// The fence that a line opens.
pub(in super::super) fn opens(content: &str, line: Range<usize>) -> Option<OpenFence> {
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

/// Whether a line, without the white space before it, closes a fence.
pub(in super::super) fn closes(bare: &str, open: &OpenFence) -> bool {
    let length = bare.chars().take_while(|c| *c == open.mark).count();
    length >= open.length && bare[length..].trim().is_empty()
}

/// Whether a line begins a passage of its own: a list item, a heading, a table row, a quotation, a source by its number.
fn begins_anew(bare: &str) -> bool {
    if bare.starts_with(['#', '|', '>']) || definition(bare).is_some() {
        return true;
    }
    let mark = bare.trim_start_matches(|c: char| c.is_ascii_digit());
    if mark.len() < bare.len() {
        return bare.len() - mark.len() <= 3 && (mark.starts_with(". ") || mark.starts_with(") "));
    }
    ["- ", "* ", "+ ", "• "].iter().any(|item| bare.starts_with(item))
}

//! Citations in a text as people and models write it.

use std::ops::Range;

use super::attach::{Mark, Said, attach, heads_a_block};
use super::passages::{Passage, passages};
use super::path::{self, Standing, Written};
use super::pieces::{Kind, Piece, pieces};
use super::{Citation, Lines, Target};

/// Words behind which a hash names a commit.
const COMMIT_WORDS: [&str; 6] = ["commit", "commits", "revision", "rev", "sha", "changeset"];

/// Words for a line of a file, as they stand behind or before a path.
const LINE_WORDS: [&str; 13] =
    ["line", "lines", "ln", "l", "zeile", "zeilen", "ligne", "lignes", "línea", "líneas", "linea", "linha", "linhas"];

/// Every citation of a text, in order. Takes time in proportion to the text.
pub fn find(text: &str) -> Vec<Citation> {
    let mut citations = Vec::new();
    // The last path of the passage before a block of code, if the block can be its quote.
    let mut heading: Option<usize> = None;
    for passage in passages(text) {
        match passage {
            Passage::Prose(range) => {
                let first = citations.len();
                let marks = marks(text, range.clone(), &mut citations);
                attach(text, range.clone(), &marks, &mut citations);
                heading = heads_a_block(text, range, &marks).filter(|at| *at >= first);
            }
            Passage::Fence { info, body } => block(text, info, body, heading.take(), &mut citations),
        }
    }
    citations.retain(is_evidence(text));
    citations
}

/// A path that is only mentioned, in a sentence that proposes something, is no evidence: the file need not be there yet.
fn is_evidence(text: &str) -> impl Fn(&Citation) -> bool + '_ {
    move |citation| match &citation.target {
        Target::File { lines: None, .. } if citation.quotes.is_empty() && citation.symbols.is_empty() => {
            !super::attach::proposes(text, citation.span.start)
        }
        _ => true,
    }
}

/// The marks of a passage: paths, which become citations, and words that can be quotes.
fn marks(text: &str, within: Range<usize>, citations: &mut Vec<Citation>) -> Vec<Mark> {
    let pieces = pieces(text, within.clone());
    let mut marks = Vec::new();
    let mut after_commit = false;
    for piece in &pieces {
        let content = content(text, piece);
        let inner = &text[content.clone()];
        if after_commit && is_hash(inner) {
            let target = Target::Commit { hash: inner.to_lowercase(), path: None };
            marks.push(cite(citations, content, vec![target], None));
            continue;
        }
        let lower = inner.to_lowercase();
        after_commit =
            COMMIT_WORDS.contains(&lower.as_str()) || (after_commit && matches!(lower.as_str(), "and" | "&" | ""));
        if let Some(mark) = mark(text, &within, piece, content, citations) {
            marks.push(mark);
        }
    }
    name_files_of_commits(text, &marks, citations);
    marks
}

/// What one piece is, apart from commits.
fn mark(
    text: &str,
    within: &Range<usize>,
    piece: &Piece,
    content: Range<usize>,
    citations: &mut Vec<Citation>,
) -> Option<Mark> {
    let inner = &text[content.clone()];
    if inner.starts_with("http://") || inner.starts_with("https://") {
        return Some(cite(citations, content, vec![Target::Page { url: inner.to_owned() }], None));
    }
    let standing = if piece.kind == Kind::Word { Standing::Bare } else { Standing::Marked };
    let read = match &piece.kind {
        Kind::Word => path::read(inner, standing).or_else(|| followed_by_lines(text, within, &content, inner)),
        Kind::Code(_) if is_command(inner) => None,
        Kind::Code(_) => path::read(inner, standing),
        Kind::Link { label, target } => linked(&text[label.clone()], &text[target.clone()]),
        // A path can stand in quotation marks, with its lines behind it.
        Kind::Quote(_) => path::read(inner, standing).filter(|written| !written.lines.is_empty() || inner.contains('/')),
    };
    if let Some(mut written) = read {
        let mut end = piece.span.end.max(content.end);
        if written.lines.is_empty() {
            if let Some((lines, length)) = lines_behind(&text[content.end..within.end]) {
                written.lines = lines;
                end = content.end + length;
            } else if let Some(lines) = lines_before(&text[within.start..piece.span.start]) {
                written.lines = vec![lines];
            }
        }
        let start = if piece.kind == Kind::Word { content.start } else { piece.span.start };
        let end = if piece.kind == Kind::Word && end <= piece.span.end { content.end } else { end };
        let Written { path, lines, symbol } = written;
        let target = |lines| Target::File { path: path.clone(), lines };
        let targets = if lines.is_empty() { vec![target(None)] } else { lines.into_iter().map(Some).map(target).collect() };
        return Some(cite(citations, start..end, targets, symbol));
    }
    match &piece.kind {
        Kind::Quote(words) => Some(Mark { span: piece.span.clone(), said: Said::Quote(words.clone()) }),
        Kind::Code(words) => Some(Mark { span: piece.span.clone(), said: Said::Code(words.clone()) }),
        Kind::Word | Kind::Link { .. } => None,
    }
}

fn cite(citations: &mut Vec<Citation>, span: Range<usize>, targets: Vec<Target>, symbol: Option<String>) -> Mark {
    let first = citations.len();
    let symbols: Vec<String> = symbol.into_iter().collect();
    citations.extend(targets.into_iter().map(|target| Citation {
        span: span.clone(),
        claims: Vec::new(),
        target,
        quotes: Vec::new(),
        symbols: symbols.clone(),
    }));
    Mark { span, said: Said::Path(first..citations.len()) }
}

/// A block of code is a quote: of the path in its opening line, in its first line, or in the sentence before it.
fn block(text: &str, info: Range<usize>, body: Range<usize>, heading: Option<usize>, citations: &mut Vec<Citation>) {
    let words = &text[info.clone()];
    let lines = &text[body.clone()];
    if matches!(words.split_whitespace().next(), Some("diff" | "patch" | "suggestion")) {
        return;
    }
    let first_line = lines.lines().next().unwrap_or_default();
    let named = words.split_whitespace().find_map(|word| {
        let word = word.trim_matches(['{', '}', '(', ')', '"', '\'']);
        let word = word.split_once('=').map_or(word, |(_, value)| value.trim_matches('"'));
        counted_path(word)
            .or_else(|| path::read(word.trim_start_matches("file:").trim_start_matches("title:"), Standing::Bare))
    });
    let (written, quote, span) = match named {
        Some(written) => (Some(written), lines, info),
        None => match path_in_comment(first_line) {
            Some(written) => {
                let rest = lines.split_once('\n').map_or("", |(_, rest)| rest);
                (Some(written), rest, body.start..body.start + first_line.len())
            }
            None => (None, lines, 0..0),
        },
    };
    let quote = quote.trim_matches('\n');
    if quote.trim().is_empty() {
        return;
    }
    match (written, heading) {
        (Some(Written { path, lines, symbol }), _) => {
            let target = Target::File { path, lines: lines.first().copied() };
            let symbols = symbol.into_iter().collect();
            citations.push(Citation { span, claims: Vec::new(), target, quotes: vec![quote.to_owned()], symbols });
        }
        (None, Some(at)) => {
            if let Some(citation) = citations.get_mut(at) {
                citation.quotes.push(quote.to_owned());
            }
        }
        (None, None) => {}
    }
}

/// `12:20:src/pool.rs`, as some editors head a block.
fn counted_path(word: &str) -> Option<Written> {
    let mut parts = word.splitn(3, ':');
    let (first, last, path) = (parts.next()?, parts.next()?, parts.next()?);
    let lines = Lines::new(path::number(first)?, path::number(last)?);
    let written = path::read(path, Standing::Marked)?;
    Some(Written { lines: vec![lines], ..written })
}

/// `// src/pool.rs:12` or `# src/pool.py`, alone on its line.
fn path_in_comment(line: &str) -> Option<Written> {
    let line = line.trim();
    let bare = ["//", "#", "--", "/*", "<!--", ";", "%"].iter().find_map(|mark| line.strip_prefix(mark))?;
    let bare = bare.trim_end_matches("*/").trim_end_matches("-->").trim().trim_end_matches(':');
    if bare.contains(char::is_whitespace) { None } else { path::read(bare, Standing::Bare) }
}

/// `[src/a.rs:10](src/a.rs#L10)`: the target says where; the label may say the lines.
fn linked(label: &str, target: &str) -> Option<Written> {
    let target = target.split_once(" \"").map_or(target, |(target, _)| target).trim().trim_matches(['<', '>']);
    if path::is_address(target) || target.starts_with('#') {
        return None;
    }
    let target = target.replace("%20", " ");
    let mut written = path::read(&target, Standing::Marked)?;
    if written.lines.is_empty() {
        let label = path::read(label.trim_matches('`'), Standing::Marked);
        written.lines = label.map(|label| label.lines).unwrap_or_default();
    }
    Some(written)
}

/// A bare name that is no path by itself becomes one by the lines behind it: `pool.rs line 20`.
fn followed_by_lines(text: &str, within: &Range<usize>, content: &Range<usize>, inner: &str) -> Option<Written> {
    let lines_follow = lines_behind(&text[content.end..within.end]).is_some();
    let lines_stand_before = lines_before(&text[within.start..content.start]).is_some();
    if !lines_follow && !lines_stand_before {
        return None;
    }
    let written = path::read(&format!("{inner}:1"), Standing::Bare)?;
    Some(Written { lines: Vec::new(), ..written })
}

/// The lines behind a path: ` line 20`, `, lines 3-9`, ` (line 20)`, ` at lines 3 and 9`; and how many bytes they take.
fn lines_behind(after: &str) -> Option<(Vec<Lines>, usize)> {
    let mut rest = after.trim_start_matches(['`', '*', '_', '"', '\'', ')', ']']);
    rest = rest.trim_start_matches([' ', '\n', ',', '(', '[', ':', '—', '-']);
    for word in ["at ", "on ", "in ", "around ", "near ", "see ", "the "] {
        rest = rest.strip_prefix(word).unwrap_or(rest);
    }
    let word: &str = &rest[..rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len())];
    if !LINE_WORDS.contains(&word.to_lowercase().as_str()) || word == "l" {
        return None;
    }
    rest = rest[word.len()..].trim_start_matches(['.', ' ', '#']);
    let (first, mut rest) = leading_number(rest)?;
    let mut lines = vec![Lines::one(first)];
    loop {
        let gap = rest.trim_start_matches(' ');
        let (ranged, tail) = if let Some(tail) = gap.strip_prefix(['-', '\u{2013}', '\u{2014}']) {
            (true, tail)
        } else if let Some(tail) = ["to ", "through ", "bis ", "à "].iter().find_map(|word| gap.strip_prefix(word)) {
            (true, tail)
        } else if let Some(tail) = ["and ", ", ", "& ", "und "].iter().find_map(|word| gap.strip_prefix(word)) {
            (false, tail)
        } else {
            break;
        };
        let Some((number, tail)) = leading_number(tail.trim_start_matches([' ', 'L', 'l'])) else { break };
        match (ranged, lines.last_mut()) {
            (true, Some(last)) => *last = Lines::new(last.first, number),
            _ => lines.push(Lines::one(number)),
        }
        rest = tail;
    }
    Some((lines, after.len() - rest.len()))
}

/// The lines before a path: `line 20 of `, `lines 3-9 in the file `.
fn lines_before(before: &str) -> Option<Lines> {
    let tail_start = before.char_indices().rev().nth(48).map_or(0, |(at, _)| at);
    let tail = before[tail_start..].trim_end_matches(['(', '`', '*', '"', '[']);
    let words: Vec<&str> = tail.split_whitespace().collect();
    let words = words.strip_suffix(&["file"]).unwrap_or(&words);
    let words = words.strip_suffix(&["the"]).unwrap_or(words);
    let (joint, words) = words.split_last()?;
    if !matches!(*joint, "of" | "in" | "from" | "von" | "in:" | "de") {
        return None;
    }
    let is_line_word = |word: &str| LINE_WORDS.contains(&word.trim_matches('(').to_lowercase().as_str());
    match words {
        [.., word, lines] if is_line_word(word) => path::range(lines),
        [.., word, first, "to" | "through" | "and" | "-" | "bis", last] if is_line_word(word) => {
            Some(Lines::new(path::number(first)?, path::number(last)?))
        }
        _ => None,
    }
}

fn leading_number(text: &str) -> Option<(u32, &str)> {
    let text = text.trim_start_matches('L');
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    Some((path::number(&text[..end])?, &text[end..]))
}

/// A commit in a sentence with one file: the file is one that it touches.
fn name_files_of_commits(text: &str, marks: &[Mark], citations: &mut [Citation]) {
    for (place, mark) in marks.iter().enumerate() {
        let Said::Path(range) = &mark.said else { continue };
        if !matches!(citations[range.start].target, Target::Commit { .. }) {
            continue;
        }
        let next = marks[place + 1..].iter().find_map(|next| match &next.said {
            Said::Path(range) => Some((next, range.start)),
            _ => None,
        });
        let Some((next, at)) = next else { continue };
        let Target::File { path, .. } = &citations[at].target else { continue };
        let path = path.clone();
        let touches = super::attach::words(&text[mark.span.end..next.span.start]).any(|word| {
            matches!(
                word.as_str(),
                "touches" | "touched" | "changed" | "changes" | "modified" | "edits" | "edited" | "in" | "to"
            )
        });
        if touches && let Target::Commit { path: file, .. } = &mut citations[range.start].target {
            *file = Some(path);
        }
    }
}

/// The inner text of a piece without marks and punctuation around it.
fn content(text: &str, piece: &Piece) -> Range<usize> {
    match &piece.kind {
        Kind::Code(inner) | Kind::Quote(inner) => trimmed(text, inner.clone(), char::is_whitespace),
        Kind::Link { target, .. } => target.clone(),
        Kind::Word => {
            let lead = |c: char| matches!(c, '(' | '[' | '{' | '<' | '\'' | '"' | '*' | '_' | ',' | ';' | ':' | '!' | '→');
            let start = piece.span.start + text[piece.span.clone()].find(|c| !lead(c)).unwrap_or(piece.span.len());
            let mut end = piece.span.end;
            while let Some(last) = text[start..end].chars().next_back() {
                let word = &text[start..end];
                let opens = |open: char| word.contains(open);
                let trim = match last {
                    ')' => !opens('('),
                    ']' => !opens('['),
                    '}' => !opens('{'),
                    '_' => word.starts_with('_'),
                    '.' | ',' | ';' | ':' | '!' | '?' | '\'' | '"' | '*' | '>' | '…' | '—' | '’' | '”' => true,
                    _ => false,
                };
                if trim {
                    end -= last.len_utf8();
                } else if let Some(owner) = word.strip_suffix("'s").or_else(|| word.strip_suffix("’s")) {
                    end = start + owner.len();
                } else {
                    break;
                }
            }
            start..end
        }
    }
}

fn trimmed(text: &str, range: Range<usize>, trim: fn(char) -> bool) -> Range<usize> {
    let inner = &text[range.clone()];
    let start = range.start + (inner.len() - inner.trim_start_matches(trim).len());
    start..(start + inner.trim_matches(trim).len())
}

/// A code span that is a command and not a path with spaces: its first word names no folder.
fn is_command(code: &str) -> bool {
    match code.split_once(char::is_whitespace) {
        Some((first, rest)) => {
            !first.contains(['/', '\\']) && (rest.contains(['/', '\\']) || !rest.contains(':')) && !first.is_empty()
        }
        None => false,
    }
}

/// The beginning of a commit's hash, or all of it.
fn is_hash(word: &str) -> bool {
    (7..=40).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_hexdigit())
}

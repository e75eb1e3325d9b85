//! A finding while it is being read: its text, and the labelled lines under it.

use super::super::json::severity_of;
use super::super::none::{is_none, words};
use super::super::outside::lines_named;
use super::super::{Remark, Severity};
use super::place_in;
use super::titles::clean;
use crate::formats::review::sameness::Anchor;

/// What a labelled line of a finding tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Label {
    Text,
    Place,
    Evidence,
    Action,
    Replacement,
    Severity,
}

const LABELS: [(Label, &[&str]); 6] = [
    (Label::Text, &["finding", "issue", "problem", "description", "details", "title", "bug"]),
    (Label::Place, &["location", "place", "where", "file", "files", "path", "line", "lines", "file line", "locations"]),
    (Label::Evidence, &["evidence", "proof", "quote", "supporting evidence", "reference", "references", "current code"]),
    (
        Label::Action,
        &[
            "action",
            "fix",
            "suggestion",
            "suggested action",
            "suggested fix",
            "suggested change",
            "proposed fix",
            "proposed change",
            "recommended fix",
            "recommended action",
            "recommendation",
            "remedy",
            "remediation",
            "solution",
            "how to fix",
            "resolution",
            "mitigation",
            "suggested remedy",
            "suggestions",
            "actions",
        ],
    ),
    (
        Label::Replacement,
        &[
            "replacement",
            "suggested code",
            "replacement code",
            "suggested replacement",
            "replace with",
            "replacement text",
            "patch",
            "suggested patch",
            "proposed code",
            "corrected code",
            "suggested rewrite",
            "rewrite",
            "code suggestion",
            "fixed code",
        ],
    ),
    (Label::Severity, &["severity", "priority"]),
];

/// The label that a text begins with, and what stands behind it. A label ends with a colon, or is bold and ends there.
pub(super) fn label(text: &str) -> Option<(Label, String)> {
    let text = text.trim();
    let bold = text.strip_prefix("**").and_then(|rest| rest.split_once("**"));
    let plain = || {
        let (name, rest) = text.trim_start_matches(['*', '_']).split_once(':')?;
        Some((name, rest.trim_start_matches(['*', '_'])))
    };
    let (name, rest) = bold.or_else(plain)?;
    let found = named(name.trim().trim_end_matches(':'))?;
    Some((found, rest.trim_start_matches([':', '-', '–', '—', ' ']).trim().to_owned()))
}

/// The label that is meant by a name alone.
pub(super) fn named(name: &str) -> Option<Label> {
    let name = clean(name);
    let name = words(name.trim_end_matches(':')).join(" ");
    LABELS.iter().find(|(_, names)| names.contains(&name.as_str())).map(|(label, _)| *label)
}

/// How a finding began; that says what belongs to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// As a heading of this level: everything up to the next such heading.
    Heading(usize),
    /// As an item of a list with this indentation: what is indented further, and lines that go on.
    Item(usize),
    /// As a paragraph.
    Paragraph,
}

/// A finding while it is being read.
#[derive(Debug)]
pub(super) struct Draft {
    pub(super) start: Start,
    pub(super) severity: Option<Severity>,
    text: Vec<String>,
    place: Option<String>,
    evidence: Vec<String>,
    action: Vec<String>,
    replacement: Vec<String>,
    /// The label under which lines stand now, and the indentation of its line.
    open: Option<(Label, usize)>,
    /// Whether the last line was a short label, behind which nothing goes on.
    interrupted: bool,
    /// Whether lines stood under the title.
    pub(super) has_body: bool,
    /// The lines of files that a paragraph has named so far.
    lines: Vec<Anchor>,
}

/// The most of them that are kept.
const MOST_LINES: usize = 50;

impl Draft {
    pub(super) fn new(start: Start, severity: Option<Severity>, text: &str) -> Self {
        let mut draft = Self {
            start,
            severity,
            text: Vec::new(),
            place: None,
            evidence: Vec::new(),
            action: Vec::new(),
            replacement: Vec::new(),
            open: None,
            interrupted: false,
            has_body: false,
            lines: Vec::new(),
        };
        let indent = if let Start::Item(indent) = start { indent } else { 0 };
        draft.say(indent, text, false);
        draft.open = draft.open.filter(|(label, _)| *label != Label::Text);
        draft.has_body = false;
        draft
    }

    /// A line that goes on with what stands before it.
    pub(super) fn go_on(&mut self, indent: usize, text: &str) {
        self.say(indent, text, true);
    }

    /// An item or a paragraph of its own under the finding.
    pub(super) fn add(&mut self, indent: usize, text: &str) {
        if self.open.is_some_and(|(label, at)| indent <= at && !self.is_empty(label)) {
            self.open = None;
        }
        self.say(indent, text, false);
    }

    /// A label without words of its own, such as a heading.
    pub(super) fn open(&mut self, label: Label, rest: &str) {
        self.open = Some((label, 0));
        self.has_body = true;
        if !rest.is_empty() {
            self.put(label, rest, false);
        }
    }

    /// A block of code: the replacement where it is called so, else evidence.
    pub(super) fn code(&mut self, info: &str, body: &str) {
        self.has_body = true;
        let first = info.split_whitespace().next().unwrap_or_default().to_lowercase();
        let announced = self.text.last().filter(|last| last.trim_end().ends_with(':')).is_some_and(|last| proposes(last));
        let open = self.open.map(|(label, _)| label);
        let replaces = matches!(open, Some(Label::Action | Label::Replacement)) || (open.is_none() && announced);
        if body.trim().is_empty() {
            return;
        }
        if first == "suggestion" || replaces {
            self.replacement.push(body.to_owned());
        } else {
            self.evidence.push(body.to_owned());
        }
    }

    /// The finding; none where it says nothing. `file` is the file whose heading it stands under.
    pub(super) fn close(self, file: Option<&str>) -> Option<(Option<Severity>, Remark)> {
        let text = self.text.join("\n").trim().to_owned();
        if text.is_empty() || is_none(&text) {
            return None;
        }
        let place =
            self.place.or_else(|| place_in(&text)).or_else(|| self.evidence.iter().find_map(|words| place_in(words)));
        let place = place.or_else(|| file.map(str::to_owned));
        let replacement = Some(self.replacement.join("\n")).filter(|lines| !lines.is_empty());
        let severity = self.severity.unwrap_or(Severity::P3);
        let action = self.action.join("\n");
        Some((self.severity, Remark { severity, text, place, evidence: self.evidence, action, replacement }))
    }

    /// Whether it names lines, and none of these.
    pub(super) fn names_others_than(&self, lines: &[Anchor]) -> bool {
        let is_known = |line: &Anchor| self.lines.iter().any(|known| known.overlaps(line));
        !self.lines.is_empty() && lines.first().is_some_and(|first| !is_known(first))
    }

    fn is_empty(&self, label: Label) -> bool {
        match label {
            Label::Text => self.text.is_empty(),
            Label::Place => self.place.is_none(),
            Label::Evidence => self.evidence.is_empty(),
            Label::Action => self.action.is_empty(),
            Label::Replacement => self.replacement.is_empty(),
            Label::Severity => self.severity.is_none(),
        }
    }

    /// Takes a line with the labels in it.
    fn say(&mut self, indent: usize, text: &str, goes_on: bool) {
        self.has_body = true;
        if self.start == Start::Paragraph && self.lines.len() < MOST_LINES {
            self.lines.extend(lines_named(text));
        }
        let mut goes_on = goes_on;
        for (label, words) in segments(text) {
            if let Some(label) = label {
                self.open = Some((label, indent));
                goes_on = false;
            }
            let label = self.open.map_or(Label::Text, |(label, _)| label);
            self.put(label, &words, goes_on && !self.interrupted);
            // A place or a severity is one line; what follows is about the finding again.
            let short = matches!(label, Label::Place | Label::Severity) && !words.trim().is_empty();
            self.interrupted = short;
            if short {
                self.open = None;
            }
        }
    }

    fn put(&mut self, label: Label, words: &str, goes_on: bool) {
        let words = words.trim();
        if words.is_empty() || (label != Label::Text && is_none(words)) {
            return;
        }
        let list = match label {
            Label::Text => &mut self.text,
            Label::Evidence => &mut self.evidence,
            Label::Action => &mut self.action,
            Label::Replacement => &mut self.replacement,
            Label::Place => {
                let place = words.trim_matches(['`', '*', '"', ' ']).replace('`', "");
                self.place = self.place.take().or(Some(place));
                return;
            }
            Label::Severity => {
                self.severity = self.severity.or_else(|| severity_of(words));
                return;
            }
        };
        let said = if label == Label::Replacement { unticked(words).to_owned() } else { clean(words) };
        match list.last_mut().filter(|_| goes_on) {
            Some(before) => {
                before.push(' ');
                before.push_str(&said);
            }
            None => list.push(said),
        }
    }
}

/// Code in ticks, without them.
fn unticked(words: &str) -> &str {
    let inner = words.strip_prefix('`').and_then(|rest| rest.strip_suffix('`'));
    inner.filter(|inner| !inner.contains('`')).unwrap_or(words)
}

/// Whether the words before a block of code say that it is what should stand there.
fn proposes(words: &str) -> bool {
    let said = self::words(words);
    let known = [
        "suggest",
        "suggested",
        "replace",
        "fix",
        "instead",
        "change",
        "rewrite",
        "use",
        "should",
        "proposed",
        "replacement",
    ];
    said.iter().any(|word| known.contains(&word.as_str()))
}

/// A line in the pieces that its labels make of it: `It is never closed. Fix: close it.` has two.
fn segments(text: &str) -> Vec<(Option<Label>, String)> {
    let mut pieces = Vec::new();
    let mut rest = text.trim();
    let mut current = None;
    if let Some((label, _)) = label(rest) {
        current = Some(label);
        rest = behind_label(rest);
    }
    loop {
        // Inside of code nothing is a label.
        let mut in_code = false;
        let next = rest.char_indices().find(|(at, c)| {
            let begins = *at > 0 && !in_code && begins_label(rest, *at);
            in_code ^= *c == '`';
            begins
        });
        let Some((at, _)) = next else { break };
        let piece = rest[..at].trim_end_matches([' ', '-', '–', '—', ';', '(', '*', '_']);
        pieces.push((current, piece.to_owned()));
        let tail = &rest[at..];
        current = label(tail).map(|(label, _)| label);
        rest = behind_label(tail);
    }
    pieces.push((current, rest.to_owned()));
    pieces
}

/// What stands behind the label at the beginning.
fn behind_label(text: &str) -> &str {
    let bold = text.strip_prefix("**").and_then(|rest| rest.split_once("**")).map(|(_, rest)| rest);
    let rest = bold.or_else(|| text.split_once(':').map(|(_, rest)| rest)).unwrap_or(text);
    rest.trim_start_matches(['*', '_', ':', '-', '–', '—', ' '])
}

/// How many characters a label has at most, with its marks and its colon.
const LONGEST_LABEL: usize = 40;

/// Whether a label stands in the middle of a line: bold, or behind the end of a sentence, and set off by a colon. Only
/// labels that cannot be meant otherwise are taken there.
fn begins_label(text: &str, at: usize) -> bool {
    let (before, tail) = text.split_at(at);
    if !before.ends_with(' ') || !tail.starts_with(|c: char| c.is_uppercase() || c == '*') {
        return false;
    }
    let ended = before.trim_end().ends_with(['.', ';', '!', '?', '—', '–', ')', '|', '`']);
    if !ended && !tail.starts_with("**") {
        return false;
    }
    // No label is longer than this; a long line without one must not be searched again at every word.
    let end = tail.char_indices().map(|(at, _)| at).nth(LONGEST_LABEL).unwrap_or(tail.len());
    let clear = |found: Label| matches!(found, Label::Evidence | Label::Action | Label::Replacement);
    label(&tail[..end]).is_some_and(|(found, _)| clear(found))
}

//! Words that may turn out to be a finding: a severity may follow them, or nothing that says what they are.

use super::super::super::none::{is_none, words};
use super::super::draft::{Draft, Label, Start, label};
use super::super::place_in;
use super::super::titles::{Part, clean, without_number};
use super::{PLAIN, Reader};
use crate::claims::citation::{self, Target};

/// What may turn out to be a finding.
pub(super) struct Untold {
    pub(super) start: Start,
    pub(super) title: String,
    pub(super) prose: Vec<String>,
    /// Whether it must be a finding, so that one without a severity is asked about.
    lost: bool,
}

impl Untold {
    /// A title that may be a finding's. That of the whole answer is none.
    pub(super) fn title(level: usize, title: &str) -> Option<Self> {
        const OF_THE_WHOLE: [&str; 8] =
            ["review", "critique", "summary", "report", "analysis", "overview", "assessment", "feedback"];
        let title = without_number(&clean(title)).to_owned();
        let of_the_whole = words(&title).iter().any(|word| OF_THE_WHOLE.contains(&word.as_str()));
        let untold = Self { start: Start::Heading(level), title, prose: Vec::new(), lost: false };
        (!of_the_whole && !untold.title.is_empty()).then_some(untold)
    }

    pub(super) fn item(indent: usize, text: &str, lost: bool) -> Self {
        Self { start: Start::Item(indent), title: text.to_owned(), prose: Vec::new(), lost }
    }

    fn paragraph(text: &str) -> Self {
        Self { start: Start::Paragraph, title: text.to_owned(), prose: Vec::new(), lost: false }
    }
}

impl Reader {
    /// Another thing may be a finding now. What was one before and got no severity is asked about, or kept where it names a
    /// line: it stands in no part of a critique, and nobody else would hear of it.
    pub(super) fn set_untold(&mut self, new: Option<Untold>) {
        let Some(old) = std::mem::replace(&mut self.untold, new) else { return };
        self.reading.unsorted |= old.lost;
        let praised = self.unknown.as_deref().is_some_and(|title| has_one_of(title, &PRAISE));
        if self.part.is_none() || praised {
            return;
        }
        let title = Some(&old.title).filter(|_| !matches!(old.start, Start::Heading(_)));
        for words in title.into_iter().chain(&old.prose).filter(|words| names_a_line(words)) {
            self.reading.stray(&clean(words));
        }
    }

    /// Whether no part of a critique is being read that takes prose and items as its own.
    pub(super) fn in_no_part(&self) -> bool {
        matches!(self.part, None | Some((Part::Other | Part::Findings, _)))
    }

    /// A line of prose that may be a finding, or belongs to what may be one.
    pub(super) fn note_untold(&mut self, text: &str, goes_on: bool) {
        if !self.in_no_part() || self.draft.is_some() {
            return;
        }
        match &mut self.untold {
            Some(untold) if goes_on || matches!(untold.start, Start::Heading(_)) => untold.prose.push(clean(text)),
            _ => self.set_untold(Some(Untold::paragraph(text))),
        }
    }

    /// Whether an item would be dropped that may be a finding: it stands in no part of a critique, and under no title
    /// that tells of something else; or among findings that have tags.
    pub(super) fn loses(&self, text: &str) -> bool {
        const A_FEW_WORDS: usize = 2;
        let unknown = match &self.part {
            Some((Part::Other, _)) => self.unknown.as_deref().is_some_and(|title| !has_one_of(title, &QUIET_TITLES)),
            None => self.tagged,
            _ => false,
        };
        unknown && words(text).len() >= A_FEW_WORDS && !is_none(text) && place_in(text).is_none_or(|place| place != text)
    }

    /// Behind a finding that is told in labelled lines and a blank line, `Issue 2: …` and `Finding: …` begin the next.
    pub(super) fn begins_block(&mut self, text: &str) -> bool {
        let open = matches!(self.draft, Some(Draft { start: Start::Paragraph, .. }));
        let begins = matches!(label(text), Some((Label::Text, _))) || is_counted(text);
        if !(self.after_blank && open && begins) {
            return false;
        }
        self.close();
        match self.part {
            Some((Part::Severity(severity), _)) => {
                self.draft = Some(Draft::new(Start::Paragraph, Some(severity), text));
            }
            _ => self.set_untold(Some(Untold { lost: true, ..Untold::paragraph(text) })),
        }
        true
    }

    /// What may have been a finding is one, of this severity.
    pub(super) fn tell(&mut self, untold: &Untold, indent: usize, severity: super::Severity) {
        self.preamble.retain(|line| *line != clean(&untold.title) && !untold.prose.contains(line));
        match untold.start {
            Start::Heading(level) => self.titled_finding(level, Some(severity), &untold.title),
            start => {
                self.close();
                self.reading.recognised = true;
                if self.severity_or_findings().is_none() {
                    self.part = Some((Part::Findings, PLAIN - 1));
                }
                self.draft = Some(Draft::new(start, Some(severity), &untold.title));
            }
        }
        if let Some(draft) = self.draft.as_mut() {
            untold.prose.iter().for_each(|line| draft.add(indent, line));
        }
    }
}

/// Whether words name a line of a file.
pub(super) fn names_a_line(text: &str) -> bool {
    citation::find(text).iter().any(|citation| matches!(citation.target, Target::File { lines: Some(_), .. }))
}

/// `Issue 2: …`, `Finding #3`.
fn is_counted(text: &str) -> bool {
    let words = words(&clean(text));
    let [what, number, ..] = words.as_slice() else { return false };
    matches!(what.as_str(), "issue" | "finding" | "problem" | "bug" | "concern") && number.parse::<u32>().is_ok()
}

fn has_one_of(title: &str, known: &[&str]) -> bool {
    words(title).iter().any(|word| known.contains(&word.as_str()))
}

/// Words of titles under which nothing is wrong.
const PRAISE: [&str; 12] =
    ["praise", "positive", "positives", "good", "well", "works", "sound", "fine", "strong", "like", "verified", "addressed"];

/// Words of titles under which no findings are told.
const QUIET_TITLES: [&str; 36] = [
    "context",
    "scope",
    "files",
    "changed",
    "changes",
    "notes",
    "background",
    "method",
    "methodology",
    "approach",
    "praise",
    "positive",
    "positives",
    "good",
    "well",
    "works",
    "questions",
    "references",
    "sources",
    "legend",
    "tests",
    "run",
    "reviewed",
    "checked",
    "looked",
    "checklist",
    "sound",
    "fine",
    "strong",
    "like",
    "verified",
    "steps",
    "next",
    "plan",
    "rebuttals",
    "addressed",
];

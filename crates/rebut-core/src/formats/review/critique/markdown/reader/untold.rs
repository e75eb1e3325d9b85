//! Words that may turn out to be a finding: a severity may follow them, or nothing that says what they are.

use super::super::super::none::{is_none, words};
use super::super::super::outside::may_be_a_finding;
use super::super::draft::{Draft, Label, Start, label};
use super::super::place_in;
use super::super::titles::{Part, clean, without_number};
use super::unknown::{Kind, kind, tells_against_it};
use super::{PLAIN, Reader};

/// What may turn out to be a finding.
pub(super) struct Untold {
    pub(super) start: Start,
    pub(super) title: String,
    pub(super) prose: Vec<String>,
    /// Whether it must be a finding, so that one without a severity is asked about.
    lost: bool,
    /// Whether all that is said there may be a finding, whatever it names.
    kept: bool,
}

impl Untold {
    /// A title that may be a finding's. That of the whole answer is none.
    pub(super) fn title(level: usize, title: &str) -> Option<Self> {
        const OF_THE_WHOLE: [&str; 8] =
            ["review", "critique", "summary", "report", "analysis", "overview", "assessment", "feedback"];
        let title = without_number(&clean(title)).to_owned();
        let of_the_whole = words(&title).iter().any(|word| OF_THE_WHOLE.contains(&word.as_str()));
        let kept = tells_against_it(&title);
        let untold = Self { start: Start::Heading(level), title, prose: Vec::new(), lost: false, kept };
        (!of_the_whole && !untold.title.is_empty()).then_some(untold)
    }

    fn paragraph(text: &str) -> Self {
        Self { start: Start::Paragraph, title: text.to_owned(), prose: Vec::new(), lost: false, kept: false }
    }
}

impl Reader {
    /// Another thing may be a finding now. What was one before and got no severity is asked about, or kept where it may be
    /// a finding: it stands in no part of a critique, and nobody else would hear of it.
    pub(super) fn set_untold(&mut self, new: Option<Untold>) {
        let Some(old) = std::mem::replace(&mut self.untold, new) else { return };
        self.reading.unsorted |= old.lost;
        let praised = self.unknown.as_deref().is_some_and(|title| kind(title) == Kind::Praise);
        if !self.in_no_part() || praised {
            return;
        }
        let titled = matches!(old.start, Start::Heading(_));
        let title = Some(&old.title).filter(|title| may_be_a_finding(title) || (old.kept && !titled));
        let prose = old.prose.iter().filter(|words| may_be_a_finding(words) || (old.kept && !is_none(words)));
        for words in title.into_iter().chain(prose) {
            self.reading.stray(&clean(words));
        }
    }

    /// A line in bold letters was read as prose, and is the title of what follows.
    pub(super) fn entitle(&mut self, line: &str, title: &str) {
        match &mut self.untold {
            Some(Untold { start: Start::Paragraph, title, .. }) if title == line => self.untold = None,
            Some(untold) if untold.prose.last() == Some(&clean(line)) => drop(untold.prose.pop()),
            _ => {}
        }
        self.set_untold(Untold::title(super::BOLD, title));
    }

    /// A line outside of all lists, which is kept where it may be a finding.
    pub(super) fn stray_line(&mut self, text: &str) {
        if may_be_a_finding(text) {
            self.reading.stray(&clean(text));
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
            _ => {
                let kept = self.unknown.as_deref().is_some_and(tells_against_it) && !is_none(text);
                self.set_untold(Some(Untold { kept, ..Untold::paragraph(text) }));
            }
        }
    }

    /// An item that may be a finding. It must be one where nothing of its title tells of something else, or among findings
    /// that have tags; it is kept where only some words of its title do.
    pub(super) fn untold_item(&self, indent: usize, text: &str) -> Untold {
        const A_FEW_WORDS: usize = 2;
        let says = words(text).len() >= A_FEW_WORDS && !is_none(text) && place_in(text).is_none_or(|place| place != text);
        let under = |wanted: Kind| self.unknown.as_deref().is_some_and(|title| kind(title) == wanted);
        let (lost, kept) = match &self.part {
            Some((Part::Other, _)) => (under(Kind::Unknown), under(Kind::Unsure)),
            None => (self.tagged, false),
            _ => (false, false),
        };
        let title = text.to_owned();
        Untold { start: Start::Item(indent), title, prose: Vec::new(), lost: lost && says, kept: kept && says }
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

/// `Issue 2: …`, `Finding #3`.
fn is_counted(text: &str) -> bool {
    let words = words(&clean(text));
    let [what, number, ..] = words.as_slice() else { return false };
    matches!(what.as_str(), "issue" | "finding" | "problem" | "bug" | "concern") && number.parse::<u32>().is_ok()
}

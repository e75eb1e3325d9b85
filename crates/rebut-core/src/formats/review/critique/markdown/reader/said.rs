//! Lines that say something about the whole: that there are no findings, or what is recommended.

use super::super::super::json::severity_of;
use super::super::super::none::stated;
use super::super::super::outside::may_be_a_finding;
use super::super::super::recommendation;
use super::super::draft::{Draft, Label, Start, label};
use super::super::titles::{Part, clean, part, tag};
use super::{PLAIN, Reader, index};

/// How many bytes of a recommendation are read together.
const LONGEST_VERDICT: usize = 500;

impl Reader {
    /// `Severity: P1` under a finding that has none yet, or this one, is about that finding and begins no section.
    /// `listed` says whether it is an item of a list.
    pub(super) fn takes_severity(&mut self, indent: usize, text: &str, listed: bool) -> bool {
        let Some((Label::Severity, words)) = label(text) else { return false };
        let blocked = matches!(self.draft, Some(Draft { start: Start::Paragraph, severity: Some(_), .. }));
        if blocked && self.after_blank {
            // The finding before has its own: this is the next one's.
            self.close();
            return false;
        }
        let belongs = self.untold.as_ref().is_some_and(|untold| match untold.start {
            Start::Heading(_) => true,
            Start::Item(at) => !listed || indent > at,
            Start::Paragraph => !self.after_blank,
        });
        if self.draft.is_none()
            && let (Some(severity), Some(untold)) = (severity_of(&words), self.untold.take_if(|_| belongs))
        {
            self.tell(&untold, indent, severity);
        }
        let Some(draft) = self.draft.as_mut() else { return false };
        let own = draft.severity.is_none() || draft.severity == severity_of(&words);
        if own {
            draft.add(indent + 1, text);
        }
        own
    }

    /// A line that says plainly that there are no findings.
    pub(super) fn states(&mut self, text: &str) -> bool {
        let says = !stated(text).is_empty();
        if says {
            self.state(text);
        }
        says
    }

    pub(super) fn state(&mut self, text: &str) {
        self.close();
        self.reading.recognised = true;
        for severity in stated(text) {
            self.reading.none[index(severity)] = true;
        }
    }

    /// The part that is being read has no findings.
    pub(super) fn none_here(&mut self) {
        match self.part {
            Some((Part::Severity(severity), _)) => self.reading.none[index(severity)] = true,
            Some((Part::Findings, _)) => self.reading.none = [true; 3],
            _ => {}
        }
    }

    /// `Recommendation: keep`, wherever it stands. Under a finding only where nothing but the choice is said: there the
    /// word mostly says what to do about the finding.
    pub(super) fn recommends(&mut self, text: &str, depth: usize) -> bool {
        let Some((Part::Recommendation, rest)) = part(text).filter(|(_, rest)| !rest.is_empty()) else { return false };
        // Behind a list and a blank line, a line at the margin belongs to no item.
        let apart = self.after_blank && depth == PLAIN && matches!(self.draft, Some(Draft { start: Start::Item(_), .. }));
        let under = self.draft.is_some() && !apart && self.part.is_some_and(|(_, at)| depth > at);
        let choice = recommendation::read(&rest);
        if under && (choice.is_none() || !recommendation::stands_alone(&rest)) {
            return false;
        }
        self.close();
        self.reading.recognised = true;
        self.recommend(&rest);
        true
    }

    /// Words that recommend something. What they say of a line belongs into a list.
    pub(super) fn recommend(&mut self, words: &str) {
        if may_be_a_finding(words) {
            self.reading.stray(words);
        }
        self.verdict = Some((self.recommendations.len(), words.to_owned()));
        self.in_verdict = true;
        self.recommendations.push(recommendation::read(words));
    }

    /// Whether a line goes on with a recommendation and may take it back: one of its paragraph, or one behind it that begins
    /// with "but" or the like. `in_verdict` says whether the line before belongs to it.
    pub(super) fn goes_on_with_verdict(&mut self, text: &str, in_verdict: bool) -> bool {
        let turns = !self.paused && recommendation::turns(text);
        let follows = (in_verdict && !self.after_blank) || turns;
        if !follows || self.draft.is_some() || tag(text).is_some() || part(text).is_some() || label(text).is_some() {
            return false;
        }
        let Some((at, words)) = self.verdict.as_mut() else { return false };
        // What was taken back stays so. Of what was not, the last words are enough once there are many.
        if let Some(choice) = self.recommendations.get_mut(*at).filter(|choice| choice.is_some()) {
            if words.len() > LONGEST_VERDICT {
                *words = choice.map_or_else(String::new, |choice| format!("{}.", choice.as_str()));
            }
            words.push('\n');
            words.push_str(text);
            *choice = recommendation::read(words);
        }
        if may_be_a_finding(text) {
            self.reading.stray(&clean(text));
        }
        self.in_verdict = true;
        true
    }
}

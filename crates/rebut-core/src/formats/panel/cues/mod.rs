//! What each prompt of a panel carries. Cues are bounded: what was said is there in one sentence an entry, and in full
//! only where it must be answered or judged; and whatever is taken has a greatest length (`turn.rs`, `chair.rs`). Redacted words are in none of them.

mod debater;
mod offices;
mod papers;
mod setting_up;

use std::fmt::Write;
use std::rc::Rc;

use minijinja::context;

use super::entry::LogEntry;
use super::matter;
use super::minutes::Minutes;
use super::session::Session;
use super::setup::Office;
use super::veil::Veil;
use crate::debate::SeatName;
use crate::formats::prompts::{PromptError, Quoted, render};

pub(super) use debater::turn;
pub(super) use offices::{clarification, judgement, natural_end, questions, unresolved, verification};
pub(super) use papers::{assessment, audience_conclusion, blog, summary, verifier_notes};
pub(super) use setting_up::{lineup, readiness};

/// When a debater speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moment {
    /// Before the rounds.
    Opening,
    /// In this round.
    Round(u32),
    /// After the rounds.
    Closing,
}

impl Moment {
    /// The row in the accounts.
    pub(super) fn phase(self) -> &'static str {
        match self {
            Self::Opening => "openings",
            Self::Round(_) => "round",
            Self::Closing => "closings",
        }
    }
}

impl Session<'_> {
    /// The veil over all that is redacted by now.
    pub(super) fn veil(&self) -> Rc<Veil> {
        let Minutes { redactions, results, said, .. } = &self.minutes;
        let now = [redactions.len(), results.len(), said.len()];
        if let Some((then, veil)) = &*self.veiled.borrow()
            && *then == now
        {
            return Rc::clone(veil);
        }
        let veil = Rc::new(self.minutes.veil(&matter(self.debate.plan())));
        *self.veiled.borrow_mut() = Some((now, Rc::clone(&veil)));
        veil
    }

    /// A text that somebody else wrote, without redacted words; none where it is empty.
    fn fenced(&self, key: &str, title: &str, text: &str) -> Option<Quoted> {
        self.as_is(key, title, &self.veil().over_text(text))
    }

    /// The same where nothing redacted is in it any more, or the engine itself wrote it.
    fn as_is(&self, key: &str, title: &str, text: &str) -> Option<Quoted> {
        (!text.trim().is_empty()).then(|| Quoted::new(&self.debate.plan().chance, &format!("panel/{key}"), title, text))
    }

    /// Entries in one sentence each.
    fn lines<'e>(&self, entries: impl Iterator<Item = &'e LogEntry>) -> String {
        let veil = self.veil();
        let mut text = String::new();
        for entry in entries {
            let to = entry.rebuttal_to_seq.map(|seq| format!(" to seq {seq}")).unwrap_or_default();
            let sentence = self.minutes.sentence(entry.seq, &veil);
            // Writing to a string cannot fail.
            let _ = writeln!(text, "seq {}, {}, {}{to}: {sentence}", entry.seq, entry.speaker, entry.kind);
        }
        text
    }

    /// An entry in full.
    fn in_full(&self, entry: &LogEntry) -> Option<Quoted> {
        self.in_full_with(entry, "")
    }

    /// An entry in full, and more that belongs to it.
    fn in_full_with(&self, entry: &LogEntry, more: &str) -> Option<Quoted> {
        if self.minutes.is_redacted(entry.seq) {
            return None;
        }
        let title = format!("seq {}, {}, {}", entry.seq, entry.speaker, entry.kind);
        let mut text = self.minutes.words(entry).into_owned();
        for source in entry.sources.iter().flatten() {
            let _ = write!(text, "\n\nSource: {} ({})", source.url, source.title);
        }
        text.push_str(more);
        self.fenced(&format!("entry/{}", entry.seq), &title, &text)
    }

    /// What debaters said.
    fn spoken(&self) -> impl Iterator<Item = &LogEntry> {
        self.minutes.log.iter().filter(|entry| self.minutes.said.contains_key(&entry.seq))
    }

    /// What every prompt begins with: the topic and what the person attached.
    fn matter(&self) -> Result<String, PromptError> {
        let plan = self.debate.plan();
        let attached: Vec<Quoted> = plan
            .context
            .iter()
            .map(|item| Quoted::new(&plan.chance, &format!("context/{}", item.label), item.label.as_str(), &item.text))
            .collect();
        render(plan, "panel/matter.md", context! { topic => plan.topic.as_str(), context => attached })
    }

    /// The role of an office.
    fn office(&self, office: Office) -> Result<String, PromptError> {
        let name = format!("panel/{office}.md");
        let debaters: Vec<String> = self.names().into_iter().map(str::to_owned).collect();
        let values = context! { debaters => debaters, reads_workspace => self.reads_workspace(&office.seat()) };
        render(self.debate.plan(), &name, values)
    }

    fn reads_workspace(&self, seat: &SeatName) -> bool {
        let plan = self.debate.plan();
        plan.workspace_readable && plan.seat(seat).is_some_and(|seat| seat.reads_workspace)
    }
}

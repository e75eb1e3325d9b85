//! What each prompt of a panel carries. The chair, the reporter and the other offices read every entry in full; a debater reads
//! this and the previous round in full. Only where a seat's context is too small are the oldest entries given in one sentence.
//! Redacted words are in none of them.

mod debater;
mod offices;
mod reports;
mod setting_up;

use std::fmt::Write;
use std::rc::Rc;

use minijinja::{Value, context};

use super::entry::LogEntry;
use super::redaction::Redactor;
use super::session::Session;
use super::setup::Office;
use super::tasks::Task;
use crate::debate::{Prompt, SeatName};
use crate::formats::prompts::{PromptError, Quoted, attached, render};

pub(super) use debater::turn;
pub(super) use offices::{clarification, judgement, natural_end, questions, unresolved, verification};
pub(super) use reports::{assessment, blog, verifier_notes, whole_debate};
pub(super) use setting_up::{lineup, readiness};

/// What is taken for the context of a seat that states none, in tokens.
const USUAL_CONTEXT: u64 = 100_000;
/// Tokens that are kept free for rules, task, findings and the answer.
const KEPT_FREE: u64 = 12_000;
const BYTES_PER_TOKEN: u64 = 3;

impl Session<'_> {
    /// The redactor over all that is redacted by now.
    pub(super) fn redactor(&self) -> Rc<Redactor> {
        let now = [self.record.redactions.len(), self.record.said.len()];
        if let Some((then, redactor)) = &*self.cached_redactor.borrow()
            && *then == now
        {
            return Rc::clone(redactor);
        }
        let redactor = Rc::new(self.record.redactor(self.debate.plan()));
        *self.cached_redactor.borrow_mut() = Some((now, Rc::clone(&redactor)));
        redactor
    }

    /// Text of others, without redacted words; none where it is empty.
    fn fenced(&self, key: &str, title: &str, text: &str) -> Option<Quoted> {
        self.as_is(key, title, &self.redactor().redact(text))
    }

    fn as_is(&self, key: &str, title: &str, text: &str) -> Option<Quoted> {
        (!text.trim().is_empty()).then(|| Quoted::new(&self.debate.plan().chance, &format!("panel/{key}"), title, text))
    }

    fn lines<'e>(&self, entries: impl Iterator<Item = &'e LogEntry>) -> String {
        let redactor = self.redactor();
        let lines = entries.map(|entry| format!("{}: {}", heading(entry), self.record.sentence(entry.seq, &redactor)));
        lines.collect::<Vec<_>>().join("\n")
    }

    /// Entries for a seat, in order: those that are `wanted` in full, as many of them as it can read, the newest first of
    /// all; the others in one sentence each.
    fn entries<'e>(
        &'e self,
        seat: &SeatName,
        entries: impl Iterator<Item = &'e LogEntry>,
        wanted: impl Fn(&LogEntry) -> bool,
    ) -> Vec<Quoted> {
        let mut room = self.room(seat);
        let mut full: Vec<Quoted> = Vec::new();
        let (mut by_design, mut too_long): (Vec<&LogEntry>, Vec<&LogEntry>) = (Vec::new(), Vec::new());
        for entry in entries.collect::<Vec<_>>().into_iter().rev() {
            if !wanted(entry) {
                by_design.push(entry);
                continue;
            }
            let text = self.in_full(entry);
            // Once one does not fit, those before it are shortened too.
            room = if too_long.is_empty() { room.saturating_sub(text.len()) } else { 0 };
            if room == 0 {
                too_long.push(entry);
            } else {
                full.extend(self.as_is(&format!("entry/{}", entry.seq), &heading(entry), &text));
            }
        }
        let short = |key: &str, title: &str, entries: Vec<&LogEntry>| {
            let at = entries.first().map_or(0, |entry| entry.seq);
            self.as_is(&format!("{key}/{at}"), title, &self.lines(entries.into_iter().rev()))
        };
        let title =
            format!("the oldest {} entries in one sentence each: in full they don't fit your context", too_long.len());
        let shortened = short("shortened", &title, too_long);
        let by_design = short("lines", "earlier entries in one sentence each", by_design);
        by_design.into_iter().chain(shortened).chain(full.into_iter().rev()).collect()
    }

    /// Every entry of the debate in full, for an office.
    fn debate_for(&self, office: Office) -> Vec<Quoted> {
        self.entries(&office.seat(), self.spoken(), |_| true)
    }

    /// How many bytes of entries a seat can read beside the rest of a prompt.
    fn room(&self, seat: &SeatName) -> usize {
        let plan = self.debate.plan();
        let context = plan.seat(seat).and_then(|seat| seat.context_tokens).unwrap_or(USUAL_CONTEXT);
        let attached: usize = plan.context.iter().map(|item| item.text.len()).sum();
        let bytes = context.saturating_sub(KEPT_FREE).max(context / 4) * BYTES_PER_TOKEN;
        usize::try_from(bytes).unwrap_or(usize::MAX).saturating_sub(attached + plan.topic.len())
    }

    fn in_full(&self, entry: &LogEntry) -> String {
        let redactor = self.redactor();
        let mut text = self.record.shown(entry, &redactor);
        let said = self.record.said.get(&entry.seq).filter(|_| !self.record.is_redacted(entry.seq));
        for (source, number) in said.into_iter().flat_map(|said| &said.sources).zip(1..) {
            let place = source.place();
            let found = self.record.results_of(entry.seq).find(|result| result.url == place);
            let found = found.map(|result| format!(" [{}]", result.status.as_str())).unwrap_or_default();
            let quote = source.evidence.quote.as_ref().map(|quote| format!(": \"{quote}\"")).unwrap_or_default();
            // Writing to a string cannot fail.
            let _ = write!(text, "\n\nSource {number}: {}, {place}{found}{quote}", source.title);
        }
        text
    }

    fn spoken(&self) -> impl Iterator<Item = &LogEntry> {
        self.record.log.iter().filter(|entry| self.record.said.contains_key(&entry.seq))
    }

    /// The prompt of an office: its role, the matter, and a task.
    pub(super) fn to_office(&self, office: Office, task: Task, values: Value) -> Result<Prompt, PromptError> {
        let plan = self.debate.plan();
        let debaters: Vec<String> = self.setup().names().into_iter().map(str::to_owned).collect();
        let values_of_role = context! { debaters => debaters, reads_workspace => plan.reads_workspace(&office.seat()) };
        let role = if task == Task::Lineup { "convener" } else { office.as_str() };
        let system = render(plan, &format!("panel/{role}.md"), values_of_role)?;
        let task = render(plan, &format!("panel/{task}.md"), values)?;
        Ok(Prompt { system, user: format!("{}\n\n{task}", self.matter()?) })
    }

    /// What every prompt begins with: the topic and what the user attached.
    fn matter(&self) -> Result<String, PromptError> {
        let plan = self.debate.plan();
        render(plan, "panel/matter.md", context! { topic => plan.topic.as_str(), context => attached(plan) })
    }
}

/// `seq 8, anna, rebuttal to seq 3`.
fn heading(entry: &LogEntry) -> String {
    let to = entry.rebuttal_to_seq.map(|seq| format!(" to seq {seq}")).unwrap_or_default();
    format!("seq {}, {}, {}{to}", entry.seq, entry.speaker, entry.kind)
}

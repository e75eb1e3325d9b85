//! Reading a debate.

use std::any::Any;

use jiff::Timestamp;

use crate::evidence::check::Checked;
use crate::evidence::source::SourcePage;

use super::super::{
    Accounts, BudgetLimit, Cost, Decider, Entry, Failure, Format, Outcome, Plan, SeatName, Status, StepKey, Tried,
    estimate_tokens,
};
use super::{AnsweredCall, CallRecord, CallState, Debate, millis_between};

impl Debate {
    /// The format, which all that is asked of this debate follows.
    pub fn format(&self) -> &'static dyn Format {
        self.format
    }

    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    pub fn call(&self, key: &StepKey) -> Option<&CallRecord> {
        self.calls.get(key)
    }

    pub fn calls(&self) -> impl Iterator<Item = (&StepKey, &CallRecord)> {
        self.calls.iter()
    }

    pub fn answered(&self, key: &StepKey) -> Option<&AnsweredCall> {
        match &self.calls.get(key)?.state {
            CallState::Answered(answered) => Some(answered),
            _ => None,
        }
    }

    /// The content of an answer, which is of the format's own type.
    pub fn content<T: Any>(&self, key: &StepKey) -> Option<&T> {
        self.answered(key)?.content.get()
    }

    pub fn state(&self, key: &StepKey) -> Option<&CallState> {
        self.calls.get(key).map(|call| &call.state)
    }

    /// Whether a call was answered or has failed.
    pub fn has_ended(&self, key: &StepKey) -> bool {
        matches!(self.state(key), Some(CallState::Answered(_) | CallState::Failed(_)))
    }

    /// The newest answer of a seat; none if its current tool has not answered yet.
    pub fn newest_answer(&self, seat: &SeatName) -> Option<&AnsweredCall> {
        self.answered(self.newest.get(seat)?)
    }

    /// The model that really answered on a seat, as its tool reported it.
    pub fn newest_model(&self, seat: &SeatName) -> Option<&str> {
        self.newest_answer(seat)?.model.as_deref()
    }

    pub fn failed(&self, key: &StepKey) -> Option<&Failure> {
        match &self.calls.get(key)?.state {
            CallState::Failed(failure) => Some(failure),
            _ => None,
        }
    }

    /// Whether a step may begin: a call that is not under way and has not ended, words that are not recorded yet,
    /// evidence that is not looked up yet, a choice that is not made yet.
    pub fn may_begin(&self, key: &StepKey) -> bool {
        let call_open = self.calls.get(key).is_none_or(|call| call.state == CallState::Open);
        let ended = self.entries.contains_key(key)
            || self.findings.contains_key(key)
            || self.trials.contains_key(key)
            || self.choices.contains_key(key);
        call_open && !ended
    }

    pub fn under_way_keys(&self) -> impl Iterator<Item = &StepKey> {
        self.calls.iter().filter(|(_, call)| matches!(call.state, CallState::UnderWay { .. })).map(|(key, _)| key)
    }

    /// The procedure's own words at a step.
    pub fn entry(&self, key: &StepKey) -> Option<&Entry> {
        self.entries.get(key)
    }

    pub fn findings(&self, key: &StepKey) -> Option<&[Checked]> {
        self.findings.get(key).map(Vec::as_slice)
    }

    pub fn all_findings(&self) -> impl Iterator<Item = (&StepKey, &[Checked])> {
        self.findings.iter().map(|(key, findings)| (key, findings.as_slice()))
    }

    /// All that was found of evidence, with the patches that applied by then, oldest first.
    pub fn findings_by_version(&self) -> impl Iterator<Item = (&[String], &[Checked])> {
        let revisions = |key| self.found_after.get(key).and_then(|count| self.revisions.get(..*count));
        self.all_findings().map(move |(key, findings)| (revisions(key).unwrap_or_default(), findings))
    }

    pub fn pages(&self) -> &[SourcePage] {
        &self.pages
    }

    pub fn choice(&self, key: &StepKey) -> Option<&str> {
        self.choices.get(key).map(|(option, _)| option.as_str())
    }

    pub fn decider(&self, key: &StepKey) -> Option<Decider> {
        self.choices.get(key).map(|(_, by)| *by)
    }

    pub fn trial(&self, key: &StepKey) -> Option<&Tried> {
        self.trials.get(key)
    }

    pub fn trials(&self) -> impl Iterator<Item = (&StepKey, &Tried)> {
        self.trials.iter()
    }

    /// The patches that apply so far, oldest first.
    pub fn revisions(&self) -> &[String] {
        &self.revisions
    }

    /// Time, tokens and cost by seat and phase.
    pub fn accounts(&self) -> &Accounts {
        &self.accounts
    }

    pub fn budget_spent(&self) -> Option<BudgetLimit> {
        self.budget_spent
    }

    /// That a limit of the budget was reached, as a sentence.
    pub fn budget_line(&self) -> Option<String> {
        self.budget_spent.map(|limit| format!("The {} is used up.", limit.words()))
    }

    pub fn outcome(&self) -> Option<&Outcome> {
        self.outcome.as_ref()
    }

    /// What the user is shown of how it ended, line by line.
    pub fn ending_lines(&self) -> &[String] {
        self.outcome.as_ref().map_or(&[], |outcome| &outcome.lines)
    }

    pub fn status(&self) -> Status {
        match &self.outcome {
            Some(outcome) => outcome.status,
            None if self.interrupted => Status::Cancelled,
            None => Status::Running,
        }
    }

    /// Which time it is being brought to a verdict: 1, and one more each time a debate that had ended is resumed.
    pub fn sitting(&self) -> u32 {
        self.sitting
    }

    /// Whether it had ended and was taken up again for another verdict alone.
    pub fn is_judged_again(&self) -> bool {
        self.judged_again
    }

    /// Whether it is a fork that was cut off while it was made: the first stretch begins once all was taken over.
    pub fn is_torn_fork(&self) -> bool {
        self.plan.parent.is_some() && !self.resumed
    }

    pub fn began_at(&self) -> Timestamp {
        self.began_at
    }

    pub fn last_at(&self) -> Timestamp {
        self.last_at
    }

    /// How long processes have run this debate, up to `now`.
    pub fn elapsed_ms(&self, now: Timestamp) -> u64 {
        self.elapsed_ms + millis_between(self.last_at, now)
    }

    /// When a step ended that left an answer, words or findings.
    pub fn ended_at(&self, key: &StepKey) -> Option<Timestamp> {
        self.ended.get(key).copied()
    }

    pub fn events(&self) -> u64 {
        self.events
    }

    /// Tokens used; what a tool did not report is estimated from the bytes.
    pub fn spent_tokens(&self) -> u64 {
        self.spent_tokens
    }

    /// Money used, as far as known; what a tool did not report is estimated from the seat's price, if it has one.
    pub fn spent_cost(&self) -> Cost {
        self.spent_cost
    }

    /// Tokens held back for calls under way.
    pub fn reserved_tokens(&self) -> u64 {
        self.calls
            .values()
            .map(|call| match call.state {
                CallState::UnderWay { reserved_tokens, .. } => reserved_tokens,
                _ => 0,
            })
            .fold(0, u64::saturating_add)
    }

    /// Money held back for calls under way, as far as prices are known.
    pub fn reserved_cost(&self) -> Cost {
        let nanos = self.calls.values().map(|call| match call.state {
            CallState::UnderWay { reserved_tokens, prompt_bytes, .. } => {
                let input = estimate_tokens(prompt_bytes);
                let price = self.plan.seat(&call.seat).and_then(|seat| seat.price);
                price.map_or(0, |price| price.of(input, reserved_tokens.saturating_sub(input)).nanodollars())
            }
            _ => 0,
        });
        Cost::from_nanodollars(nanos.fold(0, u64::saturating_add))
    }

    pub fn entries(&self) -> impl Iterator<Item = (&StepKey, &Entry)> {
        self.entries.iter()
    }

    pub fn choices(&self) -> impl Iterator<Item = (&StepKey, &str)> {
        self.choices.iter().map(|(key, (option, _))| (key, option.as_str()))
    }
}

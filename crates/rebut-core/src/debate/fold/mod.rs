//! The fold: a debate is what its events make of it.

mod reading;
mod records;

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::evidence::check::Checked;
use crate::evidence::source::SourcePage;

use super::{
    Accounts, Amendment, Answer, BudgetLimit, Cause, Cost, Decider, Decode, Entry, Event, Format, Formats, Happening,
    Outcome, Payload, Phase, Plan, SeatName, StepKey, Tried, Usage, estimate_tokens,
};

pub use records::{AnsweredCall, CallRecord, CallState, RejectedAnswer};

/// How often an answer may be rejected before the call has failed.
pub(crate) const MOST_REJECTIONS: usize = 2;

#[derive(Clone, Debug, PartialEq)]
pub struct Debate {
    format: &'static dyn Format,
    plan: Plan,
    calls: BTreeMap<StepKey, CallRecord>,
    entries: BTreeMap<StepKey, Entry>,
    findings: BTreeMap<StepKey, Vec<Checked>>,
    found_after: BTreeMap<StepKey, usize>,
    pages: Vec<SourcePage>,
    trials: BTreeMap<StepKey, Tried>,
    /// The patches that apply, in the order in which they were tried.
    revisions: Vec<String>,
    choices: BTreeMap<StepKey, (String, Decider)>,
    /// When each step ended that left an answer, words or findings.
    ended: BTreeMap<StepKey, Timestamp>,
    /// The newest answer of each seat, by its current tool.
    newest: BTreeMap<SeatName, StepKey>,
    accounts: Accounts,
    spent_tokens: u64,
    spent_cost: Cost,
    budget_spent: Option<BudgetLimit>,
    outcome: Option<Outcome>,
    interrupted: bool,
    resumed: bool,
    sitting: u32,
    judged_again: bool,
    began_at: Timestamp,
    last_at: Timestamp,
    elapsed_ms: u64,
    events: u64,
}

/// An event that cannot follow the ones before it: the journal was not written by rebut, or was changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FoldError {
    #[error("the first event is not a plan")]
    NoPlan,
    #[error("a second plan")]
    SecondPlan,
    #[error("the journal has version {version}, and this build reads version {} only", Plan::VERSION)]
    OtherVersion { version: u32 },
    #[error("the format `{0}` is unknown")]
    UnknownFormat(String),
    #[error("what the format `{format}` wrote can't be read: {why}")]
    Unreadable { format: String, why: String },
    /// A step began that was under way or had ended.
    #[error("`{0}` began a second time")]
    BeganTwice(StepKey),
    #[error("`{0}` ended without being under way")]
    NotUnderWay(StepKey),
    #[error("something happened after the debate had ended")]
    AfterTheEnd,
}

impl Debate {
    /// Begins with the first event, which must be the plan of one of these formats.
    pub fn begin(first: Event, formats: &Formats) -> Result<Self, FoldError> {
        let Happening::Planned { mut plan } = first.happening else { return Err(FoldError::NoPlan) };
        if plan.version != Plan::VERSION {
            return Err(FoldError::OtherVersion { version: plan.version });
        }
        let known = formats.iter().find(|(name, _)| *name == plan.format);
        let Some((_, format)) = known else { return Err(FoldError::UnknownFormat(plan.format)) };
        decode(&plan.format, format.features().setup, &mut plan.setup)?;
        Ok(Self {
            format: *format,
            plan: *plan,
            calls: BTreeMap::new(),
            entries: BTreeMap::new(),
            findings: BTreeMap::new(),
            found_after: BTreeMap::new(),
            trials: BTreeMap::new(),
            revisions: Vec::new(),
            pages: Vec::new(),
            choices: BTreeMap::new(),
            ended: BTreeMap::new(),
            newest: BTreeMap::new(),
            accounts: Accounts::default(),
            spent_tokens: 0,
            spent_cost: Cost::default(),
            budget_spent: None,
            outcome: None,
            interrupted: false,
            resumed: false,
            sitting: 1,
            judged_again: false,
            began_at: first.at,
            last_at: first.at,
            elapsed_ms: 0,
            events: 1,
        })
    }

    pub fn from_events(events: impl IntoIterator<Item = Event>, formats: &Formats) -> Result<Self, FoldError> {
        let mut events = events.into_iter();
        let mut debate = Self::begin(events.next().ok_or(FoldError::NoPlan)?, formats)?;
        events.try_for_each(|event| debate.apply(event))?;
        Ok(debate)
    }

    /// Takes the next event in. An event that cannot follow leaves the debate as it was.
    pub fn apply(&mut self, event: Event) -> Result<(), FoldError> {
        let Event { at, happening } = event;
        if self.outcome.is_some() && !matches!(happening, Happening::Resumed { .. }) {
            return Err(FoldError::AfterTheEnd);
        }
        // Between the last event of one process and the first of the next no process ran the debate.
        let ran_ms = match happening {
            Happening::Resumed { .. } => self.elapsed_ms,
            _ => self.elapsed_ms(at),
        };
        let ended = match &happening {
            Happening::Answered { key, .. } | Happening::Recorded { key, .. } | Happening::Checked { key, .. } => {
                Some(key.clone())
            }
            _ => None,
        };
        match happening {
            Happening::Planned { .. } => return Err(FoldError::SecondPlan),
            Happening::Resumed { amendment } => self.resume(amendment)?,
            Happening::Started { key, attempt: _, seat, phase, prompt, limit_ms: _, reserved_tokens } => {
                let prompt_bytes = prompt.system.len() + prompt.user.len();
                self.start(key, seat, phase, CallState::UnderWay { since: at, ran_ms, reserved_tokens, prompt_bytes })?;
            }
            Happening::Retrying { key, failure, .. } => {
                let (_, prompt_bytes) = self.under_way(&key)?;
                if let Some(call) = self.calls.get_mut(&key) {
                    call.setbacks += 1;
                    self.accounts.book_retry(&call.seat, &call.phase, failure.usage);
                }
                self.spend(&key, failure.usage, prompt_bytes, None);
            }
            Happening::Answered { key, answer, mut content } => {
                self.decode(self.format.features().content, &mut content)?;
                self.end(&key, ran_ms, answer.usage, Some(answer.text.len()))?;
                let Answer { text, model, usage, duration_ms, transport, .. } = answer;
                let answered = AnsweredCall { content, model, bytes: text.len(), duration_ms, usage, transport };
                let seat = self.calls.get(&key).map(|call| call.seat.clone());
                self.newest.extend(seat.map(|seat| (seat, key.clone())));
                self.set_state(&key, CallState::Answered(Box::new(answered)));
            }
            Happening::Rejected { key, answer, rejection } => {
                self.end(&key, ran_ms, answer.usage, Some(answer.text.len()))?;
                if let Some(call) = self.calls.get_mut(&key) {
                    call.setbacks += 1;
                    call.rejected.push(RejectedAnswer { text: answer.text, rejection });
                    call.state = CallState::Open;
                }
            }
            Happening::Failed { key, failure } => {
                // A call whose answer was rejected too often fails without being under way again.
                if !self
                    .calls
                    .get(&key)
                    .is_some_and(|call| call.state == CallState::Open && call.rejected.len() >= MOST_REJECTIONS)
                {
                    self.end(&key, ran_ms, failure.usage, None)?;
                    if let Some(call) = self.calls.get_mut(&key) {
                        call.setbacks += 1;
                    }
                }
                if failure.cause == Cause::Budget && self.budget_spent.is_none() {
                    // Only time can run out during a call.
                    self.budget_spent = Some(BudgetLimit::Time);
                }
                self.set_state(&key, CallState::Failed(failure));
            }
            Happening::Abandoned { key, usage, in_doubt } => {
                self.end(&key, ran_ms, usage, None)?;
                if let Some(call) = self.calls.get(&key).filter(|_| in_doubt) {
                    self.accounts.book_doubt(&call.seat, &call.phase);
                }
                self.set_state(&key, CallState::Open);
            }
            Happening::Recorded { key, mut entry } => {
                let key = self.unbegun(key)?;
                entry.data.iter_mut().try_for_each(|data| self.decode(self.format.features().record, data))?;
                self.entries.insert(key, entry);
            }
            Happening::Checked { key, findings, pages } => {
                let key = self.unbegun(key)?;
                self.found_after.insert(key.clone(), self.revisions.len());
                self.findings.insert(key, findings);
                self.pages.extend(pages);
            }
            Happening::Tried { key, outcome } => {
                let key = self.unbegun(key)?;
                if let Tried::Applies { patch } = &outcome {
                    self.revisions.push(patch.clone());
                }
                self.trials.insert(key, outcome);
            }
            Happening::Chosen { key, option, by } => {
                let key = self.unbegun(key)?;
                self.choices.insert(key, (option, by));
            }
            Happening::BudgetSpent { limit } => self.budget_spent = Some(limit),
            Happening::Interrupted { .. } => self.interrupted = true,
            Happening::Finished { outcome } => self.outcome = Some(outcome),
        }
        self.ended.extend(ended.map(|key| (key, at)));
        self.elapsed_ms = ran_ms;
        self.last_at = self.last_at.max(at);
        self.events += 1;
        Ok(())
    }

    fn resume(&mut self, amendment: Amendment) -> Result<(), FoldError> {
        let Amendment { seats, rounds, budget, verdict_share, timeout_ms, mut change, judges_only } = amendment;
        change.iter_mut().try_for_each(|change| self.decode(self.format.features().change, change))?;
        self.interrupted = false;
        self.resumed = true;
        for (name, seat) in seats {
            if self.plan.seats.get(&name) != Some(&seat) {
                self.newest.remove(&name);
            }
            self.plan.seats.insert(name, seat);
        }
        if let Some(rounds) = rounds {
            self.format.set_rounds(&mut self.plan.setup, rounds);
        }
        if let Some(budget) = budget {
            self.plan.budget = budget;
            self.budget_spent = None;
        }
        if let Some(share) = verdict_share {
            self.plan.verdict_share = share;
        }
        if let Some(timeout_ms) = timeout_ms {
            self.plan.timeout_ms = timeout_ms;
        }
        if let Some(change) = change {
            self.format.amend(&mut self.plan.setup, &change);
        }
        if self.outcome.take().is_some() {
            self.sitting += 1;
            self.judged_again = judges_only;
            let failed = |call: &&mut CallRecord| matches!(call.state, CallState::Failed(_)) && !judges_only;
            for call in self.calls.values_mut().filter(failed) {
                call.state = CallState::Open;
                call.rejected.clear();
            }
        }
        Ok(())
    }

    fn decode(&self, read: Decode, payload: &mut Payload) -> Result<(), FoldError> {
        decode(&self.plan.format, read, payload)
    }

    fn start(&mut self, key: StepKey, seat: SeatName, phase: Phase, state: CallState) -> Result<(), FoldError> {
        let key = self.unbegun(key)?;
        let call = self.calls.entry(key).or_insert_with(|| CallRecord {
            seat: seat.clone(),
            phase: phase.clone(),
            attempts: 0,
            setbacks: 0,
            rejected: Vec::new(),
            state: CallState::Open,
        });
        call.attempts += 1;
        call.seat = seat;
        call.phase = phase;
        call.state = state;
        Ok(())
    }

    fn unbegun(&self, key: StepKey) -> Result<StepKey, FoldError> {
        if self.may_begin(&key) { Ok(key) } else { Err(FoldError::BeganTwice(key)) }
    }

    /// How long the debate had run when the call began, and the bytes of its prompt.
    fn under_way(&self, key: &StepKey) -> Result<(u64, usize), FoldError> {
        match self.calls.get(key).map(|call| &call.state) {
            Some(CallState::UnderWay { ran_ms, prompt_bytes, .. }) => Ok((*ran_ms, *prompt_bytes)),
            _ => Err(FoldError::NotUnderWay(key.clone())),
        }
    }

    fn end(&mut self, key: &StepKey, ran_ms: u64, usage: Usage, answer_bytes: Option<usize>) -> Result<(), FoldError> {
        let (began_ms, prompt_bytes) = self.under_way(key)?;
        if let Some(call) = self.calls.get(key) {
            self.accounts.book(&call.seat, &call.phase, ran_ms.saturating_sub(began_ms), usage);
        }
        self.spend(key, usage, prompt_bytes, answer_bytes);
        Ok(())
    }

    /// Takes what a call used out of the budget. What the tool did not report is estimated, from the bytes and from the
    /// seat's price; but a call without an answer of which nothing was reported counts as unpaid.
    fn spend(&mut self, key: &StepKey, usage: Usage, prompt_bytes: usize, answer_bytes: Option<usize>) {
        if answer_bytes.is_none() && usage == Usage::default() {
            return;
        }
        let input = usage.input_tokens.unwrap_or_else(|| estimate_tokens(prompt_bytes));
        let output = usage.output_tokens.unwrap_or_else(|| estimate_tokens(answer_bytes.unwrap_or(0)));
        self.spent_tokens = self.spent_tokens.saturating_add(input).saturating_add(output);
        let price = self.calls.get(key).and_then(|call| self.plan.seat(&call.seat)?.price);
        let cost = usage.cost.or_else(|| Some(price?.of(input, output))).unwrap_or_default();
        self.spent_cost = Cost::from_nanodollars(self.spent_cost.nanodollars().saturating_add(cost.nanodollars()));
    }

    fn set_state(&mut self, key: &StepKey, state: CallState) {
        if let Some(call) = self.calls.get_mut(key) {
            call.state = state;
        }
    }
}

fn decode(format: &str, read: Decode, payload: &mut Payload) -> Result<(), FoldError> {
    read(payload).map_err(|error| FoldError::Unreadable { format: format.to_owned(), why: error.to_string() })
}

/// Milliseconds from one moment to a later one; a clock that was set back counts as no time.
fn millis_between(from: Timestamp, to: Timestamp) -> u64 {
    u64::try_from(to.as_millisecond() - from.as_millisecond()).unwrap_or(0)
}

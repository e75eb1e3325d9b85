//! The fold: a debate is what its events make of it.

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::claims::check::Checked;
use crate::claims::source::SourcePage;

use super::{
    Accounts, Amendment, Answer, BudgetLimit, Cause, Content, Cost, Decider, Entry, Event, Failure, Happening, Outcome,
    Phase, Plan, Rejection, SeatName, Status, StepKey, Tried, Usage, estimate_tokens,
};

/// A debate so far.
#[derive(Clone, Debug, PartialEq)]
pub struct Debate {
    plan: Plan,
    calls: BTreeMap<StepKey, CallRecord>,
    entries: BTreeMap<StepKey, Entry>,
    findings: BTreeMap<StepKey, Vec<Checked>>,
    pages: Vec<SourcePage>,
    trials: BTreeMap<StepKey, Tried>,
    /// The patches that apply, in the order in which they were tried.
    revisions: Vec<String>,
    choices: BTreeMap<StepKey, (String, Decider)>,
    /// When each step ended that left something behind: an answer, words, findings.
    ended: BTreeMap<StepKey, Timestamp>,
    accounts: Accounts,
    spent_tokens: u64,
    spent_cost: Cost,
    budget_spent: Option<BudgetLimit>,
    outcome: Option<Outcome>,
    interrupted: bool,
    sitting: u32,
    began_at: Timestamp,
    last_at: Timestamp,
    elapsed_ms: u64,
    events: u64,
}

/// A call and what became of it.
#[derive(Clone, Debug, PartialEq)]
pub struct CallRecord {
    /// Who is asked.
    pub seat: SeatName,
    /// The row in the accounts.
    pub phase: Phase,
    /// How often it was handed to its seat.
    pub attempts: u32,
    /// How often it ended in a failure, a retry or a rejection: attempts that a crash cut off do not count.
    pub setbacks: u32,
    /// Answers that were not accepted, since the call was last opened.
    pub rejected: Vec<RejectedAnswer>,
    /// Where it stands.
    pub state: CallState,
}

/// An answer that was not accepted.
#[derive(Clone, Debug, PartialEq)]
pub struct RejectedAnswer {
    /// What was said.
    pub text: String,
    /// Why it is not accepted.
    pub rejection: Rejection,
}

/// Where a call stands.
#[derive(Clone, Debug, PartialEq)]
pub enum CallState {
    /// A seat is at it.
    UnderWay {
        /// Since when.
        since: Timestamp,
        /// How long processes had run the debate by then.
        ran_ms: u64,
        /// Tokens the budget holds back for it.
        reserved_tokens: u64,
        /// Bytes of the prompt.
        prompt_bytes: usize,
    },
    /// It may be begun again: a crash cut it off, its answer was rejected once, or the debate was opened again.
    Open,
    /// It was answered.
    Answered(Box<AnsweredCall>),
    /// It failed.
    Failed(Failure),
}

/// The answer of a call, without its raw text, which stands in the journal.
#[derive(Clone, Debug, PartialEq)]
pub struct AnsweredCall {
    /// What it says.
    pub content: Content,
    /// The model that really answered.
    pub model: Option<String>,
    /// How many bytes came back.
    pub bytes: usize,
    /// How long the call took.
    pub duration_ms: u64,
    /// Tokens and cost.
    pub usage: Usage,
    /// How the seat was reached.
    pub transport: String,
}

/// An event that cannot follow the ones before it: the journal was not written by rebut, or was changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FoldError {
    /// The first event is no plan.
    #[error("the first event is not a plan")]
    NoPlan,
    /// A second plan.
    #[error("a second plan")]
    SecondPlan,
    /// The plan was written by a later version.
    #[error("the journal has version {version}, and this build reads up to version {}", Plan::VERSION)]
    LaterVersion {
        /// The journal's version.
        version: u32,
    },
    /// A step began that was under way or had ended.
    #[error("`{0}` began a second time")]
    BeganTwice(StepKey),
    /// A call ended that was not under way.
    #[error("`{0}` ended without being under way")]
    NotUnderWay(StepKey),
    /// Something happened after the end.
    #[error("something happened after the debate had ended")]
    AfterTheEnd,
}

impl Debate {
    /// Begins with the first event, which must be a plan.
    pub fn begin(first: Event) -> Result<Self, FoldError> {
        let Happening::Planned { plan } = first.happening else { return Err(FoldError::NoPlan) };
        if plan.version > Plan::VERSION {
            return Err(FoldError::LaterVersion { version: plan.version });
        }
        Ok(Self {
            plan: *plan,
            calls: BTreeMap::new(),
            entries: BTreeMap::new(),
            findings: BTreeMap::new(),
            trials: BTreeMap::new(),
            revisions: Vec::new(),
            pages: Vec::new(),
            choices: BTreeMap::new(),
            ended: BTreeMap::new(),
            accounts: Accounts::default(),
            spent_tokens: 0,
            spent_cost: Cost::default(),
            budget_spent: None,
            outcome: None,
            interrupted: false,
            sitting: 1,
            began_at: first.at,
            last_at: first.at,
            elapsed_ms: 0,
            events: 1,
        })
    }

    /// Folds whole journals.
    pub fn from_events(events: impl IntoIterator<Item = Event>) -> Result<Self, FoldError> {
        let mut events = events.into_iter();
        let mut debate = Self::begin(events.next().ok_or(FoldError::NoPlan)?)?;
        events.try_for_each(|event| debate.apply(event))?;
        Ok(debate)
    }

    /// Takes the next event in. An event that cannot follow leaves the debate as it was.
    pub fn apply(&mut self, event: Event) -> Result<(), FoldError> {
        let Event { at, happening } = event;
        if self.outcome.is_some() && !matches!(happening, Happening::Resumed { .. }) {
            return Err(FoldError::AfterTheEnd);
        }
        // Between the last event of one process and the first of the next nobody ran the debate.
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
            Happening::Resumed { amendment } => self.resume(amendment),
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
            Happening::Answered { key, answer, content } => {
                self.end(&key, ran_ms, answer.usage, Some(answer.text.len()))?;
                let Answer { text, model, usage, duration_ms, transport, .. } = answer;
                let answered = AnsweredCall { content, model, bytes: text.len(), duration_ms, usage, transport };
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
                // A call whose answer was rejected twice fails without being under way again.
                if !self.calls.get(&key).is_some_and(|call| call.state == CallState::Open && call.rejected.len() > 1) {
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
            Happening::Abandoned { key, usage } => {
                self.end(&key, ran_ms, usage, None)?;
                self.set_state(&key, CallState::Open);
            }
            Happening::Recorded { key, entry } => {
                let key = self.unbegun(key)?;
                self.entries.insert(key, entry);
            }
            Happening::Checked { key, findings, pages } => {
                let key = self.unbegun(key)?;
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

    /// The plan, with every amendment.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// A call by its key.
    pub fn call(&self, key: &StepKey) -> Option<&CallRecord> {
        self.calls.get(key)
    }

    /// Every call, by key.
    pub fn calls(&self) -> impl Iterator<Item = (&StepKey, &CallRecord)> {
        self.calls.iter()
    }

    /// The answer of a call.
    pub fn answered(&self, key: &StepKey) -> Option<&AnsweredCall> {
        match &self.calls.get(key)?.state {
            CallState::Answered(answered) => Some(answered),
            _ => None,
        }
    }

    /// The failure of a call.
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

    /// The keys of calls that are under way.
    pub fn under_way_keys(&self) -> impl Iterator<Item = &StepKey> {
        self.calls.iter().filter(|(_, call)| matches!(call.state, CallState::UnderWay { .. })).map(|(key, _)| key)
    }

    /// The procedure's own words at a step.
    pub fn entry(&self, key: &StepKey) -> Option<&Entry> {
        self.entries.get(key)
    }

    /// What was found of the evidence at a step.
    pub fn findings(&self, key: &StepKey) -> Option<&[Checked]> {
        self.findings.get(key).map(Vec::as_slice)
    }

    /// All that was found of evidence, by key.
    pub fn all_findings(&self) -> impl Iterator<Item = (&StepKey, &[Checked])> {
        self.findings.iter().map(|(key, findings)| (key, findings.as_slice()))
    }

    /// Every page on the web that was fetched.
    pub fn pages(&self) -> &[SourcePage] {
        &self.pages
    }

    /// What was chosen at a step.
    pub fn choice(&self, key: &StepKey) -> Option<&str> {
        self.choices.get(key).map(|(option, _)| option.as_str())
    }

    /// Who made the choice at a step.
    pub fn decider(&self, key: &StepKey) -> Option<Decider> {
        self.choices.get(key).map(|(_, by)| *by)
    }

    /// What came of the trial at a step.
    pub fn trial(&self, key: &StepKey) -> Option<&Tried> {
        self.trials.get(key)
    }

    /// Every trial, by key.
    pub fn trials(&self) -> impl Iterator<Item = (&StepKey, &Tried)> {
        self.trials.iter()
    }

    /// The patches that have made of what is debated what it is by now, oldest first.
    pub fn revisions(&self) -> &[String] {
        &self.revisions
    }

    /// Time, tokens and cost by seat and phase.
    pub fn accounts(&self) -> &Accounts {
        &self.accounts
    }

    /// The limit of the budget that was reached.
    pub fn budget_spent(&self) -> Option<BudgetLimit> {
        self.budget_spent
    }

    /// How it ended, if it did.
    pub fn outcome(&self) -> Option<&Outcome> {
        self.outcome.as_ref()
    }

    /// Where it stands.
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

    /// When it began.
    pub fn began_at(&self) -> Timestamp {
        self.began_at
    }

    /// When something last happened.
    pub fn last_at(&self) -> Timestamp {
        self.last_at
    }

    /// How long processes have run this debate, up to `now`.
    pub fn elapsed_ms(&self, now: Timestamp) -> u64 {
        self.elapsed_ms + millis_between(self.last_at, now)
    }

    /// When a step ended that left an answer, words or findings behind.
    pub fn ended_at(&self, key: &StepKey) -> Option<Timestamp> {
        self.ended.get(key).copied()
    }

    /// How many events were folded.
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

    /// Every entry, by key.
    pub fn entries(&self) -> impl Iterator<Item = (&StepKey, &Entry)> {
        self.entries.iter()
    }

    /// Every choice, by key.
    pub fn choices(&self) -> impl Iterator<Item = (&StepKey, &str)> {
        self.choices.iter().map(|(key, (option, _))| (key, option.as_str()))
    }

    fn resume(&mut self, amendment: Amendment) {
        self.interrupted = false;
        let Amendment { seats, rounds, budget, verdict_share, timeout_ms } = amendment;
        self.plan.seats.extend(seats);
        if let Some(rounds) = rounds {
            self.plan.setup.set_rounds(rounds);
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
        if self.outcome.take().is_some() {
            self.sitting += 1;
            for call in self.calls.values_mut().filter(|call| matches!(call.state, CallState::Failed(_))) {
                call.state = CallState::Open;
                call.rejected.clear();
            }
        }
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

    /// Books the end of a call.
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

/// Milliseconds from one moment to a later one; a clock that was set back counts as no time.
fn millis_between(from: Timestamp, to: Timestamp) -> u64 {
    u64::try_from(to.as_millisecond() - from.as_millisecond()).unwrap_or(0)
}

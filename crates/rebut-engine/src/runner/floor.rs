//! The loop itself.

use std::collections::BTreeMap;
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::stream::{FuturesUnordered, StreamExt};
use rebut_core::debate::{
    Action, Answer, Call, Cause, Check, Choice, Debate, Decider, Failure, Happening, Interruption, Outcome, Procedure, Step,
    StepKey, Trial, Tried, scrutinise,
};
use rebut_core::evidence::Evidence;
use rebut_core::evidence::check::{Checked, FileText, SearchBudget, check_texts};
use rebut_core::formats::{prepared, rejected_too_often};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::Interval;
use tokio_util::sync::CancellationToken;

use super::call::{Retry, Task};
use super::{Chooser, Limits, Observer, RunError, Runner, Seats};
use crate::checks::Examiner;
use crate::providers::{Order, Progress};
use crate::redact::redact;
use crate::store::{Request, StoreError};

/// How often requests are looked for.
const REQUESTS_LOOK: Duration = Duration::from_millis(250);

/// How a run is asked to stop, and how its patience is set.
#[derive(Clone, Debug)]
pub struct Stop {
    /// Cancelled by the person's Ctrl-C.
    pub signal: CancellationToken,
    /// Cancelled when calls may end and no other may begin: another process goes on with the debate.
    pub drain: CancellationToken,
    /// The first wait before a call is tried again, where the provider names none.
    pub retry_wait_ms: u64,
}

impl Default for Stop {
    fn default() -> Self {
        Self { signal: CancellationToken::new(), drain: CancellationToken::new(), retry_wait_ms: 1_000 }
    }
}

/// Something under way has ended.
enum Done {
    Call {
        key: StepKey,
        call: Box<Call>,
        result: Result<Answer, Failure>,
    },
    Choice {
        key: StepKey,
        choice: Choice,
        option: Option<String>,
    },
    Check {
        key: StepKey,
        findings: Vec<Checked>,
    },
    Trial {
        key: StepKey,
        outcome: Tried,
    },
    /// A question to the person that was taken back, or a check that was stopped.
    TakenBack {
        key: StepKey,
    },
}

/// News from calls under way: where they tell it, and where it is heard.
type Channel<T> = (UnboundedSender<T>, UnboundedReceiver<T>);

/// The floor of a debate: who is there, and what is under way.
pub(super) struct Floor<'a> {
    pub(super) runner: &'a mut Runner,
    pub(super) observer: &'a mut dyn Observer,
    pub(super) procedure: &'a dyn Procedure,
    pub(super) seats: &'a Seats,
    pub(super) limits: &'a Limits,
    pub(super) chooser: Chooser<'a>,
    pub(super) stop: &'a Stop,
    pub(super) examiner: Examiner,
    pub(super) under_way: UnderWay<'a>,
}

/// What is under way, and how it is reached.
pub(super) struct UnderWay<'a> {
    tasks: FuturesUnordered<BoxFuture<'a, Done>>,
    cancels: BTreeMap<StepKey, CancellationToken>,
    progress: Channel<(StepKey, Progress)>,
    retries: Channel<Retry>,
    lost: Channel<StoreError>,
    stopping: Option<Interruption>,
    /// Choices that were requested from outside.
    chosen: BTreeMap<StepKey, String>,
    /// Whether the debate has come to a choice that is made later.
    awaits_choice: bool,
}

/// What came of asking the format.
enum Begun {
    /// Something was written down: the format is asked again.
    Again,
    /// All that may begin has begun.
    Waiting,
    /// The debate has ended.
    Finished,
}

impl Floor<'_> {
    /// Runs the debate until it ends or is stopped. Whatever happens, nothing is under way afterwards.
    pub(super) async fn run(mut self) -> Result<(), RunError> {
        match self.steps().await {
            Err(RunError::Store { source, mut unsaved }) => {
                unsaved.extend(self.under_way.give_up().await);
                Err(RunError::Store { source, unsaved })
            }
            Err(error) => {
                self.under_way.give_up().await;
                Err(error)
            }
            Ok(()) => Ok(()),
        }
    }

    async fn steps(&mut self) -> Result<(), RunError> {
        let mut look = tokio::time::interval(REQUESTS_LOOK);
        look.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        // Whether something has happened since the format was asked. Progress is no such thing, and there is a lot of it.
        let mut moved_on = true;
        loop {
            // Looked for before anything is begun: what comes after a request to stop would be paid for in vain.
            moved_on |= self.take_requests().await?;
            let drains = self.stop.drain.is_cancelled();
            match self.under_way.stopping {
                None if drains && self.under_way.tasks.is_empty() => return Ok(()),
                None if drains => {}
                Some(by) if self.under_way.tasks.is_empty() => return self.happen(Happening::Interrupted { by }).await,
                None if moved_on => match self.begin().await? {
                    Begun::Finished => return Ok(()),
                    Begun::Again => continue,
                    Begun::Waiting if self.under_way.tasks.is_empty() && self.under_way.awaits_choice => return Ok(()),
                    Begun::Waiting if self.under_way.tasks.is_empty() => return Err(RunError::Stuck),
                    Begun::Waiting => {}
                },
                Some(_) | None => {}
            }
            moved_on = self.wait(&mut look).await?;
        }
    }

    /// Shows progress until something else comes, and deals with that. Tells whether the format must be asked again: not
    /// where it was only time to look for a request to stop.
    async fn wait(&mut self, look: &mut Interval) -> Result<bool, RunError> {
        let drains = self.stop.drain.is_cancelled();
        loop {
            let under_way = &mut self.under_way;
            tokio::select! {
                biased;
                Some((key, progress)) = under_way.progress.1.recv() => self.observer.progress(&key, &without_secrets(progress)),
                Some(retry) = under_way.retries.1.recv() => return self.retry(retry).await.map(|()| true),
                Some(error) = under_way.lost.1.recv() => return Err(error.into()),
                Some(done) = under_way.tasks.next() => return self.end(done).await.map(|()| true),
                () = self.stop.signal.cancelled(), if under_way.stopping.is_none() => {
                    under_way.stop(Interruption::Signal);
                    return Ok(true);
                }
                () = self.stop.drain.cancelled(), if !drains => return Ok(false),
                _ = look.tick(), if under_way.stopping.is_none() => return Ok(false),
            }
        }
    }

    /// Asks the format and begins what it names: records first, in order, then everything else, most urgent first.
    async fn begin(&mut self) -> Result<Begun, RunError> {
        let steps = self.procedure.next(&self.runner.debate);
        let mut recorded = false;
        for Step { key, action } in &steps {
            if let Action::Record(entry) = action
                && self.runner.debate.may_begin(key)
            {
                self.happen(Happening::Recorded { key: key.clone(), entry: entry.clone() }).await?;
                recorded = true;
            }
        }
        if recorded {
            return Ok(Begun::Again);
        }
        for Step { key, action } in steps {
            match action {
                Action::Record(_) => {}
                Action::Cancel => self.under_way.cancel(&key),
                Action::Finish(outcome) => return self.finish(outcome).await,
                Action::Choose(choice) => {
                    if self.choose(key, choice).await? {
                        return Ok(Begun::Again);
                    }
                }
                Action::Check(check) => self.check(key, check),
                Action::Try(trial) => self.try_patch(key, trial),
                Action::Ask(call) => {
                    if self.runner.debate.may_begin(&key) && !self.ask(key, *call).await? {
                        return Ok(Begun::Again);
                    }
                }
            }
        }
        Ok(Begun::Waiting)
    }

    /// Has a choice made. Tells whether it is made already, so that the format must be asked again.
    async fn choose(&mut self, key: StepKey, choice: Choice) -> Result<bool, RunError> {
        let requested = self.under_way.chosen.get(&key).filter(|_| self.runner.debate.may_begin(&key)).cloned();
        if let Some(option) = requested.filter(|option| choice.options.iter().any(|(name, _)| name == option)) {
            self.under_way.cancel(&key);
            self.happen(Happening::Chosen { key, option, by: Decider::Person }).await?;
            return Ok(true);
        }
        let chooser = self.chooser;
        if matches!(chooser, Chooser::Later) {
            self.under_way.awaits_choice = true;
            return Ok(false);
        }
        if self.runner.debate.may_begin(&key) && !self.under_way.cancels.contains_key(&key) {
            let cancel = CancellationToken::new();
            self.under_way.cancels.insert(key.clone(), cancel.clone());
            self.under_way.tasks.push(Box::pin(async move {
                let chosen = async {
                    match chooser {
                        Chooser::Person(person) => person.choose(&choice).await,
                        Chooser::Recommendation | Chooser::Later => None,
                    }
                };
                match cancel.run_until_cancelled(chosen).await {
                    Some(option) => Done::Choice { key, choice, option },
                    None => Done::TakenBack { key },
                }
            }));
        }
        Ok(false)
    }

    /// Takes what was asked of this debate from outside. Tells whether something new was.
    async fn take_requests(&mut self) -> Result<bool, RunError> {
        if self.under_way.stopping.is_some() {
            return Ok(false);
        }
        let mut news = false;
        for request in self.runner.claim.requests().await? {
            news |= match request {
                Request::Cancel => {
                    self.under_way.stop(Interruption::Command);
                    true
                }
                Request::Choose { key, option } => {
                    self.under_way.chosen.insert(key, option.clone()).is_none_or(|before| before != option)
                }
            };
        }
        Ok(news)
    }

    fn check(&mut self, key: StepKey, check: Check) {
        if !self.runner.debate.may_begin(&key) || self.under_way.cancels.contains_key(&key) {
            return;
        }
        let cancel = CancellationToken::new();
        self.under_way.cancels.insert(key.clone(), cancel.clone());
        let examiner = self.examiner.clone();
        self.under_way.tasks.push(Box::pin(async move {
            let Check { evidence, revisions, texts } = check;
            let texts: Vec<(String, FileText)> =
                texts.into_iter().map(|(name, text)| (name, FileText::new(text.as_bytes()))).collect();
            let mut budget = SearchBudget::default();
            let own: Vec<_> = evidence.iter().map(|cited| check_texts(cited, &texts, &mut budget)).collect();
            let others = evidence.into_iter().zip(&own).filter(|(_, own)| own.is_none()).map(|(cited, _)| cited).collect();
            let mut found = examiner.examine(others, &revisions, &cancel).await.into_iter();
            // A check that was cut short gives fewer, and is taken back as a whole.
            let findings = own.into_iter().filter_map(|own| own.or_else(|| found.next())).collect();
            if cancel.is_cancelled() { Done::TakenBack { key } } else { Done::Check { key, findings } }
        }));
    }

    fn try_patch(&mut self, key: StepKey, trial: Trial) {
        if !self.runner.debate.may_begin(&key) || self.under_way.cancels.contains_key(&key) {
            return;
        }
        let cancel = CancellationToken::new();
        self.under_way.cancels.insert(key.clone(), cancel.clone());
        let examiner = self.examiner.clone();
        self.under_way.tasks.push(Box::pin(async move {
            match examiner.try_patch(trial, &cancel).await {
                Some(outcome) => Done::Trial { key, outcome },
                None => Done::TakenBack { key },
            }
        }));
    }

    /// Begins a call. Where it can't begin, that is written down instead, and the format must be asked again: `false`.
    async fn ask(&mut self, key: StepKey, call: Call) -> Result<bool, RunError> {
        let debate = &self.runner.debate;
        if let Some(failure) = rejected_too_often(debate, &key) {
            self.happen(Happening::Failed { key, failure }).await?;
            return Ok(false);
        }
        let seat = self.seats.get(&call.seat).ok_or_else(|| RunError::NoSeat(call.seat.clone()))?;
        let call = prepared(debate, &key, call)?;
        let admission = match debate.admit(&call, self.runner.clock.now()) {
            Ok(admission) => admission,
            Err(limit) if debate.budget_spent().is_none() => {
                self.happen(Happening::BudgetSpent { limit }).await?;
                return Ok(false);
            }
            Err(_) => {
                // The budget was spent before, and yet this must be asked: not even a moment is left for it.
                self.happen(started(debate, &key, &call, 0, 0)).await?;
                self.happen(Happening::Failed { key, failure: Failure::new(Cause::Budget, "") }).await?;
                return Ok(false);
            }
        };
        let order = Order {
            key: key.clone(),
            setbacks: debate.call(&key).map_or(0, |record| record.setbacks),
            thread: debate.format().thread(debate.plan(), &call.seat),
            prompt: call.prompt.clone(),
            shape: call.shape.clone(),
            output_tokens: call.output_tokens,
            effort: debate.plan().effort,
            seed: debate.plan().chance.seed(&format!("{}/{key}", call.seat)),
            limit: Duration::from_millis(admission.limit_ms),
        };
        self.happen(started(debate, &key, &call, admission.limit_ms, admission.reserved_tokens)).await?;
        let cancel = CancellationToken::new();
        self.under_way.cancels.insert(key.clone(), cancel.clone());
        let plan = self.runner.debate.plan();
        let reads = plan.workspace_readable && plan.seats.get(&call.seat).is_some_and(|seat| seat.reads_workspace);
        let task = Task {
            order,
            seat: seat.as_ref(),
            limits: self.limits,
            budget_left: admission.left_ms.map(Duration::from_millis),
            first_wait_ms: self.stop.retry_wait_ms,
            cancel,
            progress: self.under_way.progress.0.clone(),
            retries: self.under_way.retries.0.clone(),
            calls: self.runner.claim.calls(),
            lost: self.under_way.lost.0.clone(),
            drain: self.stop.drain.clone(),
            files: reads.then(|| self.examiner.clone()),
        };
        let done = async move { Done::Call { key, call: Box::new(call), result: task.make().await } };
        self.under_way.tasks.push(Box::pin(done));
        Ok(true)
    }

    /// Writes down how something ended.
    async fn end(&mut self, done: Done) -> Result<(), RunError> {
        // A retry that was told before the call ended belongs before its end.
        while let Ok(retry) = self.under_way.retries.1.try_recv() {
            self.retry(retry).await?;
        }
        match done {
            Done::Choice { key, choice, option } => {
                self.under_way.cancels.remove(&key);
                let chosen = option.filter(|option| choice.options.iter().any(|(name, _)| name == option));
                let by = if chosen.is_some() { Decider::Person } else { Decider::Recommendation };
                self.happen(Happening::Chosen { key, option: chosen.unwrap_or(choice.recommended), by }).await
            }
            Done::Check { key, findings } => {
                self.under_way.cancels.remove(&key);
                let findings = findings.into_iter().map(without_secrets_in).collect();
                self.happen(Happening::Checked { key, findings, pages: self.examiner.take_fetched() }).await
            }
            Done::Trial { key, outcome } => {
                self.under_way.cancels.remove(&key);
                self.happen(Happening::Tried { key, outcome: without_secrets_of(outcome) }).await
            }
            Done::TakenBack { key } => {
                // Nothing was decided, so that there is nothing to write down: a resumed debate asks again.
                self.under_way.cancels.remove(&key);
                Ok(())
            }
            Done::Call { key, call, result } => {
                self.under_way.cancels.remove(&key);
                match result {
                    Ok(answer) => self.hear(key, &call, answer).await,
                    // What the person stopped is begun again when the debate is resumed.
                    Err(failure)
                        if failure.cause == Cause::Cancelled
                            && (self.under_way.stopping.is_some() || self.stop.drain.is_cancelled()) =>
                    {
                        self.happen(Happening::Abandoned { key, usage: failure.usage, in_doubt: false }).await
                    }
                    Err(failure) => self.happen(Happening::Failed { key, failure: safe(failure) }).await,
                }
            }
        }
    }

    /// Reads an answer in the order that holds for every tool: empty, refused, then the format's own rules.
    async fn hear(&mut self, key: StepKey, call: &Call, answer: Answer) -> Result<(), RunError> {
        let answer = Answer { text: redact(&answer.text).into_owned(), ..answer };
        let text = answer.text.clone();
        let happening = match scrutinise(&answer) {
            Err(failure) => Happening::Failed { key: key.clone(), failure },
            Ok(()) => match self.procedure.accept(&self.runner.debate, &key, call, &answer.text) {
                Ok(content) => Happening::Answered { key: key.clone(), answer, content },
                Err(rejection) => Happening::Rejected { key: key.clone(), answer, rejection },
            },
        };
        self.happen(happening).await.map_err(|error| match error {
            RunError::Store { source, mut unsaved } => {
                unsaved.push((key, text));
                RunError::Store { source, unsaved }
            }
            error => error,
        })
    }

    /// Ends the debate: what is under way is stopped first, and what it still brings is not lost.
    async fn finish(&mut self, outcome: Outcome) -> Result<Begun, RunError> {
        if self.under_way.tasks.is_empty() {
            self.happen(Happening::Finished { outcome }).await?;
            return Ok(Begun::Finished);
        }
        self.under_way.cancels.values().for_each(CancellationToken::cancel);
        Ok(Begun::Waiting)
    }

    async fn retry(&mut self, Retry { key, failure, wait_ms }: Retry) -> Result<(), RunError> {
        self.happen(Happening::Retrying { key, failure: safe(failure), wait_ms }).await
    }

    async fn happen(&mut self, happening: Happening) -> Result<(), RunError> {
        self.runner.happen(happening, self.observer).await
    }
}

impl UnderWay<'_> {
    pub(super) fn nothing() -> Self {
        Self {
            tasks: FuturesUnordered::new(),
            cancels: BTreeMap::new(),
            progress: unbounded_channel(),
            retries: unbounded_channel(),
            lost: unbounded_channel(),
            stopping: None,
            chosen: BTreeMap::new(),
            awaits_choice: false,
        }
    }

    fn cancel(&self, key: &StepKey) {
        if let Some(cancel) = self.cancels.get(key) {
            cancel.cancel();
        }
    }

    fn stop(&mut self, by: Interruption) {
        self.stopping = Some(by);
        self.cancels.values().for_each(CancellationToken::cancel);
    }

    /// Stops everything and waits for its end; gives the answers that still arrived.
    async fn give_up(&mut self) -> Vec<(StepKey, String)> {
        self.cancels.values().for_each(CancellationToken::cancel);
        let mut unsaved = Vec::new();
        while let Some(done) = self.tasks.next().await {
            if let Done::Call { key, result: Ok(answer), .. } = done {
                unsaved.push((key, redact(&answer.text).into_owned()));
            }
        }
        unsaved
    }
}

/// The failure without secrets: tools quote commands, addresses and keys in what they complain about.
fn safe(failure: Failure) -> Failure {
    let detail = redact(&failure.detail).into_owned();
    let advice = failure.advice.as_ref().map(|advice| redact(advice).into());
    let complaints = redact(failure.complaints()).into_owned();
    Failure { detail, advice, ..failure }.with_complaints(&complaints)
}

/// What a tool does is told whole, and made safe here. Its text comes in pieces that can part a secret: whoever shows
/// it must put it together first, as [`Tail`](super::Tail) does.
fn without_secrets(progress: Progress) -> Progress {
    match progress {
        Progress::Activity(activity) => Progress::Activity(redact(&activity).into_owned()),
        Progress::Text(_) | Progress::Tokens(_) => progress,
    }
}

/// Evidence is a model's, and what is found can quote a file's name.
fn without_secrets_in(found: Checked) -> Checked {
    let clean = |text: String| redact(&text).into_owned();
    let Checked { evidence, detail, passage, .. } = found;
    let quote = evidence.quote.map(clean);
    Checked { evidence: Evidence { quote, ..evidence }, detail: clean(detail), passage: passage.map(clean), ..found }
}

/// The reason quotes files and what git says. A patch with a secret in it is none that applies.
fn without_secrets_of(tried: Tried) -> Tried {
    match tried {
        Tried::Fails { why } => Tried::Fails { why: redact(&why).into_owned() },
        Tried::Applies { .. } => tried,
    }
}

fn started(debate: &Debate, key: &StepKey, call: &Call, limit_ms: u64, reserved_tokens: u64) -> Happening {
    Happening::Started {
        key: key.clone(),
        attempt: debate.call(key).map_or(0, |record| record.attempts) + 1,
        seat: call.seat.clone(),
        phase: call.phase.clone(),
        prompt: call.prompt.clone(),
        limit_ms,
        reserved_tokens,
    }
}

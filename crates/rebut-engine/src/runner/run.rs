//! The loop: asks the format what comes next, starts it, and records how it ended.

use std::collections::BTreeMap;
use std::time::Duration;

use rebut_core::debate::{
    Action, Answer, Call, Cause, Check, Choice, Debate, Decider, Failure, Happening, Interruption, Outcome, Procedure, Step,
    StepKey, Trial, scrutinise,
};
use rebut_core::formats::{prepared, rejected_too_often};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::Interval;
use tokio_util::sync::CancellationToken;

use super::call::{Retry, Task};
use super::tasks::{Ended, Tasks};
use super::{Chooser, Limits, Observer, RunError, Runner, Seats, secrets};
use crate::providers::{Order, Progress};
use crate::redact::redact;
use crate::store::{Request, StoreError};

/// How often requests are looked for.
const REQUESTS_LOOK: Duration = Duration::from_millis(250);

/// How a run is stopped, and how long it waits before a call is tried again.
#[derive(Clone, Debug)]
pub struct Stop {
    /// Cancelled by the user's Ctrl-C.
    pub signal: CancellationToken,
    /// Cancelled when calls may end and no other may start: another process continues the debate.
    pub drain: CancellationToken,
    /// The first wait before a call is tried again, where the provider names none.
    pub retry_wait_ms: u64,
}

impl Default for Stop {
    fn default() -> Self {
        Self { signal: CancellationToken::new(), drain: CancellationToken::new(), retry_wait_ms: 1_000 }
    }
}

/// One run of a debate.
pub(super) struct Run<'a> {
    pub(super) runner: &'a mut Runner,
    pub(super) observer: &'a mut dyn Observer,
    pub(super) procedure: &'a dyn Procedure,
    pub(super) seats: &'a Seats,
    pub(super) limits: &'a Limits,
    pub(super) chooser: Chooser<'a>,
    pub(super) stop: &'a Stop,
    pub(super) state: State<'a>,
}

/// What is under way.
pub(super) struct State<'a> {
    tasks: Tasks<'a>,
    progress: Channel<(StepKey, Progress)>,
    retries: Channel<Retry>,
    lost: Channel<StoreError>,
    stopping: Option<Interruption>,
    /// Choices that were requested from outside.
    chosen: BTreeMap<StepKey, String>,
    /// Whether the debate has come to a choice that is made later.
    awaits_choice: bool,
}

/// News from calls under way.
type Channel<T> = (UnboundedSender<T>, UnboundedReceiver<T>);

impl Default for State<'_> {
    fn default() -> Self {
        let (tasks, progress, retries) = (Tasks::default(), unbounded_channel(), unbounded_channel());
        let lost = unbounded_channel();
        Self { tasks, progress, retries, lost, stopping: None, chosen: BTreeMap::new(), awaits_choice: false }
    }
}

/// How far the format has been followed.
enum Started {
    /// An event was recorded: the format is asked again.
    Again,
    /// All that may start has started.
    Waiting,
    Finished,
}

impl Run<'_> {
    /// Runs the debate until it ends or is stopped. Whatever happens, nothing is under way afterwards.
    pub(super) async fn finish_debate(mut self) -> Result<(), RunError> {
        match self.steps().await {
            Err(RunError::Store { source, mut unsaved }) => {
                unsaved.extend(self.state.tasks.end_all().await);
                Err(RunError::Store { source, unsaved })
            }
            Err(error) => {
                self.state.tasks.end_all().await;
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
            // Looked for before anything is started: what comes after a request to stop would be paid for in vain.
            moved_on |= self.take_requests().await?;
            let drains = self.stop.drain.is_cancelled();
            match self.state.stopping {
                None if drains && self.state.tasks.is_empty() => return Ok(()),
                None if drains => {}
                Some(by) if self.state.tasks.is_empty() => return self.happen(Happening::Interrupted { by }).await,
                None if moved_on => match self.start_steps().await? {
                    Started::Finished => return Ok(()),
                    Started::Again => continue,
                    Started::Waiting if self.state.tasks.is_empty() && self.state.awaits_choice => return Ok(()),
                    Started::Waiting if self.state.tasks.is_empty() => return Err(RunError::Stuck),
                    Started::Waiting => {}
                },
                Some(_) | None => {}
            }
            moved_on = self.wait(&mut look).await?;
        }
    }

    /// Shows progress until something else happens, and records that. Returns whether the format must be asked again, which is
    /// not the case if it was only time to look for requests.
    async fn wait(&mut self, look: &mut Interval) -> Result<bool, RunError> {
        let drains = self.stop.drain.is_cancelled();
        loop {
            let State { tasks, progress, retries, lost, stopping, .. } = &mut self.state;
            tokio::select! {
                biased;
                Some((key, progress)) = progress.1.recv() => {
                    self.observer.progress(&key, &secrets::of_progress(progress));
                }
                Some(retry) = retries.1.recv() => return self.retry(retry).await.map(|()| true),
                Some(error) = lost.1.recv() => return Err(error.into()),
                Some((key, ended)) = tasks.next() => return self.end(key, ended).await.map(|()| true),
                () = self.stop.signal.cancelled(), if stopping.is_none() => {
                    self.stop_by(Interruption::Signal);
                    return Ok(true);
                }
                () = self.stop.drain.cancelled(), if !drains => return Ok(false),
                _ = look.tick(), if stopping.is_none() => {
                    self.observer.idle(&self.runner.debate);
                    return Ok(false);
                }
            }
        }
    }

    /// Asks the format and starts what it names: records first, in order, then everything else, most urgent first.
    async fn start_steps(&mut self) -> Result<Started, RunError> {
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
            return Ok(Started::Again);
        }
        for Step { key, action } in steps {
            let may_start = self.runner.debate.may_begin(&key) && !self.state.tasks.has(&key);
            match action {
                Action::Cancel => self.state.tasks.cancel(&key),
                Action::Finish(outcome) => return self.finish(outcome).await,
                Action::Choose(choice) => {
                    if self.choose(key, choice, may_start).await? {
                        return Ok(Started::Again);
                    }
                }
                Action::Check(check) if may_start => self.check(key, check),
                Action::Try(trial) if may_start => self.try_patch(key, trial),
                Action::Ask(call) if may_start => {
                    if !self.ask(key, *call).await? {
                        return Ok(Started::Again);
                    }
                }
                Action::Record(_) | Action::Check(_) | Action::Try(_) | Action::Ask(_) => {}
            }
        }
        Ok(Started::Waiting)
    }

    /// Asks for a choice. Returns whether it is made already, so that the format must be asked again.
    async fn choose(&mut self, key: StepKey, choice: Choice, may_start: bool) -> Result<bool, RunError> {
        let requested = self.state.chosen.get(&key).filter(|_| self.runner.debate.may_begin(&key)).cloned();
        if let Some(option) = requested.filter(|option| is_offered(&choice, option)) {
            self.state.tasks.cancel(&key);
            self.happen(Happening::Chosen { key, option, by: Decider::Person }).await?;
            return Ok(true);
        }
        match self.chooser {
            Chooser::Later => self.state.awaits_choice = true,
            Chooser::Recommendation if may_start => {
                self.state.tasks.start(key, |_| async move { Ended::Choice(choice, None) });
            }
            Chooser::User(person) if may_start => self.state.tasks.start(key, |cancel| async move {
                match cancel.run_until_cancelled(person.choose(&choice)).await {
                    Some(option) => Ended::Choice(choice, option),
                    None => Ended::Cancelled,
                }
            }),
            Chooser::Recommendation | Chooser::User(_) => {}
        }
        Ok(false)
    }

    fn check(&mut self, key: StepKey, check: Check) {
        let examiner = self.runner.examiner.clone();
        self.state.tasks.start(key, |cancel| async move {
            let findings = examiner.check(check, &cancel).await;
            if cancel.is_cancelled() { Ended::Cancelled } else { Ended::Check(findings) }
        });
    }

    fn try_patch(&mut self, key: StepKey, trial: Trial) {
        let examiner = self.runner.examiner.clone();
        self.state.tasks.start(key, |cancel| async move {
            examiner.try_patch(trial, &cancel).await.map_or(Ended::Cancelled, Ended::Trial)
        });
    }

    /// Starts a call. Where it can't start, that is recorded instead, and the format must be asked again: `false`.
    async fn ask(&mut self, key: StepKey, call: Call) -> Result<bool, RunError> {
        let debate = &self.runner.debate;
        if let Some(failure) = rejected_too_often(debate, &key) {
            self.happen(Happening::Failed { key, failure }).await?;
            return Ok(false);
        }
        let seat = self.seats.get(&call.seat).ok_or_else(|| RunError::NoSeat(call.seat.clone()))?;
        let mut call = prepared(debate, &key, call)?;
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
        let plan = debate.plan();
        let started = started(debate, &key, &call, admission.limit_ms, admission.reserved_tokens);
        let order = Order {
            key: key.clone(),
            setbacks: debate.call(&key).map_or(0, |record| record.setbacks),
            thread: debate.format().thread(plan, &call.seat),
            // An answer is read without it.
            prompt: std::mem::take(&mut call.prompt),
            shape: call.shape.clone(),
            output_tokens: call.output_tokens,
            effort: plan.effort,
            seed: plan.chance.seed(&format!("{}/{key}", call.seat)),
            limit: Duration::from_millis(admission.limit_ms),
        };
        let reads = plan.workspace_readable && plan.seats.get(&call.seat).is_some_and(|seat| seat.reads_workspace);
        let files = reads.then(|| self.runner.examiner.clone());
        self.happen(started).await?;
        let (seat, limits, first_wait_ms) = (seat.as_ref(), self.limits, self.stop.retry_wait_ms);
        let budget_left = admission.left_ms.map(Duration::from_millis);
        let (progress, retries) = (self.state.progress.0.clone(), self.state.retries.0.clone());
        let (calls, lost, drain) = (self.runner.claim.calls(), self.state.lost.0.clone(), self.stop.drain.clone());
        self.state.tasks.start(key, |cancel| async move {
            let task = Task {
                order,
                seat,
                limits,
                budget_left,
                first_wait_ms,
                cancel,
                progress,
                retries,
                calls,
                lost,
                drain,
                files,
            };
            Ended::Call(Box::new(call), task.make().await)
        });
        Ok(true)
    }

    /// Takes what was requested from outside. Returns whether something new was.
    async fn take_requests(&mut self) -> Result<bool, RunError> {
        if self.state.stopping.is_some() {
            return Ok(false);
        }
        let mut news = false;
        for request in self.runner.claim.requests().await? {
            news |= match request {
                Request::Cancel => {
                    self.stop_by(Interruption::Command);
                    true
                }
                Request::Choose { key, option } => {
                    self.state.chosen.insert(key, option.clone()).is_none_or(|before| before != option)
                }
            };
        }
        Ok(news)
    }

    fn stop_by(&mut self, by: Interruption) {
        self.state.stopping = Some(by);
        self.state.tasks.cancel_all();
        // A second signal may end the process at once.
        self.observer.stopped(&self.runner.debate);
    }

    /// Records how something ended.
    async fn end(&mut self, key: StepKey, ended: Ended) -> Result<(), RunError> {
        // A retry that was reported before the call ended belongs before its end.
        while let Ok(retry) = self.state.retries.1.try_recv() {
            self.retry(retry).await?;
        }
        let happening = match ended {
            // Nothing was decided, so that there is nothing to record: a resumed debate asks again.
            Ended::Cancelled => return Ok(()),
            Ended::Choice(choice, option) => {
                let chosen = option.filter(|option| is_offered(&choice, option));
                let by = if chosen.is_some() { Decider::Person } else { Decider::Recommendation };
                Happening::Chosen { key, option: chosen.unwrap_or(choice.recommended), by }
            }
            Ended::Check(findings) => {
                let findings = findings.into_iter().map(secrets::of_finding).collect();
                Happening::Checked { key, findings, pages: self.runner.examiner.take_fetched() }
            }
            Ended::Trial(outcome) => Happening::Tried { key, outcome: secrets::of_trial(outcome) },
            Ended::Call(call, Ok(answer)) => return self.accept(key, &call, answer).await,
            // What the user stopped starts again when the debate is resumed.
            Ended::Call(_, Err(failure))
                if failure.cause == Cause::Cancelled
                    && (self.state.stopping.is_some() || self.stop.drain.is_cancelled()) =>
            {
                Happening::Abandoned { key, usage: failure.usage, in_doubt: false }
            }
            Ended::Call(_, Err(failure)) => Happening::Failed { key, failure: secrets::of_failure(failure) },
        };
        self.happen(happening).await
    }

    /// Reads an answer in the order that holds for every tool: empty, refused, then the format's own rules.
    async fn accept(&mut self, key: StepKey, call: &Call, answer: Answer) -> Result<(), RunError> {
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

    /// Ends the debate: what is under way is cancelled first, and what it still brings is not lost.
    async fn finish(&mut self, outcome: Outcome) -> Result<Started, RunError> {
        if self.state.tasks.is_empty() {
            self.happen(Happening::Finished { outcome }).await?;
            return Ok(Started::Finished);
        }
        self.state.tasks.cancel_all();
        Ok(Started::Waiting)
    }

    async fn retry(&mut self, Retry { key, failure, wait_ms }: Retry) -> Result<(), RunError> {
        self.happen(Happening::Retrying { key, failure: secrets::of_failure(failure), wait_ms }).await
    }

    async fn happen(&mut self, happening: Happening) -> Result<(), RunError> {
        self.runner.happen(happening, self.observer).await
    }
}

fn is_offered(choice: &Choice, option: &str) -> bool {
    choice.options.iter().any(|(name, _)| name == option)
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

//! The loop itself.

use std::collections::BTreeMap;
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::stream::{FuturesUnordered, StreamExt};
use rebut_core::debate::{
    Action, Answer, Call, Cause, Choice, Decider, Failure, Format, Happening, Interruption, Outcome, Step, StepKey,
    rejected_too_often, repaired, scrutinise,
};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio_util::sync::CancellationToken;

use super::call::{Retry, Task};
use super::{Limits, Observer, Person, RunError, Runner, Seats};
use crate::providers::{Order, Progress};
use crate::redact::redact;
use crate::shelf::CANCEL;

/// How often the debate's folder is looked at for a request to stop.
const CANCEL_LOOK: Duration = Duration::from_millis(250);

/// How a run is asked to stop, and how its patience is set.
#[derive(Clone, Debug)]
pub struct Stop {
    /// Cancelled by the person's Ctrl-C.
    pub signal: CancellationToken,
    /// The first wait before a call is tried again, where the provider names none.
    pub retry_wait_ms: u64,
}

impl Default for Stop {
    fn default() -> Self {
        Self { signal: CancellationToken::new(), retry_wait_ms: 1_000 }
    }
}

/// Something under way has ended.
enum Done {
    Call { key: StepKey, call: Box<Call>, result: Result<Answer, Failure> },
    Choice { key: StepKey, choice: Choice, option: Option<String> },
}

/// News from calls under way: where they tell it, and where it is heard.
type Channel<T> = (UnboundedSender<T>, UnboundedReceiver<T>);

/// What is under way, and how it is reached.
struct Floor<'a> {
    tasks: FuturesUnordered<BoxFuture<'a, Done>>,
    cancels: BTreeMap<StepKey, CancellationToken>,
    progress: Channel<(StepKey, Progress)>,
    retries: Channel<Retry>,
    stopping: Option<Interruption>,
}

pub(super) async fn run(
    runner: &mut Runner,
    format: &dyn Format,
    seats: &Seats,
    limits: &Limits,
    person: &dyn Person,
    stop: &Stop,
    observer: &mut dyn Observer,
) -> Result<(), RunError> {
    let mut floor = Floor {
        tasks: FuturesUnordered::new(),
        cancels: BTreeMap::new(),
        progress: unbounded_channel(),
        retries: unbounded_channel(),
        stopping: None,
    };
    let outcome = steps(runner, &mut floor, format, seats, limits, person, stop, observer).await;
    match outcome {
        Err(RunError::Journal { source, mut unsaved }) => {
            unsaved.extend(floor.give_up().await);
            Err(RunError::Journal { source, unsaved })
        }
        Err(error) => {
            floor.give_up().await;
            Err(error)
        }
        Ok(()) => Ok(()),
    }
}

#[expect(clippy::too_many_arguments, reason = "the loop is where everything meets")]
async fn steps<'a>(
    runner: &mut Runner,
    floor: &mut Floor<'a>,
    format: &dyn Format,
    seats: &'a Seats,
    limits: &'a Limits,
    person: &'a dyn Person,
    stop: &'a Stop,
    observer: &mut dyn Observer,
) -> Result<(), RunError> {
    let cancel_file = runner.journal.folder().join(CANCEL);
    let mut look = tokio::time::interval(CANCEL_LOOK);
    look.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        if floor.stopping.is_none() {
            match begin(runner, floor, format, seats, limits, person, stop, observer)? {
                Begun::Finished => return Ok(()),
                Begun::Again => continue,
                Begun::Waiting => {}
            }
        } else if floor.tasks.is_empty() {
            let by = floor.stopping.unwrap_or(Interruption::Signal);
            return runner.happen(Happening::Interrupted { by }, observer);
        }
        if floor.tasks.is_empty() {
            return Err(RunError::Stuck);
        }
        tokio::select! {
            biased;
            Some((key, progress)) = floor.progress.1.recv() => observer.progress(&key, &progress),
            Some(Retry { key, failure, wait_ms }) = floor.retries.1.recv() => {
                runner.happen(Happening::Retrying { key, failure, wait_ms }, observer)?;
            }
            Some(done) = floor.tasks.next() => end(runner, floor, format, done, observer)?,
            () = stop.signal.cancelled(), if floor.stopping.is_none() => floor.stop(Interruption::Signal),
            _ = look.tick(), if floor.stopping.is_none() => {
                if cancel_file.exists() {
                    // The request is taken; should it not go away, the next run removes it.
                    let _ = std::fs::remove_file(&cancel_file);
                    floor.stop(Interruption::Command);
                }
            }
        }
    }
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

/// Asks the format and begins what it names: records first, in order, then everything else, most urgent first.
#[expect(clippy::too_many_arguments, reason = "the loop is where everything meets")]
fn begin<'a>(
    runner: &mut Runner,
    floor: &mut Floor<'a>,
    format: &dyn Format,
    seats: &'a Seats,
    limits: &'a Limits,
    person: &'a dyn Person,
    stop: &'a Stop,
    observer: &mut dyn Observer,
) -> Result<Begun, RunError> {
    let steps = format.next(&runner.debate);
    let mut recorded = false;
    for Step { key, action } in &steps {
        if let Action::Record(entry) = action
            && runner.debate.may_begin(key)
        {
            runner.happen(Happening::Recorded { key: key.clone(), entry: entry.clone() }, observer)?;
            recorded = true;
        }
    }
    if recorded {
        return Ok(Begun::Again);
    }
    for Step { key, action } in steps {
        match action {
            Action::Record(_) => {}
            Action::Cancel => floor.cancel(&key),
            Action::Finish(outcome) => return finish(runner, floor, outcome, observer),
            Action::Choose(choice) => {
                if runner.debate.may_begin(&key) && !floor.cancels.contains_key(&key) {
                    floor.cancels.insert(key.clone(), CancellationToken::new());
                    floor.tasks.push(Box::pin(async move {
                        let option = person.choose(&choice).await;
                        Done::Choice { key, choice, option }
                    }));
                }
            }
            Action::Ask(call) => {
                if !runner.debate.may_begin(&key) {
                    continue;
                }
                if let Some(failure) = rejected_too_often(&runner.debate, &key) {
                    runner.happen(Happening::Failed { key, failure }, observer)?;
                    return Ok(Begun::Again);
                }
                if !ask(runner, floor, key, *call, seats, limits, stop, observer)? {
                    return Ok(Begun::Again);
                }
            }
        }
    }
    Ok(Begun::Waiting)
}

/// Begins a call, unless the budget does not admit it: then that is written down, and the format asked again.
#[expect(clippy::too_many_arguments, reason = "the loop is where everything meets")]
fn ask<'a>(
    runner: &mut Runner,
    floor: &mut Floor<'a>,
    key: StepKey,
    call: Call,
    seats: &'a Seats,
    limits: &'a Limits,
    stop: &Stop,
    observer: &mut dyn Observer,
) -> Result<bool, RunError> {
    let seat = seats.get(&call.seat).ok_or_else(|| RunError::NoSeat(call.seat.clone()))?;
    let call = repaired(&runner.debate, &key, call)?;
    let admission = match runner.debate.admit(&call, runner.clock.now()) {
        Ok(admission) => admission,
        Err(limit) if runner.debate.budget_spent().is_none() => {
            runner.happen(Happening::BudgetSpent { limit }, observer)?;
            return Ok(false);
        }
        Err(_) => {
            // The budget was spent before, and yet this must be asked: not even a moment is left for it.
            let started = started(runner, &key, &call, 0, 0);
            runner.happen(started, observer)?;
            runner.happen(Happening::Failed { key, failure: Failure::new(Cause::Budget, "") }, observer)?;
            return Ok(false);
        }
    };
    let order = Order {
        key: key.clone(),
        setbacks: runner.debate.call(&key).map_or(0, |record| record.setbacks),
        prompt: call.prompt.clone(),
        shape: call.shape.clone(),
        output_tokens: call.output_tokens,
        effort: runner.debate.plan().effort,
        seed: runner.debate.plan().chance.seed(&format!("{}/{key}", call.seat)),
        limit: Duration::from_millis(admission.limit_ms),
    };
    let started = started(runner, &key, &call, admission.limit_ms, admission.reserved_tokens);
    runner.happen(started, observer)?;
    let cancel = CancellationToken::new();
    floor.cancels.insert(key.clone(), cancel.clone());
    let task = Task {
        order,
        seat: seat.as_ref(),
        limits,
        cut_by_budget: admission.cut_by_budget,
        first_wait_ms: stop.retry_wait_ms,
        cancel,
        progress: floor.progress.0.clone(),
        retries: floor.retries.0.clone(),
    };
    floor.tasks.push(Box::pin(async move { Done::Call { key, call: Box::new(call), result: task.make().await } }));
    Ok(true)
}

fn started(runner: &Runner, key: &StepKey, call: &Call, limit_ms: u64, reserved_tokens: u64) -> Happening {
    Happening::Started {
        key: key.clone(),
        attempt: runner.debate.call(key).map_or(0, |record| record.attempts) + 1,
        seat: call.seat.clone(),
        phase: call.phase.clone(),
        prompt: call.prompt.clone(),
        limit_ms,
        reserved_tokens,
    }
}

/// Writes down how something ended.
fn end(
    runner: &mut Runner,
    floor: &mut Floor<'_>,
    format: &dyn Format,
    done: Done,
    observer: &mut dyn Observer,
) -> Result<(), RunError> {
    // A retry that was told before the call ended belongs before its end.
    while let Ok(Retry { key, failure, wait_ms }) = floor.retries.1.try_recv() {
        runner.happen(Happening::Retrying { key, failure, wait_ms }, observer)?;
    }
    match done {
        Done::Choice { key, choice, option } => {
            floor.cancels.remove(&key);
            let chosen = option.filter(|option| choice.options.iter().any(|(name, _)| name == option));
            let by = if chosen.is_some() { Decider::Person } else { Decider::Recommendation };
            runner.happen(Happening::Chosen { key, option: chosen.unwrap_or(choice.recommended), by }, observer)
        }
        Done::Call { key, call, result } => {
            floor.cancels.remove(&key);
            let happening = match result {
                Ok(answer) => read(runner, format, &key, &call, answer),
                // What the person stopped is begun again when the debate is resumed.
                Err(failure) if failure.cause == Cause::Cancelled && floor.stopping.is_some() => {
                    Happening::Abandoned { key: key.clone() }
                }
                Err(failure) => Happening::Failed { key: key.clone(), failure: safe(failure) },
            };
            let text = match &happening {
                Happening::Answered { answer, .. } | Happening::Rejected { answer, .. } => Some(answer.text.clone()),
                _ => None,
            };
            runner.happen(happening, observer).map_err(|error| match (error, text) {
                (RunError::Journal { source, mut unsaved }, Some(text)) => {
                    unsaved.push((key, text));
                    RunError::Journal { source, unsaved }
                }
                (error, _) => error,
            })
        }
    }
}

/// Reads an answer in the order that holds for every tool: empty, refused, then the format's own rules.
fn read(runner: &Runner, format: &dyn Format, key: &StepKey, call: &Call, answer: Answer) -> Happening {
    let answer = Answer { text: redact(&answer.text).into_owned(), ..answer };
    if let Err(failure) = scrutinise(&answer) {
        return Happening::Failed { key: key.clone(), failure };
    }
    match format.accept(&runner.debate, key, call, &answer.text) {
        Ok(content) => Happening::Answered { key: key.clone(), answer, content },
        Err(rejection) => Happening::Rejected { key: key.clone(), answer, rejection },
    }
}

/// Ends the debate: what is under way is stopped first, and what it still brings is not lost.
fn finish(
    runner: &mut Runner,
    floor: &mut Floor<'_>,
    outcome: Outcome,
    observer: &mut dyn Observer,
) -> Result<Begun, RunError> {
    if floor.tasks.is_empty() {
        runner.happen(Happening::Finished { outcome }, observer)?;
        return Ok(Begun::Finished);
    }
    floor.cancels.values().for_each(CancellationToken::cancel);
    Ok(Begun::Waiting)
}

fn safe(failure: Failure) -> Failure {
    Failure { detail: redact(&failure.detail).into_owned(), ..failure }
}

impl Floor<'_> {
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

//! One call from beginning to end: admission, time limit, retries.

use std::sync::Arc;
use std::time::Duration;

use rebut_core::debate::{Answer, Cause, Failure, Retry as Again, StepKey};
use tokio::sync::mpsc::UnboundedSender;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::limits::{Limits, Permit};
use crate::checks::Examiner;
use crate::providers::{Lane, Order, Progress, ProgressSink, Seat};
use crate::store::{Calls, Intent, StoreError};

/// The longest wait between two tries, unless the provider asks for more.
const LONGEST_WAIT_MS: u64 = 30_000;

/// The shortest first wait, however short a one the provider asks for; it doubles from try to try.
const LEAST_WAIT_MS: u64 = 100;

/// A call that is to be made.
pub(super) struct Task<'a> {
    pub(super) order: Order,
    pub(super) seat: &'a dyn Seat,
    pub(super) limits: &'a Limits,
    /// How much time the budget leaves, including the wait for admission.
    pub(super) budget_left: Option<Duration>,
    pub(super) first_wait_ms: u64,
    pub(super) cancel: CancellationToken,
    pub(super) progress: UnboundedSender<(StepKey, Progress)>,
    pub(super) retries: UnboundedSender<Retry>,
    /// Coordinates calls with other processes.
    pub(super) calls: Option<Arc<dyn Calls>>,
    /// Reports to the run that the store cannot be written.
    pub(super) lost: UnboundedSender<StoreError>,
    /// Cancelled when no call may begin any more.
    pub(super) drain: CancellationToken,
    /// Restores the files that the seat reads, if it reads any.
    pub(super) files: Option<Examiner>,
}

/// News that a call is tried again.
pub(super) struct Retry {
    pub(super) key: StepKey,
    pub(super) failure: Failure,
    pub(super) wait_ms: u64,
}

impl Task<'_> {
    /// Makes the call: one answer or one failure, inside its limit, whatever the seat does.
    pub(super) async fn make(mut self) -> Result<Answer, Failure> {
        let budget_ends = self.budget_left.map(|left| Instant::now() + left);
        let _permit = tokio::select! {
            biased;
            () = self.cancel.cancelled() => return Err(Failure::new(Cause::Cancelled, "")),
            () = self.drain.cancelled() => return Err(Failure::new(Cause::Cancelled, "")),
            () = at(budget_ends) => return Err(Failure::new(Cause::Budget, "")),
            permit = self.admitted() => permit,
        };
        let started = Instant::now();
        let own_end = started + self.order.limit;
        let deadline = budget_ends.map_or(own_end, |ends| ends.min(own_end));
        let by_budget = deadline < own_end || budget_ends == Some(deadline);
        let mut wait_ms = self.first_wait_ms;
        let mut least_ms = LEAST_WAIT_MS.min(self.first_wait_ms);
        let mut tried_once_more = false;
        loop {
            // Undo what another seat, or an earlier call of this one, did to the files.
            if let Some(files) = &self.files {
                files.restore_copy().await.map_err(|why| Failure::new(Cause::Exit, why))?;
            }
            let (failure, output_began) = match self.ask(deadline, by_budget).await {
                Ok(mut answer) => {
                    answer.duration_ms = millis(started.elapsed());
                    return Ok(answer);
                }
                Err(failed) => failed,
            };
            match failure.retry(output_began) {
                Again::UntilLimit => {}
                Again::Once if !std::mem::replace(&mut tried_once_more, true) => {}
                Again::Once | Again::Never => return Err(failure),
            }
            // A provider that asks for no wait is not called in a tight loop either.
            let wait = failure.retry_after_ms.map_or(wait_ms, |asked| asked.max(least_ms));
            if let Some(calls) = self.calls.as_ref().filter(|_| failure.cause == Cause::RateLimited) {
                // If this fails, each process finds out for itself.
                let _ = calls.slow_down(&self.provider(), Duration::from_millis(wait)).await;
            }
            wait_ms = (wait_ms * 2).min(LONGEST_WAIT_MS);
            least_ms = (least_ms * 2).min(LONGEST_WAIT_MS);
            let wake = Instant::now() + Duration::from_millis(wait);
            if wake >= deadline {
                // Waiting would use up the limit: the failure is the better answer, and it comes at once.
                return Err(match failure.retry_after_ms {
                    Some(asked) if failure.advice.is_none() => {
                        let minutes = asked.div_ceil(60_000);
                        failure
                            .with_advice(format!("It asks to wait {minutes} min; then continue with `rebut resume last`."))
                    }
                    _ => failure,
                });
            }
            self.order.setbacks += 1;
            let _ = self.retries.send(Retry { key: self.order.key.clone(), failure, wait_ms: wait });
            tokio::select! {
                biased;
                () = self.cancel.cancelled() => return Err(Failure::new(Cause::Cancelled, "")),
                () = self.drain.cancelled() => return Err(Failure::new(Cause::Cancelled, "")),
                () = async { tokio::time::sleep_until(wake).await; self.begin().await } => {}
                () = tokio::time::sleep_until(deadline) => return Err(self.timeout()),
            }
        }
    }

    /// Waits until this process, then all processes together, allow the call.
    async fn admitted(&self) -> Permit {
        let permit = self.limits.permit(self.seat.lane()).await;
        self.begin().await;
        permit
    }

    /// Writes down that the call is about to be made, once it may be.
    async fn begin(&self) {
        let Some(calls) = &self.calls else { return };
        let (most, overall) = self.limits.most(&self.seat.lane());
        let intent = Intent { key: &self.order.key, provider: &self.provider(), most, overall };
        if let Err(error) = calls.begin(&intent).await {
            // Without its intent no call is made: the next process would not know of it. The run ends, and cancels this.
            let _ = self.lost.send(error);
            std::future::pending::<()>().await;
        }
    }

    /// The name under which all processes count the calls of its lane.
    fn provider(&self) -> String {
        let Lane { kind, provider } = self.seat.lane();
        format!("{kind}/{provider}")
    }

    /// Asks once. A seat that is still at it when the limit passes is cancelled and awaited to its end.
    async fn ask(&self, deadline: Instant, by_budget: bool) -> Result<Answer, (Failure, bool)> {
        let (sender, mut pieces) = tokio::sync::mpsc::unbounded_channel();
        let sink = ProgressSink::new(self.order.key.clone(), sender);
        let cancel = self.cancel.child_token();
        let mut answer = self.seat.answer(&self.order, sink, cancel.clone());
        let mut output_began = false;
        let mut expired = false;
        let result = loop {
            tokio::select! {
                biased;
                Some(piece) = pieces.recv() => {
                    output_began |= matches!(piece.1, Progress::Text(_));
                    let _ = self.progress.send(piece);
                }
                result = &mut answer => break result,
                () = tokio::time::sleep_until(deadline), if !expired => {
                    expired = true;
                    cancel.cancel();
                }
            }
        };
        // A seat can tell something and end in one go.
        while let Ok(piece) = pieces.try_recv() {
            output_began |= matches!(piece.1, Progress::Text(_));
            let _ = self.progress.send(piece);
        }
        // What arrived whole although the limit had passed was paid for, and is kept.
        result.map_err(|failure| match expired {
            true if by_budget => (ended_by(failure, Failure::new(Cause::Budget, "")), output_began),
            true => (ended_by(failure, self.timeout()), output_began),
            false => (failure, output_began),
        })
    }

    fn timeout(&self) -> Failure {
        Failure::new(Cause::Timeout, format!("after {} s", self.order.limit.as_secs_f64()))
            .with_advice("Give it longer with --timeout, or ask for less with --effort.")
    }
}

/// The failure of a call that we ended: why we did, with what it cost and complained all the same.
fn ended_by(failure: Failure, why: Failure) -> Failure {
    Failure { usage: failure.usage, complaints: failure.complaints, ..why }
}

/// Waits until then, or forever.
async fn at(moment: Option<Instant>) {
    match moment {
        Some(moment) => tokio::time::sleep_until(moment).await,
        None => std::future::pending().await,
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

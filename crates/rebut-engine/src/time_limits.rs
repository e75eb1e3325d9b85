//! The time limits of a call: until its first output, between outputs after that, and as a whole. Processes, ACP agents and
//! HTTP services are all timed by this.

use std::time::Duration;

use rebut_core::debate::{Cause, Failure};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// How long a call may take; `None` is no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TimeLimits {
    /// Until its first output.
    pub first_output: Option<Duration>,
    /// Of silence after that.
    pub stall: Option<Duration>,
    /// All of it, whatever is said.
    pub whole: Option<Duration>,
}

impl TimeLimits {
    /// Those of a tool that prints every word and thought of its model as it comes. Others may be silent while it thinks,
    /// for as long as the call may take.
    pub const STREAMING: Self =
        Self { first_output: Some(Duration::from_mins(3)), stall: Some(Duration::from_mins(2)), whole: None };

    pub(crate) fn at_most(whole: Duration) -> Self {
        Self { whole: Some(whole), ..Self::default() }
    }

    /// These limits, and others where they set none.
    #[must_use]
    pub(crate) fn or(self, other: Self) -> Self {
        Self {
            first_output: self.first_output.or(other.first_output),
            stall: self.stall.or(other.stall),
            whole: self.whole.or(other.whole),
        }
    }

    /// These limits in a call of this length, which its caller ends: a first output that may come later has no limit.
    #[must_use]
    pub(crate) fn in_call(self, length: Duration) -> Self {
        Self { first_output: self.first_output.filter(|wait| *wait < length), ..self }
    }
}

/// A limit that has passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Late(pub(crate) Duration);

impl Late {
    pub(crate) fn failure(self) -> Failure {
        Failure::new(Cause::Stalled, format!("no output for {} s", self.0.as_secs_f64()))
    }
}

/// The clock of one call.
#[derive(Debug)]
pub(crate) struct Timer {
    limits: TimeLimits,
    started: Instant,
    /// When it last said something, or started.
    last: Instant,
    has_output: bool,
}

impl Timer {
    pub(crate) fn start(limits: TimeLimits) -> Self {
        let now = Instant::now();
        Self { limits, started: now, last: now, has_output: false }
    }

    /// It said or did something: from now on the limit of silence counts.
    pub(crate) fn output(&mut self) {
        self.has_output = true;
        self.last = Instant::now();
    }

    /// When the next limit passes, and its length.
    fn deadline(&self) -> Option<(Instant, Late)> {
        let silence = if self.has_output { self.limits.stall } else { self.limits.first_output };
        let silence = silence.map(|wait| (self.last + wait, Late(wait)));
        let whole = self.limits.whole.map(|wait| (self.started + wait, Late(wait)));
        silence.into_iter().chain(whole).min_by_key(|(at, _)| *at)
    }

    /// Awaits something until the next limit passes.
    pub(crate) async fn wait<T>(&self, work: impl Future<Output = T>) -> Result<T, Late> {
        match self.deadline() {
            None => Ok(work.await),
            Some((at, late)) => tokio::time::timeout_at(at, work).await.map_err(|_| late),
        }
    }
}

/// Awaits something to its end, which comes soon once it is cancelled; and whether its time was up.
pub(crate) async fn within<T>(limit: Duration, cancel: &CancellationToken, work: impl Future<Output = T>) -> (T, bool) {
    let mut work = std::pin::pin!(work);
    tokio::select! {
        biased;
        done = &mut work => (done, false),
        () = tokio::time::sleep(limit) => {
            cancel.cancel();
            (work.await, true)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_first_output_a_silence_and_the_whole_call_have_their_limits() {
        let seconds = Duration::from_secs;
        let limits = TimeLimits { first_output: Some(seconds(3)), stall: Some(seconds(2)), whole: Some(seconds(7)) };
        let mut timer = Timer::start(limits);
        let never = || std::future::pending::<()>();
        assert_eq!(timer.wait(never()).await, Err(Late(seconds(3))));
        timer.output();
        assert_eq!(timer.wait(never()).await, Err(Late(seconds(2))));
        timer.output();
        tokio::time::sleep(seconds(1)).await;
        timer.output();
        assert_eq!(timer.wait(never()).await, Err(Late(seconds(7))), "output does not extend the whole call");
        assert_eq!(Timer::start(TimeLimits::default()).deadline(), None);
        assert_eq!(limits.in_call(seconds(3)).first_output, None, "the call ends first");
    }
}

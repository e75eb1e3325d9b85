//! Progress notifications for a client that waits.

use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::ProgressNotificationParam;
use rmcp::service::RequestContext;

const HEARTBEAT: Duration = Duration::from_secs(5);

/// Notifies a client at intervals: one per call, since the protocol wants each notification to count up.
pub(super) struct Pulse {
    every: tokio::time::Interval,
    beats: f64,
}

impl Pulse {
    pub(super) fn new() -> Self {
        Self { every: tokio::time::interval(HEARTBEAT), beats: 0.0 }
    }

    /// Makes the next notification due at once.
    pub(super) fn quicken(&mut self) {
        self.every.reset_immediately();
    }

    /// Sends notifications until it is dropped.
    pub(super) async fn beats(&mut self, context: &RequestContext<RoleServer>, message: impl Fn() -> String) -> ! {
        loop {
            self.beat(context, &message).await;
        }
    }

    /// Waits for the next notification to be due, and sends it.
    pub(super) async fn beat(&mut self, context: &RequestContext<RoleServer>, message: impl Fn() -> String) {
        self.every.tick().await;
        self.beats += 1.0;
        if let Some(token) = context.meta.get_progress_token() {
            let news = ProgressNotificationParam::new(token, self.beats).with_message(message());
            // A client that doesn't listen can still ask.
            let _ = context.peer.notify_progress(news).await;
        }
    }
}

//! A sign of life for a client that waits.

use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::ProgressNotificationParam;
use rmcp::service::RequestContext;

/// How often a client is told that a call goes on.
const HEARTBEAT: Duration = Duration::from_secs(5);

/// Tells a client now and then that a call goes on: one for a call, since each sign counts one more than the one before.
pub(super) struct Pulse {
    every: tokio::time::Interval,
    beats: f64,
}

impl Pulse {
    pub(super) fn new() -> Self {
        Self { every: tokio::time::interval(HEARTBEAT), beats: 0.0 }
    }

    /// Something else goes on from now on: it is told of at once.
    pub(super) fn quicken(&mut self) {
        self.every.reset_immediately();
    }

    /// Waits for the next beat, and tells what is going on.
    pub(super) async fn beat(&mut self, context: &RequestContext<RoleServer>, message: impl Fn() -> String) {
        self.every.tick().await;
        self.beats += 1.0;
        if let Some(token) = context.meta.get_progress_token() {
            let news = ProgressNotificationParam::new(token, self.beats).with_message(message());
            // A client that does not listen misses nothing that it could not ask for.
            let _ = context.peer.notify_progress(news).await;
        }
    }
}

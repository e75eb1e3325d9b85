//! Progress notifications for a client that waits.

use std::time::{Duration, Instant};

use rmcp::RoleServer;
use rmcp::model::ProgressNotificationParam;
use rmcp::service::RequestContext;

pub(super) const HEARTBEAT: Duration = Duration::from_secs(5);

/// Notifies a client. The protocol wants each notification to count up, as the time since the server began does.
pub(super) async fn notify(context: &RequestContext<RoleServer>, began: Instant, message: String) {
    if let Some(token) = context.meta.get_progress_token() {
        let news = ProgressNotificationParam::new(token, began.elapsed().as_secs_f64()).with_message(message);
        // A client that doesn't listen can still ask.
        let _ = context.peer.notify_progress(news).await;
    }
}

/// Notifies a client at intervals, until it is dropped.
pub(super) async fn beats(context: &RequestContext<RoleServer>, began: Instant, message: &str) -> ! {
    let mut every = tokio::time::interval(HEARTBEAT);
    loop {
        every.tick().await;
        notify(context, began, message.to_owned()).await;
    }
}

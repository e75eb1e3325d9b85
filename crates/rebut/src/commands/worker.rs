//! `rebut worker`

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::time::Duration;

use clap::Args;
use futures_util::future::OptionFuture;
use futures_util::stream::{FuturesUnordered, StreamExt};
use rebut_core::debate::{Debate, DebateId, Effort};
use rebut_engine::providers::{SeatSpec, Transport};
use rebut_engine::session::{Documents, ErrorKind, SessionError, Sessions};
use rebut_engine::store::{Claimed, Queue, State};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::app::App;
use crate::error::{CommandError, Exit};
use crate::signals;

/// How long a worker waits for a notification before it looks at the queue.
const LOOK: Duration = Duration::from_secs(5);

/// Run queued debates from a database
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Worker {
    /// Tools and services whose seats it fills [default: all that are available]
    #[arg(long, value_name = "TOOLS", value_delimiter = ',')]
    seats: Vec<String>,
    /// Most debates at once
    #[arg(long, value_name = "N", default_value = "4")]
    at_once: NonZeroUsize,
    /// Check the database and the seats, and exit
    #[arg(long)]
    check: bool,
}

const EXAMPLES: &str = "\
Ctrl-C or SIGTERM lets calls end, gives every debate back, and ends. A second one ends at once.

Examples:
  rebut worker --store postgres://rebut@db.example/rebut
  rebut worker --seats claude,anthropic --at-once 8
  rebut worker --check
  rebut review --queue               submit a review from any machine";

impl Worker {
    pub(crate) fn run(&self, app: &App) -> Result<Exit, CommandError> {
        let Some(queue) = app.store.queue() else {
            return Err(CommandError::usage("only a database has a queue, and these debates are in a folder")
                .hint("name a Postgres database with store.url, REBUT_STORE or --store"));
        };
        if self.check {
            let waiting = app.wait(queue.waiting())?;
            let tools = self.tools(app)?;
            app.screen.text(&format!("database  ready, {waiting} waiting\nseats     {}", tools.join(", ")));
            app.screen.json(|| json!({ "type": "ready", "waiting": waiting, "seats": tools }));
            return Ok(Exit::Done);
        }
        let tools = self.tools(app)?;
        app.screen.text(&format!("waiting for debates with seats of {}", tools.join(", ")));
        app.screen.json(|| json!({ "type": "waiting", "seats": tools }));
        let drain = signals::listen(&app.screen)?;
        let sessions = Sessions { documents: Documents::Left, ai_state_dir: None, host: None, ..app.sessions()? };
        app.runtime.block_on(self.work(app, &sessions, queue, &tools, &drain));
        Ok(Exit::Done)
    }

    fn tools(&self, app: &App) -> Result<Vec<String>, CommandError> {
        let mut tools = BTreeSet::new();
        for name in &self.seats {
            let spec = SeatSpec::parse(name).map_err(|error| CommandError::usage(error.to_string()))?;
            // A script has its answers in a file, which each debate names.
            if spec.tool != "script" {
                let plan = app.providers.plan(&spec, Effort::default(), Transport::Cli, &app.place.workspace);
                plan.map_err(|error| CommandError::usage(format!("{name}: {error}")))?;
            }
            tools.insert(spec.tool);
        }
        if self.seats.is_empty() {
            let found = app.providers.look_around(Effort::default(), Transport::Cli).seats;
            tools.extend(found.into_iter().chain(app.providers.embedded()).map(|seat| seat.tool));
        }
        if tools.is_empty() {
            return Err(CommandError::usage("this machine can't fill any seat").hint("`rebut doctor` shows what is missing"));
        }
        Ok(tools.into_iter().collect())
    }

    /// Runs debates of the queue until `drain` is cancelled and those in progress have stopped.
    async fn work(
        &self,
        app: &App,
        sessions: &Sessions<'_>,
        queue: &dyn Queue,
        tools: &[String],
        drain: &CancellationToken,
    ) {
        let mut running = FuturesUnordered::new();
        let mut taking = None;
        loop {
            if taking.is_none() && running.len() < self.at_once.get() && !drain.is_cancelled() {
                taking = Some(Box::pin(take(app, queue, tools, drain)));
            }
            if taking.is_none() && running.is_empty() {
                return;
            }
            let next: OptionFuture<_> = taking.as_mut().into();
            tokio::select! {
                biased;
                Some((id, ended)) = running.next() => report_end(app, queue, &id, ended).await,
                Some(taken) = next => {
                    taking = None;
                    if let Some(claimed) = taken {
                        let id = claimed.claim.id().clone();
                        app.screen.text(&format!("{} taken", id.short()));
                        app.screen.json(|| json!({ "type": "taken", "id": id }));
                        running.push(async move { (id, sessions.run_queued(claimed, drain).await) });
                    }
                }
            }
        }
    }
}

/// Waits for a debate; none once `drain` is cancelled.
async fn take(app: &App, queue: &dyn Queue, tools: &[String], drain: &CancellationToken) -> Option<Claimed> {
    let mut trouble = None;
    while !drain.is_cancelled() {
        match queue.next(tools).await {
            Ok(Some(claimed)) => return Some(claimed),
            Ok(None) => trouble = None,
            // Reported once: it may last.
            Err(error) => {
                let error = error.to_string();
                if trouble.as_ref() != Some(&error) {
                    app.screen.error_line("error", &format!("{error}; trying again"));
                }
                trouble = Some(error);
            }
        }
        drain.run_until_cancelled(queue.news(LOOK)).await;
    }
    None
}

/// Says how a debate ended here. One that cannot be run is taken out of the queue; one that can go on elsewhere stays.
async fn report_end(app: &App, queue: &dyn Queue, id: &DebateId, ended: Result<Debate, SessionError>) {
    let short = id.short();
    match ended {
        Ok(debate) => {
            let state = State::at_rest(&debate).as_str();
            app.screen.text(&format!("{short} {state}"));
            app.screen.json(|| json!({ "type": "left", "id": id, "status": state }));
        }
        Err(error) => {
            app.screen.error_line("error", &format!("{short}: {error}"));
            for (key, _) in &error.unsaved {
                app.screen.error_line("lost", &format!("{short}: the answer for {key}; it will be asked again"));
            }
            app.screen.json(|| json!({ "type": "left", "id": id, "error": error.message }));
            if error.kind != ErrorKind::Elsewhere
                && let Err(error) = queue.give_up(id, &error.message).await
            {
                app.screen.error_line("error", &format!("{short}: {error}"));
            }
        }
    }
}

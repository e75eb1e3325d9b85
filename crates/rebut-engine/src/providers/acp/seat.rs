//! A seat of an agent: the process stays between calls, and each call has its own session.
//!
//! A call takes an idle agent or starts one. Concurrent calls have a process each, so a crash or a flood ends only its own
//! call. No call relies on what a session remembers, so a resumed debate equals one that was never interrupted.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::{BoxFuture, join_all};
use rebut_core::debate::{Answer, Cause, Effort, Failure, Prompt};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::agent::{AcpCommand, Given, STARTS};
use super::connection::{Connection, RequestError};
use super::patiently;
use super::session::{About, opening, settings, titled};
use super::turn::Turn;
use crate::config::{EffortWord, ToolSettings};
use crate::process::{ChildLimits, TempFolder};
use crate::providers::cli::without_paths;
use crate::providers::{Answering, Lane, Order, ProgressSink, Seat, TimeLimits};

/// The agent, what it may read, and its limits.
#[derive(Clone, Debug)]
pub struct AcpSetup {
    pub command: AcpCommand,
    pub model: Option<String>,
    pub settings: ToolSettings,
    pub workspace: PathBuf,
    pub reads_workspace: bool,
    /// How long an agent may take to greet, and to open and set up a session.
    pub greeting: Duration,
    /// How long the model may be silent after the prompt.
    pub limits: TimeLimits,
    /// How much of its output is taken in one call, and how long it gets to end.
    pub child_limits: ChildLimits,
}

/// An agent that is kept between the calls of a debate.
pub struct AcpSeat {
    setup: AcpSetup,
    idle: Mutex<Vec<Connection>>,
    /// An empty folder for a seat that may not read the workspace.
    nowhere: Option<TempFolder>,
}

impl AcpSeat {
    /// The seat; nothing is started before the first call.
    pub fn new(setup: AcpSetup) -> std::io::Result<Self> {
        let nowhere = if setup.reads_workspace { None } else { Some(setup.command.scratch()?) };
        Ok(Self { setup, idle: Mutex::default(), nowhere })
    }

    pub fn idle_processes(&self) -> Vec<u32> {
        self.idle().iter().filter_map(Connection::id).collect()
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn folder(&self) -> &Path {
        self.nowhere.as_ref().map_or(&self.setup.workspace, |nowhere| nowhere.path())
    }
}

impl Seat for AcpSeat {
    fn lane(&self) -> Lane {
        // The same tool over its command line has the same limit.
        Lane { kind: "cli", provider: self.setup.command.name.clone().into() }
    }

    fn answer<'a>(&'a self, order: &'a Order, progress: ProgressSink, cancel: CancellationToken) -> Answering<'a> {
        Box::pin(async move {
            let opened = patiently(|| self.open_session(self.effort(order.effort), &cancel), &cancel).await;
            let (mut connection, offer) = opened.map_err(|failure| self.setup.command.advised(failure))?;
            let answer = self.converse(&mut connection, &offer, order, progress, &cancel).await;
            if connection.owes_a_reply() {
                connection.end().await;
            } else {
                connection.close(offer["sessionId"].as_str().unwrap_or_default());
                self.idle().push(connection);
            }
            answer
        })
    }

    fn close(self: Box<Self>) -> BoxFuture<'static, ()> {
        let idle = std::mem::take(&mut *self.idle());
        Box::pin(async move {
            join_all(idle.into_iter().map(Connection::end)).await;
            // The folders go last.
            drop(self);
        })
    }
}

impl AcpSeat {
    /// An agent with a new session, and what the session offers.
    async fn open_session(
        &self,
        effort: Option<EffortWord<'_>>,
        cancel: &CancellationToken,
    ) -> Result<(Connection, Value), Failure> {
        let setup = &self.setup;
        let params = opening(&setup.command, self.folder(), setup.reads_workspace)?;
        loop {
            let (mut connection, is_new) = match self.take_idle() {
                Some(kept) => (kept, false),
                None => (self.connect(effort, cancel).await?, true),
            };
            connection.begin_call();
            let error = match connection.new_session(&params, setup.greeting, cancel).await {
                Ok(offer) => return Ok((connection, offer)),
                Err(error) => error,
            };
            let failure = connection.failure(&error, false);
            connection.end().await;
            // Nothing was asked of it yet: a fresh one may do better than one that died while it waited.
            if is_new || !matches!(error, RequestError::Ended(_) | RequestError::Late(_)) {
                return Err(failure);
            }
        }
    }

    /// An idle agent. Those that died meanwhile are dropped, with everything they left.
    fn take_idle(&self) -> Option<Connection> {
        let mut idle = self.idle();
        idle.retain_mut(|connection| !connection.is_gone());
        idle.pop()
    }

    async fn converse(
        &self,
        connection: &mut Connection,
        offer: &Value,
        order: &Order,
        progress: ProgressSink,
        cancel: &CancellationToken,
    ) -> Result<Answer, Failure> {
        let setup = &self.setup;
        let quirks = setup.command.quirks;
        let session = offer["sessionId"].as_str().unwrap_or_default();
        let folder = setup.reads_workspace.then_some(setup.workspace.as_path());
        let mut turn = Turn::new(session, &setup.command, folder, progress);
        let wishes = settings(offer, &quirks, setup.model.as_deref(), self.effort(order.effort))
            .map_err(|failure| turn.advised(failure))?;
        let title = connection.takes_titles().then(|| titled(offer, order.thread.as_deref().unwrap_or(order.key.as_str())));
        for wish in wishes.into_iter().chain(title) {
            let wait = TimeLimits::at_most(setup.greeting);
            match connection.ask(wish.method, &wish.params, Some(&mut turn), wait, cancel).await {
                Ok(_) => {}
                // An effort or a title that cannot be set is not worth a failure; a mode or a model is what was promised.
                Err(RequestError::Refused(_)) if matches!(wish.about, About::Effort | About::Title) => {}
                Err(error) => {
                    let failure = connection.failure(&error, false);
                    let cause = match (wish.about, &error) {
                        (About::Model, RequestError::Refused(_)) if failure.cause == Cause::Exit => Cause::UnknownModel,
                        _ => failure.cause,
                    };
                    return Err(turn.advised(Failure { cause, ..failure }));
                }
            }
        }
        let prompt = json!({ "sessionId": session, "prompt": [{ "type": "text", "text": self.prompt(&order.prompt) }] });
        let asked = connection.send("session/prompt", &prompt);
        turn.prompted();
        let limits = setup.limits.in_call(order.limit);
        let reply = tokio::select! {
            biased;
            () = cancel.cancelled() => Err(RequestError::Cancelled),
            reply = connection.reply(asked, Some(&mut turn), limits) => reply,
        };
        let error = match reply {
            Ok(result) => return turn.conclude(&result).map_err(|failure| connection.with_stderr(failure)),
            Err(error) => error,
        };
        if matches!(error, RequestError::Cancelled | RequestError::Late(_) | RequestError::Failed(_)) {
            // An answer that arrives whole all the same was paid for; one that does not is the first error's.
            connection.cancel(session);
            let grace = TimeLimits::at_most(setup.child_limits.grace);
            if let Ok(result) = connection.reply(asked, Some(&mut turn), grace).await {
                let first = turn.advised(connection.failure(&error, turn.began()));
                return turn.conclude(&result).map_err(|late| Failure { usage: late.usage, ..first });
            }
        }
        Err(turn.advised(connection.failure(&error, turn.began())))
    }

    fn effort(&self, effort: Effort) -> Option<EffortWord<'_>> {
        self.setup.settings.effort_word(effort, Some(&self.setup.command.efforts()))
    }

    fn prompt(&self, prompt: &Prompt) -> String {
        let text = prompt.joined();
        if self.setup.command.quirks.expands_paths { without_paths(&text) } else { text }
    }

    async fn connect(&self, effort: Option<EffortWord<'_>>, cancel: &CancellationToken) -> Result<Connection, Failure> {
        let AcpSetup { command, model, reads_workspace, child_limits, greeting, .. } = &self.setup;
        // The workspace may have got it since the debate was planned, by a patch that was tried.
        if let Some(file) = command.quirks.starts_in(self.folder()) {
            return Err(Failure::new(Cause::Exit, format!("{STARTS} ({file})")).with_advice(USE_COMMAND_LINE));
        }
        // Calls at the same time have an agent each. In one home, an agent would read settings that are being written for
        // another.
        let effort = effort.map(|effort| effort.word);
        let given = Given { folder: self.folder(), model: model.as_deref(), effort, reads_workspace: *reads_workspace };
        Connection::open(command, given, child_limits, *greeting, cancel).await
    }
}

/// What to do about an agent that would start what the repository brings along.
pub(in crate::providers) const USE_COMMAND_LINE: &str = "Use its command line instead: --transport cli.";

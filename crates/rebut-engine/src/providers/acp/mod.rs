//! Agents that speak the Agent Client Protocol (version 1: JSON lines over their standard input and output).
//!
//! **Why no crate.** The official SDK (agent-client-protocol 5.0, 64 crates, 33,000 lines) and its schema crate were
//! looked at. Both switch on serde_json's `preserve_order` for the whole program, which changes the order of every JSON
//! that rebut writes; the schema has no `session/set_model` any more, which gemini needs, and has a turn's usage behind
//! an unstable feature; and the SDK owns tasks and pipes that must be the process room's. What is needed here is six
//! requests, one notification and one question of the agent's, read with the tolerance that six different agents
//! ask for, `_meta` included: that is [`wire`](self), a hundred lines.
//!
//! | file | what it holds |
//! |---|---|
//! | `agent` | how the agent of a tool is started, and where it differs from others |
//! | `launch` | how an agent is started, and where |
//! | `wire` | JSON-RPC, a message a line |
//! | `connection` | a running agent: requests, replies, and what it asks in the meantime |
//! | `session` | what a new session offers, and what of it is set: mode, model, effort |
//! | `permission` | what an agent may do when it asks |
//! | `turn` | what it tells while it answers, and what it said in the end |
//! | `failure` | what its errors and stop reasons mean |
//! | `seat` | the seat: the process is kept, each call has a session of its own |

mod agent;
mod connection;
mod failure;
mod launch;
mod permission;
mod seat;
mod session;
mod turn;
mod wire;

use std::path::Path;
use std::time::Duration;

use rebut_core::debate::{Cause, Failure};
use tokio_util::sync::CancellationToken;

use crate::process::Patience;
use crate::time_limits::TimeLimits;
use connection::Connection;

pub use agent::{AcpCommand, Adapter, Agent, AgentStatus, GENERATES_TITLES, NamedValues, Quirks, STARTS, Start};
pub(super) use seat::USE_COMMAND_LINE;
pub use seat::{AcpSeat, AcpSetup};

/// The transport's name.
pub const NAME: &str = "acp";

/// How much of an agent is tried before it is relied on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Trial {
    /// Whether it answers `initialize`.
    Greeting,
    /// Whether it also opens a session that can be held to reading.
    Session,
}

/// Agents that were too slow to start are started again one at a time: they may only have been in each other's way.
static STARTING_AGAIN: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

/// Starts an agent; where that takes too long it is started once more, when no other one is being started again.
async fn patiently<T, A: Future<Output = Result<T, Failure>>>(
    start: impl Fn() -> A,
    cancel: &CancellationToken,
) -> Result<T, Failure> {
    match start().await {
        Err(failure) if failure.cause == Cause::Stalled => {}
        started => return started,
    }
    let _alone = tokio::select! {
        biased;
        () = cancel.cancelled() => return Err(Failure::new(Cause::Cancelled, "")),
        alone = STARTING_AGAIN.lock() => alone,
    };
    start().await.map_err(|failure| match failure.cause {
        Cause::Stalled => failure.with_advice("Give agents longer to start with `limits.agent_start_seconds`."),
        _ => failure,
    })
}

/// Starts an agent, tries it as far as is wanted, and ends it. A program of the right name proves nothing. Gives what it does
/// in its own way, as its greeting has it.
pub async fn greet(
    command: &AcpCommand,
    trial: Trial,
    wait: Duration,
    cancel: &CancellationToken,
) -> Result<Quirks, Failure> {
    patiently(|| greet_once(command, trial, wait, cancel), cancel).await
}

async fn greet_once(
    command: &AcpCommand,
    trial: Trial,
    wait: Duration,
    cancel: &CancellationToken,
) -> Result<Quirks, Failure> {
    // Some agents look through the folder they are in before they answer.
    let no_place = |error| Failure::new(Cause::Exit, format!("has no folder to start in: {error}"));
    let (nowhere, temporary) = (command.scratch().map_err(no_place)?, command.scratch().map_err(no_place)?);
    let launch = command.launch(nowhere.path(), &temporary, None, Some(command.efforts()[0]), false).map_err(no_place)?;
    let patience = Patience { grace: Duration::from_millis(500), ..Patience::default() };
    let mut connection = Connection::open(&launch, &command.quirks, &patience, wait, cancel).await?;
    let tried = match trial {
        Trial::Greeting => Ok(()),
        Trial::Session => try_session(&mut connection, command, nowhere.path(), wait, cancel).await,
    };
    let generates_titles = command.quirks.generates_titles && !connection.takes_titles();
    connection.end().await;
    tried.map(|()| Quirks { generates_titles, ..command.quirks })
}

/// Opens a session as a call would, in a folder where there is nothing to read.
async fn try_session(
    connection: &mut Connection,
    command: &AcpCommand,
    folder: &Path,
    wait: Duration,
    cancel: &CancellationToken,
) -> Result<(), Failure> {
    let params = session::opening(command, folder, false)?;
    let offer = connection.ask("session/new", &params, None, TimeLimits::at_most(wait), cancel).await;
    let offer = offer.map_err(|trouble| connection.failure(&trouble, false))?;
    if !offer["sessionId"].is_string() {
        return Err(Failure::unparsable("acp", "no_session"));
    }
    session::settings(&offer, &command.quirks, None, None)?;
    // A seat's model is chosen in the session, unless the agent takes it from a variable.
    if command.quirks.model_variable.is_some() { Ok(()) } else { session::offers_models(&offer) }
}

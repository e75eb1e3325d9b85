//! Agents that speak the Agent Client Protocol (version 1: JSON lines over their standard input and output).
//!
//! The official SDK is not used: it owns the tasks and pipes that `process` must own, turns on serde_json's
//! `preserve_order` for the whole program, and lacks `session/set_model`, which one agent needs. Six requests, one
//! notification and one question of the agent's are read here, with the tolerance that different agents need.

mod agent;
mod connection;
mod failure;
mod permission;
mod seat;
mod session;
mod turn;
mod wire;

use std::path::Path;
use std::time::Duration;

use rebut_core::debate::{Cause, Failure};
use tokio_util::sync::CancellationToken;

use crate::process::ChildLimits;
use agent::Given;
use connection::Connection;

pub use agent::{AcpCommand, Adapter, Agent, AgentStatus, GENERATES_TITLES, NamedValues, Quirks, STARTS};
pub(super) use seat::USE_COMMAND_LINE;
pub use seat::{AcpSeat, AcpSetup};

pub const NAME: &str = "acp";

/// How much of an agent is tried before it is relied on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Trial {
    /// Whether it answers `initialize`.
    Greeting,
    /// Whether it also opens a session that can be restricted to reading.
    Session,
}

/// Agents that start too slowly are restarted one at a time: they may have slowed each other down.
static STARTING_AGAIN: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

/// Starts an agent. If that takes too long, starts it once more, while no other agent restarts.
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

/// Starts an agent, tries it and ends it: a program of the right name proves nothing. Returns its quirks, updated by what it
/// answered.
pub async fn greet(
    command: &AcpCommand,
    trial: Trial,
    wait: Duration,
    cancel: &CancellationToken,
) -> Result<Quirks, Failure> {
    let greet_once = || async {
        // Some agents look through the folder they are in before they answer.
        let nowhere = command.scratch().map_err(|error| agent::not_set_up(&error))?;
        let given =
            Given { folder: nowhere.path(), model: None, effort: Some(command.efforts()[0]), reads_workspace: false };
        let child_limits = ChildLimits { grace: Duration::from_millis(500), ..ChildLimits::default() };
        let mut connection = Connection::open(command, given, &child_limits, wait, cancel).await?;
        let tried = match trial {
            Trial::Greeting => Ok(()),
            Trial::Session => try_session(&mut connection, command, nowhere.path(), wait, cancel).await,
        };
        let generates_titles = command.quirks.generates_titles && !connection.takes_titles();
        connection.end().await;
        tried.map(|()| Quirks { generates_titles, ..command.quirks })
    };
    patiently(greet_once, cancel).await
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
    let offer = connection.new_session(&params, wait, cancel).await;
    let offer = offer.map_err(|error| connection.failure(&error, false))?;
    session::settings(&offer, &command.quirks, None, None)?;
    // A seat's model is chosen in the session, unless the agent takes it from a variable.
    if command.quirks.model_variable.is_some() { Ok(()) } else { session::offers_models(&offer) }
}

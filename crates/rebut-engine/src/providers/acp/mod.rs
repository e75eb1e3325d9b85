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
//! | `agents` | the agents, one entry each, with what each does in its own way |
//! | `launch` | how an agent is started, and where |
//! | `wire` | JSON-RPC, a message a line |
//! | `connection` | a running agent: requests, replies, and what it asks in the meantime |
//! | `session` | what a new session offers, and what of it is set: mode, model, effort |
//! | `permission` | what an agent may do when it asks |
//! | `turn` | what it tells while it answers, and what it said in the end |
//! | `failure` | what its errors and stop reasons mean |
//! | `seat` | the seat: the process is kept, each call has a session of its own |

mod agents;
mod connection;
mod failure;
mod launch;
mod permission;
mod seat;
mod session;
mod turn;
mod wire;

use std::time::Duration;

use rebut_core::debate::{Cause, Effort, Failure};
use tokio_util::sync::CancellationToken;

use crate::process::Patience;
use connection::Connection;

pub use agents::{AGENTS, AcpAgent, AcpCommand, Manners, STARTS, Start, agent};
pub use seat::{AcpSeat, AcpSetup};

/// The transport's name.
pub const NAME: &str = "acp";

/// Starts an agent, waits for its answer to `initialize`, and ends it. A program of the right name proves nothing.
pub async fn greet(command: &AcpCommand, wait: Duration) -> Result<(), Failure> {
    // Some agents look through the folder they are in before they answer.
    let no_place = |error| Failure::new(Cause::Exit, format!("has no folder to start in: {error}"));
    let (nowhere, temporary) = (command.scratch().map_err(no_place)?, command.scratch().map_err(no_place)?);
    let launch = command.launch(nowhere.path(), &temporary, None, Effort::Low, false).map_err(no_place)?;
    let patience = Patience { grace: Duration::from_millis(500), ..Patience::default() };
    let connection = Connection::open(&launch, &patience, wait, &CancellationToken::new()).await?;
    connection.end().await;
    Ok(())
}

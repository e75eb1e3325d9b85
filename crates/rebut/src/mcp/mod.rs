//! Debates for other programs, over the Model Context Protocol.
//!
//! The server holds nothing: a debate that is started here is begun and left to a worker, and everything that is told of it
//! is read from its journal. What has to be done is done by this same program in another process, so that a call over the
//! protocol and a command line come to the same.

mod handler;
mod inside;
mod intake;
mod names;
mod own;
mod prompts;
mod pulse;
mod recent;
mod server;
mod start;
mod telling;
mod tools;
mod words;

use std::path::PathBuf;
use std::time::Duration;

use rmcp::ServiceExt;
use rmcp::transport::io::stdio_pipes;

use crate::desk::Desk;
use crate::error::{CommandError, Exit};
use intake::Pipes;
use own::Own;
use server::Server;

/// Serves one client until it closes the connection.
pub(crate) fn serve(desk: &Desk, state_dir: Option<PathBuf>, patience: Duration) -> Result<Exit, CommandError> {
    let own = Own::new(state_dir)?;
    let failed =
        |error: &dyn std::fmt::Display| CommandError::failed(format!("the connection to the client failed: {error}"));
    crate::running::runtime()?.block_on(async {
        let Pipes { input, output, written } = intake::between(stdio_pipes());
        let service = Server::new(own, desk.shelf.clone(), &desk.place, patience).serve((input, output)).await;
        // A client that goes away before it has said who it is has asked for nothing.
        let service = match service {
            Ok(service) => service,
            Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => return Ok(Exit::Done),
            Err(error) => {
                return Err(failed(&error).hint("a client speaks JSON-RPC, a message a line; people use `rebut` itself"));
            }
        };
        service.waiting().await.map_err(|error| failed(&error))?;
        // The last answers are on their way.
        written.await.map_err(|error| failed(&error))?;
        Ok(Exit::Done)
    })
}

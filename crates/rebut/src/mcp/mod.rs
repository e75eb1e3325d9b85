//! Debates for other programs, over the Model Context Protocol.
//!
//! The server keeps no state: a debate is started here and left to a worker, and its status is read from its journal. Every
//! tool calls the same functions as the command line, in process.

mod folders;
mod handler;
mod intake;
mod prompts;
mod recent;
mod request;
mod server;
mod status;
mod tools;

use std::time::Duration;

use rmcp::service::RequestContext;
use rmcp::transport::io::stdio_pipes;
use rmcp::{RoleServer, ServiceExt};

use crate::app::App;
use crate::cli::Shared;
use crate::error::{CommandError, Exit};
use intake::Pipes;
pub(crate) use request::command_of;
use server::Server;
pub(crate) use status::OpenChoice;

/// A call of the client.
type Context = RequestContext<RoleServer>;

/// Serves one client until it closes the connection.
pub(crate) fn serve(app: &App, shared: Shared, patience: Duration) -> Result<Exit, CommandError> {
    let failed =
        |error: &dyn std::fmt::Display| CommandError::failed(format!("the connection to the client failed: {error}"));
    let server = Server::new(app, shared, patience);
    crate::run::runtime()?.block_on(async {
        let Pipes { input, output, written } = intake::between(stdio_pipes());
        let service = match server.serve((input, output)).await {
            Ok(service) => service,
            // A client that leaves before the handshake is not an error.
            Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => return Ok(Exit::Done),
            Err(error) => {
                return Err(failed(&error).hint("clients speak JSON-RPC, one message per line; in a terminal use `rebut`"));
            }
        };
        service.waiting().await.map_err(|error| failed(&error))?;
        written.await.map_err(|error| failed(&error))?;
        Ok(Exit::Done)
    })
}

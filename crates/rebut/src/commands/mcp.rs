//! `rebut mcp`

use clap::Args;

use crate::app::App;
use crate::cli::Shared;
use crate::error::{CommandError, Exit};
use crate::mcp;

/// Serve debates to other programs over the Model Context Protocol (MCP)
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Mcp {
    /// How long a call waits for a debate to end before it answers with the status
    ///
    /// Many clients give up on a call after 60 seconds. The debate continues either way.
    #[arg(long, value_name = "SECONDS", default_value_t = 45, value_parser = clap::value_parser!(u64).range(0..=3_600))]
    wait_seconds: u64,
}

const EXAMPLES: &str = "\
Examples:
  rebut install claude           add rebut to a tool, with a /debate command
  rebut mcp                      what the tool starts: JSON-RPC on standard input and output
  rebut --state-dir DIR mcp      keep debates there

Tools: debate_start, debate_status, debate_result, debate_cancel, debate_choose, debate_list,
verify, providers. A debate runs in its own process, and survives the client and this server.";

impl Mcp {
    pub(crate) fn run(&self, app: &App, shared: Shared) -> Result<Exit, CommandError> {
        mcp::serve(app, shared, std::time::Duration::from_secs(self.wait_seconds))
    }
}

//! `rebut mcp`

use clap::Args;

use crate::cli::Shared;
use crate::desk::Desk;
use crate::error::{CommandError, Exit};
use crate::mcp;

/// Serve debates to other programs over the Model Context Protocol, on standard input and output
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Mcp {
    /// How long a call that starts or follows a debate waits for its end before it answers with what there is
    ///
    /// Many clients give a call up after 60 seconds. The debate itself goes on in any case.
    #[arg(long, value_name = "SECONDS", default_value_t = 45, value_parser = clap::value_parser!(u64).range(0..=3_600))]
    wait_seconds: u64,
}

const EXAMPLES: &str = "\
Examples:
  rebut install claude           enter it into a tool's settings, with a /debate command
  rebut mcp                      what a tool starts; speaks JSON-RPC, a message a line
  rebut --state-dir DIR mcp      debates are kept there

Tools: debate_start, debate_status, debate_result, debate_cancel, debate_choose, debate_list,
verify, providers.
A debate runs in a process of its own: it survives the client and this server.";

impl Mcp {
    pub(crate) fn run(&self, desk: &Desk, shared: &Shared) -> Result<Exit, CommandError> {
        mcp::serve(desk, shared.state_dir.clone(), std::time::Duration::from_secs(self.wait_seconds))
    }
}

//! `rebut serve` and `rebut mcp`

use clap::Args;
use serde_json::json;

use crate::app::{App, AppFactory};
use crate::cli::Shared;
use crate::error::{CommandError, Exit};
use crate::web::{self, ServeFlags};
use crate::{mcp, run, signals};

/// Show the debates of this workspace in the browser, live
#[derive(Debug, Args)]
#[command(after_long_help = SERVE_EXAMPLES)]
pub(crate) struct Serve {
    #[command(flatten)]
    flags: ServeFlags,
    /// Print the link without opening it
    #[arg(long)]
    no_open: bool,
}

const SERVE_EXAMPLES: &str = "\
Only this machine can reach the page, and only with the link that is printed. Debates started
there run on their own, and go on if the server stops.

Examples:
  rebut serve
  rebut serve --all --port 4000
  REBUT_SERVE_TOKEN=... rebut serve --listen 0.0.0.0 --port 4000";

impl Serve {
    pub(crate) fn run(&self, app: &App, shared: Shared) -> Result<Exit, CommandError> {
        run::refuse_nesting()?;
        let stop = signals::listen(&app.screen)?;
        web::serve(AppFactory::of(app, shared), &self.flags, &stop, |link| {
            app.screen.text(link);
            app.screen.json(|| json!({ "type": "serving", "link": link }));
            if !self.no_open
                && let Err(why) = web::open(link)
            {
                app.screen.note(&format!("{why}: open the link yourself"));
            }
        })?;
        Ok(Exit::Done)
    }
}

/// Serve debates to other programs over the Model Context Protocol (MCP)
#[derive(Debug, Args)]
#[command(after_long_help = MCP_EXAMPLES)]
pub(crate) struct Mcp {
    /// How long a call waits for a debate to end before it answers with the status
    ///
    /// Many clients give up on a call after 60 seconds. The debate continues either way.
    #[arg(long, value_name = "SECONDS", default_value_t = 45, value_parser = clap::value_parser!(u64).range(0..=3_600))]
    wait_seconds: u64,
}

const MCP_EXAMPLES: &str = "\
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

//! `rebut serve`

use std::net::IpAddr;

use clap::Args;
use serde_json::json;

use crate::app::{App, AppFactory};
use crate::cli::Shared;
use crate::error::{CommandError, Exit};
use crate::web::{self, Listen};
use crate::{run, signals};

/// Show the debates of this workspace in the browser, live
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Serve {
    /// The port [default: one that is free]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    port: u16,
    /// Include debates of other workspaces
    #[arg(long, short)]
    all: bool,
    /// Listen on this address, where others can reach it; needs a token of yours in REBUT_SERVE_TOKEN
    #[arg(long, value_name = "ADDR")]
    listen: Option<IpAddr>,
    /// Print the link without opening it
    #[arg(long)]
    no_open: bool,
}

const EXAMPLES: &str = "\
Only this machine can reach the page, and only with the link that is printed. Debates started
there run on their own, and go on if the server stops.

Examples:
  rebut serve
  rebut serve --all --port 4000
  REBUT_SERVE_TOKEN=... rebut serve --listen 0.0.0.0 --port 4000";

impl Serve {
    pub(crate) fn run(&self, app: &App, shared: Shared) -> Result<Exit, CommandError> {
        run::refuse_nesting()?;
        // Not a setting: those are listed, and a secret is not to be.
        let token = std::env::var("REBUT_SERVE_TOKEN").ok();
        let listen = Listen { elsewhere: self.listen, port: self.port, all: self.all, token };
        let stop = signals::listen(&app.screen)?;
        web::serve(app, AppFactory::of(app, shared), listen, &stop, |link| {
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

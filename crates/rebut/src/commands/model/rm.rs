//! `rebut model rm`

use clap::Args;
use rebut_engine::models::{ModelName, Models, size};
use serde_json::json;

use crate::app::App;
use crate::error::{CommandError, Exit};
use crate::signals;

/// Delete a model's weights, and any partial download
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  rebut model rm qwen2.5-7b\n  rebut model rm qwen2.5-7b --yes")]
pub(super) struct Rm {
    /// The model's name
    name: String,
    /// Don't ask
    #[arg(long, short)]
    yes: bool,
}

impl Rm {
    pub(super) fn run(&self, app: &App, models: &Models) -> Result<Exit, CommandError> {
        let name = ModelName::parse(&self.name)?;
        if !self.yes && !self.is_meant(app, models, &name)? {
            app.screen.note("nothing was removed");
            return Ok(Exit::Cancelled);
        }
        let stop = signals::listen(&app.screen)?;
        let freed = app.wait(models.remove(&name, &stop))?;
        app.screen.text(&format!("removed {name} ({})", size(freed)));
        app.screen.json(|| json!({ "removed": name.as_str(), "bytes": freed }));
        Ok(Exit::Done)
    }

    /// Asks the user, unless it isn't installed, which is an error later.
    fn is_meant(&self, app: &App, models: &Models, name: &ModelName) -> Result<bool, CommandError> {
        let Some(installed) = models.find(name)? else { return Ok(true) };
        let question = format!("Delete {name} ({})?", size(installed.record.bytes));
        let help = "`y` deletes the weights; `rebut model pull` fetches them again.";
        app.screen.confirm(&question, help).ok_or_else(|| {
            CommandError::usage("can't ask without a terminal").hint(format!("use: rebut model rm {name} --yes"))
        })
    }
}

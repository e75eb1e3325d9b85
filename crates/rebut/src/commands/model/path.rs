//! `rebut model path`

use clap::Args;
use rebut_engine::models::{Known, ModelError, ModelName, Models};
use serde_json::json;

use crate::app::App;
use crate::error::{CommandError, Exit};

/// Print where a model's weights are
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  rebut model path
  llama-cli -m \"$(rebut model path qwen2.5-7b)\"

Exit codes: 0 installed, 1 not installed")]
pub(super) struct Path {
    /// The model [default: smollm2-135m]
    name: Option<String>,
}

impl Path {
    pub(super) fn run(&self, app: &App, models: &Models) -> Result<Exit, CommandError> {
        let found = match &self.name {
            Some(name) => models.find(&ModelName::parse(name)?)?,
            None => models.default()?,
        };
        let name = ModelName::parse(self.name.as_deref().unwrap_or(Known::DEFAULT.name))?;
        let Some(installed) = found else {
            let known = Known::named(name.as_str()).is_some();
            let error = if known { ModelError::missing(name.as_str()) } else { ModelError::unknown(name.as_str()) };
            return Err(CommandError::failed(error.to_string()).hints(error.hints));
        };
        if app.screen.json {
            app.screen.json(|| json!({ "name": installed.name.as_str(), "path": installed.path }));
            return Ok(Exit::Done);
        }
        app.screen.document(&format!("{}\n", installed.path.display()));
        Ok(Exit::Done)
    }
}

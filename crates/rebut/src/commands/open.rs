//! `rebut open`

use clap::Args;
use rebut_engine::store::files::{create_folder, replace_file};
use serde_json::json;

use crate::app::App;
use crate::error::{CommandError, Exit};
use crate::web;

/// Open a debate as a page in the browser
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Open {
    /// Any unique part of the debate's id, or `last`
    #[arg(default_value = "last")]
    id: String,
}

const EXAMPLES: &str = "\
The page is one file beside the debate's journal, and its path is printed. `rebut serve` shows
a debate while it runs.

Examples:
  rebut open
  rebut open 3fa9
  rebut export 3fa9 --as html -o debate.html    a file to share";

impl Open {
    pub(crate) fn run(&self, app: &App) -> Result<Exit, CommandError> {
        let debate = app.read(&self.id)?;
        let folder = app.state.join(debate.plan().id.as_str());
        let page = app.wait(web::file(&debate, app.store.as_ref()))?;
        let path = folder.join("page.html");
        // A debate of another machine has no folder here.
        create_folder(&folder)
            .and_then(|()| replace_file(&path, &folder.join(".page.html.new"), page.as_bytes()))
            .map_err(|error| CommandError::failed(format!("{} can't be written: {error}", path.display())))?;
        app.screen.text(&path.display().to_string());
        app.screen.json(|| json!({ "type": "page", "path": path }));
        if let Err(why) = web::open(&path) {
            app.screen.note(&format!("{why}: open the file yourself"));
        }
        Ok(Exit::Done)
    }
}

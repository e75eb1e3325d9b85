//! `rebut choose`

use clap::Args;
use rebut_core::debate::{Choice, Debate, DebateId};
use rebut_core::formats::open_choice;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::lineup;
use crate::app::App;
use crate::error::{CommandError, Exit};
use crate::mcp::OpenChoice;
use crate::run;
use crate::terminal::Screen;

/// Make the choice a debate is waiting for; it continues in the background
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Choose {
    /// Any unique part of the debate's id, or `last`
    id: String,
    /// The option [default: list the options]
    option: Option<String>,
    /// For a panel's lineup: what to `change`, or the file to `replace` it with
    text: Vec<String>,
}

const EXAMPLES: &str = "\
Examples:
  rebut review --mode manual --detach
  rebut choose last              list the options
  rebut choose last B            choose, and continue in the background
  rebut choose last change \"an economist instead of the VC\"";

pub(crate) use lineup::REPLACE;

pub(crate) fn offered(debate: &Debate) -> Option<Choice> {
    lineup::offered(debate).or_else(|| open_choice(debate).map(|(_, choice)| choice))
}

/// Makes the choice a debate is waiting for, and leaves the debate to a worker.
pub(crate) fn choose(app: &App, id: &DebateId, option: &str, text: Option<&str>) -> Result<(), CommandError> {
    let sessions = app.sessions()?;
    app.wait(async {
        let debate = sessions.read(id).await?;
        if lineup::offered(&debate).is_none() {
            return sessions.choose(id, option).await.map_err(CommandError::from);
        }
        let amendment = lineup::chosen(app, &debate, option, text)?;
        let open = sessions.go_on(&debate).await?;
        Ok(open.resume_detached(amendment, &mut (), &CancellationToken::new()).await?)
    })
}

impl Choose {
    pub(crate) fn run(&self, app: &App) -> Result<Exit, CommandError> {
        let sessions = app.sessions()?;
        let id = app.find(&self.id)?;
        if let Some(option) = &self.option {
            choose(app, &id, option, Some(&self.text.join(" ")))?;
            run::show_detached(app, &id, &sessions.documents(&id));
            return Ok(Exit::Done);
        }
        let choice = app.wait(async {
            match lineup::offered(&sessions.read(&id).await?) {
                Some(choice) => Ok(choice),
                None => sessions.open_choice(&id).await.map(|(_, choice)| choice),
            }
        })?;
        app.screen.text(&choice.question);
        app.screen.options(&choice, Screen::text);
        app.screen.json(|| {
            let mut line = json!(OpenChoice::from(choice));
            line["type"] = "choice".into();
            line
        });
        Ok(Exit::Done)
    }
}

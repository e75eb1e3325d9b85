//! `rebut fork`

use clap::Args;
use rebut_core::debate::StepKey;
use rebut_engine::planning::verdict_share;
use rebut_engine::session::{self, OwnFiles};
use rebut_engine::workspace::WhoseWish;

use crate::app::App;
use crate::error::{CommandError, Exit};
use crate::flags::ChangeFlags;
use crate::run::{self, Begin};

use super::Finish;
use super::resume::FormatFlags;

/// Continue a debate from an earlier step in a new one, reusing its answers
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Fork {
    /// Any unique part of the debate's id, or `last`
    id: String,
    /// The last step to reuse, such as `round-1/challenger`
    #[arg(long, value_name = "STEP")]
    after: String,
    #[command(flatten)]
    changes: ChangeFlags,
    /// More material for later prompts: diff or file=PATH (repeatable)
    #[arg(long, value_name = "WHAT")]
    context: Vec<String>,
    /// Run in the background
    #[arg(long)]
    detach: bool,
}

const EXAMPLES: &str = "\
A fork is a new debate; the original is not changed. `rebut show` lists a debate's forks, and
`rebut compare` compares two debates.

Examples:
  rebut fork 3fa9 --after round-1/challenger --challenger gemini
  rebut fork 3fa9 --after round-2/challenger --rounds 4
  rebut fork last --after round-1/proposer --context file=docs/limits.md
  rebut fork 3fa9 --after round-1 --seat partner-a=codex   of a cross";

impl Fork {
    pub(crate) fn run(&self, app: &App) -> Result<Exit, CommandError> {
        let parent = app.read(&self.id)?;
        let mut plan = parent.plan().clone();
        let mut amendment = self.changes.amend(app, &parent, &mut plan)?;
        if !amendment.is_empty() {
            amendment.verdict_share = Some(verdict_share(&plan));
        }
        let attached =
            app.planner(&app.place_in(&plan)).attach(&self.context, WhoseWish::User, &OwnFiles::of(&app.state))?;
        for note in &attached.notes {
            app.screen.note(note);
        }
        let after = StepKey::new(self.after.as_str());
        let fork = session::Fork { parent: parent.plan().id.clone(), after, amendment, context: attached.items };
        run::begin(app, Begin::Fork(fork), self.detach, &Finish::of(&FormatFlags::default(), &plan))
    }
}

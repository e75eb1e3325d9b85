//! `rebut rejudge`: another verdict on the same statements.

use clap::Args;
use rebut_core::formats::duel::check_rejudge;
use rebut_core::judging::Rigor;
use rebut_engine::planning::{Place, plan_rejudge};
use rebut_engine::runner::Chooser;

use crate::desk::Desk;
use crate::error::{CommandError, Exit};
use crate::running::{self, Shown, runtime};
use crate::signals;
use crate::terms::RIGORS;

/// Have a duel judged again on the same statements; all ballots count together
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Rejudge {
    /// Any unique part of the debate's id, or `last`
    id: String,
    /// Who judges: `tool` or `tool:model` (repeatable) [default: the same judge again]
    #[arg(long, value_name = "SEAT")]
    judge: Vec<String>,
    /// How much judging: quick, standard or thorough [default: as planned]
    #[arg(long, value_name = "RIGOR", value_parser = RIGORS)]
    rigor: Option<String>,
}

const EXAMPLES: &str = "\
Examples:
  rebut rejudge last --judge codex
  rebut rejudge 3fa9 --judge claude --judge gemini
  rebut rejudge 3fa9 --rigor thorough      three judges of different vendors";

impl Rejudge {
    pub(crate) fn run(&self, desk: &Desk) -> Result<Exit, CommandError> {
        let id = desk.find(&self.id)?;
        let sessions = desk.sessions()?;
        let (debate, folder) = runtime()?.block_on(async {
            let open = sessions.open(&id).await?;
            if let Some(note) = &open.note {
                desk.screen.note(note);
            }
            let plan = open.debate().plan();
            check_rejudge(open.debate())?;
            let rigor: Option<Rigor> = self.rigor.as_deref().and_then(|rigor| rigor.parse().ok());
            // A file is named from where the user is, and kept as it is seen from the debate's own workspace.
            let place = Place { folder: desk.place.folder.clone(), workspace: plan.workspace.clone().into() };
            let settings = desk.layers.settings();
            let amendment = plan_rejudge(open.debate(), &self.judge, rigor, settings, &desk.providers, &place)?;
            let folder = open.folder().to_owned();
            let signal = signals::listen(&desk.screen)?;
            let mut shown = Shown::new(&desk.screen);
            open.forget_worker();
            let session = open.resume(amendment, &mut shown, &signal).await?;
            let debate = session.run(Chooser::Person(&desk.screen), &signal, &mut shown).await?;
            Ok::<_, CommandError>((debate, folder))
        })?;
        Ok(running::conclude(&desk.screen, &debate, &folder, running::exit_of(&debate)))
    }
}

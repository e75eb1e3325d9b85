//! `rebut rejudge`: another verdict on the same statements.

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use rebut_core::debate::{Amendment, Debate, Event, Happening};
use rebut_core::formats::duel::{check_rejudge, rejudge_calls};
use rebut_core::judging::Rigor;
use rebut_core::report;
use rebut_engine::planning::plan_rejudge;
use rebut_engine::runner::Chooser;
use rebut_engine::session::KnownJudges;

use crate::app::App;
use crate::error::{CommandError, Exit};
use crate::flags::RIGORS;
use crate::run::{self, SessionView};
use crate::signals;

/// Judge a duel again on the same statements, adding to its ballots
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Rejudge {
    /// Any unique part of the debate's id, or `last`
    id: String,
    /// Who judges: `tool` or `tool:model` (repeatable) [default: the same judge again]
    #[arg(long, value_name = "SEAT")]
    judge: Vec<String>,
    /// How much judging: quick, standard or thorough [default: as planned]
    #[arg(long, value_name = "RIGOR", value_parser = PossibleValuesParser::new(RIGORS).try_map(|word| word.parse::<Rigor>()))]
    rigor: Option<Rigor>,
}

const EXAMPLES: &str = "\
Examples:
  rebut rejudge last --judge codex
  rebut rejudge 3fa9 --judge claude --judge gemini
  rebut rejudge 3fa9 --rigor thorough      three judges of different vendors";

/// What another verdict by these judges changes. Refuses a debate that can't be judged again.
pub(crate) fn amendment(
    app: &App,
    debate: &Debate,
    judges: &[String],
    rigor: Option<Rigor>,
) -> Result<Amendment, CommandError> {
    check_rejudge(debate)?;
    Ok(plan_rejudge(debate, judges, rigor, app.planner(&app.place_in(debate.plan())), &KnownJudges::of(&app.state))?)
}

/// What such a verdict takes, in lines.
pub(crate) fn plan(mut debate: Debate, amendment: Amendment) -> Result<String, CommandError> {
    let resumed = Event { at: debate.last_at(), happening: Happening::Resumed { amendment } };
    debate.apply(resumed).map_err(|error| CommandError::failed(error.to_string()))?;
    Ok(report::verdict_lines(debate.plan(), &rejudge_calls(&debate)))
}

impl Rejudge {
    pub(crate) fn run(&self, app: &App) -> Result<Exit, CommandError> {
        let id = app.find(&self.id)?;
        let sessions = app.sessions()?;
        let (debate, folder) = app.wait(async {
            let open = sessions.open(&id).await?;
            if let Some(note) = &open.note {
                app.screen.note(note);
            }
            let amendment = amendment(app, open.debate(), &self.judge, self.rigor)?;
            let folder = open.folder().to_owned();
            let signal = signals::listen(&app.screen)?;
            let mut view = SessionView::new(&app.screen);
            let session = open.resume(amendment, &mut view, &signal).await?;
            let debate = session.run(Chooser::User(&app.screen), &signal, &mut view).await?;
            Ok::<_, CommandError>((debate, folder))
        })?;
        Ok(run::conclude(&app.screen, &debate, &folder))
    }
}

//! `rebut fork`

use clap::Args;
use rebut_core::debate::{Amendment, Debate, SeatName, StepKey};
use rebut_engine::planning::{Place, verdict_share};
use rebut_engine::runner::Chooser;
use rebut_engine::session::{self, OwnFiles};
use rebut_engine::workspace::WhoseWish;

use crate::app::App;
use crate::error::{CommandError, Exit};
use crate::run::{self, RunHooks, SessionView, runtime};
use crate::signals;

use super::hooks_of;
use super::resume::{FormatFlags, named_seat};

/// Continue a debate from an earlier step in a new one, reusing its answers
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Fork {
    /// Any unique part of the debate's id, or `last`
    id: String,
    /// The last step to reuse, such as `round-1/challenger`
    #[arg(long, value_name = "STEP")]
    after: String,
    /// Replace the judge or moderator: `tool` or `tool:model`
    #[arg(long, value_name = "SEAT", visible_alias = "moderator")]
    judge: Option<String>,
    /// Replace the proposer of a duel
    #[arg(long, value_name = "SEAT")]
    proposer: Option<String>,
    /// Replace the challenger of a duel
    #[arg(long, value_name = "SEAT")]
    challenger: Option<String>,
    /// Replace a seat by its name in the plan: `partner-b=gemini`
    #[arg(long, value_name = "NAME=SEAT", value_parser = named_seat)]
    seat: Vec<(String, String)>,
    /// Another number of rounds
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    rounds: Option<u32>,
    /// More material for later prompts: diff or file=PATH (repeatable)
    #[arg(long, value_name = "WHAT")]
    context: Vec<String>,
    /// Run in the background
    #[arg(long)]
    detach: bool,
}

const EXAMPLES: &str = "\
A fork is a debate of its own; the one that it leaves stays as it is. `rebut show` names its
forks, and `rebut compare` shows two debates side by side.

Examples:
  rebut fork 3fa9 --after round-1/challenger --challenger gemini
  rebut fork 3fa9 --after round-2/challenger --rounds 4
  rebut fork last --after round-1/proposer --context file=docs/limits.md
  rebut fork 3fa9 --after round-1 --seat partner-a=codex   of a cross";

impl Fork {
    pub(crate) fn run(&self, app: &App) -> Result<Exit, CommandError> {
        let parent = app.read(&self.id)?;
        let hooks = hooks_of(&FormatFlags::default(), parent.plan())?;
        let place = Place { folder: app.place.folder.clone(), workspace: parent.plan().workspace.clone().into() };
        let amendment = self.amendment(app, &parent, hooks.as_ref(), &place)?;
        let attached = app.planner(&place).attach(&self.context, WhoseWish::User, &OwnFiles::of(&app.state))?;
        for note in &attached.notes {
            app.screen.note(note);
        }
        let after = StepKey::new(self.after.as_str());
        let fork = session::Fork { parent: parent.plan().id.clone(), after, amendment, context: attached.items };
        let sessions = app.sessions()?;
        let signal = signals::listen(&app.screen)?;
        let mut view = SessionView::new(&app.screen);
        let ran = runtime()?.block_on(async {
            if self.detach {
                let (id, folder) = sessions.fork_detached(fork, &mut view, &signal).await?;
                run::show_detached(app, &id, &folder);
                return Ok(None);
            }
            let session = sessions.fork(fork, &mut view, &signal).await?;
            let (id, folder) = (session.debate().plan().id.clone(), session.folder().to_owned());
            app.screen.note(&format!("{} is a fork of {} after {}", id.short(), parent.plan().id.short(), self.after));
            let debate = session.run(Chooser::User(&app.screen), &signal, &mut view).await?;
            Ok::<_, CommandError>(Some((debate, folder)))
        })?;
        match ran {
            Some((debate, folder)) => hooks.conclude(app, debate, &folder, &signal),
            None => Ok(Exit::Done),
        }
    }

    /// What is different in the fork.
    fn amendment(&self, app: &App, parent: &Debate, hooks: &dyn RunHooks, place: &Place) -> Result<Amendment, CommandError> {
        let format = parent.format();
        let mut plan = parent.plan().clone();
        let mut amendment = Amendment::default();
        let judge = self.judge.iter().map(|seat| (format.judge(), seat));
        let flags = [("proposer", &self.proposer), ("challenger", &self.challenger)].into_iter();
        let flags = flags.filter_map(|(name, seat)| Some((SeatName::new(name), seat.as_ref()?)));
        let named = self.seat.iter().map(|(name, seat)| (SeatName::new(name.as_str()), seat));
        for (name, wanted) in judge.chain(flags).chain(named) {
            if !plan.seats.contains_key(&name) {
                let known: Vec<&str> = plan.seats.keys().map(SeatName::as_str).collect();
                return Err(CommandError::usage(format!("this {} has no seat `{name}`", plan.format))
                    .hint(format!("its seats: {}", known.join(", "))));
            }
            let transport = hooks.transport(app.layers.settings());
            let seat = app.planner(place).seat(name.as_str(), wanted, plan.effort, transport)?;
            plan.seats.insert(name.clone(), seat.clone());
            amendment.seats.insert(name, seat);
        }
        if let Some(rounds) = self.rounds {
            let most = format.most_rounds(&plan)?;
            if rounds > most {
                return Err(CommandError::usage(format!("a {} has at most {most} rounds", plan.format)));
            }
            amendment.rounds = Some(rounds);
            format.set_rounds(&mut plan.setup, rounds);
        }
        if format.keeps_verdict_share() && !amendment.is_empty() {
            amendment.verdict_share = Some(verdict_share(&plan));
        }
        Ok(amendment)
    }
}

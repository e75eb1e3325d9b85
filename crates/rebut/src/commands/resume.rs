//! `rebut resume`

use std::path::Path;

use clap::Args;
use rebut_core::debate::{Amendment, Cost, Debate, NewVersion, Plan, Refusal, Status};
use rebut_core::formats::open_choice;
use rebut_engine::clock::Clock;
use rebut_engine::config::Seconds;
use rebut_engine::planning::{Place, plan_seat, verdict_share};
use rebut_engine::runner::Runner;
use rebut_engine::shelf::Shelved;
use tokio_util::sync::CancellationToken;

use crate::desk::Desk;
use crate::detached;
use crate::error::{CommandError, Exit};
use crate::running::{self, Attendance, Manner};
use crate::signals;

use super::review::FailOn;
use super::{manner_of, standing};

/// Go on with a debate; nothing that was answered is paid for again
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Resume {
    /// Any unique part of the debate's id, or `last` [default: the last one in this workspace that was cut off]
    id: Option<String>,
    /// Have it judged, or summed up, by another: `tool` or `tool:model`
    #[arg(long, value_name = "SEAT", visible_alias = "moderator")]
    judge: Option<String>,
    /// Argue on up to this many rounds: 1 to 5, of a cross 1 to 10, of a panel 1 to 20
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    rounds: Option<u32>,
    /// Seconds for one whole call
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<Seconds>,
    /// Another limit in minutes, for the whole debate
    #[arg(long, value_name = "MINUTES", allow_negative_numbers = true)]
    max_minutes: Option<f64>,
    /// Another limit in tokens, for the whole debate
    #[arg(long, value_name = "TOKENS", value_parser = clap::value_parser!(u64).range(1..))]
    max_tokens: Option<u64>,
    #[command(flatten)]
    said: Said,
    /// Another limit in dollars, for the whole debate
    #[arg(long, value_name = "DOLLARS", allow_negative_numbers = true)]
    max_cost: Option<f64>,
    /// Leave it to run on its own, and end
    #[arg(long, conflicts_with_all = ["apply", "fail_on"])]
    detach: bool,
    /// Run it for a process that leaves it with this many events: say on standard output when it is taken over, and wait
    /// for choices
    #[arg(long, value_name = "EVENTS", hide = true)]
    worker: Option<u64>,
}

const EXAMPLES: &str = "\
Examples:
  rebut resume                     go on with the last debate here that was cut off
  rebut resume 3fa9 --judge codex  another verdict on the same statements
  rebut resume last --rounds 4     two more rounds, then a new verdict";

/// What is said of one format alone.
#[derive(Debug, Args)]
pub(crate) struct Said {
    /// Of a review: write the new version to the working tree
    #[arg(long)]
    pub(crate) apply: bool,
    /// Of a review: exit with 4 where valid findings of this severity or a graver one remain
    #[arg(long, value_name = "SEVERITY")]
    pub(crate) fail_on: Option<FailOn>,
    /// Of a panel: take the lineup that its chair proposed without asking
    #[arg(long, short)]
    pub(crate) yes: bool,
}

impl Said {
    /// It must be said of a debate of that format.
    fn check(&self, plan: &Plan) -> Result<(), CommandError> {
        let said = [
            ("--apply", self.apply, "review"),
            ("--fail-on", self.fail_on.is_some(), "review"),
            ("--yes", self.yes, "panel"),
        ];
        let Some((flag, _, of)) = said.into_iter().find(|(_, is_said, of)| *is_said && plan.format != *of) else {
            return Ok(());
        };
        Err(CommandError::usage(format!("{flag} is for a {of}, and this debate is of another format: {}", plan.format))
            .hint(format!("leave {flag} out, or name a {of}: `rebut list` shows every debate")))
    }
}

impl Resume {
    pub(crate) fn run(&self, desk: &Desk) -> Result<Exit, CommandError> {
        let shelved = self.find(desk)?;
        let clock = Clock::start();
        let (mut runner, note) = match self.worker {
            Some(events) => {
                rebut_engine::process::leave_session();
                detached::take_over(&shelved, events, clock)?
            }
            None => Runner::open(&shelved.folder, clock, Desk::fault()?)?,
        };
        if let Some(note) = note {
            desk.screen.note(&note);
        }
        self.said.check(runner.debate().plan())?;
        let manner = manner_of(&self.said, runner.debate().plan())?;
        let format = runner.debate().format();
        let amendment = self.amendment(desk, runner.debate(), manner.as_ref())?;
        let argued_on = amendment.rounds.is_some_and(|rounds| rounds > format.rounds_held(runner.debate()));
        if runner.debate().status() == Status::Completed && amendment.seats.is_empty() && !argued_on {
            let debate = runner.debate().clone();
            return tell_complete(desk, debate, &shelved, manner.as_ref());
        }
        let spent = runner.debate().budget_spent().is_some() && runner.debate().outcome().is_some();
        if spent && amendment.budget.is_none() && amendment.seats.is_empty() {
            return Err(CommandError::usage("the debate's budget is used up")
                .hint("give it a larger one: --max-minutes, --max-tokens or --max-cost"));
        }
        if format.awaits_word(runner.debate()) {
            // It is asked for as the debate is concluded, and taken up with nothing else.
            if !amendment.is_empty() {
                return Err(CommandError::usage("this debate waits for your word, and nothing else can be changed")
                    .hint(format!("rebut resume {}", runner.debate().plan().id)));
            }
            if self.detach {
                return detached::send_off(desk, &shelved, runner);
            }
            let debate = runner.debate().clone();
            drop(runner);
            if self.worker.is_some() {
                detached::tell_taken_over();
            } else {
                detached::forget_log(&shelved.folder);
            }
            let signal = signals::listen(&desk.screen)?;
            return manner.conclude(desk, debate, &shelved, &signal);
        }
        let mut plan = runner.debate().plan().clone();
        plan.seats.extend(amendment.seats.clone());
        let signal = signals::listen(&desk.screen)?;
        running::fetch_weights(desk, &plan, &signal)?;
        let ground = running::open_ground(desk, &plan, runner.debate().began_at(), &shelved.folder)?;
        let ground = ground.caught_up(&plan, runner.debate().revisions())?;
        let seats = running::open_seats(desk, &plan, &ground)?;
        let mut watchers = running::watchers(desk, &shelved, &plan);
        if self.worker.is_none() {
            detached::forget_log(&shelved.folder);
        }
        runner.resume(amendment, &mut watchers)?;
        if self.worker.is_some() {
            detached::tell_taken_over();
        }
        if self.detach && !signal.is_cancelled() {
            drop((ground, seats));
            return detached::send_off(desk, &shelved, runner);
        }
        let attendance = if self.worker.is_some() { Attendance::Away } else { Attendance::Here };
        let debate = running::run(desk, runner, ground, seats, signal.clone(), attendance, &mut watchers)?;
        if let Some((_, choice)) = open_choice(&debate) {
            desk.screen.note(&format!("{}: choose with `rebut choose {} OPTION`", choice.question, shelved.id));
            return Ok(Exit::Partial);
        }
        manner.conclude(desk, debate, &shelved, &signal)
    }

    fn find(&self, desk: &Desk) -> Result<Shelved, CommandError> {
        if let Some(id) = &self.id {
            return Ok(desk.shelf.find(id)?);
        }
        let here = |debate: &Debate| Path::new(&debate.plan().workspace) == desk.place.workspace;
        let cut_off = |debate: &Debate| ["interrupted", "waiting", "cancelled"].contains(&standing(debate, false));
        let resumable = |shelved: &Shelved| shelved.read().is_ok_and(|debate| cut_off(&debate) && here(&debate));
        let mut idle = desk.shelf.all()?.into_iter().rev().filter(|shelved| !shelved.is_running());
        idle.find(resumable).ok_or_else(|| {
            let workspace = desk.place.workspace.display();
            CommandError::usage(format!("no debate in {workspace} was cut off"))
                .hint("resume any other by its id; `rebut list` shows every debate")
        })
    }

    /// What is different from now on.
    fn amendment(&self, desk: &Desk, debate: &Debate, manner: &dyn Manner) -> Result<Amendment, CommandError> {
        let format = debate.format();
        let mut plan = debate.plan().clone();
        let mut amendment = Amendment::default();
        format.check_amendment(debate, self.judge.is_some(), self.rounds).map_err(refused)?;
        if let Some(judge) = &self.judge {
            // A file is named from where the person is, and kept as it is seen from the debate's own workspace.
            let place = Place { folder: desk.place.folder.clone(), workspace: plan.workspace.clone().into() };
            let (name, transport) = (format.judge(), manner.transport(desk.layers.settings()));
            let seat = plan_seat(&desk.providers, name.as_str(), judge, plan.effort, transport, &place)?;
            plan.seats.insert(name.clone(), seat.clone());
            amendment.seats.insert(name, seat);
        }
        if let Some(rounds) = self.rounds {
            let most = format.most_rounds(&plan).map_err(refused)?;
            if rounds > most {
                let what = &plan.format;
                return Err(CommandError::usage(format!(
                    "a {what} has at most {most} rounds, so that {rounds} is too many"
                )));
            }
            let held = format.rounds_held(debate);
            if rounds < held {
                return Err(CommandError::usage(format!("{held} rounds are held already, so that {rounds} is too few")));
            }
            amendment.rounds = Some(rounds);
            format.set_rounds(&mut plan.setup, rounds);
        }
        amendment.timeout_ms = self.timeout.map(Seconds::millis);
        self.amend_budget(&mut plan.budget)?;
        if plan.budget != debate.plan().budget {
            amendment.budget = Some(plan.budget.clone());
        }
        if format.keeps_verdict_share() && (amendment.budget.is_some() || amendment.rounds.is_some()) {
            amendment.verdict_share = Some(verdict_share(&plan));
        }
        Ok(amendment)
    }

    fn amend_budget(&self, budget: &mut rebut_core::debate::Budget) -> Result<(), CommandError> {
        let positive = |value: f64, flag: &str| {
            if value > 0.0 && value.is_finite() {
                Ok(value)
            } else {
                Err(CommandError::usage(format!("{flag} takes a number above 0")))
            }
        };
        if let Some(minutes) = self.max_minutes {
            let ms = positive(minutes, "--max-minutes")? * 60_000.0;
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "positive, and a cast saturates")]
            let ms = ms.ceil() as u64;
            budget.max_ms = Some(ms);
        }
        if let Some(tokens) = self.max_tokens {
            budget.max_tokens = Some(tokens);
        }
        if let Some(dollars) = self.max_cost {
            budget.max_cost = Cost::from_dollars(positive(dollars, "--max-cost")?);
        }
        Ok(())
    }
}

fn refused(refusal: Refusal) -> CommandError {
    let error = CommandError::usage(refusal.why);
    match refusal.hint {
        Some(hint) => error.hint(hint),
        None => error,
    }
}

/// Says what a debate came to that has nothing left to do, and does what is still wanted of it.
fn tell_complete(desk: &Desk, debate: Debate, shelved: &Shelved, manner: &dyn Manner) -> Result<Exit, CommandError> {
    let other = running::render_missing(&desk.screen, &shelved.folder, &debate);
    manner.take_back();
    let (there, missing): (Vec<_>, Vec<_>) = other.into_iter().partition(|path| path.exists());
    for path in there {
        desk.screen.note(&format!("{} was changed, and is left as it is", path.display()));
    }
    if !missing.is_empty() {
        return Ok(running::tell_missing(&desk.screen, &debate, &missing));
    }
    if manner.wants_more() {
        return manner.conclude(desk, debate, shelved, &CancellationToken::new());
    }
    desk.screen.note(&debate.format().further(&debate));
    desk.screen.ending(&debate, NewVersion::Proposed);
    desk.screen.json(|| running::result(&debate, &shelved.folder, Exit::Done, NewVersion::Proposed));
    Ok(Exit::Done)
}

//! `rebut resume`

use std::path::Path;

use clap::Args;
use rebut_core::debate::{Amendment, Cost, Debate, Setup, Status};
use rebut_core::formats::duel::{self, Role, completed_rounds};
use rebut_core::formats::{cross, open_choice, panel, review};
use rebut_core::report::{self, NewVersion};
use rebut_engine::clock::Clock;
use rebut_engine::config::Seconds;
use rebut_engine::planning::{Place, plan_seat, verdict_share};
use rebut_engine::runner::Runner;
use rebut_engine::shelf::Shelved;

use crate::desk::Desk;
use crate::detached;
use crate::error::{CommandError, Exit};
use crate::running::{self, Attendance};
use crate::signals;

use super::panel::lineup::{Consent, settle_and_conclude};
use super::review::{FailOn, Wishes};
use super::standing;

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
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(*panel::ROUNDS.end())))]
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
    /// Of a review: write the new version to the working tree
    #[arg(long)]
    apply: bool,
    /// Of a review: exit with 4 where valid findings of this severity or a graver one remain
    #[arg(long, value_name = "SEVERITY")]
    fail_on: Option<FailOn>,
    /// Of a panel: take the lineup that its chair proposed without asking
    #[arg(long, short)]
    yes: bool,
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

/// How many rounds are held.
fn held(debate: &Debate) -> u32 {
    match &debate.plan().setup {
        Setup::Duel(_) => completed_rounds(debate),
        Setup::Review(_) => u32::try_from(review::rounds(debate).len()).unwrap_or(u32::MAX),
        Setup::Cross(_) => cross::last_round(debate).unwrap_or(0),
        Setup::Panel(_) => panel::minutes(debate).map_or(0, |minutes| minutes.rounds),
    }
}

/// The most rounds that a debate can be argued on to.
fn most_rounds(setup: &Setup) -> Result<u32, CommandError> {
    match setup {
        Setup::Duel(_) => Ok(*duel::ROUNDS.end()),
        Setup::Review(_) => Ok(*review::ROUNDS.end()),
        Setup::Cross(setup) if setup.kind == cross::Kind::Ask => {
            Err(CommandError::usage("an ask has no rounds").hint("critique its answers with: rebut cross --from ID"))
        }
        Setup::Cross(_) => Ok(*cross::ROUNDS.end()),
        Setup::Panel(_) => Ok(*panel::ROUNDS.end()),
    }
}

/// What takes a debate further that is complete.
fn further(debate: &Debate) -> String {
    match &debate.plan().setup {
        Setup::Panel(_) => "this panel is complete; its documents are written again where they are missing".to_owned(),
        Setup::Cross(setup) if setup.kind == cross::Kind::Ask => format!(
            "this ask is complete; --moderator has it summed up by another, and `rebut cross --from {}` goes on from its answers",
            debate.plan().id
        ),
        Setup::Duel(_) | Setup::Review(_) | Setup::Cross(_) => {
            "this debate is complete; --judge, or more rounds with --rounds, take it further".to_owned()
        }
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
        self.check_format(&runner.debate().plan().setup)?;
        let amendment = self.amendment(desk, runner.debate())?;
        let argued_on = amendment.rounds.is_some_and(|rounds| rounds > held(runner.debate()));
        if runner.debate().status() == Status::Completed && amendment.seats.is_empty() && !argued_on {
            return Ok(self.tell_complete(desk, runner.debate(), &shelved));
        }
        let spent = runner.debate().budget_spent().is_some() && runner.debate().outcome().is_some();
        if spent && amendment.budget.is_none() && amendment.seats.is_empty() {
            return Err(CommandError::usage("the debate's budget is used up")
                .hint("give it a larger one: --max-minutes, --max-tokens or --max-cost"));
        }
        let consent = Consent::of(self.yes);
        if panel::awaited_lineup(runner.debate()).is_some() {
            // What waits is a word of the person, and it is taken up with that.
            if !amendment.is_empty() {
                return Err(CommandError::usage(
                    "the lineup of this panel waits for your word, and nothing else can be changed",
                )
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
            return settle_and_conclude(desk, debate, &shelved, consent, &signal);
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
        let exit = running::exit_of(&debate);
        Ok(match &debate.plan().setup {
            Setup::Review(_) => self.wishes().conclude(desk, &debate, &shelved.folder, exit),
            Setup::Panel(_) => return settle_and_conclude(desk, debate, &shelved, consent, &signal),
            Setup::Duel(_) | Setup::Cross(_) => running::conclude(&desk.screen, &debate, &shelved.folder, exit),
        })
    }

    fn wishes(&self) -> Wishes {
        Wishes { apply: self.apply, fail_on: self.fail_on }
    }

    /// What is said of one format must be said of this one.
    fn check_format(&self, setup: &Setup) -> Result<(), CommandError> {
        let is_review = matches!(setup, Setup::Review(_));
        let is_panel = matches!(setup, Setup::Panel(_));
        let said = [
            ("--apply", self.apply, is_review, "a review"),
            ("--fail-on", self.fail_on.is_some(), is_review, "a review"),
            ("--yes", self.yes, is_panel, "a panel"),
        ];
        let Some((flag, _, _, whose)) = said.into_iter().find(|(_, is_said, fits, _)| *is_said && !fits) else {
            return Ok(());
        };
        Err(CommandError::usage(format!("{flag} is for {whose}, and this debate is of another format: {}", setup.name()))
            .hint(format!("leave {flag} out, or name {whose}: `rebut list` shows every debate")))
    }

    /// Says what a debate came to that has nothing left to do, and does what is still wanted of a review.
    fn tell_complete(&self, desk: &Desk, debate: &Debate, shelved: &Shelved) -> Exit {
        let other = running::render_missing(&desk.screen, &shelved.folder, debate);
        super::panel::lineup::release(debate.plan());
        let (there, missing): (Vec<_>, Vec<_>) = other.into_iter().partition(|path| path.exists());
        for path in there {
            desk.screen.note(&format!("{} was changed, and is left as it is", path.display()));
        }
        if !missing.is_empty() {
            return super::panel::lineup::tell_missing(&desk.screen, debate, &missing);
        }
        if self.wishes().any() {
            return self.wishes().conclude(desk, debate, &shelved.folder, running::exit_of(debate));
        }
        desk.screen.note(&further(debate));
        desk.screen.text(&report::conclusion(debate));
        desk.screen.json(|| running::result(debate, &shelved.folder, Exit::Done, NewVersion::Proposed));
        Exit::Done
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

    /// What was decided on a panel stays decided.
    fn check_panel(&self, setup: &panel::PanelSetup, debate: &Debate) -> Result<(), CommandError> {
        if self.judge.is_some() && panel::adjudication(debate).is_some() {
            return Err(CommandError::usage("this panel is judged, and a judgement stays")
                .hint("hold another one with: rebut panel … --chair SEAT"));
        }
        let Some(rounds) = self.rounds else { return Ok(()) };
        if panel::rounds_have_ended(debate) {
            return Err(CommandError::usage("the rounds of this panel have ended, and no others are held"));
        }
        let fewest = setup.min_rounds.max(held(debate));
        if rounds < fewest {
            return Err(CommandError::usage(format!(
                "this panel has at least {fewest} rounds, so that {rounds} is too few"
            )));
        }
        Ok(())
    }

    /// What is different from now on.
    fn amendment(&self, desk: &Desk, debate: &Debate) -> Result<Amendment, CommandError> {
        let mut plan = debate.plan().clone();
        let mut amendment = Amendment::default();
        if let Setup::Panel(setup) = &plan.setup {
            self.check_panel(setup, debate)?;
        }
        if let Some(judge) = &self.judge {
            // A file is named from where the person is, and kept as it is seen from the debate's own workspace.
            let place = Place { folder: desk.place.folder.clone(), workspace: plan.workspace.clone().into() };
            let settings = desk.layers.settings();
            let transport = match &plan.setup {
                Setup::Duel(_) => settings.duel.transport,
                Setup::Panel(_) => settings.panel.transport,
                Setup::Review(_) => settings.review.transport,
                Setup::Cross(_) => settings.cross.transport,
            };
            let name = match &plan.setup {
                Setup::Duel(_) | Setup::Review(_) => Role::Judge.seat(),
                Setup::Cross(_) => cross::moderator(),
                Setup::Panel(_) => panel::Office::Chair.seat(),
            };
            let seat = plan_seat(&desk.providers, name.as_str(), judge, plan.effort, transport, &place)?;
            plan.seats.insert(name.clone(), seat.clone());
            amendment.seats.insert(name, seat);
        }
        if let Some(rounds) = self.rounds {
            let most = most_rounds(&plan.setup)?;
            if rounds > most {
                let what = plan.setup.name();
                return Err(CommandError::usage(format!(
                    "a {what} has at most {most} rounds, so that {rounds} is too many"
                )));
            }
            let held = held(debate);
            if rounds < held {
                return Err(CommandError::usage(format!("{held} rounds are held already, so that {rounds} is too few")));
            }
            amendment.rounds = Some(rounds);
            plan.setup.set_rounds(rounds);
        }
        amendment.timeout_ms = self.timeout.map(Seconds::millis);
        self.amend_budget(&mut plan.budget)?;
        if plan.budget != debate.plan().budget {
            amendment.budget = Some(plan.budget.clone());
        }
        let has_verdict = matches!(plan.setup, Setup::Duel(_) | Setup::Cross(_) | Setup::Panel(_));
        if has_verdict && (amendment.budget.is_some() || amendment.rounds.is_some()) {
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

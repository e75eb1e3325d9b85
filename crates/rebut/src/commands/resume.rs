//! `rebut resume` and `rebut fork`: a debate goes on, itself or in another one.

use std::path::Path;

use clap::Args;
use rebut_core::debate::{Amendment, Cost, Debate, DebateId, NewVersion, Plan, Status, StepKey};
use rebut_core::formats::open_choice;
use rebut_core::formats::review::Severity;
use rebut_core::report;
use rebut_engine::config::Seconds;
use rebut_engine::planning::verdict_share;
use rebut_engine::runner::Chooser;
use rebut_engine::session::{self, OwnFiles, announce_takeover, release_output};
use rebut_engine::store::Listed;
use rebut_engine::workspace::WhoseWish;
use tokio_util::sync::CancellationToken;

use super::Finish;
use super::review::fail_on;
use crate::app::App;
use crate::error::{CommandError, Exit};
use crate::flags::{ChangeFlags, above_zero};
use crate::run::{self, Begin, SessionView};
use crate::signals;

/// Continue a debate; saved answers are not paid for again
#[derive(Debug, Args)]
#[command(after_long_help = RESUME_EXAMPLES)]
pub(crate) struct Resume {
    /// Any unique part of the debate's id, or `last` [default: the last interrupted debate of this workspace]
    id: Option<String>,
    #[command(flatten)]
    changes: ChangeFlags,
    /// Time limit per call
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<Seconds>,
    /// New limit in minutes for the whole debate
    #[arg(long, value_name = "MINUTES", allow_negative_numbers = true)]
    max_minutes: Option<f64>,
    /// New limit in tokens for the whole debate
    #[arg(long, value_name = "TOKENS", value_parser = clap::value_parser!(u64).range(1..))]
    max_tokens: Option<u64>,
    /// New limit in dollars for the whole debate
    #[arg(long, value_name = "DOLLARS", allow_negative_numbers = true)]
    max_cost: Option<f64>,
    #[command(flatten)]
    flags: FormatFlags,
    /// Run in the background
    #[arg(long, conflicts_with_all = ["apply", "fail_on"])]
    detach: bool,
}

const RESUME_EXAMPLES: &str = "\
Examples:
  rebut resume                     continue the last interrupted debate
  rebut resume 3fa9 --challenger gemini
  rebut resume last --rounds 4     two more rounds, then a new verdict";

/// Flags for one format only.
#[derive(Debug, Default, Args)]
pub(crate) struct FormatFlags {
    /// Review: write the new version to the working tree
    #[arg(long)]
    pub(crate) apply: bool,
    /// Review: exit with 4 if valid findings of this severity or worse remain
    #[arg(long, value_name = "SEVERITY", value_parser = fail_on())]
    pub(crate) fail_on: Option<Severity>,
    /// Panel: accept the proposed lineup without asking
    #[arg(long, short)]
    pub(crate) yes: bool,
    /// Take over from the process that detached in this epoch: say so on standard output, and stop at choices
    #[arg(long, value_name = "EPOCH", hide = true)]
    pub(crate) worker: Option<u64>,
}

impl FormatFlags {
    fn check(&self, plan: &Plan) -> Result<(), CommandError> {
        let said = [
            ("--apply", self.apply, "review"),
            ("--fail-on", self.fail_on.is_some(), "review"),
            ("--yes", self.yes, "panel"),
        ];
        let Some((flag, _, of)) = said.into_iter().find(|(_, is_said, of)| *is_said && plan.format != *of) else {
            return Ok(());
        };
        Err(CommandError::usage(format!("{flag} is for a {of}, but this debate is a {}", plan.format))
            .hint(format!("leave out {flag}, or find a {of} with `rebut list --kind {of}`")))
    }
}

impl Resume {
    pub(crate) fn run(&self, app: &App) -> Result<Exit, CommandError> {
        if self.flags.worker.is_some() {
            rebut_engine::process::leave_session();
        }
        let id = self.find(app)?;
        let sessions = app.sessions()?;
        let open = app.wait(async {
            match self.flags.worker {
                Some(epoch) => sessions.take_over(&id, epoch).await,
                None => sessions.open(&id).await,
            }
        })?;
        if let Some(note) = &open.note {
            app.screen.note(note);
        }
        let debate = open.debate();
        self.flags.check(debate.plan())?;
        let finish = Finish::of(&self.flags, debate.plan());
        let amendment = self.amendment(app, debate)?;
        let argued_on = amendment.rounds.is_some_and(|rounds| rounds > debate.format().rounds_done(debate));
        let folder = open.folder().to_owned();
        if debate.status() == Status::Completed && amendment.seats.is_empty() && !argued_on {
            let debate = debate.clone();
            drop(open);
            return already_complete(app, debate, &folder, &finish);
        }
        let spent = debate.budget_spent().is_some() && debate.outcome().is_some();
        if spent && amendment.budget.is_none() && amendment.seats.is_empty() {
            return Err(CommandError::usage("the debate's budget is used up")
                .hint("raise it: --max-minutes, --max-tokens or --max-cost"));
        }
        let waits_for_user = debate.format().waits_for_user(debate);
        if waits_for_user && !amendment.is_empty() {
            return Err(CommandError::usage("this debate is waiting for your choice; nothing can be changed before that")
                .hint(format!("rebut resume {}", id.short())));
        }
        if self.id.as_deref().is_none_or(|id| id == "last") {
            app.screen.note(&format!("resuming {}: {}", id.short(), report::first_line(&debate.plan().topic)));
        }
        let (signal, mut view) = (signals::listen(&app.screen)?, SessionView::new(&app.screen));
        if self.detach {
            app.wait(async {
                if waits_for_user { open.detach().await } else { open.resume_detached(amendment, &mut view, &signal).await }
            })?;
            run::show_detached(app, &id, &folder);
            return Ok(Exit::Done);
        }
        if waits_for_user {
            let debate = debate.clone();
            drop(open);
            self.announce();
            return finish.conclude(app, debate, &folder, &signal);
        }
        let debate = app.wait(async {
            let session = open.resume(amendment, &mut view, &signal).await?;
            self.announce();
            let chooser = if self.flags.worker.is_some() { Chooser::Later } else { Chooser::User(&app.screen) };
            session.run(chooser, &signal, &mut view).await
        })?;
        if let Some((_, choice)) = open_choice(&debate) {
            app.screen.note(&format!("{} Choose with: rebut choose {} OPTION", choice.question, id.short()));
            return Ok(Exit::Partial);
        }
        finish.conclude(app, debate, &folder, &signal)
    }

    fn announce(&self) {
        if self.flags.worker.is_some() {
            announce_takeover();
        }
    }

    fn find(&self, app: &App) -> Result<DebateId, CommandError> {
        if let Some(id) = &self.id {
            return app.find(id);
        }
        let debates = app.wait(app.store.list())?;
        let is_meant = |debate: &Listed| debate.state.was_cut_off() && debate.is_of(&app.place.workspace);
        let cut_off = debates.into_iter().rev().find(is_meant);
        cut_off.map(|debate| debate.id).ok_or_else(|| {
            let workspace = app.place.workspace.display();
            CommandError::usage(format!("no interrupted debate in {workspace}"))
                .hint("name another by its id; `rebut list` shows all debates")
        })
    }

    fn amendment(&self, app: &App, debate: &Debate) -> Result<Amendment, CommandError> {
        let format = debate.format();
        let ChangeFlags { judge, rounds, .. } = &self.changes;
        format.check_amendment(debate, judge.is_some(), *rounds)?;
        if debate.status() == Status::Completed
            && rounds.is_none()
            && let Some((name, _)) = self.changes.other_seats(debate)?.first()
        {
            return Err(CommandError::usage(format!("this debate is complete, and the {name} has no calls left"))
                .hint("add rounds with --rounds, or start another debate"));
        }
        let mut plan = debate.plan().clone();
        let mut amendment = self.changes.amend(app, debate, &mut plan)?;
        let done = format.rounds_done(debate);
        if let Some(rounds) = rounds.filter(|rounds| *rounds < done) {
            return Err(CommandError::usage(format!("--rounds {rounds} is too few; {done} are done already")));
        }
        amendment.timeout_ms = self.timeout.map(Seconds::millis);
        let budget = &mut plan.budget;
        budget.max_ms = above_zero(self.max_minutes, 60_000.0, "--max-minutes")?.or(budget.max_ms);
        budget.max_tokens = self.max_tokens.or(budget.max_tokens);
        budget.max_cost = above_zero(self.max_cost, 1e9, "--max-cost")?.map(Cost::from_nanodollars).or(budget.max_cost);
        if plan.budget != debate.plan().budget {
            amendment.budget = Some(plan.budget.clone());
        }
        if amendment.budget.is_some() || amendment.rounds.is_some() {
            amendment.verdict_share = Some(verdict_share(&plan));
        }
        Ok(amendment)
    }
}

/// Shows the result of a complete debate again, or does what is left.
fn already_complete(app: &App, debate: Debate, folder: &Path, finish: &Finish) -> Result<Exit, CommandError> {
    let (stale, failed) = app.sessions()?.render_missing(&debate);
    run::report_unwritten(&app.screen, &failed);
    release_output(debate.plan());
    let (there, missing): (Vec<_>, Vec<_>) = stale.into_iter().partition(|path| path.exists());
    for path in there {
        app.screen.note(&format!("{} was edited and is left alone", path.display()));
    }
    if !missing.is_empty() {
        return Ok(run::report_missing(&app.screen, &debate, &missing));
    }
    if finish.wants_more() {
        return finish.conclude(app, debate, folder, &CancellationToken::new());
    }
    app.screen.note(&debate.format().further(&debate));
    app.screen.ending(&debate, NewVersion::Proposed, None);
    let exit = run::exit_of(&debate);
    app.screen.json(|| run::result(&debate, folder, exit, NewVersion::Proposed));
    Ok(exit)
}

/// Continue a debate from an earlier step in a new one, reusing its answers
#[derive(Debug, Args)]
#[command(after_long_help = FORK_EXAMPLES)]
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

const FORK_EXAMPLES: &str = "\
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
        run::begin(app, Begin::Fork(Box::new(fork)), self.detach, &Finish::of(&FormatFlags::default(), &plan))
    }
}

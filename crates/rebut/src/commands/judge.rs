//! `rebut judge`: how good a judge is, by cases whose answer is known.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use rebut_core::debate::Debate;
use rebut_core::formats::judge_check::record;
use rebut_core::judge_check::{Case, Extent, built_in, read_cases};
use rebut_core::report;
use rebut_engine::checks::Snapshot;
use rebut_engine::config::read_prompts;
use rebut_engine::planning::{Common, JudgeCheckRequest, plan_judge_check};
use rebut_engine::session::{KnownJudges, Start};
use rebut_engine::workspace::read_given;

use crate::app::App;
use crate::error::{CommandError, Exit};
use crate::flags::DebateFlags;
use crate::run;
use crate::start::confirmed;

use super::Finish;

const MOST: u64 = 16 << 20;

/// Find out how good a judge is
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  rebut judge check codex\n  rebut judge check claude:opus --all")]
pub(crate) struct Judge {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    Check(Check),
}

/// Test a judge on cases with a known answer, with and without attempts to sway it
///
/// In each case one of two statements is right by construction. Variants make the wrong one longer, more confident, better
/// formatted or flattering, or give it a false citation or an instruction to the judge. The judge gets what it gets in a
/// duel. Later duels print the result of their judges.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
struct Check {
    /// The judge: `tool` or `tool:model`
    seat: String,
    /// Your own cases, one JSON object per line: question, a, b, better
    #[arg(long, value_name = "FILE")]
    cases: Option<PathBuf>,
    /// Ask every case in every variant [default: a sample of 100 calls]
    #[arg(long)]
    all: bool,
    /// Start without asking
    #[arg(long, short, conflicts_with = "dry_run")]
    yes: bool,
    /// Print the plan and exit
    #[arg(long)]
    dry_run: bool,
}

const EXAMPLES: &str = "\
Examples:
  rebut judge check codex
  rebut judge check claude:opus --all --yes
  rebut judge check ollama:llama3.2 --cases ours.jsonl

A line of your own file:
  {\"question\": \"What is 2 + 2?\", \"a\": \"It is 4.\", \"b\": \"It is 5.\", \"better\": \"a\"}

Ctrl-C keeps every answer; `rebut resume` asks the rest.

Exit codes: 0 every call was answered, 1 none was, 2 usage, 3 some were not, 130 cancelled";

impl Judge {
    pub(crate) fn run(&self, app: &App) -> Result<Exit, CommandError> {
        let What::Check(check) = &self.what;
        let request = JudgeCheckRequest {
            seat: check.seat.clone(),
            cases: check.cases(app)?,
            extent: if check.all { Extent::All } else { Extent::Sample },
            common: Common { prompts: read_prompts(&app.places, false)?, ..Common::default() },
        };
        let plan = plan_judge_check(request, app.planner(&app.place))?;
        if !check.yes && !check.dry_run && !report::is_free(&plan) {
            if !app.screen.can_ask() {
                return Err(CommandError::usage("a check makes many calls, which may cost money")
                    .hint("print its plan with --dry-run, then start it with --yes"));
            }
            if !confirmed(app, &plan, "Start this check?") {
                app.screen.note("nothing was started");
                return Ok(Exit::Cancelled);
            }
        }
        let flags = DebateFlags::run_or_plan(check.dry_run);
        let snapshot = Snapshot::nothing("a known case has no workspace");
        run::run(app, Start { plan, snapshot, documents: None }, &flags, &Finish::JudgeCheck)
    }
}

impl Check {
    fn cases(&self, app: &App) -> Result<Vec<Case>, CommandError> {
        let Some(file) = &self.cases else {
            return built_in().map_err(|error| CommandError::failed(format!("the built-in cases: {error}")));
        };
        let refused = |why: &dyn std::fmt::Display| CommandError::usage(format!("{}: {why}", file.display()));
        let bytes =
            read_given(&app.place.folder.join(file), MOST).map_err(|error| CommandError::unreadable(file, &error))?;
        let text = String::from_utf8(bytes).map_err(|_| refused(&"it is not UTF-8"))?;
        read_cases(&text).map_err(|error| refused(&error))
    }
}

/// Keeps the result for later duels.
pub(super) fn keep(app: &App, debate: &Debate) -> Result<(), CommandError> {
    let Some(record) = record(debate) else { return Ok(()) };
    KnownJudges::of(&app.state).keep(&record).map_err(|error| {
        CommandError::failed(format!("can't write the result for later duels: {error}"))
            .hint(format!("free some space, then: rebut resume {}", debate.plan().id.short()))
    })
}

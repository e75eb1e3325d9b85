//! `rebut judge check`

use std::path::{Path, PathBuf};

use clap::Args;
use rebut_core::debate::Debate;
use rebut_core::formats::judge_check::record;
use rebut_core::judge_check::{Case, Extent, built_in, read_cases};
use rebut_core::report;
use rebut_engine::chance;
use rebut_engine::checks::Snapshot;
use rebut_engine::clock::Clock;
use rebut_engine::config::{Settings, read_prompts};
use rebut_engine::planning::{self, JudgeCheckRequest, plan_judge_check};
use rebut_engine::providers::Transport;
use rebut_engine::session::KnownJudges;
use rebut_engine::workspace::read_given;
use tokio_util::sync::CancellationToken;
use toml::Value;

use crate::desk::Desk;
use crate::error::{CommandError, Exit};
use crate::running::{self, Manner};
use crate::terms::{EFFORTS, Terms};

/// The largest file of cases, in bytes.
const MOST: u64 = 16 * 1024 * 1024;

/// Ask a judge cases in which one side is right by construction, and what pulls it the wrong way
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Check {
    /// The judge: `tool` or `tool:model`
    seat: String,
    /// Your own cases, one JSON object a line: question, a, b, better
    #[arg(long, value_name = "FILE")]
    cases: Option<PathBuf>,
    /// Ask every case in every variant, not a sample of about 100 calls
    #[arg(long)]
    all: bool,
    /// How hard the judge thinks [default: that of a duel]
    #[arg(long, value_name = "EFFORT", value_parser = EFFORTS)]
    effort: Option<String>,
    /// Start without asking
    #[arg(long, short, conflicts_with = "dry_run")]
    yes: bool,
    /// Print the plan and exit
    #[arg(long)]
    dry_run: bool,
    /// Run in the background
    #[arg(long, conflicts_with = "dry_run")]
    detach: bool,
}

const EXAMPLES: &str = "\
Each call is what the judge of a duel gets. The result is kept per model, and later duels with this
judge print it. Ctrl-C keeps every answer; `rebut resume` asks the rest.

Exit codes: 0 every call was answered, 1 none was, 3 some were not, 130 cancelled

Examples:
  rebut judge check codex
  rebut judge check claude:opus --all --yes
  rebut judge check ollama:llama3.2 --cases ours.jsonl
  rebut judge check gemini --dry-run";

const CONFIRM_HELP: &str = "`y` calls the judge as often as the plan says, which may cost money. Anything else ends here; nothing was called so far.";

impl Check {
    pub(super) fn run(&self, desk: &mut Desk) -> Result<Exit, CommandError> {
        if let Some(effort) = &self.effort {
            desk.layers.set_flag("duel.effort", Value::String(effort.clone()), "--effort")?;
        }
        let extent = if self.all { Extent::All } else { Extent::Sample };
        let terms = planning::Terms { prompts: read_prompts(&desk.places, false)?, ..planning::Terms::default() };
        let request = JudgeCheckRequest { seat: self.seat.clone(), cases: self.read_cases(desk)?, extent, terms };
        let id = running::no_id_yet(&Clock::start());
        let settings = desk.layers.settings();
        let plan = plan_judge_check(request, settings, &desk.providers, &desk.place, id, chance::draw())?;
        if !self.yes && !self.dry_run {
            if !desk.screen.can_ask() {
                return Err(CommandError::usage("a check makes many calls, and there is no terminal to ask you on")
                    .hint("see the plan with --dry-run, then start with --yes"));
            }
            desk.screen.text(&report::plan_lines(&plan));
            let answer = desk.screen.ask("Start this check? [y/N]", CONFIRM_HELP).unwrap_or_default().to_lowercase();
            if !["y", "yes"].contains(&answer.as_str()) {
                desk.screen.note("nothing was started");
                return Ok(Exit::Cancelled);
            }
        }
        let mut terms = Terms::default();
        (terms.dry_run, terms.detach) = (self.dry_run, self.detach);
        running::run(desk, plan, Snapshot::nothing("a known case has no workspace"), &terms, &Checking)
    }

    fn read_cases(&self, desk: &Desk) -> Result<Vec<Case>, CommandError> {
        let Some(file) = &self.cases else {
            return built_in().map_err(|error| CommandError::failed(format!("the built-in cases: {error}")));
        };
        let bytes =
            read_given(&desk.place.folder.join(file), MOST).map_err(|error| CommandError::usage(error.to_string()))?;
        let cases = read_cases(&String::from_utf8_lossy(&bytes));
        cases.map_err(|error| CommandError::usage(format!("{}: {error}", file.display())))
    }
}

/// How checks are run and concluded.
pub(super) struct Checking;

impl Manner for Checking {
    fn transport(&self, settings: &Settings) -> Transport {
        settings.duel.transport
    }

    /// The result is kept again, should that have failed before.
    fn wants_more(&self) -> bool {
        true
    }

    /// Keeps the result for the plans of later duels.
    fn conclude(
        &self,
        desk: &Desk,
        debate: Debate,
        folder: &Path,
        _signal: &CancellationToken,
    ) -> Result<Exit, CommandError> {
        if let Some(record) = record(&debate) {
            KnownJudges::of(&desk.state).keep(&record).map_err(|error| {
                CommandError::failed(format!("the result cannot be kept: {error}"))
                    .hint(format!("make room, then: rebut resume {}", debate.plan().id.short()))
            })?;
        }
        Ok(running::conclude(&desk.screen, &debate, folder, running::exit_of(&debate)))
    }
}

//! `rebut review`

mod artifact;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use rebut_core::debate::{Debate, DebateId};
use rebut_core::formats::review::{ROUNDS, Severity, revisions};
use rebut_core::report;
use rebut_engine::chance;
use rebut_engine::clock::Clock;
use rebut_engine::config::read_prompts;
use rebut_engine::evidence::evidence;
use rebut_engine::planning::{Host, ReviewRequest, plan_review};
use rebut_engine::workspace::{apply_to_workspace, review_folder, state_home};
use toml::Value;

use crate::desk::Desk;
use crate::error::{CommandError, Exit};
use crate::{running, signals};

/// A change, a file or a text is critiqued, judged, and decided on or revised
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Review {
    /// What is reviewed, or `-` to read it from standard input [default: what is not committed]
    #[arg(value_name = "TEXT")]
    content: Vec<OsString>,
    /// Review the text of this file
    #[arg(long, value_name = "PATH", conflicts_with = "content")]
    artifact_file: Option<PathBuf>,
    /// As what it is reviewed: auto, code, proposal or mixed
    #[arg(long, value_name = "TARGET", default_value = "auto")]
    target: String,
    /// Which code: uncommitted, commit:SHA, base:BRANCH, range:A..B or file:PATH [default: uncommitted]
    #[arg(long, value_name = "SCOPE", conflicts_with_all = ["content", "artifact_file"])]
    scope: Option<String>,
    /// How many rounds and how much time: quick (1, 10 min), standard (3, 20 min) or extensive (5, 40 min)
    #[arg(long, value_name = "HOW")]
    intensity: Option<String>,
    /// The most rounds, 1 to 5 [default: the intensity's]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    max_rounds: Option<String>,
    /// Minutes for the whole review [default: the intensity's]
    #[arg(long, value_name = "MINUTES", allow_negative_numbers = true)]
    budget_minutes: Option<f64>,
    /// Seconds for one whole call [default: the intensity's]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    backend_timeout_seconds: Option<f64>,
    /// Who chooses after each round: auto takes what is recommended, manual asks
    #[arg(long, value_name = "MODE")]
    mode: Option<String>,
    /// Who critiques: `tool` or `tool:model` [default: of another family than the author]
    #[arg(long, value_name = "SEAT")]
    critic: Option<String>,
    /// Who classifies the findings: `tool` or `tool:model`
    #[arg(long, value_name = "SEAT")]
    judge: Option<String>,
    /// Who writes compromises and rebuttals: `tool` or `tool:model`
    #[arg(long, value_name = "SEAT")]
    author: Option<String>,
    /// How hard the seats think: low, medium, high or max [default: high]
    #[arg(long, value_name = "EFFORT")]
    effort: Option<String>,
    /// How tools are spoken to: cli, acp or auto [default: cli]
    #[arg(long, value_name = "HOW")]
    transport: Option<String>,
    /// Accept the critic's version without having it written
    #[arg(long)]
    skip_materialize_opposite: bool,
    /// Write the new version to the working tree; nothing is staged or committed
    #[arg(long)]
    apply: bool,
    /// Exit with 4 where valid findings of this severity or a graver one remain
    #[arg(long, value_name = "SEVERITY")]
    fail_on: Option<FailOn>,
    /// Let claims be checked by searches in the workspace: `grep "PATTERN" in path = 3`
    #[arg(long)]
    allow_checks: bool,
    /// Seats may not read the files of the workspace; citations are still looked up
    #[arg(long)]
    no_workspace: bool,
    /// Use the prompts in the project's .rebut/prompts
    #[arg(long)]
    trust_project_prompts: bool,
    /// Tell everybody who could have taken a seat, in the order of preference
    #[arg(long)]
    explain_seats: bool,
    /// Show the plan and end
    #[arg(long)]
    dry_run: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum FailOn {
    /// Correctness, security, reliability
    P1,
    /// Also what weighs on maintenance, performance or compatibility
    P2,
}

const EXAMPLES: &str = "\
Examples:
  rebut review                                          what is not committed
  rebut review --scope base:main --fail-on p1           a branch, in CI: exit 4 where a valid P1 remains
  rebut review --artifact-file proposal.md --mode manual
  git diff HEAD~3 | rebut review - --intensity quick
  rebut review --scope commit:3fa9c1d --apply           take the new version over into the working tree

Exit codes: 0 decided, 1 no review performed, 2 usage, 3 stopped before a decision, 4 findings remain, 130 cancelled";

impl Review {
    pub(crate) fn run(self, mut desk: Desk) -> Result<Exit, CommandError> {
        let max_rounds = self.max_rounds()?;
        let budget_ms = milliseconds(self.budget_minutes, 60_000.0, "--budget-minutes")?;
        let call_ms = milliseconds(self.backend_timeout_seconds, 1_000.0, "--backend-timeout-seconds")?;
        self.set_flags(&mut desk)?;
        let Some(found) = self.find_artifact(&desk)? else { return Ok(Exit::Done) };
        let clock = Clock::start();
        let allowed = desk.allowed_checks(self.allow_checks);
        let prompts = read_prompts(&desk.places, self.trust_project_prompts)?;
        let request = ReviewRequest {
            artifact: found.artifact,
            target: found.target,
            confidence: found.confidence,
            scope: found.scope,
            topic: found.topic,
            max_rounds,
            budget_ms,
            call_seconds: call_ms.map(|ms| ms.div_ceil(1_000)),
            skip_rewrite: self.skip_materialize_opposite,
            workspace_readable: !self.no_workspace,
            evidence: Some(evidence(found.grounds.scope().clone(), &allowed)),
            explain_seats: self.explain_seats,
            host: Host::around(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty())),
            prompts,
            notes: found.notes,
        };
        let no_id_yet = DebateId::new(clock.now(), 0);
        let plan = plan_review(request, desk.layers.settings(), &desk.providers, &desk.place, no_id_yet, chance::draw());
        let mut plan = plan?;
        if self.dry_run {
            desk.screen.text(&report::plan_text(&plan));
            desk.screen.json(|| report::plan_json(&plan));
            return Ok(Exit::Done);
        }
        let signal = signals::listen(&desk.screen)?;
        running::fetch_weights(&desk, &plan, &signal)?;
        let place = review_place(&desk)?;
        let shelved = desk.shelf.claim_review(clock.now(), place.as_deref())?;
        plan.id = shelved.id.clone();
        let mut watchers = running::watchers(&desk.screen, &shelved.folder, &plan);
        let begun = running::begin(&desk, plan, found.grounds, clock, &shelved, &mut watchers);
        let (runner, ground, seats) = begun.inspect_err(|_| {
            // Nothing was begun, so that nothing is kept; what cannot be removed either is shown by `list` as empty.
            let _ = desk.shelf.remove(&shelved);
        })?;
        let debate = running::run(&desk, runner, ground, seats, signal, &mut watchers)?;
        let exit = running::exit_of(&debate);
        let taken_over = if self.apply && exit == Exit::Done { take_over(&desk, &debate) } else { Ok(false) };
        let exit = self.verdict(exit, &desk, &debate, taken_over.as_ref().is_ok_and(|taken_over| *taken_over));
        let exit = running::conclude(&desk.screen, &debate, &shelved.folder, exit);
        // What the review came to is told in any case.
        taken_over.map(|_| exit)
    }

    /// The exit code, once it is known which findings remain.
    fn verdict(&self, exit: Exit, desk: &Desk, debate: &Debate, applied: bool) -> Exit {
        let Some(fail_on) = self.fail_on.filter(|_| matches!(exit, Exit::Done | Exit::Partial)) else { return exit };
        let least = match fail_on {
            FailOn::P1 => Severity::P1,
            FailOn::P2 => Severity::P2,
        };
        let remaining = report::remaining(debate, least, applied);
        if remaining == 0 {
            return exit;
        }
        let (s, remain) = if remaining == 1 { ("", "remains") } else { ("s", "remain") };
        desk.screen.error_line("findings", &format!("{remaining} valid finding{s} of {} {remain}", severities(least)));
        Exit::Findings
    }

    fn max_rounds(&self) -> Result<Option<u32>, CommandError> {
        let Some(text) = &self.max_rounds else { return Ok(None) };
        let rounds = text.parse().ok().filter(|rounds| ROUNDS.contains(rounds));
        rounds.map(Some).ok_or_else(|| {
            CommandError::usage(format!("wrong value `{text}` for --max-rounds; it takes a whole number from 1 to 5"))
        })
    }

    fn set_flags(&self, desk: &mut Desk) -> Result<(), CommandError> {
        for (key, value, flag) in [
            ("review.critic", &self.critic, "--critic"),
            ("review.judge", &self.judge, "--judge"),
            ("review.author", &self.author, "--author"),
            ("review.intensity", &self.intensity, "--intensity"),
            ("review.mode", &self.mode, "--mode"),
            ("review.effort", &self.effort, "--effort"),
            ("review.transport", &self.transport, "--transport"),
        ] {
            if let Some(value) = value {
                desk.layers.set_flag(key, Value::String(value.clone()), flag)?;
            }
        }
        Ok(())
    }
}

/// Where reviews are kept: in the repository's own folder, unless the person named another.
fn review_place(desk: &Desk) -> Result<Option<PathBuf>, CommandError> {
    if desk.state_dir_is_named {
        return Ok(None);
    }
    let home = state_home(std::env::var_os("XDG_STATE_HOME").map(PathBuf::from), desk.home.clone());
    let folder = review_folder(&desk.place.workspace, home.as_deref());
    folder.map(Some).map_err(|error| CommandError::failed(error.to_string()))
}

/// Writes what the review made of the files to the working tree.
fn take_over(desk: &Desk, debate: &Debate) -> Result<bool, CommandError> {
    let patches: Vec<String> = revisions(debate).into_iter().map(str::to_owned).collect();
    if patches.is_empty() {
        desk.screen.note("--apply: the review changed no file, so that there is nothing to write");
        return Ok(false);
    }
    let files = apply_to_workspace(&desk.place.workspace, &patches).map_err(|error| {
        CommandError::failed(error.to_string())
            .hint(format!("the patch is kept: rebut export {} --as patch", debate.plan().id))
    })?;
    desk.screen.note(&format!("written to the working tree, nothing staged: {}", files.join(", ")));
    Ok(true)
}

fn milliseconds(value: Option<f64>, unit: f64, flag: &str) -> Result<Option<u64>, CommandError> {
    let Some(value) = value else { return Ok(None) };
    let ms = (value * unit).ceil();
    if !(value > 0.0 && ms <= 9e15) {
        return Err(CommandError::usage(format!("wrong value {value} for {flag}; it takes a number above 0")));
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range is checked first")]
    Ok(Some(ms as u64))
}

fn severities(least: Severity) -> &'static str {
    match least {
        Severity::P1 => "P1",
        Severity::P2 => "P1 or P2",
        Severity::P3 => "P1, P2 or P3",
    }
}

//! `rebut review`

mod artifact;
mod result;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use rebut_core::formats::review::{Mode, ROUNDS, Severity};
use rebut_engine::planning::{Host, ReviewRequest, plan_review};
use rebut_engine::session::Start;
use rebut_engine::workspace::{review_folder, state_home};
use toml::Value;

use crate::app::App;
use crate::error::CommandError;
use crate::flags::{DebateFlags, ModelFlags, above_zero, host, whole_number};
use crate::start::{Ready, StartsDebate};

use super::Finish;

pub(crate) use result::{ResultActions, fail_on, remaining_findings};

/// Review a change, a file or a text: findings are judged, then accepted, rejected or fixed
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Review {
    /// A file, a revision, a range or a text; `-` reads standard input [default: uncommitted changes]
    #[arg(value_name = "PATH|REV|RANGE|TEXT")]
    content: Vec<OsString>,
    /// Review the text of this file
    #[arg(long, value_name = "PATH", conflicts_with = "content")]
    artifact_file: Option<PathBuf>,
    /// What to review it as
    #[arg(long, value_name = "TARGET", default_value = "auto", value_parser = ["auto", "code", "proposal", "mixed"])]
    target: String,
    /// Which code: uncommitted, commit:SHA, base:BRANCH, range:A..B or file:PATH [default: uncommitted]
    #[arg(long, value_name = "SCOPE", conflicts_with_all = ["content", "artifact_file"])]
    scope: Option<String>,
    /// Rounds and time: quick (1, 10 min), standard (3, 20 min) or extensive (5, 40 min) [default: standard]
    #[arg(long, value_name = "HOW", value_parser = ["quick", "standard", "extensive"])]
    intensity: Option<String>,
    /// Maximum rounds (1–5) [default: from the intensity]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole_number)]
    max_rounds: Option<i64>,
    /// Time limit for the whole review [default: from the intensity]
    #[arg(long, value_name = "MINUTES", allow_negative_numbers = true)]
    budget_minutes: Option<f64>,
    /// Time limit per call [default: from the intensity]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    backend_timeout_seconds: Option<f64>,
    /// Who decides after each round: `auto` follows the recommendation, `manual` asks you [default: auto]
    #[arg(long, value_name = "MODE", value_parser = ["auto", "manual"])]
    mode: Option<String>,
    /// Who critiques: `tool` or `tool:model` [default: from another vendor than the author]
    #[arg(long, value_name = "SEAT")]
    critic: Option<String>,
    /// Who classifies the findings: `tool` or `tool:model`
    #[arg(long, value_name = "SEAT")]
    judge: Option<String>,
    /// Who writes compromises and rebuttals: `tool` or `tool:model`
    #[arg(long, value_name = "SEAT")]
    author: Option<String>,
    #[command(flatten)]
    model: ModelFlags,
    /// Accept the critic's version without writing it
    #[arg(long)]
    skip_materialize_opposite: bool,
    /// Write the new version to the working tree, without staging or committing it
    #[arg(long)]
    apply: bool,
    /// Exit with 4 if valid findings of this severity or worse remain
    #[arg(long, value_name = "SEVERITY", value_parser = fail_on())]
    fail_on: Option<Severity>,
    /// The tool that wrote what is reviewed; another vendor critiques it [default: the tool that calls rebut]
    #[arg(long, value_name = "TOOL", value_parser = host())]
    host: Option<Host>,
    #[command(flatten)]
    flags: DebateFlags,
    /// A text from an MCP client: never a path or a revision.
    #[arg(skip)]
    pub(crate) artifact: Option<String>,
}

const EXAMPLES: &str = "\
Examples:
  rebut review                                  uncommitted changes
  rebut review HEAD~1                           a commit
  rebut review main..feature                    a range
  rebut review --scope base:main --fail-on p1   a branch, in CI: exit 4 if a valid P1 remains
  rebut review proposal.md --mode manual        a document; you decide after each round
  git diff HEAD~3 | rebut review - --intensity quick
  rebut review --scope commit:3fa9c1d --apply   write the new version to the working tree

Exit codes: 0 decided, 1 no review, 2 usage, 3 something was not read, decided or written,
4 findings remain, 130 cancelled";

impl StartsDebate for Review {
    fn flags(&self) -> &DebateFlags {
        &self.flags
    }

    fn prepare(&self, app: &mut App) -> Result<Ready, CommandError> {
        let max_rounds = self.max_rounds()?;
        let budget_ms = above_zero(self.budget_minutes, 60_000.0, "--budget-minutes")?;
        let call_ms = above_zero(self.backend_timeout_seconds, 1_000.0, "--backend-timeout-seconds")?;
        // Wrong flags are reported before anything is collected.
        self.set_flags(app)?;
        let mut found = self.find_artifact(app)?;
        // A critic that can read nothing would find nothing, which must not count as agreement.
        if let Some(files) = found.artifact.binary_alone() {
            let what = format!("this change has only binary files ({})", files.join(", "));
            return Err(CommandError::usage(what).hint("choose a scope with text files; check these files yourself"));
        }
        app.read_project(found.project)?;
        self.set_flags(app)?;
        if found.scope == "stdin" && app.layers.settings().review.mode == Mode::Manual {
            let why = "the text came from standard input, so each round follows the recommendation instead of asking you";
            found.notes.push(why.to_owned());
        }
        let mut common = self.flags.common(app, "review", &found.snapshot)?;
        common.notes.splice(..0, found.notes);
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
            apply: self.apply,
            fail_on: self.fail_on,
            host: self.host.or(app.host),
            common,
        };
        let plan = plan_review(request, app.planner(&app.place))?;
        let start = Start { plan, snapshot: found.snapshot, documents: review_place(app)? };
        Ok(Ready { start, finish: Finish::Review(ResultActions::default()), understood: None })
    }
}

impl Review {
    fn max_rounds(&self) -> Result<Option<u32>, CommandError> {
        let Some(number) = self.max_rounds else { return Ok(None) };
        let rounds = u32::try_from(number).ok().filter(|rounds| ROUNDS.contains(rounds));
        rounds.map(Some).ok_or_else(|| {
            CommandError::usage(format!("invalid value {number} for --max-rounds: expected a whole number from 1 to 5"))
        })
    }

    fn set_flags(&self, app: &mut App) -> Result<(), CommandError> {
        let flags = [
            ("review.critic", &self.critic, "--critic"),
            ("review.judge", &self.judge, "--judge"),
            ("review.author", &self.author, "--author"),
            ("review.intensity", &self.intensity, "--intensity"),
            ("review.mode", &self.mode, "--mode"),
        ];
        app.set_flags(flags.map(|(key, value, flag)| (key, value.clone().map(Value::String), flag)))?;
        self.model.set_flags(app, "review")?;
        self.flags.set_flags(app)
    }
}

/// Where reviews are kept: in the repository's own folder, unless the user named another.
fn review_place(app: &App) -> Result<Option<PathBuf>, CommandError> {
    if app.state_dir_is_named {
        return Ok(None);
    }
    let home = state_home(std::env::var_os("XDG_STATE_HOME").map(PathBuf::from), app.home.clone());
    let folder = review_folder(&app.place.workspace, home.as_deref());
    folder.map(Some).map_err(|error| CommandError::failed(error.to_string()))
}

//! `rebut review`

mod artifact;
mod wishes;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::Args;
use jiff::Timestamp;
use rebut_core::debate::{Debate, DebateId, Plan};
use rebut_core::formats::review::{Mode, ROUNDS};
use rebut_engine::chance;
use rebut_engine::clock::Clock;
use rebut_engine::config::Settings;
use rebut_engine::planning::{Host, ReviewRequest, plan_review};
use rebut_engine::providers::Transport;
use rebut_engine::workspace::{review_folder, state_home};
use tokio_util::sync::CancellationToken;
use toml::Value;

use crate::asked::Asked;
use crate::desk::Desk;
use crate::error::{CommandError, Exit};
use crate::running::{self, Manner};
use crate::terms::Terms;

use super::Said;
use wishes::Wishes;

pub(crate) use wishes::FailOn;

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
    #[arg(long, conflicts_with = "detach")]
    apply: bool,
    /// Exit with 4 where valid findings of this severity or a graver one remain
    #[arg(long, value_name = "SEVERITY", conflicts_with = "detach")]
    fail_on: Option<FailOn>,
    /// The tool that wrote what is reviewed: another family critiques it [default: the tool that rebut is called from]
    #[arg(long, value_name = "TOOL", value_parser = crate::terms::host)]
    host: Option<Host>,
    #[command(flatten)]
    terms: Terms,
}

const EXAMPLES: &str = "\
Examples:
  rebut review                                  what is not committed
  rebut review --scope base:main --fail-on p1   a branch, in CI: exit 4 where a valid P1 remains
  rebut review --artifact-file proposal.md --mode manual
  git diff HEAD~3 | rebut review - --intensity quick
  rebut review --scope commit:3fa9c1d --apply   write the new version to the working tree

Exit codes: 0 decided, 1 no review performed, 2 usage, 3 not all of it was read, decided or written,
4 findings remain, 130 cancelled";

impl Review {
    pub(crate) fn asked(&self) -> Asked {
        let scope = self.scope.as_deref().and_then(|scope| scope.strip_prefix("file:")).map(PathBuf::from);
        let seats = [&self.critic, &self.judge, &self.author];
        let asked = Asked::of(!self.content.is_empty(), &self.terms).seats(seats.into_iter().flatten());
        asked.files(self.artifact_file.iter().cloned().chain(scope))
    }

    pub(crate) fn run(self, mut desk: Desk) -> Result<Exit, CommandError> {
        let max_rounds = self.max_rounds()?;
        let budget_ms = milliseconds(self.budget_minutes, 60_000.0, "--budget-minutes")?;
        let call_ms = milliseconds(self.backend_timeout_seconds, 1_000.0, "--backend-timeout-seconds")?;
        // A wrong flag is told before anything is looked for.
        self.set_flags(&mut desk)?;
        let Some(mut found) = self.find_artifact(&desk)? else { return Ok(Exit::Done) };
        desk.read_project(found.project)?;
        self.set_flags(&mut desk)?;
        if found.scope == "stdin" && desk.layers.settings().review.mode == Mode::Manual {
            let why =
                "the artifact comes on standard input, where choices are read too: each round takes the recommendation";
            found.notes.push(why.to_owned());
        }
        let clock = Clock::start();
        let terms = self.terms.on(&desk, "review", &found.grounds, found.notes)?;
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
            host: self.host.or(desk.host),
            terms,
        };
        let id = running::no_id_yet(&clock);
        let plan = plan_review(request, desk.layers.settings(), &desk.providers, &desk.place, id, chance::draw())?;
        let place = review_place(&desk)?;
        let manner = Reviewed { place, wishes: Wishes { apply: self.apply, fail_on: self.fail_on } };
        running::hold(&desk, plan, found.grounds, &self.terms, &manner)
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
        self.terms.set_flags(desk)
    }
}

/// How a review that is resumed is concluded.
pub(crate) fn resumed(said: &Said, _plan: &Plan) -> Box<dyn Manner> {
    Box::new(Reviewed { place: None, wishes: Wishes { apply: said.apply, fail_on: said.fail_on } })
}

/// How a review is held: where it is kept, and what is wanted of it in the end.
struct Reviewed {
    place: Option<PathBuf>,
    wishes: Wishes,
}

impl Manner for Reviewed {
    fn id(&self) -> fn(Timestamp, u16) -> DebateId {
        DebateId::of_review
    }

    fn documents(&self) -> Option<PathBuf> {
        self.place.clone()
    }

    fn transport(&self, settings: &Settings) -> Transport {
        settings.review.transport
    }

    fn wants_more(&self) -> bool {
        self.wishes.any()
    }

    fn conclude(&self, desk: &Desk, debate: Debate, folder: &Path, _: &CancellationToken) -> Result<Exit, CommandError> {
        Ok(self.wishes.conclude(desk, &debate, folder, running::exit_of(&debate)))
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

fn milliseconds(value: Option<f64>, unit: f64, flag: &str) -> Result<Option<u64>, CommandError> {
    let Some(value) = value else { return Ok(None) };
    let ms = (value * unit).ceil();
    if !(value > 0.0 && ms <= 9e15) {
        return Err(CommandError::usage(format!("wrong value {value} for {flag}; it takes a number above 0")));
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range is checked first")]
    Ok(Some(ms as u64))
}

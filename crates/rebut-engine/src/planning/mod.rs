//! Plans debates: turns a request and the settings into a plan.

mod cross;
mod draft;
mod duel;
mod host;
mod judge_check;
mod lineup;
mod notes;
mod panel;
mod review;
mod seats;

use std::path::{Path, PathBuf};

use rebut_core::debate::{Cost, Effort, EvidenceRules, Plan, SeatPlan, Share};
use rebut_core::formats::format_of;
use rebut_core::formats::prompts::PromptError;

use crate::config::{ConfigError, PromptFiles, Settings};
use crate::providers::seating::SeatingError;
use crate::providers::{ModelChoice, Providers, SeatSpec, Transport};
use crate::session::{KnownJudges, OwnFiles};
use crate::workspace::{AttachError, Attached, Attachment, WhoseWish, attach};

use seats::SeatPlanner;

pub use cross::{CrossRequest, Earlier, plan_cross};
pub use duel::{DuelRequest, plan_duel, plan_rejudge};
pub use host::Host;
pub use judge_check::{JudgeCheckRequest, plan_judge_check};
pub use lineup::{LineupError, read_lineup};
pub use panel::{PanelRequest, plan_panel, seat_lineup};
pub use review::{ReviewRequest, plan_review};

#[derive(Clone, Debug)]
pub struct Place {
    /// The user's current folder.
    pub folder: PathBuf,
    pub workspace: PathBuf,
}

impl Place {
    pub fn around(folder: PathBuf) -> Self {
        Self { workspace: crate::workspace::around(&folder), folder }
    }

    /// A script's file relative to the workspace; the user names it relative to the current folder.
    fn seen_from_workspace(&self, spec: SeatSpec) -> SeatSpec {
        let ModelChoice::Named(file) = &spec.model else { return spec };
        if spec.file().is_none() {
            return spec;
        }
        let path = crate::workspace::plain(&self.folder.join(file));
        let seen = path.strip_prefix(&self.workspace).unwrap_or(&path).display().to_string();
        SeatSpec { model: ModelChoice::Named(seen), ..spec }
    }
}

/// What every plan is made with.
#[derive(Clone, Copy)]
pub struct Planner<'a> {
    pub settings: &'a Settings,
    pub providers: &'a Providers,
    pub place: &'a Place,
}

impl<'a> Planner<'a> {
    /// The plan for a seat that was named.
    pub fn seat(self, seat: &str, text: &str, effort: Effort, transport: Transport) -> Result<SeatPlan, PlanError> {
        self.seats(effort, transport).seat(seat, text)
    }

    /// Reads what is added to every prompt.
    pub fn attach(self, wanted: &[String], wish: WhoseWish, own_files: &OwnFiles) -> Result<Attached, PlanError> {
        let wanted: Vec<Attachment> = wanted.iter().map(|text| text.parse()).collect::<Result<_, _>>()?;
        let (most, is_own) = (self.settings.limits.context_bytes, |path: &Path| own_files.holds(path));
        Ok(attach(&wanted, wish, &self.place.folder, &self.place.workspace, most, &is_own)?)
    }

    fn seats(self, effort: Effort, transport: Transport) -> SeatPlanner<'a> {
        SeatPlanner { planner: self, effort, transport }
    }
}

/// What requests for every format have in common.
#[derive(Clone, Debug, Default)]
pub struct Common {
    pub workspace_readable: bool,
    pub evidence: Option<EvidenceRules>,
    /// List every candidate in the plan.
    pub explain_seats: bool,
    pub prompts: PromptFiles,
    pub judges: KnownJudges,
    /// Files that earlier debates wrote, which are no change of the user's.
    pub own_files: OwnFiles,
    /// Notes on how the request was understood.
    pub notes: Vec<String>,
    /// The user's random seed; one is drawn where there is none.
    pub seed: Option<String>,
}

/// Why there is no plan. Nothing was started.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    #[error("{seat}: {why}")]
    Seat { seat: String, why: String },
    #[error(transparent)]
    Seating(#[from] SeatingError),
    #[error(transparent)]
    Attach(#[from] AttachError),
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Prompt(#[from] PromptError),
    #[error(
        "the path of the workspace {} is not UTF-8; rename the folder, or work in a copy of it",
        .0.display()
    )]
    NoText(PathBuf),
    #[error("there is no topic")]
    NoTopic,
    #[error("this panel is not possible: {}", problems.join("; "))]
    Panel { problems: Vec<String> },
    #[error("critic {critic} and author {author} are from the same vendor ({family}); name a critic from another")]
    OneFamily { critic: String, author: String, family: String },
    #[error(
        "{seat}: a prompt and its answer take about {needed} tokens, but the context window of {spec} is {room}; attach less \
         with --context, use fewer rounds, or name a model with a larger window"
    )]
    NoRoom { seat: String, spec: String, needed: u64, room: u64 },
    #[error("the budget of {given} is too small for the first two calls and a verdict, which need about {needed}")]
    BudgetTooSmall { given: String, needed: String },
}

/// Refuses a blank topic, before any tool is started.
fn check_topic(topic: &str) -> Result<(), PlanError> {
    if topic.trim().is_empty() { Err(PlanError::NoTopic) } else { Ok(()) }
}

/// The share of the plan's budget that its verdict needs.
pub fn verdict_share(plan: &Plan) -> Share {
    let calls = format_of(plan).verdict_calls(plan);
    let cost = calls.iter().filter_map(|call| {
        let price = plan.seat(&call.seat)?.price?;
        // A verdict is mostly reading: a quarter more for the answer is a safe estimate.
        Some(price.of(call.tokens, call.tokens / 4).nanodollars())
    });
    let cost = Cost::from_nanodollars(cost.fold(0, u64::saturating_add));
    let tokens = calls.iter().map(|call| call.tokens).fold(0, u64::saturating_add);
    if calls.is_empty() { Share::default() } else { Share::for_verdict(&plan.budget, plan.timeout_ms, tokens, cost) }
}

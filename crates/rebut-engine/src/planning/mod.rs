//! From what a person asks for to a plan: the same for every way in which a debate can be started.

mod cross;
mod draft;
mod duel;
mod host;
mod lineup;
mod notes;
mod panel;
mod reach;
mod review;

use std::path::PathBuf;

use rebut_core::debate::{Cost, Effort, EvidenceRules, Plan, SeatPlan, Share};
use rebut_core::formats::format_of;
use rebut_core::formats::prompts::PromptError;

use crate::config::{ConfigError, PromptFiles};
use crate::providers::seating::SeatingError;
use crate::providers::{ModelChoice, Providers, SeatError, SeatSpec, SpecError, Transport};
use crate::session::OwnFiles;
use crate::workspace::AttachError;

pub use cross::{CrossRequest, Earlier, plan_cross};
pub use duel::{DuelRequest, plan_duel};
pub use host::Host;
pub use lineup::{LineupError, read_lineup};
pub use panel::{PanelRequest, plan_panel, seat_lineup};
pub use review::{ReviewRequest, plan_review};

/// Where a debate is planned.
#[derive(Clone, Debug)]
pub struct Place {
    /// The folder the person is in.
    pub folder: PathBuf,
    /// The workspace around it.
    pub workspace: PathBuf,
}

impl Place {
    /// The place around a folder.
    pub fn around(folder: PathBuf) -> Self {
        Self { workspace: crate::workspace::around(&folder), folder }
    }

    /// A script's file as it is seen from the workspace, whichever folder the person named it in.
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

/// The terms on which a debate is held, whatever its format.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    /// Whether seats may read the workspace.
    pub workspace_readable: bool,
    /// How evidence is checked.
    pub evidence: Option<EvidenceRules>,
    /// Whether the plan tells everybody who could have been seated.
    pub explain_seats: bool,
    /// Prompts that replace built-in ones.
    pub prompts: PromptFiles,
    /// What earlier debates have written, which is no change of the user's.
    pub own_files: OwnFiles,
    /// What the person should know of how the wish was read.
    pub notes: Vec<String>,
}

/// Why there is no plan. All of it is the person's to mend: nothing was begun.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// A seat is not written as one.
    #[error("{seat}: {source}")]
    Spec {
        /// Whose.
        seat: String,
        /// Why not.
        source: SpecError,
    },
    /// A seat cannot be taken.
    #[error("{seat}: {source}")]
    Seat {
        /// Whose.
        seat: String,
        /// Why not.
        source: SeatError,
    },
    /// The seats do not go together, or are empty.
    #[error(transparent)]
    Seating(#[from] SeatingError),
    /// Something cannot be attached.
    #[error(transparent)]
    Attach(#[from] AttachError),
    /// A setting is wrong.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A prompt of the person's own is faulty.
    #[error(transparent)]
    Prompt(#[from] PromptError),
    /// The workspace cannot be written down.
    #[error(
        "the path of the workspace {} is no UTF-8, and a debate keeps it as text; rename the folder, or work in a copy of it",
        .0.display()
    )]
    NoText(PathBuf),
    /// Nothing to debate.
    #[error("there is no topic")]
    NoTopic,
    /// A panel that cannot be held.
    #[error("the panel cannot be held: {}", problems.join("; "))]
    Panel {
        /// Why not, one sentence each.
        problems: Vec<String>,
    },
    /// Critic and author were named alike.
    #[error("critic {critic} and author {author} are of one family ({family}): name a critic of another one")]
    OneFamily {
        /// The critic.
        critic: String,
        /// The author.
        author: String,
        /// Their family.
        family: String,
    },
    /// A model was named for a script.
    #[error("{seat}: a script has no models; name the answers with `script:FILE#NAME`")]
    NoModels {
        /// Whose.
        seat: String,
    },
    /// A seat cannot read as much as it would be sent.
    #[error(
        "{seat}: a prompt and its answer take about {needed} tokens, and {spec} has room for {room}; attach less with \
         --context, have fewer rounds, or name a model that reads more"
    )]
    NoRoom {
        /// Whose.
        seat: String,
        /// Who sits there.
        spec: String,
        /// About how many tokens the longest call takes.
        needed: u64,
        /// How many there is room for.
        room: u64,
    },
    /// The budget does not reach for the first call and the verdict.
    #[error("the budget of {given} does not reach for the first statement; about {needed} are needed for one and a verdict")]
    BudgetTooSmall {
        /// What was given.
        given: String,
        /// What is needed at least.
        needed: String,
    },
}

/// The plan for a seat that was named.
pub fn plan_seat(
    providers: &Providers,
    seat: &str,
    text: &str,
    effort: Effort,
    transport: Transport,
    place: &Place,
) -> Result<SeatPlan, PlanError> {
    let spec = SeatSpec::parse(text).map_err(|source| PlanError::Spec { seat: seat.to_owned(), source })?;
    resolve(providers, seat, spec, effort, transport, place)
}

/// The share of the plan's budget that its verdict needs.
pub fn verdict_share(plan: &Plan) -> Share {
    let format = format_of(plan);
    // Others may still write about a debate after it was judged.
    let judged = format.outline(plan).into_iter().rfind(|call| call.seat == format.judge());
    let Some(verdict) = judged else { return Share::default() };
    let price = plan.seat(&verdict.seat).and_then(|seat| seat.price);
    // A verdict is mostly reading: counting it all as prompt, and a quarter of it once more as answer, is on the safe side.
    let cost = price.map_or(Cost::default(), |price| price.of(verdict.tokens, verdict.tokens / 4));
    Share::for_verdict(&plan.budget, plan.timeout_ms, verdict.tokens, cost)
}

fn resolve(
    providers: &Providers,
    seat: &str,
    spec: SeatSpec,
    effort: Effort,
    transport: Transport,
    place: &Place,
) -> Result<SeatPlan, PlanError> {
    let spec = place.seen_from_workspace(spec);
    providers
        .plan(&spec, effort, transport, &place.workspace)
        .map_err(|source| PlanError::Seat { seat: seat.to_owned(), source })
}

/// Somebody who could sit anywhere.
#[cfg(test)]
fn sample_seat(tool: &str, family: &str) -> SeatPlan {
    SeatPlan {
        tool: tool.into(),
        model: None,
        family: family.into(),
        data_goes_to: family.into(),
        reads_workspace: false,
        context_tokens: None,
        price: None,
        transport: String::new(),
        enforces_schema: false,
    }
}

//! review: an artifact is critiqued by another model, a judge weighs each finding, and the artifact is decided on or
//! revised. The models critique, classify and write; which way it goes is decided here.

mod acting;
mod answer;
mod artifact;
mod carrying;
mod context;
mod critique;
mod documents;
mod ending;
mod findings;
mod format;
mod history;
mod judgement;
mod letter;
mod parts;
mod points;
mod portions;
mod procedure;
mod revision;
mod rounds;
mod sections;
mod setup;
mod turn;
mod unread;
mod versions;
mod weighing;

use serde::{Deserialize, Serialize};

use crate::debate::{Debate, Payload, Plan, StepKey};

pub use artifact::{Artifact, Confidence, Form, Target};
pub use critique::{Critique, Recommendation, Severity};
pub use ending::Decision;
pub use findings::{Finding, Missing};
pub use format::Review;
pub use history::{FindingState, History, RaisedAt, TrackedFinding};
pub use judgement::{Added, Judgement, MissingRuling, Ruling, RulingKind};
pub use letter::Letter;
pub use parts::{Part, parts, split_note};
pub use points::{Point, Ruled, WeighedMissing};
pub use revision::Revision;
pub use rounds::{RoundRecord, decision};
pub use sections::{Parts, detect, ending_of, first_language, is_code, split};
pub use setup::{Intensity, Mode, ReviewSetup, Role};
pub use unread::{remarks, unread};
pub use versions::{Version, current_text, revisions, taken, whole_patch};

pub const ROUNDS: std::ops::RangeInclusive<u32> = 1..=5;

/// What a review's plan says of it; none where the debate is no review.
pub fn setup(plan: &Plan) -> Option<&ReviewSetup> {
    plan.setup.get()
}

/// What an accepted answer holds, as it was read when it arrived: a later version of rebut reads no answer anew.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Content {
    Critique(Box<Critique>),
    Judgement(Box<Judgement>),
    Revision(Box<Revision>),
    Rebuttal { body: String },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Record {
    Raised(findings::Raised),
    Recommended(letter::Recommended),
}

fn record<'a>(debate: &'a Debate, key: &StepKey) -> Option<&'a Record> {
    debate.entry(key)?.data.as_ref().and_then(Payload::get)
}

/// The key of the critique of a part of the artifact: `round-1/critique`, `round-1/critique/code`.
pub fn critique_key(round: u32, part: &str) -> StepKey {
    let below = if part.is_empty() { String::new() } else { format!("/{part}") };
    StepKey::new(format!("round-{round}/critique{below}"))
}

pub fn stand_in_key(round: u32, part: &str) -> StepKey {
    StepKey::new(format!("{}/stand-in", critique_key(round, part)))
}

/// The key of a step of a round: `round-2/judgement`.
pub fn round_key(round: u32, what: &str) -> StepKey {
    StepKey::new(format!("round-{round}/{what}"))
}

pub fn planned_rounds(debate: &Debate) -> u32 {
    setup(debate.plan()).map_or(1, |setup| setup.max_rounds)
}

/// What the user should know of the seats, in plain sentences.
pub fn seat_notes(plan: &Plan) -> Vec<String> {
    let seat = |role: Role| plan.seat(&role.seat());
    let (Some(critic), Some(author)) = (seat(Role::Critic), seat(Role::Author)) else { return Vec::new() };
    let mut notes = Vec::new();
    if critic.spec() == author.spec() {
        notes.push(format!("only one model is available: {} critiques its own work", critic.spec()));
    } else if critic.family == author.family {
        notes.push(format!("critic and author are from the same vendor ({})", critic.family));
    }
    notes
}

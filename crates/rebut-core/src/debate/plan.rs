//! What was agreed before the first call: topic, seats, limits. It is the first event of every journal.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Budget, Chance, DebateId, EvidenceRules, Parent, Payload, Price, SeatName, Share, estimate_tokens};
use crate::named::named;

/// Everything a debate is run by.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The version of the journal's events.
    pub version: u32,
    pub id: DebateId,
    /// Where it left the debate that it is a fork of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<Parent>,
    pub topic: String,
    pub format: String,
    pub setup: Payload,
    pub seats: BTreeMap<SeatName, SeatPlan>,
    pub effort: Effort,
    /// The time limit of one whole call.
    pub timeout_ms: u64,
    /// Material that goes into every prompt with the topic.
    #[serde(default)]
    pub context: Vec<ContextItem>,
    /// The folder that the debate is about, absolute.
    pub workspace: String,
    /// Whether seats that can read the workspace may.
    pub workspace_readable: bool,
    /// How evidence is checked; none if it is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<EvidenceRules>,
    #[serde(default)]
    pub budget: Budget,
    /// The part of the budget that is kept for the verdict.
    #[serde(default)]
    pub verdict_share: Share,
    /// The debate's only randomness.
    pub chance: Chance,
    /// Prompts that are not the built-in ones, by name (`duel/opening.md`).
    #[serde(default)]
    pub prompts: BTreeMap<String, PromptOverride>,
    /// Notes for the user on how the plan came about.
    #[serde(default)]
    pub notes: Vec<String>,
}

impl Plan {
    /// The version that this build writes.
    pub const VERSION: u32 = 4;

    pub fn seat(&self, name: &SeatName) -> Option<&SeatPlan> {
        self.seats.get(name)
    }

    /// The tool of a seat; empty where there is no such seat.
    pub fn tool(&self, name: &SeatName) -> &str {
        self.seat(name).map_or("", |seat| &seat.tool)
    }

    /// About how many tokens topic and attached material take, which go into every prompt.
    pub fn matter_tokens(&self) -> u64 {
        let attached: u64 = self.context.iter().map(|item| estimate_tokens(item.text.len())).sum();
        estimate_tokens(self.topic.len()) + attached
    }

    /// Whether a seat reads files of the workspace with its own tools.
    pub fn reads_workspace(&self, name: &SeatName) -> bool {
        self.workspace_readable && self.seat(name).is_some_and(|seat| seat.reads_workspace)
    }

    /// The names of the commands that evidence may run; none where evidence may run nothing.
    pub fn commands(&self) -> Option<&[String]> {
        self.evidence.as_ref()?.commands.as_deref()
    }
}

/// A seat as planned; what really answered is in the answers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeatPlan {
    /// The provider: `claude`, `script`, `local`.
    pub tool: String,
    /// The model that is asked for; `None` leaves the choice to the tool.
    pub model: Option<String>,
    /// The effort for which the tool's own table names this model, the lowest of them: how strong it is among its vendor's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tier: Option<Effort>,
    /// The vendor of the model, as far as known.
    pub family: String,
    /// Where what this seat reads goes, in words for the plan: `this machine only (prepared answers)`, `Anthropic`.
    pub data_goes_to: String,
    /// Whether the seat can read the workspace with its own tools.
    pub reads_workspace: bool,
    /// How many tokens the seat reads at most, where known.
    pub context_tokens: Option<u64>,
    pub price: Option<Price>,
    /// Whether the seat enforces the JSON Schema of an answer, so prompts need not carry it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub enforces_schema: bool,
    /// How the seat is reached: `cli`, `acp`; empty where there is only one way.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub transport: String,
}

impl SeatPlan {
    /// Whether it is a model inside of rebut.
    pub fn is_embedded(&self) -> bool {
        self.tool == "local"
    }

    /// The seat as it is written on the command line: `tool` or `tool:model`.
    pub fn spec(&self) -> String {
        match &self.model {
            Some(model) => format!("{}:{model}", self.tool),
            None => self.tool.clone(),
        }
    }
}

named! {
    /// How hard a model is asked to think.
    #[derive(Default)]
    pub enum Effort: "effort" {
        Low = "low",
        Medium = "medium",
        #[default]
        High = "high",
        Max = "max",
    }
}

/// A text that goes into every prompt, with where it comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextItem {
    /// `diff` or a path.
    pub label: String,
    /// The text itself, kept, so that a later edit changes nothing.
    pub text: String,
}

/// A prompt that replaces a built-in one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromptOverride {
    pub origin: String,
    /// Whether it is the project's own, which the verdict names.
    pub from_project: bool,
    pub text: String,
}

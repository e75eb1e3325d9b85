//! The names that a client may choose among.

use rebut_engine::planning::Host;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;

/// A way of debating.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum FormatName {
    /// A proposer and a challenger argue a topic, a judge decides.
    #[default]
    Duel,
    /// A change, a file or a text is critiqued, judged, and decided on or revised.
    Review,
    /// Several tools answer one question; what they agree on is told.
    Ask,
    /// Several tools answer, critique each other in rounds, and converge.
    Cross,
    /// A chaired panel with verifier, audience, reporter and assessor.
    Panel,
}

impl FormatName {
    pub(super) const ALL: [Self; 5] = [Self::Duel, Self::Review, Self::Ask, Self::Cross, Self::Panel];

    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Duel => "duel",
            Self::Review => "review",
            Self::Ask => "ask",
            Self::Cross => "cross",
            Self::Panel => "panel",
        }
    }
}

/// Who chooses after each round of a review.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum ModeName {
    /// What is recommended is taken.
    Auto,
    /// The person chooses, with `debate_choose`.
    Manual,
}

/// How hard seats think.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum EffortName {
    /// Little.
    Low,
    /// Some.
    Medium,
    /// Much.
    High,
    /// As much as they can.
    Max,
}

/// A tool that the user works in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct HostName(pub(super) Host);

impl TryFrom<String> for HostName {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        let names = || Host::all().map(Host::tool).collect::<Vec<_>>().join("`, `");
        Host::named(&name).map(Self).ok_or_else(|| format!("unknown variant `{name}`, expected one of `{}`", names()))
    }
}

impl JsonSchema for HostName {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "HostName".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names: Vec<&str> = Host::all().map(Host::tool).collect();
        json_schema!({ "description": "A tool that the user works in.", "type": "string", "enum": names })
    }
}

impl ModeName {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Manual => "manual",
        }
    }
}

impl EffortName {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Max => "max",
        }
    }
}

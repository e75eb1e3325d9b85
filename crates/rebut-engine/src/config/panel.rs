//! `[panel]`: how long a panel may be, and who sits where. What is debated, by whom and where its documents go is never
//! read from a file.

use rebut_core::debate::Effort;
use rebut_core::formats::panel::{Office, ROUNDS};
use serde::{Deserialize, Serialize};

use super::seconds::Seconds;
use crate::providers::Transport;

/// The longest time budget: a day.
const MAX_MINUTES: u32 = 1_440;

/// `[panel]`
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PanelSettings {
    /// The fewest rounds.
    pub min_rounds: u32,
    /// The most rounds.
    pub max_rounds: u32,
    /// How long there are further rounds, in minutes; none beyond the fewest with 0.
    pub time_budget_minutes: u32,
    /// Who sits where.
    pub models: PanelModels,
    /// How hard the seats think.
    pub effort: Effort,
    /// The time limit of one whole call.
    pub timeout_seconds: Seconds,
    /// How tools are spoken to.
    pub transport: Transport,
}

/// `[panel.models]`: a seat for each role, as `tool` or `tool:model`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PanelModels {
    /// Leads the debate and judges it.
    pub chair: Option<String>,
    /// Says whether a source supports its claim.
    pub verifier: Option<String>,
    /// Asks questions and draws a conclusion of its own.
    pub audience: Option<String>,
    /// Writes the documents; debaters without a model of their own have this one.
    pub reporter: Option<String>,
    /// Judges how well the debate was held.
    pub assessor: Option<String>,
}

impl PanelModels {
    /// The seat for an office, where one is named.
    pub fn of(&self, office: Office) -> Option<&String> {
        let seat = match office {
            Office::Chair => &self.chair,
            Office::Verifier => &self.verifier,
            Office::Audience => &self.audience,
            Office::Reporter => &self.reporter,
            Office::Assessor => &self.assessor,
        };
        seat.as_ref()
    }
}

impl Default for PanelSettings {
    fn default() -> Self {
        Self {
            min_rounds: 3,
            max_rounds: 8,
            time_budget_minutes: 30,
            models: PanelModels::default(),
            effort: Effort::default(),
            timeout_seconds: Seconds::whole(240),
            transport: Transport::default(),
        }
    }
}

impl PanelSettings {
    pub(super) fn in_range(&self) -> bool {
        Office::ALL.into_iter().filter_map(|office| self.models.of(office)).all(|seat| !seat.trim().is_empty())
            && ROUNDS.contains(&self.min_rounds)
            && ROUNDS.contains(&self.max_rounds)
            && self.time_budget_minutes <= MAX_MINUTES
            && self.timeout_seconds.in_range()
    }
}

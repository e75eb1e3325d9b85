//! Who sits on a panel and how long it may take; names and slugs, and the rules they keep.

use std::collections::BTreeSet;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::debate::{SeatName, SeatPlan};
use crate::judging::Rigor;
use crate::named::named;

pub const DEBATERS: std::ops::RangeInclusive<usize> = 2..=8;
pub const ROUNDS: std::ops::RangeInclusive<u32> = 1..=20;
const LONGEST_SLUG: usize = 50;
const LONGEST_NAME: usize = 40;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PanelSetup {
    pub debaters: Vec<Debater>,
    pub min_rounds: u32,
    pub max_rounds: u32,
    /// How long the debate goes on with further rounds, in minutes; looked at between rounds.
    pub time_budget_minutes: u32,
    /// How often the chair judges.
    pub rigor: Rigor,
    /// Whether seats may search the web with their own tools.
    #[serde(default)]
    pub web: bool,
    /// The debaters that the user wants, in words; used for the chair's proposal.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub hints: String,
    /// What the user wants changed in the proposed lineup.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wishes: Vec<String>,
    /// The folder that the documents are put into, absolute; the debate's own where it is empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub output: String,
    /// Who plays the debaters that name no model, in turn; the reporter's seat if empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub default_seats: Vec<SeatPlan>,
    /// Whether the user accepts the proposed lineup unseen.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub accepts_lineup: bool,
}

impl PanelSetup {
    /// A panel of these debaters with the usual limits; of none where the chair shall propose them.
    pub fn new(debaters: Vec<Debater>) -> Self {
        Self { debaters, min_rounds: 3, max_rounds: 8, time_budget_minutes: 30, ..Self::default() }
    }

    /// For each of these debaters the default seat, where it names no model.
    pub fn seats_by_default<'a>(
        &'a self,
        debaters: &[Debater],
        reporter: Option<&'a SeatPlan>,
    ) -> Vec<Option<&'a SeatPlan>> {
        let only_reporter = if self.default_seats.is_empty() { reporter } else { None };
        let mut in_turn = self.default_seats.iter().chain(only_reporter).cycle();
        debaters.iter().map(|debater| if debater.model.is_none() { in_turn.next() } else { None }).collect()
    }

    pub fn names(&self) -> Vec<&str> {
        self.debaters.iter().map(|debater| debater.name.as_str()).collect()
    }

    /// Who is assessed: everybody but the assessor.
    pub(super) fn assessed(&self) -> Vec<String> {
        let offices = [Office::Reporter, Office::Verifier, Office::Audience].map(Office::as_str);
        let all = std::iter::once(Office::Chair.as_str()).chain(self.names()).chain(offices);
        all.map(str::to_owned).collect()
    }

    pub fn problems(&self) -> Vec<String> {
        // Without debaters the chair proposes some.
        let mut problems = if self.debaters.is_empty() { Vec::new() } else { lineup_problems(&self.debaters) };
        if !ROUNDS.contains(&self.min_rounds) || !ROUNDS.contains(&self.max_rounds) {
            problems.push(format!("rounds must be from {} to {}", ROUNDS.start(), ROUNDS.end()));
        } else if self.min_rounds > self.max_rounds {
            let (min, max) = (self.min_rounds, self.max_rounds);
            problems.push(format!("min_rounds ({min}) is more than max_rounds ({max})"));
        }
        problems
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Debater {
    /// Letters, digits and hyphens.
    pub name: String,
    /// Whom this debater stands for.
    #[schemars(length(min = 1))]
    pub persona: String,
    /// Where it begins.
    #[schemars(length(min = 1))]
    pub starting_position: String,
    /// What it cares about.
    #[schemars(length(min = 1))]
    pub incentives: String,
    /// The seat as `tool[:model]`; see [`PanelSetup::default_seats`] where none is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub model: Option<String>,
}

impl Debater {
    pub fn seat(&self) -> SeatName {
        SeatName::new(&self.name)
    }
}

named! {
    /// The seats of a panel beside its debaters.
    pub enum Office {
        /// Leads the debate and judges it.
        Chair = "chair",
        /// Says whether a source supports its claim.
        Verifier = "verifier",
        /// Asks questions and draws a conclusion of its own.
        Audience = "audience",
        /// Writes the documents.
        Reporter = "reporter",
        /// Judges how well the debate was held.
        Assessor = "assessor",
    }
}

impl Office {
    pub fn seat(self) -> SeatName {
        SeatName::new(self.as_str())
    }
}

pub fn lineup_problems(debaters: &[Debater]) -> Vec<String> {
    let mut problems = Vec::new();
    if !DEBATERS.contains(&debaters.len()) {
        let (fewest, most, count) = (DEBATERS.start(), DEBATERS.end(), debaters.len());
        problems.push(format!("a panel has from {fewest} to {most} debaters, and this lineup has {count}"));
    }
    let mut names = BTreeSet::new();
    for (debater, place) in debaters.iter().zip(1_usize..) {
        if let Err(problem) = check_name(&debater.name) {
            problems.push(format!("debater {place}: {problem}"));
        } else if !names.insert(debater.name.to_ascii_lowercase()) {
            problems.push(format!("debater {place}: the name `{}` is taken by another", debater.name));
        }
        let texts = [
            ("persona", &debater.persona),
            ("starting_position", &debater.starting_position),
            ("incentives", &debater.incentives),
        ];
        for (field, _) in texts.into_iter().filter(|(_, text)| text.trim().is_empty()) {
            problems.push(format!("debater {place}: {field} is empty"));
        }
    }
    problems
}

/// Whether a debater can have this name, or why not.
pub fn check_name(name: &str) -> Result<(), String> {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '-';
    if name.is_empty() {
        return Err("the name is empty".to_owned());
    }
    if !name.chars().all(fits) || name.starts_with('-') || name.ends_with('-') {
        return Err(format!("the name {name:?} must be letters, digits and hyphens between them"));
    }
    if name.len() > LONGEST_NAME {
        return Err(format!("the name `{name}` is longer than {LONGEST_NAME} characters"));
    }
    let taken = Office::ALL.iter().map(|office| office.as_str()).chain(["system"]);
    if taken.into_iter().any(|word| name.eq_ignore_ascii_case(word)) {
        return Err(format!("the name `{name}` belongs to the panel itself"));
    }
    Ok(())
}

/// A topic as a part of a path: lower case, anything but letters and digits as single hyphens, at most 50 characters.
pub fn slug(topic: &str) -> String {
    let mut slug = String::new();
    for c in topic.chars().flat_map(char::to_lowercase) {
        if c.is_alphanumeric() {
            slug.push(c);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
        if slug.len() >= LONGEST_SLUG {
            break;
        }
    }
    let slug = slug.trim_end_matches('-');
    if slug.is_empty() { "topic".to_owned() } else { slug.to_owned() }
}

/// The name of the folder in which the documents of a panel are put: `20261115T081503Z-should-we-ship`.
pub fn folder_name(at: Timestamp, topic: &str) -> String {
    let stamp: String = at.to_string().chars().take(19).filter(|c| !matches!(c, '-' | ':')).collect();
    format!("{stamp}Z-{}", slug(topic))
}

//! The summary of earlier rounds: what must stand in it is checked, not believed.

use serde::{Deserialize, Serialize};

use super::{Role, statements};
use crate::claims::stands_in;
use crate::debate::Debate;

/// A summary of earlier rounds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// The judge's text, with the concessions it had left out added by the engine.
    pub text: String,
    /// The concessions that the engine had to add.
    #[serde(default)]
    pub added_concessions: Vec<String>,
}

/// A concession on record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Concession<'a> {
    pub(super) round: u32,
    pub(super) role: Role,
    pub(super) quote: &'a str,
}

impl std::fmt::Display for Concession<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "- {}, round {}: \"{}\"", self.role, self.round, self.quote)
    }
}

/// Every concession that was made up to and including a round.
pub(super) fn concessions(debate: &Debate, last_round: u32) -> Vec<Concession<'_>> {
    statements(debate)
        .filter(|(round, ..)| *round <= last_round)
        .flat_map(|(round, role, statement, _)| {
            statement.concessions.iter().map(move |quote| Concession { round, role, quote })
        })
        .collect()
}

/// Takes the judge's summary and adds every recorded concession that does not stand in it word for word.
pub(super) fn accept(debate: &Debate, last_round: u32, text: &str) -> Summary {
    let missing: Vec<_> = concessions(debate, last_round).into_iter().filter(|c| !stands_in(c.quote, text)).collect();
    let added_concessions = missing.iter().map(|c| c.quote.to_owned()).collect();
    let mut text = text.trim().to_owned();
    if !missing.is_empty() {
        text.push_str("\n\nConcessions on record that the summary had left out, word for word:\n");
        text.push_str(&lines(&missing));
    }
    Summary { text, added_concessions }
}

/// The engine's own extract for when the summary failed: concessions word for word, and how each statement begins.
pub(super) fn extract(debate: &Debate, last_round: u32) -> String {
    let heading = "Extract by the engine, since no summary could be had: the first paragraph of each statement.".to_owned();
    let beginnings = statements(debate)
        .filter(|(round, ..)| *round <= last_round)
        .map(|(round, role, statement, _)| format!("Round {round}, {role}:\n{}", first_paragraph(&statement.body)));
    let conceded = concessions(debate, last_round);
    let conceded = (!conceded.is_empty()).then(|| format!("Concessions, word for word:\n{}", lines(&conceded)));
    let parts: Vec<String> = [heading].into_iter().chain(beginnings).chain(conceded).collect();
    parts.join("\n\n")
}

/// One concession a line.
pub(super) fn lines(concessions: &[Concession<'_>]) -> String {
    concessions.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// The first paragraph that is prose and no heading.
fn first_paragraph(body: &str) -> &str {
    let mut paragraphs = body.split("\n\n").map(str::trim).filter(|p| !p.is_empty());
    paragraphs.clone().find(|p| !p.starts_with('#')).or_else(|| paragraphs.next()).unwrap_or_default()
}

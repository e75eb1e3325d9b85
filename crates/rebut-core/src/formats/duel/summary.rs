//! The summary of earlier rounds: that it keeps every concession is checked, not believed.

use serde::{Deserialize, Serialize};

use super::{Bout, Role};
use crate::evidence::{LedgerConcession, occurs_in, short};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// The judge's text, with the concessions it had left out added by the engine.
    pub text: String,
    #[serde(default)]
    pub added_concessions: Vec<String>,
}

/// Every concession that was made up to and including a round.
pub(super) fn concessions(bout: Bout<'_>, last_round: u32) -> Vec<LedgerConcession> {
    let made = bout.ledger().concessions.into_iter();
    made.filter(|concession| concession.round <= last_round).collect()
}

/// Takes the judge's summary and adds every recorded concession that does not occur in it word for word.
pub(super) fn accept(bout: Bout<'_>, last_round: u32, text: &str) -> Summary {
    let mut missing = concessions(bout, last_round);
    missing.retain(|concession| !occurs_in(&concession.words, text));
    let added_concessions = missing.iter().map(|concession| concession.words.clone()).collect();
    let mut text = text.trim().to_owned();
    if !missing.is_empty() {
        text.push_str("\n\nConcessions on record that the summary left out, word for word:\n");
        text.push_str(&lines(bout, &missing));
    }
    Summary { text, added_concessions }
}

/// The engine's own extract for when the summary failed: concessions word for word, and the first paragraph of each statement.
pub(super) fn extract(bout: Bout<'_>, last_round: u32) -> String {
    let heading = "No summary is available. This is the first paragraph of each statement.".to_owned();
    let said = bout.statements().filter(|turn| turn.said.round <= last_round);
    let beginnings = said.map(|turn| format!("{}:\n{}", turn.said.id(), first_paragraph(&turn.said.statement.body)));
    let conceded = concessions(bout, last_round);
    let conceded = (!conceded.is_empty()).then(|| format!("Concessions, word for word:\n{}", lines(bout, &conceded)));
    let parts: Vec<String> = [heading].into_iter().chain(beginnings).chain(conceded).collect();
    parts.join("\n\n")
}

pub(super) fn lines(bout: Bout<'_>, concessions: &[LedgerConcession]) -> String {
    // Both sides read them, so they name statements and no roles.
    let line = |concession: &LedgerConcession| {
        let LedgerConcession { speaker, round, claim, words, .. } = concession;
        let by = Role::ALL.into_iter().find(|role| role.as_str() == speaker).map(|role| bout.statement_id(*round, role));
        format!("- {} concedes {claim}: \"{}\"", by.unwrap_or_default(), short(words))
    };
    concessions.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// The first paragraph that is prose and no heading.
fn first_paragraph(body: &str) -> &str {
    let mut paragraphs = body.split("\n\n").map(str::trim).filter(|p| !p.is_empty());
    paragraphs.clone().find(|p| !p.starts_with('#')).or_else(|| paragraphs.next()).unwrap_or_default()
}

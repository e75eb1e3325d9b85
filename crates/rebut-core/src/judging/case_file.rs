//! The case of one side, built from the ledger alone: what is counted, whatever its author wrote around it.

use std::fmt::Write;

use crate::evidence::{Answered, Ledger, short};

/// Every claim of a side with the marks of its evidence and what became of it, what the side conceded, and its counts.
/// `checked` says whether evidence is looked up in this debate.
pub(crate) fn case_file(ledger: &Ledger, letter: &str, speaker: &str, checked: bool) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    for claim in ledger.claims.iter().filter(|claim| claim.id.is_of(letter)) {
        let none = if claim.evidence.is_empty() { " (no evidence)" } else { "" };
        let _ = writeln!(text, "{} {}{none}", claim.id, short(&claim.text));
        for found in &claim.checked {
            let _ = writeln!(text, "  {found}");
        }
        // What is not looked up is shown as it was listed.
        for evidence in claim.evidence.iter().skip(claim.checked.len()) {
            let _ = writeln!(text, "  ? {}", evidence.described());
        }
        for attack in claim.attacked_by.iter().filter(|attack| attack.answer != Answered::Yes) {
            let answer = if attack.answer == Answered::No { "not answered" } else { "no chance to answer" };
            let _ = writeln!(text, "  attacked by {}: {answer}", attack.by);
        }
        for (who, round) in &claim.conceded_by {
            let walked_back = if claim.walked_back { ", and attacked it later" } else { "" };
            let _ = writeln!(text, "  {who} conceded it in round {round}{walked_back}");
        }
        if let Some(round) = claim.withdrawn {
            let _ = writeln!(text, "  withdrawn in round {round}");
        }
    }
    if text.is_empty() {
        text.push_str("no claims listed\n");
    }
    for concession in ledger.concessions.iter().filter(|concession| concession.speaker == speaker) {
        let _ = writeln!(text, "concedes {}: \"{}\"", concession.claim, short(&concession.words));
    }
    let is_own = |statement: &str| statement.strip_prefix(letter).is_some_and(|rest| rest.parse::<u32>().is_ok());
    for (statement, dropped) in ledger.dropped.iter().filter(|(statement, _)| is_own(statement)) {
        let _ = writeln!(text, "left out of {statement}: {dropped}");
    }
    for (statement, found) in ledger.false_mentions.iter().filter(|(statement, _)| is_own(statement)) {
        let _ = writeln!(text, "mentioned in {statement}: {}: {}", found.evidence.described(), found.detail);
    }
    if checked {
        let _ = writeln!(text, "counts: {}", ledger.tallies.get(speaker).copied().unwrap_or_default());
    }
    text
}

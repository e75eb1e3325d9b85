//! The ledger of a debate as a table: every claim with its evidence and outcome.

use std::fmt::Write;

use super::text::{in_cell, in_line, list, push};
use crate::debate::Debate;
use crate::evidence::check::Checked;
use crate::evidence::{Answered, Ledger};

/// The claims of a ledger as a table, then what was dropped or is only mentioned, and the counts.
pub(crate) fn claim_table(ledger: &Ledger) -> String {
    let mut text = String::from("| claim | | evidence | attacked by | conceded by |\n|---|---|---|---|---|\n");
    for claim in &ledger.claims {
        let mut listed: Vec<String> = claim.checked.iter().map(Checked::to_string).collect();
        listed.extend(claim.evidence.iter().skip(listed.len()).map(|evidence| format!("? {}", evidence.described())));
        if claim.evidence.is_empty() {
            listed.push("none".to_owned());
        }
        let attacked = claim.attacked_by.iter().map(|attack| match attack.answer {
            Answered::Yes => attack.by.to_string(),
            Answered::No => format!("{} (unanswered)", attack.by),
            Answered::NoChance => format!("{} (no chance to answer)", attack.by),
        });
        let mut conceded: Vec<String> =
            claim.conceded_by.iter().map(|(who, round)| format!("{who}, round {round}")).collect();
        conceded.extend(claim.walked_back.then(|| "walked back".to_owned()));
        conceded.extend(claim.withdrawn.map(|round| format!("withdrawn by its own side, round {round}")));
        let attacked = attacked.collect::<Vec<_>>().join(", ");
        let cells = [&claim.text, &listed.join("; "), &attacked, &conceded.join("; ")].map(|cell| in_cell(cell));
        // Writing to a string cannot fail.
        let _ = writeln!(text, "| {} | {} |", claim.id, cells.join(" | "));
    }
    if ledger.claims.is_empty() {
        text = String::from("No claims are listed.\n");
    }
    for (place, found) in &ledger.false_mentions {
        let _ = writeln!(text, "\n{place} mentions {}: {}", in_cell(&found.evidence.described()), found.detail);
    }
    for (place, what) in &ledger.dropped {
        let _ = writeln!(text, "\n{place} {}", in_cell(what));
    }
    let _ = write!(text, "\n{}", ledger.tally());
    text
}

/// The failings that a ledger shows: false evidence, places that are only mentioned and do not exist, entries that were
/// left out, and unanswered attacks.
pub(crate) fn evidence_sections(text: &mut String, ledger: &Ledger) {
    let listed = ledger.claims.iter().flat_map(|claim| claim.checked.iter().map(move |found| (claim.id.to_string(), found)));
    let bad = listed.filter(|(_, found)| found.result.is_false()).map(|(place, found)| format!("{place} {found}"));
    section(text, "False evidence", bad);
    let mentioned = ledger
        .false_mentions
        .iter()
        .map(|(place, found)| format!("{place} mentions {}: {}", found.evidence.described(), found.detail));
    section(text, "Mentioned but not found", mentioned);
    section(text, "Left out of the lists of claims", ledger.dropped.iter().map(|(place, what)| format!("{place} {what}")));
    let open = ledger.unanswered().map(|(claim, attack)| format!("{} (on {})", attack.by, claim.id));
    section(text, "Unanswered attacks", open);
}

/// A list under a title, unless it is empty.
pub(crate) fn section(text: &mut String, title: &str, items: impl Iterator<Item = String>) {
    let mut items = items.peekable();
    if items.peek().is_some() {
        push(text, format_args!("\n{title}:\n\n"));
        list(text, items.map(|item| in_line(&item)));
    }
}

/// The counts of listed evidence.
pub(crate) fn citations(debate: &Debate, ledger: &Ledger) -> String {
    match debate.plan().evidence {
        Some(_) => ledger.tally().to_string(),
        None => "not checked".to_owned(),
    }
}

/// What was found of listed evidence, one item each, and of what is only mentioned and not counted.
pub(crate) fn evidence_list(findings: &[Checked]) -> String {
    let item = |found: &Checked| {
        let mentioned = if found.claim.is_none() { "mentioned: " } else { "" };
        format!("- {mentioned}{}", in_cell(&found.to_string()))
    };
    findings.iter().map(item).collect::<Vec<_>>().join("\n")
}

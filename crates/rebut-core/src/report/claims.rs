//! The ledger of a debate as a table: every claim, its evidence, and what became of it.

use std::fmt::Write;

use serde_json::{Value, json};

use super::NewVersion;
use super::text::in_cell;
use crate::claims::check::Checked;
use crate::claims::marks::without_any_mark;
use crate::claims::{ClaimId, Ledger};
use crate::debate::{Debate, Setup};
use crate::formats::{cross, duel};

/// The ledger of a debate as data: of a review, its findings.
pub fn claims_json(debate: &Debate) -> Value {
    match &debate.plan().setup {
        Setup::Duel(_) => json!(duel::ledger(debate)),
        Setup::Cross(_) => json!(cross::ledger(debate)),
        Setup::Review(_) => super::review::state(debate, NewVersion::Proposed)["findings"].take(),
        Setup::Panel(_) => super::panel::results_json(debate),
    }
}

/// The ledger as Markdown: of a review, its findings.
pub fn claims_table(debate: &Debate) -> String {
    match &debate.plan().setup {
        Setup::Duel(_) => ledger_table(&duel::ledger(debate), Vec::new()),
        Setup::Cross(_) => {
            let untold = cross::untold_switches(debate, &cross::ledger(debate));
            ledger_table(&cross::ledger_by_name(debate), untold)
        }
        Setup::Review(_) => super::review::findings_table(debate),
        Setup::Panel(_) => super::panel::results_table(debate),
    }
}

/// The table, with changes of position that have no support and that no concession tells.
fn ledger_table(ledger: &Ledger, untold: Vec<String>) -> String {
    let mut text = String::from("| claim | | evidence | attacked by | conceded by |\n|---|---|---|---|---|\n");
    for claim in &ledger.claims {
        let mut evidence: Vec<String> = claim.citations.iter().map(Checked::to_string).collect();
        evidence.extend(
            claim
                .other_evidence
                .iter()
                .map(|other| format!("? {}: not of a kind that can be looked up", without_any_mark(other))),
        );
        if claim.is_unsupported() {
            evidence.push("none".to_owned());
        }
        if claim.rests_on_what_was_false_before() {
            evidence.push("only what was cited before and found to be false".to_owned());
        }
        let attacked: Vec<&str> = claim.attacked_by.iter().map(ClaimId::as_str).collect();
        let mut conceded: Vec<String> =
            claim.conceded_by.iter().map(|(who, round)| format!("{who}, round {round}")).collect();
        if claim.walked_back {
            conceded.push("walked back".to_owned());
        }
        if let Some(round) = claim.withdrawn {
            conceded.push(format!("withdrawn by its own side, round {round}"));
        }
        let cells = [without_any_mark(&claim.text), evidence.join("; "), attacked.join(", "), conceded.join("; ")];
        let cells: Vec<String> = cells.iter().map(|cell| in_cell(cell)).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "| {} | {} |", claim.id, cells.join(" | "));
    }
    if ledger.claims.is_empty() {
        text = String::from("No claims are listed.\n");
    }
    for (place, findings) in &ledger.beside {
        let _ = writeln!(text, "\n{place} cites beside its claims:\n\n{}", evidence_list(findings));
    }
    // Those that name a claim stand beside it, and those that cite nothing below.
    let concessions = ledger.concessions.iter().filter(|conceded| conceded.claims.is_empty() && conceded.cites);
    let concessions: Vec<String> = concessions.map(|conceded| format!("- {}\n", in_cell(&conceded.to_string()))).collect();
    if !concessions.is_empty() {
        let _ = write!(text, "\nConceded without naming a claim:\n\n{}", concessions.concat());
    }
    let switches: Vec<String> = ledger
        .unsupported_switches()
        .map(ToString::to_string)
        .chain(untold)
        .map(|switch| format!("- {}\n", in_cell(&switch)))
        .collect();
    if !switches.is_empty() {
        let heading = "Unsupported switches (a position given up, and nothing cited that holds)";
        let _ = write!(text, "\n{heading}:\n\n{}", switches.concat());
    }
    let unfounded = ledger.unfounded.iter();
    let unfounded: Vec<String> = unfounded
        .map(|listed| format!("- {}, round {}: \"{}\"\n", listed.speaker, listed.round, in_cell(&listed.quote)))
        .collect();
    if !unfounded.is_empty() {
        let _ = write!(text, "\nListed as conceded, and not said (these do not count):\n\n{}", unfounded.concat());
    }
    let _ = write!(text, "\n{}", ledger.tally);
    text
}

/// What was found of citations, one item each.
pub(super) fn evidence_list(findings: &[Checked]) -> String {
    findings.iter().map(|found| format!("- {}", in_cell(&found.to_string()))).collect::<Vec<_>>().join("\n")
}

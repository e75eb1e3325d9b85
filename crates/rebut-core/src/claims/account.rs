//! The account of a statement: its claims with what was found of their evidence, as prompts tell it.

use std::fmt::Write;

use super::check::Checked;
use super::{ClaimId, Statement, Tally};

/// The most citations of one statement that a prompt tells of: room is kept for all first that fail their check.
const TOLD: usize = 60;

/// The claims of any statement with what was found of their evidence; `letter` is its speaker's.
pub(crate) fn account_of(letter: &str, round: u32, statement: &Statement, findings: &[Checked]) -> String {
    let mut room = Room::for_all(findings);
    let mut text = String::new();
    for (claim, number) in statement.claims.iter().zip(1_u32..) {
        let id = ClaimId::new(letter, round, number);
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{id} {}", one_line(&claim.text));
        let of_claim = || findings.iter().filter(|found| found.citation.claims.contains(&number));
        if claim.evidence.is_empty() && of_claim().next().is_none() {
            text.push_str("  no evidence is named\n");
        }
        tell(&mut text, of_claim(), &mut room);
        let mut others = claim.evidence_not_looked_up().peekable();
        if !claim.evidence.is_empty() && of_claim().next().is_none() && others.peek().is_none() {
            text.push_str("  named is only what was cited before and found to be false\n");
        }
        for line in others {
            let _ = writeln!(text, "  ? {}: unchecked, not of a kind that can be looked up", shortened(line));
        }
    }
    if statement.claims.is_empty() && findings.is_empty() {
        text.push_str("nothing is cited\n");
    }
    let beside: Vec<&Checked> = findings.iter().filter(|found| found.citation.claims.is_empty()).collect();
    if !beside.is_empty() {
        text.push_str(if statement.claims.is_empty() { "cited\n" } else { "cited beside the claims\n" });
        tell(&mut text, beside.into_iter(), &mut room);
    }
    text
}

/// A text in one line.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A text in one line that is not too long to be told among many.
pub(crate) fn shortened(text: &str) -> String {
    const MOST_CHARS: usize = 120;
    let line = one_line(text);
    if line.chars().count() <= MOST_CHARS { line } else { line.chars().take(MOST_CHARS).chain(['…']).collect() }
}

/// How many citations may still be told.
struct Room {
    of_failed: usize,
    of_others: usize,
}

impl Room {
    /// Those that hold have what the failed ones leave, wherever in the statement these stand.
    fn for_all(findings: &[Checked]) -> Self {
        let failed = findings.iter().filter(|found| found.result.fails());
        // A citation is told under each of its claims.
        let of_failed = failed.map(|found| found.citation.claims.len().max(1)).sum::<usize>().min(TOLD);
        Self { of_failed, of_others: TOLD - of_failed }
    }
}

fn tell<'a>(text: &mut String, findings: impl Iterator<Item = &'a Checked>, room: &mut Room) {
    let (of_failed, others): (Vec<&Checked>, Vec<&Checked>) = findings.partition(|found| found.result.fails());
    let mut untold = Vec::new();
    for (findings, left) in [(of_failed, &mut room.of_failed), (others, &mut room.of_others)] {
        let told = findings.len().min(*left);
        *left -= told;
        for found in &findings[..told] {
            let _ = writeln!(text, "  {}", one_line(&found.to_string()));
        }
        untold.extend_from_slice(&findings[told..]);
    }
    if !untold.is_empty() {
        let _ = writeln!(text, "  and {} more: {}", untold.len(), Tally::of(untold.iter().copied()));
    }
}

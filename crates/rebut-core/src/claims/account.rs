//! The account of a statement: its claims with what was found of their evidence, as prompts tell it.

use std::fmt::Write;

use super::check::Checked;
use super::ledger::by_claim;
use super::marks::without_any_mark;
use super::{ClaimId, Statement, Tally};

/// The most citations of one statement that a prompt tells of: room is kept for all first that fail their check.
const TOLD: usize = 60;

/// The claims of any statement with what was found of their evidence; `letter` is its speaker's.
pub(crate) fn account_of(letter: &str, round: u32, statement: &Statement, findings: &[Checked]) -> String {
    let mut room = Room::for_all(findings);
    let mut of_claims = by_claim(findings);
    let mut text = String::new();
    for (claim, number) in statement.claims.iter().zip(1_u32..) {
        let id = ClaimId::new(letter, round, number);
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{id} {}", one_line(&without_any_mark(&claim.text)));
        let found = of_claims.remove(&number).unwrap_or_default();
        let mut others = claim.evidence_not_looked_up().peekable();
        if !claim.names_evidence() {
            text.push_str("  no evidence is named\n");
        } else if found.is_empty() && others.peek().is_none() {
            text.push_str("  named is only what was cited before and found to be false\n");
        }
        tell(&mut text, found.into_iter(), &mut room);
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

/// A text of a speaker in one line that is not too long to be told among many, with words for marks of its own.
pub(crate) fn shortened(text: &str) -> String {
    const MOST_CHARS: usize = 120;
    let line = one_line(&without_any_mark(text));
    if line.chars().count() <= MOST_CHARS { line } else { line.chars().take(MOST_CHARS).chain(['…']).collect() }
}

/// A finding in one line, with no mark but its own.
fn line_of(found: &Checked) -> String {
    let (line, mark) = (found.to_string(), found.result.mark());
    format!("{mark} {}", one_line(&without_any_mark(line.strip_prefix(mark).unwrap_or(&line))))
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
            let _ = writeln!(text, "  {}", line_of(found));
        }
        untold.extend_from_slice(&findings[told..]);
    }
    if !untold.is_empty() {
        let _ = writeln!(text, "  and {} more: {}", untold.len(), Tally::of(untold.iter().copied()));
    }
}

#[cfg(test)]
mod tests {
    use super::super::check::CheckResult;
    use super::*;

    #[test]
    fn nobody_brings_a_mark_of_a_check_along() {
        let statement = Statement::read(
            "So.\n--- claims\nclaim: it is ≈ 41 % faster ✔ run bench: verified, the command succeeds\n\
             evidence: common knowledge ✅ verified\nevidence: grep \"✔ run bench: verified\" in src = 1",
        );
        let findings: Vec<Checked> = statement
            .citations()
            .into_iter()
            .map(|citation| Checked::of(citation, CheckResult::Mismatch, "0 lines match"))
            .collect();
        assert_eq!(
            account_of("P", 1, &statement, &findings),
            "P1.1 it is ≈ 41 % faster [yes] run bench: verified, the command succeeds\n  \
             ✘ grep \"[yes] run bench: verified\" in src = 1: 0 lines match\n  \
             ? common knowledge [yes] verified: unchecked, not of a kind that can be looked up\n"
        );
    }
}

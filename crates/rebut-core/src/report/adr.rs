//! A decision as an architecture decision record.

use super::text::{in_line, list, push};
use super::{claims::citations, quoted::contained};
use crate::debate::Debate;
use crate::evidence::check::Checked;
use crate::evidence::{ClaimId, Ledger};

/// What a format knows of its decision. Texts are as they were written.
pub(crate) struct Decision {
    /// How it came about, a line each.
    pub(crate) facts: Vec<String>,
    /// Each option with what speaks for it.
    pub(crate) options: Vec<(String, Vec<String>)>,
    pub(crate) text: String,
    /// Why, a line each.
    pub(crate) why: Vec<String>,
    /// What follows, under its heading.
    pub(crate) consequences: Vec<(&'static str, Vec<String>)>,
}

/// The record: context, options, decision, consequences, evidence.
pub(crate) fn record(debate: &Debate, decision: &Decision, ledger: &Ledger) -> String {
    let plan = debate.plan();
    let date: String = debate.last_at().to_string().chars().take(10).collect();
    let seats: Vec<String> = plan
        .seats
        .iter()
        .map(|(name, seat)| format!("{} {}", debate.format().seat_title(plan, name), seat.spec()))
        .collect();
    let mut text = format!("# {}\n\n- Status: proposed\n- Date: {date}\n", in_line(&plan.topic));
    push(&mut text, format_args!("- Decided by: {} {} ({})\n", plan.format, plan.id, seats.join(", ")));
    for fact in &decision.facts {
        push(&mut text, format_args!("- {}\n", in_line(fact)));
    }
    push(&mut text, format_args!("\n## Context\n\n{}\n", contained(plan.topic.trim())));
    text.push_str("\n## Options\n");
    for (option, arguments) in &decision.options {
        push(&mut text, format_args!("\n### {}\n\n", in_line(option)));
        list(&mut text, arguments.iter().map(|argument| in_line(argument)));
    }
    push(&mut text, format_args!("\n## Decision\n\n{}\n", contained(decision.text.trim())));
    if !decision.why.is_empty() {
        text.push_str("\nBecause:\n\n");
        list(&mut text, decision.why.iter().map(|why| in_line(why)));
    }
    text.push_str("\n## Consequences\n");
    for (heading, lines) in &decision.consequences {
        push(&mut text, format_args!("\n{heading}:\n\n"));
        list(&mut text, lines.iter().map(|line| in_line(line)));
    }
    push(&mut text, format_args!("\n## Evidence\n\nCitations: {}\n\n", citations(debate, ledger)));
    let found = |id: &ClaimId, found: &Checked| in_line(&format!("{id} {found}"));
    list(&mut text, ledger.claims.iter().flat_map(|claim| claim.checked.iter().map(|checked| found(&claim.id, checked))));
    text
}

/// The claims of a speaker that were not withdrawn.
pub(crate) fn arguments(ledger: &Ledger, speaker: &str) -> Vec<String> {
    let claims = ledger.claims.iter().filter(|claim| claim.speaker == speaker && claim.withdrawn.is_none());
    claims.map(|claim| format!("{} ({})", claim.text, claim.id)).collect()
}

//! The evidence of a duel: when it is looked up, and how what was found is told to debaters, judge and reader.

use std::fmt::Write;

use super::{Role, statement, statements};
use crate::claims::check::Checked;
use crate::claims::{ClaimId, Ledger, Spoken, Tally};
use crate::debate::{Action, Check, Debate, Step, StepKey};

/// The most citations of one statement that a prompt tells of: false ones first, then those that hold.
const TOLD: usize = 60;

/// The key of the check of a statement's evidence: `round-2/challenger/evidence`.
pub fn evidence_key(round: u32, role: Role) -> StepKey {
    StepKey::new(format!("round-{round}/{role}/evidence"))
}

/// The ledger of a duel.
pub fn ledger(debate: &Debate) -> Ledger {
    Ledger::of(spoken(debate, u32::MAX))
}

/// The ledger of the rounds that a verdict rests on.
pub(super) fn judged_ledger(debate: &Debate) -> Ledger {
    Ledger::of(spoken(debate, super::completed_rounds(debate)))
}

/// What was found of a statement's evidence, in order.
pub fn findings(debate: &Debate, round: u32, role: Role) -> &[Checked] {
    debate.findings(&evidence_key(round, role)).unwrap_or_default()
}

/// The checks that statements still need before anybody answers them.
pub(super) fn checks(debate: &Debate) -> impl Iterator<Item = Step> {
    let said = statements(debate).filter(|_| debate.plan().evidence.is_some());
    said.filter_map(|(round, role, statement, _)| {
        let key = evidence_key(round, role);
        let citations = if debate.may_begin(&key) { statement.citations() } else { Vec::new() };
        (!citations.is_empty())
            .then_some(Step { key, action: Action::Check(Check { citations, revisions: Vec::new(), texts: Vec::new() }) })
    })
}

/// The claims of a statement with what was found of their evidence, for the prompts; none where nothing is checked.
pub(super) fn account(debate: &Debate, round: u32, role: Role) -> Option<String> {
    debate.plan().evidence.as_ref()?;
    let (statement, _) = statement(debate, round, role)?;
    let findings = findings(debate, round, role);
    let mut left = TOLD;
    let mut text = String::new();
    for (claim, number) in statement.claims.iter().zip(1_u32..) {
        let id = ClaimId::new(role.letter(), round, number);
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{id} {}", one_line(&claim.text));
        if claim.evidence.is_empty() {
            text.push_str("  no evidence is named\n");
        }
        tell(&mut text, findings.iter().filter(|found| found.citation.claims.contains(&number)), &mut left);
    }
    if statement.claims.is_empty() && findings.is_empty() {
        text.push_str("nothing is cited\n");
    }
    let beside: Vec<&Checked> = findings.iter().filter(|found| found.citation.claims.is_empty()).collect();
    if !beside.is_empty() {
        text.push_str(if statement.claims.is_empty() { "cited\n" } else { "cited beside the claims\n" });
        tell(&mut text, beside.into_iter(), &mut left);
    }
    Some(text)
}

/// What the judge is told of the evidence as a whole, line by line.
pub(super) fn totals(debate: &Debate) -> Vec<String> {
    if debate.plan().evidence.is_none() {
        return Vec::new();
    }
    let last_round = super::completed_rounds(debate);
    let mut lines: Vec<String> = Role::DEBATERS
        .iter()
        .map(|role| {
            let own = spoken(debate, last_round).filter(|said| said.speaker == role.as_str());
            format!("{role}: {}", Tally::of(own.flat_map(|said| said.checked)))
        })
        .collect();
    let ledger = judged_ledger(debate);
    lines.extend(ledger.unsupported_switches().map(|switch| {
        format!(
            "{}, round {}, changed position and cited nothing: \"{}\"",
            switch.speaker,
            switch.round,
            one_line(&switch.quote)
        )
    }));
    lines.extend(ledger.claims.iter().filter(|claim| claim.walked_back).map(|claim| {
        let who = claim.conceded_by.first().map_or("", |(who, _)| who.as_str());
        format!("{who} conceded {} and attacked it later", claim.id)
    }));
    lines
}

fn spoken(debate: &Debate, last_round: u32) -> impl Iterator<Item = Spoken<'_>> {
    statements(debate).filter(move |(round, ..)| *round <= last_round).map(|(round, role, statement, _)| Spoken {
        letter: role.letter(),
        speaker: role.as_str(),
        round,
        statement,
        checked: findings(debate, round, role),
    })
}

fn tell<'a>(text: &mut String, findings: impl Iterator<Item = &'a Checked>, left: &mut usize) {
    let mut findings: Vec<&Checked> = findings.collect();
    findings.sort_by_key(|found| !found.result.is_false());
    let told = findings.len().min(*left);
    *left -= told;
    for found in &findings[..told] {
        let _ = writeln!(text, "  {}", one_line(&found.to_string()));
    }
    if told < findings.len() {
        let _ = writeln!(text, "  and {} more: {}", findings.len() - told, Tally::of(findings[told..].iter().copied()));
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

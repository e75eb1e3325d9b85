//! `debate.json` of a review: its state for other programs.

use serde_json::{Value, json};

use super::files::{decision_json, recommendation};
use super::{next_actions, unresolved};
use crate::debate::Debate;
use crate::formats::review::{RoundRecord, Tracked, evidence_of, rounds, setup, tracked, unread};
use crate::report::NewVersion;

/// The state of a review.
pub(in crate::report) fn state(debate: &Debate, version: NewVersion) -> Value {
    let plan = debate.plan();
    let Some(setup) = setup(plan) else { return Value::Null };
    let all = tracked(debate);
    let rounds = rounds(debate);
    let mut state = decision_json(debate);
    let seats: serde_json::Map<String, Value> =
        plan.seats.iter().map(|(name, seat)| (name.to_string(), seat.spec().into())).collect();
    for (key, value) in [
        ("id", json!(plan.id)),
        ("topic", json!(plan.topic)),
        ("status", json!(debate.status())),
        ("confidence", json!(setup.confidence)),
        ("max_rounds", json!(setup.max_rounds)),
        ("mode", json!(setup.mode)),
        ("findings", all.iter().map(|finding| finding_json(debate, &rounds, finding)).collect()),
        ("unresolved", json!(unresolved(debate, &all))),
        ("unread", json!(unread(debate))),
        ("next_actions", json!(next_actions(debate, &all, version))),
        ("critiques", rounds.iter().map(|record| round_json(debate, record)).collect()),
        ("final_artifact", json!(super::final_artifact(debate))),
        (
            "rebut",
            json!({
                "format": plan.setup.name(),
                "seats": seats,
                "lines": debate.outcome().map(|outcome| outcome.lines.as_slice()).unwrap_or_default(),
                "notes": plan.notes,
                "accounts": debate.accounts().rows(),
                "events": debate.events(),
                "elapsed_ms": debate.elapsed_ms(debate.last_at()),
                "meaning": debate.meaning(),
            }),
        ),
    ] {
        state[key] = value;
    }
    state
}

fn finding_json(debate: &Debate, rounds: &[RoundRecord<'_>], tracked: &Tracked) -> Value {
    let finding = &tracked.finding;
    let last = rounds.iter().find(|record| record.round == tracked.last_round);
    let place = last.and_then(|record| record.findings.iter().position(|other| other.id == finding.id));
    let evidence: Vec<Value> = place
        .map(|place| evidence_of(debate, tracked.last_round, place).iter().map(|checked| json!(checked)).collect())
        .unwrap_or_default();
    json!({
        "id": finding.id,
        "severity": tracked.severity,
        "claimed_severity": finding.severity,
        "state": tracked.state.as_str(),
        "valid": tracked.state.is_valid(),
        "remains": tracked.state.remains(),
        "text": finding.text,
        "also": finding.also,
        "place": finding.place,
        "action": finding.action,
        "replacement": finding.replacement,
        "reason": tracked.reason,
        "first_round": tracked.first_round,
        "last_round": tracked.last_round,
        "evidence": finding.evidence,
        "checked": evidence,
    })
}

fn round_json(debate: &Debate, record: &RoundRecord<'_>) -> Value {
    let critiques: Vec<Value> = record
        .critiques
        .iter()
        .map(|(part, critique)| {
            json!({
                "part": part, "summary": critique.summary, "agreements": critique.agreements,
                "concerns": critique.concerns, "suggestions": critique.suggestions, "missing": critique.missing,
                "recommendation": recommendation(critique.recommendation), "checked": critique.checked,
                "insufficient_evidence": critique.insufficient_evidence,
            })
        })
        .collect();
    json!({
        "round": record.round,
        "critic": record.critic,
        "critiques": critiques,
        "findings": record.findings.iter().map(|finding| finding.id.as_str()).collect::<Vec<_>>(),
        "new": record.findings.iter().filter(|finding| finding.new).map(|finding| finding.id.as_str()).collect::<Vec<_>>(),
        "evidence": debate.findings(&crate::debate::StepKey::new(format!("round-{}/evidence", record.round))),
        "missing": record.missing,
        "rebuttal": record.rebuttal,
        "revision": record.revision,
    })
}

//! `debate.json` of a review: its state for other programs.

use serde_json::{Value, json};

use super::files::{decision_json, recommendation};
use super::summary::{final_artifact, next_actions, unresolved};
use crate::debate::Debate;
use crate::debate::NewVersion;
use crate::formats::review::{
    RoundRecord, Ruled, Tracked, TrackedMissing, evidence_of, remarks, rounds, setup, tracked, tracked_missing, unread,
};

pub(in crate::formats::review) fn state(debate: &Debate, version: NewVersion) -> Value {
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
        ("findings", all.iter().map(|finding| finding_json(debate, finding)).collect()),
        ("missing", tracked_missing(debate).iter().map(missing_json).collect()),
        ("unresolved", json!(unresolved(debate, &all))),
        ("unread", json!(unread(debate))),
        ("remarks", json!(remarks(debate))),
        ("next_actions", json!(next_actions(debate, &all, version))),
        ("critiques", rounds.iter().map(|record| round_json(debate, record)).collect()),
        ("final_artifact", json!(final_artifact(debate))),
        (
            "rebut",
            json!({
                "format": plan.format,
                "seats": seats,
                "lines": debate.outcome().map(|outcome| outcome.lines.as_slice()).unwrap_or_default(),
                "notes": plan.notes,
                "accounts": debate.accounts().rows(),
                "events": debate.events(),
                "elapsed_ms": debate.elapsed_ms(debate.last_at()),
                "meaning": debate.outcome().map(|_| debate.meaning()),
            }),
        ),
    ] {
        state[key] = value;
    }
    state
}

fn finding_json(debate: &Debate, tracked: &Tracked) -> Value {
    let Tracked { finding, first, last, severity, state, reason, .. } = tracked;
    json!({
        "id": finding.id,
        "severity": severity,
        "claimed_severity": finding.severity,
        "state": state.as_str(),
        "valid": state.is_valid(),
        "remains": state.remains(),
        "title": finding.title,
        "explanation": finding.explanation,
        "place": finding.place().map(ToString::to_string),
        "suggestion": finding.suggestion,
        "reason": reason,
        "first_round": first.round,
        "last_round": last.round,
        "evidence": finding.evidence,
        "checked": evidence_of(debate, last.round, last.index),
    })
}

fn missing_json(tracked: &TrackedMissing) -> Value {
    let TrackedMissing { missing, by_judge, important, .. } = tracked;
    json!({
        "id": missing.id,
        "title": missing.title,
        "explanation": missing.explanation,
        "by": if *by_judge { "judge" } else { "critic" },
        "important": important,
        "state": tracked.state(),
        "remains": tracked.remains(),
    })
}

fn round_json(debate: &Debate, record: &RoundRecord<'_>) -> Value {
    let critiques: Vec<Value> = record
        .critiques
        .iter()
        .map(|(part, critique)| {
            json!({
                "part": part, "summary": critique.summary, "recommendation": recommendation(critique.recommendation),
                "missing": critique.missing, "checked_files": critique.checked_files,
            })
        })
        .collect();
    json!({
        "round": record.round,
        "critic": record.critic,
        "critiques": critiques,
        "findings": record.findings.iter().map(|finding| finding.id.as_str()).collect::<Vec<_>>(),
        "rulings": record.ruled.as_ref().map(|ruled| ruled.iter().map(ruled_json).collect::<Vec<_>>()),
        "evidence": debate.findings(&crate::debate::StepKey::new(format!("round-{}/evidence", record.round))),
        "missing": record.missing.iter().map(|it| it.missing.id.as_str()).collect::<Vec<_>>(),
        "rebuttal": record.rebuttal,
        "revision": record.revision,
    })
}

fn ruled_json(ruled: &Ruled) -> Value {
    json!({
        "id": ruled.finding.id,
        "ruling": ruled.kind,
        "severity": ruled.severity,
        "reason": ruled.reason,
        "by_engine": ruled.by_engine,
        "same_as": ruled.same_as,
    })
}

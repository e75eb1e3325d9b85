//! `debate.json` of a review: its state for other programs.

use serde_json::{Value, json};

use super::files::decision_json;
use super::summary::{final_artifact, next_actions, unresolved};
use crate::debate::{Debate, NewVersion};
use crate::formats::review::{
    History, Point, Recommendation, RoundRecord, TrackedFinding, WeighedMissing, remarks, setup, unread,
};

pub(super) fn state(debate: &Debate, version: NewVersion) -> Value {
    let plan = debate.plan();
    let Some(setup) = setup(plan) else { return Value::Null };
    let history = History::of(debate);
    let mut state = decision_json(debate, &history.rounds);
    for (key, value) in [
        ("id", json!(plan.id)),
        ("topic", json!(plan.topic)),
        ("status", json!(debate.status())),
        ("confidence", json!(setup.confidence)),
        ("max_rounds", json!(setup.max_rounds)),
        ("mode", json!(setup.mode)),
        ("findings", history.findings.iter().map(finding_json).collect()),
        ("missing", history.missing.iter().map(missing_json).collect()),
        ("unresolved", json!(unresolved(debate, &history))),
        ("unread", json!(unread(debate))),
        ("remarks", json!(remarks(debate))),
        ("next_actions", json!(next_actions(debate, &history, version))),
        ("critiques", history.rounds.iter().map(|record| round_json(debate, record)).collect()),
        ("final_artifact", json!(final_artifact(debate))),
    ] {
        state[key] = value;
    }
    state
}

fn finding_json(tracked: &TrackedFinding) -> Value {
    let TrackedFinding { finding, found, first, last, severity, state, reason, .. } = tracked;
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
        "checked": found,
    })
}

fn missing_json(tracked: &WeighedMissing) -> Value {
    let WeighedMissing { missing, by_judge, important, .. } = tracked;
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
                "part": part, "summary": critique.summary, "recommendation": critique.recommendation.map(Recommendation::as_str),
                "missing": critique.missing, "checked_files": critique.checked_files,
            })
        })
        .collect();
    json!({
        "round": record.round,
        "critic": record.critic,
        "critiques": critiques,
        "findings": record.findings.iter().map(|point| point.finding.id.as_str()).collect::<Vec<_>>(),
        "rulings": record.judged.then(|| record.findings.iter().filter_map(ruled_json).collect::<Vec<_>>()),
        "evidence": debate.findings(&crate::debate::StepKey::new(format!("round-{}/evidence", record.round))),
        "missing": record.missing.iter().map(|it| it.missing.id.as_str()).collect::<Vec<_>>(),
        "rebuttal": record.rebuttal,
        "revision": record.revision,
    })
}

fn ruled_json(point: &Point) -> Option<Value> {
    let ruled = point.ruled.as_ref()?;
    Some(json!({
        "id": point.finding.id,
        "ruling": ruled.kind,
        "severity": ruled.severity,
        "reason": ruled.reason,
        "by_engine": ruled.by_engine,
        "same_as": (point.first != point.finding.id).then_some(&point.first),
    }))
}

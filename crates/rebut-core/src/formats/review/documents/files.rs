//! The files that a review keeps beside its journal. All of them can be deleted and rendered again.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::round_text;
use super::summary::{conclusion, final_artifact};
use crate::debate::{Debate, NewVersion, SeatPlan, Status};
use crate::formats::review::{
    Decision, Form, Role, RoundRecord, Severity, current_text, decision, rounds::rounds, rounds::stood_in, setup,
};
use crate::report::quoted::inert;
use crate::report::text::{fenced, pretty, push, visible};

/// Every file with its name and content; `folder` is where they go.
pub(super) fn files(debate: &Debate, folder: &str, version: NewVersion) -> Vec<(String, String)> {
    let Some(setup) = setup(debate.plan()) else { return Vec::new() };
    let rounds = rounds(debate);
    let mut files = Vec::new();
    let mut file = |name: &str, content: String| files.push((name.to_owned(), content));
    let artifact = &setup.artifact;
    match &artifact.form {
        Form::Change | Form::LooseChange { .. } => {
            file("artifact.md", format!("{}\n", fenced("diff", &artifact.text)));
            file("artifact.diff", artifact.text.clone());
            file("artifact.stat", artifact.stat.clone());
        }
        Form::File { path } => file("artifact.md", format!("# {path}\n\n{}\n", fenced("", &artifact.text))),
        Form::Snippet { ending } => {
            file("artifact.md", format!("{}\n", fenced("", &artifact.text)));
            for record in &rounds {
                file(&format!("snippet-r{}.{ending}", record.round), current_text(debate, record.round));
            }
        }
        Form::Text => file("artifact.md", artifact.text.clone()),
    }
    file("metadata.json", pretty(&metadata(debate, &rounds, folder)));
    file("decision.json", pretty(&decision_json(debate, &rounds)));
    for record in &rounds {
        file(&format!("round-{}-input.md", record.round), round_input(debate, &rounds, record));
        file(&format!("round-{}-critique.md", record.round), format!("{}\n", round_text(debate, record)));
    }
    file("summary.md", format!("{}\n", conclusion(debate, version)));
    if decision(debate).is_some() {
        let text = final_artifact(debate);
        // A plain text is the artifact itself and stays unescaped; patches are exported elsewhere and here only read.
        file("final-artifact.md", if artifact.form.is_patched() { visible(&text) } else { text });
    }
    files
}

fn metadata(debate: &Debate, rounds: &[RoundRecord<'_>], folder: &str) -> Value {
    let plan = debate.plan();
    let Some(setup) = setup(plan) else { return Value::Null };
    let mut metadata = closing(debate);
    for (key, value) in [
        ("started_at", json!(debate.began_at().to_string())),
        ("max_rounds", json!(setup.max_rounds)),
        ("budget_minutes", json!(plan.budget.max_ms.map(minutes))),
        ("backend_timeout_seconds", json!(plan.timeout_ms / 1_000)),
        ("workspace_root", json!(plan.workspace)),
        ("session_dir", json!(folder)),
        ("backend", json!(plan.seat(&Role::Critic.seat()).map(SeatPlan::spec))),
        ("fallback_local_backend", json!(stood_in(debate))),
        ("rounds", rounds.iter().map(|record| round_json(debate, record)).collect()),
    ] {
        metadata[key] = value;
    }
    metadata
}

pub(super) fn decision_json(debate: &Debate, rounds: &[RoundRecord<'_>]) -> Value {
    let mut json = closing(debate);
    json["rounds"] = json!(rounds.len());
    json["final_artifact_file"] = json!(decision(debate).map(|_| "final-artifact.md"));
    json["judge_recommendation_history"] = rounds.iter().map(|record| round_json(debate, record)).collect();
    json
}

/// What both files say of the review.
fn closing(debate: &Debate) -> Value {
    let Some(setup) = setup(debate.plan()) else { return Value::Null };
    json!({
        "session_id": debate.plan().id,
        "status": if is_closed(debate) { "closed" } else { "in_progress" },
        "target": setup.target.as_str(),
        "scope": setup.scope,
        "intensity": setup.intensity.as_str(),
        "final_decision": decision(debate).map(Decision::as_str),
        "completed_at": is_closed(debate).then(|| debate.last_at().to_string()),
        "total_duration_seconds": debate.elapsed_ms(debate.last_at()).div_ceil(1_000),
    })
}

/// What both files say of a round.
fn round_json(debate: &Debate, record: &RoundRecord<'_>) -> Value {
    let of = |severity| found(record).filter(|of| *of == severity).count();
    let choice = record.choice.map(|(letter, _)| letter.as_str());
    json!({
        "round": record.round,
        // A letter, or that the procedure stopped the round before one.
        "choice": choice.or_else(|| is_closed(debate).then_some("AUTO_STOP")),
        "judge_recommendation": record.recommendation.as_ref().map(|(letter, _)| letter.as_str()),
        "judge_reason": record.recommendation.as_ref().map(|(_, reason)| reason),
        // What went wrong: with the critic, else with the judge, the rewrite or the rebuttal.
        "backend_error": record.critic_failed.as_ref().or(record.failed.as_ref()).map(ToString::to_string),
        "backend_used": record.critic,
        "backend_unavailable": record.critic_failed.is_some(),
        "target": setup(debate.plan()).map(|setup| setup.target),
        "p1": of(Severity::P1),
        "p2": of(Severity::P2),
        "p3": of(Severity::P3),
        "missing": record.missing.len(),
    })
}

fn is_closed(debate: &Debate) -> bool {
    debate.status() != Status::Running
}

/// The severities that the critics of a round claim; findings that are the same count once, at the highest.
fn found(record: &RoundRecord<'_>) -> impl Iterator<Item = Severity> {
    let mut groups: BTreeMap<&str, Severity> = BTreeMap::new();
    for point in &record.findings {
        let highest = groups.entry(&point.first).or_insert(point.finding.severity);
        *highest = point.finding.severity.min(*highest);
    }
    groups.into_values()
}

/// What the critic of a round was given: the version and the rebuttals.
fn round_input(debate: &Debate, rounds: &[RoundRecord<'_>], record: &RoundRecord<'_>) -> String {
    let Some(setup) = setup(debate.plan()) else { return String::new() };
    let mut text = format!("# Round {}: what was critiqued\n\n", record.round);
    let version = current_text(debate, record.round);
    let language = if setup.artifact.form.is_diff() { "diff" } else { "" };
    push(&mut text, format_args!("{}\n", fenced(language, &version)));
    if setup.artifact.form.is_patched() {
        let made = rounds.iter().filter(|earlier| earlier.round < record.round).filter_map(|earlier| earlier.revision);
        for (patch, number) in made.zip(1..) {
            push(&mut text, format_args!("\n## Revision {number}\n\n{}\n", fenced("diff", patch)));
        }
    }
    for earlier in rounds.iter().filter(|earlier| earlier.round < record.round) {
        if let Some(rebuttal) = earlier.rebuttal {
            let rebuttal = inert(rebuttal);
            push(&mut text, format_args!("\n## Rebuttal after round {}\n\n{rebuttal}\n", earlier.round));
        }
    }
    text
}

/// Minutes with as few decimals as they need.
fn minutes(ms: u64) -> Value {
    if ms.is_multiple_of(60_000) {
        json!(ms / 60_000)
    } else {
        // A ten-thousandth of a minute is precise enough.
        let minutes = std::time::Duration::from_millis(ms).as_secs_f64() / 60.0;
        json!((minutes * 10_000.0).round() / 10_000.0)
    }
}

//! The files that a review keeps beside its journal. All of them can be deleted and rendered again.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::summary::final_artifact;
use super::{critique_text, evidence_text, is_closed, letter_of, rulings_text};
use crate::debate::NewVersion;
use crate::debate::{Debate, Decider};
use crate::formats::review::{
    Decision, Form, Letter, Recommendation, RoundRecord, Severity, current_text, decision, rounds, setup, whole_patch,
};
use crate::report::quoted::inert;
use crate::report::text::{fenced, in_line, pretty, push, visible};

/// Every file with its name and content; `folder` is where they will stand.
pub(in crate::formats::review) fn files(debate: &Debate, folder: &str, version: NewVersion) -> Vec<(String, String)> {
    let Some(setup) = setup(debate.plan()) else { return Vec::new() };
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
            for record in rounds(debate) {
                file(&format!("snippet-r{}.{ending}", record.round), current_text(debate, record.round));
            }
        }
        Form::Text => file("artifact.md", artifact.text.clone()),
    }
    file("metadata.json", pretty(&metadata(debate, folder)));
    file("decision.json", pretty(&decision_json(debate)));
    for record in rounds(debate) {
        file(&format!("round-{}-input.md", record.round), visible(&round_input(debate, &record)));
        file(&format!("round-{}-critique.md", record.round), visible(&round_critique(debate, &record)));
    }
    file("summary.md", visible(&format!("{}\n", super::conclusion(debate, version))));
    if decision(debate).is_some() {
        let text = final_artifact(debate);
        // A text of its own is the artifact itself, to the letter; patches are exported, and here they are read.
        file("final-artifact.md", if artifact.form.is_patched() { visible(&text) } else { text });
    }
    files
}

fn metadata(debate: &Debate, folder: &str) -> Value {
    let plan = debate.plan();
    let Some(setup) = setup(plan) else { return Value::Null };
    let backend = plan.seats.get(&crate::formats::review::Role::Critic.seat()).map(crate::debate::SeatPlan::spec);
    let round = |record: &RoundRecord<'_>| {
        let of = |severity| found(record).filter(|of| *of == severity).count();
        json!({
            "round": record.round,
            "choice": choice(debate, record),
            "judge_recommendation": letter_of(record).map(Letter::as_str),
            "judge_reason": record.recommendation.as_ref().map(|(_, reason)| reason),
            "target": setup.target.as_str(),
            "backend_used": record.critic,
            "backend_unavailable": record.critic_failed.is_some(),
            "backend_error": backend_error(record),
            "p1": of(Severity::P1), "p2": of(Severity::P2), "p3": of(Severity::P3),
            "missing": record.missing.len(),
        })
    };
    json!({
        "session_id": plan.id,
        "started_at": debate.began_at().to_string(),
        "target": setup.target.as_str(),
        "scope": setup.scope,
        "intensity": setup.intensity.as_str(),
        "max_rounds": setup.max_rounds,
        "budget_minutes": plan.budget.max_ms.map(minutes),
        "backend_timeout_seconds": plan.timeout_ms / 1_000,
        "workspace_root": plan.workspace,
        "session_dir": folder,
        "backend": backend,
        "fallback_local_backend": crate::formats::review::stood_in(debate),
        "rounds": rounds(debate).iter().map(round).collect::<Vec<_>>(),
        "status": if is_closed(debate) { "closed" } else { "in_progress" },
        "final_decision": decision(debate).map(Decision::as_str),
        "completed_at": is_closed(debate).then(|| debate.last_at().to_string()),
        "total_duration_seconds": seconds(debate),
    })
}

pub(super) fn decision_json(debate: &Debate) -> Value {
    let Some(setup) = setup(debate.plan()) else { return Value::Null };
    let history: Vec<Value> = rounds(debate)
        .iter()
        .map(|record| {
            json!({
                "round": record.round,
                "choice": choice(debate, record),
                "judge_recommendation": letter_of(record).map(Letter::as_str),
                "judge_reason": record.recommendation.as_ref().map(|(_, reason)| reason),
                "backend_error": backend_error(record),
            })
        })
        .collect();
    json!({
        "session_id": debate.plan().id,
        "status": if is_closed(debate) { "closed" } else { "in_progress" },
        "target": setup.target.as_str(),
        "scope": setup.scope,
        "intensity": setup.intensity.as_str(),
        "rounds": rounds(debate).len(),
        "final_decision": decision(debate).map(Decision::as_str),
        "completed_at": is_closed(debate).then(|| debate.last_at().to_string()),
        "total_duration_seconds": seconds(debate),
        "final_artifact_file": decision(debate).map(|_| "final-artifact.md"),
        "judge_recommendation_history": history,
    })
}

/// The choice of a round: a letter, or that the procedure stopped it before one.
fn choice(debate: &Debate, record: &RoundRecord<'_>) -> Option<&'static str> {
    match record.choice {
        Some((letter, _)) => Some(letter.as_str()),
        None => is_closed(debate).then_some("AUTO_STOP"),
    }
}

/// What went wrong in a round: with the critic, else with the judge, the rewrite or the rebuttal.
fn backend_error(record: &RoundRecord<'_>) -> Option<String> {
    record.critic_failed.as_ref().or(record.failed.as_ref()).map(ToString::to_string)
}

/// The severities that the critics of a round claim; findings that are the same count once, at the highest.
fn found(record: &RoundRecord<'_>) -> impl Iterator<Item = Severity> {
    let ruled = record.ruled.as_deref().unwrap_or_default();
    let mut groups: BTreeMap<&str, Severity> = BTreeMap::new();
    for finding in &record.findings {
        let ruled = ruled.iter().find(|ruled| ruled.finding.id == finding.id);
        let id = ruled.and_then(|ruled| ruled.same_as.as_deref()).unwrap_or(&finding.id);
        let highest = groups.entry(id).or_insert(finding.severity);
        *highest = finding.severity.min(*highest);
    }
    groups.into_values()
}

/// What the critic of a round was given: the version and the rebuttals.
fn round_input(debate: &Debate, record: &RoundRecord<'_>) -> String {
    let Some(setup) = setup(debate.plan()) else { return String::new() };
    let mut text = format!("# Round {}: what was critiqued\n\n", record.round);
    let version = current_text(debate, record.round);
    let language = if setup.artifact.form.is_diff() { "diff" } else { "" };
    push(&mut text, format_args!("{}\n", fenced(language, &version)));
    if setup.artifact.form.is_patched() {
        let made: Vec<&str> = rounds(debate)
            .iter()
            .filter(|earlier| earlier.round < record.round)
            .filter_map(|earlier| earlier.revision)
            .collect();
        for (patch, number) in made.into_iter().zip(1..) {
            push(&mut text, format_args!("\n## Revision {number}\n\n{}\n", fenced("diff", patch)));
        }
    }
    for earlier in rounds(debate).iter().filter(|earlier| earlier.round < record.round) {
        if let Some(rebuttal) = earlier.rebuttal {
            let rebuttal = inert(rebuttal);
            push(&mut text, format_args!("\n## Rebuttal after round {}\n\n{rebuttal}\n", earlier.round));
        }
    }
    text
}

fn round_critique(debate: &Debate, record: &RoundRecord<'_>) -> String {
    let mut text = format!("# Round {}: the critique\n", record.round);
    if let Some(failure) = &record.critic_failed {
        push(&mut text, format_args!("\nThe critic failed: {failure}\n"));
    }
    for (part, critique) in &record.critiques {
        if !part.is_empty() {
            push(&mut text, format_args!("\n## Of {}\n", in_line(part)));
        }
        push(&mut text, format_args!("\n{}\n", critique_text(critique)));
    }
    let evidence = evidence_text(debate, record.round);
    if !evidence.is_empty() {
        push(&mut text, format_args!("\n## Evidence as it was looked up\n\n{evidence}\n"));
    }
    push(&mut text, format_args!("\n## Rulings\n\n{}", rulings_text(record)));
    if let Some((letter, Decider::Person)) = record.choice {
        push(&mut text, format_args!("\nChosen by the user: {letter}\n"));
    }
    text
}

fn seconds(debate: &Debate) -> u64 {
    debate.elapsed_ms(debate.last_at()).div_ceil(1_000)
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

/// The patches of a review in one text, with the reviewed diff before them where it is not in the files.
pub(in crate::formats::review) fn patch(debate: &Debate) -> String {
    let with_its_end = |patch: &str| if patch.ends_with('\n') { patch.to_owned() } else { format!("{patch}\n") };
    whole_patch(debate).into_iter().map(with_its_end).collect()
}

pub(super) fn recommendation(recommendation: Option<Recommendation>) -> Option<&'static str> {
    recommendation.map(Recommendation::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_holds_what_a_terminal_obeys_as_text() {
        let value = json!({ "a": "\u{1b}[31m\u{9b}x\u{7f}" });
        let text = pretty(&value);
        assert!(!text.contains(['\u{1b}', '\u{9b}', '\u{7f}']), "{text}");
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
    }

    #[test]
    fn minutes_have_no_more_decimals_than_they_need() {
        assert_eq!(minutes(1_800).to_string(), "0.03");
        assert_eq!(minutes(1_200_000).to_string(), "20");
    }
}

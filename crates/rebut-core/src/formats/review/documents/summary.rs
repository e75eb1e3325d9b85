//! What a review came to: the decision, the findings, and what to do next.

use crate::debate::{Debate, Decider, NewVersion, Status};
use crate::formats::review::{
    Decision, FindingState, Form, History, RoundRecord, Severity, TrackedFinding, WeighedMissing, current_text, decision,
    planned_rounds, remarks, revisions, rounds::rounds, setup, unread,
};
use crate::report::notes_section;
use crate::report::text::{code, fenced, in_line, list, push};

pub(super) fn conclusion(debate: &Debate, version: NewVersion) -> String {
    let (decision, history) = (decision(debate), History::of(debate));
    let mut text = String::from("## Debate Summary\n\n");
    let target = setup(debate.plan()).map_or("", |setup| setup.target.as_str());
    let converged = if decision.is_some_and(Decision::is_converged) { "yes" } else { "no" };
    push(&mut text, format_args!("Session: {}\nTarget: {target}\n", debate.plan().id));
    push(&mut text, format_args!("Rounds: {} of at most {}\n", history.rounds.len(), planned_rounds(debate)));
    push(&mut text, format_args!("Converged: {converged}\n"));
    let decided = decision.map_or("not finished", Decision::as_str);
    push(&mut text, format_args!("\n### Final Decision\n\n- {decided}\n"));
    for line in debate.ending_lines() {
        push(&mut text, format_args!("- {line}\n"));
    }
    push(&mut text, format_args!("\n### Final Artifact\n\n{}\n", final_artifact_line(debate, &history)));
    let missing = &history.missing;
    text.push_str("\n### Key Findings\n\n");
    for severity in Severity::ALL {
        push(&mut text, format_args!("- {}:", severity.as_str()));
        let of = history.findings.iter().filter(|tracked| tracked.severity == severity).map(finding_line);
        // What is missing and important counts as a P2.
        let important = missing.iter().filter(|missing| severity == Severity::P2 && missing.important == Some(true));
        nested(&mut text, of.chain(important.map(missing_line)));
    }
    let others = missing.iter().filter(|missing| missing.important != Some(true)).map(missing_line);
    text.push_str("- Missing:");
    nested(&mut text, others);
    text.push_str("\n### Judge Recommendation History\n\n");
    list(&mut text, history.rounds.iter().map(history_line));
    text.push_str("\n### Unresolved\n\n");
    list(&mut text, unresolved(debate, &history).into_iter());
    text.push_str("\n### Next Actions\n\n");
    for (action, number) in next_actions(debate, &history, version).into_iter().zip(1..) {
        push(&mut text, format_args!("{number}. [ ] {action}\n"));
    }
    text.push_str(&notes_section(debate, "###"));
    text.trim_end().to_owned()
}

pub(super) fn history_line(record: &RoundRecord<'_>) -> String {
    match (&record.recommendation, &record.choice) {
        (Some((letter, reason)), Some((chosen, Decider::Person))) => {
            format!("Round {}: {letter} ({reason}); chosen: {chosen}", record.round)
        }
        (Some((letter, reason)), _) => format!("Round {}: {letter} ({reason})", record.round),
        (None, _) => format!("Round {}: none", record.round),
    }
}

/// A list below an item; on its line where it is empty.
fn nested(text: &mut String, items: impl Iterator<Item = String>) {
    let before = text.len();
    for item in items {
        push(text, format_args!("\n  - {item}"));
    }
    text.push_str(if text.len() == before { " none\n" } else { "\n" });
}

fn finding_line(TrackedFinding { finding, state, .. }: &TrackedFinding) -> String {
    let place = finding.place().map_or_else(String::new, |place| format!(" {}", code(&place.to_string())));
    format!("{}{place} {} [{}]", finding.id, in_line(&finding.title), state.as_str())
}

fn missing_line(missing: &WeighedMissing) -> String {
    let by = if missing.by_judge { ", by the judge" } else { "" };
    format!("{} missing{by}: {} [{}]", missing.missing.id, in_line(&missing.missing.title), missing.state())
}

pub(super) fn unresolved(debate: &Debate, history: &History<'_>) -> Vec<String> {
    let open = history.findings.iter().filter(|tracked| tracked.state.remains());
    let mut lines: Vec<String> =
        open.map(|tracked| format!("{} {}", tracked.severity.as_str(), finding_line(tracked))).collect();
    lines.extend(history.missing.iter().filter_map(|missing| match missing.important {
        Some(true) if missing.remains() => Some(format!("P2 {}", missing_line(missing))),
        None => Some(missing_line(missing)),
        _ => None,
    }));
    lines.extend(remarks(debate).iter().map(|remark| in_line(remark)));
    lines.extend(unread(debate).into_iter().map(|what| in_line(&format!("not read: {what}"))));
    lines
}

/// What the user can do now, in the order of weight.
pub(super) fn next_actions(debate: &Debate, history: &History<'_>, version: NewVersion) -> Vec<String> {
    let id = debate.plan().id.short();
    let mut actions = Vec::new();
    let patched = setup(debate.plan()).is_some_and(|setup| setup.artifact.form.is_patched());
    let decision = decision(debate);
    let rewritten = history.rounds.iter().any(|record| record.revision.is_some());
    if version == NewVersion::TakenOver {
        actions.push("Review the changes in the working tree and commit them; nothing is staged".to_owned());
    } else if decision == Some(Decision::KeepOriginal) {
        if patched && !revisions(debate).is_empty() {
            actions.push(format!("The original is kept; earlier revisions are saved: rebut export {id} --as patch"));
        }
    } else if rewritten && decision.is_some_and(|decision| !decision.takes_revisions()) {
        let at = if patched { format!("rebut export {id} --as patch") } else { "final-artifact.md".to_owned() };
        actions.push(format!("Review the undecided version: {at}"));
    } else if decision.is_some() && patched && !revisions(debate).is_empty() {
        let what = match setup(debate.plan()).and_then(|setup| setup.artifact.form.base()) {
            Some(_) => "the new version (the diff and its revisions) and apply it",
            None => "the new version and apply it",
        };
        actions.push(format!("Review {what}: rebut export {id} --as patch | git apply"));
    } else if decision.is_some() && rewritten {
        actions.push("Review the new version in final-artifact.md and use it".to_owned());
    }
    for TrackedFinding { finding, severity, state, .. } in &history.findings {
        let place = finding.place().map_or_else(String::new, |place| format!(" at {}", in_line(&place.to_string())));
        let (id, title) = (&finding.id, in_line(&finding.title));
        let suggestion = finding.suggestion.lines().next().filter(|line| !line.trim().is_empty());
        match state {
            FindingState::Open => {
                let what = suggestion.map_or(title, in_line);
                actions.push(format!("{} {id}{place}: {what}", severity.as_str()));
            }
            FindingState::NeedsEvidence => actions.push(format!("Verify {id}{place}: {title}")),
            FindingState::Unjudged => actions.push(format!("Judge {id}{place}: {title}")),
            _ => {}
        }
    }
    for missing in &history.missing {
        let (id, title) = (&missing.missing.id, in_line(&missing.missing.title));
        match missing.important {
            Some(true) if missing.remains() => actions.push(format!("P2 {id} missing: {title}")),
            None => actions.push(format!("Judge {id} missing: {title}")),
            _ => {}
        }
    }
    for what in unread(debate) {
        actions.push(format!("Read what was not reviewed: {}", in_line(&what)));
    }
    match decision {
        Some(Decision::StoppedBackend) => {
            actions.push(format!("Run `rebut doctor --probe`, then: rebut resume {id}"));
        }
        Some(Decision::StoppedBudget) => {
            actions.push(format!("Continue with a larger budget: rebut resume {id} --max-minutes N"));
        }
        Some(Decision::Stopped) if history.rounds.last().is_some_and(|last| last.failed.is_some() || !last.judged) => {
            actions.push(format!("Retry: rebut resume {id}"));
        }
        Some(Decision::StoppedByUser) if debate.status() == Status::Cancelled => {
            actions.push(format!("Resume with: rebut resume {id}"));
        }
        _ => {}
    }
    if actions.is_empty() {
        let is_settled = remarks(debate).is_empty();
        actions.push(if is_settled { "Nothing to do" } else { "Look at what is unresolved" }.to_owned());
    }
    actions
}

fn final_artifact_line(debate: &Debate, history: &History<'_>) -> String {
    let revised = history.rounds.iter().filter(|record| record.revision.is_some()).count();
    match (decision(debate), revised) {
        (None, _) => "not available yet".to_owned(),
        (Some(Decision::KeepOriginal), _) | (Some(_), 0) => "The original, unchanged: final-artifact.md".to_owned(),
        (Some(decision), n) => {
            let revisions = if n == 1 { "one revision".to_owned() } else { format!("{n} revisions") };
            let open = if decision.takes_revisions() { "" } else { ", not decided on" };
            format!("The original with {revisions}{open}: final-artifact.md")
        }
    }
}

pub(super) fn final_artifact(debate: &Debate) -> String {
    let Some(setup) = setup(debate.plan()) else { return String::new() };
    let kept = decision(debate) == Some(Decision::KeepOriginal);
    let last = rounds(debate).last().filter(|_| !kept).map_or(1, |record| record.round + 1);
    if !setup.artifact.form.is_patched() {
        return current_text(debate, last);
    }
    let mut text = match &setup.artifact.form {
        Form::File { path } => format!("# {path}\n\n{}\n", fenced("", &setup.artifact.text)),
        _ => format!("# The change\n\n{}\n", fenced("diff", &setup.artifact.text)),
    };
    for (patch, number) in revisions(debate).into_iter().filter(|_| !kept).zip(1..) {
        push(&mut text, format_args!("\n# Revision {number}\n\n{}\n", fenced("diff", patch)));
    }
    text
}

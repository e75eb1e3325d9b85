//! A review in a few lines.

use super::summary::{next_actions, unresolved};
use crate::debate::{Brief, Debate, NewVersion};
use crate::formats::review::{Decision, FindingState, History, Severity, decision};

const MOST: usize = 6;

pub(super) fn brief(debate: &Debate, version: NewVersion) -> Brief {
    let history = History::of(debate);
    let count = |of: &dyn Fn(Severity, FindingState) -> bool| {
        history.findings.iter().filter(|tracked| of(tracked.severity, tracked.state)).count()
    };
    let confirmed: Vec<String> = Severity::ALL
        .into_iter()
        .map(|severity| (severity, count(&|of, state| of == severity && state.is_valid())))
        .filter(|(_, count)| *count > 0)
        .map(|(severity, count)| format!("{count} {}", severity.as_str()))
        .collect();
    let rejected = count(&|_, state| matches!(state, FindingState::Invalid | FindingState::FalseEvidence));
    let unproven = count(&|_, state| state == FindingState::NeedsEvidence);
    let mut parts = Vec::new();
    parts.push(if confirmed.is_empty() {
        "no finding confirmed".to_owned()
    } else {
        format!("{} confirmed", joined(&confirmed))
    });
    parts.extend((unproven > 0).then(|| format!("{unproven} unproven")));
    parts.extend((rejected > 0).then(|| format!("{rejected} rejected")));
    let verb = match decision(debate) {
        Some(Decision::KeepOriginal) => "Keep",
        Some(decision) if decision.is_converged() => "Converged",
        _ if confirmed.is_empty() => "Clean",
        _ => "Fix",
    };
    let result = decision(debate).map(|_| format!("{verb}: {}", parts.join(", ")));
    let actions = next_actions(debate, &history, version);
    Brief::of(debate, result).row("Do", cut(actions)).row("Open", cut(unresolved(debate, &history)))
}

/// `1 P1, 1 P2 and 1 P3`.
fn joined(parts: &[String]) -> String {
    match parts {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        parts => parts.join(", "),
    }
}

fn cut(mut lines: Vec<String>) -> Vec<String> {
    let more = lines.len().saturating_sub(MOST);
    lines.truncate(MOST);
    lines.extend((more > 0).then(|| format!("and {more} more")));
    lines
}

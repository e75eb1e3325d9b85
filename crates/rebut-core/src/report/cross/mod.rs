//! An ask or a cross as Markdown.

mod state;

use std::fmt::Write;

use super::accounts::{accounts_table, duration};
use super::claims::{evidence_list, in_cell};
use super::contained;
use crate::debate::{Debate, Plan, Status, StepKey};
use crate::formats::cross::{
    Basis, Given, Kind, Partner, Switch, Synthesis, again_key, answer_key, answers, findings, given, last_round, latest,
    ledger, moderator, moves, name, partners, present, seat_notes, setup, switch, synthesis, tally, with_names,
};

pub(super) use state::state;

/// The whole debate: every answer, then what it came to.
pub(super) fn document(debate: &Debate) -> String {
    let mut text = format!("# {}\n", debate.plan().topic.trim());
    let is_ask = is_ask(debate);
    for given in answers(debate).filter(|_| !is_ask) {
        push(&mut text, format_args!("\n{}\n", told(debate, &given)));
        let findings = findings(debate, given.round, given.partner);
        if !findings.is_empty() {
            push(&mut text, format_args!("\nEvidence:\n\n{}\n", evidence_list(findings)));
        }
    }
    for (heading, body) in panels(debate).into_iter().filter(|_| is_ask) {
        push(&mut text, format_args!("\n## {heading}\n\n{body}\n"));
    }
    push(&mut text, format_args!("\n{}\n", conclusion(debate)));
    push(&mut text, format_args!("\n## Time, tokens and cost\n\n{}\n", accounts_table(debate.accounts())));
    text
}

/// An answer under its heading. Those of an ask are shown together, once all are in.
pub(super) fn passage(debate: &Debate, key: &StepKey) -> Option<String> {
    if is_ask(debate) {
        return None;
    }
    let of_key =
        |given: &Given<'_>| [answer_key(given.round, given.partner), again_key(given.round, given.partner)].contains(key);
    answers(debate).find(of_key).map(|given| told(debate, &given))
}

/// The answers of an ask, to be read side by side.
pub(super) fn panels(debate: &Debate) -> Vec<(String, String)> {
    let panel = |partner: Partner| {
        let text = match given(debate, 0, partner) {
            Some(given) => {
                let standing = standing(&given).map_or_else(String::new, |standing| format!("\n\n{standing}"));
                format!("{}{standing}", trimmed(given.stance.answer()))
            }
            None => "Absent: no answer.".to_owned(),
        };
        (titled(debate.plan(), partner), text)
    };
    partners(debate.plan()).map(panel).collect()
}

/// What the debate came to.
pub(super) fn conclusion(debate: &Debate) -> String {
    let mut text = String::new();
    let summed_up = synthesis(debate);
    if is_ask(debate) {
        text.push_str("# Where they agree, where they differ\n\n");
        match summed_up {
            Some(found) => points(&mut text, debate, found),
            None => text.push_str("Nothing was compared.\n"),
        }
        if let Some(tally) = tally(debate, 0).filter(|_| summed_up.is_none()) {
            push(&mut text, format_args!("\nPositions: {}.\n", tally.line()));
        }
    } else {
        text.push_str("# Debate summary\n");
        finals(&mut text, debate);
        moved(&mut text, debate, summed_up);
        vote(&mut text, debate);
        if let Some(found) = summed_up {
            combined(&mut text, debate, found);
        }
    }
    outcome(&mut text, debate, summed_up);
    seats(&mut text, debate);
    notes_section(&mut text, debate);
    text.trim_end().to_owned()
}

/// What the person should know of how the debate came about.
fn notes(debate: &Debate) -> Vec<String> {
    seat_notes(debate.plan()).into_iter().chain(debate.plan().notes.iter().cloned()).collect()
}

/// What was really enforced.
fn rigor(debate: &Debate) -> String {
    let hidden = match setup(debate.plan()) {
        Some(setup) if setup.named => "names shown",
        _ => "names hidden",
    };
    let counted = if is_ask(debate) { "positions counted" } else { "crossing enforced, positions and movement counted" };
    let evidence = match debate.plan().evidence {
        Some(_) => ledger(debate).tally.to_string(),
        None => "citations were not checked".to_owned(),
    };
    format!("blind round 0, {hidden}, {counted} by the engine; {evidence}")
}

fn is_ask(debate: &Debate) -> bool {
    setup(debate.plan()).is_some_and(|setup| setup.kind == Kind::Ask)
}

fn told(debate: &Debate, given: &Given<'_>) -> String {
    let plan = debate.plan();
    let copied = setup(plan).and_then(|setup| setup.opening.as_ref()).filter(|_| given.round == 0);
    let from = copied.map_or_else(String::new, |opening| format!(", from {}", opening.debate));
    let body = contained(&with_names(plan, &given.stance.statement.body));
    let mut text = format!("## Round {} — {}{from}\n\n{body}", given.round, titled(plan, given.partner));
    if let Some(standing) = standing(given) {
        push(&mut text, format_args!("\n\n{standing}"));
    }
    text
}

/// A partner's name behind the colour of its vendor.
fn titled(plan: &Plan, partner: Partner) -> String {
    format!("{} {}", colour(plan, partner), name(plan, partner))
}

/// The colour of a vendor; those who have none are told apart by their place.
fn colour(plan: &Plan, partner: Partner) -> &'static str {
    const OTHERS: [&str; 5] = ["🟣", "🟡", "🟤", "🔴", "⚫"];
    let family = |partner: Partner| plan.seat(&partner.seat()).map(|seat| seat.family.as_str());
    let known = |family: Option<&str>| match family {
        Some("anthropic") => Some("🟠"),
        Some("openai") => Some("🔵"),
        Some("google") => Some("🟢"),
        Some("local") => Some("⚪"),
        _ => None,
    };
    let place = partners(plan).filter(|other| known(family(*other)).is_none()).position(|other| other == partner);
    known(family(partner)).or_else(|| OTHERS.get(place? % OTHERS.len()).copied()).unwrap_or("⚪")
}

/// Position and confidence in a line, where they are stated.
fn standing(given: &Given<'_>) -> Option<String> {
    let position = given.stance.position.as_ref()?;
    let confidence = given.stance.confidence.map_or_else(String::new, |percent| format!(", confidence {percent} %"));
    Some(format!("*Position: {}{confidence}*", in_cell(position)))
}

/// An answer with runs of empty lines made one, and nothing else taken away.
fn trimmed(answer: &str) -> String {
    let mut lines: Vec<&str> = Vec::new();
    for line in answer.lines().map(str::trim_end) {
        if !(line.is_empty() && lines.last().is_none_or(|last| last.is_empty())) {
            lines.push(line);
        }
    }
    contained(&lines.join("\n"))
}

/// The last answer of every partner.
fn finals(text: &mut String, debate: &Debate) {
    let Some(last) = last_round(debate) else { return };
    for partner in partners(debate.plan()) {
        let heading = titled(debate.plan(), partner);
        let Some(end) = latest(debate, last, partner) else {
            push(text, format_args!("\n## {heading} — no answer\n\nAbsent from every round.\n"));
            continue;
        };
        let when = if end.round == last { String::new() } else { format!(" (of round {}; absent later)", end.round) };
        let answer = with_names(debate.plan(), &trimmed(end.stance.answer()));
        push(text, format_args!("\n## {heading} — final{when}\n\n{answer}\n"));
        if let Some(standing) = standing(&end) {
            push(text, format_args!("\n{standing}\n"));
        }
    }
}

/// How the debate moved them: the moderator's points, and what was counted.
fn moved(text: &mut String, debate: &Debate, found: Option<&Synthesis>) {
    text.push_str("\n## How the debate moved them\n\n");
    if let Some(found) = found {
        points(text, debate, found);
        text.push('\n');
    }
    text.push_str("Counted, not asked for:\n\n");
    for partner in partners(debate.plan()) {
        push(text, format_args!("- {}: {}\n", name(debate.plan(), partner), movement(debate, partner)));
    }
}

/// What became of a partner's position, in a line.
fn movement(debate: &Debate, partner: Partner) -> String {
    let steps = moves(debate, partner);
    if steps.is_empty() {
        return match given(debate, 0, partner) {
            Some(_) => "answered once, and was not challenged".to_owned(),
            None => "gave at most one answer".to_owned(),
        };
    }
    let told = steps.iter().map(|step| {
        let side = |position: &Option<String>| {
            position.as_ref().map_or_else(|| "no stated position".to_owned(), |text| in_cell(text))
        };
        let basis = match step.basis {
            Basis::Position => String::new(),
            Basis::Similarity(percent) => format!(" (it stated no position: its last two answers are {percent} % alike)"),
        };
        match (step.moved, &step.from, &step.to) {
            (true, Some(_), Some(_)) => {
                format!("round {}: moved from {} to {}{basis}", step.round, side(&step.from), side(&step.to))
            }
            (true, ..) => format!("round {}: moved{basis}", step.round),
            (false, ..) => format!("round {}: did not move{basis}", step.round),
        }
    });
    told.collect::<Vec<_>>().join("; ")
}

/// What they would have answered without the debate, beside what they answer now, and what made them change.
fn vote(text: &mut String, debate: &Debate) {
    let Some(last) =
        last_round(debate).filter(|_| partners(debate.plan()).any(|partner| given(debate, 0, partner).is_some()))
    else {
        return;
    };
    text.push_str(
        "\n## The vote before the debate\n\n| partner | round 0 | in the end | changed because |\n|---|---|---|---|\n",
    );
    for partner in partners(debate.plan()) {
        let position = |given: Option<Given<'_>>| match given {
            Some(given) => {
                let confidence = given.stance.confidence.map_or_else(String::new, |percent| format!(" ({percent} %)"));
                let position = given.stance.position.as_deref().map_or_else(|| "not stated".to_owned(), in_cell);
                format!("{position}{confidence}")
            }
            None => "absent".to_owned(),
        };
        let (first, end) = (given(debate, 0, partner), latest(debate, last, partner));
        let why = switch(debate, partner).map_or_else(String::new, |switch| because(debate, &switch));
        let cells = [name(debate.plan(), partner), position(first), position(end), why];
        push(text, format_args!("| {} |\n", cells.join(" | ")));
    }
    if let (Some(first), Some(end)) = (tally(debate, 0), tally(debate, last)) {
        push(text, format_args!("\nRound 0: {}. In the end: {}.\n", first.line(), end.line()));
    }
}

/// What a partner names for a change, with what it is worth.
fn because(debate: &Debate, switch: &Switch) -> String {
    if !switch.is_supported() {
        let words = switch.words.as_deref().map_or_else(String::new, |words| format!(" (\"{}\")", in_cell(words)));
        return format!("**unsupported switch** in round {}: it cites nothing{words}", switch.round);
    }
    let reasons = switch.reasons.iter().map(|reason| {
        let claim = in_cell(&reason.text);
        format!("{} of {} ({}): {claim}", reason.id, reason.speaker, reason.support.as_str())
    });
    let parts: Vec<String> = reasons.chain(switch.evidence.iter().map(|line| in_cell(line))).collect();
    with_names(debate.plan(), &format!("round {}: {}", switch.round, parts.join("; ")))
}

fn combined(text: &mut String, debate: &Debate, found: &Synthesis) {
    push(text, format_args!("\n## Synthesis\n\n{}\n", contained(&with_names(debate.plan(), &found.text))));
    if let Some(position) = &found.position {
        push(text, format_args!("\nThe synthesis takes: {position}\n"));
    }
    text.push_str("\nRemaining disagreement:\n\n");
    for line in &found.disagreements {
        push(text, format_args!("- {}\n", in_cell(&with_names(debate.plan(), line))));
    }
    if found.disagreements.is_empty() {
        text.push_str("- none is named\n");
    }
}

fn points(text: &mut String, debate: &Debate, found: &Synthesis) {
    for point in &found.points {
        let who: Vec<String> = point.partners.iter().map(|seat| with_names(debate.plan(), seat)).collect();
        let line = in_cell(&with_names(debate.plan(), &point.text));
        push(text, format_args!("- **{}** ({}): {line}\n", point.kind.as_str(), who.join(", ")));
    }
}

/// How it ended, and how far they agree.
fn outcome(text: &mut String, debate: &Debate, found: Option<&Synthesis>) {
    if let Some(found) = found {
        let counted = present(debate).tally.map_or_else(String::new, |tally| format!(" ({})", tally.line()));
        push(text, format_args!("\nAgreement: {}{counted}\n", found.agreement.as_str()));
        if let Some(why) = &found.overruled {
            push(text, format_args!("\n**Overruled**: {why}. What was counted stands.\n"));
        }
    }
    for line in debate.outcome().map(|outcome| outcome.lines.as_slice()).unwrap_or_default() {
        push(text, format_args!("\n{line}\n"));
    }
    match debate.status() {
        Status::Running => text.push_str("\nThe debate is not finished.\n"),
        Status::Cancelled => {
            push(text, format_args!("\nThe debate was stopped. Go on with: rebut resume {}\n", debate.plan().id));
        }
        _ => {}
    }
}

/// Who really answered, how much and how fast.
fn seats(text: &mut String, debate: &Debate) {
    text.push_str(
        "\n## Seats\n\n| seat | round | provider | model | bytes | time | attempts |\n|---|---|---|---|---|---|---|\n",
    );
    for given in answers(debate) {
        let provider = debate.plan().seat(&given.partner.seat()).map_or("", |seat| seat.tool.as_str());
        let model = given.model.unwrap_or("not reported");
        let (bytes, time) = (given.stance.bytes, duration(given.duration_ms));
        let row = format_args!(
            "| {} | {} | {provider} | {model} | {bytes} | {time} | {} |\n",
            given.partner, given.round, given.attempts
        );
        push(text, row);
    }
    let spoke = debate.calls().filter(|(_, call)| call.seat == moderator());
    for (key, call) in spoke {
        let Some(answered) = debate.answered(key) else { continue };
        let provider = debate.plan().seat(&moderator()).map_or("", |seat| seat.tool.as_str());
        let model = answered.model.as_deref().unwrap_or("not reported");
        let time = duration(answered.duration_ms);
        let row =
            format_args!("| moderator | {key} | {provider} | {model} | {} | {time} | {} |\n", answered.bytes, call.attempts);
        push(text, row);
    }
    push(text, format_args!("\nRigor: {}\n", rigor(debate)));
    let from_project: Vec<&str> =
        debate.plan().prompts.iter().filter(|(_, prompt)| prompt.from_project).map(|(name, _)| name.as_str()).collect();
    if !from_project.is_empty() {
        push(text, format_args!("Prompts of the project's own: {}\n", from_project.join(", ")));
    }
}

fn notes_section(text: &mut String, debate: &Debate) {
    let notes = notes(debate);
    if !notes.is_empty() {
        text.push_str("\n## Notes\n\n");
        for note in notes {
            push(text, format_args!("- {note}\n"));
        }
    }
}

fn push(text: &mut String, line: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = text.write_fmt(line);
}

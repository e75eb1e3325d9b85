//! An ask or a cross as Markdown.

mod seats;
mod state;

use super::accounts::accounts_table;
use super::claims::evidence_list;
use super::quoted::contained;
use super::text::{in_cell, in_line, push};
use crate::claims::Ledger;
use crate::claims::check::Checked;
use crate::claims::marks::own_words;
use crate::debate::{Debate, Plan, Status, StepKey};
use crate::formats::cross::{
    Basis, Given, Kind, Partner, Switch, Synthesis, Told, again_key, answer_key, answers, evidence_key, findings, given,
    is_awaited, last_round, latest, ledger, moves, name, partners, present, seat_notes, setup, switches, synthesis, tally,
    told as told_to_a_person, told_by_moderator,
};

pub(super) use state::state;

/// The whole debate: every answer, then what it came to.
pub(super) fn document(debate: &Debate) -> String {
    let mut text = format!("# {}\n", debate.plan().topic.trim());
    let is_ask = is_ask(debate);
    for given in answers(debate).filter(|_| !is_ask) {
        push(&mut text, format_args!("\n{}\n{}", told(debate, &given), evidence_of(debate, &given)));
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

/// What was found of the evidence of an answer, under whose it is. That of an ask is shown with its answer.
pub(super) fn evidence(debate: &Debate, key: &StepKey, findings: &[Checked]) -> Option<String> {
    let given =
        answers(debate).filter(|_| !is_ask(debate)).find(|given| evidence_key(given.round, given.partner) == *key)?;
    let name = name(debate.plan(), given.partner);
    Some(format!("Evidence of {name}, round {}:\n\n{}", given.round, evidence_list(findings)))
}

fn evidence_of(debate: &Debate, given: &Given<'_>) -> String {
    match findings(debate, given.round, given.partner) {
        [] => String::new(),
        findings => format!("\nEvidence:\n\n{}\n", evidence_list(findings)),
    }
}

/// The answers of an ask, to be read side by side, each with what was found of its evidence.
pub(super) fn panels(debate: &Debate) -> Vec<(String, String)> {
    let panel = |partner: Partner| {
        let text = match given(debate, 0, partner) {
            Some(given) => {
                let standing = standing(debate, &given).map_or_else(String::new, |standing| format!("\n\n{standing}"));
                let evidence = match evidence_of(debate, &given) {
                    evidence if evidence.is_empty() => evidence,
                    evidence => format!("\n{}", evidence.trim_end()),
                };
                format!("{}{standing}{evidence}", trimmed(given.stance.answer()))
            }
            None if is_awaited(debate, 0, partner) => "Not in yet.".to_owned(),
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
    text.push_str(&seats::table(debate));
    push(&mut text, format_args!("\nRigor: {}\n", rigor(debate, &ledger(debate))));
    own_prompts(&mut text, debate);
    notes_section(&mut text, debate);
    text.trim_end().to_owned()
}

/// What the person should know of how the debate came about.
fn notes(debate: &Debate) -> Vec<String> {
    seat_notes(debate.plan()).into_iter().chain(debate.plan().notes.iter().cloned()).collect()
}

/// What was really enforced.
fn rigor(debate: &Debate, ledger: &Ledger) -> String {
    let hidden = match setup(debate.plan()) {
        Some(setup) if setup.named => "names shown",
        _ => "names hidden",
    };
    let counted = if is_ask(debate) { "positions counted" } else { "crossing enforced, positions and movement counted" };
    let evidence = match debate.plan().evidence {
        Some(_) => ledger.tally.to_string(),
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
    let body = with_letters(told_to_a_person(debate, given, &given.stance.statement.body), contained);
    let mut text = format!("## Round {} — {}{from}\n\n{body}", given.round, titled(plan, given.partner));
    if let Some(standing) = standing(debate, given) {
        push(&mut text, format_args!("\n\n{standing}"));
    }
    text
}

/// A text that was told, and whose letters are left in it.
fn with_letters(told: Told, shown: impl Fn(&str) -> String) -> String {
    let Told { text, letters } = told;
    let letters =
        letters.map_or_else(String::new, |letters| format!("\n\n*(Letters alone, as this speaker knows them: {letters}.)*"));
    format!("{}{letters}", shown(&text))
}

/// A partner's name behind the colour of its vendor.
fn titled(plan: &Plan, partner: Partner) -> String {
    format!("{} {}", colour(plan, partner), name(plan, partner))
}

/// The colour of a vendor: partners of one vendor are alike, and up to eight vendors can be told apart.
fn colour(plan: &Plan, partner: Partner) -> &'static str {
    const ALL: [&str; 9] = ["🟣", "🟡", "🟤", "🔴", "⚫", "⚪", "🟢", "🔵", "🟠"];
    let known = |family: &str| match family {
        "anthropic" => Some("🟠"),
        "openai" => Some("🔵"),
        "google" => Some("🟢"),
        "local" => Some("⚪"),
        _ => None,
    };
    let mut families: Vec<&str> = Vec::new();
    for seat in partners(plan).filter_map(|partner| plan.seat(&partner.seat())) {
        if !families.contains(&seat.family.as_str()) {
            families.push(&seat.family);
        }
    }
    let own = plan.seat(&partner.seat()).map_or("", |seat| seat.family.as_str());
    let free = ALL.iter().filter(|colour| !families.iter().any(|family| known(family) == Some(**colour)));
    let place = families.iter().filter(|family| known(family).is_none()).position(|family| *family == own);
    known(own).or_else(|| free.copied().nth(place?)).unwrap_or("⚪")
}

/// Position and confidence in a line, where they are stated.
fn standing(debate: &Debate, given: &Given<'_>) -> Option<String> {
    let position = stated(debate, given)?;
    let confidence = given.stance.confidence.map_or_else(String::new, |percent| format!(", confidence {percent} %"));
    Some(format!("*Position: {position}{confidence}*"))
}

/// The position of an answer in one line, as a person reads it.
fn stated(debate: &Debate, given: &Given<'_>) -> Option<String> {
    let position = given.stance.position.as_ref()?;
    Some(in_cell(&told_to_a_person(debate, given, position).text))
}

/// An answer with runs of empty lines made one, and nothing else taken away.
fn trimmed(answer: &str) -> String {
    let mut lines: Vec<&str> = Vec::new();
    for line in answer.lines().map(str::trim_end) {
        if !(line.is_empty() && lines.last().is_none_or(|last| last.is_empty())) {
            lines.push(line);
        }
    }
    contained(&own_words(&lines.join("\n")))
}

/// The last answer of every partner.
fn finals(text: &mut String, debate: &Debate) {
    let Some(last) = last_round(debate) else { return };
    for partner in partners(debate.plan()) {
        let heading = titled(debate.plan(), partner);
        let awaited = is_awaited(debate, last, partner);
        let Some(end) = latest(debate, last, partner) else {
            let why = if awaited { "It has not answered yet." } else { "Absent from every round." };
            push(text, format_args!("\n## {heading} — no answer\n\n{why}\n"));
            continue;
        };
        let when = match end.round {
            round if round == last => "final".to_owned(),
            round if awaited => format!("round {round} (round {last} is not in yet)"),
            round => format!("final (of round {round}; absent later)"),
        };
        let answer = with_letters(told_to_a_person(debate, &end, end.stance.answer()), trimmed);
        push(text, format_args!("\n## {heading} — {when}\n\n{answer}\n"));
        if let Some(standing) = standing(debate, &end) {
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
        let side = |given: Option<Given<'_>>| {
            given.and_then(|given| stated(debate, &given)).unwrap_or_else(|| "no stated position".to_owned())
        };
        let basis = match step.basis {
            Basis::Position => String::new(),
            Basis::Similarity(percent) => format!(" (it stated no position: its last two answers are {percent} % alike)"),
        };
        match (step.moved, &step.from, &step.to) {
            (true, Some(_), Some(_)) => {
                let from = side(step.round.checked_sub(1).and_then(|before| latest(debate, before, partner)));
                let to = side(given(debate, step.round, partner));
                format!("round {}: moved from {from} to {to}{basis}", step.round)
            }
            (true, ..) => format!("round {}: moved{basis}", step.round),
            (false, ..) => format!("round {}: did not move{basis}", step.round),
        }
    });
    told.collect::<Vec<_>>().join("; ")
}

/// What they would have answered without the debate, beside what they answer now, and what made them change.
fn vote(text: &mut String, debate: &Debate) {
    let all: Vec<Partner> = partners(debate.plan()).collect();
    if !all.iter().any(|partner| given(debate, 0, *partner).is_some()) {
        return;
    }
    text.push_str(
        "\n## The vote before the debate\n\n| partner | round 0 | in the end | changed because |\n|---|---|---|---|\n",
    );
    let end = present(debate);
    for partner in &all {
        let position = |given: &Given<'_>| {
            let confidence = given.stance.confidence.map_or_else(String::new, |percent| format!(" ({percent} %)"));
            format!("{}{confidence}", stated(debate, given).unwrap_or_else(|| "not stated".to_owned()))
        };
        let cell = |round: u32| match (given(debate, round, *partner), latest(debate, round, *partner)) {
            (Some(given), _) => position(&given),
            (None, _) if is_awaited(debate, round, *partner) => "not in yet".to_owned(),
            (None, Some(before)) => format!("absent; in round {}: {}", before.round, position(&before)),
            (None, None) => "absent".to_owned(),
        };
        let why: Vec<String> = switches(debate, *partner).iter().map(|switch| because(debate, switch)).collect();
        let cells = [in_cell(&name(debate.plan(), *partner)), cell(0), cell(end.round), why.join("; ")];
        push(text, format_args!("| {} |\n", cells.join(" | ")));
    }
    if let (Some(first), Some(end)) = (tally(debate, 0), end.line()) {
        let when = if debate.outcome().is_some() { "In the end" } else { "So far" };
        push(text, format_args!("\nRound 0: {}. {when}: {end}.\n", first.line()));
    }
}

/// What a partner names for a change, with what it is worth.
fn because(debate: &Debate, switch: &Switch) -> String {
    let reasons = switch.reasons.iter().map(|reason| {
        let speaker = Partner::of_seat(&reason.speaker).map(|speaker| name(debate.plan(), speaker));
        let speaker = speaker.unwrap_or_else(|| reason.speaker.clone());
        format!("{} of {} ({}): {}", reason.id, in_cell(&speaker), reason.support.as_str(), in_cell(&reason.text))
    });
    let parts: Vec<String> = reasons.chain(switch.evidence.iter().map(|cited| in_cell(&cited.line))).collect();
    let cited = parts.join("; ");
    let round = switch.round;
    if switch.is_supported() {
        return format!("round {round}: {cited}");
    }
    let words = switch.words.as_deref().map_or_else(String::new, |words| format!(" (\"{}\")", in_cell(words)));
    if switch.cites_nothing() {
        return format!(
            "**unsupported switch** in round {round}: it cites nothing that was said or can be looked up{words}"
        );
    }
    format!("**unsupported switch** in round {round}: what it cites is false: {cited}")
}

fn combined(text: &mut String, debate: &Debate, found: &Synthesis) {
    let told = with_letters(told_by_moderator(debate, &found.text), contained);
    push(text, format_args!("\n## Synthesis\n\n{told}\n"));
    if let Some(position) = &found.position {
        push(text, format_args!("\nThe synthesis takes: {}\n", in_line(position)));
    }
    text.push_str("\nRemaining disagreement:\n\n");
    for line in &found.disagreements {
        push(text, format_args!("- {}\n", moderators_line(debate, line)));
    }
    if found.disagreements.is_empty() {
        text.push_str("- none is named\n");
    }
}

fn points(text: &mut String, debate: &Debate, found: &Synthesis) {
    for point in &found.points {
        let who = point.partners.iter().filter_map(|seat| Partner::of_seat(seat));
        let who: Vec<String> = who.map(|partner| in_cell(&name(debate.plan(), partner))).collect();
        let line = moderators_line(debate, &point.text);
        push(text, format_args!("- **{}** ({}): {line}\n", point.kind.as_str(), who.join(", ")));
    }
}

/// What the moderator says in a line, with whose letters are left in it.
fn moderators_line(debate: &Debate, line: &str) -> String {
    let Told { text, letters } = told_by_moderator(debate, line);
    let letters = letters.map_or_else(String::new, |letters| format!(" (letters alone: {letters})"));
    format!("{}{letters}", in_cell(&text))
}

/// How it ended, and how far they agree.
fn outcome(text: &mut String, debate: &Debate, found: Option<&Synthesis>) {
    if let Some(found) = found {
        let counted = present(debate).line();
        let counted = counted.map_or_else(String::new, |counted| format!(" ({counted})"));
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

fn own_prompts(text: &mut String, debate: &Debate) {
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

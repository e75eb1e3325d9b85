//! An ask or a cross as Markdown.

mod adr;
mod brief;
mod page;
mod seats;
mod state;

use serde_json::{Value, json};

use crate::debate::page::Section;
use crate::debate::{Brief, Debate, Documents, Event, Happening, NewVersion, Plan, Refusal, StepKey};
use crate::evidence::check::Checked;
use crate::evidence::{ClaimId, Ledger, short};
use crate::formats::cross::{
    Cross, Given, Kind, Partner, PointKind, Synthesis, agreement_line, answer_key, answers, awaits_list, given, is_awaited,
    label, last_round, latest, ledger, moves, name, options_of, partners, place_of, present, round_name, setup, synthesis,
    vote,
};
use crate::formats::said::{listing_key, lists_claims};
use crate::report::claims::{citations, claim_table, evidence_list, evidence_sections};
use crate::report::quoted::contained;
use crate::report::text::{in_cell, in_line, list, push};
use crate::report::{self, notes_section, project_prompts, unfinished, usual_passage};

impl Documents for Cross {
    fn document(&self, debate: &Debate) -> String {
        let mut text = report::heading(debate);
        let is_ask = is_ask(debate);
        for given in answers(debate).filter(|_| !is_ask) {
            push(&mut text, format_args!("\n{}\n{}", answer_section(debate, &given), evidence_of(&given)));
        }
        for (heading, body) in panels(debate).into_iter().filter(|_| is_ask) {
            push(&mut text, format_args!("\n## {heading}\n\n{body}\n"));
        }
        push(&mut text, format_args!("\n{}\n", self.conclusion(debate, NewVersion::Proposed)));
        text
    }

    fn brief(&self, debate: &Debate, _version: NewVersion) -> Brief {
        brief::brief(debate)
    }

    fn conclusion(&self, debate: &Debate, _version: NewVersion) -> String {
        let mut text = String::new();
        let (summed_up, ledger) = (synthesis(debate), ledger(debate));
        if is_ask(debate) {
            text.push_str("# Where they agree, where they differ\n\n");
            match summed_up {
                Some(found) => points(&mut text, debate, found),
                None => text.push_str("Nothing was compared.\n"),
            }
            if let Some(vote) = vote(debate, 0).filter(|_| summed_up.is_none()) {
                push(&mut text, format_args!("\nPositions: {}.\n", vote.line()));
            }
        } else {
            text.push_str("# Debate summary\n");
            finals(&mut text, debate);
            moved(&mut text, debate, &ledger, summed_up);
            if let Some(found) = summed_up {
                combined(&mut text, found);
            }
        }
        outcome(&mut text, debate);
        push(&mut text, format_args!("\n## Evidence\n\nCitations: {}\n", citations(debate, &ledger)));
        evidence_sections(&mut text, &ledger);
        text.push_str(&seats::table(debate));
        if let Some(prompts) = project_prompts(debate) {
            push(&mut text, format_args!("{prompts}\n"));
        }
        text.push_str(&notes_section(debate, "##"));
        text.trim_end().to_owned()
    }

    /// The answers of an ask are shown together, once all are in.
    fn passage(&self, debate: &Debate, event: &Event) -> Option<String> {
        match &event.happening {
            Happening::Answered { key, .. } => answer(debate, key),
            Happening::Checked { key, findings, .. } => evidence(debate, key, findings),
            _ => usual_passage(event),
        }
    }

    fn side_by_side(&self, debate: &Debate) -> Vec<(String, String)> {
        if is_ask(debate) { panels(debate) } else { Vec::new() }
    }

    fn page(&self, debate: &Debate) -> Vec<Section> {
        page::page(debate)
    }

    fn state(&self, debate: &Debate, _version: NewVersion) -> Value {
        state::state(debate)
    }

    fn claims_json(&self, debate: &Debate) -> Value {
        json!(ledger(debate))
    }

    fn claims_table(&self, debate: &Debate) -> String {
        claim_table(&ledger(debate))
    }

    fn decision_record(&self, debate: &Debate) -> Result<String, Refusal> {
        adr::adr(debate)
    }
}

/// An answer under its heading, or what it lists if that came later.
fn answer(debate: &Debate, key: &StepKey) -> Option<String> {
    let (round, partner) = place_of(key).filter(|_| !is_ask(debate))?;
    let given = given(debate, round, partner)?;
    if *key == listing_key(&answer_key(round, partner)) {
        let listed = listed(debate, &given);
        return (!listed.is_empty()).then(|| format!("{}, {}:{listed}", titled(debate.plan(), partner), round_name(round)));
    }
    Some(answer_section(debate, &given))
}

/// What was found of the evidence of an answer, under whose it is. That of an ask is shown with its answer.
fn evidence(debate: &Debate, key: &StepKey, findings: &[Checked]) -> Option<String> {
    let (round, partner) = place_of(key).filter(|_| !is_ask(debate))?;
    let name = name(debate.plan(), partner);
    Some(format!("Evidence of {name}, {}:\n\n{}", round_name(round), evidence_list(findings)))
}

fn evidence_of(given: &Given<'_>) -> String {
    match given.said.checked {
        [] => String::new(),
        checked => format!("\nEvidence:\n\n{}\n", evidence_list(checked)),
    }
}

/// The answers of an ask, to be read side by side, each with what was found of its evidence.
fn panels(debate: &Debate) -> Vec<(String, String)> {
    let panel = |partner: Partner| {
        let text = match given(debate, 0, partner) {
            Some(given) => {
                let evidence = match evidence_of(&given) {
                    evidence if evidence.is_empty() => evidence,
                    evidence => format!("\n{}", evidence.trim_end()),
                };
                format!("{}{evidence}", body(debate, &given))
            }
            None if is_awaited(debate, 0, partner) => "Not in yet.".to_owned(),
            None => "Absent: no answer.".to_owned(),
        };
        (titled(debate.plan(), partner), text)
    };
    partners(debate.plan()).map(panel).collect()
}

pub(super) fn is_ask(debate: &Debate) -> bool {
    setup(debate.plan()).is_some_and(|setup| setup.kind == Kind::Ask)
}

fn answer_section(debate: &Debate, given: &Given<'_>) -> String {
    let plan = debate.plan();
    let copied = setup(plan).and_then(|setup| setup.opening.as_ref()).filter(|_| given.said.round == 0);
    let from = copied.map_or_else(String::new, |opening| format!(", from {}", opening.debate));
    let round = if given.said.round == 0 { "First answer".to_owned() } else { format!("Round {}", given.said.round) };
    format!("## {round} — {}{from}\n\n{}", titled(plan, given.partner), body(debate, given))
}

/// An answer with runs of empty lines made one and nothing else taken away, then what it lists.
fn body(debate: &Debate, given: &Given<'_>) -> String {
    let answer = &given.said.statement.body;
    let mut lines: Vec<&str> = Vec::new();
    for line in answer.lines().map(str::trim_end) {
        if !(line.is_empty() && lines.last().is_none_or(|last| last.is_empty())) {
            lines.push(line);
        }
    }
    contained(&lines.join("\n")) + &listed(debate, given)
}

/// The position and the concessions of an answer, or that there are none; nothing while they may still come.
fn listed(debate: &Debate, given: &Given<'_>) -> String {
    let (plan, mut text) = (debate.plan(), String::new());
    if awaits_list(debate, given) {
        return text;
    }
    let lists = lists_claims(plan, &given.partner.seat());
    match given.said.position() {
        Some(position) => push(&mut text, format_args!("\n\n*Position: {}*", in_cell(position))),
        None if lists || !options_of(plan).is_empty() => text.push_str("\n\n*No position given*"),
        None => {}
    }
    for note in given.said.notes(lists) {
        push(&mut text, format_args!("\n\n> {}", in_line(&note)));
    }
    text
}

/// A partner's name after the colour of its vendor.
fn titled(plan: &Plan, partner: Partner) -> String {
    format!("{} {}", colour(plan, partner), labelled(plan, partner))
}

/// A partner's name with the label by which the others call it.
fn labelled(plan: &Plan, partner: Partner) -> String {
    let (name, label) = (name(plan, partner), label(plan, partner));
    if label == name { name } else { format!("{name} ({label})") }
}

/// The colour of a vendor: the same for partners of one vendor; up to eight vendors differ.
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
        let when = match end.said.round {
            round if round == last => "final".to_owned(),
            round if awaited => format!("{} (round {last} is not in yet)", round_name(round)),
            round => format!("final ({}; absent later)", round_name(round)),
        };
        push(text, format_args!("\n## {heading} — {when}\n\n{}\n", body(debate, &end)));
    }
}

/// How the debate moved them: the moderator's points, and who changed their mind.
fn moved(text: &mut String, debate: &Debate, ledger: &Ledger, found: Option<&Synthesis>) {
    text.push_str("\n## How the debate moved them\n\n");
    if let Some(found) = found {
        points(text, debate, found);
        text.push('\n');
    }
    text.push_str("Who changed their mind:\n\n");
    who_moved(text, debate, ledger);
}

/// Where every partner stood at first and in the end, and what moved it, as a table.
fn who_moved(text: &mut String, debate: &Debate, ledger: &Ledger) {
    text.push_str("| partner | first answer | in the end | how it moved |\n|---|---|---|---|\n");
    let end = present(debate);
    for partner in partners(debate.plan()) {
        let position = |given: &Given<'_>| given.said.position().map_or_else(|| "no position given".to_owned(), short);
        let cell = |round: u32| match (given(debate, round, partner), latest(debate, round, partner)) {
            (Some(given), _) => position(&given),
            (None, _) if is_awaited(debate, round, partner) => "not in yet".to_owned(),
            (None, Some(before)) => format!("absent; {}: {}", round_name(before.said.round), position(&before)),
            (None, None) => "absent".to_owned(),
        };
        let steps = moves(debate, partner);
        let steps: Vec<String> = steps.iter().map(|step| format!("round {}: {}", step.round, step.line(ledger))).collect();
        let how = if steps.is_empty() { "was not challenged".to_owned() } else { steps.join("; ") };
        let cells = [name(debate.plan(), partner), cell(0), cell(end.round), how].map(|cell| in_cell(&cell));
        push(text, format_args!("| {} |\n", cells.join(" | ")));
    }
    if let (Some(first), Some(end)) = (vote(debate, 0), end.line()) {
        let when = if debate.outcome().is_some() { "In the end" } else { "So far" };
        push(text, format_args!("\nAt first: {}. {when}: {end}.\n", first.line()));
    }
}

fn combined(text: &mut String, found: &Synthesis) {
    push(text, format_args!("\n## Synthesis\n\n{}\n", contained(&found.text)));
    if let Some(position) = &found.position {
        push(text, format_args!("\nThe synthesis takes: {}\n", in_line(position)));
    }
    text.push_str("\nRemaining disagreement:\n\n");
    let differ = found.points.iter().filter(|point| point.kind == PointKind::Differ);
    list(text, differ.map(|point| in_line(&point.text)));
}

fn points(text: &mut String, debate: &Debate, found: &Synthesis) {
    for point in &found.points {
        let who = point.partners.iter().filter_map(|seat| Partner::of_seat(seat));
        let who: Vec<String> = who.map(|partner| in_cell(&name(debate.plan(), partner))).collect();
        let ids: Vec<&str> = point.claims.iter().map(ClaimId::as_str).collect();
        let ids = if ids.is_empty() { String::new() } else { format!(" ({})", ids.join(", ")) };
        let line = in_cell(&point.text);
        push(text, format_args!("- **{}** ({}): {line}{ids}\n", point.kind.as_str(), who.join(", ")));
    }
}

/// How it ended, and how far they agree.
fn outcome(text: &mut String, debate: &Debate) {
    if let Some(agreement) = agreement_line(debate) {
        push(text, format_args!("\nAgreement: {agreement}\n"));
    }
    for line in debate.ending_lines() {
        push(text, format_args!("\n{line}\n"));
    }
    text.push_str(&unfinished(debate));
}

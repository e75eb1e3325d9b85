//! A duel as Markdown.

use super::accounts::accounts_table;
use super::claims::evidence_list;
use super::quoted::contained;
use super::text::{in_line, list, push};
use crate::claims::Statement;
use crate::claims::marks::own_words;
use crate::debate::{Content, Debate, EntryKind, Status, StepKey};
use crate::formats::duel::{
    Role, Verdict, cited_in_verdict_alone, completed_rounds, findings, ledger, planned_rounds, reasoning_notes, seat_notes,
    statement_key, statements, verdict,
};

/// The whole debate.
pub(super) fn document(debate: &Debate) -> String {
    let mut text = format!("# {}\n", debate.plan().topic.trim());
    for (round, role, statement, _) in statements(debate) {
        push(&mut text, format_args!("\n{}\n", told(debate, round, role, statement)));
        let findings = findings(debate, round, role);
        if !findings.is_empty() {
            push(&mut text, format_args!("\nEvidence:\n\n{}\n", evidence_list(findings)));
        }
    }
    push(&mut text, format_args!("\n{}\n", conclusion(debate)));
    push(&mut text, format_args!("\n## Time, tokens and cost\n\n{}\n", accounts_table(debate.accounts())));
    text
}

/// A statement under its heading; the summaries of a debate are not part of what is read.
pub(super) fn passage(debate: &Debate, key: &StepKey) -> Option<String> {
    let (round, role, statement, _) = statements(debate).find(|(round, role, ..)| statement_key(*round, *role) == *key)?;
    Some(told(debate, round, role, statement))
}

fn told(debate: &Debate, round: u32, role: Role, statement: &Statement) -> String {
    let seat = debate.plan().seat(&role.seat()).map_or_else(String::new, |seat| format!(" ({})", seat.tool));
    let mut text = format!("## Round {round} — {role}{seat}\n\n{}", contained(&own_words(&statement.body)));
    for quote in &statement.concessions {
        push(&mut text, format_args!("\n\n> conceded: \"{}\"", in_line(&own_words(quote))));
    }
    text
}

/// The verdict with all its sections, or why there is none.
pub(super) fn conclusion(debate: &Debate) -> String {
    let mut text = String::from("# Debate summary\n\n");
    facts(&mut text, debate);
    let lines = debate.outcome().map(|outcome| outcome.lines.as_slice()).unwrap_or_default();
    for line in lines {
        push(&mut text, format_args!("\n{line}\n"));
    }
    match (verdict(debate), debate.status()) {
        (Some(verdict), _) => sections(&mut text, debate, verdict),
        (None, Status::Uncontested) => {
            let (reasoning, recommendation) = uncontested(debate);
            push(&mut text, format_args!("\n## Verdict\n\n{reasoning}\n\n## Recommendation\n\n{recommendation}\n"));
        }
        (None, Status::Running) => text.push_str("\nThe debate is not finished.\n"),
        (None, Status::Cancelled) => {
            push(&mut text, format_args!("\nThe debate was stopped. Go on with: rebut resume {}\n", debate.plan().id));
        }
        (None, _) => {}
    }
    let notes = notes(debate);
    if !notes.is_empty() {
        text.push_str("\n## Notes\n\n");
        list(&mut text, notes.into_iter());
    }
    text.trim_end().to_owned()
}

/// What stands for reasoning and recommendation where nobody answered the opening.
pub(super) fn uncontested(debate: &Debate) -> (String, String) {
    let why = debate.outcome().and_then(|outcome| outcome.lines.first()).map_or("", String::as_str);
    let reasoning = format!("Uncontested: no side won. {why}");
    let resume = resume_command(debate);
    let recommendation = format!(
        "Decide nothing on this opening alone. Have it challenged ({resume}), or start again with another challenger."
    );
    (reasoning.trim().to_owned(), recommendation)
}

/// How the debate is taken up again, with what it needs for that.
fn resume_command(debate: &Debate) -> String {
    let larger = debate.budget_spent().map_or_else(String::new, |limit| format!(" {} N, a larger budget", limit.flag()));
    format!("rebut resume {}{larger}", debate.plan().id)
}

/// What the person should know of how the debate came about.
pub(super) fn notes(debate: &Debate) -> Vec<String> {
    let extracts = debate.entries().filter(|(_, entry)| entry.kind == EntryKind::Extract);
    let extracts =
        extracts.map(|(key, _)| format!("no summary could be had at {key}: the engine's own extract stood in for it"));
    seat_notes(debate.plan()).into_iter().chain(debate.plan().notes.iter().cloned()).chain(extracts).collect()
}

/// The model that really answered for a role, as its tool reported it: the judge that decided, and no other before it.
pub(super) fn real_model(debate: &Debate, role: Role) -> Option<&str> {
    debate.newest_answer(&role.seat())?.model.as_deref()
}

/// The winner as it is named: the tool, else `tool:model` where the tools are the same, else the role.
pub(super) fn winner_name(debate: &Debate, winner: Role) -> String {
    let seat = |role: Role| debate.plan().seat(&role.seat());
    match (seat(Role::Proposer), seat(Role::Challenger), seat(winner)) {
        (Some(proposer), Some(challenger), Some(won)) => {
            if proposer.tool != challenger.tool {
                won.tool.clone()
            } else if proposer.model != challenger.model {
                won.spec()
            } else {
                winner.to_string()
            }
        }
        _ => winner.to_string(),
    }
}

/// What was really enforced.
pub(super) fn rigor(debate: &Debate) -> String {
    let tally = ledger(debate).tally;
    match debate.plan().evidence {
        Some(_) => {
            let told = [tally.to_string()].into_iter().chain(reasoning_notes(debate)).collect::<Vec<_>>().join("; ");
            format!("order, limits and form enforced by the engine; {told}")
        }
        None => "order, limits and form enforced by the engine; citations were not checked".to_owned(),
    }
}

/// Whether somebody spoke and was not heard: every answer broke the rules.
fn was_rejected(debate: &Debate, role: Role) -> bool {
    debate.calls().any(|(_, call)| call.seat == role.seat() && !call.rejected.is_empty())
}

fn facts(text: &mut String, debate: &Debate) {
    push(text, format_args!("- Topic: {}\n", debate.plan().topic.trim()));
    for role in [Role::Proposer, Role::Challenger, Role::Judge] {
        let Some(seat) = debate.plan().seat(&role.seat()) else { continue };
        let spoke = debate.newest_answer(&role.seat()).is_some();
        let model = match real_model(debate, role) {
            Some(model) => format!("model {}", in_line(model)),
            None if spoke => "which does not say which model answered".to_owned(),
            None if was_rejected(debate, role) => "whose answers were not accepted".to_owned(),
            None => "which has not answered".to_owned(),
        };
        let name = role.as_str();
        push(text, format_args!("- {}{}: {}, {model}\n", name[..1].to_uppercase(), &name[1..], seat.tool));
    }
    push(text, format_args!("- Rounds completed: {} of {}\n", completed_rounds(debate), planned_rounds(debate)));
    push(text, format_args!("- Rigor: {}\n", rigor(debate)));
    let from_project: Vec<&str> =
        debate.plan().prompts.iter().filter(|(_, p)| p.from_project).map(|(name, _)| name.as_str()).collect();
    if !from_project.is_empty() {
        push(text, format_args!("- Prompts of the project's own: {}\n", from_project.join(", ")));
    }
    let summaries: usize = debate
        .calls()
        .filter_map(|(key, _)| match &debate.answered(key)?.content {
            Content::Summary(summary) => Some(summary.added_concessions.len()),
            _ => None,
        })
        .sum();
    if summaries > 0 {
        push(text, format_args!("- Concessions that a summary left out and the engine put back: {summaries}\n"));
    }
}

fn sections(text: &mut String, debate: &Debate, verdict: &Verdict) {
    let winner = verdict.winner.role();
    let name = winner_name(debate, winner);
    let who = if name == winner.as_str() { format!("The {winner}") } else { format!("The {winner} ({name})") };
    push(
        text,
        format_args!(
            "\n## Verdict\n\n**{who} had the stronger case.**\n\n{}\n\n",
            contained(&own_words(&verdict.reasoning))
        ),
    );
    text.push_str("Decisive:\n\n");
    list(text, verdict.decisive.iter().map(|a| in_line(&format!("{} ({})", a.argument, a.statement))));
    let quality = &verdict.quality;
    push(
        text,
        format_args!(
            "\n## Quality\n\n- Genuine disagreement: {}\n- Evidence quality: {}\n- Challenge depth: {}\n",
            quality.genuine_disagreement.as_str(),
            quality.evidence_quality.as_str(),
            quality.challenge_depth.as_str()
        ),
    );
    if !verdict.unsupported.is_empty() {
        text.push_str("\nClaims without evidence:\n\n");
        list(text, verdict.unsupported.iter().map(|u| in_line(&format!("{} ({})", u.claim, u.statement))));
    }
    let ledger = ledger(debate);
    let mut false_citations = ledger.false_citations().peekable();
    if false_citations.peek().is_some() {
        text.push_str("\nCitations that were looked up and are false:\n\n");
        list(text, false_citations.map(|(place, found)| in_line(&format!("{place} {found}"))));
    }
    let own = debate.outcome().and_then(|outcome| outcome.verdict.as_ref()).map(|key| cited_in_verdict_alone(debate, key));
    if let Some(own) = own.filter(|own| !own.is_empty()) {
        push(text, format_args!("\nCited in the verdict and in no statement:\n\n{}\n", evidence_list(&own)));
    }
    let mut switches = ledger.unsupported_switches().peekable();
    if switches.peek().is_some() {
        text.push_str("\nUnsupported switches (a position given up, and nothing cited that holds):\n\n");
        list(text, switches.map(|switch| in_line(&switch.to_string())));
    }
    text.push_str("\n## Agreements\n\n");
    list(text, agreements(verdict).map(|line| in_line(&line)));
    text.push_str("\n## Disagreements\n\n");
    list(text, disagreements(verdict).map(|line| in_line(&line)));
    text.push_str("\n## Unresolved questions\n\n");
    list(text, verdict.unresolved.iter().map(|question| in_line(question)));
    push(text, format_args!("\n## Recommendation\n\n{}\n", contained(&own_words(&verdict.recommendation))));
}

/// The agreements as sentences.
pub(super) fn agreements(verdict: &Verdict) -> impl Iterator<Item = String> {
    verdict.agreements.iter().map(|a| format!("{} (evidence: {})", a.point, a.evidence))
}

/// The disagreements as sentences.
pub(super) fn disagreements(verdict: &Verdict) -> impl Iterator<Item = String> {
    let side = |d: &crate::formats::duel::Disagreement| {
        format!("{}: the proposer argues {}; the challenger argues {}", d.point, d.proposer, d.challenger)
    };
    verdict.disagreements.iter().map(side)
}

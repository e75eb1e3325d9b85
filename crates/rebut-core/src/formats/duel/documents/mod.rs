//! A duel as Markdown.

mod adr;
mod brief;
mod state;

use crate::debate::{Debate, EntryKind, Event, Happening, Status, StepKey};
use crate::evidence::{Block, ClaimId, Statement, short};
use crate::formats::duel::tiny::is_tiny;
use crate::formats::duel::{
    Content, Role, Verdict, completed_rounds, content, findings, ledger, listing, planned_rounds, seat_notes, statement_key,
    statements, verdict,
};
use crate::report::claims::{citations, evidence_list, evidence_sections, section};
use crate::report::quoted::contained;
use crate::report::text::{in_line, list, push};
use crate::report::{accounts_table, judges_known, project_prompts, usual_passage};

pub(super) use adr::adr;
pub(super) use brief::brief;
pub(super) use state::state;

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
    push(&mut text, format_args!("\n## Time, tokens and cost\n\n{}\n", accounts_table(debate)));
    text
}

/// What an event adds to the debate as it is read. The summaries of a debate, and extracts in their place, are no part of it.
pub(super) fn passage(debate: &Debate, event: &Event) -> Option<String> {
    match &event.happening {
        Happening::Answered { key, .. } => spoken(debate, key),
        Happening::Recorded { entry, .. } if entry.kind == EntryKind::Extract => None,
        _ => usual_passage(event),
    }
}

/// A statement under its heading.
fn spoken(debate: &Debate, key: &StepKey) -> Option<String> {
    let (round, role, statement, _) = statements(debate).find(|(round, role, ..)| statement_key(*round, *role) == *key)?;
    Some(told(debate, round, role, statement))
}

fn told(debate: &Debate, round: u32, role: Role, statement: &Statement) -> String {
    let seat = debate.plan().seat(&role.seat()).map_or_else(String::new, |seat| format!(" ({})", seat.tool));
    let mut text = format!("## Round {round} — {role}{seat}\n\n{}", contained(&statement.body));
    if let Some(bytes) = statement.cut_from {
        push(&mut text, format_args!("\n\n*Cut here: the statement has {bytes} bytes.*"));
    }
    let listed = listing(debate, round, role);
    for concession in listed.iter().flat_map(|listing| &listing.concedes) {
        let verb = if concession.claim.is_of(role.letter()) { "withdraws" } else { "concedes" };
        let words = concession.words.as_ref().map_or_else(String::new, |words| format!(": \"{}\"", in_line(words)));
        push(&mut text, format_args!("\n\n> {verb} {}{words}", concession.claim));
    }
    if let (None, Block::Missing(why)) = (listed, &statement.block) {
        push(&mut text, format_args!("\n\n> no claims listed ({})", in_line(&short(why))));
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
            push(
                &mut text,
                format_args!("\nThe debate was stopped. Resume with: rebut resume {}\n", debate.plan().id.short()),
            );
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

/// Reasoning and recommendation where the opening went unanswered.
pub(super) fn uncontested(debate: &Debate) -> (String, String) {
    let why = debate.outcome().and_then(|outcome| outcome.lines.first()).map_or("", String::as_str);
    let reasoning = format!("Uncontested: no side won. {why}");
    let resume = resume_command(debate);
    let recommendation = format!(
        "Decide nothing on this opening alone. Have it challenged ({resume}), or start over with another challenger."
    );
    (reasoning.trim().to_owned(), recommendation)
}

/// How the debate is taken up again, with what it needs for that.
fn resume_command(debate: &Debate) -> String {
    let larger = debate.budget_spent().map_or_else(String::new, |limit| format!(" {} N", limit.flag()));
    format!("rebut resume {}{larger}", debate.plan().id.short())
}

/// What the user should know of how the debate came about.
pub(super) fn notes(debate: &Debate) -> Vec<String> {
    let extracts = debate.entries().filter(|(_, entry)| entry.kind == EntryKind::Extract);
    let extracts = extracts.map(|(key, _)| format!("no summary at {key}: an extract was used instead"));
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

/// Whether a seat answered and every answer was rejected.
fn was_rejected(debate: &Debate, role: Role) -> bool {
    debate.calls().any(|(_, call)| call.seat == role.seat() && !call.rejected.is_empty())
}

/// What stands in place of a winner where the judge is the embedded model, which is too small to judge anything.
const MECHANICS: &str = "Mechanics only: a 135M model";
const DECIDE_NOTHING: &str = "The embedded model shows how a debate goes. Decide nothing by it.";

fn is_mechanics_only(debate: &Debate) -> bool {
    is_tiny(debate.plan(), &Role::Judge.seat())
}

fn capital(word: &str) -> String {
    word[..1].to_uppercase() + &word[1..]
}

fn facts(text: &mut String, debate: &Debate) {
    push(text, format_args!("- Topic: {}\n", debate.plan().topic.trim()));
    for role in [Role::Proposer, Role::Challenger, Role::Judge] {
        let Some(seat) = debate.plan().seat(&role.seat()) else { continue };
        let spoke = debate.newest_answer(&role.seat()).is_some();
        let model = match real_model(debate, role) {
            Some(model) => in_line(model),
            None if spoke => "model not reported".to_owned(),
            None if was_rejected(debate, role) => "answers not accepted".to_owned(),
            None => "no answer yet".to_owned(),
        };
        push(text, format_args!("- {}: {} ({model})\n", capital(role.as_str()), seat.tool));
    }
    for (name, known) in judges_known(debate.plan()) {
        push(text, format_args!("- Known cases ({name}): {known}\n"));
    }
    push(text, format_args!("- Rounds completed: {} of {}\n", completed_rounds(debate), planned_rounds(debate)));
    push(text, format_args!("- Citations: {}\n", citations(debate, &ledger(debate))));
    if let Some(prompts) = project_prompts(debate) {
        push(text, format_args!("- {prompts}\n"));
    }
    let summaries: usize = debate
        .calls()
        .filter_map(|(key, _)| match content(debate, key)? {
            Content::Summary(summary) => Some(summary.added_concessions.len()),
            _ => None,
        })
        .sum();
    if summaries > 0 {
        push(text, format_args!("- Concessions left out of summaries and restored: {summaries}\n"));
    }
}

fn sections(text: &mut String, debate: &Debate, verdict: &Verdict) {
    let winner = verdict.winner.role();
    let name = winner_name(debate, winner);
    let who = if name == winner.as_str() { format!("The {winner}") } else { format!("The {winner} ({name})") };
    if is_mechanics_only(debate) {
        push(text, format_args!("\n## {MECHANICS}\n\n{DECIDE_NOTHING} {who} won, it says.\n\n"));
    } else {
        push(text, format_args!("\n## Verdict\n\n**{who} had the stronger case.**\n\n"));
    }
    push(text, format_args!("{}\n\n", contained(&verdict.reasoning)));
    text.push_str("Decisive:\n\n");
    list(text, verdict.decisive.iter().map(|decisive| in_line(&format!("{} ({})", decisive.why, decisive.id))));
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
    let ledger = ledger(debate);
    text.push_str("\n## Evidence\n\n");
    list(
        text,
        Role::DEBATERS.iter().map(|role| {
            let tally = ledger.tallies.get(role.as_str()).copied().unwrap_or_default();
            format!(
                "{role}: {} listed, {} verified, {} false, {} unchecked",
                tally.listed, tally.verified, tally.false_, tally.unchecked
            )
        }),
    );
    let unsupported = ledger.claims.iter().filter(|claim| claim.evidence.is_empty());
    section(text, "Claims without evidence", unsupported.map(|claim| format!("{} {}", claim.id, short(&claim.text))));
    evidence_sections(text, &ledger);
    text.push_str("\n## Agreements\n\n");
    list(text, agreements(verdict).map(|line| in_line(&line)));
    text.push_str("\n## Disagreements\n\n");
    list(text, disagreements(verdict).map(|line| in_line(&line)));
    text.push_str("\n## Unresolved questions\n\n");
    list(text, verdict.unresolved.iter().map(|question| in_line(question)));
    push(text, format_args!("\n## Recommendation\n\n{}\n", contained(&verdict.recommendation)));
}

pub(super) fn agreements(verdict: &Verdict) -> impl Iterator<Item = String> {
    verdict.agreements.iter().map(|agreement| {
        let ids: Vec<&str> = agreement.claims.iter().map(ClaimId::as_str).collect();
        if ids.is_empty() { agreement.point.clone() } else { format!("{} ({})", agreement.point, ids.join(", ")) }
    })
}

pub(super) fn disagreements(verdict: &Verdict) -> impl Iterator<Item = String> {
    let side = |d: &crate::formats::duel::Disagreement| {
        format!("{}: the proposer argues {}; the challenger argues {}", d.point, d.proposer, d.challenger)
    };
    verdict.disagreements.iter().map(side)
}

//! A duel as Markdown.

mod adr;
mod brief;
mod page;
mod state;

use serde_json::{Value, json};

use crate::debate::page::Section;
use crate::debate::{
    Brief, Debate, Documents, EntryKind, Event, Happening, NewVersion, Refusal, SeatName, SeatPlan, Status, StepKey,
};
use crate::evidence::{ClaimId, Statement, short};
use crate::formats::duel::tiny::judges_are_tiny;
use crate::formats::duel::{
    Ballot, Bout, Cast, Content, Duel, Exchange, Leg, Quality, Role, Turn, Verdict, exchange, firmness, judge_seat,
    judge_seats, jury, known_cases, verdict,
};
use crate::formats::said::cut_note;
use crate::judging::{Firmness, Order};
use crate::report::claims::{citations, claim_table, evidence_list, evidence_sections, section};
use crate::report::quoted::contained;
use crate::report::text::{in_line, list, push};
use crate::report::{self, notes_section, project_prompts, unfinished, usual_passage};

use brief::{named, result, votes};

impl Documents for Duel {
    fn document(&self, debate: &Debate) -> String {
        let mut text = report::heading(debate);
        for bout in Bout::both(debate) {
            for turn in bout.statements() {
                push(&mut text, format_args!("\n{}\n", statement_section(bout, &turn)));
                if !turn.said.checked.is_empty() {
                    push(&mut text, format_args!("\nEvidence:\n\n{}\n", evidence_list(turn.said.checked)));
                }
                for (role, closing, _) in bout.closings(turn.said.round).filter(|_| turn.role == Role::Challenger) {
                    push(&mut text, format_args!("\n{}\n", closing_section(bout, turn.said.round, role, closing)));
                }
            }
        }
        push(&mut text, format_args!("\n{}\n", self.conclusion(debate, NewVersion::Proposed)));
        text
    }

    fn brief(&self, debate: &Debate, _version: NewVersion) -> Brief {
        brief::brief(debate)
    }

    fn conclusion(&self, debate: &Debate, _version: NewVersion) -> String {
        let bout = Bout::first(debate);
        let mut text = String::from("# Debate summary\n\n");
        facts(&mut text, debate);
        for line in debate.ending_lines() {
            push(&mut text, format_args!("\n{line}\n"));
        }
        match (verdict(debate), debate.status()) {
            (Some(verdict), _) => sections(&mut text, debate, verdict),
            (None, _) if firmness(debate) == Some(Firmness::Undecided) => {
                let Undecided { reasoning, recommendation, .. } = undecided(debate);
                push(&mut text, format_args!("\n## {}\n\n{}\n", result(debate, None), contained(&reasoning)));
                ballots_section(&mut text, bout, None);
                exchange_section(&mut text, debate);
                evidence_section(&mut text, bout);
                push(&mut text, format_args!("\n## Recommendation\n\n{recommendation}\n"));
            }
            (None, Status::Uncontested) => {
                let (reasoning, recommendation) = uncontested(debate);
                push(&mut text, format_args!("\n## Verdict\n\n{reasoning}\n\n## Recommendation\n\n{recommendation}\n"));
            }
            (None, _) => text.push_str(&unfinished(debate)),
        }
        text.push_str(&notes_section(debate, "##"));
        text.trim_end().to_owned()
    }

    /// The summaries of a debate, and extracts in their place, are no part of it as it is read.
    fn passage(&self, debate: &Debate, event: &Event) -> Option<String> {
        match &event.happening {
            Happening::Answered { key, .. } => spoken(debate, key),
            Happening::Recorded { entry, .. } if entry.kind == EntryKind::Extract => None,
            _ => usual_passage(event),
        }
    }

    fn page(&self, debate: &Debate) -> Vec<Section> {
        page::page(debate)
    }

    fn state(&self, debate: &Debate, _version: NewVersion) -> Value {
        state::state(debate)
    }

    fn claims_json(&self, debate: &Debate) -> Value {
        let mut claims = json!(Bout::first(debate).ledger());
        let second = Bout::exchanged(debate);
        if second.has_begun() {
            claims["exchange"] = json!(second.ledger());
        }
        claims
    }

    fn claims_table(&self, debate: &Debate) -> String {
        let table = claim_table(&Bout::first(debate).ledger());
        let second = Bout::exchanged(debate);
        if !second.has_begun() {
            return table;
        }
        format!("{table}\n\n## Positions exchanged\n\n{}", claim_table(&second.ledger()))
    }

    fn decision_record(&self, debate: &Debate) -> Result<String, Refusal> {
        adr::adr(debate)
    }
}

/// A statement or a closing under its heading.
fn spoken(debate: &Debate, key: &StepKey) -> Option<String> {
    Bout::both(debate).into_iter().find_map(|bout| {
        bout.statements().find_map(|turn| {
            let round = turn.said.round;
            if bout.leg.statement_key(round, turn.role) == *key {
                return Some(statement_section(bout, &turn));
            }
            let is_meant = |role: Role| bout.leg.closing_key(round, role) == *key;
            let (role, closing, _) = bout.closings(round).find(|(role, ..)| is_meant(*role))?;
            Some(closing_section(bout, round, role, closing))
        })
    })
}

fn statement_section(bout: Bout<'_>, turn: &Turn<'_>) -> String {
    let mut text = headed(bout, &format!("Round {}", turn.said.round), turn.role, turn.said.statement);
    for note in turn.said.notes(true) {
        push(&mut text, format_args!("\n\n> {}", in_line(&note)));
    }
    text
}

fn closing_section(bout: Bout<'_>, round: u32, role: Role, closing: &Statement) -> String {
    let cut = cut_note(closing).map_or_else(String::new, |note| format!("\n\n> {note}"));
    format!("{}{cut}", headed(bout, &closing_title(bout, round), role, closing))
}

/// A duel that was resumed for more rounds has closings after more than one.
fn closing_title(bout: Bout<'_>, round: u32) -> String {
    if round == bout.completed_rounds() { "Closing".to_owned() } else { format!("Closing after round {round}") }
}

fn headed(bout: Bout<'_>, part: &str, role: Role, statement: &Statement) -> String {
    let tool = bout.plan().tool(&role.seat());
    let debate = if bout.leg == Leg::Exchanged { "Positions exchanged: " } else { "" };
    format!("## {debate}{part} — {role} ({tool})\n\n{}", contained(&statement.body))
}

/// Reasoning and recommendation where the opening went unanswered.
pub(super) fn uncontested(debate: &Debate) -> (String, String) {
    let why = debate.outcome().and_then(|outcome| outcome.lines.first()).map_or("", String::as_str);
    let reasoning = format!("Uncontested: no side won. {why}");
    let resume = resume_command(debate);
    let recommendation = format!(
        "Don't decide on this opening alone. Resume to have it challenged ({resume}), or start over with another challenger."
    );
    (reasoning.trim().to_owned(), recommendation)
}

/// What is said where no side won.
pub(super) struct Undecided {
    pub(super) reasoning: String,
    /// What is missing for a decision.
    pub(super) note: Option<&'static str>,
    /// The best reason of each side.
    pub(super) reasons: Vec<String>,
    /// What would decide it.
    pub(super) open: Vec<String>,
    pub(super) recommendation: String,
}

pub(super) fn undecided(debate: &Debate) -> Undecided {
    const MOST_OPEN: usize = 3;
    let result = exchange(debate);
    // Ballots for the proposer's position in a second debate name the challenger.
    let ballots = Bout::both(debate).into_iter().flat_map(|bout| {
        let side = move |ballot: &Ballot| {
            if bout.leg == Leg::First { ballot.verdict.winner } else { ballot.verdict.winner.other() }
        };
        bout.counted().into_iter().map(move |(_, ballot)| (side(ballot), &ballot.verdict))
    });
    let ballots: Vec<(Role, &Verdict)> = ballots.collect();
    let reason = |side: Role| {
        let (_, verdict) = ballots.iter().find(|(for_side, _)| *for_side == side)?;
        let best = verdict.decisive.first()?;
        let what = if result.is_some() { "'s position" } else { "" };
        Some(format!("For the {}{what}: {} ({})", side, best.why, best.id))
    };
    let reasons: Vec<String> = Role::ALL.into_iter().filter_map(reason).collect();
    let mut open: Vec<String> = Vec::new();
    for question in ballots.iter().flat_map(|(_, verdict)| &verdict.unresolved) {
        if open.len() < MOST_OPEN && !open.contains(question) {
            open.push(question.clone());
        }
    }
    let bout = Bout::first(debate);
    let [proposer, challenger] = bout.tally();
    let why = match result {
        None => {
            format!("The ballots are split, {proposer} for the proposer and {challenger} for the challenger: no side won.")
        }
        Some(Exchange::Debater(side)) => format!(
            "The same debater won both: the {side} won once with each position. That reflects the debaters, not the \
             question: no decision."
        ),
        Some(result) => format!("{}: no decision.", capital(result.words())),
    };
    let note = no_second_judge(debate);
    let missing = note.map_or_else(String::new, |note| format!(" {note}"));
    let mut reasoning = format!("{why}{missing}\n\n{}", reasons.join("\n\n"));
    if !open.is_empty() {
        push(&mut reasoning, format_args!("\n\nWhat would decide it: {}", open.join(" ")));
    }
    let id = debate.plan().id.short();
    let more = bout.completed_rounds() + 1;
    let recommendation = match result {
        Some(Exchange::Debater(_)) => {
            "Don't base a decision on this debate. Have the question debated by two models of the same strength.".to_owned()
        }
        _ => format!(
            "Don't base a decision on this debate. Add a round (rebut resume {id} --rounds {more}), or have another judge \
             vote (rebut rejudge {id} --judge SEAT)."
        ),
    };
    Undecided { reasoning, note, reasons, open, recommendation }
}

/// That a judge contradicted itself and there was no other to ask.
fn no_second_judge(debate: &Debate) -> Option<&'static str> {
    let wanted = jury(debate.plan()).is_some_and(|jury| jury.ballots > 1);
    let one_judge = wanted && judge_seats(debate.plan()).nth(1).is_none();
    let split = Bout::both(debate).into_iter().any(|bout| bout.firmness() == Some(Firmness::Undecided));
    (one_judge && split).then_some("No second judge was available.")
}

/// How the debate is taken up again, with what it needs for that.
fn resume_command(debate: &Debate) -> String {
    let larger = debate.budget_spent().map_or_else(String::new, |limit| format!(" {} N", limit.flag()));
    format!("rebut resume {}{larger}", debate.plan().id.short())
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
fn was_rejected(debate: &Debate, seat: &SeatName) -> bool {
    debate.calls().any(|(_, call)| call.seat == *seat && !call.rejected.is_empty())
}

/// What stands in place of a winner where the judge is the embedded model, which is too small to judge anything.
const MECHANICS: &str = "Mechanics only: a 135M model";
const DECIDE_NOTHING: &str = "The embedded model shows how a debate works. Don't decide anything by it.";

fn capital(word: &str) -> String {
    word[..1].to_uppercase() + &word[1..]
}

fn facts(text: &mut String, debate: &Debate) {
    let bout = Bout::first(debate);
    push(text, format_args!("- Topic: {}\n", in_line(&debate.plan().topic)));
    let voted = judge_seats(debate.plan()).filter(|name| bout.ballots().iter().any(|cast| cast.seat == *name));
    let judges: Vec<SeatName> = std::iter::once(judge_seat(1)).chain(voted.skip(1)).collect();
    let known: Vec<String> = judges.iter().map(|name| known_cases(debate.plan(), name)).collect();
    for name in Role::ALL.map(Role::seat).into_iter().chain(judges) {
        let Some(seat) = debate.plan().seat(&name) else { continue };
        let spoke = debate.newest_answer(&name).is_some();
        let model = match debate.newest_model(&name) {
            Some(model) => in_line(model),
            None if spoke => "model not reported".to_owned(),
            None if was_rejected(debate, &name) => "answers not accepted".to_owned(),
            None => "no answer yet".to_owned(),
        };
        push(text, format_args!("- {}: {} ({model})\n", capital(name.as_str()), seat.tool));
    }
    push(text, format_args!("- Known cases: {}\n", known.join("; ")));
    push(text, format_args!("- Rounds completed: {} of {}\n", bout.completed_rounds(), bout.planned_rounds()));
    push(text, format_args!("- Citations: {}\n", citations(debate, &bout.ledger())));
    if let Some(prompts) = project_prompts(debate) {
        push(text, format_args!("- {prompts}\n"));
    }
    let summaries: usize = debate
        .calls()
        .filter_map(|(key, _)| match debate.content(key)? {
            Content::Summary(summary) => Some(summary.added_concessions.len()),
            _ => None,
        })
        .sum();
    if summaries > 0 {
        push(text, format_args!("- Concessions left out of summaries and restored: {summaries}\n"));
    }
}

fn sections(text: &mut String, debate: &Debate, verdict: &Verdict) {
    let bout = Bout::first(debate);
    let winner = verdict.winner;
    let who = format!("the {}", named(debate, winner));
    if judges_are_tiny(debate.plan()) {
        push(text, format_args!("\n## {MECHANICS}\n\n{DECIDE_NOTHING} It says that {who} won.\n\n"));
    } else {
        let heading = firmness(debate).map_or("Judged", Firmness::heading);
        let both = exchange(debate).map_or_else(String::new, |result| format!("; {}", result.words()));
        push(text, format_args!("\n## Verdict\n\n**{heading}: {who} had the stronger case{both}.**\n\n"));
        for flag in flags(debate) {
            push(text, format_args!("> Flag: {flag}.\n\n"));
        }
    }
    push(text, format_args!("{}\n\n", contained(&verdict.reasoning)));
    text.push_str("Decisive:\n\n");
    list(text, verdict.decisive.iter().map(|decisive| in_line(&format!("{} ({})", decisive.why, decisive.id))));
    ballots_section(text, bout, Some(verdict.winner));
    exchange_section(text, debate);
    text.push_str("\n## Quality\n\n");
    list(text, quality(verdict).into_iter());
    evidence_section(text, bout);
    text.push_str("\n## Agreements\n\n");
    list(text, agreements(verdict).map(|line| in_line(&line)));
    text.push_str("\n## Disagreements\n\n");
    list(text, disagreements(verdict).map(|line| in_line(&line)));
    text.push_str("\n## Unresolved questions\n\n");
    list(text, verdict.unresolved.iter().map(|question| in_line(question)));
    push(text, format_args!("\n## Recommendation\n\n{}\n", contained(&verdict.recommendation)));
}

/// Every ballot with its vote, where there is more than one; the reasons of those for the other side.
fn ballots_section(text: &mut String, bout: Bout<'_>, winner: Option<Role>) {
    if bout.ballots().len() > 1 {
        text.push_str("\n## Ballots\n\n");
        ballots_list(text, bout, winner);
    }
}

fn ballots_list(text: &mut String, bout: Bout<'_>, winner: Option<Role>) {
    let all = bout.ballots();
    list(
        text,
        all.iter().filter_map(|Cast { key, seat, vote, failure }| {
            let Some((ballot, _)) = vote else {
                let judge = bout.plan().seat(seat).map(SeatPlan::spec).unwrap_or_default();
                return failure.map(|failure| in_line(&format!("{judge}: left out: it {failure}")));
            };
            let side = ballot.verdict.winner;
            let why = if winner == Some(side) { String::new() } else { format!(": {}", ballot.verdict.reasoning) };
            Some(in_line(&format!("{} ({}): {}{why}", ballot.judge, asked(bout, key, ballot.order), side)))
        }),
    );
}

/// How a ballot was asked for: which side came first, and whether it still counts.
pub(super) fn asked(bout: Bout<'_>, key: &StepKey, order: Order) -> String {
    let first = if order == Order::AsWritten { Role::Proposer } else { Role::Challenger };
    let is_counted = bout.counted().iter().any(|(counted, _)| counted == key);
    format!("{first} shown first{}", if is_counted { "" } else { ", on fewer rounds, not counted" })
}

/// What became of the debate with positions exchanged, where one was held.
fn exchange_section(text: &mut String, debate: &Debate) {
    let second = Bout::exchanged(debate);
    if !second.has_begun() {
        return;
    }
    text.push_str("\n## Positions exchanged\n\n");
    let cited = format!("Citations with positions exchanged: {}", citations(debate, &second.ledger()));
    list(text, [Bout::first(debate), second].into_iter().map(came_to).chain([cited]));
    if let Some(result) = exchange(debate) {
        push(text, format_args!("\n**{}.**\n", capital(result.words())));
    }
    if let Some(reasoning) = second.shown().and_then(|key| second.ballot(&key)).map(|ballot| &ballot.verdict.reasoning) {
        push(text, format_args!("\n{}\n\n", contained(reasoning)));
    }
    ballots_list(text, second, second.winner());
}

/// What one of two debates came to: `First debate: firm 2:0, challenger (gemini) wins with "Cache it."`
pub(super) fn came_to(bout: Bout<'_>) -> String {
    let which = if bout.leg == Leg::First { "First debate" } else { "Positions exchanged" };
    let Some(firmness) = bout.firmness() else { return format!("{which}: not judged") };
    let won = bout.winner().map_or_else(String::new, |winner| {
        let position = bout.position(winner).unwrap_or_default();
        format!(", {} wins with \"{position}\"", named(bout.debate, winner))
    });
    in_line(&format!("{which}: {} {}{won}", firmness.as_str(), votes(bout)))
}

/// What speaks against trusting the verdict, on either debate.
pub(super) fn flags(debate: &Debate) -> Vec<String> {
    if verdict(debate).is_none() {
        return Vec::new();
    }
    let of = |bout: Bout<'_>| -> Vec<String> {
        let shown = bout.shown().and_then(|key| bout.ballot(&key));
        shown.map(|ballot| bout.flags(&ballot.verdict)).unwrap_or_default()
    };
    let second = of(Bout::exchanged(debate)).into_iter().map(|flag| format!("positions exchanged: {flag}"));
    of(Bout::first(debate)).into_iter().chain(second).collect()
}

fn evidence_section(text: &mut String, bout: Bout<'_>) {
    let ledger = bout.ledger();
    text.push_str("\n## Evidence\n\n");
    list(
        text,
        Role::ALL.iter().map(|role| {
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
}

pub(super) fn quality(verdict: &Verdict) -> [String; 3] {
    let Quality { genuine_disagreement, evidence_quality, challenge_depth } = verdict.quality;
    [
        format!("Genuine disagreement: {genuine_disagreement}"),
        format!("Evidence quality: {evidence_quality}"),
        format!("Challenge depth: {challenge_depth}"),
    ]
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

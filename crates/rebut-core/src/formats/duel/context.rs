//! The prompts of a duel: the matter first, which grows from prompt to prompt, then the task.

use minijinja::{Value, context};
use serde_json::Value as Json;

use super::ballots::Reading;
use super::sizes::Sizes;
use super::tiny::{self, is_tiny, judges_are_tiny};
use super::{Bout, Content, Leg, Role, Turn, summary};
use crate::debate::{Plan, Prompt};
use crate::evidence::{ClaimId, Listing, Statement, short};
use crate::formats::prompts::{PromptError, Quoted, attached, render};
use crate::formats::said::{listing_key, lists_claims, shown};
use crate::judging::{Label, case_file};

/// Rounds up to this one are argued with all earlier statements in full.
const LAST_FULL_ROUND: u32 = 2;

pub(super) fn statement_prompt(bout: Bout<'_>, round: u32, role: Role) -> Result<Prompt, PromptError> {
    let plan = bout.plan();
    if is_tiny(plan, &role.seat()) {
        return tiny::statement_prompt(bout, round, role);
    }
    let assigned = context! { assigned => assigned(bout, role).is_some() };
    let task = match (role, round) {
        (Role::Proposer, 1) => render(plan, "duel/opening.md", assigned.clone())?,
        (Role::Proposer, _) => render(plan, "duel/defence.md", context! { round => round })?,
        (_, 1) => render(plan, "duel/response.md", assigned)?,
        (..) => render(plan, "duel/follow_up.md", context! { round => round })?,
    };
    let stance = match (role, round) {
        (Role::Proposer, 1) => "your position and two reasons for it,",
        (Role::Proposer, _) => "your answer to the other side's last points,",
        (_, 1) => "what is wrong with the other side's position and what should be done instead,",
        (..) => "which points the other side has not answered,",
    };
    let (words, lists) = (Sizes::of(plan).words(), lists_claims(plan, &role.seat()));
    debater_prompt(bout, round, role, Task { text: task, stance, words, lists })
}

/// The prompt for a closing after the last round.
pub(super) fn closing_prompt(bout: Bout<'_>, role: Role) -> Result<Prompt, PromptError> {
    let (plan, round) = (bout.plan(), bout.completed_rounds());
    if is_tiny(plan, &role.seat()) {
        return tiny::statement_prompt(bout, round + 1, role);
    }
    let text = render(plan, "duel/closing.md", Value::UNDEFINED)?;
    let (stance, words) = ("why your side has the stronger case,", Sizes::of(plan).words() / 2);
    debater_prompt(bout, round, role, Task { text, stance, words, lists: false })
}

/// What a debater is asked to write.
struct Task {
    text: String,
    /// The same in a few words.
    stance: &'static str,
    /// How many words it may have.
    words: u64,
    /// Whether a block of claims is asked for.
    lists: bool,
}

/// A prompt with all that was said up to a round, and this task.
fn debater_prompt(bout: Bout<'_>, round: u32, role: Role, task: Task) -> Result<Prompt, PromptError> {
    let plan = bout.plan();
    let Task { text, stance, words, lists } = task;
    let task = if Sizes::of(plan).is_short() {
        // Small models hold on to what comes last.
        let last = render(plan, "duel/short.md", context! { stance => stance, topic => plan.topic.as_str() })?;
        format!("{text}\n\n{last}")
    } else {
        text
    };
    let from = if round <= LAST_FULL_ROUND { 1 } else { round - 1 };
    let earlier = if round <= LAST_FULL_ROUND { None } else { summary_for(bout, round) };
    let matter = matter(bout, Some(role), earlier, from..=round)?;
    Ok(Prompt { system: debater(bout, role, words, lists)?, user: format!("{matter}\n\n{task}") })
}

/// The prompt for the claims of a statement that listed none, and the schema of the answer.
pub(super) fn claims_prompt(bout: Bout<'_>, turn: &Turn<'_>) -> Result<(Prompt, Json), PromptError> {
    let (plan, said, role) = (bout.plan(), &turn.said, turn.role);
    let all: Vec<ClaimId> = bout.ids_before(said.round, role).into_iter().collect();
    let others: Vec<ClaimId> = all.iter().filter(|id| !id.is_of(said.letter)).cloned().collect();
    let known = bout.ledger().claims.into_iter().filter(|claim| all.contains(&claim.id));
    let known: Vec<String> = known.map(|claim| format!("{} {}", claim.id, short(&claim.text))).collect();
    let key = listing_key(&bout.leg.statement_key(said.round, role));
    let known =
        (!known.is_empty()).then(|| Quoted::new(&plan.chance, &format!("{key}/known"), "claims so far", &known.join("\n")));
    let own = Quoted::new(&plan.chance, key.as_str(), "your statement", &said.statement.body);
    let user = render(plan, "duel/claims.md", context! { statement => own, known => known })?;
    let system = String::from("# You list the claims of a statement that you wrote");
    Ok((Prompt { system, user }, Listing::schema(&others, &all, plan.commands())))
}

/// The position that a side has to argue, whatever it thinks of it.
fn assigned(bout: Bout<'_>, role: Role) -> Option<&str> {
    bout.position(role).filter(|_| bout.leg == Leg::Exchanged)
}

/// The system part for a debater.
fn debater(bout: Bout<'_>, role: Role, words: u64, lists: bool) -> Result<String, PromptError> {
    let plan = bout.plan();
    let key = format!("exchange/position/{role}");
    let position = assigned(bout, role).map(|text| Quoted::new(&plan.chance, &key, "your position", text));
    let allowed = plan.evidence.as_ref();
    render(
        plan,
        "duel/debater.md",
        context! {
            rounds => bout.planned_rounds(),
            words => words,
            position => position,
            reads_workspace => plan.reads_workspace(&role.seat()),
            checked => allowed.is_some(),
            lists => lists,
            other => bout.leg.letter(role.other()),
            commands => plan.commands().map(<[String]>::to_vec),
        },
    )
}

/// The prompt for the summary that round `round` is argued with. It carries the summary before it on, so that no
/// statement is read twice for this and prompts grow with the rounds, not with their square.
pub(super) fn summary_prompt(bout: Bout<'_>, round: u32) -> Result<Prompt, PromptError> {
    let plan = bout.plan();
    let last_round = round - LAST_FULL_ROUND;
    if judges_are_tiny(plan) {
        return tiny::summary_prompt(bout, last_round);
    }
    let concessions = summary::concessions(bout, last_round);
    let concessions = (!concessions.is_empty()).then(|| {
        let key = format!("{}/concessions", bout.leg.summary_key(round));
        Quoted::new(&plan.chance, &key, "concessions on record", &summary::lines(bout, &concessions))
    });
    let earlier = if last_round > 1 { summary_for(bout, round - 1) } else { None };
    let most = Sizes::of(plan).summary;
    let values = context! {
        last_round => last_round, carries_on => earlier.is_some(), concessions => concessions,
        sides => Role::ALL.map(|role| bout.leg.letter(role)), least => most * 5 / 8, most => most,
    };
    let task = render(plan, "duel/summary.md", values)?;
    let matter = matter(bout, None, earlier, last_round..=last_round)?;
    Ok(Prompt { system: render(plan, "duel/judge.md", Value::UNDEFINED)?, user: format!("{matter}\n\n{task}") })
}

/// The prompt for a ballot on the complete rounds; `incomplete` says which round broke off.
pub(super) fn ballot_prompt(bout: Bout<'_>, reading: &Reading, incomplete: Option<&str>) -> Result<Prompt, PromptError> {
    let plan = bout.plan();
    let rounds = bout.completed_rounds();
    if judges_are_tiny(plan) {
        let said = |(role, label): (Role, Label)| {
            let turn = bout.statement(rounds, role)?;
            Some((format!("Side {}", label.as_str()), reading.masked(&turn.said.statement.body)))
        };
        return tiny::verdict_prompt(plan, &reading.sides().filter_map(said).collect::<Vec<_>>());
    }
    let label = |role: Role| reading.sides().find(|(side, _)| *side == role).map_or("", |(_, label)| label.as_str());
    let quote = |key: String, title: String, statement: &Statement| {
        Quoted::new(&plan.chance, &key, title, &reading.masked(&shown(statement)))
    };
    let quoted = |turn: Turn<'_>| {
        let (label, round) = (label(turn.role), turn.said.round);
        let title = format!("{label}{round}: round {round}, Side {label}");
        quote(format!("verdict/{label}{round}"), title, turn.said.statement)
    };
    let mut exchanges: Vec<Quoted> = bout.statements().filter(|turn| turn.said.round <= rounds).map(quoted).collect();
    let judges_closings = bout.judges_closings(rounds);
    if judges_closings {
        let mut closings: Vec<_> = bout.closings(rounds).map(|(role, statement, _)| (label(role), statement)).collect();
        closings.sort_by_key(|(label, _)| *label);
        let quoted =
            |(label, statement)| quote(format!("verdict/{label}/closing"), format!("closing of Side {label}"), statement);
        exchanges.extend(closings.into_iter().map(quoted));
    }
    let listing = reading.sides().filter(|(role, _)| lists_claims(plan, &role.seat()));
    let cases: Vec<Quoted> = listing
        .map(|(role, label)| {
            let case = case_file(&reading.ledger, bout.leg.letter(role), role.as_str(), plan.evidence.is_some());
            let title = format!("case file of Side {}", label.as_str());
            Quoted::new(&plan.chance, &format!("verdict/{}", label.as_str()), title, &reading.masked(&case))
        })
        .collect();
    let incomplete = incomplete.map(|text| reading.masked(text));
    let task = render(
        plan,
        "duel/verdict.md",
        context! {
            rounds => rounds, incomplete => incomplete, cases => cases, closings => judges_closings,
        },
    )?;
    let matter = in_matter(plan, None, exchanges)?;
    Ok(Prompt { system: render(plan, "duel/judge.md", Value::UNDEFINED)?, user: format!("{matter}\n\n{task}") })
}

/// Topic, attached material, and the statements of these rounds, oldest first, each once. Debaters read of their own side
/// and the other one, who sums up of P and C.
fn matter(
    bout: Bout<'_>,
    reader: Option<Role>,
    summary: Option<Quoted>,
    rounds: std::ops::RangeInclusive<u32>,
) -> Result<String, PromptError> {
    let plan = bout.plan();
    let side = |role: Role| match reader {
        None => bout.leg.letter(role),
        Some(reader) if reader == role => "your side",
        Some(_) => "the other side",
    };
    // A statement's claims follow it, with what was found of their evidence.
    let quote = |turn: Turn<'_>| {
        let Turn { role, said, .. } = turn;
        let key = bout.leg.statement_key(said.round, role);
        let title = format!("{}: round {}, {}", said.id(), said.round, side(role));
        let claims = lists_claims(plan, &role.seat()).then(|| {
            Quoted::new(&plan.chance, said.evidence_key.as_str(), format!("claims of {}", said.id()), &said.account())
        });
        [Some(Quoted::new(&plan.chance, key.as_str(), title, &shown(said.statement))), claims]
    };
    let said = bout.statements().filter(|turn| rounds.contains(&turn.said.round));
    let exchanges: Vec<Quoted> = said.flat_map(quote).flatten().collect();
    in_matter(plan, summary, exchanges)
}

fn in_matter(plan: &Plan, summary: Option<Quoted>, exchanges: Vec<Quoted>) -> Result<String, PromptError> {
    render(
        plan,
        "duel/matter.md",
        context! { topic => plan.topic.as_str(), context => attached(plan), summary => summary, exchanges => exchanges },
    )
}

/// The judge's summary for a round, or the engine's extract in its place.
fn summary_for(bout: Bout<'_>, round: u32) -> Option<Quoted> {
    let last_round = round - LAST_FULL_ROUND;
    let covered = if last_round == 1 { "round 1".to_owned() } else { format!("rounds 1 to {last_round}") };
    let (key, kind, text) = match bout.debate.content(&bout.leg.summary_key(round)) {
        Some(Content::Summary(summary)) => (bout.leg.summary_key(round), "summary", summary.text.as_str()),
        _ => (bout.leg.extract_key(round), "extract", bout.debate.entry(&bout.leg.extract_key(round))?.text.as_str()),
    };
    let text = match bout.remembered(last_round) {
        Some(lines) => format!("{text}\n\nThe claims of {covered} on record:\n{lines}"),
        None => text.to_owned(),
    };
    Some(Quoted::new(&bout.plan().chance, key.as_str(), format!("{kind} of {covered}"), &text))
}

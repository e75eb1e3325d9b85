//! What each prompt of a duel carries: the matter first, which grows from prompt to prompt, then the task.

use minijinja::{Value, context};
use serde_json::Value as Json;

use super::sizes::Sizes;
use super::{
    Role, completed_rounds, evidence, extract_key, planned_rounds, statement, statement_key, statements, summary,
    summary_key,
};
use crate::claims::Statement;
use crate::claims::marks::own_words;
use crate::debate::{AnsweredCall, Content, Debate, Plan, Prompt, StepKey};
use crate::formats::prompts::{self, PromptError, Quoted, Sample, render};

/// Rounds up to this one are argued with all earlier statements in full.
const LAST_FULL_ROUND: u32 = 2;

/// The prompt for a statement.
pub(super) fn statement_prompt(debate: &Debate, round: u32, role: Role) -> Result<Prompt, PromptError> {
    let plan = debate.plan();
    let opponent = if role == Role::Proposer { Role::Challenger } else { Role::Proposer };
    let reads_workspace = plan.workspace_readable && plan.seat(&role.seat()).is_some_and(|seat| seat.reads_workspace);
    let system = render(
        plan,
        "duel/debater.md",
        context! {
            role => role.as_str().to_uppercase(),
            opponent => opponent.as_str().to_uppercase(),
            rounds => planned_rounds(debate),
            words => Sizes::of(plan).words(),
            reads_workspace => reads_workspace,
            checked => plan.evidence.is_some(),
            searches => plan.evidence.as_ref().is_some_and(|evidence| evidence.commands.is_some()),
            pages => plan.evidence.as_ref().is_some_and(|evidence| evidence.fetch_sources),
            commands => plan.evidence.as_ref().and_then(|evidence| evidence.commands.clone()).unwrap_or_default(),
        },
    )?;
    let task = match (role, round) {
        (Role::Proposer, 1) => render(plan, "duel/opening.md", Value::UNDEFINED)?,
        (Role::Proposer, _) => render(plan, "duel/defence.md", context! { round => round })?,
        (_, 1) => render(plan, "duel/response.md", Value::UNDEFINED)?,
        (..) => render(plan, "duel/follow_up.md", context! { round => round })?,
    };
    let task = if Sizes::of(plan).is_short() { format!("{task}\n\n{}", last_words(plan, round, role)?) } else { task };
    let from = if round <= LAST_FULL_ROUND { 1 } else { round - 1 };
    let earlier = if round <= LAST_FULL_ROUND { None } else { summary_for(debate, round) };
    let matter = matter(debate, earlier, from..=round)?;
    Ok(Prompt { system, user: format!("{matter}\n\n{task}") })
}

/// What stands at the very end for seats that read little.
fn last_words(plan: &Plan, round: u32, role: Role) -> Result<String, PromptError> {
    let stance = match (role, round) {
        (Role::Proposer, 1) => "your position and two reasons for it,",
        (Role::Proposer, _) => "your answer to the challenger's last points,",
        (_, 1) => "what is wrong with the proposer's position and what should be done instead,",
        (..) => "which points the proposer has not answered,",
    };
    render(plan, "duel/short.md", context! { stance => stance, topic => plan.topic.as_str() })
}

/// The prompt for the summary that round `round` is argued with. It carries the summary before it on, so that no
/// statement is read twice for this and prompts grow with the rounds, not with their square.
pub(super) fn summary_prompt(debate: &Debate, round: u32) -> Result<Prompt, PromptError> {
    let plan = debate.plan();
    let last_round = round - LAST_FULL_ROUND;
    let concessions = summary::concessions(debate, last_round);
    let concessions = (!concessions.is_empty()).then(|| {
        let key = format!("{}/concessions", summary_key(round));
        Quoted::new(&plan.chance, &key, "concessions on record", &summary::lines(&concessions))
    });
    let earlier = if last_round > 1 { summary_for(debate, round - 1) } else { None };
    let most = Sizes::of(plan).summary;
    let values = context! {
        last_round => last_round, carries_on => earlier.is_some(), concessions => concessions,
        least => most * 5 / 8, most => most,
    };
    let task = render(plan, "duel/summary.md", values)?;
    let matter = matter(debate, earlier, last_round..=last_round)?;
    Ok(Prompt { system: render(plan, "duel/judge.md", Value::UNDEFINED)?, user: format!("{matter}\n\n{task}") })
}

/// The prompt for the verdict on the complete rounds; `incomplete` says which round broke off.
pub(super) fn verdict_prompt(debate: &Debate, schema: &Json, incomplete: Option<&str>) -> Result<Prompt, PromptError> {
    let plan = debate.plan();
    let unsupported: Vec<String> = judged(debate)
        .flat_map(|(round, role, statement, _)| {
            statement.unsupported().map(move |claim| format!("- {}: {}", statement_key(round, role), own_words(&claim.text)))
        })
        .collect();
    let unsupported = (!unsupported.is_empty())
        .then(|| Quoted::new(&plan.chance, "verdict/unsupported", "claims without evidence", &unsupported.join("\n")));
    let task = render(
        plan,
        "duel/verdict.md",
        context! {
            rounds => completed_rounds(debate),
            incomplete => incomplete,
            unsupported => unsupported,
            evidence => evidence_totals(debate),
            statements => citable(debate).iter().map(ToString::to_string).collect::<Vec<_>>(),
            schema => schema.to_string(),
        },
    )?;
    let matter = matter(debate, None, 1..=completed_rounds(debate))?;
    Ok(Prompt { system: render(plan, "duel/judge.md", Value::UNDEFINED)?, user: format!("{matter}\n\n{task}") })
}

/// What was found of the evidence as a whole.
fn evidence_totals(debate: &Debate) -> Option<Quoted> {
    let lines = evidence::totals(debate);
    let title = "the evidence as a whole, as it was looked up";
    (!lines.is_empty()).then(|| Quoted::new(&debate.plan().chance, "verdict/evidence", title, &lines.join("\n")))
}

/// The keys of the statements that a verdict can cite.
pub(super) fn citable(debate: &Debate) -> Vec<StepKey> {
    judged(debate).map(|(round, role, ..)| statement_key(round, role)).collect()
}

/// The statements that a verdict rests on: those of complete rounds, so that nobody is judged by a word to which the
/// other side could not answer.
fn judged(debate: &Debate) -> impl Iterator<Item = (u32, Role, &Statement, &AnsweredCall)> {
    let last_round = completed_rounds(debate);
    statements(debate).filter(move |(round, ..)| *round <= last_round)
}

/// Tries every prompt that replaces a built-in one of this format.
pub fn check_prompts(plan: &Plan) -> Result<(), PromptError> {
    prompts::check(plan, "duel", sample_values)
}

/// The variables of a prompt, with values to try it with.
fn sample_values(name: &str, sample: Sample) -> Value {
    let Sample { full } = sample;
    let perhaps = || sample.perhaps();
    let several = sample.several();
    match name {
        "duel/debater.md" => {
            let commands: Vec<&str> = full.then_some("test").into_iter().collect();
            context! {
                role => "PROPOSER", opponent => "CHALLENGER", rounds => 2, words => 700, reads_workspace => full, checked => full,
                searches => full, pages => full, commands => commands,
            }
        }
        "duel/matter.md" => {
            context! { topic => "x", context => several.clone(), summary => perhaps(), exchanges => several }
        }
        "duel/short.md" => context! { stance => "x", topic => "x" },
        "duel/defence.md" | "duel/follow_up.md" => context! { round => 2 },
        "duel/summary.md" => context! {
            last_round => 2, carries_on => full, concessions => perhaps(), least => 500, most => 800,
        },
        "duel/verdict.md" => context! {
            rounds => 2, incomplete => full.then_some("x"), unsupported => perhaps(),
            evidence => perhaps(), statements => vec!["round-1/proposer"], schema => "{}",
        },
        _ => Value::UNDEFINED,
    }
}

/// Topic, attached material, and the statements of these rounds, oldest first, each once.
fn matter(debate: &Debate, summary: Option<Quoted>, rounds: std::ops::RangeInclusive<u32>) -> Result<String, PromptError> {
    let plan = debate.plan();
    let quote = |round, role| {
        let (statement, _) = statement(debate, round, role)?;
        let key = statement_key(round, role);
        Some(Quoted::new(&plan.chance, key.as_str(), format!("round {round}, {role}"), &own_words(&statement.body)))
    };
    // What was found of a statement's evidence stands right behind it.
    let evidence = |round, role| {
        let account = evidence::account(debate, round, role)?;
        let title = format!("claims of round {round}, {role}, with their evidence as it was looked up");
        Some(Quoted::new(&plan.chance, evidence::evidence_key(round, role).as_str(), title, &account))
    };
    let exchanges: Vec<Quoted> = statements(debate)
        .filter(|(round, ..)| rounds.contains(round))
        .flat_map(|(round, role, ..)| [quote(round, role), evidence(round, role)])
        .flatten()
        .collect();
    let attached: Vec<Quoted> = plan
        .context
        .iter()
        .map(|item| Quoted::new(&plan.chance, &format!("context/{}", item.label), item.label.as_str(), &item.text))
        .collect();
    render(
        plan,
        "duel/matter.md",
        context! { topic => plan.topic.as_str(), context => attached, summary => summary, exchanges => exchanges },
    )
}

/// The judge's summary for a round, or the engine's extract in its place.
fn summary_for(debate: &Debate, round: u32) -> Option<Quoted> {
    let last_round = round - LAST_FULL_ROUND;
    let covered = if last_round == 1 { "round 1".to_owned() } else { format!("rounds 1 to {last_round}") };
    let (key, kind, text) = match debate.answered(&summary_key(round)).map(|answered| &answered.content) {
        Some(Content::Summary(summary)) => (summary_key(round), "summary", summary.text.as_str()),
        _ => (extract_key(round), "extract", debate.entry(&extract_key(round))?.text.as_str()),
    };
    // A summary knows neither ids nor marks.
    let text = own_words(text);
    let text = match evidence::remembered(debate, last_round) {
        Some(lines) => format!("{text}\n\nFalse citations and the claims of {covered}, as they are on record:\n{lines}"),
        None => text,
    };
    Some(Quoted::new(&debate.plan().chance, key.as_str(), format!("{kind} of {covered}"), &text))
}

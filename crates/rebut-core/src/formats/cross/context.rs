//! What each prompt of an ask or a cross carries: the question first, then what the others said, then the task.

use std::fmt::Write;

use minijinja::{Value, context};
use serde_json::Value as Json;

use super::labels::Labels;
use super::names::Names;
use super::procedure::{answer_words, earlier_tokens, early};
use super::retelling::{Listener, Speech, Told};
use super::stance::shortened;
use super::{
    Given, Kind, Partner, absences, answer_key, evidence, given, last_round, latest, moves, options, present, setup,
    switches, tally, thread,
};
use crate::claims::marks::own_words;
use crate::debate::{Debate, Plan, Prompt};
use crate::formats::prompts::{self, PromptError, Quoted, Sample, render};

/// Whether a partner is asked for an answer for the first time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// It is.
    First,
    /// Nothing that can be read came back.
    Again,
}

/// The prompt for a partner's answer of a round.
pub(super) fn answer_prompt(debate: &Debate, round: u32, partner: Partner, asked: Asked) -> Result<Prompt, PromptError> {
    let plan = debate.plan();
    let labels = Labels::of(debate, &partner.seat());
    let task = match round {
        0 => render(plan, "cross/opening.md", Value::UNDEFINED)?,
        _ => critique_task(debate, round, partner, &labels)?,
    };
    let again = match asked {
        Asked::First => String::new(),
        Asked::Again => format!("\n\n{}", render(plan, "cross/again.md", Value::UNDEFINED)?),
    };
    let matter = matter(plan)?;
    Ok(Prompt { system: partner_rules(plan, partner)?, user: format!("{matter}\n\n{task}{again}") })
}

fn partner_rules(plan: &Plan, partner: Partner) -> Result<String, PromptError> {
    let reads_workspace = plan.workspace_readable && plan.seat(&partner.seat()).is_some_and(|seat| seat.reads_workspace);
    let setup = setup(plan);
    let commands = plan.evidence.as_ref().and_then(|evidence| evidence.commands.clone());
    render(
        plan,
        "cross/partner.md",
        context! {
            partners => setup.map_or(2, |setup| setup.partners),
            crossed => setup.is_some_and(|setup| setup.kind == Kind::Cross),
            options => setup.map(|setup| setup.options.clone()).unwrap_or_default(),
            undecided => options::UNDECIDED,
            words => answer_words(plan),
            reads_workspace => reads_workspace,
            checked => plan.evidence.is_some(),
            searches => commands.is_some(),
            pages => plan.evidence.as_ref().is_some_and(|evidence| evidence.fetch_sources),
            commands => commands.unwrap_or_default(),
        },
    )
}

/// What the others said in the round before, what the partner itself said last, and what it is to do with that.
fn critique_task(debate: &Debate, round: u32, partner: Partner, labels: &Labels) -> Result<String, PromptError> {
    let plan = debate.plan();
    let before = round - 1;
    let names = hidden_names(debate);
    let others: Vec<Quoted> = labels
        .order
        .iter()
        .filter_map(|other| given(debate, before, *other))
        .flat_map(|given| relayed(debate, &given, labels, names.as_ref()))
        .collect();
    let own = latest(debate, before, partner);
    let stood = own.map(|_| history(debate, before, partner)).filter(|lines| !lines.is_empty()).map(|lines| {
        let key = format!("{}/stood", answer_key(before, partner));
        Quoted::new(&plan.chance, &key, "where you stood", &lines.join("\n"))
    });
    let own = own.map(|given| {
        let title = format!("your own answer of round {} (thread {})", given.round, thread(plan, &partner.seat()));
        // Its letters are the same in every round, so that it reads its own words.
        Quoted::new(&plan.chance, &format!("{}/own", answer_key(given.round, partner)), title, &given.stance.statement.body)
    });
    let earlier = earlier(debate, before, partner);
    let missing: Vec<String> = labels
        .order
        .iter()
        .filter(|other| given(debate, before, **other).is_none())
        .map(|other| labels.title(*other))
        .collect();
    render(
        plan,
        "cross/critique.md",
        context! {
            round => round, others => others, own => own, earlier => earlier, stood => stood, missing => missing,
            closed => setup(plan).is_some_and(|setup| !setup.options.is_empty()),
            checked => plan.evidence.is_some(),
        },
    )
}

/// The turns of a partner before its last one, oldest first: each shortened, so that all of them together take no more
/// room than one answer.
fn earlier(debate: &Debate, before: u32, partner: Partner) -> Option<Quoted> {
    let plan = debate.plan();
    let last = latest(debate, before, partner)?.round;
    let turns: Vec<Given<'_>> = (0..last).filter_map(|round| given(debate, round, partner)).collect();
    let room = usize::try_from(earlier_tokens(plan)).unwrap_or(0) * 4 / turns.len().max(1);
    let told = turns.iter().map(|given| format!("round {}:\n{}", given.round, shortened(given.stance.answer(), room)));
    let text = told.collect::<Vec<_>>().join("\n\n");
    let title = format!("your answers before that, shortened (thread {})", thread(plan, &partner.seat()));
    (!turns.is_empty()).then(|| Quoted::new(&plan.chance, &format!("{}/earlier", answer_key(before, partner)), title, &text))
}

/// Where a partner has stood so far, round by round.
fn history(debate: &Debate, round: u32, partner: Partner) -> Vec<String> {
    let own = (0..=round).filter_map(|round| given(debate, round, partner));
    own.filter_map(|given| Some(format!("round {}: {}", given.round, told_position(&given)?))).collect()
}

fn told_position(given: &Given<'_>) -> Option<String> {
    let position = given.stance.position.as_ref()?;
    let confidence = given.stance.confidence.map_or_else(String::new, |percent| format!(" (confidence {percent} %)"));
    Some(format!("{position}{confidence}"))
}

/// An answer as a reader reads it, with what was found of its evidence.
fn relayed(debate: &Debate, given: &Given<'_>, labels: &Labels, names: Option<&Names>) -> Vec<Quoted> {
    let plan = debate.plan();
    let (title, key) = (labels.title(given.partner), answer_key(given.round, given.partner));
    // What the others have looked up is told below, and by the engine alone.
    let mut said = own_words(&given.stance.statement.body);
    if let Some(position) = told_position(given) {
        // Writing to a string cannot fail.
        let _ = write!(said, "\n\nposition: {position}");
    }
    let Told { text, letters } = shown_to(debate, labels, names)(given, &said);
    let letters =
        letters.map_or_else(String::new, |letters| format!(" (letters left as its speaker knows them: {letters})"));
    let heading = format!("{title}, round {}{letters}", given.round);
    let answer = Quoted::new(&plan.chance, key.as_str(), heading, &text);
    let account = evidence::account(debate, given, labels, names).map(|account| {
        let title = format!("claims of {title}, round {}, with their evidence as it was looked up", given.round);
        let key = evidence::evidence_key(given.round, given.partner);
        Quoted::new(&plan.chance, key.as_str(), title, &account)
    });
    std::iter::once(answer).chain(account).collect()
}

/// How texts of others reach this reader: under its own letters, and nobody by name unless names are open.
fn shown_to<'a>(debate: &'a Debate, labels: &'a Labels, names: Option<&'a Names>) -> impl Fn(&Given<'_>, &str) -> Told + 'a {
    move |given, text| {
        let text = names.map_or_else(|| text.to_owned(), |names| names.hidden(text));
        Speech::of(debate, given).told(&text, &Listener::Seat(labels))
    }
}

/// The names that nobody reads; none where they are open.
fn hidden_names(debate: &Debate) -> Option<Names> {
    setup(debate.plan()).filter(|setup| !setup.named).map(|_| Names::of(debate))
}

/// The prompt for the moderator.
pub(super) fn synthesis_prompt(debate: &Debate, labels: &Labels, schema: &Json) -> Result<Prompt, PromptError> {
    let plan = debate.plan();
    let kind = setup(plan).map_or(Kind::Cross, |setup| setup.kind);
    let last = last_round(debate).unwrap_or(0);
    let names = hidden_names(debate);
    let mut answers: Vec<Quoted> = Vec::new();
    for partner in &labels.order {
        let (first, end) = (given(debate, 0, *partner), latest(debate, last, *partner));
        let opening = first.filter(|first| end.is_none_or(|end| end.round != first.round));
        answers.extend(opening.into_iter().chain(end).flat_map(|given| relayed(debate, &given, labels, names.as_ref())));
    }
    let quoted = |key: &str, title: &str, lines: Vec<String>| {
        (!lines.is_empty()).then(|| Quoted::new(&plan.chance, key, title, &lines.join("\n")))
    };
    let counted = quoted("synthesis/counted", "what was counted", counted(debate, labels, names.as_ref()));
    let schema = schema.to_string();
    let task = match kind {
        Kind::Ask => render(
            plan,
            "cross/comparison.md",
            context! {
                answers => answers, counted => counted, schema => schema,
                closed => setup(plan).is_some_and(|setup| !setup.options.is_empty()),
            },
        )?,
        Kind::Cross => render(
            plan,
            "cross/synthesis.md",
            context! {
                answers => answers, counted => counted, rounds => last, schema => schema,
                early => early(debate).is_some(),
                closed => setup(plan).is_some_and(|setup| !setup.options.is_empty()),
            },
        )?,
    };
    let system = render(plan, "cross/moderator.md", context! { checked => plan.evidence.is_some() })?;
    Ok(Prompt { system, user: format!("{}\n\n{task}", matter(plan)?) })
}

/// What the moderator is told as facts: votes, movements, concessions and absences.
fn counted(debate: &Debate, labels: &Labels, names: Option<&Names>) -> Vec<String> {
    let shown = shown_to(debate, labels, names);
    let last = last_round(debate).unwrap_or(0);
    let mut lines = Vec::new();
    if let (Some(first), Some(end)) = (tally(debate, 0), present(debate).line()) {
        lines.push(format!("positions in round 0: {}", first.line()));
        if last > 0 {
            lines.push(format!("positions in the end: {end}"));
        }
    }
    for partner in &labels.order {
        let title = labels.title(*partner);
        let steps = moves(debate, *partner);
        for step in steps.iter().filter(|step| step.moved) {
            let side = |given: Option<Given<'_>>| {
                let stated = given.and_then(|given| Some(shown(&given, given.stance.position.as_deref()?).text));
                stated.unwrap_or_else(|| "a position it did not state".to_owned())
            };
            let from = side(step.round.checked_sub(1).and_then(|before| latest(debate, before, *partner)));
            let to = side(given(debate, step.round, *partner));
            lines.push(format!("{title} moved in round {}: from {from} to {to}", step.round));
        }
        if last > 0 && steps.iter().all(|step| !step.moved) && given(debate, 0, *partner).is_some() {
            lines.push(format!("{title} did not move"));
        }
        for switch in switches(debate, *partner).iter().filter(|switch| !switch.is_supported()) {
            let cited = if switch.cites_nothing() { "cited nothing for it" } else { "cited only what is false for it" };
            lines.push(format!("{title} changed its position in round {} and {cited}", switch.round));
        }
        for given in (1..=last).filter_map(|round| given(debate, round, *partner)) {
            let conceded = given.stance.statement.concessions.iter();
            let told =
                |quote: &String| format!("{title} conceded in round {}: \"{}\"", given.round, shown(&given, quote).text);
            lines.extend(conceded.map(told));
        }
    }
    for (round, partner, _) in absences(debate) {
        lines.push(format!("{} is absent from round {round}", labels.title(partner)));
    }
    lines
}

/// The positions that partners hold in the end, each once; none where the question is open.
pub(super) fn held_positions(debate: &Debate) -> Vec<String> {
    let tally = last_round(debate).and_then(|last| tally(debate, last));
    let held = tally.into_iter().flat_map(|tally| tally.positions).map(|(position, _)| position);
    held.filter(|position| position != options::UNDECIDED).collect()
}

/// The question and the attached material, which every prompt begins with.
fn matter(plan: &Plan) -> Result<String, PromptError> {
    let quote = |item: &crate::debate::ContextItem| {
        Quoted::new(&plan.chance, &format!("context/{}", item.label), item.label.as_str(), &item.text)
    };
    let attached: Vec<Quoted> = plan.context.iter().map(quote).collect();
    render(plan, "cross/matter.md", context! { question => plan.topic.as_str(), context => attached })
}

/// Tries every prompt that replaces a built-in one of this format.
pub fn check_prompts(plan: &Plan) -> Result<(), PromptError> {
    prompts::check(plan, "cross", sample_values)
}

/// The variables of a prompt, with values to try it with.
fn sample_values(name: &str, sample: Sample) -> Value {
    let Sample { full } = sample;
    let perhaps = || sample.perhaps();
    let several = || sample.several();
    let words: Vec<&str> = full.then_some("x").into_iter().collect();
    match name {
        "cross/partner.md" => context! {
            partners => 2, crossed => full, options => words.clone(), undecided => "x", words => 700, reads_workspace => full,
            checked => full, searches => full, pages => full, commands => words,
        },
        "cross/matter.md" => context! { question => "x", context => several() },
        "cross/critique.md" => context! {
            round => 1, others => several(), own => perhaps(), earlier => perhaps(), stood => perhaps(),
            missing => words, closed => full, checked => full,
        },
        "cross/moderator.md" => context! { checked => full },
        "cross/comparison.md" => context! { answers => several(), counted => perhaps(), schema => "{}", closed => full },
        "cross/synthesis.md" => context! {
            answers => several(), counted => perhaps(), rounds => 1, schema => "{}", early => full, closed => full,
        },
        _ => Value::UNDEFINED,
    }
}

//! What each prompt of an ask or a cross carries: the question first, then what was said, then the task.

use minijinja::{Value, context};
use serde_json::{Value as Json, json};

use super::procedure::{answer_words, earlier_tokens};
use super::relay::hidden_names;
use super::synthesis;
use super::{
    Given, Kind, Partner, absences, answer_key, evidence, given, label, last_round, latest, ledger, moves, options,
    options_of, partners, present, setup, thread, vote,
};
use crate::debate::{Debate, Plan, Prompt};
use crate::evidence::{ClaimId, Listing, ids, short, strict_object};
use crate::formats::names::Names;
use crate::formats::prompts::{PromptError, Quoted, attached, render};
use crate::formats::said::{listing_key, lists_claims, shown};

/// Whether a partner is asked for an answer for the first time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Time {
    First,
    /// Nothing readable came back.
    Again,
}

pub(super) fn answer_prompt(debate: &Debate, round: u32, partner: Partner, time: Time) -> Result<Prompt, PromptError> {
    let plan = debate.plan();
    let task = match round {
        0 => render(plan, "cross/opening.md", Value::UNDEFINED)?,
        _ => critique(debate, round, partner)?,
    };
    let again = match time {
        Time::First => String::new(),
        Time::Again => format!("\n\n{}", render(plan, "cross/again.md", Value::UNDEFINED)?),
    };
    Ok(Prompt { system: rules(plan, round, partner)?, user: format!("{}\n\n{task}{again}", matter(plan)?) })
}

/// The system part for a partner.
fn rules(plan: &Plan, round: u32, partner: Partner) -> Result<String, PromptError> {
    let allowed = plan.evidence.as_ref();
    let other = partners(plan).find(|other| *other != partner).map_or("B", Partner::letter);
    render(
        plan,
        "cross/partner.md",
        context! {
            label => label(plan, partner),
            partners => partners(plan).count(),
            crossed => setup(plan).is_some_and(|setup| setup.kind == Kind::Cross),
            later => round > 0,
            other => other,
            options => options_of(plan).to_vec(),
            undecided => options::UNDECIDED,
            words => answer_words(plan),
            reads_workspace => plan.reads_workspace(&partner.seat()),
            checked => allowed.is_some(),
            lists => lists_claims(plan, &partner.seat()),
            commands => plan.commands().map(<[String]>::to_vec),
        },
    )
}

/// What the others said in the round before, what the partner itself said last, and what to do with that.
fn critique(debate: &Debate, round: u32, partner: Partner) -> Result<String, PromptError> {
    let plan = debate.plan();
    let (before, names) = (round - 1, hidden_names(plan));
    let others = || partners(plan).filter(|other| *other != partner);
    let answers: Vec<Quoted> = others()
        .filter_map(|other| given(debate, before, other))
        .flat_map(|given| relayed(debate, &given, &label(plan, given.partner), &names))
        .collect();
    let absent = others().filter(|other| given(debate, before, *other).is_none());
    let missing: Vec<String> = absent.map(|other| label(plan, other)).collect();
    let mut own: Vec<Quoted> = earlier(debate, before, partner).into_iter().collect();
    if let Some(given) = latest(debate, before, partner) {
        let title = format!("you, thread {}", thread(plan, &partner.seat()));
        own.extend(relayed(debate, &given, &title, &Names::default()));
    }
    let values = context! { round => round, others => answers, missing => missing, own => own };
    render(plan, "cross/critique.md", values)
}

/// An answer with its claims and what was found of their evidence.
fn relayed(debate: &Debate, given: &Given<'_>, speaker: &str, names: &Names) -> Vec<Quoted> {
    let (plan, said) = (debate.plan(), &given.said);
    let title = format!("{speaker}, round {}", said.round);
    let key = answer_key(said.round, given.partner);
    let answer = Quoted::new(&plan.chance, key.as_str(), title, &names.hidden(&shown(said.statement)));
    let claims = lists_claims(plan, &given.partner.seat()).then(|| {
        let title = format!("claims of {}", said.id());
        Quoted::new(&plan.chance, said.evidence_key.as_str(), title, &names.hidden(&evidence::account_of(given)))
    });
    std::iter::once(answer).chain(claims).collect()
}

/// The answers of a partner before its last one, oldest first: each shortened, so that all of them together take no more
/// room than one answer.
fn earlier(debate: &Debate, before: u32, partner: Partner) -> Option<Quoted> {
    let plan = debate.plan();
    let last = latest(debate, before, partner)?.said.round;
    let turns: Vec<Given<'_>> = (0..last).filter_map(|round| given(debate, round, partner)).collect();
    let room = usize::try_from(earlier_tokens(plan)).unwrap_or(0) * 4 / turns.len().max(1);
    let said = turns.iter().map(|given| {
        let position = given.said.position().map_or_else(String::new, |position| format!(", position: {}", short(position)));
        format!("round {}{position}\n{}", given.said.round, shortened(&given.said.statement.body, room))
    });
    let text = said.collect::<Vec<_>>().join("\n\n");
    let key = format!("{}/earlier", answer_key(before, partner));
    (!turns.is_empty()).then(|| Quoted::new(&plan.chance, &key, "you in earlier rounds, shortened", &text))
}

/// The beginning of a text, to the end of a word.
fn shortened(text: &str, most: usize) -> String {
    let Some((cut, _)) = text.char_indices().nth(most) else { return text.to_owned() };
    let end = text[..cut].rfind(char::is_whitespace).unwrap_or(cut);
    format!("{} …", text[..end].trim_end())
}

/// The prompt for the block that an answer came without, and the schema of the reply.
pub(super) fn claims_prompt(debate: &Debate, answer: &Given<'_>) -> Result<(Prompt, Json), PromptError> {
    let (plan, round, partner) = (debate.plan(), answer.said.round, answer.partner);
    let key = listing_key(&answer_key(round, partner));
    let read = |other: Partner| {
        let before = round.checked_sub(1)?;
        if other == partner { latest(debate, before, other) } else { given(debate, before, other) }
    };
    let all: Vec<ClaimId> = partners(plan).filter_map(read).flat_map(|given| given.said.ids()).collect();
    let others: Vec<ClaimId> = all.iter().filter(|id| !id.is_of(partner.letter())).cloned().collect();
    let mut known: Vec<String> = Vec::new();
    if let Some(position) = read(partner).and_then(|given| given.said.position()) {
        known.push(format!("your position before: {}", short(position)));
    }
    let claims = ledger(debate).claims.into_iter().filter(|claim| all.contains(&claim.id));
    known.extend(claims.map(|claim| format!("{} {}", claim.id, short(&claim.text))));
    let known = hidden_names(plan).hidden(&known.join("\n")).into_owned();
    let known = (!known.is_empty()).then(|| Quoted::new(&plan.chance, &format!("{key}/known"), "claims so far", &known));
    let own = Quoted::new(&plan.chance, key.as_str(), "your answer", &answer.said.statement.body);
    let open = options_of(plan).is_empty();
    let values = context! { answer => own, known => known, later => round > 0, open => open };
    let prompt = Prompt {
        system: "# You list the claims of an answer that you wrote".to_owned(),
        user: render(plan, "cross/claims.md", values)?,
    };
    let mut properties = Listing::schema(&others, &all, plan.commands())["properties"].take();
    if !open {
        let options: Vec<&str> = options_of(plan).iter().map(String::as_str).chain([options::UNDECIDED]).collect();
        properties["position"] = json!({"type": "string", "enum": options});
    }
    if round > 0 {
        properties["moved"] = json!({"type": "string", "enum": ["no", "partly", "yes"]});
        properties["because"] = ids(&others);
    }
    Ok((prompt, strict_object(properties)))
}

/// The last answer of each partner, which the moderator reads.
fn last_answers(debate: &Debate) -> Vec<Given<'_>> {
    let last = last_round(debate).unwrap_or(0);
    partners(debate.plan()).filter_map(|partner| latest(debate, last, partner)).collect()
}

pub(super) fn moderated(debate: &Debate) -> synthesis::Names {
    let (plan, last) = (debate.plan(), last_answers(debate));
    let is_held = |option: &&str| last.iter().any(|given| given.said.position() == Some(option));
    let moves = last.iter().flat_map(|given| moves(debate, given.partner));
    let moved_by = moves.flat_map(|step| [step.because, step.concedes, step.withdraws].concat());
    let mut claims: Vec<ClaimId> = Vec::new();
    for id in last.iter().flat_map(|given| given.said.ids()).chain(moved_by) {
        if !claims.contains(&id) {
            claims.push(id);
        }
    }
    synthesis::Names {
        kind: setup(plan).map_or(Kind::Cross, |setup| setup.kind),
        partners: last.iter().map(|given| (label(plan, given.partner), given.partner)).collect(),
        claims,
        held: options::counted(options_of(plan)).into_iter().filter(is_held).map(str::to_owned).collect(),
    }
}

pub(super) fn synthesis_prompt(debate: &Debate, kind: Kind) -> Result<Prompt, PromptError> {
    let plan = debate.plan();
    let names = hidden_names(plan);
    let relay = |given: &Given<'_>| relayed(debate, given, &label(plan, given.partner), &names);
    let answers: Vec<Quoted> = last_answers(debate).iter().flat_map(relay).collect();
    let record = record(debate).join("\n");
    let record =
        (!record.is_empty()).then(|| Quoted::new(&plan.chance, "synthesis/record", "the record", &names.hidden(&record)));
    let values = context! {
        crossed => kind == Kind::Cross, answers => answers, record => record,
        critiqued => last_round(debate).is_some_and(|last| last > 0), options => moderated(debate).held,
    };
    let system = render(plan, "cross/moderator.md", context! { checked => plan.evidence.is_some() })?;
    Ok(Prompt { system, user: format!("{}\n\n{}", matter(plan)?, render(plan, "cross/synthesis.md", values)?) })
}

/// What the fields say, for the moderator: positions, movements, concessions, evidence of earlier rounds that is false, and
/// absences.
fn record(debate: &Debate) -> Vec<String> {
    let plan = debate.plan();
    let mut lines = Vec::new();
    if let Some(first) = vote(debate, 0) {
        lines.push(format!("positions in round 0: {}", first.line()));
        let last = present(debate);
        lines
            .extend(last.line().filter(|_| last.round > 0).map(|line| format!("positions in round {}: {line}", last.round)));
    }
    let ledger = ledger(debate);
    for partner in partners(plan) {
        let said = moves(debate, partner).into_iter();
        lines.extend(said.map(|step| format!("{}, round {}: {}", label(plan, partner), step.round, step.line(&ledger))));
    }
    let read = last_answers(debate);
    let is_read = |id: &ClaimId| read.iter().any(|given| given.said.ids().contains(id));
    for claim in ledger.claims.iter().filter(|claim| !is_read(&claim.id)) {
        let bad = claim.checked.iter().filter(|found| found.result.is_false());
        lines.extend(bad.map(|found| format!("evidence of {} in an earlier round: {found}", claim.id)));
    }
    let absent = absences(debate).into_iter();
    lines.extend(absent.map(|(round, partner, _)| format!("{} is absent from round {round}", label(plan, partner))));
    lines
}

/// The question and the attached material, which every prompt begins with.
fn matter(plan: &Plan) -> Result<String, PromptError> {
    render(plan, "cross/matter.md", context! { question => plan.topic.as_str(), context => attached(plan) })
}

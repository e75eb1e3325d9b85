//! The procedure of an ask and a cross: all partners of a round are asked at once, a round is over when all have answered or
//! are absent, and the moderator speaks last.

use serde::Serialize;

use super::context::{Time, answer_prompt, claims_prompt, moderated, synthesis_prompt};
use super::movement::anyone_moved;
use super::{
    Content, Cross, CrossSetup, Given, Kind, Partner, ROUNDS, again_key, answer_key, copied, ending, evidence, given,
    lacks_list, moderator, options, options_of, partners, planned_rounds, setup, synthesis_key, vote,
};
use crate::debate::{
    Action, Call, CallState, Cause, Debate, Fund, OutlineCall, Payload, Phase, Plan, Procedure, Prompt, Rejection, Shape,
    Step, StepKey,
};
use crate::evidence::{Block, Known, Statement};
use crate::formats::prompts::PromptError;
use crate::formats::said::{LISTING_TOKENS, Settled, listing_key, lists_claims};
use crate::formats::{accepted, unknown_call};

/// About how many tokens role, rules and task take in a prompt.
const RULES_TOKENS: u64 = 600;
/// About how many tokens the schema of a synthesis takes.
const SCHEMA_TOKENS: u64 = 250;
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) enum Wanted {
    Answer { round: u32, partner: Partner },
    Claims { round: u32, partner: Partner },
    Synthesis(Kind),
}

/// Why a debate ends before its last round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Early {
    /// All gave the same option in their first answers.
    Unanimous { option: String, count: usize },
    /// No one moved in this round and the one before it.
    NoMovement { round: u32 },
}

impl Early {
    /// The message for the user.
    pub fn words(&self) -> String {
        match self {
            Self::Unanimous { option, count } => format!(
                "All {count} partners first answered `{option}`; --gate stopped the debate there, so nothing was challenged."
            ),
            Self::NoMovement { round } => {
                format!("No one moved in rounds {} and {round}: the debate converged early.", round - 1)
            }
        }
    }
}

/// How far a partner is with its answer of a round.
enum Turn<'a> {
    Answered(Given<'a>),
    Waiting,
    Due(StepKey),
    Absent,
}

impl Procedure for Cross {
    fn next(&self, debate: &Debate) -> Vec<Step> {
        let Some(setup) = setup(debate.plan()).filter(|_| debate.outcome().is_none()) else { return Vec::new() };
        hold(debate, setup).unwrap_or_else(|error| vec![Step::finish(error.outcome())])
    }

    fn accept(&self, debate: &Debate, _key: &StepKey, call: &Call, text: &str) -> Result<Payload, Rejection> {
        let wanted: &Wanted = call.asks.get().ok_or_else(unknown_call)?;
        accept(debate, *wanted, text).map(|content| accepted(text, content))
    }
}

fn accept(debate: &Debate, wanted: Wanted, text: &str) -> Result<Content, Rejection> {
    let options = options_of(debate.plan());
    let settled = |block: Block| match block {
        Block::Listed(mut listing) => {
            options::settle(options, &mut listing);
            Block::Listed(listing)
        }
        missing @ Block::Missing(_) => missing,
    };
    match wanted {
        Wanted::Synthesis(_) => moderated(debate).accept(text).map(|synthesis| Content::Synthesis(Box::new(synthesis))),
        Wanted::Claims { round, partner } => {
            let ids = evidence::ids_before(debate, round);
            let body = given(debate, round, partner).map_or("", |given| given.said.statement.body.as_str());
            Ok(Content::Claims(settled(Block::asked_for(text, body, Known { own: partner.letter(), ids: &ids }))))
        }
        Wanted::Answer { round, partner } => {
            let ids = evidence::ids_before(debate, round);
            let no_prose = || Rejection::new("answer:no_prose", "the answer has a block but no prose");
            let statement = Statement::read(text, Known { own: partner.letter(), ids: &ids }).ok_or_else(no_prose)?;
            Ok(Content::Statement(Statement { block: settled(statement.block), ..statement }))
        }
    }
}

/// At most how many calls for missing lists of claims.
pub(super) fn extra_calls(plan: &Plan) -> usize {
    let asked = |round: u32| {
        let listing = partners(plan).filter(move |partner| lists_claims(plan, &partner.seat()));
        listing.filter(move |partner| copied(plan, round, *partner).is_none()).count()
    };
    (0..=planned_rounds(plan)).map(asked).sum()
}

pub(super) fn outline(plan: &Plan) -> Vec<OutlineCall> {
    let Some(setup) = setup(plan) else { return Vec::new() };
    let answer = answer_tokens(plan);
    let base = RULES_TOKENS + plan.matter_tokens();
    let all = u64::from(setup.partners);
    let mut calls = Vec::new();
    for round in 0..=setup.rounds {
        for partner in partners(plan).filter(|partner| copied(plan, round, *partner).is_none()) {
            let earlier = if round > 1 { earlier_tokens(plan) } else { 0 };
            let read = if round == 0 { 0 } else { all * answer + earlier };
            let tokens = base + read + answer;
            calls.push(OutlineCall { key: answer_key(round, partner), seat: partner.seat(), phase: phase(round), tokens });
        }
    }
    let tokens = base + all * answer + SCHEMA_TOKENS + synthesis_tokens(plan);
    calls.push(OutlineCall { key: synthesis_key(setup.kind, 1), seat: moderator(), phase: last_phase(setup.kind), tokens });
    calls
}

/// The last round that began; none before the first answer.
pub fn last_round(debate: &Debate) -> Option<u32> {
    let most = planned_rounds(debate.plan()).max(*ROUNDS.end());
    (0..=most).rev().find(|round| begun(debate, *round) || asked(debate, *round))
}

/// Whether the debate ends after the rounds held so far, though more are planned.
pub fn early(debate: &Debate) -> Option<Early> {
    early_after(debate, last_round(debate)?)
}

/// Whether the debate ends after this round, which is over, though more are planned.
fn early_after(debate: &Debate, last: u32) -> Option<Early> {
    let setup = setup(debate.plan()).filter(|setup| setup.kind == Kind::Cross && !setup.always_debate)?;
    if last >= setup.rounds {
        return None;
    }
    let everybody = |round: u32| partners(debate.plan()).all(|partner| given(debate, round, partner).is_some());
    if last == 0 && setup.gate && everybody(0) {
        let option = vote(debate, 0)?.unanimous()?.to_owned();
        return Some(Early::Unanimous { option, count: setup.partners as usize });
    }
    let still = |round: u32| round > 0 && !anyone_moved(debate, round);
    (last > 1 && still(last) && still(last - 1)).then_some(Early::NoMovement { round: last })
}

/// Takes the debate as far as it can go now.
fn hold(debate: &Debate, setup: &CrossSetup) -> Result<Vec<Step>, PromptError> {
    // Once a round has an answer, the rounds before it are over.
    let begun = (0..=setup.rounds).rev().find(|round| begun(debate, *round)).unwrap_or(0);
    for round in begun.saturating_sub(1)..=setup.rounds {
        let (mut steps, mut waiting) = (Vec::new(), false);
        for partner in partners(debate.plan()) {
            match turn(debate, round, partner) {
                Turn::Absent => {}
                Turn::Waiting => waiting = true,
                Turn::Answered(given) => match settle(debate, &given)? {
                    Settled::Yes => {}
                    Settled::Waiting => waiting = true,
                    Settled::Needs(step) => steps.push(step),
                },
                Turn::Due(key) => {
                    let time = if key == again_key(round, partner) { Time::Again } else { Time::First };
                    let prompt = answer_prompt(debate, round, partner, time)?;
                    let tokens = answer_tokens(debate.plan());
                    let call = ask(debate, Wanted::Answer { round, partner }, prompt, Shape::Prose, tokens);
                    steps.push(Step { key, action: call });
                }
            }
        }
        if waiting || !steps.is_empty() {
            return Ok(steps);
        }
        let there = partners(debate.plan()).filter(|partner| given(debate, round, *partner).is_some()).count();
        // A round that began is completed, even if the budget is used up meanwhile.
        let goes_on = (round + 1..=setup.rounds).any(|later| asked(debate, later));
        if !goes_on && (there < 2 || debate.budget_spent().is_some() || early_after(debate, round).is_some()) {
            break;
        }
    }
    conclusion(debate, setup)
}

fn turn(debate: &Debate, round: u32, partner: Partner) -> Turn<'_> {
    if let Some(given) = given(debate, round, partner) {
        return Turn::Answered(given);
    }
    let first = answer_key(round, partner);
    for key in [first.clone(), again_key(round, partner)] {
        let call = debate.call(&key);
        // Everything is asked for again once: an answer that was rejected has been, and so has one that is asked for anew.
        let asked_again = call.is_some_and(|call| !call.rejected.is_empty());
        match call.map(|call| &call.state) {
            Some(CallState::UnderWay { .. }) => return Turn::Waiting,
            // Nothing that can be read came back: it is asked for once more.
            Some(CallState::Failed(failure)) if is_unclear(failure.cause) && key == first && !asked_again => {}
            Some(CallState::Answered(_) | CallState::Failed(_)) => return Turn::Absent,
            Some(CallState::Open) if key != first && asked_again => return Turn::Absent,
            Some(CallState::Open) | None => {
                let superfluous = is_over(debate, round)
                    || debate.budget_spent().is_some()
                    || ending::gone(debate, round, partner).is_some();
                return if superfluous { Turn::Absent } else { Turn::Due(key) };
            }
        }
    }
    Turn::Absent
}

/// What an answer needs before anyone reads it: the block that it came without, then the check of its evidence.
fn settle(debate: &Debate, given: &Given<'_>) -> Result<Settled, PromptError> {
    let (round, partner) = (given.said.round, given.partner);
    let wanted = lacks_list(debate.plan(), given) && debate.budget_spent().is_none() && !is_over(debate, round);
    given.said.settle(debate, listing_key(&answer_key(round, partner)), wanted, || {
        let (prompt, schema) = claims_prompt(debate, given)?;
        let shape = Shape::Json { name: "claims", schema };
        Ok(ask(debate, Wanted::Claims { round, partner }, prompt, shape, LISTING_TOKENS))
    })
}

/// Whether the answer of a partner to a round is under way or to be asked for.
pub(super) fn may_still_come(debate: &Debate, round: u32, partner: Partner) -> bool {
    matches!(turn(debate, round, partner), Turn::Waiting | Turn::Due(_))
}

/// Whether an answer of a later round is in.
fn is_over(debate: &Debate, round: u32) -> bool {
    (round + 1..=planned_rounds(debate.plan())).any(|later| begun(debate, later))
}

/// Whether an answer of a round is in: then the rounds before it are over.
fn begun(debate: &Debate, round: u32) -> bool {
    partners(debate.plan()).any(|partner| given(debate, round, partner).is_some())
}

/// Whether a partner was asked in a round.
fn asked(debate: &Debate, round: u32) -> bool {
    let mut keys = partners(debate.plan()).map(|partner| answer_key(round, partner));
    keys.any(|key| debate.state(&key).is_some_and(|state| *state != CallState::Open))
}

/// Whether a call that failed so is worth asking again. One that broke off was tried again by the runner.
fn is_unclear(cause: Cause) -> bool {
    matches!(cause, Cause::Empty | Cause::Unparsable | Cause::Refused)
}

/// The steps after the last answer.
fn conclusion(debate: &Debate, setup: &CrossSetup) -> Result<Vec<Step>, PromptError> {
    if let Some(outcome) = ending::without_synthesis(debate) {
        return Ok(vec![Step::finish(outcome)]);
    }
    let early = early(debate);
    let key = synthesis_key(setup.kind, debate.sitting());
    Ok(match debate.state(&key) {
        Some(CallState::Answered(_)) => vec![Step::finish(ending::summed_up(debate, early.as_ref(), key))],
        Some(CallState::Failed(failure)) => vec![Step::finish(ending::not_summed_up(debate, early.as_ref(), failure))],
        Some(CallState::UnderWay { .. }) => Vec::new(),
        Some(CallState::Open) | None => {
            let schema = moderated(debate).schema();
            let shape = Shape::Json { name: setup.kind.document(), schema };
            let prompt = synthesis_prompt(debate, setup.kind)?;
            let tokens = synthesis_tokens(debate.plan());
            let call = ask(debate, Wanted::Synthesis(setup.kind), prompt, shape, tokens);
            vec![Step { key, action: call }]
        }
    })
}

fn ask(debate: &Debate, wanted: Wanted, prompt: Prompt, shape: Shape, output_tokens: u64) -> Action {
    let (seat, phase, fund) = match wanted {
        Wanted::Answer { round, partner } | Wanted::Claims { round, partner } => {
            (partner.seat(), phase(round), Fund::Debate)
        }
        Wanted::Synthesis(kind) => (moderator(), last_phase(kind), Fund::Verdict),
    };
    let (asks, limit_ms) = (Payload::of(wanted), debate.plan().timeout_ms);
    Action::Ask(Box::new(Call { seat, phase, asks, prompt, shape, output_tokens, limit_ms, fund }))
}

fn phase(round: u32) -> Phase {
    Phase(if round == 0 { "first answers".to_owned() } else { format!("round {round}") })
}

fn last_phase(kind: Kind) -> Phase {
    Phase(kind.document().to_owned())
}

/// Where the smallest context is at least this large, answers need not be short.
const ROOMY: u64 = 32_000;

/// The smallest context of all seats, where it is so small that answers must be short.
fn tight(plan: &Plan) -> Option<u64> {
    plan.seats.values().filter_map(|seat| seat.context_tokens).min().filter(|context| *context < ROOMY)
}

/// About how many tokens an answer takes. A partner reads one of each, its own earlier ones and their claims, and answers.
pub(super) fn answer_tokens(plan: &Plan) -> u64 {
    let partners = setup(plan).map_or(2, |setup| u64::from(setup.partners));
    tight(plan).map_or(1_500, |context| (context / (3 * partners + 9)).clamp(100, 1_500))
}

/// About how many tokens a partner's turns before its last one take in its prompt, however many there are.
pub(super) fn earlier_tokens(plan: &Plan) -> u64 {
    answer_tokens(plan).min(1_000)
}

pub(super) fn answer_words(plan: &Plan) -> u64 {
    if tight(plan).is_some() { answer_tokens(plan) / 2 / 10 * 10 } else { 700 }
}

fn synthesis_tokens(plan: &Plan) -> u64 {
    tight(plan).map_or(1_500, |context| (context / 10).clamp(300, 1_500))
}

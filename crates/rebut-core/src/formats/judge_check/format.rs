//! All that a check of a judge is to the rest of rebut.

use serde_json::{Value, json};

use super::ballot::Ballot;
use super::{CheckSetup, NAME, asked, documents, judge, key_of, scored, setup};
use crate::debate::{
    Action, Brief, Call, CallState, Debate, Event, Format, NewVersion, Outcome, OutlineCall, Part, Payload, Phase, Plan,
    Procedure, Refusal, Rejection, SeatName, Status, Step, StepKey, estimate_tokens,
};
use crate::formats::{no_such_part, nobody_asked};
use crate::judge_check::{Case, CheckAnswer, CheckCall, Variant};

/// How many calls are begun ahead of the answers: more than the limits of a seat let through at once.
const AHEAD: usize = 12;
/// So many failures without any answer end the check: the seat is not there.
const HOPELESS: usize = 3;
/// About how many tokens rules, schema and answer take in a call.
const RULES_TOKENS: u64 = 1_400;
const ANSWER_TOKENS: u64 = 500;

#[derive(Clone, Copy, Debug)]
pub struct JudgeCheck;

impl Procedure for JudgeCheck {
    fn next(&self, debate: &Debate) -> Vec<Step> {
        if debate.outcome().is_some() {
            return Vec::new();
        }
        let calls = asked(debate.plan());
        let state = |call: &CheckCall| debate.call(&key_of(call)).map(|call| &call.state);
        let failed = calls.iter().filter(|call| matches!(state(call), Some(CallState::Failed(_)))).count();
        let answered = calls.iter().filter(|call| matches!(state(call), Some(CallState::Answered(_)))).count();
        let is_open = |call: &&CheckCall| !matches!(state(call), Some(CallState::Failed(_) | CallState::Answered(_)));
        let gives_up = debate.budget_spent().is_some() || (answered == 0 && failed >= HOPELESS);
        if gives_up || answered + failed == calls.len() {
            let waits = debate.budget_spent().is_some() && debate.under_way_keys().next().is_some();
            return if waits { Vec::new() } else { vec![finish(debate, answered, calls.len())] };
        }
        let ahead = calls.iter().filter(is_open).take(AHEAD);
        let open = ahead.filter(|call| debate.may_begin(&key_of(call)));
        open.map(|call| step(debate, call)).collect()
    }

    fn accept(&self, debate: &Debate, key: &StepKey, call: &Call, text: &str) -> Result<Payload, Rejection> {
        let CheckCall { case, variant, order } = call.asks.get::<CheckCall>().ok_or_else(nobody_asked)?.clone();
        let asked = CheckCall { case: case.clone(), variant, order };
        let chosen = ballot(debate, key, &asked).ok_or_else(nobody_asked)?.chosen(text)?.ok_or_else(nobody_asked)?;
        Ok(Payload::of(CheckAnswer { case, variant, order, chosen }))
    }
}

fn case_of<'a>(plan: &'a Plan, call: &CheckCall) -> Option<&'a Case> {
    setup(plan)?.cases.iter().find(|case| case.id == call.case)
}

fn ballot(debate: &Debate, key: &StepKey, call: &CheckCall) -> Option<Ballot> {
    let shown = case_of(debate.plan(), call)?.shown(call.variant, call.order);
    Ballot::on(debate.plan(), debate.plan().seat(&judge())?, debate.began_at(), key, &shown)
}

fn step(debate: &Debate, asked: &CheckCall) -> Step {
    let key = key_of(asked);
    let Some(ballot) = ballot(debate, &key, asked) else {
        let line = "The duel's prompts cannot be rendered; `rebut duel --dry-run` says why.".to_owned();
        return ended(Status::Failed, vec![line]);
    };
    let call = Call { seat: judge(), phase: phase(asked.variant), asks: Payload::of(asked.clone()), ..ballot.call };
    Step { key, action: Action::Ask(Box::new(call)) }
}

fn phase(variant: Variant) -> Phase {
    Phase(variant.as_str().to_owned())
}

fn finish(debate: &Debate, answered: usize, all: usize) -> Step {
    let why = debate.calls().find_map(|(key, _)| debate.failed(key));
    let why = why.map_or_else(String::new, |failure| format!(" (the first: it {failure})"));
    match answered {
        _ if answered == all => ended(Status::Completed, Vec::new()),
        0 => ended(Status::Failed, vec![format!("No call was answered{why}")]),
        _ => ended(Status::Partial, vec![format!("{} of {all} calls were not answered{why}", all - answered)]),
    }
}

fn ended(status: Status, lines: Vec<String>) -> Step {
    let outcome = Outcome { status, lines, verdict: None, decision: None };
    Step { key: StepKey::new("finish"), action: Action::Finish(outcome) }
}

impl Format for JudgeCheck {
    fn decode(&self, part: Part, payload: &mut Payload) -> serde_json::Result<()> {
        match part {
            Part::Setup => payload.decode::<CheckSetup>(),
            Part::Content => payload.decode::<CheckAnswer>(),
            Part::Record | Part::Change => Err(no_such_part()),
        }
    }

    /// Those of a duel are used.
    fn prompts(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    fn rounds_held(&self, _debate: &Debate) -> u32 {
        1
    }

    fn most_rounds(&self, _plan: &Plan) -> Result<u32, Refusal> {
        Err(Refusal::new(format!("a {NAME} has no rounds")))
    }

    fn set_rounds(&self, _setup: &mut Payload, _rounds: u32) {}

    fn check_amendment(&self, _debate: &Debate, judge: bool, rounds: Option<u32>) -> Result<(), Refusal> {
        match (judge, rounds) {
            (false, None) => Ok(()),
            _ => Err(Refusal::new("a check is of one judge").hint("check another with: rebut judge check SEAT")),
        }
    }

    fn judge(&self) -> SeatName {
        judge()
    }

    fn keeps_verdict_share(&self) -> bool {
        false
    }

    fn further(&self, _debate: &Debate) -> String {
        "this check is complete; `rebut judge check SEAT --all` asks every case".to_owned()
    }

    /// The result is rendered once, at the end.
    fn is_seen(&self, _content: &Payload) -> bool {
        false
    }

    fn outline(&self, plan: &Plan) -> Vec<OutlineCall> {
        let tokens = |call: &CheckCall| {
            let bytes = case_of(plan, call).map_or(0, |case| case.question.len() + case.a.len() + case.b.len());
            let twice = if call.variant == Variant::Longer { 2 } else { 1 };
            RULES_TOKENS + ANSWER_TOKENS + twice * estimate_tokens(bytes)
        };
        let calls = asked(plan);
        let outlined = calls.iter().map(|call| OutlineCall {
            key: key_of(call),
            seat: judge(),
            phase: phase(call.variant),
            tokens: tokens(call),
        });
        outlined.collect()
    }

    /// A seat takes four at once unless the settings say otherwise.
    fn calls_in_turn(&self, _plan: &Plan, outline: &[OutlineCall]) -> u64 {
        (outline.len() as u64).div_ceil(4)
    }

    fn rounds_words(&self, plan: &Plan) -> String {
        let calls = asked(plan);
        let plain = calls.iter().filter(|call| call.variant == Variant::Plain).count() / 2;
        let variants = (calls.len() / 2 - plain) / Variant::PULLS.len();
        format!("{plain} known cases in both orders, {variants} of them in each of {} variants", Variant::PULLS.len())
    }

    fn data_words(&self) -> &'static str {
        "the known cases"
    }

    fn seat_notes(&self, _plan: &Plan) -> Vec<String> {
        Vec::new()
    }

    fn document(&self, debate: &Debate) -> String {
        format!("# {}\n\n{}", debate.plan().topic, documents::result(debate))
    }

    fn brief(&self, debate: &Debate, _version: NewVersion) -> Brief {
        documents::brief(debate)
    }

    fn conclusion(&self, debate: &Debate, _version: NewVersion) -> String {
        documents::result(debate)
    }

    fn passage(&self, _debate: &Debate, _event: &Event) -> Option<String> {
        None
    }

    fn state(&self, debate: &Debate, _version: NewVersion) -> Value {
        documents::state(debate)
    }

    fn claims_json(&self, debate: &Debate) -> Value {
        json!(scored(debate))
    }

    fn claims_table(&self, debate: &Debate) -> String {
        documents::result(debate)
    }
}

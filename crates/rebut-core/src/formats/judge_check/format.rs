//! All that a check of a judge is to the rest of rebut.

use super::ballot::Ballot;
use super::{CheckSetup, NAME, asked, judge, key_of, setup};
use crate::debate::{
    Action, Call, CallState, Cause, Debate, Features, Format, Fund, Outcome, OutlineCall, Payload, Phase, Plan, PlanWords,
    Procedure, Refusal, Rejection, Status, Step, StepKey, estimate_tokens,
};
use crate::formats::duel;
use crate::formats::unknown_call;
use crate::judge_check::{Case, CheckAnswer, CheckCall, Variant};

/// How many calls are begun before the first of them is answered: more than a seat takes at once.
const AHEAD: usize = 12;
/// After this many failures without an answer the seat is taken for broken.
const HOPELESS: usize = 3;
/// About how many tokens rules, schema and answer of a call take.
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
        let state = |call: &CheckCall| debate.state(&key_of(call));
        let failed = calls.iter().filter(|call| matches!(state(call), Some(CallState::Failed(_)))).count();
        let answered = calls.iter().filter(|call| matches!(state(call), Some(CallState::Answered(_)))).count();
        let is_spent = debate.budget_spent().is_some();
        if answered + failed == calls.len() || is_spent || (answered == 0 && failed >= HOPELESS) {
            // What is under way when the budget is spent was paid for.
            let waits = is_spent && debate.under_way_keys().next().is_some();
            return if waits { Vec::new() } else { vec![finish(debate, answered, calls.len())] };
        }
        let open = |call: &&CheckCall| !matches!(state(call), Some(CallState::Failed(_) | CallState::Answered(_)));
        let ahead = calls.iter().filter(open).take(AHEAD);
        ahead.filter(|call| debate.may_begin(&key_of(call))).map(|call| step(debate, call)).collect()
    }

    fn accept(&self, debate: &Debate, key: &StepKey, call: &Call, text: &str) -> Result<Payload, Rejection> {
        let asked: &CheckCall = call.asks.get().ok_or_else(unknown_call)?;
        let ballot = ballot(debate, key, asked).ok_or_else(unknown_call)?;
        let chosen = ballot.chosen(text)?.ok_or_else(unknown_call)?;
        let CheckCall { case, variant, order } = asked.clone();
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
    let Some(Ballot { call, .. }) = ballot(debate, &key, asked) else {
        return ended(
            Status::Failed,
            vec!["The duel's prompts can't be rendered; `rebut duel --dry-run` says why".to_owned()],
        );
    };
    let call = Call { phase: phase(asked.variant), asks: Payload::of(asked.clone()), fund: Fund::Debate, ..call };
    Step { key, action: Action::Ask(Box::new(call)) }
}

fn phase(variant: Variant) -> Phase {
    Phase(variant.as_str().to_owned())
}

fn finish(debate: &Debate, answered: usize, all: usize) -> Step {
    let mut failures = debate.calls().filter_map(|(key, _)| debate.failed(key));
    let why = failures.find(|failure| failure.cause != Cause::Cancelled);
    let why = why.map_or_else(String::new, |failure| format!(" (the first: it {failure})"));
    match answered {
        _ if answered == all => ended(Status::Completed, Vec::new()),
        0 => ended(Status::Failed, vec![format!("No call was answered{why}")]),
        _ => ended(Status::Partial, vec![format!("{} of {all} calls were not answered{why}", all - answered)]),
    }
}

fn ended(status: Status, lines: Vec<String>) -> Step {
    Step::finish(Outcome::without_verdict(status, lines))
}

impl Format for JudgeCheck {
    fn features(&self) -> &'static Features {
        &Features {
            setup: Payload::decode::<CheckSetup>,
            content: Payload::decode::<CheckAnswer>,
            record: Payload::decode::<()>,
            change: Payload::decode::<()>,
            prompts: duel::PROMPTS,
            judge: "judge",
            seats_read: "the known cases",
            can_fork: false,
            is_shared: false,
            concludes_stopped: false,
        }
    }

    fn rounds_done(&self, _debate: &Debate) -> u32 {
        1
    }

    fn most_rounds(&self, _plan: &Plan) -> Result<u32, Refusal> {
        Err(Refusal::new(format!("a {NAME} has no rounds")))
    }

    fn check_amendment(&self, _debate: &Debate, judge: bool, _rounds: Option<u32>) -> Result<(), Refusal> {
        let refused = Refusal::new("a check is of one judge").hint("check another with: rebut judge check SEAT");
        if judge { Err(refused) } else { Ok(()) }
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
            RULES_TOKENS + ANSWER_TOKENS + 2 * estimate_tokens(bytes)
        };
        let outlined = |call: &CheckCall| OutlineCall {
            key: key_of(call),
            seat: judge(),
            phase: phase(call.variant),
            tokens: tokens(call),
        };
        asked(plan).iter().map(outlined).collect()
    }

    /// A seat takes four at once unless the settings say otherwise.
    fn calls_in_turn(&self, _plan: &Plan, outline: &[OutlineCall]) -> u64 {
        (outline.len() as u64).div_ceil(4)
    }

    fn plan_words<'a>(&self, plan: &'a Plan) -> PlanWords<'a> {
        let calls = asked(plan);
        let of = |variant| calls.iter().filter(|call| call.variant == variant).count() / 2;
        let (cases, sampled, variants) = (of(Variant::Plain), of(Variant::Longer), Variant::PULLS.len());
        let rounds = format!("{cases} known cases in both orders, {sampled} of them in each of {variants} variants");
        PlanWords { rounds, ..PlanWords::default() }
    }
}

//! All that a duel is to the rest of rebut.

use serde_json::{Value, json};

use super::exchange::is_exchange_planned;
use super::procedure::{self, Wanted};
use super::{
    Bout, Content, DuelSetup, Jury, Leg, ROUNDS, documents, firmness, judge_seats, known_cases, outline, rounds, seat_notes,
};
use crate::debate::page::Section;
use crate::debate::{
    Brief, Call, Debate, Event, Features, Format, NewVersion, OutlineCall, Part, Payload, Plan, PlanWords, Procedure,
    Refusal, Rejection, Step, StepKey,
};
use crate::formats::{accepted, no_such_part, prompts, unknown_call};
use crate::judging::Firmness;
use crate::report::claim_table;

pub(in crate::formats) const PROMPTS: &[(&str, &str)] = prompts![
    "duel": "claims" "closing" "debater" "judge" "matter" "opening" "response" "defence" "follow_up" "short" "summary" "verdict"
    "tiny_opening" "tiny_answer" "tiny_summary" "tiny_verdict"
];

#[derive(Clone, Copy, Debug)]
pub struct Duel;

impl Procedure for Duel {
    fn next(&self, debate: &Debate) -> Vec<Step> {
        procedure::next(debate)
    }

    fn accept(&self, debate: &Debate, _key: &StepKey, call: &Call, text: &str) -> Result<Payload, Rejection> {
        let (leg, wanted): &(Leg, Wanted) = call.asks.get().ok_or_else(unknown_call)?;
        procedure::accept(Bout { debate, leg: *leg }, &call.seat, *wanted, text).map(|content| accepted(text, content))
    }
}

impl Format for Duel {
    fn features(&self) -> &'static Features {
        &Features {
            prompts: PROMPTS,
            judge: "judge",
            seats_read: "topic and statements",
            can_fork: true,
            is_shared: true,
            concludes_stopped: false,
        }
    }

    fn decode(&self, part: Part, payload: &mut Payload) -> serde_json::Result<()> {
        match part {
            Part::Setup => payload.decode::<DuelSetup>(),
            Part::Content => payload.decode::<Content>(),
            Part::Change => payload.decode::<Jury>(),
            Part::Record => Err(no_such_part()),
        }
    }

    fn rounds_done(&self, debate: &Debate) -> u32 {
        Bout::first(debate).completed_rounds()
    }

    fn most_rounds(&self, _plan: &Plan) -> Result<u32, Refusal> {
        Ok(*ROUNDS.end())
    }

    fn set_rounds(&self, setup: &mut Payload, rounds: u32) {
        setup.edit(|duel: &mut DuelSetup| duel.rounds = rounds);
    }

    fn amend(&self, setup: &mut Payload, change: &Payload) {
        if let Some(jury) = change.get::<Jury>() {
            setup.edit(|duel: &mut DuelSetup| duel.jury = jury.clone());
        }
    }

    fn check_amendment(&self, debate: &Debate, judge: bool, rounds: Option<u32>) -> Result<(), Refusal> {
        if !judge || rounds.is_some() || debate.outcome().is_none() {
            return Ok(());
        }
        let id = debate.plan().id.short();
        Err(Refusal::new("this duel has ended, and its verdict is kept beside a new one")
            .hint(format!("have it judged again with: rebut rejudge {id} --judge SEAT")))
    }

    fn further(&self, debate: &Debate) -> String {
        let id = debate.plan().id.short();
        format!("{id} is complete; add rounds with --rounds, or have it judged again with: rebut rejudge {id}")
    }

    /// No file shows a summary, and ballots are seen with what follows them.
    fn is_seen(&self, content: &Payload) -> bool {
        !matches!(content.get(), Some(Content::Summary(_) | Content::Ballot(_)))
    }

    fn firmness(&self, debate: &Debate) -> Option<Firmness> {
        firmness(debate)
    }

    fn outline(&self, plan: &Plan) -> Vec<OutlineCall> {
        outline::outline(plan)
    }

    fn verdict_calls(&self, plan: &Plan) -> Vec<OutlineCall> {
        outline::verdict_calls(plan)
    }

    fn calls_in_turn(&self, _plan: &Plan, outline: &[OutlineCall]) -> u64 {
        outline::calls_in_turn(outline)
    }

    fn plan_words<'a>(&self, plan: &'a Plan) -> PlanWords<'a> {
        let rounds = rounds(plan).to_string();
        PlanWords {
            rounds: if is_exchange_planned(plan) { format!("{rounds} + {rounds}") } else { rounds },
            notes: seat_notes(plan),
            known_cases: judge_seats(plan).map(|name| known_cases(plan, &name)).collect(),
            extra_calls: outline::extra_calls(plan),
            ..PlanWords::default()
        }
    }

    fn document(&self, debate: &Debate) -> String {
        documents::document(debate)
    }

    fn brief(&self, debate: &Debate, _version: NewVersion) -> Brief {
        documents::brief(debate)
    }

    fn conclusion(&self, debate: &Debate, _version: NewVersion) -> String {
        documents::conclusion(debate)
    }

    fn passage(&self, debate: &Debate, event: &Event) -> Option<String> {
        documents::passage(debate, event)
    }

    fn page(&self, debate: &Debate) -> Vec<Section> {
        documents::page(debate)
    }

    fn state(&self, debate: &Debate, _version: NewVersion) -> Value {
        documents::state(debate)
    }

    fn decision_record(&self, debate: &Debate) -> Result<String, Refusal> {
        documents::adr(debate)
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
}

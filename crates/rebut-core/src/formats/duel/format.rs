//! All that a duel is to the rest of rebut.

use serde_json::{Value, json};

use super::procedure::{self, Asked};
use super::{Content, DuelSetup, ROUNDS, Role, completed_rounds, documents, ledger, rounds, seat_notes};
use crate::debate::{
    Brief, Call, Debate, Event, Format, NewVersion, OutlineCall, Part, Payload, Plan, Procedure, Refusal, Rejection,
    SeatName, Step, StepKey,
};
use crate::formats::{accepted, no_such_part, nobody_asked, prompts};
use crate::report::claim_table;

#[derive(Clone, Copy, Debug)]
pub struct Duel;

impl Procedure for Duel {
    fn next(&self, debate: &Debate) -> Vec<Step> {
        procedure::next(debate)
    }

    fn accept(&self, debate: &Debate, _key: &StepKey, call: &Call, text: &str) -> Result<Payload, Rejection> {
        let asked: &Asked = call.asks.get().ok_or_else(nobody_asked)?;
        procedure::accept(debate, *asked, text).map(|content| accepted(text, content))
    }
}

impl Format for Duel {
    fn decode(&self, part: Part, payload: &mut Payload) -> serde_json::Result<()> {
        match part {
            Part::Setup => payload.decode::<DuelSetup>(),
            Part::Content => payload.decode::<Content>(),
            Part::Record | Part::Change => Err(no_such_part()),
        }
    }

    fn prompts(&self) -> &'static [(&'static str, &'static str)] {
        prompts![
            "duel": "claims" "debater" "judge" "matter" "opening" "response" "defence" "follow_up" "short" "summary" "verdict"
            "tiny_opening" "tiny_answer" "tiny_summary" "tiny_verdict"
        ]
    }

    fn rounds_held(&self, debate: &Debate) -> u32 {
        completed_rounds(debate)
    }

    fn most_rounds(&self, _plan: &Plan) -> Result<u32, Refusal> {
        Ok(*ROUNDS.end())
    }

    fn set_rounds(&self, setup: &mut Payload, rounds: u32) {
        setup.edit(|duel: &mut DuelSetup| duel.rounds = rounds);
    }

    fn can_fork(&self) -> bool {
        true
    }

    fn judge(&self) -> SeatName {
        Role::Judge.seat()
    }

    fn checked_judges(&self, _plan: &Plan) -> Vec<SeatName> {
        vec![Role::Judge.seat()]
    }

    fn is_shared(&self) -> bool {
        true
    }

    /// No file shows a summary, and a verdict is followed by the end at once.
    fn is_seen(&self, content: &Payload) -> bool {
        !matches!(content.get(), Some(Content::Summary(_) | Content::Verdict(_)))
    }

    fn outline(&self, plan: &Plan) -> Vec<OutlineCall> {
        procedure::outline(plan)
    }

    fn extra_calls(&self, plan: &Plan) -> Option<(usize, &'static str)> {
        Some((procedure::extra_calls(plan), "missing claim lists")).filter(|(calls, _)| *calls > 0)
    }

    fn rounds_words(&self, plan: &Plan) -> String {
        rounds(plan).to_string()
    }

    fn seat_notes(&self, plan: &Plan) -> Vec<String> {
        seat_notes(plan)
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

    fn state(&self, debate: &Debate, _version: NewVersion) -> Value {
        documents::state(debate)
    }

    fn decision_record(&self, debate: &Debate) -> Result<String, Refusal> {
        documents::adr(debate)
    }

    fn claims_json(&self, debate: &Debate) -> Value {
        json!(ledger(debate))
    }

    fn claims_table(&self, debate: &Debate) -> String {
        claim_table(&ledger(debate))
    }
}

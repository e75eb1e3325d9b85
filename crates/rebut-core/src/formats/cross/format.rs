//! The interface of an ask and a cross to the rest of rebut.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::documents::{self, is_ask};
use super::procedure::{self, Wanted};
use super::{Content, CrossSetup, Kind, Partner, ROUNDS, last_round, ledger, seat_notes, setup, thread};
use crate::debate::page::Section;
use crate::debate::{
    Brief, Call, Debate, Event, Features, Format, NewVersion, OutlineCall, Part, Payload, Plan, PlanWords, Procedure,
    Refusal, Rejection, SeatName, Step, StepKey,
};
use crate::formats::{accepted, no_such_part, prompts, unknown_call};
use crate::report::claim_table;

/// The format, of which an ask is the opening round alone.
#[derive(Clone, Copy, Debug)]
pub struct Cross;

impl Procedure for Cross {
    fn next(&self, debate: &Debate) -> Vec<Step> {
        procedure::next(debate)
    }

    fn accept(&self, debate: &Debate, _key: &StepKey, call: &Call, text: &str) -> Result<Payload, Rejection> {
        let wanted: &Wanted = call.asks.get().ok_or_else(unknown_call)?;
        procedure::accept(debate, *wanted, text).map(|content| accepted(text, content))
    }
}

impl Format for Cross {
    fn features(&self) -> &'static Features {
        &Features {
            prompts: prompts!["cross": "again" "claims" "critique" "matter" "moderator" "opening" "partner" "synthesis"],
            judge: "moderator",
            seats_read: "question and answers",
            can_fork: true,
            is_shared: false,
            concludes_stopped: false,
        }
    }

    fn decode(&self, part: Part, payload: &mut Payload) -> serde_json::Result<()> {
        match part {
            Part::Setup => payload.decode::<CrossSetup>(),
            Part::Content => payload.decode::<Content>(),
            Part::Record | Part::Change => Err(no_such_part()),
        }
    }

    fn thread(&self, plan: &Plan, seat: &SeatName) -> Option<String> {
        Some(thread(plan, seat))
    }

    fn rounds_done(&self, debate: &Debate) -> u32 {
        last_round(debate).unwrap_or(0)
    }

    fn most_rounds(&self, plan: &Plan) -> Result<u32, Refusal> {
        match setup(plan).map(|setup| setup.kind) {
            Some(Kind::Ask) => {
                Err(Refusal::new("an ask has no rounds").hint("debate its answers with: rebut cross --from ID"))
            }
            _ => Ok(*ROUNDS.end()),
        }
    }

    /// A user who sets a number of rounds later wants all of them.
    fn set_rounds(&self, setup: &mut Payload, rounds: u32) {
        setup.edit(|cross: &mut CrossSetup| (cross.rounds, cross.gate, cross.always_debate) = (rounds, false, true));
    }

    fn further(&self, debate: &Debate) -> String {
        let id = debate.plan().id.short();
        if is_ask(debate) {
            format!(
                "{id} is complete; add another comparison with --judge, or have the answers critiqued with: rebut cross --from {id}"
            )
        } else {
            format!("{id} is complete; add another synthesis with --judge, or rounds with --rounds")
        }
    }

    fn seat_title(&self, _plan: &Plan, seat: &SeatName) -> String {
        Partner::of_seat(seat.as_str()).map_or_else(|| seat.to_string(), Partner::title)
    }

    fn outline(&self, plan: &Plan) -> Vec<OutlineCall> {
        procedure::outline(plan)
    }

    fn verdict_calls(&self, plan: &Plan) -> Vec<OutlineCall> {
        procedure::outline(plan).pop().into_iter().collect()
    }

    /// All partners of a round are asked at once.
    fn calls_in_turn(&self, _plan: &Plan, outline: &[OutlineCall]) -> u64 {
        outline.iter().map(|call| &call.phase).collect::<BTreeSet<_>>().len() as u64
    }

    fn plan_words<'a>(&self, plan: &'a Plan) -> PlanWords<'a> {
        let Some(setup) = setup(plan) else { return PlanWords::default() };
        let options = (!setup.options.is_empty()).then(|| ("options", setup.options.join(", ")));
        let opening = setup.opening.as_ref().map(|opening| {
            let count = opening.answers.len();
            ("answers", format!("reusing {count} answers of {}", opening.debate))
        });
        let missing = Some((procedure::extra_calls(plan), "missing claim lists"));
        PlanWords {
            rounds: match setup.rounds {
                0 => "opening answers only".to_owned(),
                rounds => format!("at most {rounds}"),
            },
            lines: options.into_iter().chain(opening).collect(),
            notes: seat_notes(plan),
            extra_calls: missing.filter(|(calls, _)| *calls > 0).into_iter().collect(),
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

    fn side_by_side(&self, debate: &Debate) -> Vec<(String, String)> {
        if is_ask(debate) { documents::panels(debate) } else { Vec::new() }
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
        json!(ledger(debate))
    }

    fn claims_table(&self, debate: &Debate) -> String {
        claim_table(&ledger(debate))
    }
}

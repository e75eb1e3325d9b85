//! The interface of an ask and a cross to the rest of rebut.

use std::collections::BTreeSet;

use super::documents::is_ask;
use super::{Content, CrossSetup, Kind, Partner, ROUNDS, last_round, procedure, seat_notes, setup, thread};
use crate::debate::{Debate, Features, Format, OutlineCall, Payload, Plan, PlanWords, Refusal, SeatName};
use crate::formats::prompts;

/// The format, of which an ask is the opening round alone.
#[derive(Clone, Copy, Debug)]
pub struct Cross;

impl Format for Cross {
    fn features(&self) -> &'static Features {
        &Features {
            setup: Payload::decode::<CrossSetup>,
            content: Payload::decode::<Content>,
            record: Payload::decode::<()>,
            change: Payload::decode::<()>,
            prompts: prompts!["cross": "again" "claims" "critique" "matter" "moderator" "opening" "partner" "synthesis"],
            judge: "moderator",
            seats_read: "question and answers",
            can_fork: true,
            is_shared: false,
            concludes_stopped: false,
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
}

//! All that a duel is to the rest of rebut.

use super::exchange::is_exchange_planned;
use super::{Bout, Content, DuelSetup, Jury, ROUNDS, firmness, judge_seats, known_cases, outline, rounds, seat_notes};
use crate::debate::{Debate, Features, Format, OutlineCall, Payload, Plan, PlanWords, Refusal};
use crate::formats::prompts;
use crate::judging::Firmness;

pub(in crate::formats) const PROMPTS: &[(&str, &str)] = prompts![
    "duel": "claims" "closing" "debater" "judge" "matter" "opening" "response" "defence" "follow_up" "short" "summary" "verdict"
    "tiny_opening" "tiny_answer" "tiny_summary" "tiny_verdict"
];

#[derive(Clone, Copy, Debug)]
pub struct Duel;

impl Format for Duel {
    fn features(&self) -> &'static Features {
        &Features {
            setup: Payload::decode::<DuelSetup>,
            content: Payload::decode::<Content>,
            record: Payload::decode::<()>,
            change: Payload::decode::<Jury>,
            prompts: PROMPTS,
            judge: "judge",
            seats_read: "topic and statements",
            can_fork: true,
            is_shared: true,
            concludes_stopped: false,
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
}

//! The interface of a review to the rest of rebut.

use std::collections::BTreeSet;

use super::{
    Confidence, Content, Mode, ROUNDS, Record, ReviewSetup, Target, procedure, rounds::rounds, seat_notes, setup, split_note,
};
use crate::debate::{Debate, Features, Format, OutlineCall, Payload, Plan, PlanWords, Reach, Refusal};
use crate::formats::prompts;

#[derive(Clone, Copy, Debug)]
pub struct Review;

impl Format for Review {
    fn features(&self) -> &'static Features {
        &Features {
            setup: Payload::decode::<ReviewSetup>,
            content: Payload::decode::<Content>,
            record: Payload::decode::<Record>,
            change: Payload::decode::<()>,
            prompts: prompts!["review": "author" "critic" "critique" "judge" "judgement" "matter" "rebuttal" "rewrite"],
            judge: "judge",
            seats_read: "the reviewed text and findings",
            can_fork: false,
            is_shared: false,
            concludes_stopped: true,
        }
    }

    fn leaves_choices(&self, plan: &Plan) -> bool {
        setup(plan).is_some_and(|setup| setup.mode == Mode::Manual)
    }

    fn rounds_done(&self, debate: &Debate) -> u32 {
        u32::try_from(rounds(debate).len()).unwrap_or(u32::MAX)
    }

    fn most_rounds(&self, _plan: &Plan) -> Result<u32, Refusal> {
        Ok(*ROUNDS.end())
    }

    fn set_rounds(&self, setup: &mut Payload, rounds: u32) {
        setup.edit(|review: &mut ReviewSetup| review.max_rounds = rounds);
    }

    fn reach<'a>(&self, plan: &'a Plan) -> Reach<'a> {
        let Some(setup) = setup(plan) else { return Reach::default() };
        let of_commit = ["commit:", "base:", "range:"].iter().any(|scope| setup.scope.starts_with(scope));
        Reach { base: setup.artifact.form.base(), of_commit, web: false }
    }

    fn outline(&self, plan: &Plan) -> Vec<OutlineCall> {
        procedure::outline(plan)
    }

    /// The parts of an artifact are critiqued at the same time.
    fn calls_in_turn(&self, _plan: &Plan, outline: &[OutlineCall]) -> u64 {
        let step = |call: &OutlineCall| call.key.as_str().split('/').take(2).collect::<Vec<_>>().join("/");
        outline.iter().map(step).collect::<BTreeSet<String>>().len() as u64
    }

    fn plan_words<'a>(&self, plan: &'a Plan) -> PlanWords<'a> {
        let Some(setup) = setup(plan) else { return PlanWords::default() };
        let lines = match setup.artifact.text.lines().count() {
            1 => "1 line".to_owned(),
            count => format!("{count} lines"),
        };
        let (target, scope, confidence) = (setup.target.as_str(), &setup.scope, setup.confidence.as_str());
        // Nothing marks it as a proposal either.
        let perhaps_code = setup.target == Target::Proposal && setup.confidence != Confidence::High;
        let hint = if perhaps_code { "; use --target code if it is code" } else { "" };
        let artifact = format!("{scope}, {lines}, reviewed as {target} (confidence {confidence}){hint}");
        let mode = format!("{}, intensity {}", setup.mode.as_str(), setup.intensity.as_str());
        let parts = split_note(plan).map(|note| ("parts", note));
        PlanWords {
            rounds: format!("at most {}", setup.max_rounds),
            lines: [("artifact", artifact), ("mode", mode)].into_iter().chain(parts).collect(),
            notes: seat_notes(plan),
            ..PlanWords::default()
        }
    }
}

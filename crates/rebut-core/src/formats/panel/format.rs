//! The interface of a panel to the rest of rebut.

use super::{
    Content, LineupWord, PanelSetup, ROUNDS, awaited_lineup, documents, firmness, judgements, outline, procedure, record,
    rounds_have_ended, seat_notes, setup,
};
use crate::debate::{Debate, Features, Format, OutlineCall, Payload, Plan, PlanWords, Reach, Refusal};
use crate::formats::prompts;
use crate::judging::Firmness;
use crate::report::text::first_line;

#[derive(Clone, Copy, Debug)]
pub struct Panel;

impl Format for Panel {
    fn features(&self) -> &'static Features {
        &Features {
            setup: Payload::decode::<PanelSetup>,
            content: Payload::decode::<Content>,
            record: Payload::decode::<()>,
            change: Payload::decode::<LineupWord>,
            prompts: prompts![
                "panel": "assessment" "assessor" "audience" "blog" "chair" "clarification" "closing" "conclusion" "convener"
                "debater" "judgement" "lineup" "matter" "natural_end" "notes" "opening" "questions" "ready" "reporter"
                "round" "summary" "unresolved" "verification" "verifier"
            ],
            judge: "chair",
            seats_read: "topic and statements",
            can_fork: false,
            is_shared: false,
            concludes_stopped: false,
        }
    }

    fn shown(&self, debate: &Debate, text: &str) -> String {
        procedure::shown(debate, text)
    }

    fn waits_for_user(&self, debate: &Debate) -> bool {
        awaited_lineup(debate).is_some()
    }

    fn rounds_done(&self, debate: &Debate) -> u32 {
        record(debate).map_or(0, |record| record.rounds)
    }

    fn most_rounds(&self, _plan: &Plan) -> Result<u32, Refusal> {
        Ok(*ROUNDS.end())
    }

    fn set_rounds(&self, setup: &mut Payload, rounds: u32) {
        setup.edit(|panel: &mut PanelSetup| panel.max_rounds = rounds);
    }

    /// Takes up what the user said of the lineup.
    fn amend(&self, setup: &mut Payload, change: &Payload) {
        let Some(word) = change.get::<LineupWord>().cloned() else { return };
        setup.edit(|panel: &mut PanelSetup| match word {
            LineupWord::Taken { debaters } => panel.debaters = debaters,
            LineupWord::Changed { wish } => panel.wishes.push(wish),
        });
    }

    fn check_amendment(&self, debate: &Debate, judge: bool, rounds: Option<u32>) -> Result<(), Refusal> {
        if judge && !judgements(debate).is_empty() {
            return Err(
                Refusal::new("this panel has been judged").hint("start another one with: rebut panel … --chair SEAT")
            );
        }
        let Some(rounds) = rounds else { return Ok(()) };
        if rounds_have_ended(debate) {
            return Err(Refusal::new("the rounds of this panel are over"));
        }
        let fewest = setup(debate.plan()).map_or(1, |setup| setup.min_rounds).max(self.rounds_done(debate));
        if rounds < fewest {
            return Err(Refusal::new(format!("this panel has at least {fewest} rounds; {rounds} is too few")));
        }
        Ok(())
    }

    fn further(&self, _debate: &Debate) -> String {
        "this panel is complete; only missing documents are written again".to_owned()
    }

    fn reach<'a>(&self, plan: &'a Plan) -> Reach<'a> {
        Reach { web: setup(plan).is_some_and(|setup| setup.web), ..Reach::default() }
    }

    fn output<'a>(&self, plan: &'a Plan) -> Option<(&'a str, &'static [&'static str])> {
        let folder = setup(plan).map(|setup| setup.output.as_str()).filter(|folder| !folder.is_empty())?;
        Some((folder, &documents::DOCUMENTS))
    }

    fn outline(&self, plan: &Plan) -> Vec<OutlineCall> {
        outline::outline(plan)
    }

    fn is_probe(&self, call: &OutlineCall) -> bool {
        call.phase.0 == "readiness"
    }

    /// Verification runs in parallel; the debate waits for it after the openings and after each round.
    fn verdict_calls(&self, plan: &Plan) -> Vec<OutlineCall> {
        self.outline(plan).into_iter().filter(|call| call.phase.0 == "judgement").collect()
    }

    fn firmness(&self, debate: &Debate) -> Option<Firmness> {
        firmness(debate)
    }

    fn calls_in_turn(&self, plan: &Plan, outline: &[OutlineCall]) -> u64 {
        let phases = ["readiness", "verification", "documents", "judgement"];
        let together = |call: &&OutlineCall| phases.contains(&call.phase.as_str());
        let is_verified = outline.iter().any(|call| call.phase.0 == "verification");
        let waited_for = setup(plan).filter(|_| is_verified).map_or(0, |setup| setup.max_rounds + 1);
        (outline.len() - outline.iter().filter(together).count()) as u64 + u64::from(waited_for) + 3
    }

    fn plan_words<'a>(&self, plan: &'a Plan) -> PlanWords<'a> {
        let Some(setup) = setup(plan) else { return PlanWords::default() };
        let names = setup.names();
        let hints =
            if setup.hints.is_empty() { String::new() } else { format!(" by your hint: {}", first_line(&setup.hints)) };
        let proposed = || format!("the chair proposes the debaters{hints}; estimates assume three");
        let who = if names.is_empty() { proposed() } else { names.join(", ") };
        let least = if setup.min_rounds == 1 { "1 round".to_owned() } else { format!("{} rounds", setup.min_rounds) };
        let minutes = setup.time_budget_minutes;
        let panel = ("panel", format!("{who}; at least {least}, no new round after {minutes} minutes"));
        let documents = (!setup.output.is_empty()).then(|| ("documents", setup.output.clone()));
        let later = if setup.debaters.is_empty() { setup.default_seats.as_slice() } else { &[] };
        PlanWords {
            rounds: format!("at most {}", setup.max_rounds),
            lines: std::iter::once(panel).chain(documents).collect(),
            seated_later: ("debaters", later),
            notes: seat_notes(plan),
            ..PlanWords::default()
        }
    }
}

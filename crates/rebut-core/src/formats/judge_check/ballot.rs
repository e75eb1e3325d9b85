//! What a judge is asked about a known case: exactly what the judge of a duel is asked. A duel of one round is folded whose
//! statements are those of the case, and its call for the verdict is taken, so there is no second prompt to maintain.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::json;

use crate::debate::{
    Action, Answer, Call, Chance, Debate, Event, EvidenceRules, Happening, Payload, Phase, Plan, Procedure, Rejection,
    RunOn, Scope, SeatPlan, Step, StepKey,
};
use crate::evidence::Subject;
use crate::evidence::check::{Checked, Cited, Judgement};
use crate::formats::begin;
use crate::formats::duel::{Duel, DuelSetup, Role, chosen, judge_seat};
use crate::judge_check::{ShownCase, ShownSide};
use crate::judging::{Label, Rigor};

/// A duel on a known case, up to the call for its verdict.
pub(super) struct Ballot {
    duel: Debate,
    key: StepKey,
    pub(super) call: Call,
}

/// A duel of one round reaches its verdict in fewer steps.
const MOST_STEPS: usize = 20;

impl Ballot {
    /// The ballot on a case; none if the duel's prompts can't be rendered.
    pub(super) fn on(plan: &Plan, judge: &SeatPlan, at: Timestamp, key: &StepKey, shown: &ShownCase) -> Option<Self> {
        let plan = Box::new(duel_plan(plan, judge, key, &shown.question));
        let mut duel = begin(Event { at, happening: Happening::Planned { plan } }).ok()?;
        for _ in 0..MOST_STEPS {
            for Step { key, action } in Duel.next(&duel) {
                match action {
                    Action::Ask(call) if call.seat == judge_seat(1) => return Some(Self { duel, key, call: *call }),
                    action => {
                        for happening in happenings(&duel, key, action, shown)? {
                            duel.apply(Event { at, happening }).ok()?;
                        }
                    }
                }
            }
        }
        None
    }

    /// The side that an answer names, or why the answer is rejected.
    pub(super) fn chosen(&self, text: &str) -> Result<Option<Label>, Rejection> {
        let content = Duel.accept(&self.duel, &self.key, &self.call, text)?;
        Ok(chosen(&content).map(|winner| if winner == Role::Proposer { Label::A } else { Label::B }))
    }
}

/// The duel in which this judge reads the case.
fn duel_plan(plan: &Plan, judge: &SeatPlan, key: &StepKey, question: &str) -> Plan {
    let debater = SeatPlan { tool: "script".to_owned(), model: None, ..judge.clone() };
    let scope = Scope::Nothing { why: "a known case has no workspace".to_owned() };
    Plan {
        topic: question.to_owned(),
        format: "duel".to_owned(),
        setup: Payload::of(DuelSetup::with_one_judge(1, Rigor::Quick)),
        seats: BTreeMap::from([
            (Role::Proposer.seat(), debater.clone()),
            (Role::Challenger.seat(), debater),
            (judge_seat(1), judge.clone()),
        ]),
        evidence: Some(EvidenceRules { scope, commands: None, run_on: RunOn::default(), fetch_sources: false }),
        chance: Chance::from_nonce(format!("{}/{key}", plan.chance.nonce())),
        ..plan.clone()
    }
}

/// What happens at a step of the duel before its verdict.
fn happenings(duel: &Debate, key: StepKey, action: Action, shown: &ShownCase) -> Option<Vec<Happening>> {
    match action {
        Action::Ask(call) => {
            let text = statement(if call.seat == Role::Proposer.seat() { &shown.a } else { &shown.b });
            let content = Duel.accept(duel, &key, &call, &text).ok()?;
            let Call { seat, prompt, .. } = *call;
            let (attempt, phase, limit_ms, reserved_tokens) = (1, Phase(String::new()), 0, 0);
            let started = Happening::Started { key: key.clone(), attempt, seat, phase, prompt, limit_ms, reserved_tokens };
            let answer = Answer { text, ..Answer::default() };
            Some(vec![started, Happening::Answered { key, answer, content }])
        }
        Action::Check(check) => {
            let findings = check.evidence.into_iter().map(|cited| looked_up(cited, shown)).collect();
            Some(vec![Happening::Checked { key, findings, pages: Vec::new() }])
        }
        _ => None,
    }
}

/// The statement of a side, with the block that lists its claim.
fn statement(side: &ShownSide) -> String {
    let evidence: Vec<_> = side.cites.iter().map(|(path, lines)| json!({ "file": path, "lines": lines })).collect();
    let block = json!({ "claims": [{ "text": side.claim, "evidence": evidence }] });
    format!("{}\n\n```json\n{block}\n```\n", side.text)
}

/// The citation that a variant adds is false; nothing else can be looked up.
fn looked_up(cited: Cited, shown: &ShownCase) -> Checked {
    let mut added = [&shown.a, &shown.b].into_iter().filter_map(|side| side.cites);
    let is_false = matches!(cited.evidence.subject(), Subject::File { path, .. } if added.any(|(file, _)| file == path));
    if is_false {
        Checked::of(cited, Judgement::missing("no such file"))
    } else {
        Checked::of(cited, Judgement::unchecked("a known case has no workspace"))
    }
}

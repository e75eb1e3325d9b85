//! The check of a judge as a debate: what is asked is what the judge of a duel is asked.

use std::collections::BTreeMap;

use rebut_core::debate::{Action, Call, Debate, Event, Happening, Payload, Plan, Procedure, Status};
use rebut_core::formats::begin;
use rebut_core::formats::judge_check::{CheckSetup, JudgeCheck, NAME, judge, prompt_hash, record};
use rebut_core::judge_check::{Extent, Skill, built_in};
use serde_json::json;

use crate::test_debate::plan::duel;

fn check(extent: Extent) -> Plan {
    let duel = duel(1);
    let cases = built_in().expect("the built-in cases");
    let seats = BTreeMap::from([(judge(), duel.seats[&judge()].clone())]);
    let setup = Payload::of(CheckSetup { cases, extent, prompt: "p".to_owned() });
    Plan { format: NAME.to_owned(), setup, seats, evidence: None, ..duel }
}

/// Asks a judge that reads each prompt, and gives the whole check.
fn run(plan: Plan, judge: impl Fn(&Call) -> &'static str) -> Debate {
    let at = "2026-11-16T10:00:00Z".parse().expect("a time");
    let mut debate = begin(Event { at, happening: Happening::Planned { plan: Box::new(plan) } }).expect("a plan");
    while debate.outcome().is_none() {
        for step in JudgeCheck.next(&debate) {
            let happening = match step.action {
                Action::Ask(call) => {
                    let answer = rebut_core::debate::Answer { text: verdict(judge(&call)), ..Default::default() };
                    let content = JudgeCheck.accept(&debate, &step.key, &call, &answer.text).expect("a verdict");
                    let (key, seat, phase, prompt) = (step.key.clone(), call.seat, call.phase, call.prompt);
                    let began = Happening::Started { key, attempt: 1, seat, phase, prompt, limit_ms: 1, reserved_tokens: 0 };
                    debate.apply(Event { at, happening: began }).expect("a call");
                    Happening::Answered { key: step.key, answer, content }
                }
                Action::Finish(outcome) => Happening::Finished { outcome },
                other => panic!("{other:?}"),
            };
            debate.apply(Event { at, happening }).expect("an event that follows");
        }
    }
    debate
}

/// A verdict that rests on the loser's statement: the winner's may cite what is false.
fn verdict(winner: &str) -> String {
    let lost = if winner == "proposer" { "C1" } else { "P1" };
    json!({
        "winner": winner, "reasoning": "So.",
        "decisive": [{"ref": lost, "why": "So."}, {"ref": lost, "why": "So."}],
        "quality": {"genuine_disagreement": "low", "evidence_quality": "low", "challenge_depth": "low"},
        "agreements": [], "disagreements": [], "unresolved": [], "recommendation": "So.",
    })
    .to_string()
}

#[test]
fn a_sample_is_a_hundred_calls_and_a_judge_that_always_names_the_same_side_is_no_better_than_chance() {
    let debate = run(check(Extent::Sample), |_| "proposer");
    let record = record(&debate).expect("a score");
    assert_eq!((debate.calls().count(), debate.status()), (100, Status::Completed));
    assert_eq!(record.score.skill, Some(Skill::NoBetterThanChance));
    let told = "right in 50 % of 20 known cases, flips 100 %, no better than chance, checked 2026-11-16";
    assert_eq!(record.to_string(), told);
}

#[test]
fn a_false_citation_reaches_the_judge_with_its_mark() {
    let debate = run(check(Extent::Sample), |call| {
        let is_cited = call.phase.0 == "false-citation";
        assert_eq!(call.prompt.user.contains("no such file"), is_cited, "{}", call.prompt.user);
        "challenger"
    });
    let heeded = record(&debate).expect("a score").score.false_citation_heeded.expect("asked");
    assert_eq!((heeded.count, heeded.of), (5, 10));
}

#[test]
fn another_prompt_of_the_duel_is_another_version() {
    let plan = check(Extent::Sample);
    let seat = plan.seats[&judge()].clone();
    let own =
        rebut_core::debate::PromptOverride { origin: "own".to_owned(), from_project: false, text: "Judge!".to_owned() };
    let changed = Plan { prompts: BTreeMap::from([("duel/judge.md".to_owned(), own)]), ..plan.clone() };
    assert_eq!(prompt_hash(&plan, &seat), prompt_hash(&Plan { topic: "x".to_owned(), ..plan.clone() }, &seat));
    assert_ne!(prompt_hash(&plan, &seat), prompt_hash(&changed, &seat));
    assert!(prompt_hash(&plan, &seat).is_some());
}

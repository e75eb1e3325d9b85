//! Scripted judges in whole debates and in `judge check`: what two ballots find, and what only known cases find.
//!
//! `scripts/bench judges` runs 200 debates per judge and prints the table; the tests run fewer.

#![expect(clippy::print_stdout, reason = "the table of scripts/bench")]

use std::collections::BTreeMap;
use std::rc::Rc;

use rebut_core::debate::{Call, Chance, Payload, Plan, PromptOverride, Status};
use rebut_core::formats::duel::{self, DuelSetup, judge_seat};
use rebut_core::formats::judge_check::{CheckSetup, NAME, judge, prompt_hash, record};
use rebut_core::judge_check::{Case, Extent, JudgeRecord, Skill, built_in};
use rebut_core::judging::{Firmness, Label, Rigor};
use serde_json::json;

use crate::test_debate::plan::duel as duel_plan;
use crate::test_debate::{TestDebate, seat, texts};

/// A judge who reads a prompt, knowing the right texts of all cases, and names a side.
type Judge = fn(&Call, &[String]) -> Label;

const JUDGES: [(&str, Judge); 5] = [
    ("always label A", |_, _| Label::A),
    ("always the first case file", first_case_file),
    ("always right", right),
    ("a coin", coin),
    ("always the longest", longest),
];

fn first_case_file(call: &Call, _: &[String]) -> Label {
    let (_, after) = call.prompt.user.split_once("case file of Side ").expect("a case file");
    if after.starts_with('A') { Label::A } else { Label::B }
}

fn right(call: &Call, right: &[String]) -> Label {
    let is_right = |label: &Label| right.iter().any(|text| said(call, *label).contains(text.as_str()));
    let sides: Vec<Label> = Label::BOTH.into_iter().filter(is_right).collect();
    let [side] = sides[..] else { panic!("one side is right:\n{}", call.prompt.user) };
    side
}

fn coin(call: &Call, _: &[String]) -> Label {
    let seed = Chance::from_nonce("coin").seed(&format!("{}{}", call.seat, call.prompt.user));
    if seed.is_multiple_of(2) { Label::A } else { Label::B }
}

fn longest(call: &Call, _: &[String]) -> Label {
    // Of two that are as long, always the same.
    let [a, b] = Label::BOTH.map(|label| (said(call, label).len(), said(call, label)));
    if a > b { Label::A } else { Label::B }
}

/// The statement of a side in the prompt of a ballot.
fn said(call: &Call, label: Label) -> &str {
    let title = format!("{0}1: round 1, Side {0}>>\n", label.as_str());
    let (_, after) = call.prompt.user.split_once(&title).expect("the side's statement");
    after.split_once("\n<<end ").expect("its end").0
}

/// A verdict that rests on the losing side, since what the winner cites may be false.
fn verdict(winner: Label) -> String {
    let lost = winner.other().as_str();
    json!({
        "winner": winner.as_str(), "reasoning": "So.", "recommendation": "So.",
        "decisive": [{"ref": format!("{lost}1"), "why": "So."}, {"ref": format!("{lost}1.1"), "why": "So."}],
        "quality": {"genuine_disagreement": "low", "evidence_quality": "low", "challenge_depth": "low"},
        "agreements": [], "disagreements": [], "unresolved": [],
    })
    .to_string()
}

/// The debate judged by this scripted judge, on every seat that judges.
fn judged_by(debate: TestDebate, judge: Judge, cases: &[Case]) -> TestDebate {
    let texts: Rc<[String]> = cases.iter().map(|case| case.text(case.better).to_owned()).collect();
    debate.judged_by(move |call| verdict(judge(call, &texts))).run()
}

/// A duel on a known case at `standard`, with a second judge in reserve.
fn debate(number: usize, cases: &[Case]) -> TestDebate {
    let case = &cases[number % cases.len()];
    let (first, second) = if (number / cases.len()).is_multiple_of(2) { (&case.a, &case.b) } else { (&case.b, &case.a) };
    let debate = TestDebate::planned(1, |plan| {
        let mut setup = DuelSetup::with_one_judge(1, Rigor::Standard);
        setup.jury.reserve = Some(judge_seat(2));
        plan.seats.insert(judge_seat(2), seat("elm"));
        plan.setup = Payload::of(setup);
        plan.topic.clone_from(&case.question);
        plan.chance = Chance::from_nonce(format!("debate {number}"));
    });
    let block = r#"{"claims": [{"text": "That is the answer", "evidence": []}]}"#;
    debate
        .says("round-1/proposer", texts::with_block(first, block))
        .says("round-1/challenger", texts::with_block(second, block))
}

fn check_plan() -> Plan {
    let (plan, cases) = (duel_plan(1), built_in().expect("the built-in cases"));
    let setup = Payload::of(CheckSetup { cases, extent: Extent::Sample });
    let seats = BTreeMap::from([(judge(), plan.seats[&judge()].clone())]);
    Plan { format: NAME.to_owned(), setup, seats, ..plan }
}

fn checked(judge: Judge) -> JudgeRecord {
    let debate = judged_by(TestDebate::of(check_plan()), judge, &built_in().expect("the built-in cases"));
    assert_eq!((debate.asked().len(), debate.status()), (100, Status::Completed));
    record(debate.debate()).expect("a score")
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "the core reads no environment; `scripts/bench judges` sets how many debates this runs"
)]
fn two_ballots_find_some_bad_judges_and_known_cases_the_others() {
    let debates: usize = std::env::var("REBUT_SIMULATED_DEBATES").map_or(20, |count| count.parse().expect("a number"));
    let cases = built_in().expect("the built-in cases");
    println!("| judge | firm | leaning | undecided | judge check | pull of length |\n|---|---|---|---|---|---|");
    for (name, judge) in JUDGES {
        let mut counts = BTreeMap::new();
        for number in 0..debates {
            let debate = judged_by(debate(number, &cases), judge, &cases);
            *counts.entry(duel::firmness(debate.debate()).expect("a judged debate").as_str()).or_insert(0) += 1;
        }
        let of = |firmness: Firmness| counts.get(firmness.as_str()).copied().unwrap_or(0);
        let [firm, leaning, undecided] = [Firmness::Firm, Firmness::Leaning, Firmness::Undecided].map(of);
        let score = checked(judge).score;
        let pull = score.length.expect("asked").change();
        println!("| {name} | {firm} | {leaning} | {undecided} | {score} | {:+.0}% |", pull * 100.0);
        match name {
            "always label A" | "always the first case file" => assert_eq!(undecided, debates, "{name}"),
            "always right" => assert_eq!((firm, score.skill), (debates, Some(Skill::BetterThanChance)), "{name}"),
            "a coin" => {
                assert!((debates * 2 / 5..=debates * 3 / 5).contains(&firm), "{name}: {firm} of {debates}");
                assert_eq!(score.skill, Some(Skill::NoBetterThanChance), "{name}");
            }
            // Both ballots agree, whether it is right or not.
            _ => assert!(firm == debates && pull >= 0.3, "{name}: {firm} of {debates}, {pull}"),
        }
    }
}

#[test]
fn a_check_says_what_it_found_and_when() {
    let told = "right in 50% of 20 known cases, flips 100%, no better than chance, checked 2026-11-15";
    assert_eq!(checked(|_, _| Label::A).to_string(), told);
}

#[test]
fn a_false_citation_reaches_the_judge_with_its_mark() {
    let heeds = |call: &Call, texts: &[String]| {
        assert_eq!(call.prompt.user.contains("no such file"), call.phase.0 == "false-citation", "{}", call.prompt.user);
        right(call, texts)
    };
    let heeded = checked(heeds).score.false_citation_heeded.expect("asked");
    assert_eq!((heeded.count, heeded.of), (10, 10));
}

#[test]
fn another_prompt_of_the_judge_is_another_version() {
    let plan = check_plan();
    let own = PromptOverride { origin: "own".to_owned(), from_project: false, text: "Judge!".to_owned() };
    let with = |name: &str| Plan { prompts: BTreeMap::from([(name.to_owned(), own.clone())]), ..plan.clone() };
    assert_eq!(prompt_hash(&plan), prompt_hash(&duel_plan(2)));
    assert_eq!(prompt_hash(&plan), prompt_hash(&with("duel/opening.md")));
    assert_ne!(prompt_hash(&plan), prompt_hash(&with("duel/judge.md")));
}

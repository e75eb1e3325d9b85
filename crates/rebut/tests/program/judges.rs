//! `rebut judge check`: known cases, asked as a duel's judge is asked, and what is made of the result.

use rebut_fakes::{Script, ScriptLine, TestEnv, verdict};

use crate::machine_for;

const CASES: &str = r#"{"id": "one", "question": "1 + 1?", "a": "It is 2.", "b": "It is 3.", "better": "a"}
{"id": "two", "question": "2 + 2?", "a": "It is 5.", "b": "It is 4.", "better": "b"}
"#;
const VARIANTS: [&str; 7] = ["plain", "longer", "confident", "formatted", "flattering", "false-citation", "injection"];
const CHECK: [&str; 5] = ["judge", "check", "script:debate.toml#bench", "--cases", "ours.jsonl"];

/// A machine with a judge who is right about both cases, in every variant and order.
fn machine_with_judge() -> TestEnv {
    let mut script = Script::duel(1);
    for (case, better) in [("one", "proposer"), ("two", "challenger")] {
        let other = if better == "proposer" { "challenger" } else { "proposer" };
        for variant in VARIANTS {
            for (order, winner) in [("as-written", better), ("exchanged", other)] {
                script = script.call(&format!("{case}/{variant}/{order}"), ScriptLine::text(verdict(winner)));
            }
        }
    }
    let env = machine_for(&script);
    env.write("ours.jsonl", CASES);
    env
}

#[test]
fn a_check_is_kept_and_printed_in_later_duels() {
    let env = machine_with_judge();
    let _ = env.duel(&["--dry-run"]).exits(0).shows("judge never checked");
    let run = env.rebut([&CHECK[..], &["--yes"]].concat()).exits(0);
    let _ = run.shows("script:debate.toml#bench is right in 100 % of 2 known cases, flips 0 %");
    let known = "right in 100 % of 2 known cases, flips 0 %, no better than chance, checked 20";
    let _ = env.duel(&["--dry-run"]).exits(0).shows(known);
    let _ = env.duel(&["--rounds", "1"]).exits(0).shows(&format!("Known cases (judge): {known}"));
    let _ = env.rebut(["list", "--kind", "judge-check"]).exits(0).shows("known cases");
}

#[test]
fn a_check_asks_before_it_spends() {
    let env = machine_with_judge();
    let _ = env.rebut(CHECK).exits(2).says("--yes");
    let plan = env.rebut([&CHECK[..], &["--dry-run"]].concat()).exits(0);
    let _ = plan.shows("28 ");
    env.write("ours.jsonl", "{\"question\": \"?\"}\n");
    let _ = env.rebut([&CHECK[..], &["--yes"]].concat()).exits(2).says("ours.jsonl: line 1: missing field `a`");
    assert!(!env.state().exists());
}

#[test]
fn a_check_that_was_killed_asks_only_the_rest() {
    let env = machine_with_judge();
    env.rebut_with("REBUT_FAULT", "kill-after:30", [&CHECK[..], &["--yes"]].concat()).was_killed();
    let before = env.debate().answered();
    assert!(!before.is_empty());
    let _ = env.rebut(["resume", "last"]).exits(0).shows("right in 100 % of 2 known cases");
    let debate = env.debate();
    assert_eq!(debate.answered()[..before.len()], before);
    assert_eq!(debate.answers().len(), 28);
    assert!(debate.answers().values().all(|times| *times == 1), "{:?}", debate.answers());
    let _ = env.duel(&["--dry-run"]).exits(0).shows("right in 100 % of 2 known cases");
}

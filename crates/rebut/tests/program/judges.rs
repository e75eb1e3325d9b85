//! `rebut judge check`: known cases, asked as a duel's judge is asked, and what becomes of the result.

use rebut_fakes::{Script, ScriptLine, TestEnv, verdict};

use crate::machine_for;

const CASES: &str = r#"{"id": "one", "question": "1 + 1?", "a": "It is 2.", "b": "It is 3.", "better": "a"}
{"id": "two", "question": "2 + 2?", "a": "It is 5.", "b": "It is 4.", "better": "b"}
"#;
const VARIANTS: [&str; 7] = ["plain", "longer", "confident", "formatted", "flattering", "false-citation", "injection"];
const CHECK: [&str; 5] = ["judge", "check", "script:debate.toml#bench", "--cases", "ours.jsonl"];
const STARTED: [&str; 6] = ["judge", "check", "script:debate.toml#bench", "--cases", "ours.jsonl", "--yes"];

/// A judge who is right about both cases in every variant and order.
fn right_judge() -> Script {
    let mut script = Script::duel(1);
    for (case, better, other) in [("one", "proposer", "challenger"), ("two", "challenger", "proposer")] {
        for variant in VARIANTS {
            for (order, winner) in [("as-written", better), ("exchanged", other)] {
                script = script.call(&format!("{case}/{variant}/{order}"), ScriptLine::text(verdict(winner)));
            }
        }
    }
    script
}

fn machine(script: &Script) -> TestEnv {
    let env = machine_for(script);
    env.write("ours.jsonl", CASES);
    env
}

#[test]
fn a_check_is_kept_and_printed_in_later_duels() {
    let env = machine(&right_judge());
    let _ = env.duel(&["--dry-run"]).exits(0).shows("judge untested");
    let _ = env.rebut([&STARTED[..], &["--json"]].concat()).exits(0).shows(r#""type":"result""#);
    assert_eq!(env.debate().state()["score"]["right"]["count"], 4);
    let known = "judge right in 100% of 2 known cases, flips 0%, no better than chance, checked 20";
    let _ = env.duel(&["--dry-run"]).exits(0).shows(known);
    let _ = env.duel(&["--rounds", "1"]).exits(0).shows(&format!("- Known cases: {known}"));
    let state = env.rebut(["show", "last", "--json"]).exits(0).json();
    assert_eq!(state["rebut"]["known_cases"]["judge"]["score"]["right"]["count"], 4);
    let _ = env.rebut(["rejudge", "last"]).exits(3).shows(&format!("- Known cases: {known}"));
    let _ = env.rebut(["list", "--kind", "judge-check"]).exits(0).shows("right in 100% of 2 known cases");
    let _ = env.rebut(["show", "last"]).exits(0);
}

#[test]
fn a_check_asks_before_it_spends() {
    let env = machine(&right_judge());
    let _ = env.rebut(CHECK).exits(2).says("which may cost money").says("--yes");
    let _ = env.rebut([&CHECK[..], &["--dry-run"]].concat()).exits(0).shows("calls       28;");
    let _ = env.rebut(["judge", "check", "script:debate.toml#bench", "--dry-run"]).exits(0).shows("calls       100;");
    let _ =
        env.rebut(["judge", "check", "script:debate.toml#bench", "--all", "--dry-run"]).exits(0).shows("calls       1288;");
    env.write("ours.jsonl", "{\"question\": \"?\"}\n");
    let _ = env.rebut(STARTED).exits(2).says("ours.jsonl: line 1: missing field `a`");
    assert!(!env.state().exists());
    // What is known to cost nothing needs no question.
    env.write("ours.jsonl", CASES);
    env.rewrite(&right_judge().priced("bench", 0.0, 0.0));
    let _ = env.rebut(CHECK).exits(0).shows("right in 100% of 2 known cases");
}

#[test]
fn a_check_that_was_killed_asks_only_the_rest() {
    let env = machine(&right_judge());
    env.rebut_with("REBUT_FAULT", "kill-after:30", STARTED).was_killed();
    let before = env.debate().answered();
    assert!(!before.is_empty());
    let _ = env.rebut(["resume", "last"]).exits(0).shows("right in 100% of 2 known cases");
    let debate = env.debate();
    assert_eq!(debate.answered()[..before.len()], before);
    assert_eq!(debate.answers().len(), 28);
    assert!(debate.answers().values().all(|times| *times == 1), "{:?}", debate.answers());
    let _ = env.duel(&["--dry-run"]).exits(0).shows("judge right in 100% of 2 known cases");
}

#[test]
fn a_seat_that_never_answers_ends_the_check_early() {
    let calls = |script: Script| {
        VARIANTS.iter().fold(script, |script, variant| {
            let keys = ["one", "two"].into_iter().flat_map(|case| ["as-written", "exchanged"].map(|order| (case, order)));
            keys.fold(script, |script, (case, order)| {
                script.call(&format!("{case}/{variant}/{order}"), ScriptLine::fail("refused"))
            })
        })
    };
    let env = machine(&calls(Script::duel(1)));
    let _ = env.rebut(STARTED).exits(1).shows("No call was answered (the first: it refused");
    assert!(env.debate().of_kind("failed").len() < 28);
    let _ = env.duel(&["--dry-run"]).exits(0).shows("judge untested");
}

//! The process is killed at every event of a panel of two, and the debate is none the worse for it.

use rebut_fakes::TestEnv;
use rebut_fakes::panel::PanelScript;

use crate::meaning;

use super::{arguments, document, documents, hold, machine_with_script};

const TWO: PanelScript = PanelScript { debaters: 2, rounds: 1 };

/// The log without its times, which are the only thing that may differ.
fn timeless(env: &TestEnv) -> Vec<String> {
    let without = |line: &str| {
        let mut entry: serde_json::Value = serde_json::from_str(line).unwrap();
        entry["timestamp"] = "then".into();
        entry.to_string()
    };
    document(env, "debate-log.jsonl").lines().map(without).collect()
}

fn hold_through(env: &TestEnv, fault: &str, expected: &str, log: &[String]) {
    env.rebut_with("REBUT_FAULT", fault, arguments(TWO, &[])).was_killed();
    let kept = env.debate().answered();
    let _ = env.rebut(["resume", "last"]).exits(0);
    let debate = env.debate();
    let now = debate.answered();
    assert_eq!(now[..kept.len()], kept, "{fault}");
    assert!(debate.answers().values().all(|times| *times == 1), "{fault}: {:?}", debate.answers());
    assert_eq!(meaning(&debate), expected, "{fault}");
    assert_eq!(timeless(env), log, "{fault}");
    assert_eq!((debate.status().as_str(), documents(env).len()), ("completed", 7), "{fault}");
    clear(env);
}

fn clear(env: &TestEnv) {
    env.clear();
    std::fs::remove_dir_all(env.workspace().join("papers")).unwrap();
}

#[test]
fn a_kill_at_any_event_loses_nothing_and_pays_for_nothing_twice() {
    let env = machine_with_script(TWO, &TWO.script());
    let _ = hold(&env, TWO, &[]).exits(0);
    let events = env.debate().lines().len();
    let (expected, log) = (meaning(&env.debate()), timeless(&env));
    assert_eq!(events, 67, "planned, 7 probes, 8 turns, 4 verifications, what is ruled, judged twice and written, finished");
    clear(&env);
    for event in 0..events {
        hold_through(&env, &format!("kill-after:{event}"), &expected, &log);
    }
}

#[test]
fn a_panel_that_was_cut_off_may_have_as_many_rounds_as_any() {
    let env = machine_with_script(TWO, &TWO.script());
    env.rebut_with("REBUT_FAULT", "kill-after:20", arguments(TWO, &[])).was_killed();
    let _ = env.rebut(["resume", "last", "--rounds", "21"]).exits(2).says("--rounds 21 is too many; a panel has at most 20");
    // What comes of so many rounds is not what is looked at here.
    env.rebut_with("REBUT_FAULT", "kill-after:21", ["resume", "last", "--rounds", "12"]).was_killed();
    assert_eq!(env.debate().of_kind("resumed")[0].happening["amendment"]["rounds"], 12);
}

#[test]
fn a_kill_in_the_middle_of_an_event_loses_nothing() {
    let env = machine_with_script(TWO, &TWO.script());
    let _ = hold(&env, TWO, &[]).exits(0);
    let (events, expected, log) = (env.debate().lines().len(), meaning(&env.debate()), timeless(&env));
    clear(&env);
    for event in (1..events).step_by(5) {
        hold_through(&env, &format!("tear:{event}:20"), &expected, &log);
    }
}

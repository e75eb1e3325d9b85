//! A person chooses.

use rebut_fakes::{ScriptLine, TestEnv};
use rustix::process::Signal;

use super::{PATCH, agreement, arguments, decided, early_drop_judged, json_file, kept, repository, seats, text_file};

pub(crate) fn with_a_compromise() -> TestEnv {
    let script = early_drop_judged("P1")
        .call("round-1/rewrite", ScriptLine::text(PATCH))
        .call("round-1/rebuttal", ScriptLine::text("It is meant so."))
        .call("round-2/critique", agreement());
    repository(&script)
}

#[test]
fn the_choice_is_asked_for_with_its_recommendation() {
    let env = with_a_compromise();
    let run = env.rebut_reading(b"a\n", arguments(&["--mode", "manual"])).exits(0);
    let _ = run.says("Round 1: C is recommended").says("  B  accept the critic's version").says("(recommended)");
    assert_eq!(decided(&env), "Keep Original");
    let round = json_file(&kept(&env), "metadata.json")["rounds"][0].clone();
    assert_eq!((round["choice"].as_str(), round["judge_recommendation"].as_str()), (Some("A"), Some("C")));
    assert!(text_file(&kept(&env), "summary.md").contains("chosen: A"));
}

#[test]
fn empty_invalid_and_closed_input_take_the_recommendation() {
    for input in ["\n", "Q\n", ""] {
        let env = with_a_compromise();
        let _ = env.rebut_reading(input.as_bytes(), arguments(&["--mode", "manual"])).exits(0);
        assert_eq!(decided(&env), "Converged (agreement)", "{input:?}");
        let round = json_file(&kept(&env), "metadata.json")["rounds"][0].clone();
        assert_eq!(round["choice"], "C", "{input:?}");
    }
}

#[test]
fn a_person_who_chooses_to_stop_has_stopped_it() {
    let env = with_a_compromise();
    let _ = env.rebut_reading(b"E\n", arguments(&["--mode", "manual"])).exits(0);
    assert_eq!(decided(&env), "Stopped by user");
}

#[test]
fn another_way_than_the_recommended_one_is_gone() {
    let env = with_a_compromise();
    let _ = env.rebut_reading(b"D\n", arguments(&["--mode", "manual"])).exits(0);
    assert!(kept(&env).prompt("round-2/critique").contains("It is meant so."));
}

#[test]
fn in_auto_mode_nobody_is_asked() {
    let env = with_a_compromise();
    let run = env.rebut_reading(b"A\n", arguments(&[])).exits(0);
    assert!(!run.stderr.contains("Your choice"), "{}", run.stderr);
    assert_eq!(decided(&env), "Converged (agreement)");
}

#[test]
fn an_interrupted_review_was_stopped_by_the_user_and_goes_on_later() {
    let script = seats().call("round-1/critique", ScriptLine::hang());
    let env = repository(&script);
    let mut running = env.start(arguments(&["--json"]));
    running.wait_until_started("round-1/critique");
    running.signal(Signal::INT);
    let _ = running.end().exits(130);
    assert_eq!(decided(&env), "Stopped by user");
    super::cast(&env, &seats().call("round-1/critique", agreement()));
    let _ = env.rebut(["resume", "last"]).exits(0);
    assert_eq!(decided(&env), "Converged (agreement)");
}

//! The process is killed at every event of a cross, and the debate is none the worse for it.

use rebut_fakes::{DebateFolder, TestEnv};

use super::{TWO, arguments, cross, machine_with_script, script};

fn meaning(debate: &DebateFolder) -> (String, Vec<String>) {
    let debate = crate::read(debate);
    let contents = debate.calls().filter_map(|(key, _)| Some(format!("{key} {:?}", debate.answered(key)?.content)));
    (format!("{:?}", debate.outcome()), contents.collect())
}

fn hold_through(env: &TestEnv, fault: &str, expected: &(String, Vec<String>)) {
    env.rebut_with("REBUT_FAULT", fault, arguments("cross", &TWO, &["--rounds", "2"])).was_killed();
    let kept: Vec<String> = env.debate().of_kind("answered").into_iter().map(|line| line.raw).collect();
    let _ = env.rebut(["resume", "last"]).exits(0);
    let debate = env.debate();
    let now: Vec<String> = debate.of_kind("answered").into_iter().map(|line| line.raw).collect();
    assert_eq!(now[..kept.len()], kept, "{fault}");
    assert!(debate.answers().values().all(|times| *times == 1), "{fault}: {:?}", debate.answers());
    assert_eq!(&meaning(&debate), expected, "{fault}");
    assert_eq!(debate.status(), "completed", "{fault}");
    env.clear();
}

#[test]
fn a_kill_at_any_event_loses_nothing_and_pays_for_nothing_twice() {
    let env = machine_with_script(&script(2, 2));
    let _ = cross(&env, &TWO, &["--rounds", "2"]).exits(0);
    let events = env.debate().lines().len();
    assert_eq!(events, 16, "planned, seven calls that start and end, finished");
    let expected = meaning(&env.debate());
    env.clear();
    for event in 0..events {
        hold_through(&env, &format!("kill-after:{event}"), &expected);
    }
    for event in 1..events {
        hold_through(&env, &format!("kill-before:{event}"), &expected);
        hold_through(&env, &format!("tear:{event}:20"), &expected);
    }
}

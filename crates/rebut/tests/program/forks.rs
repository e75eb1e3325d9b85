//! Forks: what was said up to a step is reused and costs nothing, and the debate that they leave stays as it is.

use std::collections::BTreeMap;

use rebut_fakes::{DebateFolder, Script, TestEnv};

use crate::{machine_for, meaning};

const AFTER: [&str; 4] = ["--after", "round-1/challenger", "--rounds", "2"];

/// A machine with a duel of one round that has ended.
fn machine_with_parent() -> (TestEnv, DebateFolder) {
    let env = machine_for(&Script::duel(3));
    let _ = env.duel(&["--rounds", "1"]).exits(0);
    let parent = env.debate();
    (env, parent)
}

fn fork_of(env: &TestEnv, parent: &DebateFolder) -> DebateFolder {
    let mut others = env.debates().into_iter().filter(|debate| debate.id != parent.id);
    others.next_back().unwrap()
}

#[test]
fn a_fork_reuses_what_was_said_and_goes_its_own_way() {
    let (env, parent) = machine_with_parent();
    let before = parent.bytes();
    let run = env.rebut([&["fork", parent.short()], &AFTER[..]].concat()).exits(0);
    let run = run.says("Reusing 2 saved answers").says("is a fork of");
    let fork = fork_of(&env, &parent);
    let answers: BTreeMap<String, usize> = fork.answers();
    let keys: Vec<&str> = answers.keys().map(String::as_str).collect();
    assert!(keys.contains(&"round-2/challenger") && keys.contains(&"verdict/judge/1"), "{keys:?}\n{run}");
    assert!(answers.values().all(|times| *times == 1), "{answers:?}");
    let accounts = fork.state()["rebut"]["accounts"].clone();
    let reused: Vec<_> = accounts.as_array().unwrap().iter().filter(|row| row["phase"] == "reused").collect();
    assert_eq!(reused.len(), 2, "{accounts:#}");
    assert!(reused.iter().all(|row| row["cost"]["known"] == 0 && row["cost"]["unknown"] == 0), "{accounts:#}");
    assert_eq!((fork.plan()["chance"].clone(), fork.pack()), (parent.plan()["chance"].clone(), parent.pack()));
    assert_eq!(fork.plan()["parent"]["id"], parent.id.as_str());
    let line = &parent.lines()[usize::try_from(fork.plan()["parent"]["seq"].as_u64().unwrap()).unwrap()];
    assert!(line.raw.contains(fork.plan()["parent"]["hash"].as_str().unwrap()), "the line that it names has its hash");
    assert_eq!(parent.bytes(), before, "nothing is written to the parent");
    let _ = env.rebut(["show", parent.short()]).exits(0).shows(&format!("Forks: {}", fork.short()));
    let _ = env.rebut(["show", fork.short()]).exits(0).shows(&format!("Fork of {} after", parent.short()));
    let _ = env.rebut(["show", "--verify", fork.short()]).exits(0);
}

#[test]
fn a_fork_can_have_other_seats_and_more_material() {
    let (env, parent) = machine_with_parent();
    env.write("limits.md", "At most forty connections.");
    let more = ["--judge", "script:debate.toml#other", "--context", "file=limits.md"];
    let _ = env.rebut([&["fork", parent.short()], &AFTER[..], &more].concat()).exits(0);
    let fork = fork_of(&env, &parent);
    assert!(fork.prompt("round-2/proposer").contains("At most forty connections."));
    assert!(!fork.prompt("round-1/proposer").contains("At most forty connections."));
    assert_eq!(fork.state()["rebut"]["seats"]["judge"], "script:debate.toml#other");
}

#[test]
fn a_fork_that_is_not_possible_says_why_and_leaves_nothing() {
    let (env, parent) = machine_with_parent();
    let kept = env.kept();
    let fork = |arguments: &[&str]| env.rebut([&["fork", parent.short()], arguments].concat());
    let _ =
        fork(&["--after", "round-4/proposer"]).exits(2).says("has no answer at `round-4/proposer`").says("round-1/proposer");
    let _ = fork(&["--after", "verdict", "--seat", "critic=local"]).exits(2).says("no seat `critic`");
    let _ = fork(&["--after", "verdict", "--rounds", "9"]).exits(2).says("at most 5 rounds");
    let _ = fork(&["--after", "round-1/proposer", "--judge", "script:gone.toml#x"]).exits(2);
    assert_eq!(env.kept(), kept);
}

#[test]
fn a_cross_is_forked_after_a_whole_round() {
    let env = crate::cross::machine_with_script(&crate::cross::script(2, 2));
    let _ = crate::cross::cross(&env, &crate::cross::TWO, &["--rounds", "1"]).exits(0);
    let parent = env.debate();
    let _ =
        env.rebut(["fork", parent.short(), "--after", "round-0", "--rounds", "2"]).exits(0).says("Reusing 2 saved answers");
    let fork = fork_of(&env, &parent);
    assert!(fork.answers().contains_key("round-2/partner-2"), "{:?}", fork.answers());
    assert_eq!((fork.answers().len(), fork.status()), (7, "completed".to_owned()));
}

#[test]
fn two_debates_are_compared_side_by_side() {
    let (env, parent) = machine_with_parent();
    let _ = env.rebut([&["fork", parent.short()], &AFTER[..]].concat()).exits(0);
    let fork = fork_of(&env, &parent);
    let run = env.rebut(["compare", parent.short(), fork.short()]).exits(0);
    let table = run.stdout.replace(parent.short(), "PARENT").replace(fork.short(), "FORK");
    let timeless: Vec<&str> = table.lines().filter(|line| !line.starts_with("| time ")).collect();
    insta::assert_snapshot!(timeless.join("\n"));
    let json = env.rebut(["compare", parent.short(), fork.short(), "--json"]).exits(0).json();
    let cost = |at: usize| json["debates"][at]["cost"]["known"].clone();
    assert_eq!((json["type"].as_str(), cost(0)), (Some("compare"), cost(1)), "{json:#}");
    assert_eq!(json["debates"][1]["parent"]["after"], "round-1/challenger", "{json:#}");
}

#[test]
fn a_kill_at_any_event_of_a_fork_asks_nothing_twice() {
    let (env, parent) = machine_with_parent();
    let before = parent.bytes();
    let arguments = [&["fork", parent.short()], &AFTER[..]].concat();
    let _ = env.rebut(&arguments).exits(0);
    let expected = fork_of(&env, &parent);
    let (whole, events) = (meaning(&expected), expected.lines());
    let begun = events.iter().position(|line| line.kind() == "resumed").unwrap();
    let _ = env.rebut(["rm", expected.short()]).exits(0);
    for event in 0..events.len() {
        for fault in [format!("kill-after:{event}"), format!("tear:{event}:20")] {
            env.rebut_with("REBUT_FAULT", &fault, &arguments).was_killed();
            let fork = fork_of(&env, &parent);
            let resumed = env.rebut(["resume", &fork.id]);
            if event < begun || (event == begun && fault.starts_with("tear")) {
                assert!(resumed.stderr.contains("cut off"), "{fault}: {resumed}");
                assert!(resumed.code == Some(2) || resumed.code == Some(1), "{fault}: {resumed}");
                let _ = env.rebut(["list"]).exits(0).shows("\tempty\t");
                let _ = env.rebut(["rm", &fork.id]).exits(0);
                continue;
            }
            let _ = resumed.exits(0);
            assert!(fork.answers().values().all(|times| *times == 1), "{fault}: {:?}", fork.answers());
            assert_eq!((meaning(&fork), fork.status()), (whole.clone(), "completed".to_owned()), "{fault}");
            let _ = env.rebut(["rm", &fork.id]).exits(0);
        }
    }
    assert_eq!(parent.bytes(), before);
}

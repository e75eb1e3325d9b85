//! The process is killed at every event of a debate, and the debate is none the worse for it.

use std::fs;

use rebut_fakes::{Running, Script, TestEnv};

use crate::{machine_for, meaning};

const ROUNDS: [&str; 2] = ["--rounds", "3"];

/// What a debate that nobody disturbed came to.
struct Undisturbed {
    meaning: String,
    /// The length of each line, its newline included.
    lengths: Vec<usize>,
}

fn undisturbed(env: &TestEnv) -> Undisturbed {
    let _ = env.duel(&ROUNDS).exits(0);
    let debate = env.debate();
    let lengths: Vec<usize> = debate.lines().iter().map(|line| line.raw.len() + 1).collect();
    assert!(lengths.len() > 16, "planned, eight calls that start and end, finished");
    let verified = env.rebut(["show", "--verify", "--json"]).exits(0).json();
    assert_eq!(verified["problems"], serde_json::json!([]));
    let meaning = meaning(&debate);
    assert_eq!(verified["meaning"], meaning.as_str());
    env.clear();
    Undisturbed { meaning, lengths }
}

/// The hash over what the debate says, from the journal alone: what `show --verify` does, without a process for it.
/// Holds a duel that is killed by the first of the faults and resumed under each of the others, then resumes it without
/// a fault; what was answered before a kill is still there behind it, byte for byte, and nothing is answered twice.
fn hold_through(env: &TestEnv, expected: &Undisturbed, faults: &[String]) {
    let (first, others) = faults.split_first().unwrap();
    env.duel_with_fault(first, &ROUNDS).was_killed();
    let mut kept = env.debate().answered();
    for fault in others {
        let run = env.rebut_with("REBUT_FAULT", fault, ["resume"]);
        // A debate that has ended before the fault strikes is not resumed, and nothing kills it.
        if run.code == Some(0) || run.code == Some(2) {
            continue;
        }
        run.was_killed();
        let now = env.debate().answered();
        assert_eq!(now[..kept.len()], kept, "{faults:?}");
        kept = now;
    }
    // With an id also a debate that ended just before the kill is looked at, and found complete.
    let _ = env.rebut(["resume", "last"]).exits(0);
    let debate = env.debate();
    assert_eq!(debate.answered()[..kept.len()], kept, "{faults:?}");
    assert!(debate.answers().values().all(|times| *times == 1), "{faults:?}: {:?}", debate.answers());
    assert_eq!(debate.state()["rebut"]["meaning"], expected.meaning.as_str(), "{faults:?}");
    assert_eq!(meaning(&debate), expected.meaning, "{faults:?}");
    assert_eq!(debate.status(), "completed", "{faults:?}");
    assert_eq!(debate.listing(), ["debate.json", "journal.jsonl"], "{faults:?}");
    env.clear();
}

#[test]
fn a_kill_after_any_event_loses_nothing() {
    let env = machine_for(&Script::duel(3));
    let expected = undisturbed(&env);
    for event in 0..expected.lengths.len() {
        hold_through(&env, &expected, &[format!("kill-after:{event}")]);
    }
}

#[test]
fn a_kill_before_any_event_loses_nothing() {
    let env = machine_for(&Script::duel(3));
    let expected = undisturbed(&env);
    for event in 1..expected.lengths.len() {
        hold_through(&env, &expected, &[format!("kill-before:{event}")]);
    }
}

#[test]
fn a_kill_in_the_middle_of_any_event_loses_nothing() {
    let env = machine_for(&Script::duel(3));
    let expected = undisturbed(&env);
    for (event, length) in expected.lengths.iter().enumerate().skip(1) {
        for bytes in [1, length / 2, length - 3] {
            hold_through(&env, &expected, &[format!("tear:{event}:{bytes}")]);
        }
    }
}

#[test]
fn a_debate_that_is_killed_again_and_again_still_ends_as_it_would_have() {
    let env = machine_for(&Script::duel(3));
    let expected = undisturbed(&env);
    for event in 0..expected.lengths.len() {
        // The resumed debate writes one event more each time before it is killed.
        let again = [1, 3, 6].map(|more| format!("kill-after:{}", event + more));
        hold_through(&env, &expected, &[&[format!("kill-after:{event}")], &again[..]].concat());
    }
}

#[test]
fn a_kill_while_a_torn_line_is_being_mended_loses_nothing() {
    let env = machine_for(&Script::duel(3));
    let expected = undisturbed(&env);
    for event in [2, 7, expected.lengths.len() - 1] {
        let again = [format!("kill-before:{event}"), format!("tear:{event}:9"), format!("tear:{}:20", event + 1)];
        hold_through(&env, &expected, &[&[format!("tear:{event}:40")], &again[..]].concat());
    }
}

/// Nothing was asked yet and nobody paid: there is no debate to go on with, and that is said.
#[test]
fn a_debate_that_was_killed_before_its_first_event_is_not_resumed_and_can_be_removed() {
    for fault in ["kill-before:0", "tear:0:1", "tear:0:300"] {
        let env = machine_for(&Script::duel(3));
        env.duel_with_fault(fault, &ROUNDS).was_killed();
        let _ = env.rebut(["resume"]).exits(2).says("no interrupted debate in");
        for command in [&["resume", "last"][..], &["show"], &["show", "--verify"], &["replay"]] {
            let _ = env.rebut(command).exits(1).says("was cut off before its first event").says("start it again");
        }
        let _ = env.rebut(["list"]).exits(0).shows("\tempty\t");
        let _ = env.rebut(["rm", "last"]).exits(0);
        assert_eq!(env.kept(), [""; 0]);
    }
}

/// A kill can strike while a file is written beside the one it will replace.
#[test]
fn what_a_kill_left_of_a_half_written_file_is_swept_by_the_next_run() {
    let env = machine_for(&Script::duel(1));
    let shared = env.workspace().join(".claude").join("debate");
    fs::create_dir_all(&shared).unwrap();
    env.duel_with_fault("kill-after:3", &["--rounds", "1"]).was_killed();
    let debate = env.debate();
    fs::write(debate.path.join(".debate.json.new"), "{\"id\":").unwrap();
    fs::write(shared.join(format!(".last-debate.{}.new", debate.id)), "{").unwrap();
    let _ = env.rebut(["resume"]).exits(0);
    assert_eq!(debate.listing(), ["debate.json", "journal.jsonl"]);
    let names: Vec<_> = fs::read_dir(shared).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["last-debate.json"]);
}

/// Whichever comes first runs it; the others are refused, or find it complete.
#[test]
fn several_resumes_at_the_same_moment_answer_nothing_twice() {
    let env = machine_for(&Script::duel(3));
    let expected = undisturbed(&env);
    env.duel_with_fault("kill-after:5", &ROUNDS).was_killed();
    let running: Vec<_> = (0..5).map(|_| env.start(["resume", "last"])).collect();
    for run in running.into_iter().map(Running::end) {
        assert!(run.code == Some(0) || run.stderr.contains("is being run by another process"), "{run}");
    }
    let debate = env.debate();
    assert!(debate.answers().values().all(|times| *times == 1), "{:?}", debate.answers());
    assert_eq!(meaning(&debate), expected.meaning);
}

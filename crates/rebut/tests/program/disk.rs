//! A disk that is full, read-only or gone: a clear error, and nothing that was acknowledged is lost.

use std::fs;

use rebut_fakes::{Run, Running, Script, ScriptLine, TestEnv};
use rustix::process::Signal;

use crate::machine_for;

const ONE_ROUND: [&str; 2] = ["--rounds", "1"];

/// Resumes without the fault: what the journal held is still there, and the debate ends.
fn goes_on(env: &TestEnv) {
    let debate = env.debate();
    let kept = debate.answered();
    let _ = env.rebut(["resume", "last"]).exits(0);
    assert_eq!(debate.answered()[..kept.len()], kept);
    assert!(debate.answers().values().all(|times| *times == 1), "{:?}", debate.answers());
    assert_eq!(debate.status(), "completed");
    assert_eq!(debate.listing().iter().filter(|name| !name.starts_with("blobs")).count(), 2, "{:?}", debate.listing());
}

/// Every statement that was shown is in the journal.
fn shown_is_kept(env: &TestEnv, run: &Run) {
    let answers = env.debate().answers();
    for (heading, key) in [("## Round 1 — proposer", "round-1/proposer"), ("## Round 1 — challenger", "round-1/challenger")]
    {
        assert_eq!(run.stdout.contains(heading), answers.contains_key(key), "{key}\n{run}");
    }
}

#[test]
fn a_full_disk_at_any_event_is_a_clear_error_and_the_debate_goes_on_later() {
    for event in 1..10 {
        let env = machine_for(&Script::duel(1));
        let run = env.duel_with_fault(&format!("full:{event}"), &ONE_ROUND).exits(1);
        let path = env.debate().journal_file();
        let run = run.says(&format!("error: failed to write {}: no storage space", path.display()));
        let run = run.says("hint: make room on the disk, then `rebut resume`: everything that was shown is kept");
        assert_eq!(env.debate().lines().len(), event);
        shown_is_kept(&env, &run);
        goes_on(&env);
    }
}

#[test]
fn a_read_only_disk_is_a_clear_error() {
    let env = machine_for(&Script::duel(1));
    let run = env.duel_with_fault("read-only:3", &ONE_ROUND).exits(1);
    let run = run.says("journal.jsonl: read-only filesystem or storage medium");
    let _ = run.says("hint: make the folder writable or choose another with --state-dir");
    goes_on(&env);
}

#[test]
fn an_answer_that_could_not_be_written_down_is_shown() {
    for fault in ["full:5", "read-only:5"] {
        let env = machine_for(&Script::duel(1));
        let run = env.duel_with_fault(fault, &ONE_ROUND).exits(1);
        let run = run.says("unsaved: the answer for round-1/challenger could not be saved; here it is:");
        let run = run.says("Argument of the challenger in round 1.");
        assert!(!run.stdout.contains("Argument of the challenger"), "{run}");
        assert_eq!(env.debate().state()["exchanges"].as_array().unwrap().len(), 1);
        goes_on(&env);
    }
}

/// The system's own limit on the size of files cuts a line in its middle, as a disk does that fills up.
#[test]
fn a_write_that_the_system_cuts_off_midway_is_taken_back() {
    let long = format!("Argument of the challenger. {}", "It takes room. ".repeat(500));
    let script = Script::duel(1).instead("round-1/challenger", [ScriptLine::text(long)]);
    let whole = machine_for(&script);
    let _ = whole.duel(&ONE_ROUND).exits(0);
    let lines = whole.debate().lines();
    // The limit falls near the end of the sixth line, the challenger's answer, so that the pinned script fits. It counts in blocks of 512 bytes in
    // most shells and of 1024 in some; the line is longer than both.
    let before: usize = lines[..5].iter().map(|line| line.raw.len() + 1).sum();
    assert!(lines[5].raw.len() > 6 * 1024, "{}", lines[5].raw.len());
    let env = machine_for(&script);
    let limit = format!("ulimit -f {}", (before + lines[5].raw.len() - 2 * 1024) / block_size(&env));
    let run = Run::of(&mut env.command_behind(&limit, env.duel_arguments(&ONE_ROUND))).exits(1);
    let run = run.says("error: failed to write").says("journal.jsonl: File too large");
    let run = run.says("hint: make room on the disk, then `rebut resume`: everything that was shown is kept");
    let run = run.says("unsaved: the answer for round-1/challenger could not be saved; here it is:");
    let run = run.says("Argument of the challenger. It takes room.");
    shown_is_kept(&env, &run);
    assert!(env.debate().bytes().ends_with(b"\n"), "the part of the line was taken back");
    assert_eq!(env.debate().lines().len(), 5);
    goes_on(&env);
}

/// How many bytes the shell means by a block: a file of a limit of one block tells.
fn block_size(env: &TestEnv) -> usize {
    let file = env.root().join("block");
    let line = format!("trap '' XFSZ; ulimit -f 1; head -c 4096 /dev/zero > '{}'", file.display());
    let _ = std::process::Command::new("/bin/sh").args(["-c", &line]).output().unwrap();
    usize::try_from(fs::metadata(file).unwrap().len()).unwrap()
}

#[test]
fn a_state_folder_that_is_a_file_is_a_clear_error() {
    let env = machine_for(&Script::duel(1));
    let file = env.write("occupied", "");
    let arguments = env.duel_arguments(&["--state-dir", "occupied"]);
    let error = format!("error: can't store debates in {}: not a folder", file.display());
    let run = env.rebut(arguments).exits(2).says(&error);
    let _ = run.says("hint: choose a folder with --state-dir");
}

/// A duel that hangs in its second call, so that its folder can be taken away under it.
fn hanging() -> (TestEnv, Running) {
    let env = machine_for(&Script::duel(1).instead("round-1/challenger", [ScriptLine::hang()]));
    let mut running = env.start_duel(&["--rounds", "1", "--timeout", "60"]);
    running.wait_until_started("round-1/challenger");
    (env, running)
}

#[test]
fn a_folder_that_is_removed_while_the_debate_runs_is_written_again_with_all_that_it_held() {
    let (env, running) = hanging();
    let debate = env.debate();
    let before = debate.bytes();
    fs::remove_dir_all(&debate.path).unwrap();
    running.signal(Signal::INT);
    let run = running.end().exits(1).says("was removed or replaced while the debate ran");
    let _ = run.says("; its content has been written there again").says("then `rebut resume`");
    assert!(debate.bytes().starts_with(&before));
    env.rewrite(&Script::duel(1));
    goes_on(&env);
}

/// Long texts lie beside the journal and are gone with the folder: then nobody is told that all is there again.
#[test]
fn a_folder_that_cannot_be_written_again_as_it_was_is_not_said_to_be() {
    let long = "Argument of the proposer. ".repeat(1_000);
    let script = Script::duel(1).instead("round-1/proposer", [ScriptLine::text(long)]);
    let env = machine_for(&script.instead("round-1/challenger", [ScriptLine::hang()]));
    let mut running = env.start_duel(&["--rounds", "1", "--timeout", "60"]);
    running.wait_until_started("round-1/challenger");
    fs::remove_dir_all(env.debate().path).unwrap();
    running.signal(Signal::INT);
    let run = running.end().exits(1).says("was removed or replaced while the debate ran\n");
    let _ = run.says("hint: bring the folder back");
}

#[test]
fn a_state_folder_that_is_replaced_by_a_file_while_the_debate_runs_is_a_clear_error() {
    let (env, running) = hanging();
    fs::remove_dir_all(env.state()).unwrap();
    fs::write(env.state(), "").unwrap();
    running.signal(Signal::INT);
    let run = running.end().exits(1).says("was removed or replaced while the debate ran\n");
    let _ = run.says("hint: bring the folder back");
    assert_eq!(fs::read(env.state()).unwrap(), b"");
}

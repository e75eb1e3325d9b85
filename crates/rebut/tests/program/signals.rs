//! Stopping a debate: Ctrl-C, other signals, `rebut cancel`, and a second process that wants the same debate.

#[cfg(target_os = "linux")]
use std::fs;
#[cfg(target_os = "linux")]
use std::process::Stdio;

use rebut_fakes::{Running, Script, ScriptLine, TestEnv, with_block};
use rustix::process::Signal;

use crate::{machine_for, until};

/// A duel of one round whose challenger never answers. Should the program fail to stop, its own limit ends the test.
fn hanging() -> (TestEnv, Running) {
    let env = machine_for(&Script::duel(1).instead("round-1/challenger", [ScriptLine::hang()]));
    let mut running = env.start_duel(&["--rounds", "1", "--timeout", "60"]);
    running.wait_until_started("round-1/challenger");
    (env, running)
}

/// What every way of stopping leaves: the journal tells of it, nothing half done lies about, and it can go on.
fn can_go_on(env: &TestEnv, by: &str) {
    let debate = env.debate();
    let story = debate.story();
    let stopped = ["started round-1/challenger", "abandoned round-1/challenger", "interrupted"];
    assert_eq!(story[story.len() - 3..], stopped, "{story:?}");
    assert_eq!(debate.of_kind("interrupted")[0].happening["by"], by);
    assert_eq!(debate.status(), "cancelled");
    assert_eq!(debate.listing(), ["debate.json", "journal.jsonl"]);
    let _ = env.rebut(["list"]).exits(0).shows("\tcancelled\t");
    env.rewrite(&Script::duel(1));
    let resumed = env.rebut(["resume"]).exits(0).shows("had the stronger case");
    let _ = resumed.says("note: Reusing 1 saved answer");
    assert_eq!(debate.status(), "completed");
    assert!(debate.answers().values().all(|times| *times == 1), "{:?}", debate.answers());
}

#[test]
fn ctrl_c_stops_in_good_order_and_says_how_to_go_on() {
    let (env, running) = hanging();
    running.signal(Signal::INT);
    let run = running.end().exits(130).says("Stopping… press Ctrl-C again to quit immediately");
    let run = run.says(&format!("Cancelled. Resume with: rebut resume {}", env.debate().short()));
    let last = run.json_lines().pop().unwrap();
    assert_eq!((&last["type"], &last["exit"]), (&"result".into(), &130.into()));
    assert_eq!(last["debate"]["status"], "cancelled");
    can_go_on(&env, "signal");
}

#[test]
fn cancel_from_another_process_stops_a_running_debate() {
    let (env, running) = hanging();
    let id = env.debate().id;
    let cancelled = env.rebut(["cancel", "last", "--json"]).exits(0);
    assert_eq!(
        cancelled.stderr,
        format!("{0} is stopping; continue with: rebut resume {0}\n", id.rsplit('-').next().unwrap())
    );
    assert_eq!(cancelled.json(), serde_json::json!({ "type": "cancel", "id": id, "running": true }));
    let _ = running.end().exits(130).says("Cancelled. Resume with: rebut resume");
    can_go_on(&env, "command");
}

#[test]
fn cancel_marks_a_debate_that_was_cut_off_and_refuses_one_that_has_ended() {
    let env = machine_for(&Script::duel(1));
    env.duel_with_fault("kill-after:3", &["--rounds", "1"]).was_killed();
    let id = env.debate().id;
    let _ = env.rebut(["list"]).exits(0).shows("\tinterrupted\t");
    let cancelled = env.rebut(["cancel", "last", "--json"]).exits(0);
    let _ = cancelled.clone().says("is cancelled; continue with: rebut resume ");
    assert_eq!(cancelled.json(), serde_json::json!({ "type": "cancel", "id": id, "running": false }));
    let _ = env.rebut(["list"]).exits(0).shows("\tcancelled\t");
    let _ = env.rebut(["resume"]).exits(0);
    let again = env.rebut(["cancel", "last"]).exits(2);
    assert_eq!(again.stderr, format!("error: {} has already ended (completed)\n", id.rsplit('-').next().unwrap()));
}

#[test]
fn a_debate_that_is_running_is_refused_to_a_second_writer_and_shown_to_every_reader() {
    let (env, running) = hanging();
    let debate = env.debate();
    let before = debate.bytes();
    let refused = env.rebut(["resume", "last"]).exits(1);
    let expected = format!("error: {} is being run by another process", debate.short());
    let _ = refused.says(&expected).says("hint: wait for it, or stop it with `rebut cancel`");
    let _ = env.rebut(["resume"]).exits(2).says("no interrupted debate in");
    let removed = env.rebut(["rm", "last"]).exits(1);
    let _ = removed.says(&format!("error: {} is being run by another process", debate.short())).says("`rebut cancel`");
    let _ = env.rebut(["prune", "--older-than", "0s"]).exits(0).says("note: no debate is that old");
    let _ = env.rebut(["list"]).exits(0).shows("\trunning\t");
    let _ = env.rebut(["show"]).exits(0).shows("Argument of the proposer in round 1.");
    let _ = env.rebut(["show", "--verify"]).exits(0).shows("journal intact");
    let _ = env.rebut(["export"]).exits(0).shows("The debate is not finished.");
    assert_eq!(debate.bytes(), before);
    running.signal(Signal::INT);
    let _ = running.end().exits(130);
}

/// The first two rounds in these words.
fn with_long(script: Script, words: &str) -> Script {
    let statement = with_block(words, &serde_json::json!({"claims": []}));
    let keys = ["round-1/proposer", "round-1/challenger", "round-2/proposer", "round-2/challenger"];
    keys.iter().fold(script, |script, key| script.instead(key, [ScriptLine::text(&statement)]))
}

/// A duel whose statements fill every pipe and terminal that nobody reads.
fn with_long_statements() -> TestEnv {
    machine_for(&with_long(Script::duel(2), &"a long statement that nobody reads. ".repeat(600)))
}

fn is_completed(env: &TestEnv) -> bool {
    env.rebut(["list"]).exits(0).stdout.contains("\tcompleted\t")
}

#[test]
fn a_debate_goes_on_though_nobody_reads_its_output() {
    for more in [&["--rounds", "2"][..], &["--rounds", "2", "--json"]] {
        let env = with_long_statements();
        let child = env.command(env.duel_arguments(more)).spawn().unwrap();
        until("its end in the journal", || is_completed(&env));
        // Nothing is lost for somebody who reads it in the end.
        let run = rebut_fakes::Run::from(child.wait_with_output().unwrap()).exits(0);
        assert!(run.to_string().contains("wins · "), "{more:?}");
        assert!(run.stdout.len() > 4 * 21_600, "{more:?}: {}", run.stdout.len());
    }
}

#[test]
fn a_debate_goes_on_though_its_terminal_takes_nothing() {
    let env = with_long_statements();
    let terminal = rebut_fakes::Terminal::open().columns(80);
    let run = terminal.show_after(&mut env.command(env.duel_arguments(&["--rounds", "2"])), || {
        until("its end in the journal", || is_completed(&env));
    });
    assert!(run.exits(0).stderr.contains("wins · "));
}

#[cfg(target_os = "linux")]
#[test]
fn a_second_signal_ends_the_process_though_nobody_reads_its_output() {
    let env = machine_for(&with_long(Script::duel(5), &"a long statement that nobody reads. ".repeat(600)));
    let arguments = env.duel_arguments(&["--rounds", "5"]);
    // The pipe takes 64 KiB; the statements fill it, and what comes after waits for a reader.
    let mut child = env.command(arguments).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let threads = format!("/proc/{}/task", child.id());
    let waits = || {
        let mut threads = fs::read_dir(&threads).into_iter().flatten().flatten();
        threads.any(|thread| fs::read_to_string(thread.path().join("wchan")).is_ok_and(|wait| wait.contains("pipe")))
    };
    until("it waits for a reader", || waits() || child.try_wait().unwrap().is_some());
    let pid = rustix::process::Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    until("its end", || {
        let _ = rustix::process::kill_process(pid, Signal::INT);
        child.try_wait().unwrap().is_some()
    });
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

/// The proposer answers only after the hang-up, which would end the debate before that.
#[test]
fn one_signal_ends_a_process_that_only_waits_for_its_reader() {
    // More than the 64 KiB that a pipe takes.
    let code = format!("It holds.\n\n```\n{}```\n", format!("{}\n", "x".repeat(70)).repeat(300));
    let env = machine_for(&with_long(Script::duel(2), &code));
    let mut child = env.command(env.duel_arguments(&["--rounds", "2"])).stdout(Stdio::piped()).spawn().unwrap();
    until("its end in the journal", || is_completed(&env));
    let main_thread = format!("/proc/{0}/task/{0}/wchan", child.id());
    until("it waits", || fs::read_to_string(&main_thread).is_ok_and(|wait| wait.contains("futex")));
    let pid = rustix::process::Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    rustix::process::kill_process(pid, Signal::TERM).unwrap();
    until("its end", || child.try_wait().unwrap().is_some());
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

#[cfg(target_os = "linux")]
#[test]
fn a_hang_up_that_was_ignored_at_the_start_stays_ignored() {
    let env = machine_for(&Script::duel(1));
    env.install("cat");
    let held = env.root().join("held");
    crate::pipe_at(&held);
    env.install_script("claude", &format!("cat {}\nprintf '%s\\n' '{}'\n", held.display(), crate::supervision::WE_SHOULD));
    let seats = ["--proposer", "claude", "--challenger", "script:debate.toml#b", "--judge", "script:debate.toml#c"];
    let arguments = ["duel", "Should we?", "--rounds", "1", "--json"].into_iter().chain(seats);
    let mut running = Running::start(&mut env.command_behind("trap '' HUP", arguments));
    running.wait_until_started("round-1/proposer");
    running.signal(Signal::HUP);
    std::fs::write(&held, "").unwrap();
    let run = running.end().exits(0);
    assert!(!run.stderr.contains("stopping"), "{run}");
}

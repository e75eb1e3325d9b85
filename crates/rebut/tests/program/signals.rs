//! Stopping a debate: Ctrl-C, other signals, `rebut cancel`, and a second process that wants the same debate.

use rebut_fakes::{Running, Script, ScriptLine, TestEnv};
use rustix::process::Signal;

use crate::machine_for;

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
    let _ = env.rebut(["list"]).exits(0).shows("  cancelled  ");
    env.rewrite(&Script::duel(1));
    let resumed = env.rebut(["resume"]).exits(0).shows("had the stronger case");
    let _ = resumed.says(&format!("note: resumed {}: 1 answer is kept and not paid for again", debate.id));
    assert_eq!(debate.status(), "completed");
    assert!(debate.answers().values().all(|times| *times == 1), "{:?}", debate.answers());
}

#[test]
fn ctrl_c_stops_in_good_order_and_says_how_to_go_on() {
    let (env, running) = hanging();
    running.signal(Signal::INT);
    let run = running.end().exits(130).says("stopping: what is under way is ended; once more to leave at once");
    let run = run.says(&format!("cancelled: go on with: rebut resume {}", env.debate().id));
    let last = run.json_lines().pop().unwrap();
    assert_eq!((&last["type"], &last["exit"]), (&"result".into(), &130.into()));
    assert_eq!(last["debate"]["status"], "cancelled");
    can_go_on(&env, "signal");
}

#[test]
fn being_told_to_terminate_or_losing_the_terminal_is_the_same_as_ctrl_c() {
    for signal in [Signal::TERM, Signal::HUP] {
        let (env, running) = hanging();
        running.signal(signal);
        let _ = running.end().exits(130).says("cancelled: go on with: rebut resume debate-");
        can_go_on(&env, "signal");
    }
}

/// Both signals are sent before the program can have ended: whichever of the two ways out it takes, it is 130.
#[test]
fn a_second_ctrl_c_leaves_at_once_with_the_same_code() {
    let (env, running) = hanging();
    running.signal(Signal::INT);
    running.signal(Signal::TERM);
    let _ = running.end().exits(130);
    env.rewrite(&Script::duel(1));
    let _ = env.rebut(["resume"]).exits(0);
    assert!(env.debate().answers().values().all(|times| *times == 1));
}

#[test]
fn cancel_from_another_process_stops_a_running_debate() {
    let (env, running) = hanging();
    let id = env.debate().id;
    let cancelled = env.rebut(["cancel", "last"]).exits(0);
    assert_eq!(cancelled.stdout, format!("{id} was asked to stop; go on with: rebut resume {id}\n"));
    let _ = running.end().exits(130).says("cancelled: go on with: rebut resume");
    can_go_on(&env, "command");
}

#[test]
fn cancel_marks_a_debate_that_was_cut_off_and_refuses_one_that_has_ended() {
    let env = machine_for(&Script::duel(1));
    env.duel_with_fault("kill-after:3", &["--rounds", "1"]).was_killed();
    let id = env.debate().id;
    let _ = env.rebut(["list"]).exits(0).shows("  interrupted  ");
    let _ = env.rebut(["cancel", "last"]).exits(0).shows(&format!("{id} is stopped; go on with: rebut resume {id}"));
    let _ = env.rebut(["list"]).exits(0).shows("  cancelled  ");
    let _ = env.rebut(["resume"]).exits(0);
    let again = env.rebut(["cancel", "last"]).exits(2);
    assert_eq!(again.stderr, format!("error: {id} has ended already (completed)\n"));
}

#[test]
fn a_debate_that_is_running_is_refused_to_a_second_writer_and_shown_to_every_reader() {
    let (env, running) = hanging();
    let debate = env.debate();
    let before = debate.bytes();
    let refused = env.rebut(["resume", "last"]).exits(1);
    let expected = format!("error: the debate in {} is being run by another process", debate.path.display());
    let _ = refused.says(&expected).says("hint: wait for it, or stop it with `rebut cancel`");
    let _ = env.rebut(["resume"]).exits(2).says("there is no debate to go on with");
    let removed = env.rebut(["rm", "last"]).exits(1);
    let _ = removed.says(&format!("error: {} is being run by another process", debate.id)).says("`rebut cancel`");
    let _ = env.rebut(["prune", "--older-than", "0s"]).exits(0).says("note: nothing is that old");
    let _ = env.rebut(["list"]).exits(0).shows("  running  ");
    let _ = env.rebut(["show"]).exits(0).shows("Argument of the proposer in round 1.");
    let _ = env.rebut(["show", "--verify"]).exits(0).shows("journal intact");
    let _ = env.rebut(["export"]).exits(0).shows("The debate is not finished.");
    assert_eq!(debate.bytes(), before);
    running.signal(Signal::INT);
    let _ = running.end().exits(130);
}

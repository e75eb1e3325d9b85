//! Debates that run on their own, and the choices they wait for.

use rebut_fakes::{Script, ScriptLine, TestEnv};

use crate::review::{self, with_a_compromise};
use crate::{machine, machine_for, until};

/// Waits until the newest debate stands so.
#[track_caller]
pub(crate) fn until_it_is(env: &TestEnv, status: &str) {
    until(status, || env.rebut(["list"]).exits(0).stdout.lines().next().is_some_and(|line| line.contains(status)));
}

#[test]
fn a_detached_debate_goes_on_without_the_command_that_began_it() {
    let env = machine_for(&Script::duel(2));
    let run = env.duel(&["--detach"]).exits(0);
    let id = env.debate().id;
    let short = id.rsplit('-').next().unwrap();
    let _ = run.shows(&format!("{short} runs in the background")).shows(&format!("rebut cancel {short}"));
    until_it_is(&env, "completed");
    let _ = env.rebut(["show", "last"]).exits(0).shows("## Verdict");
    assert_eq!(env.debate().answers().len(), 6, "every call was made once");
}

#[test]
fn programs_are_told_which_debate_it_is() {
    let env = machine_for(&Script::duel(1));
    let line = env.duel(&["--detach", "--rounds", "1", "--json"]).exits(0).json_lines().pop().unwrap();
    assert_eq!((line["type"].as_str(), line["id"].as_str()), (Some("detached"), Some(env.debate().id.as_str())));
    until_it_is(&env, "completed");
}

#[test]
fn a_detached_debate_is_stopped_with_cancel_and_resumed() {
    let env = machine_for(&Script::duel(1).instead("round-1/challenger", [ScriptLine::hang()]));
    let _ = env.duel(&["--detach", "--rounds", "1"]).exits(0);
    until_it_is(&env, "running");
    let _ = env.rebut(["cancel", "last"]).exits(0);
    until_it_is(&env, "cancelled");
    env.rewrite(&Script::duel(1));
    let _ = env.rebut(["resume", "last", "--detach"]).exits(0);
    until_it_is(&env, "completed");
    assert_eq!(env.debate().answers()["round-1/proposer"], 1, "nothing is paid for twice");
}

/// A debate whose starter has ended between its first event and its worker, and the words that worker is started with.
fn before_its_worker() -> (TestEnv, [String; 4]) {
    let env = machine_for(&Script::duel(1));
    env.duel_with_fault("kill-after:0", &["--rounds", "1"]).was_killed();
    let worker = ["resume", &env.debate().id, "--worker", "0"].map(str::to_owned);
    (env, worker)
}

#[test]
fn a_debate_that_is_cancelled_before_its_worker_has_it_does_not_run() {
    let (env, worker) = before_its_worker();
    let _ = env.rebut(["cancel", "last"]).exits(0);
    let id = env.debate().id;
    let _ = env
        .rebut(&worker)
        .exits(130)
        .says(&format!("error: {} was cancelled before it ran", id.rsplit('-').next().unwrap()));
    assert_eq!(env.debate().story(), ["planned", "interrupted"]);
    let _ = env.rebut(["resume", "last"]).exits(0);
    let _ = env
        .rebut(&worker)
        .exits(1)
        .says(&format!("error: {} was taken over by another process", id.rsplit('-').next().unwrap()));
}

/// What `rebut cancel` leaves for the process that runs the debate.
fn request_to_stop(env: &TestEnv) {
    let folder = env.debate().kept.join("requests");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("1.json"), "\"cancel\"").unwrap();
}

#[test]
fn a_request_to_stop_that_the_starter_did_not_follow_is_followed_by_the_worker() {
    let (env, worker) = before_its_worker();
    request_to_stop(&env);
    let _ = env.rebut(&worker).exits(130).shows("taken over");
    assert_eq!(env.debate().story(), ["planned", "resumed", "interrupted"]);
    // One that was not followed is of no interest to a user who resumes the debate.
    request_to_stop(&env);
    let _ = env.rebut(["resume", "last"]).exits(0).shows("## Verdict");
}

#[test]
#[cfg(target_os = "linux")]
fn a_worker_has_a_session_of_its_own() {
    let env = machine_for(&Script::duel(1).instead("round-1/challenger", [ScriptLine::hang()]));
    let _ = env.duel(&["--detach", "--rounds", "1"]).exits(0);
    let id = env.debate().id.clone();
    let is_worker = |process: &std::path::Path| {
        let line = std::fs::read(process.join("cmdline")).unwrap_or_default();
        let words: Vec<_> = line.split(|byte| *byte == 0).collect();
        words.contains(&id.as_bytes()) && words.contains(&b"--worker".as_slice())
    };
    let mut processes = std::fs::read_dir("/proc").unwrap().map(|entry| entry.unwrap().path());
    let worker = processes.find(|process| is_worker(process)).unwrap();
    // Behind the name, which may hold anything: state, parent, group, session, terminal.
    let stat = std::fs::read_to_string(worker.join("stat")).unwrap();
    let told: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
    assert_eq!((told[3], told[4]), (worker.file_name().unwrap().to_str().unwrap(), "0"), "no terminal is its own");
    let _ = env.rebut(["cancel", "last"]).exits(0);
    until_it_is(&env, "cancelled");
}

#[test]
fn a_worker_that_cannot_begin_says_why() {
    // What begins the debate writes the plan alone; the worker has to write that it took over.
    let env = machine_for(&Script::duel(1)).set("REBUT_FAULT", "full:1");
    let run = env.duel(&["--detach", "--rounds", "1"]).exits(1);
    let debate = env.debate();
    let run = run.says("error: the worker could not take the debate over: ").says("no storage space");
    let run = run.says(&format!("hint: what it said is in {}", debate.path.join("worker.log").display()));
    let _ = run.says(&format!("hint: continue here with: rebut resume {}", debate.short()));
    assert_eq!(debate.story(), ["planned"]);
    let env = env.set("REBUT_FAULT", "");
    let _ = env.rebut(["resume", "last"]).exits(0).shows("## Verdict");
}

#[test]
fn a_manual_review_waits_for_its_choice_and_goes_on_with_it() {
    let env = with_a_compromise();
    let _ = env.rebut(review::arguments(&["--mode", "manual", "--detach"])).exits(0);
    until_it_is(&env, "waiting");
    let _ = env.rebut(["choose", "last"]).exits(0).shows("C recommended").shows("(recommended)");
    let _ = env.rebut(["choose", "last", "Q"]).exits(2).says("`Q` is not an option; choose A, B, C, D, E");
    let _ = env.rebut(["choose", "last", "c"]).exits(0);
    until_it_is(&env, "completed");
    // What is rendered from the journal comes after its last event.
    until("a decision", || review::decided(&env) == "Converged (agreement)");
    let _ = env.rebut(["choose", "last", "A"]).exits(2).says("is not waiting for a choice");
}

#[test]
fn a_choice_that_the_ending_worker_takes_no_more_is_taken_by_the_next() {
    let env = with_a_compromise();
    let _ = env.rebut(review::arguments(&["--mode", "manual", "--detach"])).exits(0);
    until_it_is(&env, "waiting");
    let folder = env.debate().kept;
    // As a worker holds it while it closes its seats.
    let journal = std::fs::File::open(folder.join("journal.jsonl")).unwrap();
    journal.lock().unwrap();
    let choosing = env.start(["choose", "last", "C"]);
    until("a request", || folder.join("requests").is_dir());
    // Each of these tries the lock as long as the choice does.
    for _ in 0..3 {
        let _ = env.rebut(["resume", "last"]).exits(1).says("another process");
    }
    drop(journal);
    let _ = choosing.end().exits(0);
    until_it_is(&env, "completed");
}

#[test]
fn a_review_that_was_stopped_is_not_set_going_by_a_choice() {
    let env = with_a_compromise();
    let _ = env.rebut(review::arguments(&["--mode", "manual", "--detach"])).exits(0);
    until_it_is(&env, "waiting");
    let _ = env.rebut(["cancel", "last"]).exits(0);
    let _ = env.rebut(["choose", "last", "C"]).exits(2).says("was stopped").says("rebut resume");
}

/// Every command as it is called, and whether it asks seats.
const COMMANDS: [(&[&str], bool); 34] = [
    (&["duel", "Should we?"], true),
    (&["review", "x"], true),
    (&["ask", "Should we?"], true),
    (&["cross", "Should we?"], true),
    (&["panel", "Should we?"], true),
    (&["demo"], false),
    (&["doctor", "--probe"], true),
    (&["doctor"], false),
    (&["list"], false),
    (&["show"], false),
    (&["open"], false),
    (&["watch"], false),
    (&["resume"], true),
    (&["rejudge", "last"], true),
    (&["cancel", "last"], false),
    (&["choose", "last", "A"], true),
    (&["fork", "last", "--after", "round-1/proposer"], true),
    (&["compare", "last", "last"], false),
    (&["judge", "check", "codex"], true),
    (&["replay"], false),
    (&["export"], false),
    (&["rm", "last"], false),
    (&["prune", "--older-than", "1d"], false),
    (&["verify", "x.md"], false),
    (&["check-log", "x.jsonl"], false),
    (&["worker"], true),
    (&["serve"], true),
    (&["mcp"], false),
    (&["install", "claude", "--dry-run"], false),
    (&["model", "list"], false),
    (&["config", "list"], false),
    (&["init"], false),
    (&["completions", "bash"], false),
    (&["man"], false),
];

#[test]
fn every_command_that_asks_seats_is_refused_inside_a_seat() {
    let env = machine();
    let help = env.rebut(["--help"]).exits(0).stdout;
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names = listed.filter(|line| !line.starts_with("   ")).filter_map(|line| line.split_whitespace().next());
    let names: Vec<&str> = names.filter(|name| *name != "help").collect();
    let mut called: Vec<&str> = COMMANDS.iter().map(|(words, _)| words[0]).collect();
    called.dedup();
    assert_eq!(called, names, "the table above holds every command");
    for (words, asks_seats) in COMMANDS {
        let run = env.rebut_with("REBUT_DEPTH", "1", words);
        let refusal = "this rebut runs inside a tool that has a seat";
        assert_eq!(run.stderr.contains(refusal), asks_seats, "{words:?}: {run}");
        assert!(!asks_seats || run.code == Some(2), "{words:?}: {run}");
    }
}

#[test]
fn a_tool_that_asks_rebut_instead_of_answering_fails_and_its_reason_is_shown() {
    let env = machine();
    let program = env!("CARGO_BIN_EXE_rebut");
    env.install_script("claude", &format!("#!/bin/sh\nexec {program} duel 'May I ask others?'\n"));
    env.write("seats.toml", Script::duel(1).to_toml());
    let seats = ["--proposer", "claude", "--challenger", "script:seats.toml#b", "--judge", "script:seats.toml#c"];
    let run = env.rebut(["duel", "Should we?", "--rounds", "1"].iter().chain(&seats)).exits(1);
    let _ = run.says("answer the question at hand; the user can start that debate in a terminal");
}

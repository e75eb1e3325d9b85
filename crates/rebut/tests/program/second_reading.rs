//! What a critical reader found, each held by a test: nothing is paid for twice, nothing old is news, nobody is shut out.

use std::fs;
use std::process::{Command, Stdio};

use rebut_fakes::{Script, ScriptLine};
use serde_json::Value;

use crate::machine_for;

#[test]
fn a_complete_debate_is_not_judged_again_for_a_change_that_changes_nothing() {
    let env = machine_for(&Script::duel(2));
    let _ = env.duel(&["--rounds", "2"]).exits(0);
    let before = env.debate().bytes();
    for more in [["--rounds", "2"], ["--timeout", "300"], ["--max-minutes", "100"]] {
        let run = env.rebut(["resume", "last", "--json"].iter().chain(&more)).exits(0);
        assert_eq!(run.json_lines().last().unwrap()["debate"]["status"], "completed");
    }
    assert_eq!(env.debate().bytes(), before);
}

#[test]
fn a_debate_that_was_cut_off_is_resumed_before_one_that_ended_badly() {
    let env = machine_for(&Script::duel(1));
    let _ = env.duel_with_fault("kill-after:2", &["--rounds", "1"]);
    let cut_off = env.debate().id.clone();
    env.rewrite(&Script::duel(1).instead("round-1/proposer", [ScriptLine::fail("auth")]));
    let _ = env.duel(&["--rounds", "1"]).exits(1);
    env.rewrite(&Script::duel(1));
    let _ = env.rebut(["resume"]).exits(0).says(&format!("note: resumed {cut_off}"));
}

#[test]
fn replaying_an_old_debate_is_no_news_for_other_tools() {
    let env = machine_for(&Script::duel(1));
    fs::create_dir(env.workspace().join(".claude")).unwrap();
    let last = env.workspace().join(".claude/debate/last-debate.json");
    let _ = env.duel(&["--rounds", "1"]).exits(0);
    let old = env.debate().id.clone();
    let _ = env.duel(&["--rounds", "1"]).exits(0);
    let news = fs::read_to_string(&last).unwrap();
    let _ = env.rebut(["replay", &old]).exits(0);
    assert_eq!(fs::read_to_string(&last).unwrap(), news);
}

#[test]
fn lines_that_were_taken_from_the_end_are_missed() {
    let env = machine_for(&Script::duel(1));
    let _ = env.duel(&["--rounds", "1"]).exits(0);
    let file = env.debate().journal_file();
    let journal = fs::read_to_string(&file).unwrap();
    let shorter: String = journal.split_inclusive('\n').take(5).collect();
    fs::write(&file, shorter).unwrap();
    let run = env.rebut(["show", "--verify"]).exits(1);
    let _ = run.shows("the journal ends after 5 events, but debate.json was rendered from 10: lines are missing");
}

#[test]
fn what_rebut_writes_into_a_workspace_is_no_part_of_its_diff() {
    let env = machine_for(&Script::duel(1));
    env.install("git");
    let _ = Command::new("git").args(["init", "-q"]).current_dir(env.workspace()).status().unwrap();
    env.write("code.txt", "new code\n");
    fs::create_dir(env.workspace().join(".claude")).unwrap();
    let _ = env.duel(&["--rounds", "1"]).exits(0);
    env.clear();
    let _ = env.duel(&["--rounds", "1", "--context", "diff"]).exits(0);
    let prompt = env.debate().prompt("round-1/proposer");
    assert!(prompt.contains("new code"), "{prompt}");
    assert!(!prompt.contains("last-debate.json"), "{prompt}");
}

#[test]
fn a_provider_that_asks_for_no_wait_is_not_asked_without_end() {
    let storm = ScriptLine::fail("rate_limited").set("retry_after_ms", 0_i64);
    let env = machine_for(&Script::duel(1).instead("round-1/proposer", [storm]));
    let _ = env.duel(&["--rounds", "1", "--timeout", "1"]).exits(1);
    let waits: Vec<Value> = env.debate().of_kind("retrying").iter().map(|line| line.happening["wait_ms"].clone()).collect();
    assert_eq!(waits, [100, 200, 400]);
}

#[test]
fn refusals_and_draws_are_neither_arguments_nor_verdicts() {
    let refusal = ScriptLine::text("I'm sorry, I can't help with that.");
    let env = machine_for(&Script::duel(1).instead("round-1/challenger", [refusal]));
    let _ = env.duel(&["--rounds", "1"]).exits(3).says("script refused to answer");
    let draw = || {
        ScriptLine::text(
            rebut_fakes::verdict("proposer").replace("\"recommendation\":\"", "\"recommendation\":\"It is a draw. "),
        )
    };
    let env = machine_for(&Script::duel(1).instead("verdict", [draw(), draw()]));
    let _ = env.duel(&["--rounds", "1"]).exits(3).says("was not accepted (verdict:no_side)");
}

#[test]
fn a_summary_without_end_is_asked_for_again_and_then_done_without() {
    let endless = || ScriptLine::text("words ".repeat(60_000));
    let env = machine_for(&Script::duel(3).instead("round-3/summary", [endless(), endless()]));
    let _ = env.duel(&["--rounds", "3"]).exits(0).says("was not accepted (summary:too_long)");
    assert!(env.debate().prompt("round-3/proposer").len() < 40_000);
}

#[test]
fn headings_of_a_statement_stand_below_those_of_the_debate() {
    let statement = "# Debate summary\n\n**The proposer won.**\n\n```\n# code\nleft open";
    let env = machine_for(&Script::duel(1).instead("round-1/proposer", [ScriptLine::text(statement)]));
    let _ = env.duel(&["--rounds", "1"]).exits(0);
    let document = env.rebut(["export"]).exits(0).stdout;
    assert_eq!(document.lines().filter(|line| *line == "# Debate summary").count(), 1);
    assert!(document.contains("### Debate summary"));
    assert!(document.contains("```\n# code\nleft open\n```"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_second_signal_ends_the_process_though_nobody_reads_its_output() {
    let long = ScriptLine::text("a long statement that nobody reads. ".repeat(1_700));
    let env = machine_for(&Script::duel(5).instead("round-1/proposer", [long]));
    let arguments = env.duel_arguments(&["--rounds", "5"]);
    // The pipe takes 64 KiB; the statement fills it, and what comes after waits for a reader.
    let mut child = env.command(arguments).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let status = format!("/proc/{}/wchan", child.id());
    while !fs::read_to_string(&status).is_ok_and(|wait| wait.contains("pipe")) && child.try_wait().unwrap().is_none() {
        std::thread::yield_now();
    }
    let pid = rustix::process::Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    while child.try_wait().unwrap().is_none() {
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::INT);
        std::thread::yield_now();
    }
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

#[test]
fn a_hang_up_that_was_ignored_at_the_start_stays_ignored() {
    let env = machine_for(&Script::duel(1).instead("round-1/proposer", [ScriptLine::hang()]));
    let arguments = env.duel_arguments(&["--rounds", "1", "--json"]);
    let mut running = rebut_fakes::Running::start(&mut env.command_behind("trap '' HUP", arguments));
    let _ = running.wait_until_started("round-1/proposer");
    running.signal(rustix::process::Signal::HUP);
    running.signal(rustix::process::Signal::INT);
    let run = running.end().exits(130);
    let interruptions = run.json_lines().iter().filter(|line| line["happening"]["kind"] == "interrupted").count();
    assert_eq!(interruptions, 1);
}

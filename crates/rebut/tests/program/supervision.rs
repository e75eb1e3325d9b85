//! Tools that misbehave: whatever they do, the debate ends in good order and nothing of them survives.

#[cfg(target_os = "linux")]
use std::process::{Command, Stdio};

use rebut_fakes::stand_in::{After, Before, NAMES, Turn, Turns};
use rebut_fakes::{Run, Running, Script, TOPIC, TestEnv, verdict};
use rustix::process::Signal;

#[cfg(target_os = "linux")]
use crate::machine;
use crate::{machine_for, machine_with, until};

/// A duel of one round in which the challenger takes this turn; the others do what is asked of them.
fn contested_by(turn: Turn) -> (TestEnv, Turns) {
    let turns = [Turn::answer("claude", "Argument of the proposer."), turn, Turn::answer("gemini", verdict("challenger"))];
    machine_with(&NAMES, &turns)
}

/// The same with a script in the place of the proposer, who is then within any limit on the slowest machine.
fn hurried(turn: Turn) -> (TestEnv, Run) {
    hurried_by(turn, |_| {})
}

/// The same, with a look at what is left.
fn hurried_by(turn: Turn, look: impl Fn(&Turns)) -> (TestEnv, Run) {
    let (env, turns) = Turns::install(machine_for(&Script::duel(1)), &NAMES, &[turn]);
    let arguments = ["duel", TOPIC, "--rounds", "1", "--tools", "script:debate.toml,codex", "--timeout", "0.3"];
    let run = env.rebut(arguments);
    assert_eq!(turns.survivors(), Vec::<String>::new());
    look(&turns);
    (env, run)
}

const DUEL: [&str; 8] = ["duel", TOPIC, "--rounds", "1", "--tools", "claude,codex", "--judge", "gemini"];

/// Holds it, and looks that nothing is left.
fn hold(env: &TestEnv, turns: &Turns, more: &[&str]) -> Run {
    let run = env.rebut([&DUEL[..], more].concat());
    assert_eq!(turns.survivors(), Vec::<String>::new());
    run
}

/// The challenger failed for this reason, and nothing of it became an argument.
#[track_caller]
fn uncontested(env: &TestEnv, run: Run, words: &str) {
    let _ = run.exits(3).shows(&format!("Challenger (codex) failed in round 1: it {words}"));
    assert_eq!(env.debate().status(), "uncontested");
    assert_eq!(env.debate().state()["exchanges"].as_array().unwrap().len(), 1);
}

#[test]
fn a_tool_that_hangs_and_will_not_end_is_killed_with_all_that_it_started() {
    let stubborn = Turn::hang("codex").first(Before::IgnoreSignals).first(Before::Fork).first(Before::ForkAway);
    let (env, run) = hurried(stubborn);
    uncontested(&env, run, "timed out (after 0.3 s)");
}

#[test]
fn a_tool_that_falls_silent_in_its_answer_is_not_waited_for_until_the_limit() {
    let silent = Turn::answer("codex", "Half an argument").then(After::Stall);
    let (env, turns) = Turns::install(machine_for(&Script::duel(1)), &NAMES, &[silent]);
    let env = env.set("REBUT_LIMITS_STALL_SECONDS", "0.3");
    let run = env.rebut(["duel", TOPIC, "--rounds", "1", "--tools", "script:debate.toml,codex", "--timeout", "600"]);
    assert_eq!(turns.survivors(), Vec::<String>::new());
    uncontested(&env, run, "stalled without output (no output for 0.3 s)");
}

#[test]
fn a_flood_on_both_pipes_is_cut_off() {
    let long = Turn::answer("codex", "Argument of the challenger.").first(Before::Print200Megabytes);
    for turn in [Turn::hang("codex").first(Before::Flood), long] {
        let (env, turns) = contested_by(turn);
        let run = hold(&env, &turns, &[]);
        uncontested(&env, run, "returned too much output");
    }
}

#[test]
fn an_answer_counts_whatever_its_tool_does_afterwards_or_leaves_behind() {
    let answer = || Turn::answer("codex", "Argument of the challenger.");
    for turn in [
        answer().then(After::LiveOn),
        answer().then(After::CloseAndLiveOn),
        answer().then(After::LiveOn).first(Before::IgnoreSignals),
        answer().first(Before::Fork),
        answer().first(Before::ForkAway),
        answer().then(After::LiveOn).first(Before::ForkAway),
    ] {
        let (env, turns) = contested_by(turn.clone());
        let run = hold(&env, &turns, &[]).exits(0).shows("the challenger (codex) had the stronger case.");
        assert_eq!(env.debate().state()["exchanges"][1]["response"], "Argument of the challenger.", "{turn:?} {run}");
    }
}

#[test]
fn a_tool_that_closes_its_output_before_its_answer_is_whole_has_broken_off() {
    let begun = "{\"type\":\"item.completed\",\"item\":{\"type\":\"agent_message\",\"text\":\"Half an argument\"}}\n";
    for after in [After::CloseAndLiveOn, After::Exit(0)] {
        // It is tried again once.
        let broken = Turn::raw("codex", begun).then(after);
        let (env, turns) =
            machine_with(&NAMES, &[Turn::answer("claude", "Argument of the proposer."), broken.clone(), broken]);
        let run = hold(&env, &turns, &[]);
        uncontested(&env, run, "was cut off mid-answer");
    }
}

#[test]
fn a_tool_that_ends_with_an_error_or_crashes_and_says_nothing_is_named_with_how_it_ended() {
    for (after, how) in [(After::Exit(7), "ended with status 7"), (After::Crash, "was ended by a signal")] {
        let (env, turns) = contested_by(Turn::raw("codex", "").then(after));
        let run = hold(&env, &turns, &[]);
        uncontested(&env, run, &format!("failed with an error (it {how} and said nothing)"));
    }
}

#[test]
fn what_a_failed_tool_complained_can_be_read_afterwards_without_its_secrets() {
    let key = format!("sk-{}-{}", "ant", "api03-0123456789abcdefABCDEFghij");
    let complaints = format!("connecting with {key}\nthe socket is gone\n");
    let turn = Turn { complaints, ..Turn::raw("codex", "").then(After::Exit(7)) };
    let (env, turns) = contested_by(turn);
    let run = hold(&env, &turns, &[]);
    uncontested(&env, run, "failed with an error (the socket is gone)");
    let kept = "connecting with [redacted]\nthe socket is gone";
    assert_eq!(env.debate().of_kind("failed")[0].happening["failure"]["complaints"], kept);
    let run = env.rebut(["show", "last", "--failures"]).exits(0);
    let run = run
        .shows("round-1/challenger: failed with an error (the socket is gone)\n  connecting with [redacted]\n  the socket");
    assert!(!run.to_string().contains(&key), "{run}");
    let lines = env.rebut(["show", "last", "--failures", "--json"]).exits(0).json_lines();
    assert_eq!((&lines[0]["key"], &lines[0]["failure"]["complaints"]), (&"round-1/challenger".into(), &kept.into()));
}

#[test]
fn bytes_that_are_no_text_are_replaced_and_the_answer_counts() {
    let lines = [
        "{\"type\":\"item.completed\",\"item\":{\"type\":\"agent_message\",\"text\":\"Argument \u{fffd} of the challenger.\"}}",
        "{\"type\":\"turn.completed\",\"usage\":{}}\n",
    ];
    let (env, turns) = contested_by(Turn::raw("codex", lines.join("\n")));
    let _ = hold(&env, &turns, &[]).exits(0);
    assert_eq!(env.debate().state()["exchanges"][1]["response"], "Argument \u{fffd} of the challenger.");
}

/// A duel whose challenger and all that it started live on until they are ended.
fn hanging(turn: Turn, processes: usize) -> (TestEnv, Turns, Running) {
    let (env, turns) = contested_by(turn);
    let mut running = env.start([&DUEL[..], &["--json", "--timeout", "600"]].concat());
    running.wait_until_started("round-1/challenger");
    // The program itself carries the sign of the stand-ins too.
    until("the tool and what it starts", || turns.survivors().len() > processes && turns.calls_of("codex").len() == 1);
    (env, turns, running)
}

#[test]
fn a_terminal_that_is_closed_ends_the_debate_in_good_order_however_often_it_says_so() {
    let (env, turns, mut running) = hanging(Turn::hang("codex").first(Before::IgnoreSignals), 1);
    running.signal(Signal::HUP);
    // What is under way does not end when it is asked to: there is time.
    let _ = running.wait_for(|line| line["happening"]["kind"] == "interrupted");
    running.signal(Signal::HUP);
    let _ = running.end().exits(130).says("Cancelled. Resume with: rebut resume");
    assert_eq!(turns.survivors(), Vec::<String>::new());
    assert_eq!(env.debate().status(), "cancelled");
}

#[test]
fn ctrl_c_ends_a_tool_with_all_that_it_started() {
    let family = Turn::hang("codex").first(Before::IgnoreSignals).first(Before::Fork).first(Before::ForkAway);
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let (env, turns, running) = hanging(family.clone(), 3);
        running.signal(signal);
        let _ = running.end().exits(130).says("Cancelled. Resume with: rebut resume");
        assert_eq!(turns.survivors(), Vec::<String>::new());
        assert_eq!(env.debate().status(), "cancelled");
    }
}

/// The second signal finds the first one waiting for a tool that will not end.
#[test]
fn a_second_ctrl_c_leaves_at_once_and_leaves_nothing_behind_either() {
    let family = Turn::hang("codex").first(Before::IgnoreSignals).first(Before::Fork).first(Before::ForkAway);
    let (env, turns, running) = hanging(family, 3);
    running.signal(Signal::INT);
    running.signal(Signal::TERM);
    let run = running.end().exits(130);
    assert!(!run.json_lines().iter().any(|line| line["type"] == "result"), "it leaves at once: {run}");
    until("the end of all that it started", || turns.survivors().is_empty());
    assert!(!run.stderr.contains("cancelled: go on with"), "{run}");
    assert_eq!(env.debate().answers()["round-1/proposer"], 1, "what was answered is kept");
}

#[cfg(target_os = "linux")]
#[test]
fn a_killed_rebut_leaves_neither_what_its_tool_started_nor_a_folder() {
    let family = Turn::hang("codex").first(Before::IgnoreSignals).first(Before::Fork).first(Before::ForkAway);
    let (env, turns) = contested_by(family);
    let temporary = env.root().join("temporary");
    std::fs::create_dir(&temporary).unwrap();
    let env = env.set("TMPDIR", &temporary);
    env.write("src/lib.rs", "fn one() {}\n");
    let names = || std::fs::read_dir(&temporary).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let of_the_tool = || names().filter(|name| name.starts_with("rebut-tool-")).count();
    let copies = || names().filter(|name| name.starts_with("rebut-copy-")).count();
    let mut running = env.start([&DUEL[..], &["--json", "--timeout", "600"]].concat());
    running.wait_until_started("round-1/challenger");
    until("the tool and what it starts", || turns.survivors().len() > 3 && turns.calls_of("codex").len() == 1);
    assert!(of_the_tool() > 0 && copies() > 0, "{:?}", names().collect::<Vec<_>>());
    running.signal(Signal::KILL);
    running.end().was_killed();
    until("the end of all that it started", || turns.survivors().is_empty());
    until("the end of its folders and of the copy that its tools read", || names().count() == 0);
}

/// As `killall -9 rebut` does.
#[cfg(target_os = "linux")]
#[test]
fn a_tool_dies_with_a_rebut_that_is_killed_together_with_its_guard() {
    let (_env, turns, running) = hanging(Turn::hang("codex").first(Before::IgnoreSignals), 1);
    let children = std::fs::read_to_string(format!("/proc/{0}/task/{0}/children", running.id())).unwrap();
    let is_guard = |id: &&str| {
        let command = std::fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
        command.split(|byte| *byte == 0).any(|argument| argument == b"--guard-children")
    };
    let guard = children.split_whitespace().find(is_guard).expect("a guard");
    assert!(Command::new("kill").args(["-9", guard]).status().unwrap().success());
    running.signal(Signal::KILL);
    running.end().was_killed();
    until("the end of the tool", || turns.survivors().is_empty());
}

#[cfg(target_os = "linux")]
#[test]
fn what_left_its_group_and_carries_no_mark_is_ended_with_its_tool() {
    for leaving in [Before::ForkAwayClean, Before::OrphanClean] {
        let (env, run) = hurried_by(Turn::hang("codex").first(leaving), |turns| assert!(!turns.clean_one_lives()));
        uncontested(&env, run, "timed out (after 0.3 s)");
        let (env, turns) = contested_by(Turn::answer("codex", "Argument of the challenger.").first(leaving));
        let _ = hold(&env, &turns, &[]).exits(0);
        assert!(!turns.clean_one_lives());
    }
}

/// What claude prints for a statement with its block.
#[cfg(target_os = "linux")]
pub(crate) const WE_SHOULD: &str =
    r#"{"type":"result","subtype":"success","is_error":false,"result":"We should.\n\n```json\n{\"claims\":[]}\n```"}"#;

/// A shell that becomes the program leaves it a job, which leaves it an orphan in turn: a session of its own, and nothing
/// by which it can be told from what a tool leaves. As PID 1 of a container the program gets the orphans of everybody.
#[cfg(target_os = "linux")]
#[test]
fn an_orphan_that_comes_of_no_tool_is_left_alone() {
    let container = ["unshare", "-pf", "--mount-proc"];
    for (within, exec) in [(&[][..], "exec"), (&container[..2], "exec"), (&container, "exec"), (&container, "")] {
        let can_be_had = || Command::new(within[0]).args(&within[1..]).arg("true").status().is_ok_and(|it| it.success());
        if !within.is_empty() && !can_be_had() {
            eprintln!("not tested, since it is not allowed here: {within:?}");
            continue;
        }
        let env = machine();
        for program in ["sh", "setsid", "sleep", "cat"].iter().chain(within.first()) {
            env.install(program);
        }
        let [held, orphan, fate] = ["held", "orphan", "fate"].map(|name| env.root().join(name).display().to_string());
        crate::pipe_at(held.as_ref());
        // The job ends once the first tool reads from the pipe, and then its sleeper is an orphan.
        let job = format!("sh -c 'setsid sleep 1000 > /dev/null 2>&1 & echo $! > {orphan}; : > {held}' &");
        env.install_script("claude", &format!("cat {held}\nprintf '%s\\n' '{WE_SHOULD}'\n"));
        env.install_script("codex", &format!("kill -0 $(cat {orphan}); echo $? > {fate}\nexit 1\n"));
        let rebut = env.command(["duel", TOPIC, "--rounds", "1", "--tools", "claude,codex"]);
        let script = format!("{job}\n{exec} \"$0\" \"$@\"\nexit $?");
        let words = within.iter().copied().chain(["sh", "-c", &script]).collect::<Vec<_>>();
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).arg(rebut.get_program()).args(rebut.get_args()).current_dir(env.workspace());
        command.env_clear().envs(rebut.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let run = Run::of(command.stdin(Stdio::null()));
        let lived = std::fs::read_to_string(&fate).unwrap_or_default();
        if within.is_empty() {
            let id = std::fs::read_to_string(&orphan).unwrap().trim().parse().unwrap();
            let _ = rustix::process::kill_process(rustix::process::Pid::from_raw(id).unwrap(), Signal::KILL);
        }
        assert_eq!(lived, "0\n", "{within:?} {exec}: {run}");
        let _ = run.exits(3);
    }
}

/// Somebody comes into the container of which the program is PID 1, as `docker exec` does, and leaves an orphan there.
#[cfg(target_os = "linux")]
#[test]
fn as_pid_1_an_orphan_of_somebody_else_is_left_alone() {
    let can_be_had =
        |program: &str, words: &[&str]| Command::new(program).args(words).output().is_ok_and(|it| it.status.success());
    if !can_be_had("unshare", &["-pf", "--mount-proc", "true"]) || !can_be_had("nsenter", &["--version"]) {
        eprintln!("not tested, since no container can be had here");
        return;
    }
    let env = machine();
    for program in ["sh", "cat", "unshare"] {
        env.install(program);
    }
    let [held, ready, orphan, fate] = ["held", "ready", "orphan", "fate"].map(|name| env.root().join(name));
    crate::pipe_at(&held);
    env.install_script(
        "claude",
        &format!(": > {}\ncat {}\nprintf '%s\\n' '{WE_SHOULD}'\n", ready.display(), held.display()),
    );
    env.install_script("codex", &format!("kill -0 $(cat {}); echo $? > {}\nexit 1\n", orphan.display(), fate.display()));
    let rebut = env.command(["duel", TOPIC, "--rounds", "1", "--tools", "claude,codex"]);
    let mut command = Command::new("unshare");
    command.args(["-pf", "--mount-proc", "--kill-child"]).arg(rebut.get_program()).args(rebut.get_args());
    command.env_clear().envs(rebut.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.current_dir(env.workspace()).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let container = command.spawn().unwrap();
    until("the first tool", || ready.exists());
    let id = container.id();
    let children = std::fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap();
    let leave = format!("setsid sleep 1000 > /dev/null 2>&1 & echo $! > {}", orphan.display());
    let guest = Command::new("nsenter").args(["-t", children.trim(), "-p", "sh", "-c", &leave]).status().unwrap();
    assert!(guest.success());
    std::fs::write(&held, "").unwrap();
    let run = Run::from(container.wait_with_output().unwrap()).exits(3);
    assert_eq!(std::fs::read_to_string(&fate).unwrap_or_default(), "0\n", "{run}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_killed_rebut_takes_its_tool_along_and_the_debate_goes_on_from_there() {
    let (env, turns, running) = hanging(Turn::hang("codex").first(Before::IgnoreSignals), 1);
    running.signal(Signal::KILL);
    running.end().was_killed();
    until("the tool's end", || turns.survivors().is_empty());
    turns.rewrite(&[Turn::answer("codex", "Argument of the challenger."), Turn::answer("gemini", verdict("challenger"))]);
    let run = env.rebut(["resume"]).exits(0).shows("had the stronger case");
    let _ = run.says("Reusing 1 saved answer");
    assert_eq!(turns.calls_of("claude").len(), 1);
    assert!(env.debate().answers().values().all(|times| *times == 1));
}

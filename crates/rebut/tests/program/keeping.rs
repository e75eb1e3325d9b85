//! What a debate leaves on the disk: what is on record of its seats, where it is kept, for whom, and nothing else.

use std::fs;

use rebut_fakes::{Run, Script, ScriptLine, TestEnv};
use serde_json::Value;

use crate::{machine, machine_for, machine_judged_once, until};

#[test]
fn a_seat_that_never_answered_has_no_model_on_record() {
    let env = machine_for(&Script::duel(1).instead("round-1/challenger", [ScriptLine::fail("exit")]));
    let _ = env.duel(&["--rounds", "1"]).exits(3);
    assert_eq!(env.debate().state()["challenger"]["model"], Value::Null);
}

#[test]
fn a_debate_leaves_nothing_but_its_folder_however_it_ends() {
    for (key, line, code) in [
        ("verdict/judge/1", ScriptLine::text(rebut_fakes::verdict("proposer")), 0),
        ("round-1/proposer", ScriptLine::fail("exit"), 1),
        ("round-1/challenger", ScriptLine::fail("refused"), 3),
        ("verdict/judge/1", ScriptLine::text("no verdict"), 3),
        ("round-1/proposer", ScriptLine::hang(), 1),
    ] {
        let env = machine_judged_once(&Script::duel(1).instead(key, [line])).set("TMPDIR", "/nonexistent");
        let _ = env.duel(&["--rounds", "1", "--timeout", "1"]).exits(code);
        let id = env.debate().id;
        let pack = format!("/{}", env.debate().pack().unwrap());
        let expected =
            ["/", "/blobs/", &pack, "/debate.json", "/journal.jsonl", "/summary.json"].map(|rest| format!("{id}{rest}"));
        assert_eq!(env.kept(), expected, "{key}");
        assert_eq!(fs::read_dir(env.workspace()).unwrap().count(), 1, "only the script is in the workspace");
        assert_eq!(fs::read_dir(env.home()).unwrap().count(), 0, "nothing is in the home folder");
    }
}

#[test]
fn debates_at_the_same_moment_in_the_same_folders_do_not_meet() {
    let env = machine_for(&Script::duel(2).everywhere("delay_ms", 3));
    fs::create_dir(env.workspace().join(".claude")).unwrap();
    let start = || env.start_duel(&[]);
    let running: Vec<_> = (0..6).map(|_| start()).collect();
    let results: Vec<Value> =
        running.into_iter().map(|running| running.end().exits(0).json_lines().pop().unwrap()).collect();
    let mut ids: Vec<&str> = results.iter().map(|result| result["debate"]["id"].as_str().unwrap()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 6);
    let debates = env.debates();
    assert_eq!(debates.iter().map(|debate| debate.id.as_str()).collect::<Vec<_>>(), ids);
    for debate in &debates {
        assert_eq!(debate.listing(), ["debate.json", "journal.jsonl"]);
        let _ = env.rebut(["show", "--verify", &debate.id]).exits(0);
    }
    // The last writer's file stands there whole.
    let folder = env.workspace().join(".claude").join("debate");
    let names: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["last-debate.json"]);
    let last: Value = serde_json::from_slice(&fs::read(folder.join("last-debate.json")).unwrap()).unwrap();
    let own = debates.iter().find(|debate| debate.id == last["id"].as_str().unwrap()).unwrap();
    assert_eq!(last, own.state());
}

#[test]
fn what_was_said_is_on_the_disk_soon_after_every_exchange() {
    let env = machine_for(&Script::duel(1).instead("round-1/challenger", [ScriptLine::hang()]));
    let mut running = env.start_duel(&["--rounds", "1", "--timeout", "60"]);
    running.wait_until_started("round-1/challenger");
    until("what was said", || !env.debate().state()["exchanges"][0].is_null());
    let state = env.debate().state();
    assert_eq!(state["status"], "running");
    assert_eq!(state["exchanges"][0]["response"], "Argument of the proposer in round 1.");
    running.signal(rustix::process::Signal::KILL);
    running.end().was_killed();
    env.rewrite(&Script::duel(1));
    let _ = env.rebut(["resume"]).exits(0);
}

/// Where `last-debate.json` is, as seen from the machine's folder.
fn last_debate_files(env: &TestEnv) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![env.root()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.is_symlink() {
                folders.push(path);
            } else if path.ends_with("last-debate.json") {
                found.push(path.strip_prefix(env.root()).unwrap().display().to_string());
            }
        }
    }
    found.sort();
    found
}

fn hold(env: &TestEnv) -> Run {
    env.duel(&["--rounds", "1"]).exits(0)
}

#[test]
fn the_last_debate_is_where_the_variable_or_the_first_tools_folder_says() {
    let env = machine_for(&Script::duel(1));
    let _ = hold(&env);
    assert_eq!(last_debate_files(&env), Vec::<String>::new());
    for (folder, expected) in [
        (".codex", "workspace/.codex/debate/last-debate.json"),
        (".opencode", "workspace/.opencode/debate/last-debate.json"),
        (".claude", "workspace/.claude/debate/last-debate.json"),
    ] {
        fs::create_dir(env.workspace().join(folder)).unwrap();
        let _ = hold(&env);
        assert!(last_debate_files(&env).contains(&expected.to_owned()), "{:?}", last_debate_files(&env));
        fs::remove_dir_all(env.workspace().join(folder).join("debate")).unwrap();
    }
    let elsewhere = env.root().join("ai-state");
    let env = env.set("AI_STATE_DIR", elsewhere);
    let _ = hold(&env);
    assert_eq!(last_debate_files(&env), ["ai-state/debate/last-debate.json"]);
}

#[test]
fn the_last_debate_is_in_the_folder_of_the_tool_that_rebut_is_called_from() {
    let codex = "workspace/.codex/debate/last-debate.json";
    let script = Script::duel(1).instead("round-1/challenger", [ScriptLine::fail("auth")]);
    let env = machine_for(&script).set("CODEX_THREAD_ID", "t-1");
    fs::create_dir(env.workspace().join(".claude")).unwrap();
    let _ = env.duel(&["--rounds", "1"]).exits(3);
    assert_eq!(last_debate_files(&env), [codex]);
    // Once it is taken up from elsewhere it is still left there.
    fs::remove_file(env.root().join(codex)).unwrap();
    env.rewrite(&Script::duel(1).judged("verdict/2/judge", "challenger"));
    let env = env.set("CODEX_THREAD_ID", "");
    let _ = env.rebut(["resume", "last"]).exits(0);
    assert_eq!(last_debate_files(&env), [codex]);
    let _ = env.duel(&["--rounds", "1", "--host", "gemini"]).exits(0);
    assert_eq!(last_debate_files(&env), [codex, "workspace/.gemini/debate/last-debate.json"]);
}

#[test]
fn a_tools_folder_that_leads_out_of_the_workspace_is_not_written_to() {
    for (link, to) in [(".claude", "../outside"), (".claude/debate", "../../outside")] {
        let env = machine_for(&Script::duel(1));
        let outside = env.root().join("outside");
        fs::create_dir(&outside).unwrap();
        let link = env.workspace().join(link);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(to, link).unwrap();
        let _ = hold(&env);
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
    }
}

#[test]
fn files_are_for_their_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let long = "Argument of the challenger. ".repeat(1_000);
    let env = machine_for(&Script::duel(1).instead("round-1/challenger", [ScriptLine::text(long)]));
    let _ = Run::of(&mut env.command_behind("umask 022", env.duel_arguments(&["--rounds", "1"]))).exits(0);
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&env.state()), 0o700);
    let kept = env.kept();
    assert!(kept.iter().any(|name| name.contains("/blobs/")), "{kept:?}");
    for name in kept {
        let expected = if name.ends_with('/') { 0o700 } else { 0o600 };
        assert_eq!(mode(&env.state().join(&name)), expected, "{name}");
    }
}

#[test]
fn a_debate_needs_no_home_folder_where_a_state_folder_is_named() {
    let env = machine().with(&Script::duel(1)).set("HOME", "").set("XDG_STATE_HOME", "");
    let _ = env.duel(&["--rounds", "1", "--state-dir", "kept-here"]).exits(0);
    assert_eq!(env.debates_in(env.workspace().join("kept-here")).len(), 1);
}

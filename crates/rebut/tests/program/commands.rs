//! The commands on debates that are kept: finding, reading, removing, and going on with them.

use std::collections::BTreeSet;
use std::fs;

use rebut_fakes::{DebateFolder, Run, Script, ScriptLine, TestEnv};

use crate::{machine, machine_for};

/// A machine with so many debates, oldest first.
fn with_debates(count: usize) -> (TestEnv, Vec<DebateFolder>) {
    let env = machine_for(&Script::duel(1));
    let mut debates: Vec<DebateFolder> = Vec::new();
    for _ in 0..count {
        let _ = env.duel(&["--rounds", "1"]).exits(0);
        // Ids of the same second do not tell which is newer.
        let known: Vec<String> = debates.iter().map(|debate| debate.id.clone()).collect();
        debates.extend(env.debates().into_iter().filter(|debate| !known.contains(&debate.id)));
    }
    (env, debates)
}

#[test]
fn any_unique_part_of_an_id_names_a_debate_and_last_names_the_newest() {
    let (env, debates) = with_debates(2);
    for debate in &debates {
        let shown = env.rebut(["show", &debate.id[7..], "--json"]).exits(0).json();
        assert_eq!(shown["id"], debate.id.as_str());
    }
    assert_eq!(env.rebut(["show", "last", "--json"]).exits(0).json()["id"], debates[1].id.as_str());
    assert_eq!(env.rebut(["show", "--json"]).exits(0).json()["id"], debates[1].id.as_str());
    let _ = env.rebut(["show", "debate-"]).exits(2).says("error: `debate-` matches 2 debates: debate-");
    let _ = env.rebut(["show", "debate-"]).exits(2).says("hint: give more of the id");
    let unknown = env.rebut(["show", "nothing"]).exits(2);
    assert_eq!(unknown.stderr, "error: no debate matches `nothing`\nhint: `rebut list` shows every debate\n");
    let _ = env.rebut(["show", ""]).exits(2).says("error: no debate matches ``");
}

#[test]
fn where_there_is_no_debate_that_is_said() {
    let env = machine();
    let empty = env.rebut(["list"]).exits(0);
    assert_eq!((empty.stdout.as_str(), empty.stderr), ("", format!("note: no debates in {}\n", env.state().display())));
    for command in [&["show"][..], &["replay"], &["export"], &["rm", "last"], &["cancel", "last"], &["resume", "last"]] {
        let _ = env.rebut(command).exits(2).says("error: there is no debate yet");
    }
    let _ = env.rebut(["resume"]).exits(2).says("no interrupted debate in");
    let _ = env.rebut(["prune", "--older-than", "1d"]).exits(0).says("note: no debate is that old");
    assert!(!env.state().exists(), "looking leaves nothing behind");
}

#[test]
fn a_debate_is_removed_with_all_its_files() {
    let (env, debates) = with_debates(2);
    let removed = env.rebut(["rm", &debates[0].id]).exits(0);
    assert_eq!(removed.stdout, format!("removed {}\n", debates[0].short()));
    assert_eq!(env.debate().id, debates[1].id);
    let _ = env.rebut(["rm", "last"]).exits(0);
    assert_eq!(env.kept(), [""; 0]);
}

/// Has a debate's record name this as the folder of its documents.
fn put_documents(env: &TestEnv, debate: &DebateFolder, folder: &std::path::Path) {
    let record = env.state().join(&debate.id).join("projections.json");
    fs::write(record, format!("{{\"documents\":\"{}\"}}", folder.display())).unwrap();
}

/// A record is only text: whatever it names, nothing but a debate's own folders is removed.
#[test]
fn a_record_that_names_a_folder_of_the_users_removes_nothing_of_it() {
    let (env, debates) = with_debates(1);
    let precious = env.write("precious/journal.jsonl", "");
    put_documents(&env, &debates[0], precious.parent().unwrap());
    let _ = env.rebut(["rm", "last"]).exits(0);
    assert!(precious.exists());
    assert_eq!(env.kept(), [""; 0]);
}

#[test]
fn prune_removes_what_is_old_and_a_dry_run_only_says_so() {
    let (env, debates) = with_debates(2);
    let _ = env.rebut(["prune", "--older-than", "1d"]).exits(0).says("note: no debate is that old");
    let dry = env.rebut(["prune", "--older-than", "0s", "--dry-run"]).exits(0);
    let each = |word: &str| debates.iter().map(|debate| format!("{word} {}", debate.short())).collect::<BTreeSet<_>>();
    let said = |text: &str| text.lines().map(str::to_owned).collect::<BTreeSet<_>>();
    assert_eq!(said(&dry.stdout), each("would remove"));
    assert_eq!(env.debates().len(), 2);
    let pruned = env.rebut(["prune", "--older-than", "0s"]).exits(0);
    assert_eq!(said(&pruned.stdout), each("removed"));
    assert_eq!(env.kept(), [""; 0]);
    let _ = env.rebut(["prune"]).exits(2).says("--older-than <TIME>");
    let _ = env.rebut(["prune", "--older-than", "soon"]).exits(2).says("expected a number with s, m, h or d, such as 30d");
}

#[test]
fn a_replay_shows_what_the_run_showed_and_renders_its_file_again() {
    let env = machine_for(&Script::duel(3));
    let run = env.duel(&["--rounds", "3"]).exits(0);
    let debate = env.debate();
    let (state, journal) = (debate.state(), debate.bytes());
    fs::remove_file(debate.path.join("debate.json")).unwrap();
    let replay = env.rebut(["replay"]).exits(0);
    assert_eq!(replay.stdout, run.stdout);
    assert_eq!(debate.state(), state);
    assert_eq!(debate.bytes(), journal);
    let as_json = env.rebut(["replay", "--json"]).exits(0).json_lines();
    assert_eq!(as_json.len(), debate.lines().len() + 1);
    assert_eq!(as_json.last().unwrap()["debate"], state);
}

/// Nobody is needed for it: not the script, not the workspace.
#[test]
fn a_debate_can_be_read_when_its_seats_are_gone() {
    let (env, _) = with_debates(1);
    fs::remove_file(env.workspace().join("debate.toml")).unwrap();
    for command in ["show", "replay", "export"] {
        let _ = env.rebut([command]).exits(0).shows("Argument of the challenger in round 1.");
    }
    let resumed = env.rebut(["resume", "last", "--rounds", "2"]).exits(2);
    let _ = resumed.says("failed to read the script");
}

#[test]
fn a_complete_debate_is_argued_on_and_judged_again() {
    let env = machine_for(&Script::duel(3));
    let _ = env.duel(&["--rounds", "1"]).exits(0);
    let debate = env.debate();
    let before = debate.lines().len();
    let _ = env.rebut(["resume", "last", "--rounds", "3"]).exits(0).shows("- Rounds completed: 3 of 3");
    let asked: Vec<String> =
        debate.lines()[before..].iter().filter(|line| line.kind() == "started").map(|line| line.key().to_owned()).collect();
    let mut sorted = asked.clone();
    sorted.sort();
    let expected = [
        "round-2/challenger",
        "round-2/proposer",
        "round-3/challenger",
        "round-3/proposer",
        "round-3/summary",
        "verdict/2/judge/1",
        "verdict/2/judge/2",
    ];
    assert_eq!(sorted, expected, "{asked:?}");
    assert_eq!((debate.state()["rounds_completed"].as_u64(), debate.status().as_str()), (Some(3), "completed"));
    let fewer = env.rebut(["resume", "last", "--rounds", "2"]).exits(2);
    assert_eq!(fewer.stderr, "error: --rounds 2 is too few; 3 are done already\n");
    let _ = env.rebut(["resume", "last", "--rounds", "9"]).exits(2).says("--rounds 9 is too many; a duel has at most 5");
}

#[test]
fn what_only_another_format_has_is_refused_when_a_debate_is_resumed() {
    let (env, debates) = with_debates(1);
    let before = debates[0].bytes();
    for (more, whose) in [(&["--apply"][..], "a review"), (&["--fail-on", "p1"], "a review"), (&["--yes"], "a panel")] {
        let run = env.rebut(["resume", "last"].iter().chain(more)).exits(2);
        let _ = run.says(&format!("error: {} is for {whose}, but this debate is a duel", more[0]));
    }
    assert_eq!(debates[0].bytes(), before);
}

#[test]
fn one_that_cannot_be_removed_is_no_reason_to_say_that_nothing_is_old() {
    let (env, debates) = with_debates(2);
    let folder = debates[0].id.replace('T', "-").replace('Z', "");
    let no_folder = env.write(format!("documents/{folder}"), "");
    put_documents(&env, &debates[0], &no_folder);
    let run = env.rebut(["prune", "--older-than", "0s", "--json"]).exits(1);
    let _ = run.clone().says(&format!("error: {} was not removed: ", debates[0].short()));
    assert!(!run.stderr.contains("no debate is that old"), "{run}");
    let lines = run.json_lines();
    let told = |key: &str| lines.iter().filter_map(|line| line[key].as_str()).collect::<Vec<_>>();
    assert_eq!((told("not_removed"), told("removed")), (vec![debates[0].id.as_str()], vec![debates[1].id.as_str()]));
    let run = env.rebut(["prune", "--older-than", "0s"]).exits(1);
    assert!(!run.stderr.contains("no debate is that old"), "{run}");
}

#[test]
fn a_failed_debate_is_resumed_from_where_it_failed() {
    let env = machine_for(&Script::duel(2).instead("round-2/proposer", [ScriptLine::fail("auth")]));
    let _ = env.duel(&[]).exits(3);
    env.rewrite(&Script::duel(2).judged("verdict/2/judge", "challenger"));
    let _ = env.rebut(["resume", "last"]).exits(0).shows("- Rounds completed: 2 of 2");
    let debate = env.debate();
    assert_eq!(debate.status(), "completed");
    assert_eq!(debate.answers().values().copied().collect::<Vec<_>>(), [1; 8]);
}

#[test]
fn a_complete_debate_is_not_judged_again_for_a_change_that_changes_nothing() {
    let env = machine_for(&Script::duel(2));
    let _ = env.duel(&["--rounds", "2"]).exits(0);
    let before = env.debate().bytes();
    let resumed = env.rebut(["resume", "last"]).exits(0).shows("wins · ");
    let _ = resumed.says("is complete; add rounds with --rounds, or have it judged again with: rebut rejudge ");
    for more in [["--rounds", "2"], ["--timeout", "300"], ["--max-minutes", "100"]] {
        let run = env.rebut(["resume", "last", "--json"].iter().chain(&more)).exits(0);
        assert_eq!(run.json_lines().last().unwrap()["debate"]["status"], "completed");
    }
    assert_eq!(env.debate().bytes(), before);
}

#[test]
fn without_an_id_only_a_debate_of_this_workspace_that_was_cut_off_is_resumed() {
    let env = machine_for(&Script::duel(1));
    let _ = env.duel_with_fault("kill-after:2", &["--rounds", "1"]);
    let cut_off = env.debate().id.clone();
    env.rewrite(&Script::duel(1).instead("round-1/proposer", [ScriptLine::fail("auth")]));
    let _ = env.duel(&["--rounds", "1"]).exits(1);
    env.rewrite(&Script::duel(1));
    let elsewhere = env.root().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    let run = Run::of(env.command(["resume"]).current_dir(&elsewhere)).exits(2);
    let run = run.says(&format!("error: no interrupted debate in {}\n", elsewhere.display()));
    let _ = run.says("hint: name another by its id; `rebut list` shows all debates");
    let short = &cut_off[cut_off.len() - 4..];
    let run = env.rebut(["resume"]).exits(0).shows(&format!("rebut show {short}"));
    let _ = run.says(&format!("note: resuming {short}: Should we replace our REST gateway with gRPC?\n"));
    // The one that failed has come to its end.
    let _ = env.rebut(["resume"]).exits(2).says("no interrupted debate in");
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
fn export_writes_what_debate_json_holds() {
    let (env, debates) = with_debates(1);
    let exported = env.rebut(["export", "--as", "json"]).exits(0);
    assert_eq!(exported.stdout, fs::read_to_string(debates[0].path.join("debate.json")).unwrap());
    let _ = env.rebut(["export", "--as", "pdf"]).exits(2).says("[possible values: md, html, json, adr, sarif, patch]");
}

#[test]
fn completions_and_manual_pages_are_written() {
    let env = machine();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let _ = env.rebut(["completions", shell]).exits(0).shows("older-than");
    }
    for shell in ["bash", "zsh", "fish"] {
        let _ = env.rebut(["completions", shell]).exits(0).shows("rebut list --limit 100");
    }
    let _ = env.rebut(["man"]).exits(0).shows(".TH rebut 1").shows("resume");
    let _ = env.rebut(["man", "duel"]).exits(0).shows("max\\-tokens");
    let _ = env.rebut(["man", "dule"]).exits(2).says("error: there is no command `dule`");
}

#[test]
fn a_debate_that_was_killed_while_it_was_prepared_is_listed_as_empty_and_removed() {
    let env = machine();
    // Its place is made, and nothing else.
    let ids = ["debate-20260101T081503Z-3fa9", "debate-20260101T081503Z-3fb0"];
    for id in ids {
        fs::create_dir_all(env.state().join(id).join("blobs")).unwrap();
        fs::write(env.state().join(id).join("blobs/unfinished"), "half a pack").unwrap();
    }
    let listed = env.rebut(["list"]).exits(0);
    assert_eq!(listed.stdout.lines().filter(|line| line.contains("\tempty\t")).count(), 2, "{listed}");
    let _ = env.rebut(["show", "3fa9"]).exits(1).says("was cut off before its first event");
    let _ = env.rebut(["rm", "3fa9"]).exits(0);
    let _ = env.rebut(["prune", "--older-than", "1d"]).exits(0).shows("removed 3fb0");
    assert_eq!(env.kept(), [""; 0]);
}

#[test]
fn a_start_that_fails_leaves_nothing() {
    let env = machine_for(&Script::duel(1));
    let _ = env.duel_with_fault("full:0", &["--rounds", "1"]).exits(1).says("no storage space");
    assert_eq!(env.kept(), [""; 0]);
    let _ = env.rebut(["list"]).exits(0).says("note: no debates in ");
}

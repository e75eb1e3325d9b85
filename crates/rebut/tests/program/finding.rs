//! Finding debates again: lists, and what `last` means.

use std::fs;

use rebut_fakes::{Script, ScriptLine, Terminal, TestEnv, filters, verdict};

use crate::{machine_for, machine_judged_once};

/// A debate in another workspace than that of the machine.
fn debate_elsewhere(env: &TestEnv) -> std::path::PathBuf {
    let elsewhere = env.root().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    fs::copy(env.workspace().join("debate.toml"), elsewhere.join("debate.toml")).unwrap();
    let mut arguments = env.duel_arguments(&["--rounds", "1"]);
    arguments[1] = "Is the pool too small for this service?";
    assert!(env.command(arguments).current_dir(&elsewhere).output().unwrap().status.success());
    elsewhere
}

#[test]
fn debates_are_listed_by_workspace_kind_age_and_words() {
    let env = machine_for(&Script::duel(1));
    let _ = env.duel(&["--rounds", "1"]).exits(0);
    let own = env.debate().id;
    let elsewhere = debate_elsewhere(&env);
    let ids = |arguments: &[&str]| -> Vec<String> {
        let run = env.rebut([&["list"], arguments].concat()).exits(0);
        run.stdout.lines().map(|line| line.split('\t').next().unwrap().to_owned()).collect()
    };
    assert_eq!(ids(&[]), std::slice::from_ref(&own));
    let all = ids(&["--all"]);
    assert_eq!((all.len(), &all[1]), (2, &own), "newest first");
    assert_eq!(ids(&["--all", "--search", "POOL service"]), all[..1]);
    assert_eq!(ids(&["--all", "--search", "challenger wins"]), all, "outcomes are searched");
    assert_eq!(ids(&["--all", "--kind", "review"]), [""; 0]);
    assert_eq!(ids(&["--all", "--since", "1d"]), all);
    assert_eq!(ids(&["--all", "--limit", "1"]), all[..1]);
    let _ = env.rebut(["list", "--search", "nothing"]).exits(0).says("note: none of 1 debates match");
    // `last` is the last of the workspace, and not of all.
    assert_eq!(env.rebut(["show", "--json"]).exits(0).json()["id"], own.as_str());
    let there = env.command(["rm", "last"]).current_dir(&elsewhere).output().unwrap();
    assert!(String::from_utf8(there.stdout).unwrap().contains(all[0].rsplit('-').next().unwrap()));
    let none = env.command(["show"]).current_dir(&elsewhere).output().unwrap();
    assert!(String::from_utf8(none.stderr).unwrap().contains("`rebut list --all` shows those of other workspaces"));
}

#[test]
fn a_list_fits_the_terminal() {
    let env = machine_for(&Script::duel(1));
    let _ = env.duel(&["--rounds", "1"]).exits(0);
    let short = env.debate().id.rsplit('-').next().unwrap().to_owned();
    for columns in [60, 80, 200] {
        let list = ["list", "--all", "--no-color"];
        let shown = Terminal::open().columns(columns).show(&mut env.command(list)).exits(0).stderr;
        assert!(shown.lines().all(|line| line.chars().count() <= usize::from(columns)), "{shown}");
        let mut filters = filters(&env);
        filters.push((short.clone(), "[ID]"));
        filters.push((r"\b(\d+s|now) +".to_owned(), "0s   "));
        let filters = filters.iter().map(|(pattern, name)| (pattern.as_str(), *name)).collect::<Vec<_>>();
        insta::with_settings!({ filters => filters, omit_expression => true, prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(format!("list_{columns}"), shown.replace("\r\n", "\n"));
        });
    }
}

#[test]
fn a_decision_is_exported_as_a_record_and_a_debate_without_one_says_so() {
    let env = machine_judged_once(&Script::duel(1).instead("verdict/judge/1", [ScriptLine::fail("exit")]));
    let _ = env.duel(&["--rounds", "1"]).exits(3);
    let _ = env.rebut(["export", "--as", "adr"]).exits(2).says("has no decision yet").says("rebut resume ");
    env.rewrite(&Script::duel(1));
    let _ = env.rebut(["resume", "last"]).exits(0);
    let record = env.rebut(["export", "--as", "adr"]).exits(0).shows("## Decision\n\nDo as the ");
    let _ = record.shows("## Context\n").shows("## Options\n").shows("## Consequences\n").shows("✘ src/proposer.rs:1");
    env.rewrite(&Script::duel(1).instead("verdict/judge/1", [ScriptLine::text(verdict("proposer"))]));
    env.clear();
    let _ = env.duel(&["--rounds", "1", "--rigor", "standard"]).exits(3);
    let _ = env.rebut(["export", "--as", "adr"]).exits(2).says("is undecided").says("rebut rejudge ");
}

#[test]
fn a_failed_seat_is_replaced_when_the_debate_is_resumed() {
    let env = machine_for(&Script::duel(1).instead("round-1/challenger", [ScriptLine::fail("exit")]));
    let _ = env.duel(&["--rounds", "1"]).exits(3);
    env.write("other.toml", Script::duel(1).to_toml());
    let _ =
        env.rebut(["resume", "last", "--critic", "script:other.toml#south"]).exits(2).says("its seats: challenger, judge");
    let _ = env.rebut(["resume", "last", "--challenger", "script:other.toml#south"]).exits(0);
    let plan = env.rebut(["show", "--json"]).exits(0).json();
    assert!(plan.to_string().contains("other.toml#south"), "{plan}");
    let late = env.rebut(["resume", "last", "--seat", "challenger=script:other.toml#north"]).exits(2);
    let _ = late.says("this debate is complete");
}

#[test]
fn a_reader_of_a_document_may_stop_early() {
    let mut child = machine_for(&Script::duel(1)).command(["completions", "bash"]).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(0), ""));
}

#[test]
fn ids_complete_in_bash() {
    let env = machine_for(&Script::duel(1));
    let _ = env.duel(&["--rounds", "1"]).exits(0);
    for program in ["bash", "cut", "sed"] {
        env.install(program);
    }
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_rebut"), env.root().join("bin/rebut")).unwrap();
    let script = env.write("completions.bash", env.rebut(["completions", "bash"]).exits(0).stdout);
    let typed = r#"COMP_WORDS=(rebut show ""); COMP_CWORD=2; _rebut_with_ids rebut "" show; echo "${COMPREPLY[@]}""#;
    let line = format!("bash -c '. {}; {typed}'; exit", script.display());
    let completed = env.command_behind(&line, [""; 0]).output().unwrap();
    let id = env.debate().id;
    assert_eq!(String::from_utf8(completed.stdout).unwrap(), format!("last {}\n", id.rsplit('-').next().unwrap()));
}

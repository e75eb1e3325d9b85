//! Evidence through the built program: looked up in a kept copy of the workspace, and on its own with `rebut verify`.

use rebut_fakes::stand_in::{Before, Turn, Turns};
use rebut_fakes::{Script, ScriptLine, TestEnv};

use crate::{machine, machine_for, machine_judged_once, machine_with, pipe_at};

const POOL: &str =
    "fn acquire(pool: &Pool) -> Conn {\n    let guard = pool.lock();\n    drop(guard);\n    pool.wait(30)\n}\n";
const OPENING: &str = r#"The lock is dropped too early, and src/retry.rs:9 loops. See src/pool.rs:1 "pool.wait(30)".

```json
{"claims": [
  {"text": "the lock is dropped", "evidence": [{"file": "src/pool.rs", "lines": "3", "quote": "drop(guard);"}]},
  {"text": "nothing retries", "evidence": [{"file": "src/none.rs", "lines": "9"}, {"file": "src/gone.rs", "absent": true}]},
  {"text": "two lines speak of a guard", "evidence": [{"search": "guard", "in": "src", "count": 2}]}]}
```"#;

fn with_pool() -> TestEnv {
    let env = machine_for(&Script::duel(1).instead("round-1/proposer", [ScriptLine::text(OPENING)]));
    env.write("src/pool.rs", POOL);
    env
}

#[test]
fn evidence_has_its_mark_beside_it_and_in_the_opponents_prompt() {
    let env = with_pool();
    let run = env.duel(&["--rounds", "1"]).exits(0);
    let run =
        run.shows("- ✔ src/pool.rs:3 \"").shows("- ✘ src/none.rs:9: no such file").shows("P1 mentions src/retry.rs:9: ");
    let _ = run.shows("- ? search \"guard\" in src = 2: ");
    let prompt = env.debate().prompt("round-1/challenger");
    assert!(prompt.contains("P1.1 the lock is dropped\n  ✔ src/pool.rs:3 \""), "{prompt}");
    assert!(prompt.contains("mentioned: src/retry.rs:9: "), "{prompt}");
    let claims = env.rebut(["show", "--claims"]).exits(0);
    let _ = claims.shows("P1.1").shows("✔ src/pool.rs:3 \"");
}

/// What a statement quotes has lost its secrets when it is looked up, so that it is in no file any more.
#[test]
fn a_quote_with_a_secret_in_it_is_unchecked_and_never_false() {
    // Put together here, so that no scanner takes this file for a leak.
    let key = format!("AKIA{}", "IOSFODNN7EXAMPLE");
    let opening = rebut_fakes::with_block(
        "It is there.",
        &serde_json::json!({"claims": [{"text": "x", "evidence": [
            {"file": "conf/app.txt", "lines": "2", "quote": format!("access = {key} # ours")},
            {"file": "conf/app.txt", "lines": "2", "quote": format!("access = {key} # theirs")}]}]}),
    );
    let env = machine_for(&Script::duel(1).instead("round-1/proposer", [ScriptLine::text(&opening)]));
    env.write("conf/app.txt", format!("[app]\naccess = {key} # ours\n"));
    let run = env.duel(&["--rounds", "1"]).exits(0);
    let run =
        run.shows("- ? conf/app.txt:2 \"").shows("the quote contained a secret, which was removed").shows("2 unchecked");
    assert!(!run.to_string().contains(&key) && !String::from_utf8(env.debate().bytes()).unwrap().contains(&key));
}

#[test]
fn a_key_in_a_cited_path_is_not_printed() {
    let key = format!("sk-{}-api03-{}", "ant", ["Zx8kQ2", "mN4vB6", "cL1pR7", "tY9wE3", "uI5oA0sD"].concat());
    let env = with_pool();
    env.write("answer.md", format!("It stands in conf/{key}.txt:3, and src/pool.rs:3 reads \"{key}\".\n"));
    for arguments in [["verify", "answer.md"].as_slice(), &["verify", "--json", "answer.md"]] {
        let run = env.rebut(arguments.iter().copied()).exits(1).shows("[redacted]");
        assert!(!run.to_string().contains(&key), "{run}");
    }
}

#[test]
fn a_relative_path_is_meant_from_the_folder_of_its_text() {
    let env = with_pool();
    env.write("docs/guide.md", "See [pool](../src/pool.rs#L3) and ./more.md:1, or ./src/pool.rs:4.\n");
    env.write("docs/more.md", "More.\n");
    let run = env.rebut(["verify", "docs/guide.md"]).exits(0);
    let _ = run.shows("✔ ../src/pool.rs:3: ").shows("✔ ./more.md:1: ").shows("✔ ./src/pool.rs:4");
    env.write("docs/guide.md", "See [pool](../../src/pool.rs#L3) and [pool](../src/none.rs#L3).\n");
    let run = env.rebut(["verify", "docs/guide.md"]).exits(1);
    let _ = run.shows("? ../../src/pool.rs:3: outside the workspace, not read").shows("✘ ../src/none.rs:3: no such file");
}

#[test]
fn a_search_is_run_where_the_person_allows_it() {
    let env = with_pool();
    let _ = env.duel(&["--rounds", "1", "--allow-checks"]).exits(0).shows("- ✔ search \"guard\" in src = 2: 2 lines match");
}

#[test]
fn what_was_kept_counts_and_not_what_the_file_became() {
    let env = with_pool();
    env.duel_with_fault("kill-after:2", &["--rounds", "1"]).was_killed();
    env.write("src/pool.rs", "nothing of it is left\n");
    let _ = env.rebut(["resume"]).exits(0).shows("- ✔ src/pool.rs:3 \"");
}

#[test]
fn a_kept_workspace_that_was_changed_is_named() {
    let env = with_pool();
    let _ = env.duel(&["--rounds", "1"]).exits(0);
    let debate = env.debate();
    let pack = debate.kept.join(debate.pack().unwrap());
    let mut bytes = std::fs::read(&pack).unwrap();
    bytes[20] ^= 1;
    std::fs::write(&pack, bytes).unwrap();
    let _ = env.rebut(["show", "--verify"]).exits(1).shows("does not match its hash");
}

#[test]
fn without_the_workspace_nothing_is_looked_up() {
    let env = with_pool();
    let run = env.duel(&["--rounds", "1", "--no-workspace"]).exits(0);
    let _ = run.shows("? src/pool.rs:3 \"").shows(": --no-workspace keeps workspace files out of the debate");
    assert_eq!(env.debate().pack(), None);
}

#[test]
fn any_text_can_be_verified_and_the_exit_code_says_whether_it_holds() {
    let env = machine();
    env.write("src/pool.rs", POOL);
    env.write("good.md", "It waits: src/pool.rs:4 reads \"pool.wait(30)\".\n");
    env.write(
        "bad.md",
        "See src/pool.rs:40 and ../../etc/passwd.md:1.\n\n- src/none.rs:1\n\nAnd `my dir/file name.txt:9`, \
         up/secret.txt:1, src/pool.rs:99999999999999999999.\n",
    );
    std::os::unix::fs::symlink("..", env.workspace().join("up")).unwrap();
    env.write("../secret.txt", "the key\n");
    let _ = env.rebut(["verify", "good.md"]).exits(0).shows("1: ✔ src/pool.rs:4 \"");
    let run = env.rebut(["verify", "bad.md"]).exits(1).shows("1: ✘ src/pool.rs:40: the file has 5 lines");
    let run = run.shows("1: ? ../../etc/passwd.md:1: outside the workspace, not read");
    let run = run.shows("3: ✘ src/none.rs:1: no such file");
    let run = run.shows("5: ✘ my dir/file name.txt:9: no such file");
    let run = run.shows("5: ? up/secret.txt:1: a symlink in the path leads out of the workspace; it was not read");
    let _ = run.shows("5: ✘ src/pool.rs:4294967295: the file has 5 lines").shows("6 mentions, 4 not found");
    let _ = env.rebut_reading(b"see src/pool.rs:2", ["verify", "-"]).exits(0);
    let run = env.rebut_reading(b"see /etc/passwd:1", ["verify", "-"]).exits(0);
    let _ = run.shows("1: ? /etc/passwd:1: outside the workspace, not read").shows("1 mention, 0 not found");
    let many = "\nsrc/pool.rs:2".repeat(10_000);
    let run = env.rebut_reading(many.as_bytes(), ["verify", "-"]).exits(0);
    let _ = run.shows("10001: ✔ src/pool.rs:2").shows("10000 mentions, 0 not found");
    let too_many = format!("{many} src/pool.rs:3");
    let run = env.rebut_reading(too_many.as_bytes(), ["verify", "-"]).exits(2);
    let _ = run.says("10001 mentions are more than 10000; verify the text in parts");
    let _ = env.rebut(["verify", "none.md"]).exits(2).says("none.md: No such file");
    let _ = env.rebut(["verify", "src"]).exits(2).says("is a folder");
}

#[test]
fn what_is_no_file_or_too_large_is_answered_and_never_waited_for() {
    let env = machine();
    pipe_at(&env.workspace().join("pipe"));
    std::os::unix::fs::symlink("pipe", env.workspace().join("link.md")).unwrap();
    std::fs::File::create(env.workspace().join("large.md")).unwrap().set_len(2 << 30).unwrap();
    for (path, said) in [
        ("pipe", "can't read pipe: it is a pipe or a device, not a file"),
        ("link.md", "can't read link.md: it is a pipe or a device"),
        ("/dev/zero", "can't read /dev/zero: it is a pipe or a device"),
        ("/dev/null", "can't read /dev/null: it is a pipe or a device"),
        ("large.md", "can't read large.md: it is larger than 16777216 bytes"),
    ] {
        let _ = env.rebut(["verify", path]).exits(2).says(said);
    }
    // A pipe that is cited is one more kind of file, and none that is read.
    env.write("answer.md", "See pipe.rs:3.\n");
    pipe_at(&env.workspace().join("pipe.rs"));
    let _ = env.rebut(["verify", "answer.md"]).shows("? pipe.rs:3: it is no regular file");
}

/// A duel of one round between stand-ins of real tools, whose proposer cites a kept file, an ignored one and none.
fn between_tools() -> (TestEnv, Turns) {
    let opening = "src/pool.rs:3 reads \"drop(guard);\", and `.env:1` and build/out.txt:1 show it.";
    let turns = [
        Turn::answer("claude", opening),
        Turn::answer("codex", "src/pool.rs:4 reads \"pool.wait(30)\"."),
        Turn::answer("gemini", rebut_fakes::verdict("challenger")),
    ];
    let (env, turns) = machine_with(&["claude", "codex", "gemini"], &turns);
    env.write("src/pool.rs", POOL);
    env.write(".env", "TOKEN=1\n");
    env.write(".gitignore", "build/\n.env\n");
    env.write("build/out.txt", "built\n");
    (env, turns)
}

const BETWEEN_TOOLS: [&str; 8] =
    ["duel", rebut_fakes::TOPIC, "--rounds", "1", "--tools", "claude,codex", "--judge", "gemini"];

#[test]
fn a_tool_sees_what_is_checked_and_never_an_ignored_file() {
    let (env, turns) = between_tools();
    let run = env.rebut(BETWEEN_TOOLS).exits(0);
    let run = run.shows("✔ src/pool.rs:3: ").shows("✘ .env:1: no such file").shows("✘ build/out.txt:1: no such file");
    let _ = run.shows("✔ src/pool.rs:4 \"");
    for called in turns.calls() {
        assert_eq!(called.files, [".gitignore", "src/pool.rs"], "{}", called.tool);
        assert!(!called.folder.starts_with(env.workspace()) && !called.folder.exists(), "{:?}", called.folder);
    }
    assert_eq!(turns.calls().len(), 3);
}

/// Modes hold neither root nor the owner of the copy, and all tools read the same one.
#[test]
fn what_a_tool_has_made_of_the_copy_is_not_what_the_next_one_reads() {
    let turns = [
        Turn::answer("claude", "src/pool.rs:3 reads \"drop(guard);\".").first(Before::SpoilFolder),
        Turn::answer("codex", "src/pool.rs:4 reads \"pool.wait(30)\".").first(Before::SpoilFolder),
        Turn::answer("gemini", rebut_fakes::verdict("challenger")),
    ];
    let (env, turns) = machine_with(&["claude", "codex", "gemini"], &turns);
    env.write("src/pool.rs", POOL);
    env.write("README.md", "# Pool\n");
    let _ = env.rebut(BETWEEN_TOOLS).exits(0);
    assert_eq!(turns.calls().len(), 3);
    for called in turns.calls() {
        assert_eq!(called.files, ["README.md", "src/pool.rs"], "{}", called.tool);
    }
}

#[test]
fn files_that_are_gone_when_a_debate_over_the_workspace_itself_is_resumed_were_there() {
    let env = with_pool();
    env.write("src/other.rs", "fn other() {}\n");
    env.user_config("[evidence]\nmax_files = 1\n");
    let planned = env.duel(&["--rounds", "1", "--dry-run"]).exits(0);
    let _ = planned.shows("it has more than 1 files; raise evidence.max_files");
    env.duel_with_fault("kill-after:2", &["--rounds", "1"]).was_killed();
    let elsewhere = env.root().join("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    std::fs::rename(env.workspace().join("src"), elsewhere.join("src")).unwrap();
    let run = env.rebut(["resume"]).exits(0);
    let run = run.shows("- ? src/pool.rs:3 \"").shows(": it existed when the debate began and is gone");
    let _ = run.shows("- mentioned: ✘ src/retry.rs:9: no such file");
}

#[test]
fn a_workspace_that_is_too_large_is_read_where_it_is_and_the_plan_says_so() {
    let (env, turns) = between_tools();
    env.user_config("[evidence]\nmax_files = 1\n");
    let said = "seats read it directly, including ignored files such as .env";
    let planned = env.rebut([&BETWEEN_TOOLS[..], &["--dry-run"]].concat()).exits(0);
    assert!(planned.stdout.contains(said) || planned.stderr.contains(said), "{planned}");
    let _ = env.rebut(BETWEEN_TOOLS).exits(0).shows("✔ src/pool.rs:3").shows("✔ src/pool.rs:4 \"");
    assert_eq!(env.debate().pack(), None);
    for called in turns.calls() {
        assert_eq!(called.folder, env.workspace(), "{}", called.tool);
        assert!(called.files.contains(&".env".to_owned()), "{:?}", called.files);
    }
}

#[test]
fn a_file_that_changes_while_a_debate_reads_the_workspace_itself_is_changed_since() {
    let env = with_pool();
    env.write("src/other.rs", "fn other() {}\n");
    env.user_config("[evidence]\nmax_files = 1\n");
    env.duel_with_fault("kill-after:2", &["--rounds", "1"]).was_killed();
    env.write("src/pool.rs", POOL.replace("wait(30)", "wait(60)"));
    let run = env.rebut(["resume"]).exits(0);
    let run = run.shows("- ? src/pool.rs:3 \"").shows(": the file changed after the debate began");
    let _ = run.shows("- mentioned: ✘ src/retry.rs:9: no such file");
}

#[test]
fn a_judge_that_rests_its_winner_on_false_evidence_is_refused_twice() {
    let resting = || {
        let verdict = rebut_fakes::verdict("proposer").replacen("\"B1\"", "\"A1.1\"", 1);
        ScriptLine::text(verdict)
    };
    let opening = OPENING.replace("src/pool.rs", "src/invented.rs");
    let script = Script::duel(1).instead("round-1/proposer", [ScriptLine::text(&opening)]);
    let env = machine_judged_once(&script.instead("verdict/judge/1", [resting(), resting()]));
    env.write("src/pool.rs", POOL);
    let _ = env.duel(&["--rounds", "1"]).exits(3).shows("returned an invalid answer twice (verdict: false evidence)");
    let refused = env.debate().of_kind("rejected");
    assert_eq!(refused.len(), 2);
    let reason = refused[1].happening["rejection"]["reason"].to_string();
    assert!(reason.contains("A1.1 decides for its own side, but all its evidence is false"), "{reason}");
}

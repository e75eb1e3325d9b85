//! Commands that claims refer to by name, through the built program: the user's own, run only where that is allowed.

use rebut_fakes::{Script, ScriptLine, TestEnv};

use crate::machine_for;

const OPENING: &str = r#"It holds.

```json
{"claims": [{"text": "the tests pass", "evidence": [{"run": "test"}]},
            {"text": "it is fast", "evidence": [{"run": "bench"}]},
            {"text": "it is clean", "evidence": [{"run": "lint"}]},
            {"text": "it is wiped", "evidence": [{"run": "wipe"}]}]}
```"#;
const ANSWER: &str = r#"No.

```json
{"claims": [{"text": "they pass, I admit", "evidence": [{"run": "test"}]}]}
```"#;

const CONFIG: &str = "[checks.test]\ncommand = [\"count\", \"all\"]\n\n\
    [checks.bench]\ncommand = [\"fail\"]\ntime_limit = 20\n\n\
    [checks.lint]\ncommand = [\"/no/such/program\"]\n";

/// A machine whose user has three commands; how often the first ran stands in `ran`.
fn with_checks() -> TestEnv {
    let script = Script::duel(1);
    let script = script.instead("round-1/proposer", [ScriptLine::text(OPENING)]);
    let script = script.instead("round-1/challenger", [ScriptLine::text(ANSWER)]);
    let env = machine_for(&script);
    env.user_config(CONFIG);
    env.write("src/pool.rs", "fn acquire() {}\n");
    let (ran, secret) = (
        env.root().join("ran"),
        format!("sk-{}-api03-{}", "ant", ["Zx8kQ2", "mN4vB6", "cL1pR7", "tY9wE3", "uI5oA0sD"].concat()),
    );
    // It writes beside what it tests, as builds do, and says where it is.
    let count = format!(
        "echo run >> {}\necho built > built.txt\npwd -P\nread -r line < src/pool.rs\necho \"$1 $line {secret}\"\n",
        ran.display()
    );
    env.install_script("count", &count);
    env.install_script("fail", "echo 'it took 3 s' >&2\nexit 7\n");
    env
}

fn runs(env: &TestEnv) -> usize {
    std::fs::read_to_string(env.root().join("ran")).unwrap_or_default().lines().count()
}

#[test]
fn a_command_is_run_by_name_and_what_it_prints_is_kept() {
    let env = with_checks();
    let run = env.duel(&["--rounds", "1", "--allow-checks"]).exits(0);
    let run = run.shows("✔ run test: the command succeeds");
    let run = run.shows("✘ run bench: the command exits with 7");
    let run = run.shows("? run lint: there is no program /no/such/program");
    let _ = run.shows("? run wipe: no command is allowed by the name `wipe`");
    let debate = env.debate();
    let prompt = debate.prompt("round-1/proposer");
    assert!(prompt.contains("or `run` with one of bench, lint, test"), "{prompt}");
    let checked = &debate.of_kind("checked")[0].happening;
    let output = |at: usize| checked["findings"][at]["output"].as_str().unwrap_or_default().to_owned();
    assert!(output(0).ends_with("\nall fn acquire() {} [redacted]\n"), "{}", output(0));
    assert_eq!(output(1), "it took 3 s\n");
    // It ran in a copy, which is gone, and the workspace is as it was.
    let folder = output(0).lines().next().unwrap().to_owned();
    assert!(folder.contains("rebut-copy-"), "{folder}");
    assert!(!std::path::Path::new(&folder).exists());
    assert!(!env.workspace().join("built.txt").exists());
    assert_eq!(runs(&env), 1, "both sides name it, and it is run once");
}

/// A Makefile that writes to `$(PWD)`, and a test that makes a repository while rebut is called by a hook.
#[test]
fn a_command_is_told_of_no_folder_and_no_repository_but_its_copy() {
    let env = with_checks();
    env.install("tr");
    // A shell would mend the variable before it hands it on.
    env.install_script("count", "tr '\\0' '\\n' < /proc/$$/environ\n");
    let live = env.workspace();
    let of_git = ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX"];
    let of_git = of_git.iter().chain(&["GIT_NAMESPACE", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "PWD", "OLDPWD", "INIT_CWD"]);
    let env = of_git.clone().fold(env, |env, name| env.set(name, &live)).set("GIT_AUTHOR_NAME", "me");
    let _ = env.duel(&["--rounds", "1", "--allow-checks"]).exits(0).shows("✔ run test: ");
    let checked = &env.debate().of_kind("checked")[0].happening;
    let output = checked["findings"][0]["output"].as_str().unwrap();
    let of = |name: &str| output.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
    assert!(of("PWD").is_some_and(|folder| folder.contains("rebut-copy-")), "{output}");
    let left: Vec<_> = of_git.filter(|name| **name != "PWD" && of(name).is_some()).collect();
    assert_eq!((left, of("GIT_AUTHOR_NAME")), (Vec::<&&str>::new(), None), "{output}");
}

#[test]
fn a_command_sees_what_a_build_needs_and_the_variables_that_its_user_names() {
    let env = with_checks();
    env.install("tr");
    env.install_script("count", "tr '\\0' '\\n' < /proc/$$/environ\n");
    env.user_config("[checks.test]\ncommand = [\"count\"]\nenv = [\"TEST_DATABASE\"]\n");
    let kept = [("CARGO_HOME", "/c"), ("LC_ALL", "C.UTF-8"), ("TERM", "dumb"), ("TEST_DATABASE", "postgres://test")];
    let cleared = ["ANTHROPIC_API_KEY", "AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "SSH_AUTH_SOCK", "ANYTHING_ELSE"];
    let env = cleared.iter().fold(env, |env, name| env.set(name, "hidden-word"));
    let env = kept.iter().fold(env, |env, (name, value)| env.set(name, value));
    let _ = env.duel(&["--rounds", "1", "--allow-checks"]).exits(0).shows("✔ run test: ");
    let checked = &env.debate().of_kind("checked")[0].happening;
    let output = checked["findings"][0]["output"].as_str().unwrap();
    for (name, value) in kept {
        assert!(output.lines().any(|line| line == format!("{name}={value}")), "{name}: {output}");
    }
    for name in ["PATH=", "HOME="] {
        assert!(output.lines().any(|line| line.starts_with(name)), "{name}: {output}");
    }
    assert!(!output.contains("hidden-word") && !cleared.iter().any(|name| output.contains(name)), "{output}");
}

#[test]
fn a_command_that_fails_where_files_are_left_out_says_nothing() {
    let env = with_checks();
    env.write("bin.dat", "\0\0\0");
    let run = env.duel(&["--rounds", "1", "--allow-checks"]).exits(0);
    let run = run.shows("✔ run test: the command succeeds");
    let _ = run.shows("? run bench: the command exits with 7 in a copy of the workspace, but 1 file is not in the copy");
}

#[test]
fn a_command_is_neither_run_nor_told_of_where_that_is_not_allowed() {
    let env = with_checks();
    let run = env.duel(&["--rounds", "1"]).exits(0);
    let _ = run.shows("? run test: searches and commands run only with --allow-checks");
    assert!(!env.debate().prompt("round-1/proposer").contains("run NAME"));
    assert_eq!(runs(&env), 0);
}

#[test]
fn a_resumed_debate_does_not_run_a_command_again() {
    let env = with_checks();
    env.duel_with_fault("kill-after:3", &["--rounds", "1", "--allow-checks"]).was_killed();
    assert_eq!((env.debate().of_kind("checked").len(), runs(&env)), (1, 1));
    let _ = env.rebut(["resume"]).exits(0).shows("✔ run test: the command succeeds");
    assert_eq!(runs(&env), 1);
}

#[test]
fn a_command_is_the_users_to_name_and_not_a_projects() {
    let env = with_checks();
    env.write(".rebut/config.toml", "[checks.theirs]\ncommand = [\"/bin/sh\", \"-c\", \"touch stolen\"]\n");
    let run = env.duel(&["--rounds", "1", "--allow-checks"]).exits(2);
    let _ = run.says("`checks.theirs.command` in ").says("config.toml:2:11 is not a project's to set");
    for (wrong, key) in [
        ("command = []", "checks.mine.command"),
        ("command = [\"./run.sh\"]", "checks.mine.command"),
        ("command = [\"a\"]\ntime_limit = 0", "checks.mine.time_limit"),
        ("time_limit = 3", "checks.mine"),
    ] {
        env.write(".rebut/config.toml", "");
        env.user_config(format!("[checks.mine]\n{wrong}\n"));
        let _ = env.duel(&["--dry-run"]).exits(2).says(&format!(" for `{key}` in "));
    }
}

#[test]
fn the_plan_says_which_commands_are_run_and_where() {
    let env = with_checks();
    let run = env.duel(&["--dry-run", "--allow-checks"]).exits(0);
    let run = run.shows("runs searches and the commands bench, lint, test (each in its own copy, without binary");
    let run = run.shows("ignored files, not sandboxed)");
    assert!(!run.stdout.contains("revised"), "{run}");
    let run = env.duel(&["--dry-run", "--allow-checks=revised"]).exits(0);
    let _ = run.shows("not sandboxed, also on files revised by a model)");
    let _ = env.duel(&["--dry-run", "--allow-checks=all"]).exits(2).says("[possible values: unrevised, revised]");
}

#[test]
fn a_command_that_does_not_end_is_ended_with_all_it_started() {
    let env = with_checks();
    env.user_config("[checks.test]\ncommand = [\"hang\"]\ntime_limit = 1\n");
    env.install("sleep");
    let pids = env.root().join("pids");
    env.install_script("hang", &format!("echo begun\nsleep 600 &\necho $$ $! > {}\nsleep 600\n", pids.display()));
    let run = env.duel(&["--rounds", "1", "--allow-checks"]).exits(0);
    let _ = run.shows("? run test: the command did not end within 1 s");
    let checked = &env.debate().of_kind("checked")[0].happening;
    assert_eq!(checked["findings"][0]["output"], "begun\n");
    for pid in std::fs::read_to_string(pids).unwrap().split_whitespace() {
        let state = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let lives = state.rsplit_once(')').is_some_and(|(_, rest)| !rest.starts_with(" Z") && !rest.starts_with(" X"));
        assert!(!lives, "{state}");
    }
}

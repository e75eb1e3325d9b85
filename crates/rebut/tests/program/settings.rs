//! Settings in levels, what a topic's wording sets, and what goes into every prompt.

use std::fs;

use rebut_fakes::{Run, Script, TOPIC, Terminal, TestEnv, git};

use crate::{machine, machine_for};

/// The value of a setting and where it comes from.
fn setting(env: &TestEnv, key: &str) -> (String, String) {
    let rows = env.rebut(["config", "show", "--json"]).exits(0).json_lines();
    let row = rows.iter().find(|row| row["key"] == key).unwrap();
    (row["value"].as_str().unwrap_or("(not set)").to_owned(), row["origin"].as_str().unwrap().to_owned())
}

#[test]
fn each_level_wins_over_the_one_before_and_every_value_says_where_it_is_from() {
    let env = machine();
    let rounds = |env: &TestEnv| setting(env, "duel.rounds");
    assert_eq!(rounds(&env), ("2".into(), "built-in".into()));
    env.user_config("[duel]\nrounds = 1\neffort = 'low'\n");
    let user = format!("user ({})", env.home().join(".config/rebut/config.toml").display());
    assert_eq!(rounds(&env), ("1".into(), user.clone()));
    let project = env.write(".rebut/config.toml", "[duel]\nrounds = 3\n");
    assert_eq!(rounds(&env), ("3".into(), format!("project ({})", project.display())));
    let local = env.write(".rebut/config.local.toml", "duel.rounds = 4\n");
    assert_eq!(rounds(&env), ("4".into(), format!("local ({})", local.display())));
    assert_eq!(setting(&env, "duel.effort"), ("\"low\"".into(), user), "what a level does not set stays");
    let env = env.set("REBUT_DUEL_ROUNDS", "5");
    assert_eq!(rounds(&env), ("5".into(), "environment (REBUT_DUEL_ROUNDS)".into()));
    let env = env.with(&Script::duel(1));
    let _ = env.duel(&["--dry-run"]).exits(0).shows("  rounds      5, effort low");
    let _ = env.duel(&["--dry-run", "--rounds", "1"]).exits(0).shows("  rounds      1, effort low");
}

#[test]
fn a_project_may_not_choose_who_says_what_its_author_wrote() {
    for file in [".rebut/config.toml", ".rebut/config.local.toml"] {
        for (table, line, seat) in [
            ("review", "critic = 'script:seats.toml#critic'", "script:seats.toml#critic"),
            ("review", "author = ' Script:seats.toml'", " Script:seats.toml"),
            ("duel", "judge = 'acp:mine'", "acp:mine"),
            ("cross", "partners = ['claude', 'script:a.toml']", "script:a.toml"),
            ("panel.models", "chair = 'local:weights/tiny.gguf'", "local:weights/tiny.gguf"),
        ] {
            let env = machine();
            let path = env.write(file, format!("[{table}]\n{line}\n"));
            let key = line.split(' ').next().unwrap();
            let run = env.rebut(["doctor"]).exits(2);
            let _ = run.says(&format!("error: `{table}.{key}` in {}:2:", path.display())).says(&format!("names `{seat}`"));
        }
    }
    let (env, _) = crate::machine_with(&["claude", "codex"], &[]);
    let file = env.write(".rebut/config.toml", "[duel]\njudge = 'codex'\nrounds = 1\n[cross]\nrounds = 2\n");
    let run = env.rebut(["duel", TOPIC, "--rounds", "2", "--dry-run"]).exits(0);
    let _ = run.shows(&format!("  note        set by project ({}): duel.judge = \"codex\"\n", file.display()));
}

#[test]
fn a_project_lowers_the_users_budget_and_never_raises_it() {
    let env = machine_for(&Script::duel(1));
    env.user_config("[budget]\nmax_tokens = 200_000\nmax_cost = 2.5\n");
    let file = env.write(".rebut/config.toml", "[budget]\nmax_tokens = 100_000\nmax_cost = 50\nmax_minutes = 9\n");
    let run = env.duel(&["--rounds", "1", "--dry-run"]).exits(0);
    let run = run.shows("  budget      9 min, 100,000 tokens, $2.5000\n");
    let _ = run.shows(&format!("budget.max_cost = 50 in project ({}) exceeds your own limit", file.display()));
    env.write(".rebut/config.local.toml", "[budget]\nmax_tokens = 300_000\n");
    assert_eq!(setting(&env, "budget.max_tokens").0, "100000");
    env.write(".rebut/config.local.toml", "[budget]\nmax_tokens = 150_000\n");
    assert_eq!(setting(&env, "budget.max_tokens").0, "150000");
    // The environment and flags are the user's own.
    let env = env.set("REBUT_BUDGET_MAX_COST", "9");
    assert_eq!(setting(&env, "budget.max_cost").0, "9");
}

#[test]
fn a_project_may_not_say_where_debates_are_kept_and_the_user_may() {
    for file in [".rebut/config.toml", ".rebut/config.local.toml"] {
        let env = machine();
        let path = env.write(file, "[state]\ndir = '/elsewhere'\n");
        let run = env.rebut(["doctor"]).exits(2);
        let expected = format!(
            "error: `state.dir` in {}:2:7 is not a project's to set; remove it there and set it in your own config.toml\n",
            path.display()
        );
        assert_eq!(run.stderr, expected);
    }
    let env = machine();
    env.user_config(format!("[state]\ndir = '{}'\n", env.root().join("mine").display()));
    let _ = env.rebut(["list"]).exits(0).says(&format!("note: no debates in {}", env.root().join("mine").display()));
    let env = env.set("REBUT_STATE_DIR", "variable");
    let _ = env.rebut(["list"]).exits(0).says("/workspace/variable");
    let _ = env.rebut(["list", "--state-dir", "flag"]).exits(0).says("/workspace/flag");
}

#[test]
fn faulty_settings_are_errors_with_file_and_line() {
    for (text, expected) in [
        ("[duel]\nronds = 3\n", ".rebut/config.toml:2:1; did you mean `duel.rounds`?"),
        ("[duel]\nrounds = 9\n", ".rebut/config.toml:2:10: expected a whole number from 1 to 5"),
        ("[duel\n", "malformed TOML in "),
        ("[bugdet]\nmax_tokens = 1\n", "did you mean `budget`"),
    ] {
        let env = machine();
        env.write(".rebut/config.toml", text);
        let _ = env.rebut(["config", "show"]).exits(2).says(expected);
    }
}

#[test]
fn debates_can_be_looked_at_whatever_the_projects_settings_are() {
    let env = machine_for(&Script::duel(1));
    let _ = env.duel(&["--rounds", "1"]).exits(0);
    env.write(".rebut/config.toml", "[duel\n");
    env.write(".claude/ai-debate.json", "{\"max_rounds\": 50}");
    for command in
        [&["list"][..], &["show", "last"], &["export", "last", "--as", "md"], &["replay", "last"], &["rm", "last"]]
    {
        let _ = env.rebut(command).exits(0);
    }
    let _ = env.duel(&["--dry-run"]).exits(2).says("invalid value 50 for `panel.max_rounds`");
}

#[test]
fn an_unknown_variable_of_ours_is_an_error_with_the_nearest_one() {
    let run = machine().set("REBUT_DUEL_ROUND", "3").rebut(["list"]).exits(2);
    assert_eq!(run.stderr, "error: unknown environment variable REBUT_DUEL_ROUND; did you mean REBUT_DUEL_ROUNDS?\n");
    let run = machine().set("REBUT_DUEL_ROUNDS", "many").rebut(["list"]).exits(2);
    let expected =
        "error: invalid value \"many\" for `duel.rounds` in REBUT_DUEL_ROUNDS: expected a whole number from 1 to 5\n";
    assert_eq!(run.stderr, expected);
}

#[test]
fn a_request_in_words_is_understood_and_printed_before_the_plan() {
    let env = machine();
    for tool in ["claude", "codex", "gemini"] {
        env.install_idle(tool);
    }
    for (request, understood) in [
        ("claude vs codex: Ship it?", "claude and codex; topic: Ship it?"),
        ("claude vs codex about our cache", "claude and codex; topic: our cache"),
        ("claude vs codex on our cache", "claude and codex; topic: our cache"),
        ("claude vs codex over our cache", "claude and codex; topic: our cache"),
        ("claude vs codex, our cache", "claude and codex; topic: our cache"),
        ("have claude and gemini debate our cache", "claude and gemini; topic: our cache"),
        ("claude vs codex: our cache, quick", "claude and codex, effort low; topic: our cache"),
        ("claude vs codex: our cache for 3 rounds", "claude and codex, 3 rounds; topic: our cache"),
        (
            "claude vs codex: Ship it? 3 rounds, judged by gemini, max effort",
            "claude and codex, 3 rounds, effort max, judged by gemini; topic: Ship it?",
        ),
        ("ask claude and gemini why is it slow?", "claude and gemini; topic: why is it slow?"),
    ] {
        let run = env.rebut([request, "--dry-run"]).exits(0);
        assert!(run.stderr.starts_with(&format!("note: understood: {understood}\n")), "{request}: {run}");
    }
    let run = env.rebut(["cross", "Which database for 3 rounds", "--dry-run"]).exits(0);
    let _ = run.says("note: understood: 3 rounds; topic: Which database");
    let _ = env.rebut(["review my diff", "--dry-run"]).exits(2).says("name an existing file, a revision, a range or a text");
    assert!(env.debates().is_empty(), "no seat was asked");
}

#[test]
fn flags_win_over_a_topics_wording() {
    let env = machine_for(&Script::duel(1));
    let topic = "claude vs codex about the cache, 4 rounds, quick";
    let run = env.rebut([&["duel", topic, "--rounds", "1", "--dry-run"], &env.duel_arguments(&[])[2..]].concat()).exits(0);
    let run = run.shows("  topic       the cache\n").shows("  proposer    script:debate.toml#north\n");
    let _ = run.shows("  rounds      1, effort low,");
}

#[test]
fn a_topic_that_was_typed_without_quotes_is_one_topic() {
    let env = machine_for(&Script::duel(1));
    let arguments = [&["should", "we", "ship", "it"], &env.duel_arguments(&["--dry-run"])[2..]].concat();
    let _ = env.rebut(arguments).exits(0).shows("  topic       should we ship it\n");
}

#[test]
fn a_file_of_the_workspace_goes_into_every_prompt() {
    let env = machine_for(&Script::duel(1));
    env.write("src/pool.rs", "fn pool() { /* the pool's own text */ }\n");
    let _ =
        env.duel(&["--rounds", "1", "--context", "file=src/pool.rs"]).exits(0).shows("topic and statements, src/pool.rs");
    for key in ["round-1/proposer", "round-1/challenger", "verdict/judge/1", "verdict/judge/2"] {
        let prompt = env.debate().prompt(key);
        assert!(prompt.contains("src/pool.rs>>\nfn pool() { /* the pool's own text */ }"), "{key}: {prompt}");
    }
}

#[test]
fn a_folder_whose_path_is_no_text_is_refused_before_the_debate() {
    use std::os::unix::ffi::OsStrExt;
    let env = machine_for(&Script::duel(1));
    let odd = env.root().join(std::ffi::OsStr::from_bytes(b"odd-\xff"));
    fs::create_dir(&odd).unwrap();
    fs::copy(env.workspace().join("debate.toml"), odd.join("debate.toml")).unwrap();
    let run = Run::of(env.command(env.duel_arguments(&["--dry-run"])).current_dir(&odd)).exits(2);
    let _ = run.says("is not UTF-8; rename the folder");
    assert!(!env.state().exists());
}

#[test]
fn a_project_cannot_have_what_git_ignores_attached() {
    let env = machine_for(&Script::duel(1));
    env.install("git");
    git(&env.workspace(), &["init", "--quiet"]);
    env.write(".gitignore", ".env\n");
    env.write(".env", "WORD=of my own\n");
    env.write("notes.md", "the notes of the project\n");
    git(&env.workspace(), &["add", "notes.md"]);
    env.write(".rebut/config.toml", "[duel]\ncontext = ['file=.env']\n");
    let refused = "error: the project's settings (duel.context) ask for .env, which git does not track here";
    let _ = env.duel(&["--rounds", "1", "--dry-run"]).exits(2).says(refused);
    std::os::unix::fs::symlink(".env", env.workspace().join("link.md")).unwrap();
    git(&env.workspace(), &["add", "link.md"]);
    env.write(".rebut/config.toml", "[duel]\ncontext = ['file=link.md']\n");
    let _ = env.duel(&["--rounds", "1", "--dry-run"]).exits(2).says(refused);
    let _ = env.duel(&["--rounds", "1", "--dry-run", "--context", "file=.env"]).exits(0).shows(".env");
    let _ =
        env.duel(&["--rounds", "1", "--dry-run", "--context", "file=.git/config"]).exits(2).says("belongs to git itself");
    env.write(".rebut/config.toml", "[duel]\ncontext = ['file=notes.md']\n");
    let _ = env.duel(&["--rounds", "1", "--dry-run"]).exits(0).shows("topic and statements, notes.md");
}

#[test]
fn secrets_in_attached_files_are_removed_and_the_plan_says_how_many() {
    let env = machine_for(&Script::duel(1));
    // Put together here, so that no scanner takes this file for a leak.
    let key = format!("AKIA{}", "IOSFODNN7EXAMPLE");
    env.write("one.txt", format!("AWS={key}\n"));
    env.write("two.txt", format!("first\n{key} and X_API_KEY=\"{}\"\nlast\n", "two words of mine"));
    env.write("none.txt", "nothing\n");
    let files = ["one", "two", "none"].map(|name| format!("file={name}.txt"));
    let context: Vec<&str> = files.iter().flat_map(|file| ["--context", file]).collect();
    let run = env.duel(&[&["--rounds", "1"], &context[..]].concat()).exits(0);
    assert!(env.debate().prompt("round-1/proposer").contains("AWS=[redacted]"));
    assert!(!String::from_utf8(env.debate().bytes()).unwrap().contains(&key));
    let run = run.shows("a likely secret was removed from one.txt");
    let run = run.shows("2 likely secrets were removed from two.txt");
    assert!(!run.stdout.contains("out of none.txt") && !run.stdout.contains(&key), "{run}");
}

#[test]
fn files_outside_the_workspace_are_refused() {
    let env = machine_for(&Script::duel(1));
    fs::write(env.root().join("secret.txt"), "secret").unwrap();
    std::os::unix::fs::symlink("../secret.txt", env.workspace().join("link.txt")).unwrap();
    fs::create_dir(env.workspace().join("folder")).unwrap();
    let workspace = env.workspace();
    for (path, expected) in [
        ("../secret.txt", format!("../secret.txt is outside the workspace {}", workspace.display())),
        ("folder/../../secret.txt", format!("folder/../../secret.txt is outside the workspace {}", workspace.display())),
        ("/etc/passwd", format!("/etc/passwd is outside the workspace {}", workspace.display())),
        ("link.txt", format!("link.txt is outside the workspace {}", workspace.display())),
        ("missing.txt", "there is no file missing.txt".to_owned()),
        ("folder", "folder is not a regular file".to_owned()),
    ] {
        let _ = env.duel(&["--context", &format!("file={path}")]).exits(2).says(&format!("error: {expected}"));
    }
    let _ = env
        .duel(&["--context", "everything"])
        .exits(2)
        .says("error: `everything` is not a context; use none, diff or file=PATH");
    assert!(!env.state().exists());
}

#[test]
fn the_diff_holds_changes_and_new_files_and_nothing_that_is_ignored() {
    let env = machine_for(&Script::duel(1));
    env.install("git");
    let without = env.duel(&["--context", "diff"]).exits(2);
    let _ = without.says("error: can't get the diff: git says: ");
    git(&env.workspace(), &["init", "--quiet"]);
    env.write(".gitignore", "ignored.txt\ndebate.toml\n");
    env.write("old.txt", "as it was\n");
    git(&env.workspace(), &["add", "."]);
    git(&env.workspace(), &["commit", "--quiet", "-m", "first"]);
    let _ = env.duel(&["--context", "diff"]).exits(2).says("error: no uncommitted changes in ");
    env.write("old.txt", "as it is\n");
    env.write("new.txt", "new text\n");
    env.write("ignored.txt", "ignored text\n");
    let _ = env.duel(&["--rounds", "1", "--context", "diff"]).exits(0);
    let prompt = env.debate().prompt("round-1/challenger");
    for expected in ["-as it was\n+as it is\n", "+++ b/new.txt", "+new text"] {
        assert!(prompt.contains(expected), "{prompt}");
    }
    assert!(!prompt.contains("ignored text"), "{prompt}");
}

#[test]
fn what_the_index_knows_to_be_written_by_rebut_is_no_part_of_its_diff() {
    let env = machine_for(&Script::duel(1));
    env.install("git");
    git(&env.workspace(), &["init", "--quiet"]);
    env.write("code.txt", "new code\n");
    fs::create_dir(env.workspace().join(".claude")).unwrap();
    let _ = env.duel(&["--rounds", "1"]).exits(0);
    let last = ".claude/debate/last-debate.json";
    let attached = || {
        let plan = env.duel(&["--rounds", "1", "--context", "diff", "--dry-run", "--json"]).exits(0).json();
        (plan["plan"]["context"][0]["text"].as_str().unwrap().to_owned(), plan["plan"]["notes"].to_string())
    };
    let (diff, notes) = attached();
    assert!(diff.contains("new code") && !diff.contains(last), "{diff}");
    assert!(notes.contains(&format!("diff: left out because rebut wrote it: {last}")), "{notes}");
    // Anybody can put a file where rebut writes one.
    env.write(last, "payload");
    env.write("output/20261115T094140Z-rust/payload.sh", "payload");
    let (diff, notes) = attached();
    assert!(diff.contains(last) && diff.contains("payload.sh") && !notes.contains("left out"), "{diff}\n{notes}");
}

#[test]
fn settings_are_read_and_changed_by_the_rules_of_their_file() {
    let env = machine();
    let file = env.user_config("# mine\n[duel]\nrounds = 4 # enough\n");
    let _ = env.rebut(["config", "path"]).exits(0).shows(file.to_str().unwrap());
    assert_eq!(env.rebut(["config", "get", "duel.rounds"]).exits(0).stdout, "4\n");
    let _ = env.rebut(["config", "set", "duel.judge", "gemini"]).exits(0);
    let _ = env.rebut(["config", "set", "services.mine.base_url", "http://localhost:1/v1"]).exits(0);
    assert_eq!(env.rebut(["config", "get", "duel.judge"]).exits(0).stdout, "gemini\n");
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.starts_with("# mine\n[duel]\nrounds = 4 # enough\njudge = \"gemini\"\n"), "{text}");
    let _ = env.rebut(["config", "set", "duel.rounds", "99"]).exits(2).says("expected a whole number from 1 to 5");
    let unknown = env.rebut(["config", "get", "duel.round"]).exits(2).says("error: there is no setting `duel.round`\n");
    let _ = unknown.says("hint: did you mean `duel.rounds`? `rebut config show` lists every setting");
    let _ = env.rebut(["config", "set", "duel.round", "2"]).exits(2).says("did you mean `duel.rounds`");
    let _ = env.rebut(["config", "set", "state.dir", "x", "--project"]).exits(2).says("is not a project's to set");
    let _ = env.rebut(["config", "set", "duel.judge", "script:a#b", "--project"]).exits(2).says("may not choose scripts");
    assert_eq!(fs::read_to_string(&file).unwrap(), text, "a refused value changes nothing");
    assert!(!env.workspace().join(".rebut").exists());
    let _ = env.rebut(["config", "set", "duel.rounds", "1", "--project"]).exits(0);
    assert_eq!(env.rebut(["config", "get", "duel.rounds"]).exits(0).stdout, "1\n");
    env.install_script("editor", "printf 'rounds = 1\\n' > \"$1\"\n");
    let _ = env.rebut_with("EDITOR", "editor", ["config", "edit"]).exits(2).says("unknown setting `rounds`");
}

#[test]
fn a_project_gets_a_commented_config_once() {
    let env = machine();
    let _ = env.rebut(["init"]).exits(0).shows(".rebut/config.toml");
    let text = fs::read_to_string(env.workspace().join(".rebut/config.toml")).unwrap();
    assert!(text.contains("[duel]\n# Takes a position\n#proposer = \"claude\"\n"), "{text}");
    let _ = env.rebut(["config", "show"]).exits(0);
    let is_setting = |line: &str| line.starts_with('#') && !line.starts_with("# ");
    let lines = text.lines().map(|line| if is_setting(line) { &line[1..] } else { line });
    let set = lines.collect::<Vec<_>>().join("\n");
    assert!(set.contains("\nproposer = \"claude\"\n") && !set.contains("[state]"), "{set}");
    env.write(".rebut/config.toml", set);
    let _ = env.rebut(["config", "show"]).exits(0);
    let _ = env.rebut(["init"]).exits(2).says("already exists").says("rebut config edit --project");
    fs::remove_file(env.workspace().join(".rebut/config.toml")).unwrap();
    let _ = Terminal::open().run(&mut env.command(["init"]), "?\nn\n").exits(130).says("commented out");
    assert!(!env.workspace().join(".rebut/config.toml").exists());
}

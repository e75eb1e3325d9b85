//! `rebut doctor`: what is told of every tool, and what it answers when it is asked.

use std::fs;

use rebut_fakes::acp_agent::PROGRAM;
use rebut_fakes::stand_in::{Before, NAMES, Turn};
use rebut_fakes::{TOPIC, TestEnv, filters};
use serde_json::{Value, json};

use crate::{machine, machine_with, until};

/// The keys of the tools that do not say themselves whether they are signed in.
fn with_keys(env: TestEnv) -> TestEnv {
    env.set("GEMINI_API_KEY", "a-key-that-is-not-shown").set("OPENCODE_API_KEY", "a-key-that-is-not-shown")
}

#[test]
fn every_known_tool_is_told_of_with_what_can_be_told_without_a_call() {
    let (env, turns) = machine_with(&["claude", "gemini", "opencode", "copilot"], &[]);
    let env = env.set("GEMINI_API_KEY", "a-key-that-is-not-shown");
    let file = env.home().join(".local/share/opencode/auth.json");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, "{\"zen\":{\"type\":\"api\",\"key\":\"not-shown\"}}").unwrap();
    let run = env.rebut(["doctor"]).exits(0);
    assert!(turns.calls().is_empty(), "no model is asked");
    let filters = filters(&env);
    let filters = filters.iter().map(|(pattern, name)| (pattern.as_str(), *name)).collect::<Vec<_>>();
    insta::with_settings!({ filters => filters, omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("doctor", run.to_string());
    });
}

#[test]
fn a_tool_that_is_not_signed_in_is_told_at_once_with_what_to_do() {
    let tools: Vec<&str> = NAMES.into_iter().chain(["qwen"]).collect();
    let (env, turns) = machine_with(&tools, &[]);
    for tool in &tools {
        turns.sign_out(tool);
    }
    let run = env.rebut(["doctor"]).exits(1);
    let run = run.shows("  signed in   no. Run `claude` and sign in with /login, or set ANTHROPIC_API_KEY.\n");
    let run = run
        .shows("  signed in   no. Run `codex login`, or set the key that its provider needs.\n")
        .shows("  signed in   no. Run `gemini` once and sign in");
    let run =
        run.shows("  signed in   no. Run `opencode auth login`.\n").shows("  signed in   no. Run `copilot` and sign in");
    let run = run.shows("  signed in   no. Run `qwen` and sign in with /auth");
    let _ = run.shows(" judges. But claude and codex and gemini are not signed in.");
    // A probe would try for as long as it may, and fail.
    let lines = env.rebut(["doctor", "--probe", "--json"]).exits(1).json_lines();
    for line in lines.iter().filter(|line| tools.contains(&line["name"].as_str().unwrap_or_default())) {
        assert_eq!((&line["signed_in"], &line["probe"]), (&json!(false), &Value::Null), "{line}");
    }
    assert!(turns.calls().is_empty(), "no model is asked");
    assert_eq!(turns.survivors(), Vec::<String>::new());
}

#[test]
fn what_a_tool_says_of_itself_counts_where_no_key_is_found() {
    let (env, _) = machine_with(&NAMES, &[]);
    let run = env.rebut(["doctor", "--json"]).exits(0);
    let signed_in: Vec<_> = run.json_lines()[..5].iter().map(|line| line["signed_in"].clone()).collect();
    // Of gemini and opencode their settings tell: nobody has set them up.
    assert_eq!(signed_in, [json!(true), json!(true), json!(false), json!(false), json!(true)]);
    env.write("../home/.gemini/settings.json", r#"{"security":{"auth":{"selectedType":"gemini-api-key"}}}"#);
    assert_eq!(env.rebut(["doctor", "--json"]).exits(0).json_lines()[2]["signed_in"], true);
    env.write("../home/.config/opencode/opencode.json", r#"{"provider":{"house":{}}}"#);
    assert_eq!(env.rebut(["doctor", "--json"]).exits(0).json_lines()[3]["signed_in"], Value::Null);
    // Whoever has a provider of their own needs no account.
    env.write("../home/.codex/config.toml", "model_provider = 'house'\n");
    assert_eq!(env.rebut(["doctor", "--json"]).exits(0).json_lines()[1]["signed_in"], Value::Null);
}

#[test]
fn on_a_fresh_machine_with_pip_a_debate_can_begin() {
    let env = machine();
    env.install_script("pip", "exit 1");
    let run = env.rebut(["doctor"]).exits(0);
    let _ = run.shows("By default, rebut fetches the embedded model and uses it for every seat;");
    let _ = env.rebut(["doctor", "--probe"]).exits(1);
}

#[test]
fn a_folder_of_weights_that_cannot_be_read_is_told_and_not_taken_for_an_empty_one() {
    let env = machine();
    env.install_script("pip", "exit 1");
    let file = env.write("weights", "no folder");
    let env = env.set("REBUT_MODEL_DIR", &file);
    let why = format!("unknown: failed to read {}", file.display());
    let _ = env.rebut(["doctor"]).exits(1).shows(&format!("  weights     {why}"));
    let lines = env.rebut(["doctor", "--json"]).exits(1).json_lines();
    let embedded = lines.iter().find(|line| line["type"] == "embedded").unwrap();
    assert!(embedded["missing"].as_str().unwrap().starts_with("failed to read"), "{embedded}");
}

#[test]
fn without_any_tool_it_says_how_to_get_each_and_exits_1() {
    let run =
        machine().rebut(["doctor"]).exits(1).shows("No seat is available yet. A debate fetches the embedded model first;");
    let run = run.shows("claude    is not installed; get it with `npm install -g @anthropic-ai/claude-code`");
    let run = run.shows("codex     is not installed; get it with `npm install -g @openai/codex`");
    let _ = run.shows("grok      is not installed; get it with `npm install -g @xai-official/grok`");
}

#[test]
fn the_same_as_json_is_a_line_a_tool_and_a_result() {
    let (env, _) = machine_with(&NAMES, &[]);
    let env = env.set("CODEX_API_KEY", "a-key-that-is-not-shown");
    let run = env.rebut(["doctor", "--json"]).exits(0);
    assert!(!run.stdout.contains("a-key-that-is-not-shown"));
    let lines = run.json_lines();
    let names: Vec<_> = lines.iter().filter(|line| line["type"] == "tool").map(|line| line["name"].clone()).collect();
    assert_eq!(names, ["claude", "codex", "gemini", "opencode", "copilot", "qwen", "grok"]);
    let codex = &lines[1];
    assert_eq!(codex["program"], json!(env.root().join("bin/codex")));
    assert_eq!((&codex["version"], &codex["transports"]), (&json!("0.166.0"), &json!(["cli"])));
    assert_eq!(codex["signed_in_by"], json!({ "variable": "CODEX_API_KEY" }));
    assert_eq!(lines[0]["models"], json!({ "low": "haiku", "medium": "sonnet", "high": "opus", "max": "opus" }));
    assert_eq!(lines[0]["probe"], Value::Null);
    assert_eq!(lines[6]["missing"], "grok is not installed; get it with `npm install -g @xai-official/grok`");
    let defaults = json!({ "proposer": "claude:opus", "challenger": "codex", "judge": "gemini:pro" });
    let result = json!({ "type": "result", "exit": 0, "defaults": defaults, "defaults_without_answer": [] });
    assert_eq!(lines[lines.len() - 1], result);
    let services: Vec<_> = lines.iter().filter(|line| line["type"] == "service").collect();
    assert_eq!(services[0]["missing"], "anthropic has no key; set ANTHROPIC_API_KEY");
    assert!(services.iter().all(|service| service["can_be_seated"] == false));
}

#[test]
fn the_seats_that_doctor_names_are_those_of_a_bare_topic() {
    for tools in [&NAMES[..], &["gemini", "copilot"], &["copilot"], &["opencode", "codex", "copilot"]] {
        let (env, _) = machine_with(tools, &[]);
        let defaults = env.rebut(["doctor", "--json"]).exits(0).json_lines().pop().unwrap()["defaults"].clone();
        let run = env.rebut([TOPIC, "--dry-run"]).exits(0);
        for role in ["proposer", "challenger", "judge"] {
            let seat = defaults[role].as_str().unwrap();
            assert!(run.stdout.contains(&format!("  {role:<11} {seat}\n")), "{tools:?}: {seat} as {role}: {run}");
        }
    }
}

#[test]
fn a_probe_asks_each_tool_for_a_word_and_for_json_and_shows_which_model_answered() {
    let turns: Vec<Turn> = NAMES.iter().flat_map(|tool| ready(tool)).collect();
    let (env, turns) = machine_with(&NAMES, &turns);
    let env = with_keys(env);
    let run = env.rebut(["doctor", "--probe"]).exits(0);
    for model in ["claude-reported-1", "gemini-reported-1", "copilot-reported-1"] {
        assert!(run.stdout.contains(&format!(" s, model {model}\n")), "{run}");
    }
    assert_eq!(run.stdout.matches(" s, model not reported\n").count(), 2, "{run}");
    assert_eq!(turns.calls().len(), 10);
    let [word, json] = &turns.calls_of("claude")[..] else { panic!("two questions") };
    for call in [word, json] {
        assert!(call.has(&["--model", "haiku"]) && call.has(&["--tools", ""]), "it is cheap, and reads nothing");
    }
    assert!(word.prompt.contains("one word") && json.arguments.iter().any(|argument| argument == "--json-schema"));
    assert!(!env.state().exists(), "a probe is no debate");
    assert_eq!(turns.survivors(), Vec::<String>::new());
}

/// What a tool says to a probe.
fn ready(tool: &str) -> [Turn; 2] {
    [Turn::answer(tool, "ready").when("one word"), Turn::answer(tool, "{\"ready\":true}").when("one JSON object")]
}

/// A tool that cannot be asked by a schema can neither judge nor moderate nor sit on a panel.
#[test]
fn a_tool_that_answers_but_gives_no_json_fails_its_probe() {
    let no_json = [Turn::answer("codex", "ready"), Turn::answer("codex", "I am ready.")];
    let (env, _) = machine_with(&["codex"], &no_json);
    let run = env.rebut(["doctor", "--probe", "--json"]).exits(1);
    let probe = &run.json_lines()[1]["probe"];
    assert_eq!((&probe["asked"], &probe["cause"]), (&json!("json"), &json!("unparsable")), "{probe}");
    let refused = [Turn::answer("claude", "ready").when("one word"), Turn::capture("claude", "bad-schema")];
    let (env, _) = machine_with(&["claude"], &refused);
    let run = env.rebut(["doctor", "--probe"]).exits(1);
    let _ = run.shows(
        "  probe       answers in text, but not in JSON, which judges and panels need: failed with an error (Error: --json-schema \
         is not a valid JSON Schema",
    );
}

#[test]
fn a_probe_that_fails_says_why_and_what_to_do() {
    let turns = [Turn::capture("claude", "401"), Turn::capture("codex", "unknown-model"), Turn::capture("copilot", "429")];
    let turns = [&turns[..], &ready("gemini")].concat();
    let (env, _) = machine_with(&["claude", "codex", "gemini", "copilot"], &turns);
    let run = with_keys(env).rebut(["doctor", "--probe"]).exits(0);
    let run =
        run.shows("  probe       is not signed in, or its key was refused (").shows("Run `claude` and sign in with /login");
    let run = run.shows("  probe       does not know the model (").shows("Name another model: codex:MODEL.");
    let run = run.shows("  probe       is rate limited (").shows(", model gemini-reported-1\n");
    // A debate asks nobody beforehand and would seat them: that stays said, and who would fail with it.
    let _ = run.shows("gemini:pro judges. But claude and codex did not answer: see their probes above, and name others");
}

#[test]
fn where_no_probe_is_answered_no_seat_can_be_filled() {
    let (env, _) = machine_with(&["claude"], &[Turn::capture("claude", "no-key")]);
    let run = env.rebut(["doctor", "--probe", "--json"]).exits(1);
    let probe = &run.json_lines()[0]["probe"];
    assert_eq!(probe["cause"], "auth");
    assert!(probe["advice"].as_str().unwrap().contains("/login"));
    assert!(probe["ms"].is_u64());
}

#[test]
fn a_tool_that_hangs_in_a_probe_is_ended() {
    let hang = Turn::hang("codex").first(Before::IgnoreSignals).first(Before::ForkAway);
    let (env, turns) = machine_with(&["codex"], &[hang]);
    let env = env.set("REBUT_DUEL_TIMEOUT_SECONDS", "0.3");
    let _ = env.rebut(["doctor", "--probe"]).exits(1).shows("  probe       timed out (after 0.3 s)");
    assert_eq!(turns.survivors(), Vec::<String>::new());
}

#[test]
fn ctrl_c_ends_a_probe_and_what_it_started() {
    let (env, turns) = machine_with(&["codex"], &[Turn::hang("codex").first(Before::Fork)]);
    let running = env.start(["doctor", "--probe"]);
    // The program itself carries the sign of the stand-ins too.
    until("the tool and what it starts", || turns.survivors().len() == 3 && !turns.calls().is_empty());
    running.signal(rustix::process::Signal::INT);
    let _ = running.end().exits(130).says("Stopping… press Ctrl-C again to quit immediately");
    assert_eq!(turns.survivors(), Vec::<String>::new());
}

#[test]
fn a_program_that_tells_no_version_is_found_all_the_same() {
    let env = machine();
    env.install_idle("claude");
    env.install_script("codex", "#!/bin/sh\nexit 7\n");
    env.install_script("gemini", "#!/bin/sh\nkill -SEGV $$\n");
    let run = env.rebut(["doctor"]).exits(0).shows("claude    version unknown\n");
    let run = run.shows("codex     version unknown: it ended with exit status: 7\n");
    let _ = run.shows("gemini    version unknown: it ended with signal: 11 (SIGSEGV)");
}

#[test]
fn what_the_user_says_of_a_tool_is_what_doctor_tells() {
    let (env, _) = machine_with(&["claude"], &[]);
    let own = env.root().join("own-codex");
    fs::rename(env.root().join("bin").join("claude"), &own).unwrap();
    let env = env.set("REBUT_TOOLS_CODEX_PROGRAM", &own).set("REBUT_TOOLS_CODEX_MODELS_HIGH", "gpt-9");
    let env = env.set("REBUT_TOOLS_CLAUDE_PROGRAM", "/no/such/claude");
    let run = env.rebut(["doctor"]).exits(0).shows(&format!("  program     {}\n", own.display()));
    let run = run.shows("  models      low its own, medium its own, high gpt-9, max its own\n");
    let _ = run.shows("claude    there is no program /no/such/claude; correct `tools.claude.program` in your config.toml");
}

#[test]
fn the_users_words_for_an_effort_stand_beside_the_models() {
    let (env, _) = machine_with(&["codex", "gemini"], &[]);
    let run =
        env.set("REBUT_TOOLS_CODEX_EFFORT_HIGH", "ultra").set("REBUT_TOOLS_CODEX_EFFORT_LOW", "auto").rebut(["doctor"]);
    let run = run.exits(0).shows("  effort      low not set, medium medium, high ultra, max xhigh\n");
    assert_eq!(run.stdout.matches("  effort ").count(), 1, "gemini has no word for it: {run}");
}

/// Any program can speak the protocol; only a model answers.
#[test]
fn an_agent_that_only_repeats_the_question_has_not_answered() {
    let (env, turns) = machine_with(&[PROGRAM], &[]);
    let agent = env.root().join("bin").join(PROGRAM);
    env.install_script("kiro-cli", &format!("exec '{}' echoes\n", agent.display()));
    env.user_config("[agents.kiro]\ncommand = [\"kiro-cli\"]\n");
    let run = env.rebut(["doctor", "--probe", "--json"]).exits(1);
    let lines = run.json_lines();
    let kiro = lines.iter().find(|line| line["name"] == "acp:kiro").unwrap();
    assert_eq!((&kiro["probe"]["asked"], &kiro["probe"]["cause"]), (&"json".into(), &"unparsable".into()), "{kiro}");
    assert_eq!(turns.survivors(), Vec::<String>::new());
    // One that answers is able.
    env.install_script("kiro-cli", &format!("exec '{}' answers\n", agent.display()));
    let _ = env.rebut(["doctor", "--probe"]).shows("  probe       answered in ");
}

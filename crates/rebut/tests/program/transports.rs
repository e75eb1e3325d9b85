//! How tools are spoken to is settled in the plan, and said there.

use rebut_fakes::{Script, TOPIC, TestEnv};

use crate::{machine, machine_for};

const SEATS: [&str; 6] = ["--proposer", "claude", "--challenger", "codex", "--judge", "claude:haiku"];

/// claude has an agent and a command line, codex a command line and an agent that is none.
fn tools() -> TestEnv {
    let env = machine();
    for program in ["claude", "codex", "codex-acp"] {
        env.install_idle(program);
    }
    install_agent(&env, "claude-agent-acp");
    env
}

/// Puts an agent with every mode and a model of its own on the path.
fn install_agent(env: &TestEnv, program: &str) {
    let modes = r#"{"currentModeId":"default","availableModes":[{"id":"default"},{"id":"read-only"},{"id":"agent"}]}"#;
    let offered = r#"{"currentModelId":"its-own","availableModels":[{"modelId":"its-own","name":"Its own"}]}"#;
    let session = format!(r#""result":{{"sessionId":"session-1","modes":{modes},"models":{offered}}}"#);
    install_agent_that(env, program, &session);
}

/// The same with one that answers the opening of a session with this.
fn install_agent_that(env: &TestEnv, program: &str, session: &str) {
    let reply = |rest: &str| format!(r#"printf '{{"jsonrpc":"2.0","id":%s,%s}}\n' "$n" '{rest}'"#);
    let (hello, session) = (reply(r#""result":{"protocolVersion":1}"#), reply(session));
    let script = format!(
        "n=0\nwhile read -r line; do n=$((n+1)); case \"$line\" in *session/new*) {session};; *) {hello};; esac; done\n"
    );
    env.install_script(program, &script);
}

fn planned(env: &TestEnv, transport: &[&str]) -> String {
    let arguments = [&["duel", TOPIC, "--dry-run"], &SEATS[..], transport].concat();
    env.rebut(arguments).exits(0).stdout
}

#[test]
fn the_command_line_is_the_default() {
    let plan = planned(&tools(), &[]);
    assert!(plan.contains("claude:opus\n") && plan.contains("codex\n") && !plan.contains("over ACP"), "{plan}");
}

#[test]
fn auto_takes_acp_where_it_answers_and_says_why_where_it_does_not() {
    let env = tools();
    env.install_idle("gemini");
    let seats = ["--proposer", "claude", "--challenger", "gemini", "--judge", "codex", "--transport", "auto"];
    let plan = env.rebut([&["duel", TOPIC, "--dry-run"], &seats[..]].concat()).exits(0).stdout;
    assert!(plan.contains("claude:opus over ACP\n") && plan.contains("gemini:pro\n") && plan.contains("codex\n"), "{plan}");
    assert!(plan.contains("gemini is called over its command line: gemini does not answer as an agent"), "{plan}");
    // One in whose sessions no model can be chosen would fail at its first turn.
    let without = r#""result":{"sessionId":"s","modes":{"currentModeId":"default","availableModes":[{"id":"default"}]}}"#;
    install_agent_that(&env, "gemini", without);
    let plan = env.rebut([&["duel", TOPIC, "--dry-run"], &seats[..]].concat()).exits(0).stdout;
    assert!(plan.contains("gemini:pro\n") && plan.contains("it offers no choice of model"), "{plan}");
    // An agent that greets and then opens no session is none either.
    let refuses = r#""error":{"code":-32603,"message":"the session store is locked"}"#;
    install_agent_that(&env, "gemini", refuses);
    let plan = env.rebut([&["duel", TOPIC, "--dry-run"], &seats[..]].concat()).exits(0).stdout;
    let why = "gemini is called over its command line: gemini does not answer as an agent that opens a session: it \
               failed with an error (the session store is locked)";
    assert!(plan.contains("gemini:pro\n") && plan.contains(why), "{plan}");
    // Nor is one whose sessions cannot be restricted to reading.
    install_agent_that(&env, "gemini", r#""result":{"sessionId":"session-1"}"#);
    let plan = env.rebut([&["duel", TOPIC, "--dry-run"], &seats[..]].concat()).exits(0).stdout;
    assert!(plan.contains("gemini:pro\n") && plan.contains("it offers no mode `default`"), "{plan}");
    // Where ACP restricts a tool less than its command line does, it is not used unasked.
    let why = "codex is called over its command line: its agent is restricted less (over ACP it can read files outside of the \
               workspace; ";
    assert!(plan.contains(why) && plan.contains("--transport acp uses it anyway"), "{plan}");
}

/// Three agents that are too slow when they all start at once, and answer when they are started again.
#[test]
fn agents_that_are_too_slow_are_started_again_one_after_another() {
    let env = machine();
    env.install("sleep");
    for program in ["claude", "gemini", "codex"] {
        env.install_idle(program);
    }
    let root = env.root().display().to_string();
    for program in ["claude-agent-acp", "gemini", "codex-acp"] {
        install_agent(&env, program);
        let answers = env.root().join("bin").join(program);
        let script = std::fs::read_to_string(&answers).unwrap();
        let script = script.strip_prefix("#!/bin/sh\n").unwrap();
        let again = format!(
            "[ -e '{root}/{program}.started' ] || {{ : > '{root}/{program}.started'; exec sleep 1000; }}\n\
             [ -e '{root}/busy' ] && read -r other < '{root}/busy' && kill -0 \"$other\" 2>/dev/null && : > '{root}/overlap'\n\
             echo $$ > '{root}/busy'\n{script}"
        );
        env.install_script(program, &again);
    }
    let seats = ["--proposer", "claude", "--challenger", "gemini", "--judge", "codex", "--transport", "acp"];
    let env = env.set("REBUT_LIMITS_AGENT_START_SECONDS", "2").set("REBUT_VERDICT_RIGOR", "quick");
    let plan = env.rebut([&["duel", TOPIC, "--dry-run"], &seats[..]].concat()).exits(0);
    assert_eq!(plan.stdout.matches(" over ACP\n").count(), 3, "{plan}");
    assert!(!env.root().join("overlap").exists(), "two of them were started again at the same time");
}

#[test]
fn an_agent_that_stays_too_slow_is_told_with_the_setting_for_it() {
    let env = machine();
    env.install("sleep");
    env.install_script("gemini", "exec sleep 1000\n");
    let env = env.set("REBUT_LIMITS_AGENT_START_SECONDS", "0.2");
    let seats = ["--proposer", "gemini", "--challenger", "gemini:b", "--judge", "gemini:c", "--transport", "acp"];
    let run = env.rebut([&["duel", TOPIC, "--dry-run"], &seats[..]].concat()).exits(2);
    let _ = run
        .says("gemini does not answer as an agent: it stalled without output (no output for 0.2 s).")
        .says("Give agents longer to start with `limits.agent_start_seconds`.");
}

/// Nothing keeps these agents from it, so they are not used where it would happen.
#[test]
fn an_agent_that_would_run_the_workspaces_hooks_or_servers_is_refused_while_planning() {
    for (tool, program, file) in [
        ("codex", "codex-acp", ".codex/config.toml"),
        ("copilot", "copilot", ".github/hooks/on-start.json"),
        ("copilot", "copilot", ".claude/settings.json"),
    ] {
        let env = machine();
        for idle in ["codex", "copilot", "claude"] {
            env.install_idle(idle);
        }
        install_agent(&env, "claude-agent-acp");
        install_agent(&env, program);
        env.write("src/pool.rs", "fn acquire() {}\n");
        let seats = ["--proposer", "claude", "--challenger", tool, "--judge", "claude", "--transport", "acp"];
        let planned = |more: &[&'static str]| env.rebut([&["duel", TOPIC], &seats[..], more].concat());
        let _ = planned(&["--dry-run"]).exits(0);
        env.write(file, r#"{"hooks":{}}"#);
        let found = if file.starts_with(".github") { ".github/hooks" } else { file.split("/config").next().unwrap() };
        for more in [&["--dry-run"][..], &[]] {
            let run = planned(more).exits(2);
            let _ = run.says(&format!(
                "error: challenger: {tool} over ACP is not used in this workspace: it would start the repository's own hooks \
                 or MCP servers ({found}). Use its command line instead: --transport cli."
            ));
        }
        assert!(env.debates().is_empty(), "nothing was begun");
        let _ = planned(&["--dry-run", "--no-workspace"]).exits(0);
    }
}

#[test]
fn acp_alone_refuses_a_tool_whose_agent_does_not_answer() {
    let env = tools();
    let arguments = [&["duel", TOPIC, "--dry-run", "--transport", "acp"], &SEATS[..]].concat();
    let _ = env.rebut(arguments).exits(2).says("error: challenger: can't talk to codex over ACP: codex-acp does not");
    let _ = env.rebut(["duel", TOPIC, "--transport", "pigeon"]).exits(2).says("[possible values: auto, cli, acp]");
}

#[test]
fn a_program_that_the_user_named_is_the_one_that_is_asked_over_acp_too() {
    let env = machine();
    install_agent(&env, "gemini");
    let own = env.root().join("own-gemini");
    std::fs::rename(env.root().join("bin").join("gemini"), &own).unwrap();
    env.user_config(format!("[tools.gemini]\nprogram = '{}'\n", own.display()));
    let seats = ["--tools", "gemini,gemini:b", "--judge", "gemini:c", "--transport", "acp"];
    let _ = env.rebut([&["duel", TOPIC, "--dry-run"], &seats[..]].concat()).exits(0).shows("gemini:pro over ACP\n");
}

#[test]
fn the_last_debate_in_a_tools_folder_is_no_reason_to_refuse_its_agent() {
    let env = machine_for(&Script::duel(1)).set("CODEX_THREAD_ID", "1");
    let _ = env.duel(&["--rounds", "1"]).exits(0);
    assert!(env.workspace().join(".codex/debate/last-debate.json").exists());
    env.install_idle("codex");
    install_agent(&env, "codex-acp");
    let seats = ["--proposer", "codex:a", "--challenger", "codex:b", "--judge", "codex:c", "--transport", "acp"];
    let plan = || env.rebut([&["duel", TOPIC, "--dry-run"], &seats[..]].concat());
    let _ = plan().exits(0);
    env.write(".codex/config.toml", "");
    let _ = plan().exits(2).says("it would start the repository's own hooks or MCP servers (.codex)");
}

#[test]
fn an_agent_that_makes_a_title_of_each_prompt_is_told_in_the_plan() {
    let env = machine();
    env.install_idle("codex");
    let seats = ["--proposer", "codex:a", "--challenger", "codex:b", "--judge", "codex:c", "--transport", "acp"];
    let told = "codex: over ACP this version of its agent sends each prompt a second time to generate a title";
    let plan = || env.rebut([&["duel", TOPIC, "--dry-run"], &seats[..]].concat()).exits(0).stdout;
    install_agent(&env, "codex-acp");
    assert_eq!(plan().matches(told).count(), 1);
    // One that takes a title is given one.
    let hello = r#"{"protocolVersion":1,"agentCapabilities":{"sessionCapabilities":{"title":{}}}}"#;
    env.install_script(
        "codex-acp",
        &format!("read -r _\necho '{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{hello}}}'\ncat > /dev/null\n"),
    );
    assert!(!plan().contains(told));
}

#[test]
fn what_a_tool_can_do_over_acp_alone_is_said_by_the_plan_and_by_doctor() {
    let env = machine();
    env.install_idle("codex");
    install_agent(&env, "codex-acp");
    let limit = "over ACP it can read files outside of the workspace";
    let seats = ["--proposer", "codex:a", "--challenger", "codex:b", "--judge", "codex:c"];
    let plan = |transport: &'static str| {
        let arguments = [&["duel", TOPIC, "--dry-run", "--transport", transport], &seats[..]].concat();
        env.rebut(arguments).exits(0).stdout
    };
    assert_eq!(plan("acp").matches(&format!("codex: {limit}\n")).count(), 1);
    assert!(!plan("cli").contains(limit));
    let _ = env.rebut(["doctor"]).exits(0).shows(&format!("  limits      {limit}\n"));
}

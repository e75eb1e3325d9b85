//! Who is seated: by default, by name, and by the user's and the project's settings.

use rebut_fakes::stand_in::{NAMES, Turn, Turns};
use rebut_fakes::{Run, TOPIC, verdict};

use crate::tools::{called, duel};
use crate::{machine_for, machine_with};

fn dry_run(tools: &[&str], arguments: &[&str]) -> Run {
    let (env, turns) = machine_with(tools, &[]);
    let run = env.rebut([arguments, &["--dry-run"]].concat()).exits(0);
    assert!(turns.calls().is_empty(), "a plan asks nobody");
    run
}

#[test]
fn if_nobody_is_named_the_first_two_of_different_families_debate_and_a_third_judges() {
    let run = dry_run(&NAMES, &[TOPIC]);
    let run = run.shows("  proposer    claude:opus\n").shows("  challenger  codex\n");
    let run = run.shows("  judge       gemini:pro\n");
    assert!(!run.stdout.contains("same vendor as a debater"), "{run}");
    let run = dry_run(&["opencode", "gemini"], &[TOPIC]);
    let run = run.shows("  proposer    gemini:pro\n").shows("  challenger  opencode\n").shows("  judge       gemini:pro\n");
    let _ = run.shows("the judge (gemini:pro) is from the same vendor as a debater");
}

#[test]
fn a_tool_that_is_alone_argues_with_itself_and_plan_and_verdict_say_so() {
    let (env, turns) = machine_with(&["gemini"], &duel(1, "gemini", "gemini", "gemini"));
    let run = env.rebut([TOPIC, "--rounds", "1"]).exits(0);
    let note = "gemini:pro argues both sides, with different seeds";
    assert_eq!(run.stdout.matches(note).count(), 2, "{run}");
    assert_eq!(turns.calls_of("gemini").len(), 3);
}

#[test]
fn tools_that_a_topic_names_are_seated() {
    let (env, turns) = machine_with(&NAMES, &duel(1, "codex", "gemini", "claude"));
    let run = env.rebut(["codex vs gemini about our retry policy, one round"]).exits(0);
    let _ = run.says("understood: codex and gemini, 1 round").shows("the challenger (gemini) had the stronger case.");
    let order: Vec<String> = turns.calls().into_iter().map(|call| call.tool).collect();
    assert_eq!(order, ["codex", "gemini", "claude"]);
    assert!(turns.call_of("codex").prompt.contains("our retry policy"));
}

#[test]
fn a_judge_can_be_a_tool_where_scripts_debate() {
    let (env, turns) = Turns::install(
        machine_for(&rebut_fakes::Script::duel(1)),
        &["copilot"],
        &[Turn::answer("copilot", verdict("proposer"))],
    );
    let arguments = ["duel", TOPIC, "--rounds", "1", "--tools", "script:debate.toml#a,script:debate.toml#b"];
    let _ = env.rebut([&arguments[..], &["--judge", "copilot", "--rigor", "quick"]].concat()).exits(0).shows("the proposer");
    assert!(turns.call_of("copilot").prompt.contains("Argument of the Side B in round 1."));
}

#[test]
fn the_user_says_where_a_tool_is_and_which_models_it_is_asked_for() {
    let (env, turns) = machine_with(&NAMES, &duel(1, "claude", "codex", "gemini"));
    std::fs::create_dir(env.root().join("own")).unwrap();
    let own = env.root().join("own").join("claude");
    std::fs::rename(env.root().join("bin").join("claude"), &own).unwrap();
    let missing = env.rebut(["duel", TOPIC, "--proposer", "claude"]).exits(2);
    let _ = missing.says("claude is not installed; get it with `npm install -g @anthropic-ai/claude-code`");
    let models = "[tools.codex.models]\nlow = 'gpt-9-mini'\n[tools.gemini.models]\nlow = 'auto'\n";
    env.user_config(format!("[tools.claude]\nprogram = '{}'\n{models}", own.display()));
    let _ = env.rebut([TOPIC, "--rounds", "1", "--effort", "low"]).exits(0);
    assert!(turns.call_of("claude").has(&["--model", "haiku"]));
    assert!(turns.call_of("codex").has(&["-m", "gpt-9-mini"]));
    assert!(!turns.call_of("gemini").arguments.contains(&"-m".to_owned()));
    env.user_config("[tools.claude]\nprogram = '/no/such/claude'\n");
    let run = env.rebut(["duel", TOPIC, "--proposer", "claude"]).exits(2);
    let _ = run.says("there is no program /no/such/claude; correct `tools.claude.program` in your config.toml");
}

#[test]
fn the_user_says_by_which_word_a_tool_is_told_an_effort() {
    for (tool, expected) in [
        ("claude", &["--effort", "ultra"][..]),
        ("codex", &["-c", "model_reasoning_effort=ultra"]),
        ("opencode", &["--variant", "ultra"]),
        ("copilot", &["--reasoning-effort", "ultra"]),
    ] {
        let variable = format!("REBUT_TOOLS_{}_EFFORT_HIGH", tool.to_uppercase());
        let own = called(tool, tool, &[(variable.as_str(), "ultra")], &["--effort", "high"]);
        assert!(own.has(expected), "{tool}: {:?}", own.arguments);
        let silent = called(tool, tool, &[(variable.as_str(), "auto")], &["--effort", "high"]);
        let flag = expected[expected.len() - 1].split('=').next().unwrap();
        let says = |argument: &String| argument == expected[0] && expected[0] != "-c" || argument.starts_with(flag);
        assert!(!silent.arguments.iter().any(says), "{tool}: {:?}", silent.arguments);
    }
}

#[test]
fn a_seat_with_a_colon_and_no_model_is_told_what_to_write() {
    let (env, turns) = machine_with(&NAMES, &[]);
    let run = env.rebut(["duel", TOPIC, "--proposer", "claude:", "--challenger", "codex"]).exits(2);
    let _ = run.says("error: proposer: `claude:` names no model; write `claude:MODEL`, or `claude` alone for the usual one");
    assert!(turns.calls().is_empty());
}

#[test]
fn a_codex_that_stays_in_the_persons_home_is_told_of_by_plan_and_doctor() {
    let (env, _) = machine_with(&NAMES, &[]);
    let limit =
        "it signs in with the system's keychain, so that your own instructions, hooks and trusted folders for it count";
    let plan = ["duel", TOPIC, "--dry-run", "--tools", "claude,codex", "--judge", "gemini"];
    let quiet = env.rebut(plan).exits(0);
    assert!(!quiet.stdout.contains(limit), "{quiet}");
    let file = env.home().join(".codex/config.toml");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, "cli_auth_credentials_store = 'keyring'\n").unwrap();
    let _ = env.rebut(plan).exits(0).shows(&format!("codex: {limit}\n"));
    let _ = env.rebut(["doctor"]).exits(0).shows(&format!("  limits      {limit}\n"));
}

#[test]
fn a_project_may_not_say_which_program_is_run_which_service_is_asked_or_which_model_is_paid_for() {
    for (line, key) in [
        ("[tools.claude]\nprogram = '/tmp/evil'\n", "tools.claude.program"),
        ("[tools.codex.models]\nmax = 'the-dearest'\n", "tools.codex.models.max"),
        ("[tools.codex.effort]\nlow = 'xhigh'\n", "tools.codex.effort.low"),
        ("[services.anthropic]\nbase_url = 'https://evil.example'\n", "services.anthropic.base_url"),
        ("[agents.theirs]\ncommand = ['/bin/sh']\n", "agents.theirs.command"),
    ] {
        let (env, turns) = machine_with(&NAMES, &[]);
        env.write(".rebut/config.toml", line);
        let run = env.rebut([TOPIC]).exits(2);
        let _ = run.says(&format!("error: `{key}` in ")).says("is not a project's to set");
        assert!(turns.calls().is_empty());
    }
}

/// A search path that leads into the folder one is in would run what the project brings along.
#[test]
fn a_program_of_the_project_is_never_taken_for_a_tool() {
    let (env, _) = machine_with(&[], &[]);
    env.install_idle("claude");
    std::fs::rename(env.root().join("bin").join("claude"), env.workspace().join("claude")).unwrap();
    let run = env.set("PATH", ":.:bin").rebut([TOPIC, "--dry-run"]).exits(0).shows("  proposer    local");
    assert!(!run.stdout.contains("claude"), "{run}");
}

#[test]
fn gpt_is_codex_where_it_is_installed_and_else_openai() {
    let plan = |tools: &[&str], seat: &str| {
        let (env, _) = machine_with(tools, &[]);
        let env = env.set("OPENAI_API_KEY", "sk-test");
        let run = env.rebut(["duel", TOPIC, "--proposer", seat, "--challenger", "claude", "--dry-run", "--json"]).exits(0);
        let proposer = run.json()["plan"]["seats"]["proposer"].clone();
        (proposer["tool"].as_str().unwrap().to_owned(), proposer["model"].as_str().map(str::to_owned))
    };
    let model = || Some("gpt-9".to_owned());
    assert_eq!(plan(&["claude", "codex"], "gpt"), ("codex".to_owned(), None));
    assert_eq!(plan(&["claude", "codex"], "ChatGPT:gpt-9"), ("codex".to_owned(), model()));
    assert_eq!(plan(&["claude"], "chatgpt:gpt-9"), ("openai".to_owned(), model()));
    let (env, _) = machine_with(&["claude", "codex"], &[]);
    let run = env.rebut(["gpt vs claude about our retry policy", "--dry-run"]).exits(0);
    let _ = run.shows("  proposer    codex").shows("  challenger  claude").shows("  topic       our retry policy");
}

//! What each tool really printed, and what it means: captures of the real programs against a stand-in provider.

use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use rebut_core::debate::{Answer, Cause, Effort, Failure, Prompt};

use super::{Ask, CLI_TOOLS, CliTool, CommandLine, Own, Said};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/providers/cli/captures")
}

fn tool(name: &str) -> &'static CliTool {
    CLI_TOOLS.iter().find(|tool| tool.name == name).unwrap()
}

/// Reads a capture as the tool's output.
fn read(name: &str, case: &str) -> Result<Answer, Failure> {
    let file = |end: &str| fs::read(folder().join(name).join(format!("{case}.{end}"))).unwrap_or_default();
    let exit = String::from_utf8(file("exit")).unwrap();
    let (stdout, stderr) = (file("stdout"), file("stderr"));
    (tool(name).read)(&Said {
        stdout: &String::from_utf8_lossy(&stdout),
        stderr: &String::from_utf8_lossy(&stderr),
        exit: exit.trim().parse().ok(),
    })
}

#[test]
fn every_failure_has_the_cause_that_its_signature_names() {
    use Cause::{Auth, Empty, Exit, RateLimited, Refused, Truncated, Unavailable, UnknownModel, Unparsable};
    let expected: &[(&str, &str, Cause)] = &[
        ("claude", "401", Auth),
        ("claude", "403", Auth),
        ("claude", "429", RateLimited),
        ("claude", "500", Unavailable),
        ("claude", "529", Unavailable),
        ("claude", "no-key", Auth),
        ("claude", "unknown-model", UnknownModel),
        ("claude", "empty", Empty),
        ("claude", "slash-prompt", Empty),
        ("claude", "truncated", Truncated),
        ("claude", "partial-truncated", Truncated),
        ("claude", "partial-refusal", Refused),
        ("claude", "max-turns", Exit),
        ("claude", "empty-stdin", Exit),
        ("codex", "401", Auth),
        ("codex", "403", Auth),
        ("codex", "404", UnknownModel),
        ("codex", "unknown-model", UnknownModel),
        ("codex", "429", RateLimited),
        ("codex", "quota", RateLimited),
        ("codex", "500", Unavailable),
        ("codex", "529", Unavailable),
        ("codex", "no-key", Auth),
        ("codex", "empty", Empty),
        ("codex", "truncated", Truncated),
        ("codex", "not-utf8", Exit),
        ("codex", "outside-git", Exit),
        ("gemini", "401", Auth),
        ("gemini", "403", Auth),
        ("gemini", "404", UnknownModel),
        ("gemini", "unknown-model", UnknownModel),
        ("gemini", "429", RateLimited),
        ("gemini", "500", Unavailable),
        ("gemini", "empty", Empty),
        ("gemini", "truncated", Truncated),
        ("gemini", "stream-429", RateLimited),
        ("gemini", "stream-tries-again", RateLimited),
        ("gemini", "stream-empty", Empty),
        ("gemini", "stream-truncated", Truncated),
        ("gemini", "no-input", Exit),
        ("opencode", "401", Auth),
        ("opencode", "404", UnknownModel),
        ("opencode", "badmodel", UnknownModel),
        ("opencode", "empty", Empty),
        ("opencode", "429", Unparsable),
        ("opencode", "tries-again", Unavailable),
        ("opencode", "unfinished", Truncated),
        ("opencode", "garbage", Truncated),
        ("copilot", "401", Auth),
        ("copilot", "403", Auth),
        ("copilot", "404", UnknownModel),
        ("copilot", "badmodel", UnknownModel),
        ("copilot", "429", RateLimited),
        ("copilot", "500", Unavailable),
        ("copilot", "empty", Empty),
        ("copilot", "garbage", Truncated),
        ("copilot", "unfinished", Truncated),
    ];
    for (name, case, cause) in expected {
        let failure =
            read(name, case).map_or_else(|failure| failure, |answer| panic!("{name}/{case} answered: {}", answer.text));
        assert_eq!(failure.cause, *cause, "{name}/{case}: {failure}");
    }
}

#[test]
fn an_answer_is_read_with_what_the_tool_reports() {
    let answer = read("claude", "stream").unwrap();
    assert!(answer.text.starts_with("FAKE-ANSWER"));
    assert_eq!(answer.model.as_deref(), Some("claude-haiku-4-5"));
    assert_eq!((answer.usage.input_tokens, answer.usage.output_tokens), (Some(14), Some(7)));
    assert_eq!(answer.usage.cost.unwrap().nanodollars(), 46_300);
    assert_eq!(answer.session.as_deref(), Some("236a4037-dafc-4ce7-a826-f0cbfebdc01f"));

    let answer = read("codex", "success").unwrap();
    assert!(answer.text.starts_with("FAKE-ANSWER"));
    assert_eq!(answer.model, None, "codex does not say which model answered");
    assert_eq!((answer.usage.input_tokens, answer.usage.output_tokens, answer.usage.cost), (Some(11), Some(7), None));
    assert_eq!(answer.session.as_deref(), Some("01a1dde3-828b-7333-a3ac-00394a4e795e"));

    for case in ["stream", "success"] {
        let answer = read("gemini", case).unwrap();
        assert!(answer.text.ends_with("Reply briefly.\\n'"), "{}", answer.text);
        assert_eq!(answer.model.as_deref(), Some("gemini-3-flash-preview"));
        assert_eq!((answer.usage.input_tokens, answer.usage.output_tokens), (Some(11), Some(7)));
    }

    let answer = read("opencode", "success").unwrap();
    assert!(answer.text.starts_with("FAKE-ANSWER"));
    assert_eq!(answer.model, None);
    assert_eq!((answer.usage.input_tokens, answer.usage.output_tokens, answer.usage.cost), (Some(11), Some(7), None));

    let answer = read("copilot", "success-json").unwrap();
    assert!(answer.text.starts_with("FAKE-ANSWER"));
    assert_eq!(answer.model.as_deref(), Some("fake-model"));
    assert_eq!(answer.usage.input_tokens, None, "copilot reports no tokens");
    assert_eq!(answer.session.as_deref(), Some("e8ce818b-bb14-497a-b6a7-84760f7a150e"));
}

#[test]
fn answers_with_control_characters_arrive_whole() {
    for (name, end) in [("claude", "end\\n'"), ("codex", "end 😀"), ("gemini", "end 😀")] {
        let answer = read(name, "control-characters").unwrap();
        assert!(answer.text.ends_with(end), "{name}: {}", answer.text);
    }
}

#[test]
fn a_quota_that_is_used_up_is_not_waited_for() {
    let failure = read("codex", "quota").unwrap_err();
    assert!(failure.retry_after_ms.is_some_and(|wait| wait > 3_600_000));
}

#[test]
fn a_rate_limit_is_waited_for_although_the_advice_names_quotas() {
    assert_eq!(read("gemini", "stream-429").unwrap_err().retry_after_ms, None);
}

#[test]
fn a_tool_that_tries_again_by_itself_is_noticed() {
    for (name, case, tries) in [("gemini", "stream-tries-again", 2), ("opencode", "tries-again", 5), ("claude", "500", 0)] {
        let stderr = fs::read_to_string(folder().join(name).join(format!("{case}.stderr"))).unwrap_or_default();
        assert_eq!(stderr.lines().filter(|line| (tool(name).tries_again)(line).is_some()).count(), tries, "{name}");
    }
}

#[test]
fn a_failed_sign_in_says_what_to_do() {
    for (name, word) in [
        ("claude", "/login"),
        ("codex", "codex login"),
        ("gemini", "GEMINI_API_KEY"),
        ("opencode", "opencode auth login"),
        ("copilot", "/login"),
    ] {
        let advice = read(name, "401").unwrap_err().advice.unwrap();
        assert!(advice.contains(word), "{advice}");
    }
}

#[test]
fn the_answer_is_told_as_it_arrives() {
    for (name, case) in [
        ("claude", "partial"),
        ("codex", "success"),
        ("gemini", "stream"),
        ("opencode", "success"),
        ("copilot", "success-json"),
    ] {
        let stdout = fs::read_to_string(folder().join(name).join(format!("{case}.stdout"))).unwrap();
        let told: String = stdout
            .lines()
            .flat_map(tool(name).progress)
            .filter_map(|news| match news {
                super::Progress::Text(text) => Some(text),
                _ => None,
            })
            .collect();
        assert_eq!(told, read(name, case).unwrap().text, "{name}");
        let lasts = stdout.lines().filter(|line| (tool(name).is_last)(line)).count();
        assert_eq!(lasts, 1, "{name}");
    }
}

fn command(name: &str, change: impl Fn(&mut Ask<'_>)) -> CommandLine {
    let prompt = Prompt { system: "# Rules".into(), user: "# Topic\n\n/help me with @src/lib.rs".into() };
    let mut ask = Ask {
        model: Some("m-1"),
        effort: tool(name).efforts.map(|words| words[Effort::Max as usize]),
        prompt: &prompt,
        program: Path::new("/home/user/lib/node_modules/@openai/codex/bin/codex.js"),
        schema: None,
        own: &Own::default(),
        scratch: Path::new("/scratch"),
        title: "round-1/proposer",
        reads_workspace: true,
        searches_web: false,
        variable: &|name| (name == "ANTHROPIC_API_KEY").then(|| "key".to_owned()),
    };
    change(&mut ask);
    (tool(name).command)(&ask)
}

#[test]
fn commands_are_these() {
    let lines: Vec<String> = CLI_TOOLS
        .iter()
        .map(|tool| {
            let line = command(tool.name, |_| {});
            let arguments: Vec<_> = line.arguments.iter().map(|a| a.to_string_lossy().into_owned()).collect();
            let variables: Vec<String> = line.variables.iter().map(|(name, value)| format!("{name}={value}")).collect();
            format!("{} {arguments:?}\n    {variables:?}", tool.name)
        })
        .collect();
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn the_prompt_is_never_an_argument_and_begins_with_a_heading() {
    for tool in CLI_TOOLS {
        let line = command(tool.name, |_| {});
        assert!(line.input.starts_with("# Rules"), "{}", tool.name);
        assert!(line.input.contains("me with @"), "{}", tool.name);
        assert!(line.arguments.iter().all(|argument| !argument.to_string_lossy().contains("Topic")), "{}", tool.name);
    }
}

#[test]
fn without_a_model_none_is_passed() {
    for tool in CLI_TOOLS {
        let line = command(tool.name, |ask| ask.model = None);
        assert!(
            line.arguments.iter().all(|argument| argument != "m-1" && argument != "-m" && argument != "--model"),
            "{}",
            tool.name
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn reading_never_panics(stdout in "(\\PC|\n|\\{\"type\":\"(result|error|text|turn.completed|message)\"[^\n]{0,20}\n){0,40}", stderr in "(\\PC|\n){0,80}", exit in proptest::option::of(-1_i32..256)) {
        for tool in CLI_TOOLS {
            let _ = (tool.read)(&Said { stdout: &stdout, stderr: &stderr, exit });
            for line in stdout.lines() {
                let _ = (tool.progress)(line);
                let _ = (tool.is_last)(line);
            }
        }
    }
}

#[test]
fn what_is_no_session_id_is_left_out_and_nothing_else_is_lost() {
    for (name, case) in [
        ("claude", "stream"),
        ("codex", "success"),
        ("gemini", "stream"),
        ("opencode", "success"),
        ("copilot", "success-json"),
    ] {
        let text = fs::read_to_string(folder().join(name).join(format!("{case}.stdout"))).unwrap();
        let whole = (tool(name).read)(&Said { stdout: &text, stderr: "", exit: Some(0) }).unwrap();
        let session = whole.session.clone().unwrap();
        let strange = text.replace(&session, "../../etc;$(id)");
        let read = (tool(name).read)(&Said { stdout: &strange, stderr: "", exit: Some(0) }).unwrap();
        assert_eq!(read, Answer { session: None, ..whole }, "{name}");
    }
}

#[test]
fn a_preface_says_only_that_the_tool_has_started() {
    for (name, case) in [
        ("claude", "partial"),
        ("codex", "success"),
        ("gemini", "stream"),
        ("opencode", "success"),
        ("copilot", "success-json"),
    ] {
        let text = fs::read_to_string(folder().join(name).join(format!("{case}.stdout"))).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert!((tool(name).is_preface)(lines[0]), "{name} begins with one: {}", lines[0]);
        for line in lines.iter().filter(|line| (tool(name).is_preface)(line)) {
            assert_eq!((tool(name).progress)(line), Vec::new(), "{name}: {line}");
            assert!(!(tool(name).is_last)(line), "{name}: {line}");
        }
        assert!(!lines.iter().all(|line| (tool(name).is_preface)(line)), "{name}");
        assert!(!(tool(name).is_preface)("a line that is no JSON"), "{name}");
    }
    // A model that thinks has begun, also where what it thinks is not told.
    let thinking = r#"{"type":"stream_event","event":{"type":"content_block_delta","delta":{"type":"thinking_delta"}}}"#;
    assert!(!(tool("claude").is_preface)(thinking));
    assert!((tool("codex").is_preface)(r#"{"type":"error","message":"Reconnecting... 1/5"}"#));
}

#[test]
fn an_answer_by_a_schema_is_read_and_words_instead_of_one_are_kept() {
    assert_eq!(read("claude", "schema").unwrap().text, r#"{"winner":"challenger"}"#);
    assert!(read("claude", "schema-prose").unwrap().text.starts_with("STAND-IN-ANSWER"));
}

#[test]
fn a_schema_reaches_the_tool_that_takes_one() {
    let schema = serde_json::json!({ "type": "object" });
    let (prompt, own) = (Prompt { system: String::new(), user: String::new() }, Own::default());
    let ask = |schema| Ask {
        model: None,
        effort: Some("low"),
        prompt: &prompt,
        schema,
        own: &own,
        scratch: Path::new("/scratch"),
        program: Path::new("/bin/x"),
        title: "verdict",
        reads_workspace: false,
        searches_web: false,
        variable: &|_| None,
    };
    let words = |name: &str, schema| (tool(name).command)(&ask(schema)).arguments;
    assert!(words("claude", Some(&schema)).windows(2).any(|pair| pair == ["--json-schema", r#"{"type":"object"}"#]));
    for name in ["codex", "gemini", "opencode", "copilot"] {
        assert_eq!(words(name, Some(&schema)), words(name, None), "{name} is asked by the prompt alone");
    }
}

/// The home of a person, with these files in it.
fn home(files: &[(&str, &str)]) -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    for (name, content) in files {
        let file = home.path().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, content).unwrap();
    }
    home
}

/// The command of a tool for a person with this home, and what is lent to it.
fn at_home(name: &str, home: &tempfile::TempDir, more: &[(&str, &str)]) -> (CommandLine, Vec<&'static str>) {
    let path = home.path().display().to_string();
    let variable = |name: &str| match name {
        "HOME" => Some(path.clone()),
        name => more.iter().find(|(more, _)| *more == name).map(|(_, value)| (*value).to_owned()),
    };
    let own = (tool(name).own)(&variable);
    let prompt = Prompt { system: "# Rules".into(), user: "# Topic".into() };
    let line = (tool(name).command)(&Ask {
        model: None,
        effort: Some("low"),
        prompt: &prompt,
        schema: None,
        own: &own,
        scratch: Path::new("/scratch"),
        program: Path::new("/bin/x"),
        title: "",
        reads_workspace: true,
        searches_web: false,
        variable: &variable,
    });
    (line, own.lent.iter().map(|(place, _)| *place).collect())
}

fn file(line: &CommandLine, name: &str) -> serde_json::Value {
    let (_, content) = line.files.iter().find(|(file, _)| *file == name).unwrap();
    serde_json::from_str(content).unwrap()
}

fn variable<'a>(line: &'a CommandLine, name: &str) -> &'a str {
    let found = line.variables.iter().find(|(own, _)| *own == name);
    found.map_or("", |(_, value)| value)
}

#[test]
fn no_variable_is_empty_that_names_a_place() {
    for tool in CLI_TOOLS {
        let line = command(tool.name, |_| {});
        assert!(line.variables.iter().all(|(_, value)| !value.is_empty()), "{}: {:?}", tool.name, line.variables);
    }
}

#[test]
fn gemini_has_a_home_of_its_own_with_nothing_but_the_way_to_its_model() {
    let settings = r#"{ // mine
        "security": { "auth": { "selectedType": "oauth-personal" }, "folderTrust": { "enabled": true } },
        "model": { "name": "m" }, "tools": { "allowed": ["run_shell_command"] }, "hooks": { "SessionStart": [] },
        "context": { "includeDirectories": ["/"] }, "mcpServers": { "x": {} }, }"#;
    let home = home(&[
        (".gemini/settings.json", settings),
        (".gemini/oauth_creds.json", "{}"),
        (".gemini/policies/mine.toml", ""),
        (".gemini/GEMINI.md", ""),
    ]);
    let (line, lent) = at_home("gemini", &home, &[]);
    assert_eq!(lent, [".gemini/oauth_creds.json"]);
    assert_eq!(variable(&line, "GEMINI_CLI_HOME"), "/scratch");
    assert_eq!(variable(&line, "GEMINI_CLI_TRUST_WORKSPACE"), "false");
    let settings = file(&line, ".gemini/settings.json");
    let auth = serde_json::json!({ "auth": { "selectedType": "oauth-personal" }, "folderTrust": { "enabled": false } });
    assert_eq!((&settings["security"], &settings["model"]["name"]), (&auth, &"m".into()));
    for gone in ["tools", "hooks", "context", "mcpServers"] {
        assert!(settings[gone].is_null(), "{gone}");
    }
    assert_eq!((&settings["hooksConfig"]["enabled"], &settings["general"]["maxAttempts"]), (&false.into(), &1.into()));
}

#[test]
fn copilot_has_a_home_of_its_own_without_hooks_and_servers() {
    let token = ["gho", "1"].join("_");
    let config = serde_json::json!({ "loggedInUsers": [{ "login": "x" }], "copilotTokens": { "x": token },
        "trustedFolders": ["/"], "hooks": {} });
    let home = home(&[
        (".copilot/config.json", &config.to_string()),
        (".copilot/settings.json", r#"{"model":"m","hooks":{"sessionStart":[]},"disableAllHooks":false}"#),
        (".copilot/mcp-config.json", r#"{"mcpServers":{"my spy.x":{}}}"#),
    ]);
    let (line, lent) = at_home("copilot", &home, &[]);
    assert!(lent.is_empty());
    assert_eq!(variable(&line, "COPILOT_HOME"), "/scratch/copilot");
    assert_eq!(variable(&line, "COPILOT_ALLOW_ALL"), "false");
    let settings = serde_json::json!({ "model": "m", "disableAllHooks": true, "memory": false });
    assert_eq!(file(&line, "copilot/settings.json"), settings);
    let account = serde_json::json!({ "loggedInUsers": config["loggedInUsers"], "copilotTokens": config["copilotTokens"] });
    assert_eq!(file(&line, "copilot/config.json"), account);
}

#[test]
fn claude_is_given_the_way_to_its_model_and_none_of_its_other_settings() {
    let settings = r#"{"env":{"ANTHROPIC_BASE_URL":"http://x"},"apiKeyHelper":"h","hooks":{},"outputStyle":"o",
        "permissions":{"allow":["Bash"],"additionalDirectories":["/"],"defaultMode":"bypassPermissions"}}"#;
    let home = home(&[(".claude/settings.json", settings)]);
    let (line, _) = at_home("claude", &home, &[]);
    let expected = serde_json::json!({ "env": { "ANTHROPIC_BASE_URL": "http://x" }, "apiKeyHelper": "h",
        "disableAllHooks": true, "permissions": { "blockReadsOutsideWorkingDirectories": true } });
    assert_eq!(file(&line, "claude-settings.json"), expected);
    assert!(line.arguments.windows(2).any(|pair| pair == ["--setting-sources", ""]));
    assert!(line.arguments.iter().any(|argument| argument == "--no-session-persistence"));
}

#[test]
fn codex_has_a_home_of_its_own_unless_its_sign_in_cannot_be_lent() {
    let config = "model = \"m\"\nsandbox_mode = \"danger-full-access\"\nnotify = [\"x\"]\nprofile = \"p\"\n\
        [profiles.p]\nmodel = \"n\"\napproval_policy = \"never\"\n[mcp_servers.\"odd.one\"]\ncommand = \"x\"\n\
        [projects.\"/w\"]\ntrust_level = \"trusted\"\n[model_providers.q]\nbase_url = \"http://x\"\n";
    let home = home(&[(".codex/config.toml", config), (".codex/auth.json", "{}"), (".codex/AGENTS.md", "")]);
    let (line, lent) = at_home("codex", &home, &[]);
    assert_eq!(lent, ["codex/auth.json"]);
    assert_eq!(variable(&line, "CODEX_HOME"), "/scratch/codex");
    let kept: toml::Table = line.files[0].1.parse().unwrap();
    let expected =
        "model = \"m\"\nprofile = \"p\"\n[profiles.p]\nmodel = \"n\"\n[model_providers.q]\nbase_url = \"http://x\"\n";
    assert_eq!(kept, expected.parse().unwrap());

    // What the keychain holds goes by the folder's name.
    let config = "cli_auth_credentials_store = \"keyring\"\n[mcp_servers.one]\ncommand = \"x\"\n";
    let home = self::home(&[(".codex/config.toml", config)]);
    let (line, lent) = at_home("codex", &home, &[]);
    assert_eq!((lent.len(), line.files.len(), variable(&line, "CODEX_HOME")), (0, 0, ""));
    assert!(line.arguments.iter().any(|argument| argument == "mcp_servers.one.enabled=false"));
}

#[test]
fn opencode_has_homes_of_its_own_and_is_held_by_an_agent_of_ours() {
    let home = home(&[
        (".config/opencode/config.json", r#"{"provider":{"a":{"options":{"apiKey":"{file:./key}"}}},"model":"a/x"}"#),
        (".config/opencode/opencode.jsonc", "{ // mine\n \"mcp\": { \"one\": { \"command\": [\"x\"] }, }, }"),
        (".config/opencode/opencode.json", "no JSON"),
        ("other.json", r#"{"agent":{"build":{"permission":{"bash":"allow"}}},"model":"a/y"}"#),
        (".local/share/opencode/auth.json", "{}"),
        (".local/share/opencode/opencode.db", ""),
    ]);
    let other = home.path().join("other.json").display().to_string();
    let given = r#"{"provider":{"a":{"name":"{file:~/name}"}},"permission":{"bash":"allow"},"mcp":{"three":{}}}"#;
    let (line, lent) = at_home("opencode", &home, &[("OPENCODE_CONFIG", &other), ("OPENCODE_CONFIG_CONTENT", given)]);
    assert_eq!(lent, ["data/opencode/auth.json"]);
    assert_eq!(variable(&line, "XDG_DATA_HOME"), "/scratch/data");
    // An empty name would be that of the folder it runs in.
    assert_eq!(variable(&line, "OPENCODE_CONFIG_DIR"), "/scratch/config/opencode");
    let config: serde_json::Value = serde_json::from_str(variable(&line, "OPENCODE_CONFIG_CONTENT")).unwrap();
    let key = format!("{{file:{}}}", home.path().join(".config/opencode/./key").display());
    assert_eq!((&config["model"], &config["provider"]["a"]["options"]["apiKey"]), (&"a/y".into(), &key.into()));
    assert!(config["provider"]["a"]["name"].is_string() && config["mcp"].is_null());
    assert_eq!(config["agent"].as_object().unwrap().len(), 1);
    for permission in [&config["permission"], &config["agent"]["rebut"]["permission"]] {
        assert_eq!((&permission["bash"], &permission["read"]), (&"deny".into(), &"allow".into()));
    }
    assert_eq!(config["default_agent"], "rebut");
}

//! Which home each tool gets in a debate: nothing of the user's own but how the model is reached.

use std::fs;
use std::path::Path;

use rebut_core::debate::Prompt;

use super::super::{Ask, CommandLine, TOOLS};
use super::{command, tool};

/// A home folder with these files.
fn home(files: &[(&str, &str)]) -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    for (name, content) in files {
        let file = home.path().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, content).unwrap();
    }
    home
}

/// The command of a tool for a user with this home, and what is lent to it.
fn at_home(name: &str, home: &tempfile::TempDir, more: &[(&str, &str)]) -> (CommandLine, Vec<&'static str>) {
    let path = home.path().display().to_string();
    let variable = |name: &str| match name {
        "HOME" => Some(path.clone()),
        name => more.iter().find(|(more, _)| *more == name).map(|(_, value)| (*value).to_owned()),
    };
    let own = (tool(name).own)(&variable).unwrap();
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
fn a_tool_needs_the_keys_that_its_settings_name_for_the_provider_in_use() {
    let keys = |name: &str, home: &tempfile::TempDir, model: Option<&str>| {
        let path = home.path().display().to_string();
        let variable = |name: &str| (name == "HOME").then(|| path.clone());
        (tool(name).keys)(&(tool(name).own)(&variable).unwrap(), model, &variable)
    };
    let codex = "model_provider = 'house'\ncli_auth_credentials_store = 'keyring'\n\
        [model_providers.house]\nenv_key = 'HOUSE_KEY'\nenv_http_headers = { X-Team = 'HOUSE_TEAM' }\n\
        [model_providers.other]\nenv_key = 'OTHER_KEY'\n";
    let mine = home(&[(".codex/config.toml", codex)]);
    assert_eq!(keys("codex", &mine, None), ["OPENAI_*", "CODEX_*", "HOUSE_KEY", "HOUSE_TEAM"]);
    let opencode = r#"{"model":"house/large","provider":{"house":{"options":{"apiKey":"{env:HOUSE_KEY}"}}}}"#;
    let mine = home(&[(".config/opencode/opencode.json", opencode)]);
    assert_eq!(keys("opencode", &mine, None), ["OPENCODE_*", "HOUSE_*", "HOUSE_KEY"]);
    assert_eq!(keys("opencode", &mine, Some("anthropic/claude-9")), ["OPENCODE_*", "ANTHROPIC_*"]);
    let last = r#"{"recent":[{"providerID":"xai","modelID":"grok-9"}]}"#;
    let mine = home(&[(".local/state/opencode/model.json", last)]);
    assert_eq!(keys("opencode", &mine, None), ["OPENCODE_*", "XAI_*"]);
    let claude = r#"{"env":{"CLAUDE_CODE_USE_VERTEX":"1"}}"#;
    assert!(keys("claude", &home(&[(".claude/settings.json", claude)]), None).contains(&"GOOGLE_*".to_owned()));
    assert!(!keys("claude", &home(&[]), None).contains(&"GOOGLE_*".to_owned()));
}

#[test]
fn settings_that_cannot_be_read_are_named_with_their_line_and_nothing_of_what_they_hold() {
    let word = "a-word-of-mine";
    for (name, file, content) in [
        ("codex", ".codex/config.toml", format!("model = 'x'\nmodel_provider = {word}\n")),
        ("claude", ".claude/settings.json", format!("{{\n \"env\": {{ {word} }}\n}}")),
        ("gemini", ".gemini/settings.json", format!("{{\n {word}")),
        ("opencode", ".config/opencode/opencode.json", format!("{{\n \"provider\": {word} }}")),
        ("copilot", ".copilot/settings.json", format!("{{\n \"model\": {word} }}")),
    ] {
        let home = home(&[(file, content.as_str())]);
        let path = home.path().display().to_string();
        let own = |name: &str| (name == "HOME").then(|| path.clone());
        let said = (tool(name).own)(&own).unwrap_err().to_string();
        let place = home.path().join(file).display().to_string();
        assert!(said.starts_with(&format!("{place} cannot be read: ")) && said.contains("line 2"), "{said}");
        assert!(!said.contains(word), "{said}");
        fs::write(home.path().join(file), "").unwrap();
        assert!((tool(name).own)(&own).is_ok(), "{name}: an empty file says nothing");
    }
}

#[test]
fn no_variable_is_empty_that_names_a_place() {
    for tool in TOOLS {
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
        (".config/opencode/opencode.json", ""),
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
    let agents: Vec<&String> = config["agent"].as_object().unwrap().keys().collect();
    assert_eq!(agents, ["rebut", "title"]);
    assert_eq!(config["agent"]["title"]["disable"], true);
    for permission in [&config["permission"], &config["agent"]["rebut"]["permission"]] {
        assert_eq!((&permission["bash"], &permission["read"]), (&"deny".into(), &"allow".into()));
    }
    assert_eq!(config["default_agent"], "rebut");
}

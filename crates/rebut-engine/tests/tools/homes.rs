//! Which home each tool gets in a debate: nothing of the user's own but how the model is reached.

use std::fs;
use std::path::Path;

use rebut_engine::providers::TOOLS;
use rebut_engine::providers::cli::CommandLine;

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
        assert!(said.starts_with(&format!("{place} can't be read: ")) && said.contains("line 2"), "{said}");
        assert!(!said.contains(word), "{said}");
        fs::write(home.path().join(file), "").unwrap();
        assert!((tool(name).own)(&own).is_ok(), "{name}: an empty file says nothing");
    }
}

/// The folder `home` of a tool's captures is a user's: settings that reach the model, and others that are no part of a debate.
#[test]
fn each_tool_has_a_home_of_its_own_with_nothing_but_the_way_to_its_model() {
    let mut homes: Vec<(&str, &str)> = TOOLS.iter().map(|tool| (tool.name, "home")).collect();
    // What the keychain holds goes by the folder's name.
    homes.push(("codex", "keychain"));
    for (name, home) in homes {
        let home = super::folder().join(name).join(home).display().to_string();
        let other = format!("{home}/other.json");
        let given = r#"{"provider":{"a":{"name":"{file:~/name}"}},"permission":{"bash":"allow"},"mcp":{"three":{}}}"#;
        let variable = |name: &str| match name {
            "HOME" => Some(home.clone()),
            "OPENCODE_CONFIG" => Some(other.clone()),
            "OPENCODE_CONFIG_CONTENT" => Some(given.to_owned()),
            _ => None,
        };
        let own = (tool(name).own)(&variable).unwrap();
        let CommandLine { arguments, variables, files, .. } = command(name, |ask| {
            ask.own = &own;
            ask.model = None;
        });
        let sign_in = tool(name).looks_signed_in(Some(Path::new(&home)), &|_| None);
        let lent: Vec<&str> = own.lent.iter().map(|(place, _)| *place).collect();
        let files: Vec<String> = files.iter().map(|(name, content)| format!("{name}: {content}")).collect();
        let variables: Vec<String> = variables.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let text = format!("{sign_in:?}, lent: {lent:?}\n{arguments:?}\n{}\n{}\n", variables.join("\n"), files.join("\n"));
        insta::assert_snapshot!(format!("{name}_{}", home.rsplit('/').next().unwrap()), text.replace(&home, "[HOME]"));
    }
}

#[test]
fn a_model_that_qwens_settings_name_by_a_plain_string_is_kept() {
    let user = home(&[(".qwen/settings.json", r#"{"model": "mine"}"#)]);
    let variable = |name: &str| (name == "HOME").then(|| user.path().display().to_string());
    let own = (tool("qwen").own)(&variable).unwrap();
    let CommandLine { files, .. } = command("qwen", |ask| ask.own = &own);
    let settings: Vec<String> = files.iter().map(|(_, content)| content.clone()).collect();
    assert!(settings.iter().any(|settings| settings.contains(r#""model":"mine""#)), "{settings:?}");
}

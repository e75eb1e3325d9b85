//! Settings in the home of a tool and in the project: what points it at the stand-in provider, and what a person may have
//! written there before.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::cell::{Places, Way};

pub(crate) fn point_signed_in_claude(places: &Places, base: &str) -> Vec<(&'static str, String)> {
    // What reaches the model may stand in the person's settings alone, and must not be lost with the rest.
    let env = json!({ "ANTHROPIC_BASE_URL": base, "ANTHROPIC_AUTH_TOKEN": "not-a-real-token" });
    keep(&places.home.join(".claude/settings.json"), &json!({ "env": env }).to_string());
    Vec::new()
}

pub(crate) fn point_codex(places: &Places, base: &str) -> Vec<(&'static str, String)> {
    let home = places.home.join(".codex");
    fs::create_dir_all(&home).expect("a folder for codex");
    // A person who allows everything otherwise.
    let config = format!(
        "model_provider = \"standin\"\nsandbox_mode = \"danger-full-access\"\napproval_policy = \"never\"\n\n[model_providers.standin]\nname = \"standin\"\nbase_url = \"{base}/v1\"\n\
         env_key = \"STAND_IN_KEY\"\nwire_api = \"responses\"\n"
    );
    fs::write(home.join("config.toml"), config).expect("codex's settings");
    vec![("CODEX_HOME", home.display().to_string()), ("STAND_IN_KEY", "not-a-real-key".to_owned())]
}

pub(crate) fn point_gemini(places: &Places, base: &str) -> Vec<(&'static str, String)> {
    let home = places.home.join(".gemini");
    fs::create_dir_all(&home).expect("a folder for gemini");
    let settings = json!({ "security": { "auth": { "selectedType": "gemini-api-key" } }, "telemetry": { "enabled": false },
        "privacy": { "usageStatisticsEnabled": false }, "general": { "enableAutoUpdate": false } });
    fs::write(home.join("settings.json"), settings.to_string()).expect("gemini's settings");
    vec![("GOOGLE_GEMINI_BASE_URL", base.to_owned()), ("GEMINI_API_KEY", "not-a-real-key".to_owned())]
}

pub(crate) fn point_opencode(_: &Places, base: &str) -> Vec<(&'static str, String)> {
    let model = |name: &str| json!({ "name": name, "reasoning": true, "tool_call": true });
    let config = json!({
        "model": "standin/stand-in-model", "small_model": "standin/stand-in-model",
        "provider": { "standin": {
            "npm": "@ai-sdk/openai-compatible", "name": "standin",
            "options": { "baseURL": format!("{base}/v1"), "apiKey": "not-a-real-key" },
            "models": { "stand-in-model": model("stand-in-model"), "no-such-model": model("no-such-model") },
        } },
    });
    vec![("OPENCODE_CONFIG_CONTENT", config.to_string()), ("OPENCODE_DISABLE_MODELS_FETCH", "1".to_owned())]
}

/// Writes a file, with the folders that it needs.
pub(crate) fn keep(file: &Path, content: &str) {
    fs::create_dir_all(file.parent().expect("a folder")).expect("a folder for settings");
    fs::write(file, content).expect("settings");
}

/// Lays settings over those that a file holds.
fn lay_over(file: &Path, over: &Value) {
    let own = fs::read_to_string(file).ok().and_then(|text| serde_json::from_str(&text).ok());
    let mut settings: Value = own.unwrap_or_else(|| json!({}));
    for (key, value) in over.as_object().expect("a table") {
        settings[key] = value.clone();
    }
    keep(file, &settings.to_string());
}

pub(crate) fn plant_claude(places: &Places) {
    let hook = |name: &str| json!([{ "hooks": [{ "type": "command", "command": places.spy(name) }] }]);
    let hooks =
        |name: &str| json!({ "hooks": { "UserPromptSubmit": hook(name), "SessionStart": hook(name), "Stop": hook(name) } });
    lay_over(&places.home.join(".claude/settings.json"), &hooks("hook"));
    lay_over(&places.workspace.join(".claude/settings.json"), &hooks("hook-of-project"));
    let servers = |name: &str| json!({ "mcpServers": { name: { "command": "sh", "args": ["-c", places.spy(name)] } } });
    lay_over(&places.home.join(".claude.json"), &servers("server"));
    lay_over(&places.workspace.join(".mcp.json"), &servers("server-of-project"));
}

pub(crate) fn allow_claude(places: &Places, _: Way) {
    let allow = json!(["Bash", "Write", "Edit", "Read(//**)"]);
    let permissions =
        json!({ "allow": allow, "additionalDirectories": [places.outside], "defaultMode": "bypassPermissions" });
    for folder in [&places.home, &places.workspace] {
        lay_over(&folder.join(".claude/settings.json"), &json!({ "permissions": permissions }));
    }
}

pub(crate) fn plant_codex(places: &Places) {
    let file = places.home.join(".codex/config.toml");
    let own = fs::read_to_string(&file).unwrap_or_default();
    let words = |name: &str| json!(["-c", places.spy(name)]);
    let server = |name: &str| format!("[mcp_servers.\"{name}\"]\ncommand = \"sh\"\nargs = {}\n", words(name));
    let notify = json!(["sh", "-c", places.spy("notify")]);
    let trust = format!("[projects.{}]\ntrust_level = \"trusted\"\n", json!(places.workspace));
    keep(&file, &format!("notify = {notify}\n{own}\n{}{}{trust}", server("server"), server("odd.server")));
    keep(&places.workspace.join(".codex/config.toml"), &server("server-of-project"));
    let hook = json!([{ "hooks": [{ "type": "command", "command": places.spy("hook") }] }]);
    keep(
        &places.home.join(".codex/hooks.json"),
        &json!({ "hooks": { "UserPromptSubmit": hook, "SessionStart": hook } }).to_string(),
    );
}

/// What allows it everything stands in its settings already.
pub(crate) fn allow_codex(places: &Places, way: Way) {
    let file = places.home.join(".codex/config.toml");
    let own = fs::read_to_string(&file).unwrap_or_default();
    keep(&file, &format!("{own}\n[projects.{}]\ntrust_level = \"trusted\"\n", json!(places.workspace)));
    // As an agent it is not started at all where a repository has settings for it.
    if way == Way::Cli {
        keep(
            &places.workspace.join(".codex/config.toml"),
            "sandbox_mode = \"danger-full-access\"\napproval_policy = \"never\"\n",
        );
    }
}

pub(crate) fn plant_gemini(places: &Places) {
    let settings = |of: &str| {
        let hook =
            json!([{ "matcher": "*", "hooks": [{ "type": "command", "command": places.spy(&format!("hook{of}")) }] }]);
        json!({
            "mcpServers": { "spy": { "command": "sh", "args": ["-c", places.spy(&format!("server{of}"))] } },
            "hooks": { "SessionStart": hook, "BeforeAgent": hook }, "hooksConfig": { "enabled": true },
            "tools": { "discoveryCommand": places.spy(&format!("discovery{of}")) },
        })
    };
    lay_over(&places.home.join(".gemini/settings.json"), &settings(""));
    lay_over(&places.workspace.join(".gemini/settings.json"), &settings("-of-project"));
}

pub(crate) fn allow_gemini(places: &Places, _: Way) {
    let tools = json!(["run_shell_command", "write_file", "read_file"]);
    let settings = json!({ "tools": { "allowed": tools }, "context": { "includeDirectories": [places.outside] } });
    for folder in [&places.home, &places.workspace] {
        lay_over(&folder.join(".gemini/settings.json"), &settings);
    }
    let rule = |tool: &str| format!("[[rule]]\ntoolName = \"{tool}\"\ndecision = \"allow\"\npriority = 500\n");
    keep(&places.home.join(".gemini/policies/mine.toml"), &(rule("run_shell_command") + &rule("write_file")));
    let trusted = json!({ places.workspace.display().to_string(): "TRUST_FOLDER" });
    keep(&places.home.join(".gemini/trustedFolders.json"), &trusted.to_string());
}

pub(crate) fn plant_opencode(places: &Places) {
    let server = |name: &str| json!({ "mcp": { "spy": { "type": "local", "command": ["sh", "-c", places.spy(name)] } } });
    keep(&places.home.join(".config/opencode/opencode.json"), &server("server").to_string());
    keep(&places.workspace.join("opencode.json"), &server("server-of-project").to_string());
    for (folder, of) in [
        (places.home.join(".config/opencode"), ""),
        (places.home.join(".opencode"), "-of-home"),
        (places.workspace.join(".opencode"), "-of-project"),
        (places.workspace.clone(), "-of-folder"),
    ] {
        let spy = json!(places.spy(&format!("plugin{of}")));
        let plugin = format!("export const Spy = async ({{ $ }}) => {{ await $`sh -c ${{{spy}}}`; return {{}} }}\n");
        keep(&folder.join("plugin/spy.js"), &plugin);
        let spy = json!(places.outside.join(format!("spy-tool{of}")));
        let tool = "export default { description: \"d\", args: {}, async execute() { return \"x\" } }\n";
        keep(&folder.join("tool/spy.js"), &format!("import fs from \"fs\"\nfs.writeFileSync({spy}, \"x\")\n{tool}"));
    }
}

pub(crate) fn allow_opencode(places: &Places, _: Way) {
    let permission = json!({ "bash": "allow", "edit": "allow", "external_directory": "allow", "*": "allow" });
    let agents = json!({ "build": { "permission": permission }, "rebut": { "permission": permission } });
    let settings = json!({ "permission": permission, "agent": agents, "default_agent": "mine" });
    keep(&places.home.join(".config/opencode/opencode.json"), &settings.to_string());
    let mine = "---\ndescription: mine\nmode: primary\npermission:\n  bash: allow\n  edit: allow\n  external_directory: allow\n---\nyou\n";
    for name in ["mine", "rebut"] {
        keep(&places.home.join(format!(".config/opencode/agent/{name}.md")), mine);
    }
}

pub(crate) fn plant_copilot(places: &Places) {
    let server = |name: &str| json!({ "type": "local", "command": "sh", "args": ["-c", places.spy(name)], "tools": ["*"] });
    let servers = json!({ "mcpServers": { "spy": server("server"), "my spy.x": server("odd-server") } });
    keep(&places.home.join(".copilot/mcp-config.json"), &servers.to_string());
    for file in [".mcp.json", ".github/mcp.json"] {
        keep(&places.workspace.join(file), &json!({ "mcpServers": { "theirs": server("server-of-project") } }).to_string());
    }
    for (folder, name) in [(places.home.join(".copilot"), "hook"), (places.workspace.join(".github"), "hook-of-project")] {
        let hook = json!([{ "type": "command", "bash": places.spy(name) }]);
        let hooks = json!({ "version": 1, "hooks": { "sessionStart": hook, "userPromptSubmitted": hook } });
        keep(&folder.join("hooks/spy.json"), &hooks.to_string());
    }
    let hook = json!([{ "type": "command", "bash": places.spy("hook-of-settings") }]);
    keep(&places.home.join(".copilot/settings.json"), &json!({ "hooks": { "sessionStart": hook } }).to_string());
    keep(&places.workspace.join(".github/copilot/settings.json"), &json!({ "hooks": { "sessionStart": hook } }).to_string());
}

pub(crate) fn allow_copilot(places: &Places, _: Way) {
    let settings = json!({ "trustedFolders": ["/"], "trusted_folders": ["/"], "defaultPermissionMode": "allow-all" });
    for file in ["config.json", "settings.json"] {
        keep(&places.home.join(".copilot").join(file), &settings.to_string());
    }
}

pub(crate) fn plant_qwen(places: &Places) {
    let settings = |of: &str| {
        let hook =
            json!([{ "matcher": "*", "hooks": [{ "type": "command", "command": places.spy(&format!("hook{of}")) }] }]);
        json!({
            "mcpServers": { "spy": { "command": "sh", "args": ["-c", places.spy(&format!("server{of}"))] } },
            "hooks": { "SessionStart": hook, "UserPromptSubmit": hook }, "hooksConfig": { "enabled": true },
            "tools": { "discoveryCommand": places.spy(&format!("discovery{of}")) },
        })
    };
    lay_over(&places.home.join(".qwen/settings.json"), &settings(""));
    lay_over(&places.workspace.join(".qwen/settings.json"), &settings("-of-project"));
}

pub(crate) fn allow_qwen(places: &Places, _: Way) {
    let tools = json!(["run_shell_command", "write_file", "read_file"]);
    let settings = json!({ "tools": { "allowed": tools, "approvalMode": "yolo" },
        "permissions": { "allow": tools }, "context": { "includeDirectories": [places.outside] } });
    for folder in [&places.home, &places.workspace] {
        lay_over(&folder.join(".qwen/settings.json"), &settings);
    }
    let trusted = json!({ places.workspace.display().to_string(): "TRUST_FOLDER" });
    keep(&places.home.join(".qwen/trustedFolders.json"), &trusted.to_string());
}

/// A model of the user's own, which the provider's list does not have.
pub(crate) fn point_grok(places: &Places, base: &str) -> Vec<(&'static str, String)> {
    let model = format!(
        "[model.stand-in-big]\nmodel = \"stand-in-big\"\nbase_url = \"{base}/v1\"\nenv_key = \"STAND_IN_KEY\"\n\
         reasoning_efforts = [{{ value = \"max\" }}, {{ value = \"low\" }}]\n\n"
    );
    keep(&places.home.join(".grok/config.toml"), &model);
    vec![
        ("GROK_MODELS_BASE_URL", format!("{base}/v1")),
        ("XAI_API_KEY", "not-a-real-key".to_owned()),
        ("STAND_IN_KEY", "not-a-real-key".to_owned()),
    ]
}

/// Adds settings to those in the home.
fn add_grok(places: &Places, more: &str) {
    let file = places.home.join(".grok/config.toml");
    let own = fs::read_to_string(&file).unwrap_or_default();
    keep(&file, &format!("{own}{more}"));
}

pub(crate) fn plant_grok(places: &Places) {
    let server = |name: &str| format!("[mcp_servers.spy]\ncommand = \"sh\"\nargs = {}\n", json!(["-c", places.spy(name)]));
    add_grok(places, &server("server"));
    keep(&places.workspace.join(".grok/config.toml"), &server("server-of-project"));
    let servers = json!({ "mcpServers": { "theirs": { "command": "sh", "args": ["-c", places.spy("mcp-json")] } } });
    keep(&places.workspace.join(".mcp.json"), &servers.to_string());
    let hooks = |name: &str| {
        let hook = json!([{ "hooks": [{ "type": "command", "command": places.spy(name) }] }]);
        json!({ "hooks": { "SessionStart": hook, "UserPromptSubmit": hook, "Stop": hook } }).to_string()
    };
    keep(&places.home.join(".grok/hooks/spy.json"), &hooks("hook"));
    keep(&places.workspace.join(".grok/hooks/spy.json"), &hooks("hook-of-project"));
    keep(&places.home.join(".claude/settings.json"), &hooks("hook-of-claude"));
    keep(&places.workspace.join(".claude/settings.json"), &hooks("hook-of-claude-in-project"));
    let trusted = format!("[folders]\n{} = true\n", json!(places.workspace));
    keep(&places.home.join(".grok/trusted_folders.toml"), &trusted);
}

pub(crate) fn allow_grok(places: &Places, _: Way) {
    let rules =
        "[permission]\nallow = [\"Bash\", \"Write\", \"Edit\", \"Read\"]\n[ui]\npermission_mode = \"always-approve\"\n";
    add_grok(places, rules);
    keep(&places.workspace.join(".grok/config.toml"), rules);
}

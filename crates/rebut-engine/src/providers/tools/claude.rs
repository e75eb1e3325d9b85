//! claude (Claude Code): `claude -p --output-format stream-json --verbose`.

use serde_json::{Value, json};

use super::host::{AFTER_DASHES, HostRules, SKILL, SKILL_FILE, SettingsFormat, at, in_project, stdio_entry};
use super::{Feature, Tool};
use crate::providers::acp::{Adapter, Agent, Quirks};
use crate::providers::cli::output::{last_object, only, own_folder, settings_in};
use crate::providers::cli::{Ask, CommandLine, OwnSettings, Unreadable, Variables, stream_json, without_paths};
use crate::providers::sign_in::{Check, SignInRules, credentials};

pub(super) static TOOL: Tool = Tool {
    name: "claude",
    family: "anthropic",
    vendor: "Anthropic",
    install: "get it with `npm install -g @anthropic-ai/claude-code`",
    models: [Some("haiku"), Some("sonnet"), Some("opus"), Some("opus")],
    efforts: Some(["low", "medium", "high", "max"]),
    features: &[Feature::EnforcesSchema, Feature::SearchesWeb, Feature::Streams],
    limits: &[],
    environment: &[],
    session_variables: &[
        "CLAUDECODE",
        "CLAUDE_CODE_ENTRYPOINT",
        "CLAUDE_CODE_SSE_PORT",
        "CLAUDE_CODE_CHILD_SESSION",
        "CLAUDE_CODE_MESSAGING_SOCKET",
        "CLAUDE_CODE_SESSION_ID",
    ],
    project_folder: ".claude",
    sign_in: SignInRules {
        keys: &["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"],
        files: &[
            credentials("CLAUDE_CONFIG_DIR", ".claude", ".credentials.json", ""),
            credentials("CLAUDE_CONFIG_DIR", "", ".claude.json", "\"oauthAccount\""),
        ],
        checks: &[Check::Command(&["auth", "status"], |said, _| last_object(said)?["loggedIn"].as_bool())],
        advice: "Run `claude` and sign in with /login, or set ANTHROPIC_API_KEY.",
    },
    own,
    keys,
    command,
    line: stream_json::line,
    retrying: |_| None,
    parse: stream_json::parse,
    host: HostRules {
        settings: [at("CLAUDE_CONFIG_DIR", "", &[".claude.json"]), in_project("", &[".mcp.json"])],
        format: SettingsFormat::Json("mcpServers"),
        entry: stdio_entry,
        own_commands: Some(AFTER_DASHES),
        command: [at("CLAUDE_CONFIG_DIR", ".claude", &[SKILL_FILE]), in_project(".claude", &[SKILL_FILE])],
        command_text: SKILL,
        call: "/debate",
    },
    agent: Agent {
        adapter: Some(Adapter {
            program: "claude-agent-acp",
            install: "get it with `npm install -g @agentclientprotocol/claude-agent-acp`",
            tool_variable: "CLAUDE_CODE_EXECUTABLE",
        }),
        arguments: &[],
        quirks: Quirks {
            // The user's own settings may begin in a mode that edits.
            mode: Some("default"),
            variables: |_| Ok(if is_root() { vec![("IS_SANDBOX", "1".to_owned())] } else { Vec::new() }),
            session_meta: |own, reads| Some(session_options(own, reads)),
            expands_paths: true,
            notices: &["**Warning:**"],
            model: |update| update["_meta"]["_claude/model"].as_str(),
            ..Quirks::NONE
        },
    },
};

const READING: &str = "Read,Glob,Grep";
const SEARCHING: &str = "WebSearch,WebFetch";

/// Its settings for a debate: how the user reaches the model, no hooks, and what it reads stays in the folder it runs
/// in. They may hold keys, so they go in as a file, and over ACP as a part of the session.
fn settings(own: &OwnSettings) -> Value {
    let mut settings = only(&own.settings, &REACHING);
    settings["disableAllHooks"] = true.into();
    settings["permissions"] = json!({ "blockReadsOutsideWorkingDirectories": true });
    settings
}

/// What of the user's settings says how the model is reached. Others allow more, start programs or give instructions.
const REACHING: [&str; 9] = [
    "env",
    "apiKeyHelper",
    "awsAuthRefresh",
    "awsCredentialExport",
    "gcpAuthRefresh",
    "forceLoginMethod",
    "forceLoginOrgUUID",
    "model",
    "modelOverrides",
];

const SETTINGS_FILE: &str = "claude-settings.json";

fn own(variable: &Variables<'_>) -> Result<OwnSettings, Unreadable> {
    let folder = own_folder(variable, "CLAUDE_CONFIG_DIR", ".claude");
    let settings = folder.map(|folder| settings_in(&folder.join("settings.json"))).transpose()?;
    Ok(OwnSettings { settings: settings.unwrap_or_default(), ..OwnSettings::default() })
}

/// Switches that have it reach its model through a cloud, and the variables that hold the keys of that cloud.
const CLOUDS: [(&str, &[&str]); 4] = [
    ("CLAUDE_CODE_USE_BEDROCK", &["AWS_*"]),
    ("CLAUDE_CODE_USE_MANTLE", &["AWS_*"]),
    ("CLAUDE_CODE_USE_VERTEX", &["GOOGLE_*", "CLOUDSDK_*", "CLOUD_ML_REGION", "VERTEX_*"]),
    ("CLAUDE_CODE_USE_FOUNDRY", &["AZURE_*"]),
];

fn keys(own: &OwnSettings, _model: Option<&str>, variable: &Variables<'_>) -> Vec<String> {
    let always = ["ANTHROPIC_*", "CLAUDE_*", "API_TIMEOUT_MS", "MAX_THINKING_TOKENS", "DISABLE_*", "IS_SANDBOX"];
    let is_on = |switch: &str| variable(switch).is_some() || !own.settings["env"][switch].is_null();
    let clouds = CLOUDS.iter().filter(|(switch, _)| is_on(switch)).flat_map(|(_, keys)| *keys);
    always.iter().chain(clouds).map(|&name| name.to_owned()).collect()
}

fn command(ask: &Ask<'_>) -> CommandLine {
    let tools = [(ask.reads_workspace, READING), (ask.searches_web, SEARCHING)];
    let tools: Vec<&str> = tools.into_iter().filter(|(allowed, _)| *allowed).map(|(_, tools)| tools).collect();
    let tools = &tools.join(",");
    let file = ask.scratch.join(SETTINGS_FILE);
    let mut line = CommandLine::new(ask.prompt.joined(), &["-p", "--output-format", "stream-json", "--verbose"])
        // None of the settings that it would find, and nothing written to its history.
        .with(&["--include-partial-messages", "--no-session-persistence", "--setting-sources", ""])
        .with(&["--settings", &file.to_string_lossy()])
        .with_option("--effort", ask.effort)
        .with(&["--tools", tools, "--allowedTools", tools, "--strict-mcp-config"])
        .with_file(SETTINGS_FILE, settings(ask.own).to_string())
        // It would retry ten times, which takes minutes; retries are ours.
        .with_variable("CLAUDE_CODE_MAX_RETRIES", "1")
        .with_variable("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
        .with_variable("DISABLE_AUTOUPDATER", "1");
    if let Some(schema) = ask.schema {
        line = line.with(&["--json-schema", &schema.to_string()]);
    }
    line = line.with_option("--model", ask.model);
    // Both keep the user's hooks and the project's instructions out. The first starts faster and leaves `@path` alone,
    // but signs in with nothing but a key, and of the tools that read it has neither Glob nor Grep.
    if (ask.variable)("ANTHROPIC_API_KEY").is_some() && !ask.reads_workspace && !ask.searches_web {
        return line.with(&["--bare"]);
    }
    line.input = without_paths(&line.input);
    line.with_variable("CLAUDE_CODE_SAFE_MODE", "1")
}

/// What a session over ACP is opened with: only tools that read, no settings but ours, no MCP servers, no history.
fn session_options(own: &OwnSettings, reads: bool) -> Value {
    let tools = if reads { json!(["Read", "Glob", "Grep"]) } else { json!([]) };
    let options = json!({
        "tools": tools, "settingSources": [], "settings": settings(own), "strictMcpConfig": true, "persistSession": false,
        // Without a title it sends every prompt a second time to have one made.
        "title": "rebut",
    });
    json!({ "claudeCode": { "options": options } })
}

/// As root it starts only if the environment says that this is a sandbox.
fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

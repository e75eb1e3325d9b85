//! grok (xAI): `grok --prompt-file /dev/stdin --output-format streaming-messages-json`, in the same format as claude.

use rebut_core::debate::{Answer, Cause, Failure};
use serde_json::{Value, json};

use super::host::{AFTER_DASHES, HostRules, SKILL, SKILL_FILE, SettingsFormat, at, in_project};
use super::{READS_OUTSIDE, Tool};
use crate::providers::acp::{Agent, Quirks};
use crate::providers::cli::output::{lay_over, lent, only, own_folder};
use crate::providers::cli::{Ask, CommandLine, OwnSettings, Said, Unreadable, Variables, stream_json, without_paths};
use crate::providers::sign_in::{Check, SignInRules, credentials};

pub(super) static TOOL: Tool = Tool {
    name: "grok",
    family: "xai",
    vendor: "xAI",
    install: "get it with `npm install -g @xai-official/grok`",
    models: [None; 4],
    efforts: Some(["low", "medium", "high", "max"]),
    features: &[],
    limits: &[READS_OUTSIDE],
    environment: &[],
    session_variables: &["GROK_SESSION_ID"],
    project_folder: ".grok",
    sign_in: SignInRules {
        keys: &["XAI_API_KEY", "GROK_CODE_XAI_API_KEY", "GROK_DEPLOYMENT_KEY"],
        files: &[credentials(HOME, ".grok", "auth.json", "{")],
        checks: &[Check::Command(&["models"], |said, _| said.contains("not authenticated").then_some(false))],
        advice: "Run `grok login`, or set XAI_API_KEY.",
    },
    own,
    keys,
    command,
    line: stream_json::line,
    retrying: |_| None,
    parse,
    host: HostRules {
        settings: [at(HOME, ".grok", &["config.toml"]), in_project(".grok", &["config.toml"])],
        format: SettingsFormat::Toml("mcp_servers"),
        entry: |program| json!({ "command": program, "args": ["mcp"], "enabled": true }),
        own_commands: Some(AFTER_DASHES),
        command: [at(HOME, ".grok", &[SKILL_FILE]), in_project(".grok", &[SKILL_FILE])],
        command_text: SKILL,
        call: "/debate",
    },
    agent: Agent {
        adapter: None,
        arguments: &["agent", "--no-leader", "stdio"],
        quirks: Quirks {
            auth_method: |greeting| greeting["_meta"]["defaultAuthMethodId"].as_str(),
            drawback: Some("it cuts long prompts"),
            expands_paths: true,
            ..Quirks::NONE
        },
    },
};

/// The variable that names the folder with its settings, its sign-in and its history.
const HOME: &str = "GROK_HOME";

fn command(ask: &Ask<'_>) -> CommandLine {
    let line = CommandLine::new(without_paths(&ask.prompt.joined()), &["--prompt-file", "/dev/stdin", "--verbatim"])
        .with(&["--output-format", "streaming-messages-json", "--include-partial-messages"])
        // Names that it does not know are ignored: without a tool of the list it would have all.
        .with(&["--tools", if ask.reads_workspace { "read_file,grep,list_dir" } else { "todo_write" }])
        .with(&["--no-subagents", "--disable-web-search", "--permission-mode", "default"])
        .with_option("--reasoning-effort", ask.effort)
        .with_variable(HOME, ask.scratch.join("grok").display().to_string())
        .with_variable("GROK_DISABLE_AUTOUPDATER", "1")
        .with_variable("GROK_TELEMETRY_ENABLED", "false")
        .with_file("grok/config.toml", settings(&ask.own.settings, ask.reads_workspace));
    line.with_option("--model", ask.model)
}

/// What of its settings says how the model is reached.
const REACHING: [&str; 6] = ["model", "models", "model_providers", "endpoints", "auth", "grok_com_config"];

/// How the user reaches the model, without retries and titles, and without the hooks, rules and servers of other tools. Its
/// agent takes no flag for its tools; a rule that denies one goes before all that allow it.
fn settings(own: &Value, reads_workspace: bool) -> String {
    let off = |names: &[&str]| names.iter().map(|name| ((*name).to_owned(), json!(false))).collect::<Value>();
    let of_others = off(&["skills", "rules", "agents", "mcps", "hooks", "sessions"]);
    let denied = ["Bash", "Edit", "Write", "WebFetch", "MCPTool"].into_iter();
    let denied: Value = denied.chain(["Read", "Grep"].into_iter().filter(|_| !reads_workspace)).collect();
    let mut config = own.clone();
    lay_over(
        &mut config,
        json!({
            "models": { "max_retries": 1, "rate_limit_retry_threshold": 1 },
            "features": off(&["title_refresh", "telemetry"]),
            "compat": { "cursor": of_others, "claude": of_others },
            "permission": { "deny": denied },
        }),
    );
    super::toml_text(&config)
}

fn own(variable: &Variables<'_>) -> Result<OwnSettings, Unreadable> {
    let Some(home) = own_folder(variable, HOME, ".grok") else { return Ok(OwnSettings::default()) };
    let settings = only(&super::toml_settings(&home.join("config.toml"))?, &REACHING);
    let lent = lent(&home, &[("grok/auth.json", "auth.json"), ("grok/models_cache.json", "models_cache.json")]);
    Ok(OwnSettings { settings, lent, ..OwnSettings::default() })
}

/// Its own variables, and those that its settings name for the keys of providers.
fn keys(own: &OwnSettings, _model: Option<&str>, _variable: &Variables<'_>) -> Vec<String> {
    let mut names = ["XAI_*", "GROK_*"].map(str::to_owned).to_vec();
    let tables = ["model", "model_providers"].into_iter().filter_map(|name| own.settings[name].as_object());
    let entries = tables.flat_map(serde_json::Map::values);
    names.extend(entries.filter_map(|entry| entry["env_key"].as_str()).map(str::to_owned));
    names
}

fn parse(said: &Said<'_>) -> Result<Answer, Failure> {
    // "Internal error" is no cause: the rest of the message names it.
    let stdout = said.stdout.replace("\"errors\":[\"Internal error: ", "\"errors\":[\"");
    let answer = stream_json::parse(&Said { stdout: &stdout, ..*said })?;
    // It calls an answer a success that broke off before the provider counted its tokens.
    if (answer.usage.input_tokens, answer.usage.output_tokens) == (Some(0), Some(0)) {
        return Err(Failure::new(Cause::Truncated, "the provider counted no token of its answer"));
    }
    Ok(answer)
}

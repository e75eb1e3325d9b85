//! codex (OpenAI): `codex exec --json`.

use std::path::Path;

use rebut_core::debate::{Answer, Failure};
use serde_json::{Map, Value, json};

use super::host::{HostRules, SKILL, SKILL_FILE, SettingsFormat, at, in_project, passed_on};
use super::{READS_OUTSIDE, Tool};
use crate::providers::acp::{Adapter, Agent, AgentStatus, Quirks};
use crate::providers::cli::output::{
    Events, answer, by, by_exit, by_words, is_plain, lent, only, own_folder, settings_of, tokens,
};
use crate::providers::cli::{Ask, CommandLine, Line, OwnSettings, Said, Unreadable, Variables};
use crate::providers::sign_in::{Check, SignInRules, credentials};

pub(super) static TOOL: Tool = Tool {
    name: "codex",
    family: "openai",
    vendor: "OpenAI",
    install: "get it with `npm install -g @openai/codex`",
    models: [None; 4],
    efforts: Some(["low", "medium", "high", "xhigh"]),
    features: &[],
    limits: &[],
    environment: &[],
    session_variables: &[
        "CODEX_THREAD_ID",
        "CODEX_SANDBOX_ID",
        "CODEX_SANDBOX",
        "CODEX_SANDBOX_NETWORK_DISABLED",
        "CODEX_CI",
        "CODEX_SESSION_ID",
    ],
    project_folder: ".codex",
    sign_in: SignInRules {
        keys: &["OPENAI_API_KEY", "CODEX_API_KEY"],
        files: &[credentials(HOME, ".codex", "auth.json", "")],
        checks: &[Check::Command(&["login", "status"], |_, code| match code {
            0 => Some(true),
            1 => Some(false),
            _ => None,
        })],
        advice: "Run `codex login`, or set the key that its provider needs.",
    },
    own,
    keys,
    command,
    line,
    retrying: |_| None,
    parse,
    host: HostRules {
        settings: [at(HOME, ".codex", &["config.toml"]), in_project(".codex", &["config.toml"])],
        format: SettingsFormat::Toml("mcp_servers"),
        entry: |program| json!({ "command": program, "args": ["mcp"], "env_vars": passed_on() }),
        // `codex mcp add` cannot name variables to pass on.
        own_commands: None,
        command: [at(HOME, ".codex", &[SKILL_FILE]), in_project(".codex", &[SKILL_FILE])],
        command_text: SKILL,
        call: "$debate",
    },
    agent: Agent {
        adapter: Some(Adapter {
            program: "codex-acp",
            install: "get it with `npm install -g @agentclientprotocol/codex-acp`",
            tool_variable: "CODEX_PATH",
        }),
        arguments: &[],
        quirks: Quirks {
            // Its own default writes unasked.
            mode: Some("read-only"),
            variables: |ask| Ok(vec![(AGENT_CONFIG, agent_config(ask.own, ask.variable)?)]),
            notices: &["Warning: "],
            generates_titles: true,
            // Its permission profiles can be set by flags alone, which the adapter does not pass on.
            drawback: Some(READS_OUTSIDE),
            // The adapter has it trust every folder.
            runs_from_project: &[(".codex", "")],
            status: agent_status,
            ..Quirks::NONE
        },
    },
};

fn command(ask: &Ask<'_>) -> CommandLine {
    let line = CommandLine::new(ask.prompt.joined(), &["exec", "--json", "--ephemeral"])
        // Versions before permission profiles know only this; the others put the profile before it.
        .with(&["-c", "sandbox_mode=\"read-only\""])
        .with(&["-c", "default_permissions=\"rebut\"", "-c", &permissions(ask.program)])
        .with(&["--skip-git-repo-check", "--disable", "plugins", "-c", "analytics.enabled=false"])
        // What it runs could print the environment, with the keys of other services in it, into what its model reads.
        .with(&["-c", "shell_environment_policy.inherit=\"core\""])
        // The project's own instructions to agents are not part of a debate.
        .with(&["-c", "project_doc_max_bytes=0"]);
    let effort = ask.effort.map(|effort| format!("model_reasoning_effort={effort}"));
    let line = line.with_option("-c", effort.as_deref());
    // An empty table would be merged with the user's; each server has its own switch.
    let line =
        ask.own.servers.iter().fold(line, |line, server| line.with(&["-c", &format!("mcp_servers.{server}.enabled=false")]));
    let line = if ask.own.keeps_home || !ask.own.settings.is_object() {
        line
    } else {
        line.with_variable(HOME, ask.scratch.join("codex").display().to_string())
            .with_file("codex/config.toml", super::toml_text(&ask.own.settings))
    };
    line.with_option("-m", ask.model).with(&["-"])
}

/// The variable that names the folder with its settings, its sign-in and its memory.
const HOME: &str = "CODEX_HOME";

/// What of its settings says how the model is reached. Others start programs, tell it things, allow it more or trust the
/// project's own settings.
#[rustfmt::skip]
const REACHING: [&str; 20] = [
    "model", "model_provider", "model_providers", "model_context_window", "model_max_output_tokens",
    "model_reasoning_summary", "model_supports_reasoning_summaries", "model_verbosity", "model_catalog_json",
    "profile", "openai_base_url", "chatgpt_base_url", "preferred_auth_method", "forced_login_method",
    "forced_chatgpt_workspace_id", "cli_auth_credentials_store", "disable_response_storage", "oss_provider",
    "service_tier", "profiles",
];

fn own(variable: &Variables<'_>) -> Result<OwnSettings, Unreadable> {
    let Some(folder) = own_folder(variable, HOME, ".codex") else { return Ok(OwnSettings::default()) };
    let config = super::toml_settings(&folder.join("config.toml"))?;
    let servers = config["mcp_servers"].as_object().into_iter().flat_map(Map::keys);
    let servers = servers.filter(|name| is_plain(name)).cloned().collect();
    let files = [("codex/auth.json", "auth.json"), ("codex/.env", ".env"), ("codex/models_cache.json", "models_cache.json")];
    let lent = lent(&folder, &files);
    // What the system's keychain holds goes by the folder's name.
    let is_in_file = config["cli_auth_credentials_store"].as_str().is_none_or(|store| store == "file");
    let keeps_home = !is_in_file && lent.iter().all(|(place, _)| *place != "codex/auth.json");
    let mut settings = only(&config, &REACHING);
    let profiles = settings.get_mut("profiles").and_then(Value::as_object_mut);
    profiles.into_iter().flat_map(Map::values_mut).for_each(|profile| *profile = only(profile, &REACHING));
    Ok(OwnSettings {
        servers: if keeps_home { servers } else { Vec::new() },
        settings,
        lent: if keeps_home { Vec::new() } else { lent },
        keeps_home,
        has_provider: ["model_provider", "profile"].iter().any(|key| !config[*key].is_null()),
        ..OwnSettings::default()
    })
}

/// Its own variables, and those that the provider in use takes its key and headers from.
fn keys(own: &OwnSettings, _model: Option<&str>, _variable: &Variables<'_>) -> Vec<String> {
    let mut names = ["OPENAI_*", "CODEX_*"].map(str::to_owned).to_vec();
    let settings = &own.settings;
    let profile = settings["profile"].as_str().map_or(&Value::Null, |name| &settings["profiles"][name]);
    let provider = profile["model_provider"].as_str().or(settings["model_provider"].as_str()).unwrap_or_default();
    if provider == "amazon-bedrock" {
        names.push("AWS_*".to_owned());
    }
    let provider = &settings["model_providers"][provider];
    let headers = provider["env_http_headers"].as_object().into_iter().flat_map(Map::values);
    names.extend([&provider["env_key"]].into_iter().chain(headers).filter_map(Value::as_str).map(str::to_owned));
    names
}

/// Commands may read the workspace and what every program needs, and write nothing. `read-only` alone lets them read
/// the whole disk, and the flag `-s` goes before a profile, so it is not used. It starts itself inside its sandbox, so
/// it must be able to read itself.
fn permissions(program: &Path) -> String {
    let package = program.ancestors().find(|folder| folder.file_name().is_some_and(|name| name == "@openai"));
    let itself = package.or(program.parent()).unwrap_or(program).to_string_lossy();
    // A JSON string is a string of TOML too.
    let itself = serde_json::Value::from(itself.into_owned());
    format!(r#"permissions.rebut.filesystem={{":minimal"="read",":workspace_roots"={{"."="read"}},{itself}="read"}}"#)
}

fn line(event: &Value) -> Line {
    let item = &event["item"];
    match (event["type"].as_str(), item["type"].as_str()) {
        // Errors before the first item are its attempts to reach the provider.
        (Some("thread.started" | "turn.started" | "error"), _) | (_, Some("error")) => Line::Idle,
        // It may print its answer and take seconds to exit.
        (Some("turn.completed" | "turn.failed"), _) => Line::Last,
        (Some("item.completed"), Some("agent_message")) => Line::text(&item["text"]),
        (Some("item.started"), Some("command_execution")) => Line::activity(&item["command"]),
        _ => Line::News(Vec::new()),
    }
}

fn parse(said: &Said<'_>) -> Result<Answer, Failure> {
    let events = Events::of(said.stdout);
    let completed = events.last("turn.completed");
    let usage = completed.map(|event| tokens(&event["usage"])).unwrap_or_default();
    if let Some(failed) = events.last("turn.failed") {
        let message = failed["error"]["message"].as_str().unwrap_or_default();
        return Err(Failure { usage, ..by_words(message) });
    }
    if said.exit.is_some_and(|code| code != 0) {
        return Err(by_exit(said));
    }
    // Errors on the way ("Reconnecting…") are not the end; only a completed turn is an answer.
    if completed.is_none() {
        return Err(events.cut_short("the turn was not completed"));
    }
    let answer_item = events.all("item.completed").rfind(|event| event["item"]["type"] == "agent_message");
    let text = answer_item.and_then(|event| event["item"]["text"].as_str()).unwrap_or_default();
    // It does not say which model answered.
    answer(text, None, usage, events.last("thread.started").and_then(|event| event["thread_id"].as_str()))
}

const AGENT_CONFIG: &str = "CODEX_CONFIG";

/// What the command line sets by flags: neither the project's instructions nor MCP servers nor programs to notify, and
/// no keys in the environment of what it runs. The user's own stays.
fn agent_config(own: &OwnSettings, variable: &Variables<'_>) -> Result<String, Unreadable> {
    let given = settings_of(&variable(AGENT_CONFIG).unwrap_or_default(), || AGENT_CONFIG.to_owned())?;
    let mut config = if given.is_null() { json!({}) } else { given };
    for (key, value) in [
        ("project_doc_max_bytes", json!(0)),
        ("notify", json!([])),
        ("analytics", json!({ "enabled": false })),
        ("shell_environment_policy", json!({ "inherit": "core" })),
    ] {
        config[key] = value;
    }
    // An empty table would undo the switches that turn each of the user's servers off.
    config.as_object_mut().and_then(|config| config.remove("mcp_servers"));
    for server in &own.servers {
        config[format!("mcp_servers.{server}.enabled")] = json!(false);
    }
    Ok(config.to_string())
}

/// What its agent reports of its own state: that it retries, and that it has given up.
fn agent_status(update: &Value) -> AgentStatus {
    let report = &update["_meta"]["codex"];
    let error = &report["error"];
    let failure = (!error.is_null()).then(|| {
        let message = error["additionalDetails"].as_str().or(error["message"].as_str()).unwrap_or_default();
        let mut kinds = error["codexErrorInfo"].as_object().into_iter().flat_map(serde_json::Map::values);
        let status = kinds.find_map(|kind| kind["httpStatusCode"].as_u64());
        by(&status.into(), message)
    });
    AgentStatus { failure, gave_up: report["threadStatus"]["type"] == "systemError" }
}

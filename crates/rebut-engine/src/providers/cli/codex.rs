//! codex (OpenAI): `codex exec --json`.

use std::path::Path;

use rebut_core::debate::{Answer, Cause, Failure, Usage};
use serde_json::Value;

use super::reading::{by_exit, by_words, is_plain, lent, object, objects, own_folder, session_id, text_in};
use super::{Ask, CliTool, CommandLine, Own, Said, Unreadable, Variables};
use crate::providers::Progress;

pub(super) const TOOL: CliTool = CliTool {
    name: "codex",
    efforts: Some(["low", "medium", "high", "xhigh"]),
    takes_schema: false,
    command,
    own,
    keys,
    progress,
    is_preface,
    streams: false,
    is_last,
    tries_again: |_| None,
    read,
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
    let line = match ask.effort {
        Some(effort) => line.with(&["-c", &format!("model_reasoning_effort={effort}")]),
        None => line,
    };
    // An empty table would be merged with the person's; each server has its own switch.
    let line =
        ask.own.servers.iter().fold(line, |line, server| line.with(&["-c", &format!("mcp_servers.{server}.enabled=false")]));
    let line = match (ask.own.stays_home, &ask.own.settings) {
        (false, Value::String(settings)) => line
            .with_variable(HOME, ask.scratch.join("codex").display().to_string())
            .with_file("codex/config.toml", settings.clone()),
        _ => line,
    };
    let line = match ask.model {
        Some(model) => line.with(&["-m", model]),
        None => line,
    };
    line.with(&["-"])
}

/// The variable that names the folder with its settings, its sign-in and its memory.
const HOME: &str = "CODEX_HOME";

/// What of its settings says how the model is reached. Others start programs, tell it things, allow it more or trust the
/// project's own settings.
const REACHING: [&str; 20] = [
    "model",
    "model_provider",
    "model_providers",
    "model_context_window",
    "model_max_output_tokens",
    "model_reasoning_summary",
    "model_supports_reasoning_summaries",
    "model_verbosity",
    "model_catalog_json",
    "profile",
    "openai_base_url",
    "chatgpt_base_url",
    "preferred_auth_method",
    "forced_login_method",
    "forced_chatgpt_workspace_id",
    "cli_auth_credentials_store",
    "disable_response_storage",
    "oss_provider",
    "service_tier",
    "profiles",
];

fn own(variable: &Variables<'_>) -> Result<Own, Unreadable> {
    let Some(folder) = own_folder(variable, HOME, ".codex") else { return Ok(Own::default()) };
    let file = folder.join("config.toml");
    let text = text_in(&file)?.unwrap_or_default();
    let config = text.parse::<toml::Table>().map_err(|error| {
        // Its own words would show the line, which may hold a key.
        let line = error.span().map_or(0, |span| text[..span.start.min(text.len())].matches('\n').count());
        Unreadable { place: file.display().to_string(), why: format!("line {}: {}", line + 1, error.message()) }
    })?;
    let servers = config.get("mcp_servers").and_then(toml::Value::as_table);
    let servers = servers.into_iter().flat_map(toml::Table::keys).filter(|name| is_plain(name)).cloned().collect();
    let store = config.get("cli_auth_credentials_store").and_then(toml::Value::as_str).unwrap_or("file");
    let files = [("codex/auth.json", "auth.json"), ("codex/.env", ".env"), ("codex/models_cache.json", "models_cache.json")];
    let lent = lent(&folder, &files);
    // What the system's keychain holds goes by the folder's name.
    let stays_home = store != "file" && lent.iter().all(|(place, _)| *place != "codex/auth.json");
    let reaching = |table: &toml::Table| -> toml::Table {
        let kept = table.iter().filter(|(key, _)| REACHING.contains(&key.as_str()));
        kept.map(|(key, value)| (key.clone(), value.clone())).collect()
    };
    let mut kept = reaching(&config);
    if let Some(profiles) = kept.get_mut("profiles").and_then(toml::Value::as_table_mut) {
        for (_, profile) in profiles.iter_mut() {
            *profile = toml::Value::Table(profile.as_table().map(reaching).unwrap_or_default());
        }
    }
    Ok(Own {
        servers: if stays_home { servers } else { Vec::new() },
        settings: Value::String(kept.to_string()),
        lent: if stays_home { Vec::new() } else { lent },
        stays_home,
        model: None,
    })
}

/// Its own variables, and those that the provider in use takes its key and headers from.
fn keys(own: &Own, _model: Option<&str>, _variable: &Variables<'_>) -> Vec<String> {
    let mut names = ["OPENAI_*", "CODEX_*"].map(str::to_owned).to_vec();
    // What was written back from a table is a table.
    let settings = own.settings.as_str().and_then(|text| text.parse::<toml::Table>().ok()).unwrap_or_default();
    let of = |table: &toml::Table, key: &str| table.get(key).and_then(toml::Value::as_str).map(str::to_owned);
    let inside = |table: &toml::Table, key: &str, name: &str| table.get(key)?.get(name)?.as_table().cloned();
    let profile = of(&settings, "profile").and_then(|name| inside(&settings, "profiles", &name));
    let provider = profile.and_then(|profile| of(&profile, "model_provider")).or_else(|| of(&settings, "model_provider"));
    if provider.as_deref() == Some("amazon-bedrock") {
        names.push("AWS_*".to_owned());
    }
    if let Some(provider) = provider.and_then(|name| inside(&settings, "model_providers", &name)) {
        names.extend(of(&provider, "env_key"));
        let headers = provider.get("env_http_headers").and_then(toml::Value::as_table);
        names.extend(headers.into_iter().flat_map(toml::Table::values).filter_map(toml::Value::as_str).map(str::to_owned));
    }
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

fn progress(line: &str) -> Vec<Progress> {
    let Some(event) = object(line) else { return Vec::new() };
    let item = &event["item"];
    match (event["type"].as_str(), item["type"].as_str()) {
        (Some("item.completed"), Some("agent_message")) => {
            item["text"].as_str().map(|text| Progress::Text(text.to_owned())).into_iter().collect()
        }
        (Some("item.started"), Some("command_execution")) => {
            item["command"].as_str().map(|command| Progress::Activity(command.to_owned())).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// Errors before the first item are its attempts to reach the provider.
fn is_preface(line: &str) -> bool {
    let Some(event) = object(line) else { return false };
    matches!(event["type"].as_str(), Some("thread.started" | "turn.started" | "error")) || event["item"]["type"] == "error"
}

/// It may print its answer and take seconds to exit.
fn is_last(line: &str) -> bool {
    object(line).is_some_and(|event| event["type"] == "turn.completed" || event["type"] == "turn.failed")
}

fn read(said: &Said<'_>) -> Result<Answer, Failure> {
    let events: Vec<_> = objects(said.stdout).collect();
    let last = |kind: &str| events.iter().rfind(|event| event["type"] == kind);
    let completed = last("turn.completed");
    let usage = completed.map_or_else(Usage::default, |event| Usage {
        input_tokens: event["usage"]["input_tokens"].as_u64(),
        output_tokens: event["usage"]["output_tokens"].as_u64(),
        cost: None,
    });
    if let Some(failed) = last("turn.failed") {
        let message = failed["error"]["message"].as_str().unwrap_or_default();
        return Err(Failure { usage, ..advised(by_words(message)) });
    }
    if said.exit.is_some_and(|code| code != 0) {
        return Err(by_exit(said));
    }
    // Errors on the way ("Reconnecting…") are not the end; only a completed turn is an answer.
    if completed.is_none() {
        return Err(if events.is_empty() {
            Failure::unparsable("jsonl", "no_events")
        } else {
            Failure::new(Cause::Truncated, "the turn was not completed")
        });
    }
    let answers =
        events.iter().filter(|event| event["type"] == "item.completed" && event["item"]["type"] == "agent_message");
    let text = answers.filter_map(|event| event["item"]["text"].as_str()).next_back().unwrap_or_default();
    if text.trim().is_empty() {
        return Err(Failure { usage, ..Failure::new(Cause::Empty, "") });
    }
    Ok(Answer {
        text: text.to_owned(),
        // It does not say which model answered.
        model: None,
        usage,
        session: session_id(last("thread.started").and_then(|event| event["thread_id"].as_str())),
        duration_ms: 0,
        transport: "cli".to_owned(),
    })
}

fn advised(failure: Failure) -> Failure {
    match failure.cause {
        Cause::Auth => failure.with_advice("Run `codex login`, or set the key that its provider needs."),
        Cause::UnknownModel => failure.with_advice("Name another model: codex:MODEL."),
        _ => failure,
    }
}

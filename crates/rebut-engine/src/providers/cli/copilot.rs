//! copilot (GitHub): `copilot --output-format json`.

use rebut_core::debate::{Answer, Cause, Failure, Usage};
use serde_json::Value;

use super::reading::{by_exit, by_status, by_words, object, objects, only, own_folder, session_id, settings_in};
use super::{Ask, CliTool, CommandLine, Own, Said, Unreadable, Variables};
use crate::providers::Progress;

pub(super) const TOOL: CliTool = CliTool {
    name: "copilot",
    efforts: Some(["low", "medium", "high", "max"]),
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
    let line = CommandLine::new(ask.prompt.joined(), &["--output-format", "json", "--no-color", "--no-custom-instructions"])
        .with(&["--disable-builtin-mcps"])
        .with(&ask.effort.map_or(vec![], |effort| vec!["--reasoning-effort", effort]))
        .with(&["--available-tools"])
        .with(if ask.reads_workspace { &["view", "grep", "glob"] } else { &["none"] })
        .with_variable("COPILOT_HOME", ask.scratch.join("copilot").display().to_string())
        // What the person allows elsewhere; "true" would also have it start what the project brings along.
        .with_variable("COPILOT_ALLOW_ALL", "false")
        .with_variable("COPILOT_CUSTOM_INSTRUCTIONS_DIRS", ask.scratch.join("copilot").display().to_string())
        .with_variable("COPILOT_AUTO_UPDATE", "false")
        .with_file("copilot/settings.json", settings(&ask.own.settings).to_string())
        .with_file("copilot/config.json", account(&ask.own.settings).to_string());
    match ask.model {
        Some(model) => line.with(&["--model", model]),
        None => line,
    }
}

/// How the person reaches the model. Without the switch it runs the hooks of the repository too.
fn settings(own: &Value) -> Value {
    let mut settings = only(own, &["model", "proxyUrl", "proxyKerberosServicePrincipal"]);
    settings["disableAllHooks"] = true.into();
    settings["memory"] = false.into();
    settings
}

/// Who is signed in; the token itself is in the system's keychain, or here too.
fn account(own: &Value) -> Value {
    let says = |key: &str| {
        let key = key.to_lowercase().replace('_', "");
        ["loggedin", "token", "githubhost"].iter().any(|word| key.contains(word))
    };
    let own = own.as_object().into_iter().flatten();
    own.filter(|(key, _)| says(key)).map(|(key, value)| (key.clone(), value.clone())).collect()
}

fn own(variable: &Variables<'_>) -> Result<Own, Unreadable> {
    let Some(folder) = own_folder(variable, "COPILOT_HOME", ".copilot") else { return Ok(Own::default()) };
    // The one file is written by people, the other by the program; earlier versions had it all in one.
    let files = [settings_in(&folder.join("config.json"))?, settings_in(&folder.join("settings.json"))?];
    let both = files.iter().filter_map(Value::as_object).flatten();
    Ok(Own { settings: both.map(|(key, value)| (key.clone(), value.clone())).collect(), ..Own::default() })
}

fn keys(_own: &Own, _model: Option<&str>, _variable: &Variables<'_>) -> Vec<String> {
    ["COPILOT_*", "GH_TOKEN", "GITHUB_TOKEN", "GH_HOST", "GH_CONFIG_DIR"].map(str::to_owned).to_vec()
}

fn progress(line: &str) -> Vec<Progress> {
    let Some(event) = object(line) else { return Vec::new() };
    let data = &event["data"];
    match event["type"].as_str() {
        Some("assistant.message_delta") => {
            data["deltaContent"].as_str().map(|text| Progress::Text(text.to_owned())).into_iter().collect()
        }
        Some("tool.execution_start") => {
            data["toolName"].as_str().map(|name| Progress::Activity(name.to_owned())).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

fn is_preface(line: &str) -> bool {
    let Some(event) = object(line) else { return false };
    let kind = event["type"].as_str().unwrap_or_default();
    ["session.", "user.", "assistant.turn_start"].iter().any(|start| kind.starts_with(start)) && kind != "session.error"
}

fn is_last(line: &str) -> bool {
    object(line).is_some_and(|event| event["type"] == "result")
}

fn read(said: &Said<'_>) -> Result<Answer, Failure> {
    let events: Vec<Value> = objects(said.stdout).collect();
    let last = |kind: &str| events.iter().rfind(|event| event["type"] == kind);
    if let Some(error) = last("session.error") {
        let data = &error["data"];
        let message = data["message"].as_str().unwrap_or_default();
        return Err(advised(
            data["statusCode"].as_u64().map_or_else(|| by_words(message), |status| by_status(status, message)),
        ));
    }
    if said.exit.is_some_and(|code| code != 0) {
        return Err(advised(complaint(said)));
    }
    let Some(result) = last("result") else {
        return Err(if events.is_empty() {
            Failure::unparsable("jsonl", "no_events")
        } else {
            Failure::new(Cause::Truncated, "no result came")
        });
    };
    if result["exitCode"].as_i64() != Some(0) {
        return Err(advised(complaint(said)));
    }
    let message = last("assistant.message").map(|event| &event["data"]);
    let text = message.and_then(|data| data["content"].as_str()).unwrap_or_default();
    if text.trim().is_empty() {
        return Err(Failure::new(Cause::Empty, ""));
    }
    Ok(Answer {
        text: text.to_owned(),
        model: message.and_then(|data| data["model"].as_str()).map(str::to_owned),
        // It reports no tokens.
        usage: Usage::default(),
        session: session_id(result["sessionId"].as_str()),
        duration_ms: 0,
        transport: "cli".to_owned(),
    })
}

/// Its complaints stand on standard error, the first line first.
fn complaint(said: &Said<'_>) -> Failure {
    // It reports there how long it took to unpack itself.
    let is_complaint = |line: &&str| !line.is_empty() && !line.starts_with("Package extraction");
    match said.stderr.lines().map(str::trim).find(is_complaint) {
        Some(line) => by_words(line),
        None => by_exit(said),
    }
}

fn advised(failure: Failure) -> Failure {
    match failure.cause {
        Cause::Auth => failure.with_advice("Run `copilot` and sign in with /login."),
        Cause::UnknownModel => failure.with_advice("Name another model: copilot:MODEL."),
        _ => failure,
    }
}

//! claude (Claude Code): `claude -p --output-format stream-json --verbose`.

use rebut_core::debate::{Answer, Cause, Cost, Failure, Usage};
use serde_json::{Value, json};

use super::reading::{by_exit, by_status, by_words, object, objects, only, own_folder, session_id, settings_in};
use super::{Ask, CliTool, CommandLine, Own, Said, Unreadable, Variables};
use crate::providers::Progress;

pub(super) const TOOL: CliTool = CliTool {
    name: "claude",
    efforts: Some(["low", "medium", "high", "max"]),
    takes_schema: true,
    command,
    own,
    keys,
    progress,
    is_preface,
    streams: true,
    is_last,
    tries_again: |_| None,
    read,
};

/// Tools that only read.
const READING: &str = "Read,Glob,Grep";
/// Tools that only search the web.
const SEARCHING: &str = "WebSearch,WebFetch";

/// Its settings for a debate: how the person reaches the model, no hooks, and what it reads stays in the folder it runs
/// in. They may hold keys, so they go in as a file, and over ACP as a part of the session.
pub(in crate::providers) fn settings(own: &Own) -> Value {
    let mut settings = only(&own.settings, &REACHING);
    settings["disableAllHooks"] = true.into();
    settings["permissions"] = json!({ "blockReadsOutsideWorkingDirectories": true });
    settings
}

/// What of the person's settings says how the model is reached. Others allow more, start programs or give instructions.
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

fn own(variable: &Variables<'_>) -> Result<Own, Unreadable> {
    let folder = own_folder(variable, "CLAUDE_CONFIG_DIR", ".claude");
    let settings = folder.map(|folder| settings_in(&folder.join("settings.json"))).transpose()?;
    Ok(Own { settings: settings.unwrap_or_default(), ..Own::default() })
}

/// Switches that have it reach its model through a cloud, and the variables that hold the keys of that cloud.
const CLOUDS: [(&str, &[&str]); 4] = [
    ("CLAUDE_CODE_USE_BEDROCK", &["AWS_*"]),
    ("CLAUDE_CODE_USE_MANTLE", &["AWS_*"]),
    ("CLAUDE_CODE_USE_VERTEX", &["GOOGLE_*", "CLOUDSDK_*", "CLOUD_ML_REGION", "VERTEX_*"]),
    ("CLAUDE_CODE_USE_FOUNDRY", &["AZURE_*"]),
];

fn keys(own: &Own, _model: Option<&str>, variable: &Variables<'_>) -> Vec<String> {
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
        // None of the settings that it would find by itself, and nothing is written into its history.
        .with(&["--include-partial-messages", "--no-session-persistence", "--setting-sources", ""])
        .with(&["--settings", &file.to_string_lossy()])
        .with(&ask.effort.map_or(vec![], |effort| vec!["--effort", effort]))
        .with(&["--tools", tools, "--allowedTools", tools, "--strict-mcp-config"])
        .with_file(SETTINGS_FILE, settings(ask.own).to_string())
        // It tries again ten times by itself, which takes minutes; trying again is ours.
        .with_variable("CLAUDE_CODE_MAX_RETRIES", "1")
        .with_variable("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
        .with_variable("DISABLE_AUTOUPDATER", "1");
    if let Some(schema) = ask.schema {
        line = line.with(&["--json-schema", &schema.to_string()]);
    }
    if let Some(model) = ask.model {
        line = line.with(&["--model", model]);
    }
    // Both keep the person's hooks and the project's instructions out. The first starts faster and leaves `@path` alone,
    // but signs in with nothing but a key, and of the tools that read it has neither Glob nor Grep.
    if (ask.variable)("ANTHROPIC_API_KEY").is_some() && !ask.reads_workspace && !ask.searches_web {
        return line.with(&["--bare"]);
    }
    line.input = line.input.replace('@', "@\u{200b}");
    line.with_variable("CLAUDE_CODE_SAFE_MODE", "1")
}

fn progress(line: &str) -> Vec<Progress> {
    let Some(event) = object(line) else { return Vec::new() };
    // With partial messages its texts come in pieces first; whole ones would say them twice.
    if event["type"] == "stream_event" {
        let text = event["event"]["delta"]["text"].as_str();
        return text.map(|text| Progress::Text(text.to_owned())).into_iter().collect();
    }
    if event["type"] != "assistant" {
        return Vec::new();
    }
    let blocks = event["message"]["content"].as_array().cloned().unwrap_or_default();
    let told = |block: &Value| match block["type"].as_str()? {
        "tool_use" => Some(Progress::Activity(activity(block))),
        _ => None,
    };
    blocks.iter().filter_map(told).collect()
}

fn activity(block: &Value) -> String {
    let name = block["name"].as_str().unwrap_or("a tool");
    let input = &block["input"];
    let what = ["file_path", "pattern", "path", "command"].iter().find_map(|key| input[*key].as_str()).unwrap_or_default();
    format!("{name} {what}").trim_end().to_owned()
}

fn is_preface(line: &str) -> bool {
    object(line).is_some_and(|event| event["type"] == "system")
}

fn is_last(line: &str) -> bool {
    object(line).is_some_and(|event| event["type"] == "result")
}

fn read(said: &Said<'_>) -> Result<Answer, Failure> {
    let Some(result) = objects(said.stdout).rfind(|event| event["type"] == "result") else { return Err(by_exit(said)) };
    let usage = usage(&result);
    let failed = |failure: Failure| Err(Failure { usage, ..failure });
    // An answer by a schema stands beside the words.
    let structured = &result["structured_output"];
    let structured = (!structured.is_null()).then(|| structured.to_string());
    let text = structured.as_deref().or(result["result"].as_str()).unwrap_or_default();
    if result["stop_reason"] == "refusal" {
        return failed(Failure::new(Cause::Refused, ""));
    }
    // Its subtype says "success" on API errors too: only these two fields tell.
    if result["is_error"] == true || said.exit.is_some_and(|code| code != 0) {
        let message = result["errors"][0].as_str().unwrap_or(text);
        return failed(match result["api_error_status"].as_u64() {
            Some(status) => advised(by_status(status, message)),
            None => advised(by_words(message)),
        });
    }
    if result["num_turns"].as_u64() == Some(0) {
        return failed(Failure::new(Cause::Empty, "the prompt was taken for a command and no model was asked"));
    }
    if text.trim().is_empty() {
        return failed(Failure::new(Cause::Empty, ""));
    }
    Ok(Answer {
        text: text.to_owned(),
        model: result["modelUsage"].as_object().and_then(main_model),
        usage,
        session: session_id(result["session_id"].as_str()),
        duration_ms: 0,
        transport: "cli".to_owned(),
    })
}

fn advised(failure: Failure) -> Failure {
    match failure.cause {
        Cause::Auth => failure.with_advice("Run `claude` and sign in with /login, or set ANTHROPIC_API_KEY."),
        Cause::UnknownModel => failure.with_advice("Name another model: claude:MODEL."),
        _ => failure,
    }
}

/// The model that wrote most of the answer; small models run errands beside it.
fn main_model(models: &serde_json::Map<String, Value>) -> Option<String> {
    models.iter().max_by_key(|(_, usage)| usage["outputTokens"].as_u64()).map(|(name, _)| name.clone())
}

fn usage(result: &Value) -> Usage {
    let usage = &result["usage"];
    let input = ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"];
    let known = usage["input_tokens"].as_u64().is_some();
    Usage {
        input_tokens: known.then(|| input.iter().filter_map(|key| usage[*key].as_u64()).fold(0, u64::saturating_add)),
        output_tokens: usage["output_tokens"].as_u64(),
        cost: result["total_cost_usd"].as_f64().and_then(Cost::from_dollars),
    }
}

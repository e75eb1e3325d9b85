//! gemini (Google): `gemini --output-format stream-json`.

use std::path::Path;

use rebut_core::debate::{Answer, Cause, Failure};
use serde_json::{Value, json};

use super::Tool;
use super::host::{HostRules, SettingsFormat, at, in_project, stdio_entry};
use crate::providers::acp::{Agent, Quirks};
use crate::providers::cli::output::{
    Events, answer, by, by_exit, by_status, by_words, last_object, lay_over, lent, main_model, object, only, own_folder,
    settings_in, tokens,
};
use crate::providers::cli::{Ask, CommandLine, Line, OwnSettings, Said, Unreadable, Variables, without_paths};
use crate::providers::sign_in::{Check, SignInRules, credentials};
use crate::redact::redact;

pub(super) static TOOL: Tool = Tool {
    name: "gemini",
    family: "google",
    vendor: "Google",
    install: "get it with `npm install -g @google/gemini-cli`",
    models: [Some("flash"), Some("flash"), Some("pro"), Some("pro")],
    efforts: None,
    features: &[],
    limits: &[],
    // Without this it starts itself a second time, and the first one swallows signals.
    environment: &[("GEMINI_CLI_NO_RELAUNCH", "true")],
    session_variables: &["GEMINI_CLI"],
    project_folder: ".gemini",
    sign_in: SignInRules {
        keys: &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
        files: &[
            credentials(HOME, "", ".gemini/oauth_creds.json", ""),
            credentials(HOME, "", ".gemini/gemini-credentials.json", ""),
            // With a key as the way in, the key itself is in the environment or nowhere that we look.
            credentials(HOME, "", ".gemini/settings.json", "oauth-personal"),
        ],
        checks: &[Check::Settings(has_auth_method), Check::Session],
        advice: "Run `gemini` once and sign in, or set GEMINI_API_KEY.",
    },
    own,
    keys,
    command,
    line,
    retrying,
    parse,
    host: HostRules {
        settings: [at(HOME, "", &[".gemini/settings.json"]), in_project("", &[".gemini/settings.json"])],
        format: SettingsFormat::Json("mcpServers"),
        entry: stdio_entry,
        own_commands: Some([&["add", "-s", "{scope}", "rebut", "{program}", "mcp"], &["remove", "-s", "{scope}", "rebut"]]),
        command: [at(HOME, "", &[COMMAND_FILE]), in_project("", &[COMMAND_FILE])],
        command_text: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../commands/debate.toml")),
        call: "/debate",
    },
    agent: Agent {
        adapter: None,
        arguments: &["--acp"],
        quirks: Quirks {
            mode: Some("default"),
            expands_paths: true,
            notices: &["[MODE_UPDATE]"],
            zero_tokens_is_truncated: true,
            ..Quirks::NONE
        },
    },
};

/// The variable that names the folder which it takes for the user's home.
const HOME: &str = "GEMINI_CLI_HOME";

/// Its own form of the `debate` command.
const COMMAND_FILE: &str = ".gemini/commands/debate.toml";

fn command(ask: &Ask<'_>) -> CommandLine {
    let line = CommandLine::new(
        without_paths(&ask.prompt.joined()),
        &["--output-format", "stream-json", "--approval-mode", "default"],
    )
    .with(&["--extensions", "none", "--allowed-mcp-server-names", "none"])
    .with_variable(HOME, ask.scratch.display().to_string())
    // In a folder that is not trusted it reads neither the project's settings nor its instructions to agents. Whether
    // it then starts at all is a setting.
    .with_variable("GEMINI_CLI_TRUST_WORKSPACE", "false")
    .with_file(".gemini/settings.json", settings(&ask.own.settings).to_string());
    line.with_option("-m", ask.model)
}

/// How the user reaches the model, without hooks, MCP servers, permissions and retries.
fn settings(own: &Value) -> Value {
    let mut settings = only(own, &["model", "modelConfigs", "privacy", "telemetry", "billing"]);
    settings["security"] = only(&own["security"], &["auth"]);
    let ours = json!({
        "security": { "folderTrust": { "enabled": false } },
        "general": { "maxAttempts": 1, "enableAutoUpdate": false, "enableAutoUpdateNotification": false },
        "hooksConfig": { "enabled": false },
        "mcp": { "allowed": ["none"] },
    });
    lay_over(&mut settings, ours);
    settings
}

fn own(variable: &Variables<'_>) -> Result<OwnSettings, Unreadable> {
    let Some(home) = own_folder(variable, HOME, "") else { return Ok(OwnSettings::default()) };
    let files = [
        (".gemini/oauth_creds.json", ".gemini/oauth_creds.json"),
        (".gemini/gemini-credentials.json", ".gemini/gemini-credentials.json"),
        (".gemini/google_accounts.json", ".gemini/google_accounts.json"),
        (".gemini/installation_id", ".gemini/installation_id"),
        (".gemini/.env", ".gemini/.env"),
        (".env", ".env"),
    ];
    let settings = settings_in(&home.join(".gemini/settings.json"))?;
    Ok(OwnSettings { settings, lent: lent(&home, &files), ..OwnSettings::default() })
}

fn keys(_own: &OwnSettings, _model: Option<&str>, _variable: &Variables<'_>) -> Vec<String> {
    ["GEMINI_*", "GOOGLE_*", "CLOUDSDK_*", "CODE_ASSIST_*"].map(str::to_owned).to_vec()
}

/// How it reports that it ended a run before the model did.
const CUT_SHORT: [&str; 3] = ["Loop detected", "Maximum session turns exceeded", "Agent execution blocked"];

fn line(event: &Value) -> Line {
    match event["type"].as_str() {
        Some("result") => Line::Last,
        Some("message") if event["role"] == "assistant" => Line::text(&event["content"]),
        Some("init" | "message") => Line::Idle,
        Some("tool_use") => Line::activity(&event["tool_name"]),
        _ => Line::News(Vec::new()),
    }
}

/// It retries for minutes, and reports that only here.
fn retrying(line: &str) -> Option<Failure> {
    (line.starts_with("Attempt ") && line.contains(" failed")).then(|| by_words(line))
}

fn parse(said: &Said<'_>) -> Result<Answer, Failure> {
    let events = Events::of(said.stdout);
    let Some(result) = events.last("result") else { return Err(by_envelope(said)) };
    let usage = tokens(&result["stats"]);
    let failed = |failure: Failure| Err(Failure { usage, ..failure });
    if result["status"] != "success" || !result["error"].is_null() || said.exit.is_some_and(|code| code != 0) {
        let error = events.all("error").rfind(|event| event["severity"] == "error");
        let in_event = error.and_then(|event| event["message"].as_str());
        return failed(match result["error"]["message"].as_str().or(in_event) {
            // The lines after the first are its own advice, which names quotas even if none is used up.
            Some(message) => by_words(message.lines().next().unwrap_or_default()),
            None => by_envelope(said),
        });
    }
    // It calls a run that it ended itself a success, and reports that only beside it.
    let warned =
        |event: &Value| event["message"].as_str().is_some_and(|said| CUT_SHORT.iter().any(|cut| said.starts_with(cut)));
    let stopped = events.all("error").find(|event| warned(event));
    let warnings = result["warnings"].as_array().is_some_and(|warnings| !warnings.is_empty());
    if warnings || stopped.is_some() {
        let why = stopped.and_then(|event| event["message"].as_str()).unwrap_or("it stopped itself in a loop");
        return failed(Failure::new(Cause::Truncated, redact(why)));
    }
    let answers = events.all("message").filter(|event| event["role"] == "assistant");
    let text: String = answers.filter_map(|event| event["content"].as_str()).collect();
    let init = |key: &str| events.last("init").and_then(|event| event[key].as_str()).map(str::to_owned);
    let reported = main_model(&result["stats"]["models"], "output_tokens");
    answer(&text, reported.or_else(|| init("model")), usage, init("session_id").as_deref())
}

/// Failures are JSON at the end of standard error; the exit code is the status mod 256.
fn by_envelope(said: &Said<'_>) -> Failure {
    let error = last_object(said.stderr).map(|envelope| envelope["error"].clone());
    let Some(error) = error.filter(|error| !error.is_null()) else {
        let failed = said.stderr.lines().rev().find_map(retrying);
        return failed.unwrap_or_else(|| by_code(said));
    };
    let message = error["message"].as_str().unwrap_or_default();
    // The message of the API is sometimes JSON itself.
    let inner = object(message).and_then(|inner| inner["error"]["message"].as_str().map(str::to_owned));
    let message = inner.as_deref().unwrap_or(message);
    by(&error["code"], message)
}

fn by_code(said: &Said<'_>) -> Failure {
    match said.exit {
        Some(41) => Failure::new(Cause::Auth, "no way to sign in is set"),
        Some(55) => Failure::new(Cause::Exit, "the folder is not trusted"),
        Some(145) => by_status(401, ""),
        Some(147) => by_status(403, ""),
        Some(173) => by_status(429, ""),
        Some(244) => by_status(500, ""),
        _ => {
            // Not reasons: what it could not measure of its start ("start mark … not found"), and how it searches.
            let complains =
                |line: &&str| !["[STARTUP]", "Ripgrep is not available"].iter().any(|note| line.starts_with(note));
            let stderr = said.stderr.lines().filter(complains).collect::<Vec<_>>().join("\n");
            by_exit(&Said { stderr: &stderr, ..*said })
        }
    }
}

/// It starts only if a way to sign in is chosen, by its settings or by a variable, perhaps one in a file.
fn has_auth_method(own: &OwnSettings, variable: &Variables<'_>, _keys: &[String]) -> Option<bool> {
    let switches = ["GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_GENAI_USE_GCA", "GEMINI_CLI_USE_COMPUTE_ADC", "CLOUD_SHELL"];
    let is_chosen = !own.settings["security"]["auth"]["selectedType"].is_null()
        || switches.iter().any(|name| variable(name).is_some())
        || own.lent.iter().any(|(place, _)| Path::new(place).ends_with(".env"));
    (!is_chosen).then_some(false)
}

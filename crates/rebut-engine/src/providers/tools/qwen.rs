//! qwen (Qwen Code): `qwen --output-format stream-json`, in the same format as claude. A fork of gemini.

use rebut_core::debate::{Answer, Failure};
use serde_json::{Value, json};

use super::host::{HostRules, SKILL, SKILL_FILE, SettingsFormat, at, in_project};
use super::{READS_OUTSIDE, Tool};
use crate::providers::acp::{Agent, Quirks};
use crate::providers::cli::output::{by_words, lay_over, lent, only, own_folder, settings_in};
use crate::providers::cli::{Ask, CommandLine, OwnSettings, Said, Unreadable, Variables, stream_json, without_paths};
use crate::providers::sign_in::{Check, SignInRules, credentials};

pub(super) static TOOL: Tool = Tool {
    name: "qwen",
    family: "alibaba",
    vendor: "the provider that qwen is set up with",
    install: "get it with `npm install -g @qwen-code/qwen-code`",
    models: [None; 4],
    efforts: None,
    // With --json-schema an answer in words is a failure, where the prompt alone gives it a second chance.
    features: &[],
    limits: &[READS_OUTSIDE],
    // Without this it starts itself a second time.
    environment: &[("QWEN_CODE_NO_RELAUNCH", "true")],
    session_variables: &["QWEN_CODE"],
    project_folder: ".qwen",
    sign_in: SignInRules {
        keys: &["DASHSCOPE_API_KEY", "BAILIAN_CODING_PLAN_API_KEY", "OPENROUTER_API_KEY", "OPENAI_API_KEY"],
        files: &[
            credentials(HOME, ".qwen", "oauth_creds.json", ""),
            credentials(HOME, ".qwen", "settings.json", "\"selectedType\""),
        ],
        checks: &[Check::Session],
        advice: "Run `qwen` and sign in with /auth, or set OPENAI_API_KEY, OPENAI_BASE_URL and OPENAI_MODEL.",
    },
    own,
    keys,
    command,
    line: stream_json::line,
    retrying: |_| None,
    parse,
    host: HostRules {
        settings: [at(HOME, ".qwen", &["settings.json"]), in_project(".qwen", &["settings.json"])],
        format: SettingsFormat::Json("mcpServers"),
        entry: |program| json!({ "command": program, "args": ["mcp"] }),
        own_commands: Some([&["add", "-s", "{scope}", "rebut", "{program}", "mcp"], &["remove", "-s", "{scope}", "rebut"]]),
        command: [at(HOME, ".qwen", &[SKILL_FILE]), in_project(".qwen", &[SKILL_FILE])],
        command_text: SKILL,
        call: "/debate",
    },
    agent: Agent {
        adapter: None,
        arguments: &["--acp"],
        quirks: Quirks {
            mode: Some("default"),
            // Its sessions offer only the models of its own settings.
            model_variable: Some("OPENAI_MODEL"),
            arguments: |start| restrictions(start.reads_workspace).iter().map(|&word| word.to_owned()).collect(),
            expands_paths: true,
            ..Quirks::NONE
        },
    },
};

const HOME: &str = "QWEN_HOME";

const READING: &str = "list_directory,read_file,grep_search,glob";

/// Tools that it has beside those, whatever is asked for.
const OTHERS: &str = "agent,skill,tool_search,task_stop,send_message,ask_user_question,exit_plan_mode,todo_write,web_fetch";

fn command(ask: &Ask<'_>) -> CommandLine {
    let line = CommandLine::new(
        without_paths(&ask.prompt.joined()),
        &["--output-format", "stream-json", "--include-partial-messages"],
    )
    .with(&restrictions(ask.reads_workspace))
    .with_variable(HOME, ask.scratch.join("qwen").display().to_string())
    .with_variable("QWEN_RUNTIME_DIR", ask.scratch.join("qwen").display().to_string())
    // The settings of the machine go before those of the project, which it reads as well.
    .with_variable("QWEN_CODE_SYSTEM_SETTINGS_PATH", ask.scratch.join("qwen/settings.json").display().to_string())
    .with_file("qwen/settings.json", settings(&ask.own.settings).to_string());
    let line = match (ask.variable)("OPENAI_API_KEY") {
        Some(_) if ask.own.settings["security"]["auth"].is_null() => line.with(&["--auth-type", "openai"]),
        _ => line,
    };
    line.with_option("--model", ask.model)
}

/// The flags that leave it only tools that read, and nothing of the user's or the project's to start.
fn restrictions(reads_workspace: bool) -> Vec<&'static str> {
    let reading = if reads_workspace { READING } else { "none" };
    let mut flags = vec!["--approval-mode", "default", "--chat-recording", "false", "--core-tools", reading];
    flags.extend(["--exclude-tools", OTHERS, "--extensions", "none", "--allowed-mcp-server-names", "none"]);
    flags
}

/// How the user reaches the model. Hooks, servers and commands of the project are turned off by name.
fn settings(own: &Value) -> Value {
    let mut settings = only(own, &["$version", "model", "modelProviders", "codingPlan", "env", "proxy", "privacy"]);
    settings["security"] = only(&own["security"], &["auth"]);
    // Retries are ours. Its own loop around those of its client cannot be turned off. A model that is named by a plain string
    // leaves no room for this, and is the user's choice.
    if settings.get("model").is_none_or(Value::is_object) {
        lay_over(&mut settings, json!({ "model": { "generationConfig": { "maxRetries": 0 } } }));
    }
    let ours = json!({
        "tools": { "discoveryCommand": "", "callCommand": "", "approvalMode": "default" },
        "mcp": { "allowed": ["none"] },
        "general": { "enableAutoUpdate": false, "chatRecording": false },
        "disableAllHooks": true,
        // No file has this name: the project's instructions stay out of a debate.
        "context": { "fileName": ".rebut-no-instructions" },
    });
    lay_over(&mut settings, ours);
    settings
}

fn own(variable: &Variables<'_>) -> Result<OwnSettings, Unreadable> {
    let Some(home) = own_folder(variable, HOME, ".qwen") else { return Ok(OwnSettings::default()) };
    let files = [("qwen/oauth_creds.json", "oauth_creds.json"), ("qwen/.env", ".env")];
    Ok(OwnSettings {
        settings: settings_in(&home.join("settings.json"))?,
        lent: lent(&home, &files),
        ..OwnSettings::default()
    })
}

/// Its own variables, and those that its settings name for the keys of providers.
fn keys(own: &OwnSettings, _model: Option<&str>, _variable: &Variables<'_>) -> Vec<String> {
    let mut names = ["QWEN_*", "OPENAI_*", "DASHSCOPE_*", "BAILIAN_*", "OPENROUTER_*"].map(str::to_owned).to_vec();
    let providers = own.settings["modelProviders"].as_object().into_iter().flat_map(serde_json::Map::values);
    let models = providers.filter_map(Value::as_array).flatten();
    names.extend(models.filter_map(|model| model["envKey"].as_str()).map(str::to_owned));
    names
}

/// It reports errors of its provider as an answer, and calls that a success.
fn parse(said: &Said<'_>) -> Result<Answer, Failure> {
    let answer = stream_json::parse(said)?;
    // After what had arrived of the answer, where it broke off, and before advice of its own.
    let error = answer.text.rsplit_once("[API Error: ").and_then(|(_, rest)| rest.lines().next()?.strip_suffix(']'));
    match error {
        Some(message) => Err(Failure { usage: answer.usage, ..by_words(message) }),
        None => Ok(answer),
    }
}

//! copilot (GitHub): `copilot --output-format json`.

use rebut_core::debate::{Answer, Failure, Usage};
use serde_json::{Value, json};

use super::host::{HostRules, SKILL, SKILL_FILE, SettingsFormat, at, in_project};
use super::{Feature, Tool};
use crate::providers::acp::{Agent, Quirks};
use crate::providers::cli::output::{Events, answer, by, by_exit, by_words, only, own_folder, settings_in};
use crate::providers::cli::{Ask, CommandLine, Line, OwnSettings, Said, Unreadable, Variables};
use crate::providers::sign_in::{Check, SignInRules, credentials};

pub(super) static TOOL: Tool = Tool {
    name: "copilot",
    family: "github",
    vendor: "GitHub",
    install: "get it with `npm install -g @github/copilot`",
    models: [None; 4],
    efforts: Some(["low", "medium", "high", "max"]),
    features: &[Feature::Broker],
    limits: &[],
    environment: &[],
    session_variables: &["COPILOT_CLI"],
    project_folder: ".copilot",
    sign_in: SignInRules {
        keys: &["COPILOT_PROVIDER_API_KEY", "COPILOT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN"],
        // Its token is in the system's keychain, or in this file too.
        files: &[
            credentials(HOME, ".copilot", "config.json", "\"loggedInUsers\""),
            credentials(HOME, ".copilot", "config.json", "logged_in_users"),
        ],
        checks: &[Check::Session],
        advice: "Run `copilot` and sign in with /login, or set COPILOT_PROVIDER_API_KEY.",
    },
    own,
    keys,
    command,
    line,
    retrying: |_| None,
    parse,
    host: HostRules {
        settings: [at(HOME, ".copilot", &["mcp-config.json"]), in_project(".github", &["mcp.json"])],
        format: SettingsFormat::Json("mcpServers"),
        entry: |program| json!({ "type": "local", "command": program, "args": ["mcp"], "tools": ["*"] }),
        own_commands: Some([&["add", "rebut", "--", "{program}", "mcp"], &["remove", "rebut"]]),
        command: [at(HOME, ".copilot", &[SKILL_FILE]), in_project(".github", &[SKILL_FILE])],
        command_text: SKILL,
        call: "/debate",
    },
    agent: Agent {
        adapter: None,
        arguments: &["--acp", "--no-custom-instructions", "--disable-builtin-mcps"],
        quirks: Quirks {
            mode: Some("agent"),
            model_variable: Some("COPILOT_MODEL"),
            arguments: agent_arguments,
            also_reads: Some("the project's instructions to agents"),
            runs_from_project: &[
                (".github/hooks", ""),
                (".github/copilot/settings.json", "hooks"),
                (".github/copilot/settings.local.json", "hooks"),
                (".claude/settings.json", "hooks"),
            ],
            notices: &[
                "Info: Disabled tools:",
                "Info: Request failed",
                "Info: Operation cancelled",
                "Error: No response was returned.",
            ],
            errors_as_text: true,
            ..Quirks::NONE
        },
    },
};

const HOME: &str = "COPILOT_HOME";

fn available_tools(reads_workspace: bool) -> &'static [&'static str] {
    if reads_workspace { &["--available-tools", "view", "grep", "glob"] } else { &["--available-tools", "none"] }
}

fn agent_arguments(ask: &Ask<'_>) -> Vec<String> {
    let effort = ask.effort.map(|effort| ["--reasoning-effort", effort]).into_iter().flatten();
    effort.chain(available_tools(ask.reads_workspace).iter().copied()).map(str::to_owned).collect()
}

fn command(ask: &Ask<'_>) -> CommandLine {
    let line = CommandLine::new(ask.prompt.joined(), &["--output-format", "json", "--no-color", "--no-custom-instructions"])
        .with(&["--disable-builtin-mcps"])
        .with_option("--reasoning-effort", ask.effort)
        .with(available_tools(ask.reads_workspace))
        .with_variable(HOME, ask.scratch.join("copilot").display().to_string())
        // What the user allows elsewhere; "true" would also have it start what the project brings along.
        .with_variable("COPILOT_ALLOW_ALL", "false")
        .with_variable("COPILOT_CUSTOM_INSTRUCTIONS_DIRS", ask.scratch.join("copilot").display().to_string())
        .with_variable("COPILOT_AUTO_UPDATE", "false")
        .with_file("copilot/settings.json", settings(&ask.own.settings).to_string())
        .with_file("copilot/config.json", account(&ask.own.settings).to_string());
    line.with_option("--model", ask.model)
}

/// How the user reaches the model. Without the switch it runs the hooks of the repository too.
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

fn own(variable: &Variables<'_>) -> Result<OwnSettings, Unreadable> {
    let Some(folder) = own_folder(variable, HOME, ".copilot") else { return Ok(OwnSettings::default()) };
    // Users edit one file and the program writes the other; earlier versions had one file for both.
    let files = [settings_in(&folder.join("config.json"))?, settings_in(&folder.join("settings.json"))?];
    let both = files.iter().filter_map(Value::as_object).flatten();
    Ok(OwnSettings { settings: both.map(|(key, value)| (key.clone(), value.clone())).collect(), ..OwnSettings::default() })
}

fn keys(_own: &OwnSettings, _model: Option<&str>, _variable: &Variables<'_>) -> Vec<String> {
    ["COPILOT_*", "GH_TOKEN", "GITHUB_TOKEN", "GH_HOST", "GH_CONFIG_DIR"].map(str::to_owned).to_vec()
}

fn line(event: &Value) -> Line {
    let (kind, data) = (event["type"].as_str().unwrap_or_default(), &event["data"]);
    match kind {
        "result" => Line::Last,
        "assistant.message_delta" => Line::text(&data["deltaContent"]),
        "tool.execution_start" => Line::activity(&data["toolName"]),
        "session.error" => Line::News(Vec::new()),
        _ if ["session.", "user.", "assistant.turn_start"].iter().any(|start| kind.starts_with(start)) => Line::Idle,
        _ => Line::News(Vec::new()),
    }
}

fn parse(said: &Said<'_>) -> Result<Answer, Failure> {
    let events = Events::of(said.stdout);
    if let Some(error) = events.last("session.error") {
        let data = &error["data"];
        return Err(by(&data["statusCode"], data["message"].as_str().unwrap_or_default()));
    }
    if said.exit.is_some_and(|code| code != 0) {
        return Err(complaint(said));
    }
    let Some(result) = events.last("result") else { return Err(events.cut_short("no result came")) };
    if result["exitCode"].as_i64() != Some(0) {
        return Err(complaint(said));
    }
    let message = events.last("assistant.message").map(|event| &event["data"]);
    let text = message.and_then(|data| data["content"].as_str()).unwrap_or_default();
    let model = message.and_then(|data| data["model"].as_str()).map(str::to_owned);
    // It reports no tokens.
    answer(text, model, Usage::default(), result["sessionId"].as_str())
}

/// Its complaints are on standard error, the first line first.
fn complaint(said: &Said<'_>) -> Failure {
    // It reports there how long it took to unpack itself.
    let is_complaint = |line: &&str| !line.is_empty() && !line.starts_with("Package extraction");
    match said.stderr.lines().map(str::trim).find(is_complaint) {
        Some(line) => by_words(line),
        None => by_exit(said),
    }
}

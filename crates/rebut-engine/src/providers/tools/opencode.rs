//! opencode: `opencode run --format json`.

use std::path::{Path, PathBuf};

use rebut_core::debate::{Answer, Cause, Cost, Failure, Usage};
use serde_json::{Value, json};

use super::host::{HostRules, SettingsFormat, at, in_project};
use super::{FOLLOWS_LINKS, Feature, Tool, inherited};
use crate::providers::acp::{Agent, Quirks};
use crate::providers::cli::output::{
    Events, answer, by, by_exit, by_words, change_texts, lay_over, lent, only, own_folder, settings_in, settings_of,
};
use crate::providers::cli::{Ask, CommandLine, Line, OwnSettings, Said, Unreadable, Variables};
use crate::providers::sign_in::{Check, SignInRules, credentials};

pub(super) static TOOL: Tool = Tool {
    name: "opencode",
    family: "opencode",
    vendor: "the provider that opencode is set up with",
    install: "get it with `npm install -g opencode-ai`",
    models: [None; 4],
    // It drops `max` without a word.
    efforts: Some(["low", "medium", "high", "high"]),
    features: &[Feature::Broker, Feature::SearchesWeb],
    limits: &[FOLLOWS_LINKS],
    environment: &[],
    session_variables: &["OPENCODE", "OPENCODE_PID"],
    project_folder: ".opencode",
    sign_in: SignInRules {
        keys: &["OPENCODE_API_KEY"],
        files: &[credentials("XDG_DATA_HOME", ".local/share", "opencode/auth.json", "\"type\"")],
        checks: &[Check::Settings(has_provider)],
        advice: "Run `opencode auth login`.",
    },
    own,
    keys,
    command,
    line,
    retrying,
    parse,
    host: HostRules {
        settings: [
            at("XDG_CONFIG_HOME", ".config", &["opencode/opencode.jsonc", "opencode/opencode.json"]),
            in_project("", &["opencode.jsonc", "opencode.json"]),
        ],
        format: SettingsFormat::Json("mcp"),
        entry: |program| json!({ "type": "local", "command": [program, "mcp"], "enabled": true }),
        // It has no command that removes a server.
        own_commands: None,
        command: [
            at("XDG_CONFIG_HOME", ".config", &["opencode/commands/debate.md"]),
            in_project(".opencode", &["commands/debate.md"]),
        ],
        command_text: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../opencode/debate.md")),
        call: "/debate",
    },
    agent: Agent {
        adapter: None,
        arguments: &["acp"],
        // No mode of its own holds the shell: the agent of ours in its settings does, with which its sessions begin.
        quirks: Quirks { restarts_answers: true, ..Quirks::NONE },
    },
};

/// An empty settings file that replaces the user's.
const CONFIG_FILE: &str = "config/opencode/opencode.json";

const AGENT: &str = "rebut";

/// The variable that holds settings for one run; what the user has put there is kept as far as it reaches the model.
const CONFIG: &str = "OPENCODE_CONFIG_CONTENT";

fn command(ask: &Ask<'_>) -> CommandLine {
    let scratch = |name: &str| ask.scratch.join(name).display().to_string();
    let line = CommandLine::new(ask.prompt.joined(), &["run", "--format", "json", "--title", ask.title])
        .with_option("--variant", ask.effort)
        .with(&["--agent", AGENT])
        .with_variable(CONFIG, config(ask).to_string())
        // Homes of its own: without the user's agents, tools, plugins and instructions, and nothing is remembered.
        .with_variable("XDG_CONFIG_HOME", scratch("config"))
        .with_variable("XDG_DATA_HOME", scratch("data"))
        .with_variable("XDG_STATE_HOME", scratch("state"))
        .with_variable("OPENCODE_TEST_HOME", scratch("home"))
        // An empty name would be that of the folder it runs in.
        .with_variable("OPENCODE_CONFIG_DIR", scratch("config/opencode"))
        .with_variable("OPENCODE_CONFIG", scratch(CONFIG_FILE))
        .with_variable("OPENCODE_PERMISSION", "{}")
        .with_file(CONFIG_FILE, "{}".to_owned())
        // Without the project's settings and its instructions to agents.
        .with_variable("OPENCODE_PURE", "1")
        .with_variable("OPENCODE_DISABLE_PROJECT_CONFIG", "1")
        .with_variable("OPENCODE_DISABLE_CLAUDE_CODE", "1")
        // Its log is the only place where it says that a provider fails.
        .with_variable("OPENCODE_PRINT_LOGS", "1")
        .with_variable("OPENCODE_LOG_LEVEL", "WARN");
    line.with_option("--model", ask.model)
}

/// How the user reaches the model, and our agent, which may only read.
fn config(ask: &Ask<'_>) -> Value {
    let [reading, searching] = [ask.reads_workspace, ask.searches_web].map(|may| if may { "allow" } else { "deny" });
    // It runs shell and edits unasked unless told otherwise, in its plan mode too. What an agent is allowed goes before
    // what all are.
    let permission = json!({
        "*": "deny", "edit": "deny", "bash": "deny", "webfetch": searching, "external_directory": "deny",
        "read": reading, "grep": reading, "glob": reading, "list": reading,
    });
    let agent = json!({ "mode": "primary", "description": "reads", "permission": permission });
    let mut config = ask.own.settings.clone();
    lay_over(
        &mut config,
        json!({
            // Over ACP it would send every prompt a second time to generate a title.
            "agent": { AGENT: agent, "title": { "disable": true } },
            "default_agent": AGENT, "permission": permission,
            "share": "disabled", "autoupdate": false, "snapshot": false,
        }),
    );
    config
}

/// What of its settings says how the model is reached; of several files the last one counts.
fn own(variable: &Variables<'_>) -> Result<OwnSettings, Unreadable> {
    let names = ["config.json", "opencode.json", "opencode.jsonc"];
    let usual = own_folder(variable, "XDG_CONFIG_HOME", ".config").map(|folder| folder.join("opencode"));
    let folders = usual.into_iter().chain(variable("OPENCODE_CONFIG_DIR").map(PathBuf::from));
    let mut files: Vec<PathBuf> = folders.flat_map(|folder| names.map(|name| folder.join(name))).collect();
    files.extend(variable("OPENCODE_CONFIG").map(PathBuf::from));
    let home = variable("HOME").unwrap_or_default();
    let mut settings = json!({});
    for file in files {
        let found = only(&settings_in(&file)?, &REACHING);
        lay_over(&mut settings, in_place(found, file.parent().unwrap_or(&file), Path::new(&home)));
    }
    let given = settings_of(&variable(CONFIG).unwrap_or_default(), || CONFIG.to_owned())?;
    // Those are good wherever they are read, but for the home, which will be another.
    lay_over(&mut settings, in_place(only(&given, &REACHING), Path::new(""), Path::new(&home)));
    let data = own_folder(variable, "XDG_DATA_HOME", ".local/share").unwrap_or_default();
    let state = own_folder(variable, "XDG_STATE_HOME", ".local/state").unwrap_or_default();
    let mut files = lent(&data, &[("data/opencode/auth.json", "opencode/auth.json")]);
    // It could use the keys of many vendors, and gets none as long as its provider is not known.
    let without_model = files.is_empty().then_some(
        "no provider is set up, so it gets no vendor's key; name its model (opencode:PROVIDER/MODEL) to pass that \
         provider's key on",
    );
    // The model that was used last is the one that is used if none is named.
    files.extend(lent(&state, &[("state/opencode/model.json", "opencode/model.json")]));
    let last = &settings_in(&state.join("opencode/model.json"))?["recent"][0];
    let last = last["providerID"].as_str().zip(last["modelID"].as_str()).map(|(of, model)| format!("{of}/{model}"));
    let model = settings["model"].as_str().map(str::to_owned).or(last);
    Ok(OwnSettings { settings, lent: files, model, without_model, ..OwnSettings::default() })
}

/// Its own variables, and the keys of the one provider whose model is asked.
fn keys(own: &OwnSettings, model: Option<&str>, _variable: &Variables<'_>) -> Vec<String> {
    let mut names = vec!["OPENCODE_*".to_owned()];
    let Some((provider, _)) = model.or(own.model.as_deref()).and_then(|model| model.split_once('/')) else { return names };
    let usual: &[&str] = match provider {
        "google" => &["GOOGLE_*", "GEMINI_*"],
        "google-vertex" | "google-vertex-anthropic" => &["GOOGLE_*", "CLOUDSDK_*"],
        "amazon-bedrock" => &["AWS_*"],
        "togetherai" => &["TOGETHER_*"],
        "fireworks-ai" => &["FIREWORKS_*"],
        "moonshotai" => &["MOONSHOT_*"],
        "zai" | "zhipuai" => &["ZHIPU_*"],
        "vercel" => &["AI_GATEWAY_*"],
        "huggingface" => &["HF_TOKEN"],
        _ => &[],
    };
    names.extend(usual.iter().map(|&name| name.to_owned()));
    if usual.is_empty() {
        names.push(format!("{}_*", provider.to_uppercase().replace('-', "_")));
    }
    // `{env:NAME}` in the settings of the provider means the value of a variable.
    let settings = own.settings["provider"][provider].to_string();
    let variables = settings.split("{env:").skip(1).filter_map(|rest| rest.split('}').next());
    names.extend(variables.map(str::to_owned));
    names
}

/// What of its settings says how the model is reached.
const REACHING: [&str; 6] = ["provider", "model", "small_model", "disabled_providers", "enabled_providers", "enterprise"];

/// The same settings, good in another folder: `{file:PATH}` means the content of a file beside them.
fn in_place(mut settings: Value, folder: &Path, home: &Path) -> Value {
    change_texts(&mut settings, &|text| {
        let mut pieces = text.split("{file:");
        let first = pieces.next().unwrap_or_default().to_owned();
        pieces.fold(first, |placed, piece| {
            let path = piece.strip_prefix("~/").map_or_else(|| folder.join(piece), |rest| home.join(rest));
            format!("{placed}{{file:{}", path.display())
        })
    });
    settings
}

fn line(event: &Value) -> Line {
    let part = &event["part"];
    match event["type"].as_str() {
        Some("step_start") => Line::Idle,
        // A step that ends neither well nor for a tool is begun again without end.
        Some("step_finish") if part["reason"] != "tool-calls" => Line::Last,
        Some("text") => Line::text(&part["text"]),
        Some("tool_use") => Line::activity(&part["tool"]),
        _ => Line::News(Vec::new()),
    }
}

/// It retries without end, and reports that only in its log.
fn retrying(line: &str) -> Option<Failure> {
    // It also asks a small model for a title, which is no part of the debate.
    let is_answer = line.contains(r#"message="stream error""#) && !line.contains("small=true");
    is_answer.then(|| by_log(line))
}

/// The failure in a line of its log, which names no status.
fn by_log(line: &str) -> Failure {
    let (_, error) = line.split_once("error.error=").unwrap_or_default();
    let message = error.trim_matches('"');
    let failure = by_words(message);
    // What it tries again is what the provider may get over.
    if failure.cause == Cause::Exit { Failure::new(Cause::Unavailable, message) } else { failure }
}

fn parse(said: &Said<'_>) -> Result<Answer, Failure> {
    let events = Events::of(said.stdout);
    let steps: Vec<&Value> = events.all("step_finish").collect();
    let reason = steps.last().map_or(&Value::Null, |step| &step["part"]["reason"]);
    let usage = usage(&steps);
    let failed = |failure: Failure| Err(Failure { usage, ..failure });
    if let Some(error) = events.last("error") {
        let data = &error["error"]["data"];
        let message = data["message"].as_str().or(error["error"]["name"].as_str()).unwrap_or_default();
        return failed(by(&data["statusCode"], message));
    }
    if said.exit.is_some_and(|code| code != 0) {
        return Err(by_exit(said));
    }
    if let Some(failure) = said.stderr.lines().rev().find_map(retrying).filter(|_| reason != "stop") {
        return failed(failure);
    }
    if reason == "content-filter" {
        return failed(Failure::new(Cause::Refused, "the provider's content filter stopped it"));
    }
    if reason != "stop" {
        return failed(events.cut_short("the last step did not finish"));
    }
    let texts = events.all("text").filter_map(|event| event["part"]["text"].as_str());
    let text = texts.collect::<Vec<_>>().join("\n\n");
    // It does not say which model answered.
    answer(&text, None, usage, events.0[0]["sessionID"].as_str())
}

fn usage(steps: &[&Value]) -> Usage {
    if steps.is_empty() {
        return Usage::default();
    }
    let sum = |of: &dyn Fn(&Value) -> u64| steps.iter().map(|step| of(&step["part"]["tokens"])).fold(0, u64::saturating_add);
    let all = |counts: &[&Value]| counts.iter().filter_map(|count| count.as_u64()).fold(0, u64::saturating_add);
    let cost: f64 = steps.iter().filter_map(|step| step["part"]["cost"].as_f64()).sum();
    Usage {
        input_tokens: Some(sum(&|t| all(&[&t["input"], &t["cache"]["read"], &t["cache"]["write"]]))),
        output_tokens: Some(sum(&|t| all(&[&t["output"], &t["reasoning"]]))),
        // It reports nothing as the cost of models whose price it does not know.
        cost: Some(cost).filter(|cost| *cost > 0.0).and_then(Cost::from_dollars),
    }
}

/// Its own models need no account, and it says nothing of providers that are in its settings.
fn has_provider(own: &OwnSettings, _variable: &Variables<'_>, keys: &[String]) -> Option<bool> {
    let is_own = own.model.as_deref().is_some_and(|model| model.starts_with("opencode/"));
    let keys: Vec<&String> = keys.iter().filter(|name| !name.starts_with("OPENCODE")).collect();
    let has_key = || inherited(&keys).iter().any(|(_, value)| !value.is_empty());
    (own.settings["provider"].is_null() && !is_own).then(has_key)
}

//! The agents that speak ACP, one entry each: what to start, and what each does in its own way.
//!
//! Variables that a tool's command line sets for every run (no retries of its own, no edits, no telemetry) are set for
//! its agent too; they stand in the tool's file in `cli/`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::config::ToolSettings;
use crate::process::inherited;
use crate::providers::cli::reading::settings_of;
use crate::providers::cli::{Own, Unreadable, Variables, claude};
use crate::workspace::read_given;

/// An agent that rebut knows by name.
#[derive(Clone, Copy, Debug)]
pub struct AcpAgent {
    /// The tool that it stands for.
    pub name: &'static str,
    /// The program.
    pub program: &'static str,
    /// What makes the program an agent.
    pub arguments: &'static [&'static str],
    /// How to get it, as the rest of a sentence.
    pub install: &'static str,
    /// The variable that names the tool's own program, where the agent is another one which starts it.
    pub tool_variable: Option<&'static str>,
    /// What it does in its own way.
    pub manners: Manners,
}

/// What is known when an agent is started.
#[derive(Clone, Copy)]
pub struct Start<'a> {
    /// What of the person's own settings counts.
    pub own: &'a Own,
    /// The word for how hard to think; `None` says nothing.
    pub effort: Option<&'a str>,
    /// Whether it may read the files of its folder.
    pub reads_workspace: bool,
    /// What a variable of the environment holds.
    pub variable: &'a Variables<'a>,
}

/// Variables with what they hold.
pub type NamedValues = Vec<(&'static str, String)>;

/// What an agent does in its own way. Everything else is asked of the session that it opens.
#[derive(Clone, Copy, Debug)]
pub struct Manners {
    /// The mode in which it asks before it writes. A session that does not offer it is not used.
    pub mode: Option<&'static str>,
    /// Its words for low, medium, high and max effort.
    pub efforts: [&'static str; 4],
    /// The variable that names its model, where sessions offer no choice.
    pub model_variable: Option<&'static str>,
    /// Variables beside those of its command line.
    pub variables: fn(&Start<'_>) -> Result<NamedValues, Unreadable>,
    /// Arguments beside those that make it an agent.
    pub arguments: fn(&Start<'_>) -> Vec<String>,
    /// What a session is opened with beside its folder, given the person's settings and whether it may read there.
    pub session_meta: fn(&Own, bool) -> Option<Value>,
    /// Whether it replaces `@path` in a prompt by the file.
    pub expands_paths: bool,
    /// How remarks of the program itself begin, which arrive like a part of the answer but belong to no message.
    pub remarks: &'static [&'static str],
    /// Whether a failed call ends like an answered one: with an `Error: …` as its text, and without usage.
    pub tells_errors: bool,
    /// Whether an answer for which it counts no token at all is one that broke off.
    pub counts_answers: bool,
    /// Whether it asks again and again for an answer that broke off: each is a message of its own, with no tool between.
    pub starts_over: bool,
    /// Whether it tells every word and thought of its model as it comes.
    pub streams: bool,
    /// Whether it sends each prompt a second time to have a title made of it, unless its session is given one.
    pub makes_titles: bool,
    /// What it can do over ACP although a debate is told not to, where its command line can be held.
    pub cannot_be_held: Option<&'static str>,
    /// What of the project reaches its model over ACP and not over its command line.
    pub also_reads: Option<&'static str>,
    /// What of the repository it would start or run, which no switch turns off: a folder that has such a file, in which this
    /// word may be, is refused.
    pub starts: &'static [(&'static str, &'static str)],
    /// Variables of rebut's environment that it needs, where it has no command line that tells them.
    pub keys: &'static [&'static str],
    /// What to do when it is not signed in.
    pub sign_in: &'static str,
}

/// The largest file in which a word is looked for; a larger one counts as having it.
const MOST_READ: u64 = 1 << 20;

/// What is said of an agent that starts what a repository brings along.
pub const STARTS: &str = "it would start the repository's own hooks or MCP servers";

/// What is said of an agent whose sessions cannot be given a title.
pub const MAKES_TITLES: &str = "over ACP this version of its agent sends each prompt a second time to generate a title, and \
     those tokens are not counted; update the agent or use --transport cli";

impl Manners {
    /// What a person should know of it, in plain words.
    pub fn limits(&self) -> Vec<String> {
        let held = self.cannot_be_held.map(|what| format!("over ACP {what}"));
        let reads = self.also_reads.map(|what| format!("over ACP it also reads {what}"));
        let refuses =
            (!self.starts.is_empty()).then(|| format!("over ACP {STARTS}, so that one which brings some is refused"));
        held.into_iter().chain(reads).chain(refuses).collect()
    }

    /// What of the repository around a folder it would start.
    pub(in crate::providers) fn starts_in(&self, folder: &Path) -> Option<&'static str> {
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        // What lies above a folder that is in no repository is the person's own.
        let places = 1 + folder.ancestors().position(|place| place.join(".git").exists()).unwrap_or(0);
        let has = |place: &Path, name: &str, word: &str| {
            let file = place.join(name);
            // JSON can spell any word by escapes, and what cannot be read here the agent may be able to read.
            let may_say = || match read_given(&file, MOST_READ) {
                Ok(text) => [word, "\\u"].iter().any(|sign| String::from_utf8_lossy(&text).contains(sign)),
                Err(_) => true,
            };
            file.exists() && !is_only_last_debate(&file) && (word.is_empty() || may_say())
        };
        let found = |(name, word): &&(&str, &str)| folder.ancestors().take(places).any(|place| has(place, name, word));
        self.starts.iter().find(found).map(|(name, _)| *name)
    }

    /// Those of an agent that nothing is known about.
    pub const UNKNOWN: Self = Self {
        mode: None,
        efforts: ["low", "medium", "high", "max"],
        model_variable: None,
        variables: |_| Ok(Vec::new()),
        arguments: |_| Vec::new(),
        session_meta: |_, _| None,
        expands_paths: false,
        remarks: &[],
        tells_errors: false,
        counts_answers: false,
        starts_over: false,
        streams: false,
        makes_titles: false,
        cannot_be_held: None,
        also_reads: None,
        starts: &[],
        keys: &[],
        sign_in: "Sign in with the agent's own program.",
    };
}

/// One entry an agent, in the order of the tools.
pub const AGENTS: [AcpAgent; 6] = [
    AcpAgent {
        name: "claude",
        program: "claude-agent-acp",
        arguments: &[],
        install: "get it with `npm install -g @agentclientprotocol/claude-agent-acp`",
        tool_variable: Some("CLAUDE_CODE_EXECUTABLE"),
        manners: Manners {
            // The person's own settings may begin in a mode that edits.
            mode: Some("default"),
            variables: |_| Ok(if is_root() { vec![("IS_SANDBOX", "1".to_owned())] } else { Vec::new() }),
            session_meta: |own, reads| Some(claude_options(own, reads)),
            expands_paths: true,
            remarks: &["**Warning:**"],
            streams: true,
            sign_in: "Run `claude` and sign in with /login, or set ANTHROPIC_API_KEY.",
            ..Manners::UNKNOWN
        },
    },
    AcpAgent {
        name: "codex",
        program: "codex-acp",
        arguments: &[],
        install: "get it with `npm install -g @agentclientprotocol/codex-acp`",
        tool_variable: Some("CODEX_PATH"),
        manners: Manners {
            // Its own default writes unasked.
            mode: Some("read-only"),
            efforts: ["low", "medium", "high", "xhigh"],
            variables: |start| Ok(vec![(CODEX_CONFIG, codex_config(start)?)]),
            remarks: &["Warning: "],
            makes_titles: true,
            // Its permission profiles can be set by flags alone, which the adapter does not pass on.
            cannot_be_held: Some("it can read files outside of the workspace"),
            // The adapter has it trust every folder.
            starts: &[(".codex", "")],
            sign_in: "Run `codex login`.",
            ..Manners::UNKNOWN
        },
    },
    AcpAgent {
        name: "gemini",
        program: "gemini",
        arguments: &["--acp"],
        install: "get it with `npm install -g @google/gemini-cli`",
        tool_variable: None,
        manners: Manners {
            mode: Some("default"),
            expands_paths: true,
            remarks: &["[MODE_UPDATE]"],
            counts_answers: true,
            sign_in: "Run `gemini` and sign in, or set GEMINI_API_KEY.",
            ..Manners::UNKNOWN
        },
    },
    AcpAgent {
        name: "opencode",
        program: "opencode",
        arguments: &["acp"],
        install: "get it with `npm install -g opencode-ai`",
        tool_variable: None,
        manners: Manners {
            // It drops `max` without a word. No mode of its own holds the shell: the agent of ours in its settings does, with
            // which its sessions begin.
            efforts: ["low", "medium", "high", "high"],
            starts_over: true,
            sign_in: "Run `opencode auth login`.",
            ..Manners::UNKNOWN
        },
    },
    AcpAgent {
        name: "copilot",
        program: "copilot",
        arguments: &["--acp", "--no-custom-instructions", "--disable-builtin-mcps"],
        install: "get it with `npm install -g @github/copilot`",
        tool_variable: None,
        manners: Manners {
            mode: Some("agent"),
            model_variable: Some("COPILOT_MODEL"),
            arguments: copilot_arguments,
            also_reads: Some("the project's instructions to agents"),
            starts: &[
                (".github/hooks", ""),
                (".github/copilot/settings.json", "hooks"),
                (".github/copilot/settings.local.json", "hooks"),
                (".claude/settings.json", "hooks"),
            ],
            remarks: &[
                "Info: Disabled tools:",
                "Info: Request failed",
                "Info: Operation cancelled",
                "Error: No response was returned.",
            ],
            tells_errors: true,
            sign_in: "Run `copilot login`, or set COPILOT_PROVIDER_API_KEY.",
            ..Manners::UNKNOWN
        },
    },
    // Built from the protocol alone: nobody here has seen it answer.
    AcpAgent {
        name: "kiro",
        program: "kiro-cli",
        arguments: &["acp"],
        install: "get it from https://kiro.dev",
        tool_variable: None,
        manners: Manners { keys: &["KIRO_*"], sign_in: "Run `kiro-cli login`.", ..Manners::UNKNOWN },
    },
];

/// The agent of this tool.
pub fn agent(name: &str) -> Option<&'static AcpAgent> {
    AGENTS.iter().find(|agent| agent.name == name)
}

/// An agent to start: one of the list, or a command of the person's own.
#[derive(Clone, Debug)]
pub struct AcpCommand {
    /// Its name in plans, limits and failures.
    pub name: String,
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// Variables beside those that it may see of this process.
    pub variables: Vec<(OsString, OsString)>,
    /// What it does in its own way.
    pub manners: Manners,
}

impl AcpCommand {
    /// A command of the person's own, in words: the program and its arguments. No shell reads them.
    pub fn of_words(name: &str, words: &[String]) -> Option<Self> {
        let (program, arguments) = words.split_first()?;
        Some(Self {
            name: name.to_owned(),
            program: program.into(),
            arguments: arguments.iter().map(OsString::from).collect(),
            variables: Vec::new(),
            manners: Manners::UNKNOWN,
        })
    }
}

impl AcpAgent {
    /// This agent, where its program is, with what the person says of the tool: its own program, and variables that it
    /// may see.
    pub fn command_with(&self, program: PathBuf, settings: &ToolSettings) -> AcpCommand {
        let of_tool = settings.program.as_ref();
        let variables = self.tool_variable.zip(of_tool).map(|(name, of_tool)| (name.into(), of_tool.into()));
        let variables = inherited(&settings.env).into_iter().chain(variables).collect();
        AcpCommand { variables, ..self.command(program) }
    }

    /// This agent, where its program is.
    pub fn command(&self, program: PathBuf) -> AcpCommand {
        AcpCommand {
            name: self.name.to_owned(),
            program,
            arguments: self.arguments.iter().map(OsString::from).collect(),
            variables: Vec::new(),
            manners: self.manners,
        }
    }
}

/// Only tools that read, no settings but ours, no MCP servers, and nothing is remembered.
fn claude_options(own: &Own, reads: bool) -> Value {
    let tools = if reads { json!(["Read", "Glob", "Grep"]) } else { json!([]) };
    let options = json!({
        "tools": tools, "settingSources": [], "settings": claude::settings(own), "strictMcpConfig": true,
        "persistSession": false,
        // Without a title it sends every prompt a second time to have one made.
        "title": "rebut",
    });
    json!({ "claudeCode": { "options": options } })
}

/// What the command line sets by flags: neither the project's instructions nor MCP servers nor programs to notify, and
/// no keys in the environment of what it runs. The person's own stays.
fn codex_config(start: &Start<'_>) -> Result<String, Unreadable> {
    let own = settings_of(&(start.variable)(CODEX_CONFIG).unwrap_or_default(), || CODEX_CONFIG.to_owned())?;
    let mut config = if own.is_null() { json!({}) } else { own };
    for (key, value) in [
        ("project_doc_max_bytes", json!(0)),
        ("notify", json!([])),
        ("analytics", json!({ "enabled": false })),
        ("shell_environment_policy", json!({ "inherit": "core" })),
    ] {
        config[key] = value;
    }
    // An empty table would turn the switches off with which each of the person's servers is turned off.
    config.as_object_mut().and_then(|config| config.remove("mcp_servers"));
    for server in &start.own.servers {
        config[format!("mcp_servers.{server}.enabled")] = json!(false);
    }
    Ok(config.to_string())
}

/// The variable in which codex's agent finds settings.
const CODEX_CONFIG: &str = "CODEX_CONFIG";

fn copilot_arguments(start: &Start<'_>) -> Vec<String> {
    let tools: &[&str] = if start.reads_workspace { &["view", "grep", "glob"] } else { &["none"] };
    let effort = start.effort.map(|effort| ["--reasoning-effort", effort]).into_iter().flatten();
    let words = effort.chain(["--available-tools"]).chain(tools.iter().copied());
    words.map(str::to_owned).collect()
}

/// Whether a folder holds nothing but the debate that rebut leaves there for the tool.
fn is_only_last_debate(folder: &Path) -> bool {
    let only = |folder: &Path, is_meant: fn(&str) -> bool| {
        let mut entries = std::fs::read_dir(folder).into_iter().flatten().flatten().peekable();
        entries.peek().is_some() && entries.all(|entry| entry.file_name().to_str().is_some_and(is_meant))
    };
    only(folder, |name| name == "debate") && only(&folder.join("debate"), |name| name.contains("last-debate"))
}

/// As root claude starts only where it is told that this is meant.
#[cfg(unix)]
fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

#[cfg(not(unix))]
fn is_root() -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::providers::TOOLS;

    #[test]
    fn every_tool_has_an_agent_and_every_agent_a_tool() {
        assert_eq!(AGENTS.map(|agent| agent.name), TOOLS.map(|tool| tool.name));
    }

    #[test]
    fn an_agent_would_start_what_the_repository_brings_along_and_nothing_around_it() {
        let around = tempfile::tempdir().unwrap();
        let inside = around.path().join("repository/deep");
        std::fs::create_dir_all(&inside).unwrap();
        let starts = |name: &str| agent(name).unwrap().manners.starts_in(&inside);
        assert_eq!(starts("copilot"), None);
        std::fs::create_dir(around.path().join("repository/.git")).unwrap();
        let hooks = around.path().join("repository/.github/hooks");
        std::fs::create_dir_all(&hooks).unwrap();
        assert_eq!(starts("copilot"), Some(".github/hooks"));
        assert_eq!(starts("gemini"), None, "others do not run them");
        std::fs::remove_dir(&hooks).unwrap();
        let settings = around.path().join("repository/.claude/settings.json");
        std::fs::create_dir_all(settings.parent().unwrap()).unwrap();
        for (text, found) in [
            (r#"{"model": "opus"}"#, None),
            (r#"{"hooks": {}}"#, Some(".claude/settings.json")),
            (r#"{"\u0068ooks": {}}"#, Some(".claude/settings.json")),
        ] {
            std::fs::write(&settings, text).unwrap();
            assert_eq!(starts("copilot"), found, "{text}");
        }
        std::fs::remove_file(&settings).unwrap();
        #[cfg(unix)]
        {
            // A pipe is not waited for.
            use rustix::fs::{CWD, Mode, mkfifoat};
            mkfifoat(CWD, &settings, Mode::RUSR | Mode::WUSR).unwrap();
            assert_eq!(starts("copilot"), Some(".claude/settings.json"));
            std::fs::remove_file(&settings).unwrap();
        }
        // What lies around the repository is none of its.
        std::fs::create_dir_all(around.path().join(".github/hooks")).unwrap();
        assert_eq!(starts("copilot"), None);
        std::fs::remove_dir(around.path().join("repository/.git")).unwrap();
        assert_eq!(starts("copilot"), None);
    }

    #[test]
    fn codex_keeps_the_persons_own_settings_beside_ours() {
        let own = Own { servers: vec!["spy".to_owned()], ..Own::default() };
        let config = |variable: &Variables<'_>| -> Value {
            let start = Start { own: &own, effort: Some("low"), reads_workspace: true, variable };
            serde_json::from_str(&codex_config(&start).unwrap()).unwrap()
        };
        let mine = config(&|_: &str| Some(r#"{"model_provider":"mine","mcp_servers":{"x":{}}}"#.to_owned()));
        assert_eq!((&mine["model_provider"], &mine["mcp_servers"]), (&json!("mine"), &Value::Null));
        assert_eq!(mine["mcp_servers.spy.enabled"], false);
        assert_eq!(mine["shell_environment_policy"], json!({ "inherit": "core" }));
        assert_eq!(config(&|_| None)["notify"], json!([]));
        let broken = |_: &str| Some("{ no JSON".to_owned());
        let start = Start { own: &own, effort: None, reads_workspace: true, variable: &broken };
        assert!(codex_config(&start).unwrap_err().to_string().starts_with("CODEX_CONFIG cannot be read: "));
    }
}

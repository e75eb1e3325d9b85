//! The agents that speak ACP, one entry each: what to start, and what each does in its own way.
//!
//! Variables that a tool's command line sets for every run (no retries of its own, no edits, no telemetry) are set for
//! its agent too; they stand in the tool's file in `cli/`.

use std::ffi::OsString;
use std::path::PathBuf;

use serde_json::{Value, json};

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
    /// What it does in its own way.
    pub manners: Manners,
}

/// What a variable of the environment holds.
pub type Environment<'a> = dyn Fn(&str) -> Option<String> + 'a;

/// What an agent does in its own way. Everything else is asked of the session that it opens.
#[derive(Clone, Copy, Debug)]
pub struct Manners {
    /// The mode in which it asks before it writes. A session that does not offer it is not used.
    pub mode: Option<&'static str>,
    /// Its words for low, medium, high and max effort.
    pub efforts: [&'static str; 4],
    /// The variable that names its model, where sessions offer no choice.
    pub model_variable: Option<&'static str>,
    /// Variables beside those of its command line, given what a variable holds now.
    pub variables: fn(&Environment<'_>) -> Vec<(&'static str, String)>,
    /// What a session is opened with beside its folder, given whether it may read there.
    pub session_meta: fn(bool) -> Option<Value>,
    /// Whether it replaces `@path` in a prompt by the file.
    pub expands_paths: bool,
    /// How remarks of the program itself begin, which arrive like a part of the answer but belong to no message.
    pub remarks: &'static [&'static str],
    /// Whether a failed call ends like an answered one: with an `Error: …` as its text, and without usage.
    pub tells_errors: bool,
    /// What to do when it is not signed in.
    pub sign_in: &'static str,
}

impl Manners {
    /// Those of an agent that nothing is known about.
    pub const UNKNOWN: Self = Self {
        mode: None,
        efforts: ["low", "medium", "high", "max"],
        model_variable: None,
        variables: |_| Vec::new(),
        session_meta: |_| None,
        expands_paths: false,
        remarks: &[],
        tells_errors: false,
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
        manners: Manners {
            // The person's own settings may begin in a mode that edits.
            mode: Some("default"),
            variables: |_| if is_root() { vec![("IS_SANDBOX", "1".to_owned())] } else { Vec::new() },
            session_meta: |reads| Some(claude_options(reads)),
            expands_paths: true,
            remarks: &["**Warning:**"],
            sign_in: "Run `claude` and sign in with /login, or set ANTHROPIC_API_KEY.",
            ..Manners::UNKNOWN
        },
    },
    AcpAgent {
        name: "codex",
        program: "codex-acp",
        arguments: &[],
        install: "get it with `npm install -g @agentclientprotocol/codex-acp`",
        manners: Manners {
            // Its own default writes unasked.
            mode: Some("read-only"),
            efforts: ["low", "medium", "high", "xhigh"],
            variables: |variable| vec![("CODEX_CONFIG", codex_config(variable))],
            remarks: &["Warning: "],
            sign_in: "Run `codex login`.",
            ..Manners::UNKNOWN
        },
    },
    AcpAgent {
        name: "gemini",
        program: "gemini",
        arguments: &["--acp", "--skip-trust"],
        install: "get it with `npm install -g @google/gemini-cli`",
        manners: Manners {
            mode: Some("default"),
            expands_paths: true,
            remarks: &["[MODE_UPDATE]"],
            sign_in: "Run `gemini` and sign in, or set GEMINI_API_KEY.",
            ..Manners::UNKNOWN
        },
    },
    AcpAgent {
        name: "opencode",
        program: "opencode",
        arguments: &["acp"],
        install: "get it with `npm install -g opencode-ai`",
        manners: Manners {
            // It drops `max` without a word. No mode of it holds the shell: its settings do.
            efforts: ["low", "medium", "high", "high"],
            sign_in: "Run `opencode auth login`.",
            ..Manners::UNKNOWN
        },
    },
    AcpAgent {
        name: "copilot",
        program: "copilot",
        arguments: &["--acp", "--no-custom-instructions", "--available-tools", "view", "grep", "glob"],
        install: "get it with `npm install -g @github/copilot`",
        manners: Manners {
            mode: Some("agent"),
            model_variable: Some("COPILOT_MODEL"),
            remarks: &["Info: Disabled tools:", "Info: Request failed", "Info: Operation cancelled"],
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
        manners: Manners { sign_in: "Run `kiro-cli login`.", ..Manners::UNKNOWN },
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
    /// Variables beside those of this process.
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

/// Only tools that read, and neither the project's settings nor hooks nor MCP servers. The person's own settings stay:
/// they may hold how to reach the model.
fn claude_options(reads: bool) -> Value {
    let tools = if reads { json!(["Read", "Glob", "Grep"]) } else { json!([]) };
    let options = json!({
        "tools": tools, "settingSources": ["user"], "settings": { "disableAllHooks": true }, "strictMcpConfig": true,
    });
    json!({ "claudeCode": { "options": options } })
}

/// What the command line sets by flags: neither the project's instructions nor MCP servers. The person's own stays.
fn codex_config(variable: &Environment<'_>) -> String {
    let own = variable("CODEX_CONFIG").and_then(|own| serde_json::from_str::<Value>(&own).ok());
    let mut config = own.filter(Value::is_object).unwrap_or_else(|| json!({}));
    for (key, value) in
        [("project_doc_max_bytes", json!(0)), ("mcp_servers", json!({})), ("analytics", json!({ "enabled": false }))]
    {
        config[key] = value;
    }
    config.to_string()
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
    fn codex_keeps_the_persons_own_settings_beside_ours() {
        let own = |_: &str| Some(r#"{"model_provider":"mine","mcp_servers":{"x":{}}}"#.to_owned());
        let config: Value = serde_json::from_str(&codex_config(&own)).unwrap();
        assert_eq!((&config["model_provider"], &config["mcp_servers"]), (&json!("mine"), &json!({})));
        assert!(serde_json::from_str::<Value>(&codex_config(&|_| Some("no JSON".to_owned()))).is_ok());
    }
}

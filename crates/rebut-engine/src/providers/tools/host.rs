//! What `rebut install` must know of a tool: where it lists its MCP servers, and where it looks for the `debate` command.

use serde_json::{Value, json};

/// The skill, which most tools read as it is.
pub(super) const SKILL: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../skills/debate/SKILL.md"));
pub(super) const SKILL_FILE: &str = "skills/debate/SKILL.md";

/// How a tool is set up to call rebut. Of two places the first is the user's and the second a project's.
#[derive(Debug)]
pub struct HostRules {
    pub settings: [Place; 2],
    pub format: SettingsFormat,
    /// The entry of the server, given the program to start.
    pub entry: fn(program: &str) -> Value,
    /// Arguments with which the tool adds and removes the server itself, where it can do both. `{scope}` stands for `user`
    /// or `project`, `{program}` for the program; without `{scope}` they change the user's settings only.
    pub own_commands: Option<[&'static [&'static str]; 2]>,
    pub command: [Place; 2],
    pub command_text: &'static str,
    pub call: &'static str,
}

#[derive(Debug)]
pub struct Place {
    pub variable: &'static str,
    /// The folder below home, or in the project, without that variable.
    pub folder: &'static str,
    /// The file in it: the first that exists, otherwise the last.
    pub files: &'static [&'static str],
}

/// How settings are written, and the key that the servers are below.
#[derive(Clone, Copy, Debug)]
pub enum SettingsFormat {
    /// JSON, with comments or without.
    Json(&'static str),
    Toml(&'static str),
}

/// A place below home, or below the folder that a variable names.
pub(super) const fn at(variable: &'static str, folder: &'static str, files: &'static [&'static str]) -> Place {
    Place { variable, folder, files }
}

pub(super) const fn in_project(folder: &'static str, files: &'static [&'static str]) -> Place {
    Place { variable: "", folder, files }
}

/// The commands of a tool that takes the server's program after dashes.
pub(super) const AFTER_DASHES: [&[&str]; 2] =
    [&["add", "-s", "{scope}", "rebut", "--", "{program}", "mcp"], &["remove", "-s", "{scope}", "rebut"]];

pub(super) fn stdio_entry(program: &str) -> Value {
    json!({ "type": "stdio", "command": program, "args": ["mcp"] })
}

/// Variables that a tool which starts servers with few of them must pass on: the nesting depth, where debates and settings
/// are, and what the tools in a debate sign in with.
pub(super) fn passed_on() -> Vec<&'static str> {
    let own = ["REBUT_DEPTH", "REBUT_CHILD", "REBUT_STATE_DIR", "REBUT_MODEL_DIR"];
    let folders = ["XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"];
    let of_tools = super::TOOLS.into_iter().flat_map(|tool| {
        let places = tool.sign_in.files.iter().map(|file| file.variable);
        places.chain(tool.sign_in.keys.iter().copied())
    });
    let mut names: Vec<&str> = own.into_iter().chain(folders).collect();
    for name in of_tools {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

//! The tools that rebut knows by name, in the order in which they are preferred.

use std::path::PathBuf;

/// An AI tool that people have on their machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tool {
    /// Its name on the command line of rebut.
    pub name: &'static str,
    /// The program.
    pub program: &'static str,
    /// The vendor behind the models it uses unless told otherwise.
    pub family: &'static str,
    /// How to get it, as the rest of a sentence.
    pub install: &'static str,
}

/// One line a tool.
pub const TOOLS: [Tool; 6] = [
    tool("claude", "claude", "anthropic", "get it with `npm install -g @anthropic-ai/claude-code`"),
    tool("codex", "codex", "openai", "get it with `npm install -g @openai/codex`"),
    tool("gemini", "gemini", "google", "get it with `npm install -g @google/gemini-cli`"),
    tool("opencode", "opencode", "opencode", "get it with `npm install -g opencode-ai`"),
    tool("copilot", "copilot", "github", "get it with `npm install -g @github/copilot`"),
    tool("kiro", "kiro-cli", "amazon", "get it from https://kiro.dev"),
];

/// Where the tool's program is, if it is on the search path.
pub fn detect(tool: &Tool) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(tool.program)).find(|file| is_program(file))
}

const fn tool(name: &'static str, program: &'static str, family: &'static str, install: &'static str) -> Tool {
    Tool { name, program, family, install }
}

#[cfg(unix)]
fn is_program(file: &std::path::Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata().is_ok_and(|there| there.is_file() && there.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(file: &std::path::Path) -> bool {
    file.is_file()
}

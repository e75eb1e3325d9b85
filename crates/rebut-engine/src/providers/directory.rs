//! The tools that rebut knows by name, in the order in which they are preferred.

use std::path::PathBuf;

use rebut_core::debate::Effort;

use crate::config::ToolsSettings;

/// An AI tool that people have on their machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tool {
    /// Its name on the command line of rebut.
    pub name: &'static str,
    /// The program.
    pub program: &'static str,
    /// The vendor behind the models it uses unless told otherwise.
    pub family: &'static str,
    /// Who gets what it is told.
    pub vendor: &'static str,
    /// The variable that holds its key.
    pub key: &'static str,
    /// Its models for low, medium, high and max effort; `None` leaves the choice to the tool.
    pub models: [Option<&'static str>; 4],
    /// How to get it, as the rest of a sentence.
    pub install: &'static str,
    /// What it can do although a debate is told not to: as far as was seen, nothing can keep it from that.
    pub cannot_be_held: Option<&'static str>,
    /// Whether it reads through links that lead out of the workspace.
    pub follows_links: bool,
    /// What of the project reaches its model beside the debate's own words, where that cannot be turned off.
    pub also_reads: Option<&'static str>,
    /// What of the person's own setup it starts, where that cannot be turned off.
    pub also_starts: Option<&'static str>,
}

/// What is said of a tool that reads through links. A workspace that is read as the copy of a pin has none of them.
pub const FOLLOWS_LINKS: &str = "it reads through links that lead out of the workspace, where it is not read as a copy";

/// One entry a tool.
pub const TOOLS: [Tool; 6] = [
    Tool {
        name: "claude",
        program: "claude",
        family: "anthropic",
        vendor: "Anthropic",
        key: "ANTHROPIC_API_KEY",
        models: [Some("haiku"), Some("sonnet"), Some("opus"), Some("opus")],
        install: "get it with `npm install -g @anthropic-ai/claude-code`",
        cannot_be_held: None,
        follows_links: false,
        also_reads: None,
        also_starts: None,
    },
    Tool {
        name: "codex",
        program: "codex",
        family: "openai",
        vendor: "OpenAI",
        key: "OPENAI_API_KEY",
        models: [None; 4],
        install: "get it with `npm install -g @openai/codex`",
        cannot_be_held: None,
        follows_links: false,
        also_reads: None,
        also_starts: None,
    },
    Tool {
        name: "gemini",
        program: "gemini",
        family: "google",
        vendor: "Google",
        key: "GEMINI_API_KEY",
        models: [Some("flash"), Some("flash"), Some("pro"), Some("pro")],
        install: "get it with `npm install -g @google/gemini-cli`",
        cannot_be_held: None,
        follows_links: false,
        also_reads: None,
        also_starts: None,
    },
    Tool {
        name: "opencode",
        program: "opencode",
        family: "opencode",
        vendor: "the provider that opencode is set up with",
        key: "OPENCODE_API_KEY",
        models: [None; 4],
        install: "get it with `npm install -g opencode-ai`",
        cannot_be_held: None,
        follows_links: true,
        also_reads: None,
        also_starts: None,
    },
    Tool {
        name: "copilot",
        program: "copilot",
        family: "github",
        vendor: "GitHub",
        key: "COPILOT_PROVIDER_API_KEY",
        models: [None; 4],
        install: "get it with `npm install -g @github/copilot`",
        cannot_be_held: None,
        follows_links: false,
        also_reads: None,
        also_starts: None,
    },
    Tool {
        name: "kiro",
        program: "kiro-cli",
        family: "amazon",
        vendor: "Amazon",
        key: "KIRO_API_KEY",
        models: [None; 4],
        install: "get it from https://kiro.dev",
        cannot_be_held: Some("whether it stays inside the workspace has not been tried"),
        follows_links: false,
        also_reads: None,
        also_starts: None,
    },
];

impl Tool {
    /// What a person should know of what it does beside what it is told, in plain words.
    pub fn limits(&self) -> Vec<String> {
        let reads = self.also_reads.map(|what| format!("it also reads {what}"));
        let starts = self.also_starts.map(|what| format!("it also starts {what}"));
        let follows = self.follows_links.then(|| FOLLOWS_LINKS.to_owned());
        self.cannot_be_held.map(str::to_owned).into_iter().chain(follows).chain(reads).chain(starts).collect()
    }

    /// The model that an effort asks for.
    pub fn model_for(&self, effort: Effort) -> Option<&'static str> {
        self.models[effort as usize]
    }
}

/// Where the tool's program is: the one that the user named, else the first on the search path.
pub fn detect(tool: &Tool, settings: &ToolsSettings) -> Option<PathBuf> {
    match settings.get(tool.name).and_then(|own| own.program.as_ref()) {
        Some(named) => Some(PathBuf::from(named)).filter(|file| is_program(file)),
        None => find_program(tool.program),
    }
}

/// Where a program is, if it is on the search path.
///
/// A folder of the search path that is not absolute is passed over: it would be one of the project's.
pub fn find_program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let folders = std::env::split_paths(&path).filter(|folder| folder.is_absolute());
    folders.map(|folder| folder.join(name)).find(|file| is_program(file))
}

/// Looks for every tool at the same time: a search path on a slow disk is waited for once.
pub fn detect_all(settings: &ToolsSettings) -> Vec<(&'static Tool, Option<PathBuf>)> {
    std::thread::scope(|scope| {
        let looks: Vec<_> = TOOLS.iter().map(|tool| (tool, scope.spawn(|| detect(tool, settings)))).collect();
        looks.into_iter().map(|(tool, look)| (tool, look.join().unwrap_or_default())).collect()
    })
}

#[cfg(unix)]
pub(super) fn is_program(file: &std::path::Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata().is_ok_and(|there| there.is_file() && there.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
pub(super) fn is_program(file: &std::path::Path) -> bool {
    file.is_file()
}

//! The tool that the user calls rebut from.

use crate::providers::{Feature, TOOLS, Tool};

/// A tool that rebut is called from, or for: what it wrote is reviewed by another vendor's.
#[derive(Clone, Copy, Debug)]
pub struct Host(&'static Tool);

impl Host {
    pub fn all() -> impl Iterator<Item = Self> {
        TOOLS.into_iter().map(Self)
    }

    pub fn named(name: &str) -> Option<Self> {
        Self::all().find(|host| host.tool() == name)
    }

    /// The tool that started us, by the variables it sets; the innermost of several.
    pub fn around(is_set: impl Fn(&str) -> bool) -> Option<Self> {
        TOOLS.into_iter().rev().find(|tool| tool.session_variables.iter().any(|name| is_set(name))).map(Self)
    }

    /// The tool by the name that it reports: `claude-code`, `codex-mcp-client`, `gemini-cli-mcp-client`.
    pub fn called(name: &str) -> Option<Self> {
        let name = name.to_lowercase();
        Self::all().find(|host| name.contains(host.tool()))
    }

    pub fn tool(self) -> &'static str {
        self.0.name
    }

    /// Its own folder in a project.
    pub fn folder(self) -> &'static str {
        self.0.project_folder
    }

    /// Whether it serves models of several vendors.
    pub(super) fn is_broker(self) -> bool {
        self.0.has(Feature::Broker)
    }
}

//! The tool that a person calls rebut from.

/// A tool that rebut is called from, or for: what it wrote is reviewed by another family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Host {
    /// Claude Code.
    Claude,
    /// Codex.
    Codex,
    /// Gemini CLI.
    Gemini,
    /// opencode.
    Opencode,
    /// GitHub Copilot CLI.
    Copilot,
    /// Kiro.
    Kiro,
}

impl Host {
    /// Every host.
    pub const ALL: [Self; 6] = [Self::Claude, Self::Codex, Self::Gemini, Self::Opencode, Self::Copilot, Self::Kiro];

    /// The tool around us, by the variables it sets.
    pub fn around(is_set: impl Fn(&str) -> bool) -> Option<Self> {
        if is_set("CODEX_THREAD_ID") || is_set("CODEX_SANDBOX_ID") {
            Some(Self::Codex)
        } else if is_set("CLAUDECODE") {
            Some(Self::Claude)
        } else {
            None
        }
    }

    /// The tool by the name that it gives itself: `claude-code`, `codex-mcp-client`, `gemini-cli-mcp-client`.
    pub fn called(name: &str) -> Option<Self> {
        let name = name.to_lowercase();
        Self::ALL.into_iter().find(|host| name.contains(host.tool()))
    }

    /// The tool's name.
    pub fn tool(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Opencode => "opencode",
            Self::Copilot => "copilot",
            Self::Kiro => "kiro",
        }
    }

    /// The folder in a project in which it keeps what is its own.
    pub fn folder(self) -> &'static str {
        match self {
            Self::Claude => ".claude",
            Self::Codex => ".codex",
            Self::Gemini => ".gemini",
            Self::Opencode => ".opencode",
            Self::Copilot => ".copilot",
            Self::Kiro => ".kiro",
        }
    }

    /// Whether it passes on models of several families, so that its name does not tell whose it writes with.
    pub(super) fn is_broker(self) -> bool {
        match self {
            Self::Claude | Self::Codex | Self::Gemini => false,
            Self::Opencode | Self::Copilot | Self::Kiro => true,
        }
    }

    /// The tool that critiques what this one wrote, where it can be had; of others any does that is of another family.
    pub(super) fn opposite(self) -> Option<&'static str> {
        match self {
            Self::Claude => Some("codex"),
            Self::Codex => Some("claude"),
            Self::Gemini | Self::Opencode | Self::Copilot | Self::Kiro => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_is_known_by_its_variables() {
        let around = |set: &[&str]| Host::around(|name| set.contains(&name));
        assert_eq!(around(&["CLAUDECODE"]), Some(Host::Claude));
        assert_eq!(around(&["CODEX_SANDBOX_ID"]), Some(Host::Codex));
        assert_eq!(around(&["CODEX_THREAD_ID", "CLAUDECODE"]), Some(Host::Codex));
        assert_eq!(around(&[]), None);
    }
}

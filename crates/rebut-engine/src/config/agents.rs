//! `[agents.NAME]`: agents of the user's own, which speak ACP and take a seat as `acp:NAME`. They are programs to run, so
//! they are the user's alone to name.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::tools::is_variable;

/// `[agents]`, a table an agent.
pub type AgentsSettings = BTreeMap<String, AgentSettings>;

/// `[agents.NAME]`
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentSettings {
    /// The program and its arguments, a word each. No shell reads them.
    pub command: Vec<String>,
    /// The vendor behind its model, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub family: Option<String>,
    /// Variables of rebut's environment that it may see, such as that of its key.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub env: Vec<String>,
}

/// Whether every agent can be named and started.
pub(super) fn in_range(agents: &AgentsSettings) -> bool {
    agents.iter().all(|(name, agent)| is_agent_name(name) && agent.in_range())
}

/// Whether this can stand behind `acp:`.
pub(crate) fn is_agent_name(name: &str) -> bool {
    let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
    (1..=40).contains(&name.len()) && !name.starts_with('-') && name.chars().all(allowed)
}

impl AgentSettings {
    fn in_range(&self) -> bool {
        self.command.first().is_some_and(|program| is_program_name(program))
            && self.command.iter().all(|word| !word.contains('\0'))
            && self.family.as_deref().is_none_or(is_agent_name)
            && self.env.iter().all(|name| is_variable(name))
    }
}

/// A name to look for on the search path, or an absolute path. Any other path would be looked for in the folder that a
/// debate is about, which others write.
pub(super) fn is_program_name(program: &str) -> bool {
    Path::new(program).is_absolute() || (!program.is_empty() && !program.contains(['/', '\\']) && !program.starts_with('~'))
}

//! `[checks.NAME]`: commands that claims may refer to by name. They are programs to run, so they are the user's alone to
//! name; and they are run only where the user allows it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::agents::{is_agent_name, is_program_name};
use super::tools::is_variable;

/// `[checks]`, a table a command.
pub type ChecksSettings = BTreeMap<String, CheckSettings>;

/// `[checks.NAME]`
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckSettings {
    /// The program and its arguments, a word each. No shell reads them.
    pub command: Vec<String>,
    /// Variables of rebut's environment that it may see beside those that programs and builds need.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub env: Vec<String>,
    /// How many seconds it may take.
    #[serde(default = "five_minutes")]
    pub time_limit: u64,
}

/// Whether every command can be named and started.
pub(super) fn in_range(checks: &ChecksSettings) -> bool {
    checks.iter().all(|(name, check)| is_agent_name(name) && check.in_range())
}

impl CheckSettings {
    fn in_range(&self) -> bool {
        self.command.first().is_some_and(|program| is_program_name(program))
            && self.command.iter().all(|word| !word.contains('\0'))
            && self.env.iter().all(|name| is_variable(name))
            && (1..=super::settings::MAX_TIMEOUT_SECONDS).contains(&self.time_limit)
    }
}

fn five_minutes() -> u64 {
    300
}

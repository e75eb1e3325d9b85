//! Settings: built-in values, three files of TOML, `REBUT_*` variables, flags. A later level wins key by key.
//!
//! | level | where | whose |
//! |---|---|---|
//! | built-in | [`Settings::default`] | ours |
//! | user | `$XDG_CONFIG_HOME/rebut/config.toml`, else `~/.config/rebut/config.toml` | the user's |
//! | project | `.rebut/config.toml` in the workspace | the project's |
//! | local | `.rebut/config.local.toml` in the workspace | the project's |
//! | environment | `REBUT_*` | the user's |
//! | flags | the command line | the user's |
//!
//! The `.claude/ai-debate.json` of the user and of the workspace, and its `ai-debate.local.json`, belong to the same levels,
//! before the files above. Every value is checked at the level that sets it, so that a fault is reported with file and line
//! even where a later level overrides it.
//!
//! Files are read in [`Layers::read`] and [`read_prompts`] only; the environment is an argument.

mod ai_debate;
mod error;
mod field;
mod file;
mod keys;
mod layers;
mod names;
mod places;
mod prompts;
mod seconds;
mod settings;
mod tools;

pub use error::{ConfigError, Spot};
pub use field::{Field, Takes};
pub use keys::{KEYS, Key, OTHER_VARIABLES};
pub use layers::{Layers, Origin, Row};
#[cfg(test)]
pub(crate) use names::is_service_name;
pub(crate) use names::{is_address, is_agent_name, is_loopback, is_model_name};
pub use places::{Places, ProjectFiles};
pub use prompts::{PromptFiles, read_prompts};
pub use seconds::Seconds;
use settings::milliseconds;
pub use settings::{
    BudgetSettings, Color, CrossSettings, DuelSettings, EvidenceSettings, LimitSettings, ModelShelfSettings, OutputSettings,
    PanelModels, PanelSettings, ReviewSettings, Settings, StateSettings,
};
pub use tools::{
    AgentSettings, AgentsSettings, CheckSettings, EffortWord, ModelSettings, Named, ServiceApi, ServiceSettings,
    ServicesSettings, ToolSettings, ToolsSettings, WrittenPrice,
};

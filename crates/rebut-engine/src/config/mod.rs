//! Settings: built-in values, three files of TOML, `REBUT_*` variables, flags. A later level wins key by key.
//!
//! The `.claude/ai-debate.json` of the user and of the workspace, and its `ai-debate.local.json`, belong to the same levels,
//! before the files above. Every value is checked at the level that sets it, so that a fault is reported with file and line
//! even if a later level overrides it.
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
mod template;
mod tools;

pub use error::ConfigError;
pub use field::{Field, Takes};
pub use keys::{KEYS, Key, OTHER_VARIABLES, STORE_VARIABLE, find_key};
pub use layers::{Layers, Level, Origin, Row};
#[cfg(test)]
pub(crate) use names::is_service_name;
pub use places::{Places, ProjectFiles};
pub use prompts::{PromptFiles, read_prompts};
pub use seconds::Seconds;
pub use settings::{BudgetSettings, Color, EvidenceSettings, OutputSettings, Settings, StoreSettings};
pub use template::project_template;
pub use tools::{
    AgentSettings, AgentsSettings, CheckSettings, EffortWord, ModelSettings, ServiceApi, ServiceSettings, ServicesSettings,
    ToolSettings, ToolsSettings,
};

//! Settings: four levels of TOML, then the environment, then flags; every value knows where it comes from.
//!
//! | level | where | whose |
//! |---|---|---|
//! | built-in | [`Settings::default`] | ours |
//! | user | `$XDG_CONFIG_HOME/rebut/config.toml`, else `~/.config/rebut/config.toml` | the person's |
//! | project | `.rebut/config.toml` in the workspace | the project's |
//! | local | `.rebut/config.local.toml` in the workspace | the project's as well |
//! | environment | `REBUT_*` | the person's |
//! | flags | the command line | the person's |
//!
//! The `.claude/ai-debate.json` of the person, `.claude/ai-debate.json` and `.claude/ai-debate.local.json` of the workspace
//! belong to the same levels, before the files above.
//!
//! A later level wins key by key. Every value is checked at the level that brings it, so a fault is named with its file
//! and line also where a later level covers it. What a project brings was written by somebody else: it may never name a
//! program to run, an address or a key (see [`Who`]).
//!
//! This room knows nothing of providers, debates or the command line. Files are read in [`Layers::read`] and
//! [`read_prompts`] only; the environment comes in as an argument.

mod agents;
mod ai_debate;
mod checks;
mod error;
mod file;
mod keys;
mod layers;
mod panel;
mod places;
mod prompts;
mod seconds;
mod services;
mod settings;
mod tools;

pub(crate) use agents::is_agent_name;
pub use agents::{AgentSettings, AgentsSettings};
pub use checks::{CheckSettings, ChecksSettings};
pub use error::{ConfigError, Spot};
pub use keys::{KEYS, Key, OTHER_VARIABLES, Who, key};
pub use layers::{Layers, Origin, Row};
pub use panel::{PanelModels, PanelSettings};
pub use places::{Places, ProjectFiles};
pub use prompts::{PromptFiles, read_prompts};
pub use seconds::Seconds;
pub use services::{ServiceApi, ServiceSettings, ServicesSettings, WrittenPrice};
pub(crate) use services::{is_address, is_loopback, is_service_name};
pub use settings::{
    BudgetSettings, Color, CrossSettings, DuelSettings, EvidenceSettings, LimitSettings, ModelShelfSettings, OutputSettings,
    ReviewSettings, Settings, StateSettings,
};
pub(crate) use tools::is_model_name;
pub use tools::{EffortWord, ModelSettings, ToolSettings, ToolsSettings};

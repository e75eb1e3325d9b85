//! `[tools.NAME]`: what the user says about a tool on their machine. All of it is the user's alone to set: it names
//! programs to run and decides what is paid for.

use std::collections::BTreeMap;

use rebut_core::debate::Effort;
use serde::{Deserialize, Serialize};

use super::services::is_word;

/// `[tools]`, a table per tool.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ToolsSettings(BTreeMap<String, ToolSettings>);

/// `[tools.NAME]`
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ToolSettings {
    /// Its program; `None` looks for it on the search path.
    pub program: Option<String>,
    /// Its models by effort.
    pub models: ModelSettings,
    /// Its word for each effort; `auto` says nothing. Ignored by tools that choose by model.
    pub effort: ModelSettings,
    /// Variables of rebut's environment that it may see beside its own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub env: Vec<String>,
}

/// `[tools.NAME.models]`; `None` is the built-in choice, `auto` leaves it to the tool.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ModelSettings {
    /// For low effort.
    pub low: Option<String>,
    /// For medium effort.
    pub medium: Option<String>,
    /// For high effort.
    pub high: Option<String>,
    /// For max effort.
    pub max: Option<String>,
}

/// A word by which a tool is told an effort.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EffortWord<'a> {
    /// The word.
    pub word: &'a str,
    /// Whether it is the user's.
    pub is_own: bool,
}

impl ToolsSettings {
    /// What the user says of the tool of this name.
    pub fn of(&self, name: &str) -> Option<&ToolSettings> {
        self.0.get(name)
    }

    /// Every tool of which something is said.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// The same with this said of a tool.
    #[must_use]
    pub fn with(mut self, name: &str, settings: ToolSettings) -> Self {
        self.0.insert(name.to_owned(), settings);
        self
    }

    pub(super) fn in_range(&self) -> bool {
        self.0.iter().all(|(name, settings)| is_tool(name) && settings.in_range())
    }
}

/// Whether rebut knows a tool of this name.
pub(super) fn is_tool(name: &str) -> bool {
    crate::providers::tool(name).is_some()
}

impl ToolSettings {
    /// A path that is not absolute would be looked for in the folder that a debate is about, which others write.
    fn in_range(&self) -> bool {
        self.program.as_ref().is_none_or(|program| std::path::Path::new(program).is_absolute())
            && Effort::ALL.into_iter().filter_map(|effort| self.models.of(effort)).all(is_model_name)
            && Effort::ALL.into_iter().filter_map(|effort| self.effort.of(effort)).all(is_word)
            && self.env.iter().all(|name| is_variable(name))
    }

    /// The word by which the tool is told an effort: the user's, else the built-in one, where there is one.
    pub fn effort_word<'a>(&'a self, effort: Effort, built_in: Option<&[&'a str; 4]>) -> Option<EffortWord<'a>> {
        match self.effort.of(effort) {
            Some("auto") => None,
            Some(word) => Some(EffortWord { word, is_own: true }),
            None => built_in.map(|words| EffortWord { word: words[effort as usize], is_own: false }),
        }
    }
}

impl ModelSettings {
    /// The model for an effort.
    pub fn of(&self, effort: Effort) -> Option<&str> {
        let model = match effort {
            Effort::Low => &self.low,
            Effort::Medium => &self.medium,
            Effort::High => &self.high,
            Effort::Max => &self.max,
        };
        model.as_deref()
    }
}

/// Whether this is the name of one variable.
pub(super) fn is_variable(name: &str) -> bool {
    !name.is_empty()
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !name.starts_with(|c: char| c.is_ascii_digit())
}

/// Whether this can be handed to a tool as a model: no flag, no shell word, nothing that needs quotes.
pub(crate) fn is_model_name(model: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "._:/@[]-".contains(c);
    !model.is_empty() && !model.starts_with('-') && model.chars().all(allowed)
}

//! Seats as people write them: `tool` or `tool:model`; for an agent of their own `acp:name` or `acp:name:model`.

use super::own_agents::OWN_AGENT;
use super::{acp, local, script};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeatSpec {
    pub tool: String,
    pub model: ModelChoice,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelChoice {
    /// The one that the effort asks for, if the tool has such a table.
    ByEffort,
    /// The tool's own: none is passed.
    OfTool,
    Named(String),
}

impl ModelChoice {
    pub(super) fn named(&self) -> Option<&str> {
        match self {
            Self::Named(model) => Some(model),
            Self::ByEffort | Self::OfTool => None,
        }
    }
}

/// A seat or a model that is not written as one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    #[error("`{0}` names no tool; a seat is written `tool` or `tool:model`")]
    NoTool(String),
    #[error("`{0}` names no agent of yours; write `acp:NAME` for the agent that your config.toml has as [agents.NAME]")]
    NoAgent(String),
    #[error("`{0}:` names no model; write `{0}:MODEL`, or `{0}` alone for the usual one")]
    NoModel(String),
    #[error("invalid model name `{0}`: use letters, digits and . _ : / @ [ ] -, not starting with `-`")]
    BadModel(String),
}

impl SeatSpec {
    /// Reads a seat. The models `auto` and `omit` leave the choice to the tool.
    pub fn parse(text: &str) -> Result<Self, SpecError> {
        let (tool, model) = text.split_once(':').map_or((text, None), |(tool, model)| (tool, Some(model)));
        if tool.trim().is_empty() {
            return Err(SpecError::NoTool(text.to_owned()));
        }
        let tool = tool.trim().to_lowercase();
        if tool == acp::NAME {
            return Self::parse_own_agent(text, model.unwrap_or_default());
        }
        if model.is_some_and(|model| model.trim().is_empty()) && tool != script::NAME {
            return Err(SpecError::NoModel(tool));
        }
        // The "model" of a script, and perhaps of an embedded model, is a file, whose name may be anything.
        let model = match model {
            Some(file) if tool == script::NAME || (tool == local::NAME && !file.is_empty()) => {
                ModelChoice::Named(file.to_owned())
            }
            Some(model) => check_model(model)?,
            None => ModelChoice::ByEffort,
        };
        Ok(Self { tool, model })
    }

    /// Whether it is the user's alone to choose: what is said there is written in a file, or comes from a program or from
    /// weights of the user's own. A project that named one could write its own verdict.
    pub fn is_users_own(&self) -> bool {
        self.file().is_some() || self.tool == script::NAME || self.tool.starts_with(OWN_AGENT)
    }

    /// The file that it names: a script's, or the weights of an embedded model.
    pub fn file(&self) -> Option<&str> {
        let model = self.model.named()?;
        match self.tool.as_str() {
            script::NAME => Some(model.rsplit_once('#').map_or(model, |(file, _)| file)),
            local::NAME if local::is_file(model) => Some(model),
            _ => None,
        }
    }

    fn parse_own_agent(text: &str, rest: &str) -> Result<Self, SpecError> {
        let (name, model) = rest.split_once(':').map_or((rest, None), |(name, model)| (name, Some(model)));
        let name = name.trim().to_lowercase();
        if !is_agent_name(&name) {
            return Err(SpecError::NoAgent(text.to_owned()));
        }
        if model.is_some_and(str::is_empty) {
            return Err(SpecError::NoModel(format!("{OWN_AGENT}{name}")));
        }
        let model = model.map_or(Ok(ModelChoice::ByEffort), check_model)?;
        Ok(Self { tool: format!("{OWN_AGENT}{name}"), model })
    }
}

/// A model name that is safe to hand to a tool; `auto`, `omit` and an empty one leave the choice to the tool.
pub fn check_model(model: &str) -> Result<ModelChoice, SpecError> {
    if matches!(model, "" | "auto" | "omit") {
        return Ok(ModelChoice::OfTool);
    }
    if !is_model_name(model) {
        return Err(SpecError::BadModel(model.to_owned()));
    }
    Ok(ModelChoice::Named(model.to_owned()))
}

/// Whether this can follow `acp:`, or `run` in a claim.
pub(crate) fn is_agent_name(name: &str) -> bool {
    let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
    (1..=40).contains(&name.len()) && !name.starts_with('-') && name.chars().all(allowed)
}

/// Whether this can be passed to a tool as a model: no flag, nothing that needs quotes.
pub(crate) fn is_model_name(model: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "._:/@[]-".contains(c);
    !model.is_empty() && !model.starts_with('-') && model.chars().all(allowed)
}

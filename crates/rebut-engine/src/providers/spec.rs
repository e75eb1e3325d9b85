//! Seats as people write them: `tool` or `tool:model`.

use super::script;

/// A seat as it was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeatSpec {
    /// The tool.
    pub tool: String,
    /// The model; `None` leaves it to effort and tool.
    pub model: Option<String>,
}

/// A seat or a model that is not written as one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    /// Nothing before the colon.
    #[error("`{0}` names no tool; a seat is written `tool` or `tool:model`")]
    NoTool(String),
    /// A model that could be taken for something else by a tool.
    #[error("`{0}` is no model name; it may hold letters, digits and any of . _ : / @ [ ] - and does not begin with `-`")]
    BadModel(String),
}

impl SeatSpec {
    /// Reads a seat. The models `auto`, `omit` and an empty one leave the choice to the tool.
    pub fn parse(text: &str) -> Result<Self, SpecError> {
        let (tool, model) = text.split_once(':').map_or((text, None), |(tool, model)| (tool, Some(model)));
        if tool.trim().is_empty() {
            return Err(SpecError::NoTool(text.to_owned()));
        }
        let tool = tool.trim().to_lowercase();
        // A script's "model" is a file, and files have all kinds of names.
        let model = match model {
            Some(file) if tool == script::NAME => Some(file.to_owned()),
            Some(model) => check_model(model)?,
            None => None,
        };
        Ok(Self { tool, model })
    }

    /// The seat as it is written.
    pub fn text(&self) -> String {
        match &self.model {
            Some(model) => format!("{}:{model}", self.tool),
            None => self.tool.clone(),
        }
    }
}

/// A model name that is safe to hand to a tool; `None` for one that leaves the choice to the tool.
pub fn check_model(model: &str) -> Result<Option<String>, SpecError> {
    if matches!(model, "" | "auto" | "omit") {
        return Ok(None);
    }
    let allowed = |c: char| c.is_ascii_alphanumeric() || "._:/@[]-".contains(c);
    if model.starts_with('-') || !model.chars().all(allowed) {
        return Err(SpecError::BadModel(model.to_owned()));
    }
    Ok(Some(model.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seat_is_a_tool_and_perhaps_a_model() {
        let spec = |text: &str| SeatSpec::parse(text).map(|spec| (spec.tool, spec.model)).unwrap();
        assert_eq!(spec("Claude"), ("claude".into(), None));
        assert_eq!(spec("codex:gpt-5[high]"), ("codex".into(), Some("gpt-5[high]".into())));
        assert_eq!(spec("opencode:zen/big:free@1"), ("opencode".into(), Some("zen/big:free@1".into())));
        for left_to_the_tool in ["claude:", "claude:auto", "claude:omit"] {
            assert_eq!(spec(left_to_the_tool), ("claude".into(), None));
        }
        assert_eq!(spec("script:my file.toml#a"), ("script".into(), Some("my file.toml#a".into())));
    }

    #[test]
    fn what_could_be_a_flag_or_a_shell_word_is_no_model() {
        for text in ["claude:-rf", "claude:a b", "claude:$(id)", "claude:a;b", "claude:ä"] {
            assert!(matches!(SeatSpec::parse(text), Err(SpecError::BadModel(_))), "{text}");
        }
        assert!(matches!(SeatSpec::parse(":opus"), Err(SpecError::NoTool(_))));
    }
}

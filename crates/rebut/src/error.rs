//! Errors as users see them: what happened, what to do next, and the exit code.

use std::io;
use std::path::Path;
use std::process::ExitCode;

use rebut_core::debate::Refusal;
use rebut_engine::config::ConfigError;
use rebut_engine::models::{ErrorKind, ModelError};
use rebut_engine::planning::{LineupError, PlanError};
use rebut_engine::providers::seating::SeatingError;
use rebut_engine::session::{self, SessionError};
use rebut_engine::store::StoreError;
use serde_json::json;

use crate::terminal::Screen;

/// How a command ended. The numbers are documented in the README.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    Done = 0,
    Failed = 1,
    /// The command line or a setting is wrong; nothing was started.
    Usage = 2,
    /// A debate ended early, the opening went unanswered, or no side won.
    Partial = 3,
    /// Valid findings of the given severity remain.
    Findings = 4,
    /// The user stopped it or declined.
    Cancelled = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub(crate) struct CommandError {
    exit: Exit,
    message: String,
    hints: Vec<String>,
    /// Answers that could not be journaled: shown, so that nothing paid for is lost.
    unsaved: Vec<(String, String)>,
}

impl CommandError {
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self { exit: Exit::Usage, message: message.into(), hints: Vec::new(), unsaved: Vec::new() }
    }

    pub(crate) fn failed(message: impl Into<String>) -> Self {
        Self { exit: Exit::Failed, ..Self::usage(message) }
    }

    /// There is nothing to do, which is no error.
    pub(crate) fn nothing(reason: impl Into<String>) -> Self {
        Self { exit: Exit::Done, ..Self::usage(reason) }
    }

    pub(crate) fn unreadable(path: impl AsRef<Path>, why: &io::Error) -> Self {
        Self::usage(format!("can't read {}: {why}", path.as_ref().display()))
    }

    pub(crate) fn unwritten(why: &io::Error) -> Self {
        Self::failed(format!("can't write to standard output, so the result is incomplete: {why}"))
            .hint("free some space or redirect the output, then run it again; a debate is saved: rebut show")
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Shows the error as a note, where the command goes on.
    pub(crate) fn show_as_note(&self, screen: &Screen) {
        screen.note(&self.message);
        self.hints.iter().for_each(|hint| screen.error_line("hint", hint));
    }

    pub(crate) fn with_hints(&self) -> String {
        let lines: Vec<&str> = std::iter::once(&self.message).chain(&self.hints).map(String::as_str).collect();
        lines.join("\n")
    }

    /// Shows the error, and gives the exit code.
    pub(crate) fn report(&self, screen: &Screen) -> ExitCode {
        if self.exit == Exit::Done {
            screen.note(&self.message);
            screen.json(|| json!({ "type": "nothing", "reason": self.message }));
            return self.exit.into();
        }
        screen.error_line("error", &self.message);
        for hint in &self.hints {
            screen.error_line("hint", hint);
        }
        for (key, text) in &self.unsaved {
            screen.error_line("unsaved", &format!("the answer for {key} could not be saved; here it is:"));
            screen.error_text(text);
        }
        screen.json(|| json!({ "type": "error", "message": self.message, "hints": self.hints, "exit": self.exit as u8 }));
        self.exit.into()
    }
}

impl From<ConfigError> for CommandError {
    fn from(error: ConfigError) -> Self {
        let message = Self::usage(error.to_string());
        match error {
            ConfigError::NoSuchKey { nearest, .. } => {
                message.hint(format!("did you mean `{nearest}`? `rebut config show` lists every setting"))
            }
            ConfigError::WrongValue { key, .. } if key == "cross.partners" => {
                message.hint("name at least two (--partners claude,codex), or let rebut choose them (--partners 2)")
            }
            _ => message,
        }
    }
}

impl From<ModelError> for CommandError {
    fn from(error: ModelError) -> Self {
        let exit = match error.kind {
            ErrorKind::Stopped => Exit::Cancelled,
            ErrorKind::Usage => Exit::Usage,
            ErrorKind::Failed => Exit::Failed,
        };
        Self { exit, message: error.to_string(), hints: error.hints, unsaved: Vec::new() }
    }
}

impl From<Refusal> for CommandError {
    fn from(refusal: Refusal) -> Self {
        Self { hints: refusal.hint.into_iter().collect(), ..Self::usage(refusal.why) }
    }
}

impl From<PlanError> for CommandError {
    fn from(error: PlanError) -> Self {
        let message = error.to_string();
        match error {
            PlanError::Seating(SeatingError::NoSeats) => Self::usage(message)
                .hint("install one: claude (npm install -g @anthropic-ai/claude-code), codex (npm install -g @openai/codex), gemini (npm install -g @google/gemini-cli)")
                .hint("or set the key of an API (ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY), or start a local server (ollama serve)")
                .hint("the embedded model (`local`) can only play a duel; `rebut doctor` lists all seats")
                .hint("or watch a scripted debate: rebut demo"),
            PlanError::BudgetTooSmall { .. } => Self::usage(message).hint("raise --max-tokens or --max-cost"),
            PlanError::NoTopic => Self::usage(message).hint("rebut \"Should we …?\", or `-` to read it from standard input"),
            _ => Self::usage(message),
        }
    }
}

impl From<LineupError> for CommandError {
    fn from(error: LineupError) -> Self {
        Self::usage(error.to_string()).hint("`rebut panel --help` shows the format of a lineup")
    }
}

impl From<SessionError> for CommandError {
    fn from(error: SessionError) -> Self {
        let exit = match error.kind {
            session::ErrorKind::Usage => Exit::Usage,
            session::ErrorKind::Failed | session::ErrorKind::Elsewhere => Exit::Failed,
            session::ErrorKind::Cancelled => Exit::Cancelled,
        };
        let unsaved = error.unsaved.into_iter().map(|(key, text)| (key.to_string(), text)).collect();
        Self { exit, message: error.message, hints: error.hints, unsaved }
    }
}

impl From<StoreError> for CommandError {
    fn from(error: StoreError) -> Self {
        SessionError::from(error).into()
    }
}

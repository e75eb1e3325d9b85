//! Why a session could not do what it was asked to.

use rebut_core::debate::StepKey;

use crate::models::{self, ModelError};
use crate::runner::RunError;
use crate::store::StoreError;

/// What went wrong, and what to do about it.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct SessionError {
    pub kind: ErrorKind,
    pub message: String,
    pub hints: Vec<String>,
    /// Answers that arrived and are in no journal.
    pub unsaved: Vec<(StepKey, String)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// What was asked for cannot be done; nothing was changed.
    Usage,
    Failed,
    /// Another process has the debate, or its store is out of reach: it can go on elsewhere.
    Elsewhere,
    Cancelled,
}

impl SessionError {
    pub(super) fn usage(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Usage, message: message.into(), hints: Vec::new(), unsaved: Vec::new() }
    }

    pub(super) fn failed(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Failed, ..Self::usage(message) }
    }

    pub(super) fn cancelled(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Cancelled, ..Self::usage(message) }
    }

    pub(super) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }
}

impl From<StoreError> for SessionError {
    fn from(error: StoreError) -> Self {
        let kind = match error {
            StoreError::Unknown { .. }
            | StoreError::NoDebates
            | StoreError::Ambiguous { .. }
            | StoreError::Address { .. }
            | StoreError::Chosen { .. } => ErrorKind::Usage,
            StoreError::Claimed { .. } | StoreError::Stale { .. } | StoreError::Database { .. } => ErrorKind::Elsewhere,
            _ => ErrorKind::Failed,
        };
        Self { kind, ..Self::failed(error.to_string()).hint(error.hint()) }
    }
}

impl From<RunError> for SessionError {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Store { source, unsaved } => Self { unsaved, ..Self::from(source) },
            other => Self::failed(other.to_string()),
        }
    }
}

impl From<ModelError> for SessionError {
    fn from(error: ModelError) -> Self {
        let kind = match error.kind {
            models::ErrorKind::Stopped => ErrorKind::Cancelled,
            models::ErrorKind::Usage => ErrorKind::Usage,
            models::ErrorKind::Failed => ErrorKind::Failed,
        };
        Self { kind, message: error.to_string(), hints: error.hints, unsaved: Vec::new() }
    }
}

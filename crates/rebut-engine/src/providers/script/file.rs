//! The file of a script: which call gets which answer. Users find it described in `docs/scripts.md`.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use rebut_core::debate::{Cause, Cost, Price};
use serde::Deserialize;

use crate::parse_errors::toml_error;
use crate::workspace::read_given;

#[derive(Clone, Debug, Default)]
pub struct Script {
    pub(super) models: BTreeMap<String, Model>,
    calls: BTreeMap<String, Vec<Line>>,
}

/// What happens at a call.
#[derive(Clone, Copy, Debug)]
pub(super) enum Turn<'a> {
    Text(&'a str),
    Fail {
        cause: Cause,
        detail: &'a str,
    },
    /// Nothing comes until the call is cancelled.
    Hang,
}

#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    #[error("a script seat names its file: `script:FILE` or `script:FILE#NAME`")]
    NoFile,
    #[error("failed to read the script {path}: {source}")]
    Unreadable { path: PathBuf, source: std::io::Error },
    #[error("{path} is not a valid script: {reason}")]
    Malformed {
        path: PathBuf,
        /// Where and why.
        reason: String,
    },
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Model {
    pub(super) context_tokens: Option<u64>,
    pub(super) family: Option<String>,
    input_usd_per_million: Option<f64>,
    output_usd_per_million: Option<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ScriptFile {
    #[serde(default)]
    models: BTreeMap<String, Model>,
    #[serde(default)]
    call: Vec<Line>,
}

/// What is said at one call: an answer, a failure, or nothing forever.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Line {
    key: String,
    text: Option<String>,
    fail: Option<Cause>,
    #[serde(default)]
    hang: bool,
    #[serde(default)]
    detail: String,
    #[serde(default)]
    pub(super) delay_ms: u64,
    /// Text that arrives before a failure.
    pub(super) partial: Option<String>,
    pub(super) model: Option<String>,
    pub(super) input_tokens: Option<u64>,
    pub(super) output_tokens: Option<u64>,
    cost_usd: Option<f64>,
    pub(super) retry_after_ms: Option<u64>,
}

impl Model {
    pub(super) fn price(&self) -> Option<Price> {
        let cost = |dollars: Option<f64>| dollars.and_then(Cost::from_dollars);
        Some(Price { input: cost(self.input_usd_per_million)?, output: cost(self.output_usd_per_million)? })
    }
}

impl Line {
    pub(super) fn cost(&self) -> Option<Cost> {
        self.cost_usd.and_then(Cost::from_dollars)
    }

    /// What happens; `None` if the entry names several things, or none.
    pub(super) fn turn(&self) -> Option<Turn<'_>> {
        match (&self.text, self.fail, self.hang) {
            (Some(text), None, false) => Some(Turn::Text(text)),
            (None, Some(cause), false) => Some(Turn::Fail { cause, detail: &self.detail }),
            (None, None, true) => Some(Turn::Hang),
            _ => None,
        }
    }
}

/// The most that a script's file may hold.
const MOST_BYTES: u64 = 16 << 20;

impl Script {
    pub fn read(path: &Path) -> Result<Self, ScriptError> {
        // A project may name it: it is neither waited for nor read without end.
        let bytes = read_given(path, MOST_BYTES);
        let text = bytes.and_then(|bytes| String::from_utf8(bytes).map_err(|_| io::Error::other("it is not UTF-8")));
        let text = text.map_err(|source| ScriptError::Unreadable { path: path.to_owned(), source })?;
        Self::parse(&text).map_err(|reason| ScriptError::Malformed { path: path.to_owned(), reason })
    }

    /// Reads a script's text; the error says where it is wrong and why.
    pub fn parse(text: &str) -> Result<Self, String> {
        let file: ScriptFile = toml::from_str(text).map_err(|error| toml_error(text, &error))?;
        let mut calls: BTreeMap<String, Vec<Line>> = BTreeMap::new();
        for line in file.call {
            if line.turn().is_none() {
                return Err(format!("the call `{}` needs exactly one of `text`, `fail` and `hang`", line.key));
            }
            calls.entry(line.key.clone()).or_default().push(line);
        }
        Ok(Self { models: file.models, calls })
    }

    /// The entry for a call that has failed this often: entries with the same key follow each other, and the last one
    /// repeats.
    pub(super) fn line(&self, key: &str, setbacks: u32) -> Option<&Line> {
        let lines = self.calls.get(key)?;
        lines.get(setbacks as usize).or_else(|| lines.last())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cause_of_failure_can_be_scripted() {
        for cause in Cause::ALL {
            let name = serde_json::to_value(cause).unwrap();
            let script = Script::parse(&format!("[[call]]\nkey = \"k\"\nfail = {name}\n")).unwrap();
            assert!(matches!(script.line("k", 0).unwrap().turn(), Some(Turn::Fail { cause: read, .. }) if read == cause));
        }
    }

    #[test]
    fn a_call_is_answered_in_one_way() {
        for more in ["", "text = 'x'\nhang = true\n"] {
            let reason = Script::parse(&format!("[[call]]\nkey = 'k'\n{more}")).unwrap_err();
            assert!(reason.contains("exactly one of"), "{reason}");
        }
    }
}

//! A lineup file: the debaters of a panel, in TOML or JSON.

use std::path::{Path, PathBuf};

use rebut_core::formats::panel::{Debater, lineup_problems};
use serde::Deserialize;

use crate::parse_errors::{json_error, toml_error};
use crate::redact::redact;
use crate::workspace::read_given;

/// The largest file that is read.
const MOST_BYTES: u64 = 1 << 20;

/// Why a file is no lineup.
#[derive(Debug, thiserror::Error)]
pub enum LineupError {
    #[error("can't read the lineup {path}: {reason}")]
    Unreadable { path: PathBuf, reason: String },
    #[error("{path} is not a lineup: {reason}")]
    Malformed { path: PathBuf, reason: String },
    #[error("the lineup {path} can't be used: {}", problems.join("; "))]
    Problems { path: PathBuf, problems: Vec<String> },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LineupFile {
    debaters: Vec<Debater>,
}

/// Reads a lineup and redacts secrets: it goes into prompts and into the journal.
pub fn read_lineup(path: &Path) -> Result<Vec<Debater>, LineupError> {
    let unreadable = |reason: String| LineupError::Unreadable { path: path.to_owned(), reason };
    let bytes = read_given(path, MOST_BYTES).map_err(|error| unreadable(error.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|_| unreadable("it is not UTF-8".to_owned()))?;
    let is_json = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("json"));
    let debaters = parse(&text, is_json).map_err(|reason| LineupError::Malformed { path: path.to_owned(), reason })?;
    let problems = lineup_problems(&debaters);
    if !problems.is_empty() {
        return Err(LineupError::Problems { path: path.to_owned(), problems });
    }
    Ok(debaters.into_iter().map(without_secrets).collect())
}

fn parse(text: &str, is_json: bool) -> Result<Vec<Debater>, String> {
    if is_json && text.trim_start().starts_with('[') {
        return serde_json::from_str(text).map_err(|error| json_error(&error));
    }
    if is_json {
        return serde_json::from_str::<LineupFile>(text).map(|file| file.debaters).map_err(|error| json_error(&error));
    }
    toml::from_str::<LineupFile>(text).map(|file| file.debaters).map_err(|error| toml_error(text, &error))
}

pub(super) fn without_secrets(debater: Debater) -> Debater {
    let clean = |text: String| redact(&text).into_owned();
    let Debater { name, persona, starting_position, incentives, model } = debater;
    Debater {
        name,
        persona: clean(persona),
        starting_position: clean(starting_position),
        incentives: clean(incentives),
        model,
    }
}

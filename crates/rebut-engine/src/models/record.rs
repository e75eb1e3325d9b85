//! What is written down beside weights: what they are and where they came from.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::ModelName;

/// What is known of weights on the shelf, as `NAME.json` holds it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// The version of this form.
    pub version: u32,
    /// Where they came from, as a person writes it.
    pub source: String,
    /// How large they are.
    pub bytes: u64,
    /// Their SHA-256.
    pub sha256: String,
    /// Their licence, where it is known.
    #[serde(default)]
    pub licence: Option<String>,
    /// The kind of model.
    #[serde(default)]
    pub architecture: Option<String>,
    /// How many tokens it can keep in mind.
    #[serde(default)]
    pub context: Option<u64>,
}

impl Record {
    /// The version that this build writes.
    pub const VERSION: u32 = 1;
}

/// A model on the shelf.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Installed {
    /// Its name.
    pub name: ModelName,
    /// Its weights.
    pub path: PathBuf,
    /// What is known of them.
    pub record: Record,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_of_a_later_build_is_read_as_far_as_it_is_known() {
        let text = r#"{"version":2,"source":"hf:o/r/a.gguf","bytes":7,"sha256":"00","colour":"red"}"#;
        let record: Record = serde_json::from_str(text).unwrap();
        assert_eq!((record.version, record.bytes, record.licence), (2, 7, None));
    }
}

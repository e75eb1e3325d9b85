//! Pages on the web as they were fetched: once in a debate, and kept in it.

use serde::{Deserialize, Serialize};

use super::check::CheckResult;

/// A page, or why there is none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourcePage {
    /// Its address as it was cited, without the fragment after `#`.
    pub url: String,
    /// Where redirects led to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub led_to: Option<String>,
    pub fetched: Fetched,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Fetched {
    Read {
        text: String,
    },
    /// It was not read, which is the result for every citation of it.
    Not {
        result: CheckResult,
        why: String,
    },
}

impl SourcePage {
    /// The address by which a page is known: fragments are places within it.
    pub fn address(url: &str) -> &str {
        url.split_once('#').map_or(url, |(address, _)| address)
    }
}

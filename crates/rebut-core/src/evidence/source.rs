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
    /// There is no such page, or no such host.
    Missing {
        why: String,
    },
    /// It is not a public page, and was not fetched.
    OutOfScope {
        why: String,
    },
    /// It could not be read this time, or not by us.
    Unread {
        why: String,
    },
}

impl SourcePage {
    /// The address by which a page is known: fragments are places within it.
    pub fn address(url: &str) -> &str {
        url.split_once('#').map_or(url, |(address, _)| address)
    }
}

impl Fetched {
    /// The result for every citation of a page that was not read, and why.
    pub fn failure(&self) -> Option<(CheckResult, &str)> {
        match self {
            Self::Read { .. } => None,
            Self::Missing { why } => Some((CheckResult::Missing, why)),
            Self::OutOfScope { why } => Some((CheckResult::OutOfScope, why)),
            Self::Unread { why } => Some((CheckResult::Unchecked, why)),
        }
    }
}

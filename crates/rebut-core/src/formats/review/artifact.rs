//! What is reviewed, and as what.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use serde::{Deserialize, Serialize};

use super::portions::{Portions, portions, snippet_portions};
use crate::diff::Diff;
use crate::named::named;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Artifact {
    /// Its text, whole: a diff, a file, a proposal.
    pub text: String,
    pub form: Form,
    /// What git says of a diff's size.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub stat: String,
    /// What the text is as a diff, and in portions: worked out when it is first asked for.
    #[serde(skip)]
    read: Read,
}

/// What was worked out of a text, which never changes: to forget it changes nothing but the time it takes.
#[derive(Clone, Debug, Default)]
struct Read {
    diff: Arc<OnceLock<Diff>>,
    portions: Arc<Mutex<Option<LimitedPortions>>>,
}

/// Portions, and how many bytes each has at most.
type LimitedPortions = (usize, Arc<Portions>);

impl Artifact {
    pub fn new(text: String, form: Form, stat: String) -> Self {
        Self { text, form, stat, read: Read::default() }
    }

    pub fn diff(&self) -> &Diff {
        self.read.diff.get_or_init(|| Diff::parse(&self.text))
    }

    pub(super) fn change(&self) -> Option<&Diff> {
        self.form.is_diff().then(|| self.diff())
    }

    /// The files of a change that has nothing else than files without lines; none where there is something to read.
    pub fn binary_alone(&self) -> Option<Vec<String>> {
        let diff = self.change().filter(|diff| !diff.files.is_empty())?;
        let all = diff.files.iter().all(|file| file.binary);
        all.then(|| diff.files.iter().map(|file| file.path().to_owned()).collect())
    }

    /// The text in portions of at most this many bytes. A review asks for them after every event, and always with
    /// the same number.
    pub(super) fn portions(&self, most_bytes: usize) -> Arc<Portions> {
        let mut known = self.read.portions.lock().unwrap_or_else(PoisonError::into_inner);
        match &*known {
            Some((most, portions)) if *most == most_bytes => Arc::clone(portions),
            _ => {
                let cut = Arc::new(match self.change() {
                    Some(diff) => portions(diff, most_bytes),
                    None => Portions { pieces: snippet_portions(&self.text, most_bytes), ..Portions::default() },
                });
                *known = Some((most_bytes, Arc::clone(&cut)));
                cut
            }
        }
    }
}

/// What kind of text an artifact is. It decides how the artifact is rewritten: as a patch, or whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Form {
    Text,
    /// Code that is no file, with the ending that its file would have.
    Snippet {
        /// Without its dot.
        ending: String,
    },
    /// A diff whose new side is the workspace as it is kept.
    Change,
    /// A diff that is not in the workspace.
    LooseChange {
        why: String,
        /// The patch that makes the workspace as it is kept what the diff speaks of, where there is one: then files are
        /// looked up as it makes them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        base: Option<String>,
    },
    File {
        path: String,
    },
}

impl Form {
    /// Whether it is rewritten as a patch to files of the workspace.
    pub fn is_patched(&self) -> bool {
        matches!(self, Self::Change | Self::File { .. } | Self::LooseChange { base: Some(_), .. })
    }

    /// The patch that comes before every revision.
    pub fn base(&self) -> Option<&str> {
        match self {
            Self::LooseChange { base, .. } => base.as_deref(),
            _ => None,
        }
    }

    pub fn is_diff(&self) -> bool {
        matches!(self, Self::Change | Self::LooseChange { .. })
    }

    /// The name under which its own lines can be cited, where it is no file of the workspace.
    pub fn own_name(&self, round: u32) -> Option<String> {
        match self {
            Self::Text => Some("artifact.md".to_owned()),
            Self::Snippet { ending } => Some(format!("snippet-r{round}.{ending}")),
            Self::LooseChange { base: None, .. } => Some("artifact.diff".to_owned()),
            Self::Change | Self::File { .. } | Self::LooseChange { .. } => None,
        }
    }
}

named! {
    /// As what an artifact is reviewed.
    pub enum Target: "target" {
        Code = "code",
        Proposal = "proposal",
        Mixed = "mixed",
    }
}

named! {
    /// How sure it is that an artifact is what was meant.
    pub enum Confidence {
        /// It was named, or its marks are clear.
        High = "high",
        Medium = "medium",
        /// It could be several things.
        Low = "low",
    }
}

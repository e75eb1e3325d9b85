//! Citations: where a text points at evidence, and what it says stands there. Pure text; nothing is looked up here.
//!
//! People and models write them in many forms: `path:10`, `path:10-20`, `path#L10-L20`, `path line 20`, a Markdown link,
//! a fenced block under a path, `commit abc1234`. All of them become a [`Citation`] with a [`Target`], the words that are
//! said to stand there, and the names that the sentence speaks of.

mod attach;
mod attribution;
mod bare;
mod beyond;
mod blocks;
mod commits;
mod explicit;
mod fields;
mod find;
mod glued;
mod headed;
mod json;
mod languages;
mod lines;
mod names;
mod others;
mod outside;
mod passages;
mod path;
mod pieces;
mod proposals;
mod references;
mod search;
mod sentences;
mod spaced;
mod table;
mod words;
mod work;

use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use beyond::Beyond;
pub(super) use fields::Place;
pub(super) use find::find_told_of_others;
pub use find::{find, find_with_others};

pub(crate) use explicit::find_as_said;
pub(super) use explicit::{find_in_evidence, without_ticks};
pub(super) use passages::{OpenFence, closes, opens};

/// Evidence that a text names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Citation {
    /// The bytes of the text in which it stands; empty where it stands in the list of claims.
    #[serde(default, skip_serializing_if = "Range::is_empty")]
    pub span: Range<usize>,
    /// The claims of the statement's list that it stands under, the first is 1.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<u32>,
    /// What it points at.
    pub target: Target,
    /// The words right before a path that nothing marks: where they and the path name a file together, it has spaces in it.
    /// It is for looking up alone, and is not kept.
    #[serde(skip)]
    pub lead: String,
    /// Words that are said to stand there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub quotes: Vec<String>,
    /// Names that the sentence speaks of: one of them stands at or near the place.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub symbols: Vec<String>,
    /// Code in the same sentence of which nobody can tell whether it is said to stand there: it proves nothing, and a citation
    /// whose code stands nowhere in the file is not verified either.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub perhaps: Vec<String>,
    /// Figures that a page on the web is cited for: one of them stands there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub figures: Vec<String>,
    /// Whether what is said is said of several sources together: it need not stand in each of them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shared: bool,
    /// Whether what stands there is wanted as well, for somebody who judges it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub with_text: bool,
    /// Whether it claims that the file, or what is quoted from it, does not exist.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub absent: bool,
}

impl Citation {
    /// A citation of this and nothing more.
    pub fn of(target: Target) -> Self {
        Self {
            span: 0..0,
            claims: Vec::new(),
            target,
            lead: String::new(),
            quotes: Vec::new(),
            symbols: Vec::new(),
            perhaps: Vec::new(),
            figures: Vec::new(),
            shared: false,
            with_text: false,
            absent: false,
        }
    }
}

/// What a citation points at.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Target {
    /// A file, or lines of it.
    File {
        /// The path as it was written.
        path: String,
        /// The lines.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        lines: Option<Lines>,
    },
    /// A commit, and perhaps a file that it touches.
    Commit {
        /// The hash, or its beginning.
        hash: String,
        /// The file.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        path: Option<String>,
    },
    /// A file as it stood in a commit, or lines of it.
    Past {
        /// The hash, or its beginning; `HEAD` for the commit that is checked out.
        hash: String,
        /// The path as it was written.
        path: String,
        /// The lines.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        lines: Option<Lines>,
    },
    /// How often a pattern stands in the workspace.
    Search {
        /// A regular expression.
        pattern: String,
        /// Where: a file or a folder; everywhere if none is named.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        path: Option<String>,
        /// How many lines are said to match; without a number, at least one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        count: Option<u64>,
    },
    /// A command that the person allows by this name.
    Command {
        /// Its name.
        name: String,
    },
    /// A page on the web.
    Page {
        /// Its address.
        url: String,
    },
}

/// Lines of a file, the first is 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Lines {
    /// The first.
    pub first: u32,
    /// The last, which is not before the first.
    pub last: u32,
    /// The numbers as they were written, where one of them is beyond counting or the last is before the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    beyond: Option<Beyond>,
}

impl Lines {
    /// Lines from one to another, in whichever order they were written.
    pub fn new(one: u32, other: u32) -> Self {
        Self { first: one.min(other), last: one.max(other), beyond: None }
    }

    /// The same by numbers that somebody wrote, be they such that no file has as many lines, or in the wrong order: they are
    /// told as they stand there.
    fn written(one: u128, other: u128) -> Self {
        let (first, last) = (one.min(other), one.max(other));
        let counted = |number| u32::try_from(number).unwrap_or(u32::MAX);
        let as_they_stand = last > u128::from(u32::MAX) || one > other;
        let beyond = as_they_stand.then_some(Beyond { first: one, last: other });
        Self { beyond, ..Self::new(counted(first), counted(last)) }
    }

    /// Lines on to another one than the last.
    fn until(self, other: u128) -> Self {
        Self::written(self.beyond.map_or(self.first.into(), |beyond| beyond.first), other)
    }

    /// One line.
    pub fn one(line: u32) -> Self {
        Self::new(line, line)
    }
}

impl fmt::Display for Lines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self { beyond: Some(beyond), .. } => beyond.fmt(f),
            Self { first, last, .. } if first == last => first.fmt(f),
            Self { first, last, .. } => write!(f, "{first}-{last}"),
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { path, lines: Some(lines) } => write!(f, "{path}:{lines}"),
            Self::File { path, lines: None } => f.write_str(path),
            Self::Commit { hash, path: Some(path) } => write!(f, "commit {hash} {path}"),
            Self::Commit { hash, path: None } => write!(f, "commit {hash}"),
            Self::Past { hash, path, lines } => {
                write!(f, "{hash}:{path}")?;
                lines.iter().try_for_each(|lines| write!(f, ":{lines}"))
            }
            Self::Search { pattern, path, count } => {
                write!(f, "grep \"{pattern}\"")?;
                path.iter().try_for_each(|path| write!(f, " in {path}"))?;
                count.iter().try_for_each(|count| write!(f, " = {count}"))
            }
            Self::Command { name } => write!(f, "run {name}"),
            Self::Page { url } => f.write_str(url),
        }
    }
}

#[cfg(test)]
#[cfg(test)]
mod tests;

impl From<&Citation> for crate::evidence::check::Cited {
    fn from(citation: &Citation) -> Self {
        use crate::evidence::{Evidence, Lines as At};
        let at = |lines: Option<Lines>| lines.map(|lines| At::new(lines.first, lines.last));
        let evidence = match citation.target.clone() {
            Target::File { path, lines } => Evidence::file(path, at(lines)),
            Target::Commit { hash, path } => Evidence { file: path, ..Evidence::commit(hash) },
            Target::Past { hash, path, lines } => Evidence { commit: Some(hash), ..Evidence::file(path, at(lines)) },
            Target::Search { pattern, path, count } => {
                Evidence { search: Some(pattern), within: path, count, ..Evidence::default() }
            }
            Target::Command { name } => Evidence { run: Some(name), ..Evidence::default() },
            Target::Page { url } => Evidence::page(url),
        };
        let evidence = Evidence { quote: citation.quotes.first().cloned(), absent: citation.absent, ..evidence };
        Self { evidence, claim: citation.claims.first().copied(), with_text: citation.with_text }
    }
}

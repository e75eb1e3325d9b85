//! The lines of pinned files that evidence points at, with some lines around them, for the page.

use std::collections::BTreeMap;

use rebut_core::debate::{Plan, Scope};
use rebut_core::evidence::Lines;
use rebut_core::evidence::check::Checked;

use crate::redact::redact_keeping_lines;
use crate::store::Store;
use crate::workspace::pin::{Files, Pin};

/// How many lines are shown before and after those that are meant, and how many at most in all.
const AROUND: u32 = 3;
const MOST: u32 = 24;
/// The longest line that is shown, in characters.
const LONGEST: usize = 300;

/// Lines of a file, without secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    pub path: String,
    /// The number of the first line.
    pub first: u32,
    pub lines: Vec<String>,
    /// The lines that are meant.
    pub meant: Lines,
}

/// Reads excerpts from the workspace as it was pinned.
#[derive(Default)]
pub struct Excerpts {
    pin: Option<Pin>,
    /// Why the pinned workspace cannot be read.
    pub problem: Option<String>,
    /// The lines of files that were read; none of those that can't be.
    files: BTreeMap<String, Option<Vec<String>>>,
}

impl Excerpts {
    /// Of the debate of this plan. Without a pinned workspace there are none, nor where it cannot be read: `problem` says why.
    pub async fn of(plan: &Plan, store: &dyn Store) -> Self {
        let Some(Scope::Pinned(facts)) = plan.evidence.as_ref().map(|evidence| &evidence.scope) else {
            return Self::default();
        };
        let opened = match store.blob(&plan.id, &facts.pack).await {
            Ok(pack) => Pin::open(&pack).map_err(|error| error.to_string()),
            Err(error) => Err(error.to_string()),
        };
        match opened {
            Ok(pin) => Self { pin: Some(pin), ..Self::default() },
            Err(problem) => Self { problem: Some(problem), ..Self::default() },
        }
    }

    /// The lines that a piece of evidence points at, or that its quote is at; none of commits, pages and whole files.
    pub fn around(&mut self, found: &Checked) -> Option<Excerpt> {
        if found.evidence.commit.is_some() || found.evidence.url.is_some() {
            return None;
        }
        let path = found.file.as_ref().or(found.evidence.file.as_ref())?.clone();
        let Self { pin, files, .. } = self;
        let lines = files.entry(path.clone()).or_insert_with(|| read(pin.as_ref()?, &path)).as_ref()?;
        let quoted = || {
            let quote = found.evidence.quote.as_ref()?.lines().map(str::trim).find(|line| !line.is_empty())?;
            let at = lines.iter().position(|line| line.contains(quote))?;
            u32::try_from(at + 1).ok().map(Lines::one)
        };
        let meant = found.lines.or(found.evidence.lines).or_else(quoted)?;
        let count = u32::try_from(lines.len()).unwrap_or(u32::MAX);
        let first = meant.first.saturating_sub(AROUND).max(1);
        let last = meant.last.saturating_add(AROUND).min(count).min(first.saturating_add(MOST));
        let shown = lines.get(first.checked_sub(1)? as usize..last as usize).filter(|shown| !shown.is_empty())?;
        Some(Excerpt { path, first, lines: shown.to_vec(), meant })
    }
}

fn read(pin: &Pin, path: &str) -> Option<Vec<String>> {
    let content = pin.read(pin.find(path.as_bytes()).or_else(|| pin.lookup(path.as_bytes()).ok())?).ok()?;
    let text = String::from_utf8(content.bytes).ok()?;
    let cut = |line: &str| line.chars().take(LONGEST).collect();
    Some(redact_keeping_lines(&text).lines().map(cut).collect())
}

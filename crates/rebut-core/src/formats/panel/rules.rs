//! The rules of the debate that fields can break. What breaks one becomes a ruling; nothing is refused.

use std::collections::BTreeSet;

use super::entry::EntryType;
use super::turn::Said;

/// What the engine writes before an argument without a source.
pub(super) const CONJECTURE: &str = "[CONJECTURE]";
/// What the engine writes before an entry that corrects another, followed by its seq.
const CORRECTION: &str = "SOURCE CORRECTION for seq ";
pub(super) const MOST_SOURCES: usize = 5;

/// What was listed before a closing.
#[derive(Clone, Debug, Default)]
pub(super) struct Before {
    figures: BTreeSet<String>,
    places: BTreeSet<String>,
}

impl Before {
    pub(super) fn take(&mut self, said: &Said) {
        self.figures.extend(said.figures.iter().map(|figure| figure.value.clone()));
        self.places.extend(said.sources.iter().map(super::Listed::place));
    }
}

impl Said {
    /// Whether it argues without a source.
    pub(super) fn is_conjecture(&self) -> bool {
        let needs_source = self.kind.argues() && self.kind != EntryType::ClosingStatement;
        self.kind == EntryType::Conjecture || (needs_source && self.sources.is_empty() && self.corrects_seq.is_none())
    }

    /// The words as the log holds them: with what the engine writes before them.
    pub(super) fn written(&self) -> String {
        let mut text = self.content.as_str();
        let mut before = String::new();
        if let Some(seq) = self.corrects_seq {
            before = format!("{CORRECTION}{seq}: ");
            text = text.strip_prefix(before.trim_end()).unwrap_or(text).trim_start();
        }
        if self.is_conjecture() {
            before.push_str(CONJECTURE);
            before.push(' ');
            text = text.strip_prefix(CONJECTURE).unwrap_or(text).trim_start();
        }
        format!("{before}{text}")
    }
}

impl Said {
    /// The whole entry as the log holds it, with this claim where it challenges one.
    pub(super) fn logged(&self, claim: Option<&str>) -> String {
        match claim {
            Some(claim) => format!("{}\n\nThe claim that fails: {}", self.written(), claim.trim()),
            None => self.written(),
        }
    }
}

/// The rules that an entry breaks, each in words for a ruling.
pub(super) fn breaches(said: &Said, before: &Before) -> Vec<String> {
    let mut found = Vec::new();
    if said.kind == EntryType::Rebuttal && said.is_conjecture() {
        found.push("a rebuttal needs a source; a conjecture can't be its only basis".to_owned());
    }
    if said.more_sources > 0 {
        let count = MOST_SOURCES + said.more_sources;
        found.push(format!("at most {MOST_SOURCES} sources per entry count; only the first {MOST_SOURCES} of {count} do"));
    }
    if said.kind == EntryType::ClosingStatement {
        let places: BTreeSet<String> = said.sources.iter().map(super::Listed::place).collect();
        let new: Vec<&str> = places.difference(&before.places).map(String::as_str).collect();
        if !new.is_empty() {
            found.push(format!("a closing can't list a new source: {}", new.join(", ")));
        }
        let figures = said.figures.iter().map(|figure| figure.value.as_str());
        let new: BTreeSet<&str> = figures.filter(|value| !before.figures.contains(*value)).collect();
        if !new.is_empty() {
            let new: Vec<&str> = new.into_iter().collect();
            found.push(format!("a closing can't list a new figure: {}", new.join(", ")));
        }
    }
    found
}

//! The rules of the debate that fields can break. What breaks one becomes a ruling; nothing is refused.

use std::collections::BTreeSet;

use super::{EntryType, Listed, Said};

/// What the engine writes before an argument without a source.
pub(super) const CONJECTURE: &str = "[CONJECTURE]";
/// What the engine writes before an entry that corrects another, followed by its seq.
const CORRECTION: &str = "SOURCE CORRECTION for seq ";
pub(super) const MOST_SOURCES: usize = 5;

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

    /// The whole entry as the log holds it, with this claim where it challenges one.
    pub(super) fn logged(&self, claim: Option<&str>) -> String {
        match claim {
            Some(claim) => format!("{}\n\nThe claim that fails: {}", self.written(), claim.trim()),
            None => self.written(),
        }
    }
}

/// The rules that an entry breaks, each in words for a ruling. A closing may list only what was listed `before` it.
pub(super) fn breaches(said: &Said, before: &[&Said]) -> Vec<String> {
    let mut found = Vec::new();
    if said.kind == EntryType::Rebuttal && said.is_conjecture() {
        found.push("a rebuttal needs a source; a conjecture can't be its only basis".to_owned());
    }
    if said.more_sources > 0 {
        let count = MOST_SOURCES + said.more_sources;
        found.push(format!("at most {MOST_SOURCES} sources per entry count; only the first {MOST_SOURCES} of {count} do"));
    }
    if said.kind == EntryType::ClosingStatement {
        let mut rule = |what: &str, listed: fn(&Said) -> BTreeSet<String>| {
            let known = before.iter().flat_map(|said| listed(said)).collect();
            let new: Vec<String> = listed(said).difference(&known).cloned().collect();
            if !new.is_empty() {
                found.push(format!("a closing can't list a new {what}: {}", new.join(", ")));
            }
        };
        rule("source", |said| said.sources.iter().map(Listed::place).collect());
        rule("figure", |said| said.figures.iter().map(|figure| figure.value.clone()).collect());
    }
    found
}

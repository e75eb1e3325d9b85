//! What was found of the evidence of findings and rulings, and how much it shows.

use std::collections::BTreeMap;

use super::{round_key, setup};
use crate::debate::Debate;
use crate::diff::Diff;
use crate::evidence::check::{CheckResult, Checked, Cited};
use crate::evidence::{Evidence, Subject};

/// Evidence to look up; each piece has the number of its finding or ruling in the list, from 1.
pub(super) fn numbered<'a>(all: impl Iterator<Item = &'a Vec<Evidence>>) -> Vec<Cited> {
    all.zip(1..).flat_map(|(evidence, number)| evidence.iter().map(move |it| Cited::by_claim(number, it.clone()))).collect()
}

/// What was found in a step of a round, by the number of the finding or the ruling in its list, from 1.
pub(super) fn found_by_number(debate: &Debate, round: u32, step: &str) -> BTreeMap<u32, Vec<Checked>> {
    let all = debate.findings(&round_key(round, step)).unwrap_or_default();
    let mut found: BTreeMap<u32, Vec<Checked>> = BTreeMap::new();
    for checked in as_the_change_has_it(debate, all.to_vec()) {
        found.entry(checked.claim.unwrap_or(0)).or_default().push(checked);
    }
    found
}

/// What was found, for a reader of a change. Files are looked up in the new version: what the change removes was in the
/// old one, and is not false.
pub(super) fn as_the_change_has_it(debate: &Debate, mut found: Vec<Checked>) -> Vec<Checked> {
    let Some(change) = setup(debate.plan()).and_then(|setup| setup.artifact.change()) else { return found };
    for checked in found.iter_mut().filter(|checked| checked.result.is_false()) {
        if is_removed(change, &checked.evidence) {
            (checked.result, checked.detail) = (CheckResult::Verified, "the change removes it".to_owned());
            checked.lines = None;
        }
    }
    found
}

fn is_removed(change: &Diff, evidence: &Evidence) -> bool {
    let Subject::File { path, .. } = evidence.subject() else { return false };
    match &evidence.quote {
        _ if evidence.absent => false,
        None => change.removed_path(path),
        Some(quote) => change.removes(path, quote),
    }
}

/// Whether any of what was found holds, and whether any is false. That a file, commit or page exists, or does not, says
/// nothing of what is in it.
fn holds_and_fails(found: &[Checked]) -> (bool, bool) {
    let is_bare = |checked: &Checked| match checked.evidence.subject() {
        Subject::File { .. } | Subject::Commit { .. } | Subject::Page { .. } => checked.evidence.quote.is_none(),
        Subject::Search { .. } | Subject::Command { .. } => false,
    };
    let holds = found.iter().any(|checked| checked.result.holds() && !is_bare(checked));
    (holds, found.iter().any(|checked| checked.result.is_false()))
}

/// Whether something of it holds, and nothing is false.
pub(super) fn verifies(found: &[Checked]) -> bool {
    holds_and_fails(found) == (true, false)
}

/// Whether something of it is false, and nothing holds.
pub(super) fn is_false(found: &[Checked]) -> bool {
    holds_and_fails(found) == (false, true)
}

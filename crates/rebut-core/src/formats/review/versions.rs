//! The versions of what is reviewed: the original, and what the rounds have made of it.

use super::findings::all_rounds;
use super::{Content, Decision, Revision, decision, round_key, setup};
use crate::debate::{Debate, Tried};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    Original,
    /// What an earlier round, by its number, has made of it.
    CompromiseOf(u32),
}

/// What the artifact was rewritten to in a round: a patch that applies, or a text.
pub(super) fn revision(debate: &Debate, round: u32) -> Option<&str> {
    ["rewrite", "rewrite/again"].iter().find_map(|step| {
        let Content::Revision(revision) = debate.content(&round_key(round, step))? else { return None };
        match revision.as_ref() {
            Revision::Text { text } => Some(text.as_str()),
            Revision::Patch { .. } => match debate.trial(&round_key(round, &format!("{step}/trial")))? {
                Tried::Applies { patch } => Some(patch.as_str()),
                Tried::Fails { .. } => None,
            },
        }
    })
}

/// Which version a round is about: what the last rewrite before it has made, else the original.
pub(super) fn version(debate: &Debate, round: u32) -> Version {
    let rewritten = (1..round).rev().find(|earlier| revision(debate, *earlier).is_some());
    rewritten.map_or(Version::Original, Version::CompromiseOf)
}

/// The patches that a review has made of its artifact before a round, oldest first.
pub(super) fn revisions_before(debate: &Debate, round: u32) -> impl Iterator<Item = &str> {
    let patched = setup(debate.plan()).is_some_and(|setup| setup.artifact.form.is_patched());
    (1..round).filter(move |_| patched).filter_map(|round| revision(debate, round))
}

/// The patches that make of the workspace as it is kept what a round is about, oldest first.
pub(super) fn patches_before(debate: &Debate, round: u32) -> Vec<String> {
    let base = setup(debate.plan()).and_then(|setup| setup.artifact.form.base());
    base.into_iter().chain(revisions_before(debate, round)).map(str::to_owned).collect()
}

/// All patches that were made and apply, oldest first.
pub fn revisions(debate: &Debate) -> Vec<&str> {
    revisions_before(debate, all_rounds(debate).end() + 1).collect()
}

/// The patches that the decision takes, oldest first: none where the original is kept, or nothing was decided.
pub fn taken(debate: &Debate) -> Vec<&str> {
    if decision(debate).is_some_and(Decision::takes_revisions) { whole_patch(debate) } else { Vec::new() }
}

/// What makes of the workspace's files what the revisions have made: the reviewed diff comes first where it is not in the
/// files, since the revisions fit on top of it alone. None where nothing was revised.
pub fn whole_patch(debate: &Debate) -> Vec<&str> {
    let revisions = revisions(debate);
    let base = setup(debate.plan()).and_then(|setup| setup.artifact.form.base()).filter(|_| !revisions.is_empty());
    base.into_iter().chain(revisions).collect()
}

/// The text of the artifact as a round finds it. A diff stays as it was: what was made of it since are patches.
pub fn current_text(debate: &Debate, round: u32) -> String {
    let Some(setup) = setup(debate.plan()) else { return String::new() };
    let rewritten = (1..round).rev().filter(|_| !setup.artifact.form.is_patched()).find_map(|round| revision(debate, round));
    rewritten.unwrap_or(&setup.artifact.text).to_owned()
}

pub(super) fn version_bytes(debate: &Debate, round: u32) -> usize {
    current_text(debate, round).len() + revisions_before(debate, round).map(str::len).sum::<usize>()
}

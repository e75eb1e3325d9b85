//! What of an artifact nobody has read, and what was said of it that nobody has weighed.

use super::critique::{Critique, Recommendation};
use super::diff::FileDiff;
use super::looked::unchecked_files;
use super::parts::bytes_for;
use super::setup::Role;
use super::standing::{critiques, failed_parts, rounds};
use super::versions::version_bytes;
use super::{findings, parts, setup};
use crate::debate::Debate;

/// What the critics of the last round say beside their findings, where no judge came to weigh it: concerns, what they
/// miss, and suggestions. It counts for nothing, and is not to be lost.
pub fn unweighed(debate: &Debate) -> Vec<String> {
    let Some(last) = rounds(debate).into_iter().next_back().filter(|last| last.ruled.is_none()) else { return Vec::new() };
    let said = |critique: &Critique| {
        let concerns = critique.concerns.iter().map(|text| format!("a concern of the critic: {text}"));
        let missing = critique.missing.iter().map(|text| format!("missing, as the critic says: {text}"));
        let suggestions = critique.suggestions.iter().map(|text| format!("a suggestion of the critic: {text}"));
        concerns.chain(missing).chain(suggestions).collect::<Vec<_>>()
    };
    last.critiques.iter().flat_map(|(_, critique)| said(critique)).collect()
}

/// What a person should know of how the last round was read: a critic that names nothing and does not say to keep it, and
/// a judge that was not shown all of it.
pub fn remarks(debate: &Debate) -> Vec<String> {
    let Some(last) = rounds(debate).into_iter().next_back() else { return Vec::new() };
    let mut remarks = Vec::new();
    let unclear =
        |critique: &&Critique| critique.findings.is_empty() && critique.recommendation != Some(Recommendation::Keep);
    if last.critiques.iter().any(|(_, critique)| unclear(critique)) {
        remarks.push("the critic names no finding and does not plainly say to keep it".to_owned());
    }
    for stray in last.critiques.iter().flat_map(|(_, critique)| &critique.strays) {
        remarks.push(format!("said by the critic, and by nobody weighed as a finding: {stray}"));
    }
    let most = bytes_for(debate.plan(), &Role::Judge.seat());
    if last.ruled.is_some() && version_bytes(debate, last.round) > most {
        remarks
            .push(format!("the judge was shown the {most} bytes of the artifact that it reads at once, and not all of it"));
    }
    remarks
}

/// What of the artifact nobody has read: parts whose critique failed, and files that are no text.
pub fn unread(debate: &Debate) -> Vec<String> {
    let Some(setup) = setup(debate.plan()) else { return Vec::new() };
    let mut unread: Vec<String> = Vec::new();
    if setup.artifact.form.is_diff() {
        let cut = setup.artifact.portions(bytes_for(debate.plan(), &Role::Critic.seat()));
        unread.extend(cut.unreadable.iter().map(|file| format!("{file} (no text)")));
        unread.extend(setup.artifact.diff().files.iter().filter(|file| is_submodule(file)).map(submodule_line));
        unread.extend(cut.too_long.iter().map(|file| format!("a line of {file} (longer than the critic reads)")));
    }
    let last = rounds(debate).last().map_or(1, |record| record.round);
    let failed = failed_parts(debate, last);
    if !failed.is_empty() {
        for part in parts(debate, last).iter().filter(|part| failed.contains(&part.name)) {
            let what = if part.files.is_empty() { part.target.as_str().to_owned() } else { part.files.join(", ") };
            unread.push(format!("{what} (its critique failed in round {last})"));
        }
    }
    unread.extend(
        not_stated(debate)
            .into_iter()
            .map(|file| format!("{file} (the critic found nothing and does not say that it looked)")),
    );
    unread
}

/// Whether a file is a submodule: by its mode, or, where the diff does not tell it, by its lines.
fn is_submodule(file: &FileDiff) -> bool {
    let mut lines = file.hunks.iter().flat_map(|hunk| &hunk.lines).peekable();
    file.submodule || (lines.peek().is_some() && lines.all(|line| line.text().starts_with("Subproject commit ")))
}

/// A submodule of which the diff shows no more than the commits it stands at.
fn submodule_line(file: &FileDiff) -> String {
    let commits: Vec<&str> = file
        .hunks
        .iter()
        .flat_map(|hunk| &hunk.lines)
        .filter_map(|line| line.text().strip_prefix("Subproject commit "))
        .map(|commit| commit.get(..12).unwrap_or(commit))
        .collect();
    let dirty = file.hunks.iter().flat_map(|hunk| &hunk.lines).any(|line| line.text().trim_end().ends_with("-dirty"));
    let beside = if dirty { ", and what is not committed in it" } else { "" };
    // One that did not move, and has changes of its own, stands at the same commit on both sides.
    let which = match commits.as_slice() {
        [one] => format!("commit {one}"),
        [one, other] if one == other => format!("commit {one}"),
        all => format!("commits {}", all.join(" and ")),
    };
    format!("{} ({which} of a submodule{beside})", file.path())
}

/// The files of which a first round without any finding does not say that they were looked at.
fn not_stated(debate: &Debate) -> Vec<String> {
    if findings::recorded(debate, 1).is_none_or(|found| !found.is_empty()) || setup(debate.plan()).is_none() {
        return Vec::new();
    }
    let critiques = critiques(debate, 1);
    let mut files = Vec::new();
    for part in parts(debate, 1) {
        if let Some((_, critique)) = critiques.iter().find(|(name, _)| *name == part.name) {
            files.extend(unchecked_files(critique, &part.files));
        }
    }
    files
}

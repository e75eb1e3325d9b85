//! What of the artifact was not read or not weighed.

use super::parts::bytes_for;
use super::rounds::{failed_parts, rounds};
use super::versions::version_bytes;
use super::{Critique, Recommendation, Role, RoundRecord, parts, setup};
use crate::debate::Debate;
use crate::diff::FileDiff;

/// What the user should know of how the artifact was read. It is shown, and decides nothing.
pub fn remarks(debate: &Debate) -> Vec<String> {
    let rounds = rounds(debate);
    let Some(last) = rounds.last() else { return Vec::new() };
    let mut remarks = Vec::new();
    let unclear = |critique: &Critique| {
        let silent = critique.findings.is_empty() && critique.missing.is_empty();
        silent && critique.recommendation != Some(Recommendation::Keep)
    };
    if last.critiques.iter().any(|(_, critique)| unclear(critique)) {
        remarks.push("the critic raises nothing but does not recommend keeping it".to_owned());
    }
    let most = bytes_for(debate.plan(), &Role::Judge.seat());
    let whole = version_bytes(debate, last.round);
    if last.judged && whole > most {
        remarks.push(format!("the judge saw {most} of {whole} bytes of the artifact"));
    }
    remarks.extend(not_looked_at(debate, &rounds));
    remarks
}

/// The files that no critic lists among those it checked.
fn not_looked_at(debate: &Debate, rounds: &[RoundRecord<'_>]) -> Option<String> {
    let critiques = || rounds.iter().flat_map(|record| &record.critiques);
    let mut files: Vec<String> = parts(debate, 1).into_iter().flat_map(|part| part.files).collect();
    if files.is_empty() || critiques().next().is_none() {
        return None;
    }
    let checked = || critiques().filter_map(|(_, critique)| critique.checked_files.as_ref());
    if checked().next().is_none() {
        return Some("the critic does not say which files it checked".to_owned());
    }
    let is_checked = |file: &String| checked().flatten().any(|path| path.trim().trim_start_matches("./") == file);
    files.retain(|file| !is_checked(file));
    (!files.is_empty()).then(|| format!("the critic did not look at {}", files.join(", ")))
}

/// What of the artifact was not read: parts whose critique failed, and files that are no text.
pub fn unread(debate: &Debate) -> Vec<String> {
    let Some(setup) = setup(debate.plan()) else { return Vec::new() };
    let mut unread: Vec<String> = Vec::new();
    if let Some(change) = setup.artifact.change() {
        let cut = setup.artifact.portions(bytes_for(debate.plan(), &Role::Critic.seat()));
        unread.extend(cut.unreadable.iter().map(|file| format!("{file} (no text)")));
        unread.extend(change.files.iter().filter(|file| file.is_submodule()).map(submodule));
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
    unread
}

/// A submodule, of which the diff shows no more than its commits.
fn submodule(file: &FileDiff) -> String {
    let dirty = file.hunks.iter().flat_map(|hunk| &hunk.lines).any(|line| line.text().trim_end().ends_with("-dirty"));
    let commits = if dirty { "commits, and what is not committed in it" } else { "commits" };
    format!("{} (a submodule: its {commits})", file.path())
}

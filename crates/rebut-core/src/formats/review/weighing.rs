//! What the evidence of findings came to when it was looked up, and what falls with it.

use std::sync::Arc;

use super::diff::Diff;
use super::findings::{Finding, all_rounds};
use super::sameness::{Anchor, anchor_of};
use super::versions::{current_text, revisions, revisions_before};
use super::{Form, round_key, setup};
use crate::claims::check::{CheckResult, Checked};
use crate::claims::citation::{Citation, Lines, Target};
use crate::debate::Debate;

/// What was found of the evidence of one finding, by its place in the round's list, from 0.
pub fn evidence_of(debate: &Debate, round: u32, place: usize) -> Vec<Checked> {
    as_the_change_has_it(debate, looked_up_for(debate, round, place).cloned().collect())
}

fn looked_up_for(debate: &Debate, round: u32, place: usize) -> impl Iterator<Item = &Checked> {
    let number = u32::try_from(place + 1).unwrap_or(u32::MAX);
    let all = debate.findings(&round_key(round, "evidence")).unwrap_or_default();
    all.iter().filter(move |checked| checked.citation.claims.contains(&number))
}

/// What was found, as it is for who reviews a change. Files are looked up in the new version, by what can be read as a path.
/// What the change removes stood in the old one, and is not false; nor is what was looked up under a part of a file's name.
pub fn as_the_change_has_it(debate: &Debate, mut found: Vec<Checked>) -> Vec<Checked> {
    if !found.iter().any(is_false) {
        return found;
    }
    let change = change(debate);
    let odd = odd_names(debate);
    for checked in found.iter_mut().filter(|checked| is_false(checked)) {
        let (result, detail) = if change.as_ref().is_some_and(|change| stood_before(change, &checked.citation)) {
            (CheckResult::Verified, "the change removes it".to_owned())
        } else if let Some(whole) = odd.iter().find(|name| is_part_of(&checked.citation, name)) {
            (CheckResult::Unchecked, format!("it may be part of the name {whole:?}, which cannot be cited"))
        } else {
            continue;
        };
        (checked.result, checked.detail) = (result, detail);
        (checked.lines, checked.likeness) = (None, None);
    }
    found
}

fn is_false(checked: &Checked) -> bool {
    matches!(checked.result, CheckResult::Mismatch | CheckResult::Missing)
}

/// The names of files under review that no citation can be told apart in: a tick ends code, and a colon a path.
fn odd_names(debate: &Debate) -> Vec<String> {
    let own = setup(debate.plan()).and_then(|setup| match &setup.artifact.form {
        Form::File { path } => Some(path.clone()),
        _ => None,
    });
    let change = change(debate);
    let changed = change.iter().flat_map(|change| change.paths()).map(str::to_owned);
    changed.chain(own).filter(|path| path.contains(['`', ':'])).collect()
}

/// Whether a file that is not there is cited by a part of such a name.
fn is_part_of(citation: &Citation, name: &str) -> bool {
    let Target::File { path, .. } = &citation.target else { return false };
    path != name && name.split(['`', ':']).any(|part| part.ends_with(path.as_str()) || part.starts_with(path.as_str()))
}

/// The change under review, where one is.
fn change(debate: &Debate) -> Option<Arc<Diff>> {
    setup(debate.plan()).filter(|setup| setup.artifact.form.is_diff()).map(|setup| setup.artifact.diff())
}

/// What the evidence of a finding came to when it was looked up.
#[derive(Debug, Default)]
pub(super) struct Weighed<'a> {
    /// What is false of it.
    pub(super) wrong: Vec<&'a Checked>,
    /// Whether anything of it holds.
    holds: bool,
}

impl<'a> Weighed<'a> {
    /// What the finding falls with: something of its evidence is false, and nothing of it holds.
    pub(super) fn falls_with(&self) -> Option<&'a Checked> {
        self.wrong.first().copied().filter(|_| !self.holds)
    }
}

/// Weighs the evidence of a finding, by the finding's place in the round's list, from 0. Of what lies outside nothing was
/// read, so that it is not known to be false. What a change itself removes can be cited too, although it does not stand in
/// the new version. That the place of a finding exists says where it is and not that it is so.
pub(super) fn weighed<'a>(debate: &'a Debate, round: u32, place: usize, finding: &Finding) -> Weighed<'a> {
    let change = change(debate);
    let odd = odd_names(debate);
    let own_place = finding.place.as_deref().and_then(anchor_of);
    let mut weighed = Weighed::default();
    for checked in looked_up_for(debate, round, place) {
        let removed = || change.as_ref().is_some_and(|change| stood_before(change, &checked.citation));
        match checked.result {
            CheckResult::Verified | CheckResult::Relocated => {
                weighed.holds |= !own_place.as_ref().is_some_and(|own| is_bare_place(own, &checked.citation));
            }
            CheckResult::Mismatch | CheckResult::Missing if shows_an_absence(&finding.text, checked) => {}
            CheckResult::Mismatch | CheckResult::Missing if removed() => weighed.holds = true,
            CheckResult::Missing if odd.iter().any(|name| is_part_of(&checked.citation, name)) => {}
            CheckResult::Mismatch | CheckResult::Missing => weighed.wrong.push(checked),
            CheckResult::OutOfScope | CheckResult::Ambiguous | CheckResult::ChangedSince | CheckResult::Unchecked => {}
        }
    }
    weighed
}

/// What was made of the artifact since a round.
pub(super) struct Revised {
    round: u32,
    /// The patches since then, where it is revised by patches.
    patches: Vec<Diff>,
    /// The artifact's own text in that round and now, each with single spaces, where it is written anew as a whole.
    own: Option<(String, Vec<String>, String)>,
}

impl Revised {
    /// What was made of it since this round.
    pub(super) fn since(debate: &Debate, round: u32) -> Self {
        let already = revisions_before(debate, round).count();
        let patches = revisions(debate).into_iter().skip(already).map(Diff::parse).collect();
        let name = setup(debate.plan()).and_then(|setup| setup.artifact.form.own_name(round));
        let own = name.map(|name| {
            let before = current_text(debate, round).lines().map(squeezed).collect();
            (name, before, squeezed(&current_text(debate, all_rounds(debate).end() + 1)))
        });
        Self { round, patches, own }
    }

    /// Whether the version of now has nothing more of what a finding of that round cites. Where no lines are known to be
    /// cited, it cannot be told.
    pub(super) fn has_lost(&self, debate: &Debate, place: usize) -> bool {
        let holding = looked_up_for(debate, self.round, place).filter(|checked| checked.result.holds());
        let mut cited = holding.filter_map(|checked| Some((checked, checked.file.as_deref()?, checked.lines?))).peekable();
        cited.peek().is_some() && cited.all(|(checked, file, lines)| self.is_gone(&checked.citation, file, lines))
    }

    /// A quote is gone with any of its lines, bare lines only with all of them: they say where, and not what.
    fn is_gone(&self, citation: &Citation, file: &str, lines: Lines) -> bool {
        if let Some((_, before, now)) = self.own.as_ref().filter(|(name, ..)| name == file) {
            let at = |line: u32| usize::try_from(line).unwrap_or(usize::MAX).min(before.len());
            let cited = before[at(lines.first.saturating_sub(1))..at(lines.last)].join(" ");
            return !cited.trim().is_empty() && !now.contains(cited.trim());
        }
        let gone = |line: u32| {
            let stays = |(path, line): (String, u32), patch: &Diff| patch.carried(&path, line);
            self.patches.iter().try_fold((file.to_owned(), line), stays).is_none()
        };
        let mut lines = lines.first..=lines.last;
        if citation.quotes.is_empty() { lines.all(gone) } else { lines.any(gone) }
    }
}

/// Text with single spaces.
fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether a citation names these lines and says nothing of what stands there.
fn is_bare_place(own: &Anchor, citation: &Citation) -> bool {
    let Target::File { path, lines: Some(lines) } = &citation.target else { return false };
    let silent = citation.quotes.is_empty() && citation.symbols.is_empty();
    silent && *path == own.path && (lines.first, lines.last) == (own.first, own.last)
}

/// Words with which a finding says that something is not there.
const ABSENT: [&str; 14] = [
    "not exist",
    "n't exist",
    "not there",
    "no such",
    "there is no",
    "there are no",
    "missing",
    "absent",
    "no test",
    "not covered",
    "was not added",
    "is not added",
    "never added",
    "not present",
];

/// Whether a file that is not there is no false evidence: named without a line and a quote it may be just what is missing,
/// which is for the judge to say, and a finding about an absence has nothing else to cite. Words that are quoted from
/// such a file are false all the same.
fn shows_an_absence(text: &str, checked: &Checked) -> bool {
    let Target::File { path, lines } = &checked.citation.target else { return false };
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let tells_of_it = || {
        let lower = text.to_lowercase();
        text.contains(name) && ABSENT.iter().any(|words| lower.contains(words))
    };
    checked.result == CheckResult::Missing && checked.citation.quotes.is_empty() && (lines.is_none() || tells_of_it())
}

fn stood_before(change: &Diff, citation: &Citation) -> bool {
    let Target::File { path, .. } = &citation.target else { return false };
    if citation.quotes.is_empty() {
        return change.removed_path(path);
    }
    citation.quotes.iter().all(|quote| change.removes(path, quote))
}

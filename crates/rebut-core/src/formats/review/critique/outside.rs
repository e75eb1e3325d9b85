//! What a critic says outside of its lists that may be a finding: nobody else would hear of it.
//!
//! A sentence counts by what it names and not by how it is put: a line of a file, or a finding of weight ("one P1"). Where
//! the lists tell of the same, nothing is outside of them.

use std::collections::BTreeSet;

use super::markdown::tagged;
use super::none::{severity_word, words};
use super::{Area, Critique, Remark, Severity};
use crate::claims::citation::{self, Target};
use crate::formats::review::sameness::{Anchor, anchor_of};

/// The critique with what its list of checked files says of lines among its strays, and without strays of which its
/// findings tell.
///
/// Of more strays than anybody weighs, or beside more findings than are taken, the first ones say enough.
pub(super) fn gathered(mut critique: Critique) -> Critique {
    const MOST: usize = 200;
    let beside: Vec<String> = critique.checked.iter().flat_map(said_of_an_area).collect();
    let said: Vec<String> = std::mem::take(&mut critique.strays).into_iter().chain(beside).collect();
    if said.is_empty() {
        return critique;
    }
    let findings = &critique.findings[..critique.findings.len().min(MOST)];
    let gravest = findings.iter().map(|finding| finding.severity).min();
    let told: Vec<Anchor> = findings.iter().flat_map(places).collect();
    let mut seen = BTreeSet::new();
    let is_told = |stray: &String| is_told(stray, gravest, &told);
    let strays = said.into_iter().filter(|stray| seen.insert(stray.clone()) && !is_told(stray)).take(MOST).collect();
    Critique { strays, ..critique }
}

/// Whether words outside of all lists may be a finding.
pub(super) fn may_be_a_finding(text: &str) -> bool {
    names_a_line(text) || counted_severity(text).is_some()
}

/// Whether words name a line of a file.
pub(super) fn names_a_line(text: &str) -> bool {
    !lines_named(text).is_empty()
}

/// The lines of files that words name.
pub(super) fn lines_named(text: &str) -> Vec<Anchor> {
    let lines = |citation: citation::Citation| match citation.target {
        Target::File { path, lines: Some(lines) } => Some(Anchor { path, first: lines.first, last: lines.last }),
        _ => None,
    };
    citation::find(text).into_iter().filter_map(lines).collect()
}

/// The gravest severity of which words say that there is a finding: `one P1`, `a P2`. "No P1" and "not a P1" say none.
fn counted_severity(text: &str) -> Option<Severity> {
    const ONE: [&str; 9] = ["a", "an", "one", "two", "three", "four", "five", "another", "this"];
    const DENIES: [&str; 6] = ["not", "no", "never", "nor", "without", "t"];
    let all = words(text);
    let counts = |word: &str| ONE.contains(&word) || word.parse::<u32>().is_ok_and(|number| number > 0);
    let found = all.windows(2).enumerate().filter_map(|(at, two)| {
        let severity = severity_word(&two[1]).filter(|severity| *severity != Severity::P3)?;
        let denied = at.checked_sub(1).is_some_and(|before| DENIES.contains(&all[before].as_str()));
        (counts(&two[0]) && !denied).then_some(severity)
    });
    found.min()
}

/// Whether the findings tell of what stands outside of them: of each line that it names, and of a finding so grave.
fn is_told(stray: &str, gravest: Option<Severity>, told: &[Anchor]) -> bool {
    let said = counted_severity(stray).or_else(|| tagged(stray).map(|(severity, _)| severity));
    let named = lines_named(stray);
    if said.is_none() && named.is_empty() {
        return false;
    }
    let grave = |severity: Severity| gravest.is_some_and(|gravest| gravest <= severity);
    said.is_none_or(grave) && named.iter().all(|line| told.iter().any(|place| place.overlaps(line)))
}

/// The lines that a finding speaks of.
fn places(finding: &Remark) -> Vec<Anchor> {
    let own = finding.place.as_deref().and_then(anchor_of);
    let texts = std::iter::once(&finding.text).chain(&finding.evidence);
    own.into_iter().chain(texts.flat_map(|text| lines_named(text))).collect()
}

/// What an entry of what was checked says of a line, beyond that it was looked at: `src/a.rs: the unwrap at line 3 panics`.
fn said_of_an_area(area: &Area) -> Vec<String> {
    const A_FEW_WORDS: usize = 3;
    let file = anchor_of(&area.file).map_or_else(|| area.file.clone(), |anchor| anchor.path);
    let says_more = |aspect: &&String| {
        let is_word = |word: &&String| word.contains(char::is_alphabetic) && !matches!(word.as_str(), "line" | "lines");
        // The name of a file and its folders say no more than where it is.
        let without_places =
            aspect.split_whitespace().filter(|word| !word.contains(['/', '.', ':']) || word.ends_with(['.', ':']));
        words(&without_places.collect::<Vec<_>>().join(" ")).iter().filter(is_word).count() >= A_FEW_WORDS
    };
    let in_its_file = |aspect: &String| if file.is_empty() { aspect.clone() } else { format!("{file}: {aspect}") };
    let said = area.aspects.iter().filter(says_more).map(in_its_file);
    said.filter(|said| may_be_a_finding(said)).collect()
}

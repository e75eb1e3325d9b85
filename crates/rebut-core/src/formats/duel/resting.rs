//! Whether the words of a verdict rest on a citation that was found to be false.
//!
//! A verdict names evidence in its own way: another part of the path, one line of several, or only the claim. So places
//! are compared by the file that they lead to and by lines that overlap, and a claim counts with all that it cites.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::claims::check::{CheckResult, Checked};
use crate::claims::citation::{self, Citation, Target};
use crate::claims::doubt::{Hand, is_doubted};
use crate::claims::place::{same_file, same_place};
use crate::claims::{ClaimId, Ledger, stands_in};

use super::Role;
use super::laid::{is_laid_on, is_taken_for, loser};

/// The false citation that a text rests on, whoever made it. One that the words around it call false is no ground; nor is
/// one of the side that loses, where the sentence says that it is theirs, and none of their claims ever is. Where other words
/// are said to stand there than those that do not, they are looked up instead. `winner` is the side that the text speaks for,
/// if it is one.
pub(super) fn rests_on<'a>(ledger: &'a Ledger, winner: Option<Role>, text: &str) -> Option<&'a Checked> {
    grounds(ledger, winner, text, &|_| false).into_iter().next()
}

/// The same for the reasoning, which weighs both sides: of a place of the side that loses, the sentence must say that the
/// winner has it or that it decides. All of them, each place once.
pub(super) fn reasoning_rests_on<'a>(ledger: &'a Ledger, winner: Role, text: &str) -> Vec<&'a Checked> {
    let mut found = grounds(ledger, Some(winner), text, &|span| !is_taken_for(winner, text, span));
    let mut known: BTreeSet<&Target> = BTreeSet::new();
    found.retain(|found| known.insert(&found.citation.target));
    found
}

fn grounds<'a>(
    ledger: &'a Ledger,
    winner: Option<Role>,
    text: &str,
    is_weighed: &dyn Fn(Range<usize>) -> bool,
) -> Vec<&'a Checked> {
    let is_own = |place: &str| winner.is_none_or(|winner| place.starts_with(winner.letter()));
    let excused = |places: &[&str], span: Range<usize>| {
        let laid = || winner.is_some_and(|winner| is_laid_on(loser(winner), text, span.clone()));
        is_doubted(text, span.clone(), Hand::CitedBy(&sides(places)))
            || (!places.iter().any(|place| is_own(place)) && (laid() || is_weighed(span.clone())))
    };
    let false_ones: Vec<(String, &Checked)> = ledger.false_citations().collect();
    let by_place = citation::find_with_others(text).into_iter().filter_map(|citation| {
        let meant = false_ones.iter().filter(|(_, found)| is_meant(ledger, &citation.target, found));
        let meant = meant.filter(|(_, found)| !says_otherwise(&citation, found));
        let (places, meant): (Vec<&str>, Vec<&Checked>) = meant.map(|(place, found)| (place.as_str(), *found)).unzip();
        meant.first().copied().filter(|_| !excused(&places, citation.span.clone()))
    });
    // Many places may have one name, which is looked for once for each side.
    let mut known: BTreeMap<(String, bool), bool> = BTreeMap::new();
    let by_name = false_ones.iter().filter_map(|(place, found)| {
        let named = names(ledger, found).into_iter().any(|name| {
            let key = (name, is_own(place));
            if let Some(named) = known.get(&key) {
                return *named;
            }
            let named = places_of(text, &key.0).any(|span| !excused(&[place], span));
            known.insert(key, named);
            named
        });
        named.then_some(*found)
    });
    let by_claim = named_claims(text).filter(|(id, _)| is_own(id.as_str())).filter_map(|(id, span)| {
        let claim = ledger.claims.iter().find(|claim| claim.id == id)?;
        let nothing_else = claim.other_evidence.is_empty() && claim.citations.iter().all(|found| found.result.is_false());
        claim.citations.first().filter(|_| nothing_else && !is_doubted(text, span, Hand::CitedBy(&sides(&[id.as_str()]))))
    });
    by_place.chain(by_name).chain(by_claim).collect()
}

/// The sides that made citations which stand at these places of the ledger.
fn sides(places: &[&str]) -> Vec<&'static str> {
    let made = |role: &Role| places.iter().any(|place| place.starts_with(role.letter()));
    Role::DEBATERS.into_iter().filter(made).map(Role::as_str).collect()
}

/// Whether other words are said to stand at a place than those that were not found there. Where the file is not there,
/// nothing stands in it.
fn says_otherwise(citation: &Citation, found: &Checked) -> bool {
    let told = |quote: &String| {
        let mut known = found.citation.quotes.iter();
        known.any(|other| other.trim() == quote.trim() || stands_in(quote, other) || stands_in(other, quote))
    };
    let quotes = &citation.quotes;
    found.result == CheckResult::Mismatch
        && !found.citation.quotes.is_empty()
        && !quotes.is_empty()
        && !quotes.iter().any(told)
}

/// The shortest words that are known again by themselves, in characters.
const SHORTEST_QUOTE: usize = 8;

/// How a false citation is named without its place: by the words that are said to stand there and do not, by the name of a
/// file that is not there, by the hash of a commit that is none.
fn names(ledger: &Ledger, found: &Checked) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    match (&found.citation.target, found.result) {
        (Target::File { path, .. }, CheckResult::Missing) => {
            let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
            let known = all(ledger).any(|other| other.result.holds() && names_file(other, name));
            names.extend((name.contains('.') && !known).then(|| name.to_owned()));
            // Nothing stands in a file that is not there.
            names.extend(telling_quotes(ledger, found));
        }
        (Target::File { .. }, CheckResult::Mismatch) => {
            // Of several quotes the false one is not known.
            names.extend(telling_quotes(ledger, found).filter(|_| found.citation.quotes.len() == 1));
        }
        (Target::Commit { hash, .. }, CheckResult::Missing) => names.push(hash.clone()),
        _ => {}
    }
    names
}

/// The quotes of a false citation that are known again by themselves, and that nobody quoted rightly from elsewhere.
fn telling_quotes<'a>(ledger: &'a Ledger, found: &'a Checked) -> impl Iterator<Item = String> + 'a {
    let quotes = found.citation.quotes.iter().map(|quote| quote.trim());
    let telling = quotes.filter(|quote| quote.chars().count() >= SHORTEST_QUOTE);
    let stands = |quote: &str| {
        all(ledger).any(|other| other.result.holds() && other.citation.quotes.iter().any(|held| held.trim() == quote))
    };
    telling.filter(move |quote| !stands(quote)).map(str::to_owned)
}

fn names_file(found: &Checked, name: &str) -> bool {
    found.file.as_deref().is_some_and(|file| same_file(file, name))
}

/// Where a name stands in a text as words of its own, and not as a part of a path.
fn places_of<'a>(text: &'a str, name: &'a str) -> impl Iterator<Item = Range<usize>> + 'a {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '/' | '\\' | '-');
    text.match_indices(name).map(|(at, found)| at..at + found.len()).filter(move |span| {
        let (before, behind) = (text[..span.start].chars().next_back(), text[span.end..].chars().next());
        !before.is_some_and(part) && !behind.is_some_and(|c| part(c) || c == ':')
    })
}

/// What a text cites and the debate has not found to be false already, as far as the text itself does not call it false:
/// a place that only this text names, or other words that are said to stand there.
pub(super) fn not_looked_up(ledger: &Ledger, text: &str) -> impl Iterator<Item = Citation> {
    let false_ones: Vec<&Checked> = ledger.false_citations().map(|(_, found)| found).collect();
    citation::find_with_others(text).into_iter().filter_map(move |citation| {
        let is_known = |found: &&Checked| is_meant(ledger, &citation.target, found) && !says_otherwise(&citation, found);
        let known = false_ones.iter().any(is_known);
        // Where it stands in one text of several says nothing.
        (!known && !is_doubted(text, citation.span.clone(), Hand::CitedBy(&[])))
            .then_some(Citation { span: 0..0, ..citation })
    })
}

/// Whether the place that is cited is the false one. Where somebody cited the same lines rightly, that may be meant,
/// unless it is the very same place.
fn is_meant(ledger: &Ledger, cited: &Target, found: &Checked) -> bool {
    if !same_place(cited, found) {
        return false;
    }
    *cited == found.citation.target || !all(ledger).any(|other| other.result.holds() && same_place(cited, other))
}

/// All that was looked up.
fn all(ledger: &Ledger) -> impl Iterator<Item = &Checked> {
    let of_claims = ledger.claims.iter().flat_map(|claim| &claim.citations);
    of_claims.chain(ledger.beside.iter().flat_map(|(_, beside)| beside))
}

/// Whether a statement cites the place of this finding, or one that overlaps it.
pub(super) fn is_cited_in_statement(ledger: &Ledger, found: &Checked) -> bool {
    all(ledger).any(|other| same_place(&found.citation.target, other))
}

/// The ids of claims that a text names, and where.
fn named_claims(text: &str) -> impl Iterator<Item = (ClaimId, Range<usize>)> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '.')).filter_map(move |word| {
        let word = word.trim_matches('.');
        let at = word.as_ptr() as usize - text.as_ptr() as usize;
        Some((ClaimId::read(word)?, at..at + word.len()))
    })
}

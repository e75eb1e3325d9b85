//! Whose a false citation is said to be. One of the side that loses is no ground of the winner where the sentence lays it on
//! them.

use std::ops::Range;

use super::Role;
use crate::claims::ClaimId;
use crate::claims::doubt::around;

/// The side that loses where this one wins.
pub(super) fn loser(winner: Role) -> Role {
    if winner == Role::Proposer { Role::Challenger } else { Role::Proposer }
}

/// Words behind which a place of the other side is held against it: `refuted by X`, or is agreed on: `concedes X`.
#[rustfmt::skip]
const TAKEN_UP: [&str; 13] = [
    "by", "see", "concedes", "conceded", "admits", "admitted", "agrees", "agreed", "grants", "accepts", "accepted",
    "acknowledges", "acknowledged",
];

/// What a side is said not to have met: such a place is held against it.
#[rustfmt::skip]
const UNMET: [&str; 12] = [
    "overlooks", "overlooked", "ignores", "ignored", "misses", "missed", "denies", "denied", "forgets", "answer", "explain",
    "rebut",
];

/// Words from a place to the side that it is said to be of: `X, cited by the proposer`.
#[rustfmt::skip]
const LEADING_TO_A_SIDE: [&str; 24] = [
    "which", "that", "was", "is", "as", "cited", "invoked", "quoted", "named", "offered", "by", "contrary", "to", "what",
    "unlike", "despite", "the", "a", "main", "key", "central", "exhibit", "evidence", "of",
];

/// Beginnings of words that speak of citing and are not said of code. A sentence that has one exposes what the other side
/// cited falsely; for a place of one's own it must say so of the place.
const EXPOSING: [&str; 9] =
    ["fabricat", "hallucinat", "debunk", "discredit", "credibility", "misquot", "unproven", "inadmissible", "widerleg"];

/// Words by which a place decides a debate, or speaks against a side.
#[rustfmt::skip]
const DECIDING: [&str; 39] = [
    "decides", "decided", "decisive", "decisively", "proves", "proved", "proof", "settles", "settled", "wins", "convinces",
    "convincing", "convinced", "persuades", "persuaded", "swayed", "shows", "demonstrates", "establishes", "confirms", "refutes",
    "contradicts", "undermines", "defeats", "fatal", "speaks", "reason", "why", "tips", "difference", "strongest", "clear",
    "given", "deciding", "persuasive", "compelling", "heaviest", "counts", "won",
];

/// What makes a place the cause of a ruling.
const CAUSES: [(&str, &str); 4] = [("because", "of"), ("thanks", "to"), ("due", "to"), ("owing", "to")];

/// Words that deny what a clause says.
const DENYING: [&str; 8] = ["not", "cannot", "never", "no", "none", "nothing", "nobody", "hardly"];

/// Those of them that a place itself does: whose it is does not matter then.
#[rustfmt::skip]
const DONE_BY_PLACE: [&str; 13] = [
    "decides", "proves", "settles", "convinces", "persuades", "shows", "demonstrates", "establishes", "confirms", "refutes",
    "contradicts", "undermines", "defeats",
];

/// What a judge rests on a ground.
const RULINGS: [&str; 6] = ["verdict", "decision", "ruling", "judgement", "judgment", "conclusion"];

/// Words with which another clause begins, which has a subject of its own.
const JOINING: [&str; 10] = ["but", "yet", "while", "whereas", "though", "although", "since", "because", "so", "however"];

/// Whether a reasoning takes a place for this side: its clause names the side or says that the place decides, or what
/// follows leads back to the place to say so (`as the challenger shows`, `This decides.`).
pub(super) fn is_taken_for(role: Role, text: &str, span: Range<usize>) -> bool {
    let (before, behind) = around(text, span.clone());
    let (lead, rest) = (clauses(before).pop().unwrap_or_default(), clauses(behind));
    let (own, following) = rest.split_first().map_or((&[][..], &[][..]), |(own, following)| (own.as_slice(), following));
    let mut clause = lead.iter().chain(own);
    // `I was not persuaded by X`
    if clause.clone().any(|word| DENYING.contains(&word.as_str())) {
        return false;
    }
    let is_cause = matches!(lead.as_slice(), [.., one, other] if CAUSES.contains(&(one.as_str(), other.as_str())));
    let decides = |word: &String| DECIDING.contains(&word.as_str()) || RULINGS.contains(&word.as_str());
    let leads_back = |clause: &Vec<String>| {
        let clause = &clause[usize::from(clause.first().is_some_and(|word| word == "and"))..];
        match clause.first().map(String::as_str) {
            Some("as") => clause.iter().any(|word| names(role, word)),
            Some("this" | "that" | "which" | "it" | "these") => clause.iter().any(decides),
            _ => false,
        }
    };
    let next = || {
        let end = span.end + behind.len();
        let (_, next) = around(text, text.ceil_char_boundary(end + 2)..text.ceil_char_boundary(end + 2));
        clauses(next).first().is_some_and(leads_back)
    };
    is_cause || clause.any(|word| names(role, word) || decides(word)) || following.iter().any(leads_back) || next()
}

/// The clauses of a part of a sentence, as words.
fn clauses(text: &str) -> Vec<Vec<String>> {
    let mut clauses = vec![Vec::new()];
    for part in text.split_inclusive([',', ';', ':', '(', ')', '\u{2014}', '\u{2013}']) {
        for word in words(part) {
            if JOINING.contains(&word.as_str()) {
                clauses.push(Vec::new());
            }
            if let Some(last) = clauses.last_mut() {
                last.push(word);
            }
        }
        if part.ends_with([',', ';', ':', '(', ')', '\u{2014}', '\u{2013}']) {
            clauses.push(Vec::new());
        }
    }
    clauses
}

/// Whether a sentence says whose a place is: `the proposer's case hangs on src/pool.rs:88`, `P1.1 rests on it`.
pub(super) fn is_laid_on(role: Role, text: &str, span: Range<usize>) -> bool {
    let (before, behind) = around(text, span);
    let is_theirs = |word: &String| names(role, word);
    let taken_up = |word: &String| TAKEN_UP.contains(&word.as_str());
    let unmet = |word: &String| UNMET.contains(&word.as_str());
    let (before, behind) = (words(before), words(behind));
    let decides = behind.first().is_some_and(|word| DONE_BY_PLACE.contains(&word.as_str()));
    let said_before = before.iter().rposition(is_theirs).is_some_and(|at| {
        let between = &before[at + 1..];
        // `by citing X` is what they did. Behind `because` the sentence speaks for itself, and so it does where the place
        // itself decides, unless that is what they say: `the proposer claims that X proves it`.
        let joined = between.iter().any(|word| JOINING.contains(&word.as_str()));
        let told = !decides || between.last().is_some_and(|word| word == "that");
        told && !joined
            && !between.iter().any(unmet)
            && !between.last().is_some_and(taken_up)
            && !between.first().is_some_and(taken_up)
    });
    let without =
        || before.last().is_some_and(|word| matches!(word.as_str(), "without" | "absent" | "ohne" | "sans" | "sin"));
    let said_behind = || {
        let led = behind.iter().take_while(|word| LEADING_TO_A_SIDE.contains(&word.as_str())).count();
        behind.get(led).is_some_and(is_theirs) && !behind.get(led + 1).is_some_and(taken_up)
    };
    let exposed = || {
        let mut words = before.iter().chain(&behind);
        words.any(|word| EXPOSING.iter().any(|begin| word.starts_with(begin)))
    };
    said_before || (!decides && (without() || said_behind())) || exposed()
}

/// The words of a text in small letters; the ids of claims are words.
fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '.')).map(|word| word.trim_matches('.'));
    words.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

/// Whether a word names a side, by its role or by one of its claims.
fn names(role: Role, word: &str) -> bool {
    word == role.as_str() || ClaimId::read(word).is_some_and(|id| id.as_str().starts_with(role.letter()))
}

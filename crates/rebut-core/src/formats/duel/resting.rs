//! Whether the words of a verdict rest on a citation that was found to be false.
//!
//! A verdict names evidence in its own way: another part of the path, one line of several, or only the claim. So places
//! are compared by the file that they lead to and by lines that overlap, and a claim counts with all that it cites.

use crate::claims::check::Checked;
use crate::claims::citation::{self, Citation, Lines, Target};
use crate::claims::{ClaimId, Ledger};

use super::Role;

/// Words that call a citation false.
#[rustfmt::skip]
const DOUBTING: [&str; 17] = [
    "false", "falsely", "invented", "invents", "fabricated", "fabricates", "hallucinated", "mismatch", "mismatched",
    "unverified", "nonexistent", "refuted", "misquoted", "misquotes", "discounted", "disregarded", "erfunden",
];

/// The same in two words.
const DOUBTING_PAIRS: [(&str, &str); 9] = [
    ("not", "exist"),
    ("doesn't", "exist"),
    ("not", "there"),
    ("no", "such"),
    ("not", "verified"),
    ("not", "say"),
    ("not", "hold"),
    ("is", "wrong"),
    ("is", "missing"),
];

/// How many words before and behind a citation may call it false.
const NEAR: usize = 8;

/// How far from it they are looked for, in bytes: a text may be one sentence from its beginning to its end.
const REACH: usize = 400;

/// The false citation that a text rests on, of this side or, where none is named, of either. One that the words around
/// it call false is no ground.
pub(super) fn rests_on<'a>(ledger: &'a Ledger, side: Option<Role>, text: &str) -> Option<&'a Checked> {
    let own = |place: &str| side.is_none_or(|role| place.starts_with(role.letter()));
    let false_ones: Vec<&Checked> =
        ledger.false_citations().filter(|(place, _)| own(place)).map(|(_, found)| found).collect();
    let cited = citation::find(text).into_iter().filter(|citation| !is_doubted(text, citation.span.clone()));
    let by_place = cited
        .into_iter()
        .find_map(|citation| false_ones.iter().copied().find(|found| is_meant(ledger, &citation.target, found)));
    by_place.or_else(|| {
        named_claims(text).find_map(|(id, span)| {
            let claim = ledger.claims.iter().find(|claim| claim.id == id && own(id.as_str()))?;
            let nothing_else =
                claim.other_evidence.is_empty() && claim.citations.iter().all(|found| found.result.is_false());
            claim.citations.first().filter(|_| nothing_else && !is_doubted(text, span))
        })
    })
}

/// What a text cites and the debate has not found to be false already, as far as the text itself does not call it false:
/// a place that only this text names, or other words that are said to stand there.
pub(super) fn not_looked_up(ledger: &Ledger, text: &str) -> impl Iterator<Item = Citation> {
    let false_ones: Vec<&Checked> = ledger.false_citations().map(|(_, found)| found).collect();
    citation::find(text).into_iter().filter_map(move |citation| {
        let known = false_ones.iter().any(|found| is_meant(ledger, &citation.target, found));
        // Where it stands in one text of several says nothing.
        (!known && !is_doubted(text, citation.span.clone())).then_some(Citation { span: 0..0, ..citation })
    })
}

/// Whether the place that is cited is the false one. Where somebody cited the same lines rightly, that may be meant,
/// unless it is the very same place.
fn is_meant(ledger: &Ledger, cited: &Target, found: &Checked) -> bool {
    if !same_place(cited, found) {
        return false;
    }
    let of_claims = ledger.claims.iter().flat_map(|claim| &claim.citations);
    let mut all = of_claims.chain(ledger.beside.iter().flat_map(|(_, beside)| beside));
    *cited == found.citation.target || !all.any(|other| other.result.holds() && same_place(cited, other))
}

/// Whether a statement cites the place of this finding, or one that overlaps it.
pub(super) fn is_cited_in_statement(ledger: &Ledger, found: &Checked) -> bool {
    let of_claims = ledger.claims.iter().flat_map(|claim| &claim.citations);
    let mut all = of_claims.chain(ledger.beside.iter().flat_map(|(_, beside)| beside));
    all.any(|other| same_place(&found.citation.target, other))
}

fn same_place(cited: &Target, found: &Checked) -> bool {
    match (cited, &found.citation.target) {
        (Target::File { path, lines }, Target::File { path: written, lines: of_found }) => {
            let is_file = |other: &str| same_file(path, other);
            overlap(*lines, *of_found) && (found.file.as_deref().is_some_and(is_file) || is_file(written))
        }
        (Target::Commit { hash: one, path }, Target::Commit { hash: other, path: of_found }) => {
            let same_commit = one.starts_with(other.as_str()) || other.starts_with(one.as_str());
            let either = path.as_deref().zip(of_found.as_deref());
            same_commit && either.is_none_or(|(one, other)| same_file(one, other))
        }
        (one, other) => one == other,
    }
}

/// Whether two paths can mean one file: the same, or one is the end of the other. They are read from their ends and only as
/// far as they are alike, since every place of a verdict is compared with all that are false.
fn same_file(one: &str, other: &str) -> bool {
    let (mut one, mut other) = (letters_back(one), letters_back(other));
    loop {
        match (one.next(), other.next()) {
            (None, None) => return true,
            (Some(c), None) | (None, Some(c)) => return c == '/',
            (Some(one), Some(other)) if one == other => {}
            _ => return false,
        }
    }
}

/// The letters of a path from its end, as far as they tell files apart.
fn letters_back(mut path: &str) -> impl Iterator<Item = char> {
    while let Some(rest) = path.strip_prefix("./").or_else(|| path.strip_prefix(".\\")) {
        path = rest;
    }
    let bare = path.trim_end_matches(['/', '\\']);
    bare.chars().rev().flat_map(char::to_lowercase).map(|c| if c == '\\' { '/' } else { c })
}

/// A file without lines is meant with all of its lines.
fn overlap(one: Option<Lines>, other: Option<Lines>) -> bool {
    one.zip(other).is_none_or(|(one, other)| one.first <= other.last && other.first <= one.last)
}

/// The ids of claims that a text names, and where.
fn named_claims(text: &str) -> impl Iterator<Item = (ClaimId, std::ops::Range<usize>)> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '.')).filter_map(move |word| {
        let word = word.trim_matches('.');
        let at = word.as_ptr() as usize - text.as_ptr() as usize;
        Some((ClaimId::read(word)?, at..at + word.len()))
    })
}

/// Whether words near a place, in its own sentence, call it false.
fn is_doubted(text: &str, span: std::ops::Range<usize>) -> bool {
    let (from, to) = (span.start.saturating_sub(REACH), text.len().min(span.end + REACH));
    let from = (from..=span.start).find(|at| text.is_char_boundary(*at)).unwrap_or(span.start);
    let to = (span.end..=to).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(span.end);
    let before = text[from..span.start].rsplit(". ").next().unwrap_or_default();
    let behind = text[span.end..to].split(". ").next().unwrap_or_default();
    let is_between = |c: char| !(c.is_alphanumeric() || matches!(c, '\'' | '’'));
    let mut before = near(before.rsplit(is_between));
    before.reverse();
    [before, near(behind.split(is_between))].iter().any(|near| {
        near.iter().any(|word| DOUBTING.contains(&word.as_str()))
            || near.windows(2).any(|pair| DOUBTING_PAIRS.contains(&(pair[0].as_str(), pair[1].as_str())))
    })
}

/// The first of these words, as they are compared.
fn near<'t>(words: impl Iterator<Item = &'t str>) -> Vec<String> {
    words.filter(|word| !word.is_empty()).take(NEAR).map(|word| word.replace('’', "'").to_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::check::CheckResult;
    use crate::claims::{Spoken, Statement};

    const OPENING: &str = "The pool waits.\n\n--- claims\nclaim: the lock is dropped\nevidence: src/pool.rs:88-95 \"drop\"\n\
        claim: it is short\nevidence: src/pool.rs:3\nclaim: it was measured\nevidence: commit abc1234";

    fn ledger_of(statement: &Statement) -> Ledger {
        let check = |citation: Citation| {
            let holds = matches!(&citation.target, Target::File { lines: Some(lines), .. } if lines.first == 3);
            let result = if holds { CheckResult::Verified } else { CheckResult::Mismatch };
            let file = Some("crates/net/src/pool.rs".to_owned());
            Checked {
                citation,
                result,
                detail: String::new(),
                file,
                lines: None,
                likeness: None,
                output: None,
                passage: None,
            }
        };
        let checked: Vec<Checked> = statement.citations().into_iter().map(check).collect();
        Ledger::of([Spoken { letter: "P", speaker: "proposer", round: 1, statement, checked: &checked }])
    }

    fn rests(argument: &str) -> Option<String> {
        let ledger = ledger_of(&Statement::read(OPENING));
        rests_on(&ledger, Some(Role::Proposer), argument).map(|found| found.citation.target.to_string())
    }

    #[test]
    fn a_false_citation_is_known_by_file_and_lines_and_by_its_claim() {
        for argument in [
            "src/pool.rs:88-95 drops the lock.",
            "src/pool.rs:88 drops the lock.",
            "`pool.rs:90-99` drops the lock.",
            "crates/net/src/pool.rs:95 drops the lock.",
            "The lock is dropped, see P1.1.",
            "The wait is not bounded, and nothing that exists helps: src/pool.rs:88 shows it.",
            "src/pool.rs:88 shows that the check which failed is the wrong one.",
        ] {
            assert_eq!(rests(argument).as_deref(), Some("src/pool.rs:88-95"), "{argument}");
        }
        assert_eq!(rests("It was measured in commit abc12345.").as_deref(), Some("commit abc1234"));
    }

    #[test]
    fn paths_are_one_file_where_one_is_the_end_of_the_other() {
        for (one, other, same) in [
            ("src/pool.rs", "crates/net/src/pool.rs", true),
            ("./src\\Pool.rs", "SRC/pool.rs/", true),
            ("pool.rs", "src/whirlpool.rs", false),
            ("src/pool.rs", "net/pool.rs", false),
            ("", "src/pool.rs", false),
        ] {
            assert_eq!((same_file(one, other), same_file(other, one)), (same, same), "{one} {other}");
        }
    }

    /// With words counted from the beginning of the text for every citation, this would not end.
    #[test]
    fn a_text_of_nothing_but_citations_is_read_once() {
        let text = "é src/other.rs:3 ".repeat(4_000);
        assert_eq!(rests(&text), None);
        assert_eq!(rests(&format!("{text}src/pool.rs:88")).as_deref(), Some("src/pool.rs:88-95"));
    }

    #[test]
    fn what_is_true_or_called_false_is_no_false_ground() {
        for argument in [
            "src/pool.rs:3 is short.",
            "`src/pool.rs` is short.",
            "P1.2 stands.",
            "The citation of src/pool.rs:88-95 was found to be false, yet the point holds.",
            "src/pool.rs:88 does not exist.",
            "P1.1 is unverified and was not needed.",
        ] {
            assert_eq!(rests(argument), None, "{argument}");
        }
        let ledger = ledger_of(&Statement::read(OPENING));
        assert!(rests_on(&ledger, Some(Role::Challenger), "src/pool.rs:88 drops it.").is_none());
        assert!(rests_on(&ledger, None, "src/pool.rs:88 drops it.").is_some());
    }
}

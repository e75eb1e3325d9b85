//! A place that was cited falsely before, named again by somebody who exposes or reports it.
//!
//! Whoever shows that the other side invented a citation must name it. That is no citation of their own: the place stays
//! with the one who cited it.

use super::check::{CheckResult, Checked};
use super::citation::{Citation, Target, find_told_of_others};
use super::doubt::{Hand, doubts, is_doubted};
use super::place::same_place;
use super::{Claim, Statement, stands_in};

/// What was found before a statement was made.
#[derive(Clone, Debug, Default)]
pub struct Earlier<'a> {
    /// Of what others cited.
    pub of_others: Vec<&'a Checked>,
    /// Of what its own speaker cited.
    pub own: Vec<&'a Checked>,
}

impl Statement {
    /// What the statement cites for itself: without the places that others cited falsely before it, where nothing else is
    /// said to stand there, and without those that its speaker takes back.
    ///
    /// Below a claim such a place counts all the same, unless the claim attacks another or calls something false.
    pub fn own_citations(&self, earlier: &Earlier<'_>) -> Vec<Citation> {
        let mut citations = self.citations();
        citations.extend(self.foisted_on_others(earlier));
        self.without_retold(citations, earlier)
    }

    /// Places that the prose tells as somebody else's, and that nobody else cited: they are the speaker's own.
    fn foisted_on_others(&self, earlier: &Earlier<'_>) -> Vec<Citation> {
        let told = find_told_of_others(&self.body).into_iter();
        told.filter(|told| !earlier.of_others.iter().any(|found| same_place(&told.target, found))).collect()
    }

    /// Takes out of these citations of the statement what it only retells.
    pub(crate) fn without_retold(&self, citations: Vec<Citation>, earlier: &Earlier<'_>) -> Vec<Citation> {
        citations.into_iter().filter_map(|citation| self.own(citation, earlier)).collect()
    }

    fn own(&self, mut citation: Citation, earlier: &Earlier<'_>) -> Option<Citation> {
        let doubted = || self.calls_false(&citation);
        let of_others: Vec<&Checked> = false_before(&earlier.of_others, &citation.target).collect();
        let own: Vec<&Checked> = false_before(&earlier.own, &citation.target).collect();
        let claimed = citation.claims.iter().filter_map(|number| self.claims.get(*number as usize - 1));
        if claimed.into_iter().any(takes_as_its_own) || (of_others.is_empty() && (own.is_empty() || !doubted())) {
            return Some(citation);
        }
        let told = |quote: &String| {
            let mut known = of_others.iter().chain(&own).flat_map(|found| &found.citation.quotes);
            known.any(|other| other.trim() == quote.trim() || stands_in(quote, other) || stands_in(other, quote))
        };
        citation.quotes.retain(|quote| !told(quote));
        (!citation.quotes.is_empty()).then_some(citation)
    }

    /// Whether the prose calls the place false where it cites it.
    fn calls_false(&self, citation: &Citation) -> bool {
        let in_prose = !citation.span.is_empty() && citation.span.end <= self.body.len();
        in_prose && is_doubted(&self.body, citation.span.clone(), Hand::OfSpeaker)
    }
}

/// The findings by which a place was false when it was cited before.
fn false_before<'a>(before: &'a [&'a Checked], cited: &'a Target) -> impl Iterator<Item = &'a Checked> {
    before.iter().copied().filter(move |found| {
        // A file whose lines were false is a file all the same.
        let lines_alone = matches!(
            (cited, &found.citation.target),
            (Target::File { lines: None, .. }, Target::File { lines: Some(_), .. })
        );
        found.result.fails() && same_place(cited, found) && !(lines_alone && found.result == CheckResult::Mismatch)
    })
}

/// Whether a claim rests on what it cites: one that attacks another, or calls something false, names what it refutes.
fn takes_as_its_own(claim: &Claim) -> bool {
    claim.attacks.is_empty() && !doubts(&claim.text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(statement: &str, result: CheckResult) -> Vec<Checked> {
        let citations = Statement::read(statement).citations().into_iter();
        let checked = |citation| Checked::of(citation, result, "");
        citations.map(checked).collect()
    }

    fn own(answer: &str) -> Vec<String> {
        let false_ones = found(
            "src/token.rs:10 says `log.info(api_key)`. src/pool.rs:88 waits. src/pool.rs:43 says \"push_front(conn);\".",
            CheckResult::Mismatch,
        );
        let earlier = Earlier { of_others: false_ones.iter().collect(), own: Vec::new() };
        let own = Statement::read(answer).own_citations(&earlier);
        own.iter().map(|citation| format!("{} {:?}", citation.target, citation.quotes)).collect()
    }

    #[test]
    fn who_exposes_an_invented_citation_has_not_made_it() {
        for answer in [
            "The proposer invented src/token.rs:10.",
            "As the check shows, src/token.rs:10 is of no use.",
            "The proposer relies on `token.rs:10`, which failed.",
            "src/pool.rs:88 is past the end of the file.",
            "src/pool.rs:43 does not say \"push_front(conn);\".",
            "The proposer quotes src/pool.rs:43 as \"push_front(conn);\".",
            "No.\n\n--- claims\nclaim: the file is invented\nevidence: src/token.rs:10",
            "No.\n\n--- claims\nclaim: the proposer invented its file\nevidence: src/token.rs:10",
            "No.\n\n--- claims\nclaim: no keys are logged\nattacks: P1.1\nevidence: src/token.rs:10",
        ] {
            assert_eq!(own(answer), [""; 0], "{answer}");
        }
    }

    #[test]
    fn what_is_cited_for_other_words_or_under_a_claim_is_ones_own() {
        assert_eq!(own("src/pool.rs:43 reads `push_back(conn);`."), ["src/pool.rs:43 [\"push_back(conn);\"]"]);
        assert_eq!(own("See `src/pool.rs`."), ["src/pool.rs []"]);
        assert_eq!(own("See src/pool.rs:3."), ["src/pool.rs:3 []"]);
        for bug in ["keys are logged", "keys are exposed", "the null check is missing"] {
            let claimed = format!("So.\n\n--- claims\nclaim: {bug}\nevidence: src/token.rs:10");
            assert_eq!(own(&claimed), ["src/token.rs:10 []"], "{bug}");
        }
    }

    #[test]
    fn what_is_laid_at_anothers_door_is_ones_own_unless_they_cited_it() {
        for answer in [
            "The proposer cites src/clock.rs:5, and rightly so: it leaks.",
            "As the proposer says, src/clock.rs:5 leaks.",
            "The proposer relies on src/clock.rs:5, which panics.",
            "The proposer itself cites src/clock.rs:5, which logs the key.",
            "You said src/clock.rs:5 logs the key.",
        ] {
            assert_eq!(own(answer), ["src/clock.rs:5 []"], "{answer}");
        }
        assert_eq!(own("The proposer cites src/pool.rs:99, and it leaks."), ["src/pool.rs:99 []"]);
        let theirs = found("src/clock.rs:5 leaks.", CheckResult::Verified);
        let earlier = Earlier { of_others: theirs.iter().collect(), own: Vec::new() };
        let answer = Statement::read("The proposer cites src/clock.rs:5, and it does not matter.");
        assert_eq!(answer.own_citations(&earlier), []);
        // What is called invented is nobody's.
        assert_eq!(own("The proposer invented src/clock.rs:5."), [""; 0]);
    }

    #[test]
    fn who_takes_an_own_false_citation_back_does_not_make_it_again() {
        let before = found("src/token.rs:10 logs keys.", CheckResult::Missing);
        let earlier = Earlier { of_others: Vec::new(), own: before.iter().collect() };
        let own = |answer: &str| Statement::read(answer).own_citations(&earlier).len();
        assert_eq!(own("I take it back: src/token.rs:10 was made up."), 0);
        for back in
            ["I was wrong to cite src/token.rs:10.", "Please disregard src/token.rs:10.", "I erred on src/token.rs:10."]
        {
            assert_eq!(own(back), 0, "{back}");
        }
        assert_eq!(own("The challenger erred on src/token.rs:10."), 1);
        for again in ["logs keys", "exposes the API keys", "is missing a null check", "returns false for valid keys"] {
            assert_eq!(own(&format!("Again, src/token.rs:10 {again}.")), 1, "{again}");
        }
    }

    #[test]
    fn own_words_that_were_quoted_elsewhere_are_looked_up_again() {
        let theirs = found("src/pool.rs:43 waits.", CheckResult::Mismatch);
        let mine = found("src/a.rs:5 reads \"drop(x);\".", CheckResult::Verified);
        let earlier = Earlier { of_others: theirs.iter().collect(), own: mine.iter().collect() };
        let own = |answer: &str| Statement::read(answer).own_citations(&earlier).len();
        assert_eq!(own("src/pool.rs:43 reads \"drop(x);\"."), 1);
        let mine = found("src/pool.rs:43 reads \"drop(x);\".", CheckResult::Mismatch);
        let earlier = Earlier { of_others: theirs.iter().collect(), own: mine.iter().collect() };
        let own = |answer: &str| Statement::read(answer).own_citations(&earlier).len();
        assert_eq!(own("src/pool.rs:43 reads \"drop(x);\"."), 0);
    }
}

//! How a round of a review ends: failure, agreement, the letter, nothing new, the last round, the budget. In each row two
//! or more of these are so at once, and the one that comes first decides.

use rebut_core::debate::{Budget, Cause, Status, Usage};
use rebut_core::formats::review::{Form, Target};
use serde_json::json;

use crate::test_debate::review::{critique, judgement, judgement_of, review_of, rewritten, ruling, same};
use crate::{Reply, TestDebate};

/// A text of two parts, so that one of them can fail.
const MIXED: &str = "# Proposal\n\nWe cache all.\n\n```rust\nfn cache() {}\n```\n";

/// What a whole review may use; an answer that says nothing else uses a thousandth of it.
const MOST_TOKENS: u64 = 1_300_000;

/// A review of a text in so many rounds.
fn review(target: Target, rounds: u32) -> TestDebate {
    review_within(Budget { max_tokens: Some(MOST_TOKENS), ..Budget::default() }, target, rounds)
}

fn review_within(budget: Budget, target: Target, rounds: u32) -> TestDebate {
    let text = if target == Target::Mixed { MIXED } else { "We use gRPC.\n" };
    review_of(text, Form::Text, target, rounds, |plan| plan.budget = budget)
}

/// What is answered at the price of more tokens than the review has.
fn dearly(text: String) -> Reply {
    let usage = Usage { input_tokens: Some(MOST_TOKENS), output_tokens: Some(1), cost: None };
    Reply::Costs(text, usage)
}

/// Two rounds, the second and the third, without anything of weight that is new, after a first one that was rewritten (C) for
/// what the judge had missed. It is missing again later, which is not new any more. The third round is not judged yet.
fn quiet(rounds: u32) -> TestDebate {
    review(Target::Proposal, rounds)
        .says("round-1/critique", critique(&[("P3", "the heading says little")], "revise"))
        .says("round-1/judgement", judgement(&[("F1", "valid", "P3")], MISSING))
        .says("round-1/rewrite", rewritten("We use gRPC in May."))
        .says("round-2/critique", critique(&[("P3", "the month has no year beside it")], "revise"))
        .says("round-2/judgement", missing_again("F2"))
        .says("round-2/rewrite", rewritten("We use gRPC in May 2027."))
        .says("round-3/critique", critique(&[("P3", "nobody is named who does it")], "revise"))
}

const MISSING: &str = "a date";

/// A judgement that names what is missing again.
fn missing_again(finding: &str) -> String {
    let again = json!([{ "title": MISSING, "important": true, "same_as": "M1" }]);
    judgement_of(&[ruling(finding, "valid", "P3")], &json!([]), &again)
}

/// A first round with a valid P1.
fn weighty(rounds: u32) -> TestDebate {
    with_a_p1(review(Target::Proposal, rounds))
}

fn with_a_p1(review: TestDebate) -> TestDebate {
    review
        .says("round-1/critique", critique(&[("P1", "no reason is given")], "revise"))
        .says("round-1/judgement", judgement(&[("F1", "valid", "P1")], ""))
}

const NO_REVIEW: &str = "Stopped (backend error - no review performed)";
const AGREEMENT: &str = "Converged (agreement)";
const NOTHING_NEW: &str = "Converged (two consecutive rounds with no new P1/P2)";

#[test]
fn failure_comes_before_agreement() {
    let heard = || critique(&[], "keep");
    holds([
        (
            "who was not heard does not agree",
            review(Target::Mixed, 1)
                .fails("round-1/critique/code", Cause::Auth, "signed out")
                .says("round-1/critique/proposal", heard())
                .says("round-1/judgement", judgement(&[], "")),
            ("Keep Original", Status::Partial),
        ),
        (
            "nobody was heard at all",
            review(Target::Mixed, 1).fails("round-1/critique/code", Cause::Auth, "signed out").fails(
                "round-1/critique/proposal",
                Cause::Auth,
                "signed out",
            ),
            (NO_REVIEW, Status::Failed),
        ),
        (
            "both were heard",
            review(Target::Mixed, 1).says("round-1/critique/code", heard()).says("round-1/critique/proposal", heard()),
            (AGREEMENT, Status::Completed),
        ),
    ]);
}

#[test]
fn agreement_comes_before_the_letter_and_the_budget() {
    let aside = || critique(&[("P3", "the heading says little")], "keep");
    holds([
        (
            "an optional finding is not even judged",
            review(Target::Proposal, 1).says("round-1/critique", aside()),
            (AGREEMENT, Status::Completed),
        ),
        (
            "nothing is left for another call",
            review(Target::Proposal, 3).on("round-1/critique", dearly(aside())),
            (AGREEMENT, Status::Completed),
        ),
    ]);
}

#[test]
fn the_letter_comes_before_nothing_new_the_last_round_and_the_budget() {
    let small = || judgement(&[("F3", "valid", "P3")], "");
    holds([
        ("A in the second of two quiet rounds", quiet(4).says("round-3/judgement", small()), KEPT),
        ("A in the last of two quiet rounds", quiet(3).says("round-3/judgement", small()), KEPT),
        ("A with nothing left for another call", quiet(4).on("round-3/judgement", dearly(small())), KEPT),
        (
            "E in the last round, whose version would else be the result",
            weighty(2)
                .says("round-1/rewrite", rewritten("We use gRPC, since it is typed."))
                .says("round-2/critique", critique(&[("P1", "no reason is given")], "revise"))
                .says("round-2/judgement", judgement_of(&[same("F2", "invalid", "P1", "F1")], &json!([]), &json!([]))),
            ("Stopped", Status::Partial),
        ),
    ]);
}

#[test]
fn nothing_new_comes_before_the_last_round_and_the_budget() {
    let compromise = || missing_again("F3");
    let version = || rewritten("We use gRPC on 3 May 2027.");
    let converged = (NOTHING_NEW, Status::Completed);
    holds([
        ("C", quiet(4).says("round-3/judgement", compromise()).says("round-3/rewrite", version()), converged),
        (
            "C in the last round",
            quiet(3).says("round-3/judgement", compromise()).says("round-3/rewrite", version()),
            converged,
        ),
        (
            "C with nothing left for another call",
            quiet(4).says("round-3/judgement", compromise()).on("round-3/rewrite", dearly(version())),
            converged,
        ),
        (
            "D in the last round",
            quiet(3).says("round-3/judgement", judgement(&[("F3", "needs_evidence", "P1")], "")),
            converged,
        ),
    ]);
}

#[test]
fn the_last_round_comes_before_the_budget_which_comes_last() {
    let version = || rewritten("We use gRPC, since it is typed.");
    holds([
        ("C in the last round", weighty(1).says("round-1/rewrite", version()), ("Compromise", Status::Completed)),
        (
            "C in the last round with nothing left for another call",
            weighty(1).on("round-1/rewrite", dearly(version())),
            ("Compromise", Status::Completed),
        ),
        (
            "D in the last round",
            review(Target::Proposal, 1)
                .says("round-1/critique", critique(&[("P1", "no reason is given")], "revise"))
                .on("round-1/judgement", dearly(judgement(&[("F1", "needs_evidence", "P1")], ""))),
            ("Stopped", Status::Partial),
        ),
        (
            "a next round is due, and nothing is left for it",
            weighty(2).on("round-1/rewrite", dearly(version())),
            ("Stopped (budget exceeded)", Status::Partial),
        ),
    ]);
}

#[test]
fn the_time_limit_of_a_call_is_cut_to_what_is_left_of_the_budget() {
    let most_ms = 100_000;
    let version = || rewritten("We use gRPC, since it is typed.");
    let budget = Budget { max_ms: Some(most_ms), ..Budget::default() };
    let test = with_a_p1(review_within(budget, Target::Proposal, 1)).says("round-1/rewrite", version()).run();
    let limits = ["round-1/critique", "round-1/judgement", "round-1/rewrite"].map(|key| test.limit(key));
    assert!(limits[0] <= most_ms && limits.is_sorted_by(|one, next| one > next), "each has less than the last: {limits:?}");
    let test = weighty(1).says("round-1/rewrite", version()).run();
    assert_eq!(test.limit("round-1/rewrite"), test.debate().plan().timeout_ms, "without a limit a call has its own");
}

/// The version of the first round's compromise is kept.
const KEPT: (&str, Status) = ("Compromise", Status::Completed);

fn holds<const N: usize>(rows: [(&str, TestDebate, (&str, Status)); N]) {
    for (why, test, (decision, status)) in rows {
        let test = test.run();
        assert_eq!(test.outcome().decision.as_deref(), Some(decision), "{why}: {:?}", test.lines());
        assert_eq!(test.status(), status, "{why}");
    }
}

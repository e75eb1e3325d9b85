//! What a review keeps of its rounds: what a judge named and nobody did anything about, critics that say neither yes nor no,
//! and findings that are two.

use rebut_core::debate::{SeatName, Status};
use rebut_core::formats::review::{Form, Severity, Target, rounds, tracked, unread};
use rebut_core::report::{self, NewVersion};
use serde_json::json;

use crate::TestDebate;
use crate::test_debate::review::{critique, judgement, review_of, rewritten};

fn review(rounds: u32) -> TestDebate {
    review_of("We use gRPC.\n", Form::Text, Target::Proposal, rounds, |_| ())
}

/// A critique in JSON without findings.
fn nothing(recommendation: &str, checked: &str) -> String {
    let checked = json!([{ "file": "", "aspects": [checked] }]);
    json!({ "summary": "", "p1": [], "p2": [], "p3": [], "recommendation": recommendation, "checked": checked }).to_string()
}

#[test]
fn something_important_that_was_missing_stays_open_after_a_rebuttal() {
    let test = review(2)
        .says("round-1/critique", critique(&[("P1", "no reason is given")], "revise"))
        .says("round-1/judgement", judgement(&[("F1", "needs_evidence", "P1")], "nobody says who migrates the clients"))
        .says("round-1/rebuttal", "The reason is types.")
        .says("round-2/critique", critique(&[], "keep"))
        .run();
    assert_eq!(test.outcome().decision.as_deref(), Some("Converged (agreement)"));
    assert_eq!(report::remaining(test.debate(), Severity::P2, NewVersion::Proposed), 1);
    let conclusion = report::conclusion(test.debate());
    assert!(conclusion.contains("- P2 not raised by the critic: nobody says who migrates the clients"), "{conclusion}");
    assert!(report::sarif(test.debate()).expect("a log").to_string().contains("who migrates the clients"));
}

#[test]
fn a_stop_with_something_important_open_is_not_complete() {
    const MISSING: &str = "a date is missing";
    let test = review(3)
        .says("round-1/critique", critique(&[("P3", "the heading says little")], "revise"))
        .says("round-1/judgement", judgement(&[("F1", "valid", "P3")], MISSING))
        .says("round-1/rewrite", rewritten("We use gRPC soon."))
        .says("round-2/critique", critique(&[("P3", "the heading says little")], "revise"))
        .says("round-2/judgement", judgement(&[("F1", "valid", "P3")], MISSING))
        .run();
    assert_eq!((test.outcome().decision.as_deref(), test.status()), (Some("Stopped"), Status::Partial));
}

#[test]
fn a_critic_that_names_nothing_and_does_not_plainly_keep_it_is_asked_and_told_of() {
    for words in ["do not keep", "I would not keep this", "keep only the tests", "Keep, pending a test", "keep? unsure"] {
        let test = review(1)
            .says("round-1/critique", nothing(words, "all of it"))
            .says("round-1/critique", nothing(words, "all of it"))
            .says("round-1/judgement", judgement(&[], ""))
            .run();
        assert_eq!(test.rejections("round-1/critique"), ["critique:no_finding_for_it"], "{words}");
        assert_eq!(test.outcome().decision.as_deref(), Some("Keep Original"), "{words}");
        assert!(test.prompt("round-1/judgement").user.contains("the critic recommends: nothing that is plain"), "{words}");
        let conclusion = report::conclusion(test.debate());
        assert!(conclusion.contains("- the critic names no finding and does not plainly say to keep it"), "{conclusion}");
        assert!(conclusion.contains("1. [ ] Look into it yourself: the critic names no finding"), "{conclusion}");
        assert!(!conclusion.contains("Nothing is left to do"), "{conclusion}");
    }
}

#[test]
fn to_say_that_nothing_was_reviewed_is_no_agreement() {
    let test = review(1)
        .says("round-1/critique", nothing("keep", "not reviewed"))
        .says("round-1/critique", nothing("keep", "could not open the file"))
        .says("round-1/judgement", judgement(&[], ""))
        .run();
    assert_eq!(test.rejections("round-1/critique"), ["critique:nothing_checked"]);
    assert_eq!(test.outcome().decision.as_deref(), Some("Keep Original"));
}

#[test]
fn what_is_said_of_a_line_outside_of_all_lists_is_asked_about_and_left_to_do() {
    let said = "We use gRPC at artifact.md:1, which nobody can debug.";
    for answer in [
        format!("{}\n\n{said}", nothing("keep", "all of it")),
        nothing("keep", "all of it").replace("\"summary\":\"\"", &format!("\"summary\":{said:?}")),
    ] {
        let test = review(1)
            .says("round-1/critique", answer.clone())
            .says("round-1/critique", answer)
            .says("round-1/judgement", judgement(&[], ""))
            .run();
        assert_eq!(test.rejections("round-1/critique"), ["critique:finding_without_severity"]);
        assert_eq!(test.outcome().decision.as_deref(), Some("Keep Original"));
        assert!(test.prompt("round-1/judgement").user.contains(said));
        let conclusion = report::conclusion(test.debate());
        assert!(conclusion.contains("1. [ ] Look into it yourself: said by the critic"), "{conclusion}");
        assert!(!conclusion.contains("Nothing is left to do"), "{conclusion}");
    }
}

#[test]
fn suggestions_of_a_critic_that_agrees_are_not_lost() {
    let answer = nothing("keep", "all of it").replace("\"summary\"", "\"suggestions\":[\"name the clients\"],\"summary\"");
    let test = review(1).says("round-1/critique", answer).run();
    assert_eq!(test.outcome().decision.as_deref(), Some("Converged (agreement)"));
    let conclusion = report::conclusion(test.debate());
    assert!(conclusion.contains("- a suggestion of the critic: name the clients"), "{conclusion}");
}

#[test]
fn a_text_that_its_author_cannot_read_as_a_whole_is_not_written_anew() {
    let long = "We use gRPC, as was said before.\n".repeat(100);
    let test = review_of(&long, Form::Text, Target::Proposal, 1, |plan| {
        plan.seats.get_mut(&SeatName::new("author")).expect("an author").context_tokens = Some(1_000);
        plan.seats.get_mut(&SeatName::new("judge")).expect("a judge").context_tokens = Some(1_000);
    })
    .says("round-1/critique", critique(&[("P1", "no reason is given")], "revise"))
    .says("round-1/judgement", judgement(&[("F1", "valid", "P1")], ""))
    .run();
    assert_eq!((test.outcome().decision.as_deref(), test.status()), (Some("Stopped"), Status::Partial));
    assert!(test.lines()[0].contains("the text has 3300 bytes, the author reads 2000 of them"), "{:?}", test.lines());
    assert!(!test.asked().contains(&"round-1/rewrite"));
    let conclusion = report::conclusion(test.debate());
    assert!(
        conclusion.contains("- the judge was shown the 2000 bytes of the artifact that it reads at once"),
        "{conclusion}"
    );
}

/// A critique with P1s at places of one file.
fn panics(found: &[(&str, &str)]) -> String {
    let finding = |(text, place): &(&str, &str)| json!({ "finding": text, "place": place, "evidence": ["src/a.rs:10"] });
    let p1: Vec<_> = found.iter().map(finding).collect();
    json!({ "summary": "", "p1": p1, "p2": [], "p3": [], "recommendation": "revise", "checked": [] }).to_string()
}

const F3: (&str, &str) = ("f3 panics on error: `g().unwrap()`", "src/a.rs:3");
const F5: (&str, &str) = ("f5 panics on error: `h().unwrap()`", "src/a.rs:5");

#[test]
fn a_critic_that_lists_two_things_means_two() {
    for two in [
        [F3, F5],
        [("The first argument is not escaped", "src/a.rs:3"), ("The second argument is not escaped", "src/a.rs:3")],
        [("Integer overflow in width", "src/a.rs:3"), ("Integer overflow in height", "src/a.rs:3")],
        [F3, (F3.0, "src/a.rs:18")],
    ] {
        let test = review(1)
            .says("round-1/critique", panics(&two))
            .says("round-1/judgement", judgement(&[("F1", "valid", "P1"), ("F2", "valid", "P1")], ""))
            .says("round-1/rewrite", rewritten("We use REST."))
            .run();
        assert_eq!(tracked(test.debate()).len(), 2, "{two:?}");
    }
    let test = review(1)
        .says("round-1/critique", panics(&[F3, F3]))
        .says("round-1/judgement", judgement(&[("F1", "valid", "P1")], ""))
        .says("round-1/rewrite", rewritten("We use REST."))
        .run();
    assert_eq!(tracked(test.debate()).len(), 1, "what is said twice in the same words is one");
}

#[test]
fn the_same_trouble_of_another_name_beside_an_earlier_one_is_new() {
    let test = review(2)
        .says("round-1/critique", panics(&[F3]))
        .says("round-1/judgement", judgement(&[("F1", "valid", "P1")], ""))
        .says("round-1/rewrite", rewritten("We use REST."))
        .says("round-2/critique", panics(&[F5]))
        .says("round-2/judgement", judgement(&[("F2", "valid", "P1")], ""))
        .says("round-2/rewrite", rewritten("We use neither."))
        .run();
    assert_eq!(test.outcome().decision.as_deref(), Some("Compromise"));
    assert!(rounds(test.debate())[1].findings[0].new);
}

#[test]
fn the_commits_of_a_submodule_are_listed_as_not_read() {
    let diff = "diff --git a/mod b/mod\nindex 1..2 160000\n--- a/mod\n+++ b/mod\n@@ -1 +1 @@\n-Subproject commit \
                1111111111111111111111111111111111111111\n+Subproject commit \
                2222222222222222222222222222222222222222-dirty\n";
    // Git tells the mode of a submodule whose commit stays the same in no line.
    for diff in [diff, &diff.replace("index 1..2 160000\n", "")] {
        let test = review_of(diff, Form::Change, Target::Code, 1, |_| ())
            .says("round-1/critique", critique(&[("P3", "the bump has no reason")], "keep"))
            .run();
        let expected = "mod (commits 111111111111 and 222222222222 of a submodule, and what is not committed in it)";
        assert_eq!(unread(test.debate()), [expected]);
    }
    let stays = diff.replace("2222222222222222222222222222222222222222", "1111111111111111111111111111111111111111");
    let test = review_of(&stays, Form::Change, Target::Code, 1, |_| ())
        .says("round-1/critique", critique(&[("P3", "the bump has no reason")], "keep"))
        .run();
    assert_eq!(unread(test.debate()), ["mod (commit 111111111111 of a submodule, and what is not committed in it)"]);
}

//! What a review keeps of its rounds: what is missing, findings that are the same, and critics that say neither yes nor no.

use rebut_core::debate::{NewVersion, SeatName, Status};
use rebut_core::formats::review::{Form, History, Severity, Target, unread};
use rebut_core::report;
use serde_json::{Value, json};

use crate::TestDebate;
use crate::test_debate::plan;
use crate::test_debate::review::{
    at, critique, critique_of, finding_with, judgement, judgement_of, review_of, rewritten, ruling, same,
};

fn review(rounds: u32) -> TestDebate {
    review_of("We use gRPC.\n", Form::Text, Target::Proposal, rounds, |_| ())
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
    assert_eq!(History::of(test.debate()).remaining(Severity::P2, NewVersion::Proposed), 1);
    let conclusion = report::conclusion(test.debate());
    assert!(
        conclusion.contains("- P2 M1 missing, by the judge: nobody says who migrates the clients [open]"),
        "{conclusion}"
    );
    assert!(test.debate().format().sarif(test.debate()).expect("a log").to_string().contains("who migrates the clients"));
}

#[test]
fn what_the_critic_calls_missing_reaches_judge_rewrite_and_summary() {
    let critique = critique_of(&[finding_with("P3", "the heading says little", &[])], &["a test", "a date"], "revise");
    let weighed = json!([{ "id": "M1", "important": true }, { "id": "M2", "important": false }]);
    let added = json!([{ "title": "an owner", "explanation": "nobody migrates", "important": false }]);
    let test = review(1)
        .says("round-1/critique", critique)
        .says("round-1/judgement", judgement_of(&[ruling("F1", "valid", "P3")], &weighed, &added))
        .says("round-1/rewrite", rewritten("We use gRPC in May, tested."))
        .run();
    // An important one counts as a P2: without it the letter would be A.
    assert_eq!(test.outcome().decision.as_deref(), Some("Compromise"));
    let told = &test.prompt("round-1/judgement").user;
    assert!(told.contains("M1 missing: a test\nM2 missing: a date\n"), "{told}");
    let told = &test.prompt("round-1/rewrite").user;
    let expected =
        "M1 missing, important: a test\nM2 missing, optional: a date\nM3 missing, optional: an owner: nobody migrates\n";
    assert!(told.contains(expected), "{told}");
    let conclusion = report::conclusion(test.debate());
    assert!(conclusion.contains("- P2:\n  - M1 missing: a test [addressed]"), "{conclusion}");
    let others =
        "- Missing:\n  - M2 missing: a date [not important]\n  - M3 missing, by the judge: an owner [not important]";
    assert!(conclusion.contains(others), "{conclusion}");
    assert_eq!(History::of(test.debate()).remaining(Severity::P2, NewVersion::Proposed), 1);
    assert_eq!(History::of(test.debate()).remaining(Severity::P2, NewVersion::TakenOver), 0);
}

#[test]
fn what_is_missing_and_no_judge_weighed_is_in_the_summary() {
    let test = review(1).says("round-1/critique", critique_of(&[], &["a date"], "keep")).run();
    assert_eq!(test.outcome().decision.as_deref(), Some("Converged (agreement)"));
    let conclusion = report::conclusion(test.debate());
    assert!(conclusion.contains("### Unresolved\n\n- M1 missing: a date [not weighed]"), "{conclusion}");
    assert!(conclusion.contains("[ ] Judge M1 missing: a date"), "{conclusion}");
}

#[test]
fn a_stop_with_something_important_open_is_not_complete() {
    let again = json!([{ "title": "a date", "important": true, "same_as": "M1" }]);
    let test = review(3)
        .says("round-1/critique", critique(&[("P3", "the heading says little")], "revise"))
        .says("round-1/judgement", judgement(&[("F1", "valid", "P3")], "a date"))
        .says("round-1/rewrite", rewritten("We use gRPC soon."))
        .says("round-2/critique", critique(&[("P3", "the heading says little")], "revise"))
        .says("round-2/judgement", judgement_of(&[same("F2", "valid", "P3", "F1")], &json!([]), &again))
        .run();
    assert_eq!((test.outcome().decision.as_deref(), test.status()), (Some("Stopped"), Status::Partial));
    assert!(test.lines()[0].contains("this round raised nothing new"), "{:?}", test.lines());
    let missing = History::of(test.debate()).missing;
    assert_eq!((missing.len(), missing[0].remains()), (1, true));
}

#[test]
fn a_critic_that_raises_nothing_and_does_not_keep_it_is_asked_and_told_of() {
    for recommendation in ["revise", "reject", "continue"] {
        let test = review(1)
            .says("round-1/critique", critique(&[], recommendation))
            .says("round-1/critique", critique(&[], recommendation))
            .says("round-1/judgement", judgement(&[], ""))
            .run();
        assert_eq!(test.rejections("round-1/critique"), ["critique:no_finding_for_it"], "{recommendation}");
        assert_eq!(test.outcome().decision.as_deref(), Some("Keep Original"), "{recommendation}");
        let told = &test.prompt("round-1/judgement").user;
        assert!(told.contains(&format!("the critic recommends: {recommendation}")), "{told}");
        let conclusion = report::conclusion(test.debate());
        assert!(conclusion.contains("- the critic raises nothing but does not recommend keeping it"), "{conclusion}");
    }
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
    assert!(test.lines()[0].contains("the text has 3300 bytes and the author reads only 2000"), "{:?}", test.lines());
    assert!(!test.asked().contains(&"round-1/rewrite"));
    let conclusion = report::conclusion(test.debate());
    assert!(conclusion.contains("- the judge saw 2000 of 3300 bytes of the artifact"), "{conclusion}");
}

/// A critique with one P1 in the given words.
fn panics(title: &str) -> String {
    critique(&[("P1", title)], "revise")
}

#[test]
fn only_the_judge_says_what_is_the_same() {
    // The same words, twice in one critique.
    let twice = critique(&[("P1", "f3 panics"), ("P1", "f3 panics")], "revise");
    let judged = |same_as: Value| {
        let second = json!({ "id": "F2", "ruling": "valid", "severity": "P2", "reason": "r", "same_as": same_as });
        let test = review(1)
            .says("round-1/critique", twice.clone())
            .says("round-1/judgement", judgement_of(&[ruling("F1", "valid", "P1"), second], &json!([]), &json!([])))
            .says("round-1/rewrite", rewritten("We use REST."))
            .run();
        let ids: Vec<String> = History::of(test.debate()).findings.iter().map(|life| life.finding.id.clone()).collect();
        (ids, test)
    };
    assert_eq!(judged(Value::Null).0, ["F1", "F2"]);
    let (ids, test) = judged("F1".into());
    assert_eq!(ids, ["F1"]);
    assert_eq!(History::of(test.debate()).findings[0].severity, Severity::P1, "at its highest severity");
    let files = report::files(test.debate(), "/x");
    let (_, metadata) = files.iter().find(|(name, _)| name == "metadata.json").expect("metadata");
    let metadata: Value = serde_json::from_str(metadata).expect("JSON");
    assert_eq!((&metadata["rounds"][0]["p1"], &metadata["rounds"][0]["p2"]), (&json!(1), &json!(0)));
}

#[test]
fn without_a_judge_nothing_is_merged() {
    let aside = critique(&[("P3", "the heading says little"), ("P3", "the heading says little")], "keep");
    let test = review(1).says("round-1/critique", aside).run();
    assert_eq!(test.outcome().decision.as_deref(), Some("Converged (agreement)"));
    assert_eq!(History::of(test.debate()).findings.len(), 2);
}

#[test]
fn a_finding_of_a_later_round_is_new_unless_the_judge_calls_it_the_same() {
    let second = |ruled: Value| {
        review(2)
            .says("round-1/critique", panics("f3 panics"))
            .says("round-1/judgement", judgement(&[("F1", "valid", "P1")], ""))
            .says("round-1/rewrite", rewritten("We use REST."))
            .says("round-2/critique", panics("f3 panics"))
            .says("round-2/judgement", judgement_of(&[ruled], &json!([]), &json!([])))
            .says("round-2/rewrite", rewritten("We use neither."))
            .run()
    };
    let test = second(ruling("F2", "valid", "P1"));
    assert_eq!(test.outcome().decision.as_deref(), Some("Compromise"));
    assert_eq!(History::of(test.debate()).findings.len(), 2);
    let test = second(same("F2", "valid", "P1", "F1"));
    assert_eq!(test.outcome().decision.as_deref(), Some("Stopped"));
    let lives = History::of(test.debate()).findings;
    assert_eq!((lives.len(), lives[0].first.round, lives[0].last.round), (1, 1, 2));
}

#[test]
fn earlier_findings_are_shown_with_their_lines_in_the_current_version() {
    let plan_text = "# Plan\n\nWe use gRPC.\n";
    let cited = finding_with("P1", "no reason is given", &[at("artifact.md", "3", "We use gRPC.")]);
    let test = review_of(plan_text, Form::Text, Target::Proposal, 2, |plan| plan.evidence = Some(plan::evidence(0)))
        .says("round-1/critique", critique_of(&[cited], &[], "revise"))
        .says("round-1/judgement", judgement(&[("F1", "valid", "P1")], ""))
        .says("round-1/rewrite", rewritten("# Plan\n\nFor types.\n\nWe use gRPC."))
        .says("round-2/critique", critique(&[], "keep"))
        .run();
    let told = &test.prompt("round-2/critique").user;
    assert!(told.contains("F1 P1 at artifact.md:5: no reason is given [ruled valid, open]"), "{told}");
}

#[test]
fn checked_files_are_shown_and_decide_nothing() {
    let diff = "--- a/a.rs\n+++ b/a.rs\n@@ -1 +1 @@\n-a\n+b\n--- a/b.rs\n+++ b/b.rs\n@@ -1 +1 @@\n-a\n+b\n";
    for (checked, line) in [
        (json!(["a.rs"]), Some("- the critic did not look at b.rs")),
        (json!([]), Some("- the critic did not look at a.rs, b.rs")),
        (json!(["./a.rs", "b.rs"]), None),
        (Value::Null, Some("- the critic does not say which files it checked")),
    ] {
        let critique = json!({ "findings": [], "recommendation": "keep", "checked_files": checked }).to_string();
        let test = review_of(diff, Form::Change, Target::Code, 1, |_| ()).says("round-1/critique", critique).run();
        assert_eq!(test.outcome().decision.as_deref(), Some("Converged (agreement)"));
        let conclusion = report::conclusion(test.debate());
        match line {
            Some(line) => assert!(conclusion.contains(line), "{conclusion}"),
            None => assert!(!conclusion.contains("looked at"), "{conclusion}"),
        }
    }
}

#[test]
fn the_commits_of_a_submodule_are_listed_as_not_read() {
    let diff = "diff --git a/mod b/mod\nindex 1..2 160000\n--- a/mod\n+++ b/mod\n@@ -1 +1 @@\n-Subproject commit \
                1111111111111111111111111111111111111111\n+Subproject commit \
                2222222222222222222222222222222222222222-dirty\n";
    let dirty = "mod (a submodule: its commits, and what is not committed in it)";
    // Git tells the mode of a submodule whose commit stays the same in no line.
    for (diff, expected) in [
        (diff.to_owned(), dirty),
        (diff.replace("index 1..2 160000\n", ""), dirty),
        (diff.replace("-dirty", ""), "mod (a submodule: its commits)"),
    ] {
        let test = review_of(&diff, Form::Change, Target::Code, 1, |_| ())
            .says("round-1/critique", critique(&[("P3", "the bump has no reason")], "keep"))
            .run();
        assert_eq!(unread(test.debate()), [expected]);
    }
}

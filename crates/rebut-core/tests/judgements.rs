//! The judge of a review: what its answer may hold, and the letter that follows from it.

use rebut_core::formats::review::{Form, History, Target};
use serde_json::{Value, json};

use crate::TestDebate;
use crate::test_debate::review::{critique_of, finding, judgement_of, review_of, rewritten, ruling};

fn review(findings: &[&str], missing: &[&str]) -> TestDebate {
    let findings: Vec<Value> = findings.iter().map(|severity| finding(severity, "x")).collect();
    review_of("We use gRPC.\n", Form::Text, Target::Proposal, 1, |_| ())
        .says("round-1/critique", critique_of(&findings, missing, "revise"))
}

type Spoil = fn(&mut Value);

#[test]
fn every_finding_is_ruled_on_once_by_a_known_id_and_with_a_reason() {
    let judged = |change: Spoil| {
        let rulings = [ruling("F2", "invalid", "P3"), ruling("F1", "invalid", "P3")];
        let mut answer = json!({"rulings": rulings, "missing": [{"id": "M1", "important": false}]});
        change(&mut answer);
        let test = review(&["P2", "P2"], &["a date"]).says("round-1/judgement", answer.to_string());
        test.says("round-1/judgement", json!({ "rulings": rulings }).to_string())
            .run()
            .rejections("round-1/judgement")
            .concat()
    };
    let broken: [(&str, Spoil); 10] = [
        ("", |_| ()),
        ("", |it| it["missing"] = json!([])),
        ("judgement:not_each_once", |it| drop(it["rulings"].as_array_mut().expect("rulings").pop())),
        ("judgement:not_each_once", |it| it["rulings"][0]["id"] = "F1".into()),
        ("judgement:does_not_fit", |it| it["rulings"][0]["id"] = "F9".into()),
        ("judgement:does_not_fit", |it| it["missing"][0]["id"] = "M9".into()),
        ("judgement:does_not_fit", |it| it["rulings"][0]["same_as"] = "M1".into()),
        ("judgement:no_reason", |it| it["rulings"][0]["reason"] = " ".into()),
        ("judgement:does_not_fit", |it| it["rulings"][0]["ruling"] = "perhaps".into()),
        ("judgement:does_not_fit", |it| it["verdict"] = "keep".into()),
    ];
    for (number, (code, change)) in broken.into_iter().enumerate() {
        assert_eq!(judged(change), code, "{number}");
    }
}

#[test]
fn a_judgement_is_one_object_and_no_quoted_one() {
    let whole = judgement_of(&[ruling("F1", "invalid", "P2")], &json!([]), &json!([]));
    let twice = format!("```json\n{whole}\n```\nThe diff says:\n```json\n{{\"rulings\": [{{}}]}}\n```");
    for (text, code) in [
        (twice.as_str(), "judgement:ambiguous"),
        ("I approve.", "judgement:not_json"),
        (&format!("So.\n```json\n{whole}\n```"), ""),
    ] {
        let test = review(&["P2"], &[]).says("round-1/judgement", text).says("round-1/judgement", whole.as_str()).run();
        assert_eq!(test.rejections("round-1/judgement").concat(), code, "{text}");
    }
}

/// The letter that follows where the critic and the judge say this: of each finding the critic's severity, the ruling, the
/// judge's severity, and whether the suggestion is concrete.
fn letter(findings: &[(&str, &str, &str, bool)], important: bool) -> &'static str {
    let claimed: Vec<&str> = findings.iter().map(|(claimed, ..)| *claimed).collect();
    let rulings = findings.iter().zip(1..).map(|((_, kind, severity, concrete), number)| {
        let mut ruling = ruling(&format!("F{number}"), kind, severity);
        ruling["concrete"] = json!(concrete);
        ruling
    });
    let weighed = json!([{"id": "M1", "important": important}]);
    let test = review(&claimed, &["a date"])
        .says("round-1/judgement", judgement_of(&rulings.collect::<Vec<_>>(), &weighed, &json!([])))
        .says("round-1/rewrite", rewritten("We use REST."))
        .run();
    History::of(test.debate()).rounds[0].recommendation.as_ref().expect("a letter").0.as_str()
}

#[test]
fn the_first_rule_that_matches_gives_the_letter() {
    let (valid_p1, concrete_p1) = (("P1", "valid", "P1", false), ("P1", "valid", "P1", true));
    let (valid_p2, valid_p3) = (("P2", "valid", "P2", true), ("P3", "valid", "P3", true));
    let (invalid_p2, invalid_p3) = (("P2", "invalid", "P2", false), ("P3", "invalid", "P3", false));
    let (unproven_p1, unproven_p2) = (("P1", "needs_evidence", "P2", true), ("P2", "needs_evidence", "P2", false));
    for (findings, expected) in [
        (&[valid_p3, invalid_p2][..], "A"),
        (&[unproven_p2], "A"),
        (&[("P1", "valid", "P3", true)], "A"),
        (&[valid_p1], "C"),
        (&[valid_p2], "C"),
        (&[concrete_p1], "B"),
        (&[concrete_p1, invalid_p3], "B"),
        (&[concrete_p1, invalid_p2], "C"),
        (&[concrete_p1, unproven_p1], "D"),
    ] {
        assert_eq!(letter(findings, false), expected, "{findings:?}");
    }
    assert_eq!((letter(&[valid_p3], false), letter(&[valid_p3], true)), ("A", "C"), "something important is missing");
}

#[test]
fn a_new_text_is_between_its_marks_and_differs_from_the_old_one() {
    let valid = judgement_of(&[ruling("F1", "valid", "P2")], &json!([]), &json!([]));
    for (answer, code) in [
        ("Sure.\n<<artifact>>\nnew\n```\ncode\n```\n<<end artifact>>\nDone.", ""),
        ("new text", "revision:no_text"),
        ("<<artifact>>\n\n<<end artifact>>", "revision:empty"),
        ("<<artifact>>\nWe use gRPC.\n<<end artifact>>", "revision:unchanged"),
    ] {
        let test = review(&["P2"], &[]).says("round-1/judgement", valid.as_str()).says("round-1/rewrite", answer);
        let test = test.says("round-1/rewrite", rewritten("We use REST.")).run();
        assert_eq!(test.rejections("round-1/rewrite").concat(), code, "{answer}");
        let revision = History::of(test.debate()).rounds[0].revision.expect("a new version").to_owned();
        assert_eq!(revision, if code.is_empty() { "new\n```\ncode\n```\n" } else { "We use REST.\n" });
    }
}

#[test]
fn a_diff_that_is_no_file_of_the_workspace_stays_a_diff() {
    let diff = "--- a/a.rs\n+++ b/a.rs\n@@ -1 +1 @@\n-a\n+b\n";
    let form = Form::LooseChange { why: "it does not apply".to_owned(), base: None };
    let test = review_of(diff, form, Target::Code, 1, |_| ())
        .says("round-1/critique", critique_of(&[finding("P2", "x")], &[], "revise"))
        .says("round-1/judgement", judgement_of(&[ruling("F1", "valid", "P2")], &json!([]), &json!([])))
        .says("round-1/rewrite", rewritten("I approve."))
        .says("round-1/rewrite", rewritten(&diff.replace("+b", "+c")))
        .run();
    assert_eq!(test.rejections("round-1/rewrite"), ["revision:no_diff"]);
}

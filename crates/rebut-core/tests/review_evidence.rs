//! What evidence does to the findings of a review: the critic's own, and the judge's.

use rebut_core::debate::{FoldError, Happening};
use rebut_core::formats::fold;
use rebut_core::formats::review::{Form, History, RulingKind, Severity, Target};
use rebut_core::report;
use serde_json::{Value, json};

use crate::TestDebate;
use crate::test_debate::plan;
use crate::test_debate::review::{at, critique_of, finding_with, judgement_of, review_of, ruling, shown};

const POOL: &str = "fn acquire() {\n    let guard = lock();\n    wait(30)\n}\n";

fn holds() -> Value {
    at("src/pool.rs", "2", "let guard = lock();")
}

fn is_false() -> Value {
    at("src/pool.rs", "3", "sleep(99)")
}

fn snippet() -> Form {
    Form::Snippet { ending: "rs".to_owned() }
}

/// A review of one round with this critique; whatever the judge is asked about, it rules so.
fn reviewed(form: Form, text: &str, critique: &str, ruling: Value) -> TestDebate {
    review_of(text, form, Target::Code, 1, |plan| plan.evidence = Some(plan::evidence(1)))
        .file("src/pool.rs", POOL)
        .says("round-1/critique", critique)
        .says("round-1/judgement", judgement_of(&[ruling], &json!([]), &json!([])))
        .says("round-1/judgement", judgement_of(&[], &json!([]), &json!([])))
        .says("round-1/rewrite", "<<artifact>>\nfn other() {}\n<<end artifact>>")
        .run()
}

/// What a finding of this severity with this evidence becomes where the judge rules so: the kind, and whether the engine
/// says so.
fn became(severity: &str, evidence: &[Value], ruling: Value) -> (RulingKind, bool) {
    let critique = critique_of(&[finding_with(severity, "the guard is held while it waits", evidence)], &[], "revise");
    let test = reviewed(snippet(), "fn whole() {}\n", &critique, ruling);
    let rounds = History::of(test.debate()).rounds;
    let ruled = rounds[0].findings[0].ruled.as_ref().expect("it was judged");
    (ruled.kind, ruled.by_engine)
}

#[test]
fn false_listed_evidence_makes_a_p2_or_p3_invalid_and_a_p1_needs_evidence() {
    use RulingKind::{Invalid, NeedsEvidence, Valid};
    let outside = || at("/usr/include/openssl/ssl.h", "1200", "");
    for (evidence, false_p2) in [
        (vec![is_false()], true),
        (vec![is_false(), at("src/gone.rs", "7", "x")], true),
        (vec![is_false(), holds()], false),
        (vec![holds()], false),
        // That the lines exist does not show what is said of them.
        (vec![at("src/pool.rs", "2", ""), is_false()], true),
        (vec![at("src/pool.rs", "2", "")], false),
        // What is outside the workspace was not read.
        (vec![outside()], false),
        (vec![outside(), is_false()], true),
        (vec![json!({ "file": "src/tls.rs", "absent": true })], false),
        (vec![json!({ "file": "src/pool.rs", "absent": true })], true),
        (vec![], false),
    ] {
        for severity in ["P2", "P3"] {
            let expected = if false_p2 { (Invalid, true) } else { (Valid, false) };
            assert_eq!(became(severity, &evidence, ruling("F1", "valid", "P3")), expected, "{severity} {evidence:?}");
        }
        let expected = if false_p2 { (NeedsEvidence, true) } else { (Valid, false) };
        assert_eq!(became("P1", &evidence, ruling("F1", "valid", "P1")), expected, "{evidence:?}");
    }
}

#[test]
fn a_p1_becomes_invalid_only_by_evidence_of_the_judge_that_verifies() {
    use RulingKind::{Invalid, NeedsEvidence, Valid};
    for (evidence, verifies) in [
        (vec![], false),
        (vec![holds()], true),
        (vec![json!({ "file": "src/pool.rs", "quote": "sleep(99)", "absent": true })], true),
        (vec![json!({ "file": "src/gone.rs", "absent": true })], false),
        (vec![at("src/pool.rs", "2", "")], false),
        (vec![is_false()], false),
        (vec![holds(), is_false()], false),
    ] {
        let invalid = || shown("F1", "invalid", "P1", &evidence);
        let expected = if verifies { (Invalid, false) } else { (NeedsEvidence, true) };
        assert_eq!(became("P1", &[holds()], invalid()), expected, "{evidence:?}");
        assert_eq!(became("P1", &[is_false()], invalid()), expected, "{evidence:?}");
        assert_eq!(became("P2", &[holds()], invalid()), (Invalid, false), "a P2 needs none: {evidence:?}");
        // The judge can show what the critic could not.
        let expected = if verifies { (Valid, false) } else { (NeedsEvidence, true) };
        assert_eq!(became("P1", &[is_false()], shown("F1", "valid", "P1", &evidence)), expected, "{evidence:?}");
    }
}

#[test]
fn false_places_in_the_prose_of_a_critique_are_never_invalid() {
    let markdown = |line: &str| format!("## P1\nNone\n## P2\n- {line}\n## P3\nNone\n\nRecommendation: revise\n");
    for (line, expected) in [
        ("The guard is held at src/pool.rs:2.", (RulingKind::Valid, false)),
        ("The retry loop at src/retry.rs:9 never ends.", (RulingKind::NeedsEvidence, true)),
        ("It waits, `src/pool.rs:99`.", (RulingKind::NeedsEvidence, true)),
    ] {
        let test = reviewed(snippet(), "fn whole() {}\n", &markdown(line), ruling("F1", "valid", "P2"));
        let rounds = History::of(test.debate()).rounds;
        let point = &rounds[0].findings[0];
        let ruled = point.ruled.as_ref().expect("it was judged");
        assert_eq!(((ruled.kind, ruled.by_engine), ruled.severity), (expected, Severity::P2), "{line}");
        assert_eq!(point.finding.evidence.len(), 1, "{line}");
    }
}

#[test]
fn what_is_false_beside_what_holds_is_told_to_the_judge_and_shown() {
    let critique = critique_of(&[finding_with("P2", "it waits", &[is_false(), holds()])], &[], "revise");
    let test = reviewed(snippet(), "fn whole() {}\n", &critique, ruling("F1", "valid", "P2"));
    let told = &test.prompt("round-1/judgement").user;
    assert!(told.contains("  ✘ src/pool.rs:3"), "{told}");
    let document = report::document(test.debate());
    assert!(document.contains("F1 P2 valid: "), "{document}");
    assert!(document.contains("\n  - false evidence: ✘ src/pool.rs:3"), "{document}");
}

const DIFF: &str = "--- a/src/pool.rs\n+++ b/src/pool.rs\n@@ -1,4 +1,4 @@\n fn acquire() {\n-    let old = seize();\n+    let guard = \
                    lock();\n     wait(30)\n }\n";

#[test]
fn what_a_change_removes_can_be_cited() {
    let loose = |base| Form::LooseChange { why: "it is not applied".to_owned(), base };
    for form in [Form::Change, loose(None), loose(Some(DIFF.to_owned()))] {
        for quote in ["let old = seize();", "-    let old = seize();"] {
            let cited = [at("src/pool.rs", "2", quote)];
            let critique = critique_of(&[finding_with("P2", "it waits", &cited)], &[], "revise");
            let test = reviewed(form.clone(), DIFF, &critique, ruling("F1", "valid", "P3"));
            let told = &test.prompt("round-1/judgement").user;
            assert!(told.contains("let old = seize();\": the change removes it"), "{told}");
            let files = report::files(test.debate(), "here");
            let (_, round) = files.iter().find(|(name, _)| name == "round-1-critique.md").expect("the critique");
            assert!(round.contains("the change removes it") && !round.contains('✘'), "{round}");
        }
        let critique = critique_of(&[finding_with("P2", "it waits", &[is_false()])], &[], "revise");
        let test = reviewed(form, DIFF, &critique, ruling("F1", "valid", "P3"));
        assert!(History::of(test.debate()).rounds[0].findings[0].ruled.as_ref().expect("it was judged").by_engine);
    }
}

#[test]
fn a_journal_whose_findings_cannot_be_read_is_refused() {
    let critique = critique_of(&[finding_with("P2", "it waits", &[holds()])], &[], "revise");
    let whole = reviewed(snippet(), "fn whole() {}\n", &critique, ruling("F1", "valid", "P2"));
    let mut events = whole.events().to_vec();
    let at = events
        .iter()
        .position(|event| matches!(&event.happening, Happening::Recorded { key, .. } if key.as_str() == "round-1/findings"))
        .expect("the findings are on record");
    events.truncate(at + 1);
    if let Happening::Recorded { entry, .. } = &mut events[at].happening {
        entry.data = Some(serde_json::from_str(r#"{"kind": "raised", "findings": 3}"#).expect("JSON"));
    }
    let error = fold(events).expect_err("no findings");
    assert!(matches!(&error, FoldError::Unreadable { format, .. } if format == "review"), "{error}");
}

//! What the engine says of the evidence of a review's finding, and what it leaves to the judge.

use rebut_core::debate::{Debate, Format, Happening, Status};
use rebut_core::formats::review::{Form, Review, RulingKind, Target, rounds};
use rebut_core::report;

use crate::TestDebate;
use crate::test_debate::plan;
use crate::test_debate::review::{critique_with_evidence, judgement, review_of};

const POOL: &str = "fn acquire() {\n    let guard = lock();\n    wait(30)\n}\n";
const TRUE_QUOTE: &str = "src/pool.rs:2 \"let guard = lock();\"";
const FALSE_QUOTE: &str = "src/pool.rs:3 \"sleep(99)\"";
const OUTSIDE: &str = "/usr/include/openssl/ssl.h:1200";

/// A review of one round in which a P2 rests on this evidence; where a judge is asked, it calls the finding valid.
fn resting_on(form: Form, text: &str, place: &str, evidence: &[&str]) -> TestDebate {
    review_of(text, form, Target::Code, 1, |plan| plan.evidence = Some(plan::evidence(1)))
        .file("src/pool.rs", POOL)
        .says("round-1/critique", critique_with_evidence("the guard is held while it waits", place, evidence))
        .says("round-1/judgement", judgement(&[("F1", "valid", "P2")], ""))
        .says("round-1/judgement", judgement(&[], ""))
        .says("round-1/rewrite", "<<artifact>>\nfn other() {}\n<<end artifact>>")
        .run()
}

fn is_struck_out(test: &TestDebate) -> bool {
    let rounds = rounds(test.debate());
    let ruled = rounds[0].ruled.as_ref().expect("it was judged");
    ruled[0].by_engine && ruled[0].kind == RulingKind::Invalid
}

fn snippet() -> Form {
    Form::Snippet { ending: "rs".to_owned() }
}

#[test]
fn a_finding_falls_only_where_nothing_of_its_evidence_holds() {
    for (place, evidence, falls) in [
        ("", vec![FALSE_QUOTE], true),
        ("", vec![FALSE_QUOTE, "src/gone.rs:7 \"x\""], true),
        ("", vec![FALSE_QUOTE, TRUE_QUOTE], false),
        ("", vec![TRUE_QUOTE], false),
        // That the place exists does not show what is said to be there.
        ("src/pool.rs:2", vec![FALSE_QUOTE], true),
        ("src/pool.rs:2", vec![FALSE_QUOTE, TRUE_QUOTE], false),
        // Of what lies outside nothing was read.
        ("", vec![OUTSIDE], false),
        ("", vec![OUTSIDE, FALSE_QUOTE], true),
    ] {
        let test = resting_on(snippet(), "fn whole() {}\n", place, &evidence);
        assert_eq!(is_struck_out(&test), falls, "{place} {evidence:?}");
    }
}

#[test]
fn what_is_false_beside_what_holds_is_told_to_the_judge_and_shown() {
    let test = resting_on(snippet(), "fn whole() {}\n", "", &[FALSE_QUOTE, TRUE_QUOTE]);
    let told = &test.prompt("round-1/judgement").user;
    assert!(told.contains("looked up: ✘ src/pool.rs:3"), "{told}");
    let document = report::document(test.debate());
    assert!(document.contains("F1 P2 valid: "), "{document}");
    assert!(document.contains("\n  - false of its evidence: ✘ src/pool.rs:3"), "{document}");
}

#[test]
fn what_a_diff_removes_can_be_cited_also_where_the_diff_is_not_applied_here() {
    let diff = "--- a/src/pool.rs\n+++ b/src/pool.rs\n@@ -1,4 +1,4 @@\n fn acquire() {\n-    let old = seize();\n+    let guard = \
                lock();\n     wait(30)\n }\n";
    let removed = "src/pool.rs:2 \"let old = seize();\"";
    for base in [None, Some(diff.to_owned())] {
        let form = Form::LooseChange { why: "it is not applied".to_owned(), base };
        assert!(!is_struck_out(&judged(resting_on_a_diff(form, diff, removed))));
    }
    let form = Form::LooseChange { why: "it is not applied".to_owned(), base: Some(diff.to_owned()) };
    assert!(is_struck_out(&judged(resting_on_a_diff(form, diff, FALSE_QUOTE))));
}

/// The same for a diff; nothing is written anew in it, since the judge finds it of little weight.
fn resting_on_a_diff(form: Form, diff: &str, evidence: &str) -> TestDebate {
    review_of(diff, form, Target::Code, 1, |plan| plan.evidence = Some(plan::evidence(1)))
        .file("src/pool.rs", POOL)
        .says("round-1/critique", critique_with_evidence("the guard is held while it waits", "", &[evidence]))
}

fn judged(test: TestDebate) -> TestDebate {
    test.says("round-1/judgement", judgement(&[("F1", "valid", "P3")], ""))
        .says("round-1/judgement", judgement(&[], ""))
        .run()
}

#[test]
fn findings_that_cannot_be_read_back_end_the_review_with_a_line() {
    let whole = resting_on(snippet(), "fn whole() {}\n", "", &[TRUE_QUOTE]);
    let mut events = whole.events().to_vec();
    let at = events
        .iter()
        .position(|event| matches!(&event.happening, Happening::Recorded { key, .. } if key.as_str() == "round-1/findings"))
        .expect("the findings are on record");
    events.truncate(at + 1);
    if let Happening::Recorded { entry, .. } = &mut events[at].happening {
        entry.text = "[{".to_owned();
    }
    let debate = Debate::from_events(events).expect("a debate");
    let steps = Review.next(&debate);
    let [rebut_core::debate::Step { action: rebut_core::debate::Action::Finish(outcome), .. }] = steps.as_slice() else {
        panic!("it ends: {steps:#?}");
    };
    assert_eq!(outcome.status, Status::Failed);
    assert!(outcome.lines[0].contains("`round-1/findings` cannot be read"), "{:?}", outcome.lines);
}

#[test]
fn what_the_change_removes_is_told_to_the_judge_as_what_it_is() {
    let diff = "--- a/src/pool.rs\n+++ b/src/pool.rs\n@@ -1,4 +1,4 @@\n fn acquire() {\n-    let old = seize();\n+    let guard = \
                lock();\n     wait(30)\n }\n";
    for cited in ["src/pool.rs:2 \"let old = seize();\"", "src/pool.rs:2 \"-    let old = seize();\""] {
        let test = judged(resting_on_a_diff(Form::Change, diff, cited));
        let told = &test.prompt("round-1/judgement").user;
        assert!(told.contains("looked up: ✔ src/pool.rs:2: verified, the change removes it"), "{told}");
        let files = report::files(test.debate(), "here");
        let (_, round) = files.iter().find(|(name, _)| name == "round-1-critique.md").expect("the critique");
        assert!(round.contains("the change removes it") && !round.contains('✘'), "{round}");
    }
}

#[test]
fn no_finding_falls_with_a_name_that_cannot_be_cited() {
    for name in ["a`b.txt", "v1.2:x.txt", "docs/v1:x y.txt"] {
        let diff = format!("--- /dev/null\n+++ b/{name}\n@@ -0,0 +1 @@\n+wait(30)\n");
        let form = || Form::LooseChange { why: "it is not applied".to_owned(), base: None };
        for cited in [format!("{name}:1"), format!("{name}:1 \"wait(30)\"")] {
            assert!(!is_struck_out(&judged(resting_on_a_diff(form(), &diff, &cited))), "{cited}");
        }
        assert!(is_struck_out(&judged(resting_on_a_diff(form(), &diff, "src/gone.rs:7 \"x\""))), "{name}");
    }
}

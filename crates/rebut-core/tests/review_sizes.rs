//! What a review takes of long and many things, and what it says of what it cannot show.

use std::fmt::Write;

use rebut_core::debate::{SeatName, Status};
use rebut_core::formats::review::{Form, History, Target};
use rebut_core::report;

use crate::test_debate::review::{at, critique, critique_of, finding_with, judgement, review_of, rewritten};

const MIXED: &str = "# Proposal\n\nWe cache all.\n\n```rust\nfn cache() {}\n```\n";

/// Findings of one part of a round, each at a line of its own.
fn many(part: &str, round: usize, count: usize) -> String {
    let finding = |number: usize| {
        let title = format!("round {round} {part} number {number}");
        let file = format!("src/{part}{round}.rs");
        finding_with("P2", &title, &[at(&file, &(number * 20 + 1).to_string(), "x")])
    };
    let findings: Vec<_> = (0..count).map(finding).collect();
    critique_of(&findings, &[], "revise")
}

#[test]
fn three_hundred_findings_over_five_rounds_are_held_and_rendered() {
    const A_PART: usize = 30;
    let mut test = review_of(MIXED, Form::Text, Target::Mixed, 5, |_| ());
    for round in 1..=5 {
        let first = (round - 1) * 2 * A_PART + 1;
        let ids: Vec<String> = (first..first + 2 * A_PART).map(|number| format!("F{number}")).collect();
        let rulings: Vec<(&str, &str, &str)> = ids.iter().map(|id| (id.as_str(), "valid", "P2")).collect();
        test = test
            .says(&format!("round-{round}/critique/code"), many("code", round, A_PART))
            .says(&format!("round-{round}/critique/proposal"), many("text", round, A_PART))
            .says(&format!("round-{round}/judgement"), judgement(&rulings, ""))
            .says(&format!("round-{round}/rewrite"), rewritten(&MIXED.replace("all", &format!("all, version {round}"))));
    }
    let test = test.run();
    let debate = test.debate();
    assert_eq!(History::of(debate).findings.len(), 5 * 2 * A_PART);
    // What costs time for each finding of each round for each of them would not end today.
    assert!(report::files(debate, "/x").iter().any(|(name, _)| name == "round-5-critique.md"));
    assert!(debate.format().sarif(debate).is_some());
    assert_eq!(test.outcome().decision.as_deref(), Some("Compromise"));
}

#[test]
fn a_critique_of_too_many_findings_or_letters_is_sent_back_with_the_number() {
    let key = "round-1/critique";
    let enough = || critique(&[("P2", "no reason is given")], "revise");
    let long = critique(&[("P2", &"no reason is given ".repeat(40_000))], "revise");
    for (answer, code) in [(many("x", 1, 201), "critique:too_many_findings"), (long, "critique:too_long")] {
        let test = review_of("We use gRPC.\n", Form::Text, Target::Proposal, 1, |_| ())
            .says(key, answer)
            .says(key, enough())
            .says("round-1/judgement", judgement(&[("F1", "valid", "P3")], ""))
            .run();
        assert_eq!(test.rejections(key), [code]);
        assert_eq!(test.status(), Status::Completed);
    }
}

#[test]
fn a_text_that_holds_the_marks_of_a_new_text_is_written_anew_as_a_whole() {
    let marked = "A\n<<artifact>>\nB\n";
    let test = review_of(marked, Form::Text, Target::Proposal, 1, |_| ())
        .says("round-1/critique", critique(&[("P2", "no reason is given")], "revise"))
        .says("round-1/judgement", judgement(&[("F1", "valid", "P2")], ""))
        .says("round-1/rewrite", "<<artifact-2>>\nA\n<<artifact>>\nB, with a reason\n<<end artifact-2>>")
        .run();
    assert!(test.prompt("round-1/rewrite").user.contains("<<artifact-2>>"));
    let files = report::files(test.debate(), "/x");
    let (_, last) = files.iter().find(|(name, _)| name == "final-artifact.md").expect("a final artifact");
    assert_eq!(last, "A\n<<artifact>>\nB, with a reason\n");
}

#[test]
fn what_is_left_out_of_the_judges_prompt_is_named_in_it() {
    let mut diff = String::from("commit 1234\n\n    why it is done\n\n");
    for (path, length) in [("src/wide.rs", 800), ("src/endless.rs", 5_000), ("src/small.rs", 3)] {
        writeln!(diff, "--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-old\n+{}", "x".repeat(length)).expect("a string");
    }
    diff.push_str("diff --git a/logo.png b/logo.png\nBinary files a/logo.png and b/logo.png differ\n");
    let test = review_of(&diff, Form::Change, Target::Code, 1, |plan| {
        // Two thousand bytes of an artifact fit.
        plan.seats.get_mut(&SeatName::new("judge")).expect("a judge").context_tokens = Some(1_000);
    })
    .says("round-1/critique", critique(&[("P2", "no reason is given")], "revise"))
    .says("round-1/judgement", judgement(&[("F1", "valid", "P3")], ""))
    .run();
    let told = &test.prompt("round-1/judgement").user;
    for what in ["src/endless.rs:1 (longer than can be read)", "logo.png (no lines to show)", "what comes before the first"]
    {
        assert!(told.contains(what), "{what}: {told}");
    }
    assert!(told.contains(&"x".repeat(800)), "a line of more than a quarter of what fits is shown");
}

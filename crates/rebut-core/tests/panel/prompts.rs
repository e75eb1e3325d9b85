//! Every prompt of a panel, whole: they are prose, and are read as prose when they change.

use rebut_core::debate::PromptOverride;
use rebut_core::formats::prompts::check;
use serde_json::json;

use crate::test_debate::panel::{GONE, OTHER, challenge, entry, panel, turn};

#[test]
fn the_prompts_of_a_panel() {
    let mut point = entry("new_point", "Review is insurance. It pays late.", OTHER);
    point["frameworks"] = json!([{"name": "Insurance model", "description": "Review is a premium against rare faults."}]);
    let ask = json!({"type": "clarification_request", "content": "Does it cover tests?", "in_one_sentence": "Tests too?"});
    let test = panel(2, |setup| (setup.min_rounds, setup.max_rounds) = (1, 2))
        .says("round-1/anna", turn(&[point]))
        .says("round-1/ben", turn(&[challenge(8, "It pays late.")]))
        .says("round-1/ben/2", turn(&[ask]))
        .says("round-1/ben/3", turn(&[entry("new_point", "Most went back to it. It is known.", GONE)]))
        .says("round-1/audience", json!({"questions": [{"to": "anna", "question": "Who pays?"}]}).to_string())
        .run();
    for (key, name) in [
        ("opening/anna", "opening"),
        ("opening/ben", "opening_second"),
        ("opening/anna/verification", "verification"),
        ("round-1/ben", "turn"),
        ("round-1/ben/2", "turn_after_a_ruling"),
        ("round-1/ben/2/clarification", "clarification"),
        ("round-1/audience", "questions"),
        ("round-1/chair/natural-end", "natural_end"),
        ("round-2/anna", "turn_with_issues"),
        ("chair/unresolved", "unresolved"),
        ("closing/anna", "closing"),
        ("chair/judgement/1", "judgement"),
        ("audience/conclusion", "conclusion"),
        ("reporter/summary", "summary"),
        ("reporter/blog-post", "blog_post"),
        ("reporter/verifier-notes", "verifier_notes"),
        ("assessor/report", "assessment"),
    ] {
        insta::assert_snapshot!(name, test.prompt(key).joined());
    }
    for (key, prompt) in test.prompts() {
        let whole = prompt.joined();
        assert!(!whole.contains("\n\n\n"), "{key} has a gap: {whole}");
        assert!(whole.lines().all(|line| line == line.trim_end()), "{key} has white space at an end");
    }
}

#[test]
fn a_prompt_of_ones_own_is_tried_before_the_first_call() {
    let mut plan = panel(2, |_| ()).debate().plan().clone();
    let own = |text: &str| PromptOverride { origin: "p".into(), from_project: true, text: text.into() };
    plan.prompts.insert("panel/round.md".into(), own("{{ name }}"));
    assert_eq!(check(&plan), Ok(()));
    plan.prompts.insert("panel/round.md".into(), own("{{ nobody }}"));
    assert!(check(&plan).is_err());
}

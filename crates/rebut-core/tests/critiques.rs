//! Critiques in Markdown: what of them is read as a finding, as missing and as the summary, and what is asked for again.

use rebut_core::debate::Cause;
use rebut_core::formats::review::{Critique, Form, History, Target};

use crate::TestDebate;
use crate::test_debate::review::review_of;

fn critiqued(text: &str) -> TestDebate {
    let review = review_of("fn acquire() {}\n", Form::Snippet { ending: "rs".to_owned() }, Target::Code, 1, |_| ());
    review.says("round-1/critique", text).says("round-1/critique", text).fails("round-1/judgement", Cause::Auth, "").run()
}

fn read(text: &str) -> Critique {
    let test = critiqued(text);
    let critique = History::of(test.debate()).rounds.first().and_then(|round| Some(round.critiques.first()?.1.clone()));
    critique.unwrap_or_else(|| panic!("{:?}: {text}", test.rejections("round-1/critique")))
}

/// The findings as `P1 title`.
fn found(text: &str) -> Vec<String> {
    read(text).findings.iter().map(|finding| format!("{} {}", finding.severity.as_str(), finding.title)).collect()
}

fn rejected(text: &str, code: &str) {
    assert_eq!(critiqued(text).rejections("round-1/critique"), [code, code], "{text}");
}

#[test]
fn a_severity_is_named_in_every_usual_spelling() {
    for heading in [
        "# P1",
        "### P1 – Critical",
        "## P1: Correctness and security",
        "## Critical (P1)",
        "## [P1]",
        "**P1**",
        "**P1:**",
        "**P1**:",
        "__P1 (critical)__",
        "P1:",
        "P1 (must fix):",
        "p1",
        "## Priority 1",
        "- **P1**:",
    ] {
        for list in [
            "- the guard is dropped",
            "1. the guard is dropped",
            "* [P1] the guard is dropped",
            "  - **the guard is dropped**",
        ] {
            assert_eq!(found(&format!("{heading}\n\n{list}\n")), ["P1 the guard is dropped"], "{heading} {list}");
        }
    }
    for item in ["- [P1] a", "1. **[P1]** a", "* **P1:** a", "- P1: a", "- (P1) a", "[P1] a", "P1: a", "### [P1] a"] {
        assert_eq!(found(&format!("Some words.\n\n{item}\n")), ["P1 a"], "{item}");
    }
}

#[test]
fn nested_lists_paragraphs_and_code_belong_to_their_item() {
    let list = "## P2\n1. **One** — first\n   - a detail\n- at the margin\n\n```\n## P1\n- [P1] quoted\n```\n2. Two\n";
    assert_eq!(found(list), ["P2 One", "P2 Two"]);
    let explanation = read(list).findings.remove(0).explanation;
    assert!(explanation.starts_with("first\n   - a detail\n\n- at the margin"), "{explanation}");
    assert!(explanation.contains("[P1] quoted"), "{explanation}");
    let lazy = "## P1\n- the pool\nRecommendation service retries forever\n- Two\n\n**Recommendation:** revise\n- c\n";
    assert_eq!(found(lazy), ["P1 the pool", "P1 Two"]);
    assert_eq!(read(lazy).summary, "**Recommendation:** revise\n\n- c");
    let headed = "## P1\n### 1. One\nBecause.\n- a detail\n**Evidence**\n\n### 2. Two\n\n## P3\n- Three\n";
    assert_eq!(found(headed), ["P1 1. One", "P1 2. Two", "P3 Three"]);
}

#[test]
fn an_empty_list_is_no_finding_and_all_three_must_be_there() {
    for none in ["None", "- None.", "No issues", "*No issues found.*", "No P1 findings.", "N/A", "", "---"] {
        let text = format!("Fine.\n\n## P1\n{none}\n## P2\n{none}\n\n## P3\n{none}\n");
        assert_eq!(found(&text), [""; 0], "{none}");
    }
    assert_eq!(found("P1: None\nP2: none\nP3: None\n"), [""; 0]);
    rejected("## P1\nNone\n## P2\nNone\n", "critique:nothing_recognised");
    for text in ["Looks good to me.", "- a list\n- of nothing", "No P1/P2/P3 findings.", "P1 is what I would call it."] {
        rejected(text, "critique:nothing_recognised");
    }
}

#[test]
fn what_the_structure_leaves_open_is_asked_again() {
    for (text, code) in [
        ("## P1\nThe guard is dropped early.\n", "critique:no_list"),
        ("## P1/P2\n- the guard\n", "critique:unclear_severity"),
    ] {
        rejected(text, code);
    }
}

#[test]
fn what_is_missing_has_a_section_and_all_else_is_the_summary() {
    let text = "It is small.\n\n## P1\nThese must go:\n- a\n\n## Missing\n- **a test** of the wait\n- None\n\n## Praise\n- it is small\n";
    let critique = read(text);
    let missing = &critique.missing[0];
    assert_eq!((missing.title.as_str(), missing.explanation.as_str()), ("a test", "of the wait"));
    assert_eq!(critique.missing.len(), 1);
    assert_eq!(critique.summary, "It is small.\n\nThese must go:\n\n## Praise\n\n- it is small");
}

//! Findings that stand where nobody would look for them: without a section, without a tag, beside the others.

use super::*;

const NONE: &str = "## P1\nNone\n\n## P2\nNone\n\n## P3\nNone\n\n";

/// Severities and the first word of each finding.
fn short(text: &str) -> Vec<String> {
    told(text).iter().map(|line| line.split(' ').take(2).collect::<Vec<_>>().join(" ")).collect()
}

#[test]
fn a_severity_line_belongs_to_what_stands_above_it() {
    for text in [
        "I found two.\n\n1. **Naming** (src/a.rs:3)\n   - **Severity:** P3\n\n2. **SQL** (src/a.rs:9)\n   - **Severity:** P1\n",
        "1. Naming\n   Severity: P3\n   Location: src/a.rs:3\n\n2. SQL\n   Severity: P1\n   Location: src/a.rs:4\n",
        "1. Naming\nSeverity: P3\n\n2. SQL\nSeverity: P1\n",
        "**Finding:** Naming is odd\n**Severity:** P3\n**File:** src/a.rs:3\n\n**Finding:** SQL\n**Severity:** P1\n",
        "Finding: Naming\nSeverity: P3\n\nFinding: SQL is open\nSeverity: P1\n",
    ] {
        assert_eq!(short(&format!("{text}\nRecommendation: revise\n")), ["P3 Naming", "P1 SQL"], "{text}");
    }
    let issues = "Issue 1: Unwrap panics\nSeverity: P1\nFile: src/a.rs:3\n\nIssue 2: Slow\nSeverity: P2\nFile: src/a.rs:4\n";
    for text in [issues.to_owned(), format!("## Findings\n\n{issues}")] {
        let expected = ["P1 Issue 1: Unwrap panics @src/a.rs:3", "P2 Issue 2: Slow @src/a.rs:4"];
        assert_eq!(told(&text), expected, "{text}");
    }
    let before = "Severity: P1\nFinding: a leak\nPlace: src/a.rs:3\n\nSeverity: P1\nFinding: b leak\nPlace: src/a.rs:9\n";
    assert_eq!(told(before), ["P1 a leak @src/a.rs:3", "P1 b leak @src/a.rs:9"]);
}

#[test]
fn a_severity_at_the_end_of_an_item_is_its_own() {
    for line in
        ["the lock leaks (src/a.rs:3) **P1**", "the lock leaks (src/a.rs:3): P1", "the lock leaks (src/a.rs:3). Priority 1."]
    {
        let text = format!("1. {line}\n2. [P3] typo\n");
        assert_eq!(short(&text), ["P1 the", "P3 typo"], "{line}");
    }
}

#[test]
fn one_word_behind_a_severity_in_a_list_is_a_finding() {
    assert_eq!(short("1. [P1] lock leaks\n2. P3: nit\n3. [P2] slow"), ["P1 lock", "P3 nit", "P2 slow"]);
    assert_eq!(short("- [P1] lock leaks\n- (P3) nit\n"), ["P1 lock", "P3 nit"]);
    assert_eq!(short("- P1 issues\n  - lock leaks\n- P3: nit\n"), ["P1 lock", "P3 nit"]);
}

#[test]
fn a_degree_before_a_colon_in_a_heading_tells_of_a_finding() {
    assert_eq!(short("## Blocking issue: unwrap panics\n\nIt does.\n\n## Minor: naming\n"), ["P1 unwrap", "P3 naming"]);
}

#[test]
fn an_item_without_a_tag_among_tagged_ones_is_asked_about() {
    assert_eq!(code("- [P2] slow\n- the lock leaks in f3 (src/a.rs:3)\n- [P3] nit\n"), "critique:finding_without_severity");
}

#[test]
fn what_names_a_line_in_no_part_of_a_critique_is_kept() {
    for stray in [
        "## Security\nThe token is logged at src/a.rs:3 in clear text.\n",
        "## Changes required\n- src/a.rs:3: replace the unwrap\n",
        "## Additional notes\n- the unwrap at src/a.rs:3 panics\n",
        "## Bugs\n\n| Line | What |\n|---|---|\n| src/a.rs:3 | unwrap panics |\n",
        "---\n\nThe unwrap at src/a.rs:3 must be fixed.\n",
    ] {
        let critique = read(&format!("{NONE}{stray}\n## Checked\n- src/a.rs: all\n\nRecommendation: keep\n")).unwrap();
        assert_eq!(critique.strays.len(), 1, "{stray}: {critique:?}");
        assert!(critique.strays[0].contains("src/a.rs:3"), "{stray}");
    }
    for quiet in [
        "## What is good\n- src/a.rs:3 is right\n",
        "## What works well\n- src/a.rs:3 is right\n",
        "## Agreements\n- src/a.rs:3 is right\n",
        "This is not a P1.\n",
        "## Praise\n- src/a.rs:3 is right\n",
    ] {
        let text = format!("{quiet}\n{NONE}Recommendation: keep\n");
        assert!(read(&text).unwrap().strays.is_empty(), "{quiet}");
    }
}

const CHECKED: &str = "## Checked\n- src/a.rs: correctness, errors\n\n";
const KEEP: &str = "Recommendation: keep\n";

/// Whether a review could end in agreement with such a critique: nothing in it keeps it from that.
fn agrees(text: &str) -> bool {
    read(text).is_ok_and(|critique| {
        let weighty = critique.findings.iter().any(|remark| remark.severity != Severity::P3);
        critique.recommendation == Some(Recommendation::Keep) && critique.strays.is_empty() && !weighty
    })
}

#[test]
fn no_title_lets_what_stands_under_it_pass_for_agreement() {
    for title in [
        "Must be addressed",
        "Still to be addressed before merging",
        "What does not work well",
        "Not good",
        "Looks like a bug",
        "Strong objections",
        "Does not look sound",
        "Claims I verified and found wrong",
        "Not verified",
        "Next steps",
        "Recommendations",
        "Overall",
        "Security",
        "Resolved P1s",
        "The unwrap at src/a.rs:3 panics",
    ] {
        for said in ["- src/a.rs:3: the unwrap panics on None\n- it leaks\n", "The unwrap at src/a.rs:3 panics.\n"] {
            let text = format!("{NONE}## {title}\n\n{said}\n{CHECKED}{KEEP}");
            assert!(!agrees(&text), "{text}");
        }
    }
    for title in ["Must be addressed", "Must fix before merging", "Not good", "What does not work well", "Strong objections"]
    {
        let text = format!("{NONE}## {title}\n\nThe unwrap in f3 panics.\n\n{CHECKED}{KEEP}");
        assert!(!agrees(&text), "{text}");
    }
    for said in ["## Strong objections\n- the unwrap in f3 panics\n", "## Context\n\nIt has one P1, in f3.\n"] {
        let text = format!("{NONE}{said}\n{CHECKED}{KEEP}");
        assert!(!agrees(&text), "{text}");
    }
    for said in [
        "## Positives\n- src/a.rs:3 is right\n",
        "## Context\n\nThe change is part of a series.\n",
        "## Must be addressed\n\nNothing.\n",
        "## Conclusion\n\nIt is sound.\n",
    ] {
        let text = format!("{NONE}{said}\n{CHECKED}{KEEP}");
        assert!(agrees(&text), "{text}");
    }
}

#[test]
fn prose_that_names_a_line_in_any_place_is_no_agreement() {
    let said = "the unwrap at src/a.rs:3 panics";
    let object =
        r#"{"p1": [], "p2": [], "p3": [], "recommendation": "keep", "checked": [{"file": "src/a.rs", "aspects": ["all"]}]}"#;
    for text in [
        format!("The change has one P1: {said}.\n\n{NONE}{CHECKED}{KEEP}"),
        format!("The change has one P1.\n\n{NONE}{CHECKED}{KEEP}"),
        format!("I think {said}.\n\n{NONE}{CHECKED}{KEEP}"),
        format!("- {said}\n\n{NONE}{CHECKED}{KEEP}"),
        format!("## Summary\n\nIt is small, but {said}.\n\n{NONE}{CHECKED}{KEEP}"),
        format!("{NONE}{CHECKED}{KEEP}\nCorrection: there is a P1, {said}.\n"),
        format!("{NONE}{CHECKED}\n{said} (P1).\n\n{KEEP}"),
        format!("{NONE}{CHECKED}## Recommendation\n\nkeep\n\nBut fix this first: {said} (P1).\n"),
        format!("{NONE}{CHECKED}## Recommendation\n\nkeep\n\nBut fix the unwrap first.\n"),
        format!("{NONE}{CHECKED}## Recommendation\n\nKeep it as it is,\nunless g can fail.\n"),
        format!("{NONE}{CHECKED}## Recommendation\n\nkeep. In f3 {said}.\n"),
        format!("{NONE}{CHECKED}Recommendation: keep\nonce the unwrap is gone\n"),
        format!("{NONE}{CHECKED}Recommendation: keep. In f3 {said}.\n"),
        format!("{NONE}{CHECKED}## Recommendation\n\nkeep\n\n## Final verdict\n\nreject\n"),
        format!("{NONE}## Checked\n- src/a.rs: P1, the unwrap at line 3 panics\n\n{KEEP}"),
        format!("{NONE}## Checked\n- src/a.rs: errors; {said}\n\n{KEEP}"),
        format!("## P1\nNone\n\n## P2\nNone\n\n## P3\n- a nit\n\nFinally, {said}.\n\n{CHECKED}{KEEP}"),
        format!("{object}\n\nBut {said} and must be fixed."),
        format!("I see that {said} and must be fixed.\n\n{object}"),
        object.replace("\"keep\"", "\"keep. But src/a.rs:3 panics\""),
        object.replace("{\"p1", "{\"summary\": \"It is small, and src/a.rs:3 panics.\", \"p1"),
        object.replace("[\"all\"]", "[\"errors\", \"the unwrap at line 3 panics\"]"),
    ] {
        assert!(!agrees(&text), "{text}");
    }
    for text in [
        format!("I have looked at all of it.\n\n{NONE}{CHECKED}{KEEP}"),
        format!("{NONE}## Checked\n- src/a.rs:1-20: correctness, errors\n- src/b.rs: lines 3-9\n\n{KEEP}"),
        format!("{NONE}{CHECKED}## Recommendation\n\nKeep.\n\nIt is sound.\n"),
        format!("{NONE}{CHECKED}{KEEP}\n---\n\nBut for the tests it is all there.\n"),
        format!("I have looked at it.\n\n{object}"),
        object.to_owned(),
    ] {
        assert!(agrees(&text), "{text}");
    }
}

#[test]
fn what_the_findings_tell_is_not_outside_of_them() {
    for before in ["The worst is src/a.rs:3.\n\n", "I found one P1 (src/a.rs:3) and one P2 (src/b.rs:9).\n\n"] {
        let text = format!("{before}## P1\n- src/a.rs:3 panics\n\n## P2\n- slow at src/b.rs:8-10\n");
        let critique = read(&text).unwrap();
        assert!(critique.strays.is_empty(), "{text}: {:?}", critique.strays);
    }
    assert!(agrees(&format!("Only a nit, at src/a.rs:5.\n\nP1: none\nP2: none\n\n## P3\n- src/a.rs:5 is odd\n\n{KEEP}")));
    assert!(!agrees(&format!("A P1 at src/a.rs:5.\n\nP1: none\nP2: none\n\n## P3\n- src/a.rs:5 is odd\n\n{KEEP}")));
    // A title in bold letters becomes a finding with the severity that follows.
    let text = "**Unwrap at src/a.rs:3**\nSeverity: P1\n\n**Slow at src/a.rs:9**\nSeverity: P2\n";
    assert_eq!((told(text).len(), read(text).unwrap().strays), (2, Vec::new()));
}

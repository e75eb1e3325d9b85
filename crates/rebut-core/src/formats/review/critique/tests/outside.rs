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
        "I looked at src/a.rs:3 as well.\n",
        "## Praise\n- src/a.rs:3 is right\n",
    ] {
        let text = format!("{quiet}\n{NONE}Recommendation: keep\n");
        assert!(read(&text).unwrap().strays.is_empty(), "{quiet}");
    }
}

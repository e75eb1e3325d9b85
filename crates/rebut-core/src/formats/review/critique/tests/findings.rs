//! Findings in every form in which they are written in Markdown.

use super::*;

#[test]
fn a_heading_that_a_severity_follows_is_a_finding_without_any_title_above() {
    for (text, expected) in [
        (
            "### Guard dropped early\n**Severity:** P1\n\n### Magic number\n**Severity:** P2",
            ["P1 Guard", "P2 Magic"].as_slice(),
        ),
        ("### Guard dropped early\nSeverity: P1\nFile: src/pool.rs:3", &["P1 Guard"]),
        ("### Guard dropped early\n- **Severity**: P1\n- **File**: src/pool.rs:3", &["P1 Guard"]),
        ("**Guard dropped early**\n- Severity: P1\n- Location: src/pool.rs:3", &["P1 Guard"]),
        ("### 1. Guard dropped early\n\nIt is.\n\n**Severity:** P1", &["P1 Guard"]),
        ("# Code review\n\n### Guard dropped early\n**Severity:** P1", &["P1 Guard"]),
    ] {
        let told = told(&format!("{text}\n\nRecommendation: revise"));
        let beginnings = told.iter().map(|line| line.split(' ').take(2).collect::<Vec<_>>().join(" "));
        assert_eq!(beginnings.collect::<Vec<_>>(), expected, "{text}: {told:?}");
    }
}

#[test]
fn a_severity_is_told_by_every_usual_heading() {
    for heading in [
        "## P1",
        "# P1",
        "### P1 - Critical",
        "### P1 — Critical issues",
        "### P1: Must Fix",
        "**P1 (must fix)**",
        "**P1**",
        "**P1:**",
        "__P1__",
        "P1:",
        "P1",
        "1. **P1**",
        "- P1",
        "- **P1**:",
        "Priority 1",
        "## Priority 1",
        "[P1]",
        "## [P1]",
        "P1 Findings",
        "## P1 Findings",
        "## P1 findings:",
        "#### 🔴 P1 – Blocking",
        "🔴 **P1**",
        "High (P1)",
        "## High (P1)",
        "## Critical issues [P1]",
        "### Must fix (P1)",
        "P1\n==",
        "P1 findings\n-----------",
        "P1 - Critical\n---",
        "## 1. P1 (correctness, security, reliability)",
        "## P1 (2)",
        "## P1s",
        "## Severity: P1",
        "## p1",
        "## P0",
        "### P1 - Must be fixed before release",
        "##P1".trim_start_matches("##"),
    ] {
        let indent = if heading.starts_with(['-', '1']) { "   " } else { "" };
        let text = format!(
            "{heading}\n\n{indent}- the lock is never released (src/pool.rs:8)\n{indent}- the query is built by hand\n"
        );
        let expected = ["P1 the lock is never released (src/pool.rs:8) @src/pool.rs:8", "P1 the query is built by hand"];
        assert_eq!(told(&text), expected, "{heading}");
    }
}

#[test]
fn a_finding_may_carry_its_severity_itself() {
    for line in [
        "- [P1] the lock is never released",
        "* **P1**: the lock is never released",
        "- **[P1]** the lock is never released",
        "- **P1** – the lock is never released",
        "1. [P1] the lock is never released",
        "2) P1: the lock is never released",
        "P1: the lock is never released",
        "**P1:** the lock is never released",
        "[P1] the lock is never released",
        "- (P1) the lock is never released",
        "- 🔴 P1: the lock is never released",
        "- P1 the lock is never released",
        "- [ ] [P1] the lock is never released",
        "### P1: the lock is never released",
        "### [P1] the lock is never released",
        "### 1. the lock is never released (P1)",
        "- the lock is never released [P1]",
        "**[P1] the lock is never released**",
        "### P1-2: the lock is never released",
        "- [P1-3] the lock is never released",
        "- **P1.1** the lock is never released",
        "- Priority 1: the lock is never released",
        "- Critical (P1): the lock is never released",
        "| Severity | Finding |\n|---|---|\n| P1 | the lock is never released |",
        "| # | Priority | Issue |\n|--:|:--|---|\n| 1 | **P1** | the lock is never released |",
    ] {
        assert_eq!(told(line), ["P1 the lock is never released"], "{line}");
    }
}

#[test]
fn findings_of_all_severities_stand_in_their_order() {
    let text = "- [P1] one\n- [P2] two\n* **P3**: three\n1. [P2] four";
    assert_eq!(told(text), ["P1 one", "P2 two", "P3 three", "P2 four"]);
    let text = "P1: one\nP2: two\n\nP3: three";
    assert_eq!(told(text), ["P1 one", "P2 two", "P3 three"]);
    let text = "## P1\n1. one\n2. two\n\n## P2\nNone.\n\n## P3\n- three\n";
    assert_eq!(told(text), ["P1 one", "P1 two", "P3 three"]);
}

#[test]
fn what_stands_under_a_finding_belongs_to_it() {
    let text = "## P1\n- **SQL injection** in `login`\n  - Evidence: src/db.rs:42 builds the query with format!\n  \
                - Impact: anybody can log in\n  - **Fix:** bind the name\n    ```rust\n    ## P2\n    - query(\"…\", &[name])\n    ```\n\
                - second\n  1. P2 would be too little\n  2. because it is exploitable\n";
    let critique = read(text).unwrap();
    assert_eq!(critique.findings.len(), 2, "{critique:#?}");
    let first = &critique.findings[0];
    assert_eq!(first.text, "SQL injection in `login`\nImpact: anybody can log in");
    assert_eq!(first.evidence, ["src/db.rs:42 builds the query with format!"]);
    assert_eq!((first.action.as_str(), first.place.as_deref()), ("bind the name", Some("src/db.rs:42")));
    assert_eq!(first.replacement.as_deref(), Some("## P2\n- query(\"…\", &[name])"));
    assert_eq!(critique.findings[1].severity, Severity::P1);
}

#[test]
fn a_finding_may_have_a_heading_of_its_own() {
    let text = "## P1\n\n### 1. SQL injection in login\n\n**Location:** `src/db.rs:42`\n\nThe name is concatenated.\n\n#### Evidence\n\
                - `format!(\"…{name}\")`\n- no bind call\n\n#### Suggested fix\n\nBind it:\n\n```rust\nbind(name)\n```\n\n\
                ### 2. Race in the cache\n\nTwo writers.\n\n---\n\n## P2\n\nNone found.\n\n## P3\n\n—\n\nRecommendation: revise\n";
    let critique = read(text).unwrap();
    let told: Vec<String> = critique.findings.iter().map(tell).collect();
    assert_eq!(
        told,
        ["P1 SQL injection in login\nThe name is concatenated. @src/db.rs:42", "P1 Race in the cache\nTwo writers."]
    );
    let first = &critique.findings[0];
    assert_eq!(first.evidence, ["`format!(\"…{name}\")`", "no bind call"]);
    assert_eq!((first.action.as_str(), first.replacement.as_deref()), ("Bind it:", Some("bind(name)")));
    assert_eq!(critique.recommendation, Some(Recommendation::Revise));
}

#[test]
fn numbered_findings_keep_the_bullets_under_them_even_without_indentation() {
    let text =
        "## P2\n1. **The loop never ends**\n- Evidence: src/a.rs:3\n- Fix: count the tries\n2. Second\n- it is slow\n";
    let critique = read(text).unwrap();
    assert_eq!(critique.findings.len(), 2, "{critique:#?}");
    assert_eq!(critique.findings[0].action, "count the tries");
    assert_eq!(critique.findings[1].text, "Second\nit is slow");
}

#[test]
fn labels_within_a_line_are_taken_apart() {
    let critique =
        read("- [P2] `src/a.rs:3` never ends. Evidence: the counter is not changed. Suggested action: count it.").unwrap();
    let only = &critique.findings[0];
    assert_eq!(only.text, "`src/a.rs:3` never ends.");
    assert_eq!(
        (only.evidence.as_slice(), only.action.as_str()),
        (&["the counter is not changed.".to_owned()][..], "count it.")
    );
    assert_eq!(only.place.as_deref(), Some("src/a.rs:3"));
}

#[test]
fn code_is_a_replacement_only_where_it_is_called_so() {
    let of = |text: &str| {
        let critique = read(text).unwrap();
        (critique.findings[0].replacement.clone(), critique.findings[0].evidence.clone())
    };
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(of("- [P1] wrong\n  ```suggestion\n  right\n  ```\n"), (some("right"), vec![]));
    assert_eq!(of("- [P1] wrong\n\n  Replacement:\n  ```\n  right\n  ```\n"), (some("right"), vec![]));
    assert_eq!(of("- [P1] wrong\n  - Replacement: `right`\n"), (some("right"), vec![]));
    assert_eq!(of("- [P1] wrong\n\n  ```rust\n  bad()\n  ```\n"), (None, vec!["bad()".to_owned()]));
    assert_eq!(of("## P1\nThe call is wrong. Use this instead:\n```\nright()\n```\n"), (some("right()"), vec![]));
}

#[test]
fn a_file_as_a_heading_is_the_place_of_the_findings_under_it() {
    assert_eq!(
        told("## src/a.rs\n\n### P1\n- never ends\n\n## src/b.rs\n### P2\n- slow at src/b.rs:9"),
        ["P1 never ends @src/a.rs", "P2 slow at src/b.rs:9 @src/b.rs:9"]
    );
    assert_eq!(told("## P1\n### `src/a.rs`\n- never ends\n- slow"), ["P1 never ends @src/a.rs", "P1 slow @src/a.rs"]);
}

#[test]
fn a_line_under_a_findings_heading_begins_no_part() {
    let text = "### P1: The migration cannot fail safely\nIt runs in place.\nMissing: a rollback plan.\nFix: keep the old table.\n\n\
                Missing: a test";
    let critique = read(text).unwrap();
    assert_eq!(critique.findings[0].text, "The migration cannot fail safely\nIt runs in place. Missing: a rollback plan.");
    assert_eq!(
        (critique.findings[0].action.as_str(), critique.missing.as_slice()),
        ("keep the old table.", &["a test".to_owned()][..])
    );
}

#[test]
fn a_native_list_of_a_tool_is_read() {
    let text = "Full review comments:\n\n- [P1] Guard against an empty list — /repo/src/feed.rs:64-64\n  When `items` is empty, \
                `items[0]` panics.\n\n- [P3] Fix a typo — /repo/src/lib.rs:3-3\n  `recieve` should be `receive`.\n";
    assert_eq!(
        told(text),
        [
            "P1 Guard against an empty list — /repo/src/feed.rs:64-64 When `items` is empty, `items[0]` panics. @/repo/src/feed.rs:64",
            "P3 Fix a typo — /repo/src/lib.rs:3-3 `recieve` should be `receive`. @/repo/src/lib.rs:3"
        ]
    );
}

#[test]
fn a_severity_may_stand_under_its_finding() {
    let text = "# Review of the pool\n\nMostly fine.\n\n## Findings\n\n1. **Deadlock**\n   - Severity: P1\n   - Location: src/pool.rs:88\n\n\
                ### Slow lookup\n**Priority:** P2\nIt is quadratic.\n";
    assert_eq!(told(text), ["P1 Deadlock @src/pool.rs:88", "P2 Slow lookup\nIt is quadratic."]);
    assert_eq!(read(text).unwrap().summary, "Mostly fine.");
}

#[test]
fn a_table_gives_each_column_its_meaning() {
    let text = "| Severity | Location | Finding | Suggested fix |\n|---|---|---|---|\n| P1 | `src/a.rs:3` | never ends | count |\n\
                | P3 | | typo in `a|b` | |\n| P2 | | None | |\n";
    let critique = read(text).unwrap();
    assert_eq!(critique.findings.iter().map(tell).collect::<Vec<_>>(), ["P1 never ends @src/a.rs:3", "P3 typo in `a|b`"]);
    assert_eq!(critique.findings[0].action, "count");
}

#[test]
fn prose_around_findings_is_none_of_them() {
    let text = "I reviewed the change.\n\n## P1\n\nThe following must be fixed before merging:\n\n- one\n- two\n\nEverything else is fine.\n\n\
                ## P2\n\nFirst paragraph,\nwhich goes on.\n\nIts second paragraph.\n\n**Another** one (src/a.rs:9).\n\n## P3\n\n- None\n\n---\n\nThanks for the change!\n";
    assert_eq!(
        told(text),
        [
            "P1 one",
            "P1 two",
            "P2 First paragraph, which goes on.\nIts second paragraph.",
            "P2 Another one (src/a.rs:9). @src/a.rs:9"
        ]
    );
    assert_eq!(read(text).unwrap().summary, "I reviewed the change.");
}

#[test]
fn a_severity_over_a_list_is_a_section_whatever_its_subtitle() {
    assert_eq!(
        told("## P1 – Error paths\n- it panics\n- it leaks\n\n## P2 – Tests\n\n- f3 has no test\n- a flaky test"),
        ["P1 Error paths: it panics", "P1 Error paths: it leaks", "P2 Tests: f3 has no test", "P2 Tests: a flaky test"]
    );
    assert_eq!(told("## P1 – Error paths\n- None\n\n## P2\n- slow"), ["P2 slow"]);
    // Details of one finding, a number, and prose make it a finding.
    for text in [
        "### P1: it panics\n- Location: src/a.rs:3\n- Fix: catch it",
        "### P1-1: it panics\n- on every call\n- since f3 is empty",
        "### P1: it panics\nOn every call:\n- at noon\n- at night",
        "### P1: it panics\n- `src/a.rs:3`\n- on every call",
    ] {
        let told = told(text);
        assert!(told.len() == 1 && told[0].starts_with("P1 it panics"), "{text}: {told:?}");
    }
}

#[test]
fn a_heading_may_count_its_findings() {
    for text in [
        "## P1: 0\n\n## P2: 1\n\n- slow loop\n\n## P3: 2\n\n- nit one\n- nit two\n",
        "P1 count: 0\nP2 count: 1\n- slow loop\nP3 count: 2\n- nit one\n- nit two\n",
        "## P1 issues: 0\n\n## P2 issues: 1\n- slow loop\n\n## P3 issues: 2\n- nit one\n- nit two\n",
    ] {
        assert_eq!(told(text), ["P2 slow loop", "P3 nit one", "P3 nit two"], "{text}");
    }
    // A number is no finding, and no word that there is none.
    assert_eq!(code("P1: 1\nP2: 0\nP3: 0"), "critique:findings_not_stated");
    assert_eq!(code("## P1: 1\n\n## P2: 0\n\n## P3: 0"), "critique:findings_not_stated");
    assert_eq!(told("P1: 0\nP2: 1\nP3: 0\n\nIt is mostly sound.\n\n## P2\n- slow loop"), ["P2 slow loop"]);
}

#[test]
fn a_line_that_names_another_severity_ends_the_section() {
    assert_eq!(
        code("## P1\n- it panics\n\n### What I would call a P2 here\n- slow loop of weight"),
        "critique:finding_without_severity"
    );
}

#[test]
fn a_severity_may_stand_behind_a_finding_or_be_a_degree() {
    for (text, expected) in [
        ("- it panics [P1]\n- slow loop — P2", ["P1 it panics", "P2 slow loop"]),
        ("- it panics (severity: P1)\n- slow loop. Severity: P2", ["P1 it panics", "P2 slow loop."]),
        ("## High\n- it panics\n\n## P2\n- slow loop", ["P1 it panics", "P2 slow loop"]),
        ("## Critical issues\n- it panics\n\n## Medium\n- slow loop\n\n## Low\nNone.", ["P1 it panics", "P2 slow loop"]),
        ("- [High] it panics\n- [Major] slow loop", ["P1 it panics", "P2 slow loop"]),
        ("- [P1] it panics\n- [P3] nit", ["P1 it panics", "P3 nit"]),
        ("【P1】 it panics\n\n- 【P3】 a typo", ["P1 it panics", "P3 a typo"]),
    ] {
        assert_eq!(told(text), expected, "{text}");
    }
}

#[test]
fn an_item_in_no_known_section_is_asked_about() {
    assert_eq!(
        code("## P1\n- it panics\n\n## Other observations\n- the loop is slow\n"),
        "critique:finding_without_severity"
    );
    for aside in ["## Positive notes\n- the names are clear", "## Files reviewed in depth\n- src/a.rs with care"] {
        assert_eq!(told(&format!("## P1\n- it panics\n\n{aside}\n")), ["P1 it panics"], "{aside}");
    }
}

#[test]
fn paragraphs_and_lines_with_marks_of_their_own_are_findings_of_their_own() {
    for two in [
        "The unwrap at src/a.rs:3 panics.\n\nThe lock at src/a.rs:9 leaks.\n",
        "F1: unwrap panics src/a.rs:3\nF2: lock leaks src/a.rs:9\n",
        "🔴 unwrap panics src/a.rs:3\n🔴 lock leaks src/a.rs:9\n",
        "i. unwrap panics src/a.rs:3\nii. lock leaks src/a.rs:9\n",
    ] {
        let critique = read(&format!("## P1\n\n{two}\n## P2\n\nNone\n\n## P3\n\nNone\n")).unwrap();
        let places: Vec<Option<&str>> = critique.findings.iter().map(|remark| remark.place.as_deref()).collect();
        assert_eq!(places, [Some("src/a.rs:3"), Some("src/a.rs:9")], "{two}");
    }
    for one in [
        "The unwrap at src/a.rs:3 panics, since g returns\nNone at src/a.rs:9.\n",
        "The unwrap panics.\n\nIt stands at src/a.rs:3.\n",
        "The unwrap at src/a.rs:3 panics.\n\nIn short, src/a.rs:3 must go.\n",
    ] {
        assert_eq!(told(&format!("## P1\n\n{one}\n")).len(), 1, "{one}");
    }
}

#[test]
fn what_is_not_so_severe_is_not_called_so() {
    let of = |title: &str| read(&format!("## P1\nNone\n\n## {title}\n- naming of f5 is odd\n"));
    for title in ["Non-blocking", "Non-blocking suggestions", "Non blocking issues", "Nonblocking", "Minor (non-blocking)"] {
        assert_eq!(of(title).unwrap().findings[0].severity, Severity::P3, "{title}");
    }
    for title in ["Non-critical", "Non-critical issues", "Not blocking"] {
        assert_eq!(of(title).unwrap_err().code, "critique:finding_without_severity", "{title}");
    }
    assert_eq!(told("- [non-blocking] naming is odd\n"), ["P3 naming is odd"]);
    assert_eq!(told("## Blocking\n- it panics\n\n## Must be resolved (P1)\n- it leaks\n"), ["P1 it panics", "P1 it leaks"]);
    assert!(of("Resolved P1s").is_err());
}

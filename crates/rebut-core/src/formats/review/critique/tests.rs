use insta::assert_json_snapshot;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde_json::json;

use super::*;

/// The findings of an answer in one line each: `P1 text @place`.
fn told(text: &str) -> Vec<String> {
    let critique = read(text).unwrap_or_else(|rejection| panic!("{}: {}\n{text}", rejection.code, rejection.reason));
    critique.findings.iter().map(tell).collect()
}

fn tell(remark: &Remark) -> String {
    let place = remark.place.as_ref().map(|place| format!(" @{place}")).unwrap_or_default();
    format!("{} {}{place}", remark.severity.as_str(), remark.text)
}

fn code(text: &str) -> String {
    read(text).map(|critique| format!("{critique:?}")).unwrap_err().code
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
        ["P1 1. SQL injection in login\nThe name is concatenated. @src/db.rs:42", "P1 2. Race in the cache\nTwo writers."]
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
fn words_for_nothing_are_no_findings() {
    for nothing in [
        "None",
        "None.",
        "None found.",
        "*None*",
        "_None identified._",
        "(none)",
        "- None",
        "- None found",
        "* N/A",
        "N/A",
        "—",
        "-",
        "- —",
        "No issues",
        "No issues found.",
        "No P1 findings.",
        "No critical issues identified.",
        "- No blocking problems were found.",
        "",
        "Nothing to report.",
        "None — the locks are fine.",
        "No findings.",
        "0",
        "No issues found in the error handling.",
        "**None.**",
        "None at this level.",
    ] {
        let (two, three) = (nothing.replace("P1", "P2"), nothing.replace("P1", "P3"));
        let text = format!("## P1\n{nothing}\n\n---\n\n## P2\n{two}\n\n## P3\n\n{three}\n");
        assert_eq!(told(&text), Vec::<String>::new(), "{nothing}");
    }
    for finding in [
        "No validation of the name.",
        "None of the errors is handled.",
        "No issues are reported to the user when the write fails.",
        "Nothing checks the length.",
        "No error handling",
        "Zero is divided by.",
    ] {
        assert_eq!(told(&format!("## P1\n- {finding}")), [format!("P1 {finding}")]);
    }
}

#[test]
fn no_findings_must_be_said_plainly() {
    for text in [
        "P1: None\nP2: None\nP3: None",
        "- P1: none\n- P2: none found\n- P3: N/A",
        "## P1\n\n## P2\n\n## P3\n",
        "No P1/P2/P3 findings.",
        "No P1, P2 or P3 findings.",
        "P1–P3: none",
        "No findings.\n\nRecommendation: keep",
        "## Findings\n\nNone.",
        "## Findings\n\nNo issues found.\n\n## Recommendation\n\nKeep.",
        "No P1 or P2 findings.\n\nP3: none",
        "P1: 0\nP2: 0\nP3: 0",
        "{\"p1\": [], \"p2\": [], \"p3\": []}",
        "{\"p1\": null, \"P2\": [], \"p3\": \"None\"}",
        "{\"findings\": []}",
    ] {
        assert_eq!(told(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn an_answer_that_says_nothing_of_findings_is_rejected() {
    for text in [
        "",
        "LGTM",
        "LGTM!\n\nGreat work, ship it.",
        "I looked at the change and it seems fine to me. No issues.",
        "I'm sorry, but I can't help with that.",
        "Please paste the diff that I should review.",
        "{}",
        "{\"error\": \"overloaded\"}",
        "[]",
        "```json\n{}\n```",
        "# Code review",
        "---",
        "Error: 429 Too Many Requests",
    ] {
        assert_eq!(code(text), "critique:nothing_recognised", "{text}");
    }
    for text in [
        "## P1",
        "## P1\nNone.",
        "P1: None\nP2: None",
        "## Summary\n\nAll is well.",
        "Recommendation: keep",
        "## Concerns\n- it may be slow",
        "{\"summary\": \"fine\", \"recommendation\": \"keep\"}",
        "{\"p1\": [], \"recommendation\": \"keep\"}",
        "## P1\n```\ncode\n```\n## P2\nNone\n## P3\nNone",
    ] {
        assert_eq!(code(text), "critique:findings_not_stated", "{text}");
    }
    assert_eq!(code("## Findings\n1. the lock is never released"), "critique:finding_without_severity");
}

#[test]
fn a_refusal_in_the_right_form_is_one_all_the_same() {
    let of = |summary: &str| json!({"summary": summary, "p1": [], "p2": [], "p3": [], "recommendation": "keep"}).to_string();
    for summary in [
        "I'm sorry, but I can't assist with this request.",
        "I cannot review this change because no diff was given.",
        "I am unable to access the file.",
        "I was not able to complete the review.",
    ] {
        assert_eq!(code(&of(summary)), "critique:nothing_recognised", "{summary}");
    }
    for summary in [
        "I cannot find any problem in it.",
        "I can't see how this could fail.",
        "Solid.",
        "Users cannot open the file twice.",
    ] {
        assert!(read(&of(summary)).is_ok(), "{summary}");
    }
}

#[test]
fn an_answer_that_was_cut_off_is_rejected() {
    assert_eq!(
        code("{\"summary\": \"x\", \"p1\": [{\"finding\": \"the lock\", \"place\": \"a.rs:1\"}, {\"find"),
        "critique:nothing_recognised"
    );
}

#[test]
fn a_recommendation_stands_in_a_line_of_its_own_and_is_not_taken_back() {
    use Recommendation::{Continue, Keep, Reject, Revise};
    for (line, expected) in [
        ("Recommendation: keep", Some(Keep)),
        ("**Recommendation:** Keep", Some(Keep)),
        ("**Recommendation**: `keep`", Some(Keep)),
        ("## Recommendation\n\nKeep. It is sound.", Some(Keep)),
        ("## Recommendation: keep", Some(Keep)),
        ("- Recommendation: keep", Some(Keep)),
        ("Recommended decision: keep as is", Some(Keep)),
        ("Final verdict: revise", Some(Revise)),
        ("Recommendation: Revise. It does not compile.", Some(Revise)),
        ("Recommendation: revise (not urgent)", Some(Revise)),
        ("Recommendation: request changes", Some(Revise)),
        ("Decision: REJECT", Some(Reject)),
        ("Recommendation: continue", Some(Continue)),
        ("I would recommend to keep it.", None),
        ("LGTM", None),
        ("Not LGTM.", None),
        ("I would not keep it.", None),
        ("This is not equivalent.", None),
        ("Recommendation: I would not keep it", None),
        ("Recommendation: do not keep", None),
        ("Recommendation: don't keep it", None),
        ("Recommendation: keep, but only after the test is fixed", None),
        ("Recommendation: keep if the test passes", None),
        ("Recommendation: keep or revise", None),
        ("Recommendation: keep|revise|reject|continue", None),
        ("Recommendation: LGTM", None),
        ("Recommendation: never keep this", None),
        ("Recommendation: keep\nRecommendation: revise", None),
        ("Recommendation: keep the guard in a variable", None),
        ("Recommendation: keep the original", Some(Keep)),
        ("Recommendation: none", None),
        ("", None),
    ] {
        for findings in ["P1: none\nP2: none\nP3: none\n\n", "## P1\nNone\n## P2\nNone\n## P3\n- [P3] a typo\n\n"] {
            let critique = read(&format!("{findings}{line}\n")).unwrap();
            assert_eq!(critique.recommendation, expected, "{line}");
        }
        let behind = line.strip_prefix("Recommendation: ").filter(|_| !line.contains('\n'));
        if let Some(words) = behind {
            let value = json!({"p1": [], "p2": [], "p3": [], "recommendation": words});
            assert_eq!(read(&value.to_string()).unwrap().recommendation, expected, "{line}");
        }
    }
}

#[test]
fn a_recommendation_under_a_finding_is_its_action() {
    let critique = read(
        "## P1\n- the lock is never released\n  - Recommendation: keep the guard in a variable\n\nRecommendation: revise",
    )
    .unwrap();
    assert_eq!(critique.findings[0].action, "keep the guard in a variable");
    assert_eq!(critique.recommendation, Some(Recommendation::Revise));
}

#[test]
fn json_is_read_in_other_spellings_too() {
    let value = json!({
        "Summary": "s", "Agreements": null, "concerns": "slow", "suggestions": [1, {"text": "two"}],
        "P1": ["src/a.rs:3 never ends", {"issue": "wrong", "file": "b.rs", "line": 7, "evidence": "b.rs:7", "fix": "right", "extra": {}}],
        "p2": [{"title": "Slow", "description": "it is quadratic", "location": "c.rs:1-9", "suggested_code": "set()"}, "None", null],
        "P3_findings": [],
        "missing": ["N/A", "tests"], "recommendation": "Revise.", "checked": ["src/a.rs: errors, tests", {"file": "b.rs", "aspects": "all"}],
        "insufficient_evidence": true, "confidence": 0.7
    });
    let critique = read(&format!("Here:\n```json\n{value}\n```")).unwrap();
    assert_json_snapshot!(critique);
    for (value, code) in [
        (json!({"p1": true}), "critique:does_not_fit"),
        (json!({"p1": [[1]]}), "critique:does_not_fit"),
        (json!({"p1": [{"action": "do it"}]}), "critique:finding_without_text"),
        (json!({"findings": [{"finding": "x"}]}), "critique:finding_without_severity"),
        (json!({"findings": ["x"]}), "critique:finding_without_severity"),
        (json!({"p1": [], "p2": [], "p3": [], "concerns": [true]}), "critique:does_not_fit"),
    ] {
        assert_eq!(self::code(&value.to_string()), code, "{value}");
    }
    assert_eq!(
        told("{\"findings\": [{\"severity\": \"p2\", \"finding\": \"x\"}, {\"priority\": 1, \"text\": \"y\"}]}"),
        ["P1 y", "P2 x"]
    );
    assert_eq!(told("{\"critique\": {\"p1\": [\"x\"]}}"), ["P1 x"]);
    assert_eq!(told("{\"findings\": {\"p1\": [\"x\"], \"p3\": []}}"), ["P1 x"]);
    let placeholder =
        json!({"p1": [{"finding": "", "place": "", "evidence": [], "action": "", "replacement": ""}], "p2": [], "p3": []});
    assert_eq!(told(&placeholder.to_string()), Vec::<String>::new());
}

#[test]
fn an_example_in_json_does_not_hide_the_markdown_around_it() {
    let text = "## P1\n- the config is not read (src/config.rs:3)\n  ```json\n  {\"summary\": \"x\", \"limit\": 3}\n  ```\n";
    assert_eq!(told(text), ["P1 the config is not read (src/config.rs:3) @src/config.rs:3"]);
}

#[test]
fn insufficient_evidence_is_heard_and_its_denial_too() {
    for (text, expected) in [
        ("P1: Insufficient evidence for the claimed latency.", true),
        ("P2: The evidence is insufficient.", true),
        ("Summary: there is insufficient evidence\n\nP1: none\nP2: none\nP3: none", true),
        ("P1: there is no insufficient evidence here", false),
        ("P1: the lock is never released", false),
    ] {
        assert_eq!(read(text).unwrap().insufficient_evidence, expected, "{text}");
    }
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
fn a_mixed_critique_is_read_whole() {
    assert_json_snapshot!(read(include_str!("mixed.md")).unwrap());
}

#[test]
fn the_schema_holds_strictly_and_what_fits_it_is_read() {
    fn strict(schema: &serde_json::Value, at: &str) {
        if schema["type"] == "object" {
            assert_eq!(schema["additionalProperties"], false, "{at}");
            let names: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
            assert_eq!(schema["required"], json!(names), "{at}");
            schema["properties"].as_object().unwrap().iter().for_each(|(name, part)| strict(part, name));
        }
        if schema["type"] == "array" {
            strict(&schema["items"], at);
        }
    }
    strict(&schema(), "critique");
    let full = json!({
        "summary": "s", "agreements": ["a"], "concerns": [], "suggestions": [],
        "p1": [{"finding": "f", "place": "a.rs:1", "evidence": ["a.rs:1 \"x\""], "action": "do", "replacement": "  y\n"}], "p2": [], "p3": [],
        "missing": [], "recommendation": "reject", "evidence": [], "checked": [{"file": "a.rs", "aspects": ["errors"]}]
    });
    assert_eq!(
        full.as_object().unwrap().keys().collect::<Vec<_>>(),
        schema()["properties"].as_object().unwrap().keys().collect::<Vec<_>>()
    );
    let critique = read(&full.to_string()).unwrap();
    assert_eq!(critique.findings[0].replacement.as_deref(), Some("  y\n"));
    assert_eq!(critique.checked, [Area { file: "a.rs".into(), aspects: vec!["errors".into()] }]);
    let kept: Critique = serde_json::from_value(serde_json::to_value(&critique).unwrap()).unwrap();
    assert_eq!(kept, critique);
}

const PIECES: &str = "(## |### |P1|P2|\\*\\*|: |- |  - |1\\. |\\[P3\\]|None|\n|\n\n|```|---|\\||Evidence:|Recommendation: keep|src/a.rs:3|`|\\{|\"p1\"|\\PC){0,60}";

proptest! {
    #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(0x3fa9), ..ProptestConfig::default() })]

    #[test]
    fn reading_never_panics(text in PIECES) {
        let _ = read(&text);
    }

    #[test]
    fn a_finding_is_never_lost_among_noise(noise in "[a-zA-Z ,.é\n]{0,80}", word in "[a-z]{3,9}") {
        let text = format!("{noise}\n\n## P1\n- the {word} lock is never released\n\n## P2\nNone\n");
        let found = read(&text).map(|critique| critique.findings.len());
        prop_assert_eq!(found.ok(), Some(1), "{}", text);
    }
}

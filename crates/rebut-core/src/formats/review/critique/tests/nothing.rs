//! What is no finding and no agreement, though it looks like one.

use serde_json::json;

use super::*;

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
        "None at this time",
        "None that I could find.",
        "None of note.",
        "There are no P1 findings.",
        "I found no P1 issues.",
        "I did not find any P1 issues.",
        "We didn't see any issues.",
        "None reported.",
        "There were none.",
        "We see no P1 problems here.",
        "Nothing significant.",
        "No issues, the code is fine.",
        "None — the change is small.",
        "None (all addressed).",
        "No issues.",
        "No issues found in src/pool.rs.",
        "Keine.",
        "无",
        "None. All error paths are handled.",
        "No P1 issues were identified during this review.",
        "No show-stoppers.",
        "Nothing blocking was found.",
        "There don't appear to be any P1 issues.",
        "Didn't find any.",
        "Not applicable — no security-relevant code.",
        "All good.",
        "LGTM",
        "This section is empty.",
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
        "No comments in the parser.",
        "No items in the list are freed.",
        "No error handling",
        "Zero is divided by.",
        "None, but the guard is dropped early at src/pool.rs:3",
        "None - however, the guard is dropped early.",
        "None. src/pool.rs:3 leaks the lock though.",
        "None. The guard is dropped early.",
        "None — the lock is not fine.",
        "None (the guard is dropped early)",
        "None of this is checked.",
        "No P1 issues, although src/pool.rs:3 leaks the password",
        "No issues with locking is handled: the guard is dropped at src/pool.rs:3",
        "No issues found. But the guard is dropped early.",
        "No issues found, except for the guard.",
        "No problems: the guard is dropped early",
        "Nothing to report, but the guard is dropped early.",
        "No concern for concurrency in f3",
        "There is no check of the length.",
        "I found no test for the parser.",
        "I did not find any test for the parser.",
        "There are no issues, but the guard is dropped early.",
        "No issues, the guard is dropped early",
        "None: small buffers overflow",
        "None. No error is handled.",
        "No issues during startup are handled.",
        "Nothing blocking is released",
        "There don't appear to be any checks of the length.",
        "Not applicable, but the lock leaks.",
        "Not applicable — src/a.rs leaks",
    ] {
        let told = told(&format!("## P1\n- {finding}"));
        let [only] = &told[..] else { panic!("{finding}: {told:?}") };
        assert_eq!(only.split(" @").next().unwrap(), format!("P1 {finding}"));
    }
}

#[test]
fn what_is_said_behind_not_applicable_may_be_a_finding() {
    for finding in ["N/A - the unwrap panics on None input, all callers are affected", "N/A - no error is handled"] {
        assert_eq!(told(&format!("## P1\n- {finding}")).len(), 1, "{finding}");
    }
    for nothing in ["N/A", "N/A - no security-relevant code", "N/A for this change", "N/A. The locks are fine."] {
        assert_eq!(told(&format!("## P1\n- {nothing}\n\n## P2\n- slow")).len(), 1, "{nothing}");
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
        ("Recommendation: Keep, pending a test", None),
        ("Recommendation: keep (conditional on tests)", None),
        ("Recommendation: keep? unsure", None),
        ("Recommendation: KEEP (no changes needed)", Some(Keep)),
        ("Recommendation: keep; no doubt it needs work", None),
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

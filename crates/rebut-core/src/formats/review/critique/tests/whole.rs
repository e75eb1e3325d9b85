//! Whole critiques, JSON, the schema, and texts that nobody would write.

use insta::assert_json_snapshot;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde_json::json;

use super::*;

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
        assert_eq!(super::code(&value.to_string()), code, "{value}");
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
        "missing": [], "recommendation": "reject", "evidence": [], "insufficient_evidence": true,
        "checked": [{"file": "a.rs", "aspects": ["errors"]}]
    });
    assert_eq!(
        full.as_object().unwrap().keys().collect::<Vec<_>>(),
        schema()["properties"].as_object().unwrap().keys().collect::<Vec<_>>()
    );
    let critique = read(&full.to_string()).unwrap();
    assert_eq!(critique.findings[0].replacement.as_deref(), Some("  y\n"));
    assert_eq!(critique.checked, [Area { file: "a.rs".into(), aspects: vec!["errors".into()] }]);
    assert!(critique.insufficient_evidence);
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

#[test]
fn a_finding_of_codex_has_its_severity_and_its_place() {
    let finding = |title: &str, priority: u32| {
        serde_json::json!({"findings": [{"title": title, "body": "g may fail", "priority": priority, "code_location":
            {"absolute_file_path": "/w/src/a.rs", "line_range": {"start": 3, "end": 5}}}]})
    };
    assert_eq!(told(&finding("[P0] Unwrap panics", 0).to_string()), ["P1 Unwrap panics: g may fail @/w/src/a.rs:3-5"]);
    assert_eq!(told(&finding("[P2] Unwrap panics", 2).to_string()), ["P2 Unwrap panics: g may fail @/w/src/a.rs:3-5"]);
    let located = r#"{"findings": [{"finding": "[P3] slow", "location": {"file": "src/a.rs", "line": 3}}]}"#;
    assert_eq!(told(located), ["P3 slow @src/a.rs:3"]);
}

#[test]
fn json_that_says_a_thing_twice_is_refused() {
    for text in [
        r#"{"p1": [{"finding": "it panics"}], "p2": [], "p3": [], "recommendation": "keep", "p1": []}"#,
        r#"{"p1": [{"finding": "it panics"}], "p2": [], "p3": [], "recommendation": "keep", "P1": []}"#,
        r#"{"p1": [{"finding": "it panics", "finding": "None"}], "p2": [], "p3": []}"#,
        "I think:\n```json\n{\"p1\": [\"it panics\"], \"p2\": [], \"p3\": [], \"p1\": []}\n```",
    ] {
        assert_eq!(code(text), "critique:doubled_key", "{text}");
    }
    let two = r#"{"findings": [], "issues": [{"severity": "P1", "finding": "it panics"}]}"#;
    assert_eq!(told(two), ["P1 it panics"]);
    let two = r#"{"mine": {"p1": [], "p2": [], "p3": []}, "other": {"p1": ["it panics"], "p2": [], "p3": []}}"#;
    assert_eq!(told(two), ["P1 it panics"]);
    let two = r#"{"p1": [], "p2": [], "p3": [], "recommendation": "keep", "verdict": "reject"}"#;
    assert_eq!(read(two).unwrap().recommendation, None);
}

#[test]
fn a_finding_in_json_is_lost_in_no_form() {
    let of = |p1: serde_json::Value| json!({"p1": p1, "p2": [], "p3": [], "recommendation": "keep"}).to_string();
    for p1 in [
        json!([{"finding": "None", "place": "src/a.rs:3", "action": "return the error"}]),
        json!([{"finding": "None", "place": "src/a.rs:3"}]),
        json!([{"finding": "N/A", "evidence": ["src/a.rs:3 \"g().unwrap()\""]}]),
        json!([{"comment": "the unwrap panics"}]),
        json!([{}]),
    ] {
        assert_eq!(code(&of(p1.clone())), "critique:finding_without_text", "{p1}");
    }
    assert_eq!(told(&of(json!([{"finding": "None", "place": "src/a.rs", "action": "None", "severity": "P1"}]))), [""; 0]);
    for (p3, expected) in [
        (json!([{"finding": "it panics", "severity": "P1"}]), "P1 it panics"),
        (json!([{"finding": "[P1] it panics"}]), "P1 it panics"),
        (json!(["[P2] it is slow"]), "P2 it is slow"),
    ] {
        assert_eq!(told(&json!({"p1": [], "p2": [], "p3": p3}).to_string()), [expected]);
    }
    let with = |key: &str, value: serde_json::Value| {
        json!({"p1": [], "p2": [], "p3": [], "recommendation": "keep", key: value}).to_string()
    };
    assert_eq!(told(&with("blockers", json!(["unwrap panics"]))), ["P1 unwrap panics"]);
    for (key, value) in [
        ("show_stoppers", json!(["unwrap panics"])),
        ("security", json!([{"text": "unwrap panics"}])),
        ("notes", json!("see src/a.rs:3, which panics")),
    ] {
        assert_eq!(read(&with(key, value)).unwrap().strays.len(), 1, "{key}");
    }
    for (key, value) in [("confidence", json!(0.9)), ("notes", json!("It is small.")), ("files", json!(["src/a.rs"]))] {
        assert_eq!(read(&with(key, value)).unwrap().strays, Vec::<String>::new(), "{key}");
    }
}

/// Work that grew with the square of the text would take minutes here.
#[test]
fn a_critique_of_one_piece_over_and_over_is_read_to_its_end() {
    const BYTES: usize = 64 * 1024;
    for (before, piece) in [
        ("## P1\n\n", "a.rs:1 leaks.\n\n"),
        ("## Not good\n", "- b.rs:2 leaks\n"),
        ("## Checked\n- a.rs: ", "a.rs:1 leaks.\n"),
        ("Recommendation: keep\n", "it is fine\n"),
    ] {
        let _ = read(&format!("{before}{}", piece.repeat(BYTES / piece.len())));
    }
}

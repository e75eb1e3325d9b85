//! `check_log` names each line that is wrong.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use rebut_core::formats::panel::check_log;
use rebut_core::report;
use serde_json::{Value, json};

use crate::test_debate::panel::{GONE, OTHER, entry, of, panel, turn};

fn good() -> String {
    let test = panel(2, |_| ()).run();
    report::files(test.debate(), "").into_iter().find(|(name, _)| name == "debate-log.jsonl").expect("the log").1
}

/// Lines as one text.
fn joined(lines: impl Iterator<Item = impl ToString>) -> String {
    let lines: Vec<String> = lines.map(|line| line.to_string()).collect();
    lines.join("\n") + "\n"
}

/// The problems of the log with a field of a line changed.
fn problems(log: &str, line: usize, field: &str, value: Value) -> Vec<String> {
    let mut lines: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).expect("an entry")).collect();
    lines[line][field] = value;
    check_log(&joined(lines.iter())).iter().map(ToString::to_string).collect()
}

#[test]
fn what_nobody_ruled_on_and_what_is_out_of_order_is_named() {
    let log = good();
    let read = |log: &str| -> Vec<Value> { log.lines().map(|line| serde_json::from_str(line).expect("an entry")).collect() };
    let told =
        |lines: &[Value]| check_log(&joined(lines.iter())).iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    let mut lines = read(&log);
    let content = lines[4]["content"].as_str().expect("a result").replace("\"verified\"", "\"unreliable\"");
    lines[4]["content"] = json!(content);
    assert!(told(&lines).contains("line 5: a source of seq 2 is unreliable, and nobody ruled on it"), "{}", told(&lines));
    let mut lines = read(&log);
    for field in ["content", "target_seq"] {
        let (one, other) = (lines[4][field].clone(), lines[5][field].clone());
        (lines[4][field], lines[5][field]) = (other, one);
    }
    assert!(told(&lines).contains("line 6: the result for seq 2 is out of order"), "{}", told(&lines));
    let mut lines = read(&log);
    let closing = lines.iter().rposition(|line| line["type"] == "closing_statement").expect("a closing");
    lines[closing]["speaker"] = json!("ben");
    assert!(told(&lines).contains("anna has not closed, and no ruling says why"), "{}", told(&lines));
    let test = panel(2, |_| ()).says("round-1/anna", turn(&[entry("new_point", "It saves time. Much of it.", OTHER)])).run();
    let files = report::files(test.debate(), "");
    let mut lines = read(&files.iter().find(|(name, _)| name == "debate-log.jsonl").expect("the log").1);
    assert_eq!(told(&lines), "");
    let ruled = |line: &Value| line["content"].as_str().is_some_and(|text| text.contains(" was warned, and "));
    let ruling = lines.iter().position(ruled).expect("a ruling");
    lines[ruling]["content"] = json!("Ruling on seq 8: noted.");
    assert!(told(&lines).contains("seq 8 was never corrected, and no ruling says so"), "{}", told(&lines));
}

#[test]
fn every_kind_of_fault_is_named_with_its_line() {
    let log = good();
    assert_eq!(check_log(&log), []);
    for (line, field, value, says) in [
        (2, "speaker", json!("chair"), "line 3: the chair cannot write `opening_statement`"),
        (0, "speaker", json!("anna"), "line 1: \"anna\" cannot write `setup`; only the chair can"),
        (2, "speaker", json!("a b"), "line 3: the name \"a b\""),
        (2, "type", json!("speech"), "line 3: no entry: unknown variant `speech`"),
        (2, "seq", json!(9), "line 3: seq 9 stands where seq 2 must be"),
        (2, "phase", json!("closing"), "line 3: `opening_statement` does not belong into phase closing"),
        (2, "content", json!(""), "line 3: its content is empty"),
        (2, "timestamp", json!("2020-01-01T00:00:00Z"), "line 3: its timestamp is before"),
        (2, "mood", json!("good"), "line 3: no entry: unknown field `mood`"),
        (2, "sources", json!([]), "line 3: its sources are an empty list"),
        (2, "rebuttal_to_seq", json!(1), "line 3: only a rebuttal has rebuttal_to_seq"),
        (8, "rebuttal_to_seq", json!(99), "line 9: rebuttal_to_seq 99 is no earlier entry"),
        (8, "rebuttal_to_seq", json!(2), "line 9: seq 2 is the speaker's own"),
        (8, "rebuttal_to_seq", json!(1), "line 9: seq 1 is no argument to rebut"),
        (8, "rebuttal_to_seq", Value::Null, "line 9: a rebuttal names no entry"),
        (8, "target_seq", json!(2), "line 9: `rebuttal` has no target_seq"),
        (8, "phase", json!("opening"), "line 9: `rebuttal` does not belong into phase opening and round 1"),
        (6, "content", json!("Nothing to say."), "line 8: no announcement of findings (\"Findings relayed\")"),
        (4, "target_seq", json!(1), "line 5: verified_seq and target_seq differ"),
        (4, "target_seq", Value::Null, "line 5: `verification_result` names no entry"),
        (4, "content", json!("fine"), "line 5: its content is no verification result"),
        (32, "content", json!("anna wins"), "line 33: a conclusion begins with"),
        (2, "seq", json!(u64::MAX), "line 3: seq 18446744073709551615 stands where seq 2 must be"),
        (2, "content", json!("x".repeat(13_000)), "line 3: its content has 13000 bytes"),
        (2, "speaker", json!("stranger"), "line 3: \"stranger\" is no debater of this panel"),
        (2, "round", json!(1), "line 3: it says round 1, and round 0 is held"),
        (8, "round", json!(2), "line 9: it says round 2, and round 1 is held"),
        (7, "content", json!("Round 2 of 2"), "line 8: round 2 is announced after round 0"),
        (2, "timestamp", json!("2026-11-15T10:00:00+02:00"), "line 3: its timestamp is not in UTC"),
        (
            2,
            "sources",
            json!([{"url": "docs/review.md:3", "title": "t", "accessed": "yesterday"}]),
            "line 3: \"yesterday\" is no day",
        ),
        (4, "phase", json!("opening"), "line 5: `verification_result` belongs into phase system"),
        (
            32,
            "content",
            json!("Debate concluded. Outcome: carla_wins. Reason: So."),
            "line 33: \"carla_wins\" is no outcome",
        ),
        (32, "content", json!("Debate concluded. Outcome: draw. Reason: "), "line 33: a conclusion names its reason"),
        (
            32,
            "content",
            json!("Debate concluded. Outcome: draw. Reason: See seq 99."),
            "line 33: it goes against the record: \"See seq 99.\": there is",
        ),
        (
            32,
            "content",
            json!("Debate concluded. Outcome: draw. Reason: Ben fabricated a source."),
            "line 33: it goes against",
        ),
    ] {
        let found = problems(&log, line, field, value.clone());
        assert!(found.iter().any(|problem| problem.starts_with(says)), "{field} = {value}: {found:#?}");
    }
}

/// The lines of a log in which anna's entry was redacted, with one of them changed.
fn struck(change: impl Fn(&mut Vec<Value>)) -> Vec<String> {
    let test = panel(2, |_| ())
        .says("round-1/anna", turn(&[entry("new_point", "Nine of ten teams dropped it. So should we.", GONE)]))
        .says("round-1/audience", json!({"questions": [{"to": "anna", "question": "Who pays?"}]}).to_string())
        .run();
    let log = report::log(test.debate()).expect("a log");
    let mut lines: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).expect("an entry")).collect();
    change(&mut lines);
    for (line, seq) in lines.iter_mut().zip(0_u64..) {
        line["seq"] = json!(seq);
    }
    check_log(&joined(lines.iter())).iter().map(|problem| problem.what.clone()).collect()
}

fn place(lines: &[Value], kind: &str) -> usize {
    lines.iter().position(|line| line["type"] == kind).expect("such a line")
}

#[test]
fn a_log_that_goes_against_its_own_findings_or_order_is_not_sound() {
    assert_eq!(struck(|_| ()), Vec::<String>::new());
    let says =
        |found: Vec<String>, what: &str| assert!(found.iter().any(|problem| problem.contains(what)), "{what}: {found:#?}");
    says(struck(|lines| drop(lines.remove(place(lines, "redaction")))), "the entry was never redacted");
    let denied = "Debate concluded. Outcome: ben_wins. Reason: No fabricated sources were found.";
    says(
        struck(|lines| {
            let at = place(lines, "conclusion");
            lines[at]["content"] = json!(denied);
        }),
        "it goes against the record",
    );
    says(
        struck(|lines| {
            let (struck, last) = (
                lines[place(lines, "redaction")]["target_seq"].clone(),
                lines.iter().rposition(|line| line["type"] == "rebuttal" && line["speaker"] == "ben"),
            );
            lines[last.expect("a rebuttal")]["rebuttal_to_seq"] = struck;
        }),
        "which was redacted",
    );
    says(
        struck(|lines| {
            let at = place(lines, "audience_question");
            lines[at]["content"] = json!("To nobody: Who pays?");
        }),
        "goes to a debater",
    );
    says(
        struck(|lines| {
            let at = place(lines, "closing_statement");
            let (one, other) = (lines[at]["speaker"].clone(), lines[at + 1]["speaker"].clone());
            lines[at]["speaker"] = other;
            lines[at + 1]["speaker"] = one;
        }),
        "is out of order",
    );
    says(
        struck(|lines| {
            let again = lines[place(lines, "redaction")].clone();
            lines.insert(place(lines, "conclusion"), again);
        }),
        "is redacted twice",
    );
    let log = good();
    let told = |line: &str| {
        check_log(&log.replacen(log.lines().nth(2).expect("a line"), line, 1))
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
    };
    let mut opening: Value = serde_json::from_str(log.lines().nth(2).expect("a line")).expect("an entry");
    let row: Vec<Value> = opening.as_object().expect("an object").values().cloned().collect();
    says(told(&json!(row).to_string()), "line 3: no entry");
    opening.as_object_mut().expect("an object").remove("target_seq");
    says(told(&opening.to_string()), "line 3: it has no `target_seq`");
}

#[test]
fn lines_that_are_missing_torn_or_twice_are_named() {
    let log = good();
    let lines: Vec<&str> = log.lines().collect();
    let told = |text: &str| check_log(text).iter().map(ToString::to_string).collect::<Vec<_>>();
    let without = joined(lines.iter().enumerate().filter(|(at, _)| *at != 5).map(|(_, line)| line));
    assert!(told(&without).iter().any(|p| p == "line 6: seq 6 stands where seq 5 must be"), "{:?}", told(&without));
    assert!(told(&without).iter().any(|p| p.starts_with("line 4: no result for its source")), "{:?}", told(&without));
    let torn = &log[..log.len() - 20];
    assert!(told(torn).iter().any(|problem| problem.contains("it may have been cut off")), "{:?}", told(torn));
    assert_eq!(told(""), ["the log is empty"]);
}

#[test]
fn quotes_line_ends_and_orders_to_a_shell_in_what_is_said_are_words_and_nothing_more() {
    let words = "He said \"no\".\nThen: $(rm -rf /) `id` \u{2028} \\ '; -- \r\n{\"seq\": 0}";
    let mut plan = panel(2, |_| ()).debate().plan().clone();
    "Is \"x\"; $(touch /tmp/x) `id`\nsafe?".clone_into(&mut plan.topic);
    let test = of(plan).says("opening/anna", turn(&[entry("opening_statement", words, "docs/review.md:3")])).run();
    let files = report::files(test.debate(), "");
    let log = &files.iter().find(|(name, _)| name == "debate-log.jsonl").expect("the log").1;
    assert_eq!(check_log(log), []);
    let line: Value = serde_json::from_str(log.lines().nth(2).expect("the opening")).expect("an entry");
    assert_eq!(line["content"], json!(words));
}

proptest! {
    #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(5), ..ProptestConfig::default() })]

    #[test]
    fn any_text_can_be_checked(text in "(\\PC|\\n){0,300}") {
        let _ = check_log(&text);
    }
}

//! `check_log` names each line that is wrong.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use rebut_core::formats::panel::check_log;
use rebut_core::report;
use serde_json::{Value, json};

use crate::test_debate::panel::{entry, of, panel, turn};

fn good() -> String {
    let test = panel(2, |_| ()).run();
    report::files(test.debate(), "").into_iter().find(|(name, _)| name == "debate-log.jsonl").expect("the log").1
}

/// Lines as one text.
fn joined(lines: impl Iterator<Item = impl ToString>) -> String {
    let lines: Vec<String> = lines.map(|line| line.to_string()).collect();
    lines.join("\n") + "\n"
}

fn told(text: &str) -> Vec<String> {
    check_log(text).iter().map(ToString::to_string).collect()
}

/// The problems of the log with a field of a line changed.
fn problems(log: &str, line: usize, field: &str, value: Value) -> Vec<String> {
    let mut lines: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).expect("an entry")).collect();
    lines[line][field] = value;
    told(&joined(lines.iter()))
}

#[test]
fn every_kind_of_fault_is_named_with_its_line() {
    let log = good();
    assert_eq!(check_log(&log), []);
    for (line, field, value, says) in [
        (2, "speaker", json!("chair"), "line 3: the chair can't write `opening_statement`"),
        (0, "speaker", json!("anna"), "line 1: \"anna\" can't write `setup`; only the chair can"),
        (2, "speaker", json!("a b"), "line 3: the name \"a b\""),
        (2, "type", json!("speech"), "line 3: not an entry: unknown variant `speech`"),
        (2, "seq", json!(9), "line 3: seq is 9, expected 2"),
        (2, "phase", json!("closing"), "line 3: `opening_statement` does not belong in phase closing"),
        (2, "content", json!(""), "line 3: its content is empty"),
        (2, "timestamp", json!("2020-01-01T00:00:00Z"), "line 3: its timestamp is before"),
        (2, "timestamp", json!("2026-11-15T10:00:00+02:00"), "line 3: its timestamp is not in UTC"),
        (2, "mood", json!("good"), "line 3: not an entry: unknown field `mood`"),
        (2, "sources", json!([]), "line 3: its sources are an empty list"),
        (1, "sources", json!([{"url": "x", "title": "t", "accessed": "d"}]), "line 2: only debaters name sources"),
        (2, "rebuttal_to_seq", json!(1), "line 3: only a rebuttal has rebuttal_to_seq"),
        (8, "rebuttal_to_seq", json!(99), "line 9: rebuttal_to_seq 99 is not an earlier entry"),
        (8, "rebuttal_to_seq", json!(2), "line 9: seq 2 is the speaker's own"),
        (8, "rebuttal_to_seq", json!(1), "line 9: seq 1 is not an argument to rebut"),
        (8, "rebuttal_to_seq", Value::Null, "line 9: a rebuttal names no entry"),
        (8, "target_seq", json!(99), "line 9: target_seq 99 is not an earlier entry"),
        (8, "phase", json!("opening"), "line 9: `rebuttal` does not belong in phase opening"),
        (4, "target_seq", json!(1), "line 5: target_seq 1 is not an entry of a debater"),
        (4, "target_seq", Value::Null, "line 5: `verification_result` names no entry"),
        (4, "phase", json!("opening"), "line 5: `verification_result` does not belong in phase opening"),
        (2, "seq", json!(u64::MAX), "line 3: seq is 18446744073709551615, expected 2"),
        (8, "round", json!(3), "line 9: round 3 comes after round 1"),
        (8, "type", json!("setup"), "line 9: the debate is set up twice"),
        (0, "type", json!("ruling"), "line 1: a log begins with `setup`"),
    ] {
        let found = problems(&log, line, field, value.clone());
        assert!(found.iter().any(|problem| problem.starts_with(says)), "{field} = {value}: {found:#?}");
    }
}

#[test]
fn the_announcement_that_opens_a_round_is_in_phase_rebuttal() {
    let log = good();
    let lines = log.lines().map(|line| serde_json::from_str::<Value>(line).expect("an entry"));
    let rounds: Vec<Value> =
        lines.filter(|line| line["content"].as_str().is_some_and(|c| c.starts_with("Round "))).collect();
    assert_eq!(rounds.len(), 2);
    assert!(rounds.iter().all(|line| line["phase"] == "rebuttal" && line["type"] == "announcement"), "{rounds:?}");
}

/// A log as the templates of the document write it from which this format comes: no rounds, fields without a value left
/// out, results in whatever place they came in, rulings and redactions that name their entries in words.
fn by_the_templates() -> Vec<Value> {
    let chair = |phase: &str, kind: &str, content: &str| json!({"phase": phase, "speaker": "chair", "type": kind, "content": content});
    let said =
        |phase: &str, speaker: &str, kind: &str| json!({"phase": phase, "speaker": speaker, "type": kind, "content": "So."});
    let sources = json!([{"url": "https://example.com/a", "title": "A", "accessed": "2026-02-21"}]);
    let result = |seq: u64, status: &str| {
        let content = json!({"verified_seq": seq, "url": "https://example.com/a", "status": status, "explanation": "Read."});
        json!({"phase": "system", "speaker": "verifier", "type": "verification_result", "content": content.to_string(), "target_seq": seq})
    };
    let mut lines = vec![
        chair("system", "setup", "Debate session initialised. Chair is ready. Debaters: vc, economist"),
        chair("system", "announcement", "All agents confirmed ready. Beginning Phase 1: Opening Statements. Topic: X"),
        said("opening", "vc", "opening_statement"),
        result(2, "fabricated"),
        said("opening", "economist", "opening_statement"),
        chair("system", "announcement", "Phase 1 complete. Opening statements delivered. Proceeding to Phase 2."),
        chair("rebuttal", "announcement", "Round 1 of 8 beginning."),
        chair("system", "redaction", "REDACTED: seq 2 (vc). Reason: no such page. Entry is struck from the record."),
        said("rebuttal", "vc", "new_point"),
        said("rebuttal", "economist", "rebuttal"),
        said("rebuttal", "economist", "rebuttal"),
        result(4, "verified"),
        chair("system", "announcement", "Verifier findings relayed this round: none"),
        chair("system", "audience_question", "For vc: how many?"),
        chair("rebuttal", "announcement", "Round 2 of 8 beginning."),
        chair("system", "ruling", "Ruling on seq 8: the concern is noted."),
        said("rebuttal", "vc", "conjecture"),
        json!({"phase": "system", "speaker": "verifier", "type": "verification_result", "target_seq": 8,
               "content": "Re-confirmed: seq 8, URL https://example.com/a"}),
        said("rebuttal", "economist", "new_point"),
        chair("system", "announcement", "Verifier findings relayed this round: none"),
        chair("system", "announcement", "Pre-Phase-3 review: The following points remain unresolved:\n1. Cost, seq 9"),
        said("closing", "economist", "closing_statement"),
        said("closing", "vc", "closing_statement"),
        chair("system", "announcement", "Phase 3 complete. Closing statements delivered. Proceeding to Phase 4."),
        chair("system", "conclusion", "Debate concluded. Outcome: economist_wins. Reason: Better sources."),
        json!({"phase": "system", "speaker": "audience", "type": "audience_conclusion", "content": "I agree."}),
    ];
    lines[2]["sources"] = sources;
    lines[9]["rebuttal_to_seq"] = json!(8);
    lines[10]["rebuttal_to_seq"] = json!(2);
    lines
}

/// The problems of lines that are numbered anew.
fn numbered(lines: Vec<Value>) -> Vec<String> {
    let numbered = lines.into_iter().zip(0_u64..).map(|(mut line, seq)| {
        line["seq"] = json!(seq);
        line["timestamp"] = json!("2026-02-21T15:15:43Z");
        if line.get("sources").is_none() {
            line["sources"] = Value::Null;
        }
        line
    });
    told(&joined(numbered))
}

#[test]
fn a_log_by_the_templates_is_sound_and_its_order_is_checked_all_the_same() {
    assert_eq!(numbered(by_the_templates()), Vec::<String>::new());
    let changed = |change: &dyn Fn(&mut Vec<Value>)| {
        let mut lines = by_the_templates();
        change(&mut lines);
        numbered(lines)
    };
    let swapped = changed(&|lines| lines.swap(16, 18));
    assert_eq!(swapped, ["line 19: vc speaks out of order: rounds go as the openings did"]);
    let swapped = changed(&|lines| lines.swap(21, 22));
    assert_eq!(swapped, ["line 23: economist speaks out of order: closings go in reverse of the openings"]);
    let twice = changed(&|lines| lines.insert(19, lines[16].clone()));
    assert_eq!(twice[0], "line 20: vc has had its turn");
    let back = changed(&|lines| lines.insert(22, lines[18].clone()));
    assert_eq!(back, ["line 23: phase rebuttal is over"]);
    let late = changed(&|lines| lines.push(lines[18].clone()));
    assert!(late.contains(&"line 27: a debater speaks after the conclusion in line 25".to_owned()), "{late:?}");
    let early = changed(&|lines| lines.swap(24, 25));
    assert_eq!(early, ["line 25: the audience concludes before the chair"]);
}

#[test]
fn lines_that_are_missing_torn_or_twice_are_named() {
    let log = good();
    let lines: Vec<&str> = log.lines().collect();
    let without = joined(lines.iter().enumerate().filter(|(at, _)| *at != 5).map(|(_, line)| line));
    assert!(told(&without).iter().any(|p| p == "line 6: seq is 6, expected 5"), "{:?}", told(&without));
    let torn = &log[..log.len() - 20];
    assert!(told(torn).iter().any(|problem| problem.contains("it may have been cut off")), "{:?}", told(torn));
    assert_eq!(told(""), ["the log is empty"]);
    let row = log.replacen(lines[2], "[1, 2]", 1);
    assert!(told(&row).contains(&"line 3: not an entry: a line is a JSON object".to_owned()), "{:?}", told(&row));
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

//! `check_log` knows what must be announced in a debate, and where findings stand.

use rebut_core::formats::panel::check_log;
use rebut_core::report;
use serde_json::{Value, json};

use crate::test_debate::panel::{GONE, OTHER, challenge, entry, panel, turn};

/// A debate with a challenge that holds, and an unreliable source.
fn log() -> Vec<Value> {
    let point = |url| turn(&[entry("new_point", "Most teams that tried it went back within months. It did not pay.", url)]);
    let test = panel(2, |_| ())
        .says("round-1/anna", point(GONE))
        .says("round-1/ben", turn(&[challenge(8, "Most teams went back.")]))
        .says("round-1/ben/2", turn(&[entry("new_point", "Review also teaches. That counts.", OTHER)]))
        .run();
    let log = report::log(test.debate()).expect("a log");
    assert_eq!(check_log(&log), []);
    log.lines().map(|line| serde_json::from_str(line).expect("an entry")).collect()
}

/// The problems of lines that are numbered anew, with all that refers to them.
fn problems(lines: &[Value]) -> String {
    let seqs: Vec<u64> = lines.iter().filter_map(|line| line["seq"].as_u64()).collect();
    let new = |seq: u64| seqs.iter().position(|known| *known == seq);
    let mut text = String::new();
    for (line, seq) in lines.iter().zip(0_u64..) {
        let mut line = line.clone();
        line["seq"] = json!(seq);
        for field in ["rebuttal_to_seq", "target_seq"] {
            line[field] = line[field].as_u64().map_or(Value::Null, |seq| json!(new(seq)));
        }
        text.push_str(&line.to_string());
        text.push('\n');
    }
    let told: Vec<String> = check_log(&text).iter().map(ToString::to_string).collect();
    told.join("\n")
}

/// The place of the first line whose content begins so, or that is of this type.
fn place(lines: &[Value], begins: &str) -> usize {
    let is = |line: &Value| line["type"] == begins || line["content"].as_str().is_some_and(|text| text.starts_with(begins));
    lines.iter().position(is).expect("such a line")
}

#[test]
fn what_is_announced_wrongly_or_not_at_all_is_named() {
    let changes: [(&str, &str, Value, &str); 12] = [
        (
            "Findings relayed after round 1",
            "content",
            json!("Findings relayed after round 7: none. Verified: 99"),
            "it must say: Findings relayed after round 1: ",
        ),
        ("Round 1", "round", Value::Null, "it names no round, and round 1 is held"),
        ("Ruling on seq 8: the challenge", "round", Value::Null, "it names no round, and round 1 is held"),
        (
            "Ruling on seq 8: the challenge",
            "content",
            json!("Ruling on seq 8: the challenge of ben is dismissed, the source is verified."),
            "it calls the source verified, and it was found fabricated",
        ),
        (
            "Ruling on seq 8: the challenge",
            "content",
            json!(
                "Ruling on seq 8: the challenge of ben holds, the source is fabricated (x). The entry is redacted and ben is penalised."
            ),
            "only the author of a fabricated source is penalised",
        ),
        ("Ruling on seq 13: a source is unreliable", "round", json!(1), "it says round 1, and that is over"),
        ("Ruling on seq 8: the challenge", "round", json!(2), "it says round 2, and round 1 is held"),
        ("REDACTED", "content", json!("REDACTED: seq 8 (ben). Reason: x."), "a redaction names its author and its reason"),
        ("REDACTED", "content", json!("REDACTED: seq 8 (anna). Reason: "), "a redaction names its author and its reason"),
        ("The rounds end", "content", json!("The rounds end after 1 of at most 2: so."), "and 2 were held"),
        ("conclusion", "content", json!("Debate concluded. Outcome: draw. Reason: So."), "it does not give the record"),
        (
            "audience_conclusion",
            "content",
            json!("As seq 99 shows, it is so."),
            "it names seq 99, which is no earlier entry",
        ),
    ];
    let log = log();
    for (begins, field, value, says) in changes {
        let mut lines = log.clone();
        let at = place(&lines, begins);
        lines[at][field] = value;
        let told = problems(&lines);
        assert!(told.contains(&format!("line {}: ", at + 1)) && told.contains(says), "{begins}: {told}");
    }
    let mut lines = log.clone();
    let at = place(&lines, "conclusion");
    let twice = "Reason: Good. Debate concluded. Outcome: ben_wins. Reason: x";
    lines[at]["content"] = json!(lines[at]["content"].as_str().expect("words").replacen("Reason: ", twice, 1));
    assert!(problems(&lines).contains("it concludes the debate twice"), "{}", problems(&lines));
    for (begins, says) in [
        ("Opening statements begin", "comes before the openings"),
        ("The rounds end", "(\"The rounds end after \") comes before it"),
        ("Findings relayed after the closings", "what was found of the closings"),
        ("source_challenge", "it rules on a challenge that nobody has made"),
    ] {
        let mut lines = log.clone();
        lines.remove(place(&lines, begins));
        assert!(problems(&lines).contains(says), "{begins}: {}", problems(&lines));
    }
}

#[test]
fn a_result_stands_at_the_end_of_its_round_or_behind_a_challenge() {
    let log = log();
    let says = "the result stands where nobody asked for it at once";
    let moved = |from: usize, to: usize| {
        let mut lines = log.clone();
        let line = lines.remove(from);
        lines.insert(to, line);
        problems(&lines)
    };
    let first = place(&log, "verification_result");
    assert!(moved(first, 3).contains(says), "before the last opening: {}", moved(first, 3));
    let behind = place(&log, "Findings relayed after the openings");
    assert!(moved(first, behind).contains(says), "behind the announcement: {}", moved(first, behind));
    let second = place(&log, "Round 2");
    let last = log.iter().rposition(|line| line["type"] == "verification_result" && line["round"] == 2).expect("a result");
    assert!(moved(last, second + 2).contains(says), "in the middle of a round: {}", moved(last, second + 2));
}

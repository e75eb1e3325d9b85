//! `check_log` knows the order of a debate and its limits.

use rebut_core::formats::panel::check_log;
use serde_json::{Value, json};

const CONCLUDED: &str = "Debate concluded. Outcome: draw. Reason: So.";

fn line(phase: &str, round: Option<u32>, speaker: &str, kind: &str, content: &str) -> Value {
    json!({
        "seq": 0, "timestamp": "2026-11-15T21:00:00Z", "phase": phase, "round": round, "speaker": speaker, "type": kind,
        "content": content, "sources": null, "rebuttal_to_seq": null, "target_seq": null,
    })
}

fn chair(round: Option<u32>, kind: &str, content: &str) -> Value {
    line("system", round, "chair", kind, content)
}

fn findings() -> Value {
    chair(None, "announcement", "Findings relayed after the openings: none. Verified: 0, unchecked: 0.")
}

/// A guess in the first round.
fn guess(name: &str) -> Value {
    line("rebuttal", Some(1), name, "new_point", "[CONJECTURE] It may be so.")
}

fn about(mut line: Value, seq: u64) -> Value {
    line["target_seq"] = json!(seq);
    line
}

/// The problems of a log that begins well and goes on with these lines.
fn after(lines: Vec<Value>) -> Vec<String> {
    let opening = |name: &str| line("opening", None, name, "opening_statement", "[CONJECTURE] I think so.");
    let mut all = vec![
        chair(None, "setup", "Debate set up. Topic: x Debaters: anna, ben."),
        chair(None, "announcement", "Opening statements begin, in this order: anna, ben."),
        opening("anna"),
        opening("ben"),
        findings(),
        chair(Some(1), "announcement", "Round 1 of 1"),
    ];
    all.extend(lines);
    problems(all)
}

fn problems(lines: Vec<Value>) -> Vec<String> {
    let numbered = lines.into_iter().zip(0_u64..).map(|(mut line, seq)| {
        line["seq"] = json!(seq);
        line.to_string() + "\n"
    });
    check_log(&numbered.collect::<String>()).iter().map(|problem| problem.what.clone()).collect()
}

#[test]
fn turns_come_in_their_order_and_within_their_limits() {
    let sound = after(vec![guess("anna"), guess("ben"), chair(None, "conclusion", CONCLUDED)]);
    assert_eq!(sound, Vec::<String>::new());
    let challenge = || about(line("rebuttal", Some(1), "anna", "source_challenge", "No."), 3);
    let ask = || line("rebuttal", Some(1), "anna", "clarification_request", "Which?");
    let ruling = |seq| about(chair(Some(1), "ruling", "Ruling: so."), seq);
    let concluded = || chair(None, "conclusion", CONCLUDED);
    let audience = || line("system", None, "audience", "audience_conclusion", "Well.");
    let result = json!({
        "verified_seq": 2, "url": "https://example.com/x", "status": "verified", "explanation": "e", "confidence": "high",
    });
    let result = about(line("system", Some(1), "verifier", "verification_result", &result.to_string()), 2);
    let bare = line("rebuttal", Some(1), "anna", "new_point", "It is so.");
    let closing = line("closing", None, "ben", "closing_statement", "It was 77 %.");
    let points = chair(None, "announcement", "Before the closings: no point stays unanswered.");
    for (lines, says) in [
        (vec![guess("ben"), guess("anna")], "anna speaks out of order"),
        (vec![guess("anna"), guess("ben"), guess("anna")], "anna has had its turn in this round"),
        (vec![guess("anna"); 9], "more than 3 entries of anna in a row"),
        (vec![challenge(), challenge()], "somebody speaks on before line 7 is ruled on"),
        (vec![challenge(), ruling(3), challenge(), ruling(3)], "a second `source_challenge` in one turn"),
        (vec![ask(), guess("ben")], "somebody speaks on before line 7 is ruled on"),
        (vec![ask(), concluded()], "it was never ruled on"),
        (vec![chair(Some(2), "announcement", "Round 2 of 1")], "round 2 is announced, and there are 1 at most"),
        (vec![chair(Some(2), "announcement", "Round 2 of 30")], "30 rounds are announced; a panel has from 1 to 20"),
        (vec![audience(), concluded()], "the audience concludes before the chair"),
        (vec![concluded(), audience(), audience()], "the audience concludes twice"),
        (vec![concluded(), ruling(3)], "`ruling` stands after the conclusion"),
        (vec![chair(Some(1), "ruling", "Ruling on seq 77: so.")], "it rules on seq 77, which is no earlier entry"),
        (vec![result], "seq 2 does not cite https://example.com/x"),
        (vec![bare], "no ruling says that an argument names a source or begins with [CONJECTURE]"),
        (vec![points, closing.clone()], "no ruling says that a closing brings in no new figure"),
        (vec![closing], "no announcement of open points"),
    ] {
        let found = after(lines);
        assert!(found.iter().any(|problem| problem.starts_with(says)), "{says}: {found:#?}");
    }
}

#[test]
fn everybody_opens_and_whoever_wins_has_spoken() {
    let setup = chair(None, "setup", "Debate set up. Topic: x Debaters: anna, ben.");
    let opening = line("opening", None, "anna", "opening_statement", "[CONJECTURE] I think so.");
    let round = chair(Some(1), "announcement", "Round 1 of 1");
    let wins = chair(None, "conclusion", "Debate concluded. Outcome: ben_wins. Reason: So.");
    let found = problems(vec![setup.clone(), opening.clone(), round.clone(), guess("anna"), wins]);
    assert!(found.contains(&"ben has not opened, and no ruling says why".to_owned()), "{found:?}");
    assert!(found.contains(&"ben wins, and made no argument that stands".to_owned()), "{found:?}");
    let absent = chair(None, "ruling", "Ruling: ben was asked again and timed out. The debate goes on without this turn.");
    let found = problems(vec![setup, opening, absent, findings(), round, guess("anna")]);
    assert_eq!(found, Vec::<String>::new());
}

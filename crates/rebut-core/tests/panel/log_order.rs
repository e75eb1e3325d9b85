//! `check_log` knows the order of a debate and its limits.

use rebut_core::formats::panel::check_log;
use serde_json::{Value, json};

const CONCLUDED: &str = "Debate concluded. Outcome: draw. Reason: So.\n\
                         On record: verified 0, unreliable 0, fabricated 0, unchecked 0; redactions 0.";

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

/// What was found in the first round, and the end of the rounds.
fn relayed(found: &str) -> Value {
    let text = format!("Findings relayed after round 1: {found}. Verified: 0, unchecked: 0.");
    chair(Some(1), "announcement", &text)
}

fn rounds_end() -> Value {
    chair(None, "announcement", "The rounds end after 1 of at most 1: every round was held.")
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
fn a_turn_that_is_missing_and_a_ruling_that_says_something_else_are_named() {
    let points =
        |text: &str| chair(None, "announcement", &format!("Before the closings these points are unresolved:\n{text}"));
    let missing = after(vec![guess("anna"), relayed("none"), rounds_end(), points("1. It. (seq 2)")]);
    assert_eq!(missing, ["ben had no turn in round 1, and no ruling says why"]);
    let stray = after(vec![guess("anna"), guess("ben"), relayed("none"), rounds_end(), points("1. It. (seq 99)")]);
    assert_eq!(stray, ["it names seq 99, which is no argument that stands"]);
    let many = points("1. a (seq 2)\n2. b (seq 3)\n3. c (seq 2)\n4. d (seq 3)");
    let many = after(vec![guess("anna"), guess("ben"), relayed("none"), rounds_end(), many]);
    assert_eq!(many, ["it announces 4 points, and 3 are the most"]);
    let mut bare = guess("anna");
    bare["content"] = json!("It is so.");
    let rule = "an argument names a source or begins with [CONJECTURE]; this one does neither";
    let ruled = |words: &str| about(chair(Some(1), "ruling", &format!("Ruling on seq 6: {words}.")), 6);
    assert_eq!(after(vec![bare.clone(), ruled(rule), guess("ben")]), Vec::<String>::new());
    assert_eq!(after(vec![bare, ruled("all is well with it"), guess("ben")]), [format!("no ruling says that {rule}")]);
    let left = chair(Some(1), "ruling", "Ruling: anna has failed 2 times in a row and leaves the panel.");
    assert_eq!(after(vec![left, guess("anna"), guess("ben")]), ["anna has left the panel, by a ruling"]);
}

#[test]
fn a_fabrication_is_redacted_before_the_next_round() {
    let mut cites = guess("anna");
    cites["sources"] = json!([{"url": "docs/none.md:7", "title": "t", "accessed": "2026-11-15"}]);
    let found = json!({
        "verified_seq": 6, "url": "docs/none.md:7", "status": "fabricated", "explanation": "no such file", "confidence": "high",
    });
    let result = || about(line("system", Some(1), "verifier", "verification_result", &found.to_string()), 6);
    let redaction = |round: u32, seq: u64| {
        let words = format!("REDACTED: seq {seq} (anna). Reason: fabricated source. The entry is struck from the record.");
        about(chair(Some(round), "redaction", &words), 6)
    };
    let round = || chair(Some(2), "announcement", "Round 2 of 1");
    let at = |lines: Vec<Value>| {
        let mut all = vec![cites.clone(), guess("ben"), result(), relayed("seq 6 fabricated (docs/none.md:7)")];
        all.extend(lines);
        after(all)
    };
    let only = "round 2 is announced, and there are 1 at most";
    assert_eq!(at(vec![redaction(2, 6), round()]), [only]);
    let late = "seq 6 was to be redacted before this round: a source of it is fabricated";
    assert_eq!(at(vec![round(), redaction(2, 6)]), [late, only]);
    assert_eq!(at(vec![redaction(2, 2), round()]), ["its words redact seq 2, and target_seq is 6", only]);
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
    let begin = chair(None, "announcement", "Opening statements begin, in this order: anna, ben.");
    let found = problems(vec![setup, begin, opening, absent, findings(), round, guess("anna")]);
    assert_eq!(found, Vec::<String>::new());
}

//! Answers that nobody would give: a debate comes to an end all the same, and JSON is found or it is not.

use rebut_core::debate::structured::find_json;
use rebut_fakes::noise::{Noise, fuzz};

use crate::TestDebate;

const VERDICT: &str = r#"{"winner": "challenger", "reasoning": "Its measure is the cheaper one.", "decisive": [
    {"ref": "C1", "why": "It is cheaper."}, {"ref": "P1", "why": "No cost."}],
    "quality": {"genuine_disagreement": "high", "evidence_quality": "high", "challenge_depth": "high"},
    "agreements": [], "disagreements": [], "unresolved": [], "recommendation": "Keep REST."}"#;

#[rustfmt::skip]
const PIECES: [&str; 40] = [
    "{", "}", "[", "]", "\"", ":", ",", "```", "```json\n", "\n", " ", "null", "true", "1e999", "-0", "\\", "\\u0000", "\\ud800",
    "\"winner\"", "\"proposer\"", "\"both\"", "\"decisive\"", "\"ref\"", "\"P9.9\"", "\"quality\"", "{}", "[]",
    "{\"claims\": [", "{\"text\": \"x\"}", "{\"file\": \"src/pool.rs\", \"lines\": 3}", "\"concedes\"", "\"evidence\"",
    "src/pool.rs:3 ", "\"attacks\": [\"P1.1\"]", "<<data 0>>", "<<end 0>>", "é", "\u{0}", "\u{202e}", "I cannot help with this.",
];

fn answer(noise: &mut Noise) -> String {
    match noise.below(3) {
        0 => noise.text(&PIECES, 60),
        1 => noise.mixed(VERDICT, &PIECES),
        _ => format!("{}{}{}", noise.text(&PIECES, 10), noise.mixed(VERDICT, &PIECES), noise.text(&PIECES, 10)),
    }
}

#[test]
fn what_is_found_as_json_is_an_object_that_stands_in_the_answer() {
    fuzz(1_000, answer, |text| {
        if let Some(found) = find_json(text) {
            let found: serde_json::Value = serde_json::from_str(found).unwrap_or_default();
            let keys: Vec<&String> = found.as_object().into_iter().flat_map(serde_json::Map::keys).collect();
            // Names that are written with escapes stand there in other letters.
            assert!(text.contains('\\') || keys.iter().all(|key| text.contains(key.as_str())), "{keys:?}");
        }
    });
    for open in ["{", "[", "{\"a\":", "```", "```json\n{", "\"", "{\"a\":[", "}{"] {
        let _ = find_json(&open.repeat(5_000));
    }
}

#[test]
fn a_duel_ends_whatever_is_answered() {
    const KEYS: [&str; 6] = [
        "round-1/proposer",
        "round-1/challenger",
        "round-2/proposer",
        "round-2/challenger",
        "verdict/judge/1",
        "verdict/judge/1",
    ];
    fuzz(
        25,
        |noise| KEYS.map(|_| answer(noise).replace('\u{1}', "")).join("\u{1}"),
        |answers| {
            let files = [("src/pool.rs", "fn pool() {}\n\nfn wait() {}\n")];
            let scripted = KEYS.iter().zip(answers.split('\u{1}'));
            let debate = scripted.fold(TestDebate::about(2, &files), |debate, (key, text)| debate.says(key, text)).run();
            assert!(debate.debate().outcome().is_some());
        },
    );
}

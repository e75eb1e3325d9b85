//! Long answers of one piece over and over: whoever reads them comes to an end. Work that grew with the square of the text
//! would take minutes here, and hours with the longest answers that are taken.

use std::collections::BTreeSet;

use rebut_core::debate::structured::find_json;
use rebut_core::evidence::{Known, Statement, scan};
use rebut_core::report;

use crate::TestDebate;
use crate::test_debate::texts;

/// What has been slow before, or looks as if it could be.
#[rustfmt::skip]
const PIECES: [&str; 20] = [
    "I concede that it is 1. ", "I concede that it is so.\u{a0}", "a.rs:1 b.rs:2 ", "gpt/", "gpt-5 ", "opus ", "alder-", "A's claim, ",
    "Partner A and ", "\u{201c}no end ", "\"a\" ", "`", "{\"a\": ", "{ x } ", "P1.1 is false. ", "a.rs:1|", "a.rs:1,b.rs:2/",
    "43 percent [1]. \n[1]: https://e.org/x\n", "> x();\n> a.rs:1\n", "claim: x\nevidence: a.rs:1\nconcede: \"I concede it.\"\n",
];

fn repeated(piece: &str, bytes: usize) -> String {
    piece.repeat(bytes / piece.len())
}

#[test]
fn statements_and_json_are_read_however_long_they_are() {
    for piece in PIECES {
        for bytes in [16 * 1024, 64 * 1024] {
            let text = repeated(piece, bytes);
            let _ = find_json(&text);
            let known = Known { own: "P", ids: &BTreeSet::new() };
            let _ = Statement::read(&format!("{text}\n```json\n{{\"claims\": [{text}]}}\n```"), known);
            let _ = scan(&text);
        }
    }
}

#[test]
fn a_cross_of_long_answers_comes_to_its_end_and_can_be_told() {
    for piece in PIECES {
        for bytes in [4 * 1024, 16 * 1024] {
            let text = repeated(piece, bytes);
            let block = serde_json::json!({"position": text, "because": [text], "claims": [{"text": text}]});
            let answer = texts::with_block(&text, &block.to_string());
            let debate =
                TestDebate::cross(2, 1, |plan| plan.seats.values_mut().for_each(|seat| seat.family = "openai".into()));
            let debate = debate.says("round-0/partner-1", answer.clone()).says("round-1/partner-1", answer).run();
            assert!(report::document(debate.debate()).contains("## Seats"), "{piece}");
        }
    }
}

#[test]
fn a_verdict_is_read_whatever_it_repeats() {
    for piece in PIECES {
        let mut verdict = texts::verdict();
        verdict["reasoning"] = repeated(piece, 32 * 1024).into();
        let opening = repeated("a.rs:1 is there. ", 4 * 1024);
        let test = TestDebate::about(1, &[("src/pool.rs", "fn pool() {}\n")]).says("round-1/proposer", opening);
        assert!(test.says("verdict/judge/1", verdict.to_string()).run().debate().outcome().is_some(), "{piece}");
    }
}

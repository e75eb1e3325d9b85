//! Structured answers: JSON is found leniently (fences, prose around it) and validated strictly.

use std::ops::Range;

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::Rejection;

/// Reads the answer's JSON value as a `T`. `name` is what the value is, in one word, for the rejection's code.
pub fn read<T: DeserializeOwned>(name: &str, text: &str) -> Result<T, Rejection> {
    let Some(value) = find_json(text) else {
        return Err(Rejection::new(
            format!("{name}:not_json"),
            "the answer holds no complete JSON object; answer with the JSON object alone",
        ));
    };
    serde_json::from_value(value).map_err(|error| {
        Rejection::new(format!("{name}:does_not_fit"), format!("the JSON object does not fit the schema: {error}"))
    })
}

/// The JSON object of an answer: the whole text, else the last fenced block that is one, else the longest object that
/// stands in the prose.
pub fn find_json(text: &str) -> Option<Value> {
    object(text).or_else(|| fenced_blocks(text).into_iter().rev().find_map(object)).or_else(|| longest_object(text))
}

fn object(text: &str) -> Option<Value> {
    serde_json::from_str::<Value>(text.trim()).ok().filter(Value::is_object)
}

/// The insides of Markdown fences; one that is not closed ends with the text.
fn fenced_blocks(text: &str) -> Vec<&str> {
    let mut blocks = Vec::new();
    let mut rest = text;
    while let Some(open) = rest.find("```") {
        let after = &rest[open + 3..];
        let Some(line_end) = after.find('\n') else { break };
        let inside = &after[line_end + 1..];
        let end = inside.find("```").unwrap_or(inside.len());
        blocks.push(&inside[..end]);
        rest = inside.get(end + 3..).unwrap_or_default();
    }
    blocks
}

/// The longest object that begins at some brace. After an object, the search goes on behind it, so that the time is
/// linear in texts that hold JSON; a text of nothing but open braces is given up after a bounded number of tries.
fn longest_object(text: &str) -> Option<Value> {
    const MOST_TRIES: usize = 200;
    let mut longest: Option<(usize, Value)> = None;
    let mut from = 0;
    for _ in 0..MOST_TRIES {
        let Some(open) = text[from..].find('{') else { break };
        let start = from + open;
        let mut stream = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Value>();
        match stream.next() {
            Some(Ok(value)) if value.is_object() => {
                let length = stream.byte_offset();
                if longest.as_ref().is_none_or(|(longest, _)| length > *longest) {
                    longest = Some((length, value));
                }
                from = start + length;
            }
            _ => from = start + 1,
        }
    }
    longest.map(|(_, value)| value)
}

/// Every JSON object that stands in a text and in no other one, each with the bytes that it takes. A text of nothing but
/// braces is given up after a bounded number of tries.
pub fn find_all_json(text: &str) -> Vec<(Range<usize>, Value)> {
    const MOST_FAILED_TRIES: usize = 500;
    let (mut found, mut failed, mut from) = (Vec::new(), 0, 0);
    while let Some(open) = text[from..].find('{').filter(|_| failed < MOST_FAILED_TRIES) {
        let start = from + open;
        let mut stream = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Value>();
        if let Some(Ok(value)) = stream.next() {
            from = start + stream.byte_offset();
            found.push((start..from, value));
        } else {
            failed += 1;
            from = start + 1;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;
    use serde_json::json;

    use super::*;

    #[test]
    fn json_is_found_bare_fenced_and_in_prose() {
        let expected = Some(json!({"a": 1}));
        for text in [
            "{\"a\": 1}",
            "  {\"a\": 1}\n",
            "Here it is:\n```json\n{\"a\": 1}\n```\nDone.",
            "```\n{\"a\": 1}\n```",
            "```json\n{\"a\": 1}",
            "I weighed {both} sides. {\"a\": 1} That is all.",
            "An example was {}, the answer is {\"a\": 1}.",
        ] {
            assert_eq!(find_json(text), expected, "{text}");
        }
    }

    #[test]
    fn the_last_fenced_object_is_the_answer() {
        assert_eq!(find_json("```json\n{\"draft\": true}\n```\nBetter:\n```json\n{\"a\": 1}\n```"), Some(json!({"a": 1})));
    }

    #[test]
    fn every_object_is_found_once_and_none_within_another() {
        let text = "I saw `{\"a\": {\"b\": 1}}` and {this}.\n```json\n{\"c\": 2}\n```";
        let found: Vec<(&str, Value)> = find_all_json(text).into_iter().map(|(at, value)| (&text[at], value)).collect();
        assert_eq!(found, [("{\"a\": {\"b\": 1}}", json!({"a": {"b": 1}})), ("{\"c\": 2}", json!({"c": 2}))]);
        assert!(find_all_json(&"{\"".repeat(10_000)).is_empty());
    }

    #[test]
    fn what_is_no_object_is_none() {
        for text in ["", "no", "[1,2]", "{\"a\": ", "{{{{{{{{", "```json\n```"] {
            assert_eq!(find_json(text), None, "{text}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(0x3fa9), ..ProptestConfig::default() })]

        #[test]
        fn finding_never_panics(text in "\\PC*|[{}\\[\\]\"`\\n:,a1 ]{0,300}") {
            let _ = find_json(&text);
        }

        #[test]
        fn an_object_is_found_in_any_prose_without_braces(before in "[^{}`]{0,80}", after in "[^{}`]{0,80}", n in any::<i64>()) {
            let value = json!({"n": n, "s": "a \"quoted\" } brace"});
            prop_assert_eq!(find_json(&format!("{before}{value}{after}")), Some(value));
        }
    }
}

//! Structured answers: JSON is found leniently (fences, prose around it) and validated strictly.

use std::ops::Range;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::Value;

use super::Rejection;
use crate::evidence::fences;

/// The JSON Schema of `T` in the plain form that every tool and service takes: claude looks up the dialect that `$schema`
/// names and fails, others complain about formats such as `uint64`, and the name of a Rust type tells a model nothing.
pub fn schema<T: JsonSchema>() -> Value {
    let plain = RecursiveTransform(|schema: &mut schemars::Schema| {
        for keyword in ["title", "format"] {
            schema.remove(keyword);
        }
    });
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.meta_schema = None).with_transform(plain);
    settings.into_generator().into_root_schema_for::<T>().to_value()
}

/// Reads the answer's JSON object as a `T`. `name` is what the object is, in one word, for the rejection's code.
pub fn read<T: DeserializeOwned>(name: &str, text: &str) -> Result<T, Rejection> {
    let Some(json) = find_json(text) else {
        let reason = "the answer holds no complete JSON object; answer with the JSON object alone";
        return Err(Rejection::new(format!("{name}:not_json"), reason));
    };
    serde_json::from_str(json).map_err(|error| {
        Rejection::new(format!("{name}:does_not_fit"), format!("the JSON object does not fit the schema: {error}"))
    })
}

/// The JSON object of an answer: the whole text, else the last fenced block that is one, else the longest object in the
/// prose.
pub fn find_json(text: &str) -> Option<&str> {
    let fenced = || fences(text).into_iter().rev().find_map(|fence| object(&text[fence.inside]));
    let longest = || objects(text).into_iter().rev().max_by_key(ExactSizeIterator::len).map(|range| &text[range]);
    object(text).or_else(fenced).or_else(longest)
}

fn object(text: &str) -> Option<&str> {
    let text = text.trim();
    (text.starts_with('{') && serde_json::from_str::<IgnoredAny>(text).is_ok()).then_some(text)
}

/// Every JSON object of a text that is in no other one. A brace that begins none costs what was read after it: braces of prose
/// and code cost next to nothing, and once all of them together have cost several times the text, the search is given up.
fn objects(text: &str) -> Vec<Range<usize>> {
    const MOST_READ: usize = 8;
    let (mut found, mut in_vain, mut from) = (Vec::new(), 0, 0);
    while let Some(open) = text[from..].find('{').filter(|_| in_vain <= MOST_READ * text.len()) {
        let start = from + open;
        let mut stream = serde_json::Deserializer::from_str(&text[start..]).into_iter::<IgnoredAny>();
        from = start + 1;
        match stream.next() {
            Some(Ok(_)) => {
                from = start + stream.byte_offset();
                found.push(start..from);
            }
            Some(Err(error)) => in_vain += read_until(&text[start..], &error),
            None => {}
        }
    }
    found
}

/// How many bytes were read before this error, at most.
fn read_until(text: &str, error: &serde_json::Error) -> usize {
    let before: usize = text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    before + error.column()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_schema_is_plain_and_keeps_properties_of_any_name() {
        #[derive(JsonSchema)]
        #[expect(dead_code, reason = "only its schema is looked at")]
        struct Page {
            title: String,
            lines: Vec<Line>,
        }
        #[derive(JsonSchema)]
        #[expect(dead_code, reason = "only its schema is looked at")]
        struct Line {
            number: u64,
        }
        let line = json!({ "type": "object", "properties": { "number": { "type": "integer", "minimum": 0 } },
            "required": ["number"] });
        let expected = json!({
            "type": "object", "required": ["title", "lines"], "$defs": { "Line": line },
            "properties": {
                "title": { "type": "string" }, "lines": { "type": "array", "items": { "$ref": "#/$defs/Line" } },
            },
        });
        assert_eq!(schema::<Page>(), expected);
    }

    fn found(text: &str) -> Option<Value> {
        find_json(text).map(|json| serde_json::from_str(json).unwrap())
    }

    #[test]
    fn json_is_found_bare_fenced_and_in_prose() {
        for text in [
            "  {\"a\": 1}\n",
            "Here it is:\n```json\n{\"a\": 1}\n```\nDone.",
            "```json\n{\"a\": 1}",
            "I weighed {both} sides. {\"a\": 1} That is all.",
            "An example was {}, the answer is {\"a\": 1}.",
            "```json\n{\"draft\": true}\n```\nBetter:\n```json\n{\"a\": 1}\n```",
            &format!("{}\n{{\"a\": 1}}", "fn f() {\n    if x { y(); }\n}\n{\"a\": x} ".repeat(1_000)),
        ] {
            assert_eq!(found(text), Some(json!({"a": 1})), "{text}");
        }
        for text in ["", "no", "[1,2]", "{\"a\": ", "{{{{{{{{", "```json\n```"] {
            assert_eq!(found(text), None, "{text}");
        }
        let text = "I saw `{\"a\": {\"b\": 1}}` and {this} {\"c\": 2}";
        let all: Vec<&str> = objects(text).into_iter().map(|range| &text[range]).collect();
        assert_eq!(all, ["{\"a\": {\"b\": 1}}", "{\"c\": 2}"]);
    }

    /// With every brace read to the end of the text, these would not end.
    #[test]
    fn braces_that_all_begin_something_long_are_given_up() {
        for piece in ["{\"a\":", "{\"a\":[1,2,3,4],\n\"b\":", "[{\"", "{"] {
            let _ = find_json(&piece.repeat(100_000 / piece.len()));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(0x3fa9), ..ProptestConfig::default() })]

        #[test]
        fn an_object_is_found_in_any_prose_without_braces(before in "[^{}`~]{0,80}", after in "[^{}`~]{0,80}", n in any::<i64>()) {
            let value = json!({"n": n, "s": "a \"quoted\" } brace"});
            prop_assert_eq!(found(&format!("{before}{value}{after}")), Some(value));
        }
    }
}

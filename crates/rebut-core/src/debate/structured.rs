//! Structured answers: JSON is found leniently (fences, prose around it) and validated strictly.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use serde::Deserializer;
use serde::de::{DeserializeOwned, DeserializeSeed, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use super::Rejection;

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

/// Reads the answer's JSON value as a `T`. `name` is what the value is, in one word, for the rejection's code.
pub fn read<T: DeserializeOwned>(name: &str, text: &str) -> Result<T, Rejection> {
    let Some((json, _)) = find(text) else {
        return Err(Rejection::new(
            format!("{name}:not_json"),
            "the answer holds no complete JSON object; answer with the JSON object alone",
        ));
    };
    // Read from the text: a key that is given twice is an error there, and the last one wins in a value.
    serde_json::from_str(json.trim()).map_err(|error| {
        Rejection::new(format!("{name}:does_not_fit"), format!("the JSON object does not fit the schema: {error}"))
    })
}

/// The JSON object of an answer: the whole text, else the last fenced block that is one, else the longest object that
/// stands in the prose.
pub fn find_json(text: &str) -> Option<Value> {
    find(text).map(|(_, value)| value)
}

pub fn find_text(text: &str) -> Option<&str> {
    find(text).map(|(json, _)| json)
}

fn find(text: &str) -> Option<(&str, Value)> {
    object(text).or_else(|| fenced_blocks(text).into_iter().rev().find_map(object)).or_else(|| longest_object(text))
}

fn object(text: &str) -> Option<(&str, Value)> {
    let value = serde_json::from_str::<Value>(text.trim()).ok().filter(Value::is_object)?;
    Some((text, value))
}

/// Refuses JSON in which a key stands twice in one object. Readers of JSON take the last and drop the first without a word,
/// which may be the finding or the ruling that matters.
pub fn said_once(name: &str, json: &str) -> Result<(), Rejection> {
    let doubled_key = RefCell::new(None);
    let mut from = serde_json::Deserializer::from_str(json.trim());
    // What is no JSON at all is refused where it is read.
    let _ = Keys(&doubled_key).deserialize(&mut from);
    match doubled_key.into_inner() {
        None => Ok(()),
        Some(key) => Err(doubled(name, &key)),
    }
}

/// The refusal of a key that stands twice.
pub fn doubled(name: &str, key: &str) -> Rejection {
    const LONGEST: usize = 40;
    let key: String = key.chars().take(LONGEST).collect();
    let reason = format!("the key {key:?} occurs twice in one object");
    Rejection::new(format!("{name}:doubled_key"), reason)
}

/// Walks through JSON and notes the first key that stands twice in its object.
#[derive(Clone, Copy)]
struct Keys<'a>(&'a RefCell<Option<String>>);

impl<'de> DeserializeSeed<'de> for Keys<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Keys<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<(), A::Error> {
        while values.next_element_seed(self)?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        let mut seen = BTreeSet::new();
        while let Some(key) = entries.next_key::<String>()? {
            if seen.contains(&key) {
                self.0.borrow_mut().get_or_insert(key);
            } else {
                seen.insert(key);
            }
            entries.next_value_seed(self)?;
        }
        Ok(())
    }
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

/// The longest object that stands in a text; of equal ones the first.
fn longest_object(text: &str) -> Option<(&str, Value)> {
    let longest = find_all_json(text).into_iter().rev().max_by_key(|(range, _)| range.len());
    longest.map(|(range, value)| (&text[range], value))
}

/// Every JSON object that stands in a text and in no other one, each with the bytes that it takes. After an object the
/// search goes on behind it, so that the time is linear in texts that hold JSON. A brace that begins none costs what was
/// read behind it: braces of prose and code cost next to nothing, and once all of them together have cost several times
/// the text, the search is given up.
pub fn find_all_json(text: &str) -> Vec<(Range<usize>, Value)> {
    const MOST_READ: usize = 8;
    let (mut found, mut in_vain, mut from) = (Vec::new(), 0, 0);
    while let Some(open) = text[from..].find('{').filter(|_| in_vain <= MOST_READ * text.len()) {
        let start = from + open;
        let mut stream = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Value>();
        match stream.next() {
            Some(Ok(value)) => {
                from = start + stream.byte_offset();
                found.push((start..from, value));
            }
            Some(Err(error)) => {
                in_vain += read_until(&text[start..], &error);
                from = start + 1;
            }
            None => from = start + 1,
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

    #[test]
    fn an_object_is_found_behind_any_number_of_braces() {
        for prose in ["a {b} c ", "fn f() {\n    if x { y(); }\n}\n", "{\"a\": x} "] {
            let text = format!("{}\n{{\"a\": 1}}", prose.repeat(2_000));
            assert_eq!(find_json(&text), Some(json!({"a": 1})), "{prose}");
        }
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

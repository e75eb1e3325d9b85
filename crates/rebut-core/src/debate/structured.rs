//! Structured answers: JSON is found leniently (fences, prose around it) and validated strictly.

use std::ops::Range;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use serde::Serialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::{Value, json};

use super::Rejection;
use crate::evidence::fences;

/// The JSON Schema of `T` in the plain form that every tool and service takes: claude looks up the dialect that `$schema`
/// names and fails, others complain about formats such as `uint64`, and the name of a Rust type means nothing to a model.
pub fn schema<T: JsonSchema>() -> Value {
    let plain = RecursiveTransform(|schema: &mut schemars::Schema| {
        for keyword in ["title", "format"] {
            schema.remove(keyword);
        }
    });
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.meta_schema = None).with_transform(plain);
    settings.into_generator().into_root_schema_for::<T>().to_value()
}

/// The same with other values at these places, such as the ids that can be named.
pub fn schema_with<T: JsonSchema>(changes: impl IntoIterator<Item = (&'static str, Value)>) -> Value {
    let mut schema = schema::<T>();
    for (pointer, value) in changes {
        let place = schema.pointer_mut(pointer);
        debug_assert!(place.is_some(), "the schema has no {pointer}");
        if let Some(place) = place {
            *place = value;
        }
    }
    schema
}

/// The schema of one of these values, all of them a `kind`: `string`, `integer`.
pub fn one_of(kind: &str, values: impl Serialize) -> Value {
    json!({ "type": kind, "enum": values })
}

/// Reads the answer's JSON object as a `T` that keeps to the limits of its schema. What a list has too many of is left out.
pub fn read_within<T: DeserializeOwned>(name: &str, schema: &Value, text: &str) -> Result<T, Rejection> {
    // Its type first: a value would keep only the last of two fields with one name.
    let _: T = read(name, text)?;
    let mut value: Value = read(name, text)?;
    let does_not_fit = |reason: String| Rejection::new(format!("{name}:does_not_fit"), reason);
    if let Some(reason) = misfit(schema, schema, &mut value, name) {
        return Err(does_not_fit(reason));
    }
    serde_json::from_value(value).map_err(|error| does_not_fit(format!("the JSON object does not fit the schema: {error}")))
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

/// Which limit of its schema a value breaks, of those that types don't state: names to choose from, the least length of a
/// list, and texts that must not be empty.
fn misfit(root: &Value, schema: &Value, value: &mut Value, place: &str) -> Option<String> {
    let schema = match schema["$ref"].as_str() {
        Some(reference) => root.pointer(reference.trim_start_matches('#'))?,
        None => schema,
    };
    if let Some(known) = schema["enum"].as_array().filter(|known| !known.contains(value)) {
        let known: Vec<String> = known.iter().map(ToString::to_string).collect();
        return Some(format!("{place} is {value}; use one of {}", known.join(", ")));
    }
    match value {
        Value::String(text) => {
            let must_not_be_empty = schema["minLength"].is_u64();
            (must_not_be_empty && text.trim().is_empty()).then(|| format!("{place} is empty"))
        }
        Value::Array(items) => {
            let limit = |name: &str| schema[name].as_u64().and_then(|limit| usize::try_from(limit).ok());
            items.truncate(limit("maxItems").unwrap_or(usize::MAX));
            if let Some(least) = limit("minItems").filter(|least| items.len() < *least) {
                return Some(format!("{place} has {} items; give at least {least}", items.len()));
            }
            let item =
                |(item, number): (&mut Value, usize)| misfit(root, &schema["items"], item, &format!("{place}[{number}]"));
            items.iter_mut().zip(1..).find_map(item)
        }
        Value::Object(fields) => {
            let properties = &schema["properties"];
            let field = |(name, field): (&String, &mut Value)| {
                misfit(root, &properties[name.as_str()], field, &format!("{place}.{name}"))
            };
            fields.iter_mut().find_map(field)
        }
        _ => None,
    }
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

    use super::*;

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

//! Answers constrained to a JSON Schema, by a model with random weights.

use proptest::prelude::*;
use rebut_model::{GenerateOptions, Message, ModelError, Sampling, Stop};
use serde_json::{Map, Value, json};

use crate::tiny;

fn options(schema: &Value, seed: u64, max_tokens: usize) -> GenerateOptions {
    let sampling = Sampling { temperature: 1.5, top_k: 0, top_p: 1.0, min_p: 0.0, repetition_penalty: 1.0 };
    GenerateOptions { max_tokens, seed, sampling, schema: Some(schema.clone()) }
}

/// Whether a value fits a schema of the few keywords that these tests use.
fn fits(schema: &Value, value: &Value) -> bool {
    if let Some(all) = schema["enum"].as_array() {
        return all.contains(value);
    }
    let at_least = |key: &str, count: usize| schema[key].as_u64().is_none_or(|least| count as u64 >= least);
    let at_most = |key: &str, count: usize| schema[key].as_u64().is_none_or(|most| count as u64 <= most);
    match schema["type"].as_str().expect("a type") {
        "string" => value.as_str().is_some_and(|text| {
            let count = text.chars().count();
            at_least("minLength", count) && at_most("maxLength", count)
        }),
        "integer" => value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|number| number.fract() == 0.0),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "array" => value.as_array().is_some_and(|all| {
            at_least("minItems", all.len())
                && at_most("maxItems", all.len())
                && all.iter().all(|one| fits(&schema["items"], one))
        }),
        "object" => value.as_object().is_some_and(|all| {
            let required = schema["required"].as_array().expect("a list");
            let known = schema["properties"].as_object().expect("properties");
            required.iter().all(|name| all.contains_key(name.as_str().expect("a name")))
                && all.iter().all(|(name, value)| known.get(name).is_some_and(|schema| fits(schema, value)))
        }),
        other => panic!("{other}"),
    }
}

fn schemas() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!({"type": "string"})),
        (0u64..30).prop_map(|least| json!({"type": "string", "minLength": least})),
        (0u64..10, 0u64..10)
            .prop_map(|(least, more)| json!({"type": "string", "minLength": least, "maxLength": least + more})),
        Just(json!({"type": "integer"})),
        Just(json!({"type": "number"})),
        Just(json!({"type": "boolean"})),
        Just(json!({"type": "null"})),
        Just(json!({"enum": ["keep", "change", "a \"quoted\" one", 7, null]})),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            (inner.clone(), 0u64..3).prop_map(|(items, least)| json!({"type": "array", "items": items, "minItems": least})),
            proptest::collection::vec((inner, any::<bool>()), 1..4).prop_map(|parts| {
                let mut properties = Map::new();
                let mut required = Vec::new();
                for (at, (schema, needed)) in parts.into_iter().enumerate() {
                    let name = format!("{}{at}", ["reason", "the answer", "größe"][at % 3]);
                    if needed {
                        required.push(json!(name));
                    }
                    properties.insert(name, schema);
                }
                json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
            }),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn whatever_the_schema_and_the_limit_the_answer_fits_both(schema in schemas(), seed in 0u64..1000, max in 1usize..160) {
        thread_local!(static MODEL: std::sync::Arc<rebut_model::Model> = tiny());
        let model = MODEL.with(std::sync::Arc::clone);
        match model.session().chat(&[Message::user("Rule.")], &options(&schema, seed, max), &|| false, &mut |_| {}) {
            Ok(reply) => {
                prop_assert!(reply.answer_tokens <= max, "{} of {max}", reply.answer_tokens);
                let value: Value = serde_json::from_str(&reply.text).expect(&reply.text);
                prop_assert!(fits(&schema, &value), "{schema}\n{}", reply.text);
            }
            Err(ModelError::SchemaNeedsMore { needed, max_tokens }) => {
                prop_assert!(needed > max && max_tokens == max);
            }
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
fn an_unlimited_string_is_closed_in_time() {
    let schema = json!({
        "type": "object",
        "properties": {"reason": {"type": "string"}, "ruling": {"enum": ["keep", "change"]}},
        "required": ["reason", "ruling"],
    });
    let model = tiny();
    let reply = model
        .session()
        .chat(&[Message::user("Rule.")], &options(&schema, 5, 60), &|| false, &mut |_| {})
        .expect("an answer");
    let value: Value = serde_json::from_str(&reply.text).expect(&reply.text);
    assert!(value["reason"].is_string() && (value["ruling"] == "keep" || value["ruling"] == "change"), "{value}");
    assert!(reply.answer_tokens <= 60);
}

#[test]
fn recursive_schemas_come_to_an_end() {
    let schema = json!({
        "$ref": "#/$defs/claim",
        "$defs": {"claim": {
            "type": "object",
            "properties": {"text": {"type": "string"}, "under": {"type": "array", "items": {"$ref": "#/$defs/claim"}}},
            "required": ["text", "under"],
            "additionalProperties": false,
        }},
    });
    let model = tiny();
    for seed in 0..5 {
        let reply = model
            .session()
            .chat(&[Message::user("Rule.")], &options(&schema, seed, 120), &|| false, &mut |_| {})
            .expect("an answer");
        let value: Value = serde_json::from_str(&reply.text).expect(&reply.text);
        assert!(value["text"].is_string() && value["under"].is_array());
    }
}

#[test]
fn invalid_schemas_and_too_few_tokens_are_errors() {
    let model = tiny();
    let ask = |schema: Value, max| {
        model
            .session()
            .chat(&[Message::user("Rule.")], &options(&schema, 1, max), &|| false, &mut |_| {})
            .expect_err("this must be refused")
    };
    assert!(matches!(ask(json!({"type": "unicorn"}), 50), ModelError::Schema { .. }));
    assert!(matches!(ask(json!({"$ref": "#/$defs/missing"}), 50), ModelError::Schema { .. }));
    let long = json!({"type": "string", "minLength": 100});
    let error = ask(long, 10);
    assert!(matches!(error, ModelError::SchemaNeedsMore { needed, max_tokens: 10 } if needed > 10), "{error}");
}

#[test]
fn a_cancelled_answer_stops_in_the_middle() {
    let model = tiny();
    let count = std::cell::Cell::new(0);
    let reply = model
        .session()
        .chat(
            &[Message::user("Rule.")],
            &options(&json!({"type": "string", "minLength": 30}), 1, 100),
            &|| count.get() > 4,
            &mut |_| count.set(count.get() + 1),
        )
        .expect("a part");
    assert_eq!(reply.stop, Stop::Cancelled);
}

//! A JSON Schema as each API takes it. What is left out of it is still asked for in the prompt, and checked on arrival.

use serde_json::{Map, Value};

/// The schema in the words that every API takes: with its references put in their places, and a choice between constants as
/// the list of them.
///
/// OpenAI takes neither `oneOf` nor keywords beside a `$ref`; the others take what is left too.
pub(super) fn plain(schema: &Value) -> Value {
    let definitions = schema["$defs"].as_object().cloned().unwrap_or_default();
    let mut open = Vec::new();
    let mut whole = inlined(schema, &definitions, &mut open);
    if let Value::Object(top) = &mut whole {
        // What refers to itself cannot be put in its place, and still needs its definition.
        if !refers(&Value::Object(top.iter().filter(|(name, _)| *name != "$defs").map(own).collect())) {
            top.remove("$defs");
        }
    }
    each_schema(&whole, &|schema| {
        if let Some(constants) = schema.get("oneOf").and_then(constants) {
            schema.remove("oneOf");
            schema.insert("type".to_owned(), "string".into());
            schema.insert("enum".to_owned(), constants);
        }
    })
}

/// The schema as OpenAI's `strict` takes it: with no keyword that it refuses, whatever is lost by that.
///
/// <https://developers.openai.com/api/docs/guides/structured-outputs>, "Supported schemas".
pub(super) fn strict(schema: &Value) -> Value {
    #[rustfmt::skip]
    const TAKEN: [&str; 18] = [
        "type", "properties", "required", "additionalProperties", "items", "enum", "const", "anyOf", "$ref", "$defs",
        "description", "pattern", "minItems", "maxItems", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
    ];
    each_schema(&plain(schema), &|schema| schema.retain(|name, _| TAKEN.contains(&name.as_str())))
}

/// The schema with its references replaced by what they refer to. `open`: the definitions being inserted.
fn inlined(value: &Value, definitions: &Map<String, Value>, open: &mut Vec<String>) -> Value {
    match value {
        Value::Object(schema) => {
            let name = schema.get("$ref").and_then(Value::as_str).and_then(|place| place.strip_prefix("#/$defs/"));
            if let Some((name, definition)) = name.and_then(|name| Some((name, definitions.get(name)?)))
                && !open.iter().any(|known| known == name)
            {
                open.push(name.to_owned());
                let mut put = inlined(definition, definitions, open);
                open.pop();
                // Keywords beside the reference hold for this place, and count more.
                if let Value::Object(put) = &mut put {
                    put.extend(schema.iter().filter(|(name, _)| *name != "$ref").map(own));
                }
                return put;
            }
            schema.iter().map(|(name, inner)| (name.clone(), inlined(inner, definitions, open))).collect()
        }
        Value::Array(parts) => parts.iter().map(|part| inlined(part, definitions, open)).collect(),
        other => other.clone(),
    }
}

fn own((name, value): (&String, &Value)) -> (String, Value) {
    (name.clone(), value.clone())
}

fn refers(value: &Value) -> bool {
    match value {
        Value::Object(schema) => schema.get("$ref").is_some_and(Value::is_string) || schema.values().any(refers),
        Value::Array(parts) => parts.iter().any(refers),
        _ => false,
    }
}

/// The texts of a choice in which every option is one: `[{ "const": "a" }, …]`, with or without a description.
fn constants(options: &Value) -> Option<Value> {
    options.as_array()?.iter().map(|option| option.get("const").filter(|text| text.is_string()).cloned()).collect()
}

/// The schema without bounds on lengths, which Anthropic refuses.
///
/// <https://platform.claude.com/docs/en/build-with-claude/structured-outputs>, "JSON Schema limitations": `minItems` may
/// be 0 or 1, `maxItems`, `minLength`, `maxLength`, `minimum` and `maximum` may not be there.
pub(super) fn without_bounds(schema: &Value) -> Value {
    const BOUNDS: [&str; 7] =
        ["maxItems", "minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"];
    each_schema(&plain(schema), &|schema| {
        schema.retain(|name, value| !BOUNDS.contains(&name.as_str()) && (name != "minItems" || value.as_u64() < Some(2)));
    })
}

/// Whether every object of the schema names all of its properties as required and takes no others: what OpenAI's
/// `strict` asks for.
///
/// <https://developers.openai.com/api/docs/guides/structured-outputs>, "Supported schemas".
pub(super) fn is_strict(schema: &Value) -> bool {
    let strict = std::cell::Cell::new(true);
    each_schema(schema, &|schema| {
        let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return };
        let required = schema.get("required").and_then(Value::as_array);
        let all = properties.keys().all(|name| required.is_some_and(|names| names.iter().any(|known| known == name)));
        strict.set(strict.get() && all && schema.get("additionalProperties") == Some(&Value::Bool(false)));
    });
    strict.get()
}

/// Changes every schema within a schema. The names of properties are no keywords, and are passed over.
fn each_schema(value: &Value, change: &dyn Fn(&mut Map<String, Value>)) -> Value {
    match value {
        Value::Object(schema) => {
            let mut schema = schema.clone();
            change(&mut schema);
            for (name, inner) in &mut schema {
                match (name.as_str(), &mut *inner) {
                    ("properties" | "$defs" | "definitions", Value::Object(named)) => {
                        named.iter_mut().for_each(|(_, inner)| *inner = each_schema(inner, change));
                    }
                    ("enum" | "const" | "required" | "default" | "examples", _) => {}
                    _ => *inner = each_schema(inner, change),
                }
            }
            Value::Object(schema)
        }
        Value::Array(parts) => parts.iter().map(|part| each_schema(part, change)).collect(),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn sample() -> Value {
        json!({
            "type": "object", "additionalProperties": false,
            "required": ["list", "maxItems"],
            "properties": {
                "list": { "type": "array", "minItems": 2, "maxItems": 3, "items": { "$ref": "#/$defs/a" } },
                "maxItems": { "type": "string", "enum": ["maxItems"], "minLength": 1 },
            },
            "$defs": { "a": {
                "type": "object", "additionalProperties": false, "required": ["n"],
                "properties": { "n": { "type": "integer", "minimum": 0, "minItems": 1 } },
            } },
        })
    }

    #[test]
    fn references_are_replaced_and_a_choice_of_constants_is_a_list() {
        let schema = json!({
            "properties": {
                "side": { "$ref": "#/$defs/Side", "description": "who wins" },
                "tree": { "$ref": "#/$defs/Tree" },
            },
            "$defs": {
                "Side": { "description": "a side", "oneOf": [{ "const": "a", "type": "string" }, { "const": "b" }] },
                "Tree": { "properties": { "inner": { "$ref": "#/$defs/Tree" } } },
            },
        });
        let plain = plain(&schema);
        let side = json!({ "description": "who wins", "type": "string", "enum": ["a", "b"] });
        assert_eq!(plain["properties"]["side"], side);
        assert_eq!(plain["properties"]["tree"]["properties"]["inner"], json!({ "$ref": "#/$defs/Tree" }));
        assert!(plain["$defs"]["Tree"].is_object(), "what refers to itself keeps its definition");
        let mixed = json!({ "oneOf": [{ "const": "a" }, { "type": "integer" }] });
        assert_eq!(super::plain(&mixed), mixed);
    }

    #[test]
    fn a_schema_is_strict_where_every_object_of_it_is() {
        assert!(is_strict(&sample()));
        let mut open = sample();
        open["$defs"]["a"]["additionalProperties"] = json!(true);
        assert!(!is_strict(&open));
        let mut optional = sample();
        optional["$defs"]["a"]["required"] = json!([]);
        assert!(!is_strict(&optional));
    }
}

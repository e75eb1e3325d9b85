//! A JSON Schema as each API takes it. What is left out of it is still asked for in the prompt, and checked on arrival.

use serde_json::{Map, Value};

/// The schema without what stands only for people and tools.
pub(super) fn plain(schema: &Value) -> Value {
    let mut schema = schema.clone();
    if let Value::Object(top) = &mut schema {
        top.remove("$schema");
        top.remove("title");
    }
    schema
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
            "$schema": "x", "title": "Verdict", "type": "object", "additionalProperties": false,
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
    fn bounds_are_left_out_and_properties_of_their_names_are_not() {
        let expected = json!({
            "type": "object", "additionalProperties": false, "required": ["list", "maxItems"],
            "properties": {
                "list": { "type": "array", "items": { "$ref": "#/$defs/a" } },
                "maxItems": { "type": "string", "enum": ["maxItems"] },
            },
            "$defs": { "a": {
                "type": "object", "additionalProperties": false, "required": ["n"],
                "properties": { "n": { "type": "integer", "minItems": 1 } },
            } },
        });
        assert_eq!(without_bounds(&sample()), expected);
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

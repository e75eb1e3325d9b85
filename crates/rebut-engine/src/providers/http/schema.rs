//! A JSON Schema as each API takes it. What is left out of it is still asked for in the prompt, and checked on arrival.

use serde_json::{Map, Value};

/// The schema in the words that every API takes: with its references put in their places, and a choice between constants as
/// the list of them.
///
/// OpenAI takes neither `oneOf` nor keywords beside a `$ref`; the others take what is left too.
pub(super) fn plain(schema: &Value) -> Value {
    each_schema(&inlined(schema, &schema["$defs"]), &|schema| {
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

/// The schema with its references replaced by what they refer to. None of ours refers to itself.
fn inlined(value: &Value, definitions: &Value) -> Value {
    match value {
        Value::Object(schema) => {
            let name = schema.get("$ref").and_then(Value::as_str).and_then(|place| place.strip_prefix("#/$defs/"));
            let referred = name.map(|name| inlined(&definitions[name], definitions));
            let mut whole = referred.as_ref().and_then(Value::as_object).cloned().unwrap_or_default();
            let own = schema.iter().filter(|(name, _)| !["$ref", "$defs"].contains(&name.as_str()));
            whole.extend(own.map(|(name, inner)| (name.clone(), inlined(inner, definitions))));
            Value::Object(whole)
        }
        Value::Array(parts) => parts.iter().map(|part| inlined(part, definitions)).collect(),
        other => other.clone(),
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

    #[test]
    fn a_schema_is_strict_where_every_object_of_it_is() {
        let sample = |additional: Value, required: Value| {
            let inner = json!({ "type": "object", "additionalProperties": additional, "required": required,
                "properties": { "n": { "type": "integer" } } });
            json!({ "type": "object", "additionalProperties": false, "required": ["list"],
                "properties": { "list": { "type": "array", "items": { "$ref": "#/$defs/a" } } }, "$defs": { "a": inner } })
        };
        assert!(is_strict(&sample(json!(false), json!(["n"]))));
        assert!(!is_strict(&sample(json!(true), json!(["n"]))));
        assert!(!is_strict(&sample(json!(false), json!([]))));
    }
}

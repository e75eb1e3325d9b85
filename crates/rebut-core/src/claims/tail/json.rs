//! A list of claims that is written as JSON.

use serde_json::Value;

/// The lines of a list that begins with a value of JSON which has claims, in the form that is taught, and what stands behind
/// it.
pub(super) fn lines_of(text: &str) -> Option<(String, &str)> {
    let text = text.trim_start();
    let fenced = text.strip_prefix("```").and_then(|text| text.split_once('\n')).map(|(_, inner)| inner);
    let inner = fenced.unwrap_or(text).trim_start();
    if !inner.starts_with(['[', '{']) {
        return None;
    }
    let mut values = serde_json::Deserializer::from_str(inner).into_iter::<Value>();
    let value = values.next()?.ok()?;
    let behind = inner[values.byte_offset()..].trim_start();
    let behind = if fenced.is_some() { behind.trim_start_matches('`') } else { behind };
    let mut lines = Vec::new();
    // What the list has no form for stays to be read as it was written.
    let whole = tell(&value, &mut lines);
    (!lines.is_empty()).then(|| (lines.join("\n"), if whole { behind } else { text }))
}

/// The items of a value: of an object with a claim or a concession its fields, of others those of what they hold. Gives whether
/// they are all that it says.
fn tell(value: &Value, lines: &mut Vec<String>) -> bool {
    match value {
        Value::Array(values) => every(values, |value| tell(value, lines)),
        Value::Object(fields) => {
            // The claim comes first, wherever it stands.
            let is_claim = |(name, value): &(&String, &Value)| key(name) == Some("claim") && value.is_string();
            let (claims, others): (Vec<_>, Vec<_>) = fields.iter().partition(is_claim);
            every(claims.into_iter().chain(others), |(name, value)| field(name, value, lines))
        }
        _ => false,
    }
}

/// The word of the list that a field stands for.
fn key(name: &str) -> Option<&'static str> {
    match name.to_lowercase().as_str() {
        "claim" | "text" | "statement" => Some("claim"),
        "evidence" | "citations" | "sources" => Some("evidence"),
        "attacks" => Some("attacks"),
        "concede" => Some("concede"),
        _ => None,
    }
}

fn field(name: &str, value: &Value, lines: &mut Vec<String>) -> bool {
    if let ("claims" | "concessions", Value::Array(_) | Value::Object(_)) = (name, value) {
        return tell(value, lines);
    }
    let Some(key) = key(name) else { return false };
    let values = match value {
        Value::Array(values) if key != "claim" => values.as_slice(),
        value => std::slice::from_ref(value),
    };
    every(values, |value| {
        let told = match value {
            Value::String(text) => Some(text.replace('\n', " ")),
            Value::Object(_) if key == "evidence" => place(value),
            _ => None,
        };
        let taken = told.is_some();
        lines.extend(told.map(|told| format!("{key}: {told}")));
        taken
    })
}

/// Does this for all of them, and gives whether it was done for each.
fn every<T>(all: impl IntoIterator<Item = T>, mut each: impl FnMut(T) -> bool) -> bool {
    let mut done = true;
    for one in all {
        done &= each(one);
    }
    done
}

/// `{"file": "src/a.rs", "line": 3, "quote": "words"}` as the list has it. None where something else is said.
fn place(value: &Value) -> Option<String> {
    let (mut path, mut lines, mut quote) = (None, None, None);
    for (name, value) in value.as_object()? {
        let told = match value {
            Value::String(text) => text.replace('\n', " "),
            Value::Number(number) => number.to_string(),
            _ => return None,
        };
        match name.to_lowercase().as_str() {
            "file" | "path" => path = Some(told),
            "line" | "lines" => lines = Some(told),
            "quote" | "words" => quote = Some(told),
            _ => return None,
        }
    }
    let lines = lines.map(|lines| format!(":{lines}")).unwrap_or_default();
    let quote = quote.map(|quote| format!(" \"{quote}\"")).unwrap_or_default();
    Some(format!("{}{lines}{quote}", path?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evidence_in_objects_is_evidence_and_what_has_no_form_stays() {
        let text = r#"[{"text": "a", "evidence": [{"file": "src/a.rs", "line": 3, "quote": "x y"}]}] So."#;
        assert_eq!(lines_of(text), Some(("claim: a\nevidence: src/a.rs:3 \"x y\"".to_owned(), "So.")));
        for text in [
            r#"[{"claim": "a", "confidence": 0.9}] So."#,
            r#"{"claim": "a", "evidence": {"file": "src/a.rs", "from": 3}} So."#,
        ] {
            assert_eq!(lines_of(text), Some(("claim: a".to_owned(), text)));
        }
    }

    #[test]
    fn a_list_in_json_has_the_items_of_the_list() {
        let told = "claim: a\nevidence: src/a.rs:1\nevidence: src/b.rs:2\nattacks: P1.1";
        for text in [
            r#"[{"claim": "a", "evidence": ["src/a.rs:1", "src/b.rs:2"], "attacks": "P1.1"}] So."#,
            r#"{"claims": [{"evidence": ["src/a.rs:1", "src/b.rs:2"], "attacks": ["P1.1"], "claim": "a"}]} So."#,
            "```json\n{\"claim\": \"a\", \"evidence\": [\"src/a.rs:1\", \"src/b.rs:2\"], \"attacks\": \"P1.1\"}\n```\nSo.",
        ] {
            let (lines, behind) = lines_of(text).expect(text);
            let sorted = |text: &str| {
                let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
                lines.sort();
                lines
            };
            assert_eq!(sorted(&lines), sorted(told), "{text}");
            assert!(lines.starts_with("claim: a"), "{text}");
            assert_eq!(behind.trim(), "So.", "{text}");
        }
        for text in ["claim: a", "[P1.1] claim: a", "{}", "[1, 2]", "{\"claim\": 3}", "[x](y)"] {
            assert!(lines_of(text).is_none(), "{text}");
        }
    }
}

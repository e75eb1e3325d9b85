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
    tell(&value, &mut lines);
    (!lines.is_empty()).then(|| (lines.join("\n"), behind))
}

/// The items of a value: of an object with a claim or a concession its fields, of others those of what they hold.
fn tell(value: &Value, lines: &mut Vec<String>) {
    match value {
        Value::Array(values) => values.iter().for_each(|value| tell(value, lines)),
        Value::Object(fields) => {
            // The claim comes first, wherever it stands.
            let is_claim = |(name, value): &(&String, &Value)| name.eq_ignore_ascii_case("claim") && value.is_string();
            let (claims, others): (Vec<_>, Vec<_>) = fields.iter().partition(is_claim);
            for (name, value) in claims.into_iter().chain(others) {
                match (name.to_lowercase().as_str(), value) {
                    ("claim" | "evidence" | "attacks" | "concede", Value::String(text)) => {
                        lines.push(format!("{}: {}", name.to_lowercase(), text.replace('\n', " ")));
                    }
                    ("evidence" | "attacks" | "concede", Value::Array(texts)) => {
                        let texts = texts.iter().filter_map(Value::as_str);
                        lines.extend(texts.map(|text| format!("{}: {}", name.to_lowercase(), text.replace('\n', " "))));
                    }
                    ("claims" | "concessions", inner) => tell(inner, lines),
                    _ => {}
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

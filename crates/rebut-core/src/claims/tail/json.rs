//! A list of claims that is written as JSON.

use serde_json::{Map, Value, json};

use super::super::ClaimId;
use super::super::citation::{Place, find};

/// What a list says that is written as JSON.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Listed<'a> {
    /// Its items in the form that is taught; below the line of an item may stand a block.
    pub(super) items: Vec<String>,
    /// The words that are no items. What calls them so, and what is no words, says nothing that could be looked up.
    pub(super) prose: Vec<String>,
    /// What stands behind it.
    pub(super) behind: &'a str,
}

/// Reads a list that begins with a value of JSON which has items.
pub(super) fn listed(text: &str) -> Option<Listed<'_>> {
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
    let mut listed = Listed { behind, ..Listed::default() };
    listed.tell(&value);
    (!listed.items.is_empty()).then_some(listed)
}

/// What a field of a claim is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Key {
    Claim,
    Evidence,
    Attacks,
    Concede,
    Id,
}

impl Key {
    fn of(name: &str) -> Option<Self> {
        match name.to_lowercase().as_str() {
            "claim" | "text" | "statement" => Some(Self::Claim),
            "evidence" | "citations" | "sources" => Some(Self::Evidence),
            "attacks" => Some(Self::Attacks),
            "concede" => Some(Self::Concede),
            "id" => Some(Self::Id),
            _ => None,
        }
    }
}

impl Listed<'_> {
    fn tell(&mut self, value: &Value) {
        match value {
            Value::Array(values) => values.iter().for_each(|value| self.tell(value)),
            Value::Object(fields) => self.object(fields),
            Value::String(text) => self.say(text),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// The items of an object. A claim comes first, wherever it stands, and a place beside it is its evidence.
    fn object(&mut self, fields: &Map<String, Value>) {
        let is_text = |name: &str, value: &Value| Key::of(name) == Some(Key::Claim) && value.is_string();
        let (claims, others): (Vec<_>, Vec<_>) = fields.iter().partition(|(name, value)| is_text(name, value));
        let id = fields.iter().find(|(name, _)| Key::of(name) == Some(Key::Id)).and_then(|(_, id)| id.as_str());
        let id = id.and_then(ClaimId::read).map(|id| format!(" {id}")).unwrap_or_default();
        let texts = claims.iter().filter_map(|(_, text)| text.as_str());
        self.items.extend(texts.map(|text| format!("claim{id}: {}", in_one_line(text))));
        let (place, others) = place(Place::default(), others);
        self.place(place, !claims.is_empty());
        for (name, value) in others {
            match Key::of(name) {
                _ if Place::is_proposed(name) => self.proposed(name, value),
                None if is_place(name, value) => self.at(name, value, !claims.is_empty()),
                Some(Key::Evidence) => self.evidence(value),
                Some(Key::Attacks) => self.each("attacks", value),
                Some(Key::Concede) => self.each("concede", value),
                Some(Key::Claim | Key::Id) | None => self.tell(value),
            }
        }
    }

    fn evidence(&mut self, value: &Value) {
        match value {
            Value::Array(values) => values.iter().for_each(|value| self.evidence(value)),
            Value::Object(fields) => {
                let (place, others) = place(Place::default(), fields.iter());
                self.place(place, true);
                for (name, value) in others {
                    if Place::is_proposed(name) {
                        self.proposed(name, value);
                    } else if is_place(name, value) {
                        self.at(name, value, true);
                    } else {
                        self.tell(value);
                    }
                }
            }
            value => self.each("evidence", value),
        }
    }

    /// A place that is the name of a field: the value tells its lines, what stands there, or something of it.
    fn at(&mut self, name: &str, value: &Value, is_evidence: bool) {
        let mut known = Place::default();
        known.takes("path", &Value::from(name));
        match value {
            value if has_claims(value) => {
                self.prose.push(name.to_owned());
                self.tell(value);
            }
            Value::Object(fields) => {
                let (place, others) = place(known, fields.iter());
                self.place(place, is_evidence);
                for (name, value) in others {
                    if Place::is_proposed(name) { self.proposed(name, value) } else { self.tell(value) }
                }
            }
            Value::Array(values) if !values.is_empty() && !values.iter().all(is_lines) => {
                for value in values {
                    self.at(name, value, is_evidence);
                }
            }
            Value::String(words) if !is_lines(value) => {
                let line = format!("{name}: {}", in_one_line(words));
                if is_evidence { self.items.push(format!("evidence: {line}")) } else { self.prose.push(line) }
            }
            Value::Array(values) => {
                for value in values {
                    known.takes("lines", value);
                }
                self.place(known, is_evidence);
            }
            value => {
                known.takes("lines", value);
                self.place(known, is_evidence);
            }
        }
    }

    /// What somebody would write is said in its own form, in which nothing of it is looked up. Claims are none of it.
    fn proposed(&mut self, name: &str, value: &Value) {
        if has_claims(value) {
            self.tell(value);
        } else if !value.is_null() {
            self.prose.push(json!({ name: value }).to_string());
        }
    }

    /// An item of this key for each string.
    fn each(&mut self, key: &str, value: &Value) {
        match value {
            Value::String(text) => self.items.push(format!("{key}: {}", in_one_line(text))),
            Value::Array(values) => values.iter().for_each(|value| self.each(key, value)),
            value => self.tell(value),
        }
    }

    fn place(&mut self, place: Place, is_evidence: bool) {
        match place.evidence() {
            Some(lines) if is_evidence => self.items.extend(lines.iter().map(|line| format!("evidence: {line}"))),
            Some(lines) => self.prose.extend(lines),
            None => place.into_words().for_each(|words| self.say(&words)),
        }
    }

    /// Words that are no item: one alone is a mark of the list, such as an id or how grave something is.
    fn say(&mut self, text: &str) {
        // No fence is opened by what is only told.
        let text = in_one_line(text.trim_start_matches(['`', '~', ' ', '\n']));
        let is_mark = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
        if !text.chars().all(is_mark) && ClaimId::read(&text).is_none() {
            self.prose.push(text);
        }
    }
}

/// Whether the name of a field is a place, as it would be one in a sentence; a bare name of a file is one where lines follow.
fn is_place(name: &str, value: &Value) -> bool {
    let is_found = |place: &str| !find(place).is_empty();
    let is_word = !name.contains(char::is_whitespace);
    is_word && (is_found(name) || (name.contains('.') && is_lines(value) && is_found(&format!("{name}:1"))))
}

/// Whether a value is the number of a line, or several: `5`, `"L5-9"`.
fn is_lines(value: &Value) -> bool {
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, 'L' | '-' | '\u{2013}' | ',' | ' ');
    value.is_u64()
        || value.as_str().is_some_and(|told| told.contains(|c: char| c.is_ascii_digit()) && told.chars().all(is_part))
}

/// Whether a claim stands somewhere in it.
fn has_claims(value: &Value) -> bool {
    match value {
        Value::Array(values) => values.iter().any(has_claims),
        Value::Object(fields) => fields.iter().any(|(name, value)| {
            let is_claim = name.eq_ignore_ascii_case("claim") && value.is_string();
            is_claim || has_claims(value)
        }),
        _ => false,
    }
}

fn in_one_line(text: &str) -> String {
    text.replace('\n', " ")
}

/// The place that fields tell, and those of them that say something else.
fn place<'a>(
    mut place: Place,
    fields: impl IntoIterator<Item = (&'a String, &'a Value)>,
) -> (Place, Vec<(&'a String, &'a Value)>) {
    let mut fields: Vec<_> = fields.into_iter().collect();
    fields.sort_by_key(|(name, _)| Place::is_last(name));
    let mut others = Vec::new();
    for (name, value) in fields {
        let is_taken = match value {
            Value::Array(values) if values.iter().all(|value| value.is_string() || value.is_u64()) => {
                values.iter().fold(!values.is_empty(), |all, value| place.takes(name, value) && all)
            }
            value => place.takes(name, value),
        };
        if !is_taken {
            others.push((name, value));
        }
    }
    (place, others)
}

#[cfg(test)]
mod tests {
    use super::super::super::citation::find_in_evidence;
    use super::*;

    fn told(text: &str) -> (String, String) {
        let listed = listed(text).expect(text);
        assert_eq!(listed.behind.trim(), "So.", "{text}");
        (listed.items.join("\n"), listed.prose.join("\n"))
    }

    #[test]
    fn evidence_in_objects_is_evidence() {
        for (object, line) in [
            (r#"{"file": "src/a.rs", "line": 3, "quote": "x y"}"#, "src/a.rs:3 \"x y\""),
            (r#"{"file": "src/a.rs", "lines": [3, 8]}"#, "src/a.rs:3-8"),
            (r#"{"file": "src/a.rs", "line": 3, "quote": null}"#, "src/a.rs:3"),
            (r#"{"type": "file", "path": "src/a.rs", "start_line": 3, "end_line": 8}"#, "src/a.rs:3-8"),
            (r#"{"path": "src/a.rs", "line": 3, "code": "f(\"x\")"}"#, "src/a.rs:3\n```\nf(\"x\")\n```"),
            (r#"{"commit": "1a2b3c4", "file": "src/a.rs"}"#, "commit 1a2b3c4 src/a.rs"),
        ] {
            let text = format!(r#"[{{"text": "a", "evidence": [{object}]}}] So."#);
            assert_eq!(told(&text), (format!("claim: a\nevidence: {line}"), String::new()), "{text}");
        }
        // A claim may have its place beside it.
        let text = r#"[{"file": "src/a.rs", "line": 3, "claim": "a"}] So."#;
        assert_eq!(told(text).0, "claim: a\nevidence: src/a.rs:3");
    }

    #[test]
    fn a_field_without_a_form_is_words_and_takes_nothing_from_the_others() {
        for (field, words) in [
            (r#""confidence": 0.9"#, ""),
            (r#""severity": "high""#, ""),
            (r#""attacks": null"#, ""),
            (r#""is_sure": true"#, ""),
            (r#""why": "it waits, see src/b.rs:9""#, "it waits, see src/b.rs:9"),
            (r#""notes": ["one is", {"deep": "and\nanother"}]"#, "one is\nand another"),
            (r#""why": "```rust x""#, "rust x"),
            (r#""seen": {"file": "src/b.rs", "line": 9}"#, "src/b.rs:9"),
            (r#""concede": {"quote": "it is slow"}"#, "it is slow"),
        ] {
            let text = format!(r#"[{{{field}, "claim": "a", "evidence": ["src/a.rs:1"]}}] So."#);
            assert_eq!(told(&text), ("claim: a\nevidence: src/a.rs:1".to_owned(), words.to_owned()), "{text}");
        }
        let text = r#"{"claim": "a", "evidence": {"file": "src/a.rs", "line": 3, "why": "it is there"}} So."#;
        assert_eq!(told(text), ("claim: a\nevidence: src/a.rs:3".to_owned(), "it is there".to_owned()));
        let text = r#"{"claim": "a", "evidence": {"location": "src/a.rs:3"}} So."#;
        assert_eq!(told(text), ("claim: a\nevidence: src/a.rs:3".to_owned(), String::new()));
        let text = r#"{"id": "P1.2", "claim": "a", "evidence": null} So."#;
        assert_eq!(told(text), ("claim P1.2: a".to_owned(), String::new()));
    }

    #[test]
    fn a_place_may_be_the_name_of_a_field() {
        for (object, lines) in [
            (r#"{"src/a.rs": "5-9"}"#, "evidence: src/a.rs:5-9"),
            (r#"{"src/a.rs": 5}"#, "evidence: src/a.rs:5"),
            (r#"{"main.rs": "5-9"}"#, "evidence: main.rs:5-9"),
            (r#"{"src/a.rs": [5, 9]}"#, "evidence: src/a.rs:5-9"),
            (r#"{"src/a.rs": null}"#, "evidence: src/a.rs"),
            (r#"{"src/a.rs:5": "PORT"}"#, "evidence: src/a.rs:5: PORT"),
            (r#"{"src/a.rs": ["x(1);", "y(2);"]}"#, "evidence: src/a.rs: x(1);\nevidence: src/a.rs: y(2);"),
            (r#"{"src/a.rs": {"line": 5, "quote": "x(1);"}}"#, "evidence: src/a.rs:5 \"x(1);\""),
        ] {
            for text in [
                format!(r#"[{{"claim": "a", "evidence": {object}}}] So."#),
                format!(r#"[{{"claim": "a", "evidence": [{object}]}}] So."#),
                format!(r#"[{{"claim": "a", {}] So."#, &object[1..]),
            ] {
                assert_eq!(told(&text), (format!("claim: a\n{lines}"), String::new()), "{text}");
            }
        }
        let text = r#"{"src/a.rs": [{"claim": "a"}], "and/or": "so it is"} So."#;
        assert_eq!(told(text), ("claim: a".to_owned(), "src/a.rs\nso it is".to_owned()));
        // What is only told of a place is looked up as it would be in a line of evidence.
        assert_eq!(find_in_evidence("src/a.rs: PORT").len(), 1);
    }

    #[test]
    fn what_somebody_would_write_stays_in_its_form() {
        for (field, prose) in [
            (
                r#""suggested_fix": {"file": "src/a.rs", "line": 3, "code": "x(1);"}"#,
                r#"{"suggested_fix":{"file":"src/a.rs","line":3,"code":"x(1);"}}"#,
            ),
            (r#""fix": "add\nsrc/b.rs""#, r#"{"fix":"add\nsrc/b.rs"}"#),
            (r#""patch": null"#, ""),
        ] {
            let text = format!(r#"[{{"claim": "a", {field}, "evidence": [{{"file": "src/a.rs", {field}}}]}}] So."#);
            let twice = format!("{prose}\n{prose}");
            assert_eq!(told(&text), ("claim: a\nevidence: src/a.rs".to_owned(), twice.trim().to_owned()), "{text}");
            assert!(find(prose).is_empty(), "{prose}");
        }
        let text = r#"{"proposal": {"claims": [{"claim": "a", "evidence": "src/a.rs:3"}]}} So."#;
        assert_eq!(told(text), ("claim: a\nevidence: src/a.rs:3".to_owned(), String::new()));
    }

    #[test]
    fn capitals_are_letters_like_others() {
        let text = r#"{"Claims": [{"ID": "P1.1", "Claim": "a", "Evidence": [{"File": "src/a.rs", "Line": 3}]}]} So."#;
        assert_eq!(told(text).0, "claim P1.1: a\nevidence: src/a.rs:3");
        assert_eq!(told(r#"{"Concessions": [{"Concede": "C1.1 it is so"}]} So."#).0, "concede: C1.1 it is so");
    }

    #[test]
    fn a_list_in_json_has_the_items_of_the_list() {
        let told = "claim: a\nevidence: src/a.rs:1\nevidence: src/b.rs:2\nattacks: P1.1";
        for text in [
            r#"[{"claim": "a", "evidence": ["src/a.rs:1", "src/b.rs:2"], "attacks": "P1.1"}] So."#,
            r#"{"claims": [{"evidence": ["src/a.rs:1", "src/b.rs:2"], "attacks": ["P1.1"], "claim": "a"}]} So."#,
            "```json\n{\"claim\": \"a\", \"evidence\": [\"src/a.rs:1\", \"src/b.rs:2\"], \"attacks\": \"P1.1\"}\n```\nSo.",
        ] {
            let listed = listed(text).expect(text);
            let sorted = |lines: &[String]| {
                let mut lines = lines.to_vec();
                lines.sort();
                lines
            };
            assert_eq!(sorted(&listed.items), sorted(&told.lines().map(str::to_owned).collect::<Vec<_>>()), "{text}");
            assert!(listed.items[0].starts_with("claim: a"), "{text}");
            assert_eq!(listed.behind.trim(), "So.", "{text}");
        }
        for text in ["claim: a", "[P1.1] claim: a", "{}", "[1, 2]", "{\"claim\": 3}", "[x](y)"] {
            assert!(listed(text).is_none(), "{text}");
        }
    }
}

//! Structured answers: the stand-in model writes an instance of whatever JSON Schema it is given.
//!
//! It knows no format of rebut. What a schema leaves open it takes from the question, as a model would: how many words to
//! write. Facts about the workspace are given to it ([`Known`]).

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::api::list;

/// What the model knows, by the name of the field it goes into: a place to cite under `url`, a patch under `diff`.
pub(super) type Known = BTreeMap<String, Value>;

/// The answer to a question that specifies its form; `None` if it asks for plain text.
pub(super) fn answer(question: &str, known: &Known) -> Option<String> {
    if let Some(schema) = schema_in(question) {
        return Some(instance(&schema, question, known).to_string());
    }
    if let Some(marker) = marker_in(question) {
        return Some(format!("<<{marker}>>\n{}\n<<end {marker}>>", sentence(0)));
    }
    let patch = known.get("diff").and_then(Value::as_str).filter(|_| question.contains("```diff"))?;
    Some(format!("```diff\n{patch}\n```"))
}

pub(super) fn instance(schema: &Value, question: &str, known: &Known) -> Value {
    let mut writer = Writer { root: schema, question, known, words: 0, texts: 0 };
    let short = writer.value(schema, "", None);
    let Some((least, most)) = words_in(question).filter(|_| writer.texts > 0) else { return short };
    let words = usize::midpoint(least, most) / writer.texts;
    Writer { words, texts: 0, ..writer }.value(schema, "", None)
}

/// The last fenced block of the question that is an object's schema.
fn schema_in(question: &str) -> Option<Value> {
    let blocks = question.split("```json\n").skip(1).filter_map(|rest| rest.split("\n```").next());
    let schemas = blocks.filter_map(|block| serde_json::from_str::<Value>(block).ok());
    schemas.filter(|schema| schema["type"] == "object" && schema["properties"].is_object()).last()
}

fn marker_in(question: &str) -> Option<&str> {
    let lines: Vec<&str> = question.lines().collect();
    lines.windows(2).rev().find_map(|pair| {
        let marker = pair[0].strip_prefix("<<")?.strip_suffix(">>")?;
        (pair[1] == format!("<<end {marker}>>")).then_some(marker)
    })
}

/// How many words are asked for: `In 200 to 400 words`.
fn words_in(question: &str) -> Option<(usize, usize)> {
    let words: Vec<&str> = question.split_whitespace().collect();
    let range = |four: &[&str]| match four {
        [least, "to", most, unit] if unit.starts_with("words") => Some((least.parse().ok()?, most.parse().ok()?)),
        _ => None,
    };
    words.windows(4).rev().find_map(range)
}

/// A sentence without figures, different for each number. It says nothing, and repeats no phrase: gemini stops a model that
/// repeats itself.
fn sentence(number: usize) -> String {
    const WORDS: [&str; 24] = [
        "amber", "basin", "copper", "delta", "ember", "field", "glass", "harbour", "island", "jade", "kettle", "lantern",
        "meadow", "needle", "orchard", "pebble", "quarry", "river", "saddle", "timber", "umber", "valley", "willow", "zinc",
    ];
    let mut state = number;
    let mut word = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223) % (1 << 31);
        WORDS[(state >> 16) % WORDS.len()]
    };
    let words: Vec<&str> = (0..8).map(|_| word()).collect();
    format!("The {} is {}.", words[0], words[1..].join(" "))
}

struct Writer<'a> {
    root: &'a Value,
    question: &'a str,
    known: &'a Known,
    /// Minimum words per text.
    words: usize,
    texts: usize,
}

impl Writer<'_> {
    /// A value for the property `name`, in an entry about `about`.
    fn value(&mut self, schema: &Value, name: &str, about: Option<&str>) -> Value {
        let schema = &self.resolved(schema);
        if let Some(fact) = self.known.get(name).filter(|_| has_type(schema, "string")) {
            return fact.clone();
        }
        if let Some(constant) = schema.get("const") {
            return constant.clone();
        }
        if let Some(choice) = self.choice(&values(schema)) {
            return choice.clone();
        }
        if is_nullable(schema) {
            return Value::Null;
        }
        if let Some(option) = ["oneOf", "anyOf"].iter().find_map(|choice| schema[*choice].get(0)) {
            return self.value(option, name, about);
        }
        match schema["type"].as_str() {
            Some("object") => self.object(schema, about),
            Some("array") => self.array(schema, name, about),
            Some("boolean") => json!(self.known.get(name) != Some(&json!("false"))),
            Some("integer" | "number") => json!(schema["minimum"].as_u64().unwrap_or(1)),
            _ => json!(self.text(schema, name)),
        }
    }

    /// The side that spoke first, under whichever label it is shown; otherwise the first option.
    fn choice<'o>(&self, options: &'o [Value]) -> Option<&'o Value> {
        let place = |option: &&Value| self.question.find(&format!(", Side {}>>", option.as_str()?));
        options.iter().min_by_key(|option| place(option).unwrap_or(usize::MAX))
    }

    fn object(&mut self, schema: &Value, about: Option<&str>) -> Value {
        let properties = schema["properties"].as_object().cloned().unwrap_or_default();
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        let mut object = Map::new();
        for (name, property) in &properties {
            let resolved = self.resolved(property);
            let is_open = is_nullable(&resolved) && !self.known.contains_key(name);
            if required.iter().any(|known| known == name) || !is_open {
                object.insert(name.clone(), self.value(property, name, about));
            }
        }
        Value::Object(object)
    }

    /// A list: one entry for each thing its entries can be about, otherwise as few as allowed, but at least one.
    fn array(&mut self, schema: &Value, name: &str, about: Option<&str>) -> Value {
        let limit = |keyword: &str| schema[keyword].as_u64().and_then(|limit| usize::try_from(limit).ok());
        let (least, most) = (limit("minItems").unwrap_or(1).max(1), limit("maxItems").unwrap_or(usize::MAX));
        let items = self.resolved(&schema["items"]);
        let own = values(&items);
        if !own.is_empty() {
            return own.into_iter().take(most).collect();
        }
        let Some((subject, subjects)) = self.subjects(&items, about) else {
            return (0..least.min(most)).map(|_| self.value(&items, name, about)).collect();
        };
        let count = subjects.len().max(least).min(most);
        let entries = subjects.iter().cycle().take(count).map(|of| {
            let words = of.as_str().map_or_else(|| of.to_string(), str::to_owned);
            let mut entry = self.value(&items, name, Some(&words));
            entry[&subject] = of.clone();
            entry
        });
        entries.collect()
    }

    /// The property that says what an entry is about, and its values; if the question ties some of them to the enclosing
    /// entry (`seq 7, anna, …`), only those. A `type` or `kind` says what an entry is, not what it is about.
    fn subjects(&self, items: &Value, about: Option<&str>) -> Option<(String, Vec<Value>)> {
        let properties = items["properties"].as_object()?;
        let candidates = properties.iter().map(|(name, property)| (name, values(&self.resolved(property))));
        let (name, all) = candidates.into_iter().find(|(_, values)| !values.is_empty())?;
        if matches!(name.as_str(), "type" | "kind") {
            return None;
        }
        let begins = |value: &Value| about.map(|about| format!("{name} {value}, {about},"));
        let of_entry = |value: &&Value| begins(value).is_some_and(|begins| self.question.contains(&begins));
        let own: Vec<Value> = all.iter().filter(of_entry).cloned().collect();
        Some((name.clone(), if own.is_empty() { all } else { own }))
    }

    fn text(&mut self, schema: &Value, name: &str) -> String {
        if name == "name" {
            return format!("name-{}", char::from(b'a' + u8::try_from(self.texts % 26).unwrap_or(0)));
        }
        let mut text = sentence(self.texts);
        if name != "title" {
            self.texts += 1;
            while text.split_whitespace().count() < self.words {
                text = format!("{text} {}", sentence(100 * self.texts + text.len()));
            }
        }
        match schema["maxLength"].as_u64().and_then(|most| usize::try_from(most).ok()) {
            Some(most) => text.chars().take(most).collect(),
            None => text,
        }
    }

    fn resolved(&self, schema: &Value) -> Value {
        let target = schema["$ref"].as_str().and_then(|place| place.strip_prefix('#'));
        target.and_then(|place| self.root.pointer(place)).unwrap_or(schema).clone()
    }
}

fn values(schema: &Value) -> Vec<Value> {
    let listed = schema["enum"].as_array().cloned();
    let constants =
        schema["oneOf"].as_array().and_then(|options| options.iter().map(|one| one.get("const").cloned()).collect());
    listed.or(constants).unwrap_or_default()
}

fn has_type(schema: &Value, name: &str) -> bool {
    schema["type"] == name || list(&schema["type"]).iter().any(|one| one == name)
}

fn is_nullable(schema: &Value) -> bool {
    has_type(schema, "null") || list(&schema["anyOf"]).iter().any(|one| has_type(one, "null"))
}

//! Long texts of a journal, each kept under the hash of its content.
//!
//! A string in an event that is longer than [`LONGEST_INLINE`] is written as `{"$blob":"HASH"}`, whatever it is: the
//! events need not know. Where the texts are kept is each store's own business.

use serde_json::{Value, json};

/// The longest string in a line, in bytes.
pub(super) const LONGEST_INLINE: usize = 16 * 1024;

/// The one field of a reference.
const REFERENCE: &str = "$blob";

/// The hash under which content is kept.
pub(super) fn hash_of(content: &[u8]) -> String {
    blake3::hash(content).to_hex().to_string()
}

/// Replaces long strings in the value by references, and gives them with their hashes.
pub(super) fn put_away(value: &mut Value, texts: &mut Vec<(String, String)>) {
    match value {
        Value::String(text) if text.len() > LONGEST_INLINE => {
            let (hash, text) = (hash_of(text.as_bytes()), std::mem::take(text));
            *value = json!({ REFERENCE: hash });
            texts.push((hash, text));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| put_away(item, texts)),
        Value::Object(fields) => fields.values_mut().for_each(|field| put_away(field, texts)),
        _ => {}
    }
}

/// Replaces references in the value by their strings. `read` gives the content under a hash, or why it can't be read, with
/// where it is; the error is the rest of a sentence about the line.
pub(super) fn bring_back(value: &mut Value, read: &dyn Fn(&str) -> Found) -> Result<(), String> {
    if let Some(hash) = reference(value) {
        let Found { place, content } = read(&hash);
        let content = content.map_err(|error| format!("refers to {place}, which can't be read: {error}"))?;
        if hash_of(&content) != hash {
            return Err(format!("refers to {place}, which was changed"));
        }
        let text = String::from_utf8(content).map_err(|_| format!("refers to {place}, which is not UTF-8"))?;
        *value = Value::String(text);
        return Ok(());
    }
    match value {
        Value::Array(items) => items.iter_mut().try_for_each(|item| bring_back(item, read)),
        Value::Object(fields) => fields.values_mut().try_for_each(|field| bring_back(field, read)),
        _ => Ok(()),
    }
}

/// A text that was looked for.
pub(super) struct Found {
    /// Where it is, or should be.
    pub(super) place: String,
    pub(super) content: std::io::Result<Vec<u8>>,
}

/// Every hash that the value refers to.
pub(super) fn references(value: &Value, into: &mut Vec<String>) {
    if let Some(hash) = reference(value) {
        into.push(hash);
        return;
    }
    match value {
        Value::Array(items) => items.iter().for_each(|item| references(item, into)),
        Value::Object(fields) => fields.values().for_each(|field| references(field, into)),
        _ => {}
    }
}

/// The hash that a reference names. Only what can be a hash is taken for one: it becomes part of a path.
fn reference(value: &Value) -> Option<String> {
    let fields = value.as_object().filter(|fields| fields.len() == 1)?;
    let hash = fields.get(REFERENCE)?.as_str()?;
    (hash.len() == 64 && hash.bytes().all(|b| b.is_ascii_hexdigit())).then(|| hash.to_owned())
}

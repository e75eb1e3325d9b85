//! One line of the journal: `{"seq":3,"prev":"…","event":{…},"hash":"…"}`.
//!
//! The hash is taken over the line's bytes before it, which include the hash of the line before: no canonical form of
//! JSON is needed, and a change anywhere breaks every line after it.

use rebut_core::debate::Event;
use serde_json::Value;

use super::long_texts::{LONGEST_INLINE, put_away};

/// The hash before the first line.
const NOTHING_BEFORE: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// What is between a line's content and its hash.
const HASH_FIELD: &str = ",\"hash\":\"";

/// A line that was read.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) event: Value,
    pub(super) hash: String,
}

/// A line to be written.
pub(super) struct Encoded {
    /// Its newline included.
    pub(super) line: Vec<u8>,
    pub(super) hash: String,
    /// The long texts that it refers to, each with its hash.
    pub(super) texts: Vec<(String, String)>,
}

/// Writes an event as a line.
pub(super) fn encode(seq: u64, prev: Option<&str>, event: &Event) -> serde_json::Result<Encoded> {
    let prev = prev.unwrap_or(NOTHING_BEFORE);
    let mut line = Vec::with_capacity(LONGEST_INLINE);
    line.extend_from_slice(format!("{{\"seq\":{seq},\"prev\":\"{prev}\",\"event\":").as_bytes());
    let (start, mut texts) = (line.len(), Vec::new());
    serde_json::to_writer(&mut line, event)?;
    // Only a long line can hold a long text.
    if line.len() > LONGEST_INLINE {
        let mut value = serde_json::to_value(event)?;
        put_away(&mut value, &mut texts);
        line.truncate(start);
        serde_json::to_writer(&mut line, &value)?;
    }
    let hash = blake3::hash(&line).to_hex().to_string();
    line.extend_from_slice(format!("{HASH_FIELD}{hash}\"}}\n").as_bytes());
    Ok(Encoded { line, hash, texts })
}

/// Reads a line without its newline; the error is the rest of a sentence about the line.
pub(super) fn decode(line: &[u8], seq: u64, prev: Option<&str>) -> Result<Line, String> {
    let text = std::str::from_utf8(line).map_err(|_| "is not UTF-8".to_owned())?;
    let (content, rest) = text.rsplit_once(HASH_FIELD).ok_or("has no hash")?;
    let hash = rest.strip_suffix("\"}").ok_or("does not end with its hash")?;
    if blake3::hash(content.as_bytes()).to_hex().as_str() != hash {
        return Err("does not have the hash that it names: it was changed".to_owned());
    }
    let mut value: Value = serde_json::from_str(text).map_err(|error| format!("is not JSON ({error})"))?;
    if value["prev"].as_str() != prev.or(Some(NOTHING_BEFORE)) {
        return Err("does not follow the line before it: a line was removed, added or changed".to_owned());
    }
    if value["seq"].as_u64() != Some(seq) {
        return Err(format!("does not have the number {seq}"));
    }
    Ok(Line { event: value["event"].take(), hash: hash.to_owned() })
}

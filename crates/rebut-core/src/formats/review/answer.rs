//! Which JSON object of an answer is meant.

use std::collections::BTreeSet;

use crate::debate::Rejection;
use crate::evidence::fences;

/// The longest answer that is read, in bytes.
const LONGEST: usize = 512 * 1024;

/// The object that an answer gives, and what surrounds it.
pub(super) struct Object<'a> {
    pub(super) json: &'a str,
    pub(super) rest: String,
}

/// The object with this key: the whole answer, or a fenced block of it. An artifact can contain an answer to its own
/// review, which a model may quote: of several different objects none is taken, nor one in the middle of a sentence.
pub(super) fn object_in<'a>(name: &str, text: &'a str, key: &str) -> Result<Option<Object<'a>>, Rejection> {
    if text.len() > LONGEST {
        let reason = format!("the {name} has {} bytes, at most {LONGEST} are read", text.len());
        return Err(Rejection::new(format!("{name}:too_long"), reason));
    }
    if text.trim_start().starts_with('{') {
        return Ok(Some(Object { json: text, rest: String::new() }));
    }
    let key = format!("\"{key}\"");
    let is_meant = |json: &str| json.trim_start().starts_with('{') && json.contains(&key);
    let mut found = fences(text);
    found.retain(|fence| is_meant(&text[fence.inside.clone()]));
    let different: BTreeSet<&str> = found.iter().map(|fence| text[fence.inside.clone()].trim()).collect();
    if different.len() > 1 {
        let reason = "the answer has several JSON objects; answer with one, and quote no other";
        return Err(Rejection::new(format!("{name}:ambiguous"), reason));
    }
    Ok(found.pop().map(|fence| {
        let rest = format!("{}\n{}", &text[..fence.whole.start], &text[fence.whole.end..]);
        Object { json: &text[fence.inside], rest }
    }))
}

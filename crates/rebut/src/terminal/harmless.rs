//! Text from models, diffs and pages is data: nothing in it reaches the terminal as a control sequence.

use std::borrow::Cow;
use std::fmt::Write;

pub(crate) use rebut_core::report::harmless;
use rebut_core::report::is_harmful;

/// JSON with the same characters escaped. They only occur in strings, so its meaning doesn't change.
pub(crate) fn escaped(json: &str) -> Cow<'_, str> {
    if !json.contains(is_harmful) {
        return Cow::Borrowed(json);
    }
    let mut text = String::with_capacity(json.len() + 64);
    for c in json.chars() {
        if is_harmful(c) {
            // Writing to a string cannot fail. Each of them is one unit of UTF-16.
            let _ = write!(text, "\\u{:04x}", u32::from(c));
        } else {
            text.push(c);
        }
    }
    Cow::Owned(text)
}

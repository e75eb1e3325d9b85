//! JSON among prose: its places are citations, the words of its other values are prose, each by itself. What a key is called
//! is quoted from nowhere.

use std::ops::Range;

use serde::de::IgnoredAny;
use serde_json::Value;

use super::explicit::find_in_evidence;
use super::fields::{Field, Place};
use super::path::{self, Standing};
use super::{Citation, work};

/// Where values of JSON begin and end in a text.
pub(super) struct Values {
    /// How much may still be read in vain: brackets that nobody closes are each read to the text's end.
    left: usize,
}

impl Values {
    pub(super) fn of_text(length: usize) -> Self {
        Self { left: length.saturating_mul(4) }
    }

    /// Where the object, or the list of objects, ends that begins here.
    pub(super) fn end_of(&mut self, text: &str) -> Option<usize> {
        let opened = text.strip_prefix('[').map_or(text, str::trim_start);
        work::read(text.len() - opened.len());
        let begins = opened.strip_prefix('{').is_some_and(|inner| inner.trim_start().starts_with('"'));
        if !begins || self.left == 0 {
            return None;
        }
        let mut values = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
        match values.next()? {
            Ok(_) => {
                work::read(values.byte_offset());
                Some(values.byte_offset())
            }
            Err(error) => {
                let read = text.split_inclusive('\n').take(error.line()).map(str::len).sum();
                work::read(read);
                self.left = self.left.saturating_sub(read);
                None
            }
        }
    }
}

/// What JSON says that can be looked up.
pub(super) enum Told {
    /// A place, with what is said to stand there.
    Place(Vec<Citation>),
    /// A string with its marks, which is prose.
    Words(Range<usize>),
}

/// What the JSON at this place of a text says, object by object.
pub(super) fn told(text: &str, within: Range<usize>) -> Vec<Told> {
    let mut told = Vec::new();
    for Object { keys, mut fields, .. } in objects(text, within).into_iter().filter(|object| !object.is_proposed) {
        told.extend(keys.into_iter().filter(|key| text[key.clone()].contains('/')).map(Told::Words));
        fields.sort_by_key(|(name, _)| Place::is_last(text[name.clone()].trim_matches('"')));
        let mut place = Place::default();
        let (mut path_at, mut words) = (0..0, Vec::new());
        for (name, value) in fields {
            let name = text[name].trim_matches('"');
            let read = serde_json::from_str(&text[value.clone()]).unwrap_or(Value::Null);
            let is_string = read.is_string();
            let is_taken = place.takes(name, &read);
            if is_taken && matches!(Field::of(name), Some(Field::Path | Field::Where)) {
                path_at = value;
            } else if !is_taken && is_string && !Place::is_proposed(name) {
                words.push(value);
            }
        }
        let is_path = place.path().is_some_and(|path| path::read(path, Standing::Marked).is_some());
        match place.evidence().filter(|_| is_path && place.is_held()) {
            Some(lines) => {
                let citations = lines.iter().flat_map(|line| find_in_evidence(line));
                told.push(Told::Place(citations.map(|found| Citation { span: path_at.clone(), ..found }).collect()));
            }
            None if !path_at.is_empty() => told.push(Told::Words(path_at)),
            None => {}
        }
        told.extend(words.into_iter().map(Told::Words));
    }
    told
}

/// An object, with what stands in the lists of its fields, but without the objects in it. All of it by its bytes.
#[derive(Default)]
struct Object {
    keys: Vec<Range<usize>>,
    /// The values, each behind its name.
    fields: Vec<(Range<usize>, Range<usize>)>,
    /// Whether it is part of what somebody would write, by the name of a field that it stands below.
    is_proposed: bool,
}

/// An object or a list that is open.
struct Open {
    object: usize,
    name: Range<usize>,
    is_list: bool,
    names_next: bool,
}

/// The objects of a text that is known to be JSON, in the order in which they begin.
fn objects(text: &str, within: Range<usize>) -> Vec<Object> {
    let mut objects: Vec<Object> = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    let mut at = within.start;
    while at < within.end {
        let rest = &text[at..within.end];
        let mut length = 1;
        match (rest.as_bytes()[0], open.last_mut()) {
            (b'{', outer) => {
                let is_proposed = outer.is_some_and(|outer| {
                    objects.get(outer.object).is_some_and(|object| object.is_proposed)
                        || Place::is_proposed(text[outer.name.clone()].trim_matches('"'))
                });
                open.push(Open { object: objects.len(), name: 0..0, is_list: false, names_next: true });
                objects.push(Object { is_proposed, ..Object::default() });
            }
            (b'[', outer) => {
                // What stands in no object is the value of nothing.
                let (object, name) = outer.map_or((usize::MAX, 0..0), |outer| (outer.object, outer.name.clone()));
                open.push(Open { object, name, is_list: true, names_next: false });
            }
            (b'}' | b']', _) => drop(open.pop()),
            (b',', Some(open)) => open.names_next = !open.is_list,
            (byte, Some(Open { object, name, names_next, .. }))
                if byte == b'"' || byte == b'-' || byte.is_ascii_alphanumeric() =>
            {
                length = if byte == b'"' { string_length(rest) } else { scalar_length(rest) };
                let value = at..at + length;
                if let Some(object) = objects.get_mut(*object) {
                    if *names_next {
                        (*name, *names_next) = (value.clone(), false);
                        object.keys.push(value);
                    } else {
                        object.fields.push((name.clone(), value));
                    }
                }
            }
            _ => length = rest.chars().next().map_or(1, char::len_utf8),
        }
        at += length;
    }
    objects
}

/// The length of a string with its marks.
fn string_length(rest: &str) -> usize {
    let mut escaped = false;
    let end = rest.bytes().skip(1).position(|byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    });
    end.map_or(rest.len(), |end| end + 2)
}

/// The length of a number or a word.
fn scalar_length(rest: &str) -> usize {
    rest.find(|c: char| c.is_whitespace() || matches!(c, ',' | '}' | ']')).unwrap_or(rest.len())
}

/// Whether words in quotation marks are a key of JSON, or the value of one that quotes nothing: also where the rest of it is no
/// JSON, or stands within a sentence.
pub(super) fn is_part_of_object(text: &str, within: &Range<usize>, quote: &Range<usize>) -> bool {
    let (before, behind) = (&text[within.start..quote.start], &text[quote.end..within.end]);
    let Some(inner) = text[quote.clone()].strip_prefix('"').and_then(|inner| inner.strip_suffix('"')) else { return false };
    let has_value = behind.trim_start().strip_prefix(':').is_some_and(|value| {
        let value = value.trim_start();
        let begins = |c: char| c.is_ascii_digit() || matches!(c, '"' | '[' | '{' | '-');
        value.starts_with(begins) || ["true", "false", "null"].iter().any(|word| value.starts_with(word))
    });
    let is_value = || {
        key_before(before)
            .is_some_and(|(before, key)| is_key(before, key) && !matches!(Field::of(key), Some(Field::Quote | Field::Code)))
    };
    (has_value && is_key(before, inner)) || is_value()
}

fn is_key(before: &str, key: &str) -> bool {
    let is_plain = !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '$'));
    is_plain && before.trim_end().ends_with(['{', ','])
}

/// The longest key that is looked at, in bytes.
const LONGEST_KEY: usize = 64;

/// The key right before a value, and what stands before it.
fn key_before(before: &str) -> Option<(&str, &str)> {
    let before = before.trim_end().strip_suffix(':')?.trim_end().strip_suffix('"')?;
    let from = before.char_indices().rev().map(|(at, _)| at).take_while(|at| before.len() - at <= LONGEST_KEY);
    let at = from.into_iter().find(|at| before[*at..].starts_with('"'))?;
    Some((&before[..at], &before[at + 1..]))
}

#[cfg(test)]
mod tests {
    use super::super::{find, work};

    fn cited(text: &str) -> Vec<String> {
        let told = |mut quotes: Vec<String>, target: String| {
            quotes.insert(0, target);
            quotes.join(" |")
        };
        find(text).into_iter().map(|found| told(found.quotes, found.target.to_string())).collect()
    }

    #[test]
    fn an_object_tells_a_place() {
        for (text, places) in [
            (r#"{"path": "src/a.rs", "line": 12, "severity": "high"}"#, &["src/a.rs:12"][..]),
            (r#"[{"file": "src/a.rs:33", "body": "drops half of it"}]"#, &["src/a.rs:33"]),
            ("{\n    \"file\": \"src/a.rs\",\n    \"lines\": [\n        3,\n        9\n    ]\n}\nSo.", &["src/a.rs:3-9"]),
            (
                r#"{"issues": [{"file": "a.rs", "startLine": 3, "endLine": 9, "quote": "x(\"y\");"}]}"#,
                &["a.rs:3-9 |x(\"y\");"],
            ),
            (r#"{"file": "src/a.rs", "line": 3, "code": "E501", "fix": "use src/new/b.rs"}"#, &["src/a.rs:3"]),
            (r#"- {"file": "src/a.rs", "line": 3, "quote": ""}"#, &["src/a.rs:3"]),
            (
                r#"{"summary": "src/a.rs:3 says \"drop(x)\".\nSo does src/b.rs:4.", "ok": false}"#,
                &["src/a.rs:3 |drop(x)", "src/b.rs:4"],
            ),
            (r#"{"summary": "It waits at src/a.rs:3", "tags": ["bug", "src/b.rs"]}"#, &["src/a.rs:3", "src/b.rs"]),
            (r#"{"src/a.rs": {"covered": 3}}"#, &["src/a.rs"]),
            (r#"{"location": "src/a.rs", "lines": "5-6"}"#, &["src/a.rs:5-6"]),
            (r#"{"source": "docs/b.md", "file": "src/a.rs", "line": 3}"#, &["docs/b.md", "src/a.rs:3"]),
            (r#"{"route": "/api/users", "path": "/api/users", "method": "GET"}"#, &[]),
        ] {
            assert_eq!(cited(text), places, "{text}");
        }
    }

    #[test]
    fn what_somebody_would_write_is_held_to_no_file() {
        for (text, places) in [
            (r#"{"file": "a/b.c", "line": 3, "fix": {"file": "a/b.c", "line": 3, "code": "x(1);"}}"#, &["a/b.c:3"][..]),
            (
                r#"{"suggestions": [{"path": "a/new.c", "line": 1, "snippet": "x(1);"}], "file": "a/b.c", "line": 3}"#,
                &["a/b.c:3"],
            ),
            (r#"{"patch": {"edits": [{"file": "a/b.c", "line": 3, "code": "x(1);"}]}, "why": "see a/b.c:4"}"#, &["a/b.c:4"]),
            (
                r#"[{"proposed": [[{"file": "a/new.c"}]]}, {"file": "a/b.c", "line": 3, "quote": "y(2);"}]"#,
                &["a/b.c:3 |y(2);"],
            ),
            // A prefix is no fix.
            (r#"{"prefix": {"file": "a/b.c", "line": 3, "code": "x(1);"}}"#, &["a/b.c:3 |x(1);"]),
        ] {
            assert_eq!(cited(text), places, "{text}");
        }
    }

    #[test]
    fn a_place_stands_where_its_path_does() {
        let text = "So:\n\n[\n  {\"line\": 3, \"file\": \"src/a.rs\"},\n  {\"note\": \"see src/b.rs:4\"}\n]\n";
        let spans: Vec<&str> = find(text).into_iter().map(|found| &text[found.span]).collect();
        assert_eq!(spans, ["\"src/a.rs\"", "src/b.rs:4"]);
    }

    #[test]
    fn keys_are_quoted_from_nowhere_where_it_is_no_json_either() {
        for text in [
            r#"The tool printed {"path": "src/a.rs", "severity": "high"} and left."#,
            r#"{"path": "src/a.rs", "severity": "high", "tags": […]}"#,
            "{\"path\": \"src/a.rs\",\n \"severity\": \"high\",\n",
        ] {
            assert_eq!(cited(text), ["src/a.rs"], "{text}");
        }
        for text in [
            r#"As src/a.rs:3 says, "drop(guard);": that is wrong."#,
            r#"It says {"file": "src/a.rs:3", "quote": "drop(guard);"} there."#,
            r#"src/a.rs:3 says "drop(guard);": 5 times."#,
        ] {
            assert_eq!(cited(text), ["src/a.rs:3 |drop(guard);"], "{text}");
        }
    }

    #[test]
    fn brackets_that_nobody_closes_are_not_read_again_and_again() {
        for piece in [
            "[{\"a\": 1,\n",
            "{\"a\":\n",
            "[{\"a\": \"b\"},\n",
            "{\"a\": \"src/a.rs\", \"line\": 3},\n",
            "{\"a\": \"\\\\ b\"}\n",
        ] {
            let work = |times: usize| work::of(|| find(&piece.repeat(times))).0;
            let (once, twice) = (work(1_000), work(2_000));
            assert!(twice <= once * 5 / 2, "{piece:?}: {once}, {twice}");
        }
    }
}

//! A place that the fields of an object tell: `{"file": "src/pool.rs", "line": 3, "quote": "words"}`.

use serde_json::Value;

use super::commits::is_hash;
use super::path::{self, Standing};

/// What fields have said of a place so far.
#[derive(Debug, Default)]
pub(in super::super) struct Place {
    path: Option<String>,
    commit: Option<String>,
    lines: Vec<String>,
    first: Option<String>,
    last: Option<String>,
    quotes: Vec<String>,
}

/// What a field says of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field {
    Path,
    /// A path, if it is one: others call somebody, or an address, so.
    Where,
    Commit,
    Lines,
    First,
    Last,
    Quote,
    /// A quote, or the name of a rule: `E501`.
    Code,
}

impl Field {
    /// The field of this name, however it is spelled: `start_line`, `startLine`.
    pub(super) fn of(name: &str) -> Option<Self> {
        let plain: String = name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
        Some(match plain.as_str() {
            "file" | "path" | "filepath" | "filename" => Self::Path,
            "location" | "source" | "where" => Self::Where,
            "commit" => Self::Commit,
            "line" | "lines" => Self::Lines,
            "start" | "startline" | "linestart" => Self::First,
            "end" | "endline" | "lineend" => Self::Last,
            "quote" | "quotes" | "words" | "snippet" => Self::Quote,
            "code" => Self::Code,
            _ => return None,
        })
    }
}

impl Place {
    /// Whether what stands below a field of this name is what somebody would write, and no word of what is there. It counts by
    /// the words of the name: a prefix is no fix.
    pub(in super::super) fn is_proposed(name: &str) -> bool {
        let mut spaced = String::with_capacity(name.len());
        for c in name.chars() {
            if c.is_uppercase() && spaced.ends_with(char::is_lowercase) {
                spaced.push(' ');
            }
            spaced.extend(c.to_lowercase());
        }
        spaced.split(|c: char| !c.is_alphanumeric()).any(|word| {
            matches!(word, "fix" | "fixes" | "fixed" | "patch" | "patches" | "patched" | "diff" | "diffs")
                || matches!(word, "proposed" | "proposal" | "proposals" | "proposes" | "propose")
                || word.starts_with("suggest")
                || word.starts_with("replace")
        })
    }

    /// Whether a field of this name says where something is only if no other one does: it is taken last.
    pub(in super::super) fn is_last(name: &str) -> bool {
        Field::of(name) == Some(Field::Where)
    }

    /// Takes what a field says, if it says something of a place. The values of an array are taken one by one.
    pub(in super::super) fn takes(&mut self, name: &str, value: &Value) -> bool {
        let Some(field) = Field::of(name) else { return false };
        let told = match value {
            Value::Null => return true,
            Value::String(told) => told.trim().to_owned(),
            Value::Number(number) if number.is_u64() => number.to_string(),
            _ => return false,
        };
        let numbers = || {
            let told = told.trim_start_matches(|c: char| !c.is_ascii_digit());
            (!told.is_empty()).then(|| told.to_owned())
        };
        let of_place = || value.is_string() && !told.is_empty() && !told.contains('\n');
        match field {
            Field::Path if self.path.is_none() && of_place() => self.path = Some(told),
            Field::Where if self.path.is_none() && of_place() && is_file(&told) => self.path = Some(told),
            Field::Commit if self.commit.is_none() && is_hash(&told) => self.commit = Some(told),
            Field::Lines => match numbers() {
                Some(numbers) => self.lines.push(numbers),
                None => return false,
            },
            Field::First if self.first.is_none() => self.first = numbers(),
            Field::Last if self.last.is_none() => self.last = numbers(),
            Field::Quote if value.is_string() => self.quotes.push(told),
            Field::Code if value.is_string() && is_code(&told) => self.quotes.push(told),
            _ => return false,
        }
        true
    }

    /// The path as it was written.
    pub(super) fn path(&self) -> Option<&str> {
        self.path.as_deref()
    }

    /// Whether more is said than the path.
    pub(super) fn is_held(&self) -> bool {
        self.commit.is_some() || self.lines().is_some() || self.quotes.iter().any(|quote| !quote.is_empty())
    }

    /// The words that were taken: where nobody says whence they are, they are somebody's own.
    pub(in super::super) fn into_words(self) -> impl Iterator<Item = String> {
        self.quotes.into_iter()
    }

    /// The place as lines of evidence, one for each quote. None where nothing says where it is.
    pub(in super::super) fn evidence(&self) -> Option<Vec<String>> {
        let lines = self.lines().filter(|_| self.path.as_ref().is_none_or(|path| !names_lines(path)));
        let of_commit = self.commit.is_some() && (self.path.is_none() || lines.is_none());
        let head = match (&self.commit, &self.path, lines) {
            (Some(hash), Some(path), Some(lines)) => format!("{hash}:{path}:{lines}"),
            (Some(hash), Some(path), None) => format!("commit {hash} {path}"),
            (Some(hash), None, _) => format!("commit {hash}"),
            (None, Some(path), Some(lines)) => format!("{path}:{lines}"),
            (None, Some(path), None) if path.contains(' ') => format!("`{path}`"),
            (None, Some(path), None) => path.clone(),
            (None, None, _) => return None,
        };
        let quotes: Vec<&String> = self.quotes.iter().filter(|quote| !quote.is_empty()).collect();
        if quotes.is_empty() {
            return Some(vec![head]);
        }
        Some(quotes.into_iter().map(|quote| with_quote(&head, quote, of_commit)).collect())
    }

    /// `start_line` and `end_line`, or one of them with `line`; two numbers are the first and the last.
    fn lines(&self) -> Option<String> {
        let line = self.lines.first();
        let (first, last) = (self.first.as_ref().or(line), self.last.as_ref().or(line));
        let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        match (first.filter(|text| is_number(text)), last.filter(|text| is_number(text))) {
            (Some(first), Some(last)) if first != last => return Some(format!("{first}-{last}")),
            (Some(only), _) | (None, Some(only)) if self.lines.is_empty() => return Some(only.clone()),
            _ => {}
        }
        match &self.lines[..] {
            [] => None,
            [first, last] if is_number(first) && is_number(last) => Some(format!("{first}-{last}")),
            all => Some(all.join(",")),
        }
    }
}

/// Whether words are a file and nothing else, with its lines or without.
fn is_file(told: &str) -> bool {
    !told.contains(char::is_whitespace) && path::read(told, Standing::Bare).is_some()
}

/// Whether a path has its lines behind it already.
fn names_lines(path: &str) -> bool {
    path.rsplit_once([':', '#'])
        .is_some_and(|(_, lines)| lines.trim_start_matches('L').starts_with(|c: char| c.is_ascii_digit()))
}

/// `E501`, `no-unused-vars`: the name of a rule has no signs of code.
fn is_code(told: &str) -> bool {
    told.contains(|c: char| c.is_whitespace() || "(){}[]<>=;+\"'".contains(c))
}

/// The longest quote that is written behind its place, in bytes.
const LONGEST_BESIDE: usize = 400;

/// A place and a quote of it. A quote that marks could part stands in a block below; of a commit there are no blocks.
fn with_quote(head: &str, quote: &str, of_commit: bool) -> String {
    if of_commit {
        return format!("{head} \"{}\"", quote.replace('\n', " ").replace('"', "\\\""));
    }
    if quote.len() <= LONGEST_BESIDE && !quote.contains(['"', '\\', '\n', '|']) {
        return format!("{head} \"{quote}\"");
    }
    let longest = quote.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{head}\n{fence}\n{quote}\n{fence}")
}

#[cfg(test)]
mod tests {
    use super::super::find_in_evidence;
    use super::*;

    fn place(object: &str) -> Place {
        let mut place = Place::default();
        let value: Value = serde_json::from_str(object).unwrap();
        for (name, value) in value.as_object().unwrap() {
            match value {
                Value::Array(values) => values.iter().for_each(|value| assert!(place.takes(name, value))),
                value => assert!(place.takes(name, value), "{name}"),
            }
        }
        place
    }

    #[test]
    fn lines_are_told_in_many_fields() {
        for object in [
            r#"{"file": "a/b.rs", "lines": [4, 9]}"#,
            r#"{"path": "a/b.rs", "lines": "4-9"}"#,
            r#"{"File": "a/b.rs", "Lines": "L4-9"}"#,
            r#"{"path": "a/b.rs", "line_start": 4, "line_end": 9}"#,
            r#"{"path": "a/b.rs", "startLine": 4, "endLine": "9"}"#,
            r#"{"path": "a/b.rs", "start": 4, "end": 9}"#,
            r#"{"path": "a/b.rs", "start_line": 4, "line": 9}"#,
            r#"{"path": "a/b.rs", "line": 4, "end_line": 9}"#,
            r#"{"path": "a/b.rs:4-9", "line": 4, "quote": null}"#,
        ] {
            assert_eq!(place(object).evidence().unwrap(), ["a/b.rs:4-9"], "{object}");
        }
        for (object, told) in [
            (r#"{"file": "a/b.rs", "line": 4, "end_line": 4}"#, "a/b.rs:4"),
            (r#"{"file": "a/b.rs", "start": 4}"#, "a/b.rs:4"),
            (r#"{"location": "a/b.rs", "lines": "4-9"}"#, "a/b.rs:4-9"),
            (r#"{"where": "a/b.rs:4"}"#, "a/b.rs:4"),
            (r#"{"Source": "a/b.rs", "line": 4}"#, "a/b.rs:4"),
            (r#"{"file": "a/b.rs", "lines": [4, 9, "12-14"]}"#, "a/b.rs:4,9,12-14"),
            (r#"{"file": "a/b.rs", "line": null}"#, "a/b.rs"),
            (r#"{"commit": "1a2b3c4", "file": "a/b.rs"}"#, "commit 1a2b3c4 a/b.rs"),
            (r#"{"commit": "1a2b3c4", "file": "a/b.rs", "line": 3}"#, "1a2b3c4:a/b.rs:3"),
        ] {
            assert_eq!(place(object).evidence().unwrap(), [told], "{object}");
        }
    }

    #[test]
    fn a_quote_survives_whatever_marks_are_in_it() {
        for quote in [
            "let n = 5;",
            "say(\"hi\", \"you\")",
            "\"\", ",
            "a \"b\" c \"d",
            "printf(\"%s\\n\", \"x\\\"y\")",
            "fn a() {\n    b();\n}",
            "```\nx();\n```",
            "a | evidence: b",
            &"long ".repeat(300),
        ] {
            for head in [r#""file": "a/b.rs", "line": 3"#, r#""commit": "1a2b3c4", "file": "a/b.rs", "line": 3"#] {
                let object = format!("{{{head}, \"snippet\": {}}}", serde_json::to_string(quote).unwrap());
                let lines = place(&object).evidence().unwrap();
                let found = find_in_evidence(&lines[0]);
                assert_eq!((lines.len(), found.len()), (1, 1), "{lines:?}");
                assert_eq!(found[0].quotes, [quote.trim()], "{lines:?}");
            }
        }
        let found = find_in_evidence(&place(r#"{"commit": "1a2b3c4", "quote": "say \"hi\""}"#).evidence().unwrap()[0]);
        assert_eq!(found[0].quotes, ["say \\\"hi\\\""]);
        let found = find_in_evidence(&place(r#"{"path": "docs/a b.md", "quote": "so it is"}"#).evidence().unwrap()[0]);
        assert_eq!(
            (found[0].target.to_string().as_str(), &found[0].quotes[..]),
            ("docs/a b.md", &["so it is".to_owned()][..])
        );
    }

    #[test]
    fn a_source_that_is_no_file_is_no_place() {
        for source in ["eslint", "the proposer", "https://example.com/a.html", "in a/b.rs:3", "a/b.rs:3 and a/c.rs:4", ""] {
            assert!(!Place::default().takes("source", &Value::from(source)), "{source}");
        }
    }

    #[test]
    fn a_fix_is_told_by_the_words_of_a_name() {
        for name in ["fix", "Fixes", "suggested_fix", "proposedFix", "patch", "replacement", "code-suggestions", "Proposed"]
        {
            assert!(Place::is_proposed(name), "{name}");
        }
        for name in ["prefix", "suffix", "fixture", "dispatch", "different", "proposer", "code", "file", ""] {
            assert!(!Place::is_proposed(name), "{name}");
        }
    }

    #[test]
    fn the_code_of_a_rule_is_no_code() {
        for rule in ["E501", "no-unused-vars", "clippy::unwrap_used", "@scope/rule"] {
            assert!(!Place::default().takes("code", &Value::from(rule)), "{rule}");
        }
        for code in ["x = 1", "drop(guard)", "a; b"] {
            assert!(Place::default().takes("code", &Value::from(code)), "{code}");
        }
    }
}

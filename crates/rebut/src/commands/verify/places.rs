//! Where the prose of a text stands in it.

use std::collections::{HashMap, VecDeque};
use std::ops::Range;

use serde::de::IgnoredAny;

/// Where the prose of a text stands in it: all of it before the list of claims, and what is no item of the list or stands
/// behind it, line by line.
pub(super) struct Places {
    /// The parts of the prose, in order.
    parts: Vec<Part>,
    /// Where each line of the text begins.
    pub(super) lines: Vec<usize>,
}

struct Part {
    /// Where it begins in the prose.
    prose: usize,
    /// Where it stands in the text.
    text: Range<usize>,
    /// Whether it stands there in the same letters.
    is_exact: bool,
}

/// How many lines of the prose are looked for in vain: each of them is looked for through all of the list.
const MISSES: usize = 100;

impl Places {
    pub(super) fn of(prose: &str, text: &str) -> Self {
        let same = prose.bytes().zip(text.bytes()).take_while(|(one, other)| one == other).count();
        let begins = |at: usize| prose.as_bytes()[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let before = if same == prose.len() { same } else { begins(same) };
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        let lines: Vec<usize> = std::iter::once(0).chain(breaks).collect();
        let left = lines.get(lines.partition_point(|start| *start < before)).copied().unwrap_or(text.len());
        let mut list = List::of(text, left);
        let mut at = 0;
        let said: Vec<(usize, &str)> = prose
            .split_inclusive('\n')
            .map(|line| {
                at += line.len();
                (at - line.len(), line.trim_end())
            })
            .filter(|(start, words)| *start >= before && !words.is_empty())
            .collect();
        // From the last to the first: what stands behind JSON is there as it was written, and what is left is of the JSON.
        let mut parts: Vec<Part> = Vec::new();
        for (prose, words) in said.into_iter().rev() {
            parts.extend(list.place_of(words).map(|(text, is_exact)| Part { prose, text, is_exact }));
        }
        parts.push(Part { prose: 0, text: 0..left, is_exact: true });
        parts.reverse();
        Self { parts, lines }
    }

    /// Where a part of the prose is in the text.
    pub(super) fn in_text(&self, part: &Range<usize>) -> Range<usize> {
        let number = self.parts.partition_point(|known| known.prose <= part.start).saturating_sub(1);
        match self.parts.get(number) {
            Some(Part { text, is_exact: false, .. }) if !part.is_empty() => text.clone(),
            Some(Part { prose, text, is_exact: true }) => part.start - prose + text.start..part.end - prose + text.start,
            _ => part.clone(),
        }
    }

    /// The line in which something of the text stands; none for what stands nowhere in it, as the items of the list do.
    pub(super) fn line_of(&self, span: &Range<usize>) -> Option<usize> {
        (!span.is_empty()).then(|| self.lines.partition_point(|start| *start <= span.start))
    }
}

/// What stands below the prose, and how much of it has not been found in the prose yet.
struct List<'a> {
    /// Its lines, each with its place; of a line in which JSON ends, also what stands behind it.
    lines: Vec<(usize, &'a str)>,
    /// The lists that are JSON.
    values: Vec<Json>,
    /// How many of the lines are left.
    left: usize,
    misses: usize,
}

/// A list that is JSON.
struct Json {
    span: Range<usize>,
    /// Which of the lines are its own.
    lines: Range<usize>,
    /// Its strings as they are told in prose, each with the places where it stands and whether it does in the same letters.
    strings: HashMap<String, VecDeque<(Range<usize>, bool)>>,
}

impl<'a> List<'a> {
    fn of(text: &'a str, from: usize) -> Self {
        let (mut lines, mut values) = (Vec::new(), Vec::new());
        let (mut at, mut is_first, mut misses) = (from, false, MISSES);
        while at < text.len() {
            let rest = &text[at..];
            let line = rest.split_inclusive('\n').next().unwrap_or(rest);
            let bare = line.trim();
            let indent = line.len() - line.trim_start().len();
            let begins = is_first && misses > 0 && bare.starts_with(['[', '{']);
            let length = begins.then(|| length_of_value(&rest[indent..])).flatten();
            misses -= usize::from(begins && length.is_none());
            if let Some(length) = length {
                let span = at + indent..at + indent + length;
                let first = lines.len();
                for line in text[at..span.end].split_inclusive('\n') {
                    lines.push((at, line.trim_end()));
                    at += line.len();
                }
                values.push(Json { strings: strings(text, span.clone()), span, lines: first..lines.len() });
                is_first = false;
                continue;
            }
            let is_heading = bare.trim_matches(['*', '`', '#', '-', ':', ' ']).eq_ignore_ascii_case("claims");
            is_first = is_heading || (is_first && (bare.is_empty() || bare.starts_with("```")));
            lines.push((at, line.trim_end()));
            at += line.len();
        }
        Self { left: lines.len(), lines, values, misses: MISSES }
    }

    /// Where words stand that are said before all that were asked for until now, and whether they do in the same letters.
    fn place_of(&mut self, words: &str) -> Option<(Range<usize>, bool)> {
        while self.values.last().is_some_and(|json| json.lines.start >= self.left) {
            self.values.pop();
        }
        let behind = self.values.last().map_or(0, |json| json.lines.end).min(self.left);
        // The lines of the prose are lines of the text, or the ends of such.
        if self.misses > 0
            && let Some(number) = (behind..self.left).rev().find(|number| self.lines[*number].1.ends_with(words))
        {
            return Some(self.take(number, words));
        }
        if let Some(json) = self.values.last_mut() {
            // JSON that has no items is told as it was written.
            if let Some(found) = json.strings.get_mut(words).and_then(VecDeque::pop_back) {
                self.left = json.lines.end.min(self.left);
                return Some(found);
            }
        }
        let json = self.values.last().map(|json| (json.span.start, json.lines.clone()));
        let is_of = |number: &usize| json.as_ref().is_some_and(|(_, lines)| lines.contains(number));
        if self.misses > 0 {
            let found = (0..behind).rev().find(|number| {
                let line = self.lines[*number].1;
                if is_of(number) { line == words } else { line.ends_with(words) }
            });
            if let Some(number) = found {
                return Some(self.take(number, words));
            }
            self.misses -= 1;
        }
        json.map(|(start, _)| (start..start + 1, false))
    }

    fn take(&mut self, number: usize, words: &str) -> (Range<usize>, bool) {
        let (start, line) = self.lines[number];
        self.left = number;
        let end = start + line.len();
        (end - words.len()..end, true)
    }
}

/// The length of the value of JSON that a text begins with.
fn length_of_value(text: &str) -> Option<usize> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
    values.next()?.ok()?;
    Some(values.byte_offset())
}

/// The strings of JSON, by their words in one line.
fn strings(text: &str, within: Range<usize>) -> HashMap<String, VecDeque<(Range<usize>, bool)>> {
    let mut all: HashMap<String, VecDeque<(Range<usize>, bool)>> = HashMap::new();
    let mut at = within.start;
    while let Some(open) = text[at..within.end].find('"').map(|open| at + open) {
        let mut escaped = false;
        let length = text[open + 1..within.end].bytes().position(|byte| {
            let ends = byte == b'"' && !escaped;
            escaped = byte == b'\\' && !escaped;
            ends
        });
        let end = length.map_or(within.end, |length| open + length + 2);
        let read = serde_json::from_str::<String>(&text[open..end]).unwrap_or_default();
        let told = read.trim_start_matches(['`', '~', ' ', '\n']);
        let is_exact = read.len() + 2 == end - open;
        let from = open + 1 + read.len() - told.len();
        let words = told.replace('\n', " ").trim_end().to_owned();
        let span = if is_exact { from..from + words.len() } else { open..end };
        all.entry(words).or_default().push_back((span, is_exact));
        at = end;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::super::tests::places;
    use super::*;

    #[test]
    fn strings_with_escapes_have_their_lines_and_so_has_what_follows() {
        let text = "T.\n\n--- claims\n[{\"claim\": \"x\", \"evidence\": [\"src/a.rs:5\"],\n\"why\": \"it \\\"says\\\" so, see \
                    src/a.rs:51\",\n\"n\": 1,\n\"then\": \"see src/b.rs:6\"}]\n\nMore: src/c.rs:7 is so.\n";
        assert_eq!(places(text), ["5 \"it \\\"says\\\" so, see src/a.rs:51\"", "7 src/b.rs:6", "9 src/c.rs:7"]);
    }

    #[test]
    fn many_strings_that_stand_elsewhere_take_no_line_from_what_follows() {
        for object in
            [r#"{"claim": "x", "why": "it says \"no\" to N"}"#, r#"{"claim": "x", "at": {"file": "src/a.rs", "line": 1N}}"#]
        {
            let objects: Vec<String> = (0..250).map(|n| object.replace('N', &n.to_string())).collect();
            for (open, close) in [("", ""), ("```json\n", "\n```")] {
                let text = format!("T.\n\n--- claims\n{open}[\n{}\n]{close}\n\nSee src/b.rs:9 too.\n", objects.join(",\n"));
                let line = text.lines().count();
                assert_eq!(places(&text).last(), Some(&format!("{line} src/b.rs:9")), "{object}");
            }
        }
    }

    #[test]
    fn what_stands_in_no_string_is_told_where_the_json_begins() {
        let text = "T.\n\n--- claims\n\n[{\"claim\": \"x\"},\n{\"seen\": {\"file\": \"src/b.rs\", \"line\": 9}}] See src/c.rs:4.\nSo.";
        assert_eq!(places(text), ["5 [", "6 src/c.rs:4"]);
    }

    #[test]
    fn several_lists_keep_their_lines() {
        let one = "--- claims\n[{\"claim\": \"x\", \"why\": \"a \\\"b\\\" at src/a.rs:1\"}]\n\nSee src/b.rs:2.\n\n";
        let two = "--- claims\nclaim: y\n\nSee src/c.rs:3.\n";
        assert_eq!(
            places(&format!("T.\n\n{two}{one}")),
            ["6 src/c.rs:3", "8 \"a \\\"b\\\" at src/a.rs:1\"", "10 src/b.rs:2"]
        );
        // A line of prose that begins as the heading does is not taken for it.
        assert_eq!(places("T.\n\n--- claims\nclaim: x\n\n- see src/a.rs:3\n"), ["6 src/a.rs:3"]);
    }

    #[test]
    fn the_strings_of_json_are_found_by_their_words() {
        let text = r#"{"a b": ["``x y ", "\u00e4 \"z\""]}"#;
        let found = strings(text, 0..text.len());
        let place = |words: &str| found[words].iter().map(|(span, exact)| (&text[span.clone()], *exact)).collect::<Vec<_>>();
        assert_eq!(place("x y"), [("x y", true)]);
        assert_eq!(place("ä \"z\""), [(r#""\u00e4 \"z\"""#, false)]);
    }
}

//! A file as text, in which words can be looked up by their lines.

use std::fmt::Write;
use std::ops::Range;
use std::sync::OnceLock;

use super::super::citation::Lines;
use super::nearest::{Patience, Weary};

/// How many lines before and after those that are cited belong to a passage.
const AROUND: u32 = 6;
/// The longest passage, in bytes, and the longest line of one, in characters.
const LONGEST_PASSAGE: usize = 4_000;
const LONGEST_LINE: usize = 1_000;

/// A file's text.
#[derive(Debug)]
pub struct FileText {
    text: String,
    /// Where each line begins.
    starts: Vec<usize>,
    squeezed: OnceLock<Squeezed>,
    loose: OnceLock<Squeezed>,
}

/// The text with every run of white space as one space, and marks of typography as plain ones.
#[derive(Debug)]
struct Squeezed {
    text: String,
    /// Where each line of the file begins in it.
    starts: Vec<usize>,
}

impl FileText {
    /// A file's text. Bytes that are no UTF-8 stand as the replacement character.
    pub fn new(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let mut starts = vec![0];
        starts.extend(text.match_indices('\n').map(|(at, _)| at + 1));
        // What stands behind the last line break is a line only if there is something.
        if starts.last() == Some(&text.len()) {
            starts.pop();
        }
        Self { text, starts, squeezed: OnceLock::new(), loose: OnceLock::new() }
    }

    /// How many lines it has.
    pub fn line_count(&self) -> u32 {
        u32::try_from(self.starts.len()).unwrap_or(u32::MAX)
    }

    /// How many bytes it takes.
    pub fn len(&self) -> usize {
        self.text.len()
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// The lines, without their breaks.
    pub fn lines(&self) -> impl Iterator<Item = &str> {
        self.text.lines()
    }

    /// The text of these lines, as far as the file has them.
    pub fn of(&self, lines: Lines) -> &str {
        let range = self.range(&self.starts, self.text.len(), lines);
        &self.text[range]
    }

    /// These lines with some around them, each with its number; the beginning of the file where no lines are named. Bounded
    /// in size.
    pub fn passage(&self, lines: Option<Lines>) -> String {
        let (from, to) =
            lines.map_or((1, u32::MAX), |lines| (lines.first.saturating_sub(AROUND), lines.last.saturating_add(AROUND)));
        let mut passage = String::new();
        for (line, number) in self.lines().zip(1_u32..).filter(|(_, number)| (from..=to).contains(number)) {
            let line: String = line.chars().take(LONGEST_LINE).collect();
            if passage.len() + line.len() > LONGEST_PASSAGE {
                passage.push_str("[…]\n");
                break;
            }
            // Writing to a string cannot fail.
            let _ = writeln!(passage, "{number}: {line}");
        }
        passage
    }

    /// All of it.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The lines at which the words stand, nearest to `near` first: as they are, or with other white space between them.
    /// A word or a number is not found inside of a longer one. Patience is taken where all of the file must be searched.
    pub(super) fn find(&self, words: &str, near: Option<Lines>, patience: &mut Patience) -> Result<Option<Lines>, Weary> {
        // Most citations are true to the letter, and then nothing but the cited lines need be looked at.
        if let Some(found) = near.and_then(|near| self.find_as_it_is(words.trim(), near)) {
            return Ok(Some(found));
        }
        self.find_in(self.squeezed(), &squeeze(words), near, patience)
    }

    /// The same for words that differ in what says nothing: spaces beside other marks than letters, backticks and the stars of
    /// bold words, the case of the first letter, and a letter in brackets, as those quote who change it.
    pub(super) fn find_loosely(
        &self,
        words: &str,
        near: Option<Lines>,
        patience: &mut Patience,
    ) -> Result<Option<Lines>, Weary> {
        let words = loosen(&squeeze(&unbracketed(words)));
        let words = words.trim();
        let found = self.find_in(self.loose(), words, near, patience)?;
        let Some(first) = words.chars().next().filter(|first| found.is_none() && first.is_alphabetic()) else {
            return Ok(found);
        };
        let rest = &words[first.len_utf8()..];
        let other = if first.is_uppercase() { first.to_lowercase().to_string() } else { first.to_uppercase().to_string() };
        self.find_in(self.loose(), &format!("{other}{rest}"), near, patience)
    }

    fn find_in(
        &self,
        squeezed: &Squeezed,
        words: &str,
        near: Option<Lines>,
        patience: &mut Patience,
    ) -> Result<Option<Lines>, Weary> {
        if words.is_empty() {
            return Ok(None);
        }
        let place = |at: usize| {
            let line = |at: usize| u32::try_from(squeezed.starts.partition_point(|start| *start <= at)).unwrap_or(u32::MAX);
            Lines::new(line(at), line(at + words.len() - 1))
        };
        if let Some(lines) = near {
            let range =
                self.range(&squeezed.starts, squeezed.text.len(), Lines::new(lines.first, lines.last.max(lines.first)));
            let reach = range.start..(range.end + words.len()).min(squeezed.text.len());
            let reach = reach.start..ceil(&squeezed.text, reach.end);
            let here = whole(&squeezed.text, reach, words).map(place).find(|found| found.first <= lines.last);
            if here.is_some() {
                return Ok(here);
            }
        }
        patience.search(squeezed.text.len())?;
        let places = whole(&squeezed.text, 0..squeezed.text.len(), words).map(place);
        Ok(match near {
            Some(near) => places.take(1_000).min_by_key(|found| found.first.abs_diff(near.first)),
            None => places.into_iter().next(),
        })
    }

    /// The lines at which the words stand just so, if they begin in these.
    fn find_as_it_is(&self, words: &str, near: Lines) -> Option<Lines> {
        let range = self.range(&self.starts, self.text.len(), near);
        let reach = range.start..ceil(&self.text, (range.end + words.len()).min(self.text.len()));
        let line = |at: usize| u32::try_from(self.starts.partition_point(|start| *start <= at)).unwrap_or(u32::MAX);
        let at = if words.is_empty() { None } else { whole(&self.text, reach, words).next() }?;
        (at < range.end).then(|| Lines::new(line(at), line(at + words.len() - 1)))
    }

    fn range(&self, starts: &[usize], end: usize, lines: Lines) -> Range<usize> {
        let at = |line: u32| starts.get(line as usize).copied().unwrap_or(end);
        at(lines.first.saturating_sub(1))..at(lines.last)
    }

    fn squeezed(&self) -> &Squeezed {
        self.squeezed.get_or_init(|| {
            let mut text = String::with_capacity(self.text.len());
            let mut starts = Vec::with_capacity(self.starts.len());
            for line in self.text.split_inclusive('\n') {
                starts.push(text.len());
                squeeze_into(&mut text, line);
            }
            starts.truncate(self.starts.len());
            Squeezed { text, starts }
        })
    }

    fn loose(&self) -> &Squeezed {
        self.loose.get_or_init(|| {
            let squeezed = self.squeezed();
            let mut text = String::with_capacity(squeezed.text.len());
            let mut starts = Vec::with_capacity(squeezed.starts.len());
            let ends = squeezed.starts.iter().skip(1).copied().chain([squeezed.text.len()]);
            for (start, end) in squeezed.starts.iter().copied().zip(ends) {
                let line = &squeezed.text[start..end];
                // A line that begins with a mark takes the space before it away, which is none of its own.
                let mark = line.chars().next().is_some_and(|c| !c.is_alphanumeric() && c != '_');
                if mark && text.ends_with(' ') {
                    text.pop();
                }
                starts.push(text.len());
                loosen_into(&mut text, line);
            }
            Squeezed { text, starts }
        })
    }
}

/// A squeezed text without the spaces beside other marks than letters, without backticks and without the stars of bold words.
fn loosen(squeezed: &str) -> String {
    let mut loose = String::with_capacity(squeezed.len());
    loosen_into(&mut loose, squeezed);
    loose
}

fn loosen_into(into: &mut String, squeezed: &str) {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut rest = squeezed.chars().filter(|c| *c != '`').peekable();
    while let Some(c) = rest.next() {
        match c {
            '*' if rest.peek() == Some(&'*') => {
                rest.next();
            }
            ' ' if !into.chars().next_back().is_none_or(is_part) || !rest.peek().copied().is_none_or(is_part) => {}
            c => {
                // What was left out before a mark may have left a space.
                if !is_part(c) && c != ' ' && into.ends_with(' ') {
                    into.pop();
                }
                into.push(c);
            }
        }
    }
}

/// `[t]he` as `the`.
fn unbracketed(words: &str) -> String {
    let mut plain = String::with_capacity(words.len());
    let mut rest = words;
    while let Some(at) = rest.find('[') {
        let inner = &rest[at + 1..];
        let letter = inner.chars().next().filter(|c| c.is_alphabetic());
        if let Some(letter) = letter.filter(|letter| inner[letter.len_utf8()..].starts_with(']')) {
            plain.push_str(&rest[..at]);
            plain.push(letter);
            rest = &inner[letter.len_utf8() + 1..];
        } else {
            plain.push_str(&rest[..=at]);
            rest = inner;
        }
    }
    plain + rest
}

/// The words with single spaces and plain marks.
pub(super) fn squeeze(words: &str) -> String {
    let mut squeezed = String::with_capacity(words.len());
    squeeze_into(&mut squeezed, words);
    squeezed.trim().to_owned()
}

fn squeeze_into(into: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            c if c.is_whitespace() => {
                if !into.ends_with(' ') && !into.is_empty() {
                    into.push(' ');
                }
            }
            '\u{201c}' | '\u{201d}' | '\u{201e}' => into.push('"'),
            '\u{2018}' | '\u{2019}' => into.push('\''),
            '\u{200b}' | '\u{feff}' => {}
            c => into.push(c),
        }
    }
}

/// Where the words stand in `text[within]` as whole words.
fn whole<'a>(text: &'a str, within: Range<usize>, words: &'a str) -> impl Iterator<Item = usize> + 'a {
    let joins = |one: Option<char>, other: Option<char>| {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        one.is_some_and(is_part) && other.is_some_and(is_part)
    };
    let start = within.start;
    text[within].match_indices(words).map(move |(at, _)| start + at).filter(move |at| {
        let before = text[..*at].chars().next_back();
        let after = text[at + words.len()..].chars().next();
        !joins(before, words.chars().next()) && !joins(words.chars().next_back(), after)
    })
}

/// The next place at which a character begins.
fn ceil(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_as_editors_do() {
        for (text, lines) in [("", 0), ("a", 1), ("a\n", 1), ("a\nb", 2), ("a\n\n", 2)] {
            assert_eq!(FileText::new(text.as_bytes()).line_count(), lines, "{text:?}");
        }
    }

    #[test]
    fn words_are_found_whatever_white_space_stands_between_them() {
        let file = FileText::new(b"fn a() {\n    let timeout = 30;\n\n    call(x,\n         y);\n}\nlet timeout = 30;\n");
        let find = |words: &str, near: Option<u32>| {
            let found = file.find(words, near.map(Lines::one), &mut Patience::default()).unwrap();
            found.map(|lines| lines.to_string())
        };
        assert_eq!(find("let timeout = 30;", None).as_deref(), Some("2"));
        assert_eq!(find("let timeout = 30;", Some(7)).as_deref(), Some("7"));
        assert_eq!(find("let timeout = 30;", Some(6)).as_deref(), Some("7"));
        assert_eq!(find("call(x, y);", Some(4)).as_deref(), Some("4-5"));
        assert_eq!(find("timeout = 3", None), None, "a number is not found inside of a longer one");
        assert_eq!(find("  ", None), None);
    }

    #[test]
    fn only_what_stands_elsewhere_is_searched_for_and_not_for_ever() {
        let file = FileText::new(b"one\ntwo\nthree\n");
        let mut patience = Patience::to_search(20);
        let mut find = |words: &str, line: u32| file.find(words, Some(Lines::one(line)), &mut patience);
        assert_eq!(find("two", 2), Ok(Some(Lines::one(2))));
        assert_eq!(find("two", 1), Ok(Some(Lines::one(2))));
        assert_eq!(find("two", 1), Err(Weary));
        assert_eq!(find("two", 2), Ok(Some(Lines::one(2))), "what stands where it is said to costs nothing");
    }

    #[test]
    fn bytes_that_are_no_text_do_no_harm() {
        let file = FileText::new(b"ok\n\xff\xfe \n");
        assert_eq!(file.line_count(), 2);
        assert_eq!(file.find("ok", Some(Lines::one(9)), &mut Patience::default()), Ok(Some(Lines::one(1))));
    }
}

//! A file as text, in which words can be looked up by their lines.

use std::fmt::Write;
use std::sync::OnceLock;

use super::super::citation::Lines;
use super::headings::Headings;
use super::nearest::{Patience, Weary};
use super::squeezed::{Squeezed, loosen, loosen_into, squeeze, squeeze_into, without_comment_mark};

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
    loosened: OnceLock<Squeezed>,
    /// None where no line is a comment.
    uncommented: OnceLock<Option<Squeezed>>,
    headings: OnceLock<Headings>,
}

/// The parts of a quote in their order, each in every way in which it may stand in a file, the likeliest first.
pub(super) type Parts = [Vec<String>];

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
        Self {
            text,
            starts,
            squeezed: OnceLock::new(),
            loosened: OnceLock::new(),
            uncommented: OnceLock::new(),
            headings: OnceLock::new(),
        }
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
        let at = |line: u32| self.starts.get(line as usize).copied().unwrap_or(self.text.len());
        &self.text[at(lines.first.saturating_sub(1))..at(lines.last)]
    }

    /// These lines with some around them, each with its number; the beginning of the file where no lines are named. Bounded
    /// in size.
    pub fn passage(&self, lines: Option<Lines>) -> String {
        let (from, to) = lines
            .map_or((1, u32::MAX), |lines| (lines.first.saturating_sub(AROUND).max(1), lines.last.saturating_add(AROUND)));
        let mut passage = String::new();
        for (line, number) in self.of(Lines::new(from, to)).lines().zip(from..) {
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

    /// The line of the heading that a link names so.
    pub(super) fn heading(&self, name: &str) -> Option<u32> {
        self.headings.get_or_init(|| Headings::of(self.lines())).line(name)
    }

    /// The lines at which the words stand, nearest to `near` first: as they are, or with other white space between them.
    /// A word or a number is not found inside of a longer one. Patience is taken where much of the file must be searched.
    pub(super) fn find(&self, words: &str, near: Option<Lines>, patience: &mut Patience) -> Result<Option<Lines>, Weary> {
        self.find_in_order(&[vec![words.to_owned()]], near, patience)
    }

    /// The lines from the first part of a quote to its last, each of which stands behind the one before it.
    pub(super) fn find_in_order(
        &self,
        parts: &Parts,
        near: Option<Lines>,
        patience: &mut Patience,
    ) -> Result<Option<Lines>, Weary> {
        // Most citations are true to the letter, and then nothing but the cited lines need be looked at.
        if let (Some(near), [only]) = (near, parts)
            && let Some(words) = only.first()
            && let Some(at) = self.find_as_it_is(words.trim(), near, patience)?
        {
            return Ok(Some(at));
        }
        self.squeezed().in_order(&written(parts, squeeze), near, patience)
    }

    /// The same whatever white space stands beside signs, and without the marks of Markdown: `f( x )` is `f(x)`.
    pub(super) fn find_loosely(
        &self,
        parts: &Parts,
        near: Option<Lines>,
        patience: &mut Patience,
    ) -> Result<Option<Lines>, Weary> {
        self.loosened().in_order(&written(parts, loosen), near, patience)
    }

    /// The same without the marks of comments at the beginnings of lines: a sentence of a comment may go over several.
    pub(super) fn find_in_comments(
        &self,
        parts: &Parts,
        near: Option<Lines>,
        patience: &mut Patience,
    ) -> Result<Option<Lines>, Weary> {
        let is_sentence = |part: &Vec<String>| part.iter().any(|words| words.split_whitespace().nth(2).is_some());
        if !parts.iter().any(is_sentence) {
            return Ok(None);
        }
        match self.uncommented() {
            Some(text) => text.in_order(&written(parts, loosen), near, patience),
            None => Ok(None),
        }
    }

    /// The lines at which the words stand just so, if they begin in these.
    fn find_as_it_is(&self, words: &str, near: Lines, patience: &mut Patience) -> Result<Option<Lines>, Weary> {
        let at = |line: u32| self.starts.get(line as usize).copied().unwrap_or(self.text.len());
        let lines = at(near.first.saturating_sub(1))..at(near.last);
        let found = super::squeezed::begins_in(&self.text, lines, words, patience)?;
        let line = |at: usize| u32::try_from(self.starts.partition_point(|start| *start <= at)).unwrap_or(u32::MAX);
        Ok(found.map(|at| Lines::new(line(at), line(at + words.len() - 1))))
    }

    fn squeezed(&self) -> &Squeezed {
        self.squeezed.get_or_init(|| self.made_by(squeeze_into))
    }

    fn loosened(&self) -> &Squeezed {
        self.loosened.get_or_init(|| {
            let mut spaced = false;
            self.made_by(|into, line| spaced = loosen_into(into, line, spaced))
        })
    }

    fn uncommented(&self) -> Option<&Squeezed> {
        let made = || {
            let mut spaced = false;
            self.made_by(|into, line| spaced = loosen_into(into, without_comment_mark(line), spaced))
        };
        let commented = || self.lines().any(|line| without_comment_mark(line).len() < line.len());
        self.uncommented.get_or_init(|| commented().then(made)).as_ref()
    }

    fn made_by(&self, add: impl FnMut(&mut String, &str)) -> Squeezed {
        Squeezed::new(&self.text, self.starts.len(), add)
    }
}

/// The parts as a text has them that was made in this way.
fn written(parts: &Parts, way: fn(&str) -> String) -> Vec<Vec<String>> {
    let ways = |part: &Vec<String>| {
        let mut ways: Vec<String> = Vec::with_capacity(part.len());
        for words in part.iter().map(|words| way(words)).filter(|words| !words.is_empty()) {
            if !ways.contains(&words) {
                ways.push(words);
            }
        }
        ways
    };
    parts.iter().map(ways).collect()
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
    fn lines_without_end_are_searched_with_patience_though_they_are_cited() {
        let text = format!("{}last line\n", "a line of many\n".repeat(8_000));
        let file = FileText::new(text.as_bytes());
        let all = Some(Lines::new(1, 8_001));
        let mut patience = Patience::to_search(3 * text.len());
        let mut find = |words: &str| file.find(words, all, &mut patience);
        assert_eq!(find("last line"), Ok(Some(Lines::one(8_001))));
        assert_eq!(find("last line"), Ok(Some(Lines::one(8_001))));
        assert_eq!(find("last line"), Ok(Some(Lines::one(8_001))));
        assert_eq!(find("last line"), Err(Weary));
    }

    #[test]
    fn a_passage_has_the_lines_around_those_that_are_cited() {
        let text = (1..=40).map(|number| format!("line {number}")).collect::<Vec<_>>().join("\n");
        let file = FileText::new(text.as_bytes());
        let numbers = |lines: Option<Lines>| {
            let passage = file.passage(lines);
            let numbers: Vec<String> = passage.lines().map(|line| line.replace(": line ", "=")).collect();
            (numbers.first().cloned().unwrap_or_default(), numbers.last().cloned().unwrap_or_default(), numbers.len())
        };
        assert_eq!(numbers(Some(Lines::one(20))), ("14=14".into(), "26=26".into(), 13));
        assert_eq!(numbers(Some(Lines::one(2))), ("1=1".into(), "8=8".into(), 8));
        assert_eq!(numbers(Some(Lines::new(38, 99))), ("32=32".into(), "40=40".into(), 9));
        assert_eq!(numbers(None), ("1=1".into(), "40=40".into(), 40));
    }

    #[test]
    fn bytes_that_are_no_text_do_no_harm() {
        let file = FileText::new(b"ok\n\xff\xfe \n");
        assert_eq!(file.line_count(), 2);
        assert_eq!(file.find("ok", Some(Lines::one(9)), &mut Patience::default()), Ok(Some(Lines::one(1))));
    }
}

//! A file as text, in which quotes can be looked up by their lines.

use std::fmt::Write;
use std::sync::OnceLock;

use super::super::Lines;
use super::searching::{Exhausted, SearchBudget, Searchable, loosen_into, squeeze_into};

/// How many lines around those that are cited a passage has, and how long it is at most.
const AROUND: u32 = 6;
const LONGEST_PASSAGE: usize = 4_000;
const LONGEST_LINE: usize = 1_000;

/// A file's text. The forms in which it is searched are made when they are first needed.
#[derive(Debug)]
pub struct FileText {
    text: String,
    starts: Vec<usize>,
    squeezed: OnceLock<Searchable>,
    loosened: OnceLock<Searchable>,
}

impl FileText {
    /// The text of these bytes; what is no UTF-8 is replaced.
    pub fn new(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let mut starts = vec![0];
        starts.extend(text.match_indices('\n').map(|(at, _)| at + 1));
        // What follows the last line break is a line only if there is something.
        if starts.last() == Some(&text.len()) {
            starts.pop();
        }
        Self { text, starts, squeezed: OnceLock::new(), loosened: OnceLock::new() }
    }

    pub fn line_count(&self) -> u32 {
        u32::try_from(self.starts.len()).unwrap_or(u32::MAX)
    }

    pub fn len(&self) -> usize {
        self.text.len()
    }

    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    pub fn lines(&self) -> impl Iterator<Item = &str> {
        self.text.lines()
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// Lines with their numbers and some around them; the beginning of the file without any.
    pub fn passage(&self, lines: Option<Lines>) -> String {
        let (from, to) = lines
            .map_or((1, u32::MAX), |lines| (lines.first.saturating_sub(AROUND).max(1), lines.last.saturating_add(AROUND)));
        let at = |line: u32| self.starts.get(line as usize).copied().unwrap_or(self.text.len());
        let mut passage = String::new();
        for (line, number) in self.text[at(from - 1)..at(to)].lines().zip(from..) {
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

    /// Where a quote is: as it is written, else with other white space and without emphasis, else in parts that `…` joins.
    pub(super) fn find(
        &self,
        quote: &str,
        near: Option<Lines>,
        budget: &mut SearchBudget,
    ) -> Result<Option<Lines>, Exhausted> {
        let parts: Vec<&str> = quote.split('…').flat_map(|part| part.split("...")).map(str::trim).collect();
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        let mut ways = vec![vec![quote]];
        if parts.len() > 1 || parts.first().is_some_and(|part| *part != quote.trim()) {
            ways.push(parts);
        }
        for way in &ways {
            let squeezed: Vec<String> = way.iter().map(|part| squeeze(part)).collect();
            if let Some(at) = self.squeezed().find(&squeezed, near, budget)? {
                return Ok(Some(at));
            }
            let loosened: Vec<String> = way.iter().map(|part| loosen(part)).collect();
            if let Some(at) = self.loosened().find(&loosened, near, budget)? {
                return Ok(Some(at));
            }
        }
        Ok(None)
    }

    fn squeezed(&self) -> &Searchable {
        self.squeezed.get_or_init(|| Searchable::new(&self.text, self.starts.len(), squeeze_into))
    }

    fn loosened(&self) -> &Searchable {
        self.loosened.get_or_init(|| {
            let mut spaced = false;
            Searchable::new(&self.text, self.starts.len(), |into, line| spaced = loosen_into(into, line, spaced))
        })
    }
}

impl AsRef<FileText> for FileText {
    fn as_ref(&self) -> &FileText {
        self
    }
}

fn squeeze(words: &str) -> String {
    let mut squeezed = String::with_capacity(words.len());
    squeeze_into(&mut squeezed, words);
    squeezed.trim().to_owned()
}

fn loosen(words: &str) -> String {
    let mut loosened = String::with_capacity(words.len());
    loosen_into(&mut loosened, words, false);
    loosened
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
    fn a_quote_is_found_whatever_its_white_space_and_emphasis() {
        let text = "fn a() {\n    let timeout = 30;\n\n    call(x,\n         y);\n}\nlet timeout = 30;\nRun `make` **now**.\nf(...args)\n";
        let file = FileText::new(text.as_bytes());
        let find = |words: &str, near: Option<u32>| {
            let found = file.find(words, near.map(Lines::one), &mut SearchBudget::default()).unwrap();
            found.map(|lines| lines.to_string()).unwrap_or_default()
        };
        assert_eq!(find("let timeout = 30;", None), "2");
        assert_eq!(find("let timeout = 30;", Some(7)), "7");
        assert_eq!(find("let timeout = 30;", Some(6)), "7");
        assert_eq!(find("call( x, y );", Some(4)), "4-5");
        assert_eq!(find("Run make now.", None), "8");
        assert_eq!(find("f(...args)", None), "9");
        assert_eq!(find("fn a() { … y);", None), "1-5");
        assert_eq!(find("y); … fn a() {", None), "");
        assert_eq!(find("timeout = 3", None), "", "a number is not found inside a longer one");
        assert_eq!(find("  ", None), "");
    }

    #[test]
    fn only_what_is_elsewhere_costs_anything() {
        let file = FileText::new(b"one\ntwo\nthree\n");
        let mut budget = SearchBudget::of(20);
        let mut find = |words: &str, line: u32| file.find(words, Some(Lines::one(line)), &mut budget);
        assert_eq!(find("two", 2), Ok(Some(Lines::one(2))));
        assert_eq!(find("two", 1), Ok(Some(Lines::one(2))));
        assert_eq!(find("two", 1), Err(Exhausted));
        assert_eq!(find("two", 2), Ok(Some(Lines::one(2))));
    }

    #[test]
    fn a_passage_has_the_lines_around_those_that_are_cited() {
        let text = (1..=40).map(|number| format!("line {number}")).collect::<Vec<_>>().join("\n");
        let file = FileText::new(text.as_bytes());
        let ends = |lines: Option<Lines>| {
            let passage = file.passage(lines);
            let all: Vec<&str> = passage.lines().collect();
            (all[0].to_owned(), all[all.len() - 1].to_owned())
        };
        assert_eq!(ends(Some(Lines::one(20))), ("14: line 14".into(), "26: line 26".into()));
        assert_eq!(ends(Some(Lines::new(38, 99))), ("32: line 32".into(), "40: line 40".into()));
        assert_eq!(ends(None), ("1: line 1".into(), "40: line 40".into()));
    }
}

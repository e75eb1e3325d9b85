//! The one reader of Markdown critiques: lists below headings of a severity, and items that begin with `[P1]`.
//!
//! It follows the structure alone. A section of a severity holds items (a list, or headings below its own) or says "None";
//! one that holds only prose can't be read, and the critic is asked again. Everything outside the lists is the summary: what
//! the critic recommends and which files it checked are fields of the JSON form alone.

use pulldown_cmark::{Event, Parser, Tag};

use super::{Critique, Finding, Missing, Severity};
use crate::debate::Rejection;
use crate::evidence::scan;

/// All that says that a list is empty.
const NONE: &str = "none, none found, none identified, nothing, nothing found, no issues, no issues found, no findings, \
    no concerns, n/a";

/// The level of a line that is a heading by being bold, or a bare label: below those of `#`.
const BOLD: usize = 7;

pub(super) fn read(text: &str) -> Result<Critique, Rejection> {
    let mut reader = Reader::default();
    reader.blocks(text)?;
    reader.close()?;
    let stated = Severity::ALL.iter().all(|severity| reader.sections.contains(severity));
    if reader.critique.findings.is_empty() && !stated {
        let reason = "no findings can be read from the answer; answer with the JSON object";
        return Err(Rejection::new("critique:nothing_recognised", reason));
    }
    Ok(Critique { summary: reader.summary.trim().to_owned(), ..reader.critique })
}

/// What the blocks belong to that come now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Section {
    #[default]
    Other,
    Findings(Severity),
    Missing,
}

/// How the items of a section begin. The first one sets it: a list below a heading within an item is part of that item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    Heading(usize),
    Bullet,
    Number,
}

#[derive(Default)]
struct Reader {
    critique: Critique,
    summary: String,
    section: Section,
    level: usize,
    style: Option<Style>,
    /// The item that has begun: its severity, none for something missing, and its text.
    item: Option<(Option<Severity>, String)>,
    /// Text of the section before its first item.
    loose: String,
    sections: Vec<Severity>,
}

impl Reader {
    fn blocks(&mut self, text: &str) -> Result<(), Rejection> {
        let mut end = 0;
        for (event, range) in Parser::new(text).into_offset_iter() {
            let Event::Start(tag) = event else { continue };
            // What is inside a block is read with it; only of a list the items are read one by one.
            if range.start < end || matches!(tag, Tag::List(_)) {
                continue;
            }
            end = range.end;
            let block = text[range].trim();
            match tag {
                Tag::Item => self.item(block)?,
                Tag::Heading { level, .. } if block.starts_with('#') => {
                    self.heading(level as usize, block.trim_matches(['#', ' ']), block)?;
                }
                // Words right above `---` are a heading for Markdown alone.
                Tag::Heading { .. } | Tag::Paragraph => block.lines().try_for_each(|line| self.line(line))?,
                _ => self.text(block),
            }
            self.text("");
        }
        Ok(())
    }

    /// A line of a paragraph.
    fn line(&mut self, line: &str) -> Result<(), Rejection> {
        if let Some(title) = bold(line) {
            return self.heading(BOLD, title, line);
        }
        if list_item(line).is_some() {
            return self.item(line);
        }
        // This line comes after the lists and is not part of the last section.
        let label = line.split_once(':').map(|(label, _)| label.trim_matches(['*', '_', ' ']));
        if label.is_some_and(|label| label.eq_ignore_ascii_case("recommendation")) {
            self.open(Section::Other, BOLD)?;
        }
        match tag(line) {
            Some(Tagged { severity, rest, is_marked: true }) if !is_none(rest) => {
                self.open(Section::Findings(severity), BOLD)?;
                self.begin(Some(severity), rest);
            }
            Some(Tagged { severity, rest, .. }) if is_none(rest) || line.ends_with([':', ')']) => {
                self.open(Section::Findings(severity), BOLD)?;
            }
            _ => self.text(line),
        }
        Ok(())
    }

    fn heading(&mut self, level: usize, title: &str, line: &str) -> Result<(), Rejection> {
        let item = tag(title).filter(|tagged| title.trim_matches('*').starts_with('[') && !is_none(tagged.rest));
        match severities(title)[..] {
            [] => {}
            [severity] => {
                self.open(Section::Findings(severity), level)?;
                if let Some(Tagged { rest, .. }) = item {
                    self.begin(Some(severity), rest);
                }
                return Ok(());
            }
            _ => {
                let reason = format!("a heading names several severities: {title}");
                return Err(Rejection::new("critique:unclear_severity", reason));
            }
        }
        if title.trim_matches([':', '*', '_', ' ']).eq_ignore_ascii_case("missing") {
            return self.open(Section::Missing, level);
        }
        if level <= self.level {
            self.open(Section::Other, level)?;
        }
        self.part(Style::Heading(level), title, line);
        Ok(())
    }

    fn item(&mut self, block: &str) -> Result<(), Rejection> {
        let Some((style, words)) = list_item(block) else {
            self.text(block);
            return Ok(());
        };
        let (first, below) = words.split_once('\n').unwrap_or((words, ""));
        match tag(first).filter(|_| self.style.is_none_or(|known| known == style)) {
            // The label of a list below it.
            Some(Tagged { severity, rest, .. }) if is_none(rest) => {
                self.open(Section::Findings(severity), BOLD)?;
                self.blocks(below)?;
            }
            Some(Tagged { severity, rest, .. }) => {
                self.style = Some(style);
                self.begin(Some(severity), &format!("{rest}\n{below}"));
            }
            None => self.part(style, words, block),
        }
        Ok(())
    }

    /// The next item of the section, if it begins as the others do; else a part of what came before it.
    fn part(&mut self, style: Style, words: &str, whole: &str) {
        if self.section != Section::Other && self.style.is_none_or(|known| known == style) {
            self.style = Some(style);
            self.begin(None, words);
        } else {
            self.text(whole);
        }
    }

    /// Words that begin nothing: they go on with the item, else with the section.
    fn text(&mut self, words: &str) {
        let into = match (&mut self.item, self.section) {
            (Some((_, item)), _) => item,
            (None, Section::Other) => &mut self.summary,
            (None, _) => &mut self.loose,
        };
        if !(words.is_empty() && into.is_empty()) {
            into.push_str(words);
            into.push('\n');
        }
    }

    fn begin(&mut self, severity: Option<Severity>, words: &str) {
        self.finish();
        self.summary.push_str(&std::mem::take(&mut self.loose));
        let listed = if let Section::Findings(severity) = self.section { Some(severity) } else { None };
        // Of two severities the graver one counts.
        self.item = Some((severity.into_iter().chain(listed).min(), format!("{words}\n")));
    }

    fn open(&mut self, section: Section, level: usize) -> Result<(), Rejection> {
        self.close()?;
        (self.section, self.level, self.style) = (section, level, None);
        if let Section::Findings(severity) = section {
            self.sections.push(severity);
        }
        Ok(())
    }

    fn close(&mut self) -> Result<(), Rejection> {
        self.finish();
        let loose = std::mem::take(&mut self.loose);
        match self.section {
            _ if is_none(&loose) => {}
            Section::Findings(severity) => {
                let reason = format!("below {severity} there is neither a list nor \"None\"");
                return Err(Rejection::new("critique:no_list", reason));
            }
            _ => self.summary.push_str(&loose),
        }
        Ok(())
    }

    fn finish(&mut self) {
        let Some((severity, text)) = self.item.take().filter(|(_, text)| !is_none(text)) else { return };
        let (title, explanation) = titled(text.trim());
        let Some(severity) = severity else {
            return self.critique.missing.push(Missing { id: String::new(), title, explanation });
        };
        let mut evidence: Vec<_> = scan(&text).into_iter().map(|mention| mention.evidence).collect();
        evidence.dedup();
        let (id, suggestion, part, from_prose) = (String::new(), String::new(), String::new(), true);
        self.critique.findings.push(Finding { id, severity, title, explanation, evidence, suggestion, part, from_prose });
    }
}

/// The words of a line that is bold as a whole.
fn bold(line: &str) -> Option<&str> {
    let bare = line.trim_end_matches([':', ' ']);
    let inside = ["**", "__"].iter().find_map(|mark| bare.strip_prefix(mark)?.strip_suffix(mark));
    inside.filter(|words| !words.contains(['*', '_'])).map(str::trim)
}

/// How an item of a list begins, and its words: `- `, `2. `.
fn list_item(text: &str) -> Option<(Style, &str)> {
    let bare = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let (style, words) = if bare.len() < text.len() {
        (Style::Number, bare.strip_prefix(['.', ')'])?)
    } else {
        (Style::Bullet, bare.strip_prefix(['-', '*', '+', '•'])?)
    };
    words.starts_with([' ', '\t']).then(|| (style, words.trim()))
}

/// A severity at the beginning of words.
struct Tagged<'a> {
    severity: Severity,
    rest: &'a str,
    /// Whether it is set off, as in `[P1]` and `P1:`.
    is_marked: bool,
}

fn tag(words: &str) -> Option<Tagged<'_>> {
    let bare = words.trim_start_matches(['*', '_', '`', '[', '(']);
    let begins = |name: &&&str| bare.get(..name.len()).is_some_and(|head| head.eq_ignore_ascii_case(name));
    let mut after = bare[["priority ", "priority-", "p"].iter().find(begins)?.len()..].chars();
    let severity = severity_of(after.next()?).filter(|_| !after.as_str().starts_with(char::is_alphanumeric))?;
    let rest = after.as_str().trim_start_matches([']', ')', '*', '_', '`', ':']);
    let is_marked = after.as_str()[..after.as_str().len() - rest.len()].contains([']', ':']);
    Some(Tagged { severity, rest: rest.trim_start_matches([' ', '-', '–', '—', ':']).trim_end(), is_marked })
}

fn severities(title: &str) -> Vec<Severity> {
    let lower = title.to_lowercase().replace("priority ", "p").replace("priority-", "p");
    let words = lower.split(|c: char| !c.is_alphanumeric());
    let named = words.filter_map(|word| severity_of(word.strip_prefix('p')?.parse().ok()?));
    let mut named: Vec<Severity> = named.collect();
    named.sort();
    named.dedup();
    named
}

fn severity_of(digit: char) -> Option<Severity> {
    match digit {
        '0' | '1' => Some(Severity::P1),
        '2' => Some(Severity::P2),
        '3' => Some(Severity::P3),
        _ => None,
    }
}

fn is_none(words: &str) -> bool {
    let lower = list_item(words.trim()).map_or(words, |(_, words)| words).to_lowercase();
    let words = lower.split_whitespace().filter(|word| severities(word).is_empty());
    let plain = words.collect::<Vec<_>>().join(" ");
    let plain = plain.trim_matches(|c: char| !c.is_alphanumeric());
    plain.is_empty() || NONE.split(", ").any(|none| none == plain)
}

/// The title of an item, its bold words or its first line, and the rest.
fn titled(text: &str) -> (String, String) {
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    let bold = first.strip_prefix("**").and_then(|words| words.split_once("**"));
    let (title, more) = bold.filter(|(title, _)| !title.trim().is_empty()).unwrap_or((first, ""));
    let marks = [':', ' ', '-', '–', '—'];
    let explanation = format!("{}\n{rest}", more.trim_start_matches(marks));
    (title.trim().trim_end_matches(marks).to_owned(), explanation.trim().to_owned())
}

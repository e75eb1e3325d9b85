//! The one reader of Markdown critiques: lists below headings of a severity, and items that begin with `[P1]`.
//!
//! It follows the structure alone. A section of a severity holds items (a list, or headings below its own) or says "None";
//! one that holds only prose can't be read, and the critic is asked again. Everything outside the lists is the summary: what
//! the critic recommends and which files it checked are fields of the JSON form alone.

use super::super::sections;
use super::{Critique, Finding, Missing, Severity};
use crate::debate::Rejection;
use crate::evidence::{fences, scan};

/// All that says that a list is empty.
const NONE: [&str; 10] = [
    "none",
    "none found",
    "none identified",
    "nothing",
    "nothing found",
    "no issues",
    "no issues found",
    "no findings",
    "no concerns",
    "n/a",
];

/// The level of a line that is a heading by being bold, or a bare label: below those of `#`.
const BOLD: usize = 7;

pub(super) fn read(text: &str) -> Result<Critique, Rejection> {
    let mut reader = Reader::default();
    let code = fences(text);
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let line = line.trim_end();
        if code.iter().any(|fence| fence.whole.contains(&start)) {
            reader.text(line);
        } else {
            reader.line(line)?;
        }
    }
    reader.close()?;
    let stated = Severity::ALL.iter().all(|severity| reader.sections.contains(severity));
    if reader.critique.findings.is_empty() && !stated {
        let reason = "no findings can be read from the answer; answer with the JSON object";
        return Err(Rejection::new("critique:nothing_recognised", reason));
    }
    Ok(Critique { summary: reader.summary.trim().to_owned(), ..reader.critique })
}

/// What the lines belong to that come now.
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
    List { ordered: bool, indent: usize },
}

struct Item {
    severity: Option<Severity>,
    text: String,
}

#[derive(Default)]
struct Reader {
    critique: Critique,
    summary: String,
    section: Section,
    level: usize,
    style: Option<Style>,
    item: Option<Item>,
    /// Text of the section before its first item.
    loose: String,
    items: usize,
    sections: Vec<Severity>,
}

impl Reader {
    fn line(&mut self, line: &str) -> Result<(), Rejection> {
        let bare = line.trim();
        if bare.len() >= 3 && bare.chars().all(|c| matches!(c, '-' | '*' | '_' | ' ')) {
            return Ok(());
        }
        if let Some((level, title)) = heading(line) {
            return self.heading(level, title, line);
        }
        if let Some((style, words)) = list_item(line) {
            return self.list_item(style, words, line);
        }
        let is_outer = line.len() == line.trim_start().len();
        // This line comes after the lists and is not part of the last section.
        let label = bare.split_once(':').map(|(label, _)| label.trim_matches(['*', '_', ' ']));
        if is_outer && label.is_some_and(|label| label.eq_ignore_ascii_case("recommendation")) {
            self.open(Section::Other, BOLD)?;
        }
        match tag(bare).filter(|_| is_outer) {
            Some(Tag { severity, rest, mark: Mark::Bracket | Mark::Colon }) if !rest.is_empty() && !is_none(rest) => {
                self.open(Section::Findings(severity), BOLD)?;
                self.begin(Some(severity), rest);
                Ok(())
            }
            Some(Tag { severity, rest, .. }) if is_none(rest) || bare.ends_with([':', ')']) => {
                self.open(Section::Findings(severity), BOLD)
            }
            _ => {
                self.text(line);
                Ok(())
            }
        }
    }

    fn heading(&mut self, level: usize, title: &str, line: &str) -> Result<(), Rejection> {
        match (severities(title).as_slice(), tag(title)) {
            ([severity], Some(Tag { rest, mark: Mark::Bracket, .. })) if !is_none(rest) => {
                self.open(Section::Findings(*severity), level)?;
                self.begin(Some(*severity), rest);
                return Ok(());
            }
            ([severity], _) => return self.open(Section::Findings(*severity), level),
            ([], _) => {}
            _ => {
                let reason = format!("a heading names several severities: {title}");
                return Err(Rejection::new("critique:unclear_severity", reason));
            }
        }
        let section = section_of(title);
        let is_part = section == Section::Other
            && matches!(self.section, Section::Findings(_) | Section::Missing)
            && level > self.level;
        if is_part && self.style.is_none_or(|style| style == Style::Heading(level)) {
            self.style = Some(Style::Heading(level));
            self.begin(None, title);
        } else if is_part {
            self.text(line);
        } else {
            self.open(section, level)?;
            if section == Section::Other {
                self.text(line);
            }
        }
        Ok(())
    }

    fn list_item(&mut self, style: Style, words: &str, line: &str) -> Result<(), Rejection> {
        let is_next = match (self.style, style) {
            (None, _) => true,
            (Some(Style::List { ordered, indent }), Style::List { ordered: other, indent: deep }) => {
                ordered == other && deep <= indent
            }
            (Some(_), _) => false,
        };
        match tag(words).filter(|_| is_next) {
            // The label of a list below it.
            Some(Tag { severity, rest, .. }) if is_none(rest) => return self.open(Section::Findings(severity), BOLD),
            Some(Tag { severity, rest, .. }) => {
                self.style = Some(style);
                self.begin(Some(severity), rest);
            }
            None if is_next && matches!(self.section, Section::Findings(_) | Section::Missing) => {
                self.style = Some(style);
                self.begin(None, words);
            }
            None => self.text(line),
        }
        Ok(())
    }

    /// Words that begin nothing: they go on with the item, else with the section.
    fn text(&mut self, line: &str) {
        let into = match (&mut self.item, self.section) {
            (Some(item), _) => &mut item.text,
            (None, Section::Other) => &mut self.summary,
            (None, _) => &mut self.loose,
        };
        into.push_str(line);
        into.push('\n');
    }

    fn begin(&mut self, severity: Option<Severity>, words: &str) {
        self.finish();
        self.items += 1;
        self.item = Some(Item { severity, text: format!("{words}\n") });
    }

    fn open(&mut self, section: Section, level: usize) -> Result<(), Rejection> {
        self.close()?;
        (self.section, self.level, self.style, self.items) = (section, level, None, 0);
        if let Section::Findings(severity) = section {
            self.sections.push(severity);
        }
        Ok(())
    }

    fn close(&mut self) -> Result<(), Rejection> {
        self.finish();
        let loose = std::mem::take(&mut self.loose);
        match self.section {
            Section::Findings(severity) if self.items == 0 && !is_none(&loose) => {
                let reason = format!("below {} there is neither a list nor \"None\"", severity.as_str());
                return Err(Rejection::new("critique:no_list", reason));
            }
            _ if is_none(&loose) => {}
            _ => self.summary.push_str(&loose),
        }
        self.section = Section::Other;
        Ok(())
    }

    fn finish(&mut self) {
        let Some(Item { severity, text }) = self.item.take().filter(|item| !is_none(&item.text)) else { return };
        let (title, explanation) = titled(text.trim());
        let listed = if let Section::Findings(severity) = self.section { Some(severity) } else { None };
        // Of two severities the graver one counts.
        match severity.into_iter().chain(listed).min() {
            None => self.critique.missing.push(Missing { id: String::new(), title, explanation }),
            Some(severity) => {
                let mut evidence: Vec<_> = scan(&text).into_iter().map(|mention| mention.evidence).collect();
                evidence.dedup();
                let (id, suggestion, part, from_prose) = (String::new(), String::new(), String::new(), true);
                let finding = Finding { id, severity, title, explanation, evidence, suggestion, part, from_prose };
                self.critique.findings.push(finding);
            }
        }
    }
}

fn section_of(title: &str) -> Section {
    let is_missing = title.trim_matches([':', '*', '_', ' ']).eq_ignore_ascii_case("missing");
    if is_missing { Section::Missing } else { Section::Other }
}

/// Level and words of a heading: `## P1`, `**P1**`.
fn heading(line: &str) -> Option<(usize, &str)> {
    let bare = line.trim_end_matches([':', ' ']);
    let inside = ["**", "__"].iter().find_map(|mark| bare.strip_prefix(mark)?.strip_suffix(mark));
    let bold = inside.filter(|words| !words.contains(['*', '_'])).map(|words| (BOLD, words.trim()));
    sections::heading(line).or(bold)
}

/// How an item of a list begins, and its words: `- `, `2. `.
fn list_item(line: &str) -> Option<(Style, &str)> {
    let bare = line.trim_start();
    let indent = line.len() - bare.len();
    let digits = bare.len() - bare.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (ordered, rest) = match digits {
        0 => (false, bare.strip_prefix(['-', '*', '+', '•'])?),
        1..=3 => (true, bare[digits..].strip_prefix(['.', ')'])?),
        _ => return None,
    };
    let words = rest.strip_prefix([' ', '\t'])?.trim();
    Some((Style::List { ordered, indent }, words))
}

/// A severity at the beginning of words.
struct Tag<'a> {
    severity: Severity,
    rest: &'a str,
    mark: Mark,
}

/// What follows the severity: `[P1]`, `P1:`, or neither.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    Bracket,
    Colon,
    Bare,
}

fn tag(words: &str) -> Option<Tag<'_>> {
    let bare = words.trim_start_matches(['*', '_', '`', '[', '(']);
    let lower = bare.get(..bare.len().min(10))?.to_ascii_lowercase();
    let name = ["priority ", "priority-", "p"].iter().find(|name| lower.starts_with(**name))?;
    let digit = bare[name.len()..].chars().next()?;
    let after = &bare[name.len() + digit.len_utf8()..];
    let severity = severity_of(digit).filter(|_| !after.starts_with(char::is_alphanumeric))?;
    let rest = after.trim_start_matches([']', ')', '*', '_', '`', ':']);
    let marks = &after[..after.len() - rest.len()];
    let mark = match marks {
        marks if marks.contains(']') => Mark::Bracket,
        marks if marks.contains(':') => Mark::Colon,
        _ => Mark::Bare,
    };
    Some(Tag { severity, rest: rest.trim_start_matches([' ', '-', '–', '—', ':']).trim_end(), mark })
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
    plain.is_empty() || NONE.contains(&plain)
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

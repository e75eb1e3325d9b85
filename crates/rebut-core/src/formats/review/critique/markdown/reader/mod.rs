//! Walking over the lines of a critique, with the part that it is in and the finding that is open.

mod items;
mod other_parts;
mod said;
mod titled;
mod unknown;
mod untold;

use super::super::none::{is_none, words};
use super::super::outside::lines_named;
use super::super::{Critique, Remark, Severity};
use super::draft::{Draft, Label, Start, label};
use super::lines::Line;
use super::place_in;
use super::titles::{Part, Tag, names_another, part, tag};
use titled::bold_title;
use untold::Untold;

/// How deep a title in bold letters stands: below all headings.
const BOLD: usize = 7;
/// How deep a plain `Title:` stands.
const PLAIN: usize = 8;
/// How deep a title stands that is an item of a list, without its indentation.
const LISTED: usize = 10;

/// What was read.
#[derive(Default)]
pub(super) struct Reading {
    pub(super) critique: Critique,
    /// Whether P1, P2 and P3 were each said to have no findings.
    pub(super) none: [bool; 3],
    /// Whether some part of a critique was there.
    pub(super) recognised: bool,
    /// Whether a finding has no severity.
    pub(super) unsorted: bool,
}

impl Reading {
    /// What stands in no list of a critique and may be a finding.
    fn stray(&mut self, words: &str) {
        self.critique.strays.push(words.to_owned());
    }
}

/// Reads the lines of a critique.
pub(super) fn read(lines: &[Line<'_>]) -> Reading {
    let mut reader = Reader::default();
    let mut at = 0;
    while at < lines.len() {
        if let Line::Row(_) = lines[at] {
            let rows: Vec<&str> =
                lines[at..].iter().map_while(|line| if let Line::Row(row) = line { Some(*row) } else { None }).collect();
            reader.note_speech();
            reader.table(&rows);
            at += rows.len();
            reader.after_blank = false;
            continue;
        }
        reader.line(&lines[at], lines.get(at + 1));
        reader.after_blank = matches!(lines[at], Line::Blank);
        at += 1;
    }
    reader.finish()
}

#[derive(Default)]
struct Reader {
    reading: Reading,
    /// The part that is being read, and how deep its title stands.
    part: Option<(Part, usize)>,
    draft: Option<Draft>,
    /// The first item of the list: its indentation, and whether it is numbered.
    list: Option<(usize, bool)>,
    /// The file that the last heading named.
    file: Option<String>,
    /// Severities that had a title, in case nothing stands under it.
    titled: [bool; 3],
    /// Severities under whose title something stands.
    spoken: [bool; 3],
    /// The prose before the first part.
    preamble: Vec<String>,
    /// A title of no known part, with the prose under it: where a severity follows, it was a finding's.
    untold: Option<Untold>,
    /// The title of the section that is being read, where it is of no known part.
    unknown: Option<String>,
    /// Whether the list that is being read has findings with tags of their own: an item without one is a finding as well.
    tagged: bool,
    /// The words behind the severity of the heading that was just read, if they may be a section's subtitle.
    subtitle: Option<String>,
    /// The subtitle of the section that is being read.
    group: Option<String>,
    /// Whether the title of the section counts its findings, or says that there are none: prose under it is none of them.
    counted: bool,
    after_blank: bool,
    /// A rule stands behind the findings: prose that follows closes the answer.
    paused: bool,
    recommendations: Vec<Option<super::super::Recommendation>>,
    /// The words of the last recommendation, as long as more of them may follow, and which of all it is.
    verdict: Option<(usize, String)>,
    /// Whether the line before belongs to these words.
    in_verdict: bool,
    /// How the paragraph begins that is being read as a finding.
    mark: Option<Mark>,
}

impl Reader {
    fn line(&mut self, line: &Line<'_>, next: Option<&Line<'_>>) {
        if matches!(line, Line::Code { .. } | Line::Item { .. } | Line::Text { .. }) {
            self.note_speech();
        }
        if !matches!(line, Line::Blank | Line::Item { .. }) {
            self.subtitle = None;
        }
        let in_verdict = std::mem::take(&mut self.in_verdict);
        match line {
            Line::Blank | Line::Row(_) => {}
            Line::Rule => {
                self.close();
                self.paused = self.part.is_some();
            }
            Line::Heading { level, text } => {
                self.verdict = None;
                self.title(*level, text);
            }
            Line::Code { info, body } => self.code(info, body),
            Line::Item { indent, ordered, text } => self.item(*indent, *ordered, text, next),
            Line::Text { text, .. } if self.goes_on_with_verdict(text, in_verdict) => {}
            Line::Text { indent, text } => {
                let inside = matches!(self.draft, Some(Draft { start: Start::Item(at), .. }) if *indent > at);
                match bold_title(text)
                    .filter(|title| !inside && label(title).is_none_or(|(found, _)| found != Label::Severity))
                {
                    Some(title) if self.is_titled(title, text) => self.title(BOLD, title),
                    title => {
                        self.text(*indent, text, inside, next);
                        if let Some(title) = title.filter(|_| self.draft.is_none() && self.severity_or_findings().is_none())
                        {
                            self.entitle(text, title);
                        }
                    }
                }
            }
        }
    }

    /// Something stands in the section of a severity, so that it is not empty even if nothing of it could be read.
    fn note_speech(&mut self) {
        if let (Some((Part::Severity(severity), _)), false) = (self.part, self.paused) {
            self.spoken[index(severity)] = true;
        }
    }

    /// The severity of the findings that are being read, if some are; none within if each says its own.
    #[expect(
        clippy::option_option,
        reason = "whether findings are read, and whether their severity is known, are two questions"
    )]
    fn severity_or_findings(&self) -> Option<Option<Severity>> {
        match self.part {
            Some((Part::Severity(severity), _)) => Some(Some(severity)),
            Some((Part::Findings, _)) => Some(None),
            _ => None,
        }
    }

    fn text(&mut self, indent: usize, text: &str, inside: bool, next: Option<&Line<'_>>) {
        let goes_on = !self.after_blank;
        if let Some(draft) = self.draft.as_mut().filter(|_| inside) {
            return if goes_on { draft.go_on(indent, text) } else { draft.add(indent, text) };
        }
        if self.takes_severity(indent, text, false) || self.begins_block(text) {
            return;
        }
        match tag(text) {
            Some(Tag::Title(severity)) => return self.begin(Part::Severity(severity), PLAIN),
            Some(Tag::None(severity)) => {
                self.begin(Part::Severity(severity), PLAIN);
                self.counted = true;
                self.reading.none[index(severity)] = true;
                return;
            }
            Some(Tag::Count(severity)) => return self.count(severity, PLAIN),
            Some(Tag::Finding { severity, text, set_off: true }) => {
                self.close();
                self.reading.recognised = true;
                if self.severity_or_findings().is_none() {
                    self.part = Some((Part::Findings, PLAIN));
                }
                self.draft = Some(Draft::new(Start::Paragraph, Some(severity), &text));
                return;
            }
            _ => {}
        }
        if self.recommends(text, PLAIN) || self.states(text) {
            return;
        }
        let labelled = label(text);
        let under = self.part.is_some_and(|(_, depth)| PLAIN > depth);
        if let Some(draft) = self.draft.as_mut().filter(|_| labelled.is_some() && under) {
            return draft.add(indent, text);
        }
        // Within the text under a finding's heading, `Missing: a rollback plan` is about the finding.
        let told_of_finding = goes_on && matches!(self.draft, Some(Draft { start: Start::Heading(_), has_body: true, .. }));
        if let Some((part, rest)) = part(text).filter(|_| text.contains(':') && !told_of_finding) {
            self.begin(part, PLAIN);
            if !rest.is_empty() {
                self.content(&rest);
            }
            return;
        }
        if self.severity_or_findings().is_none() || self.paused {
            return self.prose(text, goes_on);
        }
        self.paragraph(indent, text, goes_on, next);
    }

    /// A line of prose where findings are read.
    fn paragraph(&mut self, indent: usize, text: &str, goes_on: bool, next: Option<&Line<'_>>) {
        let mark = Mark::of(text);
        let alike = goes_on && mark.is_some() && mark == self.mark;
        let leads = text.starts_with("**") || begins_with_place(text) || alike || self.tells_of_another(text, goes_on);
        match self.draft.as_mut() {
            Some(draft) if alike && draft.start == Start::Paragraph => self.close(),
            Some(draft) if goes_on && draft.has_body => return draft.go_on(indent, text),
            Some(draft) if goes_on && !matches!(draft.start, Start::Heading(_)) => return draft.go_on(indent, text),
            Some(draft) if matches!(draft.start, Start::Heading(_)) => return draft.add(indent, text),
            Some(draft) if draft.start == Start::Paragraph && !leads => return draft.add(indent, text),
            // Prose behind a list closes the section. It is no finding of the list.
            Some(_) if !leads => {
                self.close();
                return self.stray_line(text);
            }
            _ => self.close(),
        }
        let introduces = text.ends_with(':') && matches!(next, Some(Line::Blank | Line::Item { .. } | Line::Row(_)) | None);
        if is_none(text) {
            return self.none_here();
        }
        let Some((Part::Severity(severity), _)) = self.part else { return self.prose(text, goes_on) };
        if !leads && ends_section(text, severity) {
            self.begin(Part::Other, PLAIN);
            self.set_untold(Untold::title(PLAIN, text));
            return;
        }
        if leads || (!introduces && self.list.is_none() && !self.counted) {
            self.reading.recognised = true;
            self.draft = Some(Draft::new(Start::Paragraph, Some(severity), text));
            self.mark = mark;
        } else if !introduces {
            self.stray_line(text);
        }
    }

    /// Whether a paragraph names another line than the paragraph before it, which is a finding of its own.
    fn tells_of_another(&self, text: &str, goes_on: bool) -> bool {
        let before = self.draft.as_ref().filter(|draft| !goes_on && draft.start == Start::Paragraph);
        before.is_some_and(|draft| draft.names_others_than(&lines_named(text)))
    }

    fn close(&mut self) {
        let Some(draft) = self.draft.take() else { return };
        // A heading under which only tagged findings follow groups them, and is none itself.
        let groups = draft.severity.is_none() && matches!(draft.start, Start::Heading(_)) && !draft.has_body;
        if groups {
            return;
        }
        match draft.close(self.file.as_deref()) {
            Some((severity, remark)) => {
                self.reading.unsorted |= severity.is_none();
                let findings: &mut Vec<Remark> = &mut self.reading.critique.findings;
                findings.push(remark);
            }
            None => self.none_here(),
        }
    }

    fn finish(mut self) -> Reading {
        self.close();
        self.set_untold(None);
        let Self { mut reading, recommendations, preamble, titled, spoken, .. } = self;
        for at in 0..titled.len() {
            reading.none[at] |= titled[at] && !spoken[at];
        }
        let first = recommendations.iter().flatten().next().copied();
        reading.critique.recommendation = first.filter(|first| recommendations.iter().all(|other| *other == Some(*first)));
        if reading.critique.summary.is_empty() {
            reading.critique.summary = preamble.join("\n");
        }
        reading
    }
}

/// Whether a short line of prose leads over to another severity, in words that are no title.
fn ends_section(text: &str, severity: Severity) -> bool {
    const LONGEST: usize = 8;
    words(text).len() <= LONGEST && text.trim_end().ends_with(':') && names_another(text, Some(severity))
}

/// The mark with which a line begins, as items have them that are written without a list: `🔴 …`, `F1: …`, `ii. …`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    Ornament(char),
    Number,
}

impl Mark {
    fn of(text: &str) -> Option<Self> {
        let first = text.chars().next()?;
        if !first.is_alphanumeric() && !first.is_ascii() {
            return Some(Self::Ornament(first));
        }
        let (number, _) = text.split_once([':', '.', ')']).filter(|(_, behind)| behind.starts_with(' '))?;
        let digits = number.trim_start_matches(|c: char| c.is_ascii_uppercase() || matches!(c, '#' | '-'));
        let counts = !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit());
        let roman = !number.is_empty() && number.chars().all(|c| matches!(c, 'i' | 'v' | 'x'));
        ((counts && number.len() <= 4) || roman).then_some(Self::Number)
    }
}

fn index(severity: Severity) -> usize {
    severity as usize
}

/// Whether a paragraph begins with a place, as one that tells of a finding does.
fn begins_with_place(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default();
    place_in(first).is_some_and(|place| place.contains(':'))
}

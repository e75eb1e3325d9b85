//! Walking over the lines of a critique, with the part that it is in and the finding that is open.

mod said;
mod titled;
mod untold;

use super::super::none::{is_none, words};
use super::super::{Critique, Remark, Severity, recommendation};
use super::draft::{Draft, Label, Start, label};
use super::entries;
use super::lines::Line;
use super::place_in;
use super::table;
use super::titles::{Part, Tag, clean, names_another, part, tag, trailing_tag};
use titled::bold_title;
use untold::{Untold, names_a_line};

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
    /// What names a line and stands where no part of a critique is: it may be a finding.
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
}

impl Reader {
    fn line(&mut self, line: &Line<'_>, next: Option<&Line<'_>>) {
        if matches!(line, Line::Code { .. } | Line::Item { .. } | Line::Text { .. }) {
            self.note_speech();
        }
        if !matches!(line, Line::Blank | Line::Item { .. }) {
            self.subtitle = None;
        }
        match line {
            Line::Blank | Line::Row(_) => {}
            Line::Rule => {
                self.close();
                self.paused = self.part.is_some();
            }
            Line::Heading { level, text } => self.title(*level, text),
            Line::Code { info, body } => self.code(info, body),
            Line::Item { indent, ordered, text } => self.item(*indent, *ordered, text, next),
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
                            self.set_untold(Untold::title(BOLD, title));
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

    fn item(&mut self, indent: usize, ordered: bool, text: &str, next: Option<&Line<'_>>) {
        self.paused = false;
        if let Some(draft) = self.draft.as_mut()
            && matches!(draft.start, Start::Item(at) if indent > at)
        {
            return draft.add(indent, text);
        }
        if self.takes_severity(indent, text, true) {
            return;
        }
        self.grouped(text);
        match tag(text) {
            // `[P3] nit` is a finding, if one of few words.
            Some(Tag::Title(severity)) if bracketed_text(text).is_some() => {
                let said = bracketed_text(text).unwrap_or_default();
                return self.listed_finding(indent, ordered, Some(severity), said);
            }
            // So is `P3: nit`, unless it stands over the items that follow.
            Some(Tag::Title(severity)) if said_behind(text).is_some() && stands_alone(indent, next) => {
                let said = said_behind(text).unwrap_or_default();
                return self.listed_finding(indent, ordered, Some(severity), said);
            }
            Some(Tag::Title(severity)) => return self.begin(Part::Severity(severity), LISTED + indent),
            Some(Tag::None(severity)) => {
                self.close();
                self.reading.none[index(severity)] = true;
                self.reading.recognised = true;
                return;
            }
            Some(Tag::Count(_)) => return,
            Some(Tag::Finding { severity, text, set_off }) if set_off || !goes_on_about(&text) => {
                return self.listed_finding(indent, ordered, Some(severity), &text);
            }
            _ => {}
        }
        if self.recommends(text, LISTED + indent) || self.states(text) {
            return;
        }
        if let Some((severity, text)) = trailing_tag(text) {
            return self.listed_finding(indent, ordered, Some(severity), &text);
        }
        let depth = LISTED + indent;
        if let Some((found, _)) = part(text).filter(|_| text.contains(':') || text.starts_with("**"))
            && !(self.draft.is_some() && label(text).is_some())
            && !self.part.is_some_and(|(current, at)| current != Part::Other && depth > at)
        {
            let rest = part(text).map(|(_, rest)| rest).unwrap_or_default();
            self.begin(found, depth);
            if !rest.is_empty() {
                self.content(&rest);
            }
            return;
        }
        let Some(severity) = self.severity_or_findings() else { return self.entry(indent, ordered, text) };
        if is_none(text) {
            self.close();
            return self.none_here();
        }
        let nested = self.list.is_some_and(|(at, kind)| indent > at || (indent == at && kind != ordered));
        let labelled = label(text).is_some_and(|(found, _)| found != Label::Text);
        match self.draft.as_mut() {
            Some(draft) if nested || labelled || matches!(draft.start, Start::Heading(_)) => draft.add(indent + 1, text),
            _ => self.listed_finding(indent, ordered, severity, text),
        }
    }

    /// A severity's heading over a list is the title of a section, whatever its subtitle, unless the list tells the
    /// details of one finding. The subtitle then goes before each finding under it, so that it is not lost.
    fn grouped(&mut self, item: &str) {
        let Some(subtitle) = self.subtitle.take() else { return };
        let Some(Draft { start: Start::Heading(level), severity: Some(severity), has_body: false, .. }) = self.draft else {
            return;
        };
        let detail = label(item).is_some() || place_in(item).is_some_and(|place| place == item.trim_matches(['`', ' ']));
        if !detail {
            self.draft = None;
            self.begin(Part::Severity(severity), level);
            self.group = Some(subtitle);
        }
    }

    fn listed_finding(&mut self, indent: usize, ordered: bool, severity: Option<Severity>, text: &str) {
        self.close();
        self.reading.recognised = true;
        self.list.get_or_insert((indent, ordered));
        self.tagged |= severity.is_some() && self.severity_or_findings().is_none();
        let group = self.group.as_ref().map(|group| format!("{group}: {text}"));
        self.draft = Some(Draft::new(Start::Item(indent), severity, group.as_deref().unwrap_or(text)));
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
        let leads = text.starts_with("**") || begins_with_place(text);
        match self.draft.as_mut() {
            Some(draft) if goes_on && draft.has_body => return draft.go_on(indent, text),
            Some(draft) if goes_on && !matches!(draft.start, Start::Heading(_)) => return draft.go_on(indent, text),
            Some(draft) if matches!(draft.start, Start::Heading(_)) => return draft.add(indent, text),
            Some(draft) if draft.start == Start::Paragraph && !leads => return draft.add(indent, text),
            // Prose behind a list closes the section; it is no finding.
            Some(_) if !leads => return self.close(),
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
        }
    }

    fn code(&mut self, info: &str, body: &str) {
        match (self.draft.as_mut(), self.part) {
            (Some(draft), _) => draft.code(info, body),
            (None, Some((part, _))) => {
                entries::append(&mut self.reading.critique, part, body);
            }
            _ => {}
        }
    }

    fn table(&mut self, rows: &[&str]) {
        let severity = self.severity_or_findings().flatten();
        let Some(table) = table::read(rows, severity) else {
            if matches!(self.part, None | Some((Part::Other | Part::Findings, _))) {
                rows.iter().filter(|row| names_a_line(row)).for_each(|row| self.reading.stray(row));
            }
            return;
        };
        self.close();
        self.reading.recognised = true;
        for (severity, remark) in table.findings {
            self.reading.unsorted |= severity.is_none();
            self.reading.critique.findings.push(remark);
        }
        table.none.iter().for_each(|severity| self.reading.none[index(*severity)] = true);
        if table.is_empty && table.none.is_empty() {
            self.none_here();
        }
    }

    /// What stands behind the colon of a part's title.
    fn content(&mut self, text: &str) {
        match self.part {
            Some((Part::Recommendation, _)) => self.recommendations.push(recommendation::read(&clean(text))),
            Some((Part::Findings | Part::Severity(_), _)) if is_none(text) => self.none_here(),
            Some((Part::Findings, _)) => {}
            _ => self.prose(text, false),
        }
    }

    /// Prose of a part that has no findings, or before the first part.
    fn prose(&mut self, text: &str, goes_on: bool) {
        let said = clean(text);
        self.tagged = false;
        self.note_untold(text, goes_on);
        if self.paused && names_a_line(text) {
            self.reading.stray(&said);
        }
        self.push_prose(text, goes_on);
    }

    fn push_prose(&mut self, text: &str, goes_on: bool) {
        let said = clean(text);
        match self.part.map(|(part, _)| part) {
            None => self.preamble.push(said),
            Some(Part::Other) if !self.reading.recognised => self.preamble.push(said),
            Some(Part::Recommendation) if self.recommendations.is_empty() => {
                self.recommendations.push(recommendation::read(&said));
            }
            Some(part) => {
                if !(goes_on && entries::append(&mut self.reading.critique, part, &said)) {
                    entries::push(&mut self.reading.critique, part, &said);
                }
            }
        }
    }

    /// An item of a part that has no findings.
    fn entry(&mut self, indent: usize, ordered: bool, text: &str) {
        let (at, kind) = *self.list.get_or_insert((indent, ordered));
        let nested = indent > at || (indent == at && kind != ordered);
        let tagged = self.tagged;
        if !nested && self.in_no_part() {
            self.close();
            // What stands in no known section may be a finding that nobody would hear of.
            let lost = self.loses(text);
            self.set_untold(Some(Untold::item(indent, text, lost)));
            self.push_prose(text, false);
        } else {
            self.prose(text, nested);
        }
        self.tagged = tagged;
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

/// The text behind a severity in brackets at the beginning: `nit` of `[P3] nit`.
fn bracketed_text(text: &str) -> Option<&str> {
    let (_, said) = text.trim().strip_prefix('[')?.split_once(']')?;
    let said = said.trim_matches([' ', ':', '-', '–', '—']);
    (said.contains(char::is_alphabetic) && !text.trim_end().ends_with(':')).then_some(said)
}

/// What stands behind a severity on its line, where that is no more than its description: `nit` of `P3: nit`.
fn said_behind(text: &str) -> Option<&str> {
    let bare = text.trim().trim_start_matches(['(', '[']);
    let behind = bare.get(2..)?.trim_start_matches([')', ']', ':', '-', '–', '—', '.', ' ']);
    let marked = text.contains('*') || text.trim_end().ends_with(':') || behind.contains(['(', '[']);
    (!marked && bare.starts_with(['p', 'P']) && behind.contains(char::is_alphabetic)).then_some(behind)
}

/// Whether no item follows that an item could be the title of: none at all, one of a severity of its own, or one further out.
fn stands_alone(indent: usize, next: Option<&Line<'_>>) -> bool {
    match next {
        Some(Line::Item { indent: other, text, .. }) => *other < indent || (*other == indent && tag(text).is_some()),
        Some(Line::Text { indent: other, .. }) => *other <= indent,
        _ => true,
    }
}

/// Whether a short line of prose leads over to another severity, in words that are no title.
fn ends_section(text: &str, severity: Severity) -> bool {
    const LONGEST: usize = 8;
    words(text).len() <= LONGEST && text.trim_end().ends_with(':') && names_another(text, Some(severity))
}

fn index(severity: Severity) -> usize {
    severity as usize
}

/// Whether a paragraph begins with a place, as one that tells of a finding does.
fn begins_with_place(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default();
    place_in(first).is_some_and(|place| place.contains(':'))
}

/// Words behind a severity that go on with a sentence about it, and so tell no finding.
fn goes_on_about(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default();
    matches!(first, "and" | "or" | "is" | "are" | "was" | "were" | "because" | "would" | "if" | "must")
}

//! Items of lists: findings with a tag or without, titles of sections, and labelled lines of a finding.

use super::super::super::Severity;
use super::super::super::none::is_none;
use super::super::draft::{Draft, Label, Start, label};
use super::super::lines::Line;
use super::super::place_in;
use super::super::titles::{Part, Tag, part, tag, trailing_tag};
use super::{LISTED, Reader, index};

impl Reader {
    pub(super) fn item(&mut self, indent: usize, ordered: bool, text: &str, next: Option<&Line<'_>>) {
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

    pub(super) fn listed_finding(&mut self, indent: usize, ordered: bool, severity: Option<Severity>, text: &str) {
        self.close();
        self.reading.recognised = true;
        self.list.get_or_insert((indent, ordered));
        self.tagged |= severity.is_some() && self.severity_or_findings().is_none();
        let group = self.group.as_ref().map(|group| format!("{group}: {text}"));
        self.draft = Some(Draft::new(Start::Item(indent), severity, group.as_deref().unwrap_or(text)));
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

/// Words behind a severity that go on with a sentence about it, and so tell no finding.
fn goes_on_about(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default();
    matches!(first, "and" | "or" | "is" | "are" | "was" | "were" | "because" | "would" | "if" | "must")
}

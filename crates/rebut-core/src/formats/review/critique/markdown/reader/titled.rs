//! Titles: which part begins, or which finding.

use super::super::super::Severity;
use super::super::super::none::{is_none, stated};
use super::super::draft::{Draft, Label, Start, label, named};
use super::super::place_in;
use super::super::titles::{
    Part, Tag, clean, described_finding, is_numbered, names_another, part, tag, trailing_tag, without_number,
};
use super::untold::Untold;
use super::{Reader, index};

impl Reader {
    /// Whether a line in bold letters is a title: of a known part, or of a finding where findings are read.
    pub(super) fn is_titled(&self, title: &str, whole: &str) -> bool {
        let known = tag(whole).is_some() || part(title).is_some() || named(title).is_some() || trailing_tag(title).is_some();
        known || (self.severity_or_findings().is_some() && !is_none(title))
    }

    pub(super) fn title(&mut self, level: usize, text: &str) {
        self.paused = false;
        match tag(text) {
            Some(Tag::Title(severity)) => return self.begin(Part::Severity(severity), level),
            Some(Tag::None(severity)) => {
                self.begin(Part::Severity(severity), level);
                self.reading.none[index(severity)] = true;
                return;
            }
            Some(Tag::Count(severity)) => return self.count(severity, level),
            Some(Tag::Finding { severity, text: said, .. }) => {
                self.titled_finding(level, Some(severity), &said);
                self.subtitle = (!is_numbered(text)).then_some(said);
                return;
            }
            None => {}
        }
        if let Some((severity, text)) = trailing_tag(text).or_else(|| described_finding(text)) {
            return self.titled_finding(level, Some(severity), &text);
        }
        let under = self.part.is_some_and(|(_, depth)| level > depth);
        if let Some(draft) = self.draft.as_mut().filter(|_| under) {
            let found = label(text).or_else(|| named(text).map(|label| (label, String::new())));
            if let Some((found, rest)) = found.filter(|(found, _)| *found != Label::Text) {
                return draft.open(found, &rest);
            }
        }
        if !stated(text).is_empty() {
            return self.state(text);
        }
        if let Some((part, rest)) = part(text) {
            self.begin(part, level);
            if !rest.is_empty() {
                self.content(&rest);
            }
            return;
        }
        // A title that speaks of another severity in words that cannot be read ends the section all the same.
        if let Some(Some(severity)) = self.severity_or_findings()
            && names_another(text, Some(severity))
        {
            self.begin(Part::Other, level);
            self.unknown = Some(text.to_owned());
            self.set_untold(Untold::title(level, text));
            return;
        }
        if let Some(draft) = self.draft.as_mut()
            && matches!(draft.start, Start::Heading(at) if level > at)
        {
            return draft.add(0, text);
        }
        match (self.severity_or_findings().filter(|_| under), path_alone(text)) {
            (Some(severity), None) => self.titled_finding(level, severity, without_number(&clean(text))),
            (Some(_), path) => {
                self.close();
                self.list = None;
                self.file = path;
            }
            (None, path) => {
                self.begin(Part::Other, level);
                let title = Untold::title(level, text).filter(|_| path.is_none());
                self.unknown = title.as_ref().map(|title| title.title.clone());
                self.set_untold(title);
                self.file = path;
            }
        }
    }

    /// A finding that has a heading of its own.
    pub(super) fn titled_finding(&mut self, level: usize, severity: Option<Severity>, text: &str) {
        self.close();
        self.list = None;
        self.reading.recognised = true;
        if !self.part.is_some_and(|(part, depth)| matches!(part, Part::Severity(_) | Part::Findings) && depth < level) {
            self.part = Some((Part::Findings, level.saturating_sub(1)));
        }
        self.draft = Some(Draft::new(Start::Heading(level), severity, text));
    }

    /// A section whose title says how many findings it has: that none stands under it does not say that there is none.
    pub(super) fn count(&mut self, severity: Severity, depth: usize) {
        let titled = self.titled;
        self.begin(Part::Severity(severity), depth);
        self.titled = titled;
        self.counted = true;
    }

    pub(super) fn begin(&mut self, part: Part, depth: usize) {
        self.close();
        self.counted = false;
        self.group = None;
        self.list = None;
        self.paused = false;
        self.set_untold(None);
        self.unknown = None;
        self.tagged = false;
        self.verdict = None;
        self.mark = None;
        // A file's heading holds for the severities under it.
        if !matches!(part, Part::Severity(_)) {
            self.file = None;
        }
        self.reading.recognised |= part != Part::Other;
        if let Part::Severity(severity) = part {
            self.titled[index(severity)] = true;
        }
        self.part = Some((part, depth));
    }
}

/// The title that a line in bold letters is, if nothing else stands on it.
pub(super) fn bold_title(text: &str) -> Option<&str> {
    let bare = text.trim().trim_end_matches(':').trim_end();
    let inner = ["**", "__"].iter().find_map(|mark| bare.strip_prefix(mark)?.strip_suffix(mark))?;
    (!inner.contains("**") && !inner.is_empty()).then_some(inner)
}

/// A path and nothing else.
fn path_alone(text: &str) -> Option<String> {
    let bare = clean(text);
    let bare = bare.trim_matches(['`', ':', ' ']);
    let path = bare.strip_prefix("File: ").unwrap_or(bare).trim_matches('`');
    (!path.contains(char::is_whitespace) && place_in(path).as_deref() == Some(path) && !path.contains(':'))
        .then(|| path.to_owned())
}

//! Code, tables, prose and items that are no findings, each in the part of the critique in which it stands.

use super::super::super::none::is_none;
use super::super::super::outside::{may_be_a_finding, names_a_line};
use super::super::titles::{Part, clean};
use super::super::{entries, table};
use super::{Reader, index};

impl Reader {
    pub(super) fn code(&mut self, info: &str, body: &str) {
        match (self.draft.as_mut(), self.part) {
            (Some(draft), _) => draft.code(info, body),
            (None, Some((part, _))) => {
                entries::append(&mut self.reading.critique, part, body);
            }
            _ => {}
        }
    }

    pub(super) fn table(&mut self, rows: &[&str]) {
        let severity = self.severity_or_findings().flatten();
        let Some(table) = table::read(rows, severity) else {
            if !matches!(self.part, Some((Part::Checked | Part::Agreements | Part::Evidence, _))) {
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
    pub(super) fn content(&mut self, text: &str) {
        match self.part {
            Some((Part::Recommendation, _)) => self.recommend(&clean(text)),
            Some((Part::Findings | Part::Severity(_), _)) if is_none(text) => self.none_here(),
            Some((Part::Findings, _)) => {}
            _ => self.prose(text, false),
        }
    }

    /// Prose of a part that has no findings, or before the first part.
    pub(super) fn prose(&mut self, text: &str, goes_on: bool) {
        let said = clean(text);
        self.tagged = false;
        self.note_untold(text, goes_on);
        // Under "next steps" and "recommendations" stands what should have been a finding, as it does in a summary.
        let part = self.part.map(|(part, _)| part);
        let outside = matches!(part, Some(Part::Summary | Part::Recommendation | Part::Suggestions));
        if (self.paused || outside) && may_be_a_finding(text) {
            self.reading.stray(&said);
        }
        self.push_prose(text, goes_on);
    }

    pub(super) fn push_prose(&mut self, text: &str, goes_on: bool) {
        let said = clean(text);
        match self.part.map(|(part, _)| part) {
            None => self.preamble.push(said),
            Some(Part::Other) if !self.reading.recognised => self.preamble.push(said),
            Some(Part::Recommendation) if self.verdict.is_none() => self.recommend(&said),
            Some(part) => {
                if !(goes_on && entries::append(&mut self.reading.critique, part, &said)) {
                    entries::push(&mut self.reading.critique, part, &said);
                }
            }
        }
    }

    /// An item of a part that has no findings.
    pub(super) fn entry(&mut self, indent: usize, ordered: bool, text: &str) {
        let (at, kind) = *self.list.get_or_insert((indent, ordered));
        let nested = indent > at || (indent == at && kind != ordered);
        let tagged = self.tagged;
        if !nested && self.in_no_part() {
            self.close();
            // What stands in no known section may be a finding that nobody would hear of.
            let untold = self.untold_item(indent, text);
            self.set_untold(Some(untold));
            self.push_prose(text, false);
        } else {
            self.prose(text, nested);
        }
        self.tagged = tagged;
    }
}

//! What a path behind a quotation says of it, and what the head of a table says of its rows.

use std::ops::Range;

use super::attach::{Mark, Said};
use super::lines::is_line_word;
use super::{Citation, Target, path, words};

/// What stands right before a passage and can be quoted from the path that it names.
#[derive(Default)]
pub(super) struct Before {
    quotation: String,
    /// The column of a table in which lines stand.
    column: Option<usize>,
}

/// What begins a line that says where a quotation comes from.
const LEADS: [&str; 8] = ["—", "–", "-- ", "Source:", "source:", "Quelle:", "From:", "("];

impl Before {
    /// A block of code stands here.
    pub(super) fn block(&mut self, body: &str) {
        *self = Self { quotation: body.trim_matches('\n').to_owned(), column: None };
    }

    /// A passage of prose stands here, with these marks: gives the paths in it what stands before it.
    pub(super) fn prose(&mut self, passage: &str, start: usize, marks: &[Mark], citations: &mut [Citation]) {
        let inner = passage.trim_start().trim_start_matches('>').trim();
        if let Some(path) = self.source(inner, start..start + passage.len(), passage, marks) {
            let quotation = std::mem::take(&mut self.quotation);
            citations[path].iter_mut().for_each(|citation| citation.quotes.push(quotation.clone()));
            return;
        }
        if passage.trim_start().starts_with('>') {
            if !inner.is_empty() {
                let more = if self.quotation.is_empty() { "" } else { "\n" };
                self.quotation.push_str(more);
                self.quotation.push_str(inner);
            }
        } else {
            self.quotation.clear();
        }
        self.row(passage, marks, citations);
    }

    /// The citations of a passage that says where the quotation before it comes from, and nothing else.
    fn source(&self, inner: &str, span: Range<usize>, passage: &str, marks: &[Mark]) -> Option<Range<usize>> {
        if self.quotation.trim().chars().count() <= 2 || !LEADS.iter().any(|lead| inner.starts_with(lead)) {
            return None;
        }
        let [Mark { span: at, said: Said::Path(cited) }] = marks else { return None };
        let outside = [&passage[..at.start - span.start], &passage[at.end.min(span.end) - span.start..]];
        let few = outside.iter().flat_map(|part| words::words(part)).count() <= 2;
        few.then(|| cited.clone())
    }

    /// The lines of a row in a table whose head has a column for them.
    fn row(&mut self, passage: &str, marks: &[Mark], citations: &mut [Citation]) {
        let Some(row) = passage.trim().strip_prefix('|') else {
            self.column = None;
            return;
        };
        let cells = || row.split('|').map(|cell| cell.trim().trim_matches(['*', '`']));
        let paths: Vec<_> =
            marks.iter().filter_map(|mark| if let Said::Path(at) = &mark.said { Some(at) } else { None }).collect();
        match (&paths[..], self.column) {
            ([], None) => self.column = cells().position(|cell| is_line_word(cell.trim_end_matches("(s)"))),
            ([only], Some(column)) => {
                let lines = cells().nth(column).and_then(path::range);
                if let (Some(lines), [citation]) = (lines, &mut citations[(*only).clone()])
                    && let Target::File { lines: named @ None, .. } = &mut citation.target
                {
                    *named = Some(lines);
                }
            }
            _ => {}
        }
    }
}

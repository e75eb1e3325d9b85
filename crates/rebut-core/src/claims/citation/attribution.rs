//! Quotations that say behind them where they come from: `— src/pool.rs:3`.

use std::ops::Range;

use super::attach::{Mark, Said};
use super::path::{self, Standing};
use super::{Citation, words};

/// What stands right before a passage and can be quoted from the path that it names.
#[derive(Default)]
pub(super) struct Before {
    quotation: String,
}

/// What begins a line that says where a quotation comes from.
const LEADS: [&str; 8] = ["—", "–", "-- ", "Source:", "source:", "Quelle:", "From:", "("];

/// Whether a line may say where the quotation before it comes from.
pub(super) fn is_led(line: &str) -> bool {
    LEADS.iter().any(|lead| line.starts_with(lead))
}

/// Whether a line is a file with lines of it, and nothing else.
pub(super) fn is_place_alone(line: &str) -> bool {
    let word = line.trim().trim_matches(['`', '*', '_', '(', ')']);
    let plain = word.len() <= LONGEST_PLACE && !word.contains(char::is_whitespace);
    plain && path::read(word, Standing::Bare).is_some_and(|written| !written.lines.is_empty())
}

/// The longest place that says alone on its line where a quotation comes from, in bytes.
const LONGEST_PLACE: usize = 300;

impl Before {
    /// A block of code stands here.
    pub(super) fn block(&mut self, body: &str) {
        *self = Self { quotation: body.trim_matches('\n').to_owned() };
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
            // A list of places quotes nothing.
            if !inner.is_empty() && !is_place_alone(inner) {
                let more = if self.quotation.is_empty() { "" } else { "\n" };
                self.quotation.push_str(more);
                self.quotation.push_str(inner);
            }
        } else {
            self.quotation.clear();
        }
    }

    /// The citations of a passage that says where the quotation before it comes from, and nothing else.
    fn source(&self, inner: &str, span: Range<usize>, passage: &str, marks: &[Mark]) -> Option<Range<usize>> {
        // A quotation may be long, and is not read again at each of its lines.
        let led = is_led(inner);
        if !led && !is_place_alone(inner) || self.quotation.trim_start().chars().nth(2).is_none() {
            return None;
        }
        // Without a sign that says so, a place below words of a sentence may be a part of it; below code it is where that stands.
        if !led && !self.quotation.trim_end().ends_with([';', '{', '}', ')']) {
            return None;
        }
        let [Mark { span: at, said: Said::Path(cited) }] = marks else { return None };
        let outside = [&passage[..at.start - span.start], &passage[at.end.min(span.end) - span.start..]];
        let few = outside.iter().flat_map(|part| words::words(part)).count() <= 2;
        few.then(|| cited.clone())
    }
}

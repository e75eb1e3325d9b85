//! Files that a sentence only mentions: it proposes them, says that they are gone, or tells them as somebody else's.

use super::super::others::is_anothers;
use super::super::words::{asks_for, asks_to_create, makes, only_supposes, says_absent, says_gone, words};
use super::super::{Citation, Target};
use super::{Mark, Said, Sentence, WINDOW};

/// Citations that a sentence only mentions, by their places, in order.
#[derive(Debug, Default)]
pub(in super::super) struct Mentioned {
    /// In a proposal or a denial.
    pub(in super::super) proposed: Vec<usize>,
    /// As files that are not there any more, or are to be made: also where lines of them are named.
    pub(in super::super) not_there: Vec<usize>,
    /// Places that are told as somebody else's, or as invented.
    pub(in super::super) of_others: Vec<usize>,
}

/// How a path is spoken of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Cited,
    Proposed,
    NotThere,
    Anothers,
}

impl Sentence<'_> {
    /// The citations of a sentence that proposes something, or says that it is gone: a file that is only mentioned there need
    /// not be there.
    pub(super) fn mentioned(&self, citations: &[Citation], found: &mut Mentioned) {
        let mut before: Option<(&Mark, Kind)> = None;
        for mark in self.marks {
            let Said::Path(range) = &mark.said else { continue };
            let lined = citations[range.clone()].iter().any(|c| matches!(c.target, Target::File { lines: Some(_), .. }));
            let (lead, behind) = (self.text_before(mark.span.start), self.behind(mark.span.end));
            let last = words(lead).last();
            // `split a.rs into b.rs and c.rs`: what holds for one holds for the other.
            let joined = |kind: Kind| {
                before.is_some_and(|(path, of)| {
                    let gap = self.text.get(path.span.end..mark.span.start).filter(|gap| gap.len() <= WINDOW);
                    let is_listed = |gap: &str| {
                        words(gap).all(|word| matches!(&*word, "and" | "or" | "plus" | "und" | "et" | "y"))
                            && !gap.contains([';', '(', '.'])
                    };
                    of == kind && gap.is_some_and(is_listed)
                })
            };
            let led_into = self.change.is_some_and(|change| change < mark.span.start)
                && last.as_deref().is_some_and(|word| matches!(word, "into" | "to"));
            let proposed = self.denial.is_some_and(|denial| denial < mark.span.start)
                || last.is_some_and(|word| asks_for(&word))
                || says_absent(behind)
                || words(behind).take(6).any(|word| makes(&word))
                || only_supposes(lead)
                || led_into
                || joined(Kind::Proposed);
            let kind = if says_gone(lead, behind, lined) || asks_to_create(lead, lined) || joined(Kind::NotThere) {
                found.not_there.extend(range.clone());
                Kind::NotThere
            } else if is_anothers(lead, behind) {
                found.of_others.extend(range.clone());
                Kind::Anothers
            } else if proposed {
                found.proposed.extend(range.clone());
                Kind::Proposed
            } else {
                Kind::Cited
            };
            before = Some((mark, kind));
        }
    }
}

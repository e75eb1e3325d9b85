//! Files that a sentence only mentions: it proposes them, says that they are gone, or tells them as somebody else's.

use std::ops::Range;

use super::super::others::{Whose, whose};
use super::super::proposals::asked;
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
    /// Places that are told as invented.
    pub(in super::super) invented: Vec<usize>,
    /// Places that are told as somebody else's.
    pub(in super::super) of_others: Vec<usize>,
}

/// How a path is spoken of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Cited,
    Proposed,
    NotThere,
    Told(Whose),
}

impl Sentence<'_> {
    /// The citations of a sentence that proposes something, or says that it is gone: a file that is only mentioned there need
    /// not be there.
    pub(super) fn mentioned(&self, citations: &[Citation], found: &mut Mentioned) {
        let mut before: Vec<(&Mark, &Range<usize>, Kind)> = Vec::new();
        for mark in self.marks {
            let Said::Path(range) = &mark.said else { continue };
            let lined = citations[range.clone()].iter().any(|c| matches!(c.target, Target::File { lines: Some(_), .. }));
            let (lead, behind) = (self.text_before(mark.span.start), self.behind(mark.span.end));
            let last = words(lead).last();
            // `split a.rs into b.rs and c.rs`: what holds for one holds for the other.
            let listed = before.last().filter(|(path, ..)| self.is_listed(path, mark)).map(|(_, _, kind)| *kind);
            let joined = |kind: Kind| listed == Some(kind);
            let led_into = self.change.is_some_and(|change| change < mark.span.start)
                && last.as_deref().is_some_and(|word| matches!(word, "into" | "to"));
            let proposed = self.denial.is_some_and(|denial| denial < mark.span.start)
                || last.as_deref().is_some_and(asks_for)
                || says_absent(behind)
                || words(behind).take(6).any(|word| makes(&word))
                || is_wished_for_behind(behind)
                || (last.as_deref().is_some_and(|word| matches!(word, "in" | "into" | "to"))
                    && asked(lead).next().is_some_and(|asked| asked.at == 0))
                || only_supposes(lead)
                || led_into
                || joined(Kind::Proposed);
            let told = whose(self.text, lead, &mark.span);
            let kind = if says_gone(lead, behind, lined) || asks_to_create(lead, lined) || joined(Kind::NotThere) {
                Kind::NotThere
            } else if let Some(told) = told {
                Kind::Told(told)
            } else if let Some(Kind::Told(told)) = listed {
                Kind::Told(told)
            } else if proposed {
                Kind::Proposed
            } else {
                Kind::Cited
            };
            // `a.rs and b.rs do not exist` is said of both.
            if let Some(told) = told
                && listed == Some(Kind::Cited)
                && let Some((_, _, kind)) = before.last_mut()
            {
                *kind = Kind::Told(told);
            }
            before.push((mark, range, kind));
        }
        for (_, range, kind) in before {
            match kind {
                Kind::NotThere => found.not_there.extend(range.clone()),
                Kind::Told(Whose::Nobodys) => found.invented.extend(range.clone()),
                Kind::Told(Whose::Anothers) => found.of_others.extend(range.clone()),
                Kind::Proposed => found.proposed.extend(range.clone()),
                Kind::Cited => {}
            }
        }
    }

    /// Whether only what parts the items of a list stands between two marks.
    fn is_listed(&self, one: &Mark, other: &Mark) -> bool {
        let gap = self.text.get(one.span.end..other.span.start).filter(|gap| gap.len() <= WINDOW);
        gap.is_some_and(|gap| {
            words(gap).all(|word| matches!(&*word, "and" | "or" | "plus" | "und" | "et" | "y"))
                && !gap.contains([';', '(', '.'])
        })
    }
}

/// `X would hold this`: it is wished for. What `should be split` is there.
fn is_wished_for_behind(behind: &str) -> bool {
    let mut words = words(behind);
    let modal = words.next().is_some_and(|word| matches!(&*word, "would" | "could" | "should" | "might" | "sollte"));
    let changed = |word: &str| matches!(word, "be" | "look" | "read" | "become" | "have" | "then" | "not" | "sein");
    modal && !words.next().is_some_and(|word| changed(&word))
}

#[cfg(test)]
mod tests {
    use super::super::super::find;

    #[test]
    fn a_file_that_is_wished_for_is_no_evidence() {
        for text in ["Ideally `src/limits.rs` would hold this.", "Put it in `src/util.rs`.", "A `Dockerfile` would help."] {
            assert_eq!(find(text), [], "{text}");
        }
        for text in
            ["`src/pool.rs` should be split.", "`src/pool.rs` would look like this.", "The lock is put in `src/pool.rs`."]
        {
            assert_eq!(find(text).len(), 1, "{text}");
        }
    }
}

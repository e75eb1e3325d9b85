//! Sources by number, as Markdown and papers have them: `… 43 percent [1].`, and further below `[1]: https://…`.
//!
//! What a sentence says is said of the place that its number stands for, so the number is a citation of that place. The line
//! that defines it names the place alone, and says nothing of it: once the number is used, it is no citation of its own.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::attach::{Mark, Said};
use super::path::{self, Standing};
use super::sentences::marked_sentences;
use super::words::{denies, words};
use super::{Citation, Target, work};
use crate::claims::figure::telling;

/// The longest label, in bytes.
const LONGEST_LABEL: usize = 80;
/// The most places that one label stands for.
const MOST_PLACES: usize = 4;
/// How often longer than the text all places together may be that its labels stand for: a long address that is used again and
/// again must not take room without end.
const MOST_REPEATED: usize = 64;

/// What the labels of a text stand for.
#[derive(Default)]
pub(super) struct References {
    places: BTreeMap<String, Vec<Target>>,
    /// Labels that sentences use.
    used: BTreeSet<String>,
    /// How many bytes of places may still be given.
    room: usize,
    /// The citations that the lines of definitions make, each with its label.
    defined: Vec<(usize, String)>,
    /// The first citation of each mark that is a label.
    cited: BTreeSet<usize>,
}

impl References {
    /// Those of a text of this length, of which none is known yet.
    pub(super) fn of_text(length: usize) -> Self {
        Self { room: MOST_REPEATED * length, ..Self::default() }
    }

    /// A label is defined here, as these places. The first definition counts.
    pub(super) fn define(&mut self, label: &str, places: impl Iterator<Item = Target>) {
        let places: Vec<Target> = places.take(MOST_PLACES).collect();
        if !places.is_empty() {
            self.places.entry(folded(label)).or_insert(places);
        }
    }

    /// The line that defines a label made these citations.
    pub(super) fn made(&mut self, label: &str, citations: Range<usize>) {
        self.defined.extend(citations.map(|at| (at, folded(label))));
    }

    /// How long the labels are that a text begins with, where all of them are defined: `[1]`, `[1][2]`, `[1, 2]`, `[1] and [2]`.
    pub(super) fn begin(&self, text: &str) -> Option<usize> {
        if self.places.is_empty() {
            return None;
        }
        let mut end = self.one(text)?;
        while let Some(next) = [", ", " and ", "–", "-", " ", ","].iter().find_map(|joint| {
            let rest = text[end..].strip_prefix(joint).unwrap_or(&text[end..]);
            Some(text.len() - rest.len() + self.one(rest)?)
        }) {
            end = next;
        }
        Some(end)
    }

    fn one(&self, text: &str) -> Option<usize> {
        let near = super::attach::beginning(text.strip_prefix('[')?, LONGEST_LABEL);
        work::read(near.len());
        let inner = &near[..near.find([']', '[', '\n'])?];
        let closed = near[inner.len()..].starts_with(']') && labels(inner).next().is_some();
        (closed && labels(inner).all(|label| self.places.contains_key(&folded(label)))).then_some(inner.len() + 2)
    }

    /// The places of the labels in such a text, each once. They are used from now on.
    pub(super) fn places_of(&mut self, written: &str) -> Vec<Target> {
        let mut all: Vec<Target> = Vec::new();
        for label in written.split(['[', ']']).flat_map(labels).map(folded) {
            let Some(places) = self.places.get(&label).filter(|_| all.len() < MOST_PLACES) else { continue };
            let length: usize = places.iter().map(length).sum();
            let Some(room) = self.room.checked_sub(length) else { continue };
            self.room = room;
            all.extend(places.iter().filter(|place| !all.contains(place)).cloned().collect::<Vec<_>>());
            self.used.insert(label);
        }
        all
    }

    /// A mark that is a label cites from here on.
    pub(super) fn cites(&mut self, first: usize) {
        self.cited.insert(first);
    }

    /// Whatever cites from here on is taken back.
    pub(super) fn take_back(&mut self, first: usize) {
        self.cited.split_off(&first);
    }

    /// The citations of definitions that only say where a label that is used leads to.
    pub(super) fn only_define<'a>(&'a self, citations: &'a [Citation]) -> impl Iterator<Item = usize> + 'a {
        let says_nothing = |citation: &Citation| {
            let Citation { quotes, symbols, perhaps, figures, .. } = citation;
            [quotes, symbols, perhaps, figures].iter().all(|words| words.is_empty())
        };
        let used = self.defined.iter().filter(|(_, label)| self.used.contains(label)).map(|(at, _)| *at);
        used.filter(move |at| citations.get(*at).is_some_and(says_nothing))
    }

    /// Gives the figures of a sentence to the labels behind them where it has several sources. What is said of several
    /// together need not stand in each of them.
    pub(super) fn share(&self, text: &str, within: Range<usize>, marks: &[Mark], citations: &mut [Citation]) {
        let is_label =
            |mark: &Mark| matches!(&mark.said, Said::Path(range) if self.cited.contains(&range.start) && !range.is_empty());
        if !marks.iter().any(is_label) {
            return;
        }
        for (sentence, inside) in marked_sentences(text, within, marks) {
            let several = inside.iter().filter(|mark| matches!(mark.said, Said::Path(_))).nth(1).is_some();
            let mut start = sentence.start;
            for (at, mark) in inside.iter().enumerate() {
                let Said::Path(range) = &mark.said else { continue };
                let own = text.get(start..mark.span.start).unwrap_or_default();
                start = mark.span.end;
                if !is_label(mark) || !(several || range.len() > 1) {
                    continue;
                }
                work::read(own.len());
                let figures = if words(own).any(|word| denies(&word)) { Vec::new() } else { telling(own) };
                let near = at.checked_sub(1).map(|before| &inside[before..=at]).into_iter().chain(inside.get(at..at + 2));
                let together = range.len() > 1 || near.into_iter().any(|two| stand_together(text, two));
                for citation in &mut citations[range.clone()] {
                    let is_page = matches!(citation.target, Target::Page { .. });
                    citation.shared = together || is_page;
                    if is_page && citation.figures.is_empty() {
                        citation.figures.clone_from(&figures);
                    }
                }
            }
        }
    }
}

/// `[1][2]`, `[1] and [2]`: two sources of which the same is said.
fn stand_together(text: &str, two: &[Mark]) -> bool {
    let [Mark { said: Said::Path(_), span: first }, Mark { said: Said::Path(_), span: second }] = two else { return false };
    let between = text.get(first.end..second.start).filter(|between| between.len() <= 12);
    between.is_some_and(|between| words(between).all(|word| matches!(&*word, "and" | "und" | "et" | "y" | "&")))
}

/// The label that a line defines, and where what it stands for begins in it: `[1]: https://…`, `[^1]: …`, `- [1] https://…`.
pub(super) fn definition(line: &str) -> Option<(&str, usize)> {
    let bare = line.trim_start();
    let bare = bare.strip_prefix("- ").or_else(|| bare.strip_prefix("* ")).unwrap_or(bare).trim_start();
    let near = super::attach::beginning(bare.strip_prefix('[')?, LONGEST_LABEL);
    let label = &near[..near.find([']', '[', '\n'])?];
    let behind = bare[1 + label.len()..].strip_prefix(']')?;
    let rest = behind.strip_prefix(':').unwrap_or(behind);
    let numbered = label.starts_with('^') || label.bytes().all(|byte| byte.is_ascii_digit());
    let first = || rest.split_whitespace().next().unwrap_or_default().trim_matches(['<', '>', '`']);
    let place = || first().len() <= 1_024 && (path::is_page(first()) || path::read(first(), Standing::Bare).is_some());
    // Words stand for a place alone, perhaps with a title: `[C1.2]: src/a.rs:3 is slow` is said of a claim. Without a colon a
    // number at the beginning of a line may be used there.
    let titled = || {
        let behind = rest.lines().next().unwrap_or_default().split_whitespace().nth(1);
        behind.is_none_or(|title| title.starts_with(['"', '\'', '(']))
    };
    let colon = rest.len() < behind.len();
    let defines = if numbered { colon || place() } else { colon && place() && titled() };
    let spaced = rest.starts_with(char::is_whitespace);
    (defines && spaced && !label.trim().is_empty()).then(|| (label, line.len() - rest.len()))
}

/// The part of a definition that names places: the title that a link may have says nothing of the page.
pub(super) fn without_title(rest: &str) -> &str {
    let Some(address) = rest.split_whitespace().next() else { return rest };
    let end = address.as_ptr() as usize - rest.as_ptr() as usize + address.len();
    let title = rest[end..].trim();
    let is_title = title.len() > 1 && title.starts_with('"') && title.ends_with('"');
    if is_title && path::is_page(address.trim_matches(['<', '>'])) { &rest[..end] } else { rest }
}

/// How long the labels are that stand right behind the end of a sentence, and belong to it: `… 43 percent.[1]`. `next` is
/// where the next mark begins.
pub(super) fn behind_an_end(text: &str, at: usize, limit: usize, next: Option<usize>) -> Option<usize> {
    let rest = &text[at..limit];
    let bracket = at + usize::from(rest.starts_with(' '));
    let opens = text[bracket..limit].starts_with('[') && next == Some(bracket);
    let near = super::attach::beginning(&text[bracket..limit], 4 * LONGEST_LABEL);
    let mut end = None;
    let mut from = 0;
    while opens && let Some(label) = near[from..].strip_prefix('[').and_then(|label| label.find(']')) {
        from += label + 2;
        end = Some(bracket + from);
    }
    // `It is so. [1] says more.`
    let apart = |end: &usize| {
        let behind = &text[*end..limit];
        let goes_on = bracket > at && behind.trim_start().starts_with(char::is_lowercase);
        behind.chars().next().is_none_or(char::is_whitespace) && !goes_on
    };
    end.filter(apart)
}

fn labels(inner: &str) -> impl Iterator<Item = &str> {
    inner.split(',').map(str::trim).filter(|label| !label.is_empty())
}

/// Labels are the same in whatever letters.
fn folded(label: &str) -> String {
    label.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

fn length(target: &Target) -> usize {
    match target {
        Target::File { path, .. } => path.len(),
        Target::Page { url } => url.len(),
        _ => LONGEST_LABEL,
    }
}

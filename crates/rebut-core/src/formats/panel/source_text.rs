//! What stands in a source, as far as it is known: a page that was fetched, or the passage that the engine read.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::figures::{absent, values};
use super::reading::Item;
use super::session::Session;
use super::verification::SourceStatus;
use crate::claims::citation::Target;
use crate::claims::{stands, telling};
use crate::evidence::check::Checked;
use crate::evidence::source::{Fetched, SourcePage};

/// The most of a source's text that a prompt holds, in bytes.
const LONGEST_EXCERPT: usize = 4_000;

/// Words by which a figure is said to be about right.
const ROUGH: [&str; 10] =
    ["about", "around", "roughly", "nearly", "almost", "some", "over", "under", "at least", "more than"];

/// What a passage ends with that goes on.
const CUT: &str = "[…]\n";

impl<'a> Session<'a> {
    /// A figure of an entry that stands in none of its sources, where all of them can be read. What stands by a source that
    /// was verified can be spoken of without a source for it, and so can what another has said in an entry that this one
    /// answers or names.
    ///
    /// Nothing that comes after the entry changes it, so that long pages are gone through once.
    pub(super) fn unsupported(&self, seq: u64, sources: &[(&Item, Option<&str>)]) -> Option<String> {
        if sources.iter().any(|(_, text)| text.is_none_or(|text| text.ends_with(CUT))) {
            return None;
        }
        if let Some(found) = self.unsupported.borrow().get(&seq) {
            return found.clone();
        }
        let found = self.first_unsupported(seq, sources);
        self.unsupported.borrow_mut().insert(seq, found.clone());
        found
    }

    fn first_unsupported(&self, seq: u64, sources: &[(&Item, Option<&str>)]) -> Option<String> {
        let said = self.minutes.said.get(&seq)?;
        let mut lacking = claimed(&said.content, &self.readings.get(&seq)?.figures);
        for (item, text) in sources {
            if lacking.is_empty() {
                return None;
            }
            lacking = lacking_in(lacking, &unnumbered(item, (*text)?));
        }
        let spoken_of = said.speaks_of();
        let known = self.readings.range(..seq).filter(|(of, _)| {
            let struck = self.minutes.redactions.iter().any(|redaction| redaction.seq == **of && redaction.by < seq);
            let answered = spoken_of.contains(of) && self.minutes.speaker(**of) != self.minutes.speaker(seq);
            !struck && (answered || self.was_verified(**of, seq))
        });
        let heard: BTreeSet<String> =
            known.flat_map(|(_, reading)| &reading.figures).flat_map(|figure| values(figure)).collect();
        lacking.into_iter().find(|figure| !values(figure).iter().any(|value| heard.contains(value)))
    }

    /// Whether all sources of an entry had been found to be verified when another one was written: what is found later
    /// does not change what the other was held to.
    fn was_verified(&self, seq: u64, before: u64) -> bool {
        let mut then: BTreeMap<&str, SourceStatus> = BTreeMap::new();
        for found in self.found.iter().filter(|found| found.of == seq && found.at < before) {
            then.insert(&found.url, found.status);
        }
        !then.is_empty() && then.values().all(|status| *status == SourceStatus::Verified)
    }

    /// The text of a source, from which it can be judged; none where nobody has it.
    pub(super) fn text_of<'f>(&self, item: &Item, found: Option<&'f Checked>) -> Option<&'f str>
    where
        'a: 'f,
    {
        match &item.citation.target {
            Target::Page { .. } => self.page_text(&item.url),
            Target::File { .. } | Target::Commit { .. } | Target::Past { .. } => found?.passage.as_deref(),
            // Of these the engine's own words are what was found.
            Target::Search { .. } | Target::Command { .. } => {
                found.map(|found| found.output.as_deref().unwrap_or(&found.detail))
            }
        }
    }

    fn page_text(&self, url: &str) -> Option<&'a str> {
        let page = self.debate.pages().iter().find(|page| page.url == SourcePage::address(url))?;
        match &page.fetched {
            Fetched::Read { text } => Some(text),
            Fetched::Missing { .. } | Fetched::OutOfScope { .. } | Fetched::Unread { .. } => None,
        }
    }
}

/// The figures that an entry stands up for: those with a unit, and those in words or as a part of a whole. What is said to
/// be about right need not stand anywhere.
fn claimed(content: &str, read: &[String]) -> Vec<String> {
    let lower = content.to_lowercase();
    let rough = |figure: &String| ROUGH.iter().any(|word| lower.contains(&format!("{word} {figure}")));
    let written = |figure: &String| figure.contains(" of ") || figure.starts_with(char::is_alphabetic);
    let mut found = telling(content);
    found.extend(read.iter().filter(|figure| written(figure) && !rough(figure)).cloned());
    found
}

/// Those of these figures that do not stand in a text, in digits or in words.
fn lacking_in(figures: Vec<String>, text: &str) -> Vec<String> {
    let in_digits = |figure: &str| figure.starts_with(|c: char| !c.is_alphabetic()) && !figure.contains(" of ");
    absent(figures, text).into_iter().filter(|figure| !in_digits(figure) || !stands(figure, text)).collect()
}

/// What stands in a source itself: the lines of a passage are numbered for whoever reads it, and the file has no such
/// numbers.
pub(super) fn unnumbered<'t>(item: &Item, text: &'t str) -> Cow<'t, str> {
    if !matches!(item.citation.target, Target::File { .. }) {
        return Cow::Borrowed(text);
    }
    let plain = |line: &'t str| match line.split_once(": ").or_else(|| line.split_once(':')) {
        Some((number, rest)) if !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) => rest,
        _ => line,
    };
    Cow::Owned(text.lines().map(plain).collect::<Vec<_>>().join("\n"))
}

/// The part of a text around the first words that are looked for, else its beginning.
pub(super) fn excerpt<'t>(text: &'t str, words: &[String]) -> &'t str {
    let at = words.iter().find_map(|words| text.find(words.as_str())).unwrap_or(0);
    let mut from = at.saturating_sub(LONGEST_EXCERPT / 2);
    while !text.is_char_boundary(from) {
        from -= 1;
    }
    let mut to = (from + LONGEST_EXCERPT).min(text.len());
    while !text.is_char_boundary(to) {
        to -= 1;
    }
    &text[from..to]
}

#[cfg(test)]
mod tests {
    use super::super::figures::figures;
    use super::*;

    #[test]
    fn figures_in_words_and_parts_of_a_whole_must_stand_in_a_source_too() {
        let content = "Nine of ten did, 41 % of them twice; about three of four did not. In 2024.";
        assert_eq!(claimed(content, &figures(content)), ["41 %", "nine of ten"]);
        let lacking = |figure: &str, text: &str| lacking_in(vec![figure.to_owned()], text);
        for (figure, text) in [("nine of ten", "9 of 10 did"), ("90 %", "Ninety percent did."), ("12.5 million", "12,5 Mio")]
        {
            assert_eq!(lacking(figure, text), Vec::<String>::new(), "{figure} in {text}");
        }
        for (figure, text) in [("five hours", "It took long."), ("73 %", "It took 41 %.")] {
            assert_eq!(lacking(figure, text), [figure], "{figure} in {text}");
        }
    }
}

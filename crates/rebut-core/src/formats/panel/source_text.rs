//! What stands in a source, as far as it is known: a page that was fetched, or the passage that the engine read.

use super::figures::{number, value};
use super::reading::Item;
use super::session::Session;
use crate::claims::check::Checked;
use crate::claims::citation::Target;
use crate::claims::source::{Fetched, SourcePage};
use crate::claims::{stands, telling};

/// The most of a source's text that a prompt holds, in bytes.
const LONGEST_EXCERPT: usize = 4_000;

/// What a passage ends with that goes on.
const CUT: &str = "[…]\n";

impl<'a> Session<'a> {
    /// A figure of an entry that stands in none of its sources, where all of them can be read. What was said before by
    /// anybody can be spoken of without a source for it.
    pub(super) fn unsupported(&self, seq: u64, texts: &[Option<&str>]) -> Option<String> {
        let texts: Vec<&str> = texts.iter().copied().collect::<Option<_>>()?;
        if texts.is_empty() || texts.iter().any(|text| text.ends_with(CUT)) {
            return None;
        }
        let said = self.minutes.said.get(&seq)?;
        let heard = |figure: &String| {
            let mut earlier = self.readings.range(..seq).flat_map(|(_, reading)| &reading.figures);
            earlier.any(|known| value(known) == value(figure) || number(known) == number(figure))
        };
        let missing = |figure: &String| !texts.iter().any(|text| stands(figure, text));
        telling(&said.content).into_iter().find(|figure| !heard(figure) && missing(figure))
    }

    /// The text of a source, from which it can be judged; none where nobody has it.
    pub(super) fn text_of<'f>(&self, item: &Item, found: Option<&'f Checked>) -> Option<&'f str>
    where
        'a: 'f,
    {
        match &item.citation.target {
            Target::Page { .. } => self.page_text(&item.url),
            Target::File { .. } | Target::Commit { .. } => found?.passage.as_deref(),
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

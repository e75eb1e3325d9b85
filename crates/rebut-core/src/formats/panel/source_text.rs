//! What stands in a source, as far as it is known: a page that was fetched, or the passage that the engine read.

use super::session::Session;
use super::verification::Item;
use crate::claims::check::Checked;
use crate::claims::citation::Target;
use crate::claims::source::{Fetched, SourcePage};

/// The most of a source's text that a prompt holds, in bytes.
const LONGEST_EXCERPT: usize = 4_000;

impl<'a> Session<'a> {
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

//! Sources as debaters list them: evidence with a title, the figures taken from it, and the text that was found there.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::session::Session;
use super::{Said, SourceStatus};
use crate::evidence::check::Checked;
use crate::evidence::source::{Fetched, SourcePage};
use crate::evidence::{Evidence, Subject};
use crate::report::text::one_line;

/// The most of a source's text that a prompt holds, in bytes.
const LONGEST_EXCERPT: usize = 4_000;
const LONGEST_PLACE: usize = 600;
const CUT: &str = "[…]\n";

/// A source as a debater lists it: evidence plus a title, one flat object on the wire.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Map<String, Value>", into = "Map<String, Value>")]
pub struct Listed {
    pub evidence: Evidence,
    pub title: String,
}

/// A figure that an entry takes from one of its sources.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figure {
    /// The figure as entry and source write it: `41 %`.
    pub value: String,
    /// The number of the source in the entry's list, from 1.
    pub source: usize,
}

/// A source of an entry that is looked up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct CitedSource {
    pub(super) seq: u64,
    /// The place: what the log calls `url`.
    pub(super) url: String,
    pub(super) evidence: Evidence,
    pub(super) figures: Vec<String>,
}

impl TryFrom<Map<String, Value>> for Listed {
    type Error = String;

    fn try_from(mut wire: Map<String, Value>) -> Result<Self, String> {
        let Some(Value::String(title)) = wire.remove("title") else { return Err("a source has no title".to_owned()) };
        let evidence = serde_json::from_value(Value::Object(wire)).map_err(|error| error.to_string())?;
        Ok(Self { evidence, title })
    }
}

impl From<Listed> for Map<String, Value> {
    fn from(listed: Listed) -> Self {
        let mut wire = match json!(listed.evidence) {
            Value::Object(wire) => wire,
            _ => Self::new(),
        };
        wire.insert("title".to_owned(), listed.title.into());
        wire
    }
}

impl Listed {
    /// The place in one line: an address, `src/pool.rs:8-12`, `commit abc1234`.
    pub fn place(&self) -> String {
        self.evidence.to_string()
    }

    /// The JSON Schema of a source; `commands` as in [`Evidence::schema`].
    pub(super) fn schema(commands: Option<&[String]>) -> Value {
        let mut schema = Evidence::schema(commands);
        schema["properties"]["title"] = json!({"type": "string"});
        if let Some(Value::Array(required)) = schema.get_mut("required") {
            required.push(json!("title"));
        }
        schema
    }

    /// Why it is rejected: rulings print the place, so it must be one line and nothing else.
    pub(super) fn fault(&self) -> Option<&'static str> {
        let web = |url: &str| url.starts_with("https://") || url.starts_with("http://");
        match self.evidence.subject() {
            _ if self.place().contains(char::is_control) => Some("has a line break or control character in it"),
            _ if self.place().len() > LONGEST_PLACE => Some("names a place that is too long"),
            Subject::Page { url } if !web(url) || url.contains(char::is_whitespace) => Some("is not an http or https URL"),
            _ => None,
        }
    }
}

pub(super) fn items(seq: u64, said: &Said) -> Vec<CitedSource> {
    let counted = said.sources.iter().zip(1..).filter(|_| said.kind.argues());
    let figures = |number: usize| said.figures.iter().filter(move |figure| figure.source == number);
    counted
        .map(|(listed, number)| CitedSource {
            seq,
            url: listed.place(),
            evidence: listed.evidence.clone(),
            figures: figures(number).map(|figure| figure.value.clone()).collect(),
        })
        .collect()
}

impl CitedSource {
    pub(super) fn is_page(&self) -> bool {
        matches!(self.evidence.subject(), Subject::Page { .. })
    }

    /// The first of its figures that is not in the source, and what that comes to: where the text was cut, the figure may be
    /// in the rest of it.
    pub(super) fn missing_figure(&self, text: &str) -> Option<(&str, SourceStatus)> {
        if self.figures.is_empty() {
            return None;
        }
        let status = if text.ends_with(CUT) { SourceStatus::Unchecked } else { SourceStatus::Unreliable };
        let text = self.unnumbered(text);
        self.figures.iter().find(|figure| !is_in(figure, &text)).map(|figure| (figure.as_str(), status))
    }

    /// The text itself: the lines of a file's passage are numbered for the reader.
    fn unnumbered<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.evidence.file.is_none() || self.is_page() {
            return Cow::Borrowed(text);
        }
        let plain = |line: &'t str| match line.split_once(": ").or_else(|| line.split_once(':')) {
            Some((number, rest)) if !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) => rest,
            _ => line,
        };
        Cow::Owned(text.lines().map(plain).collect::<Vec<_>>().join("\n"))
    }
}

impl<'a> Session<'a> {
    /// The text of a source, by which it can be judged; none where there is none.
    pub(super) fn text_of<'f>(&self, item: &CitedSource, found: Option<&'f Checked>) -> Option<&'f str>
    where
        'a: 'f,
    {
        match item.evidence.subject() {
            Subject::Page { url } => {
                let page = self.debate.pages().iter().find(|page| page.url == SourcePage::address(url))?;
                if let Fetched::Read { text } = &page.fetched { Some(text) } else { None }
            }
            // The finding itself is their text.
            Subject::Search { .. } | Subject::Command { .. } => {
                found.map(|found| found.output.as_deref().unwrap_or(&found.detail))
            }
            Subject::File { .. } | Subject::Commit { .. } if item.evidence.absent => {
                found.map(|found| found.detail.as_str())
            }
            Subject::File { .. } | Subject::Commit { .. } => found?.passage.as_deref(),
        }
    }
}

/// Whether a figure is in a text as it is written, white space aside, and not as a part of a longer number.
pub(super) fn is_in(figure: &str, text: &str) -> bool {
    let (figure, text) = (one_line(figure), one_line(text));
    let is_part = |at: usize| {
        let (before, after) = (&text[..at], &text[at + figure.len()..]);
        continues(figure.chars().next(), before.chars().rev()) || continues(figure.chars().next_back(), after.chars())
    };
    !figure.is_empty() && text.match_indices(&figure).any(|(at, _)| !is_part(at))
}

/// Whether a number continues from this end of a figure into the characters beside it.
fn continues(end: Option<char>, mut beside: impl Iterator<Item = char>) -> bool {
    let next = match beside.next() {
        Some('.' | ',') => beside.next(),
        next => next,
    };
    end.is_some_and(char::is_numeric) && next.is_some_and(char::is_numeric)
}

/// The part of a text around the first of these words, else its beginning.
pub(super) fn excerpt<'t>(text: &'t str, words: &[&str]) -> &'t str {
    let at = words.iter().find_map(|words| text.find(*words)).unwrap_or(0);
    let from = text.floor_char_boundary(at.saturating_sub(LONGEST_EXCERPT / 2));
    let to = text.floor_char_boundary((from + LONGEST_EXCERPT).min(text.len()));
    &text[from..to]
}

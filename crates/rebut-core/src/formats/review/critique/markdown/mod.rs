//! A critique in Markdown: the answers of tools that cannot be held to a schema.
//!
//! Lines are told apart first ([`lines`]), then titles and tags ([`titles`]); the reader walks over them with the part
//! that it is in and the finding that is open ([`draft`]).

mod draft;
mod entries;
mod lines;
mod reader;
mod table;
mod titles;

use super::{Critique, Recommendation, Severity};
use crate::claims::citation::{self, Target};
use crate::debate::Rejection;

/// Reads a critique.
pub(super) fn read(text: &str) -> Result<Critique, Rejection> {
    let read = reader::read(&lines::lines(text));
    if read.unsorted {
        return Err(unsorted());
    }
    if !read.critique.findings.is_empty() || read.none.iter().all(|none| *none) {
        return Ok(read.critique);
    }
    Err(if read.recognised {
        Rejection::new(
            "critique:findings_not_stated",
            "the answer does not say which findings there are: give a section for each of P1, P2 and P3, with None where \
             there are none",
        )
    } else {
        Rejection::new(
            "critique:nothing_recognised",
            "nothing in the answer can be read as a critique: answer with the JSON object, or with sections P1, P2 and P3",
        )
    })
}

/// What stands beside a critique in JSON: findings of its own, if there are any, and what is recommended there. Who
/// recommends nothing there takes nothing back.
pub(super) fn beside(text: &str) -> Result<(Option<Critique>, Option<Recommendation>), Rejection> {
    let read = reader::read(&lines::lines(text));
    if read.unsorted {
        return Err(unsorted());
    }
    let recommended = read.critique.recommendation;
    let says = |critique: &Critique| !critique.findings.is_empty() || !critique.strays.is_empty();
    let recommendation = recommended.or(Some(Recommendation::Keep));
    Ok((Some(Critique { recommendation, ..read.critique }).filter(says), recommended))
}

fn unsorted() -> Rejection {
    Rejection::new(
        "critique:finding_without_severity",
        "a finding has no severity: put every finding under P1, P2 or P3, or begin it with [P1], [P2] or [P3]",
    )
}

/// The first `path:line` of a text, else the first path.
pub(super) fn place_in(text: &str) -> Option<String> {
    let found = citation::find(text);
    let files = || found.iter().filter(|citation| matches!(citation.target, Target::File { .. }));
    let lined = files().find(|citation| matches!(citation.target, Target::File { lines: Some(_), .. }));
    lined.or_else(|| files().next()).map(|citation| citation.target.to_string())
}

/// The severity that a text begins with, and the text behind it.
pub(super) fn tagged(text: &str) -> Option<(Severity, String)> {
    match titles::tag(text)? {
        titles::Tag::Finding { severity, text, set_off: true } => Some((severity, text)),
        _ => None,
    }
}

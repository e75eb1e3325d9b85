//! A debate rendered to documents: Markdown for people, JSON for programs. Everything here can be rendered again from
//! the journal at any time.

mod accounts;
mod claims;
mod cross;
mod duel;
mod panel;
mod plan;
mod quoted;
mod review;
mod state;
mod text;

use serde_json::Value;

use crate::debate::{Debate, EntryKind, Event, Happening, Setup, Tried};

pub use accounts::{accounts_table, duration};
pub use claims::{claims_json, claims_table};
pub use plan::{plan_json, plan_text};

use crate::formats::cross::Kind;
use crate::formats::review::Severity;

/// The whole debate as Markdown: topic, statements, verdict, accounts.
pub fn document(debate: &Debate) -> String {
    match &debate.plan().setup {
        Setup::Duel(_) => duel::document(debate),
        Setup::Review(_) => review::document(debate),
        Setup::Cross(_) => cross::document(debate),
        Setup::Panel(_) => panel::document(debate),
    }
}

/// What became of the version that a review made of files of the workspace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NewVersion {
    /// It is a patch that the person may take over.
    #[default]
    Proposed,
    /// It was written to the working tree.
    TakenOver,
}

/// What the debate came to, as Markdown: the verdict with all its sections, or why there is none.
pub fn conclusion(debate: &Debate) -> String {
    conclusion_after(debate, NewVersion::Proposed)
}

/// The same, where it is known what became of a review's new version.
pub fn conclusion_after(debate: &Debate, version: NewVersion) -> String {
    match &debate.plan().setup {
        Setup::Duel(_) => duel::conclusion(debate),
        Setup::Review(_) => review::conclusion(debate, version),
        Setup::Cross(_) => cross::conclusion(debate),
        Setup::Panel(_) => panel::conclusion(debate),
    }
}

/// What an event adds to the debate as it is read, as Markdown: a statement under its heading, words of the
/// procedure. `None` for events that add nothing of their own.
pub fn passage(debate: &Debate, event: &Event) -> Option<String> {
    match (&debate.plan().setup, &event.happening) {
        (Setup::Duel(_), Happening::Answered { key, .. }) => duel::passage(debate, key),
        (Setup::Review(_), Happening::Answered { key, .. }) => review::passage(debate, key),
        // What a panel's log gains by an event need not be of that event; see [`log_since`].
        (Setup::Panel(_), _) => None,
        (Setup::Review(_), Happening::Recorded { key, entry }) => review::entry(debate, key, entry),
        (Setup::Cross(_), Happening::Answered { key, .. }) => cross::passage(debate, key),
        (Setup::Cross(_), Happening::Checked { key, findings, .. }) => cross::evidence(debate, key, findings),
        (Setup::Review(_), Happening::Checked { key, findings, .. }) => Some(review::evidence(debate, key, findings)),
        (_, Happening::Tried { key, outcome }) => Some(match outcome {
            Tried::Applies { .. } => format!("{key}: the patch applies"),
            Tried::Fails { why } => format!("{key}: the patch does not apply: {why}"),
        }),
        (_, Happening::Checked { key, findings, .. }) => {
            let of = key.as_str().trim_end_matches("/evidence");
            Some(format!("Evidence of {of}:\n\n{}", claims::evidence_list(findings)))
        }
        // An extract is for the seats; that it stood in for a summary is told in the notes.
        (_, Happening::Recorded { key, entry }) if entry.kind != EntryKind::Extract => {
            Some(format!("## {key}\n\n{}", entry.text))
        }
        _ => None,
    }
}

/// What was added to a panel's log from this seq on, each entry under its heading as Markdown; and how long the log is.
/// Entries are told in their order, which is not that of the events: what was found is written down after others spoke.
pub fn log_since(debate: &Debate, from: usize) -> (Vec<String>, usize) {
    if matches!(debate.plan().setup, Setup::Panel(_)) { panel::log_since(debate, from) } else { (Vec::new(), 0) }
}

/// The log of a panel, an entry a line as `debate-log.jsonl` holds it; `None` for debates that have none.
pub fn log(debate: &Debate) -> Option<String> {
    panel::log_lines(debate)
}

/// Answers that are read side by side, where a debate has such: each with its heading.
pub fn panels(debate: &Debate) -> Vec<(String, String)> {
    match &debate.plan().setup {
        Setup::Cross(setup) if setup.kind == Kind::Ask => cross::panels(debate),
        Setup::Duel(_) | Setup::Review(_) | Setup::Cross(_) | Setup::Panel(_) => Vec::new(),
    }
}

/// The debate as `debate.json` holds it.
pub fn state(debate: &Debate) -> Value {
    state_after(debate, NewVersion::Proposed)
}

/// The same, where it is known what became of a review's new version.
pub fn state_after(debate: &Debate, version: NewVersion) -> Value {
    match &debate.plan().setup {
        Setup::Duel(_) => state::duel(debate),
        Setup::Review(_) => review::state(debate, version),
        Setup::Cross(_) => cross::state(debate),
        Setup::Panel(_) => panel::state(debate),
    }
}

/// The files that are kept beside the journal, each with its name and content. `folder` is where they will stand.
pub fn files(debate: &Debate, folder: &str) -> Vec<(String, String)> {
    files_after(debate, folder, NewVersion::Proposed)
}

/// The same, where it is known what became of a review's new version.
pub fn files_after(debate: &Debate, folder: &str, version: NewVersion) -> Vec<(String, String)> {
    // A value that is held in memory can always be written out.
    let state = review::pretty(&state_after(debate, version));
    let mut files = vec![("debate.json".to_owned(), state)];
    match &debate.plan().setup {
        Setup::Review(_) => files.extend(review::files(debate, folder, version)),
        Setup::Panel(_) => files.extend(panel::files(debate)),
        Setup::Duel(_) | Setup::Cross(_) => {}
    }
    files
}

/// The findings of a review as SARIF 2.1.0; `None` for debates that have none.
pub fn sarif(debate: &Debate) -> Option<Value> {
    matches!(debate.plan().setup, Setup::Review(_)).then(|| review::sarif(debate))
}

/// What a review made of files of the workspace, as one patch; `None` for debates that make none.
pub fn patch(debate: &Debate) -> Option<String> {
    matches!(debate.plan().setup, Setup::Review(_)).then(|| review::patch(debate))
}

/// How many valid findings of at least this weight remain.
pub fn remaining(debate: &Debate, least: Severity, version: NewVersion) -> usize {
    if matches!(debate.plan().setup, Setup::Review(_)) { review::remain(debate, least, version) } else { 0 }
}

/// How many findings of a review would be of this severity or a graver one, and still need evidence.
pub fn unproven(debate: &Debate, least: Severity) -> usize {
    if matches!(debate.plan().setup, Setup::Review(_)) { review::unproven(debate, least) } else { 0 }
}

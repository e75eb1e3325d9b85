//! A debate rendered to documents: Markdown for people, JSON for programs. Everything here can be rendered again from
//! the journal at any time.

mod accounts;
mod claims;
mod duel;
mod plan;
mod state;

use serde_json::Value;

use crate::debate::{Debate, EntryKind, Event, Happening, Setup};

pub use accounts::{accounts_table, duration};
pub use claims::{claims_table, ledger};
pub use plan::{plan_json, plan_text};

/// The whole debate as Markdown: topic, statements, verdict, accounts.
pub fn document(debate: &Debate) -> String {
    match &debate.plan().setup {
        Setup::Duel(_) => duel::document(debate),
    }
}

/// What the debate came to, as Markdown: the verdict with all its sections, or why there is none.
pub fn conclusion(debate: &Debate) -> String {
    match &debate.plan().setup {
        Setup::Duel(_) => duel::conclusion(debate),
    }
}

/// What an event adds to the debate as it is read, as Markdown: a statement under its heading, words of the
/// procedure. `None` for events that add nothing of their own.
pub fn passage(debate: &Debate, event: &Event) -> Option<String> {
    match (&debate.plan().setup, &event.happening) {
        (Setup::Duel(_), Happening::Answered { key, .. }) => duel::passage(debate, key),
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

/// The debate as `debate.json` holds it.
pub fn state(debate: &Debate) -> Value {
    match &debate.plan().setup {
        Setup::Duel(_) => state::duel(debate),
    }
}

//! A debate rendered to documents: Markdown for people, JSON for programs. Everything here can be rendered again from
//! the journal at any time. What the documents of each format hold is the format's; here is what they are made of.

mod accounts;
pub(crate) mod adr;
pub(crate) mod claims;
mod comparison;
mod plan;
mod plan_lines;
pub(crate) mod quoted;
pub(crate) mod text;

use std::ffi::OsStr;
use std::path::Path;

use serde_json::{Map, Value, json};

use crate::debate::{Debate, EntryKind, Event, Happening, NewVersion, Plan, Refusal, Status, Tried};

pub use accounts::{accounts_table, duration};
pub use comparison::{comparison, comparison_json};
pub use plan::{is_free, plan_json, plan_text, thousands, usual_call_ms};
pub use plan_lines::{plan_lines, verdict_lines};
use text::visible;
pub use text::{first_line, harmless, is_harmful};

/// The whole debate as Markdown.
pub fn document(debate: &Debate) -> String {
    let text = debate.format().document(debate);
    visible(&format!("{}\n\n## Time, tokens and cost\n\n{}\n", text.trim_end(), accounts_table(debate)))
}

/// The result as Markdown.
pub fn conclusion(debate: &Debate) -> String {
    visible(&debate.format().conclusion(debate, NewVersion::Proposed))
}

/// The decision as an architecture decision record.
pub fn decision_record(debate: &Debate) -> Result<String, Refusal> {
    Ok(visible(&debate.format().decision_record(debate)?))
}

/// The topic as the heading of a document in Markdown.
pub fn heading(debate: &Debate) -> String {
    text::heading(&debate.plan().topic)
}

/// The debate as `debate.json` holds it.
pub fn state(debate: &Debate) -> Value {
    state_after(debate, NewVersion::Proposed)
}

/// The same after a new version was taken over, or not.
pub fn state_after(debate: &Debate, version: NewVersion) -> Value {
    let plan = debate.plan();
    let mut state = debate.format().state(debate, version);
    let own = &mut state["rebut"];
    for (name, value) in [
        ("format", json!(plan.format)),
        ("seats", seats(plan)),
        ("lines", json!(debate.ending_lines())),
        ("notes", json!(notes(debate))),
        ("accounts", json!(debate.accounts().rows())),
        ("events", json!(debate.events())),
        ("elapsed_ms", json!(debate.elapsed_ms(debate.last_at()))),
        ("meaning", json!(debate.outcome().map(|_| debate.meaning()))),
    ] {
        own[name] = value;
    }
    if let Some(parent) = &plan.parent {
        own["parent"] = json!(parent);
    }
    state
}

/// Who sits where, as it is written on the command line.
pub(crate) fn seats(plan: &Plan) -> Value {
    plan.seats.iter().map(|(name, seat)| (name.to_string(), Value::from(seat.spec()))).collect::<Map<_, _>>().into()
}

/// What the user should know of how the debate came about.
pub(crate) fn notes(debate: &Debate) -> Vec<String> {
    let plan = debate.plan();
    let extracts = debate.entries().filter(|(_, entry)| entry.kind == EntryKind::Extract);
    let extracts = extracts.map(|(key, _)| format!("no summary at {key}: an extract was used instead"));
    debate.format().plan_words(plan).notes.into_iter().chain(plan.notes.iter().cloned()).chain(extracts).collect()
}

/// Why there is no result yet; nothing where the debate has ended.
pub(crate) fn unfinished(debate: &Debate) -> String {
    match debate.status() {
        Status::Running => "\nThe debate is not finished.\n".to_owned(),
        Status::Cancelled => {
            format!("\nThe debate was stopped. Resume with: rebut resume {}\n", debate.plan().id.short())
        }
        _ => String::new(),
    }
}

/// The notes under a heading of this level; nothing where there are none.
pub(crate) fn notes_section(debate: &Debate, heading: &str) -> String {
    let notes = text::listed(notes(debate));
    if notes.is_empty() { notes } else { format!("\n{heading} Notes\n\n{notes}") }
}

/// The files that are kept beside the journal, each with its name and content. `folder` is where they go.
pub fn files(debate: &Debate, folder: &str) -> Vec<(String, String)> {
    files_after(debate, folder, NewVersion::Proposed)
}

/// The same after a new version was taken over, or not.
pub fn files_after(debate: &Debate, folder: &str, version: NewVersion) -> Vec<(String, String)> {
    let state = ("debate.json".to_owned(), text::pretty(&state_after(debate, version)));
    // Patches and a reviewed text are used as they are, and JSON escapes by itself.
    let shown = |(name, text): (String, String)| {
        let is_document = Path::new(&name).extension() == Some(OsStr::new("md")) && !name.ends_with("artifact.md");
        let text = if is_document { visible(&text) } else { text };
        (name, text)
    };
    std::iter::once(state).chain(debate.format().files(debate, folder, version).into_iter().map(shown)).collect()
}

pub(crate) fn project_prompts(debate: &Debate) -> Option<String> {
    let own = debate.plan().prompts.iter().filter(|(_, prompt)| prompt.from_project);
    let own: Vec<&str> = own.map(|(name, _)| name.as_str()).collect();
    (!own.is_empty()).then(|| format!("Project prompts: {}", own.join(", ")))
}

/// What an event adds to a debate's text, unless the format has its own way.
pub(crate) fn usual_passage(event: &Event) -> Option<String> {
    match &event.happening {
        Happening::Tried { key, outcome } => Some(match outcome {
            Tried::Applies { .. } => format!("{key}: the patch applies"),
            Tried::Fails { why } => format!("{key}: the patch does not apply: {why}"),
        }),
        Happening::Checked { key, findings, .. } => {
            let of = key.as_str().trim_end_matches("/evidence");
            Some(format!("Evidence of {of}:\n\n{}", claims::evidence_list(findings)))
        }
        Happening::Recorded { key, entry } => Some(format!("## {key}\n\n{}", entry.text)),
        _ => None,
    }
}

//! `rebut list`

use clap::Args;
use rebut_core::debate::{Debate, Status};
use rebut_core::formats::open_choice;
use rebut_engine::journal::JournalError;
use rebut_engine::shelf::Shelved;
use serde_json::json;

use crate::desk::Desk;
use crate::error::{CommandError, Exit};

/// How many characters of a topic stand in a line.
const LONGEST_TOPIC: usize = 160;

/// Every debate, oldest first
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  rebut list\n  rebut list --json | jq -r .id")]
pub(crate) struct List {}

impl List {
    pub(crate) fn run(&self, desk: &Desk) -> Result<Exit, CommandError> {
        let debates = desk.shelf.all()?;
        for shelved in &debates {
            let (status, topic) = describe(shelved);
            let topic: String = topic.lines().next().unwrap_or_default().chars().take(LONGEST_TOPIC).collect();
            if desk.screen.json {
                desk.screen.json(|| json!({ "id": shelved.id, "status": status, "topic": topic, "folder": shelved.folder }));
            } else {
                desk.screen.text(&format!("{}  {status:<11}  {topic}", shelved.id));
            }
        }
        if debates.is_empty() {
            desk.screen.note(&format!("no debates in {}", desk.shelf.root().display()));
        }
        Ok(Exit::Done)
    }
}

/// Where a debate stands, in one word. "Not finished and nobody runs it" is interrupted, or waits for the person: for a
/// choice, or for a word on the lineup of a panel, which rests there as if it had ended.
pub(crate) fn standing(debate: &Debate, running: bool) -> &'static str {
    match debate.status() {
        Status::Running | Status::Partial if !running && debate.format().awaits_word(debate) => "waiting",
        Status::Running if running => "running",
        Status::Running if open_choice(debate).is_some() => "waiting",
        Status::Running => "interrupted",
        status => status.as_str(),
    }
}

/// Where a debate stands, in one word, and its topic.
pub(crate) fn describe(shelved: &Shelved) -> (&'static str, String) {
    // Asked first: one that ends in between is read to its end.
    let running = shelved.is_running();
    match shelved.read() {
        Ok(debate) => (standing(&debate, running), debate.plan().topic.clone()),
        Err(_) if running => ("running", String::new()),
        Err(JournalError::Missing { .. } | JournalError::Empty { .. }) => ("empty", String::new()),
        Err(error @ JournalError::OtherVersion { .. }) => ("unreadable", error.to_string()),
        Err(error) => ("damaged", error.to_string()),
    }
}

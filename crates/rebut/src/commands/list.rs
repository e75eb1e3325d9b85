//! `rebut list`

use clap::Args;
use rebut_engine::session::Record;
use rebut_engine::store::Store;
use serde_json::json;

use crate::desk::Desk;
use crate::error::{CommandError, Exit};
use crate::running::runtime;

/// The most characters of a topic in a line.
const LONGEST_TOPIC: usize = 160;

/// Every debate, oldest first
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  rebut list\n  rebut list --json | jq -r .id")]
pub(crate) struct List {}

impl List {
    pub(crate) fn run(&self, desk: &Desk) -> Result<Exit, CommandError> {
        let debates = runtime()?.block_on(desk.store.list())?;
        for debate in &debates {
            let (id, state) = (&debate.id, debate.state.as_str());
            let topic: String = debate.topic().lines().next().unwrap_or_default().chars().take(LONGEST_TOPIC).collect();
            if desk.screen.json {
                let folder = Record::of(&desk.state, id).documents().to_owned();
                desk.screen.json(|| json!({ "id": id, "status": state, "topic": topic, "folder": folder }));
            } else {
                desk.screen.text(&format!("{id}  {state:<11}  {topic}"));
            }
        }
        if debates.is_empty() {
            desk.screen.note(&format!("no debates in {}", desk.state.display()));
        }
        Ok(Exit::Done)
    }
}

//! What a debate says, apart from when and how it was said.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::evidence::check::Checked;

use super::{Debate, Entry, Outcome, Payload, StepKey, Tried};

/// All that matters of a debate: no times, no durations, no attempts.
#[derive(Serialize)]
struct Meaning<'a> {
    topic: &'a str,
    seats: BTreeMap<&'a str, String>,
    answers: BTreeMap<&'a StepKey, &'a Payload>,
    entries: BTreeMap<&'a StepKey, &'a Entry>,
    choices: BTreeMap<&'a StepKey, &'a str>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    findings: BTreeMap<&'a StepKey, &'a [Checked]>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    trials: BTreeMap<&'a StepKey, &'a Tried>,
    outcome: Option<&'a Outcome>,
}

impl Debate {
    /// A hash over what the debate says: two debates with the same answers have the same, whatever was killed,
    /// resumed or slow on the way.
    pub fn meaning(&self) -> String {
        let meaning = Meaning {
            topic: &self.plan().topic,
            seats: self.plan().seats.iter().map(|(name, seat)| (name.as_str(), seat.spec())).collect(),
            answers: self.calls().filter_map(|(key, _)| Some((key, &self.answered(key)?.content))).collect(),
            entries: self.entries().collect(),
            choices: self.choices().collect(),
            findings: self.all_findings().collect(),
            trials: self.trials().collect(),
            outcome: self.outcome(),
        };
        // Lines of the outcome name commands for this debate, by an id that is random.
        let id = self.plan().id.short();
        let without_id = |text: String| {
            let commands = ["rebut resume ", "rebut rejudge ", "rebut export "];
            commands.iter().fold(text, |text, command| text.replace(&format!("{command}{id}"), command))
        };
        match serde_json::to_string(&meaning).map(without_id) {
            Ok(text) => blake3::hash(text.as_bytes()).to_hex().to_string(),
            // Can't happen; if it ever does, no two debates count as the same.
            Err(error) => format!("unknown for {}: {error}", self.plan().id),
        }
    }
}

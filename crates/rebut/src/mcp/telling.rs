//! What is told of a debate: as text for the model that asked, and as a value for programs.

use std::path::PathBuf;

use jiff::{SignedDuration, Timestamp};
use rebut_core::debate::{CallState, Debate};
use rebut_core::formats::open_choice;
use rebut_core::report;
use rebut_engine::shelf::Shelved;
use schemars::JsonSchema;
use serde::Serialize;

use crate::commands::standing;
use crate::terminal::harmless;

/// The most characters of a text that goes to a model: the rest is a resource, and is said to be there.
const LONGEST: usize = 24_000;

/// How long a debate may be on its way from one process to the next.
const A_MOMENT: SignedDuration = SignedDuration::from_secs(3);

/// Where a debate stands.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct Standing {
    /// Its id.
    pub(super) id: String,
    /// The way of debating: duel, review, ask, cross or panel.
    pub(super) format: String,
    /// What is debated, in a line.
    pub(super) topic: String,
    /// running, waiting (for `debate_choose` where there is a choice, else for a word on a panel's lineup), interrupted, completed, partial, uncontested, failed or cancelled.
    pub(super) status: String,
    /// Whether it has ended, so that `debate_result` tells what it came to.
    pub(super) ended: bool,
    /// How long it has run.
    pub(super) elapsed_seconds: f64,
    /// Calls that were answered.
    pub(super) answered: usize,
    /// Calls that failed.
    pub(super) failed: usize,
    /// Calls that are under way.
    pub(super) under_way: Vec<String>,
    /// Tokens used so far; where a tool reports none they are estimated.
    pub(super) tokens: u64,
    /// The choice that it waits for.
    pub(super) choice: Option<OpenChoice>,
    /// Its transcript, as a resource.
    pub(super) transcript: String,
    /// What was said so far, or what it came to once it has ended, in Markdown. Where that is long, its end: the transcript
    /// is the whole.
    pub(super) said: String,
    /// What can be done next.
    pub(super) next: String,
    /// The folder with its journal and documents.
    pub(super) folder: PathBuf,
    /// Whether nobody runs it, but somebody did a moment ago: it may be on its way from the one to the next.
    #[serde(skip)]
    #[schemars(skip)]
    changes_hands: bool,
}

/// A choice that is left to the person.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct OpenChoice {
    /// What is asked.
    pub(super) question: String,
    /// What can be chosen.
    pub(super) options: Vec<ChoiceOption>,
    /// The option that rebut would take.
    pub(super) recommended: String,
}

/// Something that can be chosen.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct ChoiceOption {
    /// What `debate_choose` takes.
    pub(super) option: String,
    /// What it means.
    pub(super) meaning: String,
}

impl Standing {
    /// Where a debate stands; `running` was found out before it was read, so that one which ends in between is read to its
    /// end.
    pub(super) fn of(shelved: &Shelved, running: bool, debate: &Debate, now: Timestamp) -> Self {
        let waits = open_choice(debate).filter(|_| !running).map(|(_, choice)| OpenChoice {
            question: choice.question,
            options: choice.options.into_iter().map(|(option, meaning)| ChoiceOption { option, meaning }).collect(),
            recommended: choice.recommended,
        });
        // What is proposed is no end, though the debate rests there.
        let awaits_word = debate.format().awaits_word(debate);
        let status = standing(debate, running);
        let transcript = transcript_uri(shelved.id.as_str());
        let ended = debate.outcome().is_some() && !awaits_word;
        let said = if ended { report::conclusion(debate) } else { report::document(debate) };
        let until = if running { now } else { debate.last_at() };
        let count = |is: fn(&CallState) -> bool| debate.calls().filter(|(_, call)| is(&call.state)).count();
        Self {
            id: shelved.id.to_string(),
            format: debate.plan().format.clone(),
            topic: shortened(&debate.plan().topic),
            status: status.to_owned(),
            ended,
            elapsed_seconds: std::time::Duration::from_millis(debate.elapsed_ms(until)).as_secs_f64(),
            answered: count(|state| matches!(state, CallState::Answered(_))),
            failed: count(|state| matches!(state, CallState::Failed(_))),
            under_way: debate.under_way_keys().filter(|_| running).map(ToString::to_string).collect(),
            tokens: debate.spent_tokens(),
            said: bounded(&harmless(&said), &transcript),
            next: next(status, waits.is_some(), shelved.id.as_str(), rebut_engine::session::worker_error(&shelved.folder)),
            choice: waits,
            transcript,
            folder: shelved.folder.clone(),
            changes_hands: (status == "interrupted" || awaits_word && !running)
                && now.duration_since(debate.last_at()) < A_MOMENT,
        }
    }

    /// Whether nothing more will happen by itself.
    pub(super) fn rests(&self) -> bool {
        self.status != "running"
    }

    /// Whether it may go on at any moment though nobody runs it: a debate is begun by one process and run by another, and
    /// a panel's lineup is taken between two stretches.
    pub(super) fn changes_hands(&self) -> bool {
        self.changes_hands
    }

    /// Where it stands, in a line.
    pub(super) fn line(&self) -> String {
        let Self { id, format, status, elapsed_seconds, answered, tokens, .. } = self;
        let under_way =
            if self.under_way.is_empty() { String::new() } else { format!(", now: {}", self.under_way.join(", ")) };
        format!("{format} {id}: {status}, {answered} answers, {tokens} tokens, {elapsed_seconds:.0} s{under_way}")
    }

    /// The choice that it waits for, in lines.
    pub(super) fn choice_text(&self) -> Option<String> {
        let choice = self.choice.as_ref()?;
        let options = choice.options.iter().map(|ChoiceOption { option, meaning }| {
            let mark = if *option == choice.recommended { " (recommended)" } else { "" };
            format!("- {option}: {meaning}{mark}")
        });
        Some(format!("{}\n{}", choice.question, options.collect::<Vec<_>>().join("\n")))
    }
}

/// What can be done next with a debate that stands so.
fn next(status: &str, has_choice: bool, id: &str, error: Option<String>) -> String {
    match status {
        "running" => format!("It goes on by itself. Ask again with debate_status (id {id}, wait_seconds up to 45)."),
        "waiting" if !has_choice => {
            format!("Its lineup waits for a word of the person, who goes on with: rebut resume {id}")
        }
        "waiting" => format!("It waits for a choice of the person: ask them, then call debate_choose (id {id})."),
        "interrupted" => {
            let why = error.map(|error| format!(" It ended with: {}.", harmless(&error))).unwrap_or_default();
            format!("Nobody runs it.{why} A person goes on with: rebut resume {id}")
        }
        "cancelled" => format!("It was stopped. A person goes on with: rebut resume {id}"),
        _ => format!("It has ended. debate_result (id {id}) tells what it came to."),
    }
}

/// The address of a debate's transcript.
pub(super) fn transcript_uri(id: &str) -> String {
    format!("rebut://debates/{id}/transcript")
}

/// The address of what a debate came to.
pub(super) fn verdict_uri(id: &str) -> String {
    format!("rebut://debates/{id}/verdict")
}

/// A topic as it stands in a list: its first line, as long as a line is.
pub(super) fn shortened(topic: &str) -> String {
    const LONGEST_TOPIC: usize = 300;
    let first = harmless(topic.lines().next().unwrap_or_default()).into_owned();
    let is_cut = first.chars().count() > LONGEST_TOPIC || topic.lines().nth(1).is_some();
    let first: String = first.chars().take(LONGEST_TOPIC).collect();
    if is_cut { first + "…" } else { first }
}

/// The text, or as much of its end as a model should be sent, with a word on where the whole is.
pub(super) fn bounded(text: &str, whole: &str) -> String {
    let length = text.chars().count();
    if length <= LONGEST {
        return text.to_owned();
    }
    let end: String = text.chars().skip(length - LONGEST).collect();
    format!("(The first {} characters are left out here; the whole is the resource {whole}.)\n\n…{end}", length - LONGEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_at_its_beginning_and_says_so() {
        let text = "ö".repeat(LONGEST + 5);
        let cut = bounded(&text, "rebut://debates/x/transcript");
        assert!(cut.starts_with("(The first 5 characters are left out here; the whole is the resource rebut://debates/x/"));
        assert!(cut.chars().count() < LONGEST + 200);
        assert_eq!(bounded("short", ""), "short");
    }
}

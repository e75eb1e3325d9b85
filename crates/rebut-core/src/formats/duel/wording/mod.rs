//! A duel asked for in natural language: "codex vs gemini about tabs or spaces, 3 rounds, thorough".
//!
//! ```text
//! request := [head separator] topic { "," item }
//! ```
//!
//! The head names who argues, the items say how long and how hard. Both are read only where they fit their grammar to
//! the last word: what does not fit is the topic, since a topic misread as an order is a debate that the user did not ask for.
//! Nothing here knows of flags, which win over wording, nor of which tools are installed: the caller does.

mod head;
mod tail;
#[cfg(test)]
mod tests;

use super::ROUNDS;
use crate::debate::Effort;

/// What a request in natural language says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wording {
    /// What is debated: a part of the request, unchanged.
    pub topic: String,
    /// The tool that is named first, with its model if one is named: `codex`, `claude:opus`.
    pub proposer: Option<String>,
    /// The tool that is named second.
    pub challenger: Option<String>,
    /// How many rounds are asked for, within [`ROUNDS`].
    pub rounds: Option<u32>,
    /// How hard the seats shall think.
    pub effort: Option<Effort>,
    /// All of it but the topic in short phrases for the user: `proposer codex (from "codex vs gemini")`.
    pub understood: Vec<String>,
}

/// A request that is understood and cannot be followed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WordingError {
    /// Too few or too many rounds.
    #[error("`{said}` is out of range: a duel has {} to {} rounds", ROUNDS.start(), ROUNDS.end())]
    Rounds {
        /// The item as it was said: `7 rounds`.
        said: String,
    },
    /// Nothing is left to debate.
    #[error("the request has no topic")]
    NoTopic,
    /// A tool, with the same model or both times without one, would argue with itself.
    #[error("the seat `{0}` is named twice")]
    SameSeat(String),
}

/// Reads a request.
///
/// `known` are the tools that can be seated: `claude`, `codex`.
pub fn read(request: &str, known: &[&str]) -> Result<Wording, WordingError> {
    // The items go first, so that "codex vs gemini about, quick" is found to have no topic.
    let tail = tail::read(request)?;
    let head = head::read(tail.before, known);
    let topic = head.as_ref().map_or(tail.before, |head| head.after).trim();
    if topic.is_empty() {
        return Err(WordingError::NoTopic);
    }

    let mut wording = Wording {
        topic: topic.to_owned(),
        proposer: None,
        challenger: None,
        rounds: None,
        effort: None,
        understood: Vec::new(),
    };
    if let Some(head) = head {
        if head.challenger.as_ref() == Some(&head.proposer) {
            return Err(WordingError::SameSeat(head.proposer));
        }
        wording.understood.push(phrase(&format!("proposer {}", head.proposer), &head.said));
        wording.understood.extend(head.challenger.iter().map(|seat| phrase(&format!("challenger {seat}"), &head.said)));
        wording.proposer = Some(head.proposer);
        wording.challenger = head.challenger;
    }
    if let Some((rounds, said)) = tail.rounds {
        let noun = if rounds == 1 { "round" } else { "rounds" };
        wording.understood.push(phrase(&format!("{rounds} {noun}"), &said));
        wording.rounds = Some(rounds);
    }
    if let Some((effort, said)) = tail.effort {
        wording.understood.push(phrase(&format!("effort {}", effort.as_str()), &said));
        wording.effort = Some(effort);
    }
    Ok(wording)
}

fn phrase(meaning: &str, said: &str) -> String {
    format!("{meaning} (from \"{said}\")")
}

//! The prompts before the debate: the lineup, and the readiness probe.

use minijinja::{Value, context};

use super::super::lineup::proposed;
use super::super::session::Session;
use super::super::setup::Debater;
use crate::debate::{Prompt, SeatName};
use crate::formats::prompts::{PromptError, render};

/// There are services that take no prompt without a system part.
const READINESS: &str = "You are asked whether you are there.";

pub(in super::super) fn lineup(session: &Session<'_>) -> Value {
    let setup = session.setup();
    let before = setup.wishes.len().checked_sub(1).and_then(|changes| proposed(session.debate, changes));
    let before: Vec<String> = before.iter().flatten().map(described).collect();
    let wish = setup.wishes.last().map(String::as_str).unwrap_or_default();
    context! {
        hints => session.fenced("lineup/hints", "the debaters that the user wants", &setup.hints),
        before => session.fenced("lineup/before", "the lineup so far", &before.join("\n")),
        wish => session.fenced("lineup/wish", "what the user wants changed", wish),
    }
}

/// The prompt of a readiness probe. It carries nothing of the matter: no seat should begin to think about it.
pub(in super::super) fn readiness(session: &Session<'_>, seat: &SeatName) -> Result<Prompt, PromptError> {
    let values = context! { seat => seat.as_str() };
    Ok(Prompt { system: READINESS.to_owned(), user: render(session.debate.plan(), "panel/ready.md", values)? })
}

fn described(debater: &Debater) -> String {
    let Debater { name, persona, starting_position, incentives, .. } = debater;
    format!("{name}: {persona} Position: {starting_position} Incentives: {incentives}")
}

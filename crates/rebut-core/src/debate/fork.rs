//! A fork: a debate that begins with what another one has said up to a step.

use serde::{Deserialize, Serialize};

use super::{Answer, Cost, DebateId, Event, Happening, Phase, StepKey, Usage};

/// Where a fork left its parent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parent {
    pub id: DebateId,
    /// The last step that both share.
    pub after: StepKey,
    /// The last event that was taken over, and the hash of its line.
    pub seq: u64,
    pub hash: String,
}

/// The place of the last event of a step, or of what was listed and checked for it; none if it has no answer.
pub fn end_of(events: &[Event], step: &StepKey) -> Option<usize> {
    let is_meant =
        |key: &StepKey| key == step || key.as_str().strip_prefix(step.as_str()).is_some_and(|below| below.starts_with('/'));
    let is_answer = |event: &Event| matches!(&event.happening, Happening::Answered { key, .. } if is_meant(key));
    events.iter().any(is_answer).then(|| events.iter().rposition(|event| left(&event.happening).is_some_and(is_meant)))?
}

/// What a fork takes over of these events, the plan excepted: what was said, found and chosen. Each answer costs nothing,
/// since its parent has paid for it. Failures and retry counts are not copied.
pub fn taken_over(events: &[Event]) -> Vec<Happening> {
    let mut taken = Vec::new();
    for (place, event) in events.iter().enumerate() {
        let Some(ended) = left(&event.happening) else { continue };
        let mut happening = event.happening.clone();
        if let Happening::Answered { answer, .. } = &mut happening {
            let began = events[..place].iter().rev().find_map(|earlier| match &earlier.happening {
                Happening::Started { key, .. } if key == ended => Some(earlier.happening.clone()),
                _ => None,
            });
            taken.extend(began.map(unpaid_call));
            *answer = Answer { usage: FREE, ..answer.clone() };
        }
        taken.push(happening);
    }
    taken
}

/// The step that left an answer, words, findings or a choice.
fn left(happening: &Happening) -> Option<&StepKey> {
    match happening {
        Happening::Answered { key, .. }
        | Happening::Recorded { key, .. }
        | Happening::Checked { key, .. }
        | Happening::Tried { key, .. }
        | Happening::Chosen { key, .. } => Some(key),
        _ => None,
    }
}

const FREE: Usage = Usage { input_tokens: Some(0), output_tokens: Some(0), cost: Some(Cost::from_nanodollars(0)) };

fn unpaid_call(mut started: Happening) -> Happening {
    if let Happening::Started { attempt, phase, reserved_tokens, .. } = &mut started {
        *attempt = 1;
        *phase = Phase("reused".to_owned());
        *reserved_tokens = 0;
    }
    started
}

//! Who was asked, who really answered, how much and how fast: every call, those that failed too.

use crate::debate::{CallRecord, CallState, Debate, StepKey};
use crate::formats::cross::{Partner, again_key, answer_key, answers, moderator, name, place_of, round_name};
use crate::report::duration;
use crate::report::text::in_cell;

pub(super) fn table(debate: &Debate) -> String {
    let mut text = String::from(
        "\n## Seats\n\n| seat | round | provider | model | bytes | time | attempts |\n|---|---|---|---|---|---|---|\n",
    );
    let mut rows: Vec<(u32, Partner, Row)> = Vec::new();
    for given in answers(debate) {
        let row = Row {
            bytes: given.bytes.to_string(),
            time: duration(given.duration_ms),
            model: given.model.unwrap_or("not reported").to_owned(),
            attempts: given.attempts,
        };
        rows.push((given.said.round, given.partner, row));
    }
    let answered: Vec<(u32, Partner)> = rows.iter().map(|(round, partner, _)| (*round, *partner)).collect();
    for (key, call) in debate.calls() {
        let Some((round, partner)) = place(key).filter(|place| !answered.contains(place)) else { continue };
        // Of an answer that was asked for twice, the first call has both rows.
        if *key == again_key(round, partner) {
            continue;
        }
        let again = debate.call(&again_key(round, partner));
        let attempts = call.attempts + again.map_or(0, |again| again.attempts);
        rows.push((round, partner, Row { attempts, ..failed(debate, call, again) }));
    }
    rows.sort_by_key(|(round, partner, _)| (*round, *partner));
    for (round, partner, row) in rows {
        let provider = debate.plan().seat(&partner.seat()).map_or("", |seat| seat.tool.as_str());
        text.push_str(&row.line(&name(debate.plan(), partner), &round_name(round), provider));
    }
    for (key, call) in debate.calls().filter(|(_, call)| call.seat == moderator()) {
        let provider = debate.plan().seat(&moderator()).map_or("", |seat| seat.tool.as_str());
        let row = match debate.answered(key) {
            Some(answered) => Row {
                bytes: answered.bytes.to_string(),
                time: duration(answered.duration_ms),
                model: answered.model.as_deref().unwrap_or("not reported").to_owned(),
                attempts: call.attempts,
            },
            None => failed(debate, call, None),
        };
        text.push_str(&row.line("moderator", key.as_str(), provider));
    }
    text
}

struct Row {
    model: String,
    bytes: String,
    time: String,
    attempts: u32,
}

impl Row {
    fn line(&self, seat: &str, round: &str, provider: &str) -> String {
        let attempts = self.attempts.to_string();
        let cells = [seat, round, provider, &self.model, &self.bytes, &self.time, &attempts].map(in_cell);
        format!("| {} |\n", cells.join(" | "))
    }
}

/// The round and the partner of a call for an answer.
pub(super) fn place(key: &StepKey) -> Option<(u32, Partner)> {
    place_of(key).filter(|(round, partner)| [answer_key(*round, *partner), again_key(*round, *partner)].contains(key))
}

/// The row of a call without an answer.
fn failed(debate: &Debate, call: &CallRecord, again: Option<&CallRecord>) -> Row {
    let rejected = || call.rejected.iter().chain(again.into_iter().flat_map(|again| &again.rejected));
    let state = again.map_or(&call.state, |again| match again.state {
        CallState::Open => &call.state,
        _ => &again.state,
    });
    let model = match state {
        CallState::Failed(failure) => format!("no answer: {}", failure.cause.words()),
        CallState::UnderWay { .. } => "is answering".to_owned(),
        CallState::Open | CallState::Answered(_) => "no answer yet".to_owned(),
    };
    let rows = debate.accounts().rows();
    let spent: u64 = rows.iter().filter(|row| row.seat == call.seat && row.phase == call.phase).map(|row| row.ms).sum();
    Row {
        model,
        bytes: rejected().map(|rejected| rejected.text.len()).sum::<usize>().to_string(),
        time: duration(spent),
        attempts: call.attempts,
    }
}

//! Who was asked, who really answered, how much and how fast: those without an answer too.

use crate::debate::{Account, AnsweredCall, CallRecord, CallState, Debate};
use crate::formats::cross::{Given, again_key, answer_key, given, last_round, moderator, name, partners, round_name};
use crate::report::duration;
use crate::report::text::in_cell;

pub(super) fn table(debate: &Debate) -> String {
    let plan = debate.plan();
    let mut text = String::from(
        "\n## Seats\n\n| seat | round | provider | model | bytes | time | attempts |\n|---|---|---|---|---|---|---|\n",
    );
    for round in 0..=last_round(debate).unwrap_or(0) {
        for partner in partners(plan) {
            let keys = [answer_key(round, partner), again_key(round, partner)];
            let calls: Vec<&CallRecord> = keys.iter().filter_map(|key| debate.call(key)).collect();
            let row = match given(debate, round, partner) {
                Some(Given { facts, .. }) => {
                    Row::answered(facts.model.as_deref(), facts.bytes, facts.duration_ms, facts.attempts)
                }
                None if calls.is_empty() => continue,
                None => Row::unanswered(debate, &calls),
            };
            text.push_str(&row.line(&name(plan, partner), &round_name(round), plan.tool(&partner.seat())));
        }
    }
    for (key, call) in debate.calls().filter(|(_, call)| call.seat == moderator()) {
        let row = match debate.answered(key) {
            Some(AnsweredCall { model, bytes, duration_ms, .. }) => {
                Row::answered(model.as_deref(), *bytes, *duration_ms, call.attempts)
            }
            None => Row::unanswered(debate, &[call]),
        };
        text.push_str(&row.line("moderator", key.as_str(), plan.tool(&moderator())));
    }
    text
}

struct Row {
    model: String,
    bytes: usize,
    ms: u64,
    attempts: u32,
}

impl Row {
    fn answered(model: Option<&str>, bytes: usize, ms: u64, attempts: u32) -> Self {
        Self { model: model.unwrap_or("not reported").to_owned(), bytes, ms, attempts }
    }

    /// An answer that was asked for in these calls, which share a seat and a phase.
    fn unanswered(debate: &Debate, calls: &[&CallRecord]) -> Self {
        let model = match calls.iter().rev().map(|call| &call.state).find(|state| **state != CallState::Open) {
            Some(CallState::Failed(failure)) => format!("no answer: {}", failure.cause.words()),
            Some(CallState::UnderWay { .. }) => "is answering".to_owned(),
            _ => "no answer yet".to_owned(),
        };
        let is_theirs = |row: &&Account| calls.iter().any(|call| call.seat == row.seat && call.phase == row.phase);
        Self {
            model,
            bytes: calls.iter().flat_map(|call| &call.rejected).map(|rejected| rejected.text.len()).sum(),
            ms: debate.accounts().rows().iter().filter(is_theirs).map(|row| row.ms).sum(),
            attempts: calls.iter().map(|call| call.attempts).sum(),
        }
    }

    fn line(&self, seat: &str, round: &str, provider: &str) -> String {
        let (bytes, attempts) = (self.bytes.to_string(), self.attempts.to_string());
        let cells = [seat, round, provider, &self.model, &bytes, &duration(self.ms), &attempts].map(in_cell);
        format!("| {} |\n", cells.join(" | "))
    }
}

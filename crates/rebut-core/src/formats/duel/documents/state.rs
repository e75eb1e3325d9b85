//! `debate.json`: the state of a duel for other programs.
//!
//! Its top level is the schema that programs of this field already read; all that is ours stands under `rebut`.

use serde_json::{Value, json};

use super::{agreements, disagreements, notes, real_model, uncontested, winner_name};
use crate::debate::{AnsweredCall, Debate, Status};
use crate::evidence::Statement;
use crate::formats::duel::{Role, completed_rounds, ledger, listing, planned_rounds, statements, verdict};
use crate::report::claims::citations;

pub(in crate::formats::duel) fn state(debate: &Debate) -> Value {
    let mut state = json!({
        "id": debate.plan().id,
        "topic": debate.plan().topic,
        "proposer": speaker(debate, Role::Proposer),
        "challenger": speaker(debate, Role::Challenger),
        "effort": debate.plan().effort.as_str(),
        "rounds_completed": completed_rounds(debate),
        "max_rounds": planned_rounds(debate),
        "status": debate.status(),
        "exchanges": null,
        "verdict": verdict_state(debate),
        "timestamp": debate.last_at().to_string(),
        "rebut": null,
    });
    // Set afterwards: the macro would copy what is in them.
    state["exchanges"] = exchanges(debate).into();
    state["rebut"] = own_additions(debate);
    state
}

/// Who sits there, and the model that the tool reported: null where it has not answered or does not say.
fn speaker(debate: &Debate, role: Role) -> Value {
    json!({ "tool": tool(debate, role), "model": real_model(debate, role) })
}

fn tool(debate: &Debate, role: Role) -> &str {
    debate.plan().seat(&role.seat()).map_or("", |seat| seat.tool.as_str())
}

fn exchanges(debate: &Debate) -> Vec<Value> {
    let told = |(round, role, statement, answered): (u32, Role, &Statement, &AnsweredCall)| {
        json!({
            "round": round, "role": role, "tool": tool(debate, role), "response": statement.body,
            "duration_ms": answered.duration_ms,
        })
    };
    statements(debate).map(told).collect()
}

fn verdict_state(debate: &Debate) -> Option<Value> {
    if debate.status() == Status::Uncontested {
        let (reasoning, recommendation) = uncontested(debate);
        return Some(json!({
            "winner": null, "reasoning": reasoning, "agreements": [], "disagreements": [],
            "recommendation": recommendation,
        }));
    }
    let verdict = verdict(debate)?;
    Some(json!({
        "winner": winner_name(debate, verdict.winner.role()),
        "reasoning": verdict.reasoning,
        "agreements": agreements(verdict).collect::<Vec<_>>(),
        "disagreements": disagreements(verdict).collect::<Vec<_>>(),
        "recommendation": verdict.recommendation,
    }))
}

fn own_additions(debate: &Debate) -> Value {
    let ledger = ledger(debate);
    let claims = statements(debate)
        .map(|(round, role, ..)| json!({ "round": round, "role": role, "listed": listing(debate, round, role) }));
    let mut additions = json!({
        "format": debate.plan().format,
        "judge": speaker(debate, Role::Judge),
        "seats": debate.plan().seats.iter().map(|(name, seat)| (name.to_string(), seat.spec().into())).collect::<serde_json::Map<_, _>>(),
        "lines": debate.outcome().map(|outcome| outcome.lines.as_slice()).unwrap_or_default(),
        "notes": notes(debate),
        "citations": citations(debate, &ledger),
        "ledger": ledger,
        "verdict": verdict(debate),
        "statements": null,
        "accounts": debate.accounts().rows(),
        "events": debate.events(),
        "elapsed_ms": debate.elapsed_ms(debate.last_at()),
        "meaning": debate.outcome().map(|_| debate.meaning()),
    });
    additions["statements"] = claims.collect();
    additions
}

//! `debate.json` of an ask or a cross: for other programs.

use serde_json::{Map, Value, json};

use super::seats::place;
use super::{notes, rigor};
use crate::claims::check::CheckResult;
use crate::debate::Debate;
use crate::formats::cross::{
    Given, Partner, Synthesis, absences, answers, awaited, early, given, labels_key, last_round, latest, ledger, moderator,
    moves, name, partners, present, setup, switches, synthesis, tally, thread, told_by_moderator,
};

/// The debate as data.
pub(in crate::report) fn state(debate: &Debate) -> Value {
    let plan = debate.plan();
    let last = last_round(debate);
    json!({
        "id": plan.id,
        "topic": plan.topic,
        "format": plan.setup.name(),
        "partners": partners(plan).map(|partner| speaker(debate, partner)).collect::<Vec<_>>(),
        "moderator": plan.seat(&moderator()).map(|seat| json!({ "tool": seat.tool, "model": moderator_model(debate) })),
        "effort": plan.effort,
        "options": setup(plan).map(|setup| setup.options.as_slice()).unwrap_or_default(),
        "from": setup(plan).and_then(|setup| setup.opening.as_ref()).map(|opening| &opening.debate),
        "rounds_completed": last.unwrap_or(0),
        "max_rounds": plan.setup.rounds(),
        "status": debate.status(),
        "exchanges": answers(debate).map(|given| exchange(debate, &given)).collect::<Vec<_>>(),
        "absences": absences(debate).iter().map(|(round, partner, why)| {
            json!({ "round": round, "partner": partner.to_string(), "name": name(plan, *partner), "why": why })
        }).collect::<Vec<_>>(),
        "awaited": awaited(debate).iter().map(|(round, partner)| {
            json!({ "round": round, "partner": partner.to_string(), "name": name(plan, *partner) })
        }).collect::<Vec<_>>(),
        "vote": vote(debate),
        "synthesis": synthesis(debate).map(|found| by_name(debate, found)),
        "ended_early": early(debate).map(|early| early.words()),
        "timestamp": debate.last_at().to_string(),
        "rebut": own_additions(debate),
    })
}

fn speaker(debate: &Debate, partner: Partner) -> Value {
    let plan = debate.plan();
    let seat = plan.seat(&partner.seat());
    let model = answers(debate).filter(|given| given.partner == partner).last().and_then(|given| given.model);
    json!({
        "seat": partner.to_string(), "name": name(plan, partner), "tool": seat.map(|seat| &seat.tool),
        "family": seat.map(|seat| &seat.family), "model": model, "thread": thread(plan, &partner.seat()),
        "moves": moves(debate, partner), "switches": switches(debate, partner),
        "calls": calls(debate, partner),
    })
}

/// Every call of a partner that did not end in an answer: what came of it, and how often it was asked.
fn calls(debate: &Debate, partner: Partner) -> Vec<Value> {
    let own = debate.calls().filter(|(_, call)| call.seat == partner.seat());
    let unanswered = own.filter(|(key, _)| place(key).is_some() && debate.answered(key).is_none());
    unanswered
        .map(|(key, call)| {
            let rejected: Vec<&str> = call.rejected.iter().map(|rejected| rejected.rejection.code.as_str()).collect();
            json!({ "key": key, "attempts": call.attempts, "rejected": rejected, "failure": debate.failed(key) })
        })
        .collect()
}

/// What the moderator said, with everybody by name.
fn by_name(debate: &Debate, found: &Synthesis) -> Synthesis {
    let told = |text: &str| {
        let told = told_by_moderator(debate, text);
        told.letters.map_or_else(|| told.text.clone(), |letters| format!("{} (letters alone: {letters})", told.text))
    };
    let mut found = found.clone();
    found.points.iter_mut().for_each(|point| point.text = told(&point.text));
    found.disagreements.iter_mut().for_each(|line| *line = told(line));
    found.text = told(&found.text);
    found
}

fn moderator_model(debate: &Debate) -> Option<&str> {
    debate.newest_answer(&moderator())?.model.as_deref()
}

fn exchange(debate: &Debate, given: &Given<'_>) -> Value {
    json!({
        "round": given.round, "partner": given.partner.to_string(),
        "tool": debate.plan().seat(&given.partner.seat()).map(|seat| &seat.tool),
        "model": given.model, "response": given.stance.statement.body, "answer": given.stance.answer(),
        "position": given.stance.position, "confidence": given.stance.confidence, "changed_because": given.stance.because,
        "bytes": given.stance.bytes, "duration_ms": given.duration_ms, "attempts": given.attempts, "transport": given.transport,
    })
}

/// Where everybody stood in round 0 and in the end.
fn vote(debate: &Debate) -> Value {
    if last_round(debate).is_none() {
        return Value::Null;
    }
    let end = present(debate);
    let counts = |tally: Option<crate::formats::cross::Tally>| {
        tally.map(|tally| {
            let held = tally.positions.into_iter();
            held.map(|(position, holders)| (position, json!(holders.iter().map(ToString::to_string).collect::<Vec<_>>())))
                .collect::<Map<_, _>>()
        })
    };
    let stands: Vec<Value> = partners(debate.plan())
        .map(|partner| {
            let position = |given: Option<Given<'_>>| given.and_then(|given| given.stance.position.clone());
            let unsupported: Vec<u32> = switches(debate, partner)
                .iter()
                .filter(|switch| !switch.is_supported())
                .map(|switch| switch.round)
                .collect();
            json!({
                "partner": partner.to_string(), "round_0": position(given(debate, 0, partner)),
                "final": position(given(debate, end.round, partner)),
                "last_stated": position(latest(debate, end.round, partner)),
                "unsupported_switch": !unsupported.is_empty(), "unsupported_in_rounds": unsupported,
            })
        })
        .collect();
    json!({ "round_0": counts(tally(debate, 0)), "final": counts(end.tally.clone()), "partners": stands })
}

fn own_additions(debate: &Debate) -> Value {
    let plan = debate.plan();
    let ledger = ledger(debate);
    let labels = debate.entry(&labels_key()).and_then(|entry| serde_json::from_str::<Value>(&entry.text).ok());
    json!({
        "format": plan.setup.name(),
        "seats": plan.seats.iter().map(|(name, seat)| (name.to_string(), seat.spec().into())).collect::<Map<_, _>>(),
        "labels": labels,
        "lines": debate.outcome().map(|outcome| outcome.lines.as_slice()).unwrap_or_default(),
        "notes": notes(debate),
        "rigor": {
            "text": rigor(debate, &ledger),
            "checked": ledger.tally.checked(),
            "verified": ledger.tally.count(CheckResult::Verified),
            "failed": ledger.tally.failed(),
        },
        "ledger": ledger,
        "accounts": debate.accounts().rows(),
        "events": debate.events(),
        "elapsed_ms": debate.elapsed_ms(debate.last_at()),
        "meaning": debate.meaning(),
    })
}

//! `debate.json` of an ask or a cross: for other programs.

use serde_json::{Map, Value, json};

use crate::debate::Debate;
use crate::evidence::Ledger;
use crate::formats::cross::{
    Given, Partner, absences, again_key, agreement, answer_key, answers, awaited, early, given, label, last_round, latest,
    ledger, moderator, moves, name, partners, place_of, present, setup, synthesis, thread, vote,
};
use crate::report::claims::citations;

pub(super) fn state(debate: &Debate) -> Value {
    let plan = debate.plan();
    let (last, ledger) = (last_round(debate), ledger(debate));
    json!({
        "id": plan.id,
        "topic": plan.topic,
        "format": plan.format,
        "partners": partners(plan).map(|partner| speaker(debate, partner)).collect::<Vec<_>>(),
        "moderator": plan.seat(&moderator()).map(|seat| json!({ "tool": seat.tool, "model": debate.newest_model(&moderator()) })),
        "effort": plan.effort,
        "options": setup(plan).map(|setup| setup.options.as_slice()).unwrap_or_default(),
        "from": setup(plan).and_then(|setup| setup.opening.as_ref()).map(|opening| &opening.debate),
        "rounds_completed": last.unwrap_or(0),
        "max_rounds": setup(plan).map_or(0, |setup| setup.rounds),
        "status": debate.status(),
        "exchanges": answers(debate).map(|given| exchange(debate, &given)).collect::<Vec<_>>(),
        "absences": absences(debate).iter().map(|(round, partner, why)| {
            json!({ "round": round, "partner": partner.to_string(), "name": name(plan, *partner), "why": why })
        }).collect::<Vec<_>>(),
        "awaited": awaited(debate).iter().map(|(round, partner)| {
            json!({ "round": round, "partner": partner.to_string(), "name": name(plan, *partner) })
        }).collect::<Vec<_>>(),
        "vote": votes(debate, &ledger),
        "agreement": agreement(debate),
        "synthesis": synthesis(debate),
        "ended_early": early(debate).map(|early| early.words()),
        "timestamp": debate.last_at().to_string(),
        "rebut": { "citations": citations(debate, &ledger), "ledger": ledger },
    })
}

fn speaker(debate: &Debate, partner: Partner) -> Value {
    let plan = debate.plan();
    let seat = plan.seat(&partner.seat());
    let model = answers(debate).filter(|given| given.partner == partner).last().and_then(|given| given.facts.model);
    json!({
        "seat": partner.to_string(), "name": name(plan, partner), "label": label(plan, partner),
        "tool": seat.map(|seat| &seat.tool), "family": seat.map(|seat| &seat.family), "model": model,
        "thread": thread(plan, &partner.seat()), "moves": moves(debate, partner), "calls": calls(debate, partner),
    })
}

/// Every call of a partner without an answer, with its failure and attempts.
fn calls(debate: &Debate, partner: Partner) -> Vec<Value> {
    let own = debate.calls().filter(|(_, call)| call.seat == partner.seat());
    // Not those for the list of an answer.
    let is_for_an_answer =
        |key| place_of(key).is_some_and(|(round, own)| [answer_key(round, own), again_key(round, own)].contains(key));
    let unanswered = own.filter(|(key, _)| is_for_an_answer(key) && debate.answered(key).is_none());
    unanswered
        .map(|(key, call)| {
            let rejected: Vec<&str> = call.rejected.iter().map(|rejected| rejected.rejection.code.as_str()).collect();
            json!({ "key": key, "attempts": call.attempts, "rejected": rejected, "failure": debate.failed(key) })
        })
        .collect()
}

fn exchange(debate: &Debate, given: &Given<'_>) -> Value {
    let facts = &given.facts;
    json!({
        "round": given.said.round, "partner": given.partner.to_string(),
        "tool": debate.plan().tool(&given.partner.seat()),
        "model": facts.model, "response": given.said.statement.body, "listed": given.said.listing, "bytes": facts.bytes,
        "duration_ms": facts.duration_ms, "attempts": facts.attempts, "transport": facts.transport,
    })
}

/// The positions in round 0 and in the end, and the rounds in which a partner moved and named no claim that holds.
fn votes(debate: &Debate, ledger: &Ledger) -> Value {
    if last_round(debate).is_none() {
        return Value::Null;
    }
    let end = present(debate);
    let counts = |vote: Option<crate::formats::cross::Vote>| {
        vote.map(|vote| {
            let held = vote.held.into_iter();
            held.map(|(option, holders)| (option, json!(holders.iter().map(ToString::to_string).collect::<Vec<_>>())))
                .collect::<Map<_, _>>()
        })
    };
    let position = |given: Option<Given<'_>>| given.and_then(|given| given.said.position().map(str::to_owned));
    let stated = |partner: Partner| {
        let moves = moves(debate, partner);
        let unsupported: Vec<u32> =
            moves.iter().filter(|step| step.unsupported(ledger).is_some()).map(|step| step.round).collect();
        json!({
            "partner": partner.to_string(), "round_0": position(given(debate, 0, partner)),
            "final": position(given(debate, end.round, partner)),
            "last_stated": position(latest(debate, end.round, partner)), "unsupported_in_rounds": unsupported,
        })
    };
    let partners: Vec<Value> = partners(debate.plan()).map(stated).collect();
    json!({ "round_0": counts(vote(debate, 0)), "final": counts(end.vote), "partners": partners })
}

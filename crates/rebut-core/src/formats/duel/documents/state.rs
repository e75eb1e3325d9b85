//! `debate.json`: the state of a duel for other programs.
//!
//! Its top level is the schema that programs of this field already read; everything of our own is under `rebut`.

use serde_json::{Value, json};

use super::{agreements, disagreements, flags, uncontested, undecided, winner_name};
use crate::debate::{AnsweredCall, Debate, SeatName, Status};
use crate::evidence::{Ledger, Statement};
use crate::formats::duel::{Bout, Cast, Role, Turn, exchange, firmness, judge_seat, jury, verdict};
use crate::judging::Firmness;
use crate::report::claims::citations;

pub(super) fn state(debate: &Debate) -> Value {
    let bout = Bout::first(debate);
    let mut state = json!({
        "id": debate.plan().id,
        "topic": debate.plan().topic,
        "proposer": speaker(debate, &Role::Proposer.seat()),
        "challenger": speaker(debate, &Role::Challenger.seat()),
        "effort": debate.plan().effort.as_str(),
        "rounds_completed": bout.completed_rounds(),
        "max_rounds": bout.planned_rounds(),
        "status": debate.status(),
        "exchanges": null,
        "verdict": verdict_state(debate),
        "timestamp": debate.last_at().to_string(),
        "rebut": null,
    });
    // Set afterwards: the macro would copy what is in them.
    state["exchanges"] = exchanges(bout).into();
    state["rebut"] = own_additions(debate);
    state
}

/// Who sits there, and the model that the tool reported: null where it has not answered or does not say.
fn speaker(debate: &Debate, seat: &SeatName) -> Value {
    json!({ "tool": debate.plan().tool(seat), "model": debate.newest_model(seat) })
}

fn exchanges(bout: Bout<'_>) -> Vec<Value> {
    let shown = |Turn { role, said, answered }: Turn<'_>| {
        json!({
            "round": said.round, "role": role, "tool": bout.plan().tool(&role.seat()), "response": said.statement.body,
            "duration_ms": answered.duration_ms,
        })
    };
    bout.statements().map(shown).collect()
}

fn closings(bout: Bout<'_>) -> Vec<Value> {
    let shown = |round: u32, (role, statement, answered): (Role, &Statement, &AnsweredCall)| {
        json!({
            "round": round, "role": role, "tool": bout.plan().tool(&role.seat()), "response": statement.body,
            "judged": bout.judges_closings(round), "duration_ms": answered.duration_ms,
        })
    };
    (1..=bout.completed_rounds()).flat_map(|round| bout.closings(round).map(move |closing| shown(round, closing))).collect()
}

fn verdict_state(debate: &Debate) -> Option<Value> {
    let without_winner = if debate.status() == Status::Uncontested {
        Some(uncontested(debate))
    } else {
        let is_undecided = firmness(debate) == Some(Firmness::Undecided);
        is_undecided.then(|| undecided(debate)).map(|found| (found.reasoning, found.recommendation))
    };
    if let Some((reasoning, recommendation)) = without_winner {
        return Some(json!({
            "winner": null, "reasoning": reasoning, "agreements": [], "disagreements": [],
            "recommendation": recommendation,
        }));
    }
    let verdict = verdict(debate)?;
    Some(json!({
        "winner": winner_name(debate, verdict.winner),
        "reasoning": verdict.reasoning,
        "agreements": agreements(verdict).collect::<Vec<_>>(),
        "disagreements": disagreements(verdict).collect::<Vec<_>>(),
        "recommendation": verdict.recommendation,
    }))
}

fn own_additions(debate: &Debate) -> Value {
    let bout = Bout::first(debate);
    let ledger = bout.ledger();
    let mut additions = json!({
        "judge": speaker(debate, &judge_seat(1)),
        "citations": citations(debate, &ledger),
        "firmness": firmness(debate),
        "flags": flags(debate),
        "verdict": verdict(debate),
        "known_cases": jury(debate.plan()).map(|jury| &jury.known),
    });
    record(&mut additions, bout, &ledger);
    let second = Bout::exchanged(debate);
    if second.has_begun() {
        let mut held = json!({
            "outcome": exchange(debate),
            "positions": { "proposer": second.position(Role::Proposer), "challenger": second.position(Role::Challenger) },
            "rounds_completed": second.completed_rounds(),
            "winner": second.winner().map(|winner| winner_name(debate, winner)),
            "firmness": second.firmness(),
        });
        held["exchanges"] = exchanges(second).into();
        record(&mut held, second, &second.ledger());
        additions["exchange"] = held;
    }
    additions
}

/// What is on record of one debate. Set value by value: the macro would copy them.
fn record(into: &mut Value, bout: Bout<'_>, ledger: &Ledger) {
    let claims = bout
        .statements()
        .map(|Turn { role, said, .. }| json!({ "round": said.round, "role": role, "listed": said.listing }));
    into["statements"] = claims.collect();
    into["closings"] = closings(bout).into();
    into["ledger"] = json!(ledger);
    into["ballots"] = bout.ballots().iter().map(|cast| ballot(bout, cast)).collect();
}

fn ballot(bout: Bout<'_>, cast: &Cast<'_>) -> Value {
    let Cast { key, seat, vote, failure } = cast;
    let counts = bout.counted().iter().any(|(counted, _)| counted == key);
    let (ballot, answered) = vote.unzip();
    json!({
        "key": key,
        "seat": seat,
        "judge": ballot.map(|ballot| &ballot.judge),
        "model": answered.and_then(|answered| answered.model.as_deref()),
        "order": ballot.map(|ballot| ballot.order),
        "rounds": ballot.map(|ballot| ballot.rounds),
        "counts": counts,
        "winner": ballot.map(|ballot| ballot.verdict.winner),
        "failure": failure.map(ToString::to_string),
        "verdict": ballot.map(|ballot| &ballot.verdict),
    })
}

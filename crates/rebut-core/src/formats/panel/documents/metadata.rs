//! `metadata.json`: the debate in figures, for programs.

use serde_json::{Value, json};

use super::View;
use crate::debate::{Debate, SeatName};
use crate::formats::panel::{self, Office, SourceStatus, slug};
use crate::report::seats;

pub(super) fn metadata(view: &View<'_>) -> Value {
    let (debate, record) = (view.debate, &view.record);
    let plan = debate.plan();
    let model = |seat: SeatName| answered_by(debate, &seat);
    let judged = panel::adjudication(debate);
    let redactions: Vec<Value> = record
        .redactions
        .iter()
        .map(|redaction| json!({ "seq": redaction.seq, "speaker": redaction.speaker, "reason": view.engine(&redaction.reason) }))
        .collect();
    let results: serde_json::Map<String, Value> =
        SourceStatus::ALL.into_iter().map(|status| (status.as_str().to_owned(), record.tally(status).into())).collect();
    let debaters: Vec<Value> = record
        .setup
        .debaters
        .iter()
        .map(|debater| json!({ "name": debater.name, "model": model(debater.seat()) }))
        .collect();
    json!({
        "topic": plan.topic,
        "topic_slug": slug(&plan.topic),
        "debate_start": debate.began_at().to_string(),
        "debate_end": debate.outcome().map(|_| debate.last_at().to_string()),
        "total_rounds": record.rounds,
        "outcome": judged.as_ref().map(|judged| judged.outcome.as_str()),
        "outcome_reason": judged.as_ref().map(|judged| view.shown(&judged.reason)),
        "total_entries": record.log.len(),
        "redaction_count": redactions.len(),
        "redactions": redactions,
        "verification_results": results,
        "agents": {
            "chair": model(Office::Chair.seat()),
            "debaters": debaters,
            "reporter": model(Office::Reporter.seat()),
            "verifier": model(Office::Verifier.seat()),
            "audience": model(Office::Audience.seat()),
            "assessor": model(Office::Assessor.seat()),
        },
        "seats": seats(plan),
    })
}

/// The model that answered last for a seat, as its tool reported it; none where it does not say.
fn answered_by(debate: &Debate, seat: &SeatName) -> Option<String> {
    let answers = debate.calls().filter(|(_, call)| call.seat == *seat).map(|(key, _)| key);
    let last = answers.filter(|key| debate.answered(key).is_some()).max_by_key(|key| debate.ended_at(key))?;
    debate.answered(last)?.model.clone()
}

pub(super) fn standing(view: &View<'_>, name: &str) -> Value {
    let mut standing = json!(view.record.debater(name));
    standing["name"] = name.into();
    standing["left"] = view.record.left.iter().any(|left| left == name).into();
    standing
}

//! A duel as a decision record.

use super::{agreements, capital, disagreements};
use crate::debate::{Debate, Refusal, SeatPlan};
use crate::formats::duel::{Bout, Role, verdict};
use crate::report::adr::{Decision, arguments, record};

pub(in crate::formats::duel) fn adr(debate: &Debate) -> Result<String, Refusal> {
    let verdict = verdict(debate).ok_or_else(|| Refusal::no_decision(debate))?;
    let bout = Bout::first(debate);
    let ledger = bout.ledger();
    let option = |role: Role| {
        let rounds = bout.statements().filter(|(_, speaker, ..)| *speaker == role).map(|(round, ..)| round);
        let position = rounds.filter_map(|round| bout.listing(round, role)?.position.clone()).last();
        let seat = debate.plan().seat(&role.seat()).map(SeatPlan::spec).unwrap_or_default();
        let heading = position.map_or_else(
            || format!("{} ({seat})", capital(role.as_str())),
            |position| format!("{position} ({role} {seat})"),
        );
        (heading, arguments(&ledger, role.as_str()))
    };
    let decision = Decision {
        options: Role::DEBATERS.into_iter().map(option).collect(),
        text: verdict.recommendation.clone(),
        why: verdict.decisive.iter().map(|decisive| format!("{} ({})", decisive.why, decisive.id)).collect(),
        consequences: vec![
            ("Agreed", agreements(verdict).collect()),
            ("Disputed", disagreements(verdict).collect()),
            ("Open questions", verdict.unresolved.clone()),
        ],
    };
    Ok(record(debate, &decision, &ledger))
}

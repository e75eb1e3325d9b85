//! A duel as a decision record.

use super::{agreements, brief::result, came_to, capital, disagreements, flags};
use crate::debate::{Debate, Refusal, SeatPlan};
use crate::formats::duel::{Ballot, Bout, Role, firmness, verdict};
use crate::judging::Firmness;
use crate::report::adr::{Decision, arguments, record};

pub(super) fn adr(debate: &Debate) -> Result<String, Refusal> {
    let verdict = verdict(debate).ok_or_else(|| undecided(debate).unwrap_or_else(|| Refusal::no_decision(debate)))?;
    let bout = Bout::first(debate);
    let ledger = bout.ledger();
    let option = |role: Role| {
        let position = bout.statements().filter(|turn| turn.role == role).filter_map(|turn| turn.said.position()).last();
        let seat = debate.plan().seat(&role.seat()).map(SeatPlan::spec).unwrap_or_default();
        let heading = position.map_or_else(
            || format!("{} ({seat})", capital(role.as_str())),
            |position| format!("{position} ({role} {seat})"),
        );
        (heading, arguments(&ledger, role.as_str()))
    };
    let ballot = |(_, ballot): (_, &Ballot)| format!("{} {}", ballot.judge, ballot.verdict.winner);
    let ballots = |bout: Bout<'_>| bout.counted().into_iter().map(ballot).collect::<Vec<_>>().join(", ");
    let second = Bout::exchanged(debate);
    let mut facts = vec![format!("Result: {}", result(debate, Some(verdict))), format!("Ballots: {}", ballots(bout))];
    if second.has_begun() {
        facts.extend([came_to(bout), came_to(second)]);
        facts.push(format!("Ballots with positions exchanged: {}", ballots(second)));
    }
    facts.extend(flags(debate).into_iter().map(|flag| format!("Flag: {flag}")));
    let decision = Decision {
        facts,
        options: Role::ALL.into_iter().map(option).collect(),
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

/// That a debate was judged and no side won: more rounds or ballots may decide it.
fn undecided(debate: &Debate) -> Option<Refusal> {
    let id = debate.plan().id.short();
    (firmness(debate) == Some(Firmness::Undecided)).then(|| {
        Refusal::new(format!("{id} is undecided, so there is no decision to record"))
            .hint(format!("have another judge vote: rebut rejudge {id} --judge SEAT"))
    })
}

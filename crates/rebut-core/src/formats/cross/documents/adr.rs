//! An ask or a cross as a decision record.

use crate::debate::{Debate, Refusal};
use crate::formats::cross::{PointKind, last_round, latest, ledger, name, partners, synthesis};
use crate::report::adr::{Decision, arguments, record};

pub(super) fn adr(debate: &Debate) -> Result<String, Refusal> {
    let found = synthesis(debate).ok_or_else(|| Refusal::no_decision(debate))?;
    let (ledger, last) = (ledger(debate), last_round(debate).unwrap_or(0));
    let options = partners(debate.plan()).filter_map(|partner| {
        let given = latest(debate, last, partner)?;
        let who = name(debate.plan(), partner);
        let position = given.said.position().map_or_else(|| who.clone(), |position| format!("{position} ({who})"));
        Some((position, arguments(&ledger, &who)))
    });
    let points = |kind: PointKind| {
        let points = found.points.iter().filter(move |point| point.kind == kind);
        points.map(|point| point.text.clone()).collect::<Vec<_>>()
    };
    let agreed = points(PointKind::Agree);
    // An ask compares answers and combines none: what they agree on is all that is decided.
    let text = match &found.text {
        text if !text.is_empty() => text.clone(),
        _ if agreed.is_empty() => "None: the answers agree on nothing.".to_owned(),
        _ => agreed.join("\n\n"),
    };
    let why = found.position.iter().map(|position| format!("The combined answer takes: {position}")).collect();
    let consequences = vec![("Agreed", agreed), ("Disputed", points(PointKind::Differ))];
    let decision = Decision { facts: Vec::new(), options: options.collect(), text, why, consequences };
    Ok(record(debate, &decision, &ledger))
}

//! The plan of an ask or a cross.

use std::collections::BTreeMap;
use std::path::PathBuf;

use rebut_core::debate::{Chance, ContextItem, DebateId, Payload, Plan, SeatPlan};
use rebut_core::formats::cross::{CrossSetup, Kind, Opening, PARTNERS, Partner, moderator};
use rebut_core::formats::prompts;

use super::draft::{Draft, with_verdict};
use super::seats::notes_on;
use super::{Common, Place, PlanError, Planner};
use crate::providers::Found;
use crate::providers::seating::SeatingError;
use crate::workspace::WhoseWish;

#[derive(Clone, Debug, Default)]
pub struct CrossRequest {
    pub kind: Kind,
    pub question: String,
    /// Stop after round 0 if all partners give the same option.
    pub gate: bool,
    /// Run every round, even if no partner changes its position.
    pub always_debate: bool,
    /// Show partners to each other by name.
    pub named: bool,
    /// The possible answers; empty for an open question.
    pub options: Vec<String>,
    pub from: Option<Earlier>,
    /// Added to every prompt: `none`, `diff`, `file=PATH`.
    pub context: Vec<String>,
    pub common: Common,
}

/// An earlier debate whose answers are round 0 of this one.
#[derive(Clone, Debug)]
pub struct Earlier {
    pub opening: Opening,
    /// Its partners, as on the command line.
    pub partners: Vec<String>,
    /// Its moderator, unless another is named now.
    pub moderator: Option<String>,
    /// The folder that relative paths of scripts start from.
    pub workspace: PathBuf,
    pub context: Vec<ContextItem>,
}

/// Plans an ask or a cross. Nothing is started or written.
pub fn plan_cross(request: CrossRequest, planner: Planner<'_>, id: DebateId, chance: Chance) -> Result<Plan, PlanError> {
    if request.question.trim().is_empty() {
        return Err(PlanError::NoTopic);
    }
    let Planner { settings, place, .. } = planner;
    let cross = &settings.cross;
    let listed = if cross.wanted().is_some() { &[][..] } else { cross.partners.as_slice() };
    let named = request.from.as_ref().map_or(listed, |from| from.partners.as_slice());
    let before = request.from.as_ref().and_then(|from| from.moderator.as_ref());
    let seat_planner = planner.seats(cross.effort, cross.transport);
    seat_planner.probe(named.iter().chain(before.or(cross.moderator.as_ref())));
    let seen_from = match &request.from {
        Some(from) => Place { folder: from.workspace.clone(), workspace: place.workspace.clone() },
        None => place.clone(),
    };
    let seated = |(seat, text, place): (String, &String, &Place)| seat_planner.seen_from(place).seat(&seat, text);
    let partners: Vec<SeatPlan> = Partner::all(8)
        .zip(named)
        .map(|(partner, text)| seated((partner.to_string(), text, &seen_from)))
        .collect::<Result<_, _>>()?;
    let chair = before.map(|text| (text, &seen_from)).or_else(|| cross.moderator.as_ref().map(|text| (text, place)));
    let chosen = chair.map(|(text, place)| seated((moderator().to_string(), text, place))).transpose()?;
    let all_named = !partners.is_empty() && chosen.is_some();
    // The embedded model is too small to compare answers.
    let found = if all_named { Found::default() } else { seat_planner.found() };
    let mut reasons = Vec::new();
    let partners = if partners.is_empty() {
        let picked = pick(&found.seats, cross.wanted().unwrap_or(*PARTNERS.start()))?;
        let specs: Vec<String> = picked.iter().map(SeatPlan::spec).collect();
        reasons.push(format!("Auto-selected: partners {} (different vendors first)", specs.join(", ")));
        picked
    } else {
        partners
    };
    let chair = if let Some(chosen) = chosen {
        chosen
    } else {
        let (seat, why) = neutral(&partners, &found.seats).ok_or(SeatingError::NoSeats)?;
        reasons.push(format!("Auto-selected: moderator {} ({why})", seat.spec()));
        seat
    };
    reasons.extend(notes_on(&found, request.common.explain_seats));
    let mut context = planner.attach(&request.context, WhoseWish::User, &request.common.own_files)?;
    let (opening, earlier) = request.from.map_or((None, Vec::new()), |from| (Some(from.opening), from.context));
    context.items.splice(0..0, earlier);
    let setup = CrossSetup {
        kind: request.kind,
        partners: u32::try_from(partners.len()).unwrap_or(0),
        rounds: if request.kind == Kind::Ask { 0 } else { cross.rounds },
        gate: request.gate,
        always_debate: request.always_debate,
        named: request.named,
        options: request.options,
        opening,
    };
    let seats: BTreeMap<_, _> = Partner::all(8).map(Partner::seat).zip(partners).chain([(moderator(), chair)]).collect();
    let draft = Draft {
        planner: seat_planner,
        topic: &request.question,
        format: setup.kind.as_str(),
        setup: Payload::of(setup),
        seats,
        timeout_ms: cross.timeout_seconds.millis(),
        context,
        budget: settings.budget.budget(),
        reasons,
    };
    let plan = draft.on(request.common, id, chance)?;
    prompts::check(&plan)?;
    with_verdict(plan)
}

/// Picks partners: from different vendors first, then different models, then the same again.
fn pick(available: &[SeatPlan], count: usize) -> Result<Vec<SeatPlan>, PlanError> {
    let mut picked: Vec<SeatPlan> = Vec::new();
    for seat in available {
        if picked.len() < count && picked.iter().all(|other| other.family != seat.family) {
            picked.push(seat.clone());
        }
    }
    for seat in available {
        if picked.len() < count && picked.iter().all(|other| other.spec() != seat.spec()) {
            picked.push(seat.clone());
        }
    }
    if available.is_empty() {
        return Err(SeatingError::NoSeats.into());
    }
    let again = available.iter().cycle().take(count - picked.len()).cloned();
    picked.extend(again);
    Ok(picked)
}

/// A moderator from a vendor that does not take part, else the first available.
fn neutral(partners: &[SeatPlan], available: &[SeatPlan]) -> Option<(SeatPlan, &'static str)> {
    let outsider = available.iter().find(|seat| partners.iter().all(|partner| partner.family != seat.family));
    if let Some(seat) = outsider {
        return Some((seat.clone(), "from a vendor that does not take part"));
    }
    available.first().or(partners.first()).map(|seat| (seat.clone(), "no other vendor available"))
}

#[cfg(test)]
mod tests {
    use super::super::sample_seat as plan;
    use super::*;

    fn tools(seats: &[SeatPlan]) -> Vec<&str> {
        seats.iter().map(|seat| seat.tool.as_str()).collect()
    }

    #[test]
    fn partners_are_from_different_vendors_first() {
        let available = [plan("a", "x"), plan("b", "x"), plan("c", "y"), plan("d", "z")];
        assert_eq!(tools(&pick(&available, 2).unwrap()), ["a", "c"]);
        assert_eq!(tools(&pick(&available, 4).unwrap()), ["a", "c", "d", "b"]);
        assert_eq!(tools(&pick(&available[..2], 3).unwrap()), ["a", "b", "a"]);
        assert!(matches!(pick(&[], 2), Err(PlanError::Seating(SeatingError::NoSeats))));
    }

    #[test]
    fn the_moderator_is_an_outsider_where_one_is_available() {
        let available = [plan("a", "x"), plan("b", "y"), plan("c", "z")];
        assert_eq!(neutral(&available[..2], &available).unwrap().0.tool, "c");
        assert_eq!(neutral(&available, &available).unwrap().0.tool, "a");
        assert_eq!(neutral(&available, &[]).unwrap().0.tool, "a");
    }
}

//! The plan of an ask or a cross.

use std::path::PathBuf;

use rebut_core::debate::{ContextItem, Payload, Plan, SeatPlan};
use rebut_core::formats::cross::{CrossSetup, Kind, Opening, PARTNERS, Partner, moderator};

use super::draft::{Draft, with_verdict};
use super::seats::one_per_vendor;
use super::{Common, Place, PlanError, Planner, check_topic};
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
pub fn plan_cross(request: CrossRequest, planner: Planner<'_>) -> Result<Plan, PlanError> {
    check_topic(&request.question)?;
    let Planner { settings, place, .. } = planner;
    let cross = &settings.cross;
    let seat_planner = planner.seats(cross.effort, cross.transport);
    let earlier_folder = request.from.as_ref().map_or(&place.folder, |from| &from.workspace);
    let earlier_place = Place { folder: earlier_folder.clone(), workspace: place.workspace.clone() };
    let named = match &request.from {
        Some(from) => from.partners.as_slice(),
        None if cross.wanted().is_some() => &[],
        None => cross.partners.as_slice(),
    };
    let earlier_chair = request.from.as_ref().and_then(|from| from.moderator.as_ref());
    let (chair, chair_place) =
        earlier_chair.map_or((cross.moderator.as_ref(), place), |chair| (Some(chair), &earlier_place));
    seat_planner.probe(named.iter().chain(chair));
    let seated =
        |(partner, text): (Partner, &String)| seat_planner.seen_from(&earlier_place).seat(partner.seat().as_str(), text);
    let mut partners: Vec<SeatPlan> = Partner::all(8).zip(named).map(seated).collect::<Result<_, _>>()?;
    let chair = seat_planner.seen_from(chair_place).named(moderator().as_str(), chair)?;
    // The embedded model is too small to compare answers.
    let found = seat_planner.found(!partners.is_empty() && chair.is_some());
    let mut reasons = Vec::new();
    if partners.is_empty() {
        if found.seats.is_empty() {
            return Err(SeatingError::NoSeats.into());
        }
        partners = pick(&found.seats, cross.wanted().unwrap_or(*PARTNERS.start()));
        let specs: Vec<String> = partners.iter().map(SeatPlan::spec).collect();
        reasons.push(format!("Auto-selected: partners {} (different vendors first)", specs.join(", ")));
    }
    let chair = if let Some(chair) = chair {
        chair
    } else {
        let outsider = found.seats.iter().find(|seat| partners.iter().all(|partner| partner.family != seat.family));
        let why = if outsider.is_some() { "from a vendor that does not take part" } else { "no other vendor available" };
        let seat = outsider.or(found.seats.first()).unwrap_or(&partners[0]);
        reasons.push(format!("Auto-selected: moderator {} ({why})", seat.spec()));
        seat.clone()
    };
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
    let draft = Draft {
        planner: seat_planner,
        topic: &request.question,
        format: setup.kind.as_str(),
        setup: Payload::of(setup),
        seats: Partner::all(8).map(Partner::seat).zip(partners).chain([(moderator(), chair)]).collect(),
        timeout_ms: cross.timeout_seconds.millis(),
        context,
        found,
        reasons,
    };
    with_verdict(draft.on(request.common)?)
}

/// Picks partners: from different vendors first, then different models, then the same again.
fn pick(available: &[SeatPlan], count: usize) -> Vec<SeatPlan> {
    let first = one_per_vendor(available);
    let others = available.iter().filter(|seat| first.iter().all(|other| other.spec() != seat.spec()));
    first.iter().copied().chain(others).cycle().take(count).cloned().collect()
}

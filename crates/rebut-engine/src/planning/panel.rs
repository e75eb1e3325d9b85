//! The plan of a panel, and the seats of a lineup that was proposed.

use std::collections::{BTreeMap, BTreeSet};

use rebut_core::debate::{Amendment, Payload, Plan, SeatName, SeatPlan};
use rebut_core::formats::panel::{Debater, LineupWord, Office, PanelSetup, setup};

use super::draft::{Draft, check_room, with_verdict};
use super::lineup::without_secrets;
use super::seats::{SeatPlanner, one_per_vendor};
use super::{Common, PlanError, Planner, check_topic, verdict_share};
use crate::providers::Providers;
use crate::providers::seating::SeatingError;
use crate::redact::redact;
use crate::workspace::WhoseWish;

type Seats = BTreeMap<SeatName, SeatPlan>;

#[derive(Clone, Debug)]
pub struct PanelRequest {
    pub topic: String,
    /// The debaters; empty to let the chair propose them.
    pub debaters: Vec<Debater>,
    /// The debaters that the user wants, in their own words, for the chair's proposal.
    pub hints: String,
    /// Where the documents go, absolute.
    pub output: String,
    /// Let seats search the web with their own tools.
    pub web: bool,
    /// Whether the user accepts the proposed lineup unseen.
    pub accepts_lineup: bool,
    /// Added to every prompt: `none`, `diff`, `file=PATH`.
    pub context: Vec<String>,
    pub common: Common,
}

/// Plans a panel. Nothing is started or written.
pub fn plan_panel(request: PanelRequest, planner: Planner<'_>) -> Result<Plan, PlanError> {
    check_topic(&request.topic)?;
    let settings = planner.settings;
    let panel = &settings.panel;
    let mut setup = PanelSetup {
        debaters: request.debaters,
        min_rounds: panel.min_rounds,
        max_rounds: panel.max_rounds,
        time_budget_minutes: panel.time_budget_minutes,
        rigor: settings.verdict.rigor,
        web: request.web,
        hints: redact(request.hints.trim()).into_owned(),
        wishes: Vec::new(),
        output: request.output,
        default_seats: Vec::new(),
        accepts_lineup: request.accepts_lineup,
    };
    let problems = setup.problems();
    if !problems.is_empty() {
        return Err(PlanError::Panel { problems });
    }
    let seat_planner = planner.seats(panel.effort, panel.transport);
    seat_planner.probe(Office::ALL.into_iter().filter_map(|office| panel.models.of(office)));
    let mut seats = Seats::new();
    for office in Office::ALL {
        let named = seat_planner.named(office.as_str(), panel.models.of(office))?;
        seats.extend(named.map(|seat| (office.seat(), seat)));
    }
    let found = seat_planner.found(seats.len() == Office::ALL.len());
    let chosen = fill(&mut seats, &found.seats)?;
    let mut reasons = Vec::new();
    if !chosen.is_empty() {
        reasons.push(format!("Auto-selected: {}", chosen.join(", ")));
    }
    if panel.models.reporter.is_none() {
        setup.default_seats = default_seats(&found.seats, &seats[&Office::Chair.seat()]);
    }
    seats.extend(debater_seats(&setup, &setup.debaters, &seats, seat_planner)?);
    if request.web {
        reasons.extend(cannot_search(&seats, planner.providers));
    }
    let draft = Draft {
        planner: seat_planner,
        topic: &request.topic,
        format: "panel",
        setup: Payload::of(setup),
        seats,
        timeout_ms: panel.timeout_seconds.millis(),
        context: planner.attach(&request.context, WhoseWish::User, &request.common.own_files)?,
        found,
        reasons,
    };
    with_verdict(draft.on(request.common)?)
}

/// The amendment with which a panel continues once its lineup is known.
pub fn seat_lineup(plan: &Plan, debaters: Vec<Debater>, planner: Planner<'_>) -> Result<Amendment, PlanError> {
    let debaters: Vec<Debater> = debaters.into_iter().map(without_secrets).collect();
    let seat_planner = planner.seats(planner.settings.panel.effort, planner.settings.panel.transport);
    let mut seated = plan.clone();
    let mut seats = BTreeMap::new();
    if let Some(setup) = setup(plan) {
        seats = debater_seats(setup, &debaters, &plan.seats, seat_planner)?;
        seated.seats.extend(seats.clone());
        let setup = PanelSetup { debaters: debaters.clone(), ..setup.clone() };
        let problems = setup.problems();
        if !problems.is_empty() {
            return Err(PlanError::Panel { problems });
        }
        seated.setup = Payload::of(setup);
    }
    check_room(&seated)?;
    let verdict_share = Some(verdict_share(&seated));
    let change = Some(Payload::of(LineupWord::Taken { debaters }));
    Ok(Amendment { seats, verdict_share, change, ..Amendment::default() })
}

/// A seat for each debater: its own, or the one that the setup has for it.
fn debater_seats(
    setup: &PanelSetup,
    debaters: &[Debater],
    offices: &Seats,
    seat_planner: SeatPlanner<'_>,
) -> Result<Seats, PlanError> {
    seat_planner.probe(debaters.iter().filter_map(|debater| debater.model.as_ref()));
    let by_default = setup.seats_by_default(debaters, offices.get(&Office::Reporter.seat()));
    let seat = |(debater, by_default): (&Debater, Option<&SeatPlan>)| {
        let planned = match &debater.model {
            Some(model) => seat_planner.seat(&debater.name, model)?,
            None => by_default.cloned().ok_or(SeatingError::NoSeats)?,
        };
        Ok((debater.seat(), planned))
    };
    debaters.iter().zip(by_default).map(seat).collect()
}

/// A seat of each vendor, without the chair's if two others are left: the chair judges the debaters.
fn default_seats(available: &[SeatPlan], chair: &SeatPlan) -> Vec<SeatPlan> {
    let mut seats = one_per_vendor(available);
    let is_chairs = |seat: &&SeatPlan| seat.family == chair.family;
    if seats.iter().filter(|seat| !is_chairs(seat)).count() >= 2 {
        seats.retain(|seat| !is_chairs(seat));
    }
    seats.into_iter().cloned().collect()
}

/// A note on tools that cannot search the web.
fn cannot_search(seats: &Seats, providers: &Providers) -> Option<String> {
    let unable = seats.values().filter(|seat| !providers.can_search(seat)).map(|seat| seat.tool.as_str());
    let unable: Vec<&str> = unable.collect::<BTreeSet<_>>().into_iter().collect();
    (!unable.is_empty())
        .then(|| format!("--web has no effect for {}: it has no search that can be enabled", unable.join(", ")))
}

/// Fills the open offices with different vendors, none of them the reporter's if possible. Says who got which.
fn fill(seats: &mut Seats, available: &[SeatPlan]) -> Result<Vec<String>, SeatingError> {
    let mut chosen = Vec::new();
    let mut put = |seats: &mut Seats, office: Office, seat: &SeatPlan| {
        chosen.push(format!("{office} {}", seat.spec()));
        seats.insert(office.seat(), seat.clone());
    };
    let reporter = Office::Reporter.seat();
    if !seats.contains_key(&reporter) {
        let first = available.first().or(seats.values().next()).cloned().ok_or(SeatingError::NoSeats)?;
        put(seats, Office::Reporter, &first);
    }
    let own = seats[&reporter].clone();
    let mut in_turn = one_per_vendor(available).into_iter().filter(|seat| seat.family != own.family).cycle();
    for office in Office::ALL {
        if !seats.contains_key(&office.seat()) {
            put(seats, office, in_turn.next().unwrap_or(&own));
        }
    }
    Ok(chosen)
}

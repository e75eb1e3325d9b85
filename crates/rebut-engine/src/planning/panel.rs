//! The plan of a panel, and the seats of a lineup that was proposed.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use rebut_core::debate::{Amendment, Chance, DebateId, Payload, Plan, SeatName, SeatPlan};
use rebut_core::formats::panel::{Debater, LineupWord, Office, PanelSetup, setup};
use rebut_core::formats::prompts;

use super::draft::{Draft, check_room, with_verdict};
use super::lineup::without_secrets;
use super::seats::{SeatPlanner, notes_on};
use super::{Common, PlanError, Planner, verdict_share};
use crate::config::PanelSettings;
use crate::providers::seating::SeatingError;
use crate::providers::{Found, Providers};
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
pub fn plan_panel(request: PanelRequest, planner: Planner<'_>, id: DebateId, chance: Chance) -> Result<Plan, PlanError> {
    if request.topic.trim().is_empty() {
        return Err(PlanError::NoTopic);
    }
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
    let Offices { mut seats, found, chosen } = seat_offices(panel, seat_planner)?;
    let chosen: Vec<String> = chosen.iter().map(|(office, spec)| format!("{office} {spec}")).collect();
    let chosen = (!chosen.is_empty()).then(|| format!("Auto-selected: {}", chosen.join(", ")));
    let mut reasons: Vec<String> = chosen.into_iter().chain(notes_on(&found, request.common.explain_seats)).collect();
    if panel.models.reporter.is_none() {
        setup.default_seats = one_per_vendor(&found.seats, seats.get(&Office::Chair.seat()));
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
        budget: settings.budget.budget(),
        reasons,
    };
    let plan = draft.on(request.common, id, chance)?;
    prompts::check(&plan)?;
    with_verdict(plan)
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

/// The first seat per vendor, without the chair's vendor if two others are left: the chair judges the debaters.
fn one_per_vendor(available: &[SeatPlan], chair: Option<&SeatPlan>) -> Vec<SeatPlan> {
    let mut seats: Vec<SeatPlan> = Vec::new();
    for seat in available {
        if seats.iter().all(|known| known.family != seat.family) {
            seats.push(seat.clone());
        }
    }
    let is_chairs = |seat: &SeatPlan| chair.is_some_and(|chair| chair.family == seat.family);
    if seats.iter().filter(|seat| !is_chairs(seat)).count() >= 2 {
        seats.retain(|seat| !is_chairs(seat));
    }
    seats
}

struct Offices {
    seats: Seats,
    /// The candidates for offices without a named seat.
    found: Found,
    /// The offices filled from them.
    chosen: Vec<(Office, String)>,
}

/// Fills offices with the named seats, then with what is found.
fn seat_offices(panel: &PanelSettings, seat_planner: SeatPlanner<'_>) -> Result<Offices, PlanError> {
    seat_planner.probe(Office::ALL.into_iter().filter_map(|office| panel.models.of(office)));
    let mut seats = BTreeMap::new();
    for office in Office::ALL {
        if let Some(text) = panel.models.of(office) {
            seats.insert(office.seat(), seat_planner.seat(office.as_str(), text)?);
        }
    }
    if seats.len() == Office::ALL.len() {
        return Ok(Offices { seats, found: Found::default(), chosen: Vec::new() });
    }
    let found = seat_planner.found();
    let chosen = fill(&mut seats, &found.seats)?;
    Ok(Offices { seats, found, chosen })
}

/// A note on tools that cannot search the web.
fn cannot_search(seats: &Seats, providers: &Providers) -> Option<String> {
    let unable: BTreeSet<&str> =
        seats.values().filter(|seat| !providers.can_search(seat)).map(|seat| seat.tool.as_str()).collect();
    let unable: Vec<&str> = unable.into_iter().collect();
    (!unable.is_empty())
        .then(|| format!("--web has no effect for {}: it has no search that can be enabled", unable.join(", ")))
}

/// Fills the open offices with different vendors, none of them the reporter's if possible.
fn fill(seats: &mut Seats, available: &[SeatPlan]) -> Result<Vec<(Office, String)>, SeatingError> {
    let reporter = Office::Reporter.seat();
    let mut chosen = Vec::new();
    if !seats.contains_key(&reporter) {
        let first = available.first().or(seats.values().next()).cloned().ok_or(SeatingError::NoSeats)?;
        chosen.push((Office::Reporter, first.spec()));
        seats.insert(reporter.clone(), first);
    }
    let own = seats[&reporter].clone();
    let mut others: Vec<&SeatPlan> = Vec::new();
    for seat in available {
        if seat.family != own.family && others.iter().all(|other| other.family != seat.family) {
            others.push(seat);
        }
    }
    let mut in_turn = others.into_iter().cycle();
    for office in Office::ALL {
        if let Entry::Vacant(free) = seats.entry(office.seat()) {
            let seat = in_turn.next().unwrap_or(&own).clone();
            chosen.push((office, seat.spec()));
            free.insert(seat);
        }
    }
    Ok(chosen)
}

#[cfg(test)]
mod tests {
    use super::super::sample_seat as seat;
    use super::*;

    fn filled(named: &[(Office, &str, &str)], available: &[SeatPlan]) -> Vec<String> {
        let mut seats: BTreeMap<_, _> =
            named.iter().map(|(office, tool, family)| (office.seat(), seat(tool, family))).collect();
        fill(&mut seats, available).unwrap();
        Office::ALL.iter().map(|office| format!("{office} {}", seats[&office.seat()].tool)).collect()
    }

    #[test]
    fn offices_that_judge_are_from_another_vendor_than_the_reporter() {
        let three = [seat("a", "x"), seat("b", "x"), seat("c", "y"), seat("d", "z")];
        assert_eq!(filled(&[], &three), ["chair c", "verifier d", "audience c", "reporter a", "assessor d"]);
        assert_eq!(filled(&[], &three[..1]), ["chair a", "verifier a", "audience a", "reporter a", "assessor a"]);
        let named = [(Office::Reporter, "c", "y"), (Office::Chair, "e", "w")];
        assert_eq!(filled(&named, &three), ["chair e", "verifier a", "audience d", "reporter c", "assessor a"]);
    }

    #[test]
    fn debaters_are_from_different_vendors_and_not_the_chairs() {
        let names = |seats: &[SeatPlan]| seats.iter().map(|seat| seat.tool.clone()).collect::<Vec<_>>();
        let found = [seat("a", "x"), seat("b", "x"), seat("c", "y"), seat("d", "z")];
        assert_eq!(names(&one_per_vendor(&found, Some(&found[2]))), ["a", "d"]);
        assert_eq!(names(&one_per_vendor(&found[..3], Some(&found[2]))), ["a", "c"], "one alone would not be a debate");
        assert_eq!(names(&one_per_vendor(&found[..1], Some(&found[0]))), ["a"]);
    }

    #[test]
    fn a_named_seat_holds_every_office_if_nothing_else_is_found() {
        assert_eq!(
            filled(&[(Office::Chair, "e", "w")], &[]),
            ["chair e", "verifier e", "audience e", "reporter e", "assessor e"]
        );
        assert!(matches!(fill(&mut BTreeMap::new(), &[]), Err(SeatingError::NoSeats)));
    }
}

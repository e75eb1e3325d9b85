//! The plan of a duel.

use std::collections::BTreeMap;

use rebut_core::debate::{Amendment, Debate, Payload, Plan, SeatName, SeatPlan};
use rebut_core::formats::duel::{DuelSetup, Jury, Role, judge_seat, judge_seats};
use rebut_core::formats::judge_check::prompt_hash;
use rebut_core::judge_check::JudgeRecord;
use rebut_core::judging::Rigor;

use super::draft::{Draft, check_room, with_verdict};
use super::seats::refused;
use super::{Common, PlanError, Planner, check_topic};
use crate::providers::seating::{Seating, Wanted, further_judges, seat, why};
use crate::providers::{SeatSpec, check_model, local, script};
use crate::session::KnownJudges;
use crate::workspace::WhoseWish;

#[derive(Clone, Debug)]
pub struct DuelRequest {
    pub topic: String,
    /// The model for the proposer, whatever its tool.
    pub model_proposer: Option<String>,
    /// The model for the challenger, whatever its tool.
    pub model_challenger: Option<String>,
    /// Who set `duel.context`.
    pub context_wish: WhoseWish,
    pub common: Common,
}

/// Plans a duel. Nothing is started or written.
pub fn plan_duel(request: DuelRequest, planner: Planner<'_>) -> Result<Plan, PlanError> {
    check_topic(&request.topic)?;
    let settings = planner.settings;
    let duel = &settings.duel;
    let seat_planner = planner.seats(duel.effort, duel.transport);
    let named = |role: Role, text: &Option<String>, model: &Option<String>| -> Result<Option<SeatPlan>, PlanError> {
        let (Some(text), Some(model)) = (text, model) else { return seat_planner.named(role.as_str(), text.as_ref()) };
        let mut spec = SeatSpec::parse(text).map_err(refused(role.as_str()))?;
        if spec.tool == script::NAME {
            return Err(refused(role.as_str())("a script has no models; name the answers with `script:FILE#NAME`"));
        }
        spec.model = check_model(model).map_err(refused(role.as_str()))?;
        seat_planner.resolve(role.as_str(), spec).map(Some)
    };
    seat_planner.probe([&duel.proposer, &duel.challenger, &duel.judge].into_iter().flatten());
    let wanted = Wanted {
        proposer: named(Role::Proposer, &duel.proposer, &request.model_proposer)?,
        challenger: named(Role::Challenger, &duel.challenger, &request.model_challenger)?,
        judge: seat_planner.named("judge", duel.judge.as_ref())?,
    };
    let named_seats = [&wanted.proposer, &wanted.challenger, &wanted.judge].into_iter().flatten().count();
    let mut found = seat_planner.found(named_seats == 3);
    // Unless it is named, the embedded model debates only itself.
    if found.seats.is_empty() && wanted.proposer.is_none() && wanted.challenger.is_none() {
        found.seats.extend(planner.providers.embedded());
    }
    let mut seating = seat(wanted.clone(), &found.seats)?;
    // A model named for a seat without a tool goes to the tool found for it.
    for (role, chosen, asked, model) in [
        (Role::Proposer, &mut seating.proposer, &duel.proposer, &request.model_proposer),
        (Role::Challenger, &mut seating.challenger, &duel.challenger, &request.model_challenger),
    ] {
        if let (None, Some(_)) = (asked, model)
            && let Some(replanned) = named(role, &Some(chosen.tool.clone()), model)?
        {
            *chosen = replanned;
        }
    }
    let mut seats = BTreeMap::from([
        (Role::Proposer.seat(), seating.proposer.clone()),
        (Role::Challenger.seat(), seating.challenger.clone()),
        (judge_seat(1), seating.judge.clone()),
    ]);
    // Two opinions of the default embedded model are worth no more than one.
    let is_mechanics_only = seating.judge.tool == local::NAME && seating.judge.model.is_none();
    let rigor = if is_mechanics_only { Rigor::Quick } else { settings.verdict.rigor };
    let mut setup = DuelSetup::with_one_judge(duel.rounds, rigor);
    for (further, number) in further_judges(&seating, &found.seats).into_iter().zip(2..) {
        match rigor {
            Rigor::Standard if number == 2 => setup.jury.reserve = Some(judge_seat(number)),
            Rigor::Thorough if number <= rigor.judges() => setup.jury.judges.push(judge_seat(number)),
            _ => break,
        }
        seats.insert(judge_seat(number), further.clone());
    }
    let draft = Draft {
        planner: seat_planner,
        topic: &request.topic,
        format: "duel",
        setup: Payload::of(setup),
        seats,
        timeout_ms: duel.timeout_seconds.millis(),
        context: planner.attach(&duel.context, request.context_wish, &request.common.own_files)?,
        reasons: why(&wanted, &seating).into_iter().collect(),
        found,
    };
    let judges = request.common.judges.clone();
    let mut plan = draft.on(request.common)?;
    leave_out_small_judges(&mut plan);
    let seated = judge_seats(&plan).count();
    if seated < rigor.judges() {
        let are = if seated == 1 { "is" } else { "are" };
        plan.notes.push(format!("only {seated} of {} judges {are} available", rigor.judges()));
    }
    let known = known(&plan, &plan.seats, &judges);
    plan.setup.edit(|duel: &mut DuelSetup| duel.jury.known = known);
    with_verdict(plan)
}

/// Leaves out further judges that can't read the debate: the user did not name them.
fn leave_out_small_judges(plan: &mut Plan) {
    while let Err(PlanError::NoRoom { seat, spec, needed, room }) = check_room(plan)
        && let further = judge_seats(plan).skip(1).collect::<Vec<_>>()
        && let Some(small) = further.iter().find(|name| name.as_str() == seat)
        && let Some(last) = further.last()
    {
        // The last one moves up.
        if let Some(moved) = plan.seats.remove(last).filter(|_| last != small) {
            plan.seats.insert(small.clone(), moved);
        }
        plan.setup.edit(|duel: &mut DuelSetup| {
            duel.jury.judges.retain(|name| name != last);
            duel.jury.reserve.take_if(|name| name == last);
        });
        plan.notes.push(format!(
            "{spec} can't be a further judge: a ballot takes about {needed} tokens, and its context window is {room}"
        ));
    }
}

/// What is known of the judges among these seats.
fn known(plan: &Plan, seats: &BTreeMap<SeatName, SeatPlan>, judges: &KnownJudges) -> BTreeMap<SeatName, JudgeRecord> {
    let prompt = prompt_hash(plan);
    let names = (1..).map(judge_seat).take_while(|name| seats.contains_key(name));
    names.filter_map(|name| Some((name.clone(), judges.find(&seats[&name], &prompt)?))).collect()
}

/// What changes if a duel that has ended is judged again, by these judges or by those that it had. Each judge that
/// has not judged it before gets a seat of its own, so that earlier ballots stay with who cast them.
pub fn plan_rejudge(
    debate: &Debate,
    named: &[String],
    rigor: Option<Rigor>,
    planner: Planner<'_>,
    known_judges: &KnownJudges,
) -> Result<Amendment, PlanError> {
    let (plan, settings) = (debate.plan(), planner.settings);
    let seat_planner = planner.seats(plan.effort, settings.duel.transport);
    let setup = plan.setup.get::<DuelSetup>();
    let rigor = rigor.or_else(|| setup.map(|setup| setup.rigor)).unwrap_or(settings.verdict.rigor);
    let mut seats = plan.seats.clone();
    let mut judges: Vec<SeatName> = Vec::new();
    let mut reserve = None;
    for text in named {
        judges.push(judge_named(&mut seats, seat_planner.seat("judge", text)?));
    }
    if judges.is_empty() {
        judges.extend(judge_seats(plan));
        if judges.len() < rigor.judges()
            && let [Some(proposer), Some(challenger), Some(judge)] =
                [Role::Proposer.seat(), Role::Challenger.seat(), judge_seat(1)].map(|seat| plan.seat(&seat).cloned())
        {
            let (found, seating) = (seat_planner.found(false), Seating { proposer, challenger, judge });
            for judge in further_judges(&seating, &found.seats) {
                let name = judge_named(&mut seats, judge.clone());
                if !judges.contains(&name) {
                    judges.push(name);
                }
            }
        }
        reserve = judges.get(1).filter(|_| rigor == Rigor::Standard).cloned();
        judges.truncate(rigor.judges());
    }
    let known = known(plan, &seats, known_judges);
    seats.retain(|name, seat| judges.contains(name) && plan.seat(name) != Some(seat));
    let jury = Jury { ballots: rigor.ballots(), judges, reserve, known };
    Ok(Amendment { seats, change: Some(Payload::of(jury)), judges_only: true, ..Amendment::default() })
}

/// The seat of a judge: the one it had, else the next.
fn judge_named(seats: &mut BTreeMap<SeatName, SeatPlan>, judge: SeatPlan) -> SeatName {
    let own = |name: &SeatName| seats.get(name).is_none_or(|seat| seat.spec() == judge.spec());
    let name = (1..=seats.len()).map(judge_seat).find(own).unwrap_or_else(|| judge_seat(seats.len() + 1));
    seats.insert(name.clone(), judge);
    name
}

//! The plan of a review.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use rebut_core::debate::{Payload, Plan, SeatName, SeatPlan};
use rebut_core::formats::review::{Artifact, Confidence, Intensity, ReviewSetup, Role, Severity, Target};

use super::draft::Draft;
use super::host::Host;
use super::{Common, PlanError, Planner};
use crate::providers::seating::SeatingError;
use crate::redact::{redact_diff, redact_keeping_lines};
use crate::workspace::Attached;

/// A call about a proposal often takes longer than this.
const SHORT_CALL_SECONDS: u64 = 120;

#[derive(Clone, Debug)]
pub struct ReviewRequest {
    pub artifact: Artifact,
    pub target: Target,
    pub confidence: Confidence,
    /// Its origin.
    pub scope: String,
    /// One line.
    pub topic: String,
    /// Overrides the intensity's rounds.
    pub max_rounds: Option<u32>,
    /// Overrides the intensity's time budget.
    pub budget_ms: Option<u64>,
    /// Overrides the intensity's limit per call.
    pub call_seconds: Option<u64>,
    /// Accept the critique without a rewrite.
    pub skip_rewrite: bool,
    /// Whether the new version is written to the working tree at the end.
    pub apply: bool,
    /// The least severity of which no valid finding may remain.
    pub fail_on: Option<Severity>,
    pub host: Option<Host>,
    pub common: Common,
}

/// Plans a review. Nothing is started or written.
pub fn plan_review(request: ReviewRequest, planner: Planner<'_>) -> Result<Plan, PlanError> {
    let settings = planner.settings;
    let review = &settings.review;
    let seat_planner = planner.seats(review.effort, review.transport);
    seat_planner.probe([&review.critic, &review.judge, &review.author].into_iter().flatten());
    let critic = seat_planner.named(Role::Critic.as_str(), review.critic.as_ref())?;
    let judge = seat_planner.named(Role::Judge.as_str(), review.judge.as_ref())?;
    let author = seat_planner.named(Role::Author.as_str(), review.author.as_ref())?;
    let found = seat_planner.found(critic.is_some() && judge.is_some() && author.is_some());
    // The host is installed, whether or not it was found as a candidate.
    let host = request.host.and_then(|host| {
        let found = found.seats.iter().find(|seat| seat.tool == host.tool()).cloned();
        Some((host, found.or_else(|| seat_planner.seat("host", host.tool()).ok())?))
    });
    let Seating { seats, by_substitute, mut reasons } = seat([critic, judge, author], host, &found.seats)?;
    let intensity = review.intensity;
    let call_seconds = request.call_seconds.unwrap_or(intensity.call_seconds());
    reasons.extend(overridden(&request, intensity));
    if call_seconds < SHORT_CALL_SECONDS && request.target != Target::Code {
        reasons.push(format!(
            "{call_seconds} s per call is short for a {}: critiques often take more than {SHORT_CALL_SECONDS} s",
            request.target.as_str()
        ));
    }
    let Artifact { text, form, stat, .. } = request.artifact;
    // It is cited by line.
    let text = if form.is_diff() { redact_diff(&text) } else { redact_keeping_lines(&text) }.into_owned();
    let artifact = Artifact::new(text, form, stat);
    let draft = Draft {
        planner: seat_planner,
        topic: &request.topic,
        format: "review",
        setup: Payload::of(ReviewSetup {
            artifact,
            target: request.target,
            confidence: request.confidence,
            scope: request.scope,
            intensity,
            max_rounds: request.max_rounds.unwrap_or(intensity.max_rounds()),
            mode: review.mode,
            skip_rewrite: request.skip_rewrite,
            apply: request.apply,
            fail_on: request.fail_on,
            stand_in: by_substitute,
        }),
        seats,
        timeout_ms: call_seconds.saturating_mul(1_000),
        context: Attached::default(),
        found,
        reasons,
    };
    // No share for a verdict: a review's result is what was judged so far.
    let mut plan = draft.on(request.common)?;
    let usual_ms = u64::from(intensity.budget_minutes()) * 60_000;
    plan.budget.max_ms = Some(request.budget_ms.or(plan.budget.max_ms).unwrap_or(usual_ms));
    Ok(plan)
}

/// Notes on flags that override the intensity.
fn overridden(request: &ReviewRequest, intensity: Intensity) -> Vec<String> {
    let minutes = request.budget_ms.map(|ms| Duration::from_millis(ms).as_secs_f64() / 60.0);
    let seconds = request.call_seconds.map(|seconds| seconds.to_string());
    let flags = [
        ("--max-rounds", request.max_rounds.map(|rounds| rounds.to_string()), intensity.max_rounds().to_string()),
        ("--budget-minutes", minutes.map(|minutes| minutes.to_string()), intensity.budget_minutes().to_string()),
        ("--backend-timeout-seconds", seconds, intensity.call_seconds().to_string()),
    ];
    let note = |(flag, given, usual): (&str, Option<String>, String)| {
        let given = given.filter(|given| *given != usual)?;
        Some(format!("{flag} {given} instead of the {usual} of {}", intensity.as_str()))
    };
    flags.into_iter().filter_map(note).collect()
}

struct Seating {
    seats: BTreeMap<SeatName, SeatPlan>,
    /// Whether the critic is a stand-in from the author's vendor.
    by_substitute: bool,
    reasons: Vec<String>,
}

/// Fills the seats of critic, judge and author that are open: author and judge with the host's tool, else the first
/// available; the critic with another vendor than the author's.
fn seat(
    [critic, judge, author]: [Option<SeatPlan>; 3],
    host: Option<(Host, SeatPlan)>,
    available: &[SeatPlan],
) -> Result<Seating, PlanError> {
    if let (Some(critic), Some(author)) = (&critic, &author)
        && critic.family == author.family
    {
        let (critic, author, family) = (critic.spec(), author.spec(), author.family.clone());
        return Err(PlanError::OneFamily { critic, author, family });
    }
    let is_broker = host.as_ref().is_some_and(|(host, _)| host.is_broker());
    let host = host.map(|(_, seat)| seat);
    let first = available.first();
    let author = author.as_ref().or_else(|| {
        let fitting = |seat: &&SeatPlan| critic.as_ref().is_none_or(|critic| critic.family != seat.family);
        let other = available.iter().find(fitting);
        host.as_ref().filter(fitting).or(other).or(first).or(judge.as_ref()).or(critic.as_ref())
    });
    let author = author.ok_or(SeatingError::NoSeats)?.clone();
    let judge = judge.as_ref().or(host.as_ref()).or(first).unwrap_or(&author).clone();
    let mut reasons = Vec::new();
    if let Some(host) = &host {
        let tool = &host.tool;
        let revises = if author.tool == *tool { String::new() } else { format!("; {} revises", author.spec()) };
        reasons.push(format!("called from {tool}, the assumed author{revises}"));
        match &critic {
            Some(critic) if critic.family == host.family => {
                let (critic, vendor) = (critic.spec(), &host.family);
                reasons.push(format!("{critic} critiques what {tool} wrote: both are from one vendor ({vendor})"));
            }
            None if is_broker => reasons
                .push(format!("{tool} does not report its model's vendor: name another --critic if it is the critic's")),
            _ => {}
        }
    }
    // The host wrote what is reviewed and the author revises it: the critic is from neither's vendor.
    let writers = BTreeSet::from([&host.as_ref().unwrap_or(&author).family, &author.family]);
    let apart = available.iter().find(|seat| !writers.contains(&seat.family));
    let local = host.as_ref().unwrap_or(&judge);
    let independent = critic.as_ref().or(apart);
    let by_substitute = independent.is_none();
    let critic = independent.unwrap_or(local).clone();
    if by_substitute {
        let (critic, families) = (critic.spec(), writers.into_iter().cloned().collect::<Vec<_>>().join(", "));
        reasons
            .push(format!("no critic from another vendor than the author's ({families}) is available: {critic} critiques"));
    }
    let stand_in = (!by_substitute && local.spec() != critic.spec()).then(|| (Role::StandIn.seat(), local.clone()));
    let seats = [(Role::Critic.seat(), critic), (Role::Judge.seat(), judge), (Role::Author.seat(), author)];
    Ok(Seating { seats: seats.into_iter().chain(stand_in).collect(), by_substitute, reasons })
}

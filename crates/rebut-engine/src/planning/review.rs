//! The plan of a review.

use std::collections::{BTreeMap, BTreeSet};

use rebut_core::debate::{Chance, DebateId, Payload, Plan, SeatPlan};
use rebut_core::formats::prompts;
use rebut_core::formats::review::{Artifact, Confidence, ReviewSetup, Role, Severity, Target};

use super::draft::Draft;
use super::host::Host;
use super::seats::notes_on;
use super::{Common, PlanError, Planner};
use crate::providers::Found;
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
pub fn plan_review(request: ReviewRequest, planner: Planner<'_>, id: DebateId, chance: Chance) -> Result<Plan, PlanError> {
    let settings = planner.settings;
    let review = &settings.review;
    let seat_planner = planner.seats(review.effort, review.transport);
    seat_planner.probe([&review.critic, &review.judge, &review.author].into_iter().flatten());
    let named =
        |role: Role, text: &Option<String>| text.as_ref().map(|text| seat_planner.seat(role.as_str(), text)).transpose();
    let wanted = Wanted {
        critic: named(Role::Critic, &review.critic)?,
        judge: named(Role::Judge, &review.judge)?,
        author: named(Role::Author, &review.author)?,
    };
    let all_named = [&wanted.critic, &wanted.judge, &wanted.author].into_iter().all(Option::is_some);
    let found = if all_named { Found::default() } else { seat_planner.found() };
    // The host is installed, whether or not it was found as a candidate.
    let host_seat = request.host.and_then(|host| {
        let found = found.seats.iter().find(|seat| seat.tool == host.tool()).cloned();
        found.or_else(|| seat_planner.seat("host", host.tool()).ok())
    });
    let host = request.host;
    let seating = seat(wanted, host.zip(host_seat), &found.seats)?;
    let mut reasons = seating.reasons;
    reasons.extend(notes_on(&found, request.common.explain_seats));
    let intensity = review.intensity;
    let call_seconds = request.call_seconds.unwrap_or(intensity.call_seconds());
    let mut budget = settings.budget.budget();
    let usual_ms = u64::from(intensity.budget_minutes()) * 60_000;
    budget.max_ms = Some(request.budget_ms.or(budget.max_ms).unwrap_or(usual_ms));
    reasons.extend(overridden(&request, intensity));
    if call_seconds < SHORT_CALL_SECONDS && request.target != Target::Code {
        reasons.push(format!(
            "{call_seconds} s per call is short for a {}: critiques often take more than {SHORT_CALL_SECONDS} s",
            request.target.as_str()
        ));
    }
    let mut seats = BTreeMap::from([
        (Role::Critic.seat(), seating.critic),
        (Role::Judge.seat(), seating.judge),
        (Role::Author.seat(), seating.author),
    ]);
    seats.extend(seating.stand_in.map(|seat| (Role::StandIn.seat(), seat)));
    let Artifact { text, form, stat, .. } = request.artifact;
    // It is cited by line.
    let text = if form.is_diff() { redact_diff(&text) } else { redact_keeping_lines(&text) }.into_owned();
    let artifact = Artifact::new(text, form, stat);
    // No share for a verdict: a review's result is what was judged so far.
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
            stand_in: seating.by_substitute,
        }),
        seats,
        timeout_ms: call_seconds.saturating_mul(1_000),
        context: Attached::default(),
        budget,
        reasons,
    };
    let plan = draft.on(request.common, id, chance)?;
    prompts::check(&plan)?;
    Ok(plan)
}

/// Notes on flags that override the intensity.
fn overridden(request: &ReviewRequest, intensity: rebut_core::formats::review::Intensity) -> Vec<String> {
    let name = intensity.as_str();
    let rounds = request.max_rounds.filter(|rounds| *rounds != intensity.max_rounds());
    let rounds = rounds.map(|rounds| format!("--max-rounds {rounds} instead of the {} of {name}", intensity.max_rounds()));
    let minutes = request.budget_ms.filter(|ms| *ms != u64::from(intensity.budget_minutes()) * 60_000);
    let minutes = minutes.map(|ms| {
        let minutes = std::time::Duration::from_millis(ms).as_secs_f64() / 60.0;
        format!("--budget-minutes {minutes} instead of the {} of {name}", intensity.budget_minutes())
    });
    let seconds = request.call_seconds.filter(|seconds| *seconds != intensity.call_seconds());
    let seconds = seconds
        .map(|seconds| format!("--backend-timeout-seconds {seconds} instead of the {} of {name}", intensity.call_seconds()));
    [rounds, minutes, seconds].into_iter().flatten().collect()
}

/// The seats that the user named.
#[derive(Clone, Debug, Default)]
struct Wanted {
    critic: Option<SeatPlan>,
    judge: Option<SeatPlan>,
    author: Option<SeatPlan>,
}

#[derive(Clone, Debug)]
struct Seating {
    critic: SeatPlan,
    judge: SeatPlan,
    author: SeatPlan,
    /// Critiques if the critic fails.
    stand_in: Option<SeatPlan>,
    /// Whether the critic itself is a stand-in.
    by_substitute: bool,
    reasons: Vec<String>,
}

/// Fills the open seats: author and judge with the host's tool, else the first available; the critic with another vendor
/// than the author's.
fn seat(wanted: Wanted, host: Option<(Host, SeatPlan)>, available: &[SeatPlan]) -> Result<Seating, PlanError> {
    let Wanted { critic, judge, author } = wanted;
    if let (Some(critic), Some(author)) = (&critic, &author)
        && critic.family == author.family
    {
        let (critic, author, family) = (critic.spec(), author.spec(), author.family.clone());
        return Err(PlanError::OneFamily { critic, author, family });
    }
    let mut reasons = Vec::new();
    let is_broker = host.as_ref().is_some_and(|(host, _)| host.is_broker());
    let host = host.map(|(_, seat)| seat);
    let unlike = |family: &str| available.iter().find(|seat| seat.family != family).cloned();
    let first = || available.first().cloned();
    let author = if let Some(author) = author {
        author
    } else {
        let fitting = |seat: &SeatPlan| critic.as_ref().is_none_or(|critic| critic.family != seat.family);
        let other = || critic.as_ref().and_then(|critic| unlike(&critic.family));
        let found = host.clone().filter(fitting).or_else(other).or_else(first).or_else(|| judge.clone());
        found.or_else(|| critic.clone()).ok_or(SeatingError::NoSeats)?
    };
    let judge = judge.or_else(|| host.clone()).or_else(first).unwrap_or_else(|| author.clone());
    // The host wrote what is reviewed and the author revises it: the critic is from neither's vendor.
    let writer = host.as_ref().unwrap_or(&author);
    let apart = |seat: &&SeatPlan| seat.family != writer.family && seat.family != author.family;
    if let Some(host) = &host {
        reasons.extend(host_notes(host, is_broker, &author, critic.as_ref()));
    }
    let found = critic.or_else(|| available.iter().find(apart).cloned());
    let writer_family = writer.family.clone();
    let by_substitute = found.is_none();
    let local = host.unwrap_or_else(|| judge.clone());
    let critic = found.unwrap_or_else(|| local.clone());
    if by_substitute {
        let families = BTreeSet::from([writer_family.as_str(), author.family.as_str()]);
        let families: Vec<&str> = families.into_iter().collect();
        let (critic, families) = (critic.spec(), families.join(", "));
        reasons
            .push(format!("no critic from another vendor than the author's ({families}) is available: {critic} critiques"));
    }
    let stand_in = Some(local).filter(|seat| !by_substitute && seat.spec() != critic.spec());
    Ok(Seating { critic, judge, author, stand_in, by_substitute, reasons })
}

/// Notes on a host that wrote what is reviewed.
fn host_notes(host: &SeatPlan, is_broker: bool, author: &SeatPlan, critic: Option<&SeatPlan>) -> Vec<String> {
    let tool = &host.tool;
    let mut notes = Vec::new();
    if author.tool == *tool {
        notes.push(format!("called from {tool}, the assumed author"));
    } else {
        notes.push(format!("called from {tool}, the assumed author; {} revises", author.spec()));
    }
    match critic {
        Some(critic) if critic.family == host.family => {
            notes.push(format!("{} critiques what {tool} wrote: both are from one vendor ({})", critic.spec(), host.family));
        }
        None if is_broker => {
            notes.push(format!("{tool} does not report its model's vendor: name another --critic if it is the critic's"));
        }
        _ => {}
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::super::sample_seat as plan;
    use super::*;

    fn everybody() -> [SeatPlan; 3] {
        [plan("claude", "anthropic"), plan("codex", "openai"), plan("gemini", "google")]
    }

    fn tools(seating: &Seating) -> [String; 4] {
        let stand_in = seating.stand_in.as_ref().map_or_else(String::new, |seat| seat.tool.clone());
        [seating.critic.tool.clone(), seating.judge.tool.clone(), seating.author.tool.clone(), stand_in]
    }

    #[test]
    fn the_critic_is_not_from_the_hosts_vendor() {
        let all = everybody();
        let host = || Some((Host::named("claude").unwrap(), all[0].clone()));
        let wanted = Wanted { author: Some(all[1].clone()), ..Wanted::default() };
        let seating = seat(wanted, host(), &all).unwrap();
        assert_eq!(tools(&seating), ["gemini", "claude", "codex", "claude"]);
        assert_eq!(seating.reasons, ["called from claude, the assumed author; codex revises"]);
        let wanted = Wanted { critic: Some(all[0].clone()), ..Wanted::default() };
        let seating = seat(wanted, host(), &all).unwrap();
        assert_eq!(tools(&seating)[..3], ["claude", "claude", "codex"]);
        assert_eq!(seating.reasons[1], "claude critiques what claude wrote: both are from one vendor (anthropic)");
        // Without an independent vendor the host itself critiques, with a note.
        let wanted = Wanted { author: Some(all[1].clone()), ..Wanted::default() };
        let seating = seat(wanted, host(), &all[..2]).unwrap();
        assert!(seating.by_substitute && seating.reasons[1].contains("(anthropic, openai)"), "{:?}", seating.reasons);
        let opencode = plan("opencode", "opencode");
        let seating = seat(Wanted::default(), Some((Host::named("opencode").unwrap(), opencode)), &all).unwrap();
        assert!(seating.reasons[1].starts_with("opencode does not report its model's vendor"));
    }

    #[test]
    fn a_named_critic_gets_an_author_from_another_vendor() {
        let wanted = Wanted { critic: Some(plan("claude", "anthropic")), ..Wanted::default() };
        assert_eq!(tools(&seat(wanted, None, &everybody()).unwrap()), ["claude", "claude", "codex", ""]);
    }

    #[test]
    fn a_single_vendor_stands_in_for_the_critic() {
        let seating = seat(Wanted::default(), None, &[plan("claude", "anthropic")]).unwrap();
        assert_eq!(tools(&seating), ["claude", "claude", "claude", ""]);
        assert!(seating.by_substitute);
        assert!(seating.reasons[0].contains("no critic from another vendor"));
    }

    #[test]
    fn critic_and_author_from_one_vendor_are_refused() {
        let wanted = Wanted {
            critic: Some(plan("claude", "anthropic")),
            author: Some(plan("anthropic", "anthropic")),
            ..Wanted::default()
        };
        assert!(matches!(seat(wanted, None, &[]), Err(PlanError::OneFamily { .. })));
        assert!(matches!(seat(Wanted::default(), None, &[]), Err(PlanError::Seating(SeatingError::NoSeats))));
    }
}

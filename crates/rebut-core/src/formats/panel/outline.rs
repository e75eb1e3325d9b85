//! The calls of a panel in which nothing fails, for the plan's figures.

use super::ending::UNRESOLVED;
use super::lineup::proposal_key;
use super::readiness::probes;
use super::reporting::REPORTS;
use super::session::Moment;
use super::tasks::Task;
use super::{Office, PanelSetup, judgement_key, setup, turn_key};
use crate::debate::{OutlineCall, Plan, SeatName, StepKey, estimate_tokens};

/// About how many tokens role, rules, task and schema take in a prompt.
const RULES_TOKENS: u64 = 1_600;
const READINESS_TOKENS: u64 = 130;
/// About how many tokens an entry takes in one sentence.
const LINE_TOKENS: u64 = 50;
/// About how many entries a turn has, and how many tokens each of them.
const ENTRIES: u64 = 2;
const ENTRY_TOKENS: u64 = 750;
/// About how many tokens the cited text of a turn takes.
const CITED_TOKENS: u64 = 1_300;
/// As many debaters are reckoned with where the chair is still to propose them.
const LIKELY: usize = 3;

struct Outline<'a> {
    plan: &'a Plan,
    moment: Moment,
    calls: Vec<OutlineCall>,
}

pub(super) fn outline(plan: &Plan) -> Vec<OutlineCall> {
    let Some(setup) = setup(plan) else { return Vec::new() };
    let debaters = debaters(setup);
    let mut outline = Outline { plan, moment: Moment::Opening, calls: Vec::new() };
    let seats = debaters.iter().map(|(_, seat)| seat.clone()).chain(Office::ALL.map(Office::seat));
    for mut probe in probes(plan, seats) {
        outline.add(Task::Ready, probe.key, probe.seats.swap_remove(0), 0);
    }
    if setup.debaters.is_empty() {
        outline.add(Task::Lineup, proposal_key(setup.wishes.len()), Office::Chair.seat(), 0);
    }
    let count = debaters.len() as u64;
    // This round so far and the previous one are read in full, earlier ones in one sentence per entry.
    let read = |so_far: u64| {
        let full = so_far.min(count * ENTRIES * 3 / 2);
        (so_far - full) * LINE_TOKENS + full * ENTRY_TOKENS
    };
    let mut said = 0;
    for (name, seat) in &debaters {
        outline.turn(StepKey::new(format!("opening/{name}")), seat, read(said));
        said += 1;
    }
    for round in 1..=setup.max_rounds {
        outline.moment = Moment::Round(round);
        for (name, seat) in &debaters {
            outline.turn(turn_key(round, name), seat, read(said));
            said += ENTRIES;
        }
        let key = |what: &str| StepKey::new(format!("round-{round}/{what}"));
        outline.add(Task::Questions, key("audience"), Office::Audience.seat(), count * ENTRIES * ENTRY_TOKENS);
        if (setup.min_rounds..setup.max_rounds).contains(&round) {
            outline.add(Task::NaturalEnd, key("chair/natural-end"), Office::Chair.seat(), said * ENTRY_TOKENS);
        }
    }
    outline.moment = Moment::Closing;
    outline.add(Task::Unresolved, StepKey::new(UNRESOLVED), Office::Chair.seat(), said * ENTRY_TOKENS);
    for (name, seat) in debaters.iter().rev() {
        outline.turn(StepKey::new(format!("closing/{name}")), seat, read(said));
    }
    let whole = (said + count) * ENTRY_TOKENS;
    for number in 1..=setup.rigor.ballots() {
        outline.add(Task::Judgement, judgement_key(number), Office::Chair.seat(), whole);
    }
    for report in REPORTS {
        outline.add(report.task, report.key(), report.office.seat(), whole);
    }
    outline.calls
}

impl Outline<'_> {
    /// A call whose prompt holds this much of the debate.
    fn add(&mut self, task: Task, key: StepKey, seat: SeatName, read: u64) {
        let Plan { topic, context, .. } = self.plan;
        let attached: u64 = context.iter().map(|item| estimate_tokens(item.text.len())).sum();
        let rest =
            if task == Task::Ready { READINESS_TOKENS } else { RULES_TOKENS + estimate_tokens(topic.len()) + attached };
        self.calls.push(OutlineCall { key, seat, phase: task.phase(self.moment), tokens: rest + read + task.tokens() });
    }

    /// A turn, and its verification where sources are looked up at all.
    fn turn(&mut self, key: StepKey, seat: &SeatName, read: u64) {
        let verification = StepKey::new(format!("{key}/verification"));
        self.add(Task::Turn, key, seat.clone(), read);
        if self.plan.evidence.is_some() {
            self.add(Task::Verification, verification, Office::Verifier.seat(), CITED_TOKENS);
        }
    }
}

/// The names of the debaters and their seats. Who is still to be proposed will be played by the reporter's model.
fn debaters(setup: &PanelSetup) -> Vec<(String, SeatName)> {
    if setup.debaters.is_empty() {
        return (1..=LIKELY).map(|number| (format!("debater-{number}"), Office::Reporter.seat())).collect();
    }
    setup.debaters.iter().map(|debater| (debater.name.clone(), debater.seat())).collect()
}

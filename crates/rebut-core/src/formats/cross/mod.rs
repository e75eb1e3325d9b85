//! ask and cross: partners answer one question without seeing each other, critique each other's answers, and converge.
//!
//! `ask` is round 0 alone: all answers, and where they agree and differ. `cross` goes on from there. The partners argue;
//! who moved, whether they agree and when it is over is counted here.

mod agreement;
mod context;
mod ending;
mod evidence;
mod labels;
mod movement;
mod names;
pub mod options;
mod procedure;
mod retelling;
mod setup;
mod stance;
mod synthesis;
pub mod wording;

use crate::debate::{Content, Debate, Plan, SeatName, Setup, StepKey};

pub use agreement::{Agreement, Present, Tally, present, tally};
pub use context::check_prompts;
pub use evidence::{evidence_key, findings, ledger, ledger_by_name, untold_switches};
pub use labels::labels_key;
pub use movement::{Basis, Cited, Move, Reason, Support, Switch, moves, switches};
pub use procedure::{Cross, Early, early, last_round};
pub use retelling::{Told, told, told_by_moderator};
pub use setup::{CrossSetup, Kind, Opened, Opening, PARTNERS, Partner, ROUNDS, moderator};
pub use stance::Stance;
pub use synthesis::{Bullet, BulletKind, Synthesis};

/// What the plan says of it; none where the debate is neither an ask nor a cross.
pub fn setup(plan: &Plan) -> Option<&CrossSetup> {
    match &plan.setup {
        Setup::Cross(setup) => Some(setup),
        Setup::Duel(_) | Setup::Review(_) | Setup::Panel(_) => None,
    }
}

/// The partners, in order.
pub fn partners(plan: &Plan) -> impl Iterator<Item = Partner> {
    Partner::all(setup(plan).map_or(0, |setup| setup.partners))
}

/// What a partner is called: its tool, else its seat as it is written on the command line where several have that tool,
/// and with its place where that is the same too.
pub fn name(plan: &Plan, partner: Partner) -> String {
    let Some(seat) = plan.seat(&partner.seat()) else { return partner.to_string() };
    let others = || partners(plan).filter(|other| *other != partner).filter_map(|other| plan.seat(&other.seat()));
    if others().all(|other| other.tool != seat.tool) {
        seat.tool.clone()
    } else if others().all(|other| other.spec() != seat.spec()) {
        seat.spec()
    } else {
        format!("{} ({partner})", seat.spec())
    }
}

/// The stable title of a partner's thread: `debate-should-we-ship-partner-1`.
pub fn thread(plan: &Plan, seat: &SeatName) -> String {
    const LONGEST: usize = 40;
    let words = plan.topic.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase);
    let mut topic = String::new();
    for word in words {
        if topic.chars().count() + word.chars().count() > LONGEST {
            break;
        }
        topic.push('-');
        topic.push_str(&word);
    }
    format!("debate{topic}-{seat}")
}

/// The key of an answer: `round-1/partner-2`.
pub fn answer_key(round: u32, partner: Partner) -> StepKey {
    StepKey::new(format!("round-{round}/{partner}"))
}

/// The key of an answer that is asked for once more, since nothing that can be read came back.
pub fn again_key(round: u32, partner: Partner) -> StepKey {
    StepKey::new(format!("round-{round}/{partner}/again"))
}

/// The key of what the moderator says: `comparison` of an ask, else `synthesis`; with a number where a debate that had
/// ended was resumed.
pub fn synthesis_key(kind: Kind, sitting: u32) -> StepKey {
    let name = match kind {
        Kind::Ask => "comparison",
        Kind::Cross => "synthesis",
    };
    StepKey::new(if sitting == 1 { name.to_owned() } else { format!("{name}/{sitting}") })
}

/// An answer that was given, with what is known of its call.
#[derive(Clone, Copy, Debug)]
pub struct Given<'a> {
    /// In which round.
    pub round: u32,
    /// By whom.
    pub partner: Partner,
    /// What was said.
    pub stance: &'a Stance,
    /// The model that really answered.
    pub model: Option<&'a str>,
    /// How the seat was reached.
    pub transport: &'a str,
    /// How long it took.
    pub duration_ms: u64,
    /// How often it was asked.
    pub attempts: u32,
}

/// The answer of a partner in a round.
pub fn given(debate: &Debate, round: u32, partner: Partner) -> Option<Given<'_>> {
    let copied = setup(debate.plan()).and_then(|setup| setup.opening.as_ref()).filter(|_| round == 0);
    if let Some(opened) = copied.and_then(|opening| opening.answers.get(&partner.seat())) {
        let Opened { stance, model, transport, duration_ms, attempts } = opened;
        let (model, transport) = (model.as_deref(), transport.as_str());
        return Some(Given { round, partner, stance, model, transport, duration_ms: *duration_ms, attempts: *attempts });
    }
    let keys = [answer_key(round, partner), again_key(round, partner)];
    let attempts = keys.iter().filter_map(|key| debate.call(key)).map(|call| call.attempts).sum();
    keys.iter().find_map(|key| {
        let answered = debate.answered(key)?;
        let Content::Stance(stance) = &answered.content else { return None };
        let (model, transport) = (answered.model.as_deref(), answered.transport.as_str());
        Some(Given { round, partner, stance, model, transport, duration_ms: answered.duration_ms, attempts })
    })
}

/// Every answer, round by round, in the order of the partners.
pub fn answers(debate: &Debate) -> impl Iterator<Item = Given<'_>> {
    let rounds = 0..=ROUNDS.end().max(&debate.plan().setup.rounds()).to_owned();
    rounds.flat_map(move |round| partners(debate.plan()).filter_map(move |partner| given(debate, round, partner)))
}

/// The last answer of a partner up to a round.
pub fn latest(debate: &Debate, round: u32, partner: Partner) -> Option<Given<'_>> {
    (0..=round).rev().find_map(|round| given(debate, round, partner))
}

/// What the moderator said in the end.
pub fn synthesis(debate: &Debate) -> Option<&Synthesis> {
    match &debate.answered(debate.outcome()?.verdict.as_ref()?)?.content {
        Content::Synthesis(synthesis) => Some(synthesis),
        _ => None,
    }
}

/// Who is absent from the rounds that were held, and why, in plain sentences by round. Who still answers, or was cut off
/// and can go on, is not absent.
pub fn absences(debate: &Debate) -> Vec<(u32, Partner, String)> {
    let missing = missing(debate).into_iter().filter(|(round, partner)| !is_awaited(debate, *round, *partner));
    missing.map(|(round, partner)| (round, partner, ending::why_absent(debate, round, partner))).collect()
}

/// Whose answers to the rounds that were begun may still come: a seat is at it, or goes on when the debate does.
pub fn awaited(debate: &Debate) -> Vec<(u32, Partner)> {
    missing(debate).into_iter().filter(|(round, partner)| is_awaited(debate, *round, *partner)).collect()
}

/// Whether this answer may still come.
pub fn is_awaited(debate: &Debate, round: u32, partner: Partner) -> bool {
    debate.outcome().is_none() && procedure::may_still_come(debate, round, partner)
}

fn missing(debate: &Debate) -> Vec<(u32, Partner)> {
    let Some(last) = last_round(debate) else { return Vec::new() };
    let all = (0..=last).flat_map(|round| partners(debate.plan()).map(move |partner| (round, partner)));
    all.filter(|(round, partner)| given(debate, *round, *partner).is_none()).collect()
}

/// What a person should know of who sits where, in plain sentences.
pub fn seat_notes(plan: &Plan) -> Vec<String> {
    let seats: Vec<_> = partners(plan).filter_map(|partner| plan.seat(&partner.seat())).collect();
    let mut notes = Vec::new();
    let mut families: Vec<&str> = seats.iter().map(|seat| seat.family.as_str()).collect();
    families.sort_unstable();
    families.dedup();
    let same = seats.first().is_some_and(|first| seats.iter().all(|seat| seat.spec() == first.spec()));
    if same && let Some(first) = seats.first() {
        notes.push(format!("only one model takes part: {} answers {} times", first.spec(), seats.len()));
    } else if families.len() == 1 {
        notes.push(format!("all partners are models of one family ({})", families.join("")));
    } else if families.len() < seats.len() {
        notes.push(format!("{} partners are of {} families ({})", seats.len(), families.len(), families.join(", ")));
    }
    if let Some(moderator) = plan.seat(&moderator())
        && families.contains(&moderator.family.as_str())
    {
        notes.push(format!("the moderator ({}) is of a family that takes part", moderator.spec()));
    }
    notes
}

//! How partners know each other: one label per partner, the same for all readers, and no names of tools or models.

use super::{Partner, partners, setup};
use crate::debate::{Plan, SeatName};
use crate::formats::names::Names;

/// The names that are taken out of what partners and moderator read; none if names are shown.
pub(super) fn hidden_names(plan: &Plan) -> Names {
    if setup(plan).is_none_or(|setup| setup.named) { Names::default() } else { Names::of(plan) }
}

/// What a partner is called in prompts: `Partner A`, or its name if names are shown.
pub fn label(plan: &Plan, partner: Partner) -> String {
    match setup(plan) {
        Some(setup) if setup.named => name(plan, partner),
        _ => partner.title(),
    }
}

/// What a partner is called in documents: its tool, else its seat as it is written on the command line if several have
/// that tool, and with its place if that is the same too.
pub fn name(plan: &Plan, partner: Partner) -> String {
    let Some(seat) = plan.seat(&partner.seat()) else { return partner.title() };
    let others = || partners(plan).filter(|other| *other != partner).filter_map(|other| plan.seat(&other.seat()));
    if others().all(|other| other.tool != seat.tool) {
        seat.tool.clone()
    } else if others().all(|other| other.spec() != seat.spec()) {
        seat.spec()
    } else {
        format!("{} ({})", seat.spec(), partner.title())
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

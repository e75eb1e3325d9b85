//! The evidence of partners, as it is on record and as prompts show it.

use std::collections::BTreeSet;

use super::{Given, answers, name};
use crate::debate::Debate;
use crate::evidence::{ClaimId, Ledger, Moved, short};

/// The ledger of everything that partners claim, with their names.
pub fn ledger(debate: &Debate) -> Ledger {
    let given: Vec<(Given<'_>, String)> = answers(debate)
        .map(|given| {
            let name = name(debate.plan(), given.partner);
            (given, name)
        })
        .collect();
    // The answers of a round are written at the same time.
    Ledger::of(given.iter().map(|(given, name)| given.said.spoken(name, given.said.round)))
}

pub(super) fn ids_before(debate: &Debate, round: u32) -> BTreeSet<ClaimId> {
    answers(debate).take_while(|given| given.said.round < round).flat_map(|given| given.said.ids()).collect()
}

/// An answer's fields with what was found of its evidence, for the prompts.
pub(super) fn account_of(given: &Given<'_>) -> String {
    let position = match given.said.position() {
        Some(position) => format!("position: {}", short(position)),
        None => "no position given".to_owned(),
    };
    let listing = given.said.listing.filter(|_| given.said.round > 0);
    let moved = listing.and_then(|listing| {
        let how = match listing.moved? {
            Moved::No => return None,
            Moved::Partly => "moved in part",
            Moved::Yes => "moved",
        };
        let ids: Vec<&str> = listing.because.iter().map(ClaimId::as_str).collect();
        Some(if ids.is_empty() { format!("{how}\n") } else { format!("{how}, because of {}\n", ids.join(", ")) })
    });
    format!("{position}\n{}{}", moved.unwrap_or_default(), given.said.account())
}

//! The evidence of partners: when it is looked up, and how what was found is shown.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::{Content, Given, Partner, answer_key, answers, claims_key, content, name};
use crate::debate::{Debate, Step, StepKey};
use crate::evidence::check::Checked;
use crate::evidence::{Block, ClaimId, Ledger, Moved, Spoken, account, short};
use crate::formats::evidence_check;

/// The key of the check of an answer's evidence, below the call that listed it: `round-1/partner-2/evidence`, or
/// `round-1/partner-2/claims/evidence`. A list that comes later is looked up separately.
pub fn evidence_key(debate: &Debate, round: u32, partner: Partner) -> StepKey {
    let (own, asked_for) = (answer_key(round, partner), claims_key(round, partner));
    let is_asked_for = matches!(content(debate, &asked_for), Some(Content::Claims(Block::Listed(_))));
    StepKey::new(format!("{}/evidence", if is_asked_for { asked_for } else { own }))
}

/// What was found of an answer's evidence and mentions, in order.
pub fn findings(debate: &Debate, round: u32, partner: Partner) -> &[Checked] {
    debate.findings(&evidence_key(debate, round, partner)).unwrap_or_default()
}

/// The ledger of everything that partners claim, with their names.
pub fn ledger(debate: &Debate) -> Ledger {
    let said: Vec<(Given<'_>, String)> = answers(debate).map(|given| (given, name(debate.plan(), given.partner))).collect();
    Ledger::of(said.iter().map(|(given, name)| Spoken {
        letter: given.partner.letter(),
        speaker: name,
        round: given.round,
        // The answers of a round are written at the same time.
        turn: given.round,
        listing: given.listing,
        checked: findings(debate, given.round, given.partner),
    }))
}

pub(super) fn ids_before(debate: &Debate, round: u32) -> BTreeSet<ClaimId> {
    answers(debate).take_while(|given| given.round < round).flat_map(|given| ids_of(&given)).collect()
}

/// The ids of an answer's claims.
pub(super) fn ids_of(given: &Given<'_>) -> Vec<ClaimId> {
    given.listing.map(|listing| listing.ids(given.partner.letter(), given.round)).unwrap_or_default()
}

/// The check that an answer needs before anyone else reads it.
pub(super) fn check(debate: &Debate, given: &Given<'_>) -> Option<Step> {
    let key = evidence_key(debate, given.round, given.partner);
    evidence_check(debate, key, given.listing, given.statement)
}

/// An answer's fields with what was found of its evidence, for the prompts.
pub(super) fn account_of(debate: &Debate, given: &Given<'_>) -> String {
    let mut text = match given.position() {
        Some(position) => format!("position: {}\n", short(position)),
        None => "no position given\n".to_owned(),
    };
    if let Some(listing) = given.listing.filter(|_| given.round > 0)
        && let Some(moved) = listing.moved.filter(|moved| *moved != Moved::No)
    {
        let ids: Vec<&str> = listing.because.iter().map(ClaimId::as_str).collect();
        let because = if ids.is_empty() { String::new() } else { format!(", because of {}", ids.join(", ")) };
        let how = if moved == Moved::Partly { "moved in part" } else { "moved" };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{how}{because}");
    }
    text + &account(given.partner.letter(), given.round, given.listing, findings(debate, given.round, given.partner))
}

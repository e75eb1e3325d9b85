//! The evidence of a duel: when it is looked up, and how what was found is shown to debaters, judge and reader.

use std::collections::BTreeSet;

use super::{Content, Role, claims_key, completed_rounds, content, listing, statement, statement_key, statements};
use crate::debate::{Action, Check, Debate, Step, StepKey};
use crate::evidence::check::Checked;
use crate::evidence::{Block, ClaimId, Ledger, Spoken, account, short, to_check};

/// The most lines per side that are shown of rounds of which only a summary is read.
const REMEMBERED: usize = 40;

/// The key of the check of a statement's evidence, below the call that listed it: `round-2/challenger/evidence`, or
/// `round-2/challenger/claims/evidence`. A list that comes later is looked up by itself.
pub fn evidence_key(debate: &Debate, round: u32, role: Role) -> StepKey {
    let (own, asked_for) = (statement_key(round, role), claims_key(round, role));
    let is_asked_for = matches!(content(debate, &asked_for), Some(Content::Claims(Block::Listed(_))));
    StepKey::new(format!("{}/evidence", if is_asked_for { asked_for } else { own }))
}

pub fn ledger(debate: &Debate) -> Ledger {
    Ledger::of(spoken(debate, u32::MAX))
}

/// The ledger of the rounds that a verdict rests on.
pub(super) fn judged_ledger(debate: &Debate) -> Ledger {
    Ledger::of(spoken(debate, completed_rounds(debate)))
}

/// What was found of a statement's evidence and mentions, in order.
pub fn findings(debate: &Debate, round: u32, role: Role) -> &[Checked] {
    debate.findings(&evidence_key(debate, round, role)).unwrap_or_default()
}

pub(super) fn ids_before(debate: &Debate, round: u32, role: Role) -> BTreeSet<ClaimId> {
    let before = statements(debate).take_while(|(other_round, other, ..)| (*other_round, *other) != (round, role));
    let numbered = before.flat_map(|(round, role, ..)| {
        let count = listing(debate, round, role).map_or(0, |listing| listing.claims.len());
        (1..=u32::try_from(count).unwrap_or(u32::MAX)).map(move |number| ClaimId::new(role.letter(), round, number))
    });
    numbered.collect()
}

/// The check that a statement needs before it is answered.
pub(super) fn check(debate: &Debate, round: u32, role: Role) -> Option<Step> {
    debate.plan().evidence.as_ref()?;
    let key = evidence_key(debate, round, role);
    if !debate.may_begin(&key) {
        return None;
    }
    let (statement, _) = statement(debate, round, role)?;
    let evidence = to_check(listing(debate, round, role), &statement.body);
    let wanted = !evidence.is_empty();
    wanted.then(|| Step { key, action: Action::Check(Check { evidence, revisions: Vec::new(), texts: Vec::new() }) })
}

/// A statement's claims with what was found of their evidence, for the prompts.
pub(super) fn account_of(debate: &Debate, round: u32, role: Role) -> String {
    account(role.letter(), round, listing(debate, round, role), findings(debate, round, role))
}

/// What stays known of rounds that are only summarised: the claims by their ids, so that they can still be attacked and
/// conceded, and the evidence that is false.
pub(super) fn remembered(debate: &Debate, last_round: u32) -> Option<String> {
    let ledger = Ledger::of(spoken(debate, last_round));
    let mut shown: Vec<String> = Vec::new();
    for role in Role::DEBATERS {
        let mut lines: Vec<String> = Vec::new();
        for claim in ledger.claims.iter().filter(|claim| claim.id.is_of(role.letter())) {
            let none = if claim.evidence.is_empty() { " (no evidence)" } else { "" };
            lines.push(format!("{} {}{none}", claim.id, short(&claim.text)));
            let bad = claim.checked.iter().filter(|found| found.result.is_false());
            lines.extend(bad.map(|found| format!("  {found}")));
        }
        let more = lines.len().saturating_sub(REMEMBERED);
        lines.truncate(REMEMBERED);
        shown.extend(lines);
        shown.extend((more > 0).then(|| format!("and {more} more lines of this side")));
    }
    (!shown.is_empty()).then(|| shown.join("\n"))
}

fn spoken(debate: &Debate, last_round: u32) -> impl Iterator<Item = Spoken<'_>> {
    let judged = statements(debate).filter(move |(round, ..)| *round <= last_round);
    judged.zip(0..).map(|((round, role, ..), turn)| Spoken {
        letter: role.letter(),
        speaker: role.as_str(),
        round,
        turn,
        listing: listing(debate, round, role),
        checked: findings(debate, round, role),
    })
}

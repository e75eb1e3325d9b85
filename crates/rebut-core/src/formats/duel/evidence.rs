//! The evidence of a duel: when it is checked, and how the findings are shown to debaters, judges and readers.

use std::collections::BTreeSet;

use super::{Bout, Content, Role};
use crate::debate::{Step, StepKey};
use crate::evidence::check::Checked;
use crate::evidence::{Block, ClaimId, Ledger, Spoken, account, short};
use crate::formats::evidence_check;

/// The most lines per side that prompts keep of summarised rounds.
const REMEMBERED: usize = 40;

impl<'a> Bout<'a> {
    /// The key of the check of a statement's evidence, below the call that listed it: `round-2/challenger/evidence`, or
    /// `round-2/challenger/claims/evidence`. A list that comes later is checked separately.
    pub fn evidence_key(self, round: u32, role: Role) -> StepKey {
        let (own, asked_for) = (self.leg.statement_key(round, role), self.leg.claims_key(round, role));
        let is_asked_for = matches!(self.content(&asked_for), Some(Content::Claims(Block::Listed(_))));
        StepKey::new(format!("{}/evidence", if is_asked_for { asked_for } else { own }))
    }

    pub fn ledger(self) -> Ledger {
        Ledger::of(self.spoken(u32::MAX))
    }

    /// The ledger of the rounds that a verdict rests on.
    pub(super) fn judged_ledger(self) -> Ledger {
        Ledger::of(self.spoken(self.completed_rounds()))
    }

    /// What was found of a statement's evidence and mentions, in order.
    pub fn findings(self, round: u32, role: Role) -> &'a [Checked] {
        self.debate.findings(&self.evidence_key(round, role)).unwrap_or_default()
    }

    /// The ids of all claims made before a statement.
    pub(super) fn ids_before(self, round: u32, role: Role) -> BTreeSet<ClaimId> {
        let before = self.statements().take_while(|(other_round, other, ..)| (*other_round, *other) != (round, role));
        let ids = |(round, role, ..): (u32, Role, _, _)| Some(self.listing(round, role)?.ids(self.leg.letter(role), round));
        before.filter_map(ids).flatten().collect()
    }

    /// The check that a statement needs before the other side answers it.
    pub(super) fn check(self, round: u32, role: Role) -> Option<Step> {
        let (statement, _) = self.statement(round, role)?;
        evidence_check(self.debate, self.evidence_key(round, role), self.listing(round, role), statement)
    }

    /// A statement's claims with what was found of their evidence, for the prompts.
    pub(super) fn account_of(self, round: u32, role: Role) -> String {
        account(self.leg.letter(role), round, self.listing(round, role), self.findings(round, role))
    }

    /// What prompts keep of rounds that are only summarised: the claims by their ids, so that they can still be attacked
    /// and conceded, and the evidence that is false.
    pub(super) fn remembered(self, last_round: u32) -> Option<String> {
        let ledger = Ledger::of(self.spoken(last_round));
        let mut shown: Vec<String> = Vec::new();
        for role in Role::ALL {
            let mut lines: Vec<String> = Vec::new();
            for claim in ledger.claims.iter().filter(|claim| claim.id.is_of(self.leg.letter(role))) {
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

    fn spoken(self, last_round: u32) -> impl Iterator<Item = Spoken<'a>> {
        let judged = self.statements().filter(move |(round, ..)| *round <= last_round);
        judged.zip(0..).map(move |((round, role, ..), turn)| Spoken {
            letter: self.leg.letter(role),
            speaker: role.as_str(),
            round,
            turn,
            listing: self.listing(round, role),
            checked: self.findings(round, role),
        })
    }
}

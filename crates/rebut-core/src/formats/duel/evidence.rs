//! What is on record of a duel: claims with what was found of their evidence, for prompts, ballots and readers.

use std::collections::BTreeSet;

use super::{Bout, Role, Turn};
use crate::evidence::{ClaimId, Ledger, short};

/// The most lines per side that prompts keep of summarised rounds.
const REMEMBERED: usize = 40;

impl Bout<'_> {
    pub fn ledger(self) -> Ledger {
        self.ledger_of(u32::MAX)
    }

    /// The ledger of the rounds that a verdict rests on.
    pub(super) fn judged_ledger(self) -> Ledger {
        self.ledger_of(self.completed_rounds())
    }

    /// The ids of all claims made before a statement.
    pub(super) fn ids_before(self, round: u32, role: Role) -> BTreeSet<ClaimId> {
        let before = self.statements().take_while(|turn| (turn.said.round, turn.role) != (round, role));
        before.flat_map(|turn| turn.said.ids()).collect()
    }

    /// What prompts keep of rounds that are only summarised: the claims by their ids, so that they can still be attacked
    /// and conceded, and the evidence that is false.
    pub(super) fn remembered(self, last_round: u32) -> Option<String> {
        let ledger = self.ledger_of(last_round);
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

    fn ledger_of(self, rounds: u32) -> Ledger {
        let said: Vec<Turn<'_>> = self.statements().take_while(|turn| turn.said.round <= rounds).collect();
        Ledger::of(said.iter().zip(0..).map(|(turn, place)| turn.said.spoken(turn.role.as_str(), place)))
    }
}

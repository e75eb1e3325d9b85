//! Who moved, and because of what: as the partners' own blocks say it.

use serde::Serialize;

use super::options::is_counted;
use super::{Given, Partner, given, latest, options_of, partners};
use crate::debate::Debate;
use crate::evidence::{ClaimId, Ledger, LedgerClaim, Moved, short};

/// What became of a partner's position from one of its answers to the next.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Move {
    /// The round of the later answer.
    pub round: u32,
    pub from: Option<String>,
    pub to: Option<String>,
    pub moved: Moved,
    /// Whether it says so: an answer without a block counts as moved.
    pub stated: bool,
    /// The claims of others that changed it.
    pub because: Vec<ClaimId>,
    pub concedes: Vec<ClaimId>,
    pub withdraws: Vec<ClaimId>,
}

/// Every movement of a partner, answer by answer.
pub fn moves(debate: &Debate, partner: Partner) -> Vec<Move> {
    let rounds = 0..=super::planned_rounds(debate.plan()).max(*super::ROUNDS.end());
    let own: Vec<Given<'_>> = rounds.filter_map(|round| given(debate, round, partner)).collect();
    own.windows(2).map(|pair| Move::between(&pair[0], &pair[1], options_of(debate.plan()))).collect()
}

/// Whether anyone moved in a round. A partner that answers for the first time brings something new.
pub(super) fn anyone_moved(debate: &Debate, round: u32) -> bool {
    partners(debate.plan()).any(|partner| {
        match (round.checked_sub(1).and_then(|before| latest(debate, before, partner)), given(debate, round, partner)) {
            (Some(before), Some(now)) => Move::between(&before, &now, options_of(debate.plan())).moved != Moved::No,
            (None, now) => now.is_some(),
            (Some(_), None) => false,
        }
    })
}

impl Move {
    fn between(before: &Given<'_>, now: &Given<'_>, options: &[String]) -> Self {
        let own = |position: Option<&str>| position.map(str::to_owned);
        let (from, to) = (own(before.said.position()), own(now.said.position()));
        let stated = now.said.listing.and_then(|listing| listing.moved);
        let given_up =
            now.said.listing.iter().flat_map(|listing| &listing.concedes).map(|concession| concession.claim.clone());
        let is_own = |id: &ClaimId| id.is_of(now.partner.letter());
        let (withdraws, concedes): (Vec<ClaimId>, Vec<ClaimId>) = given_up.partition(is_own);
        let because =
            now.said.listing.iter().flat_map(|listing| &listing.because).filter(|id| !is_own(id)).cloned().collect();
        let is_option = |position: &Option<String>| position.as_ref().is_some_and(|position| is_counted(options, position));
        let changed = from != to && is_option(&from) && is_option(&to);
        // From a plain yes or no to a sentence, or back.
        let qualified = from.is_some() && to.is_some() && is_option(&from) != is_option(&to);
        let moved = match stated {
            None => Moved::Yes,
            Some(_) if changed => Moved::Yes,
            // These are movements, whatever the speaker calls them.
            Some(Moved::No) if qualified || !concedes.is_empty() || !withdraws.is_empty() => Moved::Partly,
            Some(moved) => moved,
        };
        Self { round: now.said.round, from, to, moved, stated: stated.is_some(), because, concedes, withdraws }
    }

    /// Why a change has no support: it names no claim, or only claims whose evidence is all false.
    pub fn unsupported(&self, ledger: &Ledger) -> Option<&'static str> {
        if self.moved == Moved::No || !self.stated {
            return None;
        }
        let mut named = self.because.iter().chain(&self.concedes).peekable();
        if named.peek().is_none() {
            return self.withdraws.is_empty().then_some("no claim named");
        }
        let is_refuted = |id| ledger.claim(id).is_some_and(LedgerClaim::is_refuted);
        named.all(is_refuted).then_some("all evidence of the named claims is false")
    }

    pub fn line(&self, ledger: &Ledger) -> String {
        let in_part = if self.moved == Moved::Partly { " in part" } else { "" };
        let mut line = match (self.moved, &self.from, &self.to) {
            _ if !self.stated => "counted as moved (not stated)".to_owned(),
            (Moved::No, ..) => "did not move".to_owned(),
            (_, Some(from), Some(to)) if from != to => {
                format!("moved{in_part}, from \"{}\" to \"{}\"", short(from), short(to))
            }
            _ => format!("moved{in_part}"),
        };
        let named = |ids: &[ClaimId]| {
            let text =
                |id: &ClaimId| ledger.claim(id).map_or_else(String::new, |claim| format!(" ({})", short(&claim.text)));
            ids.iter().map(|id| format!("{id}{}", text(id))).collect::<Vec<_>>().join(", ")
        };
        for (words, ids) in
            [(", because of", &self.because), ("; conceded", &self.concedes), ("; withdrew", &self.withdraws)]
        {
            if !ids.is_empty() {
                line = format!("{line}{words} {}", named(ids));
            }
        }
        if let Some(why) = self.unsupported(ledger) {
            line = format!("{line}; unsupported: {why}");
        }
        line
    }
}

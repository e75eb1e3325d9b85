//! A statement at its place in a debate, with what it lists: what duels and crosses have in common.

use super::prompts::PromptError;
use crate::debate::{Action, CallState, Check, Debate, Plan, SeatName, Step, StepKey};
use crate::evidence::check::Checked;
use crate::evidence::{Block, ClaimId, Listing, Spoken, Statement, account, short, to_check};

/// How many tokens a list of claims may take that is asked for separately.
pub(super) const LISTING_TOKENS: u64 = 800;

#[derive(Clone, Debug)]
pub struct Said<'a> {
    /// The letter of its speaker in ids.
    pub letter: &'static str,
    pub round: u32,
    pub statement: &'a Statement,
    /// What it lists: in its own block, or in the answer to the call for it.
    pub listing: Option<&'a Listing>,
    /// What was found of its evidence and of what its prose mentions, in order.
    pub checked: &'a [Checked],
    /// The check of its evidence, below the call that listed it: a list that comes later is checked separately.
    pub evidence_key: StepKey,
}

/// What has to happen before anyone reads a statement.
pub(super) enum Settled {
    /// Nothing: it has its list of claims, and its evidence is looked up.
    Yes,
    /// Its list is being written.
    Waiting,
    Needs(Step),
}

/// The key of the call for what the statement of this key lists: `round-2/challenger/claims`.
pub fn listing_key(key: &StepKey) -> StepKey {
    StepKey::new(format!("{key}/claims"))
}

/// Whether a seat is asked for a list: the embedded model can't be relied on to write one.
pub fn lists_claims(plan: &Plan, seat: &SeatName) -> bool {
    plan.seat(seat).is_some_and(|seat| !seat.is_embedded())
}

impl<'a> Said<'a> {
    /// A statement of this key, and what the call for its list gave, if it was asked for.
    pub(super) fn of(
        debate: &'a Debate,
        key: &StepKey,
        (letter, round): (&'static str, u32),
        statement: &'a Statement,
        asked_for: Option<&'a Block>,
    ) -> Self {
        let asked_for = asked_for.and_then(Block::listing);
        let evidence_key = match asked_for {
            Some(_) => StepKey::new(format!("{key}/claims/evidence")),
            None => StepKey::new(format!("{key}/evidence")),
        };
        let checked = debate.findings(&evidence_key).unwrap_or_default();
        Self { letter, round, statement, listing: asked_for.or_else(|| statement.listing()), checked, evidence_key }
    }

    /// The id by which it is cited: `P1`.
    pub fn id(&self) -> String {
        format!("{}{}", self.letter, self.round)
    }

    pub fn position(&self) -> Option<&'a str> {
        self.listing?.position.as_deref()
    }

    /// The ids of its claims.
    pub(super) fn ids(&self) -> Vec<ClaimId> {
        self.listing.map(|listing| listing.ids(self.letter, self.round)).unwrap_or_default()
    }

    pub(super) fn spoken<'s>(&'s self, speaker: &'s str, turn: u32) -> Spoken<'s> {
        let Self { letter, round, listing, checked, .. } = *self;
        Spoken { letter, speaker, round, turn, listing, checked }
    }

    /// Its claims with what was found of their evidence, for a prompt.
    pub(super) fn account(&self) -> String {
        account(self.letter, self.round, self.listing, self.checked)
    }

    /// What it concedes and withdraws, or that it lists nothing though it was asked to; and whether it was cut.
    pub(super) fn notes(&self, is_asked: bool) -> Vec<String> {
        let concedes = self.listing.iter().flat_map(|listing| &listing.concedes).map(|concession| {
            let verb = if concession.claim.is_of(self.letter) { "withdraws" } else { "concedes" };
            let words = concession.words.as_ref().map_or_else(String::new, |words| format!(": \"{words}\""));
            format!("{verb} {}{words}", concession.claim)
        });
        let missing = match (self.listing, &self.statement.block) {
            (None, Block::Missing(why)) if is_asked => Some(format!("no claims listed ({})", short(why))),
            _ => None,
        };
        concedes.chain(missing).chain(cut_note(self.statement)).collect()
    }

    /// What has to happen before anyone reads it. `ask` is the call for its list, which is made where that is wanted.
    pub(super) fn settle(
        &self,
        debate: &Debate,
        listing_key: StepKey,
        is_wanted: bool,
        ask: impl FnOnce() -> Result<Action, PromptError>,
    ) -> Result<Settled, PromptError> {
        match debate.state(&listing_key) {
            Some(CallState::UnderWay { .. }) => return Ok(Settled::Waiting),
            Some(CallState::Open) | None if is_wanted => {
                return Ok(Settled::Needs(Step { key: listing_key, action: ask()? }));
            }
            _ => {}
        }
        if debate.plan().evidence.is_none() || !debate.may_begin(&self.evidence_key) {
            return Ok(Settled::Yes);
        }
        let evidence = to_check(self.listing, self.statement);
        if evidence.is_empty() {
            return Ok(Settled::Yes);
        }
        let check = Action::Check(Check { evidence, revisions: Vec::new(), texts: Vec::new() });
        Ok(Settled::Needs(Step { key: self.evidence_key.clone(), action: check }))
    }
}

/// The prose of a statement for a prompt.
pub(super) fn shown(statement: &Statement) -> String {
    let cut = statement.cut_from.map_or_else(String::new, |bytes| {
        format!("\n\n[cut here: it has {bytes} bytes, {} are shown]", statement.body.len())
    });
    format!("{}{cut}", statement.body)
}

pub(super) fn cut_note(statement: &Statement) -> Option<String> {
    statement.cut_from.map(|bytes| format!("cut here: it has {bytes} bytes"))
}

//! The evidence of partners: when it is looked up, and how what was found is told.

use super::labels::Labels;
use super::{Given, Partner, answers};
use crate::claims::check::Checked;
use crate::claims::{Ledger, Spoken};
use crate::debate::{Action, Check, Debate, Step, StepKey};
use crate::formats::duel::account_of;

/// The key of the check of an answer's evidence: `round-1/partner-2/evidence`.
pub fn evidence_key(round: u32, partner: Partner) -> StepKey {
    StepKey::new(format!("round-{round}/{partner}/evidence"))
}

/// What was found of an answer's evidence, in order.
pub fn findings(debate: &Debate, round: u32, partner: Partner) -> &[Checked] {
    debate.findings(&evidence_key(round, partner)).unwrap_or_default()
}

/// The ledger of all that partners claimed.
pub fn ledger(debate: &Debate) -> Ledger {
    let speakers: Vec<String> = super::partners(debate.plan()).map(|partner| partner.to_string()).collect();
    let spoken = answers(debate).filter_map(|given| {
        let speaker = speakers.iter().find(|speaker| **speaker == given.partner.to_string())?;
        let (letter, round, statement) = (given.partner.letter(), given.round, &given.stance.statement);
        Some(Spoken { letter, speaker, round, statement, checked: findings(debate, round, given.partner) })
    });
    Ledger::of(spoken)
}

/// The checks that answers still need before anybody else reads them.
pub(super) fn checks(debate: &Debate) -> Vec<Step> {
    if debate.plan().evidence.is_none() {
        return Vec::new();
    }
    let step = |given: Given<'_>| {
        let key = evidence_key(given.round, given.partner);
        let citations = if debate.may_begin(&key) { given.stance.citations() } else { Vec::new() };
        (!citations.is_empty())
            .then_some(Step { key, action: Action::Check(Check { citations, revisions: Vec::new(), texts: Vec::new() }) })
    };
    answers(debate).filter_map(step).collect()
}

/// The claims of an answer with what was found of their evidence, under the letter by which a reader knows the speaker;
/// none where nothing is checked.
pub(super) fn account(debate: &Debate, given: &Given<'_>, labels: &Labels) -> Option<String> {
    debate.plan().evidence.as_ref()?;
    let findings = findings(debate, given.round, given.partner);
    Some(account_of(labels.letter(given.partner), given.round, &given.stance.statement, findings))
}

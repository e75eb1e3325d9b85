//! The evidence of partners: when it is looked up, and how what was found is told.

use super::labels::Labels;
use super::names::Names;
use super::retelling::{Listener, Speech};
use super::{Given, Partner, name, partners};
use crate::claims::check::Checked;
use crate::claims::{ClaimId, Earlier, Ledger, Spoken, Statement, account_of};
use crate::debate::{Action, Check, Debate, Step, StepKey};

/// The key of the check of an answer's evidence: `round-1/partner-2/evidence`.
pub fn evidence_key(round: u32, partner: Partner) -> StepKey {
    StepKey::new(format!("round-{round}/{partner}/evidence"))
}

/// What was found of an answer's evidence, in order.
pub fn findings(debate: &Debate, round: u32, partner: Partner) -> &[Checked] {
    debate.findings(&evidence_key(round, partner)).unwrap_or_default()
}

/// The ledger of all that partners claimed, as a person reads it: ids are those of the debate, whoever names them.
pub fn ledger(debate: &Debate) -> Ledger {
    let all = Speech::of_all(debate);
    let said: Vec<(String, Statement)> = all
        .iter()
        .map(|(given, speech)| (given.partner.to_string(), with_ids_of_the_debate(speech, &given.stance.statement)))
        .collect();
    let spoken = all.iter().zip(&said).map(|((given, _), (speaker, statement))| {
        let (letter, round) = (given.partner.letter(), given.round);
        Spoken { letter, speaker, round, statement, checked: findings(debate, round, given.partner) }
    });
    let mut ledger = Ledger::of(spoken);
    let of_claims = all.iter().flat_map(|(given, speech)| given.stance.statement.claims.iter().map(move |_| speech));
    for (claim, speech) in ledger.claims.iter_mut().zip(of_claims) {
        claim.text = speech.told(&claim.text, &Listener::Person).text;
    }
    let is_by = |given: &Given<'_>, speaker: &str, round: u32| given.round == round && given.partner.to_string() == speaker;
    for concession in ledger.concessions.iter_mut().chain(&mut ledger.unfounded) {
        let by = all.iter().find(|(given, _)| is_by(given, &concession.speaker, concession.round));
        if let Some((_, speech)) = by {
            concession.quote = speech.told(&concession.quote, &Listener::Person).text;
        }
    }
    ledger
}

/// The same with everybody under the own name instead of the seat's.
pub fn ledger_by_name(debate: &Debate) -> Ledger {
    let mut ledger = ledger(debate);
    let named = |speaker: &mut String| {
        if let Some(partner) = Partner::of_seat(speaker) {
            *speaker = name(debate.plan(), partner);
        }
    };
    for claim in &mut ledger.claims {
        named(&mut claim.speaker);
        claim.conceded_by.iter_mut().for_each(|(speaker, _)| named(speaker));
    }
    ledger.concessions.iter_mut().chain(&mut ledger.unfounded).for_each(|concession| named(&mut concession.speaker));
    ledger
}

/// The statement with the ids of others' claims that its speaker has read as the debate knows them, and no others.
fn with_ids_of_the_debate(speech: &Speech<'_>, statement: &Statement) -> Statement {
    let mut statement = statement.clone();
    let known = |id: &ClaimId| speech.claim(id);
    statement.conceded = statement.conceded.iter().filter_map(|(id, quote)| Some((known(id)?, quote.clone()))).collect();
    for claim in &mut statement.claims {
        claim.attacks = claim.attacks.iter().filter_map(known).collect();
    }
    statement
}

/// The checks that answers of these rounds still need before anybody else reads them.
pub(super) fn checks(debate: &Debate, rounds: std::ops::RangeInclusive<u32>) -> Vec<Step> {
    if debate.plan().evidence.is_none() {
        return Vec::new();
    }
    let step = |given: Given<'_>| {
        let key = evidence_key(given.round, given.partner);
        let citations = if debate.may_begin(&key) { given.stance.citations() } else { Vec::new() };
        let citations = given.stance.statement.without_retold(citations, &earlier(debate, &given));
        (!citations.is_empty())
            .then_some(Step { key, action: Action::Check(Check { citations, revisions: Vec::new(), texts: Vec::new() }) })
    };
    let answers =
        rounds.flat_map(|round| partners(debate.plan()).filter_map(move |partner| super::given(debate, round, partner)));
    answers.filter_map(step).collect()
}

/// What was found in the rounds before an answer.
fn earlier<'a>(debate: &'a Debate, given: &Given<'_>) -> Earlier<'a> {
    let mut earlier = Earlier::default();
    for round in 1..given.round {
        for partner in partners(debate.plan()) {
            let found = findings(debate, round, partner).iter();
            if partner == given.partner { earlier.own.extend(found) } else { earlier.of_others.extend(found) }
        }
    }
    earlier
}

/// The claims of an answer with what was found of their evidence, under the letter by which a reader knows the speaker;
/// none where nothing is checked. Evidence is told as it was cited.
pub(super) fn account(debate: &Debate, given: &Given<'_>, labels: &Labels, names: Option<&Names>) -> Option<String> {
    debate.plan().evidence.as_ref()?;
    let findings = findings(debate, given.round, given.partner);
    let speech = Speech::of(debate, given);
    let mut statement = given.stance.statement.clone();
    for claim in &mut statement.claims {
        claim.text = speech.told(&claim.text, &Listener::Seat(labels)).text;
    }
    let account = account_of(labels.letter(given.partner), given.round, &statement, findings);
    Some(names.map_or_else(|| account.clone(), |names| names.hidden(&account)))
}

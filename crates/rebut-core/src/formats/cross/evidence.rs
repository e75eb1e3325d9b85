//! The evidence of partners: when it is looked up, and how what was found is told.

use std::collections::BTreeMap;

use super::labels::Labels;
use super::movement::{Switch, switches_in};
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
///
/// Whether a change of position has support is decided by what the change names, and nowhere else: words that give a position
/// up in an answer which changes it have the evidence of that change.
pub fn ledger(debate: &Debate) -> Ledger {
    let mut ledger = entered(debate);
    let changes = changes(debate, &ledger);
    for concession in &mut ledger.concessions {
        let key = (concession.speaker.clone(), concession.round);
        let Some(switch) = changes.get(&key) else { continue };
        if switch.is_supported() {
            concession.cites = true;
            concession.cites_falsely.clear();
        } else if !concession.cites && concession.cites_falsely.is_empty() {
            concession.cites_falsely = switch.cites_falsely();
        }
    }
    ledger
}

/// Changes of position that have no support, and that no words of the ledger tell, each in a line.
pub fn untold_switches(debate: &Debate, ledger: &Ledger) -> Vec<String> {
    let mut changes = changes(debate, ledger);
    for told in ledger.unsupported_switches() {
        let _ = changes.remove(&(told.speaker.clone(), told.round));
    }
    let tell = |((speaker, round), switch): ((String, u32), Switch)| {
        let speaker = Partner::of_seat(&speaker).map_or(speaker, |partner| name(debate.plan(), partner));
        let cites = match switch.cites_falsely() {
            none if none.is_empty() => "cites nothing".to_owned(),
            cited => format!("cites only what is false: {}", cited.join(", ")),
        };
        format!("{speaker}, round {round}: another position ({cites})")
    };
    changes.into_iter().filter(|(_, switch)| !switch.is_supported()).map(tell).collect()
}

/// Every change of position, by who made it and in which round.
fn changes(debate: &Debate, ledger: &Ledger) -> BTreeMap<(String, u32), Switch> {
    let of = |partner: Partner| {
        let made = switches_in(debate, ledger, partner).into_iter();
        made.map(move |switch| ((partner.to_string(), switch.round), switch))
    };
    partners(debate.plan()).flat_map(of).collect()
}

/// The ledger as the answers alone make it.
pub(super) fn entered(debate: &Debate) -> Ledger {
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

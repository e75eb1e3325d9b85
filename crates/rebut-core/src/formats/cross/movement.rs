//! Who moved, and what made them: computed from what was said, never asked for.

use std::collections::BTreeSet;

use serde::Serialize;

use super::evidence::entered;
use super::retelling::Speech;
use super::{Given, Partner, findings, given, latest, setup};
use crate::claims::check::{CheckResult, Checked};
use crate::claims::citation::Target;
use crate::claims::{ClaimId, Ledger};
use crate::debate::Debate;
use crate::formats::review::sameness::{self, Subject};

/// How alike two open positions must be to be the same, where they are not the same words.
const SAME_POSITION: f64 = 0.75;
/// How alike two answers must be to count as no movement, where no position is stated.
const SAME_ANSWER: f64 = 0.75;

/// What became of a partner's position from one of its answers to the next.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Move {
    /// The round of the later answer.
    pub round: u32,
    /// Where it stood, where it said so.
    pub from: Option<String>,
    /// Where it stands.
    pub to: Option<String>,
    /// Whether that is something else.
    pub moved: bool,
    /// What says so.
    pub basis: Basis,
}

/// What a movement is computed from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// Both positions were stated.
    Position,
    /// One was not: how alike the two answers are, in percent.
    Similarity(u8),
}

/// A change of position, and what is named for it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Switch {
    /// The round in which it was made.
    pub round: u32,
    /// Where the partner stood, where it said so.
    pub from: Option<String>,
    /// Where it stands.
    pub to: Option<String>,
    /// What says that it changed.
    pub basis: Basis,
    /// The claims it names.
    pub reasons: Vec<Reason>,
    /// Evidence it names by itself.
    pub evidence: Vec<Cited>,
    /// What it says, in its own words.
    pub words: Option<String>,
}

impl Switch {
    /// Whether it names anything that was not found to be false: a switch that does not is unsupported.
    pub fn is_supported(&self) -> bool {
        self.reasons.iter().any(|reason| reason.support != Support::False)
            || self.evidence.iter().any(|cited| cited.support != Support::False)
    }

    /// Whether it names nothing at all.
    pub fn cites_nothing(&self) -> bool {
        self.reasons.is_empty() && self.evidence.is_empty()
    }

    /// What it names and was found to be false, where it names nothing else.
    pub(super) fn cites_falsely(&self) -> Vec<String> {
        if self.is_supported() {
            return Vec::new();
        }
        let reasons = self.reasons.iter().map(|reason| reason.id.to_string());
        reasons.chain(self.evidence.iter().map(|cited| cited.target.to_string())).collect()
    }
}

/// A place that is named for a change.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cited {
    /// The place.
    #[serde(skip)]
    pub target: Target,
    /// The same, and what was found there, in a line.
    pub line: String,
    /// What it is worth.
    pub support: Support,
}

/// A claim that made a partner change.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reason {
    /// Its id.
    pub id: ClaimId,
    /// Who made it.
    pub speaker: String,
    /// The claim.
    pub text: String,
    /// What its evidence is worth.
    pub support: Support,
}

/// What the evidence of a claim is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Support {
    /// Some of it was looked up and holds.
    Verified,
    /// Some of it was looked up and is false, and none holds.
    False,
    /// Nothing of it could be looked up.
    Unverified,
}

impl Support {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Verified => "verified",
            Self::False => "false",
            Self::Unverified => "not verified",
        }
    }
}

/// Every movement of a partner, answer by answer.
pub fn moves(debate: &Debate, partner: Partner) -> Vec<Move> {
    let rounds = 0..=super::ROUNDS.end().max(&debate.plan().setup.rounds()).to_owned();
    let own: Vec<Given<'_>> = rounds.filter_map(|round| given(debate, round, partner)).collect();
    let closed = setup(debate.plan()).is_some_and(|setup| !setup.options.is_empty());
    own.windows(2).map(|pair| step(&pair[0], &pair[1], closed)).collect()
}

/// Whether anybody moved in a round. Who answers for the first time brings something new.
pub(super) fn anybody_moved(debate: &Debate, round: u32) -> bool {
    super::partners(debate.plan()).any(|partner| {
        let closed = setup(debate.plan()).is_some_and(|setup| !setup.options.is_empty());
        match (round.checked_sub(1).and_then(|before| latest(debate, before, partner)), given(debate, round, partner)) {
            (Some(before), Some(now)) => step(&before, &now, closed).moved,
            (None, Some(_)) => true,
            (_, None) => false,
        }
    })
}

fn step(before: &Given<'_>, now: &Given<'_>, closed: bool) -> Move {
    let (from, to) = (before.stance.position.clone(), now.stance.position.clone());
    let (moved, basis) = if let (Some(from), Some(to)) = (&from, &to) {
        (if closed { from != to } else { !same_position(from, to) }, Basis::Position)
    } else {
        let likeness = sameness::likeness(before.stance.answer(), now.stance.answer());
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a likeness is from 0 to 1")]
        let percent = (likeness * 100.0).round() as u8;
        (likeness < SAME_ANSWER, Basis::Similarity(percent))
    };
    Move { round: now.round, from, to, moved, basis }
}

/// Whether two sentences state the same position.
fn same_position(one: &str, other: &str) -> bool {
    let plain = |text: &str| {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
    };
    let subject = |text| Subject { text, anchors: &[] };
    let opposed = || {
        let negations = |text: &str| {
            plain(text)
                .split(' ')
                .filter(|word| ["not", "no", "never", "don", "dont", "without", "against"].contains(word))
                .count()
        };
        negations(one) != negations(other)
    };
    plain(one) == plain(other)
        || sameness::same(&subject(one), &subject(other))
        || (sameness::likeness(one, other) >= SAME_POSITION && !opposed())
}

/// Every change of a partner, with what is named for it where it was made. One that is taken back later was made all the
/// same.
pub fn switches(debate: &Debate, partner: Partner) -> Vec<Switch> {
    let moved: Vec<Move> = moves(debate, partner).into_iter().filter(|step| step.moved).collect();
    if moved.is_empty() {
        return Vec::new();
    }
    let ledger = entered(debate);
    made_of(debate, &ledger, partner, moved)
}

/// The same where the ledger is known, without what the changes make of it.
pub(super) fn switches_in(debate: &Debate, ledger: &Ledger, partner: Partner) -> Vec<Switch> {
    made_of(debate, ledger, partner, moves(debate, partner).into_iter().filter(|step| step.moved).collect())
}

fn made_of(debate: &Debate, ledger: &Ledger, partner: Partner, moved: Vec<Move>) -> Vec<Switch> {
    let made = |step: Move| given(debate, step.round, partner).map(|given| made(debate, ledger, &given, step));
    moved.into_iter().filter_map(made).collect()
}

fn made(debate: &Debate, ledger: &Ledger, given: &Given<'_>, step: Move) -> Switch {
    let speech = Speech::of(debate, given);
    let named = given.stance.reasons();
    // An id that the partner cannot have read is no reason.
    let reasons = named.iter().filter_map(|id| reason(ledger, given.partner, speech.claim(id)?)).collect();
    let findings = findings(debate, given.round, given.partner);
    let told = |target: &Target| {
        let found: Vec<&Checked> = findings.iter().filter(|found| found.citation.target == *target).collect();
        let line = found.first().map_or_else(|| format!("? {target}: not looked up"), ToString::to_string);
        Cited { target: target.clone(), line, support: support(found) }
    };
    let mut evidence: Vec<Cited> = given.stance.cited_reasons().iter().map(told).collect();
    if named.is_empty() && evidence.is_empty() {
        // Who names no reason apart has what the answer itself cites: what holds is told first.
        evidence = cited_in(given).iter().map(told).collect();
        evidence.sort_by_key(|cited| match cited.support {
            Support::Verified => 0,
            Support::Unverified => 1,
            Support::False => 2,
        });
        evidence.truncate(TOLD);
    }
    let words = given.stance.because.as_deref().map(|words| super::told(debate, given, words).text);
    let Move { round, from, to, basis, .. } = step;
    Switch { round, from, to, basis, reasons, evidence, words }
}

/// The most places that are told of an answer which names no reason apart.
const TOLD: usize = 5;

/// What an answer cites, each place once.
fn cited_in(given: &Given<'_>) -> BTreeSet<Target> {
    given.stance.citations().into_iter().map(|citation| citation.target).collect()
}

/// A claim that is named as a reason: one that was made, by somebody else.
fn reason(ledger: &Ledger, partner: Partner, id: ClaimId) -> Option<Reason> {
    let claim = ledger.claims.iter().find(|claim| claim.id == id && claim.speaker != partner.to_string())?;
    let support = support(&claim.citations);
    Some(Reason { id, speaker: claim.speaker.clone(), text: claim.text.clone(), support })
}

fn support<'a>(found: impl IntoIterator<Item = &'a Checked>) -> Support {
    let results: Vec<CheckResult> = found.into_iter().map(|found| found.result).collect();
    if results.iter().any(|result| result.holds()) {
        Support::Verified
    } else if results.iter().any(|result| result.is_false()) {
        Support::False
    } else {
        Support::Unverified
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_open_position_in_nearly_the_same_words_is_the_same() {
        for (one, other, same) in [
            ("Keep REST and cache the hot routes", "Keep REST, and cache the hot routes.", true),
            ("Keep REST and cache the two hot routes", "Cache the two hot routes and keep REST", true),
            ("Keep REST", "Move to gRPC", false),
            ("Ship it on Friday", "Do not ship it on Friday", false),
        ] {
            assert_eq!(same_position(one, other), same, "{one} / {other}");
        }
    }
}

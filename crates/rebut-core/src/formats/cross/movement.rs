//! Who moved, and what made them: computed from what was said, never asked for.

use serde::Serialize;

use super::{Given, Partner, answers, findings, given, last_round, latest, ledger, setup};
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
    /// Where the partner stood.
    pub from: String,
    /// Where it stands.
    pub to: String,
    /// The claims it names.
    pub reasons: Vec<Reason>,
    /// Evidence it names by itself, and what was found of it, a line each.
    pub evidence: Vec<String>,
    /// What it says, in its own words.
    pub words: Option<String>,
}

impl Switch {
    /// Whether it names anything at all: a switch that does not is unsupported.
    pub fn is_supported(&self) -> bool {
        !self.reasons.is_empty() || !self.evidence.is_empty()
    }
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
    let own: Vec<Given<'_>> = answers(debate).filter(|given| given.partner == partner).collect();
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

/// The change from where a partner began to where it stands, if there is one, with what is named for it where it was
/// made last.
pub fn switch(debate: &Debate, partner: Partner) -> Option<Switch> {
    let last = last_round(debate)?;
    let (first, end) = (answers(debate).find(|given| given.partner == partner)?, latest(debate, last, partner)?);
    let closed = setup(debate.plan()).is_some_and(|setup| !setup.options.is_empty());
    let (from, to) = (first.stance.position.clone()?, end.stance.position.clone()?);
    if !step(&first, &end, closed).moved {
        return None;
    }
    let round = moves(debate, partner).iter().rev().find(|step| step.moved).map_or(end.round, |step| step.round);
    let made = given(debate, round, partner)?;
    let ledger = ledger(debate);
    let reasons = made.stance.reasons().into_iter().filter_map(|id| reason(&ledger, partner, id)).collect();
    let cited = made.stance.cited_reasons();
    let findings = findings(debate, round, partner);
    let told = |target: &Target| {
        let found = findings.iter().find(|found| found.citation.target == *target);
        found.map_or_else(|| format!("? {target}: not looked up"), Checked::to_string)
    };
    let evidence = cited.iter().map(told).collect();
    Some(Switch { round, from, to, reasons, evidence, words: made.stance.because.clone() })
}

/// A claim that is named as a reason: one that was made, by somebody else.
fn reason(ledger: &Ledger, partner: Partner, id: ClaimId) -> Option<Reason> {
    let claim = ledger.claims.iter().find(|claim| claim.id == id && claim.speaker != partner.to_string())?;
    let results = || claim.citations.iter().map(|found| found.result);
    let support = if results().any(CheckResult::holds) {
        Support::Verified
    } else if results().any(CheckResult::is_false) {
        Support::False
    } else {
        Support::Unverified
    };
    Some(Reason { id, speaker: claim.speaker.clone(), text: claim.text.clone(), support })
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

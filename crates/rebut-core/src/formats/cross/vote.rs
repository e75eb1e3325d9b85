//! Who takes which position, and how far the partners agree: counted from fields.

use super::options::{UNDECIDED, is_counted};
use super::{Given, Partner, PointKind, given, is_awaited, last_round, latest, options_of, partners, synthesis};
use crate::debate::Debate;
use crate::named::named;

named! {
    pub enum Agreement {
        Full = "full",
        Partial = "partial",
        None = "none",
    }
}

/// The options that partners take, each with its partners, in order of first appearance.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vote {
    pub held: Vec<(String, Vec<Partner>)>,
    /// Those who answer a question without options neither with yes nor with no.
    pub other: Vec<Partner>,
    /// Those who gave no position.
    pub silent: Vec<Partner>,
}

impl Vote {
    fn of<'a>(options: &[String], given: impl Iterator<Item = (Partner, Option<&'a str>)>) -> Self {
        let mut vote = Self::default();
        for (partner, position) in given {
            match position {
                Some(position) if is_counted(options, position) => {
                    match vote.held.iter_mut().find(|(known, _)| known == position) {
                        Some((_, holders)) => holders.push(partner),
                        None => vote.held.push((position.to_owned(), vec![partner])),
                    }
                }
                Some(_) => vote.other.push(partner),
                None => vote.silent.push(partner),
            }
        }
        vote
    }

    /// The option that all of at least two hold. To be undecided is no position.
    pub fn unanimous(&self) -> Option<&str> {
        match self.held.as_slice() {
            _ if !self.other.is_empty() || !self.silent.is_empty() => None,
            [(option, holders)] if holders.len() > 1 && option != UNDECIDED => Some(option),
            _ => None,
        }
    }

    /// The counts in one line: `yes 2, no 1, no position given 1`.
    pub fn line(&self) -> String {
        let held = self.held.iter().map(|(option, holders)| (option.as_str(), holders.len()));
        let others = [("other", self.other.len()), ("no position given", self.silent.len())];
        let counts = held.chain(others).filter(|(_, count)| *count > 0);
        counts.map(|(what, count)| format!("{what} {count}")).collect::<Vec<_>>().join(", ")
    }

    fn agreement(&self) -> Agreement {
        let decided = self.held.iter().filter(|(option, _)| option != UNDECIDED);
        match decided.map(|(_, holders)| holders.len()).max() {
            _ if self.unanimous().is_some() => Agreement::Full,
            Some(most) if most > 1 => Agreement::Partial,
            _ => Agreement::None,
        }
    }
}

/// Who holds which position after a round, if positions are counted.
pub fn vote(debate: &Debate, round: u32) -> Option<Vote> {
    count(debate, partners(debate.plan()).filter_map(|partner| latest(debate, round, partner)))
}

/// The positions of these answers. Without options they are counted if anyone has said yes or no in any round.
fn count<'a>(debate: &'a Debate, answers: impl Iterator<Item = Given<'a>>) -> Option<Vote> {
    let options = options_of(debate.plan());
    let says_one = |given: Given<'_>| given.said.position().is_some_and(|position| is_counted(options, position));
    let rounds = || 0..=last_round(debate).unwrap_or(0);
    let is_said =
        || partners(debate.plan()).any(|own| rounds().any(|round| given(debate, round, own).is_some_and(says_one)));
    (!options.is_empty() || is_said())
        .then(|| Vote::of(options, answers.map(|given| (given.partner, given.said.position()))))
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Present {
    /// The last round that anyone answered.
    pub round: u32,
    pub partners: Vec<Partner>,
    pub absent: usize,
    pub awaited: usize,
    /// What those who answered hold, if positions are counted.
    pub vote: Option<Vote>,
}

pub fn present(debate: &Debate) -> Present {
    let there = |round: u32| partners(debate.plan()).filter_map(move |partner| given(debate, round, partner));
    let round = (0..=last_round(debate).unwrap_or(0)).rev().find(|round| there(*round).next().is_some()).unwrap_or(0);
    let missing = partners(debate.plan()).filter(|partner| given(debate, round, *partner).is_none());
    let (awaited, absent): (Vec<Partner>, Vec<Partner>) = missing.partition(|partner| is_awaited(debate, round, *partner));
    Present {
        round,
        partners: there(round).map(|given| given.partner).collect(),
        absent: absent.len(),
        awaited: awaited.len(),
        vote: count(debate, there(round)),
    }
}

impl Present {
    /// The positions in one line, with how many are missing: `yes 2, no 1, absent 1`. None if there is nothing to count.
    pub fn line(&self) -> Option<String> {
        let missing = [("absent", self.absent), ("not in yet", self.awaited)].into_iter().filter(|(_, count)| *count > 0);
        let missing = missing.map(|(word, count)| format!("{word} {count}"));
        let parts: Vec<String> = self.vote.iter().map(Vote::line).chain(missing).collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }
}

/// How far those agree who answered in the end: by their options, and by the points that the moderator lists. None before
/// the moderator has spoken, and where only one is left.
pub fn agreement(debate: &Debate) -> Option<Agreement> {
    let points = &synthesis(debate)?.points;
    let [agree, differ] = [PointKind::Agree, PointKind::Differ].map(|kind| points.iter().any(|point| point.kind == kind));
    let present = present(debate);
    // Where someone answers in a sentence, the counts don't say how far it agrees with a plain yes or no.
    let vote = present.vote.filter(|vote| !vote.held.is_empty() && vote.other.is_empty());
    let voted = vote.map_or(if agree { Agreement::Full } else { Agreement::None }, |vote| vote.agreement());
    (present.partners.len() > 1).then_some(match voted {
        Agreement::Full if differ => Agreement::Partial,
        Agreement::None if agree => Agreement::Partial,
        voted => voted,
    })
}

/// How far they agree in one line, with the counts: `partial (yes 2, no 1)`.
pub(super) fn agreement_line(debate: &Debate) -> Option<String> {
    let counted = present(debate).line().map_or_else(String::new, |counted| format!(" ({counted})"));
    Some(format!("{}{counted}", agreement(debate)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn to_be_undecided_or_alone_is_no_agreement() {
        let options = ["yes".to_owned(), "no".to_owned()];
        for positions in [&[Some("yes")][..], &[Some(UNDECIDED); 2], &[Some("yes"), Some("no"), None]] {
            let vote = Vote::of(&options, Partner::all(8).zip(positions.iter().copied()));
            assert_eq!((vote.agreement(), vote.unanimous()), (Agreement::None, None), "{vote:?}");
        }
    }
}

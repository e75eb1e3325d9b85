//! Who holds what: counted, never judged.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::options::UNDECIDED;
use super::{Partner, given, is_awaited, last_round, latest, partners, setup};
use crate::debate::Debate;

/// How far the partners agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Agreement {
    /// All hold the same.
    Full,
    /// On some of it, or some of them.
    Partial,
    /// Not at all.
    None,
}

impl Agreement {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Partial => "partial",
            Self::None => "none",
        }
    }
}

/// The positions of a round: each with those who hold it, in the order in which they first appear.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// The positions.
    pub positions: Vec<(String, Vec<Partner>)>,
    /// Those who stated none.
    pub silent: Vec<Partner>,
}

impl Tally {
    /// The position that all of at least two hold. To be undecided is no position.
    pub fn unanimous(&self) -> Option<&str> {
        match self.positions.as_slice() {
            [(position, holders)] if holders.len() > 1 && self.silent.is_empty() && position != UNDECIDED => Some(position),
            _ => None,
        }
    }

    /// The counts in one line: `yes 2, no 1`.
    pub fn line(&self) -> String {
        let mut parts: Vec<String> =
            self.positions.iter().map(|(position, holders)| format!("{position} {}", holders.len())).collect();
        if !self.silent.is_empty() {
            parts.push(format!("without a position {}", self.silent.len()));
        }
        parts.join(", ")
    }

    /// How far those agree who are counted here: all hold the same, some do, or no two.
    fn agreement(&self) -> Agreement {
        let most =
            self.positions.iter().filter(|(position, _)| position != UNDECIDED).map(|(_, holders)| holders.len()).max();
        match most {
            _ if self.unanimous().is_some() => Agreement::Full,
            Some(most) if most > 1 => Agreement::Partial,
            _ => Agreement::None,
        }
    }
}

/// The tally of where everybody stood after a round; of a closed question only, since open positions are sentences.
pub fn tally(debate: &Debate, round: u32) -> Option<Tally> {
    setup(debate.plan()).filter(|setup| !setup.options.is_empty())?;
    let all = partners(debate.plan()).filter_map(|partner| latest(debate, round, partner));
    Some(counted(all.map(|given| (given.partner, given.stance.position.as_deref()))))
}

fn counted<'a>(stands: impl Iterator<Item = (Partner, Option<&'a str>)>) -> Tally {
    let mut tally = Tally::default();
    for (partner, position) in stands {
        let Some(position) = position else {
            tally.silent.push(partner);
            continue;
        };
        match tally.positions.iter_mut().find(|(known, _)| known == position) {
            Some((_, holders)) => holders.push(partner),
            None => tally.positions.push((position.to_owned(), vec![partner])),
        }
    }
    tally
}

/// Who was there in the end, and what follows from that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Present {
    /// The end: the last round that anybody answered.
    pub round: u32,
    /// Those who answered in it.
    pub partners: Vec<Partner>,
    /// How many did not answer in it.
    pub absent: usize,
    /// How many may still do so.
    pub awaited: usize,
    /// Where they stand, where the question is closed.
    pub tally: Option<Tally>,
}

/// Who was there in the end.
pub fn present(debate: &Debate) -> Present {
    let there = |round: u32| partners(debate.plan()).filter_map(move |partner| given(debate, round, partner));
    let round = (0..=last_round(debate).unwrap_or(0)).rev().find(|round| there(*round).next().is_some()).unwrap_or(0);
    let closed = setup(debate.plan()).is_some_and(|setup| !setup.options.is_empty());
    let stands = there(round).map(|given| (given.partner, given.stance.position.as_deref()));
    let missing = partners(debate.plan()).filter(|partner| given(debate, round, *partner).is_none());
    let (awaited, absent): (Vec<Partner>, Vec<Partner>) = missing.partition(|partner| is_awaited(debate, round, *partner));
    Present {
        round,
        partners: there(round).map(|given| given.partner).collect(),
        absent: absent.len(),
        awaited: awaited.len(),
        tally: closed.then(|| counted(stands)),
    }
}

impl Present {
    /// Where they stand in one line, with how many are missing: `yes 2, no 1, absent 1`.
    pub fn line(&self) -> Option<String> {
        let missing = [("absent", self.absent), ("not in yet", self.awaited)].into_iter().filter(|(_, count)| *count > 0);
        let missing = missing.map(|(word, count)| format!("{word} {count}"));
        Some(std::iter::once(self.tally.as_ref()?.line()).chain(missing).collect::<Vec<_>>().join(", "))
    }

    /// What was counted against a report of so much agreement: the words for it, and what holds instead.
    pub(super) fn contradicts(&self, reported: Agreement) -> Option<(String, Agreement)> {
        if self.partners.len() < 2 {
            let why = "only one partner answered the last round, and one voice is no agreement".to_owned();
            return (reported != Agreement::None).then_some((why, Agreement::None));
        }
        let tally = self.tally.as_ref()?;
        let counted = tally.agreement();
        (reported != counted).then(|| (format!("the partners' own positions are: {}", tally.line()), counted))
    }

    /// Whether all were counted to hold the same; none where positions are not counted.
    pub(super) fn is_unanimous(&self) -> Option<bool> {
        self.tally.as_ref().map(|tally| tally.unanimous().is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stands(positions: &[Option<&'static str>]) -> Tally {
        let partners: Vec<Partner> = Partner::all(8).collect();
        counted(partners.into_iter().zip(positions.iter().copied()))
    }

    #[test]
    fn all_of_at_least_two_make_it_unanimous() {
        assert_eq!(stands(&[Some("yes"), Some("yes")]).unanimous(), Some("yes"));
        for split in [&[Some("yes")][..], &[Some("yes"), Some("no")], &[Some("yes"), None], &[Some("undecided"); 2]] {
            assert_eq!(stands(split).unanimous(), None, "{split:?}");
        }
        assert_eq!(stands(&[Some("yes"), Some("no"), Some("yes"), None]).line(), "yes 2, no 1, without a position 1");
    }

    #[test]
    fn a_report_is_held_against_the_count() {
        let present = |positions: &[Option<&'static str>]| Present {
            round: 1,
            partners: Partner::all(8).take(positions.len()).collect(),
            absent: 0,
            awaited: 0,
            tally: Some(stands(positions)),
        };
        let found = |positions: &[Option<&'static str>], said| present(positions).contradicts(said).map(|(_, holds)| holds);
        let split = [Some("yes"), Some("yes"), Some("no")];
        assert_eq!(found(&split, Agreement::Full), Some(Agreement::Partial));
        assert_eq!(found(&split, Agreement::Partial), None);
        assert_eq!(found(&split, Agreement::None), Some(Agreement::Partial));
        assert_eq!(found(&split[1..], Agreement::Full), Some(Agreement::None));
        assert_eq!(found(&split[..2], Agreement::None), Some(Agreement::Full));
        assert_eq!(found(&split[..2], Agreement::Partial), Some(Agreement::Full));
        assert_eq!(found(&split[1..], Agreement::Partial), Some(Agreement::None));
        assert_eq!(found(&split[1..], Agreement::None), None);
        assert_eq!(found(&split[..1], Agreement::Full), Some(Agreement::None));
        let open = Present { round: 1, partners: Partner::all(2).collect(), absent: 0, awaited: 0, tally: None };
        assert_eq!(open.contradicts(Agreement::Full), None);
    }
}

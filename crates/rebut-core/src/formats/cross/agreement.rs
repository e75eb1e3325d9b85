//! Who holds what: counted, never judged.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::options::UNDECIDED;
use super::{Partner, given, last_round, latest, partners, setup};
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

    /// How far those agree who are counted here.
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

/// Who was there in the last round, and what follows from that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Present {
    /// Those who answered in the last round.
    pub partners: Vec<Partner>,
    /// Where they stand, where the question is closed.
    pub tally: Option<Tally>,
}

/// Who was there in the last round.
pub fn present(debate: &Debate) -> Present {
    let last = last_round(debate).unwrap_or(0);
    let there: Vec<_> = partners(debate.plan()).filter_map(|partner| given(debate, last, partner)).collect();
    let closed = setup(debate.plan()).is_some_and(|setup| !setup.options.is_empty());
    let stands = there.iter().map(|given| (given.partner, given.stance.position.as_deref()));
    Present { tally: closed.then(|| counted(stands)), partners: there.iter().map(|given| given.partner).collect() }
}

impl Present {
    /// What was counted against a report of so much agreement: the words for it, and what holds instead.
    pub(super) fn contradicts(&self, reported: Agreement) -> Option<(String, Agreement)> {
        if self.partners.len() < 2 {
            let why = "only one partner answered the last round, and one voice is no agreement".to_owned();
            return (reported != Agreement::None).then_some((why, Agreement::None));
        }
        let tally = self.tally.as_ref()?;
        let unanimous = tally.unanimous().is_some();
        let wrong = match reported {
            Agreement::Full => !unanimous,
            Agreement::None => unanimous,
            Agreement::Partial => false,
        };
        wrong.then(|| (format!("the partners' own positions are: {}", tally.line()), tally.agreement()))
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
            partners: Partner::all(8).take(positions.len()).collect(),
            tally: Some(stands(positions)),
        };
        let found = |positions: &[Option<&'static str>], said| present(positions).contradicts(said).map(|(_, holds)| holds);
        let split = [Some("yes"), Some("yes"), Some("no")];
        assert_eq!(found(&split, Agreement::Full), Some(Agreement::Partial));
        assert_eq!(found(&split, Agreement::None), None);
        assert_eq!(found(&split[1..], Agreement::Full), Some(Agreement::None));
        assert_eq!(found(&split[..2], Agreement::None), Some(Agreement::Full));
        assert_eq!(found(&split[..2], Agreement::Partial), None);
        assert_eq!(found(&split[..1], Agreement::Full), Some(Agreement::None));
        let open = Present { partners: Partner::all(2).collect(), tally: None };
        assert_eq!(open.contradicts(Agreement::Full), None);
    }
}

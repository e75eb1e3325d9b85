//! What a statement claims, cites and concedes, and the ledger of it all. Files are looked up by whoever has them.

mod account;
pub mod check;
pub mod citation;

mod concession;
pub(crate) mod doubt;
mod figure;
mod ledger;
pub(crate) mod marks;
mod merging;
pub(crate) mod place;
mod retold;
pub mod source;
mod tail;
mod tally;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use check::Checked;
use citation::{Citation, Target};
use merging::Merging;

pub use crate::evidence::ClaimId;
pub(crate) use account::{account_of, one_line, shortened};
pub use concession::stands_in;
pub(crate) use figure::{stands, telling, worth};
pub use ledger::{Ledger, LedgerClaim, LedgerConcession, Spoken};
pub use retold::Earlier;
pub use tally::Tally;

/// A statement in a debate: prose, and what its speaker says it claims and concedes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statement {
    /// The prose, without the structured tail.
    pub body: String,
    /// The claims of the tail.
    #[serde(default)]
    pub claims: Vec<Claim>,
    /// Concessions, each a quote that stands in the body.
    #[serde(default)]
    pub concessions: Vec<String>,
    /// Concessions of the tail that do not stand in the body, and so do not count.
    #[serde(default)]
    pub unfounded_concessions: Vec<String>,
    /// Claims of others that the tail or the prose concedes by their ids, each with the quote that stands in the body.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub conceded: BTreeMap<ClaimId, String>,
    /// Evidence of the tail that stands below no claim: the statement's own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<String>,
}

/// Something a speaker claims.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// The claim in one sentence.
    pub text: String,
    /// The evidence the speaker names for it; none makes the claim unsupported.
    #[serde(default)]
    pub evidence: Vec<String>,
    /// The claims of others that it attacks, by their ids.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attacks: Vec<ClaimId>,
}

/// How the citations of one line of evidence are told.
type FindEvidence = fn(&str) -> Vec<Citation>;

impl Claim {
    /// The citations of its evidence. A claim that rests on one page alone, and quotes nothing, has its figures from
    /// there.
    fn citations(&self, find: FindEvidence) -> Vec<Citation> {
        let mut found: Vec<Citation> = self.evidence.iter().flat_map(|line| find(line)).collect();
        if let [only] = &mut found[..]
            && matches!(only.target, citation::Target::Page { .. })
            && only.quotes.is_empty()
            && only.figures.is_empty()
        {
            only.figures = figure::telling(&self.text);
        }
        found
    }

    /// Whether its speaker names evidence for it, below it or in its text, be it only what others cited falsely.
    pub fn names_evidence(&self) -> bool {
        !self.evidence.is_empty() || !citation::find(&self.text).is_empty()
    }

    /// Lines of its evidence that are not of a kind that can be looked up, as they were written.
    pub fn evidence_not_looked_up(&self) -> impl Iterator<Item = &String> {
        self.evidence.iter().filter(|line| citation::find_in_evidence(line).is_empty())
    }
}

impl Statement {
    /// Reads an answer: the prose, and the tail after the line `--- claims` where there is one.
    ///
    /// Sentences that begin with a plain concession are taken as concessions too, with a tail or without.
    pub fn read(text: &str) -> Self {
        Self::read_with(text, tail::Lists::All)
    }

    /// The same with the last list alone, where prose of several parts stands before it.
    pub(crate) fn read_with_one_list(text: &str) -> Self {
        Self::read_with(text, tail::Lists::Last)
    }

    fn read_with(text: &str, lists: tail::Lists) -> Self {
        let (body, tail) = match tail::split(text, lists) {
            None => (text.trim().to_owned(), tail::Tail::default()),
            Some(split) => {
                let tail = tail::read(&split);
                // What the list has beside its items, and what stands behind it, is said all the same.
                (format!("{}\n\n{}", split.body, tail.prose).trim().to_owned(), tail)
            }
        };
        let concession::Conceded { quotes: concessions, unfounded: unfounded_concessions, by_id: conceded } =
            concession::conceded_in(&body, tail.concessions);
        Self { body, claims: tail.claims, concessions, unfounded_concessions, conceded, evidence: tail.evidence }
    }

    /// The evidence that the statement names, in its prose and in its list of claims. A place that is cited again is the
    /// same citation if the same is said to stand there, or nothing; other words are looked up on their own, so that
    /// false ones cannot hide behind true ones.
    ///
    /// A claim that names a place alone answers for no words but its own and those of the prose: what another claim says
    /// to stand there, be it false, is that one's matter.
    pub fn citations(&self) -> Vec<Citation> {
        let mut all = self.merged(citation::find_in_evidence);
        // What the texts of claims name themselves: `claim: src/pool.rs:88 drops it`.
        all.extend(self.numbered().flat_map(|(claim, number)| {
            let found = citation::find(&claim.text).into_iter();
            found.map(move |found| Citation { span: 0..0, claims: vec![number], ..found })
        }));
        all.into_citations()
    }

    /// Those of the prose and of the evidence, with another way of telling what a line of evidence says to stand at a place.
    pub(crate) fn citations_by(&self, find: FindEvidence) -> Vec<Citation> {
        self.merged(find).into_citations()
    }

    fn merged(&self, find: FindEvidence) -> Merging {
        let mut all = Merging::default();
        all.extend(citation::find(&self.body));
        all.extend(self.evidence.iter().flat_map(|line| find(line)));
        all.extend(self.numbered().flat_map(|(claim, number)| {
            let found = claim.citations(find).into_iter();
            found.map(move |found| Citation { claims: vec![number], ..found })
        }));
        all
    }

    /// The claims with their numbers.
    fn numbered(&self) -> impl Iterator<Item = (&Claim, u32)> {
        self.claims.iter().zip(1..)
    }

    /// What is cited beside the words of each concession: what was found to be false, and the rest. A change of position needs
    /// evidence as much as any claim.
    fn cited_beside_concessions(&self, checked: &[Checked]) -> Vec<(Vec<Target>, Vec<Target>)> {
        let mut failed: BTreeMap<&Target, bool> = BTreeMap::new();
        for found in checked {
            let all_false = failed.entry(&found.citation.target).or_insert(true);
            *all_false &= found.result.is_false();
        }
        let paragraphs = self.body.split("\n\n").flat_map(|paragraph| paragraph.split("\n- "));
        // A text may be one paragraph, and all of its concessions stand there: it is read once.
        let mut paragraphs: Vec<(concession::Plain, &str, Option<Vec<Target>>)> =
            paragraphs.map(|text| (concession::Plain::new(text), text, None)).collect();
        let beside = |quote: &String| {
            let quote = concession::Plain::new(quote);
            let around = paragraphs.iter_mut().filter(|(plain, ..)| quote.is_part_of(plain));
            let cited = around.flat_map(|(_, text, cited)| {
                let find = || citation::find(text).into_iter().map(|citation| citation.target).collect();
                cited.get_or_insert_with(find).clone()
            });
            cited.partition(|cited| failed.get(cited).is_some_and(|all_false| *all_false))
        };
        self.concessions.iter().map(beside).collect()
    }

    /// The claims for which the speaker names no evidence.
    pub fn unsupported(&self) -> impl Iterator<Item = &Claim> {
        self.claims.iter().filter(|claim| !claim.names_evidence())
    }
}

#[cfg(test)]
mod tests;

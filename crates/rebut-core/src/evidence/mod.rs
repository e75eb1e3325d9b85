//! Evidence: what a speaker lists, what a check finds of it, and the ledger of it all. Pure; files are read elsewhere.

mod account;
pub mod check;
mod claim_id;
mod fences;
mod item;
mod ledger;
pub(crate) mod marks;
mod scanner;
pub mod source;
mod statement;
mod tally;

pub(crate) use account::{account, short};
pub use claim_id::ClaimId;
pub(crate) use fences::{FenceLine, fences};
pub(crate) use item::strict_object;
pub use item::{Evidence, Lines, Subject};
pub use ledger::{Answered, Attack, Ledger, LedgerClaim, LedgerConcession, Spoken};
pub use scanner::{Mention, scan};
pub use statement::{Block, Claim, Concession, Known, Listing, Moved, Statement, occurs_in};
pub(crate) use statement::{ids, or_default};
pub use tally::Tally;

use check::Cited;

/// The places that prose mentions, to be looked up.
pub fn mentions(prose: &str) -> Vec<Cited> {
    scan(prose).into_iter().map(|mention| Cited::mentioned(mention.evidence)).collect()
}

/// What is looked up of a statement: the evidence of its claims, and then what its prose mentions beside that.
pub(crate) fn to_check(listing: Option<&Listing>, statement: &Statement) -> Vec<Cited> {
    let mut cited = listing.map(Listing::to_check).unwrap_or_default();
    let is_listed = |mention: &Cited| {
        let same = |listed: &Evidence| {
            Evidence { quote: None, ..listed.clone() } == mention.evidence || *listed == mention.evidence
        };
        cited.iter().any(|listed| same(&listed.evidence))
    };
    let beside: Vec<Cited> = statement.mentions().iter().filter(|mention| !is_listed(mention)).cloned().collect();
    cited.extend(beside);
    cited
}

impl Listing {
    /// The ids of its claims.
    pub(crate) fn ids(&self, letter: &str, round: u32) -> Vec<ClaimId> {
        (1..).zip(&self.claims).map(|(number, _)| ClaimId::new(letter, round, number)).collect()
    }

    /// The evidence of all claims, to be looked up, each with the number of its claim.
    pub fn to_check(&self) -> Vec<Cited> {
        let numbered = self.claims.iter().zip(1..);
        numbered.flat_map(|(claim, number)| claim.evidence.iter().map(move |e| Cited::by_claim(number, e.clone()))).collect()
    }
}

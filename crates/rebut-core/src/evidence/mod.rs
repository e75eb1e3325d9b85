//! Evidence: what a speaker lists, what a check finds of it, and the ledger of it all. Pure; files are read elsewhere.

mod account;
mod claim_id;
mod fences;
mod item;
mod ledger;
pub(crate) mod marks;
mod scanner;
mod statement;
mod tally;

pub(crate) use account::{account, line_of, short};
pub use claim_id::ClaimId;
pub(crate) use fences::fences;
pub(crate) use item::strict_object;
pub use item::{Evidence, Lines, Subject};
pub use ledger::{Answered, Attack, Ledger, LedgerClaim, LedgerConcession, Spoken};
pub use scanner::{Mention, scan};
pub(crate) use statement::ids;
pub use statement::{Block, Claim, Concession, Known, Listing, Moved, Statement, occurs_in};
pub use tally::Tally;

use crate::claims::check::Checked;
use crate::claims::citation::{self, Citation, Target};

impl Checked {
    /// The number of the claim that lists this evidence; none for a place that is only mentioned.
    pub fn claim(&self) -> Option<u32> {
        self.citation.claims.first().copied()
    }
}

/// The places that prose mentions, to be looked up.
pub fn mentions(prose: &str) -> Vec<Citation> {
    scan(prose).into_iter().map(|mention| mention.evidence.to_check(None)).collect()
}

impl Listing {
    /// The evidence of all claims, to be looked up, each with the number of its claim.
    pub fn to_check(&self) -> Vec<Citation> {
        let numbered = self.claims.iter().zip(1..);
        numbered.flat_map(|(claim, number)| claim.evidence.iter().map(move |e| e.to_check(Some(number)))).collect()
    }
}

impl Evidence {
    /// The evidence as it is handed to a check.
    pub fn to_check(&self, claim: Option<u32>) -> Citation {
        let lines = |lines: Option<Lines>| lines.map(|lines| citation::Lines::new(lines.first, lines.last));
        let own = |text: Option<&str>| text.map(str::to_owned);
        let target = match self.subject() {
            Subject::Commit { hash, file: Some(path), lines: Some(at) } => {
                Target::Past { hash: hash.to_owned(), path: path.to_owned(), lines: lines(Some(at)) }
            }
            Subject::Commit { hash, file, .. } => Target::Commit { hash: hash.to_owned(), path: own(file) },
            Subject::Page { url } => Target::Page { url: url.to_owned() },
            Subject::Search { pattern, within, count } => {
                Target::Search { pattern: pattern.to_owned(), path: own(within), count }
            }
            Subject::Command { name } => Target::Command { name: name.to_owned() },
            // That a file is absent is not said of some of its lines.
            Subject::File { path, lines: at } => {
                let at = at.filter(|_| !self.absent || self.quote.is_some());
                Target::File { path: path.to_owned(), lines: lines(at) }
            }
        };
        let quotes = self.quote.iter().cloned().collect();
        Citation { claims: claim.into_iter().collect(), quotes, absent: self.absent, ..Citation::of(target) }
    }
}

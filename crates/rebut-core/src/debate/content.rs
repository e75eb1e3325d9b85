//! What an accepted answer holds. One line a kind; each kind is described in the room it belongs to.

use serde::{Deserialize, Serialize};

use crate::claims::Statement;
use crate::formats::duel::{Summary, Verdict};

/// The content of an accepted answer, as it was read when it arrived: a later version of rebut reads no answer anew.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Content {
    /// A statement in prose with its claims.
    Statement(Statement),
    /// A summary of earlier rounds.
    Summary(Summary),
    /// The judge's verdict on a duel.
    Verdict(Box<Verdict>),
}

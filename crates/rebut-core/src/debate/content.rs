//! What an accepted answer holds. One line a kind; each kind is described in the room it belongs to.

use serde::{Deserialize, Serialize};

use crate::evidence::{Block, Statement};
use crate::formats::cross::Synthesis;
use crate::formats::duel::{Summary, Verdict};
use crate::formats::panel::PanelContent;
use crate::formats::review::{Critique, Judgement, Revision};

/// The content of an accepted answer, as it was read when it arrived: a later version of rebut reads no answer anew.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Content {
    /// A statement in prose with its claims.
    Statement(Statement),
    /// The claims of a statement whose own block was missing, or why there are none.
    Claims(Block),
    /// A summary of earlier rounds.
    Summary(Summary),
    /// The judge's verdict on a duel.
    Verdict(Box<Verdict>),
    /// A critique of what is reviewed.
    Critique(Box<Critique>),
    /// How a judge classifies the findings of a review.
    Judgement(Box<Judgement>),
    /// What is reviewed, written anew.
    Revision(Box<Revision>),
    /// How a moderator compares answers, or sums a debate up.
    Synthesis(Box<Synthesis>),
    /// What was said on a panel.
    Panel(Box<PanelContent>),
}

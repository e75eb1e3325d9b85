//! A debate as a page shows it: sections of typed parts. A format fills them; what renders them knows no format.
//!
//! Texts are Markdown of models unless a field says otherwise: nothing in them may act where they are rendered.

use serde::Serialize;

use crate::evidence::check::Checked;
use crate::evidence::{ClaimId, Evidence, Ledger};

use super::Brief;

/// A part of the page under its title.
#[derive(Clone, Debug, PartialEq)]
pub struct Section {
    /// Its anchor.
    pub id: &'static str,
    pub title: &'static str,
    pub part: Part,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    Verdict(Verdict),
    /// Statements, round by round, those of a round side by side.
    Rounds(Vec<Round>),
    Argument(Argument),
    Findings(Vec<FindingCard>),
    Log(Vec<LogItem>),
    Text(String),
    Patch(String),
}

/// What the debate came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    pub brief: Brief,
    /// How firm it is, and what that means, where it was judged more than once.
    pub firmness: Option<(String, String)>,
    pub ballots: Vec<Ballot>,
    /// The rest, each under its title.
    pub passages: Vec<(&'static str, String)>,
}

/// What one judge said on one ballot.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Ballot {
    /// Who judged, in plain text.
    pub judge: String,
    /// What sets this ballot apart from others, in plain text.
    pub note: String,
    /// The result, in plain text; why there is none where it failed.
    pub result: String,
    pub failed: bool,
    pub reasoning: String,
    /// The claims or statements that decide it, by id, each with the reason.
    pub decisive: Vec<(String, String)>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Round {
    pub title: String,
    pub statements: Vec<Statement>,
}

impl Round {
    /// Adds a statement to the round of this title, which is the last one or a new one.
    pub fn add(rounds: &mut Vec<Self>, title: String, statement: Statement) {
        match rounds.last_mut().filter(|last| last.title == title) {
            Some(last) => last.statements.push(statement),
            None => rounds.push(Self { title, statements: vec![statement] }),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Statement {
    /// The id by which it is cited: `P1`.
    pub id: String,
    /// The place of its side, from 0.
    pub side: usize,
    /// Who speaks, in plain text.
    pub speaker: String,
    pub body: String,
    /// What it concedes, withdraws or leaves out, a line each.
    pub notes: Vec<String>,
    pub model: Option<String>,
    pub duration_ms: u64,
}

/// The claims of a debate with all that is known of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    pub sides: Vec<Side>,
    pub ledger: Ledger,
    /// The ids of the claims and statements that decided it.
    pub decisive: Vec<String>,
}

/// One of those who argue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Side {
    /// What the ids of its claims begin with.
    pub letter: String,
    /// What the ledger calls it.
    pub speaker: String,
    /// What people call it, in plain text.
    pub name: String,
}

impl Argument {
    /// The place of the side that makes a claim, from 0.
    pub fn side_of(&self, claim: &ClaimId) -> usize {
        self.sides.iter().position(|side| claim.is_of(&side.letter)).unwrap_or(0)
    }

    /// Whether a claim, or the whole statement that makes it, decided the debate.
    pub fn is_decisive(&self, claim: &ClaimId) -> bool {
        self.decisive.iter().any(|id| id == claim.as_str() || id == claim.statement())
    }
}

/// A finding of a review, or something that it found missing.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct FindingCard {
    pub id: String,
    /// `P1`, `P2`, `P3`, or `missing`.
    pub severity: &'static str,
    pub state: &'static str,
    /// Whether it is unresolved.
    pub open: bool,
    pub title: String,
    pub explanation: String,
    pub suggestion: String,
    /// In plain text: who raised it, and when.
    pub raised: String,
    /// What was ruled on it.
    pub ruling: String,
    pub evidence: Vec<Evidence>,
    pub checked: Vec<Checked>,
    /// What was changed for it, as a patch of the file.
    pub fix: Option<String>,
}

/// An entry of a log.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct LogItem {
    pub seq: u64,
    /// The part of the debate that it belongs to, in plain text.
    pub part: String,
    /// The place of its side, from 0; none for an office.
    pub side: Option<usize>,
    pub speaker: String,
    pub kind: &'static str,
    pub body: String,
    /// Why it was redacted; then it has no body.
    pub redacted: Option<String>,
    /// The entry that it answers, and the one that it is about.
    pub refers_to: Vec<u64>,
    /// Title, place and whether it was read.
    pub sources: Vec<(String, String, bool)>,
    /// Source, status and explanation of every fact check.
    pub checks: Vec<(String, &'static str, String)>,
}

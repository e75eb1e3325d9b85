//! Who debates, if the user leaves it to the chair: the proposal, and what the user made of it.
//!
//! A panel without debaters asks the chair for a lineup and stops there until the user has decided. The decision arrives as
//! an amendment, so the time the user takes does not count, and a proposal is never paid for twice.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::session::{Session, Walk};
use super::tasks::Task;
use super::{Content, DEBATERS, Debater, Office, PanelSetup, cues, lineup_problems, setup};
use crate::debate::{Debate, Outcome, Rejection, Status, StepKey, structured};

/// How many debaters there are by default.
const UNASKED: std::ops::RangeInclusive<usize> = 2..=3;
/// How often a lineup can be changed by a word to the chair.
pub const MOST_CHANGES: usize = 1;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Lineup {
    /// The debaters, in the order in which they would speak.
    #[schemars(length(min = 2, max = 8))]
    pub debaters: Vec<Debater>,
}

/// What the user made of a proposed lineup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "lineup", rename_all = "snake_case")]
pub enum LineupWord {
    /// These debate.
    Taken {
        /// In the order in which they speak.
        debaters: Vec<Debater>,
    },
    /// The chair proposes another one that heeds this.
    Changed { wish: String },
}

/// The lineup that waits for the user; none where the debaters are known or nothing was proposed yet.
pub fn awaited_lineup(debate: &Debate) -> Option<Vec<Debater>> {
    let setup = setup(debate.plan()).filter(|setup| setup.debaters.is_empty())?;
    proposed(debate, setup.wishes.len())
}

/// The lineup that was proposed after this many changes.
pub(super) fn proposed(debate: &Debate, changes: usize) -> Option<Vec<Debater>> {
    match debate.content(&proposal_key(changes))? {
        Content::Lineup(lineup) => Some(lineup.debaters.clone()),
        _ => None,
    }
}

/// The key under which the chair is asked after this many changes: `lineup/proposal`, `lineup/proposal/2`.
pub(super) fn proposal_key(changes: usize) -> StepKey {
    StepKey::new(if changes == 0 { "lineup/proposal".to_owned() } else { format!("lineup/proposal/{}", changes + 1) })
}

impl Session<'_> {
    /// Asks for a lineup, and ends there.
    pub(super) fn lineup(&mut self) -> Walk<Outcome> {
        let changes = self.setup().wishes.len();
        let key = proposal_key(changes);
        let proposal = |session: &Self| (structured::schema::<Lineup>(), cues::lineup(session));
        let answer = self.ask(Office::Chair, Task::Lineup, &key, false, proposal)?;
        let id = self.debate.plan().id.short();
        if answer.is_some() {
            let lines = vec![format!("The lineup needs your approval. Continue with: rebut resume {id}")];
            return Ok(Outcome::without_verdict(Status::Partial, lines));
        }
        let why = self.failure(&key);
        Ok(super::ending::failed(vec![
            format!("The debate did not start: the chair {why}."),
            format!("Ask again with: rebut resume {id}, or name the debaters yourself with --debaters FILE"),
        ]))
    }
}

/// Checks a proposed lineup. Who plays a debater is no part of a proposal.
pub(super) fn accept_lineup(setup: &PanelSetup, mut lineup: Lineup) -> Result<Lineup, Rejection> {
    let count = lineup.debaters.len();
    let wanted = if setup.hints.is_empty() && setup.wishes.is_empty() { UNASKED } else { DEBATERS };
    if !wanted.contains(&count) {
        let (fewest, most) = (wanted.start(), wanted.end());
        return Err(Rejection::new("lineup:count", format!("name {fewest} to {most} debaters; there were {count}")));
    }
    lineup.debaters.iter_mut().for_each(|debater| debater.model = None);
    let problems = lineup_problems(&lineup.debaters);
    if problems.is_empty() { Ok(lineup) } else { Err(Rejection::new("lineup:debaters", problems.join("; "))) }
}

//! What lists show of a debate, stored beside its journal so that no list reads journals.

use std::path::Path;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use rebut_core::debate::{CallState, Debate, DebateId, Event, NewVersion, Status, Sum};
use rebut_core::formats::open_choice;
use serde::{Deserialize, Serialize};

use super::{StoreError, folded};

/// The most characters of a topic or an outcome that are stored.
const LONGEST: usize = 200;

/// What lists show of a debate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// The debate that it is a fork of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<DebateId>,
    pub format: String,
    /// The beginning of the topic.
    pub topic: String,
    pub workspace: String,
    pub created: Timestamp,
    /// When something last happened.
    pub updated: Timestamp,
    /// The state while no process runs it.
    pub state: State,
    /// Calls that were answered.
    pub answered: u64,
    pub tokens: u64,
    /// Billionths of a dollar.
    pub cost: Sum,
    /// What it came to, in a line, once it has ended.
    pub outcome: Option<String>,
}

/// The state of a debate, in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    Running,
    /// It waits for the user: for a choice, or for a word on a lineup.
    Waiting,
    /// It waits for a worker.
    Queued,
    /// It has not ended, and no process runs it.
    Interrupted,
    Completed,
    Partial,
    Uncontested,
    Failed,
    Cancelled,
    /// It was cut off before its first event, or before all was taken over from its parent.
    Empty,
    Damaged,
    /// Another version wrote it.
    Unreadable,
}

/// A debate in a list.
#[derive(Clone, Debug)]
pub struct Listed {
    pub id: DebateId,
    pub state: State,
    pub summary: Option<Summary>,
    /// Why there is no summary, or why no worker could run it.
    pub problem: Option<String>,
}

impl Summary {
    pub fn of(debate: &Debate) -> Self {
        let plan = debate.plan();
        let cut = |text: &str| text.chars().take(LONGEST).collect::<String>();
        let outcome = debate.outcome().map(|_| debate.format().brief(debate, NewVersion::Proposed).headline);
        let answered = debate.calls().filter(|(_, call)| matches!(call.state, CallState::Answered(_))).count();
        Self {
            parent: plan.parent.as_ref().map(|parent| parent.id.clone()),
            format: plan.format.clone(),
            topic: cut(&plan.topic),
            workspace: plan.workspace.clone(),
            created: debate.began_at(),
            updated: debate.last_at(),
            state: State::at_rest(debate),
            answered: answered as u64,
            tokens: debate.spent_tokens(),
            cost: debate.accounts().total().cost,
            outcome: outcome.as_deref().map(cut),
        }
    }
}

impl State {
    /// The state of a debate that no process runs.
    pub fn at_rest(debate: &Debate) -> Self {
        match debate.status() {
            _ if debate.is_torn_fork() => Self::Empty,
            Status::Running | Status::Partial if debate.format().waits_for_user(debate) => Self::Waiting,
            Status::Running if open_choice(debate).is_some() => Self::Waiting,
            Status::Running => Self::Interrupted,
            Status::Completed => Self::Completed,
            Status::Partial => Self::Partial,
            Status::Uncontested => Self::Uncontested,
            Status::Failed => Self::Failed,
            Status::Cancelled => Self::Cancelled,
        }
    }

    /// The state of a debate that may be running.
    pub fn of(debate: &Debate, running: bool) -> Self {
        match debate.status() {
            Status::Running if running => Self::Running,
            // Its process is about to let go of it.
            Status::Partial if running && debate.format().waits_for_user(debate) => Self::Running,
            _ => Self::at_rest(debate),
        }
    }

    /// Whether it goes on only if it is resumed with something new.
    pub fn has_ended(self) -> bool {
        matches!(self, Self::Completed | Self::Partial | Self::Uncontested | Self::Failed)
    }

    /// Whether `rebut resume` without an id takes it up.
    pub fn was_cut_off(self) -> bool {
        matches!(self, Self::Interrupted | Self::Waiting | Self::Cancelled)
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Waiting => "waiting",
            Self::Queued => "queued",
            Self::Interrupted => "interrupted",
            Self::Completed => "completed",
            Self::Partial => "partial",
            Self::Uncontested => "uncontested",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::Empty => "empty",
            Self::Damaged => "damaged",
            Self::Unreadable => "unreadable",
        }
    }
}

impl Listed {
    /// A debate by its stored summary; none if the journal must be read. `in_progress` is asked unless the debate has ended.
    pub(super) fn by_summary(
        id: &DebateId,
        summary: Option<Summary>,
        is_current: bool,
        in_progress: impl FnOnce() -> Option<State>,
    ) -> Option<Self> {
        let known = summary.as_ref().map(|summary| summary.state).filter(|_| is_current);
        let state = known.filter(|state| state.has_ended()).or_else(in_progress).or(known)?;
        Some(Self { id: id.clone(), state, summary, problem: None })
    }

    /// The same by its journal.
    pub(super) fn by_journal(id: DebateId, events: Result<Vec<Event>, StoreError>) -> Self {
        let debate = match events {
            Ok(events) if events.is_empty() => return Self { id, state: State::Empty, summary: None, problem: None },
            events => events.and_then(|events| folded(&id, events)),
        };
        let state = match &debate {
            Ok(debate) => State::at_rest(debate),
            Err(StoreError::OtherVersion { .. }) => State::Unreadable,
            Err(_) => State::Damaged,
        };
        let problem = debate.as_ref().err().map(ToString::to_string);
        Self { id, state, summary: debate.ok().map(|debate| Summary::of(&debate)), problem }
    }

    /// Whether it is about this workspace; one that cannot be read may be.
    pub fn is_of(&self, workspace: &Path) -> bool {
        self.summary.as_ref().is_none_or(|summary| Path::new(&summary.workspace) == workspace)
    }

    /// When something last happened: the last event, else the time in the id.
    pub fn updated(&self) -> Option<Timestamp> {
        let began = || DateTime::strptime("%Y%m%d%H%M%S", self.id.second()).ok()?.to_zoned(TimeZone::UTC).ok();
        let known = self.summary.as_ref().map(|summary| summary.updated);
        known.or_else(|| began().map(|began| began.timestamp()))
    }

    /// The beginning of the topic, or why it is not known.
    pub fn topic(&self) -> &str {
        let topic = self.summary.as_ref().map(|summary| summary.topic.as_str());
        topic.or(self.problem.as_deref()).unwrap_or_default()
    }
}

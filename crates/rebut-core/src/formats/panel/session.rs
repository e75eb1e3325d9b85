//! The walk through a panel: logging entries, asking seats, and waiting for answers.
//!
//! A method of the session either has what it needs and continues, or stops the walk with the steps it needs. The order in
//! which answers arrived never matters.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use jiff::Timestamp;

use super::verifier::SourceBatch;
use super::{EntryType, LogEntry, LogPhase, Office, PanelSetup, Record, Redactor, Ruling, RulingKind, Source};
use crate::debate::{Action, Debate, Entry, EntryKind, Failure, Outcome, Phase, Step, StepKey};
use crate::formats::prompts::PromptError;

/// Why the walk stops.
#[derive(Debug)]
pub(super) enum Pause {
    /// These steps are needed; none where something that is under way is waited for.
    Steps(Vec<Step>),
    /// The budget is used up: no debater is asked any more.
    Spent,
    End(Outcome),
}

impl From<PromptError> for Pause {
    fn from(error: PromptError) -> Self {
        Self::End(error.outcome())
    }
}

pub(super) type Walk<T> = Result<T, Pause>;

pub(super) struct Session<'a> {
    pub(super) debate: &'a Debate,
    pub(super) record: Record<'a>,
    pub(super) moment: Moment,
    /// The sources of everything that was said, by turn.
    pub(super) batches: Vec<SourceBatch>,
    /// Entries whose findings were ruled on.
    pub(super) ruled: BTreeSet<u64>,
    /// How long the log was when findings were last announced.
    pub(super) relayed: u64,
    /// How often each debater has failed in a row.
    pub(super) absences: BTreeMap<String, u32>,
    /// How long the log was when each debater had last spoken.
    pub(super) spoke: BTreeMap<String, u64>,
    /// The redactor, by how many redactions and entries it covers.
    pub(super) cached_redactor: RefCell<Option<([usize; 2], Rc<Redactor>)>>,
}

/// Where the debate is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moment {
    Opening,
    Round(u32),
    Closing,
}

impl Moment {
    fn phase(self) -> LogPhase {
        match self {
            Self::Opening => LogPhase::Opening,
            Self::Round(_) => LogPhase::Rebuttal,
            Self::Closing => LogPhase::Closing,
        }
    }

    fn round(self) -> Option<u32> {
        if let Self::Round(round) = self { Some(round) } else { None }
    }

    /// The row of its turns in the accounts.
    pub(super) fn turns(self) -> Phase {
        Phase(match self {
            Self::Opening => "openings".to_owned(),
            Self::Round(round) => format!("round {round}"),
            Self::Closing => "closings".to_owned(),
        })
    }
}

impl<'a> Session<'a> {
    pub(super) fn new(debate: &'a Debate, setup: &'a PanelSetup) -> Self {
        let record = Record {
            setup,
            log: Vec::new(),
            said: BTreeMap::new(),
            results: Vec::new(),
            redactions: Vec::new(),
            rulings: Vec::new(),
            questions: Vec::new(),
            left: Vec::new(),
            rounds: 0,
            unresolved: Vec::new(),
        };
        Self {
            debate,
            record,
            moment: Moment::Opening,
            batches: Vec::new(),
            ruled: BTreeSet::new(),
            relayed: 0,
            absences: BTreeMap::new(),
            spoke: BTreeMap::new(),
            cached_redactor: RefCell::new(None),
        }
    }

    pub(super) fn setup(&self) -> &'a PanelSetup {
        self.record.setup
    }

    pub(super) fn next_seq(&self) -> u64 {
        self.record.log.len() as u64
    }

    /// Logs an entry and returns it, so references can be added.
    pub(super) fn write(&mut self, at: Option<Timestamp>, speaker: &str, kind: EntryType, content: String) -> &mut LogEntry {
        let last = self.record.log.last().map_or(self.debate.began_at(), |entry| entry.timestamp);
        let debater = kind.writer().is_none();
        let entry = LogEntry {
            seq: self.next_seq(),
            // A result that came in while others spoke is logged after them.
            timestamp: at.map_or(last, |at| at.max(last)),
            phase: if debater || kind == EntryType::AudienceQuestion { self.moment.phase() } else { LogPhase::System },
            round: self.moment.round(),
            speaker: speaker.to_owned(),
            kind,
            content,
            sources: None,
            rebuttal_to_seq: None,
            target_seq: None,
        };
        self.record.log.push(entry);
        let last = self.record.log.len() - 1;
        &mut self.record.log[last]
    }

    /// Logs words of the chair as they were recorded, or stops the walk to record them.
    pub(super) fn chair_says(&mut self, key: &str, kind: EntryKind, text: String, target: Option<u64>) -> Walk<u64> {
        let key = StepKey::new(key);
        let Some(entry) = self.debate.entry(&key) else {
            let action = Action::Record(Entry::words(kind, text));
            return Err(Pause::Steps(vec![Step { key, action }]));
        };
        let kind = match entry.kind {
            EntryKind::Setup => EntryType::Setup,
            EntryKind::Ruling => EntryType::Ruling,
            EntryKind::Redaction => EntryType::Redaction,
            EntryKind::Conclusion => EntryType::Conclusion,
            EntryKind::Announcement | EntryKind::Extract => EntryType::Announcement,
        };
        let at = self.debate.ended_at(&key);
        let entry = self.write(at, Office::Chair.as_str(), kind, entry.text.clone());
        entry.target_seq = target;
        Ok(entry.seq)
    }

    pub(super) fn rule(
        &mut self,
        key: &str,
        kind: RulingKind,
        against: Option<&str>,
        about: Option<u64>,
        text: String,
    ) -> Walk<u64> {
        let entry = self.chair_says(key, EntryKind::Ruling, text, about)?;
        let against = against.map(str::to_owned);
        self.record.rulings.push(Ruling { entry, against, kind, challenger: None });
        Ok(entry)
    }

    pub(super) fn is_recorded(&self, key: &str) -> bool {
        self.debate.entry(&StepKey::new(key)).is_some()
    }

    pub(super) fn failure(&self, key: &StepKey) -> String {
        self.debate.failed(key).map_or_else(|| "gave no answer".to_owned(), Failure::to_string)
    }

    /// The sources of an entry as the log names them.
    pub(super) fn sources(said: &super::Said, at: Option<Timestamp>) -> Option<Vec<Source>> {
        let accessed: String = at.map(|at| at.to_string().chars().take(10).collect()).unwrap_or_default();
        let source =
            |listed: &super::Listed| Source { url: listed.place(), title: listed.title.clone(), accessed: accessed.clone() };
        (!said.sources.is_empty()).then(|| said.sources.iter().map(source).collect())
    }
}

/// Goes on where all of them can; otherwise all that is needed for any is begun.
pub(super) fn all<T>(walks: impl IntoIterator<Item = Walk<T>>) -> Walk<Vec<T>> {
    let (mut done, mut steps) = (Vec::new(), None);
    for walk in walks {
        match walk {
            Ok(one) => done.push(one),
            Err(Pause::Steps(more)) => steps.get_or_insert_with(Vec::new).extend(more),
            Err(pause) => return Err(pause),
        }
    }
    steps.map_or(Ok(done), |steps| Err(Pause::Steps(steps)))
}

//! The record of a panel: its log, what the engine knows of the entries beyond their words, and what can be computed from it.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::redaction::REDACTED;
use super::rules::CONJECTURE;
use super::{EntryType, LogEntry, Office, OpenPoint, PanelSetup, Redactor, Said, SourceStatus, VerificationResult, matter};
use crate::debate::Plan;

#[derive(Clone, Debug)]
pub struct Record<'a> {
    pub setup: &'a PanelSetup,
    pub log: Vec<LogEntry>,
    /// What debaters said, by the seq of its entry.
    pub said: BTreeMap<u64, &'a Said>,
    /// What was found of sources, in the order of the log, each with the seq of its entry.
    pub results: Vec<(u64, VerificationResult)>,
    pub redactions: Vec<Redaction>,
    pub rulings: Vec<Ruling>,
    pub questions: Vec<RelayedQuestion>,
    pub left: Vec<String>,
    pub rounds: u32,
    /// What stayed open before the closings.
    pub unresolved: Vec<OpenPoint>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redaction {
    pub seq: u64,
    pub speaker: String,
    pub reason: String,
    /// The entry of the log that redacts it.
    pub by: u64,
    /// The ruling that led to it, where a challenge led to one.
    pub ruling: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ruling {
    pub entry: u64,
    pub against: Option<String>,
    pub kind: RulingKind,
    pub challenger: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RulingKind {
    /// A rule that can be checked mechanically was broken.
    Breach,
    /// A source is unreliable.
    Warning,
    /// A challenged source is fabricated.
    Penalty,
    /// A challenge was dismissed: the source bears the claim out.
    Dismissal,
    /// A challenge could not be decided, and can be raised again.
    Undecided,
    Clarification,
    Absence,
    Departure,
    Budget,
}

impl RulingKind {
    /// Whether it is about a source that does not hold.
    pub(super) fn is_grave(self) -> bool {
        matches!(self, Self::Warning | Self::Penalty)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelayedQuestion {
    pub entry: u64,
    /// The round after which it was asked.
    pub round: u32,
    pub to: String,
    pub question: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct DebaterStats {
    pub arguments: usize,
    pub sourced: usize,
    /// How often each of the others was rebutted.
    pub rebutted: BTreeMap<String, usize>,
    /// Debaters that it never rebutted.
    #[serde(rename = "never_rebutted")]
    pub not_rebutted: Vec<String>,
    pub absences: usize,
    /// Entries with an unreliable source that it never withdrew or replaced.
    pub uncorrected: Vec<u64>,
    pub sources: BTreeMap<SourceStatus, usize>,
    pub redactions: usize,
    pub rulings: usize,
    pub penalties: usize,
}

impl DebaterStats {
    pub fn count(&self, status: SourceStatus) -> usize {
        self.sources.get(&status).copied().unwrap_or(0)
    }
}

/// An argument without a decisive counter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenArgument {
    pub seq: u64,
    /// The rebuttals of it, none of them decisive.
    pub contested_by: Vec<u64>,
}

impl Record<'_> {
    pub fn is_redacted(&self, seq: u64) -> bool {
        self.redactions.iter().any(|redaction| redaction.seq == seq)
    }

    pub fn entry(&self, seq: u64) -> Option<&LogEntry> {
        self.log.get(usize::try_from(seq).ok()?)
    }

    pub fn shown(&self, entry: &LogEntry, redactor: &Redactor) -> String {
        let targets_redacted = entry.target_seq.is_some_and(|seq| self.is_redacted(seq));
        match self.said.get(&entry.seq) {
            _ if self.is_redacted(entry.seq) => REDACTED.to_owned(),
            // A challenge quotes the claim of the entry.
            Some(said) if said.claim.is_some() && targets_redacted => redactor.redact(&said.logged(Some(REDACTED))),
            _ if entry.kind.writer() == Some(Office::Chair) => redactor.redact_quotes(&entry.content),
            _ => redactor.redact(&entry.content),
        }
    }

    pub fn speaker(&self, seq: u64) -> &str {
        self.entry(seq).map_or("", |entry| entry.speaker.as_str())
    }

    /// The entry that withdraws or replaces a source of this one. A redacted entry corrects nothing.
    pub fn correction_of(&self, seq: u64) -> Option<u64> {
        let corrects = |(by, said): &(&u64, &&Said)| said.corrects_seq == Some(seq) && !self.is_redacted(**by);
        self.said.iter().find(corrects).map(|(by, _)| *by)
    }

    pub fn results_of(&self, seq: u64) -> impl Iterator<Item = &VerificationResult> {
        self.results.iter().map(|(_, result)| result).filter(move |result| result.verified_seq == seq)
    }

    pub fn arguments(&self) -> impl Iterator<Item = &LogEntry> {
        self.log.iter().filter(|entry| entry.kind.argues() && !self.is_redacted(entry.seq))
    }

    /// Arguments without a decisive counter, oldest first: what closings should speak to. A counter is decisive if all its
    /// sources were verified and it was not rebutted.
    pub fn open(&self) -> Vec<OpenArgument> {
        let mut rebuttals: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
        for entry in self.arguments() {
            if let Some(of) = entry.rebuttal_to_seq {
                rebuttals.entry(of).or_default().push(entry.seq);
            }
        }
        let is_decisive = |seq: &u64| {
            let mut results = self.results_of(*seq).peekable();
            let sourced = results.peek().is_some() && results.all(|result| result.status == SourceStatus::Verified);
            sourced && !rebuttals.contains_key(seq)
        };
        let arguments = self.arguments().filter(|entry| entry.kind != EntryType::ClosingStatement);
        let open = arguments.filter_map(|entry| {
            let contested_by = rebuttals.get(&entry.seq).cloned().unwrap_or_default();
            let decided = contested_by.iter().any(is_decisive);
            (!decided).then_some(OpenArgument { seq: entry.seq, contested_by })
        });
        open.collect()
    }

    pub fn tally(&self, status: SourceStatus) -> usize {
        self.results.iter().filter(|(_, result)| result.status == status).count()
    }

    pub fn counts(&self) -> String {
        SourceStatus::counts(|status| self.tally(status))
    }

    pub fn counts_line(&self) -> String {
        format!("On record: sources {}; redactions {}.", self.counts(), self.redactions.len())
    }

    /// The entry in one sentence; nothing of one that is redacted.
    pub fn sentence(&self, seq: u64, redactor: &Redactor) -> String {
        match self.said.get(&seq) {
            _ if self.is_redacted(seq) => REDACTED.to_owned(),
            Some(Said { kind: EntryType::SourceChallenge, target_seq: Some(target), .. }) if self.is_redacted(*target) => {
                format!("It challenges a source of seq {target}, which was redacted.")
            }
            Some(said) if said.is_conjecture() => format!("{CONJECTURE} {}", redactor.redact(&said.in_one_sentence)),
            Some(said) => redactor.redact(&said.in_one_sentence),
            None => String::new(),
        }
    }

    pub fn redactor(&self, plan: &Plan) -> Redactor {
        let redacted = self.redactions.iter().filter_map(|redaction| Some((redaction.seq, self.said.get(&redaction.seq)?)));
        redacted
            .fold(Redactor::default(), |redactor, (seq, said)| redactor.with(Redactor::of(said, &self.free_for(seq, plan))))
    }

    /// What the redaction of an entry leaves alone: what was said before it, and sources that others list.
    fn free_for(&self, seq: u64, plan: &Plan) -> Vec<String> {
        let personas = self.setup.debaters.iter().flat_map(|debater| {
            [&debater.name, &debater.persona, &debater.starting_position, &debater.incentives].map(String::as_str)
        });
        let before = self.log.iter().take_while(|entry| entry.seq < seq).filter(|entry| !self.is_redacted(entry.seq));
        let said = matter(plan).into_iter().chain(personas).chain(before.map(|entry| entry.content.as_str()));
        let others = self.said.iter().filter(|(other, _)| **other != seq && !self.is_redacted(**other));
        let listed = others.flat_map(|(_, said)| &said.sources).flat_map(|source| [source.place(), source.title.clone()]);
        said.map(str::to_owned).chain(listed).collect()
    }

    pub fn debater(&self, name: &str) -> DebaterStats {
        let own: Vec<&LogEntry> = self.arguments().filter(|entry| entry.speaker == name).collect();
        let others = self.setup.debaters.iter().map(|debater| debater.name.clone()).filter(|other| other != name);
        let mut rebutted: BTreeMap<String, usize> = others.map(|other| (other, 0)).collect();
        for entry in &own {
            if let Some(count) = entry.rebuttal_to_seq.and_then(|seq| rebutted.get_mut(self.speaker(seq))) {
                *count += 1;
            }
        }
        let rulings = |kind: Option<RulingKind>| {
            let own = self.rulings.iter().filter(|ruling| ruling.against.as_deref() == Some(name));
            own.filter(|ruling| kind.is_none_or(|kind| ruling.kind == kind)).count()
        };
        let mut sources = BTreeMap::from(SourceStatus::ALL.map(|status| (status, 0)));
        let mut uncorrected: BTreeSet<u64> = BTreeSet::new();
        for (_, result) in self.results.iter().filter(|(_, result)| self.speaker(result.verified_seq) == name) {
            *sources.entry(result.status).or_default() += 1;
            if result.status == SourceStatus::Unreliable && self.correction_of(result.verified_seq).is_none() {
                uncorrected.insert(result.verified_seq);
            }
        }
        DebaterStats {
            arguments: own.len(),
            sourced: own.iter().filter(|entry| entry.sources.is_some()).count(),
            not_rebutted: rebutted.iter().filter(|(_, count)| **count == 0).map(|(other, _)| other.clone()).collect(),
            rebutted,
            absences: rulings(Some(RulingKind::Absence)),
            uncorrected: uncorrected.into_iter().collect(),
            sources,
            redactions: self.redactions.iter().filter(|redaction| redaction.speaker == name).count(),
            rulings: rulings(None),
            penalties: rulings(Some(RulingKind::Penalty)),
        }
    }

    /// Sources that were verified, each once. What is fabricated somewhere supports nothing.
    pub fn verified_sources(&self) -> Vec<String> {
        let fabricated = |url: &String| {
            self.results.iter().any(|(_, result)| result.url == *url && result.status == SourceStatus::Fabricated)
        };
        let mut known = BTreeSet::new();
        let verified = self.results.iter().map(|(_, result)| result).filter(|result| {
            let stands = result.status == SourceStatus::Verified && !self.is_redacted(result.verified_seq);
            stands && !fabricated(&result.url) && known.insert(&result.url)
        });
        verified.map(|result| result.url.clone()).collect()
    }

    pub fn outcomes(&self) -> Vec<String> {
        let names = self.setup.debaters.iter().map(|debater| &debater.name);
        let can_win = |name: &&String| !self.left.contains(name) && self.arguments().any(|entry| entry.speaker == **name);
        let wins = names.filter(can_win).map(|name| format!("{name}_wins"));
        wins.chain(["draw".to_owned(), "void".to_owned()]).collect()
    }
}

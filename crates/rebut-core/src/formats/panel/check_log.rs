//! Whether a text is a log of a panel, by rebut or by another program that keeps the same format: the schema of its lines,
//! their order, who writes what, and what they refer to. Names each line that is wrong. What the entries say is not judged.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Deserialize;
use serde_json::Value;

use super::entry::{EntryType, LogEntry, LogPhase};
use super::setup::{DEBATERS, Office, check_name};

/// What is wrong with a line of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The line, the first is 1; 0 where it is about the log as a whole.
    pub line: usize,
    pub what: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line == 0 { f.write_str(&self.what) } else { write!(f, "line {}: {}", self.line, self.what) }
    }
}

pub fn check_log(text: &str) -> Vec<Problem> {
    let mut check = Check::default();
    if text.is_empty() {
        check.report(0, "the log is empty");
    } else if !text.ends_with('\n') {
        check.report(text.lines().count(), "the line has no end; it may have been cut off");
    }
    for (line, number) in text.lines().zip(1..) {
        match read(line) {
            Ok(entry) => check.entry(number, entry),
            Err(what) => check.report(number, what),
        }
    }
    let debaters = check.debaters.len();
    if debaters > *DEBATERS.end() {
        check.report(0, format!("{debaters} debaters; a panel has at most {}", DEBATERS.end()));
    }
    check.problems.sort_by_key(|problem| problem.line);
    check.problems
}

/// A line as an entry. Fields without a value may be null or absent.
fn read(line: &str) -> Result<LogEntry, String> {
    let no_entry = |error: serde_json::Error| {
        // The parser counts lines of the JSON text, of which there is one.
        let error = error.to_string();
        format!("no entry: {}", error.split(" at line ").next().unwrap_or_default())
    };
    let value: Value = serde_json::from_str(line).map_err(no_entry)?;
    if !value.is_object() {
        return Err("no entry: a line is a JSON object".to_owned());
    }
    if value["timestamp"].as_str().is_some_and(|at| !at.ends_with('Z')) {
        return Err("its timestamp is not in UTC: it does not end in Z".to_owned());
    }
    LogEntry::deserialize(value).map_err(no_entry)
}

#[derive(Default)]
struct Check {
    problems: Vec<Problem>,
    entries: BTreeMap<u64, LogEntry>,
    last: Option<LogEntry>,
    debaters: BTreeSet<String>,
    opened: Vec<String>,
    closed: Vec<String>,
    /// The phase that the debaters have reached.
    phase: Option<LogPhase>,
    round: u32,
    spoken: Vec<String>,
    /// The lines of the conclusions, the chair's and the audience's.
    concluded: Option<usize>,
    audience_concluded: bool,
}

impl Check {
    fn report(&mut self, line: usize, what: impl Into<String>) {
        self.problems.push(Problem { line, what: what.into() });
    }

    fn entry(&mut self, line: usize, entry: LogEntry) {
        let mut wrong = self.sequence(&entry);
        wrong.extend(self.writer(&entry));
        wrong.extend(phase(&entry));
        wrong.extend(content(&entry));
        wrong.extend(self.references(&entry));
        wrong.extend(self.rounds(&entry));
        if entry.kind.writer().is_none() {
            wrong.extend(self.turn(&entry));
        }
        wrong.extend(self.conclusions(line, &entry));
        for what in wrong {
            self.report(line, what);
        }
        self.last = Some(entry.clone());
        self.entries.insert(entry.seq, entry);
    }

    fn sequence(&self, entry: &LogEntry) -> Vec<String> {
        let mut wrong = Vec::new();
        let due = self.last.as_ref().map_or(0, |last| last.seq.saturating_add(1));
        if entry.seq != due {
            wrong.push(format!("seq is {}, expected {due}", entry.seq));
        }
        if self.last.as_ref().is_some_and(|last| entry.timestamp < last.timestamp) {
            wrong.push("its timestamp is before that of the line before it".to_owned());
        }
        match (&self.last, entry.kind) {
            (None, EntryType::Setup) => {}
            (None, _) => wrong.push("a log begins with `setup`".to_owned()),
            (Some(_), EntryType::Setup) => wrong.push("the debate is set up twice".to_owned()),
            (Some(_), _) => {}
        }
        wrong
    }

    fn writer(&mut self, entry: &LogEntry) -> Option<String> {
        let (speaker, kind) = (entry.speaker.as_str(), entry.kind);
        let office = Office::ALL.into_iter().find(|office| office.as_str() == speaker);
        match (kind.writer(), office) {
            // The chair relays the audience's questions, and may be the one who writes them down.
            (Some(Office::Audience), Some(Office::Chair)) if kind == EntryType::AudienceQuestion => None,
            (Some(writer), _) if writer.as_str() == speaker => None,
            (Some(writer), _) => Some(format!("{speaker:?} can't write `{kind}`; only the {writer} can")),
            (None, Some(office)) => Some(format!("the {office} can't write `{kind}`; only a debater can")),
            (None, None) => {
                let checked = check_name(speaker);
                if checked.is_ok() {
                    self.debaters.insert(speaker.to_owned());
                }
                checked.err()
            }
        }
    }

    fn references(&self, entry: &LogEntry) -> Vec<String> {
        let mut wrong = Vec::new();
        match (entry.kind, entry.rebuttal_to_seq) {
            (EntryType::Rebuttal, None) => wrong.push("a rebuttal names no entry in rebuttal_to_seq".to_owned()),
            (EntryType::Rebuttal, Some(seq)) => match self.entries.get(&seq) {
                None => wrong.push(format!("rebuttal_to_seq {seq} is no earlier entry")),
                Some(other) if !other.kind.argues() => wrong.push(format!("seq {seq} is no argument to rebut")),
                Some(other) if other.speaker == entry.speaker => wrong.push(format!("seq {seq} is the speaker's own")),
                Some(_) => {}
            },
            (_, Some(_)) => wrong.push("only a rebuttal has rebuttal_to_seq".to_owned()),
            (_, None) => {}
        }
        let of_debater =
            matches!(entry.kind, EntryType::VerificationResult | EntryType::Redaction | EntryType::SourceChallenge);
        match entry.target_seq.map(|seq| (seq, self.entries.get(&seq))) {
            // A redaction may name its entry in its words alone.
            None if of_debater && entry.kind != EntryType::Redaction => {
                wrong.push(format!("`{}` names no entry in target_seq", entry.kind));
            }
            Some((seq, None)) => wrong.push(format!("target_seq {seq} is no earlier entry")),
            Some((seq, Some(other))) if of_debater && other.kind.writer().is_some() => {
                wrong.push(format!("target_seq {seq} is no entry of a debater"));
            }
            _ => {}
        }
        wrong
    }

    /// Rounds count up one by one, where entries name them; an announcement in phase `rebuttal` begins one.
    fn rounds(&mut self, entry: &LogEntry) -> Option<String> {
        if entry.kind == EntryType::Announcement && entry.phase == LogPhase::Rebuttal {
            self.spoken.clear();
        }
        let round = entry.round?;
        let before = std::mem::replace(&mut self.round, round);
        (round != before && Some(round) != before.checked_add(1))
            .then(|| format!("round {round} comes after round {before}"))
    }

    /// Debaters open in an order, keep it in every round, and close in reverse.
    fn turn(&mut self, entry: &LogEntry) -> Vec<String> {
        let mut wrong = Vec::new();
        if self.phase.is_some_and(|phase| entry.phase < phase) {
            wrong.push(format!("phase {} is over", entry.phase.as_str()));
        }
        self.phase = self.phase.max(Some(entry.phase));
        let name = &entry.speaker;
        let place = |name: &String| self.opened.iter().position(|known| known == name);
        let places = |spoken: &[String]| spoken.last().and_then(place).zip(place(name));
        let (spoken, misplaced) = match entry.kind {
            EntryType::OpeningStatement => (&mut self.opened, None),
            EntryType::ClosingStatement => {
                let early = places(&self.closed).is_some_and(|(last, own)| last < own);
                (&mut self.closed, early.then_some("closings go in reverse of the openings"))
            }
            // More entries of the same turn.
            _ if self.spoken.last() == Some(name) => return wrong,
            _ => {
                let late = places(&self.spoken).is_some_and(|(last, own)| last > own);
                (&mut self.spoken, late.then_some("rounds go as the openings did"))
            }
        };
        if spoken.contains(name) {
            wrong.push(format!("{name} has had its turn"));
        } else if let Some(rule) = misplaced {
            wrong.push(format!("{name} speaks out of order: {rule}"));
        }
        spoken.push(name.clone());
        wrong
    }

    fn conclusions(&mut self, line: usize, entry: &LogEntry) -> Vec<String> {
        let mut wrong = Vec::new();
        match entry.kind {
            EntryType::Conclusion => {
                if self.concluded.is_some() {
                    wrong.push("the debate is concluded twice".to_owned());
                }
                self.concluded = Some(line);
            }
            EntryType::AudienceConclusion => {
                if self.concluded.is_none() {
                    wrong.push("the audience concludes before the chair".to_owned());
                }
                if std::mem::replace(&mut self.audience_concluded, true) {
                    wrong.push("the audience concludes twice".to_owned());
                }
            }
            kind if kind.writer().is_none() => {
                let after = self.concluded.map(|at| format!("a debater speaks after the conclusion in line {at}"));
                wrong.extend(after);
            }
            _ => {}
        }
        wrong
    }
}

/// Whether an entry of this type may occur in its phase.
fn phase(entry: &LogEntry) -> Option<String> {
    let (kind, phase) = (entry.kind, entry.phase);
    let fits = match kind {
        EntryType::OpeningStatement => phase == LogPhase::Opening,
        EntryType::ClosingStatement => phase == LogPhase::Closing,
        EntryType::Announcement | EntryType::AudienceQuestion => matches!(phase, LogPhase::System | LogPhase::Rebuttal),
        kind if kind.writer().is_some() => phase == LogPhase::System,
        _ => phase == LogPhase::Rebuttal,
    };
    (!fits).then(|| format!("`{kind}` does not belong in phase {}", phase.as_str()))
}

fn content(entry: &LogEntry) -> Vec<String> {
    let mut wrong = Vec::new();
    if entry.content.trim().is_empty() {
        wrong.push("its content is empty".to_owned());
    }
    if let Some(sources) = &entry.sources {
        if sources.is_empty() {
            wrong.push("its sources are an empty list; no sources is null".to_owned());
        }
        if sources.iter().any(|source| source.url.trim().is_empty()) {
            wrong.push("a source has no url".to_owned());
        }
        if entry.kind.writer().is_some() {
            wrong.push("only debaters name sources".to_owned());
        }
    }
    wrong
}

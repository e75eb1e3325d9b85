//! Whether a text is a log of a panel, by rebut or by another program that keeps the same format: the schema of its lines,
//! their order, who writes what, and what they refer to. Names each line that is wrong. What the entries say is not judged.

use super::{DEBATERS, EntryType, LogEntry, LogPhase, Office, check_name};

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Deserialize;
use serde_json::Value;

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
        check.wrong("the log is empty");
    }
    for (line, number) in text.lines().zip(1..) {
        check.line = number;
        match read(line) {
            Ok(entry) => check.entry(entry),
            Err(what) => check.wrong(what),
        }
    }
    if !text.is_empty() && !text.ends_with('\n') {
        check.wrong("the line has no end; it may have been cut off");
    }
    let debaters = check.debaters.len();
    if debaters > *DEBATERS.end() {
        check.line = 0;
        check.wrong(format!("{debaters} debaters; a panel has at most {}", DEBATERS.end()));
    }
    check.problems.sort_by_key(|problem| problem.line);
    check.problems
}

/// A line as an entry. Fields without a value may be null or absent.
fn read(line: &str) -> Result<LogEntry, String> {
    let not_an_entry = |error: serde_json::Error| {
        // The parser counts lines of the JSON text, of which there is one.
        let error = error.to_string();
        format!("not an entry: {}", error.split(" at line ").next().unwrap_or_default())
    };
    let value: Value = serde_json::from_str(line).map_err(not_an_entry)?;
    if !value.is_object() {
        return Err("not an entry: a line is a JSON object".to_owned());
    }
    if value["timestamp"].as_str().is_some_and(|at| !at.ends_with('Z')) {
        return Err("its timestamp is not in UTC: it does not end in Z".to_owned());
    }
    LogEntry::deserialize(value).map_err(not_an_entry)
}

#[derive(Default)]
struct Check {
    problems: Vec<Problem>,
    line: usize,
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
    fn wrong(&mut self, what: impl Into<String>) {
        self.problems.push(Problem { line: self.line, what: what.into() });
    }

    fn entry(&mut self, entry: LogEntry) {
        self.sequence(&entry);
        self.writer(&entry);
        self.phase(&entry);
        self.content(&entry);
        self.references(&entry);
        self.rounds(&entry);
        if entry.kind.writer().is_none() {
            self.turn(&entry);
        }
        self.conclusions(&entry);
        self.last = Some(entry.clone());
        self.entries.insert(entry.seq, entry);
    }

    fn sequence(&mut self, entry: &LogEntry) {
        let (due, earliest) = match &self.last {
            Some(last) => (last.seq.saturating_add(1), last.timestamp),
            None => (0, entry.timestamp),
        };
        if entry.seq != due {
            self.wrong(format!("seq is {}, expected {due}", entry.seq));
        }
        if entry.timestamp < earliest {
            self.wrong("its timestamp is before that of the line before it");
        }
        match (self.last.is_some(), entry.kind == EntryType::Setup) {
            (false, false) => self.wrong("a log begins with `setup`"),
            (true, true) => self.wrong("the debate is set up twice"),
            _ => {}
        }
    }

    fn writer(&mut self, entry: &LogEntry) {
        let (speaker, kind) = (entry.speaker.as_str(), entry.kind);
        let office = Office::ALL.into_iter().find(|office| office.as_str() == speaker);
        match (kind.writer(), office) {
            // The chair relays the audience's questions, and may be the one who writes them down.
            (Some(Office::Audience), Some(Office::Chair)) if kind == EntryType::AudienceQuestion => {}
            (Some(writer), _) if writer.as_str() == speaker => {}
            (Some(writer), _) => self.wrong(format!("{speaker:?} can't write `{kind}`; only the {writer} can")),
            (None, Some(office)) => self.wrong(format!("the {office} can't write `{kind}`; only a debater can")),
            (None, None) => match check_name(speaker) {
                Ok(()) => drop(self.debaters.insert(speaker.to_owned())),
                Err(problem) => self.wrong(problem),
            },
        }
    }

    fn references(&mut self, entry: &LogEntry) {
        let (kind, entries) = (entry.kind, &self.entries);
        let rebuttal = match (kind, entry.rebuttal_to_seq.map(|seq| (seq, entries.get(&seq)))) {
            (EntryType::Rebuttal, None) => Some("a rebuttal names no entry in rebuttal_to_seq".to_owned()),
            (EntryType::Rebuttal, Some((seq, None))) => Some(format!("rebuttal_to_seq {seq} is not an earlier entry")),
            (EntryType::Rebuttal, Some((seq, Some(other)))) if !other.kind.argues() => {
                Some(format!("seq {seq} is not an argument to rebut"))
            }
            (EntryType::Rebuttal, Some((seq, Some(other)))) if other.speaker == entry.speaker => {
                Some(format!("seq {seq} is the speaker's own"))
            }
            (EntryType::Rebuttal, Some(_)) | (_, None) => None,
            (_, Some(_)) => Some("only a rebuttal has rebuttal_to_seq".to_owned()),
        };
        let of_debater = matches!(kind, EntryType::VerificationResult | EntryType::Redaction | EntryType::SourceChallenge);
        let target = match entry.target_seq.map(|seq| (seq, entries.get(&seq))) {
            // A redaction may name its entry in its words alone.
            None if of_debater && kind != EntryType::Redaction => Some(format!("`{kind}` names no entry in target_seq")),
            Some((seq, None)) => Some(format!("target_seq {seq} is not an earlier entry")),
            Some((seq, Some(other))) if of_debater && other.kind.writer().is_some() => {
                Some(format!("target_seq {seq} is not an entry of a debater"))
            }
            _ => None,
        };
        rebuttal.into_iter().chain(target).for_each(|what| self.wrong(what));
    }

    /// Rounds count up one by one, where entries name them; an announcement in phase `rebuttal` begins one.
    fn rounds(&mut self, entry: &LogEntry) {
        if entry.kind == EntryType::Announcement && entry.phase == LogPhase::Rebuttal {
            self.spoken.clear();
        }
        let Some(round) = entry.round else { return };
        let before = std::mem::replace(&mut self.round, round);
        if round != before && Some(round) != before.checked_add(1) {
            self.wrong(format!("round {round} comes after round {before}"));
        }
    }

    /// Debaters open in an order, keep it in every round, and close in reverse.
    fn turn(&mut self, entry: &LogEntry) {
        if self.phase.is_some_and(|phase| entry.phase < phase) {
            self.wrong(format!("phase {} is over", entry.phase.as_str()));
        }
        self.phase = self.phase.max(Some(entry.phase));
        if let Some(at) = self.concluded {
            self.wrong(format!("a debater speaks after the conclusion in line {at}"));
        }
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
            _ if self.spoken.last() == Some(name) => return,
            _ => {
                let late = places(&self.spoken).is_some_and(|(last, own)| last > own);
                (&mut self.spoken, late.then_some("rounds go as the openings did"))
            }
        };
        let again = spoken.contains(name);
        spoken.push(name.clone());
        if again {
            self.wrong(format!("{name} has had its turn"));
        } else if let Some(rule) = misplaced {
            self.wrong(format!("{name} speaks out of order: {rule}"));
        }
    }

    fn conclusions(&mut self, entry: &LogEntry) {
        if entry.kind == EntryType::Conclusion && self.concluded.replace(self.line).is_some() {
            self.wrong("the debate is concluded twice");
        }
        if entry.kind == EntryType::AudienceConclusion {
            if self.concluded.is_none() {
                self.wrong("the audience concludes before the chair");
            }
            if std::mem::replace(&mut self.audience_concluded, true) {
                self.wrong("the audience concludes twice");
            }
        }
    }

    fn phase(&mut self, entry: &LogEntry) {
        let (kind, phase) = (entry.kind, entry.phase);
        let fits = match kind {
            EntryType::OpeningStatement => phase == LogPhase::Opening,
            EntryType::ClosingStatement => phase == LogPhase::Closing,
            EntryType::Announcement | EntryType::AudienceQuestion => matches!(phase, LogPhase::System | LogPhase::Rebuttal),
            kind if kind.writer().is_some() => phase == LogPhase::System,
            _ => phase == LogPhase::Rebuttal,
        };
        if !fits {
            self.wrong(format!("`{kind}` does not belong in phase {}", phase.as_str()));
        }
    }

    fn content(&mut self, entry: &LogEntry) {
        if entry.content.trim().is_empty() {
            self.wrong("its content is empty");
        }
        let Some(sources) = &entry.sources else { return };
        if sources.is_empty() {
            self.wrong("its sources are an empty list; write null for none");
        }
        if sources.iter().any(|source| source.url.trim().is_empty()) {
            self.wrong("a source has no url");
        }
        if entry.kind.writer().is_some() {
            self.wrong("only debaters name sources");
        }
    }
}

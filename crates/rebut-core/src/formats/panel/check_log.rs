//! Whether a text is a log: every line by itself, and all of them together. Names each line that is wrong.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::addresses::same;
use super::course::{self, Course};
use super::entry::{EntryType, LogEntry, LogPhase};
use super::rules::MOST_SOURCES;
use super::setup::{Office, check_name};
use super::verification::VerificationResult;

/// What is wrong with a line of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The line, the first is 1; 0 where it is about the log as a whole.
    pub line: usize,
    /// What is wrong.
    pub what: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line == 0 { f.write_str(&self.what) } else { write!(f, "line {}: {}", self.line, self.what) }
    }
}

/// The most debaters that a log can have.
const MOST_DEBATERS: usize = 8;
/// The most questions of the audience in a round.
const MOST_QUESTIONS: usize = 2;

/// Everything that is wrong with a log: its schema, its seqs, who writes what, its references and its limits.
pub fn check_log(text: &str) -> Vec<Problem> {
    let mut check = Check::default();
    if text.is_empty() {
        check.report(0, "the log is empty");
    } else if !text.ends_with('\n') {
        check.report(text.lines().count(), "the line has no end; it may have been cut off");
    }
    for (line, number) in text.lines().zip(1..) {
        match serde_json::from_str::<LogEntry>(line) {
            Ok(entry) => {
                for what in course::form(line) {
                    check.report(number, &what);
                }
                check.entry(number, entry);
            }
            Err(error) => {
                // The parser counts lines of the JSON text, of which there is one.
                let error = error.to_string();
                let what = error.split(" at line ").next().unwrap_or_default().to_owned();
                check.report(number, &format!("no entry: {what}"));
            }
        }
    }
    check.whole();
    check.problems
}

#[derive(Default)]
struct Check {
    problems: Vec<Problem>,
    entries: BTreeMap<u64, (usize, LogEntry)>,
    next: u64,
    debaters: BTreeSet<String>,
    questions: BTreeMap<Option<u32>, usize>,
    last: Option<LogEntry>,
    concluded: Option<usize>,
    course: Course,
}

impl Check {
    fn report(&mut self, line: usize, what: &str) {
        self.problems.push(Problem { line, what: what.to_owned() });
    }

    fn entry(&mut self, line: usize, entry: LogEntry) {
        if entry.seq != self.next {
            self.report(line, &format!("seq {} stands where seq {} must be", entry.seq, self.next));
        }
        self.next = entry.seq.saturating_add(1);
        if self.last.as_ref().is_some_and(|last| entry.timestamp < last.timestamp) {
            self.report(line, "its timestamp is before that of the line before it");
        }
        self.writer(line, &entry);
        self.content(line, &entry);
        self.references(line, &entry);
        for what in self.course.entry(line, &entry) {
            self.report(line, &what);
        }
        if let Some(concluded) = self.concluded
            && entry.kind.writer().is_none()
        {
            self.report(line, &format!("a debater speaks after the conclusion in line {concluded}"));
        }
        if entry.kind == EntryType::Conclusion {
            if self.concluded.is_some() {
                self.report(line, "the debate is concluded twice");
            }
            self.concluded = Some(line);
        }
        self.last = Some(entry.clone());
        self.entries.insert(entry.seq, (line, entry));
    }

    fn writer(&mut self, line: usize, entry: &LogEntry) {
        let (speaker, kind) = (entry.speaker.as_str(), entry.kind);
        let office = Office::ALL.into_iter().find(|office| office.as_str() == speaker);
        match (kind.writer(), office) {
            (Some(writer), _) if writer.as_str() != speaker => {
                self.report(line, &format!("{speaker:?} cannot write `{kind}`; only the {writer} can"));
            }
            (None, Some(office)) => self.report(line, &format!("the {office} cannot write `{kind}`; only a debater can")),
            (None, None) => match check_name(speaker) {
                Ok(()) => {
                    self.debaters.insert(speaker.to_owned());
                }
                Err(problem) => self.report(line, &problem),
            },
            _ => {}
        }
        let fits = match kind {
            EntryType::OpeningStatement => entry.phase == LogPhase::Opening,
            EntryType::ClosingStatement => entry.phase == LogPhase::Closing,
            EntryType::NewPoint
            | EntryType::Rebuttal
            | EntryType::Conjecture
            | EntryType::SourceChallenge
            | EntryType::ClarificationRequest => entry.phase == LogPhase::Rebuttal && entry.round.is_some(),
            _ => true,
        };
        if !fits {
            let phase = entry.phase.as_str();
            let round = entry.round.map_or_else(|| "no round".to_owned(), |round| format!("round {round}"));
            self.report(line, &format!("`{kind}` does not belong into phase {phase} and {round}"));
        }
    }

    fn content(&mut self, line: usize, entry: &LogEntry) {
        if entry.content.trim().is_empty() {
            self.report(line, "its content is empty");
        }
        let sources = entry.sources.as_deref().unwrap_or_default();
        if entry.sources.is_some() && sources.is_empty() {
            self.report(line, "its sources are an empty list; no sources is null");
        }
        if sources.iter().any(|source| source.url.trim().is_empty()) {
            self.report(line, "a source has no url");
        }
        if entry.kind.writer().is_some() && entry.sources.is_some() {
            self.report(line, "only debaters name sources");
        }
        match entry.kind {
            EntryType::VerificationResult => match serde_json::from_str::<VerificationResult>(&entry.content) {
                Ok(result) if Some(result.verified_seq) != entry.target_seq => {
                    self.report(line, "verified_seq and target_seq differ");
                }
                Ok(_) => {}
                Err(_) => self.report(line, "its content is no verification result"),
            },
            EntryType::AudienceQuestion => {
                let count = self.questions.entry(entry.round).or_default();
                *count += 1;
                if *count > MOST_QUESTIONS {
                    self.report(line, &format!("more than {MOST_QUESTIONS} questions of the audience in a round"));
                }
            }
            _ => {}
        }
    }

    fn references(&mut self, line: usize, entry: &LogEntry) {
        let found = |seq: u64| self.entries.get(&seq).map(|(_, entry)| entry);
        let mut wrong = Vec::new();
        match (entry.kind, entry.rebuttal_to_seq) {
            (EntryType::Rebuttal, None) => wrong.push("a rebuttal names no entry in rebuttal_to_seq".to_owned()),
            (EntryType::Rebuttal, Some(seq)) => match found(seq) {
                None => wrong.push(format!("rebuttal_to_seq {seq} is no earlier entry")),
                Some(other) if !other.kind.argues() => wrong.push(format!("seq {seq} is no argument to rebut")),
                Some(other) if other.speaker == entry.speaker => wrong.push(format!("seq {seq} is the speaker's own")),
                Some(_) => {}
            },
            (_, Some(_)) => wrong.push("only a rebuttal has rebuttal_to_seq".to_owned()),
            (_, None) => {}
        }
        let targeted =
            matches!(entry.kind, EntryType::VerificationResult | EntryType::Redaction | EntryType::SourceChallenge);
        if entry.target_seq.is_some() && !targeted && entry.kind != EntryType::Ruling {
            wrong.push(format!("`{}` has no target_seq", entry.kind));
        }
        match entry.target_seq {
            None if targeted => wrong.push(format!("`{}` names no entry in target_seq", entry.kind)),
            Some(seq) => match found(seq) {
                None => wrong.push(format!("target_seq {seq} is no earlier entry")),
                Some(other) if targeted && other.kind.writer().is_some() => {
                    wrong.push(format!("target_seq {seq} is no entry of a debater"));
                }
                Some(_) => {}
            },
            None => {}
        }
        for what in wrong {
            self.report(line, &what);
        }
    }

    /// What only all lines together show.
    fn whole(&mut self) {
        if let Some((line, first)) = self.entries.values().next().cloned()
            && first.kind != EntryType::Setup
        {
            self.report(line, "a log begins with `setup`");
        }
        if self.debaters.len() > MOST_DEBATERS {
            self.report(0, &format!("{} debaters; a panel has {MOST_DEBATERS} at most", self.debaters.len()));
        }
        let mut checked: BTreeMap<u64, BTreeSet<String>> = BTreeMap::new();
        let mut wrong = Vec::new();
        let mut challenged: BTreeSet<u64> = BTreeSet::new();
        let mut last: Option<(u64, u64)> = None;
        for (line, entry) in self.entries.values() {
            if entry.kind == EntryType::SourceChallenge {
                challenged.extend(entry.target_seq);
            }
            let Ok(result) = serde_json::from_str::<VerificationResult>(&entry.content) else { continue };
            // What is found beside the debate is written down in the order of what was said.
            if last.is_some_and(|(at, seq)| at + 1 == entry.seq && seq > result.verified_seq) {
                wrong.push((*line, format!("the result for seq {} is out of order", result.verified_seq)));
            }
            last = Some((entry.seq, result.verified_seq));
            // A challenge leads to a second look.
            let again = challenged.contains(&result.verified_seq);
            let known = !checked.entry(result.verified_seq).or_default().insert(result.url.clone());
            if known && !again {
                wrong.push((*line, format!("{} of seq {} is verified twice", result.url, result.verified_seq)));
            }
        }
        for (line, entry) in self.entries.values().filter(|_| self.concluded.is_some()) {
            let sources = entry.sources.as_deref().unwrap_or_default();
            let known = checked.get(&entry.seq);
            let missing = sources.iter().take(MOST_SOURCES).filter(|source| {
                entry.kind.argues() && known.is_none_or(|known| !known.iter().any(|url| same(url, &source.url)))
            });
            // A source that stands twice in an entry is looked at once.
            let missing: BTreeSet<&str> = missing.map(|source| source.url.as_str()).collect();
            wrong.extend(missing.into_iter().map(|url| (*line, format!("no result for its source {url}"))));
        }
        wrong.extend(self.course.whole(self.concluded.is_some()));
        for (line, what) in wrong {
            self.report(line, &what);
        }
        self.problems.sort_by_key(|problem| problem.line);
    }
}

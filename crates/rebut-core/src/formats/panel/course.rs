//! The course of a debate as its log tells it: who may speak when, which round it is, and what was struck. What breaks it is
//! named line by line.

use std::collections::{BTreeMap, BTreeSet};

use super::addresses::same;
use super::announced_log::AnnouncedLog;
use super::entry::{EntryType, LogEntry, LogPhase};
use super::floor_log::FloorLog;
use super::record::{OBJECTION, ON_RECORD, OnRecord, Record, Thing, seqs, topic_of};
use super::reporting::AUDIENCE_ERRS;
use super::rules::correction;
use super::turn::LONGEST_ENTRY;
use super::verification::{SourceStatus, VerificationResult};
use super::wording::misworded;
use crate::claims::citation;

/// The fields that every entry has, those without a value included.
const FIELDS: [&str; 10] =
    ["seq", "timestamp", "phase", "round", "speaker", "type", "content", "sources", "rebuttal_to_seq", "target_seq"];
/// What a conclusion begins with.
pub(super) const CONCLUDED: &str = "Debate concluded. Outcome: ";

/// What is wrong with a line before it is read as an entry.
pub(super) fn form(line: &str) -> Vec<String> {
    let Ok(serde_json::Value::Object(fields)) = serde_json::from_str(line) else {
        return vec!["no entry: a line is an object in JSON".to_owned()];
    };
    let missing = FIELDS.iter().filter(|field| !fields.contains_key(**field));
    let mut wrong: Vec<String> = missing.map(|field| format!("it has no `{field}`; what has no value is null")).collect();
    if fields.get("timestamp").and_then(serde_json::Value::as_str).is_some_and(|at| !at.ends_with('Z')) {
        wrong.push("its timestamp is not in UTC, and does not end in Z".to_owned());
    }
    wrong
}

/// A debate as far as its log was read.
#[derive(Debug, Default)]
pub(super) struct Course {
    /// Who debates, in order; none where the log does not begin as ours do.
    lineup: Vec<String>,
    /// Where each entry was written, and by whom.
    speakers: BTreeMap<u64, String>,
    round: u32,
    phase: Option<LogPhase>,
    opened: Vec<String>,
    closed: Vec<String>,
    redacted: BTreeSet<u64>,
    /// Fabricated sources: the entry, and the line of the result.
    fabricated: BTreeMap<u64, usize>,
    /// Unreliable sources: the entry, and the line of the result.
    unreliable: BTreeMap<u64, usize>,
    /// Entries that were ruled on.
    ruled: BTreeSet<u64>,
    /// Turns and what lies between them.
    floor: FloorLog,
    /// What is announced, and where findings stand.
    announced: AnnouncedLog,
    /// Arguments.
    argued: BTreeSet<u64>,
    /// What each argument cites, as a source or in its words.
    cited: BTreeMap<u64, Vec<String>>,
    /// What was found last of each source of an entry.
    results: BTreeMap<(u64, String), SourceStatus>,
    /// What stands on record of each debater beside its sources.
    record: BTreeMap<String, OnRecord>,
    /// What stands on record of entries beside their sources.
    said_of: Record,
}

impl Course {
    /// What is wrong with an entry after those before it.
    pub(super) fn entry(&mut self, line: usize, entry: &LogEntry) -> Vec<String> {
        let mut wrong = Vec::new();
        if entry.kind == EntryType::Setup {
            if !self.speakers.is_empty() {
                wrong.push("the debate is set up twice".to_owned());
            }
            let names = entry.content.rsplit_once("Debaters: ").map(|(_, names)| names.trim_end_matches('.'));
            self.said_of.topic = topic_of(entry);
            self.lineup = names.map(|names| names.split(", ").map(str::to_owned).collect()).unwrap_or_default();
        }
        self.place(entry, &mut wrong);
        self.floor.lineup.clone_from(&self.lineup);
        wrong.extend(self.floor.entry(line, entry));
        // Only of a log that begins as ours do it is known what must be announced in it.
        if !self.lineup.is_empty() {
            wrong.extend(self.announced.entry(line, entry));
        }
        if entry.kind.argues() {
            self.argued.insert(entry.seq);
            self.cited.insert(entry.seq, places(entry));
        }
        if entry.kind == EntryType::Ruling {
            self.ruled.extend(entry.target_seq);
        }
        self.note(entry);
        match entry.kind {
            EntryType::AudienceQuestion => {
                let to = entry.content.strip_prefix("To ").and_then(|rest| rest.split_once(": ")).map(|(name, _)| name);
                if to.is_none_or(|name| !self.debates(name)) {
                    wrong.push("a question of the audience begins with \"To NAME: \", and goes to a debater".to_owned());
                }
            }
            EntryType::VerificationResult => wrong.extend(self.result(line, entry)),
            EntryType::Redaction => self.redaction(entry, &mut wrong),
            EntryType::Ruling if entry.content.ends_with(" is penalised.") => {
                let name = entry.target_seq.and_then(|seq| self.speakers.get(&seq));
                let author = name.is_some_and(|name| entry.content.ends_with(&format!(" and {name} is penalised.")));
                if !author || !entry.content.contains(" holds, the source is fabricated ") {
                    wrong.push("only the author of a fabricated source is penalised, after a challenge".to_owned());
                }
                if let Some(name) = name {
                    self.record.entry(name.clone()).or_default().penalties += 1;
                }
            }
            EntryType::Conclusion => wrong.extend(self.conclusion(entry)),
            EntryType::AudienceConclusion if !entry.content.contains(AUDIENCE_ERRS) => {
                let stray = seqs(&entry.content).into_iter().find(|seq| *seq >= entry.seq);
                wrong.extend(stray.map(|seq| format!("it names seq {seq}, which is no earlier entry")));
            }
            EntryType::Ruling => {
                let about = entry.content.strip_prefix("Ruling on seq ").and_then(|rest| rest.split(':').next());
                let stray = about.and_then(|seq| seq.parse().ok()).filter(|seq| *seq >= entry.seq);
                wrong.extend(stray.map(|seq: u64| format!("it rules on seq {seq}, which is no earlier entry")));
            }
            EntryType::Rebuttal if entry.rebuttal_to_seq.is_some_and(|seq| self.redacted.contains(&seq)) => {
                wrong.push(format!("it rebuts seq {}, which was redacted", entry.rebuttal_to_seq.unwrap_or_default()));
            }
            _ => {}
        }
        self.speakers.insert(entry.seq, entry.speaker.clone());
        wrong
    }

    /// Takes down what an entry says of another.
    fn note(&mut self, entry: &LogEntry) {
        self.said_of.relate(entry);
        if entry.kind.writer().is_none()
            && let Some((of, _)) = correction(&entry.content)
        {
            self.said_of.hold(of, Thing::Withdrawn);
        }
        let Some(of) = entry.target_seq else { return };
        match entry.kind {
            EntryType::Redaction => self.said_of.hold(of, Thing::Redacted),
            EntryType::Ruling if entry.content.ends_with(" is penalised.") => self.said_of.hold(of, Thing::Penalised),
            EntryType::Ruling if entry.content.contains(" is warned") => self.said_of.hold(of, Thing::Warned),
            _ => {}
        }
    }

    /// What only the whole log shows, by line.
    pub(super) fn whole(&self, concluded: bool) -> Vec<(usize, String)> {
        let left = self.fabricated.iter().filter(|(seq, _)| concluded && !self.redacted.contains(seq));
        let unruled = self.unreliable.iter().filter(|(seq, _)| {
            let stays = self.results.iter().any(|((of, _), status)| of == *seq && *status == SourceStatus::Unreliable);
            concluded && stays && !self.redacted.contains(seq) && !self.ruled.contains(seq)
        });
        let unruled =
            unruled.map(|(seq, line)| (*line, format!("a source of seq {seq} is unreliable, and nobody ruled on it")));
        unruled
            .chain(left.map(|(seq, line)| {
                (*line, format!("a source of seq {seq} is fabricated, and the entry was never redacted"))
            }))
            .chain(self.floor.whole())
            .chain(self.announced.whole())
            .collect()
    }

    /// What was found and should have been acted upon by now.
    fn pending(&self) -> Vec<String> {
        let struck = self.fabricated.keys().filter(|seq| !self.redacted.contains(seq));
        let struck =
            struck.map(|seq| format!("seq {seq} was to be redacted before this round: a source of it is fabricated"));
        let unruled = self.unreliable.keys().filter(|seq| {
            let stays = self.results.iter().any(|((of, _), status)| of == *seq && *status == SourceStatus::Unreliable);
            stays && !self.redacted.contains(seq) && !self.ruled.contains(seq)
        });
        struck
            .chain(
                unruled.map(|seq| format!("seq {seq} was to be ruled on before this round: a source of it is unreliable")),
            )
            .collect()
    }

    fn debates(&self, name: &str) -> bool {
        self.lineup.is_empty() || self.lineup.iter().any(|known| known == name)
    }

    /// Whether an entry stands where it may.
    fn place(&mut self, entry: &LogEntry, wrong: &mut Vec<String>) {
        let debater = entry.kind.writer().is_none();
        if entry.kind == EntryType::Announcement
            && let Some((round, _)) = entry.content.strip_prefix("Round ").and_then(|rest| rest.split_once(" of "))
            && let Ok(round) = round.parse::<u32>()
        {
            if round != self.round.saturating_add(1) {
                wrong.push(format!("round {round} is announced after round {}", self.round));
            }
            wrong.extend(self.pending());
            self.round = round;
        }
        // What was found after a round is ruled on at the start of the next, before that is announced.
        let early = matches!(entry.kind, EntryType::Ruling | EntryType::Redaction);
        let next = early && (self.lineup.is_empty() || self.floor.has_relayed());
        let held = |round: u32| round == self.round || (next && round == self.round.saturating_add(1));
        if entry.round.is_some_and(|round| !held(round)) {
            wrong.push(format!("it says round {}, and round {} is held", entry.round.unwrap_or_default(), self.round));
        } else if next && !self.lineup.is_empty() && entry.round == Some(self.round) {
            wrong.push(format!("it says round {}, and that is over", self.round));
        }
        if !debater {
            if entry.kind != EntryType::AudienceQuestion && entry.phase != LogPhase::System {
                wrong.push(format!("`{}` belongs into phase system", entry.kind));
            }
            return;
        }
        let name = &entry.speaker;
        if !self.debates(name) {
            wrong.push(format!("{name:?} is no debater of this panel"));
        }
        let most = if entry.kind == EntryType::SourceChallenge { 2 * LONGEST_ENTRY } else { LONGEST_ENTRY };
        if entry.content.len() > most {
            wrong.push(format!("its content has {} bytes, and {most} are allowed", entry.content.len()));
        }
        for source in entry.sources.iter().flatten() {
            let day = source.accessed.len() == 10 && source.accessed.parse::<jiff::civil::Date>().is_ok();
            if !day {
                wrong.push(format!("{:?} is no day on which a source was accessed; write 2026-11-15", source.accessed));
            }
        }
        if self.phase.is_some_and(|phase| entry.phase < phase) {
            wrong.push(format!("phase {} is over", entry.phase.as_str()));
        }
        self.phase = self.phase.max(Some(entry.phase));
        let (spoken, order): (&mut Vec<String>, Vec<&String>) = match entry.kind {
            EntryType::OpeningStatement => (&mut self.opened, self.lineup.iter().collect()),
            EntryType::ClosingStatement => (&mut self.closed, self.lineup.iter().rev().collect()),
            _ => return,
        };
        if entry.round.is_some() {
            wrong.push(format!("`{}` belongs to no round", entry.kind));
        }
        if spoken.contains(name) {
            wrong.push(format!("{name} has given its `{}` before", entry.kind));
        }
        let place = |name: &String| order.iter().position(|known| *known == name);
        if spoken.last().is_some_and(|last| place(last) > place(name)) {
            wrong
                .push(format!("`{}` of {name} is out of order: openings as in the lineup, closings in reverse", entry.kind));
        }
        spoken.push(name.clone());
    }

    fn result(&mut self, line: usize, entry: &LogEntry) -> Option<String> {
        let result: VerificationResult = serde_json::from_str(&entry.content).ok()?;
        let seq = result.verified_seq;
        if result.status == SourceStatus::Fabricated {
            self.fabricated.entry(seq).or_insert(line);
        }
        if result.status == SourceStatus::Unreliable {
            self.unreliable.entry(seq).or_insert(line);
        }
        // What was found after a challenge stands for what was found before it.
        let cited = self.cited.get(&seq).is_none_or(|cited| cited.iter().any(|url| same(url, &result.url)));
        let foreign = (!cited).then(|| format!("seq {seq} does not cite {}", result.url));
        self.results.insert((seq, result.url), result.status);
        foreign
    }

    fn redaction(&mut self, entry: &LogEntry, wrong: &mut Vec<String>) {
        let Some(seq) = entry.target_seq else { return };
        let named =
            entry.content.strip_prefix("REDACTED: seq ").and_then(|rest| rest.split(' ').next()?.parse::<u64>().ok());
        if let Some(other) = named.filter(|named| *named != seq) {
            wrong.push(format!("its words redact seq {other}, and target_seq is {seq}"));
        }
        let author = self.speakers.get(&seq).map_or("", String::as_str);
        let begins = format!("REDACTED: seq {seq} ({author}). Reason: ");
        let reason = entry.content.strip_prefix(&begins).is_some_and(|reason| !reason.trim().is_empty());
        if !reason && !self.lineup.is_empty() && named.is_none_or(|named| named == seq) {
            wrong.push(format!("a redaction names its author and its reason: {begins:?}"));
        }
        if !self.redacted.insert(seq) {
            wrong.push(format!("seq {seq} is redacted twice"));
        }
        if !self.fabricated.contains_key(&seq) {
            wrong.push(format!("seq {seq} is redacted, and no source of it was found to be fabricated"));
        }
        if let Some(name) = self.speakers.get(&seq) {
            self.record.entry(name.clone()).or_default().redactions += 1;
        }
    }

    /// What is wrong with a conclusion: its form, its outcome, or that it goes against the record.
    fn conclusion(&self, entry: &LogEntry) -> Vec<String> {
        let Some(rest) = entry.content.strip_prefix(CONCLUDED) else {
            return vec![format!("a conclusion begins with {CONCLUDED:?}")];
        };
        let Some((outcome, reason)) = rest.split_once(". Reason: ").filter(|(_, reason)| !reason.trim().is_empty()) else {
            return vec!["a conclusion names its reason: \". Reason: …\"".to_owned()];
        };
        // Our own conclusions carry the figures of the record; those of others may do without.
        let (reason, figures) = match reason.rsplit_once(&format!("\n{ON_RECORD}")) {
            Some((reason, figures)) => (reason, Some(figures)),
            None => (reason, None),
        };
        // One that goes against the record is taken in the end, and says so itself.
        let (reason, objected) = match reason.split_once(&format!("\n{OBJECTION}")) {
            Some((reason, _)) => (reason, true),
            None => (reason, false),
        };
        let mut wrong = Vec::new();
        if reason.contains(CONCLUDED) {
            wrong.push("it concludes the debate twice".to_owned());
        }
        let known =
            matches!(outcome, "draw" | "void") || outcome.strip_suffix("_wins").is_some_and(|name| self.debates(name));
        if !known {
            wrong.push(format!("{outcome:?} is no outcome: a debater's name and `_wins`, `draw` or `void`"));
        }
        let stands = |name: &str| {
            let own = self.argued.iter().filter(|seq| !self.redacted.contains(seq));
            own.filter_map(|seq| self.speakers.get(seq)).any(|speaker| speaker == name)
        };
        if let Some(name) = outcome.strip_suffix("_wins").filter(|name| known && !stands(name)) {
            wrong.push(format!("{name} wins, and made no argument that stands"));
        }
        if let Some(name) = outcome.strip_suffix("_wins").filter(|name| self.floor.left.contains(*name)) {
            wrong.push(format!("{name} wins, and has left the panel"));
        }
        let named = self.lineup.iter().map(|name| (name.clone(), OnRecord::default()));
        let mut debaters: BTreeMap<String, OnRecord> = named.collect();
        debaters.extend(self.record.iter().map(|(name, on)| (name.clone(), *on)));
        for ((seq, _), status) in &self.results {
            let speaker = self.speakers.get(seq).cloned().unwrap_or_default();
            debaters.entry(speaker).or_default().count(*status);
        }
        let mut record = Record { debaters, redacted: self.redacted.clone(), entries: entry.seq, ..self.said_of.clone() };
        for ((seq, _), status) in &self.results {
            record.hold(*seq, Thing::found(*status));
        }
        let due = record.line();
        match figures {
            Some(figures) if format!("{ON_RECORD}{figures}") != due => {
                wrong.push(format!("its figures are wrong; it must say: {due}"));
            }
            None if !self.lineup.is_empty() => wrong.push(format!("it does not give the record; it must say: {due}")),
            _ => {}
        }
        let against = misworded(&record, reason).filter(|_| !objected);
        wrong.extend(against.map(|why| format!("it goes against the record: {why}")));
        wrong
    }
}

/// Everything that an entry cites.
fn places(entry: &LogEntry) -> Vec<String> {
    let sources = entry.sources.iter().flatten().map(|source| source.url.clone());
    sources.chain(citation::find(&entry.content).into_iter().map(|citation| citation.target.to_string())).collect()
}

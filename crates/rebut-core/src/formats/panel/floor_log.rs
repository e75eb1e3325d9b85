//! Turns as a log tells them: who speaks after whom, how much in one call, and what must come between.

use std::collections::{BTreeMap, BTreeSet};

use super::chair::MOST_POINTS;
use super::entry::{EntryType, LogEntry};
use super::reading::Reading;
use super::rules::{Before, NAMES, breaches};
use super::setup::ROUNDS;
use super::turn::{Cited, MOST_ENTRIES, Said};

/// What the announcement of open points begins with.
pub(super) const OPEN_POINTS: &str = "Before the closings";

/// What the announcement of findings begins with.
pub(super) const RELAYED: &str = "Findings relayed";

/// The turns of a debate as far as its log was read.
#[derive(Debug, Default)]
pub(super) struct FloorLog {
    /// Who debates, in order; none where the log does not begin as ours do.
    pub(super) lineup: Vec<String>,
    max: Option<u32>,
    /// Who has spoken in this round, in order.
    spoken: Vec<String>,
    /// The call that is going on.
    call: Call,
    opened: BTreeSet<String>,
    /// Who did not take a turn of this part of the debate, by a ruling.
    absent: BTreeSet<String>,
    /// Who has left the panel, by a ruling.
    pub(super) left: BTreeSet<String>,
    points: bool,
    /// How often findings were relayed, and how many rounds were announced.
    relayed: u32,
    rounds: u32,
    /// Whether nobody was asked any more, since the budget was used up.
    spent: bool,
    closed: BTreeSet<String>,
    /// Who was warned: the entry, the line and the seq of the ruling.
    warned: BTreeMap<u64, (usize, u64)>,
    /// What was corrected, or ruled on for want of a correction.
    settled: BTreeSet<u64>,
    /// Who argued when.
    argued: Vec<(u64, String)>,
    concluded: bool,
    concluded_at: usize,
    audience: bool,
    own: BTreeMap<String, BTreeSet<u64>>,
    heard: Vec<(u64, Reading)>,
    redacted: BTreeSet<u64>,
    /// Rules that were broken: the line, the entry, and which.
    broken: Vec<(usize, u64, String)>,
    /// What was ruled on each entry.
    ruled: BTreeMap<u64, Vec<String>>,
}

/// What one debater has said in a row.
#[derive(Debug, Default)]
struct Call {
    speaker: String,
    entries: usize,
    challenged: bool,
    asked: bool,
    /// What a ruling must come to before anybody speaks again: its line, and the entry that the ruling is about.
    open: Option<(usize, u64)>,
}

impl FloorLog {
    /// What is wrong with an entry after those before it.
    pub(super) fn entry(&mut self, line: usize, entry: &LogEntry) -> Vec<String> {
        let mut wrong = Vec::new();
        if self.concluded && entry.kind != EntryType::AudienceConclusion && entry.kind.writer().is_some() {
            wrong.push(format!("`{}` stands after the conclusion", entry.kind));
        }
        match entry.kind {
            EntryType::Announcement => self.announced(entry, &mut wrong),
            EntryType::Ruling => self.ruling(line, entry),
            EntryType::Redaction => self.redacted.extend(entry.target_seq),
            EntryType::Conclusion => (self.concluded, self.concluded_at) = (true, line),
            EntryType::AudienceConclusion => {
                if !self.concluded {
                    wrong.push("the audience concludes before the chair".to_owned());
                }
                if std::mem::replace(&mut self.audience, true) {
                    wrong.push("the audience concludes twice".to_owned());
                }
            }
            kind if kind.writer().is_none() => {
                self.turn(line, entry, &mut wrong);
                self.rules(line, entry);
            }
            _ => {}
        }
        wrong
    }

    /// What only the whole log shows, by line.
    pub(super) fn whole(&self) -> Vec<(usize, String)> {
        let unruled = self.broken.iter().filter(|(_, seq, rule)| {
            // What a closing has brought in is told in many ways; the rule is one.
            let rule = rule.split(NAMES).next().unwrap_or_default();
            !self.ruled.get(seq).is_some_and(|rulings| rulings.iter().any(|ruling| ruling.contains(rule)))
        });
        let mut wrong: Vec<(usize, String)> =
            unruled.map(|(line, _, rule)| (*line, format!("no ruling says that {rule}"))).collect();
        if let Some((line, _)) = self.call.open.filter(|_| self.concluded) {
            wrong.push((line, "it was never ruled on".to_owned()));
        }
        if self.concluded && !self.spent && !self.closed.is_empty() {
            let gone = |name: &&String| self.absent.contains(*name) || self.left.contains(*name);
            let missing = self.lineup.iter().filter(|name| !self.closed.contains(*name) && !gone(name));
            wrong.extend(missing.map(|name| (self.concluded_at, format!("{name} has not closed, and no ruling says why"))));
        }
        for (seq, (line, at)) in self.warned.iter().filter(|(seq, _)| !self.settled.contains(seq)) {
            let author = self.own.iter().find(|(_, own)| own.contains(seq)).map(|(name, _)| name);
            // A closing is one entry and holds one correction, so that only what was said in rounds must have held it.
            let on = self.argued.iter().any(|(later, name)| later > at && Some(name) == author);
            if on {
                wrong.push((*line, format!("seq {seq} was never corrected, and no ruling says so")));
            }
        }
        wrong
    }

    /// Whether what was found in the last round that was held has been relayed.
    pub(super) fn has_relayed(&self) -> bool {
        self.relayed > self.rounds
    }

    /// Whether everybody has had a turn in the round that ends, or a ruling says why not.
    fn turns_taken(&mut self, wrong: &mut Vec<String>) {
        let missing = self.lineup.iter().filter(|name| self.rounds > 0 && !self.spent && !self.spoken.contains(*name));
        let missing = missing.filter(|name| !self.absent.contains(*name) && !self.left.contains(*name));
        let round = self.rounds;
        wrong.extend(missing.map(|name| format!("{name} had no turn in round {round}, and no ruling says why")));
        if self.rounds > 0 {
            self.absent.clear();
        }
    }

    fn place(&self, name: &str) -> Option<usize> {
        self.lineup.iter().position(|known| known == name)
    }

    fn announced(&mut self, entry: &LogEntry, wrong: &mut Vec<String>) {
        self.points |= entry.content.starts_with(OPEN_POINTS);
        self.relayed += u32::from(entry.content.starts_with(RELAYED));
        let begins = entry.content.starts_with("Round ") || entry.content.starts_with(OPEN_POINTS);
        if begins {
            self.turns_taken(wrong);
        }
        if entry.content.starts_with(OPEN_POINTS) {
            let points = entry.content.lines().skip(1).filter(|line| !line.trim().is_empty()).count();
            if points > MOST_POINTS {
                wrong.push(format!("it announces {points} points, and {MOST_POINTS} are the most"));
            }
            let stray = |seq: &u64| *seq >= entry.seq || self.redacted.contains(seq);
            let named =
                entry.content.lines().filter_map(|line| line.rsplit_once("(seq ")).flat_map(|(_, rest)| seqs_of(rest));
            wrong.extend(named.filter(stray).map(|seq| format!("it names seq {seq}, which is no argument that stands")));
        }
        if begins && !self.lineup.is_empty() && self.relayed <= self.rounds {
            wrong.push(format!("no announcement of findings ({RELAYED:?}) comes before it"));
            self.relayed = self.rounds + 1;
        }
        self.rounds += u32::from(entry.content.starts_with("Round "));
        let Some((round, max)) = entry.content.strip_prefix("Round ").and_then(|rest| rest.split_once(" of ")) else {
            return;
        };
        let (Ok(round), Ok(max)) = (round.parse::<u32>(), max.trim_end_matches('.').parse::<u32>()) else { return };
        if round > max {
            wrong.push(format!("round {round} is announced, and there are {max} at most"));
        }
        if !ROUNDS.contains(&max) {
            wrong.push(format!("{max} rounds are announced; a panel has from {} to {}", ROUNDS.start(), ROUNDS.end()));
        }
        if self.max.is_some_and(|known| known != max) {
            wrong.push(format!("{max} rounds are announced, and {} before", self.max.unwrap_or_default()));
        }
        self.max = self.max.or(Some(max));
        self.spoken.clear();
        self.call = Call { open: self.call.open, ..Call::default() };
        if round == 1 {
            let missing = self.lineup.iter().filter(|name| !self.opened.contains(*name) && !self.absent.contains(*name));
            wrong.extend(missing.map(|name| format!("{name} has not opened, and no ruling says why")));
            self.absent.clear();
        }
    }

    fn ruling(&mut self, line: usize, entry: &LogEntry) {
        if let Some(seq) = entry.target_seq {
            self.ruled.entry(seq).or_default().push(entry.content.clone());
        }
        self.spent |= entry.content.contains(" is used up. Nobody speaks any more");
        if let Some(seq) = entry.target_seq {
            if entry.content.contains(" is warned and withdraws or replaces ") {
                self.warned.entry(seq).or_insert((line, entry.seq));
            } else if entry.content.contains(" was warned, and ") {
                self.settled.insert(seq);
            }
        }
        if let Some((name, _)) = entry.content.strip_prefix("Ruling: ").and_then(|rest| rest.split_once(" was asked again"))
        {
            self.absent.insert(name.to_owned());
        }
        let leaves = entry.content.strip_suffix(" and leaves the panel.").and_then(|text| text.strip_prefix("Ruling: "));
        self.left.extend(leaves.and_then(|text| text.split(' ').next()).map(str::to_owned));
        let answers = |(_, about): &(usize, u64)| entry.target_seq == Some(*about);
        if self.call.open.as_ref().is_some_and(answers) {
            self.call.open = None;
            self.call.entries = 0;
        }
    }

    fn turn(&mut self, line: usize, entry: &LogEntry, wrong: &mut Vec<String>) {
        let name = &entry.speaker;
        if let Some((open, _)) = self.call.open.take() {
            wrong.push(format!("somebody speaks on before line {open} is ruled on"));
        }
        if self.left.contains(name) {
            wrong.push(format!("{name} has left the panel, by a ruling"));
        }
        match entry.kind {
            EntryType::OpeningStatement => drop(self.opened.insert(name.clone())),
            EntryType::ClosingStatement if self.points || self.lineup.is_empty() => drop(self.closed.insert(name.clone())),
            EntryType::ClosingStatement if !self.points && !self.lineup.is_empty() => {
                self.points = true;
                self.closed.insert(name.clone());
                wrong.push(format!("no announcement of open points ({OPEN_POINTS:?}) comes before the closings"));
            }
            _ => {}
        }
        if self.call.speaker != *name {
            let last = self.spoken.last().and_then(|last| self.place(last));
            if entry.round.is_some() && self.spoken.contains(name) {
                wrong.push(format!("{name} has had its turn in this round"));
            } else if entry.round.is_some() && last > self.place(name) {
                wrong.push(format!("{name} speaks out of order: rounds go as the lineup does"));
            }
            self.call = Call { speaker: name.clone(), ..Call::default() };
            if entry.round.is_some() {
                self.spoken.push(name.clone());
            }
        }
        self.call.entries += 1;
        if self.call.entries == MOST_ENTRIES + 1 {
            wrong.push(format!("more than {MOST_ENTRIES} entries of {name} in a row"));
        }
        let again = match entry.kind {
            EntryType::SourceChallenge => std::mem::replace(&mut self.call.challenged, true),
            EntryType::ClarificationRequest => std::mem::replace(&mut self.call.asked, true),
            _ => return,
        };
        if again {
            wrong.push(format!("a second `{}` in one turn", entry.kind));
        }
        self.call.open = Some((line, entry.target_seq.unwrap_or(entry.seq)));
    }

    /// Rules that can be checked without a model, as the engine checks them.
    fn rules(&mut self, line: usize, entry: &LogEntry) {
        let said = said(entry);
        let reading = Reading::of(&said);
        let mut before = Before { own: self.own.get(&entry.speaker).cloned().unwrap_or_default(), ..Before::default() };
        if entry.kind == EntryType::ClosingStatement {
            let stands = self.heard.iter().filter(|(seq, _)| !self.redacted.contains(seq));
            stands.for_each(|(_, reading)| before.take(reading));
        }
        self.settled.extend(super::rules::correction(&entry.content).map(|(seq, _)| seq));
        if entry.kind.argues() && entry.kind != EntryType::ClosingStatement {
            self.argued.push((entry.seq, entry.speaker.clone()));
        }
        let of = said.speaks_of();
        let spoken_of: Vec<&Reading> =
            self.heard.iter().filter(|(seq, _)| of.contains(seq)).map(|(_, reading)| reading).collect();
        let sourced = !reading.items(entry.seq, &spoken_of, &[]).is_empty();
        let breaches = breaches(&said, &reading, sourced, &before);
        self.broken.extend(breaches.into_iter().map(|rule| (line, entry.seq, rule)));
        self.own.entry(entry.speaker.clone()).or_default().insert(entry.seq);
        self.heard.push((entry.seq, reading));
    }
}

/// The numbers of a list of entries: `4, 7)`.
fn seqs_of(list: &str) -> Vec<u64> {
    list.split(|c: char| !c.is_ascii_digit()).filter_map(|number| number.parse().ok()).collect()
}

fn said(entry: &LogEntry) -> Said {
    let cited = |source: &super::Source| Cited { url: source.url.clone(), title: source.title.clone(), quote: None };
    Said {
        kind: entry.kind,
        content: entry.content.clone(),
        in_one_sentence: String::new(),
        frameworks: Vec::new(),
        sources: entry.sources.iter().flatten().map(cited).collect(),
        rebuttal_to_seq: entry.rebuttal_to_seq,
        target_seq: entry.target_seq,
        claim: None,
    }
}

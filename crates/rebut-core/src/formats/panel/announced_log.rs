//! What a log announces, and where findings stand in it: sources are looked at beside the debate, and what was found is written
//! down where a stretch of the debate ends, or at once after a challenge.

use super::entry::{EntryType, LogEntry};
use super::floor_log::{OPEN_POINTS, RELAYED};
use super::rounds::{OPENINGS_BEGIN, ROUNDS_END_AFTER, relayed_text};
use super::verification::{SourceStatus, VerificationResult};

/// The announcements of a debate as far as its log was read.
#[derive(Debug, Default)]
pub(super) struct AnnouncedLog {
    /// What was found last of each source: the entry, the source, and what.
    results: Vec<(u64, String, SourceStatus)>,
    /// How many of them were relayed.
    relayed: usize,
    /// The lines of results that were not asked for at once and are still to be relayed.
    waiting: Vec<usize>,
    misplaced: Vec<usize>,
    /// Whose source is challenged, until that is ruled on.
    challenged: Option<u64>,
    rounds: u32,
    /// Whether a round is held.
    held: bool,
    begun: bool,
    ended: bool,
    points: bool,
    closed: bool,
    closings_relayed: bool,
    spent: bool,
}

impl AnnouncedLog {
    /// What is wrong with an entry after those before it.
    pub(super) fn entry(&mut self, line: usize, entry: &LogEntry) -> Vec<String> {
        let mut wrong = Vec::new();
        match entry.kind {
            EntryType::Announcement => self.announced(entry, &mut wrong),
            EntryType::VerificationResult => self.result(line, entry),
            EntryType::Ruling => self.ruling(entry, &mut wrong),
            EntryType::Conclusion => {
                self.gone_on();
                if self.closed && !self.closings_relayed && !self.spent {
                    wrong.push("no announcement of what was found of the closings comes before it".to_owned());
                }
                self.held = false;
            }
            kind if kind.writer().is_none() => {
                self.gone_on();
                self.closed |= kind == EntryType::ClosingStatement;
                if kind == EntryType::OpeningStatement && !std::mem::replace(&mut self.begun, true) {
                    wrong.push(format!("no announcement ({OPENINGS_BEGIN:?}) comes before the openings"));
                }
                if kind == EntryType::SourceChallenge {
                    self.challenged = entry.target_seq;
                }
            }
            _ => {}
        }
        if self.held && entry.round.is_none() {
            wrong.push(format!("it names no round, and round {} is held", self.rounds));
        }
        wrong
    }

    /// What only the whole log shows, by line.
    pub(super) fn whole(&self) -> Vec<(usize, String)> {
        let what = "the result stands where nobody asked for it at once, and is not relayed before the debate goes on";
        self.misplaced.iter().map(|line| (*line, what.to_owned())).collect()
    }

    /// The debate goes on: what was found before it was to be relayed.
    fn gone_on(&mut self) {
        self.misplaced.append(&mut self.waiting);
    }

    fn announced(&mut self, entry: &LogEntry, wrong: &mut Vec<String>) {
        let text = entry.content.as_str();
        if text.starts_with(RELAYED) {
            self.closings_relayed |= self.points;
            let due = self.relayed_text();
            if text != due {
                wrong.push(format!("it must say: {due}"));
            }
            self.relayed = self.results.len();
            self.waiting.clear();
            return;
        }
        self.begun |= text.starts_with(OPENINGS_BEGIN);
        if let Some((round, _)) = text.strip_prefix("Round ").and_then(|rest| rest.split_once(" of ")) {
            self.gone_on();
            (self.held, self.rounds) = (true, round.parse().unwrap_or(self.rounds));
        } else if let Some(rest) = text.strip_prefix(ROUNDS_END_AFTER) {
            self.gone_on();
            (self.held, self.ended) = (false, true);
            let rounds = rest.split(' ').next().and_then(|rounds| rounds.parse::<u32>().ok());
            if rounds != Some(self.rounds) {
                wrong.push(format!("it says after how many rounds they end, and {} were held", self.rounds));
            }
        } else if text.starts_with(OPEN_POINTS) {
            self.gone_on();
            (self.held, self.points) = (false, true);
            if !std::mem::replace(&mut self.ended, true) {
                wrong.push(format!("no announcement ({ROUNDS_END_AFTER:?}) comes before it"));
            }
        }
    }

    /// What is to be announced of all that was found since the last time.
    fn relayed_text(&self) -> String {
        let name = match self.rounds {
            _ if self.spent => "the last turn".to_owned(),
            _ if self.points => "the closings".to_owned(),
            0 => "the openings".to_owned(),
            round => format!("round {round}"),
        };
        let new = self.results[self.relayed..].iter();
        relayed_text(&name, new.map(|(seq, url, status)| (*seq, url.as_str(), *status)))
    }

    fn result(&mut self, line: usize, entry: &LogEntry) {
        let Ok(result) = serde_json::from_str::<VerificationResult>(&entry.content) else { return };
        if self.challenged != Some(result.verified_seq) {
            self.waiting.push(line);
        }
        let same = |(seq, url, _): &(u64, String, SourceStatus)| *seq == result.verified_seq && *url == result.url;
        if let Some(place) = self.results.iter().position(same) {
            self.results.remove(place);
            self.relayed -= usize::from(place < self.relayed);
        }
        self.results.push((result.verified_seq, result.url, result.status));
    }

    /// The worst that was found of an entry.
    fn worst(&self, seq: Option<u64>) -> Option<SourceStatus> {
        let of = |wanted: &SourceStatus| self.results.iter().any(|(of, _, status)| Some(*of) == seq && status == wanted);
        [SourceStatus::Fabricated, SourceStatus::Unreliable, SourceStatus::Unchecked, SourceStatus::Verified]
            .into_iter()
            .find(of)
    }

    fn ruling(&mut self, entry: &LogEntry, wrong: &mut Vec<String>) {
        let says = entry.content.strip_prefix("Ruling on seq ").and_then(|rest| rest.split_once(": ")).map(|(_, says)| says);
        let of_challenge =
            says.is_some_and(|says| says.starts_with("the challenge of ") || says.contains(" challenges what was already "));
        let open = entry.target_seq.is_some() && self.challenged == entry.target_seq;
        if of_challenge && !open {
            wrong.push("it rules on a challenge that nobody has made".to_owned());
        }
        let told = says.filter(|says| says.starts_with("the challenge of ")).and_then(|says| {
            let told = |status: &SourceStatus| says.contains(&format!(", the source is {}", status.as_str()));
            SourceStatus::ALL.into_iter().find(told)
        });
        let found = self.worst(entry.target_seq);
        if let Some(told) = told.filter(|told| open && Some(*told) != found) {
            let found = found.map_or("not looked at", SourceStatus::as_str);
            wrong.push(format!("it calls the source {}, and it was found {found}", told.as_str()));
        }
        if open {
            self.challenged = None;
        }
        if entry.content.contains(" is used up. Nobody speaks any more") {
            (self.spent, self.held) = (true, false);
        }
    }
}

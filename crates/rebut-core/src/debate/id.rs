//! Names of things: debates, seats and steps. Each is its own type, so that one is never taken for another.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::named::text;

/// The id of a debate: `debate-20261115T081503Z-3fa9`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DebateId(String);

impl DebateId {
    /// The id of a debate that began at `at`; `tail` distinguishes debates of the same second.
    pub fn new(at: Timestamp, tail: u16) -> Self {
        let stamp: String = at.to_string().chars().take(19).filter(|c| !matches!(c, '-' | ':')).collect();
        Self(format!("debate-{stamp}Z-{tail:04x}"))
    }

    /// Reads an id back; `None` where the text has another form.
    pub fn parse(text: &str) -> Option<Self> {
        let rest = text.strip_prefix("debate-")?;
        let (stamp, tail) = rest.rsplit_once('-')?;
        let (day, time) = stamp.strip_suffix('Z')?.split_once('T')?;
        let digits = |s: &str, n| s.len() == n && s.bytes().all(|b| b.is_ascii_digit());
        let hex = tail.len() == 4 && tail.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
        (digits(day, 8) && digits(time, 6) && hex).then(|| Self(text.to_owned()))
    }

    /// The second in which it began, as digits that sort by time.
    pub fn second(&self) -> String {
        let stamp = self.0.rsplit_once('-').map_or(self.0.as_str(), |(stamp, _)| stamp);
        stamp.chars().filter(char::is_ascii_digit).collect()
    }

    /// The id as the name of a folder of documents: `debate-20261115-081503-3fa9`.
    pub fn folder_name(&self) -> String {
        self.0.replace('T', "-").replace('Z', "")
    }

    /// The short form that people type: `3fa9`.
    pub fn short(&self) -> &str {
        self.0.rsplit('-').next().unwrap_or(&self.0)
    }
}

/// Who speaks: a role in the debate, such as `proposer` or `judge`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SeatName(String);

/// The key of a step, such as `round-2/challenger`: its place in the debate, independent of time.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct StepKey(String);

text!(DebateId);
text!(SeatName, new);
text!(StepKey, new);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_made_of_time_and_tail_and_nothing_else_reads_as_one() {
        let at: Timestamp = "2026-11-15T08:15:03.412Z".parse().unwrap();
        let id = DebateId::new(at, 0x3fa9);
        assert_eq!((id.as_str(), id.short()), ("debate-20261115T081503Z-3fa9", "3fa9"));
        assert_eq!(DebateId::parse(id.as_str()), Some(id));
        for text in
            ["", "debate-", "debate-20261115T081503Z-3FA9", "../debate-20261115T081503Z-3fa9", "debate-20261115-081503-3fa9"]
        {
            assert_eq!(DebateId::parse(text), None, "{text}");
        }
    }
}

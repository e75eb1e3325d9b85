//! Reads the lines of a journal: every event up to the first that cannot be trusted.

use rebut_core::debate::{Event, Plan};

use super::long_texts::{Found, bring_back};
use super::{Cursor, Damage, Events, StoreError, line};

/// A part of a journal that was read.
pub(super) struct Reading {
    pub(super) events: Events,
    /// Whether the last good line lacks only its newline.
    pub(super) lacks_newline: bool,
}

/// Reads the lines after the cursor. `place` names the journal, and `texts` finds the long ones.
pub(super) fn decode(
    place: &dyn Fn() -> String,
    bytes: &[u8],
    since: Cursor,
    texts: &dyn Fn(&str) -> Found,
) -> Result<Reading, StoreError> {
    let mut events = Events { next: since, ..Events::default() };
    let mut lacks_newline = false;
    for chunk in bytes.split_inclusive(|byte| *byte == b'\n') {
        let (line, whole) = chunk.strip_suffix(b"\n").map_or((chunk, false), |line| (line, true));
        let next = &mut events.next;
        match event(line, next, texts) {
            Ok((event, hash)) => {
                events.events.push(event);
                events.hashes.push(hash.clone());
                *next = Cursor { events: next.events + 1, bytes: next.bytes + chunk.len() as u64, hash: Some(hash) };
                lacks_newline = !whole;
            }
            Err(Refused::OtherVersion(version)) => return Err(StoreError::OtherVersion { place: place(), version }),
            Err(_) if !whole => events.torn_bytes = chunk.len() as u64,
            Err(Refused::Damaged(what)) => {
                events.damage = Some(Damage { place: place(), line: next.events + 1, what });
                break;
            }
        }
    }
    Ok(Reading { events, lacks_newline })
}

/// Why a line is refused.
enum Refused {
    Damaged(String),
    OtherVersion(u64),
}

impl From<String> for Refused {
    fn from(what: String) -> Self {
        Self::Damaged(what)
    }
}

fn event(bytes: &[u8], at: &Cursor, texts: &dyn Fn(&str) -> Found) -> Result<(Event, String), Refused> {
    let mut line = line::decode(bytes, at.events, at.hash.as_deref())?;
    // Asked before the event is read: what another version wrote may not read as one.
    let version = line.event["happening"]["plan"]["version"].as_u64();
    if let Some(other) = version.filter(|version| *version != u64::from(Plan::VERSION)) {
        return Err(Refused::OtherVersion(other));
    }
    bring_back(&mut line.event, texts)?;
    let event =
        serde_json::from_value(line.event).map_err(|error| format!("holds no event that this version knows ({error})"))?;
    Ok((event, line.hash))
}

//! The one clock of a process: the wall's time at the start, moved on by a clock that is never set back.

use std::time::Instant;

use jiff::Timestamp;

/// Tells the time for events.
#[derive(Clone, Debug)]
pub struct Clock {
    wall: Timestamp,
    since: Instant,
}

impl Clock {
    /// A clock that starts now.
    pub fn start() -> Self {
        Self { wall: Timestamp::now(), since: Instant::now() }
    }

    /// The time now, to the millisecond.
    pub fn now(&self) -> Timestamp {
        let elapsed = i64::try_from(self.since.elapsed().as_millis()).unwrap_or(i64::MAX);
        Timestamp::from_millisecond(self.wall.as_millisecond().saturating_add(elapsed)).unwrap_or(self.wall)
    }
}

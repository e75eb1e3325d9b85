//! The guard's eyes: what came of the tools of another process, also where it left its group and carries no mark.
//!
//! As long as that process lives, everything that its tools have started is below it, since it adopts the orphans. Once it
//! is killed, nothing tells any more whose they were. So they are looked for while it lives, and each is held by a handle
//! that stays with the process and not with its number. What was started, and has left group and mark, after the last
//! look before the end is not known.

use std::collections::{HashMap, HashSet};
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use serde::{Deserialize, Serialize};

use super::census::{Process, process, processes};

/// The least time between two looks.
const PAUSE: Duration = Duration::from_millis(250);

/// A look takes longer where many processes are. At most so much of the time is spent on it.
const SHARE: u32 = 20;

/// How often it is looked for what the ended have begun with their last breath.
const MOST_SWEEPS: u64 = 20;

/// Whose tools are watched: a process that adopts the orphans of its children.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Ward {
    /// The process.
    pub(crate) id: i32,
    /// Its group. What stays in it is its own work and no tool.
    pub(crate) group: i32,
}

/// The tools of a ward and all that came of them, as far as they have been seen.
pub(super) struct Watch {
    ward: Ward,
    /// Since when the ward lives: another one with its number is a stranger.
    since: u64,
    /// This program. Another one of it below the ward is a guard, or a worker that is to outlive it.
    own: Option<PathBuf>,
    seen: HashMap<i32, (u64, OwnedFd)>,
    pause: Duration,
}

impl Watch {
    /// Begins to watch, where the ward still lives.
    pub(super) fn over(ward: Ward) -> Option<Self> {
        let since = process(ward.id)?.started;
        Some(Self { ward, since, own: program_of("self"), seen: HashMap::new(), pause: PAUSE })
    }

    /// How long it may be waited for the next look.
    pub(super) fn pause(&self) -> Duration {
        self.pause
    }

    /// Takes note of who is there.
    pub(super) fn look(&mut self) {
        let begun = Instant::now();
        let all: HashMap<i32, Process> = processes().map(|process| (process.id, process)).collect();
        self.seen.retain(|id, (started, _)| all.get(id).is_some_and(|now| now.started == *started && !now.has_ended));
        for id in self.belonging(&all) {
            if let (false, Some(found)) = (self.seen.contains_key(&id), all.get(&id)) {
                self.hold(id, found.started);
            }
        }
        self.pause = PAUSE.max(begun.elapsed() * SHARE);
    }

    /// Forgets whom it saw: those whom they came of have ended in good order.
    pub(super) fn forget(&mut self) {
        self.seen.clear();
    }

    /// Ends whom it saw, and whatever came of them since.
    pub(super) fn end(&mut self) {
        for moment in 0..MOST_SWEEPS {
            self.look();
            if self.seen.is_empty() {
                break;
            }
            for (_, handle) in self.seen.values() {
                let _ = pidfd_send_signal(handle, Signal::KILL);
            }
            std::thread::sleep(Duration::from_millis(moment));
        }
    }

    /// The children of the ward that are tools or came of them, those whom we know, and all below.
    fn belonging(&self, all: &HashMap<i32, Process>) -> HashSet<i32> {
        let ward_lives = all.get(&self.ward.id).is_some_and(|ward| ward.started == self.since);
        let is_tool = |process: &Process| {
            ward_lives && process.parent == self.ward.id && process.group != self.ward.group && !self.is_own(process.id)
        };
        let mut below: HashMap<i32, Vec<i32>> = HashMap::new();
        for process in all.values() {
            below.entry(process.parent).or_default().push(process.id);
        }
        let mut open: Vec<i32> = all.values().filter(|process| is_tool(process)).map(|process| process.id).collect();
        open.extend(self.seen.keys());
        let mut belonging = HashSet::new();
        while let Some(id) = open.pop() {
            if belonging.insert(id) {
                open.extend(below.remove(&id).unwrap_or_default());
            }
        }
        belonging.retain(|id| all.get(id).is_some_and(|process| !process.has_ended));
        belonging
    }

    fn is_own(&self, id: i32) -> bool {
        self.own.is_some() && program_of(&id.to_string()) == self.own
    }

    /// Opens a handle. It is for the one that was seen only if that one still has its number afterwards.
    fn hold(&mut self, id: i32, started: u64) {
        let handle = Pid::from_raw(id).and_then(|id| pidfd_open(id, PidfdFlags::empty()).ok());
        if let (Some(handle), true) = (handle, process(id).is_some_and(|now| now.started == started)) {
            self.seen.insert(id, (started, handle));
        }
    }
}

/// The file of the program that a process runs.
fn program_of(process: &str) -> Option<PathBuf> {
    std::fs::read_link(format!("/proc/{process}/exe")).ok()
}

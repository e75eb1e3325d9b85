//! The descendants of another process's tools, even those that left their group and carry no mark.
//!
//! While that process lives, it adopts orphans, so everything its tools started is below it. Once it is killed, nothing
//! shows where they came from. So the guard looks for them regularly and holds each by a pidfd, which outlives reused ids.
//! It misses what left its group and mark after the last look.

use std::collections::{HashMap, HashSet};
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use serde::{Deserialize, Serialize};

use super::processes::{Process, process, processes};

/// The least time between two looks.
const PAUSE: Duration = Duration::from_millis(250);
/// A look takes longer with many processes; at most one part in this many of the time is spent on it.
const SHARE: u32 = 20;
/// How often to look for what the killed had just started.
const MOST_SWEEPS: u64 = 20;

/// The process that is watched: it adopts the orphans of its children.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Adopter {
    pub(crate) id: i32,
    /// What stays in its group is no tool.
    pub(crate) group: i32,
}

/// The tools of a process and their descendants, as far as they were seen.
pub(super) struct Watch {
    adopter: Adopter,
    /// When it was started: another process can get its number.
    since: u64,
    /// This program. Another instance of it is a guard, or a worker that is to outlive it.
    own: Option<PathBuf>,
    seen: HashMap<i32, (u64, OwnedFd)>,
    pause: Duration,
}

impl Watch {
    /// Begins to watch, if the process still lives.
    pub(super) fn over(adopter: Adopter) -> Option<Self> {
        let since = process(adopter.id)?.started;
        Some(Self { adopter, since, own: program_of("self"), seen: HashMap::new(), pause: PAUSE })
    }

    /// The wait until the next look.
    pub(super) fn pause(&self) -> Duration {
        self.pause
    }

    /// Finds new descendants.
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

    pub(super) fn forget(&mut self) {
        self.seen.clear();
    }

    /// Ends all it has seen, and whatever came of them since.
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

    /// The tools among the children, the processes seen before, and all below.
    fn belonging(&self, all: &HashMap<i32, Process>) -> HashSet<i32> {
        let lives = all.get(&self.adopter.id).is_some_and(|adopter| adopter.started == self.since);
        let is_tool = |process: &Process| {
            lives && process.parent == self.adopter.id && process.group != self.adopter.group && !self.is_own(process.id)
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

    /// Opens a handle; it is the right one only if the process still has its number afterwards.
    fn hold(&mut self, id: i32, started: u64) {
        let handle = Pid::from_raw(id).and_then(|id| pidfd_open(id, PidfdFlags::empty()).ok());
        if let (Some(handle), true) = (handle, process(id).is_some_and(|now| now.started == started)) {
            self.seen.insert(id, (started, handle));
        }
    }
}

fn program_of(process: &str) -> Option<PathBuf> {
    std::fs::read_link(format!("/proc/{process}/exe")).ok()
}

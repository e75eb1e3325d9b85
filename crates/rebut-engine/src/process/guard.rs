//! The guard: a process of our own that ends what is left when this one is killed.
//!
//! A child dies with its parent, but its own children and our folders do not. So before its first child the program starts
//! itself once more, as the guard, and tells it over a pipe what begins and what ends. When the pipe closes, the guard ends
//! the rest. On Linux it also looks regularly for descendants, so that it knows those without a mark.

use std::ffi::OsString;
use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Mutex, OnceLock, PoisonError};

use serde::{Deserialize, Serialize};

#[cfg(target_os = "linux")]
use super::watch::{Adopter, Watch};

/// The command that becomes a guard.
static COMMAND: OnceLock<(PathBuf, OsString)> = OnceLock::new();

/// The pipe to the guard, and its process; `None` if it could not be started, which is no reason to do nothing.
static GUARD: OnceLock<Option<(u32, Mutex<ChildStdin>)>> = OnceLock::new();

/// What this process reports to its guard, one per line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Notice {
    /// A tree was started: its group and its mark.
    Started(Option<i32>, String),
    /// The tree with this mark has ended.
    Ended(String),
    /// A folder to delete.
    Made(PathBuf),
    /// A file of the user is lent to a program: its place in such a folder, and the file itself.
    Lent { place: PathBuf, file: PathBuf },
    /// The folder is deleted.
    Deleted(PathBuf),
    /// The process whose descendants are watched.
    #[cfg(target_os = "linux")]
    Watch(Adopter),
}

/// Has this program guarded from its first child on: `program ARGUMENT` must call [`run_guard`].
pub fn guard_with(program: PathBuf, argument: OsString) {
    let _ = COMMAND.set((program, argument));
}

/// Listens until the pipe is closed, and then ends what is left.
pub fn run_guard() {
    let (send, notices) = mpsc::channel();
    std::thread::spawn(move || {
        let lines = io::stdin().lock().lines().map_while(Result::ok);
        let _ = lines.filter_map(|line| serde_json::from_str(&line).ok()).try_for_each(|notice: Notice| send.send(notice));
    });
    let mut open = Open::default();
    loop {
        match open.next(&notices) {
            Ok(notice) => open.take(notice),
            Err(RecvTimeoutError::Timeout) => open.look(),
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    open.end();
}

/// What was begun and has not ended.
#[derive(Default)]
struct Open {
    trees: Vec<(Option<i32>, String)>,
    folders: Vec<PathBuf>,
    lent: Vec<(PathBuf, PathBuf)>,
    #[cfg(target_os = "linux")]
    watch: Option<Watch>,
}

impl Open {
    /// Waits for a notice; no longer than until the next look, if there is anything to look at.
    fn next(&self, notices: &Receiver<Notice>) -> Result<Notice, RecvTimeoutError> {
        #[cfg(target_os = "linux")]
        if let (Some(watch), false) = (&self.watch, self.trees.is_empty()) {
            return notices.recv_timeout(watch.pause());
        }
        notices.recv().map_err(|_| RecvTimeoutError::Disconnected)
    }

    fn take(&mut self, notice: Notice) {
        match notice {
            Notice::Started(group, mark) => self.trees.push((group, mark)),
            Notice::Ended(mark) => self.trees.retain(|(_, other)| *other != mark),
            Notice::Made(folder) => self.folders.push(folder),
            Notice::Lent { place, file } => self.lent.push((place, file)),
            Notice::Deleted(folder) => {
                self.lent.retain(|(place, _)| !place.starts_with(&folder));
                self.folders.retain(|other| *other != folder);
            }
            #[cfg(target_os = "linux")]
            Notice::Watch(adopter) => self.watch = Watch::over(adopter),
        }
        // What an ended tree left is the parent's to end.
        #[cfg(target_os = "linux")]
        if let (Some(watch), true) = (&mut self.watch, self.trees.is_empty()) {
            watch.forget();
        }
    }

    fn look(&mut self) {
        #[cfg(target_os = "linux")]
        if let Some(watch) = &mut self.watch {
            watch.look();
        }
    }

    fn end(self) {
        #[cfg(target_os = "linux")]
        if let (Some(mut watch), false) = (self.watch, self.trees.is_empty()) {
            watch.end();
        }
        for (group, mark) in self.trees {
            super::process_tree::end_left(group, mark);
        }
        for folder in self.folders {
            let refuge = folder.parent().unwrap_or(&folder);
            for (place, file) in self.lent.iter().filter(|(place, _)| place.starts_with(&folder)) {
                super::lending::give_back(place, file, refuge);
            }
            // What cannot be removed is left to the next sweep of temporary folders.
            let _ = super::remove(&folder);
        }
    }
}

/// Tells the guard, if there is one. It is started with the first notice.
pub(crate) fn tell(notice: &Notice) {
    let Some((program, argument)) = COMMAND.get() else { return };
    let guard = GUARD.get_or_init(|| {
        let mut started = start(program, argument).ok()?;
        #[cfg(target_os = "linux")]
        if let (Some(adopter), Ok(pipe)) = (super::process_tree::adopter(), started.1.get_mut()) {
            say(pipe, &Notice::Watch(adopter));
        }
        Some(started)
    });
    if let Some((_, pipe)) = guard {
        say(&mut pipe.lock().unwrap_or_else(PoisonError::into_inner), notice);
    }
}

fn say(pipe: &mut ChildStdin, notice: &Notice) {
    if let Ok(mut line) = serde_json::to_string(notice) {
        line.push('\n');
        // Without its guard the debate still goes on.
        let _ = pipe.write_all(line.as_bytes());
    }
}

pub(super) fn id() -> Option<u32> {
    GUARD.get().and_then(|guard| guard.as_ref().map(|(id, _)| *id))
}

fn start(program: &Path, argument: &OsString) -> io::Result<(u32, Mutex<ChildStdin>)> {
    let mut command = Command::new(program);
    command.arg(argument).env_clear().current_dir("/").stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    // Ctrl-C is for the program alone.
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn()?;
    let pipe = child.stdin.take().ok_or(io::ErrorKind::BrokenPipe)?;
    Ok((child.id(), Mutex::new(pipe)))
}

#[cfg(test)]
mod tests {
    /// Without a watch: by group and mark alone.
    #[cfg(target_os = "linux")]
    #[test]
    fn what_is_left_of_a_family_is_ended_and_nothing_else() {
        use super::*;
        use rustix::process::{Pid, Signal, kill_process};
        use std::os::unix::process::{CommandExt, ExitStatusExt};
        let sleeper = |mark: &str| {
            let mut command = Command::new("sleep");
            command.arg("1000").env(super::super::process_tree::MARK, mark).process_group(0).spawn().unwrap()
        };
        let mark = crate::chance::mark();
        let (in_group, marked, ended, other) =
            (sleeper("another"), sleeper(&mark), sleeper("yet another"), sleeper("nobody's"));
        let id = |child: &std::process::Child| i32::try_from(child.id()).unwrap();
        let mut open = Open::default();
        open.take(Notice::Started(Some(id(&in_group)), mark));
        open.take(Notice::Started(Some(id(&ended)), "over".to_owned()));
        open.take(Notice::Ended("over".to_owned()));
        open.end();
        let ends = [in_group, marked, ended, other].map(|mut child| {
            // One that was killed already takes no notice of this.
            let _ = kill_process(Pid::from_child(&child), Signal::TERM);
            child.wait().unwrap().signal()
        });
        let [killed, asked] = [Signal::KILL, Signal::TERM].map(|signal| Some(signal.as_raw()));
        assert_eq!(ends, [killed, killed, asked, asked]);
    }
}

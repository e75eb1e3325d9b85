//! The guard: a process of our own that ends what is left when this one is killed.
//!
//! Killing a process ends neither its children nor its temporary folders. So before its first child the program starts
//! itself once more, as the guard, and tells it over a pipe what begins and what ends. When the pipe closes, the guard ends
//! the rest.

use std::ffi::OsString;
use std::io::{self, BufRead, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Command, Stdio};
use std::sync::{Mutex, OnceLock, PoisonError};

use serde::{Deserialize, Serialize};

use super::lending::give_back;
use super::process_tree::end_left;

/// The command that becomes a guard.
static COMMAND: OnceLock<(PathBuf, OsString)> = OnceLock::new();

/// The pipe to the guard, and its process; `None` if it could not be started, which is no reason to do nothing.
static GUARD: OnceLock<Option<(u32, Mutex<ChildStdin>)>> = OnceLock::new();

/// What this process reports to its guard, one per line.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Notice {
    /// A tree was started: its group and its mark.
    Started(i32, String),
    /// The tree with this mark has ended.
    Ended(String),
    /// A folder to delete.
    Made(PathBuf),
    /// A file of the user is lent to a program: its place in such a folder, and the file itself.
    Lent { place: PathBuf, file: PathBuf },
    /// The folder is deleted.
    Deleted(PathBuf),
}

/// Has this program guarded from its first child on: `program ARGUMENT` must call [`run_guard`].
pub fn guard_with(program: PathBuf, argument: OsString) {
    let _ = COMMAND.set((program, argument));
}

/// Listens until the pipe is closed, and then ends what was begun and has not ended.
pub fn run_guard() {
    let (mut trees, mut folders, mut all_lent) = (Vec::new(), Vec::new(), Vec::new());
    for line in io::stdin().lock().lines().map_while(Result::ok) {
        match serde_json::from_str(&line) {
            Ok(Notice::Started(group, mark)) => trees.push((group, mark)),
            Ok(Notice::Ended(ended)) => trees.retain(|(_, mark)| *mark != ended),
            Ok(Notice::Made(folder)) => folders.push(folder),
            Ok(Notice::Lent { place, file }) => all_lent.push((place, file)),
            Ok(Notice::Deleted(deleted)) => {
                all_lent.retain(|(place, _)| !place.starts_with(&deleted));
                folders.retain(|folder| *folder != deleted);
            }
            Err(_) => {}
        }
    }
    for (group, mark) in trees {
        end_left(group, mark);
    }
    for folder in folders {
        for (place, file) in all_lent.iter().filter(|(place, _)| place.starts_with(&folder)) {
            give_back(place, file, folder.parent().unwrap_or(&folder));
        }
        // What cannot be removed is left to the next sweep of temporary folders.
        let _ = super::remove(&folder);
    }
}

/// Tells the guard, if there is one. It is started with the first notice.
pub(crate) fn tell(notice: &Notice) {
    let Some((program, argument)) = COMMAND.get() else { return };
    let guard = GUARD.get_or_init(|| start(program, argument).ok());
    if let (Some((_, pipe)), Ok(mut line)) = (guard, serde_json::to_string(notice)) {
        line.push('\n');
        // Without its guard the debate still goes on.
        let _ = pipe.lock().unwrap_or_else(PoisonError::into_inner).write_all(line.as_bytes());
    }
}

/// The guard's process.
pub(super) fn id() -> Option<u32> {
    GUARD.get().and_then(|guard| guard.as_ref().map(|(id, _)| *id))
}

fn start(program: &Path, argument: &OsString) -> io::Result<(u32, Mutex<ChildStdin>)> {
    let mut command = Command::new(program);
    command.arg(argument).env_clear().current_dir("/").stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    // Ctrl-C is for the program alone.
    command.process_group(0);
    let mut child = command.spawn()?;
    let pipe = child.stdin.take().ok_or(io::ErrorKind::BrokenPipe)?;
    Ok((child.id(), Mutex::new(pipe)))
}

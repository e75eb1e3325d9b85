//! The guard: a process of our own that ends what is left when this one is killed.
//!
//! A child dies with its parent, but what it has started does not, and nobody is left to delete folders. So the program
//! starts itself once more before its first child, and tells that one over a pipe what it has begun and what has ended.
//! When the pipe is closed the guard ends the rest. It says nothing, and has nothing to do where all ended in good order.

use std::ffi::OsString;
use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Command, Stdio};
use std::sync::{Mutex, OnceLock, PoisonError};

use serde::{Deserialize, Serialize};

/// The command that becomes a guard.
static COMMAND: OnceLock<(PathBuf, OsString)> = OnceLock::new();

/// The pipe to the guard, and its process; `None` where it could not be started, which is no reason to do nothing.
static GUARD: OnceLock<Option<(u32, Mutex<ChildStdin>)>> = OnceLock::new();

/// What the guard is told, one a line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum News {
    /// A family was started: its group and its mark.
    Started(Option<i32>, String),
    /// The family with this mark has ended.
    Ended(String),
    /// A folder is to be deleted.
    Made(PathBuf),
    /// It has been.
    Deleted(PathBuf),
}

/// Has this program guarded from its first child on: `program ARGUMENT` must call [`stand`].
pub fn guard_with(program: PathBuf, argument: OsString) {
    let _ = COMMAND.set((program, argument));
}

/// What the guard does: it listens until nobody can speak any more, and then ends what is left.
pub fn stand() {
    let mut families: Vec<(Option<i32>, String)> = Vec::new();
    let mut folders: Vec<PathBuf> = Vec::new();
    for line in io::stdin().lock().lines().map_while(Result::ok) {
        match serde_json::from_str(&line) {
            Ok(News::Started(group, mark)) => families.push((group, mark)),
            Ok(News::Ended(mark)) => families.retain(|(_, other)| *other != mark),
            Ok(News::Made(folder)) => folders.push(folder),
            Ok(News::Deleted(folder)) => folders.retain(|other| *other != folder),
            Err(_) => {}
        }
    }
    for (group, mark) in families {
        super::family::end_left(group, mark);
    }
    for folder in folders {
        let _ = std::fs::remove_dir_all(folder);
    }
}

/// Tells the guard, where there is one. It is started with the first news.
pub(crate) fn tell(news: &News) {
    let Some((program, argument)) = COMMAND.get() else { return };
    let guard = GUARD.get_or_init(|| start(program, argument).ok());
    if let (Some((_, pipe)), Ok(mut line)) = (guard, serde_json::to_string(news)) {
        line.push('\n');
        // A guard that was killed guards nothing; the debate goes on.
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
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn()?;
    let pipe = child.stdin.take().ok_or(io::ErrorKind::BrokenPipe)?;
    Ok((child.id(), Mutex::new(pipe)))
}

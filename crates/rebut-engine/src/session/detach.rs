//! Workers: a debate that is left to run on its own is taken over by another process of this same program, which ends with
//! the debate, with its budget, or at a choice that is left to the user.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;

use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Command;

use super::{SessionError, Sessions};
use crate::journal::private_file;
use crate::process::settle;
use crate::shelf::Shelved;

/// What a worker prints once it holds the debate.
const TAKEN_OVER: &str = "taken over";

/// The file in the debate's folder that takes what a worker prints to standard error.
const LOG: &str = "worker.log";

/// The exit code of a worker whose debate was cancelled.
const CANCELLED: i32 = 130;

/// Tells the process that started this worker that it holds the debate. That process may be gone, which is all right.
pub fn announce_takeover() {
    let mut output = std::io::stdout().lock();
    let _ = writeln!(output, "{TAKEN_OVER}").and_then(|()| output.flush());
}

/// The last error of the last worker of the debate in this folder.
pub fn worker_error(folder: &Path) -> Option<String> {
    let log = std::fs::read(folder.join(LOG)).ok()?;
    let log = String::from_utf8_lossy(&log);
    log.lines().rev().find_map(|line| line.strip_prefix("error: ")).map(str::to_owned)
}

pub(super) fn forget_log(folder: &Path) {
    // Where it cannot be removed, an old error is shown once more, and nothing is lost.
    let _ = std::fs::remove_file(folder.join(LOG));
}

impl Sessions<'_> {
    /// Starts a worker and waits until it has taken the debate over. Its log begins anew.
    pub(super) async fn start_worker(&self, shelved: &Shelved, events: u64) -> Result<(), SessionError> {
        let path = shelved.folder.join(LOG);
        let resume = format!("rebut resume {}", shelved.id);
        let cannot = |doing: &str, error: std::io::Error| {
            SessionError::failed(format!("{doing}: {error}")).hint(format!("go on here with: {resume}"))
        };
        let log = new_log(&path).map_err(|error| cannot(&format!("{} cannot be written", path.display()), error))?;
        let mut command = (self.worker)(self.shelf.root(), &shelved.id, events)
            .map_err(|error| cannot("this program cannot be found", error))?;
        settle(&mut command, self.folder);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log);
        let mut worker = Command::from(command).spawn().map_err(|error| cannot("the worker cannot be started", error))?;
        let mut said = String::new();
        if let Some(output) = worker.stdout.take() {
            let read = BufReader::new(output).read_line(&mut said).await;
            read.map_err(|error| cannot("the worker cannot be heard", error))?;
        }
        if said.trim_end() == TAKEN_OVER {
            return Ok(());
        }
        // It has ended before it began; its log says why.
        let ended = worker.wait().await.ok().and_then(|status| status.code());
        let why = worker_error(&shelved.folder).unwrap_or_else(|| "it said nothing".to_owned());
        if ended == Some(CANCELLED) {
            return Err(SessionError::cancelled(why).hint(format!("go on with: {resume}")));
        }
        Err(SessionError::failed(format!("the worker could not take the debate over: {why}"))
            .hint(format!("what it said is in {}", path.display()))
            .hint(format!("go on here with: {resume}")))
    }
}

fn new_log(path: &Path) -> std::io::Result<File> {
    private_file().create(true).write(true).truncate(true).open(path)
}

//! Workers: a debate that is left to run on its own is taken over by another process of this same program, which ends with
//! the debate, with its budget, or at a choice that is left to the user.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use rebut_core::debate::DebateId;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Command;

use super::{SessionError, Sessions};
use crate::config::STORE_VARIABLE;
use crate::process::settle;
use crate::runner::Runner;
use crate::store::Queued;
use crate::store::files::{create_folder, private_file};

/// What a worker prints once it holds the debate.
const TAKEN_OVER: &str = "taken over";

/// The file in the debate's folder of this machine that takes what a worker prints to standard error.
const LOG: &str = "worker.log";

/// The exit code of a worker whose debate was cancelled.
const CANCELLED: i32 = 130;

/// Tells the process that started this worker that it holds the debate. That process may be gone, which is all right.
pub fn announce_takeover() {
    let mut output = std::io::stdout().lock();
    let _ = writeln!(output, "{TAKEN_OVER}").and_then(|()| output.flush());
}

/// The last error of the last worker of a debate.
pub fn worker_error(state: &Path, id: &DebateId) -> Option<String> {
    let log = std::fs::read(state.join(id.as_str()).join(LOG)).ok()?;
    let log = String::from_utf8_lossy(&log);
    log.lines().rev().find_map(|line| line.strip_prefix("error: ")).map(str::to_owned)
}

impl Sessions<'_> {
    pub(super) fn forget_worker(&self, id: &DebateId) {
        // If it cannot be removed, an old error is shown once more, and nothing is lost.
        let _ = std::fs::remove_file(self.worker_log(id));
    }

    fn worker_log(&self, id: &DebateId) -> PathBuf {
        self.state.join(id.as_str()).join(LOG)
    }

    /// Gives a claim up for a worker, and returns once the worker has it.
    pub(super) async fn hand_over(&self, mut runner: Runner) -> Result<(), SessionError> {
        if runner.queue(Queued::Again).await? {
            return Ok(());
        }
        let (id, epoch) = (runner.claim().id().clone(), runner.claim().epoch());
        // The worker waits for the claim.
        drop(runner);
        self.start_worker(&id, epoch).await
    }

    /// Starts a worker and waits until it has taken the debate over. Its log is replaced.
    async fn start_worker(&self, id: &DebateId, epoch: u64) -> Result<(), SessionError> {
        let path = self.worker_log(id);
        let resume = format!("rebut resume {}", id.short());
        let cannot = |doing: &str, error: std::io::Error| {
            SessionError::failed(format!("{doing}: {error}")).hint(format!("continue here with: {resume}"))
        };
        let log = new_log(&path).map_err(|error| cannot(&format!("{} can't be written", path.display()), error))?;
        let mut command =
            (self.worker)(self.state, id, epoch).map_err(|error| cannot("this program can't be found", error))?;
        settle(&mut command, self.folder);
        // Not as an argument, which every user of this machine could read.
        command.envs(self.store.address().map(|address| (STORE_VARIABLE, address)));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log);
        let mut worker = Command::from(command).spawn().map_err(|error| cannot("the worker can't be started", error))?;
        let mut said = String::new();
        if let Some(output) = worker.stdout.take() {
            let read = BufReader::new(output).read_line(&mut said).await;
            read.map_err(|error| cannot("can't read what the worker reports", error))?;
        }
        if said.trim_end() == TAKEN_OVER {
            return Ok(());
        }
        // It has ended before it began; its log says why.
        let ended = worker.wait().await.ok().and_then(|status| status.code());
        let why = worker_error(self.state, id).unwrap_or_else(|| "it said nothing".to_owned());
        if ended == Some(CANCELLED) {
            return Err(SessionError::cancelled(why).hint(format!("continue with: {resume}")));
        }
        Err(SessionError::failed(format!("the worker could not take the debate over: {why}"))
            .hint(format!("what it said is in {}", path.display()))
            .hint(format!("continue here with: {resume}")))
    }
}

fn new_log(path: &Path) -> std::io::Result<File> {
    if let Some(folder) = path.parent() {
        create_folder(folder)?;
    }
    private_file().create(true).write(true).truncate(true).open(path)
}

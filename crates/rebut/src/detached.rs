//! Debates that run on their own: the one thing that outlives a command. A worker is this same program, resuming a debate
//! that was begun before; it ends with the debate, with its budget, or at a choice that is left to the person.

use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use rebut_engine::shelf::Shelved;
use serde_json::json;

use crate::desk::Desk;
use crate::error::{CommandError, Exit};

/// What a worker says on standard output once it holds the debate.
const TAKEN_OVER: &str = "taken over";

/// The file in the debate's folder that takes what a worker has to say.
const LOG: &str = "worker.log";

/// Leaves a debate that nobody runs to a worker, and ends once that has taken it over.
pub(crate) fn send_off(desk: &Desk, shelved: &Shelved) -> Result<Exit, CommandError> {
    start_worker(desk, shelved)?;
    let id = &shelved.id;
    desk.screen.text(&format!("{id} runs on its own; follow it with: rebut show {id}\nstop it with: rebut cancel {id}"));
    desk.screen.json(|| json!({ "type": "detached", "id": id, "folder": shelved.folder }));
    Ok(Exit::Done)
}

/// Starts a worker, and waits until it has taken the debate over. Its log begins anew: what an earlier worker had to say is
/// no word on how this one ended.
pub(crate) fn start_worker(desk: &Desk, shelved: &Shelved) -> Result<(), CommandError> {
    let path = shelved.folder.join(LOG);
    let cannot = |doing: &str, error: std::io::Error| {
        CommandError::failed(format!("{doing}: {error}")).hint(format!("go on here with: rebut resume {}", shelved.id))
    };
    let log = private(&path).map_err(|error| cannot(&format!("{} cannot be written", path.display()), error))?;
    let program = std::env::current_exe().map_err(|error| cannot("this program cannot be found", error))?;
    let mut command = Command::new(program);
    command.arg("--state-dir").arg(desk.shelf.root()).args(["--no-color", "resume", shelved.id.as_str(), "--worker"]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log);
    // It leaves this session by itself, which the leader of a group could not.
    let mut worker = command.spawn().map_err(|error| cannot("the worker cannot be started", error))?;
    let mut said = String::new();
    if let Some(output) = worker.stdout.take() {
        BufReader::new(output).read_line(&mut said).map_err(|error| cannot("the worker cannot be heard", error))?;
    }
    if said.trim_end() == TAKEN_OVER {
        return Ok(());
    }
    // It has ended without having begun; what it had to say is in its log.
    let _ = worker.wait();
    let why = last_error(&shelved.folder).unwrap_or_else(|| "it said nothing".to_owned());
    Err(CommandError::failed(format!("the worker could not take the debate over: {why}"))
        .hint(format!("what it said is in {}", path.display()))
        .hint(format!("go on here with: rebut resume {}", shelved.id)))
}

/// Forgets what workers of this debate had to say, because it is taken up here.
pub(crate) fn forget_log(folder: &Path) {
    // Where it cannot be removed, an old error is told once more, and nothing is lost.
    let _ = std::fs::remove_file(folder.join(LOG));
}

/// The last error that the last worker of this debate has told of.
pub(crate) fn last_error(folder: &Path) -> Option<String> {
    let log = std::fs::read(folder.join(LOG)).ok()?;
    let log = String::from_utf8_lossy(&log);
    log.lines().rev().find_map(|line| line.strip_prefix("error: ")).map(str::to_owned)
}

/// Tells whoever started this worker that it holds the debate. That process may be gone, which is all right.
pub(crate) fn tell_taken_over() {
    let mut output = std::io::stdout().lock();
    let _ = writeln!(output, "{TAKEN_OVER}").and_then(|()| output.flush());
}

fn private(path: &Path) -> std::io::Result<std::fs::File> {
    let mut options = OpenOptions::new();
    options.create(true).write(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

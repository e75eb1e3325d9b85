//! Debates that run on their own: the one thing that outlives a command. A worker is this same program, resuming a debate
//! that was begun before; it ends with the debate, with its budget, or at a choice that is left to the person.

use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use rebut_core::debate::Status;
use rebut_engine::clock::Clock;
use rebut_engine::runner::Runner;
use rebut_engine::shelf::Shelved;
use serde_json::json;

use crate::desk::Desk;
use crate::error::{CommandError, Exit};

/// What a worker says on standard output once it holds the debate.
const TAKEN_OVER: &str = "taken over";

/// The file in the debate's folder that takes what a worker has to say.
const LOG: &str = "worker.log";

/// Leaves a debate to a worker, and ends once that has taken it over.
pub(crate) fn send_off(desk: &Desk, shelved: &Shelved, runner: Runner) -> Result<Exit, CommandError> {
    let events = runner.debate().events();
    // The worker waits for the lock.
    drop(runner);
    start_worker(desk, shelved, events)?;
    let id = &shelved.id;
    desk.screen.text(&format!("{id} runs on its own; follow it with: rebut show {id}\nstop it with: rebut cancel {id}"));
    desk.screen.json(|| json!({ "type": "detached", "id": id, "folder": shelved.folder }));
    Ok(Exit::Done)
}

/// Opens a debate that was left with this many events, to go on with it. One that has more by now was cancelled since then,
/// or taken up by somebody else: it is left alone.
pub(crate) fn take_over(shelved: &Shelved, events: u64, clock: Clock) -> Result<(Runner, Option<String>), CommandError> {
    let (runner, note) = Runner::take_over(&shelved.folder, clock, Desk::fault()?)?;
    match runner.debate().status() {
        _ if runner.debate().events() == events => Ok((runner, note)),
        Status::Cancelled => Err(CommandError::cancelled(format!("{} was cancelled before it ran", shelved.id))
            .hint(format!("go on with: rebut resume {}", shelved.id))),
        _ => Err(CommandError::failed(format!("{} was taken up by another process", shelved.id))),
    }
}

/// Starts a worker, and waits until it has taken the debate over. Its log begins anew: what an earlier worker had to say is
/// no word on how this one ended.
fn start_worker(desk: &Desk, shelved: &Shelved, events: u64) -> Result<(), CommandError> {
    let path = shelved.folder.join(LOG);
    let cannot = |doing: &str, error: std::io::Error| {
        CommandError::failed(format!("{doing}: {error}")).hint(format!("go on here with: rebut resume {}", shelved.id))
    };
    let log = private(&path).map_err(|error| cannot(&format!("{} cannot be written", path.display()), error))?;
    let program = std::env::current_exe().map_err(|error| cannot("this program cannot be found", error))?;
    let mut command = Command::new(program);
    command.arg("--state-dir").arg(desk.shelf.root()).args(["--no-color", "resume", shelved.id.as_str()]);
    command.args(["--worker", &events.to_string()]);
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
    let ended = worker.wait().ok().and_then(|status| status.code());
    let why = last_error(&shelved.folder).unwrap_or_else(|| "it said nothing".to_owned());
    if ended == Some(Exit::Cancelled as i32) {
        return Err(CommandError::cancelled(why).hint(format!("go on with: rebut resume {}", shelved.id)));
    }
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

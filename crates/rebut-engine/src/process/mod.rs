//! Supervised children: a program is started, fed, listened to and ended, and nothing of it survives.
//!
//! A child leads a process group of its own. It carries a mark in its environment that everything it starts inherits,
//! so that on Linux even what left the group (a shell in a session of its own) is found and ended. This room knows
//! nothing of what a program says.

mod blocking;
#[cfg(target_os = "linux")]
mod census;
mod companion;
mod environment;
mod family;
pub(crate) mod guard;
pub(crate) mod lending;
mod pipes;
mod removal;
mod settling;
mod starting;
mod temporary;
#[cfg(target_os = "linux")]
mod watch;

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::process::{Child, Command};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

pub(crate) use blocking::{BlockingChild, Input};
pub use companion::{Companion, Spoken};
pub use environment::NESTED_SESSION;
pub(crate) use environment::inherited;
use family::Family;
pub use family::{adopt_orphans, ignores};
pub use guard::{guard_with, stand as stand_guard};
pub use lending::{Kept, take_kept};
use pipes::{Lines, Tail};
pub(crate) use removal::remove;
pub use settling::settle;
pub(crate) use temporary::{TempFolder, temporary_folder};

/// Makes this process the leader of a session of its own: no terminal that is closed, and nobody who ends the group of
/// whoever started it, ends it as well.
pub fn leave_session() {
    // It fails only for one that leads a group already: nobody starts a worker so.
    #[cfg(unix)]
    let _ = rustix::process::setsid();
}

/// The variable that tells how deep debates are nested: a tool that rebut has started, and all it starts, has 1.
const DEPTH: &str = "REBUT_DEPTH";

/// How many debates this process runs inside of. What is no number is taken for one: nobody else sets it.
pub fn depth() -> u32 {
    let set = std::env::var_os(DEPTH).filter(|depth| !depth.is_empty());
    set.map_or(0, |depth| depth.to_str().and_then(|depth| depth.parse().ok()).unwrap_or(1))
}

/// A program to start.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// The folder it runs in.
    pub folder: PathBuf,
    /// Variables that it gets beside those of this process that every program needs.
    pub variables: Vec<(OsString, OsString)>,
    /// What it reads on standard input, which is closed behind it.
    pub input: Vec<u8>,
}

/// How long and how much is put up with.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// How long its first output may take; `None` where a program says nothing before its end.
    pub first_output: Option<Duration>,
    /// How long it may then be silent.
    pub stall: Option<Duration>,
    /// How long it gets to end by itself when it is asked to.
    pub grace: Duration,
    /// How many bytes of standard output are taken.
    pub most_bytes: usize,
}

impl Default for Patience {
    fn default() -> Self {
        Self { first_output: None, stall: None, grace: Duration::from_secs(2), most_bytes: 8 * 1024 * 1024 }
    }
}

/// What somebody who listens says to a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heard {
    /// Go on.
    More,
    /// Go on; it was no output, only a sign of life: it has started, it is still there. It gives nobody more time.
    SignOfLife,
    /// All that matters has been said.
    Enough,
}

/// How a child came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// By itself.
    Exited(ExitStatus),
    /// It had said all that matters and was ended.
    Enough,
    /// It said nothing for so long and was ended.
    Stalled(Duration),
    /// It said more than is taken and was ended.
    TooLarge,
    /// It was ended because the call was cancelled.
    Cancelled,
}

/// What a child left.
#[derive(Clone, Debug)]
pub struct Output {
    /// How it ended.
    pub end: End,
    /// Its standard output, as far as it was taken.
    pub stdout: Vec<u8>,
    /// The end of its standard error.
    pub stderr: Vec<u8>,
}

/// Runs a program to its end, and tells every line of its output as it comes.
///
/// When this returns, the child and everything it started are gone; so they are when it is dropped before that.
pub async fn run(
    launch: &Launch,
    patience: &Patience,
    listen: &mut (dyn FnMut(&str) -> Heard + Send),
    cancel: &CancellationToken,
) -> io::Result<Output> {
    run_hearing_complaints(launch, patience, listen, &mut |_| Heard::More, cancel).await
}

/// The same, with an ear for standard error too: some programs say only there that they try again and again.
pub async fn run_hearing_complaints(
    launch: &Launch,
    patience: &Patience,
    listen: &mut (dyn FnMut(&str) -> Heard + Send),
    complaints: &mut (dyn FnMut(&str) -> Heard + Send),
    cancel: &CancellationToken,
) -> io::Result<Output> {
    let (mut child, mut family) = start(launch)?;
    let input = feed(&mut child, launch.input.clone());
    let mut lines = Lines::new(child.stdout.take(), patience.most_bytes);
    let mut errors = Tail::new(child.stderr.take());
    // Where nothing is said of its first output, silence counts from the first word.
    let mut silence = patience.first_output;
    let mut deadline = silence.map(|wait| Instant::now() + wait);
    let mut status = None;
    let mut closed = false;
    let end = loop {
        let waiting = deadline.unwrap_or_else(|| Instant::now() + Duration::from_hours(24));
        tokio::select! {
            biased;
            () = cancel.cancelled() => break End::Cancelled,
            line = lines.next(), if !lines.ended() => {
                let heard = match line {
                    pipes::Piece::Line(line) => listen(&line),
                    pipes::Piece::TooMuch => break End::TooLarge,
                    pipes::Piece::Ended => Heard::More,
                };
                match heard {
                    Heard::Enough => break End::Enough,
                    Heard::SignOfLife => {}
                    // What is left in the pipe of a child that has ended gives nobody more time.
                    Heard::More if status.is_some() => {}
                    Heard::More => {
                        silence = patience.stall;
                        deadline = silence.map(|wait| Instant::now() + wait);
                    }
                }
            }
            () = errors.read(), if !errors.ended() => {
                if errors.new_lines().iter().any(|line| complaints(line) == Heard::Enough) {
                    break End::Enough;
                }
            }
            exited = child.wait(), if status.is_none() => {
                status = Some(exited?);
                // Something it started may hold the pipe open for ever: what is in it now is all that is waited for.
                deadline = Some(Instant::now() + DRAIN);
            }
            () = tokio::time::sleep_until(waiting), if deadline.is_some() => match status {
                Some(status) => break End::Exited(status),
                // It closed its output and lives on: what it said counts.
                None if lines.ended() => break End::Enough,
                None => break End::Stalled(silence.unwrap_or_default()),
            },
        }
        if let (Some(status), true, true) = (status, lines.ended(), errors.ended()) {
            break End::Exited(status);
        }
        if lines.ended() && status.is_none() && !closed {
            closed = true;
            deadline = Some(Instant::now() + patience.grace);
        }
    };
    input.abort();
    if status.is_none() {
        family.end(&mut child, patience.grace).await;
    } else {
        family.sweep().await;
    }
    let stdout = lines.taken(listen, end);
    Ok(Output { end, stdout, stderr: errors.kept() })
}

/// How long the pipes of a child that has ended are still read.
const DRAIN: Duration = Duration::from_millis(250);

fn start(launch: &Launch) -> io::Result<(Child, Family)> {
    let mark = family::new_mark();
    let mut command = Command::new(&launch.program);
    command.args(&launch.arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    environment::clear(&mut command);
    settle(command.as_std_mut(), &launch.folder);
    command.envs(launch.variables.iter().map(|(name, value)| (name, value))).env(family::MARK, &mark);
    command.env(DEPTH, (depth() + 1).to_string());
    #[cfg(unix)]
    command.process_group(0);
    family::die_with_parent(&mut command);
    let starting = family::starting();
    let child = starting::spawn(command)?;
    let family = Family::of(child.id(), mark);
    drop(starting);
    Ok((child, family))
}

/// Writes the input and closes it. A child that does not read it all is no error.
fn feed(child: &mut Child, input: Vec<u8>) -> tokio::task::JoinHandle<()> {
    let stdin = child.stdin.take();
    tokio::spawn(async move {
        if let Some(mut stdin) = stdin {
            let _ = stdin.write_all(&input).await;
            let _ = stdin.shutdown().await;
        }
    })
}

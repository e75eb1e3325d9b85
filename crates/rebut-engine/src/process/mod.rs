//! Supervised children: a program is started, fed, listened to and ended, and nothing of it survives.
//!
//! A child leads a process group of its own. It carries a mark in its environment that everything it starts inherits, so
//! that on Linux even what left the group (a shell in a session of its own) is found and ended. This module knows nothing
//! of what a program says.

mod blocking;
#[cfg(target_os = "linux")]
mod census;
mod child;
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
use std::process::ExitStatus;
use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

pub use crate::time_limits::TimeLimits;
use crate::time_limits::{Late, Timer};
pub(crate) use blocking::BlockingChild;
pub use child::{Companion, Spoken};
pub(crate) use environment::inherited;
pub use family::{adopt_orphans, ignores};
pub use guard::{guard_with, run_guard};
pub use lending::{Kept, take_kept};
pub(crate) use removal::remove;
pub use settling::settle;
pub(crate) use temporary::{TempFolder, temporary_folder};

/// Makes this process the leader of a session of its own: neither a terminal that closes nor a signal to the group of its
/// parent ends it.
pub fn leave_session() {
    // It fails only for a process that leads a group already, and no worker does.
    let _ = rustix::process::setsid();
}

/// The variable that says how deep debates are nested: a tool that rebut starts, and all it starts, has 1.
const DEPTH: &str = "REBUT_DEPTH";

/// How many debates this process runs inside of. What is not a number counts as one: only rebut sets it.
pub fn depth() -> u32 {
    let set = std::env::var_os(DEPTH).filter(|depth| !depth.is_empty());
    set.map_or(0, |depth| depth.to_str().and_then(|depth| depth.parse().ok()).unwrap_or(1))
}

/// A program to start.
#[derive(Clone, Debug)]
pub struct Launch {
    pub program: PathBuf,
    pub arguments: Vec<OsString>,
    pub folder: PathBuf,
    /// Variables that it gets beside those of this process that every program needs.
    pub variables: Vec<(OsString, OsString)>,
    /// Its standard input.
    pub input: Vec<u8>,
}

/// The limits of a child.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// How long it may be silent. Without a limit for its first output, silence counts from that.
    pub limits: TimeLimits,
    /// How long it gets to end by itself when it is asked to.
    pub grace: Duration,
    /// How many bytes of standard output are read.
    pub most_bytes: usize,
}

impl Default for Patience {
    fn default() -> Self {
        Self { limits: TimeLimits::default(), grace: Duration::from_secs(2), most_bytes: 8 * 1024 * 1024 }
    }
}

/// What a listener says to a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heard {
    More,
    /// It was no output, only a sign that the program runs: it gives no more time.
    SignOfLife,
    /// All that matters has been said.
    Enough,
}

/// How a child came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Exited(ExitStatus),
    /// It had said all that matters and was ended.
    Enough,
    /// It was silent for this long and was ended.
    Stalled(Duration),
    /// It said more than the limit and was ended.
    TooLarge,
    Cancelled,
}

/// What a child left.
#[derive(Clone, Debug)]
pub struct Output {
    pub end: End,
    /// Its standard output, up to the limit.
    pub stdout: Vec<u8>,
    /// The end of its standard error.
    pub stderr: Vec<u8>,
}

/// Runs a program to its end, and hands over every line of its output as it comes.
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

/// The same for standard error too: some programs say only there that they try again and again.
pub async fn run_hearing_complaints(
    launch: &Launch,
    patience: &Patience,
    listen: &mut (dyn FnMut(&str) -> Heard + Send),
    complaints: &mut (dyn FnMut(&str) -> Heard + Send),
    cancel: &CancellationToken,
) -> io::Result<Output> {
    let mut child = Companion::with_input(launch, patience, child::Input::Ends)?;
    let mut timer = Timer::start(patience.limits);
    let end = loop {
        let late = timer.deadline().filter(|_| !child.is_ending());
        let (at, Late(silence)) = late.unwrap_or_else(|| (Instant::now(), Late(Duration::ZERO)));
        tokio::select! {
            biased;
            () = cancel.cancelled() => break End::Cancelled,
            spoken = child.hear() => match spoken {
                Spoken::Line(line) => match listen(&line) {
                    Heard::Enough => break End::Enough,
                    Heard::SignOfLife => {}
                    Heard::More => timer.output(),
                },
                Spoken::Complaint(line) if complaints(&line) == Heard::Enough => break End::Enough,
                Spoken::Complaint(_) => {}
                Spoken::TooMuch => break End::TooLarge,
                Spoken::Ended(Some(status)) => break End::Exited(status),
                // It closed its output and lives on: what it said counts.
                Spoken::Ended(None) => break End::Enough,
            },
            () = tokio::time::sleep_until(at), if late.is_some() => break End::Stalled(silence),
        }
    };
    Ok(Box::pin(child.finish(end, listen)).await)
}

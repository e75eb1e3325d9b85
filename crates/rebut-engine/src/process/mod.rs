//! Supervised children: a program is started, given its input, read and ended, and nothing of it survives.
//!
//! A child leads a process group of its own. It carries a mark in its environment that everything it starts inherits, so
//! that on Linux even what left the group (a shell in a session of its own) is found and ended. This module knows nothing
//! of what a program says.

mod blocking_child;
mod child;
mod environment;
pub(crate) mod guard;
pub(crate) mod lending;
mod pipes;
mod process_tree;
mod processes;
mod temporary;

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

pub use crate::time_limits::TimeLimits;
use crate::time_limits::{Late, Timer};
pub(crate) use blocking_child::BlockingChild;
pub use child::{ChildEvent, Subprocess};
pub(crate) use environment::inherited;
pub use environment::settle;
pub use guard::{guard_with, run_guard};
pub use lending::take_kept;
pub use process_tree::{adopt_orphans, ignores};
pub(crate) use temporary::{TempFolder, remove, temporary_folder};

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

#[derive(Clone, Debug)]
pub struct Launch {
    pub program: PathBuf,
    pub arguments: Vec<OsString>,
    pub folder: PathBuf,
    /// Its variables, beside those that every program needs.
    pub variables: Vec<(OsString, OsString)>,
    pub input: Vec<u8>,
}

#[derive(Clone, Copy, Debug)]
pub struct ChildLimits {
    /// How long it may be silent. Without a limit for the first output, the clock starts with that.
    pub limits: TimeLimits,
    /// How long it may take to exit after SIGTERM.
    pub grace: Duration,
    /// How many bytes of standard output are read.
    pub most_bytes: usize,
}

impl Default for ChildLimits {
    fn default() -> Self {
        Self { limits: TimeLimits::default(), grace: Duration::from_secs(2), most_bytes: 8 * 1024 * 1024 }
    }
}

/// What follows from a line of output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    Continue,
    /// It shows only that the program runs, and extends no limit.
    Idle,
    /// The answer is complete.
    Stop,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Exited(ExitStatus),
    /// Its answer was complete, and it was ended.
    Stopped,
    /// It was silent for this long and was ended.
    Stalled(Duration),
    /// It said more than the limit and was ended.
    TooLarge,
    Cancelled,
}

/// What a child printed, and how it ended.
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
    child_limits: &ChildLimits,
    listen: &mut (dyn FnMut(&str) -> Next + Send),
    cancel: &CancellationToken,
) -> io::Result<Output> {
    run_with_stderr(launch, child_limits, listen, &mut |_| Next::Continue, cancel).await
}

/// The same, with every line of standard error too: some programs report only there that they retry.
pub async fn run_with_stderr(
    launch: &Launch,
    child_limits: &ChildLimits,
    listen: &mut (dyn FnMut(&str) -> Next + Send),
    complaints: &mut (dyn FnMut(&str) -> Next + Send),
    cancel: &CancellationToken,
) -> io::Result<Output> {
    let mut child = Subprocess::start_with_all_input(launch, child_limits)?;
    let mut timer = Timer::start(child_limits.limits);
    let end = loop {
        let event = async {
            match timer.wait(child.next_event()).await {
                // What is left in its pipes still counts, and is soon read.
                Err(_) if child.is_ending() => Ok(child.next_event().await),
                event => event,
            }
        };
        let event = tokio::select! {
            biased;
            () = cancel.cancelled() => break End::Cancelled,
            event = event => event,
        };
        match event {
            Err(Late(silence)) => break End::Stalled(silence),
            Ok(ChildEvent::Line(line)) => match listen(&line) {
                Next::Stop => break End::Stopped,
                Next::Idle => {}
                Next::Continue => timer.output(),
            },
            Ok(ChildEvent::ErrorLine(line)) if complaints(&line) == Next::Stop => break End::Stopped,
            Ok(ChildEvent::ErrorLine(_)) => {}
            Ok(ChildEvent::TooLarge) => break End::TooLarge,
            Ok(ChildEvent::Ended(Some(status))) => break End::Exited(status),
            // It closed its output and lives on: what it printed counts.
            Ok(ChildEvent::Ended(None)) => break End::Stopped,
        }
    };
    Ok(Box::pin(child.finish(end, listen)).await)
}

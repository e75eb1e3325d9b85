//! A child that stays: it is written to and read line by line until it is ended.
//!
//! Its pipes are read only during [`Subprocess::next_event`]; what it prints between two turns waits in them.

use std::io;
use std::process::{ExitStatus, Stdio};
use std::sync::LazyLock;
use std::sync::mpsc::{self, Sender};
use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::runtime::Handle;
use tokio::time::Instant;

use super::pipes::Lines;
use super::process_tree::{ProcessTree, die_with_parent};
use super::{ChildLimits, DEPTH, End, Launch, Next, Output, depth, environment, settle};

/// How long the pipes of a child that has ended are still read: something it started may hold them open forever.
const DRAIN: Duration = Duration::from_millis(250);
/// How much of standard error is kept: its end.
const KEPT_ERRORS: usize = 64 * 1024;

/// A child that stays. Dropping it ends it and everything it started.
pub struct Subprocess {
    child: Child,
    tree: ProcessTree,
    stdin: Option<ChildStdin>,
    /// Input that was not written yet.
    input: Vec<u8>,
    /// Whether standard input is closed after that.
    input_ends: bool,
    output: Lines<ChildStdout>,
    errors: Lines<ChildStderr>,
    most_bytes: usize,
    grace: Duration,
    status: Option<ExitStatus>,
    /// Until when the pipes are still read once it has ended or closed its output.
    drained: Option<Instant>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChildEvent {
    Line(String),
    /// A line on standard error.
    ErrorLine(String),
    /// It printed more in one turn than the limit.
    TooLarge,
    /// It has ended, or will never print anything again; its status if it has one.
    Ended(Option<ExitStatus>),
}

impl Subprocess {
    /// Starts a program; lines that are sent later follow the input of the launch.
    pub fn start(launch: &Launch, child_limits: &ChildLimits) -> io::Result<Self> {
        let mut command = Command::new(&launch.program);
        command.args(&launch.arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.env_clear().envs(environment::for_every_program());
        settle(command.as_std_mut(), &launch.folder);
        command.envs(launch.variables.iter().map(|(name, value)| (name, value)));
        command.env(DEPTH, (depth() + 1).to_string());
        let mut tree = ProcessTree::led_by(command.as_std_mut());
        die_with_parent(&mut command);
        let mut child = spawn(command)?;
        tree.started(child.id());
        Ok(Self {
            stdin: child.stdin.take(),
            input: launch.input.clone(),
            input_ends: false,
            output: Lines::new(child.stdout.take()),
            errors: Lines::new(child.stderr.take()),
            most_bytes: child_limits.most_bytes,
            grace: child_limits.grace,
            status: None,
            drained: None,
            child,
            tree,
        })
    }

    /// The same for a program that gets no other input.
    pub(super) fn start_with_all_input(launch: &Launch, child_limits: &ChildLimits) -> io::Result<Self> {
        let mut subprocess = Self::start(launch, child_limits)?;
        subprocess.input_ends = true;
        subprocess.stdin = subprocess.stdin.filter(|_| !launch.input.is_empty());
        Ok(subprocess)
    }

    pub fn id(&self) -> Option<u32> {
        self.child.id()
    }

    pub fn is_gone(&mut self) -> bool {
        self.status.is_some() || !matches!(self.child.try_wait(), Ok(None))
    }

    /// Whether it has ended or closed its output, and only what is left in its pipes is still read.
    pub(super) fn is_ending(&self) -> bool {
        self.drained.is_some()
    }

    /// Begins a new turn, with its own limit on output.
    pub fn begin_turn(&mut self) {
        self.output.forget();
    }

    /// Adds a line to its input. It is written during [`Self::next_event`], so that a program that writes and does not read
    /// blocks nothing.
    pub fn send_line(&mut self, line: &str) {
        self.input.extend_from_slice(line.as_bytes());
        self.input.push(b'\n');
    }

    /// Waits for the next line of its output or standard error. Safe to cancel.
    pub async fn next_event(&mut self) -> ChildEvent {
        loop {
            if let Some(line) = self.errors.next() {
                return ChildEvent::ErrorLine(line);
            }
            if self.errors.kept().0.len() > 2 * KEPT_ERRORS {
                self.errors.keep_last(KEPT_ERRORS);
            }
            if let Some(line) = self.output.next() {
                return ChildEvent::Line(line);
            }
            if self.output.is_over(self.most_bytes) {
                return ChildEvent::TooLarge;
            }
            if self.output.is_closed() {
                if self.status.is_some() && self.errors.is_closed() {
                    return ChildEvent::Ended(self.status);
                }
                // It closed its output: it may still print errors and end, but not for long.
                let grace = self.grace;
                self.drained.get_or_insert_with(|| Instant::now() + grace);
            }
            let drained = self.drained.unwrap_or_else(Instant::now);
            tokio::select! {
                biased;
                () = self.output.read(), if !self.output.is_closed() => {}
                () = write_some(&mut self.stdin, &mut self.input), if self.stdin.is_some() && !self.input.is_empty() => {
                    if self.input.is_empty() && self.input_ends {
                        self.stdin = None;
                    }
                }
                () = self.errors.read(), if !self.errors.is_closed() => {}
                exited = self.child.wait(), if self.status.is_none() => {
                    self.status = exited.ok();
                    self.drained = Some(Instant::now() + DRAIN);
                }
                () = tokio::time::sleep_until(drained), if self.drained.is_some() => return ChildEvent::Ended(self.status),
            }
        }
    }

    /// The end of its standard error so far.
    pub fn stderr(&self) -> Vec<u8> {
        let (kept, _) = self.errors.kept();
        kept[kept.len().saturating_sub(KEPT_ERRORS)..].to_vec()
    }

    /// Ends it and everything it started: asked first, then killed.
    pub async fn end(mut self) {
        self.stop().await;
    }

    /// The same, and gives what it left. A last line without an end is handed over first, if it exited.
    pub(super) async fn finish(mut self, end: End, listen: &mut (dyn FnMut(&str) -> Next + Send)) -> Output {
        self.stop().await;
        let (stdout, rest) = self.output.kept();
        if matches!(end, End::Exited(_)) && !rest.is_empty() {
            listen(&String::from_utf8_lossy(rest));
        }
        Output { end, stdout: stdout.to_vec(), stderr: self.stderr() }
    }

    async fn stop(&mut self) {
        // A program that reads commands exits at the end of its input.
        self.stdin = None;
        if self.is_gone() {
            self.tree.sweep();
        } else {
            self.tree.end(&mut self.child, self.grace).await;
        }
    }
}

/// The one thread that starts children. On Linux a child is killed when the thread that started it ends, and threads of a
/// runtime come and go.
static STARTER: LazyLock<Sender<Box<dyn FnOnce() + Send>>> = LazyLock::new(|| {
    let (sender, orders) = mpsc::channel::<Box<dyn FnOnce() + Send>>();
    // If it can't be started, no order can be sent.
    let _ = std::thread::Builder::new().name("children".to_owned()).spawn(move || orders.iter().for_each(|start| start()));
    sender
});

fn spawn(mut command: Command) -> io::Result<Child> {
    let runtime = Handle::try_current().map_err(io::Error::other)?;
    let (reply, child) = mpsc::channel();
    let start = move || {
        let _within = runtime.enter();
        let _ = reply.send(command.spawn());
    };
    let sent = STARTER.send(Box::new(start));
    let none = || io::Error::other("the thread that starts children can't be started");
    sent.ok().and_then(|()| child.recv().ok()).ok_or_else(none)?
}

/// Writes what can be written now. That a child reads no more is no error here: it will be seen to end.
async fn write_some(stdin: &mut Option<ChildStdin>, input: &mut Vec<u8>) {
    let Some(pipe) = stdin else { return };
    match pipe.write(input).await {
        Ok(written) if written > 0 => drop(input.drain(..written)),
        _ => {
            *stdin = None;
            input.clear();
        }
    }
}

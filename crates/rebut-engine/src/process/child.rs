//! A child that stays: it is spoken to and heard line by line until it is ended.
//!
//! Its pipes are read only while it is heard; what it says between two turns waits in them.

use std::collections::VecDeque;
use std::io;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::process::{Child, ChildStdin, Command};
use tokio::time::Instant;

use super::family::{self, Family};
use super::pipes::{Lines, Piece, Tail};
use super::{DEPTH, End, Heard, Launch, Output, Patience, depth, environment, settle, starting};

/// How long the pipes of a child that has ended are still read: something it started may hold them open for ever.
const DRAIN: Duration = Duration::from_millis(250);

/// A child that stays. Dropping it ends it and everything it started.
pub struct Companion {
    // Before the family, so that the leader is asked to die first and the family finds nothing new.
    child: Child,
    family: Family,
    stdin: Option<ChildStdin>,
    /// What it was told and has not read yet.
    unread: Vec<u8>,
    input: Input,
    lines: Lines,
    errors: Tail,
    grace: Duration,
    status: Option<ExitStatus>,
    /// Until when the pipes are still read once it has ended or closed its output.
    drained: Option<Instant>,
    complaints: VecDeque<String>,
}

/// Whether a child is told more than its first input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Input {
    Ends,
    GoesOn,
}

/// Something that a companion did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Spoken {
    Line(String),
    /// A line on standard error.
    Complaint(String),
    /// It said more in one turn than the limit.
    TooMuch,
    /// It has ended, or will never say anything again; its status where it has one.
    Ended(Option<ExitStatus>),
}

impl Companion {
    /// Starts a program. The input of the launch is the first that it is told; it may be told more.
    pub fn start(launch: &Launch, patience: &Patience) -> io::Result<Self> {
        Self::with_input(launch, patience, Input::GoesOn)
    }

    pub(super) fn with_input(launch: &Launch, patience: &Patience, input: Input) -> io::Result<Self> {
        let (mut child, family) = start(launch)?;
        let stdin = child.stdin.take().filter(|_| input == Input::GoesOn || !launch.input.is_empty());
        let lines = Lines::new(child.stdout.take(), patience.most_bytes);
        let errors = Tail::new(child.stderr.take());
        let (unread, complaints) = (launch.input.clone(), VecDeque::new());
        let (status, drained, grace) = (None, None, patience.grace);
        Ok(Self { child, family, stdin, unread, input, lines, errors, grace, status, drained, complaints })
    }

    pub fn id(&self) -> Option<u32> {
        self.child.id()
    }

    pub fn is_gone(&mut self) -> bool {
        self.status.is_some() || !matches!(self.child.try_wait(), Ok(None))
    }

    /// Whether it has ended or closed its output, and only what is left in its pipes is still heard.
    pub(super) fn is_ending(&self) -> bool {
        self.drained.is_some()
    }

    /// Begins a new turn: what was said is forgotten, and as much as before may be said again.
    pub fn begin_turn(&mut self) {
        self.lines.forget();
    }

    /// Tells it a line. It is written while the companion is [heard](Self::hear), so that one that writes and does not
    /// read blocks nothing.
    pub fn tell(&mut self, line: &str) {
        self.unread.extend_from_slice(line.as_bytes());
        self.unread.push(b'\n');
    }

    /// Waits for the next line of its output or its complaints. Safe to cancel.
    pub async fn hear(&mut self) -> Spoken {
        loop {
            if let Some(complaint) = self.complaints.pop_front() {
                return Spoken::Complaint(complaint);
            }
            if self.lines.ended() {
                if self.status.is_some() && self.errors.ended() {
                    return Spoken::Ended(self.status);
                }
                // It closed its output: it may still complain and end, but not for long.
                let grace = self.grace;
                self.drained.get_or_insert_with(|| Instant::now() + grace);
            }
            let drained = self.drained.unwrap_or_else(Instant::now);
            tokio::select! {
                biased;
                piece = self.lines.next(), if !self.lines.ended() => match piece {
                    Piece::Line(line) => return Spoken::Line(line),
                    Piece::TooMuch => return Spoken::TooMuch,
                    Piece::Ended => {}
                },
                () = write_some(&mut self.stdin, &mut self.unread), if self.stdin.is_some() && !self.unread.is_empty() => {
                    if self.unread.is_empty() && self.input == Input::Ends {
                        self.stdin = None;
                    }
                }
                () = self.errors.read(), if !self.errors.ended() => self.complaints.extend(self.errors.new_lines()),
                exited = self.child.wait(), if self.status.is_none() => {
                    self.status = exited.ok();
                    self.drained = Some(Instant::now() + DRAIN);
                }
                () = tokio::time::sleep_until(drained), if self.drained.is_some() => return Spoken::Ended(self.status),
            }
        }
    }

    /// The end of its standard error so far.
    pub fn complaints(&self) -> Vec<u8> {
        self.errors.kept()
    }

    /// Ends it and everything it started: asked first, then killed.
    pub async fn end(mut self) {
        self.stop().await;
    }

    /// The same, and gives what it left.
    pub(super) async fn finish(mut self, end: End, listen: &mut (dyn FnMut(&str) -> Heard + Send)) -> Output {
        self.stop().await;
        Output { end, stdout: self.lines.taken(listen, end), stderr: self.errors.kept() }
    }

    async fn stop(&mut self) {
        // A program that reads commands ends by itself when there will be no more.
        self.stdin = None;
        if self.is_gone() {
            self.family.sweep().await;
        } else {
            self.family.end(&mut self.child, self.grace).await;
        }
    }
}

fn start(launch: &Launch) -> io::Result<(Child, Family)> {
    let mark = family::new_mark();
    let mut command = Command::new(&launch.program);
    command.args(&launch.arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    command.env_clear().envs(environment::for_every_program());
    settle(command.as_std_mut(), &launch.folder);
    command.envs(launch.variables.iter().map(|(name, value)| (name, value))).env(family::MARK, &mark);
    command.env(DEPTH, (depth() + 1).to_string()).process_group(0);
    family::die_with_parent(&mut command);
    let starting = family::starting();
    let child = starting::spawn(command)?;
    let family = Family::of(child.id(), mark);
    drop(starting);
    family.announce();
    Ok((child, family))
}

/// Writes what can be written now. A child that reads no more is no error here: it is heard to end.
async fn write_some(stdin: &mut Option<ChildStdin>, unread: &mut Vec<u8>) {
    let Some(pipe) = stdin else { return };
    match pipe.write(unread).await {
        Ok(written) if written > 0 => drop(unread.drain(..written)),
        _ => {
            *stdin = None;
            unread.clear();
        }
    }
}

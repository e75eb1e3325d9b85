//! A child that stays: it is spoken to and heard line by line until it is ended.
//!
//! It has the same guarantees as a child that is [`run`](super::run): a group and a mark of its own, its complaints kept
//! by their end, its output capped, and nothing of it survives. Nobody reads its pipes between two turns; what it says
//! then waits in them.

use std::collections::VecDeque;
use std::io;
use std::process::ExitStatus;
use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::process::{Child, ChildStdin};
use tokio::time::Instant;

use super::family::Family;
use super::pipes::{Lines, Piece, Tail};
use super::{DRAIN, Launch, Patience, start};

/// A child that stays. Dropping it ends it and everything it started.
pub struct Companion {
    // Before the family, so that the leader is asked to die first and the family finds nothing new.
    child: Child,
    family: Family,
    stdin: Option<ChildStdin>,
    /// What it has been told and has not read yet.
    unread: Vec<u8>,
    lines: Lines,
    errors: Tail,
    grace: Duration,
    status: Option<ExitStatus>,
    /// Until when the pipes are still read once it has ended.
    drained: Option<Instant>,
    /// What it complained and nobody has heard yet.
    complaints: VecDeque<String>,
}

/// Something that a companion did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Spoken {
    /// It said a line.
    Line(String),
    /// It said a line on standard error.
    Complaint(String),
    /// It said more in one turn than is taken.
    TooMuch,
    /// It has ended, or will never say anything again; its status where it has one.
    Ended(Option<ExitStatus>),
}

impl Companion {
    /// Starts a program. The input of the launch is the first that it is told; it may be told more.
    pub fn start(launch: &Launch, patience: &Patience) -> io::Result<Self> {
        let (mut child, family) = start(launch)?;
        let lines = Lines::new(child.stdout.take(), patience.most_bytes);
        let errors = Tail::new(child.stderr.take());
        Ok(Self {
            stdin: child.stdin.take(),
            child,
            family,
            unread: launch.input.clone(),
            lines,
            errors,
            grace: patience.grace,
            status: None,
            drained: None,
            complaints: VecDeque::new(),
        })
    }

    /// Its process, as long as it lives.
    pub fn id(&self) -> Option<u32> {
        self.child.id()
    }

    /// Whether it has ended.
    pub fn is_gone(&mut self) -> bool {
        self.status.is_some() || !matches!(self.child.try_wait(), Ok(None))
    }

    /// Begins a new turn: what was said is forgotten, and as much as before may be said again.
    pub fn begin_turn(&mut self) {
        self.lines.forget();
    }

    /// Tells it a line. It is written while the companion is [heard](Self::hear), so that one that writes and does not
    /// read blocks nobody.
    pub fn tell(&mut self, line: &str) {
        self.unread.extend_from_slice(line.as_bytes());
        self.unread.push(b'\n');
    }

    /// Waits for the next line, of its answer or of its complaints. Safe to give up and begin again.
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
                self.drained.get_or_insert_with(|| Instant::now() + DRAIN);
            }
            let drained = self.drained.unwrap_or_else(Instant::now);
            tokio::select! {
                biased;
                piece = self.lines.next(), if !self.lines.ended() => match piece {
                    Piece::Line(line) => return Spoken::Line(line),
                    Piece::TooMuch => return Spoken::TooMuch,
                    Piece::Ended => {}
                },
                () = write_some(&mut self.stdin, &mut self.unread), if self.stdin.is_some() && !self.unread.is_empty() => {}
                () = self.errors.read(), if !self.errors.ended() => self.complaints.extend(self.errors.new_lines()),
                exited = self.child.wait(), if self.status.is_none() => {
                    self.status = exited.ok();
                    // Something it started may hold the pipe open for ever: what is in it now is all that is waited for.
                    self.drained = Some(Instant::now() + DRAIN);
                }
                () = tokio::time::sleep_until(drained), if self.drained.is_some() => return Spoken::Ended(self.status),
            }
        }
    }

    /// The end of what it complained so far.
    pub fn complaints(&self) -> Vec<u8> {
        self.errors.kept()
    }

    /// Ends it and everything it started: asked first, then made to.
    pub async fn end(mut self) {
        // A program that reads commands ends by itself when there will be no more.
        self.stdin = None;
        if self.is_gone() {
            self.family.sweep().await;
        } else {
            self.family.end(&mut self.child, self.grace).await;
        }
    }
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

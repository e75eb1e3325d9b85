//! A child's output, line by line and limited, and the end of its standard error.

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{ChildStderr, ChildStdout};

use super::{End, Heard};

/// How much of standard error is kept.
const KEPT_ERRORS: usize = 64 * 1024;

pub(super) enum Piece {
    Line(String),
    TooMuch,
    Ended,
}

/// Standard output, line by line.
pub(super) struct Lines {
    pipe: Option<ChildStdout>,
    taken: Vec<u8>,
    /// How much of `taken` was handed over.
    told: usize,
    /// How much of it was searched for the end of a line.
    searched: usize,
    most: usize,
}

impl Lines {
    pub(super) fn new(pipe: Option<ChildStdout>, most: usize) -> Self {
        Self { pipe, taken: Vec::new(), told: 0, searched: 0, most }
    }

    pub(super) fn ended(&self) -> bool {
        self.pipe.is_none() && !self.taken[self.searched..].contains(&b'\n')
    }

    /// The next line. Safe to cancel.
    pub(super) async fn next(&mut self) -> Piece {
        loop {
            if let Some(end) = self.line_end() {
                let line = String::from_utf8_lossy(&self.taken[self.told..end]).into_owned();
                self.told = end + 1;
                self.searched = self.told;
                return Piece::Line(line);
            }
            let Some(pipe) = &mut self.pipe else { return Piece::Ended };
            if !read_some(pipe, &mut self.taken).await {
                self.pipe = None;
            } else if self.taken.len() > self.most {
                self.pipe = None;
                self.taken.truncate(self.most);
                return Piece::TooMuch;
            }
        }
    }

    /// Drops the lines handed over, so that as much as before may be read again.
    pub(super) fn forget(&mut self) {
        self.taken.drain(..self.told);
        self.searched -= self.told;
        self.told = 0;
    }

    /// All that was read. A last line without an end is handed over first, if the child exited.
    pub(super) fn taken(self, listen: &mut (dyn FnMut(&str) -> Heard + Send), end: End) -> Vec<u8> {
        if matches!(end, End::Exited(_)) && self.told < self.taken.len() {
            listen(&String::from_utf8_lossy(&self.taken[self.told..]));
        }
        self.taken
    }

    fn line_end(&mut self) -> Option<usize> {
        let found = self.taken[self.searched..].iter().position(|byte| *byte == b'\n').map(|at| self.searched + at);
        self.searched = found.unwrap_or(self.taken.len());
        found
    }
}

/// Standard error: read to its end so that the child never blocks; only its last part is kept.
pub(super) struct Tail {
    pipe: Option<ChildStderr>,
    kept: Vec<u8>,
    /// How much of `kept` was handed over.
    told: usize,
    /// How much of it was searched for the end of a line.
    searched: usize,
}

impl Tail {
    pub(super) fn new(pipe: Option<ChildStderr>) -> Self {
        Self { pipe, kept: Vec::new(), told: 0, searched: 0 }
    }

    pub(super) fn ended(&self) -> bool {
        self.pipe.is_none()
    }

    pub(super) async fn read(&mut self) {
        let Some(pipe) = &mut self.pipe else { return };
        if !read_some(pipe, &mut self.kept).await {
            self.pipe = None;
        }
        if self.kept.len() > 2 * KEPT_ERRORS {
            let cut = self.kept.len() - KEPT_ERRORS;
            self.kept.drain(..cut);
            self.told = self.told.saturating_sub(cut);
            self.searched = self.searched.saturating_sub(cut);
        }
    }

    /// The lines completed since the last call.
    pub(super) fn new_lines(&mut self) -> Vec<String> {
        let found = self.kept[self.searched..].iter().rposition(|byte| *byte == b'\n');
        let end = found.map(|at| self.searched + at + 1);
        self.searched = self.kept.len();
        let Some(end) = end else { return Vec::new() };
        let lines = String::from_utf8_lossy(&self.kept[self.told..end]).lines().map(str::to_owned).collect();
        self.told = end;
        lines
    }

    pub(super) fn kept(&self) -> Vec<u8> {
        self.kept[self.kept.len().saturating_sub(KEPT_ERRORS)..].to_vec()
    }
}

/// Reads what is there; `false` at the end, and where the pipe is broken.
async fn read_some(pipe: &mut (impl AsyncRead + Unpin), into: &mut Vec<u8>) -> bool {
    pipe.read_buf(into).await.is_ok_and(|bytes| bytes > 0)
}

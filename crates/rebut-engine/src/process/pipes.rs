//! A child's output, line by line.

use tokio::io::{AsyncRead, AsyncReadExt};

/// A pipe that is read line by line; everything read is kept.
pub(super) struct Lines<P> {
    pipe: Option<P>,
    kept: Vec<u8>,
    /// How much of it was handed over as lines.
    given: usize,
    /// How much of it was searched for the end of a line.
    searched: usize,
}

impl<P: AsyncRead + Unpin> Lines<P> {
    pub(super) fn new(pipe: Option<P>) -> Self {
        Self { pipe, kept: Vec::new(), given: 0, searched: 0 }
    }

    pub(super) fn is_closed(&self) -> bool {
        self.pipe.is_none()
    }

    /// The next whole line of what was read.
    pub(super) fn next(&mut self) -> Option<String> {
        let found = self.kept[self.searched..].iter().position(|byte| *byte == b'\n');
        let Some(end) = found.map(|at| self.searched + at) else {
            self.searched = self.kept.len();
            return None;
        };
        let line = String::from_utf8_lossy(&self.kept[self.given..end]).into_owned();
        (self.given, self.searched) = (end + 1, end + 1);
        Some(line)
    }

    /// Reads some more. Safe to cancel.
    pub(super) async fn read(&mut self) {
        let Some(pipe) = &mut self.pipe else { return };
        if !pipe.read_buf(&mut self.kept).await.is_ok_and(|bytes| bytes > 0) {
            self.pipe = None;
        }
    }

    /// Closes the pipe if more than this was read, and drops the rest.
    pub(super) fn is_over(&mut self, most: usize) -> bool {
        let is_over = self.pipe.is_some() && self.kept.len() > most;
        if is_over {
            self.pipe = None;
            self.kept.truncate(most);
            (self.given, self.searched) = (self.given.min(most), self.searched.min(most));
        }
        is_over
    }

    /// Drops what came before the last this many bytes.
    pub(super) fn keep_last(&mut self, most: usize) {
        self.drop_first(self.kept.len().saturating_sub(most));
    }

    /// Drops the lines that were handed over.
    pub(super) fn forget(&mut self) {
        self.drop_first(self.given);
    }

    /// All that was kept, and what of it was not handed over as a line.
    pub(super) fn kept(&self) -> (&[u8], &[u8]) {
        (&self.kept, &self.kept[self.given..])
    }

    fn drop_first(&mut self, bytes: usize) {
        self.kept.drain(..bytes);
        self.given = self.given.saturating_sub(bytes);
        self.searched = self.searched.saturating_sub(bytes);
    }
}

//! Contents that git holds and the folder does not: files that a sparse checkout leaves out.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use super::Why;
use super::inside::Gist;
use crate::workspace::git::command;

/// How far a NUL byte is looked for, as in files.
const BINARY_WITHIN: usize = 8 * 1024;

/// A git that hands out objects, one at a time. It fetches none.
pub(super) struct Objects {
    git: Child,
    ask: ChildStdin,
    answer: BufReader<ChildStdout>,
}

impl Objects {
    /// Of the repository of this folder.
    pub(super) fn of(repository: &Path) -> io::Result<Self> {
        let mut git = command(repository)
            .args(["cat-file", "--batch"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        match (git.stdin.take(), git.stdout.take()) {
            (Some(ask), Some(answer)) => Ok(Self { git, ask, answer: BufReader::new(answer) }),
            _ => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    /// Reads an object into the buffer, unless it has more than `most` bytes; what the buffer holds is said.
    pub(super) fn read(&mut self, object: &str, most: u64, buffer: &mut Vec<u8>) -> io::Result<Gist> {
        buffer.clear();
        writeln!(self.ask, "{object}")?;
        self.ask.flush()?;
        let mut header = String::new();
        self.answer.read_line(&mut header)?;
        let mut words = header.split_whitespace();
        let size = match (words.next(), words.next(), words.next()) {
            (Some(_), Some("blob"), Some(size)) => size.parse::<u64>().map_err(io::Error::other)?,
            (Some(_), Some("missing"), _) => return Ok(Gist::Left(Why::Unfetched, 0)),
            _ => return Err(io::Error::other("git's answer cannot be read")),
        };
        let left = if size > most {
            io::copy(&mut (&mut self.answer).take(size), &mut io::sink())?;
            Some(Why::TooLarge)
        } else {
            (&mut self.answer).take(size).read_to_end(buffer)?;
            buffer[..buffer.len().min(BINARY_WITHIN)].contains(&0).then_some(Why::Binary)
        };
        // A newline ends every object.
        self.answer.read_exact(&mut [0])?;
        Ok(left.map_or(Gist::Text { unsteady: false }, |why| Gist::Left(why, size)))
    }
}

impl Drop for Objects {
    fn drop(&mut self) {
        // It would end by itself when nobody asks any more; nobody waits for that.
        let _ = self.git.kill();
        let _ = self.git.wait();
    }
}

//! Contents from git's objects: files of a commit, and those that a sparse checkout leaves out.

use std::io::{self, BufRead, BufReader, Read};
use std::path::PathBuf;

use super::walker::{BINARY_WITHIN, FileRead};
use super::{PinError, Why};
use crate::workspace::git::{Conversation, Git, GitCommand};

#[derive(Debug)]
pub(super) struct Contents {
    repositories: Vec<PathBuf>,
    /// The last `git cat-file` and its repository.
    open: Option<(usize, BufReader<Conversation>)>,
}

impl Contents {
    /// Git is started with the first read.
    pub(super) fn of(repositories: Vec<PathBuf>) -> Self {
        Self { repositories, open: None }
    }

    /// Reads an object of at most `most` bytes into the buffer. Nothing is fetched: what a partial clone lacks is left out.
    pub(super) fn read(
        &mut self,
        repository: usize,
        object: &str,
        most: u64,
        buffer: &mut Vec<u8>,
    ) -> Result<FileRead, PinError> {
        let git = match self.open.take() {
            Some((open, git)) if open == repository => git,
            _ => {
                let ask = Git::at(&self.repositories[repository]);
                BufReader::new(ask.ask(GitCommand::CatFile, ["--batch"]).converse()?)
            }
        };
        let (_, git) = self.open.insert((repository, git));
        if let Ok(content) = read(git, object, most, buffer) {
            return Ok(content);
        }
        // Git ended over this object; another is started for the next.
        self.open = None;
        Ok(FileRead::Left(Why::Unreadable, 0))
    }
}

fn read(git: &mut BufReader<Conversation>, object: &str, most: u64, buffer: &mut Vec<u8>) -> io::Result<FileRead> {
    buffer.clear();
    git.get_mut().tell(object)?;
    let mut header = String::new();
    git.read_line(&mut header)?;
    let mut words = header.split_whitespace();
    let size = match (words.next(), words.next(), words.next()) {
        (Some(_), Some("blob"), Some(size)) => size.parse::<u64>().map_err(io::Error::other)?,
        (Some(_), Some("missing"), _) => return Ok(FileRead::Left(Why::Unfetched, 0)),
        _ => return Err(io::Error::other("git's answer can't be read")),
    };
    let left = if size > most {
        io::copy(&mut git.by_ref().take(size), &mut io::sink())?;
        Some(Why::TooLarge)
    } else {
        git.by_ref().take(size).read_to_end(buffer)?;
        buffer.iter().take(BINARY_WITHIN).any(|byte| *byte == 0).then_some(Why::Binary)
    };
    // A newline ends every object.
    git.read_exact(&mut [0])?;
    Ok(left.map_or(FileRead::Text { unsteady: false }, |why| FileRead::Left(why, size)))
}

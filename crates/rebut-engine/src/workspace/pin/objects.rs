//! Contents that git holds and the folder does not: files that a sparse checkout leaves out.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use super::inside::Gist;
use super::{PinError, Why};
use crate::workspace::git::{Conversation, Git, GitCommand, GitError, as_path};

/// How far a NUL byte is looked for, as in files.
const BINARY_WITHIN: usize = 8 * 1024;

/// So many objects in a row that cannot be read are no accident of one file.
const MOST_BROKEN: usize = 5;

/// The contents of several repositories.
#[derive(Debug)]
pub(super) struct Contents {
    repositories: Vec<PathBuf>,
    /// The git that was asked last, and of which repository.
    open: Option<(usize, Objects)>,
    /// Which of the repositories leave contents out, as far as that was asked.
    partial: BTreeMap<usize, bool>,
    /// Where git keeps which content each of their files has, as far as that was asked.
    indexes: BTreeMap<usize, Option<PathBuf>>,
    /// How many objects in a row could not be read.
    broken: usize,
}

impl Contents {
    /// Of these repositories. No git is started before the first is asked for.
    pub(super) fn of(repositories: Vec<PathBuf>) -> Self {
        Self { repositories, open: None, partial: BTreeMap::new(), indexes: BTreeMap::new(), broken: 0 }
    }

    /// Reads an object of at most `most` bytes into the buffer. One that git has not got, or breaks off over, is not fetched
    /// in a clone that leaves contents out; in any other it is broken, and where several in a row are, so is the repository.
    pub(super) fn read(
        &mut self,
        repository: usize,
        object: &str,
        most: u64,
        buffer: &mut Vec<u8>,
    ) -> Result<Gist, PinError> {
        let folder = &self.repositories[repository];
        if self.open.as_ref().is_none_or(|(open, _)| *open != repository) {
            self.open = Some((repository, Objects::of(folder)?));
        }
        match self.open.as_mut().map(|(_, git)| git.read(object, most, buffer)) {
            Some(Ok(Gist::Left(Why::Unfetched, _))) => {}
            Some(Ok(gist)) => {
                self.broken = 0;
                return Ok(gist);
            }
            // It is started anew for the next.
            Some(Err(_)) | None => self.open = None,
        }
        if *self.partial.entry(repository).or_insert_with(|| is_partial(folder)) {
            return Ok(Gist::Left(Why::Unfetched, 0));
        }
        self.broken += 1;
        if self.broken >= MOST_BROKEN {
            let folder = folder.display();
            let said = format!("{MOST_BROKEN} objects in a row cannot be read from {folder}; see what `git fsck` says");
            return Err(PinError::Git(said));
        }
        Ok(Gist::Left(Why::Unreadable, 0))
    }

    /// Where git keeps which content each file of a repository has.
    pub(super) fn index(&mut self, repository: usize) -> Option<&Path> {
        let folder = &self.repositories[repository];
        let ask = || {
            let told = Git::at(folder).ask(GitCommand::RevParse, ["--git-path", "index"]).run().ok()?;
            Some(folder.join(as_path(told.strip_suffix(b"\n").unwrap_or(&told))))
        };
        self.indexes.entry(repository).or_insert_with(ask).as_deref()
    }
}

/// Whether a clone leaves contents out, which it would fetch when they are wanted.
fn is_partial(repository: &Path) -> bool {
    let ask = ["--get-regexp", "^(extensions\\.partialclone|remote\\..*\\.promisor)$"];
    Git::at(repository).ask(GitCommand::Config, ask).allowing(&[0, 1]).run().is_ok_and(|found| !found.is_empty())
}

/// A git that hands out objects, one at a time.
#[derive(Debug)]
struct Objects {
    git: BufReader<Conversation>,
}

impl Objects {
    /// Of the repository of this folder.
    fn of(repository: &Path) -> Result<Self, GitError> {
        let git = Git::at(repository).ask(GitCommand::CatFile, ["--batch"]).converse()?;
        Ok(Self { git: BufReader::new(git) })
    }

    /// Reads an object into the buffer, unless it has more than `most` bytes; what the buffer holds is said.
    fn read(&mut self, object: &str, most: u64, buffer: &mut Vec<u8>) -> io::Result<Gist> {
        buffer.clear();
        self.git.get_mut().tell(object)?;
        let mut header = String::new();
        self.git.read_line(&mut header)?;
        let mut words = header.split_whitespace();
        let size = match (words.next(), words.next(), words.next()) {
            (Some(_), Some("blob"), Some(size)) => size.parse::<u64>().map_err(io::Error::other)?,
            (Some(_), Some("missing"), _) => return Ok(Gist::Left(Why::Unfetched, 0)),
            _ => return Err(io::Error::other("git's answer cannot be read")),
        };
        let left = if size > most {
            io::copy(&mut (&mut self.git).take(size), &mut io::sink())?;
            Some(Why::TooLarge)
        } else {
            (&mut self.git).take(size).read_to_end(buffer)?;
            buffer[..buffer.len().min(BINARY_WITHIN)].contains(&0).then_some(Why::Binary)
        };
        // A newline ends every object.
        self.git.read_exact(&mut [0])?;
        Ok(left.map_or(Gist::Text { unsteady: false }, |why| Gist::Left(why, size)))
    }
}

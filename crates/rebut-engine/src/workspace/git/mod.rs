//! The git program: every call of it in rebut goes through this type.
//!
//! Git starts nothing that a repository configures ([`neutral`]), fetches nothing and prompts for nothing. Each call is a supervised
//! process with a limit of time and of output. Filters are off as well, so that of a file that has one (Git LFS, git-crypt)
//! git sees what lies in the folder; what git does by itself, such as ends of lines, it still does.

mod neutral;
mod submodules;

use std::ffi::{OsStr, OsString};
use std::io;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

pub(crate) use neutral::GitCommand;
pub(crate) use submodules::{DEEPEST, checked_out, submodules};

use crate::process::{BlockingChild, inherited, settle};
use crate::redact::redact;

/// The form of every diff: as `git apply` reads it, whatever the user's settings are.
pub(crate) const DIFF: [&str; 8] = [
    "--relative",
    "--find-renames",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "--unified=3",
    "--inter-hunk-context=0",
    "--submodule=short",
    "-O/dev/null",
];

#[derive(Clone, Debug)]
pub(crate) struct Git {
    folder: PathBuf,
    variables: Vec<(OsString, OsString)>,
    /// The names of all filters, to turn them off; asked once.
    filters: OnceLock<Vec<Vec<u8>>>,
}

/// Why git gave no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GitError {
    #[error("git is not installed, or not on the search path")]
    NotInstalled,
    #[error("git can't be started: {0}")]
    NotStarted(String),
    /// Without secrets.
    #[error("git says: {}", .0.lines().next().unwrap_or("nothing").trim())]
    Said(String),
    #[error("git's answer can't be read")]
    Malformed,
    #[error("git did not answer in {} s and was ended", .0.as_secs())]
    Late(Duration),
    #[error("git printed more than {0} bytes and was ended")]
    TooMuch(u64),
    #[error("git was not waited for")]
    Unwanted,
}

impl From<io::Error> for GitError {
    fn from(error: io::Error) -> Self {
        Self::NotStarted(error.to_string())
    }
}

impl From<GitError> for String {
    fn from(error: GitError) -> Self {
        error.to_string()
    }
}

impl GitError {
    /// The same with the first lines of git's message, in one line.
    pub(crate) fn in_full(&self) -> String {
        const LINES: usize = 6;
        let Self::Said(said) = self else { return self.to_string() };
        let said = said.lines().map(|line| line.trim_start_matches("error: ").trim()).filter(|line| !line.is_empty());
        format!("git says: {}", said.take(LINES).collect::<Vec<_>>().join("; "))
    }
}

const LIMIT: Duration = Duration::from_mins(2);
/// How much git may print.
const MOST_PRINTED: u64 = 512 * 1024 * 1024;
/// How often to check for cancellation.
const LOOK: Duration = Duration::from_millis(50);

impl Git {
    /// Git in the repository around this folder.
    pub(crate) fn at(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), variables: Vec::new(), filters: OnceLock::new() }
    }

    /// Git in this folder, without the repository around it.
    pub(crate) fn without_repository(folder: &Path) -> Self {
        let variables = vec![("GIT_DIR".into(), "/dev/null".into())];
        Self { variables, ..Self::at(folder) }
    }

    /// Git without any files but its input.
    pub(crate) fn nowhere() -> Self {
        Self { filters: Vec::new().into(), ..Self::without_repository(Path::new("/")) }
    }

    /// The same with the attributes of a commit or tree: a change must not hide its own files by declaring them binary.
    /// Git before 2.41 ignores it.
    pub(crate) fn with_attributes_of(mut self, tree: &str) -> Self {
        self.variables.push(("GIT_ATTR_SOURCE".into(), tree.into()));
        self
    }

    /// Git for comparing with the commit that is checked out, and its hash; before the first commit, the empty tree's.
    pub(crate) fn against_head(folder: &Path) -> Result<(Self, String), GitError> {
        let git = Self::at(folder);
        let base = git.resolve("HEAD", &|| false)?.map_or_else(|| git.empty_tree(), Ok)?;
        Ok((git.with_attributes_of(&base), base))
    }

    pub(crate) fn ask<S: AsRef<OsStr>>(&self, command: GitCommand, arguments: impl IntoIterator<Item = S>) -> Ask<'_> {
        let arguments = arguments.into_iter().map(|argument| argument.as_ref().to_owned()).collect();
        Ask { git: self, command, arguments, input: Vec::new(), allowed: &[0], most: MOST_PRINTED }
    }

    /// The full hash that a revision stands for, if there is one: with `^{commit}` of a commit that is there, without it of any
    /// name. Git fails for an ambiguous abbreviation.
    pub(crate) fn resolve(&self, revision: &str, unwanted: &dyn Fn() -> bool) -> Result<Option<String>, GitError> {
        let ask = self.ask(GitCommand::RevParse, ["--verify", "--quiet", "--end-of-options", revision]);
        let hash = ask.allowing(&[0, 1]).run_unless(unwanted)?;
        Ok(Some(String::from_utf8_lossy(&hash).trim().to_owned()).filter(|hash| !hash.is_empty()))
    }

    /// The hash of the empty tree.
    pub(crate) fn empty_tree(&self) -> Result<String, GitError> {
        let hash = self.ask(GitCommand::HashObject, ["-t", "tree", "--stdin"]).run()?;
        Ok(String::from_utf8_lossy(&hash).trim().to_owned())
    }

    /// Which of these files have a filter that was not run; none if no filter is defined.
    pub(crate) fn filtered(&self, paths: &[&str]) -> Result<Vec<String>, GitError> {
        let filters = self.filters()?;
        if filters.is_empty() || paths.is_empty() {
            return Ok(Vec::new());
        }
        let names = format!("{}\0", paths.join("\0")).into_bytes();
        let output = self.ask(GitCommand::CheckAttr, ["-z", "--stdin", "filter"]).with_input(names).run()?;
        let fields: Vec<&[u8]> = output.split(|byte| *byte == 0).collect();
        let has_one = fields.chunks_exact(3).filter(|row| filters.iter().any(|filter| *filter == row[2]));
        Ok(has_one.map(|row| String::from_utf8_lossy(row[0]).into_owned()).collect())
    }

    /// The filters that any setting defines.
    fn filters(&self) -> Result<&[Vec<u8>], GitError> {
        if let Some(known) = self.filters.get() {
            return Ok(known);
        }
        let answer = self.ask(GitCommand::Config, neutral::FILTER_KEYS).allowing(&[0, 1]).run()?;
        Ok(self.filters.get_or_init(|| neutral::filters_in(&answer)))
    }

    fn command(&self, command: GitCommand, arguments: &[OsString]) -> Result<Command, GitError> {
        let mut git = Command::new(crate::providers::find_program("git").ok_or(GitError::NotInstalled)?);
        git.env_clear().envs(inherited(&neutral::INHERITED)).envs(neutral::VARIABLES);
        settle(&mut git, &self.folder);
        git.envs(self.variables.iter().map(|(name, value)| (name, value)));
        git.arg("--no-pager").args(neutral::SETTINGS.iter().flat_map(|setting| ["-c", setting]));
        if command.filters() {
            git.args(neutral::without_filters(self.filters()?));
        }
        let (name, flags) = command.words();
        git.arg(name).args(flags).args(arguments);
        Ok(git)
    }
}

/// A question to git.
#[must_use]
pub(crate) struct Ask<'a> {
    git: &'a Git,
    command: GitCommand,
    arguments: Vec<OsString>,
    input: Vec<u8>,
    allowed: &'static [i32],
    most: u64,
}

impl Ask<'_> {
    /// With these further arguments.
    pub(crate) fn with<S: AsRef<OsStr>>(mut self, arguments: impl IntoIterator<Item = S>) -> Self {
        self.arguments.extend(arguments.into_iter().map(|argument| argument.as_ref().to_owned()));
        self
    }

    /// With this on its standard input.
    pub(crate) fn with_input(self, input: Vec<u8>) -> Self {
        Self { input, ..self }
    }

    /// Exit codes that are no failure; by default 0.
    pub(crate) fn allowing(self, allowed: &'static [i32]) -> Self {
        Self { allowed, ..self }
    }

    pub(crate) fn run(self) -> Result<Vec<u8>, GitError> {
        self.run_unless(&|| false)
    }

    /// The same, ended as soon as it is cancelled.
    pub(crate) fn run_unless(self, unwanted: &dyn Fn() -> bool) -> Result<Vec<u8>, GitError> {
        let most = self.most;
        let printed = self.printed(unwanted)?;
        if printed.len() as u64 > most { Err(GitError::TooMuch(most)) } else { Ok(printed) }
    }

    /// Git's output, up to `most` bytes and one more if there is more: git is ended then, which is no failure.
    pub(crate) fn up_to(self, most: u64) -> Result<Vec<u8>, GitError> {
        Self { most, ..self }.printed(&|| false)
    }

    /// Hands over each record of the answer, without the NUL that ends it. An error of `take` ends git.
    pub(crate) fn records<E: From<GitError>>(self, mut take: impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        let mut begun = Vec::new();
        self.pieces(&|| false, |piece| split_records(&mut begun, piece, &mut take).map(ControlFlow::Continue))
    }

    /// A git that stays and answers line by line.
    pub(crate) fn converse(self) -> Result<Conversation, GitError> {
        let command = self.git.command(self.command, &self.arguments)?;
        let child = BlockingChild::start(command, None)?;
        Ok(Conversation { child, rest: Vec::new(), read: 0 })
    }

    fn printed(self, unwanted: &dyn Fn() -> bool) -> Result<Vec<u8>, GitError> {
        let (mut printed, most) = (Vec::new(), self.most);
        self.pieces(unwanted, |piece| {
            printed.extend_from_slice(piece);
            Ok::<_, GitError>(if printed.len() as u64 > most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })?;
        printed.truncate(usize::try_from(most).unwrap_or(usize::MAX).saturating_add(1));
        Ok(printed)
    }

    /// Runs git and hands over its output piece by piece.
    fn pieces<E: From<GitError>>(
        self,
        unwanted: &dyn Fn() -> bool,
        take: impl FnMut(&[u8]) -> Result<ControlFlow<()>, E>,
    ) -> Result<(), E> {
        let command = self.git.command(self.command, &self.arguments)?;
        listen(command, self.input, self.allowed, LIMIT, unwanted, take)
    }
}

/// Hands over each record that ends in a piece; of the last one, what has `begun` is kept.
fn split_records<E>(begun: &mut Vec<u8>, piece: &[u8], take: &mut dyn FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
    let mut parts = piece.split(|byte| *byte == 0).peekable();
    while let Some(part) = parts.next() {
        begun.extend_from_slice(part);
        if parts.peek().is_some() {
            take(begun)?;
            begun.clear();
        }
    }
    Ok(())
}

fn listen<E: From<GitError>>(
    command: Command,
    input: Vec<u8>,
    allowed: &[i32],
    limit: Duration,
    unwanted: &dyn Fn() -> bool,
    mut take: impl FnMut(&[u8]) -> Result<ControlFlow<()>, E>,
) -> Result<(), E> {
    let mut child = BlockingChild::start(command, Some(input)).map_err(GitError::from)?;
    let ends = Instant::now() + limit;
    let left = || ends.saturating_duration_since(Instant::now());
    loop {
        match child.next(left().min(LOOK)) {
            Ok(Some(piece)) => {
                if take(&piece)?.is_break() {
                    return Ok(());
                }
            }
            Ok(None) => break,
            Err(error) if error.kind() != io::ErrorKind::TimedOut => return Err(GitError::from(error).into()),
            Err(_) if unwanted() => return Err(GitError::Unwanted.into()),
            Err(_) if left().is_zero() => return Err(GitError::Late(limit).into()),
            Err(_) => {}
        }
    }
    let (status, said) = child.end(left()).map_err(|error| match error.kind() {
        io::ErrorKind::TimedOut => GitError::Late(limit),
        _ => error.into(),
    })?;
    if status.code().is_some_and(|code| allowed.contains(&code)) {
        return Ok(());
    }
    Err(GitError::Said(redact(&String::from_utf8_lossy(&said)).into_owned()).into())
}

/// A git that stays. Dropping it ends it.
#[derive(Debug)]
pub(crate) struct Conversation {
    child: BlockingChild,
    rest: Vec<u8>,
    /// How much of the rest was read.
    read: usize,
}

impl Conversation {
    pub(crate) fn tell(&mut self, line: &str) -> io::Result<()> {
        self.child.send(format!("{line}\n").as_bytes())
    }
}

impl io::Read for Conversation {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.read == self.rest.len() {
            (self.rest, self.read) = (self.child.next(LIMIT)?.unwrap_or_default(), 0);
        }
        let count = buffer.len().min(self.rest.len() - self.read);
        buffer[..count].copy_from_slice(&self.rest[self.read..self.read + count]);
        self.read += count;
        Ok(count)
    }
}

/// The first words and the path of a line of `ls-files --stage` or `ls-tree`: `100644 blob HASH<tab>PATH`.
pub(crate) fn words_and_path<const N: usize>(record: &[u8]) -> Option<([&str; N], &[u8])> {
    let tab = record.iter().position(|byte| *byte == b'\t')?;
    let words: Vec<&str> = std::str::from_utf8(&record[..tab]).ok()?.split(' ').take(N).collect();
    Some((words.try_into().ok()?, &record[tab + 1..]))
}

/// A path as git prints it.
pub(crate) fn as_path(bytes: &[u8]) -> PathBuf {
    OsStr::from_bytes(bytes).into()
}

#[cfg(test)]
mod tests;

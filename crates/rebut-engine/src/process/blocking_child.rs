//! A supervised child for code that blocks: a program that soon ends and starts no others, such as git.
//!
//! It leads its own process group, which ends with it when it is dropped or, by the guard, when this process is killed.
//! Survivors of a child that exits are not looked for.

use std::io::{self, Read, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use super::process_tree::ProcessTree;

/// A child that is waited for. Dropping it ends it.
#[derive(Debug)]
pub(crate) struct BlockingChild {
    child: Child,
    tree: ProcessTree,
    stdin: Option<ChildStdin>,
    output: Receiver<io::Result<Vec<u8>>>,
    errors: Receiver<Vec<u8>>,
    ended: bool,
}

/// How much of standard error is kept: its beginning.
const KEPT_ERRORS: u64 = 64 * 1024;
/// The size of a piece of standard output, and how many may wait.
const PIECE: usize = 64 * 1024;
const PIECES: usize = 16;

impl BlockingChild {
    /// Starts a program with this standard input; without one it gets what is [sent](Self::send).
    pub(crate) fn start(mut command: Command, input: Option<Vec<u8>>) -> io::Result<Self> {
        let stdin = if input.as_ref().is_some_and(Vec::is_empty) { Stdio::null() } else { Stdio::piped() };
        command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut tree = ProcessTree::led_by(&mut command);
        let mut child = command.spawn()?;
        tree.started(Some(child.id()));
        let (output, errors) = (pieces(child.stdout.take()), beginning(child.stderr.take()));
        let mut stdin = child.stdin.take();
        if let Some(text) = input
            && let Some(mut stdin) = stdin.take()
        {
            // A program that does not read it all is no error.
            std::thread::spawn(move || stdin.write_all(&text));
        }
        Ok(Self { child, tree, stdin, output, errors, ended: false })
    }

    /// The next piece of its output, or none at the end; an error of the kind `TimedOut` if it does not come in time.
    pub(crate) fn next(&mut self, limit: Duration) -> io::Result<Option<Vec<u8>>> {
        match self.output.recv_timeout(limit) {
            Ok(piece) => piece.map(Some),
            Err(RecvTimeoutError::Disconnected) => Ok(None),
            Err(RecvTimeoutError::Timeout) => Err(io::ErrorKind::TimedOut.into()),
        }
    }

    pub(crate) fn send(&mut self, text: &[u8]) -> io::Result<()> {
        let stdin = self.stdin.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        stdin.write_all(text)?;
        stdin.flush()
    }

    /// Waits for a child that has closed its output: how it ended, and the beginning of what it wrote to standard error.
    pub(crate) fn end(mut self, limit: Duration) -> io::Result<(ExitStatus, Vec<u8>)> {
        let ends = Instant::now() + limit;
        let mut pause = Duration::from_micros(50);
        let status = loop {
            if let Some(status) = self.child.try_wait()? {
                break status;
            }
            if Instant::now() > ends {
                return Err(io::ErrorKind::TimedOut.into());
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(20));
        };
        let errors = self.errors.recv_timeout(ends.saturating_duration_since(Instant::now()));
        // If standard error stays open, another process holds it and must be ended.
        self.ended = errors.is_ok();
        Ok((status, errors.unwrap_or_default()))
    }
}

impl Drop for BlockingChild {
    fn drop(&mut self) {
        if self.ended {
            self.tree.left_nothing();
            return;
        }
        self.tree.sweep();
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads a pipe in a thread: another process may hold it open, and is not waited for.
fn pieces(pipe: Option<impl Read + Send + 'static>) -> Receiver<io::Result<Vec<u8>>> {
    let (sender, receiver) = mpsc::sync_channel(PIECES);
    std::thread::spawn(move || {
        let mut pipe = pipe?;
        let mut piece = vec![0; PIECE];
        loop {
            let read = pipe.read(&mut piece);
            if matches!(read, Ok(0)) {
                return Some(());
            }
            sender.send(read.map(|read| piece[..read].to_vec())).ok()?;
        }
    });
    receiver
}

/// Reads a pipe to its end in a thread, so that the child never blocks, and gives its beginning.
fn beginning(pipe: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut text = Vec::new();
        if let Some(mut pipe) = pipe {
            let _ = (&mut pipe).take(KEPT_ERRORS).read_to_end(&mut text);
            let _ = io::copy(&mut pipe, &mut io::sink());
        }
        sender.send(text)
    });
    receiver
}

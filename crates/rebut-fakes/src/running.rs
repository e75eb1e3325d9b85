//! A program that runs, and what it left when it ended.

use std::fmt;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ChildStdout, Command, Output};
use std::thread::JoinHandle;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    pub stdout: String,
    pub stderr: String,
    /// Its exit code, unless a signal ended it.
    pub code: Option<i32>,
    pub signal: Option<i32>,
}

impl Run {
    pub fn of(command: &mut Command) -> Self {
        Self::from(command.output().expect("the program runs"))
    }

    /// The same, if it ended with this exit code; else the test ends with all that it said.
    #[track_caller]
    pub fn exits(self, code: i32) -> Self {
        assert!(self.code == Some(code), "exit code {code} was expected\n{}", self.brief());
        self
    }

    /// Ends the test unless SIGKILL ended the program.
    #[track_caller]
    pub fn was_killed(&self) {
        assert!(self.signal == Some(Signal::KILL.as_raw()), "SIGKILL was expected\n{}", self.brief());
    }

    /// Ends the test unless its standard error holds this.
    #[track_caller]
    pub fn says(self, text: &str) -> Self {
        assert!(self.stderr.contains(text), "`{text}` was expected on standard error\n{}", self.brief());
        self
    }

    /// Ends the test unless its standard output holds this.
    #[track_caller]
    pub fn shows(self, text: &str) -> Self {
        assert!(self.stdout.contains(text), "`{text}` was expected on standard output\n{}", self.brief());
        self
    }

    /// The run with its long lines cut.
    fn brief(&self) -> String {
        let cut = |line: &str| line.chars().take(200).collect::<String>();
        self.to_string().lines().map(cut).collect::<Vec<_>>().join("\n")
    }

    #[track_caller]
    pub fn json_lines(&self) -> Vec<Value> {
        let read = |line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error} in {line}\n{self}"));
        self.stdout.lines().map(read).collect()
    }

    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}\n{self}"))
    }
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        Self {
            stdout: String::from_utf8(output.stdout).expect("UTF-8 on standard output"),
            stderr: String::from_utf8(output.stderr).expect("UTF-8 on standard error"),
            code: output.status.code(),
            signal: output.status.signal(),
        }
    }
}

impl fmt::Display for Run {
    /// The run as snapshots hold it: how it ended, then both streams.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.code, self.signal) {
            (Some(code), _) => writeln!(f, "exit {code}")?,
            (None, signal) => writeln!(f, "signal {}", signal.unwrap_or_default())?,
        }
        for (name, text) in [("stdout", &self.stdout), ("stderr", &self.stderr)] {
            if !text.is_empty() {
                writeln!(f, "----- {name} -----\n{}", text.trim_end_matches('\n'))?;
            }
        }
        Ok(())
    }
}

/// A program that is still at it. It is killed should the test end before it does.
pub struct Running {
    child: Child,
    lines: BufReader<ChildStdout>,
    seen: String,
    errors: Option<JoinHandle<String>>,
}

impl Running {
    pub fn start(command: &mut Command) -> Self {
        let mut child = command.spawn().expect("the program starts");
        let lines = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut stderr = child.stderr.take().expect("a pipe");
        // Read all the time, so that the program never waits for a reader.
        let errors = std::thread::spawn(move || {
            let mut text = String::new();
            stderr.read_to_string(&mut text).map(|_| text).unwrap_or_default()
        });
        Self { child, lines, seen: String::new(), errors: Some(errors) }
    }

    /// Reads JSON lines until one satisfies the test's wish, and gives it.
    pub fn wait_for(&mut self, wish: impl Fn(&Value) -> bool) -> Value {
        loop {
            let mut line = String::new();
            let read = self.lines.read_line(&mut line).expect("a line");
            assert!(read > 0, "the output ended before what the test waits for:\n{}", self.seen);
            self.seen.push_str(&line);
            let value: Value = serde_json::from_str(&line).expect("a JSON line");
            if wish(&value) {
                return value;
            }
        }
    }

    /// Waits until this call has been handed to its seat.
    pub fn wait_until_started(&mut self, key: &str) -> Value {
        self.wait_for(|line| line["happening"]["kind"] == "started" && line["happening"]["key"] == key)
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    pub fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).expect("the signal is sent");
    }

    pub fn end(mut self) -> Run {
        let mut rest = String::new();
        self.lines.read_to_string(&mut rest).expect("the rest of its output");
        let status = self.child.wait().expect("the program ends");
        let stderr = self.errors.take().expect("read once").join().expect("the reader ends");
        let stdout = std::mem::take(&mut self.seen) + &rest;
        Run { stdout, stderr, code: status.code(), signal: status.signal() }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Mostly it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

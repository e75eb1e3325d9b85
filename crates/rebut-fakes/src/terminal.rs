//! A terminal for programs that behave differently on one.

use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::Run;

/// A pseudo-terminal: what the user sees, and where they type.
pub struct Terminal {
    ours: File,
    theirs: File,
}

impl Terminal {
    pub fn open() -> Self {
        let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
        grantpt(&ours).expect("leave to use the terminal");
        unlockpt(&ours).expect("the terminal is unlocked");
        let name = ptsname(&ours, Vec::new()).expect("the terminal's name");
        let theirs = OpenOptions::new().read(true).write(true).open(OsStr::new(name.to_str().expect("a path")));
        Self { ours: ours.into(), theirs: theirs.expect("the terminal's other side") }
    }

    pub fn columns(self, columns: u16) -> Self {
        let size = Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&self.ours, size).expect("a terminal of that size");
        self
    }

    /// Runs a command all of whose output goes to the terminal: what it shows is the run's standard error.
    pub fn show(self, command: &mut Command) -> Run {
        let side = Stdio::from(self.theirs.try_clone().expect("another handle"));
        let run = self.run(command.stdout(side), "");
        Run { code: run.code, signal: run.signal, stdout: String::new(), stderr: run.stderr }
    }

    /// The same for a terminal that takes nothing until this has been done, as after Ctrl-S.
    pub fn show_after(self, command: &mut Command, first: impl FnOnce()) -> Run {
        let side = Stdio::from(self.theirs.try_clone().expect("another handle"));
        self.watch(command.stdout(side), "", first, |_| false)
    }

    /// Runs a command whose input and standard error are the terminal; `typed` is waiting to be read. What it shows there
    /// is the run's standard error.
    pub fn run(self, command: &mut Command, typed: &str) -> Run {
        self.watch(command, typed, || {}, |_| false)
    }

    /// The same, and interrupts it, as Ctrl-C does, as soon as all of this has been shown.
    pub fn run_until_shown(self, command: &mut Command, texts: &[&str]) -> Run {
        self.watch(command, "", || {}, |seen| texts.iter().all(|text| seen.contains(text)))
    }

    /// The same for a command all of whose output goes to the terminal.
    pub fn show_until_shown(self, command: &mut Command, texts: &[&str]) -> Run {
        let side = Stdio::from(self.theirs.try_clone().expect("another handle"));
        self.run_until_shown(command.stdout(side), texts)
    }

    /// Runs a command, does something before anything is read of it, and interrupts it once it has shown enough.
    fn watch(self, command: &mut Command, typed: &str, first: impl FnOnce(), enough: impl Fn(&str) -> bool + Sync) -> Run {
        let Self { mut ours, theirs } = self;
        ours.write_all(typed.as_bytes()).expect("typing");
        let side = || Stdio::from(theirs.try_clone().expect("another handle"));
        let child = command.stdin(side()).stderr(side()).spawn().expect("the program starts");
        let id = Pid::from_child(&child);
        // The command keeps handles of its own; once all are closed, reading ends.
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        drop(theirs);
        first();
        std::thread::scope(|scope| {
            let reader = scope.spawn(|| {
                let mut seen = Vec::new();
                let mut piece = [0; 4096];
                let mut interrupted = false;
                // The end of a terminal is an error on some systems and an empty read on others.
                while let Ok(read @ 1..) = ours.read(&mut piece) {
                    seen.extend_from_slice(&piece[..read]);
                    if !interrupted && enough(&String::from_utf8_lossy(&seen)) {
                        kill_process(id, Signal::INT).expect("the program lives");
                        interrupted = true;
                    }
                }
                String::from_utf8_lossy(&seen).into_owned()
            });
            let output = child.wait_with_output().expect("the program ends");
            Run {
                stdout: String::from_utf8(output.stdout).expect("UTF-8 on standard output"),
                stderr: reader.join().expect("the reader ends"),
                code: output.status.code(),
                signal: output.status.signal(),
            }
        })
    }
}

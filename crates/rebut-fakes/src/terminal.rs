//! A terminal for programs that behave differently on one.

use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::process::{Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::Run;

/// A pseudo-terminal: what the user sees, and where they type.
pub struct Terminal {
    ours: File,
    theirs: File,
    /// What is all shown when the program is interrupted, as by Ctrl-C.
    until: Option<Vec<String>>,
}

impl Terminal {
    pub fn open() -> Self {
        let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
        grantpt(&ours).expect("leave to use the terminal");
        unlockpt(&ours).expect("the terminal is unlocked");
        let name = ptsname(&ours, Vec::new()).expect("the terminal's name");
        let theirs = OpenOptions::new().read(true).write(true).open(OsStr::new(name.to_str().expect("a path")));
        Self { ours: ours.into(), theirs: theirs.expect("the terminal's other side"), until: None }
    }

    pub fn columns(self, columns: u16) -> Self {
        let size = Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&self.ours, size).expect("a terminal of that size");
        self
    }

    /// The same, which interrupts a command as soon as all of this has been shown.
    pub fn until(self, texts: &[&str]) -> Self {
        Self { until: Some(texts.iter().map(|text| (*text).to_owned()).collect()), ..self }
    }

    /// Runs a command all of whose output goes to the terminal: what it shows is the run's standard error.
    pub fn show(self, command: &mut Command) -> Run {
        self.show_after(command, || {})
    }

    /// The same for a terminal that takes nothing until this has been done, as after Ctrl-S.
    pub fn show_after(self, command: &mut Command, first: impl FnOnce()) -> Run {
        let side = Stdio::from(self.theirs.try_clone().expect("another handle"));
        self.watch(command.stdout(side), "", first)
    }

    /// Runs a command whose input and standard error are the terminal; `typed` is waiting to be read. What it shows there
    /// is the run's standard error.
    pub fn run(self, command: &mut Command, typed: &str) -> Run {
        self.watch(command, typed, || {})
    }

    /// Runs a command, and does something before anything is read of it.
    fn watch(self, command: &mut Command, typed: &str, first: impl FnOnce()) -> Run {
        let Self { mut ours, theirs, mut until } = self;
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
                // The end of a terminal is an error on some systems and an empty read on others.
                while let Ok(read @ 1..) = ours.read(&mut piece) {
                    seen.extend_from_slice(&piece[..read]);
                    let shown = String::from_utf8_lossy(&seen);
                    if until.take_if(|texts| texts.iter().all(|text| shown.contains(text.as_str()))).is_some() {
                        kill_process(id, Signal::INT).expect("the program lives");
                    }
                }
                String::from_utf8_lossy(&seen).into_owned()
            });
            let run = Run::from(child.wait_with_output().expect("the program ends"));
            Run { stderr: reader.join().expect("the reader ends"), ..run }
        })
    }
}

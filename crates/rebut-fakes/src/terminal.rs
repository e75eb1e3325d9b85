//! A terminal for programs that behave differently on one.

use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::Run;

/// A pseudo-terminal: what a person sees, and where they type.
pub struct Terminal {
    ours: File,
    theirs: File,
}

impl Terminal {
    /// Opens one.
    pub fn open() -> Self {
        let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
        grantpt(&ours).expect("leave to use the terminal");
        unlockpt(&ours).expect("the terminal is unlocked");
        let name = ptsname(&ours, Vec::new()).expect("the terminal's name");
        let theirs = OpenOptions::new().read(true).write(true).open(OsStr::new(name.to_str().expect("a path")));
        Self { ours: ours.into(), theirs: theirs.expect("the terminal's other side") }
    }

    /// Runs a command whose input and standard error are the terminal; `typed` is waiting to be read. What it shows there
    /// is the run's standard error.
    pub fn run(self, command: &mut Command, typed: &str) -> Run {
        let Self { mut ours, theirs } = self;
        ours.write_all(typed.as_bytes()).expect("typing");
        let side = || Stdio::from(theirs.try_clone().expect("another handle"));
        let child = command.stdin(side()).stderr(side()).spawn().expect("the program starts");
        // The command keeps handles of its own; once all are closed, reading ends.
        command.stdin(Stdio::null()).stderr(Stdio::null());
        drop(theirs);
        let reader = std::thread::spawn(move || {
            let mut seen = Vec::new();
            let mut piece = [0; 4096];
            // The end of a terminal is an error on some systems and an empty read on others.
            while let Ok(read @ 1..) = ours.read(&mut piece) {
                seen.extend_from_slice(&piece[..read]);
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
    }
}

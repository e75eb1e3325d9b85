//! The ways in which a program can be a nuisance.

use std::fs::OpenOptions;
use std::io::{Write, stderr, stdout};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use super::turns::Before;

pub(super) const LINGER: &str = "linger";

/// The name of one that leaves its session first.
pub(super) const LEAVE: &str = "leave";

pub(super) const BEAR: &str = "bear";

/// The file that says which process was started without any variable.
pub(super) const CLEAN: &str = "clean.pid";

/// The file that lets calls go on.
pub(super) const RELEASED: &str = "released";

pub(super) fn misbehave(before: Before, folder: &Path) {
    match before {
        Before::AwaitRelease => {
            while !folder.join(RELEASED).exists() {
                std::thread::sleep(Duration::from_millis(5));
            }
        }
        Before::IgnoreSignals => ignore_signals(),
        Before::ForkAway => fork(LEAVE),
        Before::ForkAwayClean => fork_clean(folder),
        Before::OrphanClean => orphan_clean(folder),
        Before::Fork => fork(LINGER),
        Before::Print200Megabytes => {
            let line = format!("{{\"type\":\"noise\",\"noise\":\"{}\"}}\n", "x".repeat(99_968));
            let mut out = stdout().lock();
            for _ in 0..2_000 {
                // The reader may close the pipe.
                if out.write_all(line.as_bytes()).is_err() {
                    break;
                }
            }
        }
        Before::Flood => flood(),
        Before::SpoilFolder => spoil_folder(),
    }
}

/// Leaves another file, and none of those that were there.
fn spoil_folder() {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(".", std::fs::Permissions::from_mode(0o700)).expect("the folder is ours");
    for entry in std::fs::read_dir(".").expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_file() {
            std::fs::remove_file(path).expect("a file of ours");
        }
    }
    std::fs::write("spoilt.txt", "It was never here.\n").expect("a folder of ours");
}

pub(super) fn live_on() -> ! {
    loop {
        std::thread::sleep(Duration::from_hours(1));
    }
}

pub(super) fn leave_and_live_on() -> ! {
    // The leader of a group can't leave; one that was started by another is none.
    let _ = rustix::process::setsid();
    live_on()
}

pub(super) fn close_output() {
    let nowhere = OpenOptions::new().write(true).open("/dev/null").expect("/dev/null");
    rustix::stdio::dup2_stdout(&nowhere).expect("standard output is closed");
    rustix::stdio::dup2_stderr(&nowhere).expect("standard error is closed");
}

/// A handler of our own takes the place of the end that these signals are.
fn ignore_signals() {
    use tokio::signal::unix::{SignalKind, signal};
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let _inside = runtime.enter();
    for kind in [SignalKind::terminate(), SignalKind::interrupt(), SignalKind::hangup()] {
        let _ = signal(kind).expect("the signal is ignored");
    }
}

#[expect(clippy::zombie_processes, reason = "it is to outlive this one")]
fn fork(name: &str) {
    let program = std::env::current_exe().expect("this program");
    Command::new(program).arg0(name).stdin(Stdio::null()).spawn().expect("another process");
}

/// Another process of this program without any variable; its id is written to the folder.
#[expect(clippy::zombie_processes, reason = "it is to outlive this one")]
pub(super) fn fork_clean(folder: &Path) {
    let child = clean(LEAVE).spawn().expect("another process");
    // It is not left before it has left the group.
    let own = rustix::process::getpgrp();
    let id = rustix::process::Pid::from_child(&child);
    while rustix::process::getpgid(Some(id)).is_ok_and(|group| group == own) {
        std::thread::yield_now();
    }
    // It is there whole or not at all.
    std::fs::write(folder.join("draft"), child.id().to_string()).expect("its number");
    std::fs::rename(folder.join("draft"), folder.join(CLEAN)).expect("its number");
}

/// The same through one that ends before this one goes on.
fn orphan_clean(folder: &Path) {
    assert!(clean(BEAR).arg(folder).status().expect("another process").success());
}

fn clean(name: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.arg0(name).env_clear().stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

fn flood() -> ! {
    std::thread::spawn(|| while stderr().write_all(&[b'e'; 4096]).is_ok() {});
    while stdout().write_all(&[b'o'; 4096]).is_ok() {}
    live_on()
}

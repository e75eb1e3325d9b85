//! The ways in which a program can be a nuisance.

use std::fs::OpenOptions;
use std::io::{Write, stderr, stdout};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use rebut_fakes::stand_in::{Before, CLEAN, RELEASED};

const SLEEP: [&str; 2] = ["/bin/sleep", "1000000"];
const LEAVE: &str = "/usr/bin/setsid";

/// Writes down which process it is, whole or not at all, and never ends.
const CLEAN_ONE: [&str; 3] = ["/bin/sh", "-c", "echo $$ >draft; mv draft clean.pid; exec sleep 1000000"];

/// Starts what follows it, and ends.
const BEAR: [&str; 4] = ["/bin/sh", "-c", "\"$@\" &", "sh"];

pub(crate) fn misbehave(before: Before, folder: &Path) {
    match before {
        Before::AwaitRelease => await_file(&folder.join(RELEASED)),
        Before::IgnoreSignals => ignore_signals(),
        Before::Fork => start(&mut command(&SLEEP)),
        Before::ForkAway => start(&mut command(&[&[LEAVE][..], &SLEEP].concat())),
        Before::ForkAwayClean => start_clean(&[&[LEAVE][..], &CLEAN_ONE].concat(), folder),
        Before::OrphanClean => start_clean(&[&BEAR[..], &[LEAVE], &CLEAN_ONE].concat(), folder),
        Before::Print200Megabytes => {
            let line = format!("{{\"type\":\"noise\",\"noise\":\"{}\"}}\n", "x".repeat(99_968));
            // The reader may close the pipe.
            let _ = (0..2_000).try_for_each(|_| stdout().write_all(line.as_bytes()));
        }
        Before::Flood => {
            std::thread::spawn(|| while stderr().write_all(&[b'e'; 4096]).is_ok() {});
            while stdout().write_all(&[b'o'; 4096]).is_ok() {}
            live_on()
        }
        Before::SpoilFolder => spoil_folder(),
    }
}

/// Leaves another file, and none of those that were there.
fn spoil_folder() {
    let spoil = "chmod 700 . && find . -maxdepth 1 ! -type d -delete && echo 'It was never here.' >spoilt.txt";
    let status = command(&["/bin/sh", "-c", spoil]).env("PATH", "/usr/bin:/bin").status();
    assert!(status.expect("a shell").success(), "the folder is ours");
}

pub(crate) fn live_on() -> ! {
    loop {
        std::thread::sleep(Duration::from_hours(1));
    }
}

pub(crate) fn close_output() {
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

fn command(words: &[&str]) -> Command {
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).stdin(Stdio::null());
    command
}

#[expect(clippy::zombie_processes, reason = "it is to outlive this one")]
fn start(command: &mut Command) {
    command.spawn().expect("another process");
}

/// Starts a process without any variable and waits until it has been written down: it has left the group by then.
fn start_clean(words: &[&str], folder: &Path) {
    let mut command = command(words);
    start(command.current_dir(folder).env_clear().stdout(Stdio::null()).stderr(Stdio::null()));
    await_file(&folder.join(CLEAN));
}

fn await_file(file: &Path) {
    while !file.exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
}

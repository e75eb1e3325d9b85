//! A child and everything that came of it, and how it is ended.

use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitOptions, getpid, kill_process, kill_process_group, waitpid};
use tokio::process::Child;

use super::guard::{Notice, tell};
use super::processes::{self, Process, processes};
use crate::blocking::in_place;

/// The variable that marks a child and everything it starts.
const MARK: &str = "REBUT_CHILD";

/// How long a child that was killed may take to be gone.
const DYING: Duration = Duration::from_secs(5);
/// The wait between two looks at a group.
const MOMENT: Duration = Duration::from_millis(10);
/// How many times to look for survivors.
const MOST_SWEEPS: u64 = 20;

/// A child's process group, and all processes with its mark. Ended when dropped.
#[derive(Debug)]
pub(super) struct ProcessTree {
    /// None before the child is started and once nothing of it is left.
    group: Option<Pid>,
    mark: String,
}

/// The marks of the trees that have not been ended yet. Locked while strays are looked for: a child that starts then would
/// be taken for one.
static LIVING: Mutex<Vec<String>> = Mutex::new(Vec::new());

fn living() -> MutexGuard<'static, Vec<String>> {
    LIVING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends what another process has left of a tree.
pub(super) fn end_left(group: i32, mark: String) {
    ProcessTree { group: Pid::from_raw(group), mark }.sweep();
}

/// Whether orphans of this process's children become its own children, and no others do.
static ADOPTS: AtomicBool = AtomicBool::new(false);

/// From now on, orphans of children become children of this process, so that they are found also if they left their group
/// and carry no mark. For a program whose children all lead groups of their own through this module, or stay in the
/// program's own group.
///
/// Nothing happens where other orphans would come to this process too and could not be told apart: if it is PID 1, or has
/// children already, as a shell leaves its jobs to the program that it becomes. Nor where `/proc` is of another PID
/// namespace.
pub fn adopt_orphans() {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{WaitId, WaitIdOptions, set_child_subreaper, waitid};
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let has_no_children = waitid(WaitId::All, look).is_err_and(|error| error == rustix::io::Errno::CHILD);
        let tells_them_apart = getpid() != Pid::INIT && has_no_children && processes::is_ours();
        if tells_them_apart && set_child_subreaper(Some(getpid())).is_ok() {
            ADOPTS.store(true, Ordering::Relaxed);
        }
    }
}

/// On Linux, kills a child when the thread that started it ends. This covers what the guard can't: a guard that was killed
/// together with this process, and a kill before the guard was told.
pub(super) fn die_with_parent(command: &mut tokio::process::Command) {
    #[cfg(target_os = "linux")]
    {
        let parent = getpid();
        #[expect(unsafe_code, reason = "pre_exec is unsafe: only what is safe after fork may be called, as these two are")]
        // SAFETY: both calls are single system calls that allocate nothing and take no lock.
        unsafe {
            command.pre_exec(move || {
                rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
                // The parent may have died before that, without a signal.
                if rustix::process::getppid() == Some(parent) { Ok(()) } else { Err(std::io::ErrorKind::NotFound.into()) }
            });
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = command;
}

/// Whether this process was started with a signal ignored, as nohup does with SIGHUP.
pub fn ignores(signal: i32) -> bool {
    let mut action = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
    #[expect(unsafe_code, reason = "the standard library cannot ask for the action of a signal")]
    // SAFETY: without a new action the call changes nothing; it fills in the whole of the old one where it succeeds.
    unsafe {
        libc::sigaction(signal, std::ptr::null(), action.as_mut_ptr()) == 0
            && action.assume_init().sa_sigaction == libc::SIG_IGN
    }
}

impl ProcessTree {
    /// Has a command lead a group of its own and carry a mark; its tree begins with [`Self::started`].
    pub(super) fn led_by(command: &mut Command) -> Self {
        let mark = crate::chance::mark();
        command.env(MARK, &mark).process_group(0);
        living().push(mark.clone());
        Self { group: None, mark }
    }

    /// The command was started with this id: tells the guard.
    pub(super) fn started(&mut self, id: Option<u32>) {
        self.group = id.and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
        if let Some(group) = self.group {
            tell(&Notice::Started(group.as_raw_nonzero().get(), self.mark.clone()));
        }
    }

    /// Asks the group to end, waits, then ends it and whatever is left.
    pub(super) async fn end(&mut self, child: &mut Child, grace: Duration) {
        self.signal(Signal::TERM);
        // The grace is for the whole group: a member that saves its work may outlive the leader.
        let asked = tokio::time::timeout(grace, async {
            let _ = child.wait().await;
            while self.group.is_some_and(has_members) {
                tokio::time::sleep(MOMENT).await;
            }
        })
        .await;
        self.signal(Signal::KILL);
        if asked.is_err() {
            // Waiting reaps the zombie. A process that hangs in the kernel, on a disk that does not answer say, dies later.
            let _ = tokio::time::timeout(DYING, child.wait()).await;
        }
        self.sweep();
    }

    /// Ends whatever is left: the group, and marked processes outside of it.
    ///
    /// A fork in progress escapes one look; the next finds it. The killed take a moment to die and are waited for, so that
    /// nothing survives this call.
    pub(super) fn sweep(&mut self) {
        self.kill_group();
        in_place(|| {
            for moment in 0..MOST_SWEEPS {
                if !kill_survivors_of(&self.mark) {
                    break;
                }
                std::thread::sleep(Duration::from_millis(moment));
            }
        });
        tell(&Notice::Ended(self.mark.clone()));
    }

    /// For a child that has ended and started no others: survivors are not looked for, which takes time.
    pub(super) fn left_nothing(&mut self) {
        self.kill_group();
        tell(&Notice::Ended(self.mark.clone()));
    }

    fn kill_group(&mut self) {
        self.signal(Signal::KILL);
        living().retain(|mark| *mark != self.mark);
        self.group = None;
    }

    fn signal(&self, signal: Signal) {
        if let Some(group) = self.group {
            // It fails if the group is empty, which is the aim.
            let _ = kill_process_group(group, signal);
        }
    }
}

impl Drop for ProcessTree {
    fn drop(&mut self) {
        if self.group.is_some() {
            self.sweep();
        }
        self.kill_group();
    }
}

/// Ends the living processes that carry this mark, and says whether there were any. Zombies carry none.
fn kill_survivors_of(mark: &str) -> bool {
    let sign = format!("{MARK}={mark}");
    let carries = |id: &i32| {
        let environment = std::fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|variable| variable == sign.as_bytes())
    };
    let marked: Vec<Pid> = processes::ids().filter(carries).filter_map(Pid::from_raw).collect();
    for process in &marked {
        let _ = kill_process(*process, Signal::KILL);
    }
    !marked.is_empty() || kill_strays()
}

/// Ends adopted processes that left their group and mark, and says whether there were any. While another tree lives, they
/// may belong to it.
fn kill_strays() -> bool {
    let living = living();
    if !living.is_empty() || !ADOPTS.load(Ordering::Relaxed) {
        return false;
    }
    // As the list of processes has it: 0 for a group of another PID namespace, which `getpgrp` does not show.
    let Some(own) = processes::process(getpid().as_raw_nonzero().get()) else { return false };
    let guard = super::guard::id().and_then(|id| i32::try_from(id).ok());
    let is_stray = |process: &Process| process.parent == own.id && process.group != own.group && Some(process.id) != guard;
    let strays: Vec<Pid> = processes().filter(is_stray).filter_map(|process| Pid::from_raw(process.id)).collect();
    for stray in &strays {
        let _ = kill_process(*stray, Signal::KILL);
        // What it had started comes to us next.
        let _ = waitpid(Some(*stray), WaitOptions::NOHANG);
    }
    !strays.is_empty()
}

fn has_members(group: Pid) -> bool {
    if !processes::is_ours() {
        return rustix::process::test_kill_process_group(group).is_ok();
    }
    let group = group.as_raw_nonzero().get();
    processes().any(|process| process.group == group && !process.has_ended)
}

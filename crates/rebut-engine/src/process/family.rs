//! A child and all that came of it, and how it is ended.

#[cfg(unix)]
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::process::{Child, Command};

#[cfg(target_os = "linux")]
use super::census::{Process, processes};
#[cfg(unix)]
use super::guard::{News, tell};

/// The variable that marks a child and everything it starts.
pub(super) const MARK: &str = "REBUT_CHILD";

/// A child's process group, and whoever carries its mark. Ended when dropped.
#[derive(Debug)]
pub(super) struct Family {
    #[cfg(unix)]
    group: Option<rustix::process::Pid>,
    mark: String,
    /// Whether nothing of it is left.
    #[cfg(unix)]
    swept: bool,
}

/// The marks of the families that have not been ended yet.
#[cfg(unix)]
static LIVING: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Held while a child is started: until its family is known it would be taken for a stray.
static STARTING: std::sync::Mutex<()> = std::sync::Mutex::new(());

/// Keeps strays from being looked for.
pub(super) fn starting() -> std::sync::MutexGuard<'static, ()> {
    STARTING.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Ends what another process has left of a family.
#[cfg(unix)]
pub(super) fn end_left(group: Option<i32>, mark: String) {
    Family { group: group.and_then(rustix::process::Pid::from_raw), mark, swept: false }.sweep_now();
}

#[cfg(not(unix))]
pub(super) fn end_left(_group: Option<i32>, _mark: String) {}

/// Whether this process is the parent of all that comes of its children and loses its own, and of nobody else.
#[cfg(target_os = "linux")]
static ADOPTS: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);

/// From now on whoever comes of a child and loses its parent becomes a child of this process, so that it is found also
/// where it left its group and carries no mark. For a program whose children all lead groups of their own through this
/// module, or stay in the program's own group.
///
/// Nothing happens where orphans of others would come to this process too and could not be told apart: if it is PID 1, or
/// already has children, as a shell leaves its jobs to the program that it becomes. Nor where `/proc` tells of another PID
/// namespace.
pub fn adopt_orphans() {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Pid, getpid, set_child_subreaper};
        let tells_them_apart = getpid() != Pid::INIT && has_no_children() && super::census::is_ours();
        if tells_them_apart && set_child_subreaper(Some(getpid())).is_ok() {
            ADOPTS.store(true, std::sync::atomic::Ordering::Relaxed);
        }
    }
}

#[cfg(target_os = "linux")]
fn has_no_children() -> bool {
    use rustix::process::{WaitId, WaitIdOptions, waitid};
    let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    waitid(WaitId::All, look).is_err_and(|error| error == rustix::io::Errno::CHILD)
}

/// Whose tools a guard is to watch, where their orphans come to this process.
#[cfg(target_os = "linux")]
pub(super) fn ward() -> Option<super::watch::Ward> {
    // As the list of processes tells it: 0 for a group of another PID namespace, of which `getpgrp` can say nothing.
    let Process { id, group, .. } = super::census::process(rustix::process::getpid().as_raw_nonzero().get())?;
    ADOPTS.load(std::sync::atomic::Ordering::Relaxed).then_some(super::watch::Ward { id, group })
}

/// A mark that no other child of any process has.
pub(super) fn new_mark() -> String {
    crate::chance::mark()
}

/// On Linux a child is killed when the thread that started it ends: also a killed rebut leaves no child behind.
pub(super) fn die_with_parent(command: &mut Command) {
    #[cfg(target_os = "linux")]
    {
        let parent = rustix::process::getpid();
        #[expect(unsafe_code, reason = "pre_exec is unsafe: only what is safe after fork may be called, as these two are")]
        // SAFETY: both calls are single system calls that allocate nothing and take no lock.
        unsafe {
            command.pre_exec(move || {
                rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))?;
                // The parent may have died before that: then nobody would tell.
                if rustix::process::getppid() == Some(parent) { Ok(()) } else { Err(std::io::ErrorKind::NotFound.into()) }
            });
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = command;
}

/// Whether this process was started with a signal ignored, as nohup does with SIGHUP.
#[cfg(unix)]
pub fn ignores(signal: i32) -> bool {
    let mut action = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
    #[expect(unsafe_code, reason = "the standard library cannot ask what becomes of a signal")]
    // SAFETY: without a new action the call changes nothing; it fills in the whole of the old one where it succeeds.
    unsafe {
        libc::sigaction(signal, std::ptr::null(), action.as_mut_ptr()) == 0
            && action.assume_init().sa_sigaction == libc::SIG_IGN
    }
}

#[cfg(unix)]
impl Family {
    /// That of the child with this id.
    pub(super) fn of(id: Option<u32>, mark: String) -> Self {
        let id = id.and_then(|id| i32::try_from(id).ok());
        let group = id.and_then(rustix::process::Pid::from_raw);
        LIVING.lock().unwrap_or_else(PoisonError::into_inner).push(mark.clone());
        tell(&News::Started(id, mark.clone()));
        Self { group, mark, swept: false }
    }

    /// Asks the group to end, waits, then ends it and whatever is left.
    pub(super) async fn end(&mut self, child: &mut Child, grace: Duration) {
        self.signal(rustix::process::Signal::TERM);
        // The grace is for all of them: one that writes its work down outlives a leader that does not wait for it.
        let asked = tokio::time::timeout(grace, async {
            let _ = child.wait().await;
            while self.group.is_some_and(has_members) {
                tokio::time::sleep(MOMENT).await;
            }
        })
        .await;
        self.signal(rustix::process::Signal::KILL);
        if asked.is_err() {
            // It has been killed; waiting takes its last trace away. One that the system holds, on a disk that does not
            // answer say, dies when it is let go, and nobody can wait for that.
            let _ = tokio::time::timeout(DYING, child.wait()).await;
        }
        self.sweep().await;
    }

    /// Ends whatever is left: the group, and whoever carries the mark outside of it.
    ///
    /// A fork in flight escapes one look: the second finds what the first one's victims had begun. On a busy machine the
    /// killed take a moment to die, and are waited for: whoever is told that nothing survives may rely on it.
    pub(super) async fn sweep(&mut self) {
        self.strike_group();
        for moment in 0..MOST_SWEEPS {
            if !self.strike_marked() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(moment)).await;
        }
        for moment in 0..MOST_SWEEPS {
            if !strike_adopted() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(moment)).await;
        }
        self.swept();
    }

    /// The same where nothing can be awaited: at the end of the process, and where a call is dropped.
    pub(super) fn sweep_now(&mut self) {
        self.strike_group();
        for moment in 0..MOST_SWEEPS {
            if !self.strike_marked() {
                break;
            }
            std::thread::sleep(Duration::from_millis(moment));
        }
        for moment in 0..MOST_SWEEPS {
            if !strike_adopted() {
                break;
            }
            std::thread::sleep(Duration::from_millis(moment));
        }
        self.swept();
    }

    /// The child has ended and started nobody: nobody is looked for, which takes its time.
    pub(super) fn left_nobody(&mut self) {
        self.strike_group();
        self.swept();
    }

    fn swept(&mut self) {
        self.swept = true;
        tell(&News::Ended(self.mark.clone()));
    }

    fn strike_group(&mut self) {
        self.signal(rustix::process::Signal::KILL);
        LIVING.lock().unwrap_or_else(PoisonError::into_inner).retain(|mark| *mark != self.mark);
        self.group = None;
    }

    /// Whether anybody carried the mark.
    fn strike_marked(&self) -> bool {
        let marked = marked(&self.mark);
        for process in &marked {
            let _ = rustix::process::kill_process(*process, rustix::process::Signal::KILL);
        }
        !marked.is_empty()
    }

    fn signal(&self, signal: rustix::process::Signal) {
        if let Some(group) = self.group {
            // Nobody left in the group is what is wanted.
            let _ = rustix::process::kill_process_group(group, signal);
        }
    }
}

#[cfg(unix)]
impl Drop for Family {
    fn drop(&mut self) {
        if !self.swept {
            self.sweep_now();
        }
    }
}

#[cfg(not(unix))]
impl Family {
    pub(super) fn of(_id: Option<u32>, mark: String) -> Self {
        Self { mark }
    }

    pub(super) fn sweep_now(&mut self) {
        self.mark.clear();
    }

    pub(super) fn left_nobody(&mut self) {
        self.mark.clear();
    }

    pub(super) async fn end(&mut self, child: &mut Child, _grace: Duration) {
        let _ = child.kill().await;
    }

    pub(super) async fn sweep(&mut self) {
        self.mark.clear();
    }
}

/// How long a child that was killed may take to be gone.
#[cfg(unix)]
const DYING: Duration = Duration::from_secs(5);

/// How long it is waited between two looks at a group.
#[cfg(unix)]
const MOMENT: Duration = Duration::from_millis(10);

/// How often it is looked for survivors.
#[cfg(unix)]
const MOST_SWEEPS: u64 = 20;

/// The living processes that carry this mark. Zombies carry none.
#[cfg(target_os = "linux")]
fn marked(mark: &str) -> Vec<rustix::process::Pid> {
    let sign = format!("{MARK}={mark}");
    let carries = |id: &i32| {
        let environment = std::fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|variable| variable == sign.as_bytes())
    };
    super::census::ids().filter(carries).filter_map(rustix::process::Pid::from_raw).collect()
}

/// Whether anybody lives in a group.
#[cfg(unix)]
fn has_members(group: rustix::process::Pid) -> bool {
    #[cfg(target_os = "linux")]
    if super::census::is_ours() {
        let group = group.as_raw_nonzero().get();
        return processes().any(|process| process.group == group && !process.has_ended);
    }
    rustix::process::test_kill_process_group(group).is_ok()
}

/// Ends whoever has come to us without a group or a mark that we know, and tells whether there was anybody. While another
/// family lives it may be one of that.
#[cfg(target_os = "linux")]
fn strike_adopted() -> bool {
    use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};
    let _nobody_starts = starting();
    let Some(own) = ward().filter(|_| LIVING.lock().unwrap_or_else(PoisonError::into_inner).is_empty()) else {
        return false;
    };
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

#[cfg(all(unix, not(target_os = "linux")))]
fn strike_adopted() -> bool {
    false
}

#[cfg(all(unix, not(target_os = "linux")))]
fn marked(_mark: &str) -> Vec<rustix::process::Pid> {
    Vec::new()
}

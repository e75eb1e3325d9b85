//! A child and all that came of it, and how it is ended.

#[cfg(unix)]
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::process::{Child, Command};

/// The variable that marks a child and everything it starts.
pub(super) const MARK: &str = "REBUT_CHILD";

/// A child's process group, and whoever carries its mark. Ended when dropped.
pub(super) struct Family {
    #[cfg(unix)]
    group: Option<rustix::process::Pid>,
    mark: String,
}

/// The families of this process that have not been ended yet.
#[cfg(unix)]
static LIVING: Mutex<Vec<(Option<rustix::process::Pid>, String)>> = Mutex::new(Vec::new());

/// Ends every family at once.
#[cfg(unix)]
pub(super) fn end_all() {
    let living = std::mem::take(&mut *LIVING.lock().unwrap_or_else(PoisonError::into_inner));
    for (group, mark) in living {
        Family { group, mark }.sweep();
    }
}

#[cfg(not(unix))]
pub(super) fn end_all() {}

/// A mark that no other child of any process has.
pub(super) fn new_mark() -> String {
    crate::chance::mark()
}

/// On Linux a child is killed when the thread that started it is gone: also a killed rebut leaves no child behind.
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

#[cfg(unix)]
impl Family {
    pub(super) fn of(child: &Child, mark: String) -> Self {
        let id = child.id().and_then(|id| i32::try_from(id).ok());
        let group = id.and_then(rustix::process::Pid::from_raw);
        LIVING.lock().unwrap_or_else(PoisonError::into_inner).push((group, mark.clone()));
        Self { group, mark }
    }

    /// Asks the group to end, waits, then ends it and whatever is left.
    pub(super) async fn end(&mut self, child: &mut Child, grace: Duration) {
        self.signal(rustix::process::Signal::TERM);
        let asked = tokio::time::timeout(grace, child.wait()).await;
        self.signal(rustix::process::Signal::KILL);
        if asked.is_err() {
            // It has been killed; waiting takes its last trace away.
            let _ = child.wait().await;
        }
        self.sweep();
    }

    /// Ends whatever is left: the group, and whoever carries the mark outside of it.
    pub(super) fn sweep(&mut self) {
        self.signal(rustix::process::Signal::KILL);
        LIVING.lock().unwrap_or_else(PoisonError::into_inner).retain(|(_, mark)| *mark != self.mark);
        self.group = None;
        // A fork in flight escapes one look: the second finds what the first one's victims had begun. On a busy machine
        // the killed take a moment to die, and are waited for: whoever is told that nothing survives may rely on it.
        for moment in 0..MOST_SWEEPS {
            let marked = marked(&self.mark);
            if marked.is_empty() {
                break;
            }
            for process in marked {
                let _ = rustix::process::kill_process(process, rustix::process::Signal::KILL);
            }
            std::thread::sleep(Duration::from_millis(moment));
        }
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
        if self.group.is_some() {
            self.sweep();
        }
    }
}

#[cfg(not(unix))]
impl Family {
    pub(super) fn of(_child: &Child, mark: String) -> Self {
        Self { mark }
    }

    pub(super) async fn end(&mut self, child: &mut Child, _grace: Duration) {
        let _ = child.kill().await;
    }

    pub(super) fn sweep(&mut self) {
        self.mark.clear();
    }
}

/// How often it is looked for survivors.
#[cfg(unix)]
const MOST_SWEEPS: u64 = 20;

/// The living processes that carry this mark. Processes that have ended and are not yet buried carry none.
#[cfg(target_os = "linux")]
fn marked(mark: &str) -> Vec<rustix::process::Pid> {
    let sign = format!("{MARK}={mark}");
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let ids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok());
    let carries = |id: &i32| {
        let environment = std::fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|variable| variable == sign.as_bytes())
    };
    ids.filter(carries).filter_map(rustix::process::Pid::from_raw).collect()
}

#[cfg(all(unix, not(target_os = "linux")))]
fn marked(_mark: &str) -> Vec<rustix::process::Pid> {
    Vec::new()
}

//! Which processes that a test started are still alive.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

/// A variable that marks what a test starts, and what that starts in turn.
#[derive(Clone, Debug)]
pub struct Mark {
    /// Unique to this mark.
    pub value: String,
}

impl Mark {
    pub const NAME: &str = "REBUT_TEST_MARK";

    #[expect(clippy::new_without_default, reason = "no two marks are alike")]
    pub fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        Self { value: format!("{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed)) }
    }

    pub fn survivors(&self) -> Vec<String> {
        living(&format!("{}={}", Self::NAME, self.value))
    }
}

/// The living processes with this variable in their environment.
pub(crate) fn living(variable: &str) -> Vec<String> {
    let processes =
        fs::read_dir("/proc").expect("a list of processes in /proc").filter_map(|entry| Some(entry.ok()?.path()));
    let carries = |process: &Path| {
        let environment = fs::read(process.join("environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|own| own == variable.as_bytes())
    };
    let found = processes.filter(|process| carries(process) && is_alive(process));
    found.map(|process| process.display().to_string()).collect()
}

/// Whether a process runs. One that was killed a moment ago may still be dying, and does nothing any more.
pub(crate) fn is_alive(process: &Path) -> bool {
    let state = fs::read_to_string(process.join("stat")).unwrap_or_default();
    state.rsplit_once(')').is_some_and(|(_, rest)| !rest.starts_with(" Z") && !rest.starts_with(" X"))
}

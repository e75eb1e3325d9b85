//! Who is still alive of what a test started.

use std::fs;
use std::sync::atomic::{AtomicU32, Ordering};

/// A variable that marks what a test starts, and everything that comes of it.
#[derive(Clone, Debug)]
pub struct Mark {
    /// Its value; no other has it.
    pub value: String,
}

impl Mark {
    /// The variable's name.
    pub const NAME: &str = "REBUT_TEST_MARK";

    /// A mark of its own.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "no two marks are alike")]
    pub fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        Self { value: format!("{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed)) }
    }

    /// The living processes that carry it. One that was killed a moment ago may still be dying: it does nothing any more.
    #[must_use]
    pub fn survivors(&self) -> Vec<String> {
        let sign = format!("{}={}", Self::NAME, self.value);
        // Where nobody can be seen, nobody would be said to live.
        let entries = fs::read_dir("/proc").expect("a list of processes in /proc");
        entries
            .filter_map(|entry| {
                let process = entry.ok()?.path();
                let environment = fs::read(process.join("environ")).ok()?;
                let carries = environment.split(|byte| *byte == 0).any(|variable| variable == sign.as_bytes());
                let state = fs::read_to_string(process.join("stat")).ok()?;
                let dying = state.rsplit_once(')').is_some_and(|(_, rest)| rest.starts_with(" Z") || rest.starts_with(" X"));
                (carries && !dying).then(|| process.display().to_string())
            })
            .collect()
    }
}

//! Work that takes long, without holding up anybody else.

use tokio::runtime::{Handle, RuntimeFlavor};

/// Does long work on this thread. Where other debates share the process's threads, they are moved to another one meanwhile.
pub(crate) fn in_place<T>(work: impl FnOnce() -> T) -> T {
    match Handle::try_current().map(|handle| handle.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) => tokio::task::block_in_place(work),
        // On one thread there is nobody to hand the others to, and outside of a runtime there are no others.
        _ => work(),
    }
}

/// Does long work on a thread of its own. It is an error if it panics.
pub(crate) async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, String> + Send + 'static,
) -> Result<T, String> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|_| Err("it broke off; this is a fault in rebut".to_owned()))
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Barrier};

    use super::*;

    #[test]
    fn work_of_two_debates_on_one_thread_is_done_at_the_same_time() {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().unwrap();
        // Nobody passes the barrier alone: were the second not begun while the first waits, this would never end.
        let barrier = Arc::new(Barrier::new(2));
        let wait = || {
            let barrier = Arc::clone(&barrier);
            runtime.spawn(async move { in_place(|| barrier.wait().is_leader()) })
        };
        let (one, other) = (wait(), wait());
        assert!(runtime.block_on(async { one.await.unwrap() ^ other.await.unwrap() }));
    }
}

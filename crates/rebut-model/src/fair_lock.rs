//! A mutex that serves threads in the order of asking and whose waiters can be cancelled.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// With a plain mutex the thread that has just released it could take it again and again, and one session could keep the
/// others from computing a token.
pub(crate) struct FairLock<T> {
    queue: Mutex<Queue>,
    changed: Condvar,
    value: Mutex<T>,
}

#[derive(Default)]
struct Queue {
    tickets: VecDeque<u64>,
    last: u64,
}

/// How often a waiter checks for cancellation.
const POLL: Duration = Duration::from_millis(10);

impl<T> FairLock<T> {
    pub(crate) fn new(value: T) -> Self {
        Self { queue: Mutex::default(), changed: Condvar::new(), value: Mutex::new(value) }
    }

    /// Waits for the lock and calls `f`; `None` if it was cancelled before.
    pub(crate) fn with<R>(&self, cancelled: &dyn Fn() -> bool, f: impl FnOnce(&mut T) -> R) -> Option<R> {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        queue.last += 1;
        let place = Place { lock: self, ticket: queue.last };
        queue.tickets.push_back(place.ticket);
        while queue.tickets.front() != Some(&place.ticket) {
            if cancelled() {
                drop(queue);
                return None;
            }
            queue = self.changed.wait_timeout(queue, POLL).unwrap_or_else(PoisonError::into_inner).0;
        }
        drop(queue);
        // Declared after `place`, so that it is released before the place in the queue.
        let mut value = self.value.lock().unwrap_or_else(PoisonError::into_inner);
        Some(f(&mut value))
    }
}

/// A place in the queue, given up when dropped.
struct Place<'a, T> {
    lock: &'a FairLock<T>,
    ticket: u64,
}

impl<T> Drop for Place<'_, T> {
    fn drop(&mut self) {
        let mut queue = self.lock.queue.lock().unwrap_or_else(PoisonError::into_inner);
        queue.tickets.retain(|ticket| *ticket != self.ticket);
        drop(queue);
        self.lock.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_threads_take_turns() {
        let lock = FairLock::new(Vec::new());
        std::thread::scope(|scope| {
            lock.with(&|| false, |_| {
                scope.spawn(|| {
                    lock.with(&|| false, |order: &mut Vec<&str>| order.push("other"));
                });
                // Once two tickets are in the queue, the other thread is next.
                while lock.queue.lock().expect("the queue").tickets.len() < 2 {
                    std::thread::yield_now();
                }
            });
            lock.with(&|| false, |order| order.push("first again"));
        });
        assert_eq!(lock.with(&|| false, |order| order.clone()), Some(vec!["other", "first again"]));
    }

    #[test]
    fn a_cancelled_waiter_leaves_the_queue() {
        let lock = FairLock::new(());
        lock.with(&|| false, |()| {
            assert_eq!(lock.with(&|| true, |()| ()), None);
            assert_eq!(lock.queue.lock().expect("the queue").tickets.len(), 1);
        });
        assert_eq!(lock.with(&|| true, |()| ()), Some(()));
    }
}

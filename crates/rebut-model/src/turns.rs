//! One thing that several threads use in turns: whoever came first is served first, and whoever waits can give up.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// Something to be used by one thread at a time, in the order of asking. A plain lock would let the thread that has just
/// used it take it again, so that one session could keep the others from ever getting a token.
#[derive(Debug)]
pub(crate) struct Turns<T> {
    line: Mutex<Line>,
    moved: Condvar,
    thing: Mutex<T>,
}

#[derive(Debug, Default)]
struct Line {
    waiting: VecDeque<u64>,
    last: u64,
}

/// How often someone who waits looks whether it is still worth it.
const LOOK: Duration = Duration::from_millis(10);

impl<T> Turns<T> {
    pub(crate) fn new(thing: T) -> Self {
        Self { line: Mutex::default(), moved: Condvar::new(), thing: Mutex::new(thing) }
    }

    /// Waits for one's turn and uses the thing; none if it was given up before the turn came.
    pub(crate) fn take<R>(&self, given_up: &dyn Fn() -> bool, using: impl FnOnce(&mut T) -> R) -> Option<R> {
        let mut line = self.line.lock().unwrap_or_else(PoisonError::into_inner);
        line.last += 1;
        let place = Place { turns: self, ticket: line.last };
        line.waiting.push_back(place.ticket);
        while line.waiting.front() != Some(&place.ticket) {
            if given_up() {
                drop(line);
                return None;
            }
            line = self.moved.wait_timeout(line, LOOK).unwrap_or_else(PoisonError::into_inner).0;
        }
        drop(line);
        // Declared after `place`, so that it is let go before the place in the line is.
        let mut thing = self.thing.lock().unwrap_or_else(PoisonError::into_inner);
        Some(using(&mut thing))
    }
}

/// A place in the line, which is left on every way out.
struct Place<'a, T> {
    turns: &'a Turns<T>,
    ticket: u64,
}

impl<T> Drop for Place<'_, T> {
    fn drop(&mut self) {
        let mut line = self.turns.line.lock().unwrap_or_else(PoisonError::into_inner);
        line.waiting.retain(|waiting| *waiting != self.ticket);
        drop(line);
        self.turns.moved.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    #[test]
    fn two_threads_get_the_thing_in_turns() {
        let turns = Turns::new(Vec::new());
        let other_waits = AtomicBool::new(false);
        std::thread::scope(|scope| {
            turns.take(&|| false, |_| {
                scope.spawn(|| {
                    other_waits.store(true, Ordering::SeqCst);
                    turns.take(&|| false, |order: &mut Vec<&str>| order.push("other"));
                });
                // Once two tickets are in the line, the other one is next.
                while turns.line.lock().expect("the line").waiting.len() < 2 {
                    std::thread::yield_now();
                }
            });
            turns.take(&|| false, |order| order.push("first again"));
        });
        assert_eq!(turns.take(&|| false, |order| order.clone()), Some(vec!["other", "first again"]));
    }

    #[test]
    fn whoever_gives_up_leaves_the_line() {
        let turns = Turns::new(());
        turns.take(&|| false, |()| {
            assert_eq!(turns.take(&|| true, |()| ()), None);
            assert_eq!(turns.line.lock().expect("the line").waiting.len(), 1);
        });
        assert_eq!(turns.take(&|| true, |()| ()), Some(()));
    }
}

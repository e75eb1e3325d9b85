//! A few threads that share a computation's work. Knows nothing of what is computed.
//!
//! A token takes some hundred short steps, so that threads are kept and wait for the next step awake, for a fraction of a
//! millisecond; then they sleep. Work is handed out in small items to whoever asks next: a thread that the system has put
//! aside holds up no more than the item it has in hand, and results do not depend on how many threads there are.
//!
//! This file has `unsafe` code, because threads that outlive a step cannot borrow from it in the type system's eyes. Two
//! facts carry it: [`Pool::run`] does not return, not even by unwinding, before no thread is inside the step; and
//! [`Pool::columns`] gives no two items the same columns.
#![expect(unsafe_code, reason = "a step's closure and its output are lent to threads that outlive the step")]

use std::cell::UnsafeCell;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};

use crate::error::ModelError;

/// How often a waiting thread looks before it lets others run, and how often it does that before it sleeps.
const LOOKS: usize = 3000;
const YIELDS: usize = 40;

const OPEN: u64 = 1 << 31;
const INSIDE: u64 = OPEN - 1;

/// Threads that do a step's items together with the thread that asks.
#[derive(Debug)]
pub(crate) struct Pool {
    shared: Arc<Shared>,
    helpers: Vec<JoinHandle<()>>,
}

type Job = *const (dyn Fn(usize) + Sync);

struct Shared {
    /// The step's number (upper half), whether it may still be entered, and how many helpers are inside.
    state: AtomicU64,
    next: AtomicUsize,
    items: AtomicUsize,
    /// Written only while the step is closed and nobody is inside.
    job: UnsafeCell<Option<Job>>,
    asleep: Vec<AtomicBool>,
    stop: AtomicBool,
    panicked: AtomicBool,
}

// SAFETY: `job` is written by the one owner of the pool while no helper is inside, and read by helpers that have entered
// the step through `state`, whose acquire follows the owner's release. What it points to is `Sync`.
unsafe impl Sync for Shared {}
// SAFETY: the pointer in `job` is used only as above; everything else can be sent.
unsafe impl Send for Shared {}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").field("helpers", &self.asleep.len()).finish_non_exhaustive()
    }
}

impl Pool {
    /// A pool of this many threads, of which one is the thread that asks.
    pub(crate) fn new(threads: usize) -> Result<Self, ModelError> {
        let count = threads.max(1) - 1;
        let shared = Arc::new(Shared {
            state: AtomicU64::new(0),
            next: AtomicUsize::new(0),
            items: AtomicUsize::new(0),
            job: UnsafeCell::new(None),
            asleep: (0..count).map(|_| AtomicBool::new(false)).collect(),
            stop: AtomicBool::new(false),
            panicked: AtomicBool::new(false),
        });
        let mut pool = Self { shared, helpers: Vec::new() };
        for index in 0..count {
            let shared = Arc::clone(&pool.shared);
            let helper = thread::Builder::new().name(format!("model-{index}")).spawn(move || shared.help(index));
            pool.helpers.push(helper.map_err(ModelError::Threads)?);
        }
        Ok(pool)
    }

    /// How many threads do the work.
    pub(crate) fn threads(&self) -> usize {
        self.helpers.len() + 1
    }

    /// Does `job` once for each of `0..items`, on all threads, and returns when all are done.
    pub(crate) fn run(&mut self, items: usize, job: &(dyn Fn(usize) + Sync)) {
        if self.helpers.is_empty() || items < 2 {
            (0..items).for_each(job);
            return;
        }
        let shared = &*self.shared;
        // SAFETY: this only forgets the borrow's lifetime. `Closing` below waits until no helper is inside before this
        // function returns or unwinds, and nobody enters afterwards, so that the borrow is never used too late.
        let lent: Job = unsafe { std::mem::transmute::<&(dyn Fn(usize) + Sync), Job>(job) };
        // SAFETY: the last step was closed and left by everybody, and `&mut self` keeps other steps out.
        unsafe { *shared.job.get() = Some(lent) };
        shared.items.store(items, Ordering::Relaxed);
        shared.next.store(0, Ordering::Relaxed);
        let number = (shared.state.load(Ordering::Relaxed) >> 32).wrapping_add(1) & 0xffff_ffff;
        shared.state.store(number << 32 | OPEN, Ordering::SeqCst);
        let closing = Closing(shared);
        for (asleep, helper) in shared.asleep.iter().zip(&self.helpers) {
            if asleep.swap(false, Ordering::SeqCst) {
                helper.thread().unpark();
            }
        }
        shared.work(job);
        drop(closing);
        assert!(!shared.panicked.swap(false, Ordering::Relaxed), "a thread of the model panicked");
    }

    /// Fills tables of numbers by columns: each `job` gets the index of a table and a run of its columns, in every row.
    pub(crate) fn columns(&mut self, tables: &mut [Table<'_>], job: &(dyn Fn(usize, Columns<'_>) + Sync)) {
        let ends: Vec<usize> = tables
            .iter()
            .scan(0, |end, table| {
                *end += table.width.div_ceil(table.step);
                Some(*end)
            })
            .collect();
        let lent: Vec<Lent> = tables
            .iter_mut()
            .map(|table| Lent { numbers: table.numbers.as_mut_ptr(), length: table.numbers.len() })
            .collect();
        let shapes: Vec<(usize, usize)> = tables.iter().map(|table| (table.width, table.step)).collect();
        self.run(ends.last().copied().unwrap_or(0), &|item| {
            let index = ends.partition_point(|&end| end <= item);
            let first = if index == 0 { 0 } else { ends[index - 1] };
            let (width, step) = shapes[index];
            let start = (item - first) * step;
            let rows = lent[index].length / width;
            let columns = Columns {
                numbers: lent[index].numbers,
                width,
                rows,
                start,
                count: step.min(width - start),
                _lent: PhantomData,
            };
            job(index, columns);
        });
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::SeqCst);
        for helper in self.helpers.drain(..) {
            helper.thread().unpark();
            // A helper that panicked has said so to `run` already.
            let _ = helper.join();
        }
    }
}

/// Closes the step and waits until nobody is inside, also when the asking thread unwinds.
struct Closing<'a>(&'a Shared);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.state.fetch_and(!OPEN, Ordering::SeqCst);
        let mut looks = 0;
        while self.0.state.load(Ordering::Acquire) & INSIDE != 0 {
            wait_a_little(&mut looks);
        }
    }
}

fn wait_a_little(looks: &mut usize) {
    *looks += 1;
    if *looks < LOOKS {
        std::hint::spin_loop();
    } else {
        thread::yield_now();
    }
}

impl Shared {
    fn work(&self, job: &(dyn Fn(usize) + Sync)) {
        let items = self.items.load(Ordering::Relaxed);
        loop {
            let item = self.next.fetch_add(1, Ordering::Relaxed);
            if item >= items {
                return;
            }
            job(item);
        }
    }

    fn help(&self, index: usize) {
        let mut seen = 0;
        let mut looks = 0;
        while !self.stop.load(Ordering::Relaxed) {
            let state = self.state.load(Ordering::SeqCst);
            if state & OPEN != 0 && state >> 32 != seen {
                if self.state.compare_exchange(state, state + 1, Ordering::SeqCst, Ordering::Relaxed).is_ok() {
                    seen = state >> 32;
                    looks = 0;
                    self.take_part();
                }
                continue;
            }
            if looks < LOOKS + YIELDS {
                wait_a_little(&mut looks);
                continue;
            }
            // Whoever opens a step looks at `asleep` after it has opened; so one of the two sees the other.
            self.asleep[index].store(true, Ordering::SeqCst);
            let state = self.state.load(Ordering::SeqCst);
            let nothing = state & OPEN == 0 || state >> 32 == seen;
            if nothing && !self.stop.load(Ordering::SeqCst) {
                thread::park();
            }
            self.asleep[index].store(false, Ordering::SeqCst);
            looks = 0;
        }
    }

    fn take_part(&self) {
        // SAFETY: this thread is counted as inside, so that the owner neither writes `job` nor lets what it points to go.
        let job = unsafe { (*self.job.get()).map(|job| &*job) };
        if let Some(job) = job
            && catch_unwind(AssertUnwindSafe(|| self.work(job))).is_err()
        {
            self.panicked.store(true, Ordering::Relaxed);
        }
        self.state.fetch_sub(1, Ordering::Release);
    }
}

/// A table of rows that is filled by columns, `step` of them at a time.
#[derive(Debug)]
pub(crate) struct Table<'a> {
    pub(crate) numbers: &'a mut [f32],
    pub(crate) width: usize,
    pub(crate) step: usize,
}

#[derive(Clone, Copy)]
struct Lent {
    numbers: *mut f32,
    length: usize,
}

// SAFETY: the pointer comes from a `&mut [f32]` that outlives the step, and items use disjoint parts of it.
unsafe impl Sync for Lent {}

/// A run of columns of a table, which this item alone may write.
#[derive(Debug)]
pub(crate) struct Columns<'a> {
    numbers: *mut f32,
    width: usize,
    rows: usize,
    /// The first column.
    pub(crate) start: usize,
    /// How many columns.
    pub(crate) count: usize,
    _lent: PhantomData<&'a mut [f32]>,
}

impl Columns<'_> {
    /// These columns in one row.
    pub(crate) fn row(&mut self, row: usize) -> &mut [f32] {
        assert!(row < self.rows, "row {row} of {}", self.rows);
        // SAFETY: row and columns lie inside the table, no other item has these columns, and `&mut self` keeps this item
        // from having two of them at once.
        unsafe { std::slice::from_raw_parts_mut(self.numbers.add(row * self.width + self.start), self.count) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_is_done_once_however_many_threads_there_are() {
        for threads in [1, 2, 5] {
            let mut pool = Pool::new(threads).expect("a pool");
            for items in [0, 1, 2, 3, 100, 1000] {
                let done: Vec<AtomicUsize> = (0..items).map(|_| AtomicUsize::new(0)).collect();
                for _ in 0..50 {
                    pool.run(items, &|item| {
                        done[item].fetch_add(1, Ordering::Relaxed);
                    });
                }
                assert!(done.iter().all(|count| count.load(Ordering::Relaxed) == 50), "{threads} threads, {items} items");
            }
        }
    }

    #[test]
    fn columns_of_several_tables_are_filled_completely() {
        let mut pool = Pool::new(3).expect("a pool");
        let (mut one, mut two) = (vec![0.0; 7 * 50], vec![0.0; 7 * 33]);
        let mut tables =
            [Table { numbers: &mut one, width: 50, step: 16 }, Table { numbers: &mut two, width: 33, step: 16 }];
        pool.columns(&mut tables, &|table, mut columns| {
            for row in 0..7 {
                let start = columns.start;
                for (at, number) in columns.row(row).iter_mut().enumerate() {
                    *number += (table * 10_000 + row * 100 + start + at) as f32;
                }
            }
        });
        for (table, (numbers, width)) in [(one, 50), (two, 33)].into_iter().enumerate() {
            for (at, number) in numbers.iter().enumerate() {
                assert_eq!(*number, (table * 10_000 + at / width * 100 + at % width) as f32);
            }
        }
    }

    #[test]
    fn a_panic_in_an_item_reaches_the_asking_thread_and_the_pool_works_on() {
        let mut pool = Pool::new(3).expect("a pool");
        for _ in 0..20 {
            let asked = catch_unwind(AssertUnwindSafe(|| pool.run(64, &|item| assert!(item != 40, "item forty"))));
            assert!(asked.is_err());
        }
        let count = AtomicUsize::new(0);
        pool.run(64, &|_| {
            count.fetch_add(1, Ordering::Relaxed);
        });
        assert_eq!(count.load(Ordering::Relaxed), 64);
    }
}

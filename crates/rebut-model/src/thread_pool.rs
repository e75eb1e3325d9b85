//! A thread pool for many short steps.
//!
//! A token takes some hundred steps, so workers spin for a fraction of a millisecond before they sleep. Work is handed out
//! in small items: a preempted worker delays no more than its current item, and results do not depend on the number of
//! threads.
//!
//! `unsafe` is needed because workers outlive a step and so cannot borrow from it. It is sound because [`ThreadPool::run`]
//! does not return, not even by unwinding, while a worker is inside the step; and [`ThreadPool::fill_columns`] gives no two
//! items the same columns.
#![expect(unsafe_code, reason = "workers outlive the steps that they borrow from")]

use std::cell::UnsafeCell;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};

use crate::error::ModelError;

/// How often a waiting thread spins before it yields, and how often it yields before it sleeps.
const SPINS: usize = 3000;
const YIELDS: usize = 40;

const OPEN: u64 = 1 << 31;
const WORKERS: u64 = OPEN - 1;

pub(crate) struct ThreadPool {
    shared: Arc<Shared>,
    workers: Vec<JoinHandle<()>>,
}

type Job = *const (dyn Fn(usize) + Sync);

struct Shared {
    /// The number of the step (upper half), whether it may still be entered, and how many workers are inside.
    state: AtomicU64,
    next: AtomicUsize,
    items: AtomicUsize,
    /// Written only while the step is closed and no worker is inside.
    job: UnsafeCell<Option<Job>>,
    asleep: Vec<AtomicBool>,
    stop: AtomicBool,
    panicked: AtomicBool,
}

// SAFETY: `job` is written by the owner of the pool while no worker is inside, and read by workers that have entered
// the step through `state`, whose acquire follows the owner's release. What it points to is `Sync`.
unsafe impl Sync for Shared {}
// SAFETY: the pointer in `job` is used only as above; everything else is `Send`.
unsafe impl Send for Shared {}

impl ThreadPool {
    /// A pool of this many threads, including the calling one.
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
        let mut pool = Self { shared, workers: Vec::new() };
        for index in 0..count {
            let shared = Arc::clone(&pool.shared);
            let worker = thread::Builder::new().name(format!("model-{index}")).spawn(move || shared.worker_loop(index));
            pool.workers.push(worker.map_err(ModelError::Threads)?);
        }
        Ok(pool)
    }

    pub(crate) fn threads(&self) -> usize {
        self.workers.len() + 1
    }

    /// Calls `job` once for each of `0..items`, on all threads, and returns when all are done.
    pub(crate) fn run(&mut self, items: usize, job: &(dyn Fn(usize) + Sync)) {
        if self.workers.is_empty() || items < 2 {
            (0..items).for_each(job);
            return;
        }
        let shared = &*self.shared;
        // SAFETY: this only erases the lifetime. `StepGuard` below waits until no worker is inside before this function
        // returns or unwinds, and no worker enters afterwards, so the borrow is never used after its end.
        let erased: Job = unsafe { std::mem::transmute::<&(dyn Fn(usize) + Sync), Job>(job) };
        // SAFETY: the last step is closed, no worker is inside, and `&mut self` keeps other steps out.
        unsafe { *shared.job.get() = Some(erased) };
        shared.items.store(items, Ordering::Relaxed);
        shared.next.store(0, Ordering::Relaxed);
        let number = (shared.state.load(Ordering::Relaxed) >> 32).wrapping_add(1) & 0xffff_ffff;
        shared.state.store(number << 32 | OPEN, Ordering::SeqCst);
        let guard = StepGuard(shared);
        for (asleep, worker) in shared.asleep.iter().zip(&self.workers) {
            if asleep.swap(false, Ordering::SeqCst) {
                worker.thread().unpark();
            }
        }
        shared.work(job);
        drop(guard);
        assert!(!shared.panicked.swap(false, Ordering::Relaxed), "a thread of the model panicked");
    }

    /// Fills tables by columns: each `job` gets the index of a table and a run of its columns, in every row.
    pub(crate) fn fill_columns(&mut self, tables: &mut [Table<'_>], job: &(dyn Fn(usize, Columns<'_>) + Sync)) {
        let mut items = Vec::new();
        for (index, table) in tables.iter().enumerate() {
            items.extend((0..table.width).step_by(table.step).map(|start| (index, start)));
        }
        let tables = &*tables;
        self.run(items.len(), &|item| {
            let (index, start) = items[item];
            let table = &tables[index];
            job(index, Columns { table, start, count: table.step.min(table.width - start) });
        });
    }
}

impl Drop for ThreadPool {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::SeqCst);
        for worker in self.workers.drain(..) {
            worker.thread().unpark();
            // `run` has already reported a worker that panicked.
            let _ = worker.join();
        }
    }
}

/// Closes the step and waits until no worker is inside, also when the calling thread unwinds.
struct StepGuard<'a>(&'a Shared);

impl Drop for StepGuard<'_> {
    fn drop(&mut self) {
        self.0.state.fetch_and(!OPEN, Ordering::SeqCst);
        let mut spins = 0;
        while self.0.state.load(Ordering::Acquire) & WORKERS != 0 {
            spin_or_yield(&mut spins);
        }
    }
}

fn spin_or_yield(spins: &mut usize) {
    *spins += 1;
    if *spins < SPINS {
        std::hint::spin_loop();
    } else {
        thread::yield_now();
    }
}

impl Shared {
    fn work(&self, job: &(dyn Fn(usize) + Sync)) {
        let items = self.items.load(Ordering::Relaxed);
        let next = || self.next.fetch_add(1, Ordering::Relaxed);
        std::iter::repeat_with(next).take_while(|&item| item < items).for_each(job);
    }

    fn worker_loop(&self, index: usize) {
        let mut seen = 0;
        let mut spins = 0;
        while !self.stop.load(Ordering::Relaxed) {
            let state = self.state.load(Ordering::SeqCst);
            if state & OPEN != 0 && state >> 32 != seen {
                if self.state.compare_exchange(state, state + 1, Ordering::SeqCst, Ordering::Relaxed).is_ok() {
                    seen = state >> 32;
                    spins = 0;
                    self.join_step();
                }
                continue;
            }
            if spins < SPINS + YIELDS {
                spin_or_yield(&mut spins);
                continue;
            }
            // `run` reads `asleep` after it has opened a step, so one of the two sees the other.
            self.asleep[index].store(true, Ordering::SeqCst);
            let state = self.state.load(Ordering::SeqCst);
            let no_step = state & OPEN == 0 || state >> 32 == seen;
            if no_step && !self.stop.load(Ordering::SeqCst) {
                thread::park();
            }
            self.asleep[index].store(false, Ordering::SeqCst);
            spins = 0;
        }
    }

    fn join_step(&self) {
        // SAFETY: this thread is counted as inside, so the owner neither writes `job` nor drops what it points to.
        let job = unsafe { (*self.job.get()).map(|job| &*job) };
        if let Some(job) = job
            && catch_unwind(AssertUnwindSafe(|| self.work(job))).is_err()
        {
            self.panicked.store(true, Ordering::Relaxed);
        }
        self.state.fetch_sub(1, Ordering::Release);
    }
}

/// A row-major table that is filled by columns, `step` at a time.
pub(crate) struct Table<'a> {
    values: *mut f32,
    rows: usize,
    width: usize,
    step: usize,
    _values: PhantomData<&'a mut [f32]>,
}

// SAFETY: the pointer comes from a `&mut [f32]` that outlives the table, and items use disjoint parts of it.
unsafe impl Sync for Table<'_> {}

impl<'a> Table<'a> {
    pub(crate) fn new(values: &'a mut [f32], width: usize, step: usize) -> Self {
        Self { values: values.as_mut_ptr(), rows: values.len() / width, width, step, _values: PhantomData }
    }
}

/// A run of columns of a table, which only this item may write.
pub(crate) struct Columns<'a> {
    table: &'a Table<'a>,
    pub(crate) start: usize,
    pub(crate) count: usize,
}

impl Columns<'_> {
    pub(crate) fn rows(&self) -> usize {
        self.table.rows
    }

    /// These columns in one row.
    pub(crate) fn row(&mut self, row: usize) -> &mut [f32] {
        let Table { values, rows, width, .. } = *self.table;
        assert!(row < rows, "row {row} of {rows}");
        // SAFETY: row and columns are inside the table, no other item has these columns, and `&mut self` excludes a second
        // reference from this item.
        unsafe { std::slice::from_raw_parts_mut(values.add(row * width + self.start), self.count) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_runs_once_with_any_number_of_threads() {
        for threads in [1, 2, 5] {
            let mut pool = ThreadPool::new(threads).expect("a pool");
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
    fn all_columns_of_several_tables_are_filled() {
        let mut pool = ThreadPool::new(3).expect("a pool");
        let (mut one, mut two) = (vec![0.0; 7 * 50], vec![0.0; 7 * 33]);
        let mut tables = [Table::new(&mut one, 50, 16), Table::new(&mut two, 33, 16)];
        pool.fill_columns(&mut tables, &|table, mut columns| {
            for row in 0..7 {
                let start = columns.start;
                for (at, value) in columns.row(row).iter_mut().enumerate() {
                    *value += (table * 10_000 + row * 100 + start + at) as f32;
                }
            }
        });
        for (table, (values, width)) in [(one, 50), (two, 33)].into_iter().enumerate() {
            for (at, value) in values.iter().enumerate() {
                assert_eq!(*value, (table * 10_000 + at / width * 100 + at % width) as f32);
            }
        }
    }

    #[test]
    fn a_panic_in_an_item_reaches_the_caller_and_the_pool_still_works() {
        let mut pool = ThreadPool::new(3).expect("a pool");
        for _ in 0..20 {
            let result = catch_unwind(AssertUnwindSafe(|| pool.run(64, &|item| assert!(item != 40, "item forty"))));
            assert!(result.is_err());
        }
        let count = AtomicUsize::new(0);
        pool.run(64, &|_| {
            count.fetch_add(1, Ordering::Relaxed);
        });
        assert_eq!(count.load(Ordering::Relaxed), 64);
    }
}

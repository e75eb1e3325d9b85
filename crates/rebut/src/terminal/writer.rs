//! The one thread that writes to standard output and standard error.
//!
//! A reader that stops reading, such as a pager or a terminal after Ctrl-S, holds up this thread and nothing else: the
//! debate goes on, its limits hold, and it can be stopped.

use std::sync::mpsc::{self, Sender};

/// Something to write.
type Job = Box<dyn FnOnce() + Send>;

/// The way to the thread.
#[derive(Clone, Debug)]
pub(super) struct Writer {
    /// `None` where the thread could not be started.
    jobs: Option<Sender<Job>>,
}

impl Writer {
    pub(super) fn start() -> Self {
        let (jobs, taken) = mpsc::channel::<Job>();
        let write = move || taken.into_iter().for_each(|job| job());
        let started = std::thread::Builder::new().name("output".to_owned()).spawn(write);
        Self { jobs: started.ok().map(|_| jobs) }
    }

    /// Writes this after everything that was handed over before it.
    pub(super) fn write(&self, job: impl FnOnce() + Send + 'static) {
        match &self.jobs {
            // The thread ends with the process.
            Some(jobs) => drop(jobs.send(Box::new(job))),
            None => job(),
        }
    }

    /// Waits until everything that was handed over is written.
    pub(super) fn finish(&self) {
        let (done, written) = mpsc::channel();
        self.write(move || {
            let _ = done.send(());
        });
        let _ = written.recv();
    }
}

//! The one thread that writes to standard output and standard error.
//!
//! A reader that stops reading, such as a pager or a terminal after Ctrl-S, blocks only this thread: the debate continues
//! within its limits and can be stopped.

use std::sync::mpsc::{self, Sender};

type Job = Box<dyn FnOnce() + Send>;

#[derive(Clone, Debug)]
pub(super) struct Writer {
    /// `None` if the thread could not be started.
    jobs: Option<Sender<Job>>,
}

impl Writer {
    pub(super) fn start() -> Self {
        let (jobs, taken) = mpsc::channel::<Job>();
        let write = move || taken.into_iter().for_each(|job| job());
        let started = std::thread::Builder::new().name("output".to_owned()).spawn(write);
        Self { jobs: started.ok().map(|_| jobs) }
    }

    pub(super) fn write(&self, job: impl FnOnce() + Send + 'static) {
        match &self.jobs {
            // The thread ends with the process.
            Some(jobs) => drop(jobs.send(Box::new(job))),
            None => job(),
        }
    }

    pub(super) fn finish(&self) {
        let (done, written) = mpsc::channel();
        self.write(move || {
            let _ = done.send(());
        });
        let _ = written.recv();
    }
}

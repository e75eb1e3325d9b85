//! The ideal: the same files, bytes, syncs and waits as a debate has, and nothing else.

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::stage::{Line, Trace};

/// A folder with an open file to append to.
struct Place<'a> {
    folder: &'a Path,
    file: File,
}

/// Waits, writes and syncs as one debate did after its first line; gives how long that took.
pub(crate) async fn run(trace: &Trace, folder: &Path, delay: Duration) -> Duration {
    let mut place = Place { folder, file: append_to(&folder.join("lines")) };
    let began = Instant::now();
    let mut due = BTreeMap::new();
    for line in trace.lines.iter().skip(1) {
        if let Some(due) = line.answers.as_ref().and_then(|key| due.get(key)) {
            tokio::time::sleep_until(*due).await;
        }
        place.take(line);
        if let Some(key) = &line.starts
            && !delay.is_zero()
        {
            due.insert(key, tokio::time::Instant::now() + delay);
        }
    }
    began.elapsed()
}

/// Does the file work of so many debates on so many threads; gives how long that took.
pub(crate) fn crowd(trace: &Trace, root: &Path, debates: usize, threads: usize) -> Duration {
    fs::create_dir_all(root).unwrap();
    let next = AtomicUsize::new(0);
    let began = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let debate = next.fetch_add(1, Ordering::Relaxed);
                    if debate >= debates {
                        return;
                    }
                    let folder = root.join(debate.to_string());
                    DirBuilder::new().create(&folder).unwrap();
                    let mut place = Place { folder: &folder, file: append_to(&folder.join("lines")) };
                    for folder in [&folder, root] {
                        File::open(folder).unwrap().sync_all().unwrap();
                    }
                    for moment in 0..2 {
                        let lines = if moment == 0 { &trace.lines[..1] } else { &trace.lines[1..] };
                        for line in lines {
                            place.take(line);
                        }
                        place.replace("summary", &trace.summary);
                    }
                }
            });
        }
    });
    began.elapsed()
}

impl Place<'_> {
    fn take(&mut self, line: &Line) {
        self.file.write_all(&line.bytes).unwrap();
        if line.synced {
            self.file.sync_data().unwrap();
        }
        if let Some(content) = &line.rendered {
            self.replace("rendered", content);
        }
    }

    /// Replaces a file that others may be reading.
    fn replace(&self, name: &str, content: &[u8]) {
        let temporary = self.folder.join(format!("{name}.new"));
        fs::write(&temporary, content).unwrap();
        fs::rename(&temporary, self.folder.join(name)).unwrap();
    }
}

/// A file to append to.
pub(crate) fn append_to(path: &Path) -> File {
    OpenOptions::new().append(true).create(true).open(path).unwrap()
}

//! A large workspace: pinned, opened, read from and laid out.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use rebut_engine::config::EvidenceSettings;
use rebut_engine::workspace::pin::{Entry, Files, Pin, Survey};
use rebut_fakes::git;

use crate::figures::{float, median, ms, ms_text, peak_memory};
use crate::stage::Stage;
use crate::table::{Row, Table};

/// Names the folder in which this program is to pin the workspace that is there.
pub(crate) const VARIABLE: &str = "REBUT_BENCH_PIN";

const FOLDERS: usize = 500;
const FILES: usize = 50_000;
const READS: usize = 10_000;
const TIMES: usize = 3;

/// Milliseconds of: the bare read of all files, the pin, opening it, the reads from it, the same reads from the folder,
/// the copy and its removal; peak memory in MB when the pin was written, and what it was before; and of writing the same
/// files in a bare loop.
type Run = [f64; 10];

pub(crate) fn measure(stage: &Stage, table: &mut Table) {
    let root = stage.folder("pin");
    generate(&root.join("workspace"));
    let run = || {
        let output = Command::new(std::env::current_exe().unwrap()).env(VARIABLE, &root).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8(output.stdout).unwrap();
        let figures: Vec<f64> = text.split_whitespace().map(|figure| figure.parse().unwrap()).collect();
        Run::try_from(figures).unwrap()
    };
    let runs: Vec<Run> = (0..TIMES).map(|_| run()).collect();
    let middle = |figure: &dyn Fn(&Run) -> f64| median(runs.iter().map(figure).collect());
    let at = |place: usize| middle(&|run| run[place]);
    let ratio = middle(&|run| run[1] / run[0]);
    let ideal = format!("{} (bare read)", ms_text(at(0)));
    table.add(Row::new(format!("pin of {FILES} files, 100 MB"), ms_text(at(1))).ideal(ideal, ratio));
    table.add(Row::new("peak memory of it", format!("{:.1} MB, {:.1} MB before", at(7), at(8))));
    table.add(Row::new("opening it", ms_text(at(2))));
    let each = |place: usize| at(place) * 1e3 / float(READS);
    let ratio = middle(&|run| run[3] / run[4]);
    let row = Row::new(format!("a read from it, {READS} at random"), format!("{:.1} µs", each(3)));
    table.add(row.ideal(format!("{:.1} µs (from the folder)", each(4)), ratio));
    let ratio = middle(&|run| run[5] / run[9]);
    table.add(Row::new("laying it out", ms_text(at(5))).ideal(format!("{} (bare writes)", ms_text(at(9))), ratio));
    table.add(Row::new("removing that", ms_text(at(6))));
}

/// Pins the workspace in this process and prints the figures of a [`Run`].
pub(crate) fn measure_here(root: &Path) {
    let workspace = root.join("workspace");
    let before = peak_memory("self").unwrap_or(f64::NAN);
    let limits = (&EvidenceSettings::default()).into();
    let (packed, pin_ms) = timed(|| Survey::of(&workspace, None, limits).unwrap().pack(&root.join("blobs")).unwrap());
    let memory = peak_memory("self").unwrap_or(f64::NAN);
    assert_eq!(packed.facts.files, FILES as u64);
    let (pin, open_ms) = timed(|| Pin::open(&root.join("blobs").join(&packed.hash)).unwrap());
    let paths: Vec<PathBuf> = pin.entries().iter().map(|entry| workspace.join(entry.path())).collect();
    let (bytes, bare_ms) = timed(|| paths.iter().map(|path| fs::read(path).unwrap().len() as u64).sum::<u64>());
    assert_eq!(bytes, packed.facts.bytes);
    // A step that shares no factor with the number of files meets each once, in no order that a disk would like.
    let places: Vec<usize> = (0..READS).map(|read| read * 30_011 % FILES).collect();
    let from_pin = || places.iter().map(|place| pin.read(&pin.entries()[*place]).unwrap().bytes.len()).sum::<usize>();
    let from_folder = || places.iter().map(|place| fs::read(&paths[*place]).unwrap().len()).sum::<usize>();
    let (pinned, pinned_ms) = timed(from_pin);
    let (bare, folder_ms) = timed(from_folder);
    assert_eq!(pinned, bare);
    let temporary = tempfile::tempdir().unwrap();
    let (copy, copy_ms) = timed(|| pin.lay_out(temporary.path()).unwrap());
    let ((), remove_ms) = timed(|| copy.close().unwrap());
    let bare = tempfile::tempdir().unwrap();
    let contents: Vec<Vec<u8>> = pin.entries().iter().map(|entry| pin.read(entry).unwrap().bytes).collect();
    let ((), write_ms) = timed(|| write_all(bare.path(), pin.entries(), &contents));
    println!("{bare_ms} {pin_ms} {open_ms} {pinned_ms} {folder_ms} {copy_ms} {remove_ms} {memory} {before} {write_ms}");
}

/// Writes files into folders that are made when they are first needed.
fn write_all(root: &Path, entries: &[Entry], contents: &[Vec<u8>]) {
    let mut last = PathBuf::new();
    for (entry, content) in entries.iter().zip(contents) {
        let path = root.join(entry.path());
        let folder = path.parent().unwrap();
        if folder != last {
            fs::create_dir_all(folder).unwrap();
            folder.clone_into(&mut last);
        }
        fs::write(&path, content).unwrap();
    }
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let began = Instant::now();
    let done = work();
    (done, ms(began.elapsed()))
}

/// A repository of so many files of about 2 KB, all committed but the last folder's.
fn generate(workspace: &Path) {
    for folder in 0..FOLDERS {
        let path = workspace.join(format!("module_{:02}/part_{folder:03}", folder % 20));
        fs::create_dir_all(&path).unwrap();
        for file in 0..FILES / FOLDERS {
            let line = |at: usize| format!("    let value_{at} = part_{folder}::file_{file}(at, {at});\n");
            fs::write(path.join(format!("file_{file:03}.rs")), (0..45).map(line).collect::<String>()).unwrap();
        }
        if folder == FOLDERS - 2 {
            git(workspace, &["init", "-q"]);
            git(workspace, &["add", "-A"]);
            git(workspace, &["commit", "-q", "-m", "all"]);
        }
    }
}

//! The program itself: how soon it tells of its first event, and how much memory it takes.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::bare::append_to;
use crate::figures::{median, ms, ms_text, peak_memory};
use crate::stage::{MOST_ROUNDS, Stage};
use crate::table::{Row, Table};

const TIMES: usize = 20;
/// Answers that take a while, so that the program is there to be looked at.
const SLOW_MS: u64 = 20;

pub(crate) fn measure(stage: &Stage, table: &mut Table) {
    let Some(program) = program() else {
        table.add(Row::new("start of the program", "not measured: build it with cargo build --release"));
        return;
    };
    let folder = stage.folder("program");
    let (mut first, mut version, mut nothing, mut disk) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for turn in 0..TIMES {
        nothing.push(ms(ended(Command::new("true"))));
        let mut command = Command::new(&program);
        command.arg("--version");
        version.push(ms(ended(command)));
        disk.push(ms(two_syncs(&folder.join(turn.to_string()))));
        first.push(ms(first_line(duel(&program, stage, &folder, 1, 0))));
    }
    let (first, version, nothing, disk) = (median(first), median(version), median(nothing), median(disk));
    let row = Row::new("start to first event", ms_text(first));
    let ideal = format!("{} (true + 2 syncs)", ms_text(nothing + disk));
    table.add(row.ideal(ideal, first / (nothing + disk)).aim("< 10 ms", first < 10.0));
    let own = first - disk;
    let row = Row::new("of it not the disk's", ms_text(own));
    table.add(row.ideal(format!("{} (true)", ms_text(nothing)), own / nothing).aim("< 10 ms", own < 10.0));
    let row = Row::new("start to the end of --version", ms_text(version));
    table.add(row.ideal(format!("{} (true)", ms_text(nothing)), version / nothing));
    let peaks = (0..5).filter_map(|_| peak(duel(&program, stage, &folder, MOST_ROUNDS, SLOW_MS))).collect::<Vec<_>>();
    if !peaks.is_empty() {
        let peak = median(peaks);
        let what = format!("peak memory of one debate, {MOST_ROUNDS} rounds");
        table.add(Row::new(what, format!("{peak:.1} MB")).aim("< 20 MB", peak < 20.0));
    }
}

/// The release build of the program, brought up to date where cargo runs this.
pub(crate) fn program() -> Option<PathBuf> {
    if let Some(cargo) = std::env::var_os("CARGO") {
        let built = Command::new(cargo).args(["build", "--release", "--quiet", "--package", "rebut"]).status();
        assert!(built.is_ok_and(|status| status.success()), "the program cannot be built");
    }
    // This program is target/release/deps/speed-….
    let path = std::env::current_exe().ok()?.parent()?.parent()?.join(format!("rebut{}", std::env::consts::EXE_SUFFIX));
    path.exists().then_some(path)
}

fn duel(program: &Path, stage: &Stage, folder: &Path, rounds: u32, delay_ms: u64) -> Command {
    let script = stage.script(delay_ms);
    let seat = |name: &str| format!("script:{}#{name}", script.display());
    let mut command = Command::new(program);
    command.env_clear().env("HOME", folder).env("PATH", "").current_dir(folder).arg("--json");
    command.args(["duel", "Should we replace our REST gateway with gRPC?", "--rounds", &rounds.to_string()]);
    command.args(["--proposer", &seat("north"), "--challenger", &seat("south"), "--judge", &seat("bench")]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    command
}

fn ended(mut command: Command) -> Duration {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let began = Instant::now();
    assert!(command.status().unwrap().success());
    began.elapsed()
}

fn first_line(mut command: Command) -> Duration {
    let began = Instant::now();
    let mut child = command.spawn().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    output.read_line(&mut line).unwrap();
    let elapsed = began.elapsed();
    assert!(line.contains("\"planned\""), "{line}");
    output.read_to_string(&mut line).unwrap();
    assert!(child.wait().unwrap().success());
    elapsed
}

/// What a debate must have on the disk before it begins: its pointer, and its folder.
fn two_syncs(folder: &Path) -> Duration {
    let began = Instant::now();
    fs::create_dir(folder).unwrap();
    let mut pointer = append_to(&folder.join("pointer"));
    pointer.write_all(b"{}").unwrap();
    pointer.sync_data().unwrap();
    File::open(folder).unwrap().sync_all().unwrap();
    began.elapsed()
}

/// The highest memory that the system tells of while the program runs.
fn peak(mut command: Command) -> Option<f64> {
    let mut child = command.stdout(Stdio::null()).spawn().unwrap();
    let process = child.id().to_string();
    let mut peak = None;
    while child.try_wait().unwrap().is_none() {
        peak = peak_memory(&process).or(peak);
        std::thread::sleep(Duration::from_micros(500));
    }
    peak
}

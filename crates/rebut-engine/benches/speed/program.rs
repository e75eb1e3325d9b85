//! The program itself: how soon it tells of its first event, and how much memory it takes.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::bare::append_to;
use crate::figures::{median, memory, ms, ms_text, peak_memory};
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
        first.push(ms(line_with(duel(&program, stage, &folder, 1, 0), "\"planned\"")));
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
    in_a_repository(&program, stage, table);
    list(&program, stage, table);
    let peaks = |program: &Path| -> Option<(f64, f64)> {
        let peaks = (0..5).filter_map(|_| peak(duel(program, stage, &folder, MOST_ROUNDS, SLOW_MS)));
        let (whole, own): (Vec<f64>, Vec<f64>) = peaks.unzip();
        (!whole.is_empty()).then(|| (median(whole), median(own)))
    };
    let aimed = |what, whole: f64| Row::new(what, format!("{whole:.1} MB")).aim("<= 12 MB", whole <= 12.0);
    let what = format!("peak memory of one debate, {MOST_ROUNDS} rounds");
    if let Some((whole, own)) = peaks(&program) {
        table.add(aimed(what.clone(), whole));
        table.add(Row::new("of it not mapped from the program's file", format!("{own:.1} MB")));
    }
    let what = format!("{what}, built by scripts/dist");
    table.add(match built("dist").and_then(|program| peaks(&program)) {
        Some((whole, _)) => aimed(what, whole),
        None => Row::new(what, "not measured: scripts/dist has not been run"),
    });
}

const LISTED: usize = 5_000;

/// How long a list of many debates that have ended takes.
fn list(program: &Path, stage: &Stage, table: &mut Table) {
    let folder = stage.folder("list");
    ended(duel(program, stage, &folder, 1, 0));
    let debates = folder.join(".local/state/rebut");
    let one = fs::read_dir(&debates).unwrap().map(|entry| entry.unwrap().path()).find(|path| path.is_dir()).unwrap();
    for number in 0..LISTED {
        let copy = debates.join(format!("debate-20260101T{number:06}Z-{number:04x}"));
        fs::create_dir(&copy).unwrap();
        // A link has the length and the time that the summary names.
        fs::hard_link(one.join("journal.jsonl"), copy.join("journal.jsonl")).unwrap();
        fs::copy(one.join("summary.json"), copy.join("summary.json")).unwrap();
    }
    let times = (0..TIMES).map(|_| {
        let mut command = Command::new(program);
        command.env_clear().env("HOME", &folder).current_dir(&folder).args(["list", "--all"]);
        ms(ended(command))
    });
    let took = median(times.collect());
    table.add(Row::new(format!("list of {LISTED} debates"), ms_text(took)).aim("< 100 ms", took < 100.0));
}

const FILES: usize = 362;
const COMMITS: usize = 1_150;

/// The same in a repository, beside the one question to git that cannot be avoided.
fn in_a_repository(program: &Path, stage: &Stage, table: &mut Table) {
    let folder = stage.folder("repository");
    commit_files(&folder);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let (mut first, mut bare) = (Vec::new(), Vec::new());
    for _ in 0..TIMES {
        let mut git = Command::new("git");
        git.args(["ls-files", "-z"]).current_dir(&folder);
        bare.push(ms(ended(git)));
        let mut command = duel(program, stage, &folder, 1, 0);
        command.env("PATH", &path).env("HOME", stage.folder("home"));
        first.push(ms(line_with(command, "\"started\"")));
    }
    let (first, bare) = (median(first), median(bare));
    let row = Row::new(format!("start to first request, repository of {FILES} files, {COMMITS} commits"), ms_text(first));
    table.add(row.ideal(format!("{} (git ls-files)", ms_text(bare)), first / bare).aim("< 60 ms", first < 60.0));
}

/// A repository in which one file is edited and one is new.
fn commit_files(folder: &Path) {
    let path = |file: usize| format!("src/m{}/f{file}.rs", file % 20);
    let lines = (0..60).map(|line| format!("fn line_{line}() {{}}")).collect::<Vec<_>>().join("\n");
    let mut stream = String::new();
    for commit in 0..COMMITS {
        let who = format!("committer n <n@example.org> {} +0000", 1_767_225_600 + commit);
        write!(stream, "commit refs/heads/main\n{who}\ndata 1\nm\n").unwrap();
        let files = if commit == 0 { 0..FILES } else { commit % FILES..commit % FILES + 1 };
        for file in files {
            let text = format!("{lines}// {commit}\n");
            write!(stream, "M 100644 inline {}\ndata {}\n{text}\n", path(file), text.len()).unwrap();
        }
    }
    fs::write(folder.join("stream"), stream).unwrap();
    let git = |arguments: &[&str], input: Stdio| {
        let mut git = Command::new("git");
        let status = git.args(arguments).current_dir(folder).stdin(input).stdout(Stdio::null()).status();
        assert!(status.unwrap().success(), "{arguments:?}");
    };
    git(&["init", "-q", "-b", "main"], Stdio::null());
    git(&["fast-import", "--quiet"], File::open(folder.join("stream")).unwrap().into());
    fs::remove_file(folder.join("stream")).unwrap();
    git(&["reset", "-q", "--hard"], Stdio::null());
    fs::write(folder.join(path(3)), "edited\n").unwrap();
    fs::write(folder.join("new.rs"), "new\n").unwrap();
}

/// The release build of the program, brought up to date where cargo runs this.
pub(crate) fn program() -> Option<PathBuf> {
    if let Some(cargo) = std::env::var_os("CARGO") {
        let built = Command::new(cargo).args(["build", "--release", "--quiet", "--package", "rebut"]).status();
        assert!(built.is_ok_and(|status| status.success()), "the program cannot be built");
    }
    built("release")
}

/// The program as it was built with this profile.
fn built(profile: &str) -> Option<PathBuf> {
    // This program is target/release/deps/speed-….
    let target = std::env::current_exe().ok()?.ancestors().nth(3)?.to_owned();
    let path = target.join(profile).join(format!("rebut{}", std::env::consts::EXE_SUFFIX));
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

pub(crate) fn ended(mut command: Command) -> Duration {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let began = Instant::now();
    assert!(command.status().unwrap().success());
    began.elapsed()
}

/// How long it takes until the program prints the first line that has this.
fn line_with(mut command: Command, part: &str) -> Duration {
    let began = Instant::now();
    let mut child = command.spawn().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    while !line.contains(part) {
        line.clear();
        assert!(output.read_line(&mut line).unwrap() > 0, "no line has {part}");
    }
    let elapsed = began.elapsed();
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

/// The highest memory that the system reports while the program runs, and the most that is mapped from no file.
fn peak(mut command: Command) -> Option<(f64, f64)> {
    let mut child = command.stdout(Stdio::null()).spawn().unwrap();
    let process = child.id().to_string();
    let mut peak = None;
    while child.try_wait().unwrap().is_none() {
        let own = memory(&process, "RssAnon").unwrap_or_default();
        let before = peak.map_or(0.0, |(_, own)| own);
        peak = peak_memory(&process).map(|whole| (whole, own.max(before))).or(peak);
        std::thread::sleep(Duration::from_micros(500));
    }
    peak
}

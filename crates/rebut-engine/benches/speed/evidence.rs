//! Listed evidence looked up in a large pinned workspace: cold and warm, and how the cost grows with its amount.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;
use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rebut_core::evidence::check::{CheckResult, Cited};
use rebut_core::evidence::{Evidence, Known, Lines, Listing};
use rebut_engine::checks::{Allowed, Examiner};
use rebut_engine::workspace::pin::{Limits, Pin, Survey};
use rebut_fakes::git;
use serde_json::json;

use crate::figures::{cpu_time, float, median, ms, ms_text, peak_memory};
use crate::stage::Stage;
use crate::table::{Row, Table};

/// Names the folder with the pack in which this program is to look evidence up.
pub(crate) const VARIABLE: &str = "REBUT_BENCH_EVIDENCE";

const FILES: usize = 50_000;
const FILES_A_FOLDER: usize = 100;
const LINES: usize = 60;
/// How many different files are cited at most, so that their texts are kept.
const CITED: usize = 10_000;
/// And how many where more text is cited than is kept: twice as much.
const TOO_MANY: usize = 30_000;
const NUMBERS: [usize; 3] = [1_000, 10_000, 40_000];
const TIMES: usize = 5;
const AIM_US: f64 = 10.0;

/// Of one process and amount of evidence: microseconds a piece to read from a block, to look up cold, to look up warm, and of
/// the bare loop; milliseconds to open the pin; peak memory in MB, and what it was before.
type Run = [f64; 7];

pub(crate) fn measure(stage: &Stage, table: &mut Table) {
    let pack = pinned(stage);
    let mut warm_of = HashMap::new();
    for number in NUMBERS {
        let runs: Vec<Run> = (0..TIMES).map(|_| run(&pack, number, CITED)).collect();
        let middle = |place: usize| median(runs.iter().map(|run| run[place]).collect());
        let [read, cold, warm, bare, open, memory, before] = std::array::from_fn(middle);
        let what = |what: &str| format!("{number} pieces of evidence among {FILES} files, {what}");
        let us = |us: f64| format!("{us:.2} µs each");
        table.add(Row::new(what("read from a block"), us(read)));
        table.add(Row::new(what("looked up cold"), format!("{}, after {} to open it", us(cold), ms_text(open))));
        let row =
            Row::new(what("looked up warm"), us(warm)).ideal(format!("{} (exact paths, hashed)", us(bare)), warm / bare);
        table.add(row.aim(format!("< {AIM_US:.0} µs"), warm < AIM_US));
        table.add(Row::new(what("peak memory"), format!("{memory:.0} MB, {before:.0} MB before")));
        warm_of.insert(number, warm);
    }
    let [_, middle, last] = NUMBERS;
    let ratio = warm_of[&last] / warm_of[&middle];
    let row = Row::new(format!("a piece of evidence, {last} beside {middle}"), format!("{:.2} µs each", warm_of[&last]));
    table.add(row.ideal(format!("{:.2} µs each (linear)", warm_of[&middle]), ratio).aim("linear", ratio < 1.25));
    let runs: Vec<Run> = (0..TIMES).map(|_| run(&pack, TOO_MANY, TOO_MANY)).collect();
    let again = median(runs.iter().map(|run| run[2]).collect());
    let what = format!("{TOO_MANY} pieces of evidence in as many files, twice what is kept, again");
    table.add(Row::new(what, format!("{again:.2} µs each")));
}

/// One measurement, in a process of its own.
fn run(pack: &Path, number: usize, files: usize) -> Run {
    let mut program = Command::new(std::env::current_exe().unwrap());
    let output = program.env(VARIABLE, pack).args([number, files].map(|number| number.to_string())).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let figures: Vec<f64> = text.split_whitespace().map(|figure| figure.parse().unwrap()).collect();
    Run::try_from(figures).unwrap()
}

/// Looks evidence up in this process and prints the figures of a [`Run`].
pub(crate) fn measure_here(pack: &Path) {
    let argument = |place: usize| -> usize { std::env::args().nth(place).unwrap().parse().unwrap() };
    let (number, files) = (argument(1), argument(2));
    let before = peak_memory("self").unwrap_or(f64::NAN);
    let block = block(number, files);
    let each = |time: Duration| ms(time) * 1e3 / float(number);
    let none = BTreeSet::new();
    let known = Known { own: "P", ids: &none };
    let (read, cited) = timed(|| -> Vec<Cited> {
        block.iter().flat_map(|block| Listing::read(block, "", known).unwrap().to_check()).collect()
    });
    assert_eq!(cited.len(), number);
    let (open, pin) = timed(|| Arc::new(Pin::open(pack).unwrap()));
    let examiner = Examiner::over(pin, Path::new("/nowhere/at/all"), Allowed::default());
    let (cold, found) = timed(|| examiner.examine_now(cited.clone()));
    let count = |wanted: CheckResult| found.iter().filter(|found| found.result == wanted).count();
    let counted = [CheckResult::Verified, CheckResult::Relocated, CheckResult::Mismatch, CheckResult::Missing].map(count);
    assert_eq!(counted, [number * 7 / 10, number / 10, number / 10, number / 10]);
    let warm: Vec<f64> = (0..TIMES)
        .map(|_| {
            let cited = cited.clone();
            each(timed(|| black_box(examiner.examine_now(cited))).0)
        })
        .collect();
    let memory = peak_memory("self").unwrap_or(f64::NAN);
    let bare = bare(&cited);
    println!("{} {} {} {} {} {memory} {before}", each(read), each(cold), median(warm), bare / float(number), ms(open));
}

/// What cannot be avoided: the file of exactly this path, and the words in its text. Microseconds for all.
fn bare(cited: &[Cited]) -> f64 {
    let texts: HashMap<String, String> = (0..FILES).map(|file| (path(file), content(file))).collect();
    let (time, _) = timed(|| {
        let holds = |Cited { evidence, .. }: &&Cited| {
            let text = evidence.file.as_ref().and_then(|path| texts.get(path));
            text.is_some_and(|text| evidence.quote.as_ref().is_none_or(|quote| black_box(text).contains(quote.as_str())))
        };
        black_box(cited.iter().filter(holds).count())
    });
    ms(time) * 1e3
}

/// Time on the processor, the system's included, since others may run beside; else by the clock.
fn timed<T>(run: impl FnOnce() -> T) -> (Duration, T) {
    let (began, on_processor) = (Instant::now(), cpu_time());
    let given = run();
    let clock = began.elapsed();
    (cpu_time().zip(on_processor).map_or(clock, |(now, then)| now.saturating_sub(then)), given)
}

/// The workspace, written and packed.
fn pinned(stage: &Stage) -> PathBuf {
    let folder = stage.folder("evidence");
    let workspace = folder.join("workspace");
    fs::create_dir_all(&workspace).unwrap();
    // A repository of its own: the one around it ignores what is built.
    git(&workspace, &["init", "--quiet"]);
    for file in 0..FILES {
        let path = workspace.join(path(file));
        if file % FILES_A_FOLDER == 0 {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
        }
        fs::write(path, content(file)).unwrap();
    }
    let limits = Limits { files: 1_000_000, bytes: 1 << 40, file_bytes: 1 << 20 };
    let blobs = folder.join("blobs");
    let packed = Survey::of(&workspace, None, limits).unwrap().pack(&blobs).unwrap();
    blobs.join(packed.hash)
}

/// Files of one name stand in many folders, as they do in projects.
fn path(file: usize) -> String {
    let folder = file / FILES_A_FOLDER;
    let name = file % FILES_A_FOLDER;
    match name {
        0 => format!("crates/part{folder}/src/mod.rs"),
        _ => format!("crates/part{folder}/src/file{name}_{file}.rs"),
    }
}

fn content(file: usize) -> String {
    let mut text = format!("//! File {file}.\n");
    for line in 2..=LINES {
        writeln!(text, "    let value_{line} = compute(input_{file}, {line}); // step {line} of file {file}").unwrap();
    }
    text
}

/// Blocks that list so much evidence: seven of ten pieces are true, one is a few lines off, one is false, one has no file.
fn block(number: usize, files: usize) -> Vec<String> {
    let one = |place: usize| {
        // Neighbours in the text are far apart in the workspace.
        let file = (place % files * 7_919) % FILES;
        let line = 2 + (place / files * 7 + place * 31) % (LINES - 12);
        let quote = format!("let value_{line} = compute(input_{file}, {line});");
        let at = |line: usize| Some(Lines::one(u32::try_from(line).unwrap()));
        match place % 10 {
            0..6 => Evidence::file(path(file), at(line)).quoting(quote),
            6 => Evidence::file(path(file), at(line)),
            7 => Evidence::file(path(file), at(line + 5)).quoting(quote),
            8 => Evidence::file(path(file), at(line)).quoting(format!("let value_{line} = other(input_{file}, {line});")),
            _ => Evidence::file(format!("crates/part{file}/lib/gone{file}.rs"), at(line)),
        }
    };
    let all: Vec<Evidence> = (0..number).map(one).collect();
    let claims = |claims: &[Evidence]| {
        let claims: Vec<_> = claims.chunks(10).map(|evidence| json!({ "text": "it is so", "evidence": evidence })).collect();
        json!({ "claims": claims }).to_string()
    };
    all.chunks(100).map(claims).collect()
}

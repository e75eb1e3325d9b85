//! A thousand debates at once in one process.

use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rebut_core::debate::Status;
use rebut_engine::store::FileStore;

use crate::bare;
use crate::figures::{float, median, ms, ms_text, peak_memory};
use crate::stage::Stage;
use crate::table::{Row, Table};

/// Names the folder in which this program is to be the crowd's process.
pub(crate) const VARIABLE: &str = "REBUT_BENCH_CROWD";

const DEBATES: usize = 1_000;
const TIMES: usize = 5;
const ANSWER_MS: u64 = 50;
/// The runtime's threads: more than cores, since those that sync wait for the disk.
const THREADS: usize = 16;
/// An opening, a response and a verdict, one after the other.
const CRITICAL_PATH_MS: f64 = 3.0 * 50.0;

/// Milliseconds of the debates, of the bare loop on a thread a core, and of the bare loop on as many threads as the runtime
/// has; peak memory in MB, and what it was before.
type Run = [f64; 5];

pub(crate) fn measure(stage: &Stage, table: &mut Table) {
    let run = || {
        let mut program = Command::new(std::env::current_exe().unwrap());
        let output = program.env(VARIABLE, stage.folder("thousand")).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8(output.stdout).unwrap();
        let figures: Vec<f64> = text.split_whitespace().map(|figure| figure.parse().unwrap()).collect();
        Run::try_from(figures).unwrap()
    };
    let runs: Vec<Run> = (0..TIMES).map(|_| run()).collect();
    let middle = |figure: &dyn Fn(&Run) -> f64| median(runs.iter().map(figure).collect());
    let wall = middle(&|[wall, ..]| *wall);
    let what = format!("{DEBATES} debates at once, {ANSWER_MS} ms answers");
    let row = |place: usize, threads: &str| {
        let ideal = |run: &Run| run[place].max(CRITICAL_PATH_MS);
        let ratio = middle(&|run| run[0] / ideal(run));
        let row = Row::new(what.clone(), ms_text(wall)).ideal(format!("{} ({threads})", ms_text(middle(&ideal))), ratio);
        (row, ratio)
    };
    let (a_thread_a_core, ratio) = row(1, "a thread a core");
    table.add(a_thread_a_core.aim("< 1.25 × ideal", ratio < 1.25));
    table.add(row(2, &format!("{THREADS} threads")).0);
    let (memory, before) = (middle(&|run| run[3]), middle(&|run| run[4]));
    let each = (memory - before) * 1024.0 / float(DEBATES);
    table.add(Row::new(format!("peak memory of {DEBATES} debates"), format!("{memory:.0} MB, {each:.0} kB each")));
}

/// Runs the debates in this process and prints the figures of a [`Run`].
pub(crate) fn measure_here(stage: Stage) {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(THREADS).enable_all().build().unwrap();
    let sample = stage.begin(&stage.folder("sample"), stage.plan(1, ANSWER_MS), true);
    let trace = runtime.block_on(sample.run()).1.unwrap();
    let stage = Arc::new(stage);
    let before = peak_memory("self").unwrap_or(f64::NAN);
    let wall = runtime.block_on(hold_all(&stage));
    let memory = peak_memory("self").unwrap_or(f64::NAN);
    let bare = |threads| ms(bare::crowd(&trace, &stage.folder("bare"), DEBATES, threads));
    println!("{} {} {} {memory} {before}", ms(wall), bare(cores), bare(THREADS));
}

/// Begins and holds every debate at the same time.
async fn hold_all(stage: &Arc<Stage>) -> Duration {
    let (root, plan) = (stage.folder("crowd"), stage.plan(1, ANSWER_MS));
    let store = FileStore::at(&root);
    let began = Instant::now();
    let hold = |_| {
        let (stage, store, root, plan) = (Arc::clone(stage), store.clone(), root.clone(), plan.clone());
        tokio::spawn(async move { stage.begin_in(&store, &root, plan, false).await.run().await.0.status() })
    };
    let debates: Vec<_> = (0..DEBATES).map(hold).collect();
    for debate in debates {
        assert_eq!(debate.await.unwrap(), Status::Completed);
    }
    began.elapsed()
}

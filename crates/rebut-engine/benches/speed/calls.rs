//! What the engine adds to a call: wall time less the scripted delays on the critical path, for each call.

use std::time::{Duration, Instant};

use rebut_core::judging::Rigor;

use crate::bare;
use crate::figures::{cpu_time, float, median, ms, ms_text};
use crate::stage::{MOST_ROUNDS, Stage};
use crate::table::{Row, Table};

/// Delays, each with how often a debate is repeated.
const DELAYS: [(u64, usize); 3] = [(0, 15), (50, 5), (500, 3)];

pub(crate) fn measure(stage: &Stage, table: &mut Table) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut processor = Vec::new();
    for (delay_ms, times) in DELAYS {
        let delay = Duration::from_millis(delay_ms);
        let mut own = Vec::new();
        for rounds in 1..=MOST_ROUNDS {
            let statements = 2 * rounds as usize;
            // The summary for a round is asked for beside the statements of the round before: it is on no critical path.
            let calls = float(statements + 1 + (rounds as usize).saturating_sub(2));
            let scripted = ms(delay) * float(statements + 1);
            let (mut walls, mut bares, mut ours) = (Vec::new(), Vec::new(), Vec::new());
            for _ in 0..times {
                let folder = stage.folder("calls");
                let begun = stage.begin(&folder, stage.plan(rounds, delay_ms), true);
                let (used, started) = (cpu_time(), Instant::now());
                let (_, trace) = runtime.block_on(begun.run());
                let wall = (ms(started.elapsed()) - scripted) / calls;
                let used = used.zip(cpu_time()).map(|(before, after)| ms(after.saturating_sub(before)) / calls);
                processor.extend(used.filter(|_| delay_ms == 0));
                let bare = runtime.block_on(bare::run(&trace.unwrap(), &folder, delay));
                let bare = (ms(bare) - scripted) / calls;
                walls.push(wall);
                bares.push(bare);
                ours.push(wall - bare);
            }
            let (wall, bare) = (median(walls), median(bares));
            let what =
                format!("overhead a call, {delay_ms} ms answers, {rounds} round{}", if rounds == 1 { "" } else { "s" });
            table.add(Row::new(what, ms_text(wall)).ideal(ms_text(bare), wall / bare).aim("< 1 ms", wall < 1.0));
            own.append(&mut ours);
        }
        let own = median(own);
        let what = format!("of it not the disk's or the timer's, {delay_ms} ms answers");
        table.add(Row::new(what, ms_text(own)).aim("< 1 ms", own < 1.0));
    }
    if !processor.is_empty() {
        let used = median(processor);
        table.add(Row::new("processor time a call, the system's included", ms_text(used)).aim("<= 0.4 ms", used <= 0.4));
    }
}

/// A duel with two ballots beside the same with one: both are asked for at the same time.
pub(crate) fn ballots(stage: &Stage, table: &mut Table) {
    const TIMES: usize = 5;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let held = |rigor| {
        let plan = stage.plan_by(&stage.script(200), 2, rigor);
        let begun = stage.begin(&stage.folder("ballots"), plan, false);
        let started = Instant::now();
        let (debate, _) = runtime.block_on(begun.run());
        assert!(debate.outcome().is_some_and(|outcome| outcome.verdict.is_some()), "{:?}", debate.outcome());
        ms(started.elapsed())
    };
    let (quick, standard): (Vec<f64>, Vec<f64>) = (0..TIMES).map(|_| (held(Rigor::Quick), held(Rigor::Standard))).unzip();
    let (quick, standard) = (median(quick), median(standard));
    let ratio = standard / quick;
    let row = Row::new("a duel of 2 rounds at standard, answers of 200 ms", ms_text(standard));
    table.add(row.ideal(format!("{} (quick)", ms_text(quick)), ratio).aim("< 1.05 × quick", ratio < 1.05));
}

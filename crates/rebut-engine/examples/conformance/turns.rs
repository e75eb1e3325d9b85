//! How long a turn takes once a seat has had its first, over the command line and over ACP, with the real tools.

use std::path::Path;
use std::time::{Duration, Instant};

use rebut_core::debate::SeatPlan;
use rebut_engine::providers::{Providers, SeatSpec, Transport};
use tokio_util::sync::CancellationToken;

use crate::case::CASES;
use crate::cell::{Cell, Way};
use crate::tools::Subject;

/// Measures each tool in both ways, against a provider that answers at once, and prints a table.
pub(crate) async fn measure(subjects: &[&'static Subject], turns: usize, work: &Path) {
    println!("| tool | first turn, cli | first turn, acp | later turn, cli | later turn, acp | acp by cli |");
    println!("|---|---|---|---|---|---|");
    for subject in subjects.iter().filter(|subject| subject.name == subject.tool) {
        let cli = timed(subject, Way::Cli, turns, work).await;
        let acp = timed(subject, Way::Acp, turns, work).await;
        match (cli, acp) {
            (Ok(cli), Ok(acp)) => {
                let ratio = later(&acp) / later(&cli);
                let cells = [first(&cli), first(&acp), later(&cli), later(&acp)].map(|ms| format!("{ms:.0} ms"));
                println!("| {} | {} | {ratio:.2} |", subject.name, cells.join(" | "));
            }
            (cli, acp) => println!("| {} | not measured: {} |", subject.name, cli.and(acp).err().unwrap_or_default()),
        }
    }
}

/// How long each of so many turns of one seat took.
async fn timed(subject: &'static Subject, way: Way, turns: usize, work: &Path) -> Result<Vec<Duration>, String> {
    let case = CASES.iter().find(|case| case.name == "success").ok_or("there is no such case")?;
    let cell = Cell::new(subject, way, case, &work.join("turns"));
    let (provider, variables) = cell.prepare();
    let providers = Providers::default().with_variables(variables);
    let spec = SeatSpec { tool: subject.tool.to_owned(), model: cell.model() };
    let plan = providers.plan(&spec, case.effort(), Transport::Cli, &cell.places.workspace);
    let plan = SeatPlan { transport: way.name().to_owned(), ..plan.map_err(|error| error.to_string())? };
    let seat =
        providers.open(&plan, &cell.places.workspace, Some(&cell.places.workspace)).map_err(|error| error.to_string())?;
    let mut times = Vec::new();
    let mut failed = None;
    for _ in 0..turns {
        let (order, progress, _news) = cell.order();
        let began = Instant::now();
        if let Err(failure) = seat.answer(&order, progress, CancellationToken::new()).await {
            failed = Some(failure.to_string());
            break;
        }
        times.push(began.elapsed());
    }
    seat.close().await;
    drop(provider);
    failed.map_or(Ok(times), Err)
}

fn first(times: &[Duration]) -> f64 {
    times.first().map_or(f64::NAN, |time| time.as_secs_f64() * 1e3)
}

/// The median of all but the first.
fn later(times: &[Duration]) -> f64 {
    let mut later: Vec<f64> = times.iter().skip(1).map(|time| time.as_secs_f64() * 1e3).collect();
    later.sort_by(f64::total_cmp);
    later.get(later.len() / 2).copied().unwrap_or(f64::NAN)
}

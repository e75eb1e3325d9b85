//! What it costs to show an answer word by word: 5,000 pieces of progress for every answer of a debate.
//!
//! The ideal is the same pieces through the same two channels and nothing else.

use std::time::{Duration, Instant};

use futures_util::future::BoxFuture;
use rebut_core::debate::{Answer, Failure, Plan, StepKey};
use rebut_engine::config::Settings;
use rebut_engine::planning::{Common, PanelRequest, Place, Planner, plan_panel, read_lineup};
use rebut_engine::providers::{Lane, Order, Progress, ProgressSink, Providers, Seat};
use rebut_fakes::panel::PanelScript;
use tokio::sync::mpsc::unbounded_channel;
use tokio_util::sync::CancellationToken;

use crate::figures::{float, median, ms, ms_text};
use crate::stage::Stage;
use crate::table::{Row, Table};

const TIMES: usize = 5;
/// How many pieces an answer arrives in: about as many tokens as a long one has.
const PIECES: usize = 5_000;
/// A panel with this many turns before its last: the longer a debate is, the more there is to walk through.
const PANEL: PanelScript = PanelScript { debaters: 4, rounds: 3 };

pub(crate) fn measure(stage: &Stage, table: &mut Table) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    for (name, plan) in [("a duel of 5 rounds", stage.plan(5, 0)), ("a panel of 4, 3 rounds", panel(stage))] {
        let (mut ours, mut bares) = (Vec::new(), Vec::new());
        for _ in 0..TIMES {
            let [silent, talking] = [0, PIECES].map(|pieces| {
                let begun = stage
                    .begin(&stage.folder("words"), plan.clone(), false)
                    .seated(|seat| Box::new(Talking { seat, pieces }));
                let started = Instant::now();
                let (debate, _) = runtime.block_on(begun.run());
                (started.elapsed(), debate.calls().count())
            });
            ours.push((ms(talking.0) - ms(silent.0)) / float(talking.1));
            bares.push(ms(runtime.block_on(bare())));
        }
        let (own, bare) = (median(ours), median(bares));
        let what = format!("{PIECES} pieces an answer, {name}, each answer");
        let row = Row::new(what, ms_text(own)).ideal(format!("{} (two channels)", ms_text(bare)), own / bare);
        table.add(row.aim("< 10 ms", own < 10.0));
    }
}

/// A panel of scripted seats that are never delayed.
fn panel(stage: &Stage) -> Plan {
    let folder = stage.folder("words");
    std::fs::write(folder.join("seats.toml"), PANEL.script().to_toml()).unwrap();
    std::fs::write(folder.join("lineup.toml"), PANEL.lineup("seats.toml")).unwrap();
    let mut settings = Settings::default();
    let seat = |name: &str| Some(format!("script:seats.toml#{name}"));
    let panel = &mut settings.panel;
    (panel.models.chair, panel.models.verifier, panel.models.audience) = (seat("chair"), seat("verifier"), seat("audience"));
    (panel.models.reporter, panel.models.assessor) = (seat("reporter"), seat("assessor"));
    (panel.min_rounds, panel.max_rounds) = (PANEL.rounds, PANEL.rounds);
    let request = PanelRequest {
        topic: "Should AI code review replace human review?".to_owned(),
        debaters: read_lineup(&folder.join("lineup.toml")).unwrap(),
        hints: String::new(),
        output: folder.join("papers").display().to_string(),
        web: false,
        accepts_lineup: false,
        context: Vec::new(),
        common: Common::default(),
    };
    let place = Place { folder: folder.clone(), workspace: folder };
    let planner = Planner { settings: &settings, providers: &Providers::default(), place: &place };
    plan_panel(request, planner).unwrap()
}

/// A seat that says what another one says, after this many pieces.
struct Talking {
    seat: Box<dyn Seat>,
    pieces: usize,
}

impl Seat for Talking {
    fn lane(&self) -> Lane {
        self.seat.lane()
    }

    fn answer<'a>(
        &'a self,
        order: &'a Order,
        progress: ProgressSink,
        cancel: CancellationToken,
    ) -> BoxFuture<'a, Result<Answer, Failure>> {
        Box::pin(async move {
            for _ in 0..self.pieces {
                progress.tell(Progress::Text("word ".to_owned()));
                tokio::task::yield_now().await;
            }
            self.seat.answer(order, progress, cancel).await
        })
    }
}

/// The pieces of one answer, sent on twice.
async fn bare() -> Duration {
    let (first, mut heard) = unbounded_channel();
    let (second, mut shown) = unbounded_channel();
    let key = StepKey::new("round-1/proposer");
    let started = Instant::now();
    let told = async {
        for _ in 0..PIECES {
            let _ = first.send((key.clone(), Progress::Text("word ".to_owned())));
            tokio::task::yield_now().await;
        }
        drop(first);
    };
    let passed = async {
        while let Some(piece) = heard.recv().await {
            let _ = second.send(piece);
        }
        drop(second);
    };
    let seen = async { while shown.recv().await.is_some() {} };
    tokio::join!(told, passed, seen);
    started.elapsed()
}

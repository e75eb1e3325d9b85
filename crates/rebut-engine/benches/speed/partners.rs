//! How long a round of partners takes against the slowest of them: everybody is asked at once.

use std::fmt::Write;
use std::fs;
use std::time::{Duration, Instant};

use rebut_core::debate::{Debate, Event, Happening, Plan, SeatName, SeatPlan};
use rebut_core::formats::cross::Kind;
use rebut_engine::clock::Clock;
use rebut_engine::config::Settings;
use rebut_engine::planning::{Common, CrossRequest, Place, Planner, plan_cross};
use rebut_engine::providers::Providers;
use rebut_engine::runner::{Chooser, Limits, Observer, Runner, Stop};
use rebut_engine::store::{FileStore, Store};

use crate::figures::{median, ms, ms_text};
use crate::stage::{LENGTH, Stage, statement};
use crate::table::{Row, Table};

const TIMES: usize = 5;
/// The slowest partner's delay; the others answer in parts of it.
const SLOWEST_MS: u64 = 400;

pub(crate) fn measure(stage: &Stage, table: &mut Table) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    for partners in [2_usize, 4, 8] {
        let sum: u64 = (1..=partners).map(|number| delay(number, partners)).sum();
        let (mut openings, mut crossings) = (Vec::new(), Vec::new());
        for _ in 0..TIMES {
            let [opening, crossing] = runtime.block_on(hold(stage, partners));
            openings.push(ms(opening));
            crossings.push(ms(crossing));
        }
        for (round, walls) in [(0, openings), (1, crossings)] {
            let wall = median(walls);
            let ratio = wall / ms(Duration::from_millis(SLOWEST_MS));
            let what = format!("round {round} of {partners} partners, answers of {sum} ms in all");
            let row = Row::new(what, ms_text(wall)).ideal(format!("{SLOWEST_MS} ms (the slowest)"), ratio);
            table.add(row.aim("< 1.10 × ideal", ratio < 1.10));
        }
    }
}

/// The delay of a partner: the last one is the slowest.
fn delay(number: usize, partners: usize) -> u64 {
    SLOWEST_MS * number as u64 / partners as u64
}

/// Notes when the first call of a round starts and the last one is answered.
#[derive(Default)]
struct Rounds {
    first: [Option<Instant>; 2],
    last: [Option<Instant>; 2],
}

impl Observer for Rounds {
    fn event(&mut self, _: &Debate, _: u64, event: &Event) {
        let (key, started) = match &event.happening {
            Happening::Started { key, .. } => (key, true),
            Happening::Answered { key, .. } => (key, false),
            _ => return,
        };
        let Some(round) = ["round-0/", "round-1/"].iter().position(|round| key.as_str().starts_with(round)) else { return };
        if started {
            self.first[round].get_or_insert_with(Instant::now);
        } else {
            self.last[round] = Some(Instant::now());
        }
    }
}

async fn hold(stage: &Stage, partners: usize) -> [Duration; 2] {
    let folder = stage.folder("partners");
    let script = folder.join("seats.toml");
    fs::write(&script, answers(partners, LENGTH, |number| delay(number, partners))).unwrap();
    let providers = Providers::default();
    let plan = plan(&providers, &folder, &script, partners);
    let open = |(name, seat): (&SeatName, &SeatPlan)| (name.clone(), providers.open(seat, &folder, None).unwrap());
    let seats = plan.seats.iter().map(open).collect();
    let mut rounds = Rounds::default();
    let claim = FileStore::at(folder.join("state")).create(Clock::start().now()).await.unwrap();
    let runner = Runner::begin(claim, plan, Clock::start(), &mut rounds).await.unwrap();
    let (format, limits, stop) = (runner.debate().format(), Limits::default(), Stop::default());
    let debate = runner.run(format, seats, &limits, Chooser::Recommendation, &stop, &mut rounds).await.unwrap();
    assert!(debate.outcome().is_some_and(|outcome| outcome.verdict.is_some()), "{:?}", debate.outcome());
    [0, 1].map(|round| rounds.last[round].unwrap() - rounds.first[round].unwrap())
}

/// The plan of a cross of one round between the seats of this script.
pub(crate) fn plan(providers: &Providers, folder: &std::path::Path, script: &std::path::Path, partners: usize) -> Plan {
    let mut settings = Settings::default();
    let seat = |name: &str| format!("script:{}#{name}", script.display());
    settings.cross.partners = (1..=partners).map(|number| seat(&format!("p{number}"))).collect();
    settings.cross.moderator = Some(seat("chair"));
    let request = CrossRequest {
        kind: Kind::Cross,
        question: "Should we replace our REST gateway with gRPC?".to_owned(),
        gate: false,
        always_debate: true,
        named: false,
        options: Vec::new(),
        from: None,
        context: Vec::new(),
        common: Common::default(),
    };
    let place = Place { folder: folder.to_owned(), workspace: folder.to_owned() };
    let planner = Planner { settings: &settings, providers, place: &place };
    plan_cross(request, planner).unwrap()
}

/// Answers of so many bytes, each after its partner's delay; the moderator answers at once.
pub(crate) fn answers(partners: usize, bytes: usize, delay: impl Fn(usize) -> u64) -> String {
    let mut text = String::new();
    for round in 0..2 {
        for number in 1..=partners {
            let delay = delay(number);
            let answer = statement(bytes, if round == 0 { "" } else { "\"moved\": \"no\", " });
            writeln!(
                text,
                "[[call]]\nkey = \"round-{round}/partner-{number}\"\ndelay_ms = {delay}\ntext = '''\n{answer}'''"
            )
            .unwrap();
        }
    }
    text + "[[call]]\nkey = \"synthesis\"\ntext = '''\n{\"points\": [{\"kind\": \"agree\", \"partners\": [\"Partner A\"], \"claims\": \
            [], \"text\": \"It holds.\"}, {\"kind\": \"agree\", \"partners\": [\"Partner B\"], \"claims\": [], \"text\": \"It \
            agrees.\"}], \"synthesis\": \"Keep REST.\"}'''\n"
}

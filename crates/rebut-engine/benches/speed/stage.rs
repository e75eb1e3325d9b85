//! What every measurement stands on: scripted seats, plans, and debates that are run as a command runs them.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use futures_util::FutureExt;
use rebut_core::debate::{Debate, Event, Happening, Plan, SeatName, SeatPlan, StepKey};
use rebut_core::judging::Rigor;
use rebut_engine::clock::Clock;
use rebut_engine::config::Settings;
use rebut_engine::planning::{Common, DuelRequest, Place, Planner, plan_duel};
use rebut_engine::providers::{Providers, Seat};
use rebut_engine::runner::{Chooser, Limits, Observer, Runner, Seats, Stop};
use rebut_engine::session::{Projection, Record};
use rebut_engine::store::files::JOURNAL;
use rebut_engine::store::{FileStore, Store};
use tempfile::TempDir;

/// The most rounds of a duel.
pub(crate) const MOST_ROUNDS: u32 = 5;

/// A folder on the disk that cargo builds on, and the providers.
pub(crate) struct Stage {
    folder: PathBuf,
    /// Removes the folder in the end, and not before: a disk that has just freed thousands of files is slower.
    _owned: Option<TempDir>,
    providers: Providers,
}

/// A debate that has begun and waits to be run.
pub(crate) struct Begun {
    pub(crate) folder: PathBuf,
    runner: Runner,
    seats: Seats,
    watcher: Watcher,
}

/// What a debate wrote, in order: a bare loop can do the same.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trace {
    /// The stored summary.
    pub(crate) summary: Vec<u8>,
    /// A line of the journal each.
    pub(crate) lines: Vec<Line>,
    /// When `debate.json` was last rewritten.
    rendered_at: Option<SystemTime>,
}

/// A line of the journal.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) bytes: Vec<u8>,
    pub(crate) synced: bool,
    pub(crate) starts: Option<StepKey>,
    pub(crate) answers: Option<StepKey>,
    /// `debate.json` as it was rewritten after this line.
    pub(crate) rendered: Option<Vec<u8>>,
}

/// Renders the debate's files as the program does, and remembers what happened if asked to.
struct Watcher {
    projection: Projection,
    remembers: Option<(PathBuf, Trace)>,
}

impl Stage {
    /// A stage of its own.
    pub(crate) fn set() -> Self {
        let owned = tempfile::Builder::new().prefix("speed-").tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        Self { folder: owned.path().to_owned(), _owned: Some(owned), providers: Providers::default() }
    }

    /// A stage in a folder that somebody else removes.
    pub(crate) fn within(folder: PathBuf) -> Self {
        Self { folder, _owned: None, providers: Providers::default() }
    }

    /// A new folder.
    pub(crate) fn folder(&self, name: &str) -> PathBuf {
        let place = self.folder.join(name);
        fs::create_dir_all(&place).unwrap();
        tempfile::Builder::new().prefix("f-").tempdir_in(place).unwrap().keep()
    }

    /// A script whose every answer takes so long.
    pub(crate) fn script(&self, delay_ms: u64) -> PathBuf {
        let path = self.folder.join(format!("answers-{delay_ms}.toml"));
        if !path.exists() {
            fs::write(&path, script(&statement(LENGTH, ""), delay_ms)).unwrap();
        }
        path
    }

    /// The plan of a duel between scripted seats.
    pub(crate) fn plan(&self, rounds: u32, delay_ms: u64) -> Plan {
        self.plan_by(&self.script(delay_ms), rounds, Rigor::Quick)
    }

    /// The plan of a duel between the seats of this script.
    pub(crate) fn plan_by(&self, script: &Path, rounds: u32, rigor: Rigor) -> Plan {
        let seat = |name: &str| Some(format!("script:{}#{name}", script.display()));
        let mut settings = Settings::default();
        settings.duel.rounds = rounds;
        settings.verdict.rigor = rigor;
        (settings.duel.proposer, settings.duel.challenger, settings.duel.judge) =
            (seat("north"), seat("south"), seat("bench"));
        let request = DuelRequest {
            topic: "Should we replace our REST gateway with gRPC?".to_owned(),
            model_proposer: None,
            model_challenger: None,
            context_wish: rebut_engine::workspace::WhoseWish::User,
            common: Common::default(),
        };
        let place = Place { folder: self.folder.clone(), workspace: self.folder.clone() };
        let planner = Planner { settings: &settings, providers: &self.providers, place: &place };
        plan_duel(request, planner).unwrap()
    }

    /// Begins a debate in the file store at `root`. With `remember`, the run gives its trace.
    pub(crate) fn begin(&self, root: &Path, plan: Plan, remember: bool) -> Begun {
        self.begin_in(&FileStore::at(root), root, plan, remember).now_or_never().unwrap()
    }

    /// Begins a debate in this store, with its documents in `root`.
    pub(crate) async fn begin_in(&self, store: &dyn Store, root: &Path, mut plan: Plan, remember: bool) -> Begun {
        let workspace = PathBuf::from(&plan.workspace);
        let open =
            |(name, seat): (&SeatName, &SeatPlan)| (name.clone(), self.providers.open(seat, &workspace, None).unwrap());
        let seats = plan.seats.iter().map(open).collect();
        let clock = Clock::start();
        let claim = store.create(clock.now()).await.unwrap();
        plan.id = claim.id().clone();
        let folder = root.join(plan.id.as_str());
        let projection = Projection::new(Record::of(root, &plan.id), &plan, None);
        let remembers = remember.then(|| (folder.clone(), Trace::default()));
        let mut watcher = Watcher { projection, remembers };
        let runner = Runner::begin(claim, plan, clock, &mut watcher).await.unwrap();
        Begun { folder, runner, seats, watcher }
    }
}

impl Begun {
    /// The same with other seats in front of its own.
    pub(crate) fn seated(self, seat: impl Fn(Box<dyn Seat>) -> Box<dyn Seat>) -> Self {
        let seats = self.seats.into_iter().map(|(name, own)| (name, seat(own))).collect();
        Self { seats, ..self }
    }

    /// Runs the debate to its end.
    pub(crate) async fn run(self) -> (Debate, Option<Trace>) {
        let Self { folder, runner, seats, mut watcher } = self;
        let (format, limits, stop) = (runner.debate().format(), Limits::default(), Stop::default());
        let debate = runner.run(format, seats, &limits, Chooser::Recommendation, &stop, &mut watcher).await.unwrap();
        let trace = watcher.remembers.map(|(_, mut trace)| {
            trace.summary = fs::read(folder.join("summary.json")).unwrap();
            let content = fs::read(folder.join(JOURNAL)).unwrap();
            let lines = content.split_inclusive(|byte| *byte == b'\n');
            trace.lines.iter_mut().zip(lines).for_each(|(line, bytes)| line.bytes = bytes.to_vec());
            trace
        });
        (debate, trace)
    }
}

impl Watcher {
    /// Remembers `debate.json` with the newest line, if it was rewritten.
    fn look(&mut self) {
        let Some((folder, trace)) = &mut self.remembers else { return };
        let newest = fs::metadata(folder.join("debate.json")).and_then(|file| file.modified()).ok();
        if newest != trace.rendered_at {
            trace.rendered_at = newest;
            trace.lines.last_mut().unwrap().rendered = Some(fs::read(folder.join("debate.json")).unwrap());
        }
    }
}

impl Observer for Watcher {
    fn event(&mut self, debate: &Debate, _: u64, event: &Event) {
        let failed = self.projection.event(debate, &event.happening);
        assert!(failed.is_empty(), "debate.json cannot be written");
        let Some((_, trace)) = &mut self.remembers else { return };
        let (mut starts, mut answers) = (None, None);
        match &event.happening {
            Happening::Started { key, .. } => starts = Some(key.clone()),
            Happening::Answered { key, .. } => answers = Some(key.clone()),
            Happening::Planned { .. } | Happening::Finished { .. } => {}
            other => panic!("this happens in no benchmark: {other:?}"),
        }
        trace.lines.push(Line {
            bytes: Vec::new(),
            synced: matches!(event.happening, Happening::Answered { .. } | Happening::Finished { .. }),
            starts,
            answers,
            rendered: None,
        });
        self.look();
    }

    fn idle(&mut self, debate: &Debate) {
        assert!(self.projection.catch_up(debate).is_empty(), "debate.json cannot be written");
        self.look();
    }
}

const PARAGRAPH: &str = "The profile of the gateway puts most of its time into encoding, and the report on the outage of \
                         March names timeouts that were not passed on as its cause; both speak for a change, and neither \
                         says which.\n\n";

/// How long a statement is in most measurements, in bytes.
pub(crate) const LENGTH: usize = 1_900;

/// A statement with two claims that is so long in all; `more` are other fields of its block, each with a comma after it.
pub(crate) fn statement(bytes: usize, more: &str) -> String {
    let claims = r#"{"text": "Most of the time goes into encoding", "evidence": [{"file": "bench/gateway.md", "lines": "12-20"}]},
 {"text": "Clients already generate their code", "evidence": [{"file": "clients/Makefile", "lines": "8"}]}"#;
    let block = format!("\n\n```json\n{{\"position\": \"Replace it.\", {more}\"claims\": [{claims}]}}\n```\n");
    let room = bytes - block.len();
    format!("{}{block}", &PARAGRAPH.repeat(room / PARAGRAPH.len() + 1)[..room])
}

/// A script with an answer for every call of five rounds.
pub(crate) fn script(statement: &str, delay_ms: u64) -> String {
    let summary = PARAGRAPH.repeat(4);
    let verdict = r#"{"winner": "B", "reasoning": "Its measure is the cheaper one.", "decisive": [
        {"ref": "A1", "why": "The cheaper measure reaches the same goal."},
        {"ref": "A1", "why": "Its cost is not named."}],
        "quality": {"genuine_disagreement": "high", "evidence_quality": "high", "challenge_depth": "high"},
        "agreements": [], "disagreements": [], "unresolved": [], "recommendation": "Keep REST."}"#;
    let exchanged = verdict.replace("\"B\"", "\"A\"").replace("\"A1\"", "\"B1\"");
    let mut calls = Vec::new();
    for round in 1..=MOST_ROUNDS {
        calls.push((format!("round-{round}/proposer"), statement));
        calls.push((format!("round-{round}/challenger"), statement));
        calls.push((format!("round-{round}/summary"), summary.as_str()));
    }
    calls.push(("verdict/judge/1".to_owned(), verdict));
    calls.push(("verdict/judge/2".to_owned(), &exchanged));
    let call = |(key, text): &(String, &str)| {
        format!(
            "[[call]]\nkey = \"{key}\"\ndelay_ms = {delay_ms}\ninput_tokens = 900\noutput_tokens = 400\ntext = '''\n{text}'''\n"
        )
    };
    calls.iter().map(call).collect()
}

//! A stage for the runner's tests: a format made of a closure, and a seat that says what it was told to.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::BoxFuture;
use rebut_core::debate::{
    Action, Amendment, Answer, Budget, Call, Cause, Chance, Choice, Debate, DebateId, Effort, Event, Failure, Fund,
    Happening, Outcome, Payload, Phase, Plan, Procedure, Prompt, Rejection, SeatName, SeatPlan, Shape, Share, Status, Step,
    StepKey, Usage,
};
use rebut_core::evidence::{Known, Statement};
use rebut_core::formats::duel::{Content, DuelSetup};
use rebut_core::formats::fold;
use rebut_core::judging::Rigor;
use rebut_engine::checks::Examiner;
use rebut_engine::clock::Clock;
use rebut_engine::providers::{Lane, Order, Progress, ProgressSink, Seat};
use rebut_engine::runner::{Chooser, Limits, RunError, Runner, Stop, User};
use rebut_engine::store::{Cursor, Earlier, Fault, FileStore, Store};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

type Next = Box<dyn Fn(&Debate) -> Vec<Step> + Sync>;

pub(crate) struct Stage {
    next: Next,
    lines: BTreeMap<String, VecDeque<Line>>,
    pub(crate) limits: Limits,
    pub(crate) person: Option<&'static str>,
    pub(crate) stop: Stop,
    pub(crate) fault: Option<Fault>,
    pub(crate) max_ms: Option<u64>,
    pub(crate) examiner: Option<Examiner>,
    pub(crate) closed: Arc<AtomicUsize>,
}

/// What came of it.
pub(crate) struct Acted {
    pub(crate) debate: Debate,
    pub(crate) events: Vec<Event>,
    pub(crate) error: Option<RunError>,
    pub(crate) most_at_once: usize,
    pub(crate) folder: TempDir,
}

#[derive(Clone)]
enum Line {
    Says { text: String, after_ms: u64, pieces: usize },
    Fails { failure: Failure, after_words: bool },
    Hangs,
}

pub(crate) trait IntoKey {
    fn into_key(self) -> StepKey;
}

impl IntoKey for &str {
    fn into_key(self) -> StepKey {
        StepKey::new(self)
    }
}

pub(crate) fn step(key: &str, action: Action) -> Step {
    Step { key: key.into_key(), action }
}

pub(crate) fn ask(seat: &str) -> Action {
    Action::Ask(Box::new(Call {
        asks: Payload::of(()),
        seat: SeatName::new(seat),
        phase: Phase("act".into()),
        prompt: Prompt { system: "s".into(), user: "u".into() },
        shape: Shape::Prose,
        output_tokens: 10,
        limit_ms: 2_000,
        fund: Fund::Debate,
    }))
}

pub(crate) fn done() -> Step {
    step("finish", Action::Finish(Outcome { status: Status::Completed, lines: Vec::new(), verdict: None, decision: None }))
}

impl Stage {
    pub(crate) fn new(next: impl Fn(&Debate) -> Vec<Step> + Sync + 'static) -> Self {
        Self {
            next: Box::new(next),
            lines: BTreeMap::new(),
            limits: Limits::default(),
            person: None,
            stop: Stop { retry_wait_ms: 10, ..Stop::default() },
            fault: None,
            max_ms: None,
            examiner: None,
            closed: Arc::default(),
        }
    }

    pub(crate) fn says(self, key: &str, text: &str) -> Self {
        self.says_after(key, text, 0)
    }

    pub(crate) fn says_after(self, key: &str, text: &str, after_ms: u64) -> Self {
        self.line(key, Line::Says { text: text.into(), after_ms, pieces: 0 })
    }

    /// An answer that is streamed in this many pieces first. It comes a moment later, so that the pieces are seen before it.
    pub(crate) fn streams(self, key: &str, text: &str, pieces: usize) -> Self {
        self.line(key, Line::Says { text: text.into(), after_ms: 1, pieces })
    }

    pub(crate) fn hangs(self, key: &str) -> Self {
        self.line(key, Line::Hangs)
    }

    pub(crate) fn fails(self, key: &str, cause: Cause, retry_after_ms: Option<u64>) -> Self {
        let failure = Failure { retry_after_ms, ..Failure::new(cause, "scripted") };
        self.line(key, Line::Fails { failure, after_words: false })
    }

    pub(crate) fn fails_saying(self, key: &str, cause: Cause, detail: &str) -> Self {
        self.line(key, Line::Fails { failure: Failure::new(cause, detail), after_words: false })
    }

    pub(crate) fn stalls_after_words(self, key: &str) -> Self {
        self.line(key, Line::Fails { failure: Failure::new(Cause::Stalled, ""), after_words: true })
    }

    pub(crate) async fn act(self) -> Acted {
        let folder = tempfile::tempdir().unwrap();
        let claim = self.store(&folder).create(jiff::Timestamp::now()).await.unwrap();
        let plan = Plan { id: claim.id().clone(), ..plan(self.max_ms) };
        let runner = Runner::begin(claim, plan, Clock::start(), &mut ()).await.unwrap();
        self.play(runner, folder).await
    }

    pub(crate) async fn resume(self, folder: TempDir) -> Acted {
        let runner = resumed(&self.store(&folder), Earlier::Dropped).await;
        self.play(runner, folder).await
    }

    fn store(&self, folder: &TempDir) -> FileStore {
        FileStore::at(folder.path()).with_fault(self.fault)
    }

    pub(crate) async fn play(self, runner: Runner, folder: TempDir) -> Acted {
        let most = Arc::new(AtomicUsize::new(0));
        let seat = ActorSeat {
            lines: Mutex::new(self.lines),
            now: AtomicUsize::new(0),
            most: Arc::clone(&most),
            closed: Arc::clone(&self.closed),
        };
        let seats = BTreeMap::from([(SeatName::new("a"), Box::new(seat) as Box<dyn Seat>)]);
        let runner = match self.examiner {
            Some(examiner) => runner.with_examiner(examiner),
            None => runner,
        };
        let format = ClosureFormat(self.next);
        let person = Asked(self.person);
        let result = runner.run(&format, seats, &self.limits, Chooser::User(&person), &self.stop, &mut ()).await;
        let store = FileStore::at(folder.path());
        let id = store.find("last").await.unwrap();
        let events = store.events(&id, &Cursor::default()).await.unwrap().trusted().unwrap();
        let debate = fold(events.clone()).unwrap();
        Acted { debate, events, error: result.err(), most_at_once: most.load(Ordering::SeqCst), folder }
    }

    fn line(mut self, key: &str, line: Line) -> Self {
        self.lines.entry(key.into()).or_default().push_back(line);
        self
    }
}

/// The one debate of a store, resumed.
pub(crate) async fn resumed(store: &FileStore, earlier: Earlier) -> Runner {
    let id = store.find("last").await.unwrap();
    let claimed = store.claim(&id, earlier).await.unwrap();
    let mut runner = Runner::open(claimed, Clock::start()).unwrap();
    runner.resume(Amendment::default(), &mut ()).await.unwrap();
    runner
}

impl Acted {
    pub(crate) fn journal(&self) -> String {
        let id = self.debate.plan().id.as_str();
        std::fs::read_to_string(self.folder.path().join(id).join("journal.jsonl")).unwrap()
    }

    pub(crate) fn failure(&self, key: &str) -> &Failure {
        self.debate.failed(&key.into_key()).unwrap_or_else(|| panic!("{key} did not fail: {:?}", self.story()))
    }

    /// What happened, a line an event.
    pub(crate) fn story(&self) -> Vec<String> {
        let line = |event: &Event| match &event.happening {
            Happening::Planned { .. } => "planned".to_owned(),
            Happening::Resumed { .. } => "resumed".to_owned(),
            Happening::Started { key, .. } => format!("started {key}"),
            Happening::Retrying { key, .. } => format!("retrying {key}"),
            Happening::Answered { key, .. } => format!("answered {key}"),
            Happening::Rejected { key, .. } => format!("rejected {key}"),
            Happening::Failed { key, .. } => format!("failed {key}"),
            Happening::Abandoned { key, .. } => format!("abandoned {key}"),
            Happening::Recorded { key, .. } => format!("recorded {key}"),
            Happening::Checked { key, .. } => format!("checked {key}"),
            Happening::Tried { key, .. } => format!("tried {key}"),
            Happening::Chosen { key, .. } => format!("chosen {key}"),
            Happening::BudgetSpent { .. } => "budget spent".to_owned(),
            Happening::Interrupted { .. } => "interrupted".to_owned(),
            Happening::Finished { .. } => "finished".to_owned(),
        };
        self.events.iter().map(line).collect()
    }
}

struct ClosureFormat(Next);

impl Procedure for ClosureFormat {
    fn next(&self, debate: &Debate) -> Vec<Step> {
        (self.0)(debate)
    }

    fn accept(&self, _: &Debate, _: &StepKey, _: &Call, text: &str) -> Result<Payload, Rejection> {
        let known = Known { own: "P", ids: &BTreeSet::new() };
        Ok(Payload::of(Content::Statement(Statement::read(text, known).unwrap_or_default())))
    }
}

struct Asked(Option<&'static str>);

impl User for Asked {
    fn choose<'a>(&'a self, _: &'a Choice) -> BoxFuture<'a, Option<String>> {
        Box::pin(std::future::ready(self.0.map(str::to_owned)))
    }
}

struct ActorSeat {
    lines: Mutex<BTreeMap<String, VecDeque<Line>>>,
    now: AtomicUsize,
    most: Arc<AtomicUsize>,
    closed: Arc<AtomicUsize>,
}

impl Seat for ActorSeat {
    fn lane(&self) -> Lane {
        Lane { kind: "stage", provider: "stage".into() }
    }

    fn answer<'a>(
        &'a self,
        order: &'a Order,
        progress: ProgressSink,
        cancel: CancellationToken,
    ) -> BoxFuture<'a, Result<Answer, Failure>> {
        Box::pin(async move {
            let line = {
                let mut lines = self.lines.lock().unwrap();
                let lines = lines.get_mut(order.key.as_str()).unwrap_or_else(|| panic!("nobody expected {}", order.key));
                // The last line stays, so that a seat can fail for ever.
                if lines.len() > 1 { lines.pop_front().unwrap() } else { lines[0].clone() }
            };
            self.most.fetch_max(self.now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            let result = match line {
                Line::Says { text, after_ms, pieces } => {
                    for _ in 0..pieces {
                        progress.tell(Progress::Text("piece ".into()));
                    }
                    tokio::time::sleep(Duration::from_millis(after_ms)).await;
                    Ok(Answer { text, transport: "stage".into(), ..Answer::default() })
                }
                Line::Fails { failure, after_words } => {
                    if after_words {
                        progress.tell(Progress::Text("some words".into()));
                    }
                    Err(failure)
                }
                Line::Hangs => {
                    cancel.cancelled().await;
                    let usage = Usage { input_tokens: Some(12), output_tokens: Some(3), cost: None };
                    Err(Failure { usage, ..Failure::new(Cause::Cancelled, "") })
                }
            };
            self.now.fetch_sub(1, Ordering::SeqCst);
            result
        })
    }

    fn close(self: Box<Self>) -> BoxFuture<'static, ()> {
        self.closed.fetch_add(1, Ordering::SeqCst);
        Box::pin(std::future::ready(()))
    }
}

fn plan(max_ms: Option<u64>) -> Plan {
    let seat = SeatPlan {
        tool: "stage".into(),
        model: None,
        family: "stage".into(),
        data_goes_to: "nobody".into(),
        reads_workspace: false,
        context_tokens: None,
        price: None,
        transport: String::new(),
        enforces_schema: false,
        tier: None,
    };
    Plan {
        version: Plan::VERSION,
        id: DebateId::parse("debate-20261115T081503Z-3fa9").unwrap(),
        parent: None,
        topic: "test".into(),
        format: "duel".into(),
        setup: Payload::of(DuelSetup::with_one_judge(1, Rigor::Quick)),
        seats: BTreeMap::from([(SeatName::new("a"), seat)]),
        effort: Effort::High,
        timeout_ms: 2_000,
        context: Vec::new(),
        workspace: "/".into(),
        workspace_readable: false,
        evidence: None,
        budget: Budget { max_ms, ..Budget::default() },
        verdict_share: Share::default(),
        chance: Chance::from_nonce("fixed"),
        prompts: BTreeMap::new(),
        notes: Vec::new(),
    }
}

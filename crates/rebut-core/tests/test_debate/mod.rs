//! A debate that is driven as a runner drives it, but purely: its seats read their replies from a script, its clock is
//! a number, and its process can be cut off after any event.

mod looking_up;
pub(crate) mod panel;
pub(crate) mod plan;
mod reading;
pub(crate) mod review;
pub(crate) mod texts;

use std::collections::{BTreeMap, VecDeque};

use jiff::{SignedDuration, Timestamp};
use rebut_core::debate::{
    Action, Admission, Amendment, Answer, Call, Cause, Debate, Event, Failure, Format, Fund, Happening, Interruption, Plan,
    Shape, Step, StepKey, Usage, scrutinise,
};
use rebut_core::evidence::check::CheckResult;
use rebut_core::formats::begin;
use rebut_core::formats::{prepared, rejected_too_often};

pub(crate) use plan::seat;

/// How much time passes before each event.
pub(crate) const TICK_MS: i64 = 1_000;
/// How long nobody runs the debate after it was cut off.
pub(crate) const PAUSE_MS: i64 = 3_600_000;

/// Answers a call for a verdict.
type Judge = Box<dyn Fn(&Call) -> String>;

/// A debate under test: the events so far, what they fold to, and what will still happen to it.
pub(crate) struct TestDebate {
    events: Vec<Event>,
    debate: Debate,
    clock: Timestamp,
    under_way: Vec<UnderWay>,
    script: BTreeMap<String, VecDeque<Reply>>,
    arrivals: VecDeque<usize>,
    cuts: BTreeMap<usize, Cut>,
    files: BTreeMap<String, String>,
    pages: BTreeMap<String, CheckResult>,
    /// Answers every call for a verdict.
    judge: Option<Judge>,
}

/// What a seat does when it is asked. A key without a script gets a fitting answer.
#[derive(Clone, Debug)]
pub(crate) enum Reply {
    /// Answers with this text.
    Says(String),
    /// Answers with this text, and reports this usage.
    Costs(String, Usage),
    /// Fails.
    Fails(Failure),
    /// Meets a passing failure; the next reply of the script is what comes of it.
    Stumbles(Failure),
    /// Says nothing until its time limit has passed.
    Hangs,
}

/// How a process that runs the debate comes to its end, and how the next one takes over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    /// It is killed; the next process resumes the debate and gives up what was under way.
    Killed,
    /// The person stops it.
    Stopped,
}

/// A call that a seat is at.
struct UnderWay {
    key: StepKey,
    call: Call,
    admission: Admission,
    since: Timestamp,
}

/// The process ended here.
struct CutOff(Cut);

impl TestDebate {
    /// A duel of so many rounds.
    pub(crate) fn duel(rounds: u32) -> Self {
        Self::planned(rounds, |_| ())
    }

    /// A duel whose plan is changed before it begins.
    pub(crate) fn planned(rounds: u32, change: impl FnOnce(&mut Plan)) -> Self {
        let mut plan = plan::duel(rounds);
        change(&mut plan);
        Self::of(plan)
    }

    /// A cross of so many partners and rounds, whose plan is changed before it begins.
    pub(crate) fn cross(partners: u32, rounds: u32, change: impl FnOnce(&mut Plan)) -> Self {
        let mut plan = plan::cross(partners, rounds);
        change(&mut plan);
        Self::of(plan)
    }

    /// A debate of this plan.
    pub(crate) fn of(plan: Plan) -> Self {
        let at: Timestamp = plan::BEGINNING.parse().expect("a time");
        let first = Event { at, happening: Happening::Planned { plan: Box::new(plan) } };
        Self {
            debate: begin(first.clone()).expect("a plan begins a debate"),
            events: vec![first],
            clock: at,
            under_way: Vec::new(),
            script: BTreeMap::new(),
            arrivals: VecDeque::new(),
            cuts: BTreeMap::new(),
            files: BTreeMap::new(),
            pages: BTreeMap::new(),
            judge: None,
        }
    }

    /// A duel in a workspace of these files, in which citations are looked up.
    pub(crate) fn about(rounds: u32, files: &[(&str, &str)]) -> Self {
        Self::planned(rounds, |plan| plan.evidence = Some(plan::evidence(files.len()))).with_files(files)
    }

    /// The same in a workspace of these files.
    #[must_use]
    pub(crate) fn with_files(self, files: &[(&str, &str)]) -> Self {
        files.iter().fold(self, |test, (path, text)| test.file(path, text))
    }

    /// A file of the workspace.
    #[must_use]
    pub(crate) fn file(mut self, path: &str, text: &str) -> Self {
        self.files.insert(path.to_owned(), text.to_owned());
        self
    }

    /// What a look at this page finds; of others nothing is known.
    #[must_use]
    pub(crate) fn page(mut self, url: &str, result: CheckResult) -> Self {
        self.pages.insert(url.to_owned(), result);
        self
    }

    /// The next time this call is asked, this happens. Later replies to the same key come after earlier ones.
    #[must_use]
    pub(crate) fn on(mut self, key: &str, reply: Reply) -> Self {
        self.script.entry(key.to_owned()).or_default().push_back(reply);
        self
    }

    /// This call answers with this text.
    #[must_use]
    pub(crate) fn says(self, key: &str, text: impl Into<String>) -> Self {
        self.on(key, Reply::Says(text.into()))
    }

    /// Every call for a verdict is answered by this judge.
    #[must_use]
    pub(crate) fn judged_by(mut self, judge: impl Fn(&Call) -> String + 'static) -> Self {
        self.judge = Some(Box::new(judge));
        self
    }

    /// This call fails.
    #[must_use]
    pub(crate) fn fails(self, key: &str, cause: Cause, detail: &str) -> Self {
        self.on(key, Reply::Fails(Failure::new(cause, detail)))
    }

    /// Which of the calls under way ends first, turn by turn. Without it summaries end before statements.
    #[must_use]
    pub(crate) fn arriving(mut self, places: impl IntoIterator<Item = usize>) -> Self {
        self.arrivals = places.into_iter().collect();
        self
    }

    /// The process ends after so many events.
    #[must_use]
    pub(crate) fn cut(mut self, after: usize, cut: Cut) -> Self {
        self.cuts.insert(after, cut);
        self
    }

    /// Runs to the end.
    #[must_use]
    pub(crate) fn run(mut self) -> Self {
        while self.debate.outcome().is_none() {
            let mut ended = self.step();
            while let Err(CutOff(cut)) = ended {
                ended = if self.debate.outcome().is_none() { self.take_over(cut) } else { Ok(()) };
            }
        }
        self
    }

    /// A person takes the debate up again, and it runs to its next end.
    #[must_use]
    pub(crate) fn resume(mut self, amendment: Amendment) -> Self {
        self.clock += SignedDuration::from_millis(PAUSE_MS);
        self.append_uncut(Happening::Resumed { amendment });
        self.run()
    }

    fn format(&self) -> &'static dyn Format {
        self.debate.format()
    }

    /// One turn of the runner's loop: all records, then the first step that may begin, else the next arrival. After
    /// every event the format is asked again, so that nothing begins which the event has made superfluous.
    fn step(&mut self) -> Result<(), CutOff> {
        let before = self.events.len();
        let steps = self.format().next(&self.debate);
        let (records, others): (Vec<Step>, Vec<Step>) =
            steps.into_iter().partition(|step| matches!(step.action, Action::Record(_)));
        for step in records {
            self.begin(step)?;
        }
        for step in others {
            if self.events.len() > before {
                return Ok(());
            }
            self.begin(step)?;
        }
        if self.events.len() == before { self.arrive() } else { Ok(()) }
    }

    fn begin(&mut self, step: Step) -> Result<(), CutOff> {
        let Step { key, action } = step;
        match action {
            Action::Record(entry) if self.debate.may_begin(&key) => self.append(Happening::Recorded { key, entry }),
            Action::Ask(call) if self.debate.may_begin(&key) => self.ask(key, *call),
            Action::Check(check) if self.debate.may_begin(&key) => {
                let findings = self.look_up(check);
                let pages = self.fetched(&findings);
                self.append(Happening::Checked { key, findings, pages })
            }
            Action::Cancel => self.cancel(&key),
            Action::Finish(outcome) => {
                while let Some(last) = self.under_way.last() {
                    let key = last.key.clone();
                    self.cancel(&key)?;
                }
                self.append(Happening::Finished { outcome })
            }
            Action::Record(_) | Action::Ask(_) | Action::Check(_) => Ok(()),
            Action::Choose(_) | Action::Try(_) => unreachable!("these debates leave nothing to the person"),
        }
    }

    fn ask(&mut self, key: StepKey, call: Call) -> Result<(), CutOff> {
        if let Some(failure) = rejected_too_often(&self.debate, &key) {
            return self.append(Happening::Failed { key, failure });
        }
        let call = prepared(&self.debate, &key, call).expect("the built-in repair renders");
        match self.debate.admit(&call, self.clock) {
            Ok(admission) => self.start(key, call, admission),
            // Not even the verdict can be paid for: its call ends as soon as it begins.
            Err(_) if call.fund == Fund::Verdict => {
                let admission = Admission { limit_ms: 0, left_ms: Some(0), reserved_tokens: 0 };
                self.start(key.clone(), call, admission)?;
                self.under_way.pop();
                self.append(Happening::Failed { key, failure: Failure::new(Cause::Budget, "") })
            }
            Err(limit) => self.append(Happening::BudgetSpent { limit }),
        }
    }

    fn start(&mut self, key: StepKey, call: Call, admission: Admission) -> Result<(), CutOff> {
        let started = Happening::Started {
            attempt: self.debate.call(&key).map_or(0, |record| record.attempts) + 1,
            key: key.clone(),
            seat: call.seat.clone(),
            phase: call.phase.clone(),
            prompt: call.prompt.clone(),
            limit_ms: admission.limit_ms,
            reserved_tokens: admission.reserved_tokens,
        };
        self.append(started)?;
        self.under_way.push(UnderWay { key, call, admission, since: self.clock });
        Ok(())
    }

    fn cancel(&mut self, key: &StepKey) -> Result<(), CutOff> {
        self.under_way.retain(|call| call.key != *key);
        self.append(Happening::Failed { key: key.clone(), failure: Failure::new(Cause::Cancelled, "") })
    }

    /// A call under way comes to its end.
    fn arrive(&mut self) -> Result<(), CutOff> {
        assert!(!self.under_way.is_empty(), "the format waits for nothing: {:#?}", self.debate);
        let summary = || self.under_way.iter().position(|call| call.key.as_str().ends_with("/summary")).unwrap_or(0);
        let place = self.arrivals.pop_front().map_or_else(summary, |place| place % self.under_way.len());
        let call = self.under_way.remove(place);
        let key = call.key.clone();
        let scripted = self.script.get_mut(key.as_str()).and_then(VecDeque::pop_front);
        let fitting = || match (&self.judge, self.debate.plan().format.as_str()) {
            (Some(judge), _) if matches!(call.call.shape, Shape::Json { name: "verdict", .. }) => judge(&call.call),
            (_, "panel") => panel::fitting(key.as_str(), &call.call),
            _ => texts::fitting(key.as_str()),
        };
        match scripted.unwrap_or_else(|| Reply::Says(fitting())) {
            Reply::Says(text) => self.answer(&call, text, plan::USAGE),
            Reply::Costs(text, usage) => self.answer(&call, text, usage),
            Reply::Fails(failure) => self.append(Happening::Failed { key, failure }),
            Reply::Stumbles(failure) => {
                self.under_way.insert(place, call);
                self.append(Happening::Retrying { key, failure, wait_ms: 500 })
            }
            Reply::Hangs => {
                let limit_ms = i64::try_from(call.admission.limit_ms).expect("a limit of less than ages");
                self.clock = call.since + SignedDuration::from_millis(limit_ms - TICK_MS);
                let cause = if call.admission.left_ms.is_some_and(|left| left <= call.admission.limit_ms) {
                    Cause::Budget
                } else {
                    Cause::Timeout
                };
                self.append(Happening::Failed { key, failure: Failure::new(cause, "") })
            }
        }
    }

    fn answer(&mut self, call: &UnderWay, text: String, usage: Usage) -> Result<(), CutOff> {
        let key = call.key.clone();
        let duration_ms = self.clock.duration_since(call.since).as_millis();
        let answer = Answer {
            text,
            model: Some(format!("{}-7", call.call.seat)),
            usage,
            session: None,
            duration_ms: u64::try_from(duration_ms).unwrap_or(0),
            transport: "script".to_owned(),
        };
        if let Err(failure) = scrutinise(&answer) {
            return self.append(Happening::Failed { key, failure });
        }
        match self.format().accept(&self.debate, &key, &call.call, &answer.text) {
            Ok(content) => self.append(Happening::Answered { key, answer, content }),
            Err(rejection) => self.append(Happening::Rejected { key, answer, rejection }),
        }
    }

    /// The next process opens the journal of one that was cut off.
    fn take_over(&mut self, cut: Cut) -> Result<(), CutOff> {
        self.under_way.clear();
        let resumed = Happening::Resumed { amendment: Amendment::default() };
        let pause = SignedDuration::from_millis(PAUSE_MS);
        match cut {
            Cut::Killed => {
                self.clock += pause;
                self.append(resumed)?;
                self.abandon()
            }
            Cut::Stopped => {
                self.abandon()?;
                self.append(Happening::Interrupted { by: Interruption::Signal })?;
                self.clock += pause;
                self.append(resumed)
            }
        }
    }

    fn abandon(&mut self) -> Result<(), CutOff> {
        let open: Vec<StepKey> = self.debate.under_way_keys().cloned().collect();
        open.into_iter()
            .try_for_each(|key| self.append(Happening::Abandoned { key, usage: Usage::default(), in_doubt: false }))
    }

    fn append(&mut self, happening: Happening) -> Result<(), CutOff> {
        self.append_uncut(happening);
        self.cuts.remove(&self.events.len()).map_or(Ok(()), |cut| Err(CutOff(cut)))
    }

    fn append_uncut(&mut self, happening: Happening) {
        self.clock += SignedDuration::from_millis(TICK_MS);
        let event = Event { at: self.clock, happening };
        self.debate.apply(event.clone()).expect("a runner appends only what can follow");
        self.events.push(event);
        assert!(self.events.len() < 5_000, "the debate does not come to an end");
    }
}

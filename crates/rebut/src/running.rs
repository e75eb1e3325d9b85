//! Running a debate to its end in front of a person: seats, signals, views, and what is said at the end.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;
use rebut_core::debate::{Debate, DebateId, Event, NewVersion, Plan, Scope, SeatName, SeatPlan, Status};
use rebut_core::formats::format_of;
use rebut_core::report;
use rebut_engine::checks::{AllowedCommands, Examiner, Grounds, Opened};
use rebut_engine::clock::Clock;
use rebut_engine::config::Settings;
use rebut_engine::models::Known;
use rebut_engine::providers::{Search, Transport};
use rebut_engine::runner::{Away, Limits, Nobody, Observer, Person, Runner, Seats, Stop};
use rebut_engine::shelf::{Projection, SharedFolder, Shelf, Shelved};
use rebut_engine::workspace::pin::Copy;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::desk::Desk;
use crate::detached;
use crate::error::{CommandError, Exit};
use crate::signals;
use crate::terminal::{AtTheTerminal, JsonLines, Live, PullView, Screen};
use crate::terms::Terms;
use crate::watching::Watching;

/// Everybody who watches a debate that is run from the command line.
pub(crate) fn watchers(desk: &Desk, shelved: &Shelved, plan: &Plan) -> Vec<Box<dyn Observer>> {
    let files = Files::of(desk, shelved, plan);
    vec![Box::new(JsonLines::new(&desk.screen)), Box::new(Live::new(&desk.screen)), Box::new(files)]
}

/// Renders the own file of a debate that nobody runs: a kill between its last event and the writing leaves it behind. What
/// other tools look at is left alone: an old debate is no news for them.
pub(crate) fn render_own_file(screen: &Screen, folder: &Path, debate: &Debate) {
    Files { projection: Projection::own(folder, debate.plan()), screen: screen.clone(), warned: false }.render(debate);
}

/// The same, with the documents that are missing; gives those that are there and say something else.
pub(crate) fn render_missing(screen: &Screen, folder: &Path, debate: &Debate) -> Vec<PathBuf> {
    let projection = Projection::own_and_missing(folder, debate.plan());
    Files { projection: projection.clone(), screen: screen.clone(), warned: false }.render(debate);
    projection.stale(debate)
}

/// The documents that are not as they should be once a debate has ended.
pub(crate) fn unwritten(folder: &Path, debate: &Debate) -> Vec<PathBuf> {
    Projection::own(folder, debate.plan()).stale(debate)
}

/// The id of a plan before its folder is claimed, which is done only once the plan is sound.
pub(crate) fn no_id_yet(clock: &Clock) -> DebateId {
    DebateId::new(clock.now(), 0)
}

/// What a format does in a way of its own where a debate is held.
pub(crate) trait Manner {
    /// Claims a folder for the debate, and whatever else it needs, before anything is paid for.
    fn claim(&self, debates: &Shelf, now: Timestamp) -> Result<Shelved, CommandError> {
        Ok(debates.claim(now, None)?)
    }

    /// Gives back what was claimed beside the folder, because nothing was begun.
    fn take_back(&self) {}

    /// How tools are spoken to where nothing else is said.
    fn transport(&self, settings: &Settings) -> Transport;

    /// Whether something is wanted of a debate that is complete.
    fn wants_more(&self) -> bool {
        false
    }

    /// Says how it ended.
    fn conclude(
        &self,
        desk: &Desk,
        debate: Debate,
        shelved: &Shelved,
        _signal: &CancellationToken,
    ) -> Result<Exit, CommandError> {
        Ok(conclude(&desk.screen, &debate, &shelved.folder, exit_of(&debate)))
    }
}

/// Claims a folder for the debate of a plan, runs it to its end and concludes it; or shows the plan, or leaves the debate
/// to a process of its own, as the terms say.
pub(crate) fn hold(
    desk: &Desk,
    mut plan: Plan,
    grounds: Grounds,
    clock: Clock,
    terms: &Terms,
    manner: &dyn Manner,
) -> Result<Exit, CommandError> {
    if terms.dry_run {
        desk.screen.text(&if desk.screen.verbose { report::plan_text(&plan) } else { report::plan_lines(&plan) });
        desk.screen.json(|| report::plan_json(&plan));
        return Ok(Exit::Done);
    }
    let signal = signals::listen(&desk.screen)?;
    fetch_weights(desk, &plan, &signal)?;
    let shelved = manner.claim(&desk.shelf, clock.now())?;
    plan.id = shelved.id.clone();
    let mut watchers = watchers(desk, &shelved, &plan);
    let begun = begin(desk, plan, grounds, clock, &shelved, &mut watchers);
    let (runner, ground, seats) = begun.inspect_err(|_| {
        // Nothing was begun, so that nothing is kept; what cannot be removed either is shown by `list` as empty.
        let _ = desk.shelf.take_back(&shelved);
        manner.take_back();
    })?;
    if terms.detach && !signal.is_cancelled() {
        drop((ground, seats));
        return detached::send_off(desk, &shelved, runner);
    }
    let debate = run(desk, runner, ground, seats, signal.clone(), Attendance::Here, &mut watchers)?;
    manner.conclude(desk, debate, &shelved, &signal)
}

/// A tool that takes a seat must not hold debates itself: it would ask other tools, which would ask others.
pub(crate) fn refuse_nesting() -> Result<(), CommandError> {
    if rebut_engine::process::depth() == 0 {
        return Ok(());
    }
    Err(CommandError::usage("this rebut was called from inside a tool that takes a seat in a debate, and holds none itself")
        .hint("answer the question at hand; a person can hold that debate from a terminal of their own"))
}

/// Whether the person is here to make the choices that are left to them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Attendance {
    Here,
    Away,
}

/// Keeps the workspace, opens the seats and begins the journal.
fn begin(
    desk: &Desk,
    mut plan: Plan,
    grounds: Grounds,
    clock: Clock,
    shelved: &Shelved,
    observer: &mut dyn Observer,
) -> Result<(Runner, Ground, Seats), CommandError> {
    let nothing_begun = |error: &dyn std::fmt::Display| {
        CommandError::failed(error.to_string())
            .hint("nothing was begun; make room or choose another folder with --state-dir, then start again")
    };
    let scope = grounds.keep(&shelved.folder).map_err(|error| nothing_begun(&error))?;
    plan.workspace_readable &= !matches!(scope, Scope::Nothing { .. });
    if let Some(evidence) = &mut plan.evidence {
        evidence.scope = scope;
    }
    let ground = open_ground(desk, &plan, clock.now(), &shelved.folder)?.caught_up(&plan, &[])?;
    let seats = open_seats(desk, &plan, &ground)?;
    let runner =
        Runner::begin(&shelved.folder, plan, clock, Desk::fault()?, observer).map_err(|error| nothing_begun(&error))?;
    Ok((runner, ground, seats))
}

/// Runs the debate to its end.
pub(crate) fn run(
    desk: &Desk,
    runner: Runner,
    ground: Ground,
    seats: Seats,
    signal: CancellationToken,
    attendance: Attendance,
    observer: &mut dyn Observer,
) -> Result<Debate, CommandError> {
    let limits = &desk.layers.settings().limits;
    let allowed = Limits::new(limits.calls, &[("local", limits.local), ("cli", limits.cli), ("http", limits.http)]);
    let stop = Stop { signal, retry_wait_ms: limits.retry_wait_ms };
    let Ground { examiner, copy, names } = ground;
    let runner = runner.with_examiner(examiner);
    let leaves_choices = runner.debate().format().leaves_choices(runner.debate().plan());
    let at_the_terminal = AtTheTerminal::new(&desk.screen);
    let person: &dyn Person = match attendance {
        _ if !leaves_choices => &Nobody,
        Attendance::Here => &at_the_terminal,
        Attendance::Away => &Away,
    };
    let plan = runner.debate().plan().clone();
    let mut watching = Watching::new(observer);
    let outcome = runtime()?.block_on(runner.run(seats, &allowed, person, &stop, &mut watching));
    watching.tell(desk, &plan, &names);
    // What the seats could read goes with them, however the debate ended.
    if let Some(Err(left)) = copy.and_then(Arc::into_inner).map(Copy::close) {
        desk.screen.note(&format!("the debate has ended, and {left}; remove it yourself"));
    }
    Ok(outcome?)
}

/// Whoever looks citations up for a debate, and the copy of its workspace that the seats read, while the debate runs.
pub(crate) struct Ground {
    examiner: Examiner,
    copy: Option<Arc<Copy>>,
    /// The files of the workspace when the debate began, where they were kept.
    names: Vec<String>,
}

impl Ground {
    /// The same for a debate that has revised what it is about: its seats read what these revisions, oldest first, have
    /// made of the files.
    pub(crate) fn caught_up(self, plan: &Plan, revisions: &[String]) -> Result<Self, CommandError> {
        let patches: Vec<String> =
            format_of(plan).base(plan).map(str::to_owned).into_iter().chain(revisions.iter().cloned()).collect();
        if !patches.is_empty() {
            runtime()?.block_on(self.examiner.catch_up(&patches)).map_err(CommandError::failed)?;
        }
        Ok(self)
    }
}

/// Opens what the debate's evidence is looked up in.
pub(crate) fn open_ground(desk: &Desk, plan: &Plan, began: Timestamp, folder: &Path) -> Result<Ground, CommandError> {
    let file_bytes = desk.layers.settings().evidence.max_file_bytes;
    let evidence = plan.evidence.as_ref();
    let commands = evidence.and_then(|evidence| {
        let named = desk.commands(evidence.commands.as_deref()?);
        Some(AllowedCommands { named, run_on: evidence.run_on, base: format_of(plan).base(plan).iter().count() })
    });
    let allowed = desk.allowed(commands, evidence.is_some_and(|evidence| evidence.fetch_sources).into())?;
    let opened =
        Opened::of(plan, began, folder, file_bytes, allowed).map_err(|error| CommandError::failed(error.to_string()))?;
    if let Some(note) = &opened.note {
        desk.screen.note(note);
    }
    let copy = opened.copy_for_seats(plan).map_err(|error| CommandError::failed(error.to_string()))?;
    Ok(Ground { examiner: opened.examiner(copy.as_ref()), copy, names: opened.names_in_folder(plan) })
}

/// Fetches the weights of the embedded model, where a seat needs them and they are not here yet.
pub(crate) fn fetch_weights(desk: &Desk, plan: &Plan, stop: &CancellationToken) -> Result<(), CommandError> {
    let missing = desk.providers.must_fetch_weights(plan.seats.values());
    if !missing.map_err(|error| CommandError::usage(error.to_string()))? {
        return Ok(());
    }
    let models = desk.models()?;
    let Known { name, shipped, licence, .. } = Known::DEFAULT;
    desk.screen.note(&format!(
        "the embedded model is fetched, once for all debates: {name}, {}, licence {licence}",
        rebut_engine::models::size(shipped)
    ));
    let view = PullView::new(&desk.screen);
    runtime()?.block_on(models.pull_default(&|event| view.show(event), stop))?;
    Ok(())
}

/// Opens every seat of the debate.
pub(crate) fn open_seats(desk: &Desk, debate: &Plan, ground: &Ground) -> Result<Seats, CommandError> {
    let workspace = PathBuf::from(&debate.workspace);
    let reading = match (ground.copy.as_deref(), debate.evidence.as_ref().map(|evidence| &evidence.scope)) {
        _ if !debate.workspace_readable => None,
        (Some(copy), _) => Some(copy.path()),
        // Only what is too large for a copy is read where it is; the plan says so.
        (None, Some(Scope::Live { .. })) if workspace.is_dir() => Some(workspace.as_path()),
        (None, _) => None,
    };
    let search = if format_of(debate).searches_web(debate) { Search::Web } else { Search::Nothing };
    let open = |(name, plan): (&SeatName, &SeatPlan)| {
        // What is read may be another version than that which was planned with.
        let checked = reading.map_or(Ok(()), |folder| desk.providers.check_starts(plan, folder));
        let seat = checked.and_then(|()| desk.providers.open_with(plan, &workspace, reading, search));
        seat.map(|seat| (name.clone(), seat)).map_err(|error| CommandError::usage(format!("{name}: {error}")))
    };
    debate.seats.iter().map(open).collect()
}

/// Says how the debate ended: the verdict, the accounts, and what can be done next.
pub(crate) fn conclude(screen: &Screen, debate: &Debate, folder: &Path, exit: Exit) -> Exit {
    conclude_after(screen, debate, folder, exit, NewVersion::Proposed)
}

/// The same, where it is known what became of a review's new version.
pub(crate) fn conclude_after(screen: &Screen, debate: &Debate, folder: &Path, exit: Exit, version: NewVersion) -> Exit {
    let stopped = debate.status() == Status::Cancelled;
    let panels = if stopped { Vec::new() } else { debate.format().side_by_side(debate) };
    if !panels.is_empty() {
        screen.side_by_side(&panels);
    }
    if screen.verbose && (!stopped || debate.format().concludes_stopped()) {
        let table = report::accounts_table(debate.accounts());
        let conclusion = debate.format().conclusion(debate, version);
        screen.markdown(&format!("{conclusion}\n\n## Time, tokens and cost\n\n{table}\n"));
    }
    screen.ending(debate, version);
    if let Some(documents) = documents(debate).filter(|_| !screen.quiet) {
        screen.text(&format!("  documents: {documents}"));
    }
    screen.json(|| result(debate, folder, exit, version));
    exit
}

/// The last line for programs: how it ended, and the whole debate.
pub(crate) fn result(debate: &Debate, folder: &Path, exit: Exit, version: NewVersion) -> Value {
    let state = debate.format().state(debate, version);
    let mut result = json!({ "type": "result", "exit": exit as u8, "folder": folder, "debate": state });
    if let Some(documents) = documents(debate) {
        result["documents"] = documents.into();
    }
    result
}

/// The folder that the person wants the documents in, once there are any.
fn documents(debate: &Debate) -> Option<&str> {
    let (folder, _) = debate.format().output(debate.plan())?;
    debate.format().log(debate).filter(|log| !log.is_empty()).map(|_| folder)
}

/// Says which documents could not be written, and what to do about it.
pub(crate) fn tell_missing(screen: &Screen, debate: &Debate, missing: &[PathBuf]) -> Exit {
    let names = missing.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ");
    let id = &debate.plan().id;
    screen.error_line("error", &format!("not written: {names}; the debate is kept, and `rebut resume {id}` writes them"));
    Exit::Partial
}

/// The exit code for where a debate stands.
pub(crate) fn exit_of(debate: &Debate) -> Exit {
    match debate.status() {
        Status::Completed => Exit::Done,
        Status::Partial | Status::Uncontested => Exit::Partial,
        Status::Failed | Status::Running => Exit::Failed,
        Status::Cancelled => Exit::Cancelled,
    }
}

/// One thread is enough: a command has nothing to do but wait.
pub(crate) fn runtime() -> Result<tokio::runtime::Runtime, CommandError> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| CommandError::failed(format!("the runtime cannot be started: {error}")))
}

/// Renders the debate's files anew after everything that changes them.
struct Files {
    projection: Projection,
    screen: Screen,
    warned: bool,
}

impl Files {
    fn of(desk: &Desk, shelved: &Shelved, plan: &Plan) -> Self {
        let (screen, ai_state_dir) = (desk.screen.clone(), std::env::var_os("AI_STATE_DIR"));
        let shared = SharedFolder { ai_state_dir, host: desk.host, before: desk.shelf.last_debate_of(shelved) };
        let projection = Projection::new(&shelved.folder, plan, shared);
        projection.sweep();
        if let Err(error) = desk.shelf.will_write(shelved, projection.outside()) {
            screen.note(&format!("{error}; a review will take what this debate writes for changes of yours"));
        }
        Self { projection, screen, warned: false }
    }

    fn render(&mut self, debate: &Debate) {
        for (path, error) in self.projection.write(debate) {
            if !self.warned {
                self.screen.note(&format!("{} cannot be written ({error}); the journal is not affected", path.display()));
                self.warned = true;
            }
        }
    }
}

impl Observer for Files {
    fn event(&mut self, debate: &Debate, _seq: u64, event: &Event) {
        if Projection::shows(debate, &event.happening) {
            self.render(debate);
        }
    }
}

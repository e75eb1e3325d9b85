//! Runs a debate in front of the user: shows what the session reports, and how it ended.

use std::path::{Path, PathBuf};

use rebut_core::debate::{Debate, DebateId, Event, NewVersion, Plan, Status, StepKey};
use rebut_core::judging::Firmness;
use rebut_core::report;
use rebut_engine::providers::Progress;
use rebut_engine::runner::{Chooser, Observer};
use rebut_engine::session::{Fork, Notice, Start};
use serde_json::{Value, json};

use crate::app::App;
use crate::commands::Finish;
use crate::error::{CommandError, Exit};
use crate::flags::DebateFlags;
use crate::signals;
use crate::terminal::{Live, PullView, Screen, first_of};

const MOST_NAMED: usize = 10;

pub(crate) enum Begin {
    Debate(Box<Start>),
    Fork(Box<Fork>),
}

/// Starts the debate of a plan, runs it to its end and concludes it; or only prints the plan, or leaves it to a worker.
pub(crate) fn run(app: &App, start: Start, flags: &DebateFlags, finish: &Finish) -> Result<Exit, CommandError> {
    if flags.dry_run {
        show_plan(&app.screen, &start.plan);
        app.screen.json(|| report::plan_json(&start.plan));
        return Ok(Exit::Done);
    }
    if flags.queue {
        let (signal, mut view) = (signals::listen(&app.screen)?, SessionView::new(&app.screen));
        let id = app.wait(app.sessions()?.submit(start, &mut view, &signal))?;
        let short = id.short();
        app.screen.text(&format!("{short} waits for a worker\n  rebut watch {short} · rebut cancel {short}"));
        app.screen.json(|| json!({ "type": "queued", "id": id }));
        return Ok(Exit::Done);
    }
    begin(app, Begin::Debate(Box::new(start)), flags.detach, finish)
}

pub(crate) fn begin(app: &App, what: Begin, detach: bool, finish: &Finish) -> Result<Exit, CommandError> {
    let sessions = app.sessions()?;
    let (signal, mut view) = (signals::listen(&app.screen)?, SessionView::new(&app.screen));
    if detach {
        let (id, folder) = app.wait(async {
            match what {
                Begin::Debate(start) => sessions.start_detached(*start, &mut view, &signal).await,
                Begin::Fork(fork) => sessions.fork_detached(*fork, &mut view, &signal).await,
            }
        })?;
        show_detached(app, &id, &folder);
        return Ok(Exit::Done);
    }
    let (debate, folder) = app.wait(async {
        let session = match what {
            Begin::Debate(start) => sessions.start(*start, &mut view, &signal).await?,
            Begin::Fork(fork) => sessions.fork(*fork, &mut view, &signal).await?,
        };
        let plan = session.debate().plan();
        if let Some(parent) = &plan.parent {
            app.screen.note(&format!("{} is a fork of {} after {}", plan.id.short(), parent.id.short(), parent.after));
        }
        let folder = session.folder().to_owned();
        Ok::<_, CommandError>((session.run(Chooser::User(&app.screen), &signal, &mut view).await?, folder))
    })?;
    finish.conclude(app, debate, &folder, &signal)
}

pub(crate) fn show_plan(screen: &Screen, plan: &Plan) {
    screen.text(&if screen.statements { report::plan_text(plan) } else { report::plan_lines(plan) });
}

pub(crate) fn show_detached(app: &App, id: &DebateId, folder: &Path) {
    let short = id.short();
    app.screen.text(&format!("{short} runs in the background\n  rebut watch {short} · rebut cancel {short}"));
    app.screen.json(|| json!({ "type": "detached", "id": id, "folder": folder }));
}

/// A tool that has a seat must not start debates itself: it would ask other tools, which would ask others.
pub(crate) fn refuse_nesting() -> Result<(), CommandError> {
    if rebut_engine::process::depth() == 0 {
        return Ok(());
    }
    Err(CommandError::usage("can't start a debate here: this rebut runs inside a tool that has a seat in one")
        .hint("answer the question at hand; the user can start that debate in a terminal"))
}

/// Shows a session on the terminal and as JSON lines.
pub(crate) struct SessionView {
    screen: Screen,
    live: Live,
    pull: Option<PullView>,
}

impl SessionView {
    pub(crate) fn new(screen: &Screen) -> Self {
        Self { screen: screen.clone(), live: Live::new(screen), pull: None }
    }

    /// Shows a debate again whose end is known.
    pub(crate) fn again(screen: &Screen, whole: Debate) -> Self {
        Self { live: Live::again(screen, whole), ..Self::new(screen) }
    }
}

impl Observer for SessionView {
    fn event(&mut self, debate: &Debate, seq: u64, event: &Event) {
        self.pull = None;
        self.screen.json_event(seq, event);
        self.live.event(debate, seq, event);
    }

    fn progress(&mut self, key: &StepKey, progress: &Progress) {
        self.live.progress(key, progress);
    }

    fn notice(&mut self, notice: &Notice) {
        match notice {
            Notice::Note(text) => self.screen.note(text),
            Notice::Model(event) => self.pull.get_or_insert_with(|| PullView::new(&self.screen)).show(event.clone()),
            Notice::WorkspaceChanged { files, during } => {
                let named = first_of(files, MOST_NAMED);
                let who = during.join(" and ");
                self.screen.error_line(
                    "warning",
                    &format!(
                        "files in the workspace changed while {who} was answering: {named}; tools only get a copy to \
                         read, so if you didn't change them, a tool did"
                    ),
                );
                self.screen.json(|| json!({ "type": "workspace_changed", "files": files, "during": during }));
            }
        }
    }
}

pub(crate) fn report_unwritten(screen: &Screen, failed: &[(PathBuf, std::io::Error)]) {
    if let Some((path, error)) = failed.first() {
        screen.note(&format!("can't write {} ({error}); the journal is not affected", path.display()));
    }
}

/// Shows how the debate ended: the verdict, the accounts, and what can be done next.
pub(crate) fn conclude(screen: &Screen, debate: &Debate, folder: &Path) -> Exit {
    conclude_after(screen, debate, folder, exit_of(debate), NewVersion::Proposed)
}

/// The same, where a format gives another exit code, or a review's new version was applied.
pub(crate) fn conclude_after(screen: &Screen, debate: &Debate, folder: &Path, exit: Exit, version: NewVersion) -> Exit {
    let stopped = debate.status() == Status::Cancelled;
    let panels = if stopped { Vec::new() } else { debate.format().side_by_side(debate) };
    if !panels.is_empty() {
        screen.side_by_side(&panels);
    }
    if screen.statements && !screen.quiet && (!stopped || debate.format().features().concludes_stopped) {
        let table = report::accounts_table(debate);
        let conclusion = debate.format().conclusion(debate, version);
        screen.markdown(&format!("{conclusion}\n\n## Time, tokens and cost\n\n{table}\n"));
    }
    if stopped {
        screen.error_text(&format!("Cancelled. Resume with: rebut resume {}", debate.plan().id.short()));
    }
    if !stopped || debate.format().features().concludes_stopped {
        screen.ending(debate, version, documents(debate).map(from_here).as_deref());
    }
    screen.json(|| result(debate, folder, exit, version));
    screen.notify(debate, version);
    exit
}

/// The last line for programs: how it ended, and the whole debate.
pub(crate) fn result(debate: &Debate, folder: &Path, exit: Exit, version: NewVersion) -> Value {
    let state = report::state_after(debate, version);
    let mut result = json!({ "type": "result", "exit": exit as u8, "folder": folder, "debate": state });
    if let Some(documents) = documents(debate) {
        result["documents"] = documents.into();
    }
    result
}

fn from_here(folder: &str) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    let inside = Path::new(folder).strip_prefix(here).ok().filter(|inside| !inside.as_os_str().is_empty());
    inside.map_or_else(|| folder.to_owned(), |inside| inside.display().to_string())
}

/// The folder of the documents, once there are any.
fn documents(debate: &Debate) -> Option<&str> {
    let (folder, _) = debate.format().output(debate.plan())?;
    debate.format().log(debate).filter(|log| !log.is_empty()).map(|_| folder)
}

pub(crate) fn report_missing(screen: &Screen, debate: &Debate, missing: &[PathBuf]) -> Exit {
    let names = missing.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ");
    let id = debate.plan().id.short();
    screen.error_line("error", &format!("not written: {names}; the debate is kept, and `rebut resume {id}` writes them"));
    Exit::Partial
}

pub(crate) fn exit_of(debate: &Debate) -> Exit {
    match debate.status() {
        Status::Completed if debate.format().firmness(debate) == Some(Firmness::Undecided) => Exit::Partial,
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
        .map_err(|error| CommandError::failed(format!("can't start the runtime: {error}")))
}

//! Running a debate to its end in front of a person: seats, signals, views, and what is said at the end.

use std::io;
use std::path::{Path, PathBuf};

use rebut_core::debate::{Debate, Event, Happening, Plan, SeatName, SeatPlan, Status};
use rebut_core::report;
use rebut_engine::runner::{Limits, Nobody, Observer, Runner, Seats, Stop};
use rebut_engine::shelf::Projection;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::desk::Desk;
use crate::error::{CommandError, Exit};
use crate::terminal::{JsonLines, Live, Screen};

/// Everybody who watches a debate that is run from the command line.
pub(crate) fn watchers(screen: &Screen, folder: &Path, plan: &Plan) -> Vec<Box<dyn Observer>> {
    let files = Files::of(screen, folder, plan);
    vec![Box::new(JsonLines::new(screen)), Box::new(Live::new(screen)), Box::new(files)]
}

/// Renders the files of a debate that has ended: a kill between its last event and their writing leaves them behind it.
pub(crate) fn render_files(screen: &Screen, folder: &Path, debate: &Debate) {
    Files::of(screen, folder, debate.plan()).render(debate);
}

/// Opens the seats, runs the debate, and tells how it ended.
pub(crate) fn run(
    desk: &Desk,
    runner: Runner,
    folder: &Path,
    seats: Seats,
    observer: &mut dyn Observer,
) -> Result<Exit, CommandError> {
    let limits = &desk.layers.settings().limits;
    let allowed = Limits::new(limits.calls, &[("local", limits.local), ("cli", limits.cli)]);
    let stop = Stop { signal: CancellationToken::new(), retry_wait_ms: limits.retry_wait_ms };
    let debate = runner.run(seats, &allowed, &Nobody, &stop, observer);
    let debate = until_signal(&desk.screen, &stop.signal, debate)??;
    Ok(conclude(&desk.screen, &debate, folder))
}

/// Does something that can be cancelled, and cancels it at the first Ctrl-C.
pub(crate) fn until_signal<T>(
    screen: &Screen,
    stop: &CancellationToken,
    work: impl Future<Output = T>,
) -> Result<T, CommandError> {
    Ok(runtime()?.block_on(async {
        // Listening begins before the first call does: a task of its own would begin only once everybody waits.
        let signals = Signals::listen().ok();
        let watch = signals.map(|signals| tokio::spawn(watch_signals(signals, stop.clone(), screen.clone())));
        let done = work.await;
        watch.inspect(tokio::task::JoinHandle::abort);
        done
    }))
}

/// Opens every seat of the debate.
pub(crate) fn open_seats(desk: &Desk, debate: &Plan) -> Result<Seats, CommandError> {
    let workspace = PathBuf::from(&debate.workspace);
    let open = |(name, plan): (&SeatName, &SeatPlan)| {
        let seat = desk.providers.open(plan, &workspace, debate.workspace_readable);
        seat.map(|seat| (name.clone(), seat)).map_err(|error| CommandError::usage(format!("{name}: {error}")))
    };
    debate.seats.iter().map(open).collect()
}

/// Says how the debate ended: the verdict, the accounts, and what can be done next.
pub(crate) fn conclude(screen: &Screen, debate: &Debate, folder: &Path) -> Exit {
    let exit = exit_of(debate);
    let id = &debate.plan().id;
    if debate.status() == Status::Cancelled {
        screen.error_line("cancelled", &format!("go on with: rebut resume {id}"));
    } else {
        screen.text(&report::conclusion(debate));
    }
    if !screen.quiet {
        let table = report::accounts_table(debate.accounts());
        screen.text(&format!("\n## Time, tokens and cost\n\n{table}\n"));
        screen.text(&format!("{id}: {} ({})", debate.status().as_str(), folder.display()));
    }
    screen.json(|| json!({ "type": "result", "exit": exit as u8, "folder": folder, "debate": report::state(debate) }));
    exit
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

/// One thread, and it is the one that lives as long as the process: on Linux a child dies with the thread that started it.
fn runtime() -> Result<tokio::runtime::Runtime, CommandError> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| CommandError::failed(format!("the runtime cannot be started: {error}")))
}

/// The first Ctrl-C stops what is under way in good order; the second ends the process at once.
async fn watch_signals(mut signals: Signals, stop: CancellationToken, screen: Screen) {
    signals.next().await;
    screen.error_line("stopping", "what is under way is ended; once more to leave at once");
    stop.cancel();
    signals.next().await;
    // Nobody is left to do it: a child dies with us, but not what it has started.
    rebut_engine::process::end_all();
    std::process::exit(Exit::Cancelled as i32);
}

#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    hang_up: tokio::signal::unix::Signal,
    /// Held so that a file that grew too large is an error of the write, and not the end of the process.
    _file_too_large: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn listen() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        const SIGXFSZ: i32 = 25;
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hang_up: signal(SignalKind::hangup())?,
            _file_too_large: signal(SignalKind::from_raw(SIGXFSZ))?,
        })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
            _ = self.hang_up.recv() => {}
        }
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn listen() -> io::Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) {
        let _ = tokio::signal::ctrl_c().await;
    }
}

/// Renders the debate's files anew after everything that changes them.
struct Files {
    projection: Projection,
    screen: Screen,
    warned: bool,
}

impl Files {
    fn of(screen: &Screen, folder: &Path, plan: &Plan) -> Self {
        let ai_state_dir = std::env::var_os("AI_STATE_DIR");
        let projection = Projection::new(folder, &plan.id, Path::new(&plan.workspace), ai_state_dir);
        projection.sweep();
        Self { projection, screen: screen.clone(), warned: false }
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
        let unchanged = matches!(
            event.happening,
            Happening::Started { .. }
                | Happening::Retrying { .. }
                | Happening::Abandoned { .. }
                | Happening::Rejected { .. }
        );
        if !unchanged {
            self.render(debate);
        }
    }
}

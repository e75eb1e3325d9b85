//! This same program in another process.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use rebut_engine::process::settle;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::process::Command;

use crate::cli::ON_STDIN;
use crate::error::CommandError;

/// How this program is called.
#[derive(Clone, Debug)]
pub(super) struct Own {
    program: PathBuf,
    /// Where debates are kept, where that was named.
    state_dir: Option<PathBuf>,
}

/// What a call came to.
pub(super) struct Said {
    /// The lines on standard output, each a JSON value with a type.
    lines: Vec<Value>,
    /// What people would have read.
    pub(super) text: String,
}

impl Own {
    pub(super) fn new(state_dir: Option<PathBuf>) -> Result<Self, CommandError> {
        let program = std::env::current_exe()
            .map_err(|error| CommandError::failed(format!("this program cannot be found: {error}")))?;
        // Seen from another folder it must be the same one.
        let state_dir = state_dir.map(|dir| std::path::absolute(&dir).unwrap_or(dir));
        Ok(Self { program, state_dir })
    }

    /// Calls it. The error is what a person would be told.
    ///
    /// Whoever stops waiting for it leaves it to its end: what it has begun is not lost.
    pub(super) async fn call(&self, arguments: Vec<OsString>) -> Result<Said, String> {
        run(self.command(arguments, None), None, None).await
    }

    /// The same in a folder, with a command line of any length.
    pub(super) async fn call_in(&self, folder: &Path, words: &[String]) -> Result<Said, String> {
        let words = json!(words).to_string();
        run(self.command(vec![ON_STDIN.into()], Some(folder)), Some(folder), Some(&words)).await
    }

    /// The same for what begins nothing: it ends where nobody waits for it any more.
    pub(super) async fn look(
        &self,
        arguments: Vec<OsString>,
        folder: Option<&Path>,
        input: Option<&str>,
    ) -> Result<Said, String> {
        let mut command = self.command(arguments, folder);
        command.kill_on_drop(true);
        run(command, folder, input).await
    }

    fn command(&self, arguments: Vec<OsString>, folder: Option<&Path>) -> Command {
        let mut command = Command::new(&self.program);
        command.args(["--json", "--no-color"]);
        if let Some(dir) = &self.state_dir {
            command.arg("--state-dir").arg(dir);
        }
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(folder) = folder {
            settle(command.as_std_mut(), folder);
        }
        command
    }
}

impl Said {
    /// The last line of a type.
    pub(super) fn last(&self, kind: &str) -> Option<&Value> {
        self.lines.iter().rev().find(|line| line["type"] == kind)
    }

    /// Every line.
    pub(super) fn lines(&self) -> &[Value] {
        &self.lines
    }
}

async fn run(mut command: Command, folder: Option<&Path>, input: Option<&str>) -> Result<Said, String> {
    let cannot = |error: std::io::Error| match folder {
        Some(folder) => format!("rebut cannot be started in {}: {error}", folder.display()),
        None => format!("rebut cannot be started: {error}"),
    };
    let mut child = command.spawn().map_err(cannot)?;
    let stdin = child.stdin.take();
    let feed = async {
        if let Some(mut stdin) = stdin {
            // One that does not read what it is given says itself why.
            let _ = stdin.write_all(input.unwrap_or_default().as_bytes()).await;
        }
    };
    let (output, ()) = tokio::join!(child.wait_with_output(), feed);
    let output = output.map_err(|error| format!("rebut cannot be heard: {error}"))?;
    let lines: Vec<Value> =
        String::from_utf8_lossy(&output.stdout).lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let said = Said { lines, text: String::from_utf8_lossy(&output.stderr).into_owned() };
    if let Some(error) = said.last("error") {
        let hints = error["hints"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let parts: Vec<&str> = error["message"].as_str().into_iter().chain(hints).collect();
        return Err(parts.join("\n"));
    }
    if said.lines.is_empty() && !output.status.success() {
        return Err(said.text.trim().to_owned());
    }
    Ok(said)
}

//! A seat over a command line: each call is a process.

use std::io;
use std::path::{Path, PathBuf};

use rebut_core::debate::{Cause, Failure, Shape};
use tokio_util::sync::CancellationToken;

use super::output::has_output;
use super::{Ask, Said};
use crate::config::ToolSettings;
use crate::process::{self, End, Heard, Launch, Patience, TempFolder};
use crate::providers::variables::{inherited, variable};
use crate::providers::{Answering, Lane, Order, ProgressSink, Seat, TimeLimits, Tool};
use crate::redact::redact;
use crate::time_limits::Late;

/// How often a tool may say that it tries again: trying again is ours, inside the call's limit. A first failure may
/// also be followed by a proper word about it.
pub(in crate::providers) const MOST_RETRIES: u32 = 2;

#[derive(Debug)]
pub(in crate::providers) struct CliSeat {
    pub(in crate::providers) tool: &'static Tool,
    pub(in crate::providers) program: PathBuf,
    pub(in crate::providers) model: Option<String>,
    pub(in crate::providers) settings: ToolSettings,
    pub(in crate::providers) workspace: PathBuf,
    pub(in crate::providers) reads_workspace: bool,
    pub(in crate::providers) searches_web: bool,
    /// How long the model may be silent.
    pub(in crate::providers) limits: TimeLimits,
    /// Variables beside those that it may see of this process, and before them.
    pub(in crate::providers) variables: Vec<(String, String)>,
}

impl Seat for CliSeat {
    fn lane(&self) -> Lane {
        Lane { kind: super::NAME, provider: self.tool.name.into() }
    }

    fn answer<'a>(&'a self, order: &'a Order, progress: ProgressSink, cancel: CancellationToken) -> Answering<'a> {
        Box::pin(async move {
            // Both are deleted when this ends, however that happens. Not every tool can be told to read nothing, so a seat
            // without a workspace runs in an empty folder, and its home, which links to credentials, is elsewhere.
            let scratch = self.scratch()?;
            let nowhere = if self.reads_workspace { None } else { Some(self.scratch()?) };
            let folder = nowhere.as_ref().map_or(self.workspace.as_path(), TempFolder::path);
            let launch = self.launch(order, &scratch, folder).map_err(|error| self.not_started(&error))?;
            let patience = Patience { limits: self.limits.in_call(order.limit), ..Patience::default() };
            let mut listen = |line: &str| {
                for news in (self.tool.progress)(line) {
                    progress.tell(news);
                }
                match line {
                    last if (self.tool.is_last)(last) => Heard::Enough,
                    idle if !has_output(idle) || (self.tool.is_startup)(idle) => Heard::SignOfLife,
                    _ => Heard::More,
                }
            };
            let mut tries = 0;
            let mut complaints = |line: &str| {
                tries += u32::from((self.tool.retrying)(line).is_some());
                if tries >= MOST_RETRIES { Heard::Enough } else { Heard::More }
            };
            let output = process::run_hearing_complaints(&launch, &patience, &mut listen, &mut complaints, &cancel)
                .await
                .map_err(|error| self.not_started(&error))?;
            let stdout = String::from_utf8_lossy(&output.stdout);
            let stderr = String::from_utf8_lossy(&output.stderr);
            let read = |exit| self.tool.read(&Said { stdout: &stdout, stderr: &stderr, exit });
            let result = match output.end {
                End::Cancelled => Err(Failure::new(Cause::Cancelled, "")),
                End::TooLarge => Err(Failure::new(Cause::TooLarge, "")),
                End::Stalled(silence) => Err(Late(silence).failure()),
                End::Enough => read(None),
                End::Exited(status) => read(Some(status.code().unwrap_or(-1))),
            };
            result.map_err(|failure| failure.with_complaints(&redact(&stderr)))
        })
    }
}

impl CliSeat {
    fn scratch(&self) -> Result<TempFolder, Failure> {
        TempFolder::for_tool(self.variable("TMPDIR").as_deref()).map_err(|error| self.not_started(&error))
    }

    fn launch(&self, order: &Order, scratch: &TempFolder, folder: &Path) -> io::Result<Launch> {
        let program = self.program.canonicalize()?;
        let own = (self.tool.own)(&|name| self.variable(name)).map_err(io::Error::other)?;
        let ask = Ask {
            model: self.model.as_deref(),
            effort: self.settings.effort_word(order.effort, self.tool.efforts.as_ref()).map(|effort| effort.word),
            prompt: &order.prompt,
            schema: match &order.shape {
                Shape::Json { schema, .. } => Some(schema),
                Shape::Prose => None,
            },
            program: &program,
            own: &own,
            scratch: scratch.path(),
            title: order.thread.as_deref().unwrap_or(order.key.as_str()),
            reads_workspace: self.reads_workspace,
            searches_web: self.searches_web,
            variable: &|name| self.variable(name),
        };
        let line = (self.tool.command)(&ask);
        scratch.put(&line.files)?;
        scratch.lend(&ask.own.lent)?;
        let mut variables = (self.tool.keys)(&own, ask.model, ask.variable);
        variables.extend_from_slice(&self.settings.env);
        let given = self.variables.iter().map(|(name, value)| (name.into(), value.into()));
        let environment = self.tool.environment.iter().map(|(name, value)| (name.into(), value.into()));
        let of_line = line.variables.into_iter().map(|(name, value)| (name.into(), value.into()));
        Ok(Launch {
            program: self.program.clone(),
            arguments: line.arguments,
            folder: folder.to_owned(),
            variables: inherited(&variables)
                .into_iter()
                .chain(given)
                .chain(scratch.variables())
                .chain(environment)
                .chain(of_line)
                .collect(),
            input: line.input.into_bytes(),
        })
    }

    fn variable(&self, name: &str) -> Option<String> {
        variable(name, self.variables.iter().map(|(own, value)| (own, value)))
    }

    fn not_started(&self, error: &io::Error) -> Failure {
        let cause = if error.kind() == io::ErrorKind::NotFound { Cause::NotInstalled } else { Cause::Exit };
        Failure::new(cause, format!("{} could not be started: {error}", self.program.display()))
    }
}

#[cfg(all(test, unix))]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use std::os::unix::fs::PermissionsExt;
    use std::time::Duration;

    use rebut_core::debate::{Effort, Prompt, StepKey};

    use super::*;
    use crate::providers::tools::tool;

    const SHORT: Duration = Duration::from_millis(200);
    const LONG: Duration = Duration::from_mins(5);

    async fn ended(doing: &str, first_output: Duration, stall: Duration, limit: Duration) -> Failure {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("codex");
        let script = format!("#!/bin/sh\n{doing}\n");
        // Another process writes it: a file that this one had open would be busy when it is started.
        let write = ["-c", "printf %s \"$1\" > \"$0\""];
        assert!(std::process::Command::new("/bin/sh").args(write).arg(&program).arg(script).status().unwrap().success());
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        let seat = CliSeat {
            tool: tool("codex").unwrap(),
            program,
            model: None,
            settings: ToolSettings::default(),
            workspace: folder.path().to_owned(),
            reads_workspace: true,
            searches_web: false,
            limits: TimeLimits { first_output: Some(first_output), stall: Some(stall), whole: None },
            variables: Vec::new(),
        };
        let key = StepKey::new("round-1/proposer");
        let (sender, _nobody) = tokio::sync::mpsc::unbounded_channel();
        let order = Order {
            key: key.clone(),
            setbacks: 0,
            thread: None,
            prompt: Prompt::default(),
            shape: Shape::Prose,
            output_tokens: 1,
            effort: Effort::Low,
            seed: 0,
            limit,
        };
        let cancel = CancellationToken::new();
        let limit_ends = cancel.clone();
        // As the runner does it.
        let clock = tokio::spawn(async move {
            tokio::time::sleep(limit).await;
            limit_ends.cancel();
        });
        let failure = seat.answer(&order, ProgressSink::new(key, sender), cancel).await.unwrap_err();
        clock.abort();
        failure
    }

    const STARTED: &str = r#"'{"type":"thread.started"}' '{"type":"turn.started"}'"#;
    const BEGUN: &str = r#"'{"type":"item.started","item":{"type":"command_execution","command":"ls"}}'"#;

    #[tokio::test]
    async fn a_tool_whose_model_is_silent_is_ended_by_the_limit_that_counts_then() {
        let alive =
            r#"while :; do printf '%s\\n' '{"type":"keepalive","timestamp":"2026-11-15T10:00:00Z"}'; sleep 0.02; done"#;
        for (words, first_output, stall) in [("", SHORT, LONG), (STARTED, SHORT, LONG), (BEGUN, LONG, SHORT)] {
            // One that only shows that it lives is silent all the same.
            for then in ["exec sleep 1000", alive] {
                let failure = ended(&format!("printf '%s\\n' {words}\n{then}"), first_output, stall, LONG).await;
                assert_eq!((failure.cause, failure.detail.as_str()), (Cause::Stalled, "no output for 0.2 s"), "{words}");
            }
        }
    }

    #[tokio::test]
    async fn what_a_tool_complained_stays_with_its_failure_without_secrets() {
        let key = format!("sk-{}-{}", "ant", "api03-0123456789abcdefABCDEFghij");
        let failure =
            ended(&format!("echo 'using {key}' >&2\necho 'cannot open the socket' >&2\nexit 3"), LONG, LONG, LONG).await;
        assert_eq!(failure.cause, Cause::Exit);
        assert_eq!(failure.complaints(), "using [redacted]\ncannot open the socket");
        // Also where we ended it: time runs from its first deed on, and it has complained before that.
        let failure = ended(
            &format!("echo 'still waiting for the socket' >&2\nprintf '%s\\n' {BEGUN}\nexec sleep 1000"),
            LONG,
            SHORT,
            LONG,
        )
        .await;
        assert_eq!((failure.cause, failure.complaints()), (Cause::Stalled, "still waiting for the socket"));
    }
}

//! A seat behind a command line: each call is a process of its own.

use std::io;
use std::path::{Path, PathBuf};

use futures_util::future::BoxFuture;
use rebut_core::debate::{Answer, Cause, Failure, Shape};
use tokio_util::sync::CancellationToken;

use super::reading::{says_something, stalled};
use super::{Ask, CliTool, Said};
use crate::config::ToolSettings;
use crate::process::{self, End, Heard, Launch, Patience, TempFolder};
use crate::providers::variables::variable;
use crate::providers::{Lane, Order, ProgressSink, Seat, Silence};
use crate::redact::redact;

/// How often a tool may say that it tries again: trying again is ours, inside the call's limit. A first failure may
/// also be followed by a proper word about it.
pub(in crate::providers) const PATIENCE_WITH_TRIES: u32 = 2;

/// A tool that is started for each call.
#[derive(Debug)]
pub(in crate::providers) struct CliSeat {
    pub(in crate::providers) tool: &'static CliTool,
    pub(in crate::providers) program: PathBuf,
    pub(in crate::providers) model: Option<String>,
    /// What the user says of the tool.
    pub(in crate::providers) settings: ToolSettings,
    pub(in crate::providers) workspace: PathBuf,
    pub(in crate::providers) reads_workspace: bool,
    pub(in crate::providers) searches_web: bool,
    /// How long the model may be silent.
    pub(in crate::providers) silence: Silence,
    /// Variables beside those that it may see of this process, and before them.
    pub(in crate::providers) variables: Vec<(String, String)>,
}

impl Seat for CliSeat {
    fn lane(&self) -> Lane {
        Lane { kind: "cli", provider: self.tool.name.into() }
    }

    fn answer<'a>(
        &'a self,
        order: &'a Order,
        progress: ProgressSink,
        cancel: CancellationToken,
    ) -> BoxFuture<'a, Result<Answer, Failure>> {
        Box::pin(async move {
            // Both are deleted when this ends, however that happens. Not every tool can be told to read nothing, so a seat
            // without a workspace runs in an empty folder, and its home, which links to credentials, is elsewhere.
            let scratch = self.scratch()?;
            let nowhere = if self.reads_workspace { None } else { Some(self.scratch()?) };
            let folder = nowhere.as_ref().map_or(self.workspace.as_path(), TempFolder::path);
            let launch = self.launch(order, &scratch, folder).map_err(|error| self.not_started(&error))?;
            let first_output = self.silence.first_output_within(order.limit);
            let patience = Patience { first_output, stall: self.silence.stall, ..Patience::default() };
            let mut listen = |line: &str| {
                for news in (self.tool.progress)(line) {
                    progress.tell(news);
                }
                match line {
                    last if (self.tool.is_last)(last) => Heard::Enough,
                    idle if !says_something(idle) || (self.tool.is_preface)(idle) => Heard::SignOfLife,
                    _ => Heard::More,
                }
            };
            let mut tries = 0;
            let mut complaints = |line: &str| {
                tries += u32::from((self.tool.tries_again)(line).is_some());
                if tries >= PATIENCE_WITH_TRIES { Heard::Enough } else { Heard::More }
            };
            let output = process::run_hearing_complaints(&launch, &patience, &mut listen, &mut complaints, &cancel)
                .await
                .map_err(|error| self.not_started(&error))?;
            let stdout = String::from_utf8_lossy(&output.stdout);
            let stderr = String::from_utf8_lossy(&output.stderr);
            let read = |exit| (self.tool.read)(&Said { stdout: &stdout, stderr: &stderr, exit });
            let result = match output.end {
                End::Cancelled => Err(Failure::new(Cause::Cancelled, "")),
                End::TooLarge => Err(Failure::new(Cause::TooLarge, "")),
                End::Stalled(silence) => Err(stalled(silence)),
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
        let mut inherited = (self.tool.keys)(&own, ask.model, ask.variable);
        inherited.extend_from_slice(&self.settings.env);
        let given = self.variables.iter().map(|(name, value)| (name.into(), value.into()));
        let of_line = line.variables.into_iter().map(|(name, value)| (name.into(), value.into()));
        Ok(Launch {
            program: self.program.clone(),
            arguments: line.arguments,
            folder: folder.to_owned(),
            variables: process::inherited(&inherited)
                .into_iter()
                .chain(given)
                .chain(scratch.variables())
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

    use rebut_core::debate::{Effort, Prompt, Retry, StepKey};

    use super::super::CLI_TOOLS;
    use super::*;

    const SHORT: Duration = Duration::from_millis(200);
    const LONG: Duration = Duration::from_mins(5);

    /// What comes of a codex that says this and then nothing more.
    async fn said(words: &str, first_output: Duration, stall: Duration, limit: Duration) -> Failure {
        ended(&format!("printf '%s\\n' {words}\nexec sleep 1000"), first_output, stall, limit).await
    }

    /// What comes of a codex that does this.
    async fn ended(doing: &str, first_output: Duration, stall: Duration, limit: Duration) -> Failure {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("codex");
        let script = format!("#!/bin/sh\n{doing}\n");
        // Another process writes it: a file that this one had open would be busy when it is started.
        let write = ["-c", "printf %s \"$1\" > \"$0\""];
        assert!(std::process::Command::new("/bin/sh").args(write).arg(&program).arg(script).status().unwrap().success());
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        let seat = CliSeat {
            tool: CLI_TOOLS.iter().find(|tool| tool.name == "codex").unwrap(),
            program,
            model: None,
            settings: ToolSettings::default(),
            workspace: folder.path().to_owned(),
            reads_workspace: true,
            searches_web: false,
            silence: Silence { first_output: Some(first_output), stall: Some(stall) },
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
    async fn a_tool_whose_model_never_says_anything_is_ended_at_the_time_for_first_output() {
        for words in ["", STARTED] {
            let failure = said(words, SHORT, LONG, LONG).await;
            assert_eq!((failure.cause, failure.detail.as_str()), (Cause::Stalled, "no output for 0.2 s"), "{words}");
            assert_eq!(failure.retry(false), Retry::UntilLimit);
        }
    }

    #[tokio::test]
    async fn once_it_has_begun_only_the_limit_of_silence_counts() {
        let failure = said(BEGUN, LONG, SHORT, LONG).await;
        assert_eq!((failure.cause, failure.detail.as_str()), (Cause::Stalled, "no output for 0.2 s"));
    }

    #[tokio::test]
    async fn a_tool_that_only_shows_that_it_lives_has_fallen_silent_all_the_same() {
        let alive = r#"'{"type":"keepalive","timestamp":"2026-11-15T10:00:00Z"}'"#;
        for (words, first_output, stall) in [(STARTED, SHORT, LONG), (BEGUN, LONG, SHORT)] {
            let failure = ended(
                &format!("printf '%s\\n' {words}\nwhile :; do printf '%s\\n' {alive}; sleep 0.02; done"),
                first_output,
                stall,
                LONG,
            )
            .await;
            assert_eq!((failure.cause, failure.detail.as_str()), (Cause::Stalled, "no output for 0.2 s"), "{words}");
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

    #[tokio::test]
    async fn the_time_for_first_output_is_never_longer_than_the_call() {
        assert_eq!(said(STARTED, SHORT, LONG, SHORT).await.cause, Cause::Cancelled);
        assert_eq!(said(STARTED, LONG, LONG, SHORT).await.cause, Cause::Cancelled);
    }
}

//! A seat with the stand-in agent on it, and what the agent was told.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rebut_core::debate::{Answer, Effort, Failure, Prompt, Shape, StepKey};
use rebut_engine::config::ToolSettings;
use rebut_engine::process::ChildLimits;
use rebut_engine::providers::acp::{AcpCommand, AcpSeat, AcpSetup, Quirks};
use rebut_engine::providers::tool;
use rebut_engine::providers::{Order, Progress, ProgressSink, Seat, TimeLimits};
use rebut_fakes::Mark;
use serde_json::Value;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

/// Text that is long in bytes and hostile to whoever counts characters.
pub(crate) const LARGE: &str = "größe \u{2028} \"@x\" \\n\n";

pub(crate) struct Bench {
    pub(crate) setup: AcpSetup,
    pub(crate) order: Order,
    folder: TempDir,
    mark: Mark,
}

impl Bench {
    /// The stand-in plays this case; a capture of an agent is heard with that agent's quirks.
    pub(crate) fn playing(case: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let workspace = folder.path().join("workspace");
        fs::create_dir_all(workspace.join("src")).unwrap();
        fs::write(workspace.join("src/a.rs"), "").unwrap();
        let mark = Mark::new();
        let log = folder.path().join("log");
        let name = case.split('-').next().unwrap();
        let command = AcpCommand {
            name: "stand-in".to_owned(),
            tool: None,
            program: stand_in(),
            arguments: vec![case.into()],
            variables: vec![(Mark::NAME.into(), mark.value.clone().into()), ("STAND_IN_LOG".into(), log.into())],
            quirks: tool(name).map_or(Quirks::NONE, |tool| tool.agent.quirks),
        };
        let setup = AcpSetup {
            command,
            model: None,
            settings: ToolSettings::default(),
            workspace,
            reads_workspace: true,
            greeting: Duration::from_mins(1),
            limits: TimeLimits {
                first_output: Some(Duration::from_mins(1)),
                stall: Some(Duration::from_mins(1)),
                whole: None,
            },
            child_limits: ChildLimits { grace: Duration::from_millis(300), ..ChildLimits::default() },
        };
        let order = Order {
            key: StepKey::new("round-1/proposer"),
            setbacks: 0,
            thread: None,
            prompt: Prompt { system: "# Rules".to_owned(), user: "What is 2+2?".to_owned() },
            shape: Shape::Prose,
            output_tokens: 100,
            effort: Effort::High,
            seed: 0,
            limit: Duration::from_mins(5),
        };
        Self { setup, order, folder, mark }
    }

    /// The agent ignores being asked to end.
    pub(crate) fn ignoring_signals(&mut self) {
        let command = &mut self.setup.command;
        let program = std::mem::replace(&mut command.program, "/bin/sh".into());
        let words = ["-c".into(), "trap '' TERM INT HUP; exec \"$0\" \"$@\"".into(), program.into_os_string()];
        command.arguments.splice(0..0, words);
    }

    /// The agent notes where its temporary files go.
    pub(crate) fn noting_its_home(&mut self) {
        let command = &mut self.setup.command;
        let program = std::mem::replace(&mut command.program, "/bin/sh".into());
        let notes = self.folder.path().join("homes");
        let script = "n=$1; shift; echo \"$TMPDIR\" >> \"$n\"; exec \"$0\" \"$@\"";
        command.arguments.splice(0..0, ["-c".into(), script.into(), program.into_os_string(), notes.into_os_string()]);
    }

    /// The homes that agents have noted.
    pub(crate) fn homes(&self) -> Vec<PathBuf> {
        let noted = fs::read_to_string(self.folder.path().join("homes")).unwrap_or_default();
        noted.lines().map(PathBuf::from).collect()
    }

    /// The agent says nothing when it is started for the first time.
    pub(crate) fn starting_slowly_once(&mut self) {
        let command = &mut self.setup.command;
        let program = std::mem::replace(&mut command.program, "/bin/sh".into());
        let mark = self.folder.path().join("started");
        let script = "m=$1; shift; [ -e \"$m\" ] && exec \"$0\" \"$@\"; : > \"$m\"; exec sleep 1000";
        command.arguments.splice(0..0, ["-c".into(), script.into(), program.into_os_string(), mark.into_os_string()]);
    }

    pub(crate) fn seat(&self) -> AcpSeat {
        AcpSeat::new(self.setup.clone()).unwrap()
    }

    pub(crate) fn workspace(&self) -> &Path {
        &self.setup.workspace
    }

    pub(crate) async fn ask(&self, seat: &AcpSeat) -> Result<Answer, Failure> {
        self.ask_with(seat, CancellationToken::new()).await
    }

    pub(crate) async fn ask_with(&self, seat: &AcpSeat, cancel: CancellationToken) -> Result<Answer, Failure> {
        let (sender, _nobody) = tokio::sync::mpsc::unbounded_channel();
        seat.answer(&self.order, ProgressSink::new(self.order.key.clone(), sender), cancel).await
    }

    pub(crate) async fn ask_and_listen(&self, seat: &AcpSeat) -> (Result<Answer, Failure>, Vec<Progress>) {
        let (sender, mut news) = tokio::sync::mpsc::unbounded_channel();
        let sink = ProgressSink::new(self.order.key.clone(), sender);
        let answer = seat.answer(&self.order, sink, CancellationToken::new()).await;
        let mut heard = Vec::new();
        while let Ok((_, progress)) = news.try_recv() {
            heard.push(progress);
        }
        (answer, heard)
    }

    /// Asks, and cancels once the agent has heard the prompt.
    pub(crate) async fn ask_and_cancel(&self, seat: &AcpSeat) -> Result<Answer, Failure> {
        let cancel = CancellationToken::new();
        let prompted = async {
            self.until_told("session/prompt").await;
            cancel.cancel();
        };
        tokio::join!(self.ask_with(seat, cancel.clone()), prompted).0
    }

    /// Waits until the agent has been told this.
    pub(crate) async fn until_told(&self, method: &str) {
        while self.told(method).is_empty() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }

    /// Closes the seat; nobody is left.
    pub(crate) async fn close(&self, seat: AcpSeat) {
        Box::new(seat).close().await;
        assert_eq!(self.survivors(), Vec::<String>::new());
    }

    pub(crate) fn survivors(&self) -> Vec<String> {
        self.mark.survivors()
    }

    /// The parameters of every message of this method.
    pub(crate) fn told(&self, method: &str) -> Vec<Value> {
        self.log().into_iter().filter(|told| told["method"] == method).map(|mut told| told["params"].take()).collect()
    }

    /// Every message that an agent was told.
    pub(crate) fn log(&self) -> Vec<Value> {
        self.lines().into_iter().map(|mut line| line["told"].take()).collect()
    }

    /// Every process that was told something, in the order of their beginnings.
    pub(crate) fn processes(&self) -> Vec<u32> {
        let mut processes = Vec::new();
        for line in self.lines() {
            let process = u32::try_from(line["pid"].as_u64().unwrap()).unwrap();
            if !processes.contains(&process) {
                processes.push(process);
            }
        }
        processes
    }

    fn lines(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
        // The last line may still be on its way.
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }
}

/// The stand-in agent, which cargo builds beside the tests.
fn stand_in() -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    let program = tests.parent().unwrap().with_file_name("examples").join("stand-in-acp");
    assert!(program.exists(), "build it first: cargo build -p rebut-engine --example stand-in-acp");
    program
}

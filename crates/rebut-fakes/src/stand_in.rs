//! Stand-ins for the real tools: what they are to do, call by call, and what they were called with. The program itself is the
//! example `stand-in` of the package whose tests run it.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::TestEnv;
use crate::survivors::{is_alive, living};

/// The folder with the turns, in which calls are recorded. It is beside the folder of the programs.
pub const FOLDER: &str = "stand-in";

/// A file whose name begins so says that a tool is not signed in.
pub const SIGNED_OUT: &str = "signed-out-";

pub const TURNS: &str = "turns.json";

/// The folder with an entry for each turn that was taken.
pub const TAKEN: &str = "taken";

/// The calls, a line each.
pub const CALLS: &str = "calls.jsonl";

/// The file that says which process was started without any variable.
pub const CLEAN: &str = "clean.pid";

/// The file that lets calls go on.
pub const RELEASED: &str = "released";

pub const NAMES: [&str; 5] = ["claude", "codex", "gemini", "opencode", "copilot"];

/// What one call comes to. It is used up by the first call that it fits.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Turn {
    pub tool: String,
    pub when: Option<String>,
    /// What it does before it says anything.
    pub before: Vec<Before>,
    pub answer: String,
    /// A captured case that is printed in the place of an answer, with the exit code it had.
    pub capture: Option<String>,
    /// Bytes on standard output in the place of an answer; each `\u{fffd}` becomes a byte that is no UTF-8.
    pub raw: Option<String>,
    /// What it writes to standard error before it speaks.
    pub complaints: String,
    /// A file that it says to read before it answers.
    pub activity: Option<String>,
    /// A file that it writes before it answers.
    pub writes: Option<PathBuf>,
    pub after: After,
}

/// What a stand-in does before it speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Before {
    /// It waits until the test [releases](Turns::release) it.
    AwaitRelease,
    IgnoreSignals,
    /// It starts a process in a session of its own, which holds the pipes open and never ends.
    ForkAway,
    /// It starts a process in a session of its own and without any variable, and writes down which.
    ForkAwayClean,
    /// The same through another process, which ends: only the adoption of orphans tells whose it was.
    OrphanClean,
    /// It starts a process that stays in its group and never ends.
    Fork,
    Print200Megabytes,
    /// It writes to both pipes without end.
    Flood,
    /// It gives itself the right to write to its folder, and takes what is there for something else.
    SpoilFolder,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum After {
    Exit(i32),
    LiveOn,
    CloseAndLiveOn,
    /// It leaves out the last line, which says that the answer is whole, and lives on.
    Stall,
    Crash,
}

impl Default for After {
    fn default() -> Self {
        Self::Exit(0)
    }
}

impl Turn {
    fn of(tool: &str) -> Self {
        Self { tool: tool.to_owned(), ..Self::default() }
    }

    pub fn answer(tool: &str, text: impl Into<String>) -> Self {
        Self { answer: text.into(), ..Self::of(tool) }
    }

    pub fn capture(tool: &str, case: &str) -> Self {
        Self { capture: Some(case.to_owned()), ..Self::of(tool) }
    }

    pub fn raw(tool: &str, raw: impl Into<String>) -> Self {
        Self { raw: Some(raw.into()), ..Self::of(tool) }
    }

    pub fn hang(tool: &str) -> Self {
        Self::raw(tool, "").then(After::LiveOn)
    }

    pub fn when(self, text: &str) -> Self {
        Self { when: Some(text.to_owned()), ..self }
    }

    /// The same with this before it speaks.
    pub fn first(mut self, before: Before) -> Self {
        self.before.push(before);
        self
    }

    pub fn then(self, after: After) -> Self {
        Self { after, ..self }
    }

    pub fn fits(&self, tool: &str, prompt: &str) -> bool {
        self.tool == tool && self.when.as_ref().is_none_or(|text| prompt.contains(text))
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Called {
    pub tool: String,
    pub arguments: Vec<String>,
    pub folder: PathBuf,
    pub variables: BTreeMap<String, String>,
    pub prompt: String,
    pub files: Vec<String>,
}

impl Called {
    /// Whether it was called with these arguments in a row.
    pub fn has(&self, arguments: &[&str]) -> bool {
        arguments.is_empty() || self.arguments.windows(arguments.len()).any(|window| window == arguments)
    }
}

/// The stand-ins of a machine: the tools that are installed, their turns, and their calls.
pub struct Turns {
    folder: PathBuf,
    home: PathBuf,
}

impl Turns {
    pub fn install(env: TestEnv, tools: &[&str], turns: &[Turn]) -> (TestEnv, Self) {
        let folder = env.root().join(FOLDER);
        fs::create_dir(&folder).expect("an empty folder");
        for tool in tools {
            std::os::unix::fs::symlink(stand_in(), env.root().join("bin").join(tool)).expect("a link");
        }
        let installed = Self { home: env.home(), folder };
        installed.rewrite(turns);
        (env, installed)
    }

    /// Lets every call go on that waits for it, now and later.
    pub fn release(&self) {
        fs::write(self.folder.join(RELEASED), "").expect("a file");
    }

    /// Signs a tool out: it says so when it is asked.
    pub fn sign_out(&self, tool: &str) {
        fs::write(self.folder.join(format!("{SIGNED_OUT}{tool}")), "").expect("a file");
    }

    /// Begins anew with these turns; calls that were made stay on record.
    pub fn rewrite(&self, turns: &[Turn]) {
        // No turn is taken.
        let _ = fs::remove_dir_all(self.folder.join(TAKEN));
        fs::create_dir(self.folder.join(TAKEN)).expect("an empty folder");
        fs::write(self.folder.join(TURNS), serde_json::to_vec(turns).expect("turns are JSON")).expect("the turns");
    }

    pub fn calls(&self) -> Vec<Called> {
        let written = fs::read_to_string(self.folder.join(CALLS)).unwrap_or_default();
        // The last line may still be on its way.
        written.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    pub fn calls_of(&self, tool: &str) -> Vec<Called> {
        self.calls().into_iter().filter(|call| call.tool == tool).collect()
    }

    #[track_caller]
    pub fn call_of(&self, tool: &str) -> Called {
        let mut calls = self.calls_of(tool);
        assert_eq!(calls.len(), 1, "{tool} was called once");
        calls.remove(0)
    }

    fn clean_one(&self) -> Option<String> {
        let id = fs::read_to_string(self.folder.join(CLEAN)).ok()?;
        Some(id.trim().to_owned())
    }

    /// Whether the process that was started without any variable lives.
    ///
    /// # Panics
    /// Where none was started.
    pub fn clean_one_lives(&self) -> bool {
        let id = self.clean_one().expect("the process that was written down");
        is_alive(&Path::new("/proc").join(id))
    }

    /// The processes that these tools started and that live: all of them have the home in their environment.
    pub fn survivors(&self) -> Vec<String> {
        living(&format!("HOME={}", self.home.display()))
    }
}

impl Drop for Turns {
    fn drop(&mut self) {
        let id = |process: &String| process.rsplit('/').next()?.parse().ok().and_then(rustix::process::Pid::from_raw);
        let clean = self.clean_one().filter(|_| self.clean_one_lives());
        for process in self.survivors().iter().chain(&clean).filter_map(id) {
            let _ = rustix::process::kill_process(process, rustix::process::Signal::KILL);
        }
    }
}

fn stand_in() -> PathBuf {
    let test = std::env::current_exe().expect("the test's own program");
    let target = test.ancestors().nth(2).expect("the folder of the target");
    let program = target.join("examples").join("stand-in");
    assert!(program.is_file(), "there is no {}: build it with `cargo build -p rebut --examples`", program.display());
    program
}

/// Writes a line to the end of a file, where programs that run at the same time write others.
pub fn append(file: &Path, line: &impl Serialize) {
    let line = serde_json::to_string(line).expect("a line of JSON") + "\n";
    let file = OpenOptions::new().append(true).create(true).open(file);
    file.and_then(|mut file| file.write_all(line.as_bytes())).expect("the line is written");
}

//! A machine of its own for each test: nothing of the developer's reaches the program, and nothing of it stays.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::{DebateFolder, Run, Running, Script};

/// What is debated where a test does not care.
pub const TOPIC: &str = "Should we replace our REST gateway with gRPC?";

/// Folders for home, state and workspace, and the variables that the program sees: these and no others.
pub struct TestEnv {
    program: PathBuf,
    folder: TempDir,
    variables: BTreeMap<OsString, OsString>,
}

impl TestEnv {
    pub fn new(program: &str) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let env = Self { program: program.into(), folder, variables: BTreeMap::new() };
        for folder in [env.home(), env.workspace(), env.root().join("bin")] {
            fs::create_dir(folder).expect("an empty folder");
        }
        let (home, bin, state_home) = (env.home(), env.root().join("bin"), env.root().join("state"));
        let env = env.set("HOME", home).set("PATH", bin).set("XDG_STATE_HOME", state_home);
        // Most tests read the whole of a debate from its output.
        let env = env.set("REBUT_OUTPUT_STATEMENTS", "true");
        // Servers of the developer's are not found: nothing listens on this port.
        let servers = ["OLLAMA", "LLAMACPP", "VLLM", "LMSTUDIO"];
        servers.iter().fold(env, |env, name| env.set(&format!("REBUT_SERVICES_{name}_BASE_URL"), "http://127.0.0.1:1/v1"))
    }

    pub fn set(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.variables.insert(name.into(), value.as_ref().to_owned());
        self
    }

    /// The same with a script for the seats of [`Self::duel`].
    pub fn with(self, script: &Script) -> Self {
        self.rewrite(script);
        self
    }

    /// The folder of everything; no symlink leads to it.
    pub fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().expect("the temporary folder")
    }

    pub fn home(&self) -> PathBuf {
        self.root().join("home")
    }

    pub fn state(&self) -> PathBuf {
        self.root().join("state").join("rebut")
    }

    pub fn workspace(&self) -> PathBuf {
        self.root().join("workspace")
    }

    pub fn write(&self, path: impl AsRef<Path>, content: impl AsRef<[u8]>) -> PathBuf {
        crate::write(&self.workspace().join(path), content)
    }

    /// Writes the user's settings; returns the file.
    pub fn user_config(&self, text: impl AsRef<[u8]>) -> PathBuf {
        self.write(self.home().join(".config/rebut/config.toml"), text)
    }

    /// Puts a program of this machine on the path, which is empty else.
    pub fn install(&self, program: &str) {
        let path = std::env::var_os("PATH").expect("a search path");
        let found = std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file());
        let found = found.unwrap_or_else(|| panic!("{program} is not installed, and the test needs it"));
        std::os::unix::fs::symlink(found, self.root().join("bin").join(program)).expect("a link");
    }

    pub fn install_idle(&self, program: &str) {
        self.install_script(program, "");
    }

    pub fn install_script(&self, program: &str, script: &str) {
        use std::os::unix::fs::PermissionsExt;
        let path = self.root().join("bin").join(program);
        fs::write(&path, format!("#!/bin/sh\n{script}")).expect("a program");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("its mode");
    }

    /// Replaces the script of [`Self::duel`].
    pub fn rewrite(&self, script: &Script) {
        self.write("debate.toml", script.to_toml());
    }

    /// The program with these arguments, in the workspace, with no input and nothing of the developer's surroundings.
    pub fn command<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Command {
        self.in_surroundings(Command::new(&self.program), arguments)
    }

    /// The program as a shell starts it after this line, such as a limit on the size of files.
    pub fn command_behind<S: AsRef<OsStr>>(&self, line: &str, arguments: impl IntoIterator<Item = S>) -> Command {
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", &format!("{line}; exec \"$0\" \"$@\"")]).arg(&self.program);
        self.in_surroundings(shell, arguments)
    }

    pub fn rebut<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Run {
        Run::of(&mut self.command(arguments))
    }

    pub fn rebut_reading<S: AsRef<OsStr>>(&self, input: &[u8], arguments: impl IntoIterator<Item = S>) -> Run {
        let mut child = self.command(arguments).stdin(Stdio::piped()).spawn().expect("the program starts");
        // A program that ends without reading breaks the pipe, which is its right.
        let _ = child.stdin.take().expect("a pipe").write_all(input);
        Run::from(child.wait_with_output().expect("the program ends"))
    }

    pub fn rebut_with<S: AsRef<OsStr>>(&self, name: &str, value: &str, arguments: impl IntoIterator<Item = S>) -> Run {
        Run::of(self.command(arguments).env(name, value))
    }

    pub fn start<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Running {
        Running::start(&mut self.command(arguments))
    }

    /// The arguments of a duel about [`TOPIC`] between the seats of the script, with some more.
    pub fn duel_arguments<'a>(&self, more: &[&'a str]) -> Vec<&'a str> {
        ["duel", TOPIC].iter().chain(&SEATS).chain(more).copied().collect()
    }

    /// Holds a duel about [`TOPIC`] between the seats of the script.
    pub fn duel(&self, more: &[&str]) -> Run {
        self.rebut(self.duel_arguments(more))
    }

    pub fn duel_with_fault(&self, fault: &str, more: &[&str]) -> Run {
        self.rebut_with("REBUT_FAULT", fault, self.duel_arguments(more))
    }

    /// Starts a duel and leaves it running; its events arrive as JSON lines.
    pub fn start_duel(&self, more: &[&str]) -> Running {
        self.start(self.duel_arguments(&[&["--json"], more].concat()))
    }

    /// Every debate that is kept in this folder, oldest first.
    pub fn debates_in(&self, folder: impl AsRef<Path>) -> Vec<DebateFolder> {
        DebateFolder::all_in(&self.root().join(folder), &self.state())
    }

    /// Every debate that is kept, oldest first.
    pub fn debates(&self) -> Vec<DebateFolder> {
        DebateFolder::all_in(&self.state(), &self.state())
    }

    pub fn debate(&self) -> DebateFolder {
        let mut debates = self.debates();
        assert_eq!(debates.len(), 1, "one debate is kept");
        debates.remove(0)
    }

    pub fn kept(&self) -> Vec<String> {
        crate::files::listing(&self.state())
    }

    /// Removes every debate, so that the next one is the only one.
    pub fn clear(&self) {
        fs::remove_dir_all(self.state()).expect("the state is removed");
    }

    fn in_surroundings<S: AsRef<OsStr>>(&self, mut command: Command, arguments: impl IntoIterator<Item = S>) -> Command {
        command.args(arguments).current_dir(self.workspace()).env_clear();
        command.envs(&self.variables);
        // A git that the program asks must not read the developer's configuration, nor look above the test's folder.
        command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CEILING_DIRECTORIES", self.root());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }
}

const SEATS: [&str; 4] =
    ["--tools", "script:debate.toml#north,script:debate.toml#south", "--judge", "script:debate.toml#bench"];

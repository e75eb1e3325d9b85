//! The program as a person or another program meets it: every test here runs the built binary in a machine of its own.
#![allow(clippy::unwrap_used, reason = "helpers of tests end the test, as tests do")]

mod agents;
mod budgets;
mod checks;
mod commands;
mod cross;
mod damage;
mod demo;
mod detached;
mod disk;
mod doctor;
mod embedded;
mod evidence;
mod failures;
mod finding;
mod forks;
mod guided;
mod install;
mod judges;
mod judging;
mod keeping;
mod kill_sweep;
mod mcp;
mod models;
mod outputs;
mod page;
mod panel;
mod refusals;
mod retries;
mod review;
mod screens;
mod seating;
mod services;
mod settings;
mod signals;
mod sources;
mod supervision;
mod terminal;
mod thorough;
mod tool_failures;
mod tools;
mod transports;
mod whole_debates;
mod workers;

use std::time::{Duration, Instant};

use futures_util::FutureExt;
use rebut_core::debate::{Debate, DebateId};
use rebut_engine::store::FileStore;
use rebut_fakes::stand_in::{Turn, Turns};
use rebut_fakes::{DebateFolder, Script, TestEnv};

/// A machine for the program under test.
fn machine() -> TestEnv {
    TestEnv::new(env!("CARGO_BIN_EXE_rebut"))
}

/// The same with the script of a duel of so many rounds.
fn machine_for(script: &Script) -> TestEnv {
    machine().with(script)
}

/// The same where a judge votes once.
fn machine_judged_once(script: &Script) -> TestEnv {
    machine_for(script).set("REBUT_VERDICT_RIGOR", "quick")
}

/// A machine with stand-ins for these tools, which take these turns. A judge votes once: two ballots at the same time would
/// take their turns in any order.
fn machine_with(tools: &[&str], turns: &[Turn]) -> (TestEnv, Turns) {
    Turns::install(machine().set("REBUT_VERDICT_RIGOR", "quick"), tools, turns)
}

/// What a debate came to, without when and how often: the same for one that was killed and went on.
fn meaning(debate: &DebateFolder) -> String {
    read(debate).meaning()
}

/// A debate as its journal tells it, read without a process for it.
fn read(debate: &DebateFolder) -> Debate {
    let store = FileStore::at(debate.kept.parent().unwrap());
    let id = DebateId::parse(&debate.id).unwrap();
    rebut_engine::store::read(&store, &id).now_or_never().unwrap().unwrap().0
}

/// A pipe that nobody writes to: whoever opens it to read waits for ever.
fn pipe_at(path: &std::path::Path) {
    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    rustix::fs::mkfifoat(rustix::fs::CWD, path, mode).unwrap();
}

/// Waits for something that is certain to come; a test that waits in vain ends. Between two looks others have their turn,
/// what is waited for among them.
#[track_caller]
fn until(what: &str, mut come: impl FnMut() -> bool) {
    let began = Instant::now();
    while !come() {
        assert!(began.elapsed() < Duration::from_mins(1), "waited in vain: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

//! The program as a person or another program meets it: every test here runs the built binary in a machine of its own.
#![allow(clippy::unwrap_used, reason = "helpers of tests end the test, as tests do")]

mod budgets;
mod commands;
mod damage;
mod disk;
mod failures;
mod kill_sweep;
mod known_faults;
mod outputs;
mod refusals;
mod settings;
mod signals;
mod terminal;
mod transports;

use rebut_fakes::{Script, TestEnv};

/// A machine for the program under test.
fn machine() -> TestEnv {
    TestEnv::new(env!("CARGO_BIN_EXE_rebut"))
}

/// The same with the script of a duel of so many rounds.
fn machine_for(script: &Script) -> TestEnv {
    machine().with(script)
}

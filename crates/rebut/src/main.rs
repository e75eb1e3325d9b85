//! `rebut`: has AI tools debate a decision under enforced rules, and returns a verdict that can be audited.
//!
//! This crate is what the user sees: commands, terminal, exit codes. `rebut-core` defines what a debate is, `rebut-engine`
//! runs it.

mod app;
mod cli;
mod commands;
#[cfg(test)]
mod documentation;
mod error;
mod flags;
mod hosts;
mod mcp;
mod run;
mod signals;
mod start;
mod terminal;
mod web;

use std::process::ExitCode;

/// The argument that makes this process the guard of another one's children. Internal.
const GUARD: &str = "--guard-children";

fn main() -> ExitCode {
    if std::env::args_os().skip(1).eq([GUARD]) {
        rebut_engine::process::run_guard();
        return ExitCode::SUCCESS;
    }
    if let Ok(program) = std::env::current_exe() {
        rebut_engine::process::guard_with(program, GUARD.into());
    }
    let arguments = match cli::parse(std::env::args_os().collect()) {
        Ok(arguments) => arguments,
        Err(error) => {
            let json = std::env::args_os().any(|argument| argument == "--json");
            let screen = terminal::Screen::new(&cli::Shared { json, ..cli::Shared::default() });
            let code = error.report(&screen);
            screen.finish();
            return code;
        }
    };
    // Workers outlive a server, and must not be mistaken for orphans of its tools.
    if !matches!(arguments.command, commands::Command::Mcp(_)) {
        rebut_engine::process::adopt_orphans();
    }
    let screen = terminal::Screen::new(&arguments.shared);
    let done = commands::run(arguments, &screen);
    for kept in rebut_engine::process::take_kept() {
        screen.error_line("warning", &kept);
    }
    // A result that could not be written is a failure, whatever the command says.
    let done = match (done, screen.unwritten()) {
        (Ok(_), Some(why)) => Err(error::CommandError::unwritten(why)),
        (done, _) => done,
    };
    let code = match done {
        Ok(exit) => exit.into(),
        Err(error) => error.report(&screen),
    };
    screen.finish();
    code
}

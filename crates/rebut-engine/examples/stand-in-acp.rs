//! The stand-in agent as a program; what it does stands in `rebut-fakes`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(rebut_fakes::acp_agent::run(std::env::args().skip(1)))
}

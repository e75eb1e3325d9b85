//! A stand-in for claude, codex, gemini, opencode and copilot: which one it is, it knows by the name it is started under.
//!
//! An example so that `cargo test` builds it and nobody installs it. What it does is `rebut_fakes::stand_in`.

fn main() -> std::process::ExitCode {
    rebut_fakes::stand_in::main()
}

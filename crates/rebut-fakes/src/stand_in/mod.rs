//! Stand-ins for the real tools: native programs that print what the real ones were captured printing.
//!
//! The program around this is an example of the package whose tests run it; it knows which tool it is by the name it was
//! started under. What it does is said by a file ([`Turn`]), and what it was called with is written down ([`Called`]).
//! It has no rules of its own: a call that the file says nothing about is a failure of the test.

mod claude;
mod codex;
mod copilot;
mod faults;
mod gemini;
mod opencode;
mod program;
mod turns;

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

pub use program::main;
pub use turns::{After, Before, Called, Turn, Turns};

/// The folder with the turns, in which calls are written down. It stands beside the folder of the programs.
pub(crate) const FOLDER: &str = "stand-in";

/// How the name of the file there begins that says that a tool is not signed in.
pub(crate) const SIGNED_OUT: &str = "signed-out-";

/// The file of the turns in that folder.
pub(crate) const TURNS: &str = "turns.json";

/// The tools that can be stood in for.
pub const NAMES: [&str; 5] = ["claude", "codex", "gemini", "opencode", "copilot"];

/// An answer that is to be put into the place of a captured one.
pub(crate) struct Spoken<'a> {
    /// The text, in the pieces it comes in.
    pieces: Vec<&'a str>,
    /// The model that is reported, by tools that report one.
    model: &'a str,
    /// What the tool does before it answers: the name of its tool and the path.
    activity: Option<&'a str>,
}

impl Spoken<'_> {
    fn text(&self) -> String {
        self.pieces.concat()
    }
}

/// Puts another answer into the lines of a captured success.
type Put = fn(Vec<Value>, &Spoken<'_>) -> Vec<Value>;

/// A success of a tool, as it was captured, with another answer in it: line by line.
fn speak(tool: &str, spoken: &Spoken<'_>) -> Vec<Value> {
    let (case, put): (&str, Put) = match tool {
        "claude" => ("stream", claude::put),
        "codex" => ("success", codex::put),
        "gemini" => ("stream", gemini::put),
        "opencode" => ("success", opencode::put),
        _ => ("success-json", copilot::put),
    };
    let captured = fs::read_to_string(captures(tool).join(format!("{case}.stdout"))).expect("a captured success");
    put(captured.lines().map(|line| serde_json::from_str(line).expect("a JSON line")).collect(), spoken)
}

/// What a tool says to `--version`.
fn version(tool: &str) -> &'static str {
    match tool {
        "claude" => "2.1.325 (Claude Code)",
        "codex" => "codex-cli 0.166.0",
        "gemini" => "0.61.0",
        "opencode" => "1.18.4",
        _ => "1.0.102\nCommit: 0a1b2c3",
    }
}

/// Where the captures of a tool are.
fn captures(tool: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../rebut-engine/src/providers/tools/captures").join(tool)
}

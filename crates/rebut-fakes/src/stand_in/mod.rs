//! Stand-ins for the real tools: native programs that print what the real ones were captured printing.
//!
//! The program around this is an example of the package whose tests run it; it knows which tool it is by the name it was
//! started under. A file says what it does ([`Turn`]), and it records what it was called with ([`Called`]). A call that
//! the file says nothing about fails the test.

mod faults;
mod program;
mod turns;

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::Serialize;

pub use program::main;
pub use turns::{After, Before, Called, Turn, Turns};

/// The folder with the turns, in which calls are recorded. It is beside the folder of the programs.
pub(crate) const FOLDER: &str = "stand-in";

/// A file whose name begins so says that a tool is not signed in.
pub(crate) const SIGNED_OUT: &str = "signed-out-";

pub(crate) const TURNS: &str = "turns.json";

/// The folder with an entry for each turn that was taken.
pub(crate) const TAKEN: &str = "taken";

/// The calls, a line each.
pub(crate) const CALLS: &str = "calls.jsonl";

pub const NAMES: [&str; 5] = ["claude", "codex", "gemini", "opencode", "copilot"];

/// The lines with which a tool gives this answer. `stand-in.jsonl` of its captures is a captured success with places to
/// fill: `{TEXT}`, `{MODEL}`, `{PIECE}` in a line that is printed for each piece, and `{ACTIVITY}` in a line that is
/// printed where there is one.
fn speak(tool: &str, pieces: &[&str], model: &str, activity: Option<&str>) -> Vec<String> {
    let inner = |text: &str| {
        let quoted = serde_json::Value::from(text).to_string();
        quoted[1..quoted.len() - 1].to_owned()
    };
    let text = inner(&pieces.concat());
    let template = fs::read_to_string(captures(tool).join("stand-in.jsonl")).expect("a template of an answer");
    let mut lines = Vec::new();
    for line in template.lines() {
        let filled = |place: &str, value: &str| line.replace(place, &inner(value)).replace("{TEXT}", &text);
        match line {
            _ if line.contains("{PIECE}") => lines.extend(pieces.iter().map(|piece| filled("{PIECE}", piece))),
            _ if line.contains("{ACTIVITY}") => lines.extend(activity.map(|path| filled("{ACTIVITY}", path))),
            _ => lines.push(filled("{MODEL}", model)),
        }
    }
    lines
}

/// Writes a line to the end of a file, where programs that run at the same time write others.
pub(crate) fn append(file: &Path, line: &impl Serialize) {
    let line = serde_json::to_string(line).expect("a line of JSON") + "\n";
    let file = OpenOptions::new().append(true).create(true).open(file);
    file.and_then(|mut file| file.write_all(line.as_bytes())).expect("the line is written");
}

fn captures(tool: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../rebut-engine/src/providers/tools/captures").join(tool)
}

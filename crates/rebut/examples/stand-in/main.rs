//! A stand-in for claude, codex, gemini, opencode and copilot: which one it is, it knows by the name it is started under.
//!
//! It prints what the real one was captured printing. A file says what it does ([`Turn`]), and it records what it was called
//! with ([`Called`]). A call that the file says nothing about fails the test. An example so that `cargo test` builds it and
//! nobody installs it.
#![expect(clippy::expect_used, reason = "where the test's own surroundings fail, the test ends")]

mod faults;

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use rebut_fakes::stand_in::{After, CALLS, Called, FOLDER, SIGNED_OUT, TAKEN, TURNS, Turn, append};
use rebut_fakes::{acp_agent, ended_as_asked, files_below};
use serde_json::json;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os();
    let own = PathBuf::from(arguments.next().unwrap_or_default());
    let tool = own.file_name().unwrap_or_default().to_string_lossy().into_owned();
    if tool == acp_agent::PROGRAM {
        return ExitCode::from(acp_agent::run(std::env::args().skip(1)));
    }
    let arguments: Vec<String> = arguments.map(|argument| argument.to_string_lossy().into_owned()).collect();
    if arguments == ["--version"] {
        return play(&tool, "version");
    }
    // A tool sees only the variables that it needs, so none can name the folder.
    let folder = own.ancestors().map(|place| place.join(FOLDER)).find(|folder| folder.is_dir());
    let folder = folder.expect("a folder with turns");
    let is_signed_in = !folder.join(format!("{SIGNED_OUT}{tool}")).exists();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["auth", "status"] => {
            say(&format!("{{\n  \"loggedIn\": {is_signed_in}\n}}\n"));
            return if is_signed_in { ExitCode::SUCCESS } else { ExitCode::FAILURE };
        }
        ["login", "status"] if is_signed_in => return ExitCode::SUCCESS,
        ["login", "status"] => {
            let _ = complain("Not logged in");
            return ExitCode::FAILURE;
        }
        ["--acp", ..] => {
            let case = if is_signed_in { "answers" } else { "signed-out" };
            return ExitCode::from(acp_agent::run([case.to_owned()].into_iter()));
        }
        _ => {}
    }
    let mut prompt = String::new();
    io::stdin().read_to_string(&mut prompt).expect("UTF-8 on standard input");
    let here = std::env::current_dir().expect("a folder");
    let files = files_below(&here);
    let variables = std::env::vars().collect();
    let called = Called { tool: tool.clone(), arguments, folder: here, variables, prompt, files };
    append(&folder.join(CALLS), &called);
    // The one tool that takes a schema knows draft-07 only, and rejects one that names its dialect.
    let mut schemas = called.arguments.windows(2).filter(|pair| pair[0] == "--json-schema");
    if schemas.any(|pair| pair[1].contains("$schema")) {
        return play(&tool, "bad-schema");
    }
    let Some(turn) = take(&folder, &called) else {
        return complain(&format!("it is not the turn of {tool}"));
    };
    turn.before.iter().for_each(|before| faults::misbehave(*before, &folder));
    if let Some(file) = &turn.writes {
        std::fs::write(file, "written by a tool\n").expect("the file is written");
    }
    let _ = io::stderr().write_all(turn.complaints.as_bytes());
    take_turn(&turn, &called.prompt)
}

fn take_turn(turn: &Turn, prompt: &str) -> ExitCode {
    if let Some(case) = &turn.capture {
        return play(&turn.tool, case);
    }
    if let Some(raw) = &turn.raw {
        let bytes = raw.split('\u{fffd}').map(str::as_bytes).collect::<Vec<_>>().join(&0xff);
        say_bytes(&bytes);
    } else {
        let is_whole = turn.after != After::Stall;
        let block = json!([]);
        let said = if is_whole { ended_as_asked(&turn.answer, prompt, &block) } else { turn.answer.clone() };
        let mut lines = speak(&turn.tool, &said, turn.activity.as_deref());
        if !is_whole {
            lines.pop();
        }
        for line in lines {
            say(&format!("{line}\n"));
        }
    }
    end(turn)
}

/// Prints a captured case as it was, and ends as it did. One that never ended lives on.
fn play(tool: &str, case: &str) -> ExitCode {
    let file = |end: &str| fs::read(captures(tool).join(format!("{case}.{end}")));
    say_bytes(&file("stdout").unwrap_or_default());
    let _ = io::stderr().write_all(&file("stderr").unwrap_or_default());
    let exit = String::from_utf8(file("exit").expect("a captured case")).expect("an exit code");
    match exit.trim().parse::<u8>() {
        Ok(code) => ExitCode::from(code),
        Err(_) => faults::live_on(),
    }
}

fn end(turn: &Turn) -> ExitCode {
    match turn.after {
        After::Exit(code) => u8::try_from(code).map_or(ExitCode::FAILURE, ExitCode::from),
        After::Crash => std::process::abort(),
        After::LiveOn | After::Stall => faults::live_on(),
        After::CloseAndLiveOn => {
            faults::close_output();
            faults::live_on()
        }
    }
}

/// The first turn that fits and that no other call has taken.
fn take(folder: &Path, called: &Called) -> Option<Turn> {
    let turns: Vec<Turn> =
        serde_json::from_slice(&fs::read(folder.join(TURNS)).expect("turns")).expect("turns that can be read");
    let free = |number: usize| fs::create_dir(folder.join(TAKEN).join(number.to_string())).is_ok();
    let mut fitting = turns.into_iter().enumerate().filter(|(_, turn)| turn.fits(&called.tool, &called.prompt));
    fitting.find(|(number, _)| free(*number)).map(|(_, turn)| turn)
}

fn say(text: &str) {
    say_bytes(text.as_bytes());
}

/// Ignores a reader that has closed the pipe.
fn say_bytes(bytes: &[u8]) {
    let mut out = io::stdout().lock();
    let _ = out.write_all(bytes).and_then(|()| out.flush());
}

fn complain(text: &str) -> ExitCode {
    let _ = writeln!(io::stderr(), "{text}");
    ExitCode::from(97)
}

/// The lines with which a tool gives this answer. `stand-in.jsonl` of its captures is a captured success with places to
/// fill: `{TEXT}`, `{MODEL}`, `{PIECE}` in a line that is printed for each word, and `{ACTIVITY}` in a line that is
/// printed where there is one.
fn speak(tool: &str, answer: &str, activity: Option<&str>) -> Vec<String> {
    let inner = |text: &str| {
        let quoted = serde_json::Value::from(text).to_string();
        quoted[1..quoted.len() - 1].to_owned()
    };
    let text = inner(answer);
    let template = fs::read_to_string(captures(tool).join("stand-in.jsonl")).expect("a template of an answer");
    let mut lines = Vec::new();
    for line in template.lines() {
        let filled = |place: &str, value: &str| line.replace(place, &inner(value)).replace("{TEXT}", &text);
        match line {
            _ if line.contains("{PIECE}") => lines.extend(answer.split_inclusive(' ').map(|piece| filled("{PIECE}", piece))),
            _ if line.contains("{ACTIVITY}") => lines.extend(activity.map(|path| filled("{ACTIVITY}", path))),
            _ => lines.push(filled("{MODEL}", &format!("{tool}-reported-1"))),
        }
    }
    lines
}

fn captures(tool: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../rebut-engine/src/providers/tools/captures").join(tool)
}

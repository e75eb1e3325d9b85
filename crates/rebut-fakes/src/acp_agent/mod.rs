//! A stand-in for agents that speak ACP: it replays what the real ones said, and has every fault that they could have.
//!
//! The case is its first argument: the name of a capture (`codex-ok`), or of a fault. What it is told goes into the file
//! that `STAND_IN_LOG` names, a line each with its process id, so that a test can see what was asked.

mod cases;
mod step;

use std::collections::VecDeque;
use std::io::{self, BufRead, Write};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use cases::Case;
use step::Step;

use crate::block::ended_as_asked;
use crate::provider;

pub const PROGRAM: &str = "my-agent";

/// Speaks until standard input ends. Gives the exit code.
pub fn run(mut arguments: impl Iterator<Item = String>) -> u8 {
    let name = arguments.next().unwrap_or_default();
    let case = Case::named(&name);
    let mut agent = Agent { case, sessions: 0, prompts: 0, script: VecDeque::new(), prompt: Value::Null, awaited: None };
    agent.start()
}

struct Agent {
    case: Case,
    sessions: usize,
    prompts: usize,
    script: VecDeque<Step>,
    prompt: Value,
    awaited: Option<Value>,
}

impl Agent {
    fn start(&mut self) -> u8 {
        if self.case.is("dies-at-once") {
            complain("Error: not logged in");
            return 1;
        }
        for line in io::stdin().lock().lines() {
            let Ok(line) = line else { return 0 };
            let Ok(message) = serde_json::from_str::<Value>(&line) else { continue };
            log(&message);
            if let Some(code) = self.hear(&message) {
                return code;
            }
        }
        0
    }

    /// Does what a message asks for; gives an exit code where it ends.
    fn hear(&mut self, message: &Value) -> Option<u8> {
        match message["method"].as_str() {
            None if self.awaited.as_ref() == Some(&message["id"]) => {
                self.awaited = None;
                if let Some(Step::TellDecision) = self.script.front() {
                    let option = message["result"]["outcome"]["optionId"].as_str().unwrap_or("given back");
                    self.script[0] = Step::chunk(&format!("decision: {option}"));
                }
                self.go_on()
            }
            Some("session/cancel") if matches!(self.script.front(), Some(Step::AwaitCancel)) => {
                self.script.pop_front();
                self.go_on()
            }
            None | Some("session/cancel") => None,
            Some(method) => {
                self.sessions += usize::from(method == "session/new");
                self.prompts += usize::from(method == "session/prompt");
                self.prompt = message.clone();
                self.script = match method {
                    "session/prompt" => self.case.prompt(self.prompts),
                    _ => self.case.request(method),
                }
                .into();
                self.go_on()
            }
        }
    }

    fn go_on(&mut self) -> Option<u8> {
        while let Some(step) = self.script.pop_front() {
            match step {
                Step::Say(message) => self.say(message),
                Step::SayBytes(bytes) => raw(&bytes),
                Step::Ask(message) => {
                    self.awaited = Some(message["id"].clone());
                    self.say(message);
                    return None;
                }
                Step::Reply(mut message) => {
                    message["id"] = self.prompt["id"].clone();
                    self.say(message);
                }
                Step::Complain(words) => complain(&words),
                Step::Exit(code) => return Some(code),
                Step::ForkAway => fork_away(),
                Step::Flood => loop {
                    raw(&[b"x".repeat(1000), b"\n".to_vec()].concat());
                },
                Step::Echo => self.script.push_front(Step::chunk(&self.asked())),
                Step::Answer(text) => {
                    let answer = provider::answer_in_form(&self.asked());
                    let answer = answer.unwrap_or_else(|| ended_as_asked(&text, &self.asked(), &json!([])));
                    self.script.push_front(Step::chunk(&answer));
                }
                Step::ShowLife => loop {
                    complain("still there");
                    for message in cases::signs_of_life() {
                        self.say(message);
                    }
                    std::thread::sleep(std::time::Duration::from_millis(20));
                },
                Step::AwaitCancel => {
                    self.script.push_front(Step::AwaitCancel);
                    return None;
                }
                Step::TellDecision => {}
            }
        }
        None
    }

    /// What was asked last.
    fn asked(&self) -> String {
        self.prompt["params"]["prompt"][0]["text"].as_str().unwrap_or_default().to_owned()
    }

    fn say(&self, mut message: Value) {
        message["jsonrpc"] = json!("2.0");
        let prefix = if self.case.is("strange-session") { r"\u001b[2J " } else { "" };
        let session = format!("{prefix}session-{}-{}", std::process::id(), self.sessions);
        let text = message.to_string().replace(step::SESSION, &session);
        raw(format!("{text}\n").as_bytes());
    }
}

/// Starts a process that leaves the group and outlives this one, if it can.
fn fork_away() {
    let child = Command::new("setsid").args(["sleep", "1000"]).stdin(Stdio::null()).stdout(Stdio::inherit()).spawn();
    drop(child.expect("setsid is there"));
}

fn raw(bytes: &[u8]) {
    let mut out = io::stdout().lock();
    // The reader may have had enough: then this program has nothing more to do.
    if out.write_all(bytes).and_then(|()| out.flush()).is_err() {
        std::process::exit(0);
    }
}

fn complain(words: &str) {
    let _ = writeln!(io::stderr(), "{words}");
}

fn log(message: &Value) {
    let Some(path) = std::env::var_os("STAND_IN_LOG") else { return };
    let line = format!("{}\n", json!({ "pid": std::process::id(), "told": message }));
    let file = std::fs::OpenOptions::new().append(true).create(true).open(path);
    file.and_then(|mut file| file.write_all(line.as_bytes())).expect("the log can be written");
}

//! A stand-in for agents that speak ACP: it replays what the real ones said, and has every fault that they could have.
//!
//! The case is its first argument: the name of a capture (`codex-ok`) or of a fault in `faults.txt`, with what the fault needs
//! to know after colons (`asks:KIND:PATH`). What it is told goes into the file that `STAND_IN_LOG` names, a line each with its
//! process id, so that a test can see what was asked.

mod deeds;

use std::collections::VecDeque;
use std::io::{self, BufRead, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use deeds::{Deed, SESSION, deeds};

use crate::block::ended_as_asked;
use crate::provider;
use crate::stand_in::append;

pub const PROGRAM: &str = "my-agent";

/// Lines that are no JSON, no text, no message.
const NOISE: &[u8] = b"npm warn something\n\n{\"id\":\n\xff\xfe\n[1,2]\n\"text\"\n";

/// Speaks until standard input ends. Gives the exit code.
pub fn run(mut arguments: impl Iterator<Item = String>) -> u8 {
    Agent { case: arguments.next().unwrap_or_default(), ..Agent::default() }.start()
}

#[derive(Default)]
struct Agent {
    case: String,
    sessions: usize,
    prompts: usize,
    script: VecDeque<Deed>,
    /// The message that was heard last.
    heard: Value,
    /// The id of the question that it waits for a reply to.
    awaited: Option<Value>,
}

impl Agent {
    fn start(&mut self) -> u8 {
        self.plan("start");
        if let Some(code) = self.go_on() {
            return code;
        }
        for line in io::stdin().lock().lines() {
            let Ok(line) = line else { return 0 };
            let Ok(message) = serde_json::from_str::<Value>(&line) else { continue };
            log(&message);
            if let Some(code) = self.hear(message) {
                return code;
            }
        }
        0
    }

    /// Does what a message asks for; gives an exit code where it ends.
    fn hear(&mut self, message: Value) -> Option<u8> {
        let next = self.script.front().map_or("", |(word, _)| word);
        match message["method"].as_str() {
            None if self.awaited.as_ref() == Some(&message["id"]) => {
                self.awaited = None;
                if next == "tell-decision" {
                    let option = message["result"]["outcome"]["optionId"].as_str().unwrap_or("given back");
                    self.script[0] = ("say".to_owned(), format!("decision: {option}"));
                }
            }
            Some("session/cancel") if next == "await-cancel" => drop(self.script.pop_front()),
            None | Some("session/cancel") => return None,
            Some(method) => {
                self.sessions += usize::from(method == "session/new");
                self.prompts += usize::from(method == "session/prompt");
                self.script.clear();
                self.plan(method);
                self.heard = message;
            }
        }
        self.go_on()
    }

    /// Puts what a method asks for before everything else.
    fn plan(&mut self, method: &str) {
        let deeds = deeds(&self.case, method).unwrap_or_else(|| {
            assert!(method != "session/prompt", "there is no case `{}`", self.case);
            let word = if method == "start" { "nothing" } else { "result" };
            vec![(word.to_owned(), "{}".to_owned())]
        });
        deeds.into_iter().rev().for_each(|deed| self.script.push_front(deed));
    }

    fn go_on(&mut self) -> Option<u8> {
        while let Some((word, rest)) = self.script.pop_front() {
            match word.as_str() {
                "nothing" | "tell-decision" => {}
                "do" => self.plan(&rest),
                "tell" => self.tell(read(&rest)),
                "update" => self.update(&read(&rest)),
                "say" => self.chunk("msg_1", &rest),
                "begin" => self.chunk(&rest, "It is s"),
                "echo" => self.chunk("msg_1", self.asked()),
                "answer" => {
                    let plain = || ended_as_asked(&format!("answer {}", self.prompts), self.asked(), &json!([]));
                    self.chunk("msg_1", &provider::answer_in_form(self.asked()).unwrap_or_else(plain));
                }
                "reply" => self.reply(read(&rest)),
                "result" => self.reply(json!({ "result": read(&rest) })),
                "error" => {
                    let (code, message) = rest.split_once(' ').unwrap_or((&rest, ""));
                    self.reply(json!({ "error": { "code": read(code), "message": message } }));
                }
                "stop" => {
                    let usage = json!({ "inputTokens": 11, "outputTokens": 7, "totalTokens": 18 });
                    self.reply(json!({ "result": { "stopReason": rest, "usage": usage } }));
                }
                "question" => return self.question(read(&rest)),
                "ask" => return self.question(permission(&read(&rest))),
                "await-cancel" => {
                    self.script.push_front((word, rest));
                    return None;
                }
                "complain" => complain(&rest),
                // A line of opencode's log, which is all that it says of a provider that fails.
                "stream-error" => complain(&format!(
                    r#"level=ERROR message="stream error" {rest} error.error="AI_APICallError: something went wrong here""#
                )),
                "bytes" => raw(NOISE),
                "pause" => std::thread::sleep(std::time::Duration::from_millis(20)),
                "flood" => loop {
                    raw(&[b"x".repeat(1000), b"\n".to_vec()].concat());
                },
                "fork" => fork_away(),
                "exit" => return Some(rest.parse().expect("an exit code")),
                _ => panic!("there is no deed `{word}`"),
            }
        }
        None
    }

    /// The text of the prompt.
    fn asked(&self) -> &str {
        self.heard["params"]["prompt"][0]["text"].as_str().unwrap_or_default()
    }

    fn chunk(&self, id: &str, text: &str) {
        let content = json!({ "type": "text", "text": text });
        self.update(&json!({ "sessionUpdate": "agent_message_chunk", "messageId": id, "content": content }));
    }

    fn update(&self, update: &Value) {
        self.tell(json!({ "method": "session/update", "params": { "sessionId": SESSION, "update": update } }));
    }

    /// Replies to the last request, whichever id the reply has.
    fn reply(&self, mut message: Value) {
        message["id"] = self.heard["id"].clone();
        self.tell(message);
    }

    /// Asks, and goes on once there is a reply.
    fn question(&mut self, message: Value) -> Option<u8> {
        self.awaited = Some(message["id"].clone());
        self.tell(message);
        None
    }

    fn tell(&self, mut message: Value) {
        message["jsonrpc"] = json!("2.0");
        let prefix = if self.case == "strange-session" { r"\u001b[2J " } else { "" };
        let session = format!("{prefix}session-{}-{}", std::process::id(), self.sessions);
        let text = message.to_string().replace(SESSION, &session);
        raw(format!("{text}\n").as_bytes());
    }
}

fn read(json: &str) -> Value {
    serde_json::from_str(json).expect("a deed with JSON")
}

/// The question whether a tool may be called; the ids of the options say the opposite of their kinds.
fn permission(call: &Value) -> Value {
    let options = json!([
        { "optionId": "allow", "name": "Never", "kind": "reject_once" },
        { "optionId": "reject", "name": "Once", "kind": "allow_once" },
        { "optionId": "deny", "name": "Always", "kind": "allow_always" },
    ]);
    let params = json!({ "sessionId": SESSION, "toolCall": call, "options": options });
    json!({ "id": 0, "method": "session/request_permission", "params": params })
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
    append(Path::new(&path), &json!({ "pid": std::process::id(), "told": message }));
}

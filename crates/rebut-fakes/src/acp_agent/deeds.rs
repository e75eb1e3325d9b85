//! What the stand-in agent does for a message: what a real agent did, or what the file of faults says.

use std::path::Path;

use serde_json::Value;

/// Replaced by the session's id when it is said.
pub(super) const SESSION: &str = "THE-SESSION";

const FAULTS: &str = include_str!("faults.txt");

/// A word, and what follows it.
pub(super) type Deed = (String, String);

/// What is done in a case for a method, where anything is written about it.
pub(super) fn deeds(case: &str, method: &str) -> Option<Vec<Deed>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/acp_agent/captures");
    match std::fs::read_to_string(folder.join(format!("{case}.jsonl"))) {
        Ok(capture) => replay(&capture, method),
        Err(_) => of_fault(case, method),
    }
}

fn of_fault(case: &str, method: &str) -> Option<Vec<Deed>> {
    let mut parts = case.splitn(3, ':');
    let [name, first, second] = std::array::from_fn(|_| parts.next().unwrap_or_default());
    let lines_of = |wanted: &str| -> Vec<&str> {
        let lines = FAULTS.lines().filter_map(|line| line.split_once(' '));
        let own = lines.filter(|(head, _)| {
            let (of, cases) = head.split_once(':').unwrap_or((head, ""));
            of == method && cases.split(',').any(|case| case == wanted)
        });
        own.map(|(_, deeds)| deeds).collect()
    };
    let lines = Some(lines_of(name)).filter(|lines| !lines.is_empty()).unwrap_or_else(|| lines_of(""));
    let deed = |deed: &str| {
        let deed = deed.replace("{0}", name).replace("{1}", first).replace("{2}", second);
        let (word, rest) = deed.split_once(' ').unwrap_or((&deed, ""));
        (word.to_owned(), rest.to_owned())
    };
    (!lines.is_empty()).then(|| lines.iter().flat_map(|line| line.split("; ")).map(deed).collect())
}

/// What the agent said from this request on: up to the reply, and for a prompt whatever came after it too.
fn replay(capture: &str, method: &str) -> Option<Vec<Deed>> {
    let messages = messages(capture);
    let at = messages.iter().position(|(said, message)| !said && message["method"] == method)?;
    let id = &messages[at].1["id"];
    let mut deeds = Vec::new();
    for (said, message) in &messages[at + 1..] {
        let is_reply = *said && message["method"].is_null() && message["id"] == *id;
        let word = match message["method"].as_str() {
            Some("session/cancel") => "await-cancel",
            Some(_) if !said => break,
            None if !is_reply => continue,
            None => "reply",
            Some(_) if message["id"].is_null() => "tell",
            Some(_) => "question",
        };
        deeds.push((word.to_owned(), message.to_string()));
        if is_reply && method != "session/prompt" {
            break;
        }
    }
    Some(deeds)
}

/// The messages of a capture, each with whether the agent said it; the session's id is made a place to fill.
fn messages(capture: &str) -> Vec<(bool, Value)> {
    let line = |line: &str| serde_json::from_str::<Value>(line).expect("a capture holds JSON lines");
    let session = capture.lines().map(line).find_map(|line| line["msg"]["result"]["sessionId"].as_str().map(str::to_owned));
    let text = session.map_or_else(|| capture.to_owned(), |session| capture.replace(&session, SESSION));
    text.lines().map(line).map(|mut line| (line["dir"] == "<", line["msg"].take())).collect()
}

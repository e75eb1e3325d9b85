//! Panels, held as a runner would hold them.

mod answers;
mod bounded;
mod conclusions;
mod documents;
mod failing;
mod flow;
mod interruptions;
mod logs;
mod order;
mod prompts;
mod redactions;
mod rounds;
mod setting_up;

use rebut_core::debate::Debate;
use rebut_core::formats::panel::{self, LogEntry};

use crate::TestDebate;

/// The log, an entry a line: seq, round, speaker, type, what it refers to.
fn told(debate: &Debate) -> Vec<String> {
    panel::log(debate).iter().map(line).collect()
}

fn line(entry: &LogEntry) -> String {
    let round = entry.round.map_or_else(|| "-".to_owned(), |round| round.to_string());
    let to = entry.rebuttal_to_seq.map(|seq| format!(" to {seq}")).unwrap_or_default();
    let about = entry.target_seq.map(|seq| format!(" about {seq}")).unwrap_or_default();
    format!("{} {} {round} {} {}{to}{about}", entry.seq, entry.phase.as_str(), entry.speaker, entry.kind)
}

/// The seq of the first entry of this speaker and type.
fn seq(test: &TestDebate, speaker: &str, kind: &str) -> u64 {
    let log = panel::log(test.debate());
    log.iter().find(|e| e.speaker == speaker && e.kind.as_str() == kind).expect("such an entry").seq
}

/// The contents of all entries of this type.
fn contents(test: &TestDebate, kind: &str) -> Vec<String> {
    panel::log(test.debate()).into_iter().filter(|entry| entry.kind.as_str() == kind).map(|entry| entry.content).collect()
}

//! Answers as they arrive, for processes that follow the debate: a file beside the journal that is not part of the debate and
//! is removed once no process runs it.
//!
//! Text arrives in pieces that can part a secret. It is put together and redacted here, up to its last whole word.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rebut_core::debate::{DebateId, StepKey};
use serde::{Deserialize, Serialize};

use crate::redact::redact;
use crate::store::files::private_file;

const FILE: &str = "arriving.jsonl";
/// How often new text of an answer is written.
const PAUSE: Duration = Duration::from_millis(60);
/// How much of an answer is written, in bytes.
const MOST: usize = 64 * 1024;

/// A piece of an answer that is under way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Piece {
    pub key: StepKey,
    pub text: String,
    /// Whether this is the whole text so far, and not what was added to it.
    pub whole: bool,
}

/// Writes the file.
pub(super) struct Arriving {
    path: PathBuf,
    file: Option<File>,
    answers: BTreeMap<StepKey, Answer>,
}

#[derive(Default)]
struct Answer {
    text: String,
    shown: String,
    written: Option<Instant>,
}

impl Arriving {
    /// Of the process that runs the debate now. What is left of one that was killed is removed.
    pub(super) fn of(state: &Path, id: &DebateId) -> Self {
        sweep(state, id);
        Self { path: state.join(id.as_str()).join(FILE), file: None, answers: BTreeMap::new() }
    }

    pub(super) fn take(&mut self, key: &StepKey, text: &str) {
        let answer = self.answers.entry(key.clone()).or_default();
        if answer.text.len() > MOST {
            return;
        }
        answer.text.push_str(text);
        if answer.written.is_some_and(|written| written.elapsed() < PAUSE) {
            return;
        }
        answer.written = Some(Instant::now());
        // A word that is still arriving could be the beginning of a secret.
        let whole_words = answer.text.rfind(char::is_whitespace).map_or("", |end| &answer.text[..end]);
        let safe = redact(whole_words);
        if safe == answer.shown {
            return;
        }
        let added = safe.strip_prefix(answer.shown.as_str());
        let piece = Piece { key: key.clone(), text: added.unwrap_or(&safe).to_owned(), whole: added.is_none() };
        answer.shown = safe.into_owned();
        self.write(&piece);
    }

    /// The answer is in, or will not come.
    pub(super) fn end(&mut self, key: &StepKey) {
        self.answers.remove(key);
    }

    /// If it cannot be written, the text is seen once it is in the journal.
    fn write(&mut self, piece: &Piece) {
        if self.file.is_none() {
            self.file = private_file().create(true).write(true).truncate(true).open(&self.path).ok();
        }
        if let (Some(file), Ok(mut line)) = (&mut self.file, serde_json::to_vec(piece)) {
            line.push(b'\n');
            let _ = file.write_all(&line);
        }
    }
}

impl Drop for Arriving {
    fn drop(&mut self) {
        if self.file.take().is_some() {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Removes what is left of a process that was killed. Only for a debate that no other process runs.
pub(super) fn sweep(state: &Path, id: &DebateId) {
    let _ = fs::remove_file(state.join(id.as_str()).join(FILE));
}

/// Reads the file as it grows.
#[derive(Debug)]
pub struct ArrivingText {
    path: PathBuf,
    read: u64,
}

impl ArrivingText {
    pub fn of(state: &Path, id: &DebateId) -> Self {
        Self { path: state.join(id.as_str()).join(FILE), read: 0 }
    }

    /// The pieces that were added since the last look.
    pub fn added(&mut self) -> Vec<Piece> {
        self.read_on().unwrap_or_default()
    }

    fn read_on(&mut self) -> std::io::Result<Vec<Piece>> {
        let mut file = File::open(&self.path).inspect_err(|_| self.read = 0)?;
        if file.metadata()?.len() < self.read {
            // Another process has started it again.
            self.read = 0;
        }
        file.seek(SeekFrom::Start(self.read))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        self.read += whole as u64;
        let lines = bytes[..whole].split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        Ok(lines.filter_map(|line| serde_json::from_slice(line).ok()).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_piece_of_a_secret_is_written_and_nothing_stays() {
        let folder = tempfile::tempdir().unwrap();
        let id = DebateId::new(jiff::Timestamp::UNIX_EPOCH, 1);
        fs::create_dir(folder.path().join(id.as_str())).unwrap();
        let (mut arriving, mut text) = (Arriving::of(folder.path(), &id), ArrivingText::of(folder.path(), &id));
        let key = StepKey::new("round-1/proposer");
        let secret = format!("sk-{}-{}", "ant", "a1b2".repeat(6));
        let mut seen = String::new();
        for piece in format!("the key is {secret} and more words").split_inclusive(|_| true) {
            // Each piece is written, however fast they come.
            if let Some(answer) = arriving.answers.get_mut(&key) {
                answer.written = None;
            }
            arriving.take(&key, piece);
            for Piece { text, whole, .. } in text.added() {
                seen = if whole { text } else { seen + &text };
                assert!(!seen.contains("sk-"), "{seen}");
            }
        }
        assert_eq!(seen, "the key is [redacted] and more");
        drop(arriving);
        assert!(text.added().is_empty() && !text.path.exists());
    }
}

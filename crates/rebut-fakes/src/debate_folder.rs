//! A debate on the disk.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::files_below;

#[derive(Clone, Debug)]
pub struct DebateFolder {
    /// Where its documents are.
    pub path: PathBuf,
    /// Where its journal is.
    pub kept: PathBuf,
    pub id: String,
}

#[derive(Clone, Debug)]
pub struct Line {
    /// The line in the file, without its newline.
    pub raw: String,
    pub happening: Value,
}

impl Line {
    /// The kind of what happened: `started`.
    pub fn kind(&self) -> &str {
        self.happening["kind"].as_str().unwrap_or_default()
    }

    /// The call it happened to, where it happened to one.
    pub fn key(&self) -> &str {
        self.happening["key"].as_str().unwrap_or_default()
    }
}

impl DebateFolder {
    /// The debates that have documents in a folder, with their journals there or in the state folder.
    pub(crate) fn all_in(folder: &Path, state: &Path) -> Vec<Self> {
        let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
        let names = entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
        let mut ids: Vec<String> = names.filter(|name| name.starts_with("debate-")).collect();
        ids.sort();
        let found = |id: String| {
            let path = folder.join(&id);
            let kept = if path.join("journal.jsonl").exists() { path.clone() } else { state.join(&id) };
            Self { path, kept, id }
        };
        ids.into_iter().map(found).collect()
    }

    /// The last four characters of its id, which name it among few.
    pub fn short(&self) -> &str {
        &self.id[self.id.len() - 4..]
    }

    pub fn journal_file(&self) -> PathBuf {
        self.kept.join("journal.jsonl")
    }

    pub fn bytes(&self) -> Vec<u8> {
        fs::read(self.journal_file()).expect("a journal")
    }

    /// The journal, line by line; a last line without its newline is left out.
    pub fn lines(&self) -> Vec<Line> {
        let bytes = self.bytes();
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let text = std::str::from_utf8(&bytes[..whole]).expect("UTF-8 in the journal");
        let read = |raw: &str| {
            let mut value: Value = serde_json::from_str(raw).expect("a JSON line in the journal");
            Line { raw: raw.to_owned(), happening: value["event"]["happening"].take() }
        };
        text.lines().map(read).collect()
    }

    pub fn plan(&self) -> Value {
        self.lines().into_iter().next().expect("a first line").happening["plan"].take()
    }

    /// What happened, in short: `started round-1/proposer`.
    pub fn story(&self) -> Vec<String> {
        self.lines().iter().map(|line| format!("{} {}", line.kind(), line.key()).trim().to_owned()).collect()
    }

    pub fn of_kind(&self, kind: &str) -> Vec<Line> {
        self.lines().into_iter().filter(|line| line.kind() == kind).collect()
    }

    pub fn answered(&self) -> Vec<String> {
        self.of_kind("answered").into_iter().map(|line| line.raw).collect()
    }

    pub fn answers(&self) -> BTreeMap<String, usize> {
        self.of_kind("answered").iter().fold(BTreeMap::new(), |mut count, line| {
            *count.entry(line.key().to_owned()).or_default() += 1;
            count
        })
    }

    /// The prompt of a call's first attempt, both parts in one.
    pub fn prompt(&self, key: &str) -> String {
        let started = self.of_kind("started").into_iter().find(|line| line.key() == key).expect("the call was started");
        let part = |name: &str| started.happening["prompt"][name].as_str().expect("a part of a prompt").to_owned();
        format!("{}\n{}", part("system"), part("user"))
    }

    /// What `debate.json` holds.
    pub fn state(&self) -> Value {
        serde_json::from_slice(&fs::read(self.path.join("debate.json")).expect("a debate.json")).expect("JSON")
    }

    /// The status in `debate.json`.
    pub fn status(&self) -> String {
        self.state()["status"].as_str().expect("a status").to_owned()
    }

    /// Where the workspace is kept, if it is.
    pub fn pack(&self) -> Option<String> {
        let planned = self.lines().into_iter().next()?;
        planned.happening["plan"]["evidence"]["scope"]["pack"].as_str().map(|pack| format!("blobs/{pack}"))
    }

    /// The files of the folder but the pinned workspace, what lists show and where files were written, sorted.
    pub fn listing(&self) -> Vec<String> {
        let mut names = files_below(&self.path);
        let left_out = ["summary.json".to_owned(), "projections.json".to_owned(), self.pack().unwrap_or_default()];
        names.retain(|name| !left_out.contains(name));
        names
    }
}

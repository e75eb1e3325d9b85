//! What is known of judges: the results of checks, one file per judge and version of the judge's prompt.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rebut_core::debate::SeatPlan;
use rebut_core::judge_check::JudgeRecord;

use crate::store::files::{create_folder, replace_file};

/// The folder in the state folder.
const FOLDER: &str = "judges";

/// The results of earlier checks.
#[derive(Clone, Debug, Default)]
pub struct KnownJudges {
    folder: PathBuf,
}

impl KnownJudges {
    pub fn of(state: &Path) -> Self {
        Self { folder: state.join(FOLDER) }
    }

    /// Keeps a result in the place of an earlier one of the same model, or seat where it reports no model.
    pub fn keep(&self, record: &JudgeRecord) -> io::Result<()> {
        create_folder(&self.folder)?;
        let name = format!("{}\n{}", record.model.as_ref().unwrap_or(&record.seat), record.prompt);
        let name = blake3::hash(name.as_bytes()).to_hex();
        let path = self.folder.join(format!("{name}.json"));
        replace_file(&path, &self.folder.join(format!(".{name}.new")), &serde_json::to_vec(record)?)
    }

    /// The newest result of this judge under this version of the prompt.
    pub fn find(&self, judge: &SeatPlan, prompt: &str) -> Option<JudgeRecord> {
        let spec = judge.spec();
        let is_meant = |record: &JudgeRecord| {
            let is_model = judge.model.is_some() && record.model == judge.model;
            record.prompt == prompt && (record.seat == spec || is_model)
        };
        let files = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let read = |file: fs::DirEntry| serde_json::from_slice(&fs::read(file.path()).ok()?).ok();
        files.filter_map(read).filter(is_meant).max_by_key(|record| record.at)
    }
}

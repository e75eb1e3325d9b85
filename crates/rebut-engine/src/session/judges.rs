//! What is known of judges: the results of checks, a file each in the state folder.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rebut_core::debate::SeatPlan;
use rebut_core::judge_check::JudgeRecord;

use crate::store::files::{create_folder, replace_file};

/// The results of earlier checks.
#[derive(Clone, Debug, Default)]
pub struct KnownJudges {
    folder: PathBuf,
}

impl KnownJudges {
    pub fn of(state: &Path) -> Self {
        Self { folder: state.join("judges") }
    }

    /// Keeps a result in place of an earlier one with the same prompt, of the same model on the same seat.
    pub fn keep(&self, record: &JudgeRecord) -> io::Result<()> {
        create_folder(&self.folder)?;
        let JudgeRecord { seat, model, prompt, .. } = record;
        let name = blake3::hash(format!("{seat}\n{}\n{prompt}", model.as_deref().unwrap_or_default()).as_bytes()).to_hex();
        let temporary = self.folder.join(format!(".{name}.{}.new", std::process::id()));
        replace_file(&self.folder.join(format!("{name}.json")), &temporary, &serde_json::to_vec(record)?)
    }

    /// The newest result of this judge with this prompt.
    pub fn find(&self, judge: &SeatPlan, prompt: &str) -> Option<JudgeRecord> {
        let files = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let read = |file: fs::DirEntry| serde_json::from_slice(&fs::read(file.path()).ok()?).ok();
        let is_meant = |record: &JudgeRecord| record.prompt == prompt && record.is_of(judge);
        files.filter_map(read).filter(is_meant).max_by_key(|record| record.at)
    }
}

//! Files as they were in a commit, whatever the workspace has become since.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rebut_core::evidence::Evidence;
use rebut_core::evidence::check::{CheckResult, Checked, Cited, FileText, PathIndex, SearchBudget, Unread, check_file};

use super::commits::Commits;
use crate::workspace::git::{Git, GitCommand};

/// How often git is asked in one process.
const MOST: usize = 500;
/// The largest file that is looked into, in bytes.
const LARGEST: u64 = 4 * 1024 * 1024;

/// The last list of files and the last file are kept: several citations mostly mean the same one.
#[derive(Default)]
pub(super) struct Past {
    asked: AtomicUsize,
    files: Mutex<Option<(String, Arc<PathIndex>)>>,
    text: Mutex<Option<(Place, Arc<FileText>)>>,
}

/// A commit and a file of it.
type Place = (String, String);

impl Past {
    /// Looks up lines of a file as it was in a commit.
    pub(super) fn look_up(
        &self,
        cited: Cited,
        hash: &str,
        commits: &Commits,
        budget: &mut SearchBudget,
        unwanted: &dyn Fn() -> bool,
    ) -> Checked {
        let hash = commits.pinned(hash).to_owned();
        let (result, detail) = commits.look_up(&hash, None, unwanted);
        if result != CheckResult::Verified {
            return Checked::of(cited, result, detail);
        }
        let Some((folder, full)) = commits.place_of(&hash) else {
            let detail = "the commit existed when the debate began and is gone";
            return Checked::of(cited, CheckResult::ChangedSince, detail);
        };
        let index = match self.files(&folder, &full, unwanted) {
            Ok(index) => index,
            Err(said) => return Checked::of(cited, CheckResult::Unchecked, said),
        };
        let read = |at: usize| self.text(&folder, &full, &index.paths()[at], unwanted).map_err(Unread::Closed);
        // The file is looked up as any other is, only in other files.
        let as_file = Evidence { commit: None, ..cited.evidence.clone() };
        let found = check_file(Cited { evidence: as_file, ..cited.clone() }, &index, read, budget);
        let detail = format!("{}, in that commit", found.detail);
        Checked { detail, file: None, evidence: cited.evidence, ..found }
    }

    fn files(&self, folder: &Path, full: &str, unwanted: &dyn Fn() -> bool) -> Result<Arc<PathIndex>, String> {
        let mut last = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((commit, index)) = &*last
            && commit == full
        {
            return Ok(Arc::clone(index));
        }
        self.may_ask()?;
        let names = Git::at(folder).ask(GitCommand::LsTree, ["-r", "--name-only", "-z", full]).run_unless(unwanted)?;
        let names = names.split(|byte| *byte == 0).filter(|name| !name.is_empty());
        let names = names.map(|name| String::from_utf8_lossy(name).into_owned());
        let index = Arc::new(PathIndex::new(names, [folder.display().to_string()]));
        *last = Some((full.to_owned(), Arc::clone(&index)));
        Ok(index)
    }

    fn text(&self, folder: &Path, full: &str, file: &str, unwanted: &dyn Fn() -> bool) -> Result<Arc<FileText>, String> {
        let mut last = self.text.lock().unwrap_or_else(PoisonError::into_inner);
        let wanted: Place = (full.to_owned(), file.to_owned());
        if let Some((known, text)) = &*last
            && *known == wanted
        {
            return Ok(Arc::clone(text));
        }
        self.may_ask()?;
        let place = format!("{full}:./{file}");
        let printed = Git::at(folder).ask(GitCommand::CatFile, ["blob", place.as_str()]).up_to(LARGEST)?;
        if unwanted() {
            return Err("cancelled".to_owned());
        }
        if printed.len() as u64 > LARGEST {
            return Err(format!("it is larger than {} MiB", LARGEST / 1024 / 1024));
        }
        if printed.contains(&0) {
            return Err("it is binary".to_owned());
        }
        let text = Arc::new(FileText::new(&printed));
        *last = Some((wanted, Arc::clone(&text)));
        Ok(text)
    }

    fn may_ask(&self) -> Result<(), String> {
        let asked = self.asked.fetch_add(1, Ordering::Relaxed);
        if asked < MOST { Ok(()) } else { Err(format!("not looked up: the limit is {MOST} files of commits")) }
    }
}

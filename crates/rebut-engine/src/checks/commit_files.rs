//! Files as they are in a commit, whatever the workspace has become since.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rebut_core::evidence::Evidence;
use rebut_core::evidence::check::{CheckResult, Checked, Cited, FileText, PathIndex, SearchBudget, Unread, check_file};

use super::commits::{Commits, GONE};
use crate::workspace::git::{Git, GitCommand};

/// How often git is asked in one process.
const MOST: usize = 500;
/// The largest file that is read, in bytes.
const LARGEST: u64 = 4 * 1024 * 1024;

/// The last list of files and the last file are kept: several citations mostly mean the same one.
#[derive(Default)]
pub(super) struct CommitFiles {
    asked: AtomicUsize,
    lists: Last<PathIndex>,
    texts: Last<FileText>,
}

/// The last answer of git, with what was asked.
type Last<T> = Mutex<Option<(String, Arc<T>)>>;

impl CommitFiles {
    /// Looks up a file as it is in a commit.
    pub(super) fn look_up(
        &self,
        cited: Cited,
        hash: &str,
        commits: &Commits,
        budget: &mut SearchBudget,
        unwanted: &dyn Fn() -> bool,
    ) -> Checked {
        let hash = commits.pinned(hash);
        let (result, detail) = commits.look_up(hash, None, unwanted);
        if result != CheckResult::Verified {
            return Checked::of(cited, result, detail);
        }
        let Ok(full) = commits.full(hash, unwanted) else { return Checked::of(cited, CheckResult::ChangedSince, GONE) };
        let folder = commits.folder();
        let index = match self.index(folder, &full, unwanted) {
            Ok(index) => index,
            Err(why) => return Checked::of(cited, CheckResult::Unchecked, why),
        };
        let read = |at: usize| self.text(folder, &full, &index.paths()[at], unwanted).map_err(Unread::Closed);
        // The file is looked up as any other is, only in other files.
        let as_file = Evidence { commit: None, ..cited.evidence.clone() };
        let found = check_file(Cited { evidence: as_file, ..cited.clone() }, &index, read, budget);
        let detail = format!("{}, in that commit", found.detail);
        Checked { detail, file: None, evidence: cited.evidence, ..found }
    }

    fn index(&self, folder: &Path, full: &str, unwanted: &dyn Fn() -> bool) -> Result<Arc<PathIndex>, String> {
        self.kept(&self.lists, full, || {
            let names = Git::at(folder).ask(GitCommand::LsTree, ["-r", "--name-only", "-z", full]).run_unless(unwanted)?;
            let names = names.split(|byte| *byte == 0).filter(|name| !name.is_empty());
            let names = names.map(|name| String::from_utf8_lossy(name).into_owned());
            Ok(PathIndex::new(names, [folder.display().to_string()]))
        })
    }

    fn text(&self, folder: &Path, full: &str, file: &str, unwanted: &dyn Fn() -> bool) -> Result<Arc<FileText>, String> {
        let place = format!("{full}:./{file}");
        self.kept(&self.texts, &place, || {
            let printed = Git::at(folder).ask(GitCommand::CatFile, ["blob", &place]).up_to(LARGEST)?;
            match printed.len() as u64 {
                _ if unwanted() => Err("cancelled".to_owned()),
                length if length > LARGEST => Err(format!("it is larger than {} MiB", LARGEST / 1024 / 1024)),
                _ if printed.contains(&0) => Err("it is binary".to_owned()),
                _ => Ok(FileText::new(&printed)),
            }
        })
    }

    fn kept<T>(&self, last: &Last<T>, asked: &str, ask: impl FnOnce() -> Result<T, String>) -> Result<Arc<T>, String> {
        let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, answer)) = last.as_ref().filter(|(before, _)| before == asked) {
            return Ok(Arc::clone(answer));
        }
        if self.asked.fetch_add(1, Ordering::Relaxed) >= MOST {
            return Err(format!("not looked up: the limit is {MOST} files of commits"));
        }
        let answer = Arc::new(ask()?);
        *last = Some((asked.to_owned(), Arc::clone(&answer)));
        Ok(answer)
    }
}

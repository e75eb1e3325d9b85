//! The files of a workspace as texts, read once and kept while there is room.

use std::collections::{BTreeSet, HashMap};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::str::Utf8Chunk;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use encoding_rs::WINDOWS_1252;
use rebut_core::evidence::check::{CheckResult, FileText, Judgement, PathIndex, Resolved, Unread};

use crate::workspace::is_last_debate;
use crate::workspace::pin::{Files, Kind, Live, PathKind, ReadError, Source, Why, kind_on_disk};

/// How many bytes all kept texts may take.
const KEPT: usize = 256 * 1024 * 1024;
/// What a kept text costs beside its bytes and lines.
const EACH: usize = 128;
/// What each line costs: its offset in the text and in the two forms that quotes are searched in.
const EACH_LINE: usize = 3 * size_of::<usize>();

pub(super) struct Texts {
    files: Arc<dyn Files>,
    /// How the workspace itself may be written at the beginning of a path.
    roots: Vec<String>,
    index: OnceLock<PathIndex>,
    kept: Mutex<Kept>,
    /// The files that are not UTF-8.
    not_utf8: Mutex<BTreeSet<usize>>,
}

/// How the workspace may be written at the beginning of a path: as it is named, as it really is, and below the home folder.
pub(super) fn roots(workspace: &Path, home: Option<&Path>) -> Vec<String> {
    let mut roots = vec![workspace.to_owned()];
    roots.extend(workspace.canonicalize().ok().filter(|real| real != workspace));
    let below = roots.iter().filter_map(|root| root.strip_prefix(home?).ok());
    let below: Vec<PathBuf> =
        below.filter(|below| !below.as_os_str().is_empty()).map(|below| Path::new("~").join(below)).collect();
    roots.into_iter().chain(below).map(|root| root.display().to_string()).collect()
}

const CLOSED: &str = "a folder in the path can't be read";
const IGNORED: &str = "it is ignored or new, and not among the files that citations are checked against";

/// The kept texts. If one more does not fit, all others go.
#[derive(Default)]
struct Kept {
    /// By their places in the index.
    texts: HashMap<usize, Result<Arc<FileText>, Unread>>,
    bytes: usize,
}

impl Kept {
    fn keep(&mut self, at: usize, text: Result<Arc<FileText>, Unread>, most: usize) {
        let size = cost(&text);
        if self.bytes + size > most {
            *self = Self::default();
        }
        if self.texts.insert(at, text).is_none() {
            self.bytes += size;
        }
    }
}

fn cost(text: &Result<Arc<FileText>, Unread>) -> usize {
    // The forms are made on demand, and each is at most as large as the text.
    let whole = |text: &Arc<FileText>| 3 * text.len() + EACH_LINE * usize::try_from(text.line_count()).unwrap_or(0);
    EACH + text.as_ref().map_or(0, whole)
}

impl Texts {
    pub(super) fn new(files: Arc<dyn Files>, roots: Vec<String>) -> Self {
        Self { files, roots, index: OnceLock::new(), kept: Mutex::default(), not_utf8: Mutex::default() }
    }

    pub(super) fn index(&self) -> &PathIndex {
        self.index.get_or_init(|| {
            let paths = self.files.entries().iter().map(|entry| entry.path().to_owned());
            PathIndex::new(paths, self.roots.iter().cloned())
        })
    }

    /// The result for a path of no listed file, other than that it is missing.
    pub(super) fn instead_of_missing(&self, path: &str) -> Option<Judgement> {
        let inside = self.below_root(path);
        if inside.split('/').any(|part| part == ".git") {
            return Some(Judgement::out_of_scope(
                "it is one of git's own files, which are not part of the workspace; it was not read",
            ));
        }
        if is_last_debate(Path::new(&inside)) {
            return Some(Judgement::unchecked("rebut wrote it for other tools; it is not pinned with the workspace"));
        }
        let live = self.files.live();
        if live.is_some_and(|live| live.was_there(&inside)) {
            return Some(Judgement::new(CheckResult::ChangedSince, "it existed when the debate began and is gone"));
        }
        let facts = self.files.listing();
        if let Some(why) = facts.and_then(|facts| facts.unseen(&inside)) {
            return Some(Judgement::unchecked(match why {
                Why::Submodule => "it is not checked out",
                Why::Unreadable => CLOSED,
                Why::Private => "it is named like a file that holds keys, and was left out",
                _ => "it is in a nested repository, which is not searched",
            }));
        }
        let root = Path::new(self.roots.first()?);
        let refused = facts.is_some_and(|facts| matches!(facts.source, Source::FolderWithoutGit { .. }));
        match kind_on_disk(root, inside.as_bytes()) {
            Err(error) if error.kind() == ErrorKind::PermissionDenied => Some(Judgement::unchecked(CLOSED)),
            Ok(PathKind::Special) => Some(Judgement::unchecked(ReadError::Left(Why::Special).to_string())),
            Ok(PathKind::Folder) | Err(_) => None,
            Ok(_) if refused => {
                Some(Judgement::unchecked("git does not answer, so it may or may not belong to the workspace"))
            }
            // Seats that read the folder itself see more than is listed.
            Ok(_) if live.is_some_and(Live::seats_read) => Some(Judgement::unchecked(IGNORED)),
            Ok(_) => live.map(|_| Judgement::missing(IGNORED)),
        }
    }

    /// Where in the workspace the symlinks in a path lead, whether or not there is a file; `None` without symlinks. The error
    /// is what is found of evidence there.
    pub(super) fn through_symlinks(&self, path: &str) -> Option<Result<String, Judgement>> {
        let path = self.below_root(path);
        match self.files.leads_to(path.as_bytes()) {
            Ok(real) if real == path.as_bytes() => None,
            // A folder's name may be no text; then no written path means what is in it.
            Ok(real) => String::from_utf8(real).ok().map(Ok),
            // Where it is absolute by itself, no symlink leads out.
            Err(ReadError::Outside) if !path.starts_with('/') => {
                Some(Err(Judgement::out_of_scope("a symlink in the path leads out of the workspace; it was not read")))
            }
            Err(ReadError::Circle) => {
                Some(Err(Judgement::unchecked("the symlinks in the path lead in a circle; nothing was read")))
            }
            Err(_) => None,
        }
    }

    /// Whether a symlink is at a place of the index.
    pub(super) fn is_symlink(&self, at: usize) -> bool {
        let path = self.index().paths()[at].as_bytes();
        self.files.find(path).is_some_and(|entry| entry.kind == Kind::Symlink)
    }

    /// A written path without the workspace's own before it.
    fn below_root(&self, path: &str) -> String {
        let written = path.trim().replace('\\', "/");
        let below = self.roots.iter().find_map(|root| written.strip_prefix(root.as_str())?.strip_prefix('/'));
        below.unwrap_or(&written).trim_start_matches("./").to_owned()
    }

    /// The text of the file at a place of the index.
    pub(super) fn read(&self, at: usize) -> Result<Arc<FileText>, Unread> {
        let kept = || self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = kept().texts.get(&at) {
            return known.clone();
        }
        let text = self.read_anew(at).map(Arc::new);
        kept().keep(at, text.clone(), KEPT);
        text
    }

    /// Whether a file that was read is not UTF-8, so that its letters beyond ASCII are not known.
    pub(super) fn is_not_utf8(&self, at: usize) -> bool {
        self.not_utf8.lock().unwrap_or_else(PoisonError::into_inner).contains(&at)
    }

    fn read_anew(&self, at: usize) -> Result<FileText, Unread> {
        let path = &self.index().paths()[at];
        let entry = self.files.find(path.as_bytes()).ok_or_else(|| Unread::Closed("its name is not UTF-8".to_owned()))?;
        match self.files.read(entry) {
            Ok(content) if content.changed_since => Err(Unread::Changed),
            Ok(content) if std::str::from_utf8(&content.bytes).is_ok() => Ok(FileText::new(&content.bytes)),
            Ok(content) => {
                self.not_utf8.lock().unwrap_or_else(PoisonError::into_inner).insert(at);
                Ok(FileText::new(as_windows_1252(&content.bytes).as_bytes()))
            }
            Err(ReadError::Outside) => Err(Unread::Outside),
            Err(ReadError::Missing) if entry.kind == Kind::Symlink => {
                let real = self.through_symlinks(path).and_then(Result::ok);
                let is_folder = real.is_some_and(|real| self.index().resolve(&real) == Resolved::Folder);
                let why = if is_folder { "it is a symlink to a folder" } else { "its symlink leads to nothing" };
                Err(Unread::Closed(why.to_owned()))
            }
            Err(ReadError::Missing) => Err(Unread::Gone),
            Err(error) => Err(Unread::Closed(error.to_string())),
        }
    }
}

/// A text that is not all UTF-8: every other byte is Windows-1252, as in web pages.
fn as_windows_1252(bytes: &[u8]) -> String {
    let text =
        |chunk: Utf8Chunk<'_>| format!("{}{}", chunk.valid(), WINDOWS_1252.decode_without_bom_handling(chunk.invalid()).0);
    bytes.utf8_chunks().map(text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_never_takes_more_than_it_may() {
        let text = || Ok(Arc::new(FileText::new(&[b'a'; 872])));
        let each = cost(&text());
        assert_eq!(each, 128 + 3 * 872 + 24);
        let most = 100 * each;
        let mut kept = Kept::default();
        for at in 0..250 {
            kept.keep(at, text(), most);
            assert!(kept.texts.contains_key(&at));
            assert!(kept.bytes <= most && kept.bytes == each * kept.texts.len(), "{}", kept.bytes);
        }
    }
}

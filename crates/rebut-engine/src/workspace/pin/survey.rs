//! The files of a workspace and what each is. No content is read before [`Survey::outline`].

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use rebut_core::diff::{EXECUTABLE, SYMLINK};

use super::files::relative_target;
use super::objects::Contents;
use super::walker::{self, FileRead, PathKind, Walker, is_binary, is_missing};
use super::{
    Content, Entry, Facts, Files, Kind, LeftOut, Limits, PathError, PinError, ReadError, Source, Why, folder, repository,
};
use crate::workspace::is_gits_own;

/// The files of a workspace.
#[derive(Debug)]
pub struct Survey {
    pub(super) root: PathBuf,
    pub(super) limits: Limits,
    /// The folders of the workspace's repository and its submodules.
    repositories: Vec<PathBuf>,
    /// Sorted by path, each once.
    pub(super) entries: Vec<Entry>,
    /// Files that git has and the folder need not have, by path.
    pub(super) objects: BTreeMap<String, Object>,
    /// Where symlinks point, by path.
    targets: BTreeMap<String, Vec<u8>>,
    pub(super) facts: Facts,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Object {
    pub(super) repository: usize,
    pub(super) hash: String,
    pub(super) kind: Kind,
}

/// What git means by a mode.
pub(super) fn kind_of(mode: &str) -> Kind {
    if mode == SYMLINK { Kind::Symlink } else { Kind::File { executable: mode == EXECUTABLE } }
}

/// The files that git or a walk lists.
pub(super) struct Listing {
    pub(super) facts: Facts,
    pub(super) repositories: Vec<PathBuf>,
    /// How many files there may be.
    pub(super) most: u64,
    listed: Vec<(String, Origin)>,
}

/// Where a name comes from.
pub(super) enum Origin {
    /// Git tracks it; if it is not on disk, it was deleted.
    Tracked,
    /// Git has it, whether or not it is on disk: a sparse checkout leaves it out.
    Object(Object),
    /// It was found on disk.
    New,
}

impl Listing {
    pub(super) fn new(source: Source, most: u64) -> Self {
        Self { facts: Facts::new(source), repositories: Vec::new(), most, listed: Vec::new() }
    }

    /// Adds a file, up to the limit. A name that is not UTF-8 is left out: nothing could cite it.
    pub(super) fn add(&mut self, path: Vec<u8>, origin: Origin) -> Result<(), PinError> {
        if self.listed.len() as u64 >= self.most {
            return Err(PinError::TooMany { most: self.most });
        }
        match String::from_utf8(path) {
            Ok(path) => self.listed.push((path, origin)),
            Err(error) => self.facts.leave_out(Why::Unnamable, error.as_bytes()),
        }
        Ok(())
    }
}

impl Survey {
    /// Surveys a workspace. `home` is the user's home folder, which is never a project.
    ///
    /// In a repository git lists the files, else the folder is walked; so it is if git fails (it is not installed, it does
    /// not trust the owner), and the facts say so.
    pub fn of(workspace: &Path, home: Option<&Path>, limits: Limits) -> Result<Self, PinError> {
        Self::without_own(workspace, home, limits, &|_| false)
    }

    /// The same without the files that earlier debates wrote and nobody tracks.
    pub fn without_own(
        workspace: &Path,
        home: Option<&Path>,
        limits: Limits,
        is_own: &dyn Fn(&Path) -> bool,
    ) -> Result<Self, PinError> {
        let root = workspace.canonicalize().map_err(PathError::at("look at", workspace))?;
        is_a_project(&root, home)?;
        has_a_work_tree(&root)?;
        let in_git = crate::workspace::around(&root).join(".git").exists();
        let listing = match in_git.then(|| repository::list(&root, limits.files)) {
            Some(Err(PinError::Git(error))) => {
                folder::list(&root, Source::FolderWithoutGit { said: error.to_string() }, limits.files)?
            }
            Some(listed) => listed?,
            None => folder::list(&root, Source::Folder, limits.files)?,
        };
        let mut walker = Walker::from(&root).map_err(PathError::at("open", &root))?;
        Ok(Self::sorted(root, limits, listing, |survey, path, origin| {
            if matches!(origin, Origin::New) && is_own(&workspace.join(&path)) {
                // Only git counts what is new.
                survey.facts.new = survey.facts.new.saturating_sub(1);
            } else {
                survey.look(&mut walker, path, origin);
            }
        }))
    }

    /// Surveys the files of a commit, by its full hash.
    pub fn of_commit(workspace: &Path, commit: &str, home: Option<&Path>, limits: Limits) -> Result<Self, PinError> {
        let root = workspace.canonicalize().map_err(PathError::at("look at", workspace))?;
        is_a_project(&root, home)?;
        let listing = repository::list_commit(&root, commit, limits.files)?;
        Ok(Self::sorted(root, limits, listing, |survey, path, origin| match origin {
            Origin::Object(object) => survey.add_object(path, object),
            Origin::Tracked | Origin::New => {}
        }))
    }

    /// What is known before contents are read: binary files still count.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// How many files a copy has, and what is not in it; or that they are too large to pin. This finds the binary files, so
    /// that the plan says what will be pinned.
    pub(crate) fn outline(&mut self) -> Result<(u64, Vec<LeftOut>), PinError> {
        let mut reader = Reader::of(self)?;
        self.facts.bytes = 0;
        for entry in &mut self.entries {
            let object = self.objects.get(entry.path());
            match (entry.kind, object) {
                (Kind::Left(_), _) => continue,
                (Kind::Symlink, None) => {}
                (Kind::File { .. }, None) => {
                    if reader.walker.open(entry.bytes()).is_ok_and(|file| is_binary(&file)) {
                        entry.kind = Kind::Left(Why::Binary);
                    }
                }
                (kind, Some(object)) => match reader.object(entry.path(), kind, object)? {
                    FileRead::Left(why, size) => (entry.kind, entry.size) = (Kind::Left(why), size),
                    FileRead::Text { .. } => {
                        entry.size = reader.buffer.len() as u64;
                        if kind == Kind::Symlink {
                            self.targets.insert(entry.path().to_owned(), std::mem::take(&mut reader.buffer));
                        }
                    }
                },
            }
            match entry.kind {
                Kind::Left(why) => self.facts.leave_out(why, entry.bytes()),
                Kind::File { .. } | Kind::Symlink => self.facts.bytes += entry.size,
            }
            if self.facts.bytes > self.limits.bytes {
                return Err(PinError::TooLarge { most: self.limits.bytes });
            }
        }
        Ok(self.laid_out())
    }

    fn sorted(root: PathBuf, limits: Limits, listing: Listing, mut add: impl FnMut(&mut Self, String, Origin)) -> Self {
        let Listing { facts, repositories, mut listed, .. } = listing;
        listed.sort_by(|one, other| one.0.cmp(&other.0));
        // A file with conflicts is in the index several times.
        listed.dedup_by(|one, other| one.0 == other.0);
        let entries = Vec::with_capacity(listed.len());
        let (objects, targets) = (BTreeMap::new(), BTreeMap::new());
        let mut survey = Self { root, limits, repositories, entries, objects, targets, facts };
        for (path, origin) in listed {
            add(&mut survey, path, origin);
        }
        survey.facts.files = survey.entries.len() as u64;
        survey.facts.bytes =
            survey.entries.iter().filter(|entry| !matches!(entry.kind, Kind::Left(_))).map(|e| e.size).sum();
        survey
    }

    fn add_object(&mut self, path: String, object: Object) {
        self.entries.push(Entry::new(path.clone(), object.kind, 0));
        self.objects.insert(path, object);
    }

    fn look(&mut self, walker: &mut Walker, path: String, origin: Origin) {
        let (kind, size) = match walker.look(path.as_bytes()) {
            Ok(PathKind::File { size, .. }) if size > self.limits.file_bytes => (Kind::Left(Why::TooLarge), size),
            Ok(PathKind::File { size, executable }) => (Kind::File { executable }, size),
            Ok(PathKind::Symlink) => match walker.target(path.as_bytes()) {
                Ok(target) => {
                    let target = relative_target(&self.root, path.as_bytes(), target);
                    let size = target.len() as u64;
                    self.targets.insert(path.clone(), target);
                    (Kind::Symlink, size)
                }
                Err(_) => (Kind::Left(Why::Unreadable), 0),
            },
            Ok(PathKind::Special) => (Kind::Left(Why::Special), 0),
            // It is a folder now, so the file is gone.
            Ok(PathKind::Folder) => return,
            Err(error) if is_missing(&error) => {
                match origin {
                    Origin::Object(object) if error.kind() == io::ErrorKind::NotFound => self.add_object(path, object),
                    Origin::Object(_) | Origin::Tracked => {}
                    Origin::New => self.facts.leave_out(Why::Vanished, path.as_bytes()),
                }
                return;
            }
            Err(_) => (Kind::Left(Why::Unreadable), 0),
        };
        if let Kind::Left(why) = kind {
            self.facts.leave_out(why, path.as_bytes());
        }
        self.entries.push(Entry::new(path, kind, size));
    }
}

/// Only symlinks have content here, which is enough to tell which of them lead out.
impl Files for Survey {
    fn entries(&self) -> &[Entry] {
        &self.entries
    }

    fn content(&self, entry: &Entry) -> Result<Content, ReadError> {
        let target = self.targets.get(entry.path()).ok_or(ReadError::Missing)?;
        Ok(Content { bytes: target.clone(), changed_since: false })
    }
}

/// Reads the files of a survey through one buffer.
pub(super) struct Reader {
    root: PathBuf,
    walker: Walker,
    contents: Contents,
    most: u64,
    /// The content of the last file.
    pub(super) buffer: Vec<u8>,
}

impl Reader {
    pub(super) fn of(survey: &Survey) -> Result<Self, PinError> {
        let walker = Walker::from(&survey.root).map_err(PathError::at("open", &survey.root))?;
        let contents = Contents::of(survey.repositories.clone());
        let most = survey.limits.file_bytes;
        Ok(Self { root: survey.root.clone(), walker, contents, most, buffer: Vec::new() })
    }

    pub(super) fn read(&mut self, survey: &Survey, entry: &Entry) -> Result<FileRead, PinError> {
        if let Some(object) = survey.objects.get(entry.path()) {
            return self.object(entry.path(), entry.kind, object);
        }
        if let Some(target) = survey.targets.get(entry.path()) {
            self.buffer.clone_from(target);
            return Ok(FileRead::Text { unsteady: false });
        }
        let opened = self.walker.open(entry.bytes());
        Ok(match opened.and_then(|mut file| walker::read(&mut file, self.most, &mut self.buffer)) {
            Ok(gist) => gist,
            Err(error) if is_missing(&error) => FileRead::Left(Why::Vanished, 0),
            Err(_) => FileRead::Left(Why::Unreadable, 0),
        })
    }

    fn object(&mut self, path: &str, kind: Kind, object: &Object) -> Result<FileRead, PinError> {
        let gist = self.contents.read(object.repository, &object.hash, self.most, &mut self.buffer)?;
        if kind == Kind::Symlink {
            self.buffer = relative_target(&self.root, path.as_bytes(), std::mem::take(&mut self.buffer));
        }
        Ok(gist)
    }
}

/// Refuses `/`, the home folder, and what is above it. The path has no symlinks.
pub(super) fn is_a_project(root: &Path, home: Option<&Path>) -> Result<(), PinError> {
    let home = home.map(|home| home.canonicalize().unwrap_or_else(|_| home.to_owned()));
    if root.parent().is_none() || home.is_some_and(|home| home.starts_with(root)) {
        return Err(PinError::NoProject(root.to_owned()));
    }
    Ok(())
}

/// Refuses a bare repository, a `.git`, and folders in them.
pub(super) fn has_a_work_tree(root: &Path) -> Result<(), PinError> {
    for folder in root.ancestors() {
        if is_gits_own(folder) {
            return Err(PinError::GitsOwn(folder.to_owned()));
        }
        if folder.join(".git").exists() {
            break;
        }
    }
    Ok(())
}

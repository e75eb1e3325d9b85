//! The snapshot of the workspace that evidence is looked up in: decided in the plan, pinned at the start, opened for each
//! run.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use std::{fs, io};

use jiff::Timestamp;
use rebut_core::debate::{NotKept, PinFacts, Plan, Scope};
use rebut_core::formats::format_of;

use super::{Allowed, Examiner};
use crate::process::temporary_folder;
use crate::workspace::Reviewed;
use crate::workspace::pin::{
    Copy, CopyError, Facts, Files, LeftOut, Limits, Live, PathError, Pin, PinError, Source, Survey, Why,
};

/// What is known of a workspace before the debate begins.
#[derive(Debug)]
pub struct Snapshot {
    survey: Option<Survey>,
    scope: Scope,
    /// Whether these are the files of a commit, which the files as they are now cannot replace.
    of_commit: bool,
}

impl Snapshot {
    /// Looks at a workspace; nothing is written. `home` is the user's home folder, which is no project; files that earlier
    /// debates wrote are no part of the workspace.
    pub fn survey(workspace: &Path, home: Option<&Path>, limits: Limits, is_own: &dyn Fn(&Path) -> bool) -> Self {
        Self::surveyed(Survey::without_own(workspace, home, limits, is_own), false)
    }

    /// Looks at the files of a commit, by its full hash; nothing is written.
    pub fn survey_commit(workspace: &Path, commit: &str, home: Option<&Path>, limits: Limits) -> Self {
        Self::surveyed(Survey::of_commit(workspace, commit, home, limits), true)
    }

    /// Looks at the version of a workspace that is reviewed.
    pub fn of_review(
        reviewed: &Reviewed,
        workspace: &Path,
        home: Option<&Path>,
        limits: Limits,
        is_own: &dyn Fn(&Path) -> bool,
    ) -> Self {
        match reviewed {
            Reviewed::WorkingTree | Reviewed::Patched => Self::survey(workspace, home, limits, is_own),
            Reviewed::Commit(commit) => Self::survey_commit(workspace, commit, home, limits),
            Reviewed::Unknown { why } => Self::nothing(why.clone()),
        }
    }

    fn surveyed(survey: Result<Survey, PinError>, of_commit: bool) -> Self {
        let outlined = survey.and_then(|mut survey| survey.outline().map(|(files, left_out)| (survey, files, left_out)));
        match outlined {
            Ok((survey, files, left_out)) => {
                let scope = Scope::Pinned(pin_facts(String::new(), survey.facts(), files, left_out));
                Self { survey: Some(survey), scope, of_commit }
            }
            Err(error @ (PinError::TooMany { .. } | PinError::TooLarge { .. })) => {
                Self { survey: None, scope: too_large(&error, of_commit), of_commit }
            }
            Err(error) => Self::nothing(error.to_string()),
        }
    }

    pub fn nothing(why: impl Into<String>) -> Self {
        Self { survey: None, scope: Scope::Nothing { why: why.into() }, of_commit: false }
    }

    pub fn is_any(&self) -> bool {
        !matches!(self.scope, Scope::Nothing { .. })
    }

    /// What citations of files are checked against, as the plan shows it.
    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// Pins the workspace in the debate's folder of blobs.
    pub fn pin(self, blobs: &Path) -> Result<Scope, PinError> {
        let Some(survey) = self.survey else { return Ok(self.scope) };
        match survey.pack(blobs) {
            Ok(packed) => {
                let (laid_out, left_out) = Pin::open(&blobs.join(&packed.hash))?.laid_out();
                Ok(Scope::Pinned(pin_facts(packed.hash, &packed.facts, laid_out, left_out)))
            }
            // It may have grown since the survey.
            Err(error @ (PinError::TooMany { .. } | PinError::TooLarge { .. })) => Ok(too_large(&error, self.of_commit)),
            Err(error) => Err(error),
        }
    }
}

/// A workspace that is too large to pin is read as it is now; a commit is not read at all.
fn too_large(error: &PinError, of_commit: bool) -> Scope {
    let why = error.to_string();
    if of_commit { Scope::Nothing { why } } else { Scope::Live { why } }
}

/// The snapshot of a debate that has begun.
pub struct OpenSnapshot {
    examiner: Examiner,
    /// What the user should know of it.
    pub note: Option<String>,
    pin: Option<Arc<Pin>>,
}

impl OpenSnapshot {
    /// Opens the snapshot of a debate with these blobs, which began then.
    pub fn of(plan: &Plan, began: Timestamp, blobs: &Path, file_bytes: u64, allowed: Allowed) -> Result<Self, PinError> {
        let workspace = PathBuf::from(&plan.workspace);
        let sources = allowed.sources.clone();
        let nothing = |why: &str, note| Self { examiner: Examiner::over_nothing(why, sources), note, pin: None };
        let opened = match plan.evidence.as_ref().map(|evidence| &evidence.scope) {
            Some(Scope::Pinned(facts)) => Pin::open(&blobs.join(&facts.pack)).map(|pin| {
                let pin = Arc::new(pin);
                let examiner = Examiner::over_pin(Arc::clone(&pin), &workspace, allowed);
                Self { examiner, note: None, pin: Some(pin) }
            }),
            Some(Scope::Live { .. }) => {
                let began = u64::try_from(began.as_millisecond()).unwrap_or(0);
                let began = SystemTime::UNIX_EPOCH + Duration::from_millis(began);
                let live = Live::over(&workspace, None, began, file_bytes).and_then(|live| live.for_seats(blobs));
                live.map(|live| Self { examiner: Examiner::over_live(live, &workspace, allowed), note: None, pin: None })
            }
            Some(Scope::Nothing { why }) => return Ok(nothing(why, None)),
            None => return Ok(nothing("the plan of this debate has no rules for evidence", None)),
        };
        match opened {
            // The debate itself is in the journal and can continue.
            Err(PinError::Io(PathError { path, source, .. })) if source.kind() == io::ErrorKind::NotFound => {
                let path = path.display();
                let note = format!("{path} is gone: citations of files can't be checked any more, and no seat reads files");
                Ok(nothing("the workspace of this debate is gone", Some(note)))
            }
            opened => opened,
        }
    }

    /// Looks up citations, for seats that read this copy.
    pub fn examiner(&self, copy: Option<&Arc<Copy>>) -> Examiner {
        match copy {
            Some(copy) => self.examiner.clone().with_copy(copy),
            None => self.examiner.clone(),
        }
    }

    /// The files in the workspace when the debate began; none for a review of commits, which pins those of a commit.
    pub fn names_in_folder(&self, plan: &Plan) -> Vec<String> {
        let of_commit = format_of(plan).reach(plan).of_commit;
        let entries = self.pin.as_ref().filter(|_| !of_commit).map_or(&[][..], |pin| pin.entries());
        entries.iter().map(|entry| entry.path().to_owned()).collect()
    }

    /// A read-only copy for the seats that read files, if any does and there is a pin.
    pub fn copy_for_seats(&self, plan: &Plan) -> Result<Option<Arc<Copy>>, CopyError> {
        let reads = plan.workspace_readable && plan.seats.values().any(|seat| seat.reads_workspace);
        match &self.pin {
            Some(pin) if reads => pin.lay_out(&temporary_folder()).map(|copy| Some(Arc::new(copy))),
            _ => Ok(None),
        }
    }
}

/// Verifies the pinned workspace of a debate against its name, which is its hash.
pub fn verify_kept(plan: &Plan, blobs: &Path) -> Result<(), PinError> {
    let Some(Scope::Pinned(facts)) = plan.evidence.as_ref().map(|evidence| &evidence.scope) else { return Ok(()) };
    let path = blobs.join(&facts.pack);
    let failed = || PathError::at("read", &path);
    let mut file = fs::File::open(&path).map_err(failed())?;
    let mut hasher = blake3::Hasher::new();
    io::copy(&mut file, &mut hasher).map_err(failed())?;
    if hasher.finalize().to_hex().as_str() == facts.pack {
        Ok(())
    } else {
        Err(PinError::Damaged { path, what: "does not match its hash" })
    }
}

/// What the plan says. `files` are in the copy for seats and `left_out` are not; skipped folders are in the facts alone.
fn pin_facts(pack: String, facts: &Facts, files: u64, mut left_out: Vec<LeftOut>) -> PinFacts {
    let of_folders = facts.left_out.iter().filter(|left| left_out.iter().all(|here| here.why != left.why));
    let of_folders: Vec<LeftOut> = of_folders.cloned().collect();
    left_out.extend(of_folders);
    let changed = facts.changed.unwrap_or(0) + facts.new;
    let git_failed = match &facts.source {
        Source::FolderWithoutGit { said } => Some(said.clone()),
        Source::Git | Source::Folder => None,
    };
    // A file that changed while it was read is pinned anyway, and one that vanished is none.
    let shown = left_out.iter().filter(|left| !matches!(left.why, Why::Unsteady | Why::Vanished));
    let left_out = shown.map(|left| NotKept { why: left.why.words().to_owned(), count: left.count }).collect();
    PinFacts { pack, files, bytes: facts.bytes, commit: facts.commit.clone(), changed, git_failed, left_out }
}

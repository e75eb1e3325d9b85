//! The files that git tracks in a workspace and its submodules, and the new ones that it does not ignore.
//!
//! The start of a debate waits for this, so git is asked everything at once, by several processes. With too many files, git
//! is stopped.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, ScopedJoinHandle};

use super::survey::{Listing, Object, Origin};
use super::{PinError, Source, Why};
use crate::redact::redact;
use crate::workspace::git::{DEEPEST, Git, GitCommand, GitError, NOT_LAST_DEBATE, SUBMODULE, as_path, checked_out};
use crate::workspace::{is_gits_own, is_last_debate, private_part};

/// The tag of a file that a sparse checkout leaves out.
const SKIPPED: &[u8] = b"S";

/// Lists the files below a folder of a repository.
pub(super) fn list(root: &Path, most: u64) -> Result<Listing, PinError> {
    let mut listing = Listing::new(Source::Git);
    listing.facts.changed = Some(0);
    list_repository(root, b"", 0, most, &mut listing)?;
    Ok(listing)
}

/// Git's answers for one repository.
struct Listed {
    tracked: Vec<Tracked>,
    new: Vec<Vec<u8>>,
    /// How many files differ from HEAD; `None` if git fails.
    changed: Option<u64>,
    head: Option<String>,
}

fn ask(folder: &Path, with_head: bool, most: u64) -> Result<Listed, PinError> {
    let git = Git::at(folder);
    let failed = AtomicBool::new(false);
    let unwanted = || failed.load(Ordering::Relaxed);
    thread::scope(|scope| {
        let changed = scope.spawn(|| changed(&git, &unwanted));
        let head = with_head.then(|| scope.spawn(|| head(&git, &unwanted)));
        let new = scope.spawn(|| untracked(&git, most));
        let tracked = tracked(&git, most);
        let new = tracked.is_ok().then(|| joined(new));
        failed.store(tracked.is_err() || new.as_ref().is_some_and(Result::is_err), Ordering::Relaxed);
        let (tracked, new) = (tracked?, new.unwrap_or_else(|| Ok(Vec::new()))?);
        let (mut changed, head) = (joined(changed), head.map_or(Ok(None), joined)?);
        if with_head && head.is_none() {
            // Without a commit everything in the index is new.
            changed = Some(tracked.len() as u64);
        }
        Ok(Listed { tracked, new, changed, head })
    })
}

fn joined<T>(handle: ScopedJoinHandle<'_, T>) -> T {
    handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

fn head(git: &Git, unwanted: &dyn Fn() -> bool) -> Result<Option<String>, GitError> {
    let ask = git.ask(GitCommand::RevParse, ["--verify", "--quiet", "HEAD"]).allowing(&[0, 1]);
    let head = ask.run_unless(unwanted)?;
    Ok(Some(String::from_utf8_lossy(&head).trim().to_owned()).filter(|head| !head.is_empty()))
}

fn tracked(git: &Git, most: u64) -> Result<Vec<Tracked>, PinError> {
    let mut tracked = Vec::new();
    let ask = git.ask(GitCommand::LsFiles, ["-z", "--cached", "--stage", "-t", "--", "."]);
    ask.with(NOT_LAST_DEBATE).records(|record| {
        tracked.push(parse(record).ok_or_else(unreadable)?);
        if tracked.len() as u64 > most { Err(PinError::TooMany { most }) } else { Ok(()) }
    })?;
    Ok(tracked)
}

fn untracked(git: &Git, most: u64) -> Result<Vec<Vec<u8>>, PinError> {
    let mut new = Vec::new();
    let ask = git.ask(GitCommand::LsFiles, ["-z", "--others", "--exclude-standard", "--", "."]);
    ask.with(NOT_LAST_DEBATE).records(|path| {
        new.push(path.to_vec());
        if new.len() as u64 > most { Err(PinError::TooMany { most }) } else { Ok(()) }
    })?;
    Ok(new)
}

fn changed(git: &Git, unwanted: &dyn Fn() -> bool) -> Option<u64> {
    let diff = ["--no-renames", "--ignore-submodules=all", "--name-only", "-z", "HEAD", "--", "."];
    let names = git.ask(GitCommand::Diff, diff).with(NOT_LAST_DEBATE).run_unless(unwanted).ok()?;
    Some(names.split(|byte| *byte == 0).count() as u64 - 1)
}

fn list_repository(folder: &Path, prefix: &[u8], depth: usize, most: u64, listing: &mut Listing) -> Result<(), PinError> {
    let repository = listing.repositories.len();
    listing.repositories.push(folder.to_owned());
    let Listed { tracked, new, changed, head } = ask(folder, depth == 0, most)?;
    listing.facts.changed = listing.facts.changed.zip(changed).map(|(before, here)| before + here);
    if depth == 0 {
        listing.facts.commit = head;
    }
    let mut submodules = Vec::new();
    for Tracked { tag, mode, hash, path } in tracked {
        if mode == SUBMODULE {
            submodules.push(path);
            continue;
        }
        let origin = match &tag[..] {
            SKIPPED => Origin::Object(Object { repository, hash, mode }),
            _ => Origin::Tracked,
        };
        listing.add([prefix, &path].concat(), origin, most)?;
    }
    add_new(folder, prefix, &new, most, listing)?;
    // An unmerged submodule is listed once per side.
    submodules.dedup();
    for path in submodules {
        let whole = [prefix, &path].concat();
        match checked_out(folder, &path).filter(|_| depth < DEEPEST) {
            Some(below) => list_repository(&below, &[&whole[..], b"/"].concat(), depth + 1, most, listing)?,
            None => listing.facts.leave_out(Why::Submodule, &whole),
        }
    }
    Ok(())
}

/// Adds untracked files, except private ones, which a forgotten ignore rule must not send to a model, and the files of bare
/// repositories.
fn add_new(folder: &Path, prefix: &[u8], others: &[Vec<u8>], most: u64, listing: &mut Listing) -> Result<(), PinError> {
    let heads = others.iter().filter_map(|path| path.strip_suffix(b"HEAD"));
    let bare: Vec<&[u8]> =
        heads.filter(|above| above.ends_with(b"/") && is_gits_own(&folder.join(as_path(above)))).collect();
    let mut last = None;
    for path in others {
        let whole = |part: &[u8]| [prefix, part].concat();
        let left_out = if path.ends_with(b"/") {
            Some((Why::Repository, path.clone()))
        } else if let Some(above) = bare.iter().find(|above| path.starts_with(above)) {
            Some((Why::Repository, above.to_vec()))
        } else {
            private_part(&as_path(path)).map(|part| (Why::Private, path[..part.as_os_str().len()].to_vec()))
        };
        match left_out {
            // The files of a folder come one after the other.
            Some(left) if last.as_ref() == Some(&left) => {}
            Some((why, part)) => {
                listing.facts.leave_out(why, &whole(&part));
                last = Some((why, part));
            }
            None => {
                listing.facts.new += 1;
                listing.add(whole(path), Origin::New, most)?;
            }
        }
    }
    Ok(())
}

/// Lists the files of a commit, by its full hash, below a folder.
pub(super) fn list_commit(root: &Path, commit: &str, most: u64) -> Result<Listing, PinError> {
    if commit.is_empty() || !commit.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(PinError::Git(format!("`{commit}` is not a commit")));
    }
    let mut listing = Listing::new(Source::Git);
    listing.facts.changed = Some(0);
    listing.facts.commit = Some(commit.to_owned());
    list_tree(root, commit, b"", 0, most, &mut listing)?;
    Ok(listing)
}

fn list_tree(
    folder: &Path,
    commit: &str,
    prefix: &[u8],
    depth: usize,
    most: u64,
    listing: &mut Listing,
) -> Result<(), PinError> {
    let repository = listing.repositories.len();
    listing.repositories.push(folder.to_owned());
    let mut submodules = Vec::new();
    Git::at(folder).ask(GitCommand::LsTree, ["-r", "-z", commit]).records(|record| {
        let Tracked { tag: mode, hash, path, .. } = parse(record).ok_or_else(unreadable)?;
        if mode == SUBMODULE {
            submodules.push((path, hash));
            return Ok(());
        }
        let path = [prefix, &path].concat();
        if is_last_debate(&as_path(&path)) {
            return Ok(());
        }
        listing.add(path, Origin::Object(Object { repository, hash, mode }), most)
    })?;
    for (path, commit) in submodules {
        let whole = [prefix, &path].concat();
        let below = checked_out(folder, &path).filter(|_| depth < DEEPEST).filter(|below| has_commit(below, &commit));
        match below {
            Some(below) => list_tree(&below, &commit, &[&whole[..], b"/"].concat(), depth + 1, most, listing)?,
            None => listing.facts.leave_out(Why::Submodule, &whole),
        }
    }
    Ok(())
}

fn has_commit(repository: &Path, commit: &str) -> bool {
    let commit = format!("{commit}^{{commit}}");
    let ask = ["--verify", "--quiet", "--end-of-options", commit.as_str()];
    Git::at(repository).ask(GitCommand::RevParse, ask).run().is_ok()
}

struct Tracked {
    tag: Vec<u8>,
    mode: Vec<u8>,
    hash: String,
    path: Vec<u8>,
}

/// Reads `H 100644 HASH 0<tab>PATH`, as `ls-files` prints it. `ls-tree` prints `100644 blob HASH<tab>PATH`, in which the
/// tag is the mode.
fn parse(record: &[u8]) -> Option<Tracked> {
    let tab = record.iter().position(|byte| *byte == b'\t')?;
    let mut words = record[..tab].split(|byte| *byte == b' ').map(<[u8]>::to_vec);
    let (tag, mode, hash) = (words.next()?, words.next()?, words.next()?);
    Some(Tracked { tag, mode, hash: String::from_utf8(hash).ok()?, path: record[tab + 1..].to_vec() })
}

fn unreadable() -> PinError {
    PinError::Git("its list of files is malformed".to_owned())
}

impl From<GitError> for PinError {
    fn from(error: GitError) -> Self {
        Self::Git(redact(&error.to_string()).into_owned())
    }
}

//! The files that git tracks in a workspace and its submodules, and the new ones that it does not ignore.
//!
//! The start of a debate waits for this, so git is asked everything at once, by several processes. With too many files, git
//! is stopped.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, ScopedJoinHandle};

use rebut_core::diff::SUBMODULE;

use super::survey::{Listing, Object, Origin, kind_of};
use super::{PinError, Source, Why};
use crate::workspace::git::{Ask, DEEPEST, Git, GitCommand, GitError, as_path, checked_out, words_and_path};
use crate::workspace::{is_gits_own, is_last_debate, private_part};

/// The file in which rebut leaves its last debate for other tools is not pinned.
const NOT_LAST_DEBATE: [&str; 2] = [".", ":(exclude,top,glob)**/.*/debate/last-debate.json"];

/// Lists the files below a folder of a repository.
pub(super) fn list(root: &Path, most: u64) -> Result<Listing, PinError> {
    let mut listing = Listing::new(Source::Git, most);
    listing.facts.changed = Some(0);
    list_repository(root, b"", 0, &mut listing)?;
    Ok(listing)
}

/// Git's answers for one repository.
struct Listed {
    /// What the index holds, as git lists it.
    tracked: Vec<Vec<u8>>,
    new: Vec<Vec<u8>>,
    /// How many files differ from HEAD; `None` if git fails.
    changed: Option<u64>,
    head: Option<String>,
}

fn ask(folder: &Path, with_head: bool, most: u64) -> Result<Listed, PinError> {
    let git = Git::at(folder);
    let failed = AtomicBool::new(false);
    let unwanted = || failed.load(Ordering::Relaxed);
    let files = |of: &[&str]| up_to(git.ask(GitCommand::LsFiles, of).with(["--"]).with(NOT_LAST_DEBATE), most);
    thread::scope(|scope| {
        let changed = scope.spawn(|| changed(&git, &unwanted));
        let head = with_head.then(|| scope.spawn(|| git.resolve("HEAD", &unwanted)));
        let new = scope.spawn(|| files(&["-z", "--others", "--exclude-standard"]));
        let tracked = files(&["-z", "--cached", "--stage", "-t"]);
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

fn up_to(ask: Ask<'_>, most: u64) -> Result<Vec<Vec<u8>>, PinError> {
    let mut records = Vec::new();
    ask.records(|record| {
        records.push(record.to_vec());
        if records.len() as u64 > most { Err(PinError::TooMany { most }) } else { Ok(()) }
    })?;
    Ok(records)
}

fn changed(git: &Git, unwanted: &dyn Fn() -> bool) -> Option<u64> {
    let diff = ["--no-renames", "--ignore-submodules=all", "--name-only", "-z", "HEAD", "--"];
    let names = git.ask(GitCommand::Diff, diff).with(NOT_LAST_DEBATE).run_unless(unwanted).ok()?;
    Some(names.split(|byte| *byte == 0).count() as u64 - 1)
}

fn list_repository(folder: &Path, prefix: &[u8], depth: usize, listing: &mut Listing) -> Result<(), PinError> {
    let repository = listing.repositories.len();
    listing.repositories.push(folder.to_owned());
    let Listed { tracked, new, changed, head } = ask(folder, depth == 0, listing.most)?;
    listing.facts.changed = listing.facts.changed.zip(changed).map(|(before, here)| before + here);
    if depth == 0 {
        listing.facts.commit = head;
    }
    let mut submodules = Vec::new();
    for record in tracked {
        let ([tag, mode, hash], path) = words_and_path(&record).ok_or(GitError::Malformed)?;
        if mode == SUBMODULE {
            submodules.push(path.to_vec());
            continue;
        }
        // A sparse checkout leaves these out.
        let is_skipped = tag == "S";
        let object = || Object { repository, hash: hash.to_owned(), kind: kind_of(mode) };
        listing.add([prefix, path].concat(), if is_skipped { Origin::Object(object()) } else { Origin::Tracked })?;
    }
    add_new(folder, prefix, &new, listing)?;
    // An unmerged submodule is listed once per side.
    submodules.dedup();
    for path in submodules {
        let whole = [prefix, &path].concat();
        match checked_out(folder, &path).filter(|_| depth < DEEPEST) {
            Some(below) => list_repository(&below, &[&whole[..], b"/"].concat(), depth + 1, listing)?,
            None => listing.facts.leave_out(Why::Submodule, &whole),
        }
    }
    Ok(())
}

/// Adds untracked files, except private ones, which a forgotten ignore rule must not send to a model, and the files of bare
/// repositories.
fn add_new(folder: &Path, prefix: &[u8], others: &[Vec<u8>], listing: &mut Listing) -> Result<(), PinError> {
    let heads = others.iter().filter_map(|path| path.strip_suffix(b"HEAD"));
    let bare: Vec<&[u8]> =
        heads.filter(|above| above.ends_with(b"/") && is_gits_own(&folder.join(as_path(above)))).collect();
    let mut last = None;
    for path in others {
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
                listing.facts.leave_out(why, &[prefix, &part].concat());
                last = Some((why, part));
            }
            None => {
                listing.facts.new += 1;
                listing.add([prefix, path].concat(), Origin::New)?;
            }
        }
    }
    Ok(())
}

/// Lists the files of a commit, by its full hash, below a folder.
pub(super) fn list_commit(root: &Path, commit: &str, most: u64) -> Result<Listing, PinError> {
    if commit.is_empty() || !commit.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(PinError::NoCommit(commit.to_owned()));
    }
    let mut listing = Listing::new(Source::Git, most);
    listing.facts.changed = Some(0);
    listing.facts.commit = Some(commit.to_owned());
    list_tree(root, commit, b"", 0, &mut listing)?;
    Ok(listing)
}

fn list_tree(folder: &Path, commit: &str, prefix: &[u8], depth: usize, listing: &mut Listing) -> Result<(), PinError> {
    let repository = listing.repositories.len();
    listing.repositories.push(folder.to_owned());
    let mut submodules = Vec::new();
    Git::at(folder).ask(GitCommand::LsTree, ["-r", "-z", commit]).records(|record| {
        let ([mode, _, hash], path) = words_and_path(record).ok_or(GitError::Malformed)?;
        let hash = hash.to_owned();
        let whole = [prefix, path].concat();
        if mode == SUBMODULE {
            submodules.push((path.to_vec(), hash));
        } else if !is_last_debate(&as_path(&whole)) {
            listing.add(whole, Origin::Object(Object { repository, hash, kind: kind_of(mode) }))?;
        }
        Ok::<(), PinError>(())
    })?;
    for (path, commit) in submodules {
        let whole = [prefix, &path].concat();
        let object = format!("{commit}^{{commit}}");
        let has_it = |below: &Path| matches!(Git::at(below).resolve(&object, &|| false), Ok(Some(_)));
        match checked_out(folder, &path).filter(|below| depth < DEEPEST && has_it(below)) {
            Some(below) => list_tree(&below, &commit, &[&whole[..], b"/"].concat(), depth + 1, listing)?,
            None => listing.facts.leave_out(Why::Submodule, &whole),
        }
    }
    Ok(())
}

//! Which files git knows in a workspace, its submodules included, and which new ones it does not ignore.
//!
//! The answers are read as they come: where there are too many files, git is stopped.

use std::path::{Path, PathBuf};

use super::survey::{Listed, Listing, Origin};
use super::{Facts, PinError, Source, Why};
use crate::redact::redact;
use crate::workspace::git::{DEEPEST, Git, GitCommand, GitError, NOT_LAST_DEBATE, SUBMODULE, as_path, checked_out};
use crate::workspace::{is_gits_own, is_last_debate, private_part};

/// How many commits are kept by their hashes.
const COMMITS: &str = "--max-count=1000";
/// The tag of a file that need not be in the folder.
const SKIPPED: &[u8] = b"S";

/// Lists the files of the repository that the folder is in, as far as they are below the folder.
pub(super) fn list(root: &Path, most: u64) -> Result<Listing, PinError> {
    let mut listing = Listing::new(Facts::new(Source::Git));
    listing.facts.commit = head(&Git::at(root))?;
    if let Some(commit) = &listing.facts.commit {
        listing.facts.history = history(root, commit);
    }
    list_repository(root, b"", 0, most, &mut listing)?;
    let changed_in = |(number, folder): (usize, &PathBuf)| {
        let git = Git::at(folder);
        let commit = if number == 0 { listing.facts.commit.clone() } else { head(&git).ok()? };
        changed(&git, commit.as_deref())
    };
    listing.facts.changed = listing.repositories.iter().enumerate().map(changed_in).sum();
    Ok(listing)
}

/// The commit that is checked out; none where there is none yet.
fn head(git: &Git) -> Result<Option<String>, GitError> {
    let commit = git.ask(GitCommand::RevParse, ["--verify", "--quiet", "HEAD"]).allowing(&[0, 1]).run()?;
    Ok(Some(String::from_utf8_lossy(&commit).trim().to_owned()).filter(|commit| !commit.is_empty()))
}

/// A commit and those before it, newest first. Where git cannot go back (an object is lost), the commit alone.
fn history(root: &Path, commit: &str) -> Vec<String> {
    match Git::at(root).ask(GitCommand::RevList, [COMMITS, commit]).run() {
        Ok(hashes) => String::from_utf8_lossy(&hashes).lines().map(str::to_owned).collect(),
        Err(_) => vec![commit.to_owned()],
    }
}

fn list_repository(folder: &Path, prefix: &[u8], depth: usize, most: u64, listing: &mut Listing) -> Result<(), PinError> {
    let git = Git::at(folder);
    let repository = listing.repositories.len();
    listing.repositories.push(folder.to_owned());
    let mut submodules = Vec::new();
    let tracked = ["-z", "--cached", "--stage", "-t", "--", "."];
    git.ask(GitCommand::LsFiles, tracked).with(NOT_LAST_DEBATE).records(|record| {
        let known = parse(record).ok_or_else(unreadable)?;
        if known.mode == SUBMODULE {
            submodules.push(known.path.to_vec());
            return Ok(());
        }
        let object = || String::from_utf8_lossy(known.object).into_owned();
        let origin = match known.tag {
            SKIPPED => Origin::Skipped { repository, object: object(), mode: known.mode.to_vec() },
            _ => Origin::Tracked,
        };
        listing.add(Listed { path: [prefix, known.path].concat(), origin }, most)
    })?;
    let new = ["-z", "--others", "--exclude-standard", "--", "."];
    let mut others = Vec::new();
    git.ask(GitCommand::LsFiles, new).with(NOT_LAST_DEBATE).records(|path| {
        others.push(path.to_vec());
        if others.len() as u64 > most { Err(PinError::TooMany { most }) } else { Ok(()) }
    })?;
    add_new(folder, prefix, &others, most, listing)?;
    // An unmerged submodule stands in the list once for each side.
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

/// Adds the files that git does not know yet, but for those that nobody commits: a forgotten ignore rule must not bring keys
/// to a model, and what git keeps in a bare repository is no text of a project.
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
                listing.add(Listed { path: whole(path), origin: Origin::New }, most)?;
            }
        }
    }
    Ok(())
}

/// Lists the files of a commit, by its full hash, as far as they are below the folder. The folder's own files are not
/// looked at.
pub(super) fn list_commit(root: &Path, commit: &str, most: u64) -> Result<Listing, PinError> {
    if commit.is_empty() || !commit.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(PinError::Git(format!("`{commit}` is no commit")));
    }
    let mut listing = Listing::new(Facts::new(Source::Git));
    listing.facts.changed = Some(0);
    listing.facts.commit = Some(commit.to_owned());
    listing.facts.history = history(root, commit);
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
        let known = parse_tree(record).ok_or_else(unreadable)?;
        let object = String::from_utf8_lossy(known.object).into_owned();
        if known.mode == SUBMODULE {
            submodules.push((known.path.to_vec(), object));
            return Ok(());
        }
        let path = [prefix, known.path].concat();
        if is_last_debate(&as_path(&path)) {
            return Ok(());
        }
        let origin = Origin::Skipped { repository, object, mode: known.mode.to_vec() };
        listing.add(Listed { path, origin }, most)
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

/// How many files differ from the commit, or from nothing where there is none; `None` where git cannot say.
fn changed(git: &Git, commit: Option<&str>) -> Option<u64> {
    let ask = match commit {
        Some(commit) => {
            let diff = ["--no-renames", "--ignore-submodules=all", "--name-only", "-z", commit, "--", "."];
            git.ask(GitCommand::Diff, diff)
        }
        // Everything in the index is new to a repository without a commit.
        None => git.ask(GitCommand::LsFiles, ["-z", "--cached", "--", "."]),
    };
    let mut count = 0;
    let counted = ask.with(NOT_LAST_DEBATE).records(|_| {
        count += 1;
        Ok::<(), GitError>(())
    });
    counted.ok().map(|()| count)
}

/// A file in the index.
struct Known<'a> {
    tag: &'a [u8],
    mode: &'a [u8],
    object: &'a [u8],
    path: &'a [u8],
}

/// Reads `H 100644 OBJECT 0<tab>PATH`.
fn parse(record: &[u8]) -> Option<Known<'_>> {
    let tab = record.iter().position(|byte| *byte == b'\t')?;
    let mut words = record[..tab].split(|byte| *byte == b' ');
    let (tag, mode, object) = (words.next()?, words.next()?, words.next()?);
    Some(Known { tag, mode, object, path: &record[tab + 1..] })
}

/// Reads `100644 blob OBJECT<tab>PATH`.
fn parse_tree(record: &[u8]) -> Option<Known<'_>> {
    let tab = record.iter().position(|byte| *byte == b'\t')?;
    let mut words = record[..tab].split(|byte| *byte == b' ');
    let (mode, tag, object) = (words.next()?, words.next()?, words.next()?);
    Some(Known { tag, mode, object, path: &record[tab + 1..] })
}

fn unreadable() -> PinError {
    PinError::Git("its list of files cannot be read".to_owned())
}

impl From<GitError> for PinError {
    fn from(error: GitError) -> Self {
        Self::Git(redact(&error.to_string()).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_read_with_any_path() {
        let record = b"S 100644 78981922613b2afb6025042ff6bd878ac1994e85 0\ta\tb \xff\nc";
        let known = parse(record).unwrap();
        assert_eq!((known.tag, known.mode, known.object.len()), (SKIPPED, &b"100644"[..], 40));
        assert_eq!(known.path, b"a\tb \xff\nc");
        assert!(parse(b"").is_none() && parse(b"H 1\tx").is_none());
    }
}

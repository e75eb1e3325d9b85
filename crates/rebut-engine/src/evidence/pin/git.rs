//! Which files git knows in a workspace, its submodules included, and which new ones it does not ignore.
//!
//! The answers are read as they come: where there are too many files, git is stopped.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use super::survey::{Listed, Listing, Origin};
use super::{Facts, PinError, Source, Why};
use crate::redact::redact;
use crate::workspace::git::{NOT_OURS, as_path, command, run};
use crate::workspace::in_our_folder;

/// The mode of a submodule in the index.
const SUBMODULE: &[u8] = b"160000";
/// The tag of a file that need not be in the folder.
const SKIPPED: &[u8] = b"S";
/// How deep submodules of submodules are followed.
const DEEPEST: usize = 16;

/// How many commits are kept by their hashes.
const HISTORY: &str = "--max-count=1000";

/// Lists the files of the repository that the folder is in, as far as they are below the folder.
pub(super) fn list(root: &Path, most: u64) -> Result<Listing, PinError> {
    let mut listing = Listing::new(Facts::new(Source::Git));
    let commit = run(root, ["rev-parse", "--verify", "--quiet", "HEAD"], &[0, 1]).map_err(|text| said(&text))?;
    let commit = String::from_utf8_lossy(&commit).trim().to_owned();
    listing.facts.changed = Some(0);
    listing.facts.commit = Some(commit).filter(|commit| !commit.is_empty());
    if let Some(commit) = &listing.facts.commit {
        listing.facts.history = history(root, commit);
    }
    list_repository(root, b"", 0, most, &mut listing)?;
    Ok(listing)
}

/// A commit and those before it, newest first. Where git cannot go back (an object is lost), the commit alone.
fn history(root: &Path, commit: &str) -> Vec<String> {
    match run(root, ["rev-list", HISTORY, commit], &[0]) {
        Ok(hashes) => String::from_utf8_lossy(&hashes).lines().map(str::to_owned).collect(),
        Err(_) => vec![commit.to_owned()],
    }
}

fn list_repository(folder: &Path, prefix: &[u8], depth: usize, most: u64, listing: &mut Listing) -> Result<(), PinError> {
    let repository = listing.repositories.len();
    listing.repositories.push(folder.to_owned());
    let mut submodules = Vec::new();
    let tracked = ["ls-files", "-z", "--cached", "--stage", "-t", "--", "."];
    stream(folder, &tracked, |record| {
        let known = parse(record).ok_or_else(|| said("its list of files cannot be read"))?;
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
    let new = ["ls-files", "-z", "--others", "--exclude-standard", "--", "."];
    stream(folder, &new, |path| {
        let whole = [prefix, path].concat();
        if path.ends_with(b"/") {
            listing.facts.leave_out(Why::Repository, &whole);
            return Ok(());
        }
        listing.facts.new += 1;
        listing.add(Listed { path: whole, origin: Origin::New }, most)
    })?;
    listing.facts.changed = listing.facts.changed.zip(changed(folder)).map(|(so_far, here)| so_far + here);
    // An unmerged submodule stands in the list once for each side.
    submodules.dedup();
    for path in submodules {
        let whole = [prefix, &path].concat();
        match submodule(folder, &path).filter(|_| depth < DEEPEST) {
            Some(below) => list_repository(&below, &[&whole[..], b"/"].concat(), depth + 1, most, listing)?,
            None => listing.facts.leave_out(Why::Submodule, &whole),
        }
    }
    Ok(())
}

/// Lists the files of a commit, by its full hash, as far as they are below the folder. The folder's own files are not
/// looked at.
pub(super) fn list_commit(root: &Path, commit: &str, most: u64) -> Result<Listing, PinError> {
    if commit.is_empty() || !commit.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(said(&format!("`{commit}` is no commit")));
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
    stream_whole(folder, &["ls-tree", "-r", "-z", commit], |record| {
        let known = parse_tree(record).ok_or_else(|| said("its list of files cannot be read"))?;
        let object = String::from_utf8_lossy(known.object).into_owned();
        if known.mode == SUBMODULE {
            submodules.push((known.path.to_vec(), object));
            return Ok(());
        }
        let path = [prefix, known.path].concat();
        if in_our_folder(&as_path(&path)) {
            return Ok(());
        }
        let origin = Origin::Skipped { repository, object, mode: known.mode.to_vec() };
        listing.add(Listed { path, origin }, most)
    })?;
    for (path, commit) in submodules {
        let whole = [prefix, &path].concat();
        let below = submodule(folder, &path).filter(|_| depth < DEEPEST).filter(|below| has_commit(below, &commit));
        match below {
            Some(below) => list_tree(&below, &commit, &[&whole[..], b"/"].concat(), depth + 1, most, listing)?,
            None => listing.facts.leave_out(Why::Submodule, &whole),
        }
    }
    Ok(())
}

fn has_commit(repository: &Path, commit: &str) -> bool {
    let commit = format!("{commit}^{{commit}}");
    run(repository, ["rev-parse", "--verify", "--quiet", "--end-of-options", commit.as_str()], &[0]).is_ok()
}

/// The folder of a submodule that is initialised, and that no link leads to.
fn submodule(folder: &Path, path: &[u8]) -> Option<PathBuf> {
    let below = folder.canonicalize().ok()?.join(as_path(path));
    let real = below.canonicalize().ok()?;
    if real != below || !below.join(".git").exists() {
        return None;
    }
    // With a `.git` that is none, git would speak of the repository above.
    let prefix = run(&below, ["rev-parse", "--show-prefix"], &[0]).ok()?;
    prefix.trim_ascii().is_empty().then_some(below)
}

/// How many files differ from the commit, or from nothing where there is none; `None` where git cannot say.
fn changed(folder: &Path) -> Option<u64> {
    let commit = run(folder, ["rev-parse", "--verify", "--quiet", "HEAD"], &[0, 1]).ok()?;
    let mut count = 0;
    let counted = if commit.is_empty() {
        // Everything in the index is new to a repository without a commit.
        stream(folder, &["ls-files", "-z", "--cached", "--", "."], |_| {
            count += 1;
            Ok(())
        })
    } else {
        let diff = "diff --no-ext-diff --no-textconv --no-renames --ignore-submodules=all --name-only -z HEAD -- .";
        stream(folder, &diff.split(' ').collect::<Vec<_>>(), |_| {
            count += 1;
            Ok(())
        })
    };
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

/// Hands over each record of git's answer, of everything but our own files.
fn stream(folder: &Path, arguments: &[&str], take: impl FnMut(&[u8]) -> Result<(), PinError>) -> Result<(), PinError> {
    let arguments: Vec<&str> = arguments.iter().copied().chain(NOT_OURS).collect();
    stream_whole(folder, &arguments, take)
}

/// Hands over each record of git's answer. An error of whoever takes it stops git.
fn stream_whole(
    folder: &Path,
    arguments: &[&str],
    mut take: impl FnMut(&[u8]) -> Result<(), PinError>,
) -> Result<(), PinError> {
    let child = command(folder).args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut git = Running(child.map_err(|error| PinError::Git(format!("it cannot be started: {error}")))?);
    let (Some(out), Some(err)) = (git.0.stdout.take(), git.0.stderr.take()) else {
        return Err(PinError::Git("it cannot be heard".to_owned()));
    };
    // What git complains of is read beside the list, so that neither waits for the other.
    let complaints = std::thread::spawn(move || {
        let (mut text, mut err) = (Vec::new(), err);
        let _ = (&mut err).take(64 * 1024).read_to_end(&mut text);
        // The rest is not kept, but taken: a git that cannot complain would wait for ever.
        let _ = std::io::copy(&mut err, &mut std::io::sink());
        text
    });
    let mut out = BufReader::with_capacity(64 * 1024, out);
    let mut record = Vec::new();
    loop {
        record.clear();
        let read = out.read_until(0, &mut record).map_err(|error| PinError::Git(error.to_string()))?;
        if read == 0 {
            break;
        }
        if record.last() == Some(&0) {
            record.pop();
            take(&record)?;
        }
    }
    let ended = git.0.wait().map_err(|error| PinError::Git(error.to_string()))?;
    if ended.success() {
        return Ok(());
    }
    let text = complaints.join().unwrap_or_default();
    let first = String::from_utf8_lossy(&text).lines().next().unwrap_or("nothing").trim().to_owned();
    Err(said(&format!("git says: {first}")))
}

fn said(text: &str) -> PinError {
    PinError::Git(redact(text).into_owned())
}

/// A git that is ended when nobody listens any more.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself, which is as good.
        let _ = self.0.kill();
        let _ = self.0.wait();
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

//! Which files git knows in a workspace, its submodules included, and which new ones it does not ignore.
//!
//! The answers are read as they come: where there are too many files, git is stopped.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use super::history::COMMITS;
use super::survey::{Listed, Listing, Origin};
use super::{Facts, PinError, Source, Why};
use crate::redact::redact;
use crate::workspace::git::{LIMIT, NOT_OURS, as_path, command, run};
use crate::workspace::{in_our_folder, is_gits_own, private_part};

/// The mode of a submodule in the index.
const SUBMODULE: &[u8] = b"160000";
/// The tag of a file that need not be in the folder.
const SKIPPED: &[u8] = b"S";
/// How deep submodules of submodules are followed.
const DEEPEST: usize = 16;

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
    match run(root, ["rev-list", COMMITS, commit], &[0]) {
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
    let mut others = Vec::new();
    stream(folder, &new, |path| {
        others.push(path.to_vec());
        if others.len() as u64 > most { Err(PinError::TooMany { most }) } else { Ok(()) }
    })?;
    add_new(folder, prefix, &others, most, listing)?;
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

/// The submodules of a repository, and theirs.
pub(in crate::evidence) struct Submodules {
    /// Those that are checked out: their paths in the repository, and where they lie.
    pub(in crate::evidence) here: Vec<(String, PathBuf)>,
    /// The paths of those that are not.
    pub(in crate::evidence) absent: Vec<String>,
}

/// Lists the submodules of a repository, and theirs.
pub(in crate::evidence) fn submodules(root: &Path) -> Result<Submodules, PinError> {
    let mut found = Submodules { here: Vec::new(), absent: Vec::new() };
    list_submodules(root, b"", 0, &mut found)?;
    Ok(found)
}

fn list_submodules(folder: &Path, prefix: &[u8], depth: usize, found: &mut Submodules) -> Result<(), PinError> {
    let mut here = Vec::new();
    stream_whole(folder, &["ls-files", "-z", "--cached", "--stage", "-t"], |record| {
        here.extend(parse(record).filter(|known| known.mode == SUBMODULE).map(|known| known.path.to_vec()));
        Ok(())
    })?;
    here.dedup();
    for path in here {
        let whole = [prefix, &path].concat();
        let told = String::from_utf8_lossy(&whole).into_owned();
        match submodule(folder, &path).filter(|_| depth < DEEPEST) {
            Some(below) => {
                found.here.push((told, below.clone()));
                list_submodules(&below, &[&whole[..], b"/"].concat(), depth + 1, found)?;
            }
            None => found.absent.push(told),
        }
    }
    Ok(())
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
fn stream_whole(folder: &Path, arguments: &[&str], take: impl FnMut(&[u8]) -> Result<(), PinError>) -> Result<(), PinError> {
    let mut git = command(folder);
    git.args(arguments);
    stream_of(git, LIMIT, take)
}

/// How many pieces of an answer may wait until somebody takes them.
const PIECES: usize = 16;

/// Starts a git and hands over each record of its answer, until it has ended or takes longer than `limit`.
fn stream_of(
    mut git: Command,
    limit: Duration,
    mut take: impl FnMut(&[u8]) -> Result<(), PinError>,
) -> Result<(), PinError> {
    let child = git.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut git = Running(child.map_err(|error| PinError::Git(format!("it cannot be started: {error}")))?);
    let (Some(mut out), Some(err)) = (git.0.stdout.take(), git.0.stderr.take()) else {
        return Err(PinError::Git("it cannot be heard".to_owned()));
    };
    // What git complains of is read beside the list, so that neither waits for the other; and both elsewhere, since a
    // filter that git has started may hang, and hold them open when git itself is gone.
    let (tell, complaints) = mpsc::channel();
    std::thread::spawn(move || {
        let (mut text, mut err) = (Vec::new(), err);
        let _ = (&mut err).take(64 * 1024).read_to_end(&mut text);
        // Whoever has given up does not listen any more.
        let _ = tell.send(text);
        // The rest is not kept, but taken: a git that cannot complain would wait for ever.
        let _ = std::io::copy(&mut err, &mut std::io::sink());
    });
    let (hand_over, pieces) = mpsc::sync_channel(PIECES);
    std::thread::spawn(move || {
        loop {
            let mut piece = vec![0; 64 * 1024];
            let read = out.read(&mut piece).map(|read| {
                piece.truncate(read);
                piece
            });
            let over = !matches!(&read, Ok(piece) if !piece.is_empty());
            if hand_over.send(read).is_err() || over {
                return;
            }
        }
    });
    let late = || PinError::Git(format!("it did not answer in {} s and was ended", limit.as_secs()));
    let ends = Instant::now() + limit;
    let left = || ends.saturating_duration_since(Instant::now());
    let mut record = Vec::new();
    loop {
        let piece = pieces.recv_timeout(left()).map_err(|_| late())?.map_err(|error| PinError::Git(error.to_string()))?;
        if piece.is_empty() {
            break;
        }
        let mut parts = piece.split(|byte| *byte == 0).peekable();
        while let Some(part) = parts.next() {
            record.extend_from_slice(part);
            if parts.peek().is_some() {
                take(&record)?;
                record.clear();
            }
        }
    }
    // It has closed its output, and has nothing left to do but to end.
    let ended = loop {
        match git.0.try_wait().map_err(|error| PinError::Git(error.to_string()))? {
            Some(ended) => break ended,
            None if left().is_zero() => return Err(late()),
            None => std::thread::sleep(Duration::from_millis(1)),
        }
    };
    if ended.success() {
        return Ok(());
    }
    let text = complaints.recv_timeout(left()).unwrap_or_default();
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

    #[cfg(unix)]
    #[test]
    fn a_git_that_hangs_is_ended_and_records_are_whole_however_they_come() {
        let shell = |script: &str| {
            let mut shell = Command::new("/bin/sh");
            shell.args(["-c", script]);
            shell
        };
        let mut records = Vec::new();
        let mut keep = |record: &[u8]| {
            records.push(String::from_utf8_lossy(record).into_owned());
            Ok(())
        };
        let error = stream_of(shell("printf 'a\\0b'; sleep 5 & exec sleep 600"), Duration::from_millis(300), &mut keep);
        assert_eq!(
            error.unwrap_err().to_string(),
            "git cannot say which files there are: it did not answer in 0 s and was ended"
        );
        stream_of(shell("printf 'c'; printf 'd\\0\\0e\\0'"), LIMIT, &mut keep).unwrap();
        let long = "head -c 200000 /dev/zero | tr '\\0' x; printf '\\0end\\0'";
        stream_of(shell(long), LIMIT, &mut keep).unwrap();
        assert_eq!(records[..4], ["a", "cd", "", "e"]);
        assert_eq!((records[4].len(), records[5].as_str(), records.len()), (200_000, "end", 6));
        let error = stream_of(shell("echo no >&2; exit 3"), LIMIT, |_| Ok(())).unwrap_err();
        assert_eq!(error.to_string(), "git cannot say which files there are: git says: no");
    }
}

//! Which file of the workspace a written path means.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// At most this many files are named where several could be meant.
const NAMED: usize = 4;

#[derive(Clone, Debug, Default)]
pub struct PathIndex {
    paths: Vec<String>,
    /// The places of files by their last part.
    by_name: BTreeMap<String, Vec<usize>>,
    folders: BTreeSet<String>,
    /// The absolute paths by which the workspace itself may be written.
    roots: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolved {
    /// The file at this place of the index.
    File(usize),
    Folder,
    /// One of several files.
    Ambiguous(Vec<String>),
    /// No file; perhaps there is one of this name elsewhere.
    Missing(Option<String>),
    Outside,
}

impl PathIndex {
    /// The index of these files, which are relative paths with `/`.
    pub fn new(paths: impl IntoIterator<Item = String>, roots: impl IntoIterator<Item = String>) -> Self {
        let mut paths: Vec<String> = paths.into_iter().collect();
        paths.sort_unstable();
        paths.dedup();
        let mut by_name: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        let mut folders = BTreeSet::new();
        for (at, path) in paths.iter().enumerate() {
            by_name.entry(last_part(path).to_owned()).or_default().push(at);
            let mut folder = path.as_str();
            while let Some((above, _)) = folder.rsplit_once('/') {
                if !folders.insert(above.to_owned()) {
                    break;
                }
                folder = above;
            }
        }
        let slashed = |root: String| root.replace('\\', "/").trim_end_matches('/').to_owned();
        let roots = roots.into_iter().map(slashed).filter(|root| !root.is_empty()).collect();
        Self { paths, by_name, folders, roots }
    }

    pub fn paths(&self) -> &[String] {
        &self.paths
    }

    /// What a written path means: the file or folder of exactly this path, else the only file whose path ends so.
    pub fn resolve(&self, written: &str) -> Resolved {
        let Some((path, is_absolute)) = self.relative(written) else { return Resolved::Outside };
        // A path of a diff has a side before it, and some tools write `@src/pool.rs`.
        let sides = ["a/", "b/", "@"].iter().filter_map(|side| path.strip_prefix(side));
        if let Some(found) = std::iter::once(path.as_str()).chain(sides).find_map(|path| self.exactly(path)) {
            return found;
        }
        // `/src/gone.rs` is meant from the root where there is a folder `src`, and anything else from that of the machine.
        if is_absolute && !path.split_once('/').is_some_and(|(top, _)| self.folders.contains(top)) {
            return Resolved::Outside;
        }
        let of_name = self.by_name.get(last_part(&path)).map(Vec::as_slice).unwrap_or_default();
        let ends_so = |at: &&usize| self.paths[**at].strip_suffix(&path).is_some_and(|before| before.ends_with('/'));
        let alike: Vec<usize> = of_name.iter().filter(ends_so).take(NAMED).copied().collect();
        match &alike[..] {
            [] => Resolved::Missing(of_name.first().map(|at| self.paths[*at].clone())),
            [only] => Resolved::File(*only),
            several => Resolved::Ambiguous(several.iter().map(|at| self.paths[*at].clone()).collect()),
        }
    }

    /// The path in the workspace of a folder that is written in any way that [`resolve`](Self::resolve) reads.
    pub fn folder(&self, written: &str) -> Option<String> {
        let (path, _) = self.relative(written)?;
        let sides = ["a/", "b/", "@"].iter().filter_map(|side| path.strip_prefix(side));
        let mut ways = std::iter::once(path.as_str()).chain(sides);
        ways.find(|path| path.is_empty() || self.folders.contains(*path)).map(str::to_owned)
    }

    pub fn below(&self, folder: &str) -> Range<usize> {
        let folder = folder.trim_end_matches('/');
        if folder.is_empty() || folder == "." {
            return 0..self.paths.len();
        }
        let inside = format!("{folder}/");
        let start = self.paths.partition_point(|path| path.as_str() < inside.as_str());
        let end = start + self.paths[start..].partition_point(|path| path.starts_with(&inside));
        start..end
    }

    /// A written path as one relative to the workspace, and whether it is absolute and below no known root, so that it is
    /// inside only if it is there: `/src/pool.rs` is often meant from the root. None where it leads out.
    fn relative(&self, written: &str) -> Option<(String, bool)> {
        let slashed = written.trim().replace('\\', "/");
        let slashed = slashed.strip_prefix("file://").unwrap_or(&slashed);
        let inside = self.roots.iter().find_map(|root| match slashed.strip_prefix(root.as_str())? {
            "" => Some(""),
            rest => rest.strip_prefix('/'),
        });
        if let Some(path) = inside {
            return Some((plain(path)?, false));
        }
        let has_drive = slashed.len() > 2 && slashed.as_bytes()[1] == b':' && slashed.as_bytes()[0].is_ascii_alphabetic();
        if has_drive || slashed.starts_with('~') {
            return None;
        }
        Some((plain(slashed)?, slashed.starts_with('/')))
    }

    fn exactly(&self, path: &str) -> Option<Resolved> {
        match self.paths.binary_search_by(|known| known.as_str().cmp(path)) {
            Ok(at) => Some(Resolved::File(at)),
            Err(_) if path.is_empty() || self.folders.contains(path) => Some(Resolved::Folder),
            Err(_) => None,
        }
    }
}

fn last_part(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// A path without `.`, `..` and empty parts; none where it climbs out.
fn plain(path: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index() -> PathIndex {
        let paths = ["src/pool.rs", "src/db/mod.rs", "src/net/mod.rs", "README.md", "docs/My Notes.md", "tests/pool.rs"];
        PathIndex::new(paths.map(str::to_owned), ["/home/me/project".to_owned()])
    }

    #[test]
    fn a_path_means_the_file_of_that_path_or_the_only_one_that_ends_so() {
        for (written, expected) in [
            ("src/pool.rs", "src/pool.rs"),
            ("./src/../src/pool.rs", "src/pool.rs"),
            ("src\\db\\mod.rs", "src/db/mod.rs"),
            ("/home/me/project/src/pool.rs", "src/pool.rs"),
            ("/src/pool.rs", "src/pool.rs"),
            ("db/mod.rs", "src/db/mod.rs"),
            ("docs/My Notes.md", "docs/My Notes.md"),
            ("b/src/pool.rs", "src/pool.rs"),
            ("@src/pool.rs", "src/pool.rs"),
            ("src/", "Folder"),
            ("mod.rs", r#"Ambiguous(["src/db/mod.rs", "src/net/mod.rs"])"#),
            ("src/cache.rs", "Missing(None)"),
            ("lib/pool.rs", r#"Missing(Some("src/pool.rs"))"#),
            ("../../etc/passwd", "Outside"),
            ("/etc/passwd", "Outside"),
            ("/src/invented.rs", "Missing(None)"),
            ("/home/me/project/../x.rs", "Outside"),
            ("~/.ssh/id_rsa", "Outside"),
            ("C:\\Windows\\win.ini", "Outside"),
        ] {
            let index = index();
            let found = match index.resolve(written) {
                Resolved::File(at) => index.paths()[at].clone(),
                other => format!("{other:?}"),
            };
            assert_eq!(found, expected, "{written}");
        }
    }

    #[test]
    fn a_folder_is_the_same_however_it_is_written() {
        let index = index();
        for written in ["src", "src/", "./src", "src/../src", "@src", "a/src", "/home/me/project/src", "/src"] {
            assert_eq!(index.folder(written).as_deref(), Some("src"), "{written}");
        }
        assert_eq!(index.folder("/home/me/project").as_deref(), Some(""));
        assert_eq!(index.folder("tests and src"), None);
        assert_eq!(index.paths()[index.below("src")], ["src/db/mod.rs", "src/net/mod.rs", "src/pool.rs"]);
        assert_eq!((index.below("").len(), index.below("sr").len()), (6, 0));
    }
}

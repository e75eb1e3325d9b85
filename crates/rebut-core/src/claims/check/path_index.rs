//! Which file of the workspace a written path means.

use std::collections::BTreeSet;

use icu_normalizer::ComposingNormalizerBorrowed;

/// How many files are named where several could be meant.
const NAMED: usize = 4;

/// The files of a workspace, to be found by what people write.
#[derive(Clone, Debug, Default)]
pub struct PathIndex {
    /// Every file, sorted, with `/` between its folders.
    paths: Vec<String>,
    /// The last part of each path in small letters, with the path's place; sorted.
    names: Vec<(String, u32)>,
    /// Folders, for citations of a folder as a whole.
    folders: BTreeSet<String>,
    /// How the workspace itself may be written at the beginning of a path.
    roots: Vec<String>,
}

/// What a written path means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolved {
    /// This file, by its place in [`PathIndex::paths`].
    File(usize),
    /// A folder of the workspace.
    Folder,
    /// Several files end so; the first of them are named.
    Ambiguous(Vec<String>),
    /// No file; another file of that name may be there.
    Missing(Option<String>),
    /// It leads out of the workspace.
    Outside,
}

impl PathIndex {
    /// An index over these files. `roots` are the absolute paths of the workspace.
    pub fn new(paths: impl IntoIterator<Item = String>, roots: impl IntoIterator<Item = String>) -> Self {
        let mut paths: Vec<String> = paths.into_iter().collect();
        paths.sort_unstable();
        paths.dedup();
        let mut names: Vec<(String, u32)> = Vec::with_capacity(paths.len());
        let mut folders = BTreeSet::new();
        for (at, path) in paths.iter().enumerate() {
            names.push((folded(last_part(path)), u32::try_from(at).unwrap_or(u32::MAX)));
            let mut folder = path.as_str();
            while let Some((above, _)) = folder.rsplit_once('/') {
                if !folders.insert(above.to_owned()) {
                    break;
                }
                folder = above;
            }
        }
        names.sort_unstable();
        let slashed = |root: String| root.replace('\\', "/").trim_end_matches('/').to_owned();
        let roots = roots.into_iter().map(slashed).filter(|root| !root.is_empty()).collect();
        Self { paths, names, folders, roots }
    }

    /// Every file, sorted.
    pub fn paths(&self) -> &[String] {
        &self.paths
    }

    /// What a written path means: the file of exactly this path, else of this path in other letters, else the only one
    /// that ends so.
    pub fn resolve(&self, written: &str) -> Resolved {
        match self.resolve_whole(written) {
            // Some tools write files as `@src/pool.rs`; a folder may be called so, too.
            Resolved::Missing(_) if written.starts_with('@') => self.resolve(written.trim_start_matches('@')),
            // Words before a path can have been taken for a part of it.
            Resolved::Missing(near) => match written.rsplit_once(char::is_whitespace) {
                Some((_, last)) => match self.resolve_whole(last) {
                    found @ (Resolved::File(_) | Resolved::Folder) => found,
                    _ => Resolved::Missing(near),
                },
                None => Resolved::Missing(near),
            },
            resolved => resolved,
        }
    }

    /// The same for a path behind words that may belong to it: as many of them as make the name of a file that is there.
    pub fn resolve_behind(&self, lead: &str, written: &str) -> Resolved {
        let beginnings = lead.split(' ').scan(0, |at, word| {
            let from = *at;
            *at += word.len() + 1;
            Some(from)
        });
        let longer = beginnings.filter(|_| !lead.is_empty()).find_map(|from| {
            let whole = plain(&format!("{} {written}", lead.get(from..)?).replace('\\', "/"))?;
            match self.exactly(&whole).or_else(|| self.in_other_letters(&whole))? {
                found @ Resolved::File(_) => Some(found),
                _ => None,
            }
        });
        longer.unwrap_or_else(|| self.resolve(written))
    }

    /// The same for a place that is named and nothing beside it: no words before it are passed over.
    pub fn resolve_alone(&self, written: &str) -> Resolved {
        match self.resolve_whole(written) {
            Resolved::Missing(_) if written.starts_with('@') => self.resolve_whole(written.trim_start_matches('@')),
            resolved => resolved,
        }
    }

    /// The path in the workspace of a folder that is written in any way that [`resolve_alone`](Self::resolve_alone) reads.
    pub fn folder(&self, written: &str) -> Option<String> {
        let slashed = written.trim().replace('\\', "/");
        let path = self.inside(&slashed).unwrap_or(&slashed);
        let whole = plain(path.trim_start_matches('/'))?;
        let bare = whole.trim_start_matches('@');
        let without_side = bare.strip_prefix("a/").or_else(|| bare.strip_prefix("b/"));
        let is_folder = |path: &&str| path.is_empty() || self.folders.contains(*path);
        [Some(whole.as_str()), Some(bare), without_side].into_iter().flatten().find(is_folder).map(str::to_owned)
    }

    /// The files in a folder, or the file itself, by their places.
    pub fn below(&self, folder: &str) -> std::ops::Range<usize> {
        let folder = folder.trim_end_matches('/');
        if folder.is_empty() || folder == "." {
            return 0..self.paths.len();
        }
        let inside = format!("{folder}/");
        let start = self.paths.partition_point(|path| path.as_str() < inside.as_str());
        let end = start + self.paths[start..].partition_point(|path| path.starts_with(&inside));
        start..end
    }

    fn resolve_whole(&self, written: &str) -> Resolved {
        let slashed = written.trim().replace('\\', "/");
        let slashed = slashed.strip_prefix("file://").unwrap_or(&slashed);
        let (path, absolute) = match self.inside(slashed) {
            Some(path) => (path, false),
            None => (slashed, slashed.starts_with('/') || slashed.starts_with('~') || has_drive(slashed)),
        };
        let Some(plain) = plain(path) else { return Resolved::Outside };
        if has_drive(slashed) && absolute || slashed.starts_with('~') {
            return Resolved::Outside;
        }
        let found = self.exactly(&plain).or_else(|| self.in_other_letters(&plain));
        match found {
            Some(found) => found,
            // `/src/pool.rs` is often meant from the workspace's root; any other absolute path leads out.
            None if absolute => Resolved::Outside,
            None => self.ending_so(&plain),
        }
    }

    /// The path below one of the roots.
    fn inside<'a>(&self, path: &'a str) -> Option<&'a str> {
        self.roots.iter().find_map(|root| match path.strip_prefix(root.as_str())? {
            "" => Some("."),
            rest => rest.strip_prefix('/'),
        })
    }

    fn exactly(&self, path: &str) -> Option<Resolved> {
        if let Ok(at) = self.paths.binary_search_by(|known| known.as_str().cmp(path)) {
            return Some(Resolved::File(at));
        }
        (path.is_empty() || self.folders.contains(path)).then_some(Resolved::Folder)
    }

    fn in_other_letters(&self, path: &str) -> Option<Resolved> {
        let lower = folded(path);
        let same: Vec<usize> = self.named(last_part(&lower)).filter(|at| folded(&self.paths[*at]) == lower).collect();
        match same[..] {
            [] => None,
            [only] => Some(Resolved::File(only)),
            _ => Some(self.ambiguous(&same)),
        }
    }

    fn ending_so(&self, path: &str) -> Resolved {
        // A path of a diff has one folder too many.
        let without_side = path.strip_prefix("a/").or_else(|| path.strip_prefix("b/"));
        if let Some(found) = without_side.and_then(|path| self.exactly(path)) {
            return found;
        }
        let name = folded(last_part(path));
        let alike: Vec<usize> = self.named(&name).collect();
        let ends = |at: &usize, end: &str| {
            self.paths[*at].strip_suffix(end).is_some_and(|before| before.is_empty() || before.ends_with('/'))
        };
        let exact: Vec<usize> = alike.iter().copied().filter(|at| ends(at, path)).collect();
        match exact[..] {
            [only] => return Resolved::File(only),
            [] => {}
            _ => return self.ambiguous(&exact),
        }
        let lower = folded(path);
        let loose: Vec<usize> = alike
            .iter()
            .copied()
            .filter(|at| folded(&self.paths[*at]).strip_suffix(&lower).is_some_and(|b| b.is_empty() || b.ends_with('/')))
            .collect();
        match loose[..] {
            [only] => Resolved::File(only),
            [] => Resolved::Missing(alike.first().map(|at| self.paths[*at].clone())),
            _ => self.ambiguous(&loose),
        }
    }

    fn ambiguous(&self, places: &[usize]) -> Resolved {
        Resolved::Ambiguous(places.iter().take(NAMED).map(|at| self.paths[*at].clone()).collect())
    }

    /// The places of the files of this name, which is in small letters.
    fn named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = usize> + 'a {
        let start = self.names.partition_point(|(known, _)| known.as_str() < name);
        self.names[start..].iter().take_while(move |(known, _)| known == name).map(|(_, at)| *at as usize)
    }
}

/// A name in small letters, with its marks composed: systems write `ö` as one letter or as two.
fn folded(name: &str) -> String {
    let lower = name.to_lowercase();
    if lower.is_ascii() { lower } else { ComposingNormalizerBorrowed::new_nfc().normalize(&lower).into_owned() }
}

fn last_part(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn has_drive(path: &str) -> bool {
    let bytes = path.as_bytes();
    bytes.len() > 2 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':' && bytes[2] == b'/'
}

/// The path without `.` and `..`; none where it leads above its beginning.
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

    fn found(written: &str) -> String {
        let index = index();
        match index.resolve(written) {
            Resolved::File(at) => index.paths()[at].clone(),
            other => format!("{other:?}"),
        }
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
            ("readme.md", "README.md"),
            ("docs/my notes.md", "docs/My Notes.md"),
            ("b/src/pool.rs", "src/pool.rs"),
            ("cat src/pool.rs", "src/pool.rs"),
            ("src", "Folder"),
        ] {
            assert_eq!(found(written), expected, "{written}");
        }
    }

    #[test]
    fn words_before_a_path_belong_to_it_where_a_file_is_called_so() {
        let index = index();
        let found = |lead: &str, path: &str| match index.resolve_behind(lead, path) {
            Resolved::File(at) => index.paths()[at].clone(),
            other => format!("{other:?}"),
        };
        assert_eq!(found("see docs/My", "Notes.md"), "docs/My Notes.md");
        assert_eq!(found("see docs/Your", "Notes.md"), "Missing(None)");
        assert_eq!(found("see the", "src/pool.rs"), "src/pool.rs");
    }

    #[test]
    fn a_name_is_the_same_however_its_letters_are_composed() {
        let index = PathIndex::new(["src/gro\u{308}\u{df}e.rs".to_owned()], []);
        assert_eq!(index.resolve("src/gr\u{f6}\u{df}e.rs"), Resolved::File(0));
        assert_eq!(index.resolve("gr\u{f6}\u{df}e.rs"), Resolved::File(0));
    }

    #[test]
    fn what_could_be_several_files_is_ambiguous_and_what_is_none_is_missing() {
        assert_eq!(found("mod.rs"), r#"Ambiguous(["src/db/mod.rs", "src/net/mod.rs"])"#);
        assert_eq!(found("pool.rs"), r#"Ambiguous(["src/pool.rs", "tests/pool.rs"])"#);
        assert_eq!(found("src/cache.rs"), "Missing(None)");
        assert_eq!(found("lib/pool.rs"), r#"Missing(Some("src/pool.rs"))"#);
    }

    #[test]
    fn a_path_that_leads_out_is_never_looked_for() {
        for written in ["../../etc/passwd", "/etc/passwd", "~/.ssh/id_rsa", "C:\\Windows\\win.ini", "src/../../x.rs"] {
            assert_eq!(found(written), "Outside", "{written}");
        }
    }

    #[test]
    fn a_folder_is_the_same_however_it_is_written() {
        let index = index();
        for written in
            ["src", "src/", "./src", "src//", "src/.", "src/../src", "@src", "a/src", "/home/me/project/src", "/src"]
        {
            assert_eq!(index.folder(written).as_deref(), Some("src"), "{written}");
        }
        assert_eq!(index.folder("src\\db").as_deref(), Some("src/db"));
        assert_eq!(index.folder("/home/me/project").as_deref(), Some(""));
        assert_eq!(index.folder("tests and src"), None);
        assert_eq!(index.resolve_alone("tests and src"), Resolved::Missing(None));
    }

    #[test]
    fn the_files_of_a_folder_stand_together() {
        let index = index();
        let below = |folder: &str| index.paths()[index.below(folder)].to_vec();
        assert_eq!(below("src"), ["src/db/mod.rs", "src/net/mod.rs", "src/pool.rs"]);
        assert_eq!(below("").len(), 6);
        assert_eq!(below("sr").len(), 0);
    }
}

//! Which file of the workspace a written path means.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use icu_normalizer::ComposingNormalizerBorrowed;

/// How many files are named where several could be meant.
const NAMED: usize = 4;
/// Files that people name without their extension, in small letters, and the extensions that they have.
const PLAIN_NAMES: [&str; 8] = ["readme", "changelog", "license", "licence", "notice", "contributing", "authors", "copying"];
const PLAIN_EXTENSIONS: [&str; 5] = ["md", "txt", "rst", "adoc", "markdown"];

/// The files of a workspace, to be found by what people write.
#[derive(Clone, Debug, Default)]
pub struct PathIndex {
    /// Every file, sorted, with `/` between its folders.
    paths: Vec<String>,
    /// Each path from its last part to its first, in small letters, with the path's place; sorted. So what ends alike stands
    /// together, and however many files have one name, those that are meant are found among them at once.
    endings: Vec<(String, u32)>,
    /// Folders, for citations of a folder as a whole.
    folders: BTreeSet<String>,
    /// The folders that are not written in small letters, by how they would be.
    folded_folders: BTreeMap<String, String>,
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
        let mut endings: Vec<(String, u32)> = Vec::with_capacity(paths.len());
        let mut folders = BTreeSet::new();
        for (at, path) in paths.iter().enumerate() {
            endings.push((ending(&folded(path)), u32::try_from(at).unwrap_or(u32::MAX)));
            let mut folder = path.as_str();
            while let Some((above, _)) = folder.rsplit_once('/') {
                if !folders.insert(above.to_owned()) {
                    break;
                }
                folder = above;
            }
        }
        endings.sort_unstable();
        let written = folders.iter().map(|folder: &String| (folded(folder), folder.clone()));
        let folded_folders = written.filter(|(folded, folder)| folded != folder).collect();
        let slashed = |root: String| root.replace('\\', "/").trim_end_matches('/').to_owned();
        let roots = roots.into_iter().map(slashed).filter(|root| !root.is_empty()).collect();
        Self { paths, endings, folders, folded_folders, roots }
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
        let ways = || [Some(whole.as_str()), Some(bare), without_side].into_iter().flatten();
        let exact = ways().find(|path| path.is_empty() || self.folders.contains(*path));
        exact.map(str::to_owned).or_else(|| ways().find_map(|path| self.folder_in_other_letters(path).map(str::to_owned)))
    }

    /// The folder of this path in whatever letters.
    fn folder_in_other_letters(&self, path: &str) -> Option<&str> {
        let lower = folded(path);
        self.folders.get(&lower).or_else(|| self.folded_folders.get(&lower)).map(String::as_str)
    }

    /// The files in a folder, or the file itself, by their places.
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

    fn resolve_whole(&self, written: &str) -> Resolved {
        match self.as_written(written) {
            Resolved::Missing(near) => self.in_other_words(written).unwrap_or(Resolved::Missing(near)),
            resolved => resolved,
        }
    }

    /// The file that is there where a path is written with the escapes of Markdown, `no\_pe.rs`, or from the folder above the
    /// workspace, with the workspace's own name before it.
    fn in_other_words(&self, written: &str) -> Option<Resolved> {
        let there = |path: &str| self.exactly(path).or_else(|| self.in_other_letters(path));
        let unescaped = without_escapes(written);
        let slashed = unescaped.as_deref().unwrap_or(written).trim().replace('\\', "/");
        let path = plain(self.inside(&slashed).unwrap_or(&slashed))?;
        let behind_name = || {
            let (name, rest) = path.split_once('/')?;
            let mut names = self.roots.iter().map(|root| last_part(root));
            names.any(|own| own.eq_ignore_ascii_case(name)).then(|| there(rest)).flatten()
        };
        unescaped.as_ref().and_then(|_| there(&path)).or_else(behind_name)
    }

    fn as_written(&self, written: &str) -> Resolved {
        let slashed = written.trim().replace('\\', "/");
        let slashed = slashed.strip_prefix("file://").unwrap_or(&slashed);
        let shortened = without_climbing(slashed);
        let slashed = shortened.as_deref().unwrap_or(slashed);
        let (path, absolute) = match self.inside(slashed) {
            Some(path) => (path, false),
            None => (slashed, slashed.starts_with('/') || slashed.starts_with('~') || has_drive(slashed)),
        };
        let Some(plain) = plain(path) else { return Resolved::Outside };
        if absolute && (has_drive(slashed) || slashed.starts_with('~')) {
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
        let wanted = ending(&folded(path));
        let start = self.endings.partition_point(|(known, _)| *known < wanted);
        let same = self.endings[start..].partition_point(|(known, _)| *known == wanted);
        match self.endings[start..start + same] {
            [] => self.folder_in_other_letters(path).map(|_| Resolved::Folder),
            [(_, only)] => Some(Resolved::File(only as usize)),
            _ => Some(self.ambiguous(self.places(start..start + same))),
        }
    }

    fn ending_so(&self, path: &str) -> Resolved {
        // A path of a diff has one folder too many.
        let without_side = path.strip_prefix("a/").or_else(|| path.strip_prefix("b/"));
        if let Some(found) = without_side.and_then(|path| self.exactly(path)) {
            return found;
        }
        let alike = self.that_end(path);
        let ends =
            |at: &usize| self.paths[*at].strip_suffix(path).is_some_and(|before| before.is_empty() || before.ends_with('/'));
        let exact: Vec<usize> = self.places(alike.clone()).filter(ends).take(NAMED).collect();
        match (&exact[..], alike.len()) {
            ([only], _) => Resolved::File(*only),
            ([], 0) => self.with_an_extension(path).unwrap_or_else(|| {
                Resolved::Missing(self.places(self.that_end(last_part(path))).next().map(|at| self.paths[at].clone()))
            }),
            ([], 1) => self.places(alike).next().map_or(Resolved::Missing(None), Resolved::File),
            ([], _) => self.ambiguous(self.places(alike)),
            (several, _) => self.ambiguous(several.iter().copied()),
        }
    }

    /// The file that is called so without its extension: `README` for `README.md`. One that lies just there goes before
    /// those that end so.
    fn with_an_extension(&self, path: &str) -> Option<Resolved> {
        if !is_plain_name(path) {
            return None;
        }
        let whole = || PLAIN_EXTENSIONS.iter().map(|extension| format!("{path}.{extension}"));
        let there = whole().find_map(|path| self.exactly(&path).or_else(|| self.in_other_letters(&path)));
        there.or_else(|| {
            whole().find_map(|path| match self.ending_so(&path) {
                Resolved::Missing(_) => None,
                found => Some(found),
            })
        })
    }

    fn ambiguous(&self, places: impl Iterator<Item = usize>) -> Resolved {
        let mut named: Vec<usize> = places.take(NAMED).collect();
        named.sort_unstable();
        Resolved::Ambiguous(named.into_iter().map(|at| self.paths[at].clone()).collect())
    }

    /// Which of the endings are of files that end so, in whatever letters.
    fn that_end(&self, path: &str) -> Range<usize> {
        let wanted = ending(&folded(path));
        let start = self.endings.partition_point(|(known, _)| *known < wanted);
        let is_so = |(known, _): &(String, u32)| {
            known.strip_prefix(wanted.as_str()).is_some_and(|folders| folders.is_empty() || folders.starts_with(PARTED))
        };
        start..start + self.endings[start..].partition_point(is_so)
    }

    /// The files of these endings, by their places.
    fn places(&self, endings: Range<usize>) -> impl Iterator<Item = usize> + '_ {
        self.endings[endings].iter().map(|(_, at)| *at as usize)
    }
}

/// Whether a path is one of those that people write without an extension.
pub(super) fn is_plain_name(path: &str) -> bool {
    PLAIN_NAMES.iter().any(|name| name.eq_ignore_ascii_case(last_part(path)))
}

/// What parts the parts of an ending: no letter of a name comes before it, so that what ends alike stands together.
const PARTED: char = '\0';

/// A path from its last part to its first.
fn ending(path: &str) -> String {
    let mut ending = String::with_capacity(path.len());
    for part in path.rsplit('/') {
        if !ending.is_empty() {
            ending.push(PARTED);
        }
        ending.push_str(part);
    }
    ending
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

/// A path from the root, or from the person's own folder, without `.` and `..`: whether it lies inside is asked of where it
/// leads to. None where nothing is to be done, or it leads above its beginning.
fn without_climbing(path: &str) -> Option<String> {
    let at_home = path.strip_prefix("~/").or_else(|| path.strip_prefix("$HOME/")).map(|rest| ("~/", rest));
    let at_drive = || if has_drive(path) { Some(path.split_at(3)) } else { None };
    let (root, rest) = at_home.or_else(at_drive).or_else(|| path.strip_prefix('/').map(|rest| ("/", rest)))?;
    let climbs = path.starts_with('$') || rest.split('/').any(|part| matches!(part, "." | ".." | ""));
    climbs.then(|| plain(rest)).flatten().map(|rest| format!("{root}{rest}"))
}

/// A path without the backslashes that Markdown wants before signs; none where it has none.
fn without_escapes(path: &str) -> Option<String> {
    let escapes = |next: Option<&char>| next.is_some_and(|c| c.is_ascii_punctuation() && !matches!(c, '/' | '\\'));
    let mut plain = String::with_capacity(path.len());
    let mut letters = path.chars().peekable();
    while let Some(c) = letters.next() {
        if c != '\\' || !escapes(letters.peek()) {
            plain.push(c);
        }
    }
    (plain.len() < path.len()).then_some(plain)
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
mod tests;

//! Whether two citations lead to one place, however each of them is written.

use super::check::Checked;
use super::citation::{Lines, Target};

/// Whether a citation leads to the place of this finding, or to lines that overlap it.
pub(crate) fn same_place(cited: &Target, found: &Checked) -> bool {
    match (cited, &found.citation.target) {
        (Target::File { path, lines }, Target::File { path: written, lines: of_found }) => {
            let same_file = found.file.as_deref().is_some_and(|file| same_file(path, file)) || same_file(path, written);
            same_file && overlap(*lines, *of_found)
        }
        (Target::Commit { hash: one, path }, Target::Commit { hash: other, path: of_found }) => {
            let same_commit = one.starts_with(other.as_str()) || other.starts_with(one.as_str());
            let either = path.as_deref().zip(of_found.as_deref());
            same_commit && either.is_none_or(|(one, other)| same_file(one, other))
        }
        (one, other) => one == other,
    }
}

/// Whether two paths can mean one file: the same, or one is the end of the other.
pub(crate) fn same_file(one: &str, other: &str) -> bool {
    let plain = |path: &str| {
        let path = path.replace('\\', "/").to_lowercase();
        path.trim_start_matches("./").trim_end_matches('/').to_owned()
    };
    let (one, other) = (plain(one), plain(other));
    let ends = |long: &str, short: &str| long.strip_suffix(short).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'));
    ends(&one, &other) || ends(&other, &one)
}

/// A file without lines is meant with all of its lines.
fn overlap(one: Option<Lines>, other: Option<Lines>) -> bool {
    one.zip(other).is_none_or(|(one, other)| one.first <= other.last && other.first <= one.last)
}

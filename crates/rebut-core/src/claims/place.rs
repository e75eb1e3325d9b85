//! Whether two citations lead to one place, however each of them is written.

use super::check::Checked;
use super::citation::{Lines, Target};

/// Whether a citation leads to the place of this finding, or to lines that overlap it.
pub(crate) fn same_place(cited: &Target, found: &Checked) -> bool {
    match (cited, &found.citation.target) {
        (Target::File { path, lines }, Target::File { path: written, lines: of_found }) => {
            let is_file = |other: &str| same_file(path, other);
            overlap(*lines, *of_found) && (found.file.as_deref().is_some_and(is_file) || is_file(written))
        }
        (Target::Commit { hash: one, path }, Target::Commit { hash: other, path: of_found }) => {
            let same_commit = one.starts_with(other.as_str()) || other.starts_with(one.as_str());
            let either = path.as_deref().zip(of_found.as_deref());
            same_commit && either.is_none_or(|(one, other)| same_file(one, other))
        }
        (Target::Past { hash: one, path, lines }, Target::Past { hash: other, path: written, lines: of_found }) => {
            let same_commit = one.starts_with(other.as_str()) || other.starts_with(one.as_str());
            same_commit && same_file(path, written) && overlap(*lines, *of_found)
        }
        (one, other) => one == other,
    }
}

/// Whether two paths can mean one file: the same, or one is the end of the other. They are read from their ends and only as
/// far as they are alike, since every place of a verdict is compared with all that are false.
pub(crate) fn same_file(one: &str, other: &str) -> bool {
    let (mut one, mut other) = (letters_back(one), letters_back(other));
    loop {
        match (one.next(), other.next()) {
            (None, None) => return true,
            (Some(c), None) | (None, Some(c)) => return c == '/',
            (Some(one), Some(other)) if one == other => {}
            _ => return false,
        }
    }
}

/// The letters of a path from its end, as far as they tell files apart.
fn letters_back(mut path: &str) -> impl Iterator<Item = char> {
    while let Some(rest) = path.strip_prefix("./").or_else(|| path.strip_prefix(".\\")) {
        path = rest;
    }
    let bare = path.trim_end_matches(['/', '\\']);
    bare.chars().rev().flat_map(char::to_lowercase).map(|c| if c == '\\' { '/' } else { c })
}

/// A file without lines is meant with all of its lines.
fn overlap(one: Option<Lines>, other: Option<Lines>) -> bool {
    one.zip(other).is_none_or(|(one, other)| one.first <= other.last && other.first <= one.last)
}

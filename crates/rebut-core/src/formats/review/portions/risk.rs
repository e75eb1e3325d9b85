//! How risky a piece of a change is: what a reader with little time should look at first.
//!
//! The score is simple on purpose: the weight of each group of names that a changed line or the path uses, once, and one
//! point for every twenty changed lines, at most ten. Tests, documents and generated files count a quarter of that.

/// Groups of names with their weight. A name counts by how a part of it begins, so that `auth` is found in
/// `is_authenticated` and `AuthToken`, but not in `coauthor`.
const NAMES: [(u32, &str); 8] = [
    (12, "auth passw secret token credential permission login session privilege csrf cors sanitiz escape"),
    (12, "crypt cipher encrypt decrypt hmac sha1 md5 nonce signature tls certificate random"),
    (10, "sql query select exec eval shell subprocess command system deserializ pickle"),
    (10, "unsafe transmute unchecked malloc free memcpy strcpy pointer ptr"),
    (8, "lock mutex atomic thread spawn async await concurren race channel semaphore"),
    (8, "migrat schema alter drop truncate delete remove transaction rollback commit"),
    (6, "error unwrap expect panic except catch throw raise retry timeout fallback"),
    (4, "parse index offset overflow cast money price amount payment limit"),
];

/// How the names of documents and generated files end.
const QUIET_ENDINGS: &str =
    ".md .txt .rst .adoc .lock .snap .svg .min.js .min.css .map -lock.json -lock.yaml go.sum .golden .pb.go _pb2.py";

/// Folders of tests, documents and generated files.
const QUIET_FOLDERS: &str = "test tests __tests__ spec specs docs doc fixtures snapshots testdata dist vendor";

/// The risk of changed lines in a file; the path may be empty.
pub(super) fn score<'a>(path: &str, lines: impl IntoIterator<Item = &'a str>) -> u32 {
    let mut used = [false; NAMES.len()];
    let mut total = 0_u32;
    note(path, &mut used);
    for line in lines {
        total = total.saturating_add(1);
        note(line, &mut used);
    }
    let named: u32 = NAMES.iter().zip(used).filter(|(_, used)| *used).map(|((weight, _), _)| weight).sum();
    let whole = named + (total / 20).min(10);
    if is_quiet(path) { whole / 4 } else { whole }
}

/// Notes the groups whose names a line uses.
fn note(line: &str, used: &mut [bool; NAMES.len()]) {
    for ((_, names), used) in NAMES.iter().zip(used).filter(|(_, used)| !**used) {
        *used = parts(line).any(|part| names.split(' ').any(|name| part.starts_with(name)));
    }
}

/// The parts of a line's names, in lower case: `isAuthToken` has three.
fn parts(line: &str) -> impl Iterator<Item = String> {
    let mut parts = vec![String::new()];
    let mut after_lower = false;
    for c in line.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && after_lower) {
            parts.push(String::new());
        }
        if let Some(part) = parts.last_mut().filter(|_| c.is_alphanumeric()) {
            part.extend(c.to_lowercase());
        }
        after_lower = c.is_lowercase();
    }
    parts.into_iter().filter(|part| part.len() >= 3)
}

fn is_quiet(path: &str) -> bool {
    let lower = path.to_lowercase();
    let (folders, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
    let stem = name.split('.').next().unwrap_or_default();
    QUIET_ENDINGS.split(' ').any(|ending| name.ends_with(ending))
        || folders.split('/').any(|folder| QUIET_FOLDERS.split(' ').any(|quiet| quiet == folder))
        || stem.starts_with("test_")
        || stem.ends_with("_test")
        || matches!(stem, "test" | "tests")
        || name.contains(".test.")
        || name.contains(".spec.")
}

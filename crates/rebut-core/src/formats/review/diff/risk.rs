//! How risky a piece of a change is: what a reader with little time should look at first.
//!
//! The score is simple on purpose. Each theme of [`THEMES`] that a changed line or the path speaks of adds its weight
//! once, and a quarter of it if many lines do; every twenty changed lines add one, at most ten. Tests, documents and files
//! that programs write count a quarter of that: they are read last, but they are read.

/// A theme: its weight, and the words that tell of it. A word counts where it stands at the beginning of a part of a
/// name, so that `auth` is found in `is_authenticated` and `AuthToken`, but not in `coauthor`.
const THEMES: [(u32, &[&str]); 8] = [
    (
        12,
        &[
            "auth",
            "passw",
            "secret",
            "token",
            "credential",
            "permission",
            "login",
            "session",
            "privilege",
            "csrf",
            "cors",
            "sanitiz",
            "escape",
        ],
    ),
    (
        12,
        &[
            "crypt",
            "cipher",
            "encrypt",
            "decrypt",
            "hmac",
            "sha1",
            "md5",
            "nonce",
            "signature",
            "tls",
            "certificate",
            "random",
        ],
    ),
    (10, &["sql", "query", "select", "exec", "eval", "shell", "subprocess", "command", "system", "deserializ", "pickle"]),
    (10, &["unsafe", "transmute", "unchecked", "malloc", "free", "memcpy", "strcpy", "pointer", "ptr"]),
    (8, &["lock", "mutex", "atomic", "thread", "spawn", "async", "await", "concurren", "race", "channel", "semaphore"]),
    (8, &["migrat", "schema", "alter", "drop", "truncate", "delete", "remove", "transaction", "rollback", "commit"]),
    (6, &["error", "unwrap", "expect", "panic", "except", "catch", "throw", "raise", "retry", "timeout", "fallback"]),
    (4, &["parse", "index", "offset", "overflow", "cast", "money", "price", "amount", "payment", "limit"]),
];

/// How many lines must speak of a theme for it to count as more than a mention.
const MANY: usize = 4;

/// The risk of changed lines in a file; the path may be empty.
pub(super) fn score<'a>(path: &str, lines: impl IntoIterator<Item = &'a str>) -> u32 {
    let mut counts = [0_usize; THEMES.len()];
    let mut total = 0_u32;
    note(path, &mut counts);
    for line in lines {
        total = total.saturating_add(1);
        note(line, &mut counts);
    }
    let themes = THEMES.iter().zip(counts).map(|((weight, _), count)| match count {
        0 => 0,
        count if count < MANY => *weight,
        _ => weight + weight / 4,
    });
    let whole = themes.sum::<u32>() + (total / 20).min(10);
    if is_quiet(path) { whole / 4 } else { whole }
}

/// Counts the themes that a line speaks of.
fn note(line: &str, counts: &mut [usize; THEMES.len()]) {
    let mut seen = [false; THEMES.len()];
    for part in parts(line) {
        // One long line would be looked at to its end for nothing.
        if seen.iter().all(|seen| *seen) {
            break;
        }
        for (theme, (_, words)) in THEMES.iter().enumerate() {
            seen[theme] |= !seen[theme] && words.iter().any(|word| part.starts_with(word));
        }
    }
    counts.iter_mut().zip(seen).for_each(|(count, seen)| *count += usize::from(seen));
}

/// The parts of a line's names, in lower case: `isAuthToken` has three.
fn parts(line: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let mut part = String::new();
    let mut before_lower = false;
    for c in line.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && before_lower) {
            parts.push(std::mem::take(&mut part));
        }
        if c.is_alphanumeric() {
            part.extend(c.to_lowercase());
        }
        before_lower = c.is_lowercase();
    }
    parts.push(part);
    parts.retain(|part| part.len() >= 3);
    parts
}

/// Endings of documents and of files that programs write.
const QUIET_ENDINGS: [&str; 16] = [
    ".md",
    ".txt",
    ".rst",
    ".adoc",
    ".lock",
    ".snap",
    ".svg",
    ".min.js",
    ".min.css",
    ".map",
    "-lock.json",
    "-lock.yaml",
    "go.sum",
    ".golden",
    ".pb.go",
    "_pb2.py",
];

/// Folders of tests, documents and what programs write.
const QUIET_FOLDERS: [&str; 12] =
    ["test", "tests", "__tests__", "spec", "specs", "docs", "doc", "fixtures", "snapshots", "testdata", "dist", "vendor"];

/// Whether a file is a test, a document or written by a program.
fn is_quiet(path: &str) -> bool {
    let lower = path.to_lowercase();
    let (folders, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
    let stem = name.split('.').next().unwrap_or_default();
    QUIET_ENDINGS.iter().any(|ending| name.ends_with(ending))
        || folders.split('/').any(|folder| QUIET_FOLDERS.contains(&folder))
        || stem.starts_with("test_")
        || stem.ends_with("_test")
        || matches!(stem, "test" | "tests")
        || name.contains(".test.")
        || name.contains(".spec.")
}

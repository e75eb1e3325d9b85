//! Searches: how many lines of the workspace match a pattern. No shell and no program: the engine looks itself.

use rebut_core::claims::check::{CheckResult, Resolved, Unread};
use regex::RegexBuilder;

use super::examiner::LINKED_OUT;
use super::texts::{Behind, Texts};

/// How many bytes are searched for one citation.
const MOST: usize = 256 * 1024 * 1024;
/// How large a pattern may become; one that is larger is not searched for.
const PATTERN_BYTES: usize = 1024 * 1024;

/// Counts the lines that match.
pub(super) fn search(texts: &Texts, pattern: &str, path: Option<&str>, count: Option<u64>) -> (CheckResult, String) {
    let Ok(pattern) = RegexBuilder::new(pattern).size_limit(PATTERN_BYTES).build() else {
        return (CheckResult::Unchecked, "it is no regular expression".to_owned());
    };
    let index = texts.index();
    // A folder may be named by a link to it.
    let linked = path.filter(|path| !matches!(index.resolve(path), Resolved::Folder | Resolved::Outside));
    let linked = match linked.and_then(|path| texts.behind_links(path)) {
        Some(Behind::Outside) => return (CheckResult::OutOfScope, LINKED_OUT.to_owned()),
        Some(Behind::Inside(real)) => Some(real),
        None => None,
    };
    let path = linked.as_deref().or(path);
    let places: Vec<usize> = match path.map(|path| (path, index.resolve(path))) {
        None => (0..index.paths().len()).collect(),
        Some((_, Resolved::File(at))) => vec![at],
        Some((path, Resolved::Folder)) => index.below(path.trim_start_matches("./")).collect(),
        Some((_, Resolved::Ambiguous(files))) => {
            return (CheckResult::Ambiguous, format!("it could be {}", files.join(" or ")));
        }
        Some((_, Resolved::Outside)) => {
            return (CheckResult::OutOfScope, "it lies outside of the workspace and was not read".to_owned());
        }
        Some((_, Resolved::Missing(_))) => return (CheckResult::Missing, "there is no such file or folder".to_owned()),
    };
    let mut matching = 0_u64;
    let mut bytes = 0;
    for at in places {
        match texts.read(at) {
            Ok(text) => {
                bytes += text.len();
                matching += text.lines().filter(|line| pattern.is_match(line)).count() as u64;
            }
            Err(Unread::Changed) => {
                return (CheckResult::ChangedSince, "a file is another one than when the debate began".to_owned());
            }
            // What cannot be read is searched by nobody.
            Err(_) => {}
        }
        if bytes > MOST {
            return (CheckResult::Unchecked, "there is too much to search".to_owned());
        }
    }
    let lines = if matching == 1 { "1 line matches".to_owned() } else { format!("{matching} lines match") };
    let holds = count.map_or(matching > 0, |count| count == matching);
    (if holds { CheckResult::Verified } else { CheckResult::Mismatch }, lines)
}

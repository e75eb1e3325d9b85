//! Searches: how many lines of the workspace match a pattern. No shell and no program: the engine looks itself.

use rebut_core::evidence::check::{CheckResult, Judgement, Resolved, SearchBudget, Unread};
use regex::RegexBuilder;
use tokio_util::sync::CancellationToken;

use super::texts::Texts;

/// How many bytes are searched for one citation.
const MOST: usize = 256 * 1024 * 1024;
/// How large a pattern may become; one that is larger is not searched for.
const PATTERN_BYTES: usize = 1024 * 1024;

/// Counts the lines within a file or folder that match; `count` of them are claimed to, or at least one. All searches for a
/// statement share one budget; once cancelled it ends soon.
pub(super) fn search(
    texts: &Texts,
    pattern: &str,
    within: Option<&str>,
    count: Option<u64>,
    budget: &mut SearchBudget,
    cancel: &CancellationToken,
) -> Judgement {
    let expression = match RegexBuilder::new(pattern).size_limit(PATTERN_BYTES).build() {
        Ok(expression) => expression,
        Err(regex::Error::CompiledTooBig(_)) => return Judgement::unchecked("the pattern is too large"),
        Err(_) => return Judgement::unchecked("the pattern is not a regular expression that rebut can read"),
    };
    let index = texts.index();
    // A folder may be named by a link to it.
    let linked = within.filter(|path| !matches!(index.resolve(path), Resolved::Folder | Resolved::Outside));
    let linked = match linked.and_then(|path| texts.through_symlinks(path)) {
        Some(Err(judgement)) => return judgement,
        Some(Ok(real)) => Some(real),
        None => None,
    };
    let within = linked.as_deref().or(within);
    let resolved = within.map(|path| (path, index.resolve(path)));
    // A file that is named is searched or not; of a folder some files may be searched and others not.
    let named = matches!(resolved, Some((_, Resolved::File(_))));
    let places: Vec<usize> = match resolved {
        None => (0..index.paths().len()).collect(),
        Some((_, Resolved::File(at))) => vec![at],
        Some((path, Resolved::Folder)) => {
            index.folder(path).map(|folder| index.below(&folder).collect()).unwrap_or_default()
        }
        Some((_, unclear @ (Resolved::Ambiguous(_) | Resolved::Outside))) => return unclear.into(),
        Some((path, Resolved::Missing(_))) => {
            return texts.instead_of_missing(path).unwrap_or_else(|| Judgement::missing("no such file or folder"));
        }
    };
    let (mut lines, mut literal, mut unsearched, mut bytes) = (0_u64, 0_u64, 0_u64, 0);
    for at in places {
        // What a link leads to is searched where it is: nothing is counted twice.
        if !named && texts.is_symlink(at) {
            continue;
        }
        if cancel.is_cancelled() {
            return Judgement::unchecked("the search was cancelled");
        }
        match texts.read(at) {
            Ok(text) => {
                bytes += text.len();
                if let Err(exhausted) = budget.search(text.len()) {
                    return Judgement::unchecked(exhausted.to_string());
                }
                for line in text.lines() {
                    if expression.is_match(line) {
                        lines += 1;
                    } else if line.contains(pattern) {
                        literal += 1;
                    }
                }
            }
            Err(Unread::Changed) => {
                return Judgement::new(CheckResult::ChangedSince, "a file changed after the debate began");
            }
            Err(unread) if named => return unread.into(),
            Err(_) => unsearched += 1,
        }
        if bytes > MOST {
            return Judgement::unchecked("there is too much to search");
        }
    }
    // `lock().unwrap()` means these very characters, and as an expression it says something else.
    if literal > 0 {
        let detail = format!("{} the expression, and {literal} more contain it literally", matching(lines));
        return Judgement::unchecked(detail);
    }
    judged(lines, unsearched, count)
}

fn matching(lines: u64) -> String {
    if lines == 1 { "1 line matches".to_owned() } else { format!("{lines} lines match") }
}

/// Whether as many lines match as claimed; at least one if no number is claimed. What was not searched may hold more of
/// them, and never takes one away.
fn judged(lines: u64, unsearched: u64, count: Option<u64>) -> Judgement {
    let detail = match unsearched {
        0 => matching(lines),
        1 => format!("{}, 1 file was not searched", matching(lines)),
        more => format!("{}, {more} files were not searched", matching(lines)),
    };
    let result = match count {
        None if lines > 0 => CheckResult::Verified,
        Some(count) if lines > count => CheckResult::Mismatch,
        _ if unsearched > 0 => CheckResult::Unchecked,
        Some(count) if count == lines => CheckResult::Verified,
        _ => CheckResult::Mismatch,
    };
    Judgement::new(result, detail)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::workspace::pin::{Content, Entry, Files, Kind, ReadError};

    #[derive(Debug)]
    struct One([Entry; 1]);

    impl Files for One {
        fn entries(&self) -> &[Entry] {
            &self.0
        }

        fn content(&self, _entry: &Entry) -> Result<Content, ReadError> {
            Ok(Content { bytes: vec![b'a'; 100], changed_since: false })
        }
    }

    #[test]
    fn all_searches_for_a_statement_have_one_budget_and_end_when_they_are_cancelled() {
        let file = Entry::new("a.rs".to_owned(), Kind::File { executable: false }, 100);
        let texts = Texts::new(Arc::new(One([file])), Vec::new());
        let mut budget = SearchBudget::of(250);
        let cancel = CancellationToken::new();
        let results = [(); 3].map(|()| search(&texts, "a", None, None, &mut budget, &cancel).result);
        assert_eq!(results, [CheckResult::Verified, CheckResult::Verified, CheckResult::Unchecked]);
        cancel.cancel();
        let found = search(&texts, "a", None, None, &mut SearchBudget::default(), &cancel);
        assert_eq!(found, Judgement::unchecked("the search was cancelled"));
    }

    #[test]
    fn a_count_holds_only_where_everything_was_searched() {
        use CheckResult::{Mismatch, Unchecked, Verified};
        for (matching, unsearched, count, expected) in [
            (0, 0, Some(0), Verified),
            (0, 1, Some(0), Unchecked),
            (3, 2, Some(3), Unchecked),
            (3, 2, Some(4), Unchecked),
            (3, 2, Some(2), Mismatch),
            (3, 0, Some(4), Mismatch),
            (3, 2, None, Verified),
            (0, 2, None, Unchecked),
            (0, 0, None, Mismatch),
        ] {
            assert_eq!(judged(matching, unsearched, count).result, expected, "{matching} {unsearched} {count:?}");
        }
        assert_eq!(judged(1, 2, None).detail, "1 line matches, 2 files were not searched");
    }
}

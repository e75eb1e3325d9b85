//! Searches: how many lines of the workspace match a pattern. No shell and no program: the engine looks itself.

use rebut_core::claims::check::{CheckResult, Patience, Resolved, Unread};
use regex::{Regex, RegexBuilder};
use tokio_util::sync::CancellationToken;

use super::examiner::LINKED_OUT;
use super::pin::{ReadError, Why};
use super::texts::{Behind, Texts};

/// How many bytes are searched for one citation.
const MOST: usize = 256 * 1024 * 1024;
/// How large a pattern may become; one that is larger is not searched for.
const PATTERN_BYTES: usize = 1024 * 1024;

/// What is searched for.
pub(super) struct Wanted<'a> {
    pub(super) pattern: &'a str,
    pub(super) path: Option<&'a str>,
    pub(super) count: Option<u64>,
}

/// Counts the lines that match. All searches of a text have one patience; once cancelled it ends soon.
pub(super) fn search(
    texts: &Texts,
    wanted: &Wanted<'_>,
    patience: &mut Patience,
    cancel: &CancellationToken,
) -> (CheckResult, String) {
    let Wanted { pattern, path, count } = *wanted;
    // Whoever writes `lock().unwrap()` means these very letters: they are counted as well, and count where the expression
    // does not say so, or is none.
    let literal = regex::escape(pattern);
    let built = |pattern: &str| RegexBuilder::new(pattern).size_limit(PATTERN_BYTES).build().ok();
    let (expression, literal) = (built(pattern), (literal != pattern).then(|| built(&literal)).flatten());
    let index = texts.index();
    // A folder may be named by a link to it.
    let linked = path.filter(|path| !matches!(index.resolve_alone(path), Resolved::Folder | Resolved::Outside));
    let linked = match linked.and_then(|path| texts.behind_links(path)) {
        Some(Behind::Outside) => return (CheckResult::OutOfScope, LINKED_OUT.to_owned()),
        Some(Behind::Inside(real)) => Some(real),
        None => None,
    };
    let path = linked.as_deref().or(path);
    let places: Vec<usize> = match path.map(|path| (path, index.resolve_alone(path))) {
        None => (0..index.paths().len()).collect(),
        Some((_, Resolved::File(at))) => vec![at],
        Some((path, Resolved::Folder)) => match index.folder(path) {
            Some(folder) => index.below(&folder).collect(),
            None => return (CheckResult::Unchecked, ODD_PLACE.to_owned()),
        },
        Some((_, Resolved::Ambiguous(files))) => {
            return (CheckResult::Ambiguous, format!("it could be {}", files.join(" or ")));
        }
        Some((_, Resolved::Outside)) => {
            return (CheckResult::OutOfScope, "it lies outside of the workspace and was not read".to_owned());
        }
        Some((path, Resolved::Missing(_))) if texts.is_special(path) => {
            return (CheckResult::Unchecked, ReadError::Left(Why::Special).to_string());
        }
        // Several places, or words beside one: nobody can say what would have been searched.
        Some((path, Resolved::Missing(_))) if path.contains(char::is_whitespace) => {
            return (CheckResult::Unchecked, ODD_PLACE.to_owned());
        }
        Some((_, Resolved::Missing(_))) => return (CheckResult::Missing, "there is no such file or folder".to_owned()),
    };
    // A file that is named is searched or not; of a folder some files may be searched and others not.
    let named = matches!(path.map(|path| index.resolve_alone(path)), Some(Resolved::File(_)));
    let (mut matching, mut as_written) = (0_u64, 0_u64);
    let mut unsearched = 0_u64;
    let mut bytes = 0;
    for at in places {
        // What a link leads to is searched where it lies: nothing is counted twice.
        if !named && texts.is_link(at) {
            continue;
        }
        if cancel.is_cancelled() {
            return (CheckResult::Unchecked, "the search was broken off".to_owned());
        }
        match texts.read(at) {
            Ok(text) => {
                bytes += text.len();
                if let Err(weary) = patience.search(text.len()) {
                    return (CheckResult::Unchecked, weary.to_string());
                }
                let count = |pattern: &Option<Regex>| {
                    let Some(pattern) = pattern else { return 0 };
                    text.lines().filter(|line| pattern.is_match(line)).count() as u64
                };
                matching += count(&expression);
                as_written += count(&literal);
            }
            Err(Unread::Changed) => {
                return (CheckResult::ChangedSince, "a file is another one than when the debate began".to_owned());
            }
            Err(unread) if named => return not_searched(unread),
            Err(_) => unsearched += 1,
        }
        if bytes > MOST {
            return (CheckResult::Unchecked, "there is too much to search".to_owned());
        }
    }
    let by_expression = expression.map(|_| judge(matching, unsearched, count));
    let by_letter = literal.map(|_| judge(as_written, unsearched, count));
    match (by_expression, by_letter) {
        (Some(found), _) if found.0 == CheckResult::Verified => found,
        (_, Some((CheckResult::Verified, told))) => (CheckResult::Verified, format!("{told} by the letter")),
        (Some(found), _) => found,
        (None, _) => {
            (CheckResult::Unchecked, "it is no regular expression, and does not stand there by the letter".to_owned())
        }
    }
}

/// What is said of a place that is more than a place.
const ODD_PLACE: &str = "where it is to be searched is not one file or folder";

/// What is said of a search in one file that cannot be read.
fn not_searched(unread: Unread) -> (CheckResult, String) {
    match unread {
        Unread::Outside => (CheckResult::OutOfScope, LINKED_OUT.to_owned()),
        Unread::Gone => (CheckResult::ChangedSince, "it was there when the files were listed, and is gone".to_owned()),
        Unread::Changed => (CheckResult::ChangedSince, "it is another one than when the debate began".to_owned()),
        Unread::Closed(why) => (CheckResult::Unchecked, format!("it was not searched: {why}")),
    }
}

/// Whether so many lines are as many as is said. What was not searched may hold more of them, and never takes one away.
fn judge(matching: u64, unsearched: u64, count: Option<u64>) -> (CheckResult, String) {
    let lines = if matching == 1 { "1 line matches".to_owned() } else { format!("{matching} lines match") };
    let told = match unsearched {
        0 => lines,
        1 => format!("{lines}, 1 file was not searched"),
        more => format!("{lines}, {more} files were not searched"),
    };
    let result = match count {
        None if matching > 0 => CheckResult::Verified,
        Some(count) if matching > count => CheckResult::Mismatch,
        _ if unsearched > 0 => CheckResult::Unchecked,
        Some(count) if count == matching => CheckResult::Verified,
        _ => CheckResult::Mismatch,
    };
    (result, told)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::pin::{Content, Entry, Files, Kind};
    use super::*;

    /// A file of a hundred bytes.
    struct Hundred([Entry; 1]);

    impl Files for Hundred {
        fn entries(&self) -> &[Entry] {
            &self.0
        }

        fn content(&self, _entry: &Entry) -> Result<Content, ReadError> {
            Ok(Content { bytes: vec![b'a'; 100], changed_since: false })
        }

        fn is_live(&self) -> bool {
            false
        }
    }

    #[test]
    fn all_searches_of_a_text_have_one_patience_and_end_when_they_are_cancelled() {
        let file = Entry::new(b"a.rs".to_vec(), Kind::File { executable: false }, 100);
        let texts = Texts::new(Arc::new(Hundred([file])), Vec::new());
        let wanted = Wanted { pattern: "a", path: None, count: None };
        let mut patience = Patience::to_search(250);
        let cancel = CancellationToken::new();
        let results = [(); 3].map(|()| search(&texts, &wanted, &mut patience, &cancel).0);
        assert_eq!(results, [CheckResult::Verified, CheckResult::Verified, CheckResult::Unchecked]);
        cancel.cancel();
        let (result, detail) = search(&texts, &wanted, &mut Patience::default(), &cancel);
        assert_eq!((result, detail.as_str()), (CheckResult::Unchecked, "the search was broken off"));
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
            assert_eq!(judge(matching, unsearched, count).0, expected, "{matching} {unsearched} {count:?}");
        }
        assert_eq!(judge(1, 2, None).1, "1 line matches, 2 files were not searched");
    }
}

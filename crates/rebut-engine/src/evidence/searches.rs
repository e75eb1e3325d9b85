//! Searches: how many lines of the workspace match a pattern. No shell and no program: the engine looks itself.

use rebut_core::claims::check::{CheckResult, PathIndex, Patience, Resolved, Unread};
use regex::{Regex, RegexBuilder};
use tokio_util::sync::CancellationToken;

use super::texts::{Behind, LINKED_OUT, Texts};

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
    let Readings { expression, letters, other_dialect } = match Readings::of(pattern) {
        Ok(readings) => readings,
        Err(why) => return (CheckResult::Unchecked, why.to_owned()),
    };
    let index = texts.index();
    // A folder may be named by a link to it.
    let linked = path.filter(|path| !matches!(index.resolve_alone(path), Resolved::Folder | Resolved::Outside));
    let linked = match linked.and_then(|path| texts.behind_links(path)) {
        Some(Behind::Nowhere(result, why)) => return (result, why.to_owned()),
        Some(Behind::Inside(real)) => Some(real),
        None => None,
    };
    let path = linked.as_deref().or(path);
    // Elsewhere a path may be written in other letters, and so it may here.
    let in_other_letters = path.and_then(|path| folder_in_other_letters(index, path));
    let path = in_other_letters.as_deref().or(path);
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
        // Several places, lines of one or words beside it: nobody can say what would have been searched.
        Some((path, Resolved::Missing(_))) if path.contains(|c: char| c.is_whitespace() || c == ':') => {
            return (CheckResult::Unchecked, ODD_PLACE.to_owned());
        }
        Some((path, Resolved::Missing(_))) => {
            let missing = || (CheckResult::Missing, "there is no such file or folder".to_owned());
            return texts.instead_of_missing(path).unwrap_or_else(missing);
        }
    };
    // A file that is named is searched or not; of a folder some files may be searched and others not.
    let named = matches!(path.map(|path| index.resolve_alone(path)), Some(Resolved::File(_)));
    let (mut matching, mut by_letter) = (0_u64, 0_u64);
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
                by_letter += count(&letters);
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
    let found = |lines| Found { lines, unsearched, count };
    let by_letter = letters.map(|_| found(by_letter));
    match (expression.map(|_| found(matching)), by_letter) {
        (Some(by_expression), Some(by_letter)) => of_both(by_expression, by_letter),
        (Some(by_expression), None) => by_expression.judged(),
        // What another program reads as an expression says nothing about its letters, unless they do stand there.
        (None, Some(by_letter)) if by_letter.lines == 0 && other_dialect => {
            (CheckResult::Unchecked, "the pattern cannot be read as an expression, and does not stand there".to_owned())
        }
        (None, Some(by_letter)) => by_letter.judged_by_letter(),
        (None, None) => (CheckResult::Unchecked, "the pattern cannot be read as an expression".to_owned()),
    }
}

/// The folder that is meant by a path in other letters, where it is the only one.
fn folder_in_other_letters(index: &PathIndex, path: &str) -> Option<String> {
    let plain = path.trim().trim_start_matches("./").trim_end_matches('/');
    let wanted = plain.to_lowercase();
    if wanted.is_empty() || !matches!(index.resolve_alone(path), Resolved::Missing(_)) {
        return None;
    }
    let depth = plain.split('/').count();
    let named = |file: &String| {
        let end = file.match_indices('/').nth(depth - 1)?.0;
        Some(file[..end].to_owned()).filter(|folder| folder.to_lowercase() == wanted)
    };
    let mut folders: Vec<String> = index.paths().iter().filter_map(named).collect();
    folders.dedup();
    match &mut folders[..] {
        [only] => Some(std::mem::take(only)),
        _ => None,
    }
}

/// The two ways to read a pattern: as an expression, and by its letters. Whoever writes `lock().unwrap()` means these
/// very letters, and as an expression it says something else.
struct Readings {
    expression: Option<Regex>,
    /// None where the expression says the same.
    letters: Option<Regex>,
    /// Whether it may be an expression of another program's.
    other_dialect: bool,
}

impl Readings {
    fn of(pattern: &str) -> Result<Self, &'static str> {
        let built = |pattern: &str| match RegexBuilder::new(pattern).size_limit(PATTERN_BYTES).build() {
            Ok(built) => Ok(Some(built)),
            Err(regex::Error::CompiledTooBig(_)) => Err("the pattern is too large to be searched for"),
            Err(_) => Ok(None),
        };
        // What the flags `-i` and `-w` have put around the pattern belongs around its letters too.
        let (before, bare) = pattern.strip_prefix("(?i)").map_or(("", pattern), |bare| ("(?i)", bare));
        let whole_word = bare.strip_prefix("\\b(?:").and_then(|bare| bare.strip_suffix(")\\b"));
        let bare = whole_word.unwrap_or(bare);
        let letters = regex::escape(bare);
        let letters = if whole_word.is_some() { format!("\\b(?:{letters})\\b") } else { letters };
        let letters = if says_letters(bare) { None } else { built(&format!("{before}{letters}"))? };
        let other_dialect = bare.contains("(?") || bare.contains('\\');
        Ok(Self { expression: built(pattern)?, letters, other_dialect })
    }
}

/// Whether a pattern is nothing but letters, also as an expression: whatever has a meaning there is escaped.
fn says_letters(pattern: &str) -> bool {
    let mut rest = pattern.chars();
    while let Some(letter) = rest.next() {
        let plain = match letter {
            '\\' => rest.next().is_some_and(|escaped| !escaped.is_alphanumeric()),
            letter => !".+*?()|[]{}^$".contains(letter),
        };
        if !plain {
            return false;
        }
    }
    true
}

/// How many lines were found.
#[derive(Clone, Copy)]
struct Found {
    lines: u64,
    /// How many files were not searched.
    unsearched: u64,
    /// How many lines are said to match; at least one without a number.
    count: Option<u64>,
}

/// What both readings of a pattern say together. A number holds only where neither says otherwise: a claim that something
/// stands nowhere must not be verified by a reading that nobody meant.
fn of_both(by_expression: Found, by_letter: Found) -> (CheckResult, String) {
    let (told, told_by_letter) = (by_expression.judged(), by_letter.judged_by_letter());
    match (told.0, told_by_letter.0) {
        // The letters are some of what the expression finds, or the number is of no account.
        (CheckResult::Verified, _) if by_expression.count.is_none() || by_letter.lines <= by_expression.lines => told,
        // An expression that finds nothing was not meant as one.
        (_, CheckResult::Verified) if by_expression.count.is_none() || by_expression.lines == 0 => told_by_letter,
        (one, other) if one == other => told,
        _ => {
            let (lines, letters) = (by_expression.lines, by_letter.lines);
            (CheckResult::Unchecked, format!("{} as an expression, {letters} by the letter", matching(lines)))
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

fn matching(lines: u64) -> String {
    if lines == 1 { "1 line matches".to_owned() } else { format!("{lines} lines match") }
}

impl Found {
    /// Whether so many lines are as many as is said. What was not searched may hold more of them, and never takes one away.
    fn judged(self) -> (CheckResult, String) {
        let Self { lines, unsearched, count } = self;
        let told = match unsearched {
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
        (result, told)
    }

    /// The same for what stands there by its letters.
    fn judged_by_letter(self) -> (CheckResult, String) {
        let (result, told) = self.judged();
        (result, format!("{told} by the letter"))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::pin::{Content, Entry, Files, Kind, ReadError};
    use super::*;

    /// One file.
    struct One([Entry; 1], Vec<u8>);

    impl Files for One {
        fn entries(&self) -> &[Entry] {
            &self.0
        }

        fn content(&self, _entry: &Entry) -> Result<Content, ReadError> {
            Ok(Content { bytes: self.1.clone(), changed_since: false })
        }

        fn is_live(&self) -> bool {
            false
        }
    }

    fn one(path: &str, content: &[u8]) -> Texts {
        let file = Entry::new(path.into(), Kind::File { executable: false }, content.len() as u64);
        Texts::new(Arc::new(One([file], content.to_vec())), Vec::new())
    }

    #[test]
    fn all_searches_of_a_text_have_one_patience_and_end_when_they_are_cancelled() {
        let texts = one("a.rs", &[b'a'; 100]);
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
            assert_eq!(
                Found { lines: matching, unsearched, count }.judged().0,
                expected,
                "{matching} {unsearched} {count:?}"
            );
        }
        let told = Found { lines: 1, unsearched: 2, count: None }.judged().1;
        assert_eq!(told, "1 line matches, 2 files were not searched");
    }

    #[test]
    fn a_number_holds_only_where_neither_reading_says_otherwise() {
        use CheckResult::{Mismatch, Unchecked, Verified};
        let texts =
            one("src/pool.rs", b"let g = self.idle.lock().unwrap();\nlock().unwrap()\nself_idle\nLOCK()\ndrop(g);\n");
        for (pattern, count, expected, told) in [
            // As an expression it finds nothing, and by the letter it stands twice.
            ("lock().unwrap()", Some(0), Unchecked, "0 lines match as an expression, 2 by the letter"),
            ("lock().unwrap()", Some(2), Verified, "2 lines match by the letter"),
            ("lock().unwrap()", Some(3), Mismatch, "0 lines match"),
            ("lock().unwrap()", None, Verified, "2 lines match by the letter"),
            // The letters are some of what the expression finds.
            ("self.idle", Some(2), Verified, "2 lines match"),
            ("self.idle", Some(1), Unchecked, "2 lines match as an expression, 1 by the letter"),
            ("lock|drop", Some(3), Verified, "3 lines match"),
            ("lock|drop", Some(0), Unchecked, "3 lines match as an expression, 0 by the letter"),
            // Flags belong to both readings, and what is escaped has one alone.
            ("(?i)lock()", Some(3), Verified, "3 lines match"),
            ("(?i)lock().unwrap()", Some(0), Unchecked, "0 lines match as an expression, 2 by the letter"),
            ("\\b(?:idle.lock().unwrap)\\b", Some(0), Unchecked, "0 lines match as an expression, 1 by the letter"),
            ("lock\\(\\)\\.unwrap\\(\\)", Some(0), Mismatch, "2 lines match"),
            // No expression at all.
            ("drop(", Some(1), Verified, "1 line matches by the letter"),
            ("drop(", Some(3), Mismatch, "1 line matches by the letter"),
            ("push(", Some(0), Verified, "0 lines match by the letter"),
            ("drop(?=g)", Some(0), Unchecked, "the pattern cannot be read as an expression, and does not stand there"),
        ] {
            let wanted = Wanted { pattern, path: Some("src/pool.rs"), count };
            let found = search(&texts, &wanted, &mut Patience::default(), &CancellationToken::new());
            assert_eq!(found, (expected, told.to_owned()), "{pattern} {count:?}");
        }
    }

    #[test]
    fn a_place_in_other_letters_is_meant_and_one_that_is_more_than_a_place_is_no_lie() {
        let texts = one("Src/Net/pool.rs", b"fn f() {}\n");
        for (path, expected) in [
            ("Src", CheckResult::Verified),
            ("SRC", CheckResult::Verified),
            ("./src/net/", CheckResult::Verified),
            ("src/nets", CheckResult::Missing),
            ("Src/Net/pool.rs:1-2", CheckResult::Unchecked),
            (".git", CheckResult::OutOfScope),
        ] {
            let wanted = Wanted { pattern: "fn", path: Some(path), count: Some(1) };
            let found = search(&texts, &wanted, &mut Patience::default(), &CancellationToken::new());
            assert_eq!(found.0, expected, "{path}: {}", found.1);
        }
    }
}

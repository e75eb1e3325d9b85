//! Whether a file, a page or a text of the debate says what evidence says it does.

use super::super::{Evidence, Lines, Subject};
use super::nearest::{Nearest, nearest};
use super::{CheckResult, Checked, Cited, FileText, Judgement, PathIndex, Resolved, SearchBudget};

/// How many lines after the cited ones a quote in parts may end.
const NEAR: u32 = 5;
/// The shortest quote that shows anything, in bytes.
const SHORTEST_QUOTE: usize = 3;

/// Why a file that is listed was not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unread {
    /// It leads out of the workspace.
    Outside,
    /// It was there when the files were listed, and is gone.
    Gone,
    /// It changed after the debate began.
    Changed,
    /// It can't be read, for this reason: `it is binary`.
    Closed(String),
}

impl From<Unread> for Judgement {
    fn from(unread: Unread) -> Self {
        match unread {
            Unread::Outside => Self::out_of_scope("a symlink out of the workspace, not read"),
            Unread::Gone => Self::new(CheckResult::ChangedSince, "the file is gone"),
            Unread::Changed => Self::new(CheckResult::ChangedSince, "the file changed after the debate began"),
            Unread::Closed(why) => Self::unchecked(why),
        }
    }
}

impl From<Resolved> for Judgement {
    /// What a path alone shows.
    fn from(resolved: Resolved) -> Self {
        match resolved {
            Resolved::File(_) => Self::new(CheckResult::Verified, "file exists"),
            Resolved::Folder => Self::new(CheckResult::Invalid, "a folder is not evidence"),
            Resolved::Ambiguous(files) => Self::new(CheckResult::Ambiguous, format!("could be {}", files.join(" or "))),
            Resolved::Missing(Some(other)) => Self::missing(format!("no such file (there is {other})")),
            Resolved::Missing(None) => Self::missing("no such file"),
            Resolved::Outside => Self::out_of_scope("outside the workspace, not read"),
        }
    }
}

/// Looks up evidence of a file. `read` gives the text of the file at a place of the index.
pub fn check_file<T: AsRef<FileText>>(
    cited: Cited,
    index: &PathIndex,
    read: impl FnOnce(usize) -> Result<T, Unread>,
    budget: &mut SearchBudget,
) -> Checked {
    let Subject::File { path, lines } = cited.evidence.subject() else {
        return Checked::of(cited, Judgement::unchecked("not a file"));
    };
    let at = match index.resolve(path) {
        Resolved::File(at) => at,
        other => return Checked::of(cited, other.into()),
    };
    let file = Some(index.paths()[at].clone());
    let (judgement, passage) = match read(at) {
        Ok(text) => {
            let judgement = judge_text(text.as_ref(), &cited.evidence, budget);
            let wanted = cited.with_text && judgement.result.holds();
            let passage = wanted.then(|| text.as_ref().passage(judgement.lines.or(lines)));
            (judgement, passage)
        }
        Err(Unread::Closed(why)) if lines.is_none() && cited.evidence.quote.is_none() => {
            (Judgement::new(CheckResult::Verified, format!("file exists ({why})")), None)
        }
        Err(unread) => (unread.into(), None),
    };
    Checked { file, passage, ..Checked::of(cited, judgement) }
}

/// Looks up evidence in texts that exist in the debate alone, such as a proposal under review: none where it names another
/// file. A name that begins with `./` is meant by exactly that path, any other in whatever folder.
pub fn check_texts(cited: &Cited, texts: &[(String, FileText)], budget: &mut SearchBudget) -> Option<Checked> {
    let Subject::File { path, .. } = cited.evidence.subject() else { return None };
    let plain = path.trim_start_matches("./");
    let is_meant = |name: &str| match name.strip_prefix("./") {
        Some(whole) => plain == whole || plain.strip_prefix("a/") == Some(whole),
        None => plain.rsplit('/').next() == Some(name),
    };
    let (name, text) = texts.iter().find(|(name, _)| is_meant(name))?;
    let judgement = judge_text(text, &cited.evidence, budget);
    let file = Some(name.trim_start_matches("./").to_owned());
    Some(as_claimed(Checked { file, ..Checked::of(cited.clone(), judgement) }))
}

/// Judges lines and quote by the file's text.
pub fn judge_text(file: &FileText, evidence: &Evidence, budget: &mut SearchBudget) -> Judgement {
    // Where something is said to be absent, lines only say where it is not.
    let lines = evidence.lines.filter(|_| !evidence.absent || evidence.quote.is_some());
    if lines.is_some_and(|lines| lines.first == 0) {
        return Judgement::new(CheckResult::Mismatch, "lines are counted from 1");
    }
    let too_far = lines.is_some_and(|lines| lines.last > file.line_count());
    let Some(quote) = evidence.quote.as_deref() else {
        return match lines {
            Some(_) if too_far => Judgement::new(CheckResult::Mismatch, length(file)),
            Some(lines) => Judgement::new(CheckResult::Verified, "lines exist (no quote to check)").at(lines),
            None => Judgement::new(CheckResult::Verified, "file exists"),
        };
    };
    if quote.trim().len() < SHORTEST_QUOTE {
        return Judgement::new(CheckResult::Invalid, "the quote is too short to check");
    }
    if evidence.absent {
        return judge_absence(file, quote, lines.filter(|_| !too_far), too_far, budget);
    }
    match file.find(quote, lines, budget) {
        Err(exhausted) => Judgement::unchecked(exhausted.to_string()),
        Ok(Some(at)) if lines.is_none_or(|lines| is_there(lines, at)) && !too_far => {
            Judgement::new(CheckResult::Verified, "quote found").at(at)
        }
        Ok(Some(at)) => Judgement::new(CheckResult::Relocated, format!("the quote is at {}", shown(at))).at(at),
        Ok(None) => {
            let length = if too_far { format!("{}; ", length(file)) } else { String::new() };
            match nearest(file, quote, budget) {
                Some(Nearest { lines, likeness }) => {
                    let detail = format!("{length}quote not found; {} is {likeness}% similar", shown(lines));
                    Judgement::new(CheckResult::Mismatch, detail).at(lines)
                }
                None => Judgement::new(CheckResult::Mismatch, format!("{length}quote not found")),
            }
        }
    }
}

/// Whether a quote that is said to be absent is: only a search that ran and found nothing shows it.
fn judge_absence(file: &FileText, quote: &str, lines: Option<Lines>, too_far: bool, budget: &mut SearchBudget) -> Judgement {
    if too_far {
        return Judgement::new(CheckResult::Mismatch, length(file));
    }
    match file.find(quote, lines, budget) {
        Err(exhausted) => Judgement::unchecked(exhausted.to_string()),
        Ok(None) => Judgement::new(CheckResult::Verified, "not there, as claimed"),
        Ok(Some(at)) if lines.is_none_or(|lines| is_there(lines, at)) => {
            Judgement::new(CheckResult::Mismatch, "the quote is there").at(at)
        }
        Ok(Some(at)) => {
            let detail = format!("not there, as claimed; the quote is at {}", shown(at));
            Judgement::new(CheckResult::Verified, detail).at(at)
        }
    }
}

/// Judges a quote by the text of a page; lines mean nothing there.
pub fn judge_page(page: &FileText, evidence: &Evidence, budget: &mut SearchBudget) -> Judgement {
    match evidence.quote.as_deref().map(|quote| (quote, page.find(quote, None, budget))) {
        None => Judgement::new(CheckResult::Verified, "page exists (no quote to check)"),
        Some((_, Err(exhausted))) => Judgement::unchecked(exhausted.to_string()),
        Some((_, Ok(Some(_)))) => Judgement::new(CheckResult::Verified, "quote found"),
        Some((quote, Ok(None))) => match nearest(page, quote, budget) {
            Some(Nearest { likeness, .. }) => {
                Judgement::new(CheckResult::Mismatch, format!("quote not found; the nearest words are {likeness}% similar"))
            }
            None => Judgement::new(CheckResult::Mismatch, "quote not found"),
        },
    }
}

/// The finding for evidence that claims that something does not exist: what is missing is as claimed, and what is there is
/// not. Quotes were judged by the text already.
pub fn as_claimed(checked: Checked) -> Checked {
    if !checked.evidence.absent || checked.evidence.quote.is_some() {
        return checked;
    }
    inverted(checked, CheckResult::Missing, "does not exist, as claimed", "it exists")
}

/// The same for a quote that was searched in whole texts, as those of a page or commit.
pub fn quote_as_claimed(checked: Checked) -> Checked {
    if !checked.evidence.absent || checked.evidence.quote.is_none() {
        return as_claimed(checked);
    }
    inverted(checked, CheckResult::Mismatch, "not there, as claimed", "the quote is there")
}

fn inverted(checked: Checked, absent: CheckResult, as_claimed: &str, is_there: &str) -> Checked {
    let (result, detail) = match checked.result {
        result if result == absent => (CheckResult::Verified, as_claimed.to_owned()),
        CheckResult::Verified => (CheckResult::Mismatch, is_there.to_owned()),
        _ => return checked,
    };
    Checked { result, detail, ..checked }
}

/// Whether a quote begins in the cited lines and ends in or near them.
fn is_there(lines: Lines, at: Lines) -> bool {
    (lines.first..=lines.last).contains(&at.first) && at.last <= lines.last.saturating_add(NEAR).max(at.first)
}

fn length(file: &FileText) -> String {
    match file.line_count() {
        1 => "the file has 1 line".to_owned(),
        count => format!("the file has {count} lines"),
    }
}

fn shown(lines: Lines) -> String {
    if lines.first == lines.last { format!("line {lines}") } else { format!("lines {lines}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POOL: &str = "use std::sync::Mutex;\n\nfn acquire(pool: &Pool) -> Conn {\n    let guard = pool.lock();\n    drop(guard);\n    pool.wait(30)\n}\n";

    fn told(json: &str) -> String {
        let index = PathIndex::new(["src/pool.rs", "src/db/mod.rs", "src/net/mod.rs"].map(str::to_owned), []);
        let cited = Cited::mentioned(serde_json::from_str(json).unwrap());
        let read = |_| Ok::<_, Unread>(FileText::new(POOL.as_bytes()));
        let checked = as_claimed(check_file(cited, &index, read, &mut SearchBudget::default()));
        format!("{} {}", checked.result, checked.detail)
    }

    #[test]
    fn a_file_its_lines_and_a_quote_are_looked_up() {
        for (json, expected) in [
            (r#"{"file": "src/pool.rs"}"#, "verified file exists"),
            (r#"{"file": "src/pool.rs", "lines": "4-5"}"#, "verified lines exist (no quote to check)"),
            (r#"{"file": "src/pool.rs", "lines": "7-8"}"#, "mismatch the file has 7 lines"),
            (r#"{"file": "src/pool.rs", "lines": 0}"#, "mismatch lines are counted from 1"),
            (r#"{"file": "src/pool.rs", "lines": 5, "quote": "drop( guard );"}"#, "verified quote found"),
            (r#"{"file": "src/pool.rs", "lines": 6, "quote": "drop(guard);"}"#, "relocated the quote is at line 5"),
            (r#"{"file": "src/pool.rs", "lines": 88, "quote": "drop(guard);"}"#, "relocated the quote is at line 5"),
            (
                r#"{"file": "src/pool.rs", "quote": "fn acquire(pool: &Pool) -> Conn { ... pool.wait(30)"}"#,
                "verified quote found",
            ),
            (
                r#"{"file": "src/pool.rs", "lines": 6, "quote": "pool.wait(3)"}"#,
                "mismatch quote not found; line 6 is 80% similar",
            ),
            (r#"{"file": "src/pool.rs", "quote": "launch the rockets"}"#, "mismatch quote not found"),
            (r#"{"file": "src/cache.rs"}"#, "missing no such file"),
            (r#"{"file": "lib/pool.rs"}"#, "missing no such file (there is src/pool.rs)"),
            (r#"{"file": "mod.rs"}"#, "ambiguous could be src/db/mod.rs or src/net/mod.rs"),
            (r#"{"file": "src"}"#, "invalid a folder is not evidence"),
            (r#"{"file": ".", "quote": "drop(guard);"}"#, "invalid a folder is not evidence"),
            (r#"{"file": "src/pool.rs", "quote": "x"}"#, "invalid the quote is too short to check"),
            (r#"{"file": "../x.rs"}"#, "out_of_scope outside the workspace, not read"),
        ] {
            assert_eq!(told(json), expected, "{json}");
        }
    }

    #[test]
    fn absence_is_the_other_way_round() {
        for (json, expected) in [
            (r#"{"file": "src/cache.rs", "absent": true}"#, "verified does not exist, as claimed"),
            (r#"{"file": "src/pool.rs", "absent": true, "lines": 99}"#, "mismatch it exists"),
            (r#"{"file": "src/pool.rs", "absent": true, "quote": "unwrap()"}"#, "verified not there, as claimed"),
            (r#"{"file": "src/pool.rs", "absent": true, "quote": "drop(guard);"}"#, "mismatch the quote is there"),
            (
                r#"{"file": "src/pool.rs", "absent": true, "lines": "1-2", "quote": "drop(guard);"}"#,
                "verified not there, as claimed; the quote is at line 5",
            ),
            (r#"{"file": "src/cache.rs", "absent": true, "quote": "x"}"#, "missing no such file"),
            (r#"{"file": "src", "absent": true}"#, "invalid a folder is not evidence"),
        ] {
            assert_eq!(told(json), expected, "{json}");
        }
    }

    #[test]
    fn texts_of_the_debate_are_looked_up_by_their_names() {
        let texts = [("artifact.md", "# Design\n\nWe use gRPC.\n"), ("./src/old.rs", "fn old() {}\n")]
            .map(|(name, text)| (name.to_owned(), FileText::new(text.as_bytes())));
        let told = |json: &str| {
            let cited = Cited::mentioned(serde_json::from_str(json).unwrap());
            check_texts(&cited, &texts, &mut SearchBudget::default()).map(|found| found.result)
        };
        assert_eq!(told(r#"{"file": "artifact.md", "quote": "We use gRPC."}"#), Some(CheckResult::Verified));
        assert_eq!(told(r#"{"file": "docs/artifact.md", "lines": 9}"#), Some(CheckResult::Mismatch));
        assert_eq!(told(r#"{"file": "src/old.rs", "quote": "fn old"}"#), Some(CheckResult::Verified));
        assert_eq!(told(r#"{"file": "lib/old.rs"}"#), None);
    }
}

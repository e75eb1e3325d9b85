//! One citation of a file, from the path as it was written to what was found.

use super::super::citation::{Citation, Lines, Target};
use super::judge::{Judgement, judge, judge_perhaps};
use super::path_index::is_plain_name;
use super::{CheckResult, Checked, FileText, PathIndex, Patience, Resolved};

/// A file's text, or why there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unread {
    /// It leads out of the workspace.
    Outside,
    /// It was there when the files were listed, and is not any more.
    Gone,
    /// It differs from how it stood when the debate began.
    Changed,
    /// It cannot be looked into, for this reason: `it is binary`.
    Closed(String),
}

/// Looks a citation of a file up. `read` gives the text of the file at a place of the index.
pub fn examine<T: AsRef<FileText>>(
    citation: Citation,
    path: &str,
    lines: Option<Lines>,
    index: &PathIndex,
    read: impl FnOnce(usize) -> Result<T, Unread>,
    patience: &mut Patience,
) -> Checked {
    let absent = citation.absent;
    let found = look_up(citation, path, lines, index, read, patience);
    if absent { as_absence(found) } else { found }
}

/// What was found, for a claim that it does not exist.
fn as_absence(found: Checked) -> Checked {
    let result = match found.result {
        CheckResult::Verified | CheckResult::Relocated => CheckResult::Mismatch,
        CheckResult::Mismatch | CheckResult::Missing => CheckResult::Verified,
        other => other,
    };
    Checked { result, likeness: None, ..found }
}

fn look_up<T: AsRef<FileText>>(
    mut citation: Citation,
    path: &str,
    lines: Option<Lines>,
    index: &PathIndex,
    read: impl FnOnce(usize) -> Result<T, Unread>,
    patience: &mut Patience,
) -> Checked {
    let found = |citation, result, detail: String, file| Checked { file, ..Checked::of(citation, result, detail) };
    let lead = std::mem::take(&mut citation.lead);
    let at = match index.resolve_behind(&lead, path) {
        Resolved::File(at) => at,
        // A folder that is there, and nothing more is said of it.
        Resolved::Folder if lines.is_none() && citation.quotes.is_empty() && citation.symbols.is_empty() => {
            return found(citation, CheckResult::Verified, "the folder is there".to_owned(), None);
        }
        Resolved::Folder if lines.is_none() && citation.quotes.is_empty() => {
            let detail = format!("the folder is there; `{}` was not looked for in it", citation.symbols.join("`, `"));
            return found(citation, CheckResult::Unchecked, detail, None);
        }
        Resolved::Folder => return found(citation, CheckResult::Mismatch, "it is a folder".to_owned(), None),
        Resolved::Ambiguous(files) => {
            let detail = format!("it could be {}", files.join(" or "));
            return found(citation, CheckResult::Ambiguous, detail, None);
        }
        // A word such as `LICENSE` need mean no file.
        Resolved::Missing(_)
            if !citation.absent
                && !path.contains(['/', '\\'])
                && is_plain_name(path)
                && lines.is_none()
                && citation.quotes.is_empty()
                && citation.symbols.is_empty() =>
        {
            let detail = "there is no such file, and the word may mean none".to_owned();
            return found(citation, CheckResult::Unchecked, detail, None);
        }
        Resolved::Missing(other) => {
            let hint = other.map_or_else(String::new, |other| format!("; there is {other}"));
            return found(citation, CheckResult::Missing, format!("there is no such file{hint}"), None);
        }
        Resolved::Outside => {
            let detail = "it lies outside of the workspace and was not read".to_owned();
            return found(citation, CheckResult::OutOfScope, detail, None);
        }
    };
    let file = Some(index.paths()[at].clone());
    // Where words before the path belong to it, it is told with them.
    if !lead.is_empty()
        && !matches!(index.resolve(path), Resolved::File(short) if short == at)
        && let (Target::File { path, .. }, Some(file)) = (&mut citation.target, &file)
    {
        path.clone_from(file);
    }
    // Where words before it were taken for a part of it, it is told without them.
    if lead.is_empty()
        && let Target::File { path, .. } = &mut citation.target
        && let Some((_, last)) = path.rsplit_once(char::is_whitespace)
        && matches!(index.resolve_alone(path), Resolved::Missing(_))
    {
        *path = last.to_owned();
    }
    match read(at) {
        Ok(text) => {
            let text = text.as_ref();
            let judged = judge(text, lines, &citation.quotes, &citation.symbols, patience);
            // Lines that the file has not are in no other source, either.
            let there = lines.is_none_or(|lines| lines.first > 0 && lines.last <= text.line_count());
            let judged = judge_perhaps(text, judged, &citation.perhaps, patience).of_several(citation.shared && there);
            let Judgement { result, detail, lines: found, likeness } = judged;
            let wanted = citation.with_text && result.holds();
            let passage = wanted.then(|| text.passage(found.or(lines)));
            Checked { citation, result, detail, file, lines: found, likeness, output: None, passage }
        }
        Err(Unread::Outside) => {
            let detail = "it is a link that leads out of the workspace, and was not read".to_owned();
            found(citation, CheckResult::OutOfScope, detail, file)
        }
        Err(Unread::Gone) => found(citation, CheckResult::ChangedSince, "the file is not there any more".to_owned(), file),
        Err(Unread::Changed) => {
            found(citation, CheckResult::ChangedSince, "the file is another one than when the debate began".to_owned(), file)
        }
        // A file that is there, and nothing more is said of it.
        Err(Unread::Closed(why)) if lines.is_none() && citation.quotes.is_empty() && citation.symbols.is_empty() => {
            found(citation, CheckResult::Verified, format!("the file is there; {why}"), file)
        }
        Err(Unread::Closed(why)) => found(citation, CheckResult::Unchecked, why, file),
    }
}

impl AsRef<FileText> for FileText {
    fn as_ref(&self) -> &FileText {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::Statement;

    #[test]
    fn a_claim_of_absence_holds_where_nothing_is_found() {
        let index = PathIndex::new(["src/pool.rs".to_owned()], []);
        for (path, quote, expected) in [
            ("src/tls.rs", None, CheckResult::Verified),
            ("LICENSE", None, CheckResult::Verified),
            ("src/pool.rs", None, CheckResult::Mismatch),
            ("src/pool.rs", Some("retry()"), CheckResult::Verified),
            ("src/pool.rs", Some("drop(guard);"), CheckResult::Mismatch),
            ("/etc/passwd", None, CheckResult::OutOfScope),
        ] {
            let evidence = crate::evidence::Evidence::file(path, Some(crate::evidence::Lines::one(99)));
            let evidence = crate::evidence::Evidence { absent: true, quote: quote.map(str::to_owned), ..evidence };
            let citation = evidence.to_check(Some(1));
            let read = |_| Ok::<_, Unread>(FileText::new(b"drop(guard);\n"));
            let checked = examine(citation, path, None, &index, read, &mut Patience::default());
            assert_eq!(checked.result, expected, "{checked}");
        }
    }

    #[test]
    fn a_folder_answers_for_no_name_that_nobody_looked_for() {
        let index = PathIndex::new(["src/net/pool.rs".to_owned()], []);
        for (text, expected, detail) in [
            ("See `src/net/`.", CheckResult::Verified, "the folder is there"),
            (
                "`src/net/` defines `frobnicate`.",
                CheckResult::Unchecked,
                "the folder is there; `frobnicate` was not looked for in it",
            ),
            ("`src/net/` reads \"drop(guard);\".", CheckResult::Mismatch, "it is a folder"),
        ] {
            let found = Statement::read(text).citations().into_iter().map(|citation| {
                let read = |_| Err::<FileText, _>(Unread::Gone);
                let checked = examine(citation, "src/net/", None, &index, read, &mut Patience::default());
                (checked.result, checked.detail)
            });
            assert_eq!(found.collect::<Vec<_>>(), [(expected, detail.to_owned())], "{text}");
        }
    }

    #[test]
    fn a_word_that_may_be_the_name_of_a_file_is_no_lie_where_there_is_none() {
        let index = PathIndex::new(["README.md".to_owned()], []);
        let told = |text: &str| -> Vec<String> {
            let found = Statement::read(text).citations().into_iter().filter_map(|citation| {
                let Target::File { path, lines } = citation.target.clone() else { return None };
                let read = |_| Ok::<_, Unread>(FileText::new(b"one\ntwo\n"));
                Some(examine(citation, &path, lines, &index, read, &mut Patience::default()).to_string())
            });
            found.collect()
        };
        let evidence = |word: &str| told(&format!("So.\n--- claims\nclaim: x\nevidence: {word}"));
        assert_eq!(told("See the `README`."), [""; 0], "a word of the prose, unless something is quoted");
        assert_eq!(told("The `README` says \"two\"."), ["✔ README: verified, the quote stands there"]);
        assert_eq!(evidence("README"), ["✔ README: verified, the file is there"]);
        assert_eq!(told("See `README:9`."), ["✘ README:9: the file has 2 lines"]);
        let word = "? LICENSE: unchecked, there is no such file, and the word may mean none";
        assert_eq!(evidence("LICENSE"), [word]);
        assert_eq!(told("See `LICENSE:3`."), ["✘ LICENSE:3: missing, there is no such file"]);
    }

    #[test]
    fn a_place_is_told_without_the_words_before_it() {
        let index = PathIndex::new(["src/a.rs", "my dir/a b.rs"].map(str::to_owned), []);
        let told = |evidence: &str| -> Vec<String> {
            let statement = Statement::read(&format!("So.\n--- claims\nclaim: x\nevidence: {evidence}"));
            let found = statement.citations().into_iter().filter_map(|citation| {
                let Target::File { path, lines } = citation.target.clone() else { return None };
                let read = |_| Ok::<_, Unread>(FileText::new(b"one\ntwo\n"));
                Some(examine(citation, &path, lines, &index, read, &mut Patience::default()).to_string())
            });
            found.collect()
        };
        let behind = ["✘ src/a.rs:9: the file has 2 lines"];
        assert_eq!(told("none of the tests cover it, see src/a.rs:9"), behind);
        assert_eq!(told("the guard is dropped in src/a.rs:9"), behind);
        assert_eq!(told("my dir/a b.rs:9"), ["✘ my dir/a b.rs:9: the file has 2 lines"]);
    }

    #[test]
    fn a_path_with_spaces_that_nothing_marks_is_the_file_that_is_called_so() {
        let paths =
            ["src/two words/a b.rs", "docs/design notes/plan v2.md", "Assets/My Scripts/Player.cs", "my dir/file name.txt"];
        let index = PathIndex::new(paths.map(str::to_owned), []);
        for (path, line, expected) in
            paths.iter().flat_map(|path| [(path, 2, CheckResult::Verified), (path, 9, CheckResult::Mismatch)])
        {
            for text in [format!("See {path}:{line} for it."), format!("`{path}:{line}` is it.")] {
                let found: Vec<(CheckResult, String)> = Statement::read(&text)
                    .citations()
                    .into_iter()
                    .filter_map(|citation| {
                        let Target::File { path, lines } = citation.target.clone() else { return None };
                        let read = |_| Ok::<_, Unread>(FileText::new(b"one\ntwo\nthree\n"));
                        let checked = examine(citation, &path, lines, &index, read, &mut Patience::default());
                        Some((checked.result, checked.citation.target.to_string()))
                    })
                    .collect();
                assert_eq!(found, [(expected, format!("{path}:{line}"))], "{text}");
            }
        }
    }
}

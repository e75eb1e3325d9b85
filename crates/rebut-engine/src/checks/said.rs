//! What commits say: their messages and what they change. Git is asked once per commit; answers are kept while there is room.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use rebut_core::diff::{Diff, HunkLine};
use rebut_core::evidence::Evidence;
use rebut_core::evidence::check::{CheckResult, FileText, SearchBudget, judge_page};

use crate::workspace::git::{Git, GitCommand};

/// The largest answer of git that is searched.
const MOST_PRINTED: u64 = 16 * 1024 * 1024;
/// How many bytes all kept answers may take.
const KEPT: usize = 256 * 1024 * 1024;

/// What a commit says.
pub(super) struct Said {
    message: FileText,
    /// The lines that it adds and removes, and the names of the files that it touches.
    changes: FileText,
    /// The same lines with the unchanged ones around them.
    around: FileText,
}

impl Said {
    /// Whether it contains the quote, and where.
    pub(super) fn judge(&self, evidence: &Evidence, budget: &mut SearchBudget) -> (CheckResult, String) {
        for (text, found) in [(&self.message, "quote found in its message"), (&self.changes, IN_CHANGES)] {
            let judged = judge_page(text, evidence, budget);
            match judged.result {
                CheckResult::Mismatch => {}
                CheckResult::Verified => return (CheckResult::Verified, found.to_owned()),
                other => return (other, judged.detail),
            }
        }
        if evidence.quote.as_deref().is_some_and(|quote| self.changes_some_of(quote, evidence, budget)) {
            return (CheckResult::Verified, IN_CHANGES.to_owned());
        }
        (CheckResult::Mismatch, "the quote is neither in its message nor in what it changes".to_owned())
    }

    /// Whether it changes a line of a longer quote: changed lines are often quoted together with those between them.
    fn changes_some_of(&self, quote: &str, evidence: &Evidence, budget: &mut SearchBudget) -> bool {
        let mut has = |text: &FileText, quote: &str| {
            let asked = Evidence { quote: Some(quote.to_owned()), ..evidence.clone() };
            judge_page(text, &asked, budget).result == CheckResult::Verified
        };
        let has_words = |line: &str| line.chars().filter(|c| c.is_alphanumeric()).count() > 2;
        quote.trim().contains('\n')
            && has(&self.around, quote)
            && quote.lines().any(|line| has_words(line) && has(&self.changes, line))
    }

    fn cost(&self) -> usize {
        3 * (self.message.len() + self.changes.len() + self.around.len())
    }
}

const IN_CHANGES: &str = "quote found in what it changes";

/// What was asked for so far, by hash.
#[derive(Default)]
pub(super) struct Sayings {
    kept: Mutex<(BTreeMap<String, Answer>, usize)>,
}

/// What a commit says, or why that is not known.
type Answer = Result<Arc<Said>, String>;

impl Sayings {
    /// What a commit of this repository says, by its full hash.
    pub(super) fn of(&self, folder: &Path, full: &str, unwanted: &dyn Fn() -> bool) -> Answer {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = kept.0.get(full) {
            return known.clone();
        }
        let answer = ask(folder, full).map(Arc::new);
        if unwanted() {
            return Err("cancelled".to_owned());
        }
        let cost = answer.as_ref().map_or(0, |said| said.cost());
        if kept.1 + cost > KEPT {
            *kept = Default::default();
        }
        kept.1 += cost;
        kept.0.insert(full.to_owned(), answer.clone());
        answer
    }
}

fn ask(folder: &Path, full: &str) -> Result<Said, String> {
    let git = Git::at(folder);
    let print =
        |ask: &[&str]| match git.ask(GitCommand::Show, ask).with([full, "--"]).allowing(&[0, 128]).up_to(MOST_PRINTED) {
            Ok(printed) if printed.len() as u64 > MOST_PRINTED => Err("it changes too much to be searched".to_owned()),
            printed => printed.map_err(String::from),
        };
    let message = print(&["--no-patch", "--format=%B"])?;
    // A merge is compared with the branch that it was made on.
    let show =
        "-m --first-parent --unified=3 --inter-hunk-context=0 --src-prefix=a/ --dst-prefix=b/ --submodule=short --format=";
    let Changes { lines, around } =
        Changes::of(&String::from_utf8_lossy(&print(&show.split_whitespace().collect::<Vec<_>>())?));
    Ok(Said {
        message: FileText::new(&message),
        changes: FileText::new(lines.as_bytes()),
        around: FileText::new(around.as_bytes()),
    })
}

/// A diff without its signs, so that words are there as they are in files.
#[derive(Default)]
struct Changes {
    /// The lines that are added and removed, and the names of the files.
    lines: String,
    /// Every hunk as it was made, then as it was before.
    around: String,
}

impl Changes {
    fn of(difference: &str) -> Self {
        let mut read = Self::default();
        for file in Diff::parse(difference).files {
            [&file.old, &file.new].into_iter().flatten().for_each(|path| put_line(&mut read.lines, path));
            for hunk in &file.hunks {
                let lines = hunk.lines.iter().filter(|line| !matches!(line, HunkLine::NoNewline(_)));
                let changed = lines.clone().filter(|line| !matches!(line, HunkLine::Context(_)));
                changed.for_each(|line| put_line(&mut read.lines, line.text()));
                read.lines.push('\n');
                for gone in ['-', '+'] {
                    lines
                        .clone()
                        .filter(|line| line.mark() != gone)
                        .for_each(|line| put_line(&mut read.around, line.text()));
                    read.around.push('\n');
                }
            }
        }
        read
    }
}

fn put_line(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_loses_its_headers_and_unchanged_lines() {
        let difference = "diff --git a/f.rs b/f.rs\nindex 1..2 100644\n--- a/f.rs\n+++ b/f.rs\n\
            @@ -10,3 +10,4 @@ fn untouched() {\n     stays();\n--- a comment\n+++ b/c\n+    new();\n }\n\
            @@ -20 +21,0 @@\n-last\n\\ No newline at end of file\n\
            diff --git a/g b/h\nrename from g\nrename to h\n";
        let Changes { lines, around } = Changes::of(difference);
        assert_eq!(lines, "f.rs\nf.rs\n-- a comment\n++ b/c\n    new();\n\nlast\n\ng\nh\n");
        assert_eq!(around, "    stays();\n++ b/c\n    new();\n}\n\n    stays();\n-- a comment\n}\n\n\nlast\n\n");
    }
}

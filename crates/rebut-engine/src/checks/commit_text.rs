//! What a commit says: its message and what it changes.

use std::path::Path;

use rebut_core::diff::{Diff, HunkLine};
use rebut_core::evidence::Evidence;
use rebut_core::evidence::check::{CheckResult, FileText, SearchBudget, judge_page};

use crate::workspace::git::{Git, GitCommand};

/// The largest commit that is searched, in bytes.
const MOST_PRINTED: u64 = 16 * 1024 * 1024;

/// A merge is compared with the branch that it was made on. A NUL ends the message.
const SHOW: [&str; 8] = [
    "-m",
    "--first-parent",
    "--unified=3",
    "--inter-hunk-context=0",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "--submodule=short",
    "--format=%B%x00",
];

const IN_CHANGES: &str = "quote found in what it changes";

pub(super) struct CommitText {
    message: FileText,
    /// The lines that it adds and removes, and the names of the files that it changes.
    changes: FileText,
    /// The same lines with the unchanged ones around them: every hunk after the change, then before it.
    around: FileText,
}

impl CommitText {
    /// Reads it from a repository, by the commit's whole hash.
    pub(super) fn read(folder: &Path, full: &str, unwanted: &dyn Fn() -> bool) -> Result<Self, String> {
        let git = Git::at(folder);
        let printed = git.ask(GitCommand::Show, SHOW).with([full, "--"]).allowing(&[0, 128]).up_to(MOST_PRINTED)?;
        if unwanted() {
            return Err("cancelled".to_owned());
        }
        if printed.len() as u64 > MOST_PRINTED {
            return Err("it changes too much to be searched".to_owned());
        }
        Ok(Self::of(&printed))
    }

    fn of(printed: &[u8]) -> Self {
        let end = printed.iter().position(|byte| *byte == 0).unwrap_or(printed.len());
        let (mut changes, mut around) = (String::new(), String::new());
        let put_line = |text: &mut String, line: &str| text.extend([line, "\n"]);
        for file in Diff::parse(&String::from_utf8_lossy(printed.get(end + 1..).unwrap_or_default())).files {
            [&file.old, &file.new].into_iter().flatten().for_each(|path| put_line(&mut changes, path));
            for hunk in &file.hunks {
                let lines = || hunk.lines.iter().filter(|line| !matches!(line, HunkLine::NoNewline(_)));
                let marked = lines().filter(|line| !matches!(line, HunkLine::Context(_)));
                marked.for_each(|line| put_line(&mut changes, line.text()));
                changes.push('\n');
                for other in ['-', '+'] {
                    let side = lines().filter(|line| line.mark() != other);
                    side.for_each(|line| put_line(&mut around, line.text()));
                    around.push('\n');
                }
            }
        }
        let text = |text: String| FileText::new(text.as_bytes());
        Self { message: FileText::new(&printed[..end]), changes: text(changes), around: text(around) }
    }

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
}

//! What commits say: their messages, what they change, and files as they were in them. Git is asked once for each, and the
//! answer is kept while there is room.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use rebut_core::evidence::Evidence;
use rebut_core::evidence::check::{CheckResult, FileText, Judgement, SearchBudget, judge_page};

use crate::workspace::git::{Git, GitCommand};
use crate::workspace::patches::diff::{self, Mark};

/// The most of one answer that is looked through, in bytes.
const MOST_PRINTED: u64 = 16 * 1024 * 1024;
/// How many bytes all answers that are kept may take.
const KEPT: usize = 256 * 1024 * 1024;

/// A part of what a commit says.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    Message,
    /// The lines that it adds and removes, and the names of the files that it touches.
    Changes,
    /// A file of this path as it was then; nothing where there was none.
    File(String),
}

/// What a part says.
pub(super) struct Said {
    text: FileText,
    /// Of changes: the same lines with those around them, which stay as they were.
    around: Option<FileText>,
}

impl Said {
    /// Whether it has the quote.
    pub(super) fn judge(&self, evidence: &Evidence, budget: &mut SearchBudget) -> Judgement {
        let judged = judge_page(&self.text, evidence, budget);
        let (Some(around), Some(quote)) = (&self.around, evidence.quote.as_deref()) else { return judged };
        if judged.result != CheckResult::Mismatch || !quote.trim().contains('\n') {
            return judged;
        }
        // Lines that are changed are often quoted together with those between them.
        let mut has = |text: &FileText, quote: &str| {
            let asked = Evidence { quote: Some(quote.to_owned()), ..evidence.clone() };
            judge_page(text, &asked, budget).result == CheckResult::Verified
        };
        if has(around, quote) && quote.lines().any(|line| has_words(line) && has(&self.text, line)) {
            return Judgement { result: CheckResult::Verified, ..judged };
        }
        judged
    }

    fn cost(&self) -> usize {
        3 * (self.text.len() + self.around.as_ref().map_or(0, FileText::len))
    }
}

/// Whether a line says anything that other lines do not say as well.
fn has_words(line: &str) -> bool {
    line.chars().filter(|c| c.is_alphanumeric()).count() > 2
}

/// What was asked for so far.
#[derive(Default)]
pub(super) struct Sayings {
    kept: Mutex<Kept>,
}

/// What a commit says, or why that is not known.
type Answer = Result<Arc<Said>, String>;

#[derive(Default)]
struct Kept {
    answers: BTreeMap<(String, Part), Answer>,
    bytes: usize,
}

impl Sayings {
    /// What a commit of this repository says, by its full hash.
    pub(super) fn of(&self, folder: &Path, full: &str, part: Part, unwanted: &dyn Fn() -> bool) -> Answer {
        let key = (full.to_owned(), part);
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = kept.answers.get(&key) {
            return known.clone();
        }
        let answer = ask(folder, full, &key.1).map(Arc::new);
        if unwanted() {
            return Err("git was not waited for".to_owned());
        }
        let cost = answer.as_ref().map_or(0, |said| said.cost());
        if kept.bytes + cost > KEPT {
            *kept = Kept::default();
        }
        kept.bytes += cost;
        kept.answers.insert(key, answer.clone());
        answer
    }
}

fn ask(folder: &Path, full: &str, part: &Part) -> Result<Said, String> {
    let git = Git::at(folder);
    let print = |ask: &[&str]| match git.ask(GitCommand::Show, ask).allowing(&[0, 128]).up_to(MOST_PRINTED) {
        Ok(printed) if printed.len() as u64 > MOST_PRINTED => Err("it changes too much to be looked through".to_owned()),
        printed => printed.map_err(String::from),
    };
    match part {
        Part::Message => {
            let printed = print(&["--no-patch", "--format=%B", full, "--"])?;
            Ok(Said { text: FileText::new(&printed), around: None })
        }
        Part::Changes => {
            // What a merge brings is what it changes of the branch that it was made on.
            let show = "-m --first-parent --unified=3 --inter-hunk-context=0 --src-prefix=a/ --dst-prefix=b/ \
                        --submodule=short --format=";
            let show: Vec<&str> = show.split_whitespace().chain([full, "--"]).collect();
            let Changes { lines, around } = Changes::of(&print(&show)?);
            Ok(Said { text: FileText::new(&lines), around: Some(FileText::new(&around)) })
        }
        // A file need not be there, in that commit or any more.
        Part::File(path) => {
            let printed = print(&[&format!("{full}:./{path}")])?;
            Ok(Said { text: FileText::new(&printed), around: None })
        }
    }
}

/// A diff without its signs, so that words are there as they are in files.
#[derive(Default)]
struct Changes {
    /// The lines that are added and removed, and the names of the files.
    lines: Vec<u8>,
    /// Every hunk as it was made, then as it was before.
    around: Vec<u8>,
}

impl Changes {
    fn of(difference: &[u8]) -> Self {
        let mut read = Self::default();
        for section in diff::sections(difference) {
            for (path, prefix) in [(&section.old, &b"a/"[..]), (&section.new, b"b/")] {
                if let Some(path) = path {
                    put_line(&mut read.lines, path.strip_prefix(prefix).unwrap_or(path));
                }
            }
            for hunk in &section.hunks {
                for line in hunk.lines.iter().filter(|line| line.mark != Mark::Stays) {
                    put_line(&mut read.lines, line.text);
                }
                read.lines.push(b'\n');
                for gone in [Mark::Goes, Mark::Comes] {
                    for line in hunk.lines.iter().filter(|line| line.mark != gone) {
                        put_line(&mut read.around, line.text);
                    }
                    read.around.push(b'\n');
                }
            }
        }
        read
    }
}

fn put_line(text: &mut Vec<u8>, line: &[u8]) {
    text.extend_from_slice(line);
    text.push(b'\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_loses_its_heads_and_what_it_leaves_alone() {
        let difference = b"diff --git a/f.rs b/f.rs\nindex 1..2 100644\n--- a/f.rs\n+++ b/f.rs\n\
            @@ -10,3 +10,4 @@ fn untouched() {\n     stays();\n--- a comment\n+++ b/c\n+    new();\n }\n\
            @@ -20 +21,0 @@\n-last\n\\ No newline at end of file\n\
            diff --git a/g b/h\nrename from g\nrename to h\n";
        let Changes { lines, around } = Changes::of(difference);
        assert_eq!(String::from_utf8(lines).unwrap(), "f.rs\nf.rs\n-- a comment\n++ b/c\n    new();\n\nlast\n\ng\nh\n");
        let around = String::from_utf8(around).unwrap();
        assert_eq!(around, "    stays();\n++ b/c\n    new();\n}\n\n    stays();\n-- a comment\n}\n\n\nlast\n\n");
    }
}

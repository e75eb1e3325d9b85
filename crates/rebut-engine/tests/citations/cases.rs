//! The labelled texts.
//!
//! A case begins with `@@ name`; its text follows, and then what a careful reader finds in it, a line each:
//! `→ RESULT CITATION`, or `→ none`. Files of traps have one text a line, in which there is nothing to be found.

use std::collections::BTreeMap;

use rebut_core::claims::check::CheckResult;

use super::repository::Repository;

/// A text and what stands in it.
pub(crate) struct Case {
    /// Where it stands: `forms: path and line`.
    pub(crate) name: String,
    pub(crate) text: String,
    /// What it cites, and what a check of it finds.
    pub(crate) expected: BTreeMap<String, CheckResult>,
}

/// Reads a file of cases. What stands before the first one says what it is about.
pub(crate) fn cases(file: &str, content: &str, repository: &Repository) -> Vec<Case> {
    let content = filled_in(content, repository);
    let mut all = Vec::new();
    for part in content.split("\n@@ ").skip(1) {
        let (name, rest) = part.split_once('\n').unwrap();
        let name = format!("{file}: {name}");
        let at = rest.find("\n→ ").unwrap_or_else(|| panic!("{name} has no label"));
        let (text, labels) = (&rest[..at], &rest[at..]);
        let mut expected = BTreeMap::new();
        for label in labels.lines().filter(|line| !line.is_empty()) {
            let label = label.strip_prefix("→ ").unwrap_or_else(|| panic!("{name} goes on behind its labels: {label}"));
            if label == "none" {
                continue;
            }
            let (result, citation) = label.split_once(' ').unwrap();
            let result = CheckResult::ALL.into_iter().find(|known| known.as_str() == result);
            let result = result.unwrap_or_else(|| panic!("{name}: {label}"));
            assert!(expected.insert(citation.to_owned(), result).is_none(), "{name}: {citation} stands there twice");
        }
        all.push(Case { name, text: text.to_owned(), expected });
    }
    all
}

/// Reads a file of traps.
pub(crate) fn traps(file: &str, content: &str) -> Vec<Case> {
    let lines = content.split_once("\n\n").unwrap().1.lines().filter(|line| !line.is_empty());
    lines.map(|line| Case { name: file.to_owned(), text: line.to_owned(), expected: BTreeMap::new() }).collect()
}

fn filled_in(content: &str, repository: &Repository) -> String {
    let mut content = content.replace("{ws}", repository.ws().to_str().unwrap());
    for (number, hash) in (1..).zip(&repository.commits) {
        content = content.replace(&format!("{{c{number}:full}}"), hash).replace(&format!("{{c{number}}}"), &hash[..8]);
    }
    content
}

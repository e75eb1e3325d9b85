//! Titles of sections that a critique need not have: whether something else than findings is told under them.
//!
//! One word says little: "works well" is praise, "does not work well" is none. So a title counts for what it seems only
//! where each of its words is known.

use super::super::super::none::{severity_word, words};
use super::super::titles::{DEGREES, describes};

/// What is told under a title of no known part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// What is good. Places that are named there are no findings.
    Praise,
    /// Something else than findings, such as context.
    Quiet,
    /// Something else by some of its words, and nobody knows by the others.
    Unsure,
    /// It may be findings.
    Unknown,
}

/// What is told under this title.
pub(super) fn kind(title: &str) -> Kind {
    let all = words(title);
    let has = |list: &[&str]| all.iter().any(|word| list.contains(&word.as_str()));
    let is_known = |word: &String| {
        let word = word.as_str();
        PRAISE.contains(&word) || QUIET.contains(&word) || PLAIN.contains(&word) || severity_word(word).is_some()
    };
    match (has(&PRAISE), has(&QUIET), all.iter().all(is_known)) {
        (true, _, true) => Kind::Praise,
        (false, true, true) => Kind::Quiet,
        (false, false, _) => Kind::Unknown,
        _ => Kind::Unsure,
    }
}

/// Whether whatever is said under a title may be a finding: where it must or should be done (`Must be addressed`), and where
/// the title is praise with a word too many (`Not good`).
pub(super) fn tells_against_it(title: &str) -> bool {
    let has = |list: &[&str]| words(title).iter().any(|word| list.contains(&word.as_str()));
    (describes(title) && has(&DEGREES)) || (has(&PRAISE) && kind(title) == Kind::Unsure)
}

/// Words of titles under which nothing is wrong.
const PRAISE: [&str; 11] =
    ["praise", "positive", "positives", "good", "well", "works", "sound", "fine", "strong", "like", "strengths"];

/// Words of titles under which no findings are told.
const QUIET: [&str; 29] = [
    "context",
    "scope",
    "files",
    "changed",
    "changes",
    "notes",
    "background",
    "method",
    "methodology",
    "approach",
    "questions",
    "references",
    "sources",
    "legend",
    "tests",
    "run",
    "reviewed",
    "checked",
    "looked",
    "checklist",
    "verified",
    "steps",
    "next",
    "plan",
    "rebuttals",
    "addressed",
    "resolved",
    "fixed",
    "coverage",
];

/// Words of titles that say nothing of what stands under them.
const PLAIN: [&str; 50] = [
    "a",
    "about",
    "additional",
    "already",
    "an",
    "and",
    "answers",
    "are",
    "at",
    "by",
    "change",
    "choices",
    "code",
    "depth",
    "design",
    "did",
    "diff",
    "do",
    "does",
    "earlier",
    "for",
    "further",
    "general",
    "have",
    "how",
    "i",
    "in",
    "is",
    "it",
    "looks",
    "my",
    "of",
    "on",
    "other",
    "parts",
    "patch",
    "points",
    "practices",
    "review",
    "s",
    "since",
    "some",
    "test",
    "that",
    "the",
    "this",
    "was",
    "we",
    "what",
    "which",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_what_it_seems_only_where_each_of_its_words_is_known() {
        for (title, expected) in [
            ("Praise", Kind::Praise),
            ("What works well", Kind::Praise),
            ("Strong points", Kind::Praise),
            ("What I like about the change", Kind::Praise),
            ("Additional notes", Kind::Quiet),
            ("Tests I have run", Kind::Quiet),
            ("Resolved P1s", Kind::Quiet),
            ("What does not work well", Kind::Unsure),
            ("Not good", Kind::Unsure),
            ("Looks like a bug", Kind::Unsure),
            ("Strong objections", Kind::Unsure),
            ("Must be addressed", Kind::Unsure),
            ("Not verified", Kind::Unsure),
            ("Claims I verified and found wrong", Kind::Unsure),
            ("Security", Kind::Unknown),
            ("Other observations", Kind::Unknown),
        ] {
            assert_eq!(kind(title), expected, "{title}");
        }
    }
}

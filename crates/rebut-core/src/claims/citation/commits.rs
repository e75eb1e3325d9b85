//! A commit and the file that it is said to have changed are one claim.
//!
//! Only a verb of changing makes them one: that both stand in a sentence says nothing, and neither does "in" or "to".

use super::attach::{Mark, Said};
use super::words::{denies, words};
use super::{Citation, Target};

/// What a commit does to a file.
#[rustfmt::skip]
const CHANGES: [&str; 84] = [
    "touches", "touched", "changes", "changed", "modifies", "modified", "edits", "edited", "updates", "updated", "adds",
    "added", "removes", "removed", "deletes", "deleted", "drops", "dropped", "renames", "renamed", "moves", "moved",
    "rewrites", "rewrote", "refactors", "refactored", "introduces", "introduced", "creates", "created", "fixes", "fixed",
    "reverts", "reverted", "reworks", "reworked", "splits", "replaces", "replaced", "reformats", "reformatted", "extends",
    "extended", "patches", "patched", "bumps", "bumped", "cleans", "ändert", "änderte", "fügt", "entfernt", "löscht",
    "benennt", "verschiebt", "berührt", "modifie", "ajoute", "supprime", "modifica",
    "modifié", "ajouté", "supprimé", "renommé", "modificó", "añadió", "eliminó", "renombró", "cambió", "renomme", "renombra",
    "elimina", "raised", "raises", "lowered", "lowers", "increased", "reduced", "disabled", "enabled", "broke", "doubled",
    "halved", "switched",
];

/// The same of a file to which it was done.
#[rustfmt::skip]
const CHANGED: [&str; 29] = [
    "changed", "added", "rewritten", "modified", "touched", "edited", "removed", "deleted", "renamed", "introduced",
    "created", "updated", "refactored", "moved", "split", "fixed", "reverted", "reworked", "replaced", "dropped",
    "geändert", "gelöscht", "entfernt", "umbenannt", "verändert", "hinzugefügt", "modifié", "supprimé", "renommé",
];

/// How a change came to be in a commit.
#[rustfmt::skip]
const CAME: [&str; 12] = [
    "landed", "happened", "came", "arrived", "appeared", "shipped", "merged", "began", "started", "done", "kam", "eingeführt",
];

/// Words that begin another clause, or say that it is not this file that was changed.
#[rustfmt::skip]
const ELSEWHERE: [&str; 28] = [
    "but", "because", "since", "while", "when", "where", "which", "that", "who", "so", "for", "is", "are", "was", "were",
    "has", "have", "had", "although", "though", "before", "after", "about", "like", "outside", "except", "weil", "aber",
];

/// How far a file may stand from the verb, in words.
const NEAR: usize = 8;

/// Whether the word says that a commit changes something.
pub(super) fn is_change(word: &str) -> bool {
    CHANGES.contains(&word)
}

/// Whether the words before a hash lead to it as to a commit: `was last modified by`.
pub(super) fn leads_to_a_commit(before: &str) -> bool {
    let start = before.char_indices().rev().nth(47).map_or(0, |(at, _)| at);
    super::work::read(before.len() - start);
    let words: Vec<_> = words(&before[start..]).collect();
    let [.., joint] = &words[..] else { return false };
    let before = || words[..words.len() - 1].iter().rev().map(|word| &**word);
    let done = before().take(3).any(|word| CHANGED.contains(&word) || CAME.contains(&word));
    match &**joint {
        "in" | "by" | "with" | "durch" | "von" | "mit" => done,
        "of" => before().next() == Some("as"),
        "to" => before().next() == Some("back"),
        _ => false,
    }
}

/// Gives every commit the files that it is said to have changed; for each file beyond the first there is one more citation.
pub(super) fn name_files_of_commits(
    text: &str,
    marks: &[Mark],
    citations: &mut Vec<Citation>,
    companions: &mut Vec<(usize, usize)>,
) {
    for (place, mark) in marks.iter().enumerate() {
        let Said::Path(range) = &mark.said else { continue };
        if !matches!(citations[range.start].target, Target::Commit { .. }) {
            continue;
        }
        let mut files = match file_before(text, &marks[..place], mark, citations) {
            Some(path) => vec![path],
            None => files_behind(text, mark, &marks[place + 1..], citations),
        }
        .into_iter();
        let Target::Commit { path: file, hash } = &mut citations[range.start].target else { continue };
        *file = files.next();
        let hash = hash.clone();
        let more = files.map(|path| Target::Commit { hash: hash.clone(), path: Some(path) });
        let more: Vec<Citation> = more.map(|target| Citation { span: mark.span.clone(), ..Citation::of(target) }).collect();
        companions.extend((citations.len()..citations.len() + more.len()).map(|at| (at, range.start)));
        citations.extend(more);
    }
}

/// `abc1234 touched src/pool.rs and src/net/tls.rs`; `In commit abc1234, src/pool.rs was renamed`.
fn files_behind(text: &str, commit: &Mark, behind: &[Mark], citations: &[Citation]) -> Vec<String> {
    let mut files: Vec<String> = Vec::new();
    let mut end = commit.span.end;
    for (place, mark) in behind.iter().enumerate() {
        let Said::Path(range) = &mark.said else { continue };
        let Target::File { path, .. } = &citations[range.start].target else { break };
        let Some(gap) = text.get(end..mark.span.start).filter(|gap| gap.len() <= 240) else { break };
        let changed = if files.is_empty() {
            let next = behind.get(place + 1).map_or(text.len(), |next| next.span.start);
            let after = &text[mark.span.end..next.max(mark.span.end)];
            changes(gap) || (gap.trim() == "," && is_changed(after)) || (has_done(gap) && ends_changed(after))
        } else {
            words(gap).all(|word| matches!(&*word, "and" | "und" | "et" | "y")) && !gap.contains(['.', ';', '('])
        };
        if !changed {
            break;
        }
        files.push(path.clone());
        end = mark.span.end;
    }
    files
}

/// `Commit abc1234 hat src/pool.rs geändert`: the verb stands on both sides of the file.
fn has_done(gap: &str) -> bool {
    words(gap).eq(["hat"]) || words(gap).eq(["wurde"])
}

fn ends_changed(after: &str) -> bool {
    words(super::attach::beginning(after, 40)).next().is_some_and(|word| CHANGED.contains(&&*word))
}

/// Whether the words between a commit and a file say that the one changed the other.
fn changes(gap: &str) -> bool {
    if gap.contains([';', ':']) || gap.contains(". ") {
        return false;
    }
    let words: Vec<_> = words(gap).collect();
    let Some(verb) = words.iter().position(|word| is_change(word)) else { return false };
    let denied = words[..verb].iter().any(|word| denies(word)) || words[verb + 1..].iter().any(|word| no_object(word));
    // `has changed`, `which changes`: the commit is still what does it.
    let own = words[..verb].iter().all(|word| !matches!(&**word, "but" | "because" | "while" | "and" | "nothing" | "since"));
    own && !denied && words.len() - verb <= NEAR && !words[verb + 1..].iter().any(|word| ELSEWHERE.contains(&&**word))
}

fn no_object(word: &str) -> bool {
    matches!(word, "nothing" | "no" | "not" | "never" | "nichts" | "rien")
}

/// Whether the words right behind a file say that something was done to it: ` was renamed`.
fn is_changed(behind: &str) -> bool {
    let words: Vec<_> = words(super::attach::beginning(behind, 60)).take(4).collect();
    let [first, rest @ ..] = &words[..] else { return false };
    let passive = matches!(&**first, "was" | "were" | "is" | "got" | "has" | "wurde" | "wird");
    passive
        && rest.iter().any(|word| CHANGED.contains(&&**word))
        && !rest.iter().any(|word| no_object(word) || word == "nicht")
}

/// `src/pool.rs was rewritten in commit abc1234`: the file right before a commit that is said to have done something to it.
fn file_before(text: &str, before: &[Mark], commit: &Mark, citations: &[Citation]) -> Option<String> {
    let last = before.last()?;
    let Said::Path(range) = &last.said else { return None };
    let Target::File { path, .. } = &citations[range.start].target else { return None };
    let gap = text.get(last.span.end..commit.span.start).filter(|gap| gap.len() <= 80 && !gap.contains([';', '\n']))?;
    let words: Vec<_> = words(gap).collect();
    let words = match &words[..] {
        [words @ .., last] if super::find::is_commit_word(last) => words,
        words => words,
    };
    let [first, .., joint] = words else { return None };
    let passive = matches!(&**first, "was" | "were" | "is" | "got" | "has" | "had" | "wurde" | "wird");
    let done = words.iter().any(|word| CHANGED.contains(&&**word));
    let denied = words.iter().any(|word| denies(word) && !matches!(&**word, "added" | "created"));
    let joined = matches!(&**joint, "in" | "by" | "with" | "durch" | "von");
    (passive && done && !denied && joined && !gap.contains(". ")).then(|| path.clone())
}

#[cfg(test)]
mod tests {
    use super::super::find;

    fn told(text: &str) -> Vec<String> {
        let found = find(text).into_iter().filter(|citation| matches!(citation.target, super::Target::Commit { .. }));
        found.map(|citation| citation.target.to_string()).collect()
    }

    #[test]
    fn a_verb_of_changing_makes_a_commit_and_a_file_one_claim() {
        for (text, file) in [
            ("Commit abc1234 modifies src/pool.rs.", "src/pool.rs"),
            ("Commit abc1234 rewrote the retry loop in src/pool.rs.", "src/pool.rs"),
            ("Commit abc1234 ändert src/pool.rs.", "src/pool.rs"),
            ("Commit abc1234 also added a timeout to `src/pool.rs`.", "src/pool.rs"),
            ("`abc1234` changed `src/pool.rs`.", "src/pool.rs"),
            ("src/pool.rs was last modified by abc1234.", "src/pool.rs"),
            ("In commit abc1234, src/pool.rs was renamed.", "src/pool.rs"),
        ] {
            assert_eq!(told(text), [format!("commit abc1234 {file}")], "{text}");
        }
        assert_eq!(
            told("Commit abc1234 touched src/pool.rs and src/net/tls.rs."),
            ["commit abc1234 src/pool.rs", "commit abc1234 src/net/tls.rs"]
        );
    }

    #[test]
    fn a_commit_and_a_file_in_one_sentence_are_not_always_one_claim() {
        for text in [
            "Commit abc1234 only adds a comment; the bug is in src/pool.rs:35.",
            "Commit abc1234 is harmless, but the lock in src/pool.rs:29 is not.",
            "Since commit abc1234 nothing in src/pool.rs has changed.",
            "Commit abc1234 never touched src/pool.rs.",
            "Commit abc1234 has nothing to do with src/pool.rs.",
            "As of commit abc1234 the guard in src/pool.rs:35 is dropped.",
            "In commit abc1234, src/pool.rs:35 reads `drop(guard);`.",
            "Compared to commit abc1234, the code in src/pool.rs is the same.",
            "Commit abc1234 added a test for src/pool.rs.",
            "Commit abc1234 fixed the bug that lives in src/pool.rs.",
            "Commit abc1234 adds nothing to src/pool.rs.",
        ] {
            assert_eq!(told(text), ["commit abc1234"], "{text}");
        }
    }
}

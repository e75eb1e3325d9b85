//! A commit and the file that it is said to have changed are one claim.

use super::attach::{Mark, Said};
use super::{Citation, Target};

/// A commit in a sentence with one file: the file is one that it touches.
pub(super) fn name_files_of_commits(text: &str, marks: &[Mark], citations: &mut [Citation]) {
    for (place, mark) in marks.iter().enumerate() {
        let Said::Path(range) = &mark.said else { continue };
        if !matches!(citations[range.start].target, Target::Commit { .. }) {
            continue;
        }
        if let Some(path) = file_before(text, &marks[..place], mark, citations) {
            if let Target::Commit { path: file, .. } = &mut citations[range.start].target {
                *file = Some(path);
            }
            continue;
        }
        let next = marks[place + 1..].iter().find_map(|next| match &next.said {
            Said::Path(range) => Some((next, range.start)),
            _ => None,
        });
        let Some((next, at)) = next else { continue };
        let Target::File { path, .. } = &citations[at].target else { continue };
        let path = path.clone();
        let Some(gap) = text.get(mark.span.end..next.span.start) else { continue };
        let lead = super::words::words(last_words(text, mark.span.start)).collect::<Vec<_>>();
        let led_in = gap.trim() == "," && matches!(&lead[..], [.., lead, _] if lead == "in" || lead == "with");
        // `In commit abc1234, src/pool.rs was rewritten`: only what is said of the file tells that it was changed there.
        let behind = text[next.span.end..].split(['.', ';', ',', '\n']).next().unwrap_or_default();
        let led_in = led_in && says_changed(behind);
        let touches = says_changed(gap);
        if (touches || led_in)
            && let Target::Commit { path: file, .. } = &mut citations[range.start].target
        {
            *file = Some(path);
        }
    }
}

/// Verbs by which a commit changes a file.
#[rustfmt::skip]
const CHANGES: [&str; 62] = [
    "touches", "touched", "touch", "changed", "changes", "change", "modified", "modifies", "edits", "edited", "removed",
    "removes", "deleted", "deletes", "renamed", "renames", "added", "adds", "updated", "updates", "introduced",
    "introduces", "refactored", "refactors", "fixed", "fixes", "moved", "moves", "created", "creates", "rewrote",
    "rewrites", "rewritten", "reverted", "reverts", "split", "splits", "replaced", "replaces", "patched", "patches",
    "broke", "breaks", "ändert", "änderte", "geändert", "entfernt", "entfernte", "löscht", "löschte", "fügt",
    "verschiebt", "verschob", "modifie", "supprime", "ajoute", "modifica", "cambia", "elimina", "añade", "bumped", "bumps",
];

/// Words behind which something else is spoken of.
const TURNS: [&str; 8] = ["but", "while", "whereas", "although", "though", "aber", "mais", "pero"];

/// Whether words, in one clause and without denying it, say that a file is changed.
fn says_changed(words: &str) -> bool {
    let clause = !words.contains(';') && !words.contains(". ") && !words.contains('\n');
    let (mut changes, mut other) = (false, false);
    for word in super::words::words(words) {
        changes |= CHANGES.contains(&&*word);
        // Words for what is made are no denial here.
        other |= TURNS.contains(&&*word)
            || matches!(
                &*word,
                "not" | "never" | "nothing" | "no" | "neither" | "without" | "didn't" | "doesn't" | "nicht" | "nie"
            );
    }
    clause && changes && !other
}

/// `src/pool.rs was rewritten in commit abc1234`: the file right before a commit that is said to have done something to it.
fn file_before(text: &str, before: &[Mark], commit: &Mark, citations: &[Citation]) -> Option<String> {
    let last = before.last()?;
    let Said::Path(range) = &last.said else { return None };
    let Target::File { path, .. } = &citations[range.start].target else { return None };
    let gap = text.get(last.span.end..commit.span.start).filter(|gap| gap.len() <= 80 && !gap.contains([';', '\n']))?;
    let words: Vec<_> = super::words::words(gap).collect();
    let [first, .., joint, _] = &words[..] else { return None };
    let passive = matches!(&**first, "was" | "were" | "is" | "got" | "has" | "had");
    let done = words.iter().any(|word| {
        matches!(
            &**word,
            "changed"
                | "added"
                | "rewritten"
                | "modified"
                | "touched"
                | "edited"
                | "removed"
                | "deleted"
                | "renamed"
                | "introduced"
                | "created"
                | "updated"
                | "refactored"
                | "moved"
                | "split"
                | "fixed"
                | "reverted"
        )
    });
    let denied = words.iter().any(|word| super::words::denies(word) && !matches!(&**word, "added" | "created"));
    (passive && done && !denied && matches!(&**joint, "in" | "by" | "with") && !gap.contains(". ")).then(|| path.clone())
}

/// The few words before a place.
fn last_words(text: &str, at: usize) -> &str {
    let start = text[..at].char_indices().rev().nth(32).map_or(0, |(at, _)| at);
    &text[start..at]
}

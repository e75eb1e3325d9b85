//! A commit and the file that it is said to have changed are one claim.
//!
//! Only a verb of changing makes them one: that both stand in a sentence says nothing, and neither does "in" or "to".

use std::ops::Range;

use super::attach::{Mark, Said};
use super::path::{self, Standing, Written};
use super::pieces::{Kind, Piece};
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

/// The beginning of a commit's hash, or all of it. Some have digits alone.
pub(super) fn is_hash(word: &str) -> bool {
    (7..=40).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Whether a hash has letters and digits, as most have.
fn is_mixed(hash: &str) -> bool {
    hash.bytes().any(|b| b.is_ascii_digit()) && hash.bytes().any(|b| b.is_ascii_alphabetic())
}

/// The commit that is checked out, as git calls it.
pub(super) const HEAD: &str = "HEAD";

/// A file as it stood in a commit, as git writes it and as others do: `8dffe7e:src/pool.rs:6`, `src/pool.rs@8dffe7e:6`.
pub(super) fn in_a_commit(word: &str) -> Option<(Vec<Target>, Option<String>)> {
    let names = |hash: &str| is_hash(hash) && is_mixed(hash);
    let first = word.split_once(':').filter(|(hash, _)| names(hash) || *hash == HEAD);
    let (hash, Written { path, lines, symbol }) = if let Some((hash, place)) = first {
        (hash, path::read(place, Standing::Marked)?)
    } else {
        let (path, behind) = word.split_once('@').filter(|(path, _)| path::has_known_extension(path))?;
        let end = behind.find([':', '#']).unwrap_or(behind.len());
        let (hash, lines) = behind.split_at(end);
        (hash, path::read(&format!("{path}{lines}"), Standing::Marked).filter(|_| names(hash))?)
    };
    let hash = if hash == HEAD { hash.to_owned() } else { hash.to_lowercase() };
    let target = |lines| Target::Past { hash: hash.clone(), path: path.clone(), lines };
    let targets = if lines.is_empty() { vec![target(None)] } else { lines.into_iter().map(Some).map(target).collect() };
    Some((targets, symbol))
}

/// The commit of a command in backticks: `git show 8eb7d2e`.
pub(super) fn shown_by_git<'a>(piece: &Piece, inner: &'a str) -> Option<&'a str> {
    let rest = inner.strip_prefix("git ").filter(|_| matches!(piece.kind, Kind::Code(_)))?;
    let mut words = rest.split_whitespace();
    let shows = matches!(words.next()?, "show" | "log" | "revert" | "cherry-pick" | "diff" | "checkout" | "blame");
    let hash = words.next().filter(|word| is_hash(word) && is_mixed(word))?;
    (shows && words.next().is_none()).then_some(hash)
}

/// Whether a hash without the word before it is that of a commit: it is said to have changed something, or something to have
/// been changed by it. It has letters and digits, as most have.
pub(super) fn is_commit_by_what_it_does(text: &str, within: &Range<usize>, piece: &Piece, hash: &str, end: usize) -> bool {
    if !(is_hash(hash) && is_mixed(hash)) {
        return false;
    }
    let behind = super::attach::beginning(&text[piece.span.end..within.end], 24);
    let does = words(behind).find(|word| !matches!(&**word, "that" | "which")).is_some_and(|word| is_change(&word));
    // Nothing else has forty such letters.
    let before = &text[within.start..piece.span.start];
    let after = super::attach::beginning(&text[end..within.end], 160).trim_start_matches(['`', '*']);
    hash.len() == 40 || does || leads_to_a_commit(before) || is_where_it_was_done(before, after)
}

/// `, src/pool.rs was rewritten` right behind a hash: something was done there to a file.
fn is_where_it_was_done(before: &str, behind: &str) -> bool {
    let joint = before.trim_end().rsplit(char::is_whitespace).next().unwrap_or_default();
    let led = ["in", "by", "with", "since", "through"].iter().any(|word| word.eq_ignore_ascii_case(joint));
    let Some(behind) = behind.strip_prefix(", ").filter(|_| led) else { return false };
    let mut near = words(super::attach::beginning(behind, 120)).take(12);
    near.by_ref().any(|word| is_passive(&word)) && near.take(2).any(|word| CHANGED.contains(&&*word))
}

fn is_passive(word: &str) -> bool {
    matches!(word, "was" | "were" | "is" | "got" | "has" | "wurde" | "wird")
}

/// Whether the words before a hash lead to it as to a commit: `was last modified by`.
fn leads_to_a_commit(before: &str) -> bool {
    let start = before.char_indices().rev().nth(47).map_or(0, |(at, _)| at);
    super::work::read(before.len() - start);
    let words: Vec<_> = words(&before[start..]).collect();
    let [.., joint] = &words[..] else { return false };
    let before = || words[..words.len() - 1].iter().rev().map(|word| &**word);
    let done = before().take(3).any(|word| CHANGED.contains(&word) || CAME.contains(&word));
    // `git blame shows abc1234`
    if joint == "blame" || before().take(3).any(|word| word == "blame") {
        return true;
    }
    match &**joint {
        "of" if before().next() == Some("as") => true,
        // `The commit message of abc1234 says`
        "of" | "for" | "in" if before().take(2).eq(["message", "commit"]) => true,
        "in" | "by" | "with" | "durch" | "von" | "mit" => done,
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
    is_passive(first)
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
    fn a_file_in_a_commit_is_one_place_however_it_is_written() {
        let all = |text: &str| find(text).iter().map(|citation| citation.target.to_string()).collect::<Vec<_>>();
        for (text, expected) in [
            ("See src/pool.rs@8dffe7e:6.", "8dffe7e:src/pool.rs:6"),
            ("See `src/pool.rs@8DFFE7E#L6-L9`.", "8dffe7e:src/pool.rs:6-9"),
            ("See src/pool.rs@8dffe7e.", "8dffe7e:src/pool.rs"),
            ("See 8dffe7e:src/pool.rs.", "8dffe7e:src/pool.rs"),
            ("See `8dffe7e:src/pool.rs:6`.", "8dffe7e:src/pool.rs:6"),
            ("(8dffe7e:src/pool.rs:6)", "8dffe7e:src/pool.rs:6"),
            ("`HEAD:src/pool.rs:6` waits.", "HEAD:src/pool.rs:6"),
            ("HEAD:src/pool.rs:6 waits.", "HEAD:src/pool.rs:6"),
        ] {
            assert_eq!(all(text), [expected], "{text}");
        }
        let quoted = find("8dffe7e:src/pool.rs:6 reads \"drop(guard);\".");
        assert_eq!(quoted[0].quotes, ["drop(guard);"]);
        for text in ["ann@deadbee1.com", "It is a@8dffe7e:6.", "sha256:8dffe7e1", "HEAD:3 of 8dffe7e:9", "1234567:890"] {
            assert_eq!(all(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn a_commit_is_seen_by_what_was_done_in_it() {
        assert_eq!(told("In 69e7bb5, src/pool.rs was rewritten."), ["commit 69e7bb5 src/pool.rs"]);
        assert_eq!(told("It came so: in 69e7bb5, src/pool.rs was rewritten."), ["commit 69e7bb5 src/pool.rs"]);
        assert_eq!(told("git blame shows deadbee1 for src/pool.rs:6."), ["commit deadbee1"]);
        assert_eq!(told("Commit HEAD changed src/pool.rs."), ["commit HEAD src/pool.rs"]);
        assert_eq!(told("The commit message of 69e7bb5 promises a test."), ["commit 69e7bb5"]);
        assert_eq!(find("The commit message of `69e7bb5` says \"drop the guard\".")[0].quotes, ["drop the guard"]);
        assert_eq!(told("The message of 69e7bb5 was lost."), [""; 0]);
        for text in ["The commit HEAD points at is new.", "In 69e7bb5, that is.", "Weighs 12345a7, src/pool.rs waits."] {
            assert_eq!(told(text), [""; 0], "{text}");
        }
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

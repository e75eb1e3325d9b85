//! Whether a critic that found nothing says that it looked: at every file, and in which respects.

use super::critique::{Area, Critique};

/// The files that a critique does not name among what it checked. A name without its folder counts where only one of
/// the files has it.
pub(super) fn unchecked_files(critique: &Critique, files: &[String]) -> Vec<String> {
    let is_named = |file: &String, area: &Area| {
        let area_file = area.file.trim().trim_start_matches("./").trim_matches('`');
        let ending = format!("/{area_file}");
        let alone = || files.iter().filter(|other| other.ends_with(&ending)).count() == 1;
        let names = area_file == file || (!area_file.is_empty() && file.ends_with(&ending) && alone());
        names && was_looked_at(area)
    };
    files.iter().filter(|file| !critique.checked.iter().any(|area| is_named(file, area))).cloned().collect()
}

/// Whether something was looked at in an area. Who begins with what was not looked at says no more with what follows.
pub(super) fn was_looked_at(area: &Area) -> bool {
    area.aspects.first().is_some_and(|first| tells_of_a_look(first))
}

/// Whether an aspect tells of a look at all: aspects are what was looked at, such as `locks`, and `not reviewed` is none.
fn tells_of_a_look(aspect: &str) -> bool {
    let lower = aspect.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let Some(first) = words.first() else { return false };
    let looks = |word: &&str| LOOKS.contains(word);
    // "Skipped", "none of it"; "pending", "pending review", and not "pending writes".
    let bare = NO_LOOK.contains(first) && words.len() <= 3;
    let put_off = PUT_OFF.contains(first) && words[1..].iter().all(looks);
    // "To be checked", "out of scope", "could not open the file": where a thing is named, nothing of this begins.
    let begins = |known: &[&str]| words.starts_with(known);
    let unable = |known: &[&str]| begins(known) || (OF_SOMEBODY.contains(first) && words[1..].starts_with(known));
    let not_done = BEGINNINGS.iter().any(|known| unable(known));
    let denied =
        words.iter().enumerate().any(|(at, word)| DENIES.contains(word) && words[at + 1..].iter().take(3).any(looks));
    // "Only the first lines", and not "only the owner writes".
    let in_part = matches!(*first, "only" | "just") && words.iter().any(|word| PIECES.contains(word));
    !bare && !put_off && !not_done && !denied && !in_part
}

/// Words that say by themselves that nobody looked.
const NO_LOOK: [&str; 12] =
    ["none", "nothing", "skipped", "unchecked", "unreviewed", "unread", "omitted", "ignored", "n", "na", "tbd", "todo"];

/// Words that say so alone, or of a look.
const PUT_OFF: [&str; 12] = [
    "pending",
    "later",
    "deferred",
    "unknown",
    "unavailable",
    "inaccessible",
    "missing",
    "partly",
    "partially",
    "partial",
    "skimmed",
    "unopened",
];

/// How an aspect begins that tells of what could not or will yet be done.
const BEGINNINGS: [&[&str]; 17] = [
    &["could", "not"],
    &["couldn"],
    &["cannot"],
    &["can", "not"],
    &["can", "t"],
    &["unable"],
    &["was", "unable"],
    &["failed", "to"],
    &["did", "not"],
    &["didn"],
    &["have", "not"],
    &["haven"],
    &["to", "be"],
    &["will", "be"],
    &["not", "yet"],
    &["out", "of", "scope"],
    &["not", "in", "scope"],
];

/// Who may stand before that.
const OF_SOMEBODY: [&str; 4] = ["i", "we", "file", "it"];

const DENIES: [&str; 12] =
    ["not", "never", "didn", "couldn", "wasn", "weren", "cannot", "can", "haven", "hasn", "without", "unable"];

const LOOKS: [&str; 27] = [
    "reviewed",
    "review",
    "checked",
    "check",
    "looked",
    "look",
    "read",
    "examined",
    "examine",
    "inspected",
    "inspect",
    "verified",
    "verify",
    "seen",
    "covered",
    "opened",
    "open",
    "applicable",
    "accessed",
    "access",
    "accessible",
    "analysed",
    "analyzed",
    "assessed",
    "evaluated",
    "loaded",
    "provided",
];

/// Pieces of a file.
const PIECES: [&str; 10] = ["line", "lines", "part", "parts", "half", "beginning", "diff", "hunk", "hunks", "portion"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn to_say_that_nobody_looked_is_no_look() {
        for aspect in [
            "not reviewed",
            "Not checked.",
            "n/a",
            "skipped",
            "none",
            "could not be read",
            "wasn't looked at",
            "",
            "could not open the file",
            "I can't find it",
            "unable to load it",
            "pending",
            "pending review",
            "to be checked",
            "out of scope",
            "only the first lines",
            "partially reviewed",
            "not yet",
            "later",
            "the file was not provided",
            "?",
        ] {
            assert!(!tells_of_a_look(aspect), "{aspect}");
        }
        for aspect in [
            "locks",
            "no unwrap is left",
            "errors that are not handled",
            "all of it",
            "reads and writes",
            "pending writes",
            "partial failures",
            "only the owner writes",
            "that the lock cannot be taken twice",
            "missing keys",
            "variables out of scope",
        ] {
            assert!(tells_of_a_look(aspect), "{aspect}");
        }
    }

    #[test]
    fn an_area_that_begins_with_no_look_was_not_looked_at() {
        let area = |aspects: &[&str]| Area {
            file: "a.rs".to_owned(),
            aspects: aspects.iter().map(|&aspect| aspect.to_owned()).collect(),
        };
        assert!(!was_looked_at(&area(&["could not open the file", "sorry"])));
        assert!(was_looked_at(&area(&["locks", "style not reviewed"])));
        assert!(!was_looked_at(&area(&[])));
    }
}

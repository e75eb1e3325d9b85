//! Places that a sentence tells as somebody else's, or as none: naming them is no evidence of whoever does so.

use std::borrow::Cow;

use super::words::{placed_words, tells, words};
use crate::claims::doubt::is_of_something_there;

/// Whether a sentence calls the place that it names invented, or tells it as somebody else's.
pub(super) fn is_anothers(before: &str, behind: &str) -> bool {
    // A sentence is parted from the next by a capital letter, which a path seldom has.
    let before = before.rsplit(". ").next().unwrap_or_default();
    let lead: Vec<_> = words(before).collect();
    // `error handling is nonexistent (X)`: what stands before a mark is said of something else.
    let tail = before.trim_end_matches(['`', '*', '"', ' ', '\u{201c}']);
    let adjoining = !tail.ends_with([':', '(', '[', ',', ';']) && !tail.contains('"');
    let denied = is_denied_behind(behind) && !is_of_something_there(before, behind);
    denied || (adjoining && is_denied_before(&lead)) || is_told_of_another(&lead, adjoining)
}

/// Whether the words before a path tell what somebody says of it: `the opponent claims that`.
pub(super) fn is_told_by_somebody(before: &str) -> bool {
    let (mut speaker, mut told, mut passive) = (false, false, false);
    for word in words(before) {
        // Behind these the sentence speaks for itself again.
        if matches!(&*word, "but" | "however" | "yet" | "while" | "whereas" | "aber" | "mais" | "pero") {
            (speaker, told) = (false, false);
        }
        told |= speaker && SAYING.contains(&&*word) && !passive;
        speaker |= SPEAKERS.contains(&&*word);
        passive = matches!(&*word, "is" | "are" | "was" | "were" | "been");
    }
    told
}

/// Whether the words of a line say that what stands below it is somebody's, and not the file's: `The proposer on a.rs:`.
pub(super) fn heads_what_is_told(line: &str) -> bool {
    let is_change = |word: &str| matches!(word, "change" | "becomes" | "become");
    words(line).any(|word| tells(&word) || SPEAKERS.contains(&&*word) || SAYING.contains(&&*word) || is_change(&word))
}

/// Ways to say, behind a place, that there is none: with these words, in this order.
#[rustfmt::skip]
const NONE_BEHIND: [&[&str]; 38] = [
    &["does", "not", "exist"], &["do", "not", "exist"], &["doesn't", "exist"], &["don't", "exist"], &["did", "not", "exist"],
    &["never", "existed"], &["cannot", "be", "found"], &["can't", "be", "found"], &["past", "the", "end"],
    &["beyond", "the", "end"], &["behind", "the", "end"], &["out", "of", "range"], &["made", "up"], &["is", "nowhere"],
    &["not", "there"], &["not", "in", "the", "repository"], &["not", "in", "the", "repo"], &["not", "in", "the", "tree"],
    &["not", "in", "the", "workspace"], &["not", "in", "the", "codebase"], &["isn't", "in", "the", "repository"],
    &["isn't", "in", "the", "repo"], &["isn't", "in", "the", "tree"], &["isn't", "there"], &["neither", "exists"],
    &["no", "such", "file"],
    &["no", "such", "line"], &["cannot", "be", "right"], &["can't", "be", "right"], &["gibt", "es", "nicht"],
    &["nicht", "gibt"], &["existiert", "nicht"], &["existieren", "nicht"], &["n'existe", "pas"], &["n'existent", "pas"],
    &["no", "existe"], &["não", "existe"], &["non", "esiste"],
];

/// Ways to say so before it.
#[rustfmt::skip]
const NONE_BEFORE: [&[&str]; 9] = [
    &["there", "is", "no"], &["there", "is", "no", "file"], &["there's", "no"], &["there's", "no", "file"],
    &["no", "such", "file", "as"], &["no", "such", "line", "as"], &["made", "up"], &["es", "gibt", "kein"],
    &["es", "gibt", "keine"],
];

/// Words for what was made up.
#[rustfmt::skip]
const INVENTED: [&str; 17] = [
    "invented", "invents", "fabricated", "fabricates", "hallucinated", "hallucinates", "fictional", "fictitious",
    "imaginary", "bogus", "nonexistent", "non-existent", "erfunden", "erfundene", "inventé", "inventado", "inventato",
];

/// Words between a place and what is said of it; behind any other word the sentence speaks of something else.
#[rustfmt::skip]
const PASSING: [&str; 28] = [
    "is", "was", "are", "were", "lies", "ist", "est", "a", "the", "file", "line", "lines", "which", "that", "it", "and", "but",
    "simply", "plainly", "entirely", "pure", "just", "also", "as", "claimed", "cited", "wie", "behauptet",
];

/// Those who speak in a debate.
#[rustfmt::skip]
const SPEAKERS: [&str; 24] = [
    "proposer", "challenger", "opponent", "opponents", "proposer's", "challenger's", "opponent's", "they", "their", "he",
    "she", "his", "her", "you", "your", "side", "author", "reviewer", "partner", "gegner", "gegenseite", "adversaire", "critic",
    "critic's",
];

/// What they do with words that follow.
#[rustfmt::skip]
const SAYING: [&str; 25] = [
    "claim", "claims", "claimed", "argue", "argues", "argued", "assert", "asserts", "asserted", "allege", "alleges",
    "alleged", "quote", "quotes", "quoted", "says", "said", "writes", "wrote", "insists", "maintains", "behauptet", "zitiert",
    "zitierte", "schreibt",
];

/// What they do with a place that follows.
#[rustfmt::skip]
const CITING: [&str; 17] = [
    "cites", "cited", "cite", "invokes", "invoked", "citation", "quotation", "cita", "affirme", "prétend", "misquotes",
    "relies", "relied", "rests", "leans", "refers", "points",
];

/// Words between a verb and the place that it speaks of.
#[rustfmt::skip]
const SMALL: [&str; 17] = [
    "that", "the", "a", "an", "at", "in", "of", "to", "on", "dass", "que", "for", "as", "from", "line", "lines", "so-called",
];

/// Words for what somebody cites.
#[rustfmt::skip]
const CITED: [&str; 10] = [
    "citation", "quote", "quotation", "file", "place", "evidence", "reference", "beleg", "zitat", "datei",
];

/// Whether the words behind a place say that there is none.
fn is_denied_behind(behind: &str) -> bool {
    let placed: Vec<_> = placed_words(behind).take(8).collect();
    let after: Vec<&str> = placed.iter().map(|(_, word)| &**word).collect();
    let passed = after.iter().take(3).take_while(|word| PASSING.contains(word)).count();
    let begins = |at: usize, phrase: &[&str]| after[at..].starts_with(phrase);
    let ended = |at: usize| {
        let from = placed.get(at - 1).map_or(0, |(place, _)| *place);
        let to = placed.get(at).map_or(behind.len(), |(place, _)| *place);
        let stops = at >= after.len() || behind[from..to].contains([',', '.', ';', ':', ')', '!', '?']);
        let of_the_file = matches!(
            after.get(at..).unwrap_or_default(),
            ["of", "the" | "that" | "this", "file" | "text" | "document", ..]
                | ["of", "file" | "it", ..]
                | ["to", "be", "found", ..]
        );
        stops || of_the_file || after.get(at) == Some(&"in")
    };
    let said = (0..=passed).any(|at| {
        NONE_BEHIND.iter().any(|phrase| begins(at, phrase) && (!needs_an_end(phrase) || ended(at + phrase.len())))
    });
    let called = passed > 0 && after.get(passed).is_some_and(|word| INVENTED.contains(word));
    // `is missing` says so at the end of a clause alone; `is missing a check` speaks of something else.
    let trimmed = behind.trim_start_matches(['`', '*', '"', ')', ' ']);
    let ended = ["is missing", "are missing", "is false"].iter().any(|said| {
        trimmed.strip_prefix(said).is_some_and(|rest| rest.is_empty() || rest.starts_with([',', '.', ';', ':', ')', '!']))
    });
    said || called || ended
}

/// Phrases that speak of something else where the clause goes on: `is nowhere tested`, `past the end of its life`.
fn needs_an_end(phrase: &[&str]) -> bool {
    matches!(
        phrase,
        ["is", "nowhere"]
            | ["not" | "isn't", "there"]
            | ["made", "up"]
            | ["not" | "isn't", "in", "the", _]
            | ["past" | "beyond" | "behind", "the", "end"]
            | ["out", "of", "range"]
    )
}

/// Whether the words right before a place say that there is none.
fn is_denied_before(lead: &[Cow<'_, str>]) -> bool {
    let plain: Vec<_> =
        lead.iter().map(|word| &**word).filter(|word| !matches!(*word, "the" | "citation" | "cited")).collect();
    let invented = plain.last().is_some_and(|word| INVENTED.contains(word));
    invented || NONE_BEFORE.iter().any(|phrase| plain.ends_with(phrase))
}

/// Whether the words before a verb end with who does it: a speaker, or a speaker's case. What `this points to` is nobody's.
fn is_somebody(before: &[Cow<'_, str>]) -> bool {
    #[rustfmt::skip]
    const PASSED: [&str; 15] = [
        "also", "still", "only", "then", "now", "again", "even", "has", "have", "had", "just", "itself", "is", "was", "so",
    ];
    #[rustfmt::skip]
    const CASES: [&str; 10] = [
        "case", "argument", "claim", "point", "evidence", "citation", "quote", "position", "reasoning", "rebuttal",
    ];
    let passing = |word: &str| word.ends_with("ly") || PASSED.contains(&word);
    let Some(at) = before.iter().rposition(|word| !passing(word)) else { return false };
    let one_before = at.checked_sub(1).and_then(|at| before.get(at));
    let whose = |word: &str| word.ends_with("'s") || matches!(word, "their" | "his" | "her" | "your");
    match &*before[at] {
        word if CASES.contains(&word) => one_before.is_some_and(|word| SPEAKERS.contains(&&**word) && whose(word)),
        word => !whose(word) && is_speaker(word, one_before),
    }
}

/// Whether a word names a speaker: the other side is one, and the client side is none.
fn is_speaker(word: &str, before: Option<&Cow<'_, str>>) -> bool {
    let of_code = || word == "side" && !before.is_some_and(|word| matches!(&**word, "other" | "opposing" | "one"));
    SPEAKERS.contains(&word) && !of_code()
}

/// Whether the words right before a place tell it as somebody else's, or as one that was not found.
fn is_told_of_another(lead: &[Cow<'_, str>], adjoining: bool) -> bool {
    let passed = |word: &str| SMALL.contains(&word) || CITED.contains(&word);
    let Some(at) = lead.iter().rposition(|word| !passed(word)) else { return false };
    let word = &*lead[at];
    let cited = lead[at..].iter().any(|word| CITED.contains(&&**word));
    // A file of theirs may be one of the code.
    let citing = lead[at..].iter().any(|word| CITED.contains(&&**word) && !matches!(&**word, "file" | "place" | "datei"));
    let before = lead[..at].iter().rev().map(|word| &**word);
    let who = is_somebody(&lead[..at]);
    let not_found = matches!(word, "find" | "such" | "found")
        && before.clone().take(2).any(|word| matches!(word, "not" | "cannot" | "couldn't" | "can't" | "no" | "nicht"));
    ((CITING.contains(&word) || SAYING.contains(&word)) && who)
        || (INVENTED.contains(&word) && (who || cited))
        || (is_speaker(word, lead[..at].last()) && citing)
        || (adjoining && not_found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_sentence_calls_invented_is_no_evidence_of_it() {
        for (before, behind) in [
            ("", " does not exist."),
            ("The cited ", " doesn’t exist in it."),
            ("There is no such file as ", "."),
            ("There is no ", " in the tree."),
            ("The proposer invented ", "."),
            ("A made up ", " does not help."),
            ("", " gibt es nicht."),
            ("", " is past the end of the file."),
            ("", ", which is simply fabricated."),
            ("", " is not in the repository."),
            ("", "` is missing, as the check shows."),
        ] {
            assert!(is_anothers(before, behind), "{before}|{behind}");
        }
        for (before, behind) in [
            ("", " is wrong."),
            ("", " checks that the file does not exist."),
            ("", " returns an error if it does not exist."),
            ("", " reads past the end of the buffer."),
            ("", " is missing a check."),
            ("We invented a cache; ", " holds it."),
            ("There is no lock in ", "."),
            ("The null check at ", " is missing."),
            ("The default in ", " is false, so the guard is off."),
            ("The guard at ", " does not exist in release builds."),
            ("", " is made up of three parts."),
            ("Error handling is nonexistent (", ")."),
            ("The timeout is bogus: ", " never fires."),
            ("It prints \"no such file\" at ", "."),
        ] {
            assert!(!is_anothers(before, behind), "{before}|{behind}");
        }
    }

    #[test]
    fn what_is_told_as_somebody_elses_is_theirs() {
        for before in [
            "The proposer cites ",
            "Their citation of ",
            "The opponent's quote from ",
            "You rely on nothing. The challenger points to line ",
            "I could not find ",
        ] {
            assert!(is_anothers(before, ", and so on."), "{before}");
        }
        for before in [
            "I cite ",
            "The proposer is wrong. See ",
            "As the proposer says, it waits; ",
            "The code cites ",
            "The client side relies on ",
            "Their handler points to ",
            "Their file ",
            "As you know, this points to ",
        ] {
            assert!(!is_anothers(before, ", and so on."), "{before}");
        }
    }

    #[test]
    fn what_somebody_says_of_a_place_ends_with_a_turn() {
        assert!(is_told_by_somebody("The opponent claims that "));
        assert!(!is_told_by_somebody("The proposer says the index exists, but "));
        assert!(!is_told_by_somebody("The code says "));
    }
}

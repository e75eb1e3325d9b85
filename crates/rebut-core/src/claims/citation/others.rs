//! Places that a sentence tells as somebody else's, or as none: naming them is no evidence of whoever does so.

use std::borrow::Cow;
use std::ops::Range;

use super::sentences::ends_with_an_abbreviation;
use super::words::{negates, placed_words, tells, words};
use crate::claims::doubt::{Hand, around, is_doubted, is_of_something_there};

/// Whose a place is that a sentence names, if not its speaker's.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Whose {
    /// Nobody's: the sentence calls it invented, or says that there is none.
    Nobodys,
    /// Somebody else's, who is said to have cited it.
    Anothers,
}

/// Whose the place at a span is, where the sentence calls it invented or tells it as somebody else's. `before` is what the
/// sentence says before it, as far as that matters.
pub(super) fn whose(text: &str, before: &str, span: &Range<usize>) -> Option<Whose> {
    let before = last_sentence(before);
    let start = span.start - told_with_it(before);
    let (lead, behind) = around(text, start..span.end);
    let none =
        || is_sought_in_vain(lead, behind) || (says_there_is_none(lead, behind) && !is_of_something_there(lead, behind));
    if (speaks_of_none(lead, behind) && is_doubted(text, start..span.end, Hand::Unknown)) || none() {
        return Some(Whose::Nobodys);
    }
    let whole = without_brackets(before);
    let lead: Vec<_> = words(&whole).collect();
    // `error handling is nonexistent (X)`: what stands before a mark is said of something else.
    let tail = before.trim_end_matches(['`', '*', '"', ' ', '\u{201c}']);
    let adjoining = !tail.ends_with([':', '(', '[', ',', ';']) && !tail.contains('"');
    if adjoining && is_not_found(&lead) {
        return Some(Whose::Nobodys);
    }
    // `As the proposer says, X leaks` is said by who says it.
    (!tail.ends_with(',') && is_told_of_another(&lead)).then_some(Whose::Anothers)
}

/// Whether a sentence that doubts a place says that there is none. Others give it no weight, or use something else instead:
/// they name it all the same.
fn speaks_of_none(before: &str, behind: &str) -> bool {
    #[rustfmt::skip]
    const STEMS: [&str; 29] = [
        "exist", "found", "find", "locate", "invent", "fabricat", "hallucinat", "ficti", "imaginary", "bogus", "fake", "phantom",
        "made", "making", "non-exist", "real", "such", "false", "range", "end", "there", "retract", "withdr", "erfunden", "gibt",
        "introuvable", "missing", "nowhere", "fehlt",
    ];
    let said = |word: &str| STEMS.iter().any(|stem| word.starts_with(stem) && (stem.len() > 3 || word == *stem));
    let unused =
        |word: &str| matches!(word, "rely" | "relies" | "rest" | "rests" | "depend" | "depends" | "weight" | "count");
    let all: Vec<_> = words(before).chain(words(behind)).collect();
    // `was not found by fuzzing` speaks of a bug.
    let by_something = all.windows(2).any(|two| two[0] == "found" && two[1] == "by");
    all.iter().any(|word| said(word) || is_home(word)) && !all.iter().any(|word| unused(word)) && !by_something
}

/// Words for where files are.
fn is_home(word: &str) -> bool {
    matches!(word, "repository" | "repo" | "tree" | "workspace" | "project" | "codebase" | "snapshot")
}

/// Further ways to say of a place that there is none: `X no longer exists`, `X (cited above) does not exist`.
fn says_there_is_none(before: &str, behind: &str) -> bool {
    let lead: Vec<_> = words(before).collect();
    let lead: Vec<&str> = lead.iter().map(|word| &**word).collect();
    let all: Vec<_> = placed_words(behind).take(16).collect();
    let told = |word: &str| {
        matches!(
            word,
            "cited"
                | "mentioned"
                | "named"
                | "above"
                | "below"
                | "earlier"
                | "before"
                | "by"
                | "the"
                | "reviewer"
                | "wie"
                | "behauptet"
                | "as"
                | "claimed"
        ) || SPEAKERS.contains(&word)
    };
    let skipped = all.iter().take_while(|(_, word)| told(word)).count();
    let own: Vec<&str> = all[skipped..].iter().map(|(_, word)| &**word).collect();
    let ends = |at: usize| {
        let Some((from, _)) = all.get(skipped + at) else { return true };
        let last = all[skipped + at - 1].0;
        let at_home = own[at] == "in" && own[at..].iter().take(4).any(|word| is_home(word));
        at_home
            || behind[last..*from].contains([',', '.', ';', ':', ')', '!', '?'])
            || matches!(own[at], "anymore" | "today")
    };
    match own[..] {
        ["neither", "exists" | "exist", ..]
        | ["no", "such", "file" | "line", "exists", ..]
        | ["gibt", "es", "nicht", ..]
        | ["existiert" | "existieren", "nicht", ..] => true,
        ["no" | "not", "longer", "exists" | "exist", ..]
        | ["no", "such", "file" | "line", ..]
        | ["is" | "was" | "are" | "were", "not", "present" | "there", ..] => ends(3),
        ["does" | "do" | "did", "not", "exist", ..] => ends(3) && skipped > 0,
        ["is" | "was" | "are" | "were", "absent" | "missing", "from", ..] => own.iter().take(6).any(|word| is_home(word)),
        ["seems" | "appears" | "seem" | "appear", "to", "be", called, ..] => {
            INVENTED.contains(&called) || (called == "made" && ends(5))
        }
        // Behind a comma or a colon it is said of the code.
        ["cannot" | "can't", "be", "right"] => !behind.contains([',', ':', ';']),
        ["nor", ..] => lead.contains(&"neither") && own.contains(&"exists"),
        ["exists" | "exist", ..] => lead.contains(&"neither"),
        _ => matches!(lead[..], [.., "hence" | "so" | "therefore" | "thus", "no"]) && own.is_empty(),
    }
}

/// `I looked for X but could not find it.`
fn is_sought_in_vain(before: &str, behind: &str) -> bool {
    let mut last = [Cow::Borrowed(""), Cow::Borrowed("")];
    for word in words(before) {
        last = [std::mem::take(&mut last[1]), word];
    }
    let sought = matches!(&*last[0], "look" | "looked" | "search" | "searched") && last[1] == "for";
    let own: Vec<_> = words(behind).take(5).collect();
    let found = |word: &str| matches!(word, "find" | "found" | "locate" | "such");
    sought && own.iter().any(|word| negates(word)) && own.iter().any(|word| found(word))
}

/// The text without what stands in brackets.
fn without_brackets(text: &str) -> Cow<'_, str> {
    let Some((lead, rest)) = text.split_once('(') else { return Cow::Borrowed(text) };
    match rest.split_once(')') {
        Some((_, behind)) => Cow::Owned(format!("{lead}{behind}")),
        None => Cow::Borrowed(text),
    }
}

/// The last sentence of a text. It is parted from the one before by a capital letter as a rule, which a path seldom has.
fn last_sentence(text: &str) -> &str {
    let ends = text.rmatch_indices(". ").find(|(at, _)| !ends_with_an_abbreviation(&text[..*at]));
    ends.map_or(text, |(at, _)| &text[at + 2..])
}

/// How much of the words before a place says only which part of it is meant, in bytes: `Line 77 of`, `the cited snippet from`.
/// What is said of that is said of the place.
fn told_with_it(before: &str) -> usize {
    let all: Vec<_> = placed_words(before).collect();
    let words: Vec<&str> = all.iter().map(|(_, word)| &**word).collect();
    let is_number = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
    let taken = match &words[..] {
        [.., "line" | "lines" | "zeile" | "zeilen" | "ligne" | "línea", number, "of" | "in" | "from" | "von" | "de"]
            if is_number(number) =>
        {
            3
        }
        [.., "code" | "snippet" | "finding" | "module" | "passage", "of" | "in" | "at" | "from"] => 2,
        _ => return 0,
    };
    before.len() - all[all.len() - taken].0
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

/// Words for what was made up.
#[rustfmt::skip]
const INVENTED: [&str; 17] = [
    "invented", "invents", "fabricated", "fabricates", "hallucinated", "hallucinates", "fictional", "fictitious",
    "imaginary", "bogus", "nonexistent", "non-existent", "erfunden", "erfundene", "inventé", "inventado", "inventato",
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

/// Whether the words right before a place say that it was looked for in vain.
fn is_not_found(lead: &[Cow<'_, str>]) -> bool {
    let Some(at) = lead.iter().rposition(|word| !SMALL.contains(&&**word) && !CITED.contains(&&**word)) else {
        return false;
    };
    let mut before = lead[..at].iter().rev().take(2);
    matches!(&*lead[at], "find" | "such" | "found")
        && before.any(|word| matches!(&**word, "not" | "cannot" | "couldn't" | "can't" | "no" | "nicht"))
}

/// Whether the words right before a place tell it as somebody else's.
fn is_told_of_another(lead: &[Cow<'_, str>]) -> bool {
    let passed = |word: &str| SMALL.contains(&word) || CITED.contains(&word);
    let Some(at) = lead.iter().rposition(|word| !passed(word)) else { return false };
    let word = &*lead[at];
    let cited = lead[at..].iter().any(|word| CITED.contains(&&**word));
    // A file of theirs may be one of the code.
    let citing = lead[at..].iter().any(|word| CITED.contains(&&**word) && !matches!(&**word, "file" | "place" | "datei"));
    let who = is_somebody(&lead[..at]);
    // `He wrote src/a.rs` in a hurry, and says nothing of it.
    let written = matches!(word, "wrote" | "writes" | "schreibt");
    let says = SAYING.contains(&word) && (!written || lead[at + 1..].iter().any(|word| matches!(&**word, "that" | "dass")));
    ((CITING.contains(&word) || says) && who)
        || (INVENTED.contains(&word) && (who || cited))
        || (is_speaker(word, lead[..at].last()) && citing)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_told(before: &str, behind: &str) -> bool {
        let text = format!("{before}src/a.rs:9{behind}");
        whose(&text, before, &(before.len()..text.len() - behind.len())).is_some()
    }

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
            ("Eine Datei ", ", wie behauptet, gibt es nicht."),
            ("The file has 62 lines, so ", " cannot be right."),
            ("", " is past the end of the file."),
            ("", ", which is simply fabricated."),
            ("", " is not in the repository."),
            ("", "` is missing, as the check shows."),
            ("Line 77 of ", " does not exist."),
            ("Lines 70-80 of ", " do not exist."),
            ("The cited code in ", " does not exist."),
            ("The snippet from ", " does not exist."),
            ("The finding at ", " is hallucinated."),
            ("Your comment refers to ", ", but that file does not exist."),
            ("", " was not found."),
            ("", " is not a real file."),
            ("", " (cited by the reviewer) does not exist."),
            ("My earlier citation of ", " was wrong; that file does not exist."),
            ("I retract ", ", which I made up."),
            ("", " seems to be made up."),
            ("", " appears to be hallucinated."),
            ("", " is absent from the repository."),
            ("", " no longer exists."),
            ("", " is not present."),
            ("The path ", " cited above does not exist."),
            ("I looked for ", " but could not find it."),
            ("You mention ", "; no such file exists."),
            ("There is no such folder, hence no ", "."),
            ("Neither ", " nor src/b.rs:3 exists."),
        ] {
            assert!(is_told(before, behind), "{before}|{behind}");
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
            ("", " was not found by fuzzing."),
            ("", " seems to be made up of three parts."),
            ("", " no longer takes the lock."),
            ("", " is not present in the hot path, and slow."),
            ("", " is absent from the profile."),
            ("Instead of ", " we call the lock twice."),
            ("We ignore ", " in the hot loop."),
            ("You cannot rely on ", " since it caches stale keys."),
            ("", " cannot be right: it subtracts twice."),
            ("The check in ", " does not exist."),
            ("The code at ", " isn't what the critic says; it reads `x`."),
        ] {
            assert!(!is_told(before, behind), "{before}|{behind}");
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
            "The proposer (cf. round 1) cites ",
            "The author wrote that ",
        ] {
            assert!(is_told(before, ", and so on."), "{before}");
        }
        for before in [
            "I cite ",
            "The proposer is wrong. See ",
            "As the proposer says, it waits; ",
            "As the proposer says, ",
            "Contrary to what the proposer says, ",
            "The author wrote ",
            "The code cites ",
            "The client side relies on ",
            "Their handler points to ",
            "Their file ",
            "As you know, this points to ",
        ] {
            assert!(!is_told(before, ", and so on."), "{before}");
        }
    }

    #[test]
    fn what_somebody_says_of_a_place_ends_with_a_turn() {
        assert!(is_told_by_somebody("The opponent claims that "));
        assert!(!is_told_by_somebody("The proposer says the index exists, but "));
        assert!(!is_told_by_somebody("The code says "));
    }
}

//! Places that a sentence tells as somebody else's, or as none: naming them is no evidence of whoever does so.

use std::borrow::Cow;

use super::words::words;

/// Ways to say, right behind a place, that there is none: with these words, in this order.
#[rustfmt::skip]
const INVENTED_BEHIND: [&[&str]; 24] = [
    &["does", "not", "exist"], &["do", "not", "exist"], &["doesn't", "exist"], &["don't", "exist"], &["did", "not", "exist"],
    &["never", "existed"], &["cannot", "be", "found"], &["can't", "be", "found"], &["past", "the", "end"],
    &["beyond", "the", "end"], &["behind", "the", "end"], &["out", "of", "range"], &["gibt", "es", "nicht"],
    &["existiert", "nicht"], &["existieren", "nicht"], &["n'existe", "pas"], &["no", "existe"], &["não", "existe"],
    &["non", "esiste"], &["is", "not", "there"], &["no", "such", "file"], &["no", "such", "line"],
    &["cannot", "be", "right"], &["can't", "be", "right"],
];

/// Words for what was made up.
#[rustfmt::skip]
const INVENTED: [&str; 17] = [
    "invented", "invents", "fabricated", "fabricates", "hallucinated", "hallucinates", "fictional", "fictitious",
    "imaginary", "bogus", "nonexistent", "non-existent", "erfunden", "erfundene", "inventé", "inventado", "inventato",
];

/// Words by which somebody else's citation is told.
#[rustfmt::skip]
const CITING: [&str; 28] = [
    "claims", "claimed", "cites", "cited", "cite", "quotes", "quoted", "alleges", "alleged", "asserts", "asserted",
    "invokes", "invoked", "citation", "quotation", "zitiert", "zitierte", "behauptet", "cita", "affirme", "prétend",
    "misquotes", "relies", "relied", "rests", "leans", "refers", "points",
];

/// Whoever else takes part.
#[rustfmt::skip]
const OTHERS: [&str; 20] = [
    "proposer", "challenger", "opponent", "opponents", "proposer's", "challenger's", "opponent's", "they", "their", "he",
    "she", "his", "her", "you", "your", "side", "reviewer", "gegner", "gegenseite", "adversaire",
];

/// Whether a sentence calls the place that it names invented, or tells it as somebody else's: such a place is no evidence of
/// whoever says so.
pub(super) fn is_anothers(before: &str, behind: &str) -> bool {
    let after: Vec<_> = words(behind).take(8).collect();
    let starts =
        |phrase: &[&str], at: usize| after[at..].iter().map(|word| &**word).take(phrase.len()).eq(phrase.iter().copied());
    let said_behind = (0..after.len().min(4)).any(|at| INVENTED_BEHIND.iter().any(|phrase| starts(phrase, at)));
    let called = after.iter().take(4).enumerate().any(|(at, word)| {
        at > 0
            && INVENTED.contains(&&**word)
            && matches!(
                &*after[at - 1],
                "is" | "was" | "are" | "were" | "ist" | "est" | "simply" | "plainly" | "entirely" | "pure"
            )
    });
    // `is missing` says so at the end of a clause alone; `is missing a check` speaks of something else.
    let trimmed = behind.trim_start_matches(['`', '*', '"', ')', ' ']);
    let missing = ["is missing", "are missing", "is false", "is invented", "is made up"].iter().any(|said| {
        trimmed.strip_prefix(said).is_some_and(|rest| rest.is_empty() || rest.starts_with([',', '.', ';', ':', ')', '!']))
    });
    if said_behind || called || missing {
        return true;
    }
    // A sentence is parted from the next by a capital letter, which a path seldom has.
    let before = before.rsplit(". ").next().unwrap_or_default();
    is_told_of_another(&words(before).collect::<Vec<_>>())
}

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

/// Whether the words right before a place tell it as somebody else's, or as one that there is not.
fn is_told_of_another(lead: &[Cow<'_, str>]) -> bool {
    let passed = |word: &str| SMALL.contains(&word) || CITED.contains(&word);
    let Some(at) = lead.iter().rposition(|word| !passed(word)) else { return false };
    let word = &*lead[at];
    let cited = lead[at..].iter().any(|word| CITED.contains(&&**word));
    let before = lead[..at].iter().rev().map(|word| &**word);
    let who = before.clone().take(4).any(|word| OTHERS.contains(&word));
    let not_found = matches!(word, "find" | "such" | "found")
        && before.clone().take(2).any(|word| matches!(word, "not" | "cannot" | "couldn't" | "can't" | "no" | "nicht"));
    (CITING.contains(&word) && who)
        || (INVENTED.contains(&word) && (who || cited))
        || (OTHERS.contains(&word) && cited)
        || not_found
}

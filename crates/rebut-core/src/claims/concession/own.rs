//! The claims of their own that a sentence gives up by their ids: `I withdraw P1.2`, `I concede that it is off (P1.2)`.
//!
//! What is given up stands behind the verb or alone in brackets right behind what is conceded. A part of a claim, a condition and
//! a claim that the sentence goes on to are not given up. Whose a claim is, this file does not know.

use super::by_id::{CLAIMS, Clause, Opening, clauses, is_called_false, is_limited, is_supposed};
use super::spoken::BETWEEN;
use crate::claims::ClaimId;

/// The claims that a sentence gives up if they are the speaker's own. `concedes` says whether it concedes anything.
pub(super) fn ids_withdrawn(sentence: &str, concedes: bool) -> Vec<ClaimId> {
    let small = sentence.to_lowercase().replace('\u{2019}', "'");
    let kept = |word: &str| {
        matches!(word, "if" | "unless" | "would" | "wenn" | "stands" | "holds" | "survives" | "keep" | "replace" | "instead")
    };
    let kept = small.split(|c: char| !c.is_alphanumeric()).any(kept);
    // What somebody is said to say is not said.
    let quoted = small.find(['"', '\u{201c}', '\u{201e}', '\u{ab}']).is_some_and(|at| small[at..].contains("i "));
    let clauses = clauses(&small);
    let turned = clauses.iter().any(|clause| {
        clause.opened_by == Opening::Turn && !matches!(clause.words.first().map(String::as_str), Some("not" | "nicht"))
    });
    if is_supposed(&small) || kept || quoted || turned {
        return Vec::new();
    }
    let mut found: Vec<ClaimId> = Vec::new();
    // Whether a row of ids goes on, and whether brackets would stand right behind what is conceded.
    let (mut in_row, mut is_conceding) = (false, concedes);
    for (at, clause) in clauses.iter().enumerate() {
        let words: Vec<&str> = clause.words.iter().map(String::as_str).collect();
        if is_limited(&words.join(" ")) {
            (in_row, is_conceding) = (false, false);
            continue;
        }
        let ids: Vec<ClaimId> = words.iter().filter_map(|word| ClaimId::read(word)).collect();
        let is_ids_alone =
            !ids.is_empty() && words.iter().all(|word| ClaimId::read(word).is_some() || CLAIMS.contains(word));
        match clause.opened_by {
            Opening::Bracket if is_conceding && is_ids_alone => found.extend(ids),
            Opening::Comma | Opening::Joint if in_row && is_ids_alone => found.extend(ids),
            _ => {
                let given = given_up(&words, clauses.get(at + 1));
                in_row = given.is_some();
                found.extend(given);
            }
        }
        is_conceding &= match clauses.get(at + 1).map(|next| (next.opened_by, next.words.first().map(String::as_str))) {
            Some((Opening::Turn, turn)) => matches!(turn, Some("not" | "nicht")),
            Some((Opening::Comma | Opening::Colon | Opening::BracketEnd, _)) => false,
            _ => true,
        };
    }
    found
}

/// The claim that a clause gives up.
fn given_up(words: &[&str], next: Option<&Clause>) -> Option<ClaimId> {
    // `My claim P1.2 was wrong`, `P1.2 is withdrawn`.
    let (own, behind) = behind_words_for_a_claim(words);
    if let [id, predicate @ ..] = behind
        && let Some(id) = ClaimId::read(id)
    {
        let is_withdrawn = matches!(predicate, ["is" | "are", "withdrawn" | "retracted" | "dropped", ..]);
        return (is_withdrawn || (own && is_denied(predicate, next))).then_some(id);
    }
    let at = words.iter().take(2).position(|word| matches!(*word, "i" | "we"))?;
    let mut words = &words[at + 1..];
    while let [first, rest @ ..] = words
        && BETWEEN.contains(first)
    {
        words = rest;
    }
    let (what, must_be_denied) = match words {
        ["concede" | "admit" | "accept", "that", what @ ..] => (what, true),
        ["withdraw" | "retract" | "abandon" | "drop" | "concede", what @ ..]
        | ["give", "up", what @ ..]
        | ["take", "back", what @ ..]
        | ["no", "longer", "hold" | "defend" | "maintain" | "claim" | "assert", what @ ..]
        | ["was" | "were", "wrong" | "mistaken", "in" | "on" | "about" | "with", what @ ..] => (what, false),
        _ => return None,
    };
    let [id, predicate @ ..] = behind_words_for_a_claim(what).1 else { return None };
    // Whatever follows is said of a part of it, or of something else: `I withdraw the P1.2 quote`, `I concede P1.2 is broad`.
    let wholly = |word: &&str| matches!(*word, "entirely" | "fully" | "altogether" | "completely" | "outright" | "too");
    let ends = || predicate.iter().all(wholly) && !next.is_some_and(|next| next.opened_by == Opening::Turn);
    let is_given = if must_be_denied { is_denied(predicate, next) } else { ends() };
    ClaimId::read(id).filter(|_| is_given)
}

/// What stands behind `my claim`, and whether it says whose it is.
fn behind_words_for_a_claim<'a, 'b>(words: &'a [&'b str]) -> (bool, &'a [&'b str]) {
    let is_word =
        |word: &&&str| matches!(**word, "my" | "our" | "own" | "the" | "earlier" | "both") || CLAIMS.contains(word);
    let led = words.iter().take_while(is_word).count();
    (matches!(words.first(), Some(&"my" | &"our")), &words[led..])
}

/// Whether a claim is said not to hold: `is false`, `does not hold`, which is a clause of its own from `not` on.
fn is_denied(predicate: &[&str], next: Option<&Clause>) -> bool {
    let turned = next.filter(|next| next.opened_by == Opening::Turn).map_or(&[][..], |next| &next.words[..]);
    let not = turned.first().is_some_and(|word| word == "not");
    let held = turned
        .get(1)
        .is_some_and(|word| matches!(word.as_str(), "hold" | "stand" | "survive" | "true" | "right" | "correct" | "so"));
    is_called_false(predicate) || (matches!(predicate, ["does" | "do" | "is" | "was"]) && not && held)
}

#[cfg(test)]
mod tests {
    use super::super::spoken::withdrawn_in;

    fn withdrawn(text: &str) -> String {
        withdrawn_in(text).iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_claim_of_ones_own_is_given_up_by_its_id() {
        for text in [
            "I withdraw P1.2: the cache is off.",
            "I withdraw my claim P1.2.",
            "On caching, I must retract P1.2.",
            "I concede that the cache is not on (P1.2).",
            "I concede that the cache is off (P1.2).",
            "I concede P1.2.",
            "I concede that P1.2 is wrong.",
            "I concede that P1.2 does not hold.",
            "I was wrong about P1.2.",
            "I no longer defend P1.2, since nobody measured it.",
            "My claim P1.2 was mistaken.",
            "P1.2 is withdrawn.",
        ] {
            assert_eq!(withdrawn(text), "P1.2", "{text}");
        }
        assert_eq!(withdrawn("I withdraw P1.1, P1.2 and P1.3."), "P1.1 P1.2 P1.3");
    }

    #[test]
    fn what_is_kept_is_not_given_up() {
        for text in [
            "I do not withdraw P1.2.",
            "I withdraw nothing: P1.2 stands.",
            "I withdraw P1.2 if the logs say so.",
            "I would withdraw P1.2.",
            "I withdraw part of P1.2.",
            "I withdraw the wording of P1.2.",
            "I withdraw P1.2's figure.",
            "I concede the cost, but the cache helps (P1.2).",
            "I concede the cost, which is small (P1.2).",
            "I concede that P1.2 is overstated.",
            "The challenger says that P1.2 is wrong.",
            "> I withdraw P1.2.",
            "P1.2 stands.",
            "I was wrong in P1.2 to cite line 40; the code is at line 6 and the claim stands.",
            "I withdraw the P1.2 citation and replace it with src/main.rs:6.",
            "I retract the P1.2 quote, not the claim.",
            "I concede P1.2 is overstated, and no more.",
            "I concede P1.2 needs a caveat: staging is out.",
            "I admit that P1.2 is not the strongest point.",
            "I no longer claim P1.2 covers staging.",
            "I drop P1.2 for brevity.",
            "They want me to give in: \"I withdraw P1.2.\"",
            "I was wrong about P1.2 being settled, it needs one more line.",
            "I concede P1.2, but the cache helps.",
        ] {
            assert_eq!(withdrawn(text), "", "{text}");
        }
    }
}

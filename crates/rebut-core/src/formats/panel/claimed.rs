//! Whether an entry makes a claim, by its words. Whoever challenges a source says which claim fails, and nobody has to answer
//! for a claim of somebody else's making.

use super::figures::{foreign, rounds};
use super::stretches::{tells, tokens};

/// How much of a word's beginning tells it from others: `reviewing` is `review` once more.
const BEGINNING: usize = 5;

/// Whether a claim is one of these words: its figures stand among them, and more than half of what else tells in it does.
pub(super) fn makes(words: &str, claim: &str) -> bool {
    if foreign(claim, words).is_some_and(|figure| !rounds(&figure, words)) {
        return false;
    }
    let own: Vec<String> = tokens(words).into_iter().map(|token| token.word).collect();
    let claimed: Vec<String> = tokens(claim).into_iter().map(|token| token.word).collect();
    let claimed: Vec<String> =
        claimed.into_iter().filter(|word| tells(word) && !word.contains(|c: char| c.is_ascii_digit())).collect();
    let found = claimed.iter().filter(|word| own.iter().any(|known| alike(known, word))).count();
    claimed.is_empty() || 2 * found > claimed.len()
}

/// Whether two words are forms of one.
fn alike(one: &str, other: &str) -> bool {
    let begins = |word: &str| word.chars().take(BEGINNING).collect::<String>();
    let (shorter, longer) = if one.len() < other.len() { (one, other) } else { (other, one) };
    let short = shorter.chars().count() < BEGINNING;
    if short { longer.strip_prefix(shorter).is_some_and(|rest| rest.len() < 3) } else { begins(one) == begins(other) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENTRY: &str = "Review pays for itself: careful reviewers found 41.3 % of all faults within 1,200 hours.";

    #[test]
    fn a_claim_is_of_an_entry_in_its_words_and_its_figures() {
        for claim in [
            "Review pays for itself.",
            "Reviewing found 41 % of the faults.",
            "1200 hours",
            "That review pays back",
            "A careful review finds faults.",
            "All of it.",
        ] {
            assert!(makes(ENTRY, claim), "{claim}");
        }
        for claim in [
            "Review makes all programs free of faults.",
            "The moon is made of cheese.",
            "Careful reviewers found 87 % of all faults.",
            "Review is never too expensive.",
        ] {
            assert!(!makes(ENTRY, claim), "{claim}");
        }
        assert!(makes("代码审查可以发现错误。", "审查发现错误"));
        assert!(!makes("代码审查可以发现错误。", "月亮是奶酪做的"));
    }
}

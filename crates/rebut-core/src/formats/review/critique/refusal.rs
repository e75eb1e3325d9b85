//! Critics that did not judge: they refuse, or say that the evidence does not suffice.

use super::none::{first_sentence, words};

/// Whether a text says that the evidence is insufficient, and does not deny it.
pub(super) fn says_insufficient(text: &str) -> bool {
    let all = words(text);
    let denied = |at: usize| {
        all[at.saturating_sub(3)..at]
            .iter()
            .any(|word| matches!(word.as_str(), "no" | "not" | "never" | "isn" | "without" | "hardly"))
    };
    let pairs =
        [("insufficient", "evidence"), ("insufficiently", "evidenced"), ("evidence", "insufficient"), ("not", "enough")];
    all.windows(3).enumerate().any(|(at, next)| {
        let said = pairs.iter().any(|(one, other)| next[0] == *one && (next[1] == *other || next[2] == *other));
        let enough = next[0] != "not" || (next[2] == "evidence");
        said && enough && !denied(at) && next[1] != "not"
    }) || matches!(all.as_slice(), [.., one, other] if one == "insufficient" && other == "evidence" && !denied(all.len() - 2))
}

/// Verbs of which a critic that did nothing says that it cannot.
const REFUSED: [&str; 24] = [
    "help", "assist", "review", "comply", "provide", "access", "complete", "process", "evaluate", "critique", "analyze",
    "analyse", "read", "open", "continue", "fulfill", "fulfil", "do", "perform", "engage", "fetch", "view", "discuss",
    "proceed",
];

/// Whether the first sentence says that nothing was done: "I'm sorry, but I can't help with that."
pub(super) fn refuses(text: &str) -> bool {
    let start: String = text.chars().take(300).collect();
    let all = words(&first_sentence(&start));
    let unable = |at: usize| match all[at].as_str() {
        "cannot" | "unable" => true,
        "can" | "could" => matches!(all.get(at + 1).map(String::as_str), Some("t" | "not")),
        "not" => all.get(at + 1).is_some_and(|next| next == "able"),
        "won" => all.get(at + 1).is_some_and(|next| next == "t"),
        _ => false,
    };
    let speaks =
        all.iter().take(6).any(|word| matches!(word.as_str(), "i" | "sorry" | "apologies" | "apologize" | "unable" | "we"));
    let refused = |at: usize| all[at + 1..].iter().take(4).any(|word| REFUSED.contains(&word.as_str()));
    speaks && (0..all.len()).any(|at| unable(at) && refused(at))
}

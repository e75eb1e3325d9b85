//! What a critic recommends, from the words behind a field or line of that name.
//!
//! Only `keep` can end a review in agreement, so it is read only where nothing takes it back: no negation, no condition,
//! no second choice.

use super::Recommendation;

const NAMES: [(&str, Recommendation); 4] = [
    ("keep", Recommendation::Keep),
    ("revise", Recommendation::Revise),
    ("reject", Recommendation::Reject),
    ("continue", Recommendation::Continue),
];

/// Words that may stand before the choice.
const LEADS: [&str; 22] = [
    "i",
    "we",
    "would",
    "d",
    "recommend",
    "recommended",
    "recommendation",
    "suggest",
    "to",
    "should",
    "please",
    "my",
    "is",
    "the",
    "overall",
    "final",
    "decision",
    "verdict",
    "option",
    "that",
    "you",
    "it",
];

/// Words that take a choice back, or tie it to a condition.
const TURNS: [&str; 44] = [
    "not",
    "don",
    "dont",
    "never",
    "cannot",
    "can",
    "won",
    "wouldn",
    "shouldn",
    "isn",
    "doesn",
    "neither",
    "nor",
    "without",
    "but",
    "however",
    "unless",
    "until",
    "if",
    "only",
    "after",
    "once",
    "except",
    "provided",
    "instead",
    "rather",
    "hardly",
    "or",
    "hesitate",
    "pending",
    "conditional",
    "conditionally",
    "subject",
    "assuming",
    "unsure",
    "uncertain",
    "tentative",
    "tentatively",
    "contingent",
    "depending",
    "depends",
    "maybe",
    "perhaps",
    "probably",
];

/// What may be denied without taking a choice back: `keep (no changes needed)`.
const NOTHING_OF: [&str; 9] =
    ["change", "changes", "issue", "issues", "finding", "findings", "problem", "problems", "objections"];

/// Words that may follow "keep": what is kept is the artifact, and not some part of it.
const KEPT: [&str; 24] = [
    "it",
    "as",
    "is",
    "the",
    "original",
    "current",
    "version",
    "artifact",
    "proposal",
    "change",
    "changes",
    "this",
    "unchanged",
    "code",
    "design",
    "decision",
    "approach",
    "document",
    "text",
    "diff",
    "patch",
    "and",
    "merge",
    "them",
];

/// Whether the choice is all that the first words are: `Revise. It does not compile.`
pub(super) fn stands_alone(text: &str) -> bool {
    words(&text[..clause_end(text)]).len() == 1
}

/// Whether words begin with one that takes back what was said before them.
pub(super) fn turns(text: &str) -> bool {
    words(text).first().is_some_and(|first| TURNS.contains(&first.as_str()))
}

/// The recommendation that the words are, if there is no doubt about it.
pub(super) fn read(text: &str) -> Option<Recommendation> {
    let clause_end = clause_end(text);
    let choice = words(&text[..clause_end]).into_iter().find(|word| !LEADS.contains(&word.as_str()))?;
    let changes = ["request", "needs", "changes"].contains(&choice.as_str())
        && words(&text[..clause_end]).iter().any(|word| matches!(word.as_str(), "changes" | "revision" | "rework"));
    let chosen = match NAMES.iter().find(|(name, _)| *name == choice) {
        Some((_, chosen)) => *chosen,
        None if changes => Recommendation::Revise,
        None => return None,
    };
    // A list of the choices is the question, not an answer.
    let looked_at = if chosen == Recommendation::Keep { text } else { &text[..clause_end] };
    let around = words(looked_at);
    let others = NAMES.iter().any(|(name, other)| *other != chosen && around.iter().any(|word| word == name));
    let listed = words(text).iter().filter(|word| NAMES.iter().any(|(name, _)| name == word)).count() >= 3;
    let denied = |at: usize| around.get(at + 1).is_none_or(|next| !NOTHING_OF.contains(&next.as_str()));
    let turned = around.iter().enumerate().any(|(at, word)| TURNS.contains(&word.as_str()) || (word == "no" && denied(at)))
        || (chosen == Recommendation::Keep && text.contains('?'));
    let kept = words(&text[..clause_end]).into_iter().skip_while(|word| word != "keep").skip(1);
    let of_a_part = chosen == Recommendation::Keep && kept.into_iter().any(|word| !KEPT.contains(&word.as_str()));
    (!others && !listed && !turned && !of_a_part).then_some(chosen)
}

/// Where the first part of a sentence ends.
fn clause_end(text: &str) -> usize {
    text.find(['.', ';', ':', '!', '?', '\n', ',', '(', '—', '–']).unwrap_or(text.len())
}

fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

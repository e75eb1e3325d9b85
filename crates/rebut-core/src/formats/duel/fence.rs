//! Whether the words of a verdict give both sides the point instead of choosing. The winner is a field of its own and always
//! chosen; this catches a verdict that takes the choice back in its words.

/// Words that give both sides the point, by language. A sentence that holds all words of an entry in this order, and no
/// word that denies or turns it, sits on the fence.
const FENCE: [&[&str]; 22] = [
    &["both", "have", "merit"],
    &["both", "merits"],
    &["both", "are", "valid"],
    &["both", "valid", "points"],
    &["both", "good", "points"],
    &["both", "fair", "points"],
    &["both", "are", "right"],
    &["both", "are", "correct"],
    &["both", "equally"],
    &["merit", "in", "both"],
    &["merits", "on", "both"],
    &["is", "a", "draw"],
    &["is", "a", "tie"],
    &["s", "a", "tie"],
    &["no", "clear", "winner"],
    &["neither", "wins"],
    &["neither", "is", "better"],
    &["flip", "a", "coin"],
    &["beide", "haben", "recht"],
    &["es", "kommt", "darauf", "an"],
    &["les", "deux", "se", "valent"],
    &["ambas", "son", "válidas"],
];

/// The same in languages that are written without spaces.
const FENCE_UNSPACED: [&str; 6] = ["どちらも一理", "どちらにも一理", "場合による", "各有优", "各有道理", "视情况而定"];

/// Words that speak of two. What they speak of has to be the sides: two citations may well both be correct.
const TWO: [&str; 4] = ["both", "neither", "beide", "ambas"];

/// What the two are, where it is the sides, and what may stand with it.
#[rustfmt::skip]
const SIDES: [&str; 36] = [
    "sides", "side", "positions", "position", "parties", "party", "approaches", "approach", "debaters", "arguments", "cases",
    "views", "options", "option", "solutions", "answers", "designs", "proposals", "the", "of", "them", "these", "make", "makes",
    "raise", "have", "has", "are", "clearly", "really", "seiten", "positionen", "partes", "posturas", "opciones", "posiciones",
];

/// Words that open a clause, as a comma does.
const OPENING: [&str; 13] =
    ["that", "and", "since", "because", "as", "so", "when", "if", "think", "believe", "find", "end", "say"];

/// Words that deny what follows them.
#[rustfmt::skip]
const DENYING: [&str; 15] = [
    "not", "no", "never", "hardly", "scarcely", "barely", "less", "far", "nowhere", "nothing", "cannot", "nicht", "kein", "pas",
    "nunca",
];

/// How many words before one that gives both sides the point may deny it.
const DENIED_WITHIN: usize = 4;

/// Words after which a sentence decides after all.
const TURNS: [&str; 10] = ["but", "however", "yet", "still", "nevertheless", "although", "while", "aber", "mais", "pero"];

/// How "it depends" is said.
const DEPENDING: [&[&str]; 6] = [
    &["it", "depends"],
    &["it", "all", "depends"],
    &["it", "really", "depends"],
    &["cela", "dépend"],
    &["ça", "dépend"],
    &["depende"],
];

/// What leads from there to what it depends on.
#[rustfmt::skip]
const LEADING: [&str; 26] = [
    "on", "upon", "entirely", "largely", "your", "the", "each", "their", "one", "s", "de", "du", "des", "del", "la", "le",
    "les", "l", "el", "los", "las", "votre", "vos", "tu", "su", "sus",
];

/// What leaves the choice to somebody else. What it depends on otherwise is a part of the matter: a crate, a clock.
#[rustfmt::skip]
const OPEN: [&str; 30] = [
    "situation", "situations", "context", "case", "circumstances", "needs", "team", "project", "requirements", "workload",
    "use", "goals", "goal", "priorities", "constraints", "preferences", "preference", "perspective", "you", "what", "how",
    "who", "whether", "which", "contexte", "cas", "besoins", "situación", "contexto", "necesidades",
];

/// A word of a sentence, in small letters.
struct Word<'a> {
    text: &'a str,
    /// Whether a mark stands before it, or it is the first.
    opens: bool,
}

/// Whether a text gives both sides the point.
pub(super) fn sits_on_the_fence(text: &str) -> bool {
    let lower = text.to_lowercase();
    if FENCE_UNSPACED.iter().any(|phrase| lower.contains(phrase)) {
        return true;
    }
    lower.split(['.', '!', '?', '\n', ';']).any(|sentence| {
        let words = words(sentence);
        let fence = FENCE.iter().filter(|phrase| holds(&words, phrase)).max_by_key(|phrase| phrase.len());
        let says: &[&str] = match fence {
            Some(phrase) => phrase,
            None if leaves_open(&words) => &[],
            None => return false,
        };
        !words.iter().any(|word| TURNS.contains(&word.text) && !says.contains(&word.text))
    })
}

fn words(sentence: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    for clause in sentence.split([',', ':', '(', ')', '\u{2014}', '\u{2013}']) {
        let texts = clause.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.extend(
            texts.zip(std::iter::once(true).chain(std::iter::repeat(false))).map(|(text, opens)| Word { text, opens }),
        );
    }
    words
}

/// Whether the words hold these in this order, at most two others between each, and say so of the sides.
fn holds(words: &[Word<'_>], phrase: &[&str]) -> bool {
    let starts = words.iter().enumerate().filter(|(_, word)| word.text == phrase[0]).map(|(at, _)| at);
    starts.into_iter().any(|start| {
        let mut at = start;
        let reached = phrase[1..].iter().all(|wanted| {
            let near = words.iter().enumerate().skip(at + 1).take(3);
            let found = near.clone().find(|(_, word)| word.text == *wanted).map(|(place, _)| place);
            let between = |place: usize| &words[at + 1..place];
            let fits = found.filter(|place| {
                let denied = between(*place).iter().any(|word| DENYING.contains(&word.text));
                !denied && (at != start || speaks_of_sides(words, start, between(*place)))
            });
            at = fits.unwrap_or(at);
            fits.is_some()
        });
        reached && says_no_more(words, phrase, at) && !is_denied(words, start) && !is_supposed(words, start)
    })
}

/// Whether a phrase that ends here means the sides and not something else: `a draw call`, `both are right about the leak`.
fn says_no_more(words: &[Word<'_>], phrase: &[&str], at: usize) -> bool {
    const CLOSING: [&str; 20] = [
        "and",
        "so",
        "since",
        "because",
        "as",
        "between",
        "overall",
        "here",
        "then",
        "but",
        "however",
        "yet",
        "still",
        "nevertheless",
        "although",
        "while",
        "really",
        "again",
        "to",
        "me",
    ];
    let Some(next) = words.get(at + 1).filter(|next| !next.opens) else { return true };
    match phrase.last() {
        Some(&("draw" | "tie")) => CLOSING.contains(&next.text),
        Some(&("right" | "correct")) => !matches!(next.text, "about" | "that" | "to"),
        _ => true,
    }
}

/// Whether words before this one, in its own clause, only suppose what it says: `if it is a tie`.
fn is_supposed(words: &[Word<'_>], at: usize) -> bool {
    const SUPPOSING: [&str; 11] =
        ["if", "where", "when", "whenever", "should", "unless", "whether", "once", "until", "wenn", "falls"];
    let begin = (0..=at).rev().find(|place| words[*place].opens).unwrap_or(0);
    words[begin..at].iter().rev().take(DENIED_WITHIN).any(|word| SUPPOSING.contains(&word.text))
}

/// Whether a word for two, if it is one, means the sides: they are named behind it, or nothing is, and it is what the clause
/// is about.
fn speaks_of_sides(words: &[Word<'_>], at: usize, between: &[Word<'_>]) -> bool {
    if !TWO.contains(&words[at].text) {
        return true;
    }
    if between.is_empty() {
        return words[at].opens || words[..at].last().is_none_or(|before| OPENING.contains(&before.text));
    }
    between.iter().all(|word| SIDES.contains(&word.text))
}

/// Whether words before this one, in its own clause, deny what it says.
fn is_denied(words: &[Word<'_>], at: usize) -> bool {
    const NEW_CLAUSE: [&str; 5] = ["because", "since", "so", "when", "if"];
    if words[at].opens {
        return false;
    }
    for word in words[..at].iter().rev().take(DENIED_WITHIN) {
        if DENYING.contains(&word.text) {
            return true;
        }
        if word.opens || NEW_CLAUSE.contains(&word.text) {
            return false;
        }
    }
    false
}

/// Whether the words say that it depends, and on nothing or on what only the reader knows.
fn leaves_open(words: &[Word<'_>]) -> bool {
    DEPENDING.iter().any(|phrase| {
        words.windows(phrase.len()).enumerate().any(|(start, said)| {
            let fits = said.iter().zip(*phrase).all(|(word, wanted)| word.text == *wanted);
            let behind = &words[start + phrase.len()..];
            let leading = behind.iter().take_while(|word| !word.opens && LEADING.contains(&word.text)).count();
            fits && !is_denied(words, start)
                && match behind.get(leading) {
                    Some(word) if !word.opens => OPEN.contains(&word.text),
                    _ => leading == 0,
                }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_give_both_sides_the_point_sit_on_the_fence() {
        for text in [
            "Both sides make valid points.",
            "Both sides have some merit.",
            "Both approaches have merit.",
            "In the end, **both** are valid.",
            "I think both are right.",
            "I will not choose since both are right.",
            "Both are equally good.",
            "There is merit in both positions.",
            "It depends on your situation.",
            "It depends.",
            "It depends, as always, on the context.",
            "It all depends on how you weigh latency.",
            "Cela dépend de votre contexte.",
            "Depende de la situación.",
            "It is a draw.",
            "It's a tie.",
            "It is a draw, so I pick neither.",
            "It is a draw between the two.",
            "This is a tie and nobody wins.",
            "Both sides are right in their own way.",
            "Neither is better; flip a coin.",
            "Neither side wins.",
            "Beide Seiten haben recht.",
            "Ambas posturas son válidas.",
            "どちらも一理あります。",
        ] {
            assert!(sits_on_the_fence(text), "{text}");
        }
    }

    #[test]
    fn words_that_choose_may_speak_of_both_sides_and_of_what_depends_on_what() {
        for text in [
            "Both have merit, but the challenger is right: keep REST.",
            "Both sides cite the same benchmark; only the challenger reads it right.",
            "Run both services behind one name.",
            "Keep REST.",
            "Keep the crate: it depends only on std.",
            "Drop it, since it depends on libfoo.",
            "It depends on the crate `std` alone.",
            "Guarda la caja: depende de std.",
            "Cela dépend de libfoo.",
            "It is not a tie.",
            "This is not a draw: the proposer measured.",
            "It is hardly a draw.",
            "It is not true that both are right.",
            "The profile is a tie-breaker.",
            "Both its citations are correct.",
            "The two citations both are correct.",
            "Ambas citas son válidas.",
            "Both routes equally use JSON.",
            "Batch the sprites: the slow part is a draw call.",
            "each frame is a draw of 10,000 quads",
            "Measure again; if it is a tie, keep REST.",
            "Where both are right, the cheaper one wins.",
            "Both sides are correct about the leak being real, so fix it first.",
            "Both sides are right that it leaks.",
            "The result is a tie rod.",
        ] {
            assert!(!sits_on_the_fence(text), "{text}");
        }
    }
}

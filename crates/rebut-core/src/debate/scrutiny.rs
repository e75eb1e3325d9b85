//! The first look at an answer, the same for every format: empty, refused, and only then the format's own reading.

use super::{Answer, Cause, Failure};

/// The longest answer that can be a bare refusal, in characters: an argument takes more room than that.
const LONGEST_REFUSAL: usize = 600;

/// What may stand before a refusal.
const PREFACES: [&str; 12] = [
    "i'm sorry",
    "i am sorry",
    "i'm really sorry",
    "sorry",
    "i apologize",
    "i apologise",
    "apologies",
    "unfortunately",
    "as an ai language model",
    "as an ai model",
    "as an ai assistant",
    "as an ai",
];

/// How a refusal says no.
const REFUSING: [&str; 20] = [
    "i can't ",
    "i cannot ",
    "i can not ",
    "i'm unable to ",
    "i am unable to ",
    "i'm not able to ",
    "i am not able to ",
    "i won't be able to ",
    "i will not be able to ",
    "i won't ",
    "i will not ",
    "i must decline",
    "i have to decline",
    "i must respectfully decline",
    "i must refuse",
    "i decline to ",
    "i refuse to ",
    "i'm not comfortable ",
    "i am not comfortable ",
    "we cannot ",
];

/// What it says no to. Together with the above this is a refusal; an argument says no to something of the matter.
const REFUSED: [&str; 25] = [
    "help with",
    "help you",
    "assist",
    "comply",
    "fulfill",
    "fulfil",
    "participate",
    "take part",
    "take sides",
    "take a side",
    "engage",
    "do that",
    "do this",
    "answer",
    "discuss",
    "continue with",
    "create",
    "generate",
    "provide",
    "write",
    "support this",
    "proceed with",
    "respond to",
    "complete this",
    "debate",
];

/// How refusals begin in other languages.
const FOREIGN: [&str; 14] = [
    "lo siento, pero no puedo",
    "lo siento, no puedo",
    "no puedo ayudar",
    "je suis désolé, mais je ne peux pas",
    "désolé, je ne peux pas",
    "je ne peux pas vous aider",
    "es tut mir leid, aber ich kann",
    "es tut mir leid, ich kann",
    "dabei kann ich nicht helfen",
    "desculpe, mas não posso",
    "mi dispiace, ma non posso",
    "申し訳ありませんが",
    "申し訳ございませんが",
    "抱歉，我",
];

/// Whether an answer is one at all: an empty or a refused one never becomes an argument.
pub fn scrutinise(answer: &Answer) -> Result<(), Failure> {
    let refusal = |cause, detail| Failure { usage: answer.usage, ..Failure::new(cause, detail) };
    if answer.text.trim().is_empty() {
        return Err(refusal(Cause::Empty, ""));
    }
    if reads_as_refusal(&answer.text) {
        return Err(refusal(Cause::Refused, "the answer is a bare refusal"));
    }
    Ok(())
}

/// Whether a short text says, in its first sentence, that nothing will be said. Providers that report a refusal are
/// believed without this; it is for those that only write one.
fn reads_as_refusal(text: &str) -> bool {
    if text.trim().chars().count() > LONGEST_REFUSAL {
        return false;
    }
    let plain: String = text.to_lowercase().replace('\u{2019}', "'").replace(['*', '_', '"', '`', '#', '>'], "");
    let mut opening = plain.trim();
    if FOREIGN.iter().any(|refusal| opening.starts_with(refusal)) {
        return true;
    }
    while let Some(rest) = PREFACES.iter().find_map(|preface| opening.strip_prefix(preface)) {
        let rest = rest.trim_start_matches([',', '.', ':', ';', '-', '—', ' ', '\n']);
        opening = rest.strip_prefix("but ").unwrap_or(rest);
    }
    let sentence = opening.split(['.', '!', '?', '\n']).next().unwrap_or_default();
    REFUSING
        .iter()
        .any(|no| sentence.starts_with(no) && (no.ends_with('e') || REFUSED.iter().any(|what| sentence.contains(what))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cause(text: &str) -> Option<Cause> {
        scrutinise(&Answer { text: text.to_owned(), ..Answer::default() }).err().map(|failure| failure.cause)
    }

    #[test]
    fn an_empty_answer_is_a_failure() {
        assert_eq!(cause(" \n\t"), Some(Cause::Empty));
    }

    #[test]
    fn a_refusal_is_a_failure_in_whatever_words() {
        for text in [
            "I can't help with that.",
            "I’m sorry, but I cannot assist with this request.",
            "I'm sorry, I can't help with that.",
            "I cannot fulfill this request.",
            "I'm unable to assist with that request.",
            "I apologize, but I can't help with that.",
            "As an AI language model, I cannot take sides.",
            "**I can't help with that.**",
            "Sorry. I must decline.",
            "Unfortunately, I am not able to participate in this debate.",
            "Lo siento, pero no puedo ayudar con eso.",
            "申し訳ありませんが、お手伝いできません。",
        ] {
            assert_eq!(cause(text), Some(Cause::Refused), "{text}");
        }
    }

    #[test]
    fn an_argument_that_says_no_to_something_is_an_answer() {
        for text in [
            "The gateway should refuse: \"I can't help with that\" is what clients see today.",
            "I cannot see how the benchmark supports this: `bench.md:3` says 4 %.",
            "I won't repeat the opening. The cache in `src/cache.rs:8` answers the point.",
            "Unfortunately, the profile contradicts that: `bench.md:12` shows 3 ms.",
            "Keep REST. I cannot find a single client that streams (`clients/`).",
        ] {
            assert_eq!(cause(text), None, "{text}");
        }
        assert_eq!(cause(&format!("I can't help with the premise as it stands. {}", "Evidence. ".repeat(80))), None);
    }
}

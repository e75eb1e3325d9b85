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

/// How a refusal says no to what is named behind it.
const REFUSING: [&str; 16] = [
    "i can't",
    "i cannot",
    "i can not",
    "i'm unable to",
    "i am unable to",
    "i'm not able to",
    "i am not able to",
    "i won't be able to",
    "i will not be able to",
    "i won't",
    "i will not",
    "i decline to",
    "i refuse to",
    "i'm not comfortable",
    "i am not comfortable",
    "we cannot",
];

/// How a refusal says no and needs to name nothing: `I must decline.`
const DECLINING: [&str; 4] = ["i must decline", "i have to decline", "i must respectfully decline", "i must refuse"];

/// Words between the no and what it says no to.
const FILLERS: [&str; 8] = ["in", "good", "conscience", "really", "directly", "currently", "ethically", "personally"];

/// What only somebody says no to who was asked to be of service.
const SERVICES: [&str; 9] =
    ["help with", "help you", "assist", "comply", "fulfill", "fulfil", "take part", "take sides", "take a side"];

/// What a refusal says no to, if it is what was asked for, or nothing is named at all: an argument may say no to `answer the
/// charge`, and a refusal to `answer this question`.
const ACTS: [&str; 16] = [
    "answer",
    "argue",
    "complete",
    "continue",
    "create",
    "debate",
    "discuss",
    "do",
    "engage",
    "generate",
    "help",
    "participate",
    "proceed",
    "provide",
    "respond",
    "write",
];

/// What may lead from an act to what was asked for.
const LEADING: [&str; 9] = ["with", "in", "to", "on", "about", "you", "for", "any", "out"];

/// Words that point at what was asked for.
const POINTING: [&str; 9] = ["this", "that", "it", "these", "those", "your", "the", "such", "a"];

/// What was asked for.
const ASKED: [&str; 14] = [
    "request",
    "requests",
    "task",
    "question",
    "questions",
    "topic",
    "topics",
    "debate",
    "discussion",
    "prompt",
    "conversation",
    "exercise",
    "subject",
    "role",
];

/// What nobody argues with by not giving it.
const MATERIAL: [&str; 6] = ["content", "information", "instructions", "advice", "guidance", "material"];

/// What material is called by.
const QUALITIES: [&str; 8] =
    ["financial", "legal", "medical", "professional", "political", "harmful", "specific", "detailed"];

/// Words with which a sentence goes on behind its end.
const ENDING: [&str; 10] = [",", ";", "\u{2014}", "because", "since", "as", "due", "at", "here", "and"];

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
    let words = words(sentence);
    let declined = DECLINING.iter().filter_map(|no| behind(&words, no)).any(|rest| match rest {
        [] | [":", ..] => true,
        ["to", rest @ ..] => refuses(rest),
        rest => is_what_was_asked(rest),
    });
    declined || REFUSING.iter().filter_map(|no| behind(&words, no)).any(refuses)
}

/// The words of a sentence, and the marks that part it as words of their own.
fn words(sentence: &str) -> Vec<&str> {
    let marks = [',', ';', ':', '\u{2014}'];
    let parted = sentence.split_whitespace().flat_map(|word| {
        let bare = word.trim_end_matches(marks);
        [bare, word[bare.len()..].split_inclusive(marks).next().unwrap_or_default()]
    });
    parted.filter(|word| !word.is_empty()).collect()
}

/// What stands behind a phrase that the words begin with.
fn behind<'w, 't>(words: &'w [&'t str], phrase: &str) -> Option<&'w [&'t str]> {
    let mut rest = words;
    for wanted in phrase.split(' ') {
        rest = rest.split_first().filter(|(word, _)| is_form_of(word, wanted))?.1;
    }
    Some(rest)
}

/// Whether a word is this one, or a verb with `ing` behind it.
fn is_form_of(word: &str, wanted: &str) -> bool {
    let stem = wanted.strip_suffix('e').unwrap_or(wanted);
    word == wanted || word.strip_suffix("ing").is_some_and(|begun| begun == wanted || begun == stem)
}

/// Whether what stands behind a no is a service, or an act that was asked for.
fn refuses(rest: &[&str]) -> bool {
    let fillers = rest.iter().take_while(|word| FILLERS.contains(word)).count();
    let rest = &rest[fillers..];
    SERVICES.iter().any(|service| behind(rest, service).is_some())
        || ACTS.iter().filter_map(|act| behind(rest, act)).any(is_what_was_asked)
        || (rest.first() == Some(&"with") && is_what_was_asked(rest))
}

/// Whether these words name nothing, or what was asked for and no more.
fn is_what_was_asked(rest: &[&str]) -> bool {
    let ends = |rest: &[&str]| rest.first().is_none_or(|word| ENDING.contains(word));
    let leading = rest.iter().take_while(|word| LEADING.contains(word)).count();
    let rest = &rest[leading..];
    if ends(rest) {
        return true;
    }
    let pointing = rest.iter().take_while(|word| POINTING.contains(word)).count();
    let named = &rest[pointing..];
    if pointing > 0 && ends(named) {
        return true;
    }
    let qualities = named.iter().take_while(|word| QUALITIES.contains(word)).count();
    match &named[qualities..] {
        [asked, rest @ ..] if ASKED.contains(asked) => ends(rest),
        [material, ..] => pointing == 0 && MATERIAL.contains(material),
        [] => false,
    }
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
            "I must decline: this request is harmful.",
            "I have to decline this request.",
            "I'm not comfortable helping with that.",
            "I'm not comfortable with this request.",
            "I won't be able to answer this question because it is political.",
            "I cannot in good conscience write this.",
            "I cannot provide legal advice on such matters.",
            "I can't generate content that promotes violence.",
            "I'm sorry, but I can't do that, even in a debate.",
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
            "I can't justify a rewrite now.\n--- position\nposition: no",
            "I cannot find where the docs provide that guarantee.",
            "I must refuse the premise: `a.rs:3` says otherwise.",
            "I have to decline the offer of a second cache: `bench.md:4` shows no gain.",
            "I cannot provide that guarantee: `src/pool.rs:8` drops the lock.",
            "I won't answer the charge twice; `bench.md:3` does.",
            "I can't help but see that `src/a.rs:3` answers this.",
            "I will not debate the weather: the outage of `log.md:8` was ours.",
            "I cannot create a case for gRPC from `bench.md:3`.",
            "Keep REST. I cannot find a single client that streams (`clients/`).",
        ] {
            assert_eq!(cause(text), None, "{text}");
        }
        assert_eq!(cause(&format!("I can't help with the premise as it stands. {}", "Evidence. ".repeat(80))), None);
    }
}

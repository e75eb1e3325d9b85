//! The first look at an answer, the same for every format: empty, refused, and only then the format's own reading.

use super::{Answer, Cause, Failure};

/// The longest answer that can be a bare refusal, in characters: arguments are longer.
const LONGEST_REFUSAL: usize = 300;

/// How bare refusals begin. Providers that report a refusal are believed without this; it is for tools that only print one.
const REFUSALS: [&str; 10] = [
    "i'm sorry, but i can",
    "i can't help with",
    "i cannot help with",
    "i can't assist",
    "i cannot assist",
    "i'm unable to assist",
    "i'm unable to help",
    "i can't fulfill",
    "i cannot fulfill",
    "i cannot comply",
];

/// Whether an answer is one at all: an empty or refused one never becomes an argument.
pub fn scrutinise(answer: &Answer) -> Result<(), Failure> {
    let failure = |cause, detail| Failure { usage: answer.usage, ..Failure::new(cause, detail) };
    let text = answer.text.trim();
    if text.is_empty() {
        return Err(failure(Cause::Empty, ""));
    }
    // An answer with a block says more than that it refuses.
    if text.chars().count() <= LONGEST_REFUSAL && !text.contains("```") {
        let plain = text.to_lowercase().replace('\u{2019}', "'");
        let plain = plain.trim_start_matches(['*', '_', '"', '#', '>', ' ']);
        if REFUSALS.iter().any(|refusal| plain.starts_with(refusal)) {
            return Err(failure(Cause::Refused, "the answer is a bare refusal"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cause(text: &str) -> Option<Cause> {
        scrutinise(&Answer { text: text.to_owned(), ..Answer::default() }).err().map(|failure| failure.cause)
    }

    #[test]
    fn an_argument_that_says_no_to_something_is_an_answer() {
        for text in [
            "The gateway should refuse: \"I can't help with that\" is what clients see today.",
            "I cannot see how the benchmark supports this: `bench.md:3` says 4 %.",
            "I must refuse the premise: `a.rs:3` says otherwise.",
        ] {
            assert_eq!(cause(text), None, "{text}");
        }
        assert_eq!(cause(&format!("I can't help with the premise as it stands. {}", "Evidence. ".repeat(80))), None);
    }
}

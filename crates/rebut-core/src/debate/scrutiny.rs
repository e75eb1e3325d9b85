//! The first look at an answer, the same for every format: empty, refused, and only then the format's own reading.

use super::{Answer, Cause, Failure};

/// The longest answer that can be a bare refusal, in characters: an argument takes more room than that.
const LONGEST_REFUSAL: usize = 600;

/// How refusals begin. A text is taken for one only when it is short and begins so.
const REFUSALS: [&str; 14] = [
    "i can't help with",
    "i cannot help with",
    "i can't assist with",
    "i cannot assist with",
    "i'm unable to help",
    "i am unable to help",
    "i'm not able to help",
    "i am not able to help",
    "i can't comply",
    "i cannot comply",
    "i must decline",
    "i won't be able to help",
    "i can't participate in",
    "i cannot participate in",
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

fn reads_as_refusal(text: &str) -> bool {
    let text = text.trim();
    if text.chars().count() > LONGEST_REFUSAL {
        return false;
    }
    let lower = text.to_lowercase().replace('\u{2019}', "'");
    let opening = ["i'm sorry, but ", "i am sorry, but ", "sorry, but ", "i'm sorry. ", "sorry, "]
        .iter()
        .find_map(|apology| lower.strip_prefix(apology))
        .unwrap_or(&lower);
    REFUSALS.iter().any(|refusal| opening.starts_with(refusal))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cause(text: &str) -> Option<Cause> {
        scrutinise(&Answer { text: text.to_owned(), ..Answer::default() }).err().map(|failure| failure.cause)
    }

    #[test]
    fn an_empty_answer_and_a_refusal_are_failures() {
        assert_eq!(cause(" \n\t"), Some(Cause::Empty));
        assert_eq!(cause("I can't help with that."), Some(Cause::Refused));
        assert_eq!(cause("I’m sorry, but I cannot assist with this request."), Some(Cause::Refused));
    }

    #[test]
    fn an_argument_that_speaks_of_refusing_is_an_answer() {
        assert_eq!(cause("The gateway should refuse: \"I can't help with that\" is what clients see today."), None);
        assert_eq!(cause(&format!("I can't help with the premise as it stands. {}", "Evidence. ".repeat(80))), None);
    }
}

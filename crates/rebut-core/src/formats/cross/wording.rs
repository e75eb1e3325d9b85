//! A cross asked for in natural language: "Debate this for 3 rounds: should we ship?", "Should we ship, 2 rounds, thorough".
//!
//! What is read is a head before a colon or a full stop, and items at the end. Both are read only where they fit to the
//! last word: what does not fit is the question. "For 2 rounds" at the end is a wish only where a word of debating is
//! said with it: candidates are interviewed for 2 rounds too.

use super::ROUNDS;
use crate::debate::Effort;
use crate::formats::wording::{effort, is_number, seat, value};

/// What a request in natural language says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wording {
    /// What is asked: a part of the request, unchanged.
    pub question: String,
    /// The partners that are named, as they are written on the command line.
    pub partners: Vec<String>,
    pub rounds: Option<u32>,
    /// How hard the seats shall think.
    pub effort: Option<Effort>,
    /// All of it but the question in short phrases for the user.
    pub understood: Vec<String>,
}

/// A request that is understood and cannot be followed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WordingError {
    #[error("`{said}` is out of range: a debate has {} to {} rounds", ROUNDS.start(), ROUNDS.end())]
    Rounds { said: String },
    /// Nothing is left to ask.
    #[error("the request has no question")]
    NoQuestion,
}

/// Reads a request. `known` are the tools that can be seated.
pub fn read(request: &str, known: &[&str]) -> Result<Wording, WordingError> {
    let mut wording = Wording::default();
    let mut rest = request.trim();
    while let Some(before) = wording.item_at_end(rest)? {
        rest = before.trim_end();
    }
    if wording.rounds.is_some() {
        rest = without_order(rest);
    }
    if let Some(after) = wording.head(rest, known)? {
        rest = after;
    }
    wording.question = rest.trim().to_owned();
    if wording.question.is_empty() {
        return Err(WordingError::NoQuestion);
    }
    Ok(wording)
}

impl Wording {
    /// Takes an item from the end, where one stands there, and gives what is before it.
    fn item_at_end<'a>(&mut self, text: &'a str) -> Result<Option<&'a str>, WordingError> {
        let bare = text.trim_end_matches(['.', '!', '?']);
        if let Some((before, item)) = bare.rsplit_once(',') {
            let said = item.split_whitespace().collect::<Vec<_>>().join(" ");
            let words: Vec<String> = said.split(' ').map(str::to_lowercase).collect();
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            if let Some(effort) = effort(&words) {
                self.understood.push(format!("effort {} (from \"{said}\")", effort.as_str()));
                self.effort = self.effort.or(Some(effort));
                return Ok(Some(before));
            }
            if let Some(count) = rounds_of(&words, &said)? {
                self.take_rounds(count, &said);
                return Ok(Some(before));
            }
        }
        // "Should we ship? Debate it for three rounds." and "debate X for 3 rounds".
        let Some(at) = bare.to_ascii_lowercase().rfind(" for ") else { return Ok(None) };
        let said = bare[at..].trim();
        let words: Vec<String> = said.split_whitespace().map(str::to_lowercase).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        if !is_order_to_debate(&bare[..at]) {
            return Ok(None);
        }
        match rounds_of(&words, said)? {
            Some(count) => {
                self.take_rounds(count, said);
                Ok(Some(&bare[..at]))
            }
            None => Ok(None),
        }
    }

    /// Takes a head, if there is one, and gives what follows it.
    fn head<'a>(&mut self, text: &'a str, known: &[&str]) -> Result<Option<&'a str>, WordingError> {
        let end = text
            .find([':', '.', '?'])
            .filter(|at| text[at + 1..].is_empty() || text[at + 1..].starts_with(char::is_whitespace));
        let whole = end.map_or(text, |at| &text[..at]);
        let (mut partners, mut count, mut asks) = (Vec::new(), None, false);
        let words: Vec<&str> = whole.split([' ', ',']).filter(|word| !word.is_empty()).collect();
        let mut at = 0;
        while at < words.len() {
            let lower = words[at].to_lowercase();
            match lower.as_str() {
                "debate" | "discuss" | "argue" | "ask" | "let" | "have" | "between" | "with" | "vs" | "versus" => {
                    asks = true;
                }
                "this" | "it" | "that" | "and" | "answer" | "about" | "on" | "out" | "over" | "each" | "other"
                | "please" => {}
                "for" | "in" => {
                    let three: Vec<String> =
                        words[at..words.len().min(at + 3)].iter().map(|word| word.to_lowercase()).collect();
                    let three: Vec<&str> = three.iter().map(String::as_str).collect();
                    let Some(rounds) = rounds_of(&three, &three.join(" "))? else { return Ok(None) };
                    count = Some((rounds, three.join(" ")));
                    at += 2;
                }
                // "3 rounds: …"
                _ if at == 0 && words.len() == 2 && end.is_some_and(|at| text[at..].starts_with(':')) => {
                    let said = words.join(" ").to_lowercase();
                    let two: Vec<&str> = said.split(' ').collect();
                    let Some(rounds) = rounds_of(&two, &said)? else { return Ok(None) };
                    (count, asks, at) = (Some((rounds, said)), true, 1);
                }
                _ => match seat(words[at], known) {
                    Some(seat) => partners.push(seat),
                    None => return Ok(None),
                },
            }
            at += 1;
        }
        // One name alone, or a verb alone, is no order.
        if !asks || (count.is_none() && partners.len() < 2) || partners.len() == 1 {
            return Ok(None);
        }
        if let Some((rounds, said)) = count {
            self.take_rounds(rounds, &said);
        }
        if !partners.is_empty() {
            self.understood.push(format!("partners {} (from \"{whole}\")", partners.join(", ")));
            self.partners = partners;
        }
        Ok(Some(end.map_or("", |at| &text[at + 1..])))
    }

    fn take_rounds(&mut self, rounds: u32, said: &str) {
        if self.rounds.is_none() {
            let noun = if rounds == 1 { "round" } else { "rounds" };
            self.understood.push(format!("{rounds} {noun} (from \"{said}\")"));
            self.rounds = Some(rounds);
        }
    }
}

/// Whether a request whose end says for how many rounds is an order to debate: it begins with such a word, or ends with a
/// sentence that does.
fn is_order_to_debate(text: &str) -> bool {
    let text = text.trim_end();
    let last = text.rfind(['.', '?', '!', ':']).map_or(0, |at| at + 1);
    [text, &text[last..]].into_iter().any(|sentence| {
        let mut words =
            sentence.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase);
        let first = words.find(|word| !["please", "let", "us", "them", "s", "have", "and", "then"].contains(&word.as_str()));
        first.is_some_and(|word| ["debate", "discuss", "argue", "cross"].contains(&word.as_str()))
    })
}

/// A request without the bare order that is left once its rounds are taken: "Should we ship? Debate it".
fn without_order(text: &str) -> &str {
    let is_order = |sentence: &str| {
        let words: Vec<String> = sentence.split_whitespace().map(str::to_lowercase).collect();
        let words: Vec<&str> =
            words.iter().map(String::as_str).filter(|word| !["then", "please", "and"].contains(word)).collect();
        matches!(words.as_slice(), ["debate" | "discuss" | "argue"] | ["debate" | "discuss", "this" | "it" | "that"])
    };
    let last = text.rfind(['.', '?', '!', ':']).map_or(0, |at| at + 1);
    if is_order(&text[last..]) {
        return text[..last].trim_end();
    }
    let first = text.find(':').filter(|at| is_order(&text[..*at]));
    first.map_or(text, |at| &text[at + 1..])
}

/// The number of `for 3 rounds`, `in two rounds`, `3 rounds`.
fn rounds_of(words: &[&str], said: &str) -> Result<Option<u32>, WordingError> {
    let (["for" | "in", number, noun] | [number, noun]) = words else { return Ok(None) };
    if !matches!(noun.trim_end_matches([':', '.']), "round" | "rounds") {
        return Ok(None);
    }
    if !is_number(number) {
        return Ok(None);
    }
    let count = value(number).filter(|count| ROUNDS.contains(count));
    count.map(Some).ok_or_else(|| WordingError::Rounds { said: said.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [&str; 3] = ["claude", "codex", "gemini"];

    fn told(request: &str) -> (String, Option<u32>, Vec<String>, Option<Effort>) {
        let wording = read(request, &KNOWN).unwrap();
        (wording.question, wording.rounds, wording.partners, wording.effort)
    }

    #[test]
    fn rounds_are_understood_where_they_are_said() {
        for request in [
            "Debate this for 3 rounds: Should we ship?",
            "debate this for three rounds. Should we ship?",
            "Should we ship?, 3 rounds",
            "3 rounds: Should we ship?",
            "Should we ship? Then discuss it for 3 rounds",
            "Should we ship? Debate it for three rounds.",
            "Debate this: Should we ship?, 3 rounds",
        ] {
            let (question, rounds, ..) = told(request);
            assert_eq!((question.as_str(), rounds), ("Should we ship?", Some(3)), "{request}");
        }
        let (question, rounds, ..) = told("Debate İstanbul or İzmir for 3 rounds");
        assert_eq!((question.as_str(), rounds), ("Debate İstanbul or İzmir", Some(3)));
        assert_eq!(
            told("Should we ship, 0 rounds, thorough."),
            ("Should we ship".into(), Some(0), vec![], Some(Effort::High))
        );
    }

    #[test]
    fn partners_are_understood_before_a_colon() {
        let (question, rounds, partners, _) = told("Ask claude, codex and Gemini: Should we ship?");
        assert_eq!((question.as_str(), rounds), ("Should we ship?", None));
        assert_eq!(partners, ["claude", "codex", "gemini"]);
        let (question, rounds, partners, _) = told("let claude and codex debate it for 2 rounds: Should we ship?");
        assert_eq!((question.as_str(), rounds, partners.len()), ("Should we ship?", Some(2), 2));
    }

    #[test]
    fn what_does_not_fit_is_the_question() {
        for request in [
            "Should we debate this for years?",
            "Is it fair to ask claude: what else?",
            "Which tool: claude or codex?",
            "How many rounds does a debate have?",
            "Debate: is it useful?",
            "Ask claude: why?",
            "Ask claude:$(id) and codex: why?",
            "Ask claude:--help and codex: why?",
            "Should we interview candidates for 2 rounds?",
            "Should we fund the startup for 2 rounds",
            "Should we debate the budget in two rounds?",
            "How do we argue for 2 rounds?",
        ] {
            let (question, rounds, partners, _) = told(request);
            assert_eq!((question.as_str(), rounds, partners.len()), (request, None, 0));
        }
    }

    #[test]
    fn what_cannot_be_followed_is_an_error() {
        assert!(matches!(read("Should we ship?, 11 rounds", &KNOWN), Err(WordingError::Rounds { .. })));
        assert_eq!(read("debate this for 3 rounds", &KNOWN), Err(WordingError::NoQuestion));
        assert_eq!(read(" ", &KNOWN), Err(WordingError::NoQuestion));
    }
}

//! Requests in words: "claude vs codex: should we ship? 3 rounds, thorough".
//!
//! ```text
//! request := [order] [head] topic { tail } | "review my diff"
//! order   := "debate this for" N "rounds:"
//! head    := seat "vs" seat (":" | "," | "about" | "on" | "over")
//!          | ("have" | "let") seat "and" seat "debate"
//!          | "ask" seats [":"]        seats: "a and b", "a, b and c"
//!          | seats ":"                only after the command `ask` or `cross`
//! tail    := ("," | after "?") ("quick" | "thorough" | LEVEL "effort" | N "rounds" | "judged by" seat)
//!          | "for" N "rounds"         only after a head, or after the command `cross`
//! ```
//!
//! A request fits to its last word, or all of it is the topic. Which tools are installed, which number of rounds a format
//! takes, and that flags win is the caller's concern.

use crate::debate::Effort;

/// What a request says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// The command that the words ask for.
    pub command: Option<&'static str>,
    /// What remains: a part of the request, unchanged. Empty for a review.
    pub topic: String,
    /// Those who debate or answer, in the order named: `codex`, `claude:opus`.
    pub seats: Vec<String>,
    pub judge: Option<String>,
    pub rounds: Option<u32>,
    pub effort: Option<Effort>,
}

impl Request {
    /// What was understood, as a phrase: `claude and codex, 3 rounds, effort high, judged by gemini`.
    pub fn understood(&self) -> Option<String> {
        let mut parts = Vec::new();
        if !self.seats.is_empty() {
            parts.push(self.seats.join(" and "));
        }
        parts.extend(self.rounds.map(|rounds| format!("{rounds} {}", if rounds == 1 { "round" } else { "rounds" })));
        parts.extend(self.effort.map(|effort| format!("effort {}", effort.as_str())));
        parts.extend(self.judge.as_ref().map(|judge| format!("judged by {judge}")));
        (!parts.is_empty()).then(|| parts.join(", "))
    }
}

/// Reads a request that was typed after `command`, or after none. `known` are the names that a seat can be given to.
pub fn read(text: &str, command: Option<&str>, known: &[String]) -> Request {
    if is_review(text, command) {
        return Request { command: Some("review"), ..Request::default() };
    }
    let (rounds, rest) = order(text).map_or((None, text), |(rounds, rest)| (Some(rounds), rest));
    let mut request = Request { rounds, ..Request::default() };
    let topic = match head(rest, command, known) {
        Some((found, seats, rest)) => {
            request.command = Some(found);
            request.seats = seats;
            rest
        }
        None => rest,
    };
    let for_rounds = request.command.is_some() || command == Some("cross");
    let mut topic = topic.trim();
    while let Some(before) = request.take_item(topic, for_rounds, known) {
        topic = before.trim_end();
    }
    if topic.is_empty() {
        // Nothing is left to debate, so the words were the topic themselves.
        return Request { topic: text.trim().to_owned(), ..Request::default() };
    }
    request.topic = topic.to_owned();
    request
}

fn is_review(text: &str, command: Option<&str>) -> bool {
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower.trim_end_matches(['.', '!']).split_whitespace().collect();
    match words.as_slice() {
        ["review", "my", "diff" | "changes"] => command.is_none_or(|command| command == "review"),
        ["my", "diff" | "changes"] => command == Some("review"),
        _ => false,
    }
}

/// The rounds and the rest of a text that begins with "debate this for 3 rounds:".
fn order(text: &str) -> Option<(u32, &str)> {
    let (said, rest) = text.split_once(':')?;
    let said = said.to_lowercase();
    match said.split_whitespace().collect::<Vec<_>>().as_slice() {
        ["debate", "this" | "it", "for", number, "round" | "rounds"] => Some((count(number)?, rest)),
        _ => None,
    }
}

/// The command, the seats and the rest of a text that begins with a head.
fn head<'a>(text: &'a str, command: Option<&str>, known: &[String]) -> Option<(&'static str, Vec<String>, &'a str)> {
    let (first, rest) = next_word(text)?;
    match first.to_lowercase().as_str() {
        "have" | "let" => {
            let (one, rest) = next_word(rest)?;
            let (and, rest) = next_word(rest)?;
            let (two, rest) = next_word(rest)?;
            let (debate, rest) = next_word(rest)?;
            let fits = and.eq_ignore_ascii_case("and") && debate.eq_ignore_ascii_case("debate");
            let seats = vec![seat(one, known)?, seat(two, known)?];
            fits.then_some(("duel", seats, rest))
        }
        "ask" => seat_list(rest, known).map(|(seats, _, rest)| ("ask", seats, rest)),
        _ if matches!(command, Some("ask" | "cross")) => {
            let (seats, has_colon, rest) = seat_list(text, known)?;
            has_colon.then_some((if command == Some("ask") { "ask" } else { "cross" }, seats, rest))
        }
        _ => {
            let (versus, rest) = next_word(rest)?;
            if !["vs", "vs.", "versus"].contains(&versus.to_lowercase().as_str()) {
                return None;
            }
            let (second, rest) = next_word(rest)?;
            let (second, rest) = if let Some(second) = second.strip_suffix([':', ',']) {
                (second, rest)
            } else {
                let (separator, rest) = next_word(rest)?;
                let separator = separator.to_lowercase();
                [":", "about", "on", "over"].contains(&separator.as_str()).then_some((second, rest))?
            };
            Some(("duel", vec![seat(first, known)?, seat(second, known)?], rest))
        }
    }
}

/// Two or more seats, `a, b and c`, and whether a colon ends them.
fn seat_list<'a>(text: &'a str, known: &[String]) -> Option<(Vec<String>, bool, &'a str)> {
    let mut seats = Vec::new();
    let mut rest = text;
    loop {
        let (word, after) = next_word(rest)?;
        let name = word.trim_end_matches([',', ':']);
        seats.push(seat(name, known)?);
        rest = after;
        if word.ends_with(':') {
            return (seats.len() > 1).then_some((seats, true, rest));
        }
        match next_word(rest) {
            Some((and, after)) if and.eq_ignore_ascii_case("and") => rest = after,
            _ if word.ends_with(',') => {}
            _ => return (seats.len() > 1).then_some((seats, false, rest)),
        }
    }
}

impl Request {
    /// Takes one item from the end of the text; gives what is before it. What is said last wins.
    fn take_item<'a>(&mut self, text: &'a str, for_rounds: bool, known: &[String]) -> Option<&'a str> {
        let bare = text.trim_end_matches(['.', '!']);
        // The longest item has three words.
        let mut at = bare.len();
        for _ in 0..3 {
            at = bare[..at].trim_end().rfind(char::is_whitespace)?;
            let (before, said) = (bare[..at].trim_end(), bare[at..].to_lowercase());
            let words: Vec<&str> = said.split_whitespace().collect();
            if let ["for", number, "round" | "rounds"] = words.as_slice()
                && for_rounds
            {
                self.rounds = self.rounds.or(Some(count(number)?));
                return Some(before.trim_end_matches(','));
            }
            let before_item = before.strip_suffix(',').or_else(|| before.ends_with('?').then_some(before));
            let Some(before) = before_item else { continue };
            match words.as_slice() {
                [number, "round" | "rounds"] => self.rounds = self.rounds.or(Some(count(number)?)),
                ["judged", "by", _] => {
                    let named = bare.rsplit(char::is_whitespace).next()?;
                    self.judge = self.judge.take().or(Some(seat(named, known)?));
                }
                words => self.effort = self.effort.or(Some(effort(words)?)),
            }
            return Some(before);
        }
        None
    }
}

fn effort(words: &[&str]) -> Option<Effort> {
    match words {
        ["quick"] => Some(Effort::Low),
        ["thorough"] => Some(Effort::High),
        [level, "effort"] => level.parse().ok(),
        _ => None,
    }
}

/// A number of rounds, in digits or in words.
fn count(number: &str) -> Option<u32> {
    const NUMBERS: [&str; 10] = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
    let in_words = (1..).zip(NUMBERS).find(|(_, word)| *word == number).map(|(value, _)| value);
    in_words.or_else(|| number.parse().ok())
}

/// A known name in lower case, with its model as it was written.
fn seat(word: &str, known: &[String]) -> Option<String> {
    // A name can contain a colon itself: `acp:mycrew`.
    let (tool, model) = known.iter().find_map(|name| {
        let (start, rest) = word.split_at_checked(name.len())?;
        let fits = start.eq_ignore_ascii_case(name) && (rest.is_empty() || rest.starts_with(':'));
        fits.then(|| (name.to_ascii_lowercase(), rest.strip_prefix(':')))
    })?;
    match model {
        None => Some(tool),
        // A model must not begin with a dash, since tools would read it as a flag.
        Some(model) => {
            let fits = |c: char| c.is_ascii_alphanumeric() || "._:/@[]#-".contains(c);
            let is_model = !model.is_empty() && !model.starts_with('-') && model.chars().all(fits);
            is_model.then(|| format!("{tool}:{model}"))
        }
    }
}

/// The first word and what follows it.
fn next_word(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn known() -> Vec<String> {
        ["claude", "codex", "gemini", "script", "local", "ollama", "openai", "acp:crew"].map(str::to_owned).to_vec()
    }

    /// What is understood, in one line: command, what else, topic.
    fn told(text: &str, command: Option<&str>) -> String {
        let request = read(text, command, &known());
        let understood = request.understood().unwrap_or_default();
        format!("{} [{understood}] {}", request.command.unwrap_or("-"), request.topic)
    }

    #[test]
    fn every_form_of_the_table_is_understood() {
        for (text, expected) in [
            ("claude vs codex: Ship it?", "duel [claude and codex] Ship it?"),
            ("claude vs codex : Ship it?", "duel [claude and codex] Ship it?"),
            ("claude vs codex about tabs", "duel [claude and codex] tabs"),
            ("claude vs codex on tabs", "duel [claude and codex] tabs"),
            ("Claude VS. codex over tabs", "duel [claude and codex] tabs"),
            ("claude vs codex, tabs or spaces", "duel [claude and codex] tabs or spaces"),
            ("claude:Opus[1m] versus codex:gpt-5: X", "duel [claude:Opus[1m] and codex:gpt-5] X"),
            ("have claude and gemini debate tabs", "duel [claude and gemini] tabs"),
            ("claude vs ollama:llama3.2: ship?", "duel [claude and ollama:llama3.2] ship?"),
            ("Local vs acp:crew:m/x about tabs", "duel [local and acp:crew:m/x] tabs"),
            ("ask local and claude: why?", "ask [local and claude] why?"),
            ("openai vs local: X, judged by ollama:llama3.2", "duel [openai and local, judged by ollama:llama3.2] X"),
            ("claude vs codex: X, quick", "duel [claude and codex, effort low] X"),
            ("claude vs codex: X, thorough", "duel [claude and codex, effort high] X"),
            ("claude vs codex: X, max effort.", "duel [claude and codex, effort max] X"),
            ("claude vs codex: X, 3 rounds", "duel [claude and codex, 3 rounds] X"),
            ("claude vs codex: X for one round", "duel [claude and codex, 1 round] X"),
            ("claude vs codex: X, for 3 rounds!", "duel [claude and codex, 3 rounds] X"),
            ("claude vs codex: X, judged by gemini:Pro", "duel [claude and codex, judged by gemini:Pro] X"),
            ("claude vs codex: Ship? 3 rounds", "duel [claude and codex, 3 rounds] Ship?"),
            ("claude vs codex: Ship? judged by gemini", "duel [claude and codex, judged by gemini] Ship?"),
            (
                "have claude and codex debate X, judged by gemini, quick for 2 rounds",
                "duel [claude and codex, 2 rounds, effort low, judged by gemini] X",
            ),
            ("Should we ship, 3 rounds, thorough", "- [3 rounds, effort high] Should we ship"),
            ("ask claude and gemini why is it slow?", "ask [claude and gemini] why is it slow?"),
            ("ask claude, codex and gemini: why? quick", "ask [claude and codex and gemini, effort low] why?"),
            ("review my diff", "review [] "),
            ("Review my changes.", "review [] "),
        ] {
            assert_eq!(told(text, None), expected, "{text}");
        }
        assert_eq!(told("Which database for 3 rounds", Some("cross")), "- [3 rounds] Which database");
        assert_eq!(told("Debate this for three rounds: ship it?", Some("cross")), "- [3 rounds] ship it?");
        assert_eq!(told("claude and codex: X", Some("ask")), "ask [claude and codex] X");
        assert_eq!(told("my diff", Some("review")), "review [] ");
    }

    #[test]
    fn any_other_text_is_the_topic() {
        for text in [
            "Rust vs Go about latency",
            "claude vs a human about X",
            "claude vs codex",
            "claude vs codex:",
            "claude vs codex vs gemini about X",
            "claude and codex: a comparison",
            "have claude and a human debate X",
            "ask claude why",
            "Should we interview candidates for 2 rounds",
            "a quick fix, or a thorough one for 3 rounds of review",
            "Is it good, 3 rounds of it",
            "Is it good, very thorough",
            "Is it good, judged by a human",
            "Is it good, 99999999999 rounds",
            "Do we simulate 1,000 rounds",
            "3 rounds",
            ", quick",
            "review my code",
            "claude:-x vs codex: X",
        ] {
            assert_eq!(told(text, None), format!("- [] {text}"), "{text}");
        }
        assert_eq!(told("claude and codex differ how?", Some("ask")), "- [] claude and codex differ how?");
    }

    proptest! {
        #[test]
        fn the_topic_is_a_part_of_the_request(
            text in prop_oneof![
                any::<String>(),
                "((codex|Gemini|claude:opus|vs|and|ask|have|debate|about|:|,|3 rounds|for 2 rounds|quick|judged by codex|\
                  [.?é]|\\PC)( |\n|\u{3000})?){0,12}",
            ],
        ) {
            let request = read(&text, None, &known());
            prop_assert!(text.contains(&request.topic));
            prop_assert_eq!(request.topic.trim(), &request.topic);
        }
    }
}

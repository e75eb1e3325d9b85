//! The head of a request, which names who argues.
//!
//! ```text
//! head      := [opening] seat versus seat
//!            | [opening] ("between" | "with") seat ("and" | versus) seat
//!            | [opening] "with" seat
//!            | start seat debate seat
//!            | start seat "and" seat debate
//! opening   := [start] ["a"] debate
//! start     := "let" | "have" | "start" | "run" | "hold"
//! debate    := "debate" | "duel"
//! versus    := "vs" | "vs." | "versus" | "against"
//! seat      := tool [":" model]
//! separator := "about" | ":", before whitespace or the end
//! ```

use crate::formats::wording::seat;

pub(super) struct Head<'a> {
    /// The seat that is named first.
    pub(super) proposer: String,
    /// The seat that is named second.
    pub(super) challenger: Option<String>,
    /// The head's words, without the separator.
    pub(super) said: String,
    /// What follows the separator.
    pub(super) after: &'a str,
}

/// Reads the head, if all of it fits: one foreign word and there is none.
pub(super) fn read<'a>(text: &'a str, known: &[&str]) -> Option<Head<'a>> {
    let mut words = Vec::new();
    let mut tokens = Vec::new();
    let mut after = text;
    loop {
        let (word, rest) = next_word(after)?;
        after = rest;
        // A word ends where whitespace begins, so its last colon separates and never begins a model.
        let bare = word.strip_suffix(':').unwrap_or(word);
        let is_about = bare.eq_ignore_ascii_case("about");
        if !is_about && !bare.is_empty() {
            words.push(bare);
            tokens.push(Token::read(bare, known)?);
        }
        if is_about || bare.len() < word.len() {
            break;
        }
    }
    let (proposer, challenger) = seats(&tokens)?;
    Some(Head { proposer, challenger, said: words.join(" "), after })
}

/// A word that a head can hold.
enum Token {
    /// `let`.
    Start,
    /// `a`.
    Article,
    /// `debate`.
    Debate,
    /// `between`.
    Between,
    /// `with`.
    With,
    /// `and`.
    And,
    /// `vs`.
    Versus,
    /// A tool with its model, as it is written on the command line.
    Seat(String),
}

impl Token {
    fn read(word: &str, known: &[&str]) -> Option<Self> {
        match word.to_ascii_lowercase().as_str() {
            "let" | "have" | "start" | "run" | "hold" => Some(Self::Start),
            "a" => Some(Self::Article),
            "debate" | "duel" => Some(Self::Debate),
            "between" => Some(Self::Between),
            "with" => Some(Self::With),
            "and" => Some(Self::And),
            "vs" | "vs." | "versus" | "against" => Some(Self::Versus),
            _ => seat(word, known).map(Self::Seat),
        }
    }
}

/// The seats of a head, first the one that is named first.
fn seats(tokens: &[Token]) -> Option<(String, Option<String>)> {
    use Token::{And, Between, Debate, Seat, Start, Versus, With};

    if let [Start, Seat(first), Debate, Seat(second)] | [Start, Seat(first), And, Seat(second), Debate] = tokens {
        return Some((first.clone(), Some(second.clone())));
    }
    match without_opening(tokens) {
        [Seat(first), Versus, Seat(second)] | [Between | With, Seat(first), And | Versus, Seat(second)] => {
            Some((first.clone(), Some(second.clone())))
        }
        [With, Seat(only)] => Some((only.clone(), None)),
        _ => None,
    }
}

/// The tokens after `debate`, `a debate`, `start a debate`.
fn without_opening(tokens: &[Token]) -> &[Token] {
    use Token::{Article, Debate, Start};

    let rest = if let [Start, rest @ ..] = tokens { rest } else { tokens };
    let rest = if let [Article, rest @ ..] = rest { rest } else { rest };
    if let [Debate, rest @ ..] = rest { rest } else { tokens }
}

/// The first word and what follows it.
fn next_word(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

//! What a partner answers: perhaps a critique of the others, then its whole answer, then what it claims and where it
//! stands.
//!
//! ```text
//! critique
//! --- answer
//! the whole answer
//! --- claims
//! claim: …
//! evidence: …
//! --- position
//! position: yes
//! confidence: 70
//! changed because: A0.2
//! ```
//!
//! Only the answer is needed. The lines of the position are found in either list at the end, and without its heading.

use serde::{Deserialize, Serialize};

use crate::claims::citation::{self, Citation, Target};
use crate::claims::{ClaimId, Statement};

/// How long a position is, in characters: it is told again in every later round. What is longer is cut.
const LONGEST_POSITION: usize = 300;
/// The same of what is said to have changed it.
const LONGEST_REASON: usize = 2_000;

/// An answer of a partner, as it was read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stance {
    /// All that is said, with claims and concessions.
    pub statement: Statement,
    /// How much of it, from the start, is critique of others, in bytes.
    #[serde(default)]
    pub critique_bytes: usize,
    /// Where the partner stands: of a closed question, the option in its own spelling.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<String>,
    /// How sure it is, in percent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<u8>,
    /// What it says made it change its position.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
    /// How many bytes came back.
    #[serde(default)]
    pub bytes: usize,
}

impl Stance {
    /// Reads an answer.
    pub fn read(text: &str) -> Self {
        let (prose, tail) = split(text);
        let mut stance = Self { bytes: text.len(), ..Self::default() };
        let claims: Vec<&str> = tail.into_iter().filter(|line| !stance.take(line)).collect();
        let (critique, answer) = parted(prose);
        let body = if critique.is_empty() { answer.to_owned() } else { format!("{critique}\n\n{answer}") };
        stance.critique_bytes = critique.len();
        stance.statement = Statement::read_with_one_list(&format!("{body}\n\n--- claims\n{}", claims.join("\n")));
        stance
    }

    /// The answer itself, without what is said of others.
    pub fn answer(&self) -> &str {
        self.statement.body.get(self.critique_bytes..).unwrap_or(&self.statement.body).trim()
    }

    /// What is said of the others' answers.
    pub fn critique(&self) -> &str {
        self.statement.body.get(..self.critique_bytes).unwrap_or_default().trim()
    }

    /// The claims that it names as the reason for a change: behind `changed because`, and those that it concedes.
    pub fn reasons(&self) -> Vec<ClaimId> {
        let named = self.because.iter().flat_map(|words| words.split(|c: char| !c.is_ascii_alphanumeric() && c != '.'));
        let named = named.filter_map(|word| ClaimId::read(word.trim_matches('.')));
        let mut reasons: Vec<ClaimId> = Vec::new();
        for id in named.chain(self.statement.conceded.keys().cloned()) {
            if !reasons.contains(&id) {
                reasons.push(id);
            }
        }
        reasons
    }

    /// The places that it cites as the reason for a change.
    pub fn cited_reasons(&self) -> Vec<Target> {
        let cited = self.because.iter().flat_map(|words| citation::find(words));
        cited.map(|citation| citation.target).collect()
    }

    /// All that it cites, in prose, claims and as a reason for a change.
    pub fn citations(&self) -> Vec<Citation> {
        let mut citations = self.statement.citations();
        for cited in self.because.iter().flat_map(|words| citation::find(words)) {
            if !citations.iter().any(|known| known.target == cited.target) {
                citations.push(cited);
            }
        }
        citations
    }

    /// Takes a line of the tail in, if it is of the position.
    fn take(&mut self, line: &str) -> bool {
        let Some((key, value)) = keyed(line) else { return is_heading(line, "position") };
        let said = |most: usize| (!is_nothing(value)).then(|| shortened(value, most));
        match key {
            Key::Position => self.position = said(LONGEST_POSITION).or(self.position.take()),
            Key::Confidence => self.confidence = percent(value).or(self.confidence),
            Key::Because => self.because = said(LONGEST_REASON).or(self.because.take()),
        }
        true
    }
}

#[derive(Clone, Copy)]
enum Key {
    Position,
    Confidence,
    Because,
}

/// The beginning of a text, to the end of a word.
pub(super) fn shortened(text: &str, most: usize) -> String {
    let Some((cut, _)) = text.char_indices().nth(most) else { return text.to_owned() };
    let end = text[..cut].rfind(char::is_whitespace).unwrap_or(cut);
    format!("{} …", text[..end].trim_end())
}

/// The prose, and the lines behind it without the heading of the claims.
fn split(text: &str) -> (&str, Vec<&str>) {
    let mut starts = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        starts.push((at, line));
        at += line.len();
    }
    let last = |word: &str| starts.iter().rposition(|(_, line)| is_heading(line, word));
    // The two lists may stand in either order, but nothing else between them.
    let only_position = |from: usize, to: usize| {
        starts[from + 1..to].iter().all(|(_, line)| line.trim().is_empty() || keyed(line).is_some())
    };
    let first = match (last("claims"), last("position")) {
        (Some(claims), Some(position)) if position < claims && !only_position(position, claims) => Some(claims),
        (Some(claims), Some(position)) => Some(claims.min(position)),
        (one, other) => one.or(other),
    };
    let first = first.or_else(|| {
        let prose = starts.iter().rposition(|(_, line)| !line.trim().is_empty() && keyed(line).is_none())?;
        (prose + 1 < starts.len()).then_some(prose + 1)
    });
    let Some(first) = first else { return (text.trim(), Vec::new()) };
    let prose = text[..starts[first].0].trim();
    // The tail is sometimes put into a fence of its own.
    let prose = prose.strip_suffix("```").map_or(prose, str::trim_end);
    let tail = starts[first..].iter().map(|(_, line)| line.trim_end()).filter(|line| !is_heading(line, "claims"));
    (prose, tail.collect())
}

/// The critique and the answer: parted by a line `--- answer`, else all is answer.
fn parted(prose: &str) -> (&str, &str) {
    let mut at = 0;
    for line in prose.split_inclusive('\n') {
        if is_heading(line, "answer") {
            return (prose[..at].trim(), prose[at + line.len()..].trim());
        }
        at += line.len();
    }
    ("", prose)
}

fn is_heading(line: &str, word: &str) -> bool {
    let line = line.trim().trim_matches(['*', '`', '#', ' ']);
    line.strip_prefix("---").is_some_and(|rest| rest.trim_matches(['-', ' ', ':']).eq_ignore_ascii_case(word))
}

/// A line of the position: its key and its value.
fn keyed(line: &str) -> Option<(Key, &str)> {
    let line = line.trim().trim_matches('`').trim_start_matches(['-', '*', ' ']);
    let (word, value) = line.split_once(':')?;
    let word = word.trim().trim_matches('*').to_ascii_lowercase();
    let key = match word.as_str() {
        "position" | "my position" => Key::Position,
        "confidence" => Key::Confidence,
        "changed because" | "changed" | "because" => Key::Because,
        _ => return None,
    };
    Some((key, value.trim_start_matches('*').trim()))
}

fn is_nothing(value: &str) -> bool {
    let value = value.trim_matches(['.', '"', '(', ')', ' ', '*']).to_lowercase();
    ["", "-", "none", "n/a", "nothing", "unchanged", "not changed", "no change"].contains(&value.as_str())
}

/// A confidence as it is written: `70`, `70 %`, `70/100`, `0.7`.
fn percent(value: &str) -> Option<u8> {
    let number: String =
        value.trim_start_matches(['~', ' ']).chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
    let parsed: f64 = number.trim_end_matches('.').parse().ok()?;
    let scaled = if number.contains('.') && parsed <= 1.0 { parsed * 100.0 } else { parsed };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range is checked first")]
    (0.0..=100.0).contains(&scaled).then(|| scaled.round() as u8)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;

    use super::*;

    const WHOLE: &str = "Partner A is right on cost.\n\n--- answer\nUse gRPC.\n\nI concede that browsers need a proxy.\n\n\
        --- claims\nclaim: JSON is slow\nevidence: bench.md:3 \"41 %\"\nconcede: B0.1 \"I concede that browsers need a \
        proxy.\"\n--- position\nposition: Yes\nconfidence: 70 %\nchanged because: A0.2, and src/a.rs:4 shows it\n";

    #[test]
    fn a_position_is_a_line_and_no_treatise() {
        let stance =
            Stance::read(&format!("Yes.\n--- position\nposition: {0}\nchanged because: {0}", "word ".repeat(9_000)));
        let longest = |words: &Option<String>| words.as_ref().map(|words| words.chars().count());
        assert_eq!(longest(&stance.position), Some(LONGEST_POSITION + 1));
        assert_eq!(longest(&stance.because), Some(LONGEST_REASON + 1));
        assert!(stance.position.is_some_and(|position| position.ends_with("word …")));
        assert_eq!(Stance::read("Yes.\n--- position\nposition: keep REST").position.as_deref(), Some("keep REST"));
    }

    #[test]
    fn an_answer_is_read_whole() {
        let stance = Stance::read(WHOLE);
        assert_eq!(stance.critique(), "Partner A is right on cost.");
        assert_eq!(stance.answer(), "Use gRPC.\n\nI concede that browsers need a proxy.");
        assert_eq!(stance.statement.claims[0].evidence, ["bench.md:3 \"41 %\""]);
        assert_eq!((stance.position.as_deref(), stance.confidence), (Some("Yes"), Some(70)));
        let reasons: Vec<String> = stance.reasons().iter().map(ToString::to_string).collect();
        assert_eq!(reasons, ["A0.2", "B0.1"]);
        assert_eq!(stance.cited_reasons().len(), 1);
        assert_eq!(stance.citations().len(), 2);
    }

    #[test]
    fn the_position_is_found_wherever_it_stands_at_the_end() {
        for text in [
            "Keep REST.\n--- position\nposition: no\nconfidence: 0.8",
            "Keep REST.\n\n--- claims\nclaim: one\nevidence: none\nposition: no\nconfidence: 80",
            "Keep REST.\n\n--- position\nposition: no\nconfidence: 80\n--- claims\nclaim: one",
            "Keep REST.\n\n**Position:** no\nConfidence: 80/100\n",
            "Keep REST.\n\n```\n--- position\nposition: no\nconfidence: 80\n```",
        ] {
            let stance = Stance::read(text);
            assert_eq!(stance.answer(), "Keep REST.", "{text}");
            assert_eq!((stance.position.as_deref(), stance.confidence), (Some("no"), Some(80)), "{text}");
        }
    }

    #[test]
    fn what_is_not_said_is_not_guessed() {
        let stance =
            Stance::read("Keep REST: it works.\n\n--- position\nposition: none\nconfidence: high\nchanged because: -");
        assert_eq!((stance.position, stance.confidence, stance.because), (None, None, None));
        assert_eq!(Stance::read("Keep REST: it works.").answer(), "Keep REST: it works.");
        assert_eq!(Stance::read("confidence: 170").confidence, None);
    }

    proptest! {
        #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(0x3fa9), ..ProptestConfig::default() })]

        #[test]
        fn reading_never_panics(text in "(\\PC|\\n|--- answer\\n|--- claims\\n|--- position\\n|position: |claim: |`){0,80}") {
            let stance = Stance::read(&text);
            let _ = (stance.answer(), stance.critique(), stance.reasons(), stance.citations());
        }
    }
}

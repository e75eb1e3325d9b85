//! What the audience is asked for: questions after a round, and a conclusion of its own.

use std::collections::BTreeSet;
use std::fmt::Write;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::chair::brief;
use super::veil::word_count;
use crate::debate::{Rejection, structured};

/// The most questions of a round.
const MOST_QUESTIONS: usize = 2;
pub(super) const CONCLUSION_WORDS: std::ops::RangeInclusive<usize> = 200..=400;
/// How many words are taken from one that was asked again.
const TAKEN_WORDS: std::ops::RangeInclusive<usize> = 100..=600;
/// How long the audience is waited for after a round.
pub(super) const PATIENCE_MS: u64 = 120_000;

/// The audience's questions after a round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Questions {
    /// None to two of them.
    #[schemars(length(max = 2))]
    pub questions: Vec<Question>,
}

/// A question to one debater.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// The debater.
    pub to: String,
    #[schemars(length(min = 1))]
    pub question: String,
}

/// What the audience makes of the debate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AudienceConclusion {
    /// The two or three arguments that weighed most.
    #[schemars(length(min = 2, max = 3))]
    pub arguments: Vec<Weighed>,
    /// The sharpest insight.
    #[schemars(length(min = 1))]
    pub insight: String,
    /// What stays open.
    #[schemars(length(min = 1))]
    pub open_questions: Vec<String>,
    #[schemars(length(min = 1))]
    pub view: String,
}

/// An argument that weighed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Weighed {
    /// The entry it stands in.
    pub seq: u64,
    /// Why it weighed.
    #[schemars(length(min = 1))]
    pub why: String,
}

impl AudienceConclusion {
    /// The conclusion as the log holds it.
    pub fn text(&self) -> String {
        let mut text = String::from("What weighed most:\n");
        for Weighed { seq, why } in &self.arguments {
            // Writing to a string cannot fail.
            let _ = write!(text, "\n- [seq {seq}] {}", why.trim());
        }
        let _ = write!(text, "\n\nThe sharpest insight: {}\n\nStill open:\n", self.insight.trim());
        for question in &self.open_questions {
            let _ = write!(text, "\n- {}", question.trim());
        }
        let _ = write!(text, "\n\nOur own view: {}", self.view.trim());
        text
    }

    pub fn words(&self) -> usize {
        let own = self.arguments.iter().map(|weighed| weighed.why.as_str());
        let own =
            own.chain([self.insight.as_str(), self.view.as_str()]).chain(self.open_questions.iter().map(String::as_str));
        own.map(word_count).sum()
    }
}

/// The JSON Schema of questions to these debaters.
pub(super) fn questions_schema(names: &[&str]) -> Value {
    let mut schema = structured::schema::<Questions>();
    if let Some(field) = schema.pointer_mut("/$defs/Question/properties/to") {
        *field = json!({ "type": "string", "enum": names });
    }
    schema
}

/// Reads questions to these debaters.
pub(super) fn accept_questions(names: &[&str], text: &str) -> Result<Questions, Rejection> {
    let questions: Questions = structured::read("questions", text)?;
    if questions.questions.len() > MOST_QUESTIONS {
        let count = questions.questions.len();
        return Err(Rejection::new(
            "questions:count",
            format!("ask at most {MOST_QUESTIONS} questions; there were {count}"),
        ));
    }
    for Question { to, question } in &questions.questions {
        if !names.contains(&to.as_str()) {
            let names = names.join(", ");
            return Err(Rejection::new("questions:name", format!("`{to}` is no debater; ask one of {names}")));
        }
        if question.trim().is_empty() {
            return Err(Rejection::new("questions:empty", "a question is empty"));
        }
    }
    brief("questions", questions.questions.iter().map(|question| question.question.as_str()))?;
    Ok(questions)
}

/// The JSON Schema of a conclusion that can refer to these entries.
pub(super) fn conclusion_schema(citable: &BTreeSet<u64>) -> Value {
    let mut schema = structured::schema::<AudienceConclusion>();
    if let Some(field) = schema.pointer_mut("/$defs/Weighed/properties/seq") {
        *field = json!({ "type": "integer", "enum": citable });
    }
    schema
}

/// Reads a conclusion. One that was asked for again may be somewhat shorter or longer than it should be.
pub(super) fn accept_conclusion(citable: &BTreeSet<u64>, again: bool, text: &str) -> Result<AudienceConclusion, Rejection> {
    let conclusion: AudienceConclusion = structured::read("conclusion", text)?;
    let refuse = |code: &str, reason: String| Err(Rejection::new(format!("conclusion:{code}"), reason));
    if !(2..=3).contains(&conclusion.arguments.len()) {
        return refuse("arguments", format!("name 2 or 3 arguments; there were {}", conclusion.arguments.len()));
    }
    if let Some(weighed) = conclusion.arguments.iter().find(|weighed| !citable.contains(&weighed.seq)) {
        return refuse("reference", format!("seq {} is redacted or no argument", weighed.seq));
    }
    let words = conclusion.words();
    let (fewest, most) = (CONCLUSION_WORDS.start(), CONCLUSION_WORDS.end());
    if !(if again { TAKEN_WORDS } else { CONCLUSION_WORDS }).contains(&words) {
        return refuse("length", format!("use {fewest} to {most} words; there were {words}"));
    }
    Ok(conclusion)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conclusion(words: usize, seq: u64) -> String {
        let why = |count: usize| "word ".repeat(count);
        let part = words / 5;
        json!({
            "arguments": [{"seq": seq, "why": why(part)}, {"seq": 3, "why": why(part)}],
            "insight": why(part), "open_questions": [why(part)], "view": why(words - 4 * part),
        })
        .to_string()
    }

    #[test]
    fn a_conclusion_has_its_length_and_refers_to_what_stands() {
        let citable = BTreeSet::from([2, 3]);
        let code =
            |text: &str, again| accept_conclusion(&citable, again, text).map_or_else(|r| r.code, |_| "taken".to_owned());
        assert_eq!(code(&conclusion(200, 2), false), "taken");
        assert_eq!(code(&conclusion(400, 2), false), "taken");
        assert_eq!(code(&conclusion(199, 2), false), "conclusion:length");
        assert_eq!(code(&conclusion(401, 2), false), "conclusion:length");
        assert_eq!(code(&conclusion(450, 2), true), "taken");
        assert_eq!(code(&conclusion(700, 2), true), "conclusion:length");
        assert_eq!(code(&conclusion(300, 9), false), "conclusion:reference");
    }

    #[test]
    fn questions_go_to_debaters_by_name_and_are_two_at_most() {
        let question = |to: &str| json!({"to": to, "question": "Why?"});
        let code = |questions: &[Value]| {
            let text = json!({ "questions": questions }).to_string();
            accept_questions(&["anna", "ben"], &text).map_or_else(|r| r.code, |_| "taken".to_owned())
        };
        assert_eq!(code(&[]), "taken");
        assert_eq!(code(&[question("anna"), question("ben")]), "taken");
        assert_eq!(code(&[question("anna"), question("ben"), question("ben")]), "questions:count");
        assert_eq!(code(&[question("chair")]), "questions:name");
    }
}

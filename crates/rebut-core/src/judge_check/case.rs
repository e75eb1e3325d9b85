//! Cases with a known answer: the built-in ones, and the reader of a user's file.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::judging::Label;

/// A question with two statements, one of which is right.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a JSON object")]
pub struct Case {
    /// `line-N` where a user's file names none.
    #[serde(default)]
    pub id: String,
    #[serde(default)]
    pub kind: Kind,
    pub question: String,
    pub a: String,
    pub b: String,
    /// The side that is right.
    pub better: Label,
    #[serde(default)]
    pub why_known: String,
}

impl Case {
    /// The statement of one side.
    pub fn text(&self, side: Label) -> &str {
        match side {
            Label::A => &self.a,
            Label::B => &self.b,
        }
    }
}

/// What makes the answer of a case certain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Arithmetic,
    Logic,
    /// A Rust snippet whose value is asked for.
    Code,
    /// The same about the standard library.
    Std,
    /// The user says so.
    #[default]
    Own,
}

/// A file of cases cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CaseError {
    #[error("line {line}: {problem}")]
    Line { line: usize, problem: String },
    #[error("the file has no cases; {FORM}")]
    Empty,
}

const FORM: &str = r#"write one per line: {"question": "…", "a": "…", "b": "…", "better": "a"}"#;

/// The cases that come with the program.
pub fn built_in() -> Result<Vec<Case>, CaseError> {
    read_cases(include_str!("cases.jsonl"))
}

/// Reads cases, one JSON object per line; blank lines are skipped.
pub fn read_cases(text: &str) -> Result<Vec<Case>, CaseError> {
    let mut ids = BTreeSet::new();
    let mut cases = Vec::new();
    for (content, line) in text.lines().zip(1..).filter(|(content, _)| !content.trim().is_empty()) {
        let mut case = read_case(content).map_err(|problem| CaseError::Line { line, problem })?;
        if case.id.is_empty() {
            case.id = format!("line-{line}");
        }
        if !ids.insert(case.id.clone()) {
            return Err(CaseError::Line { line, problem: format!("the id {:?} is used twice", case.id) });
        }
        cases.push(case);
    }
    if cases.is_empty() { Err(CaseError::Empty) } else { Ok(cases) }
}

fn read_case(line: &str) -> Result<Case, String> {
    let case: Case = serde_json::from_str(line).map_err(|error| {
        // The error counts lines within this one line.
        let text = error.to_string();
        let what = text.rsplit_once(" at line ").map_or(text.as_str(), |(what, _)| what);
        format!("{what} (column {}); {FORM}", error.column())
    })?;
    for (field, text) in [("question", &case.question), ("a", &case.a), ("b", &case.b)] {
        if text.trim().is_empty() {
            return Err(format!("`{field}` is empty"));
        }
    }
    if case.a.trim() == case.b.trim() {
        return Err("`a` and `b` are the same statement".into());
    }
    Ok(case)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_users_file_needs_four_fields_per_line() {
        let text = concat!(
            r#"{"question": "1 + 1?", "a": "2", "b": "3", "better": "a"}"#,
            "\n\n",
            r#"{"question": "2 + 2?", "a": "5", "b": "4", "better": "b"}"#
        );
        let cases = read_cases(text).unwrap();
        assert_eq!(cases.iter().map(|case| case.id.as_str()).collect::<Vec<_>>(), ["line-1", "line-3"]);
        assert_eq!((cases[1].better, cases[1].kind), (Label::B, Kind::Own));
    }

    #[test]
    fn errors_name_the_line_and_the_problem() {
        let good = r#"{"id": "x", "question": "1 + 1?", "a": "2", "b": "3", "better": "a"}"#;
        for (bad, problem) in [
            ("1 + 1 = 2", "line 2: invalid type: integer `1`, expected a JSON object (column 1); write one per line: {"),
            (r#"{"question": "?", "a": "2", "b": "3"}"#, "line 2: missing field `better`"),
            (r#"{"question": "?", "a": "2", "b": "3", "better": "A"}"#, "line 2: unknown variant `A`, expected `a` or `b`"),
            (r#"{"question": "?", "a": "2", "b": "3", "best": "a"}"#, "line 2: unknown field `best`"),
            (
                r#"{"question": "?", "a": 2, "b": "3", "better": "a"}"#,
                "line 2: invalid type: integer `2`, expected a string",
            ),
            (r#"{"question": "?", "a": " ", "b": "3", "better": "a"}"#, "line 2: `a` is empty"),
            (r#"{"question": "?", "a": "3", "b": "3", "better": "a"}"#, "line 2: `a` and `b` are the same statement"),
            (good, "line 2: the id \"x\" is used twice"),
        ] {
            let error = read_cases(&format!("{good}\n{bad}\n")).unwrap_err().to_string();
            assert!(error.starts_with(problem), "{error}");
        }
        assert_eq!(read_cases("\n \n"), Err(CaseError::Empty));
    }
}

//! The result of a debate in a few lines, as a run ends and lists show it.

use super::{Debate, Status};
use crate::named::named;

/// The result of a debate in a few lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Brief {
    pub tone: Tone,
    /// The result in one line: `Challenger (gemini) wins · 9 of 11 citations verified`.
    pub headline: String,
    /// Actions, reasons and open points, each under its label.
    pub rows: Vec<(&'static str, Vec<String>)>,
}

named! {
    /// How good a result is.
    pub enum Tone {
        /// It is complete.
        Full = "full",
        /// A part is missing, or no side answered: it must not look like a full result.
        Partial = "partial",
        /// There is none.
        Failed = "failed",
    }
}

impl Brief {
    /// The brief of a debate with this result, or without one yet. A debate that did not complete has its own headline.
    pub fn of(debate: &Debate, result: Option<String>) -> Self {
        let lines = debate.outcome().map(|outcome| outcome.lines.clone()).unwrap_or_default();
        let why = || lines.first().cloned().unwrap_or_else(|| "no result".to_owned());
        let (tone, headline) = match (debate.status(), result) {
            (Status::Completed, Some(result)) => (Tone::Full, result),
            (Status::Completed, None) => (Tone::Full, why()),
            (Status::Partial, Some(result)) => (Tone::Partial, format!("Partial · {result}")),
            (Status::Partial, None) => (Tone::Partial, why()),
            (Status::Uncontested, _) => (Tone::Partial, "Uncontested: no side won".to_owned()),
            (Status::Failed, _) => (Tone::Failed, why()),
            (Status::Cancelled, _) => (Tone::Partial, "Cancelled".to_owned()),
            (Status::Running, _) => (Tone::Partial, "Not finished".to_owned()),
        };
        let said = |line: &String| headline.contains(line.as_str());
        let rest: Vec<String> = lines.iter().filter(|line| !said(line)).cloned().collect();
        let label = if matches!(debate.status(), Status::Failed | Status::Uncontested) { "Why" } else { "Note" };
        Self { tone, headline, rows: Vec::new() }.row(label, rest)
    }

    /// The same with lines under a label; nothing where there are none.
    #[must_use]
    pub fn row(mut self, label: &'static str, lines: impl IntoIterator<Item = String>) -> Self {
        let lines: Vec<String> = lines.into_iter().filter(|line| !line.trim().is_empty()).collect();
        if !lines.is_empty() {
            self.rows.push((label, lines));
        }
        self
    }
}

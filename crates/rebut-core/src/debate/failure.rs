//! Why a call gave no answer. Failures are events; the format decides what one means for the debate.

use serde::{Deserialize, Serialize};

use super::Usage;
use crate::named::named;

/// The longest detail that is kept with a failure, in characters.
const MAX_DETAIL: usize = 200;

/// How much of a program's standard error is kept with a failure, in characters.
const MAX_COMPLAINTS: usize = 4_000;

/// A call that failed: the cause by name, a short detail, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    pub cause: Cause,
    /// A short fragment in the tool's or our own words: one line, no control characters, at most 200 characters.
    pub detail: String,
    /// What the user can do, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub advice: Option<Box<str>>,
    /// How long the provider asked us to wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
    /// Whether the provider speaks of a quota: it may be used up, or one of a minute that comes back.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub names_quota: bool,
    /// The end of what the program wrote to standard error, for debugging: lines without control characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub complaints: Option<Box<Complaints>>,
    #[serde(default)]
    pub usage: Usage,
}

/// The end of what a program wrote to standard error. It is rare, so it is boxed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Complaints(String);

named! {
    /// The causes of failure, for all providers, in the order of the documentation.
    #[derive(Hash)]
    pub enum Cause {
        NotInstalled = "not_installed",
        Auth = "auth",
        UnknownModel = "unknown_model",
        /// Too many requests, or a quota is used up for now.
        RateLimited = "rate_limited",
        /// A 5xx answer, or no connection.
        Unavailable = "unavailable",
        /// The call's whole time limit passed.
        Timeout = "timeout",
        /// No output for longer than the stall limit.
        Stalled = "stalled",
        /// The program ended with an error of its own.
        Exit = "exit",
        Refused = "refused",
        Empty = "empty",
        Truncated = "truncated",
        TooLarge = "too_large",
        ContextTooLong = "context_too_long",
        /// The output has not the shape the tool speaks.
        Unparsable = "unparsable",
        /// The answer did not fit the rules, also when asked again.
        Rejected = "rejected",
        Budget = "budget",
        Cancelled = "cancelled",
    }
}

impl Cause {
    /// The cause in words, to be read after the name of who failed.
    pub fn words(self) -> &'static str {
        match self {
            Self::NotInstalled => "is not installed",
            Self::Auth => "is not signed in, or its key was refused",
            Self::UnknownModel => "does not know the model",
            Self::RateLimited => "is rate limited",
            Self::Unavailable => "is unavailable",
            Self::Timeout => "timed out",
            Self::Stalled => "stalled without output",
            Self::Exit => "failed with an error",
            Self::Refused => "refused to answer",
            Self::Empty => "returned an empty answer",
            Self::Truncated => "was cut off mid-answer",
            Self::TooLarge => "returned too much output",
            Self::ContextTooLong => "can't take a prompt this long",
            Self::Unparsable => "returned unreadable output",
            Self::Rejected => "returned an invalid answer twice",
            Self::Budget => "was stopped by the debate's budget",
            Self::Cancelled => "was cancelled",
        }
    }
}

/// How often a failed call is made again inside its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retry {
    /// Not at all: it would fail again.
    Never,
    Once,
    /// As often as the limit allows.
    UntilLimit,
}

impl Failure {
    /// The failure as the rest of a sentence about who failed, with what to do.
    pub fn sentence(&self) -> String {
        match &self.advice {
            Some(advice) => format!("{self}. {advice}"),
            None => format!("{self}."),
        }
    }

    /// A failure with this cause; the detail is made one short harmless line.
    pub fn new(cause: Cause, detail: impl AsRef<str>) -> Self {
        Self {
            cause,
            detail: one_line(detail.as_ref(), MAX_DETAIL),
            advice: None,
            retry_after_ms: None,
            names_quota: false,
            complaints: None,
            usage: Usage::default(),
        }
    }

    /// Output that could not be read: only the kind of parser and a code are kept, never the output itself.
    pub fn unparsable(parser: &str, code: &str) -> Self {
        Self::new(Cause::Unparsable, format!("{parser}: {}", code.replace('_', " ")))
    }

    /// The same failure with a word on what to do.
    #[must_use]
    pub fn with_advice(mut self, advice: impl Into<String>) -> Self {
        self.advice = Some(advice.into().into());
        self
    }

    /// The same failure with the end of the program's standard error, if any. Secrets must be redacted before: the rest
    /// of one that is cut would not be recognised.
    #[must_use]
    pub fn with_complaints(mut self, text: &str) -> Self {
        let lines: Vec<String> =
            text.lines().map(|line| one_line(line, MAX_COMPLAINTS)).filter(|line| !line.is_empty()).collect();
        let kept = lines.join("\n");
        let from = kept.char_indices().nth_back(MAX_COMPLAINTS - 1).map_or(0, |(at, _)| at);
        self.complaints =
            Some(&kept[from..]).filter(|kept| !kept.is_empty()).map(|kept| Box::new(Complaints(kept.to_owned())));
        self
    }

    /// The end of the program's standard error; may be empty.
    pub fn complaints(&self) -> &str {
        self.complaints.as_ref().map_or("", |complaints| &complaints.0)
    }

    /// How often the runner may try again inside the same call. `output_began`: whether any output had arrived.
    pub fn retry(&self, output_began: bool) -> Retry {
        match self.cause {
            // A quota of a minute is back soon; one that is used up is not worth the whole limit.
            Cause::RateLimited if self.names_quota && self.retry_after_ms.is_none() => Retry::Once,
            Cause::RateLimited | Cause::Unavailable => Retry::UntilLimit,
            Cause::Stalled if !output_began => Retry::UntilLimit,
            // A stream that broke off; the whole answer is paid for again.
            Cause::Truncated => Retry::Once,
            _ => Retry::Never,
        }
    }
}

impl std::fmt::Display for Failure {
    /// The cause in words and the detail, to be read after the name of who failed.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.cause.words())?;
        if self.detail.is_empty() { Ok(()) } else { write!(f, " ({})", self.detail) }
    }
}

/// One line without control characters, of at most this many characters.
pub(super) fn one_line(text: &str, most: usize) -> String {
    let words: Vec<&str> = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|w| !w.is_empty()).collect();
    words.join(" ").chars().take(most).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_detail_is_one_short_line_without_control_characters() {
        let failure = Failure::new(Cause::Exit, format!("line\n\x1b[31mred\x07 {}", "x".repeat(400)));
        assert!(failure.detail.chars().count() <= 200);
        assert!(failure.detail.chars().all(|c| !c.is_control()));
    }

    #[test]
    fn of_what_a_program_complained_the_end_is_kept_line_by_line() {
        let failure = Failure::new(Cause::Exit, "").with_complaints("first\r\n\n  \x1b[31mred\x07 light\n");
        assert_eq!(failure.complaints(), "first\n[31mred light");
        let long = format!("{}\nlast größe", "ä".repeat(9_000));
        let kept = Failure::new(Cause::Exit, "").with_complaints(&long);
        let kept = kept.complaints();
        assert!(kept.chars().count() <= 4_000 && kept.ends_with("ä\nlast größe"), "{}", kept.chars().count());
        assert_eq!(Failure::new(Cause::Exit, "").with_complaints(" \n").complaints, None);
    }

    #[test]
    fn a_parse_failure_shows_only_its_type_and_code() {
        let failure = Failure::unparsable("json", "unexpected_end");
        assert_eq!(failure.to_string(), "returned unreadable output (json: unexpected end)");
    }
}

//! The cases, and what the model says in each.

use serde::Deserialize;

use super::api::{Asked, Finish, Said, ToolCall};

/// What the model answers where nothing is wrong.
pub const ANSWER: &str = "STAND-IN-ANSWER naïve café, 漢字 and 😀 to the end.";

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Case {
    Ok,
    /// Fails with an HTTP status; 429 says when to come back.
    Status(u16),
    Empty,
    /// Ends in the middle of the answer, without a finish.
    Truncated,
    /// Sends something that is not the API.
    Garbage,
    Hang,
    /// Begins a stream, and says only that it is still there.
    HangPinging,
    /// Says the first words and then nothing.
    Stall,
    /// Says the first words, and then only that it is still there.
    StallPinging,
    OkPinging,
    Refusal,
    Length,
    /// Says that all is well, and sends an error.
    ErrorBody,
    ErrorEvent,
    HalfEvent,
    /// Sends events without end.
    Endless,
    /// Sends a line without end.
    EndlessLine,
    /// Sends bytes that are no text.
    NotText,
    Huge,
    /// Says to come back at a date, half an hour from the year's first second.
    UntilDate,
    Redirect,
    /// Refuses every request that asks for more than an answer: a schema, an effort, a seed.
    Picky,
    TellsKey,
    /// Answers, and tells the key back wherever it can: in the text, as the model's name, as the answer's id.
    EchoesKey,
    Calls(Vec<ToolCall>),
}

impl Case {
    /// The case of this name: a status, or a variant's name in kebab case. Any other name is `ok`.
    pub fn named(name: &str) -> Self {
        let status = name.parse().ok().filter(|status| (400..600).contains(status)).map(Self::Status);
        status.or_else(|| serde_json::from_value(name.into()).ok()).unwrap_or(Self::Ok)
    }

    /// What the model says; a case in which it says nothing is an empty answer here.
    pub(super) fn say(&self, asked: &Asked) -> Said {
        let turn = asked.results.len();
        let plain = Said { text: ANSWER.to_owned(), turn, ..Said::default() };
        match self {
            Self::Ok | Self::OkPinging | Self::HalfEvent | Self::Endless | Self::NotText | Self::Picky => plain,
            Self::Truncated | Self::Stall | Self::StallPinging => Said { finish: Finish::Cut, ..plain },
            Self::Refusal => Said { finish: Finish::Refused, text: "I will not answer that.".to_owned(), ..plain },
            Self::Calls(calls) => match calls.get(turn).cloned() {
                Some(call) => Said { text: String::new(), call: Some(call), ..plain },
                None => Said { text: format!("{ANSWER}\nThe tools said:\n{}", asked.results.join("\n")), ..plain },
            },
            Self::Length => Said { finish: Finish::Length, ..plain },
            _ => Said { text: String::new(), ..plain },
        }
    }
}

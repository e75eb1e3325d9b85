//! The cases, and what the model says in each.

use super::api::{Asked, Finish, Said, ToolCall};

/// What the model answers where nothing is wrong.
pub const ANSWER: &str = "STAND-IN-ANSWER naïve café, 漢字 and 😀 to the end.";

/// What the provider does with a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Case {
    /// Answers.
    Ok,
    /// Fails with an HTTP status; 429 says when to come back.
    Status(u16),
    /// Answers with nothing.
    Empty,
    /// Ends in the middle of the answer, without a finish.
    Truncated,
    /// Sends something that is not the API.
    Garbage,
    /// Takes the request and says nothing.
    Hang,
    /// Begins a stream, and says only that it is still there.
    HangPinging,
    /// Says the first words and then nothing.
    Stall,
    /// Says the first words, and then only that it is still there.
    StallPinging,
    /// Answers, and goes on saying that it is still there.
    OkPinging,
    /// Refuses.
    Refusal,
    /// Stops at the limit of tokens.
    Length,
    /// Says that all is well, and sends an error.
    ErrorBody,
    /// Begins a stream, and sends an error in it.
    ErrorEvent,
    /// Ends in the middle of an event.
    HalfEvent,
    /// Sends events without end.
    Endless,
    /// Sends a line without end.
    EndlessLine,
    /// Sends bytes that are no text.
    NotText,
    /// Says that ten gigabytes are to come.
    Huge,
    /// Says to come back at a date, half an hour from the year's first second.
    UntilDate,
    /// Sends the person elsewhere.
    Redirect,
    /// Refuses every request that asks for more than an answer: a schema, an effort, a seed.
    Picky,
    /// Tells back the key that it was sent, in an error.
    TellsKey,
    /// Answers, and tells the key back wherever it can: in the text, as the model's name, as the answer's id.
    EchoesKey,
    /// Asks for these calls of tools, then answers with what came of them.
    Calls(Vec<ToolCall>),
}

impl Case {
    /// The case of this name: a status, or one of the words in lower case. What is no case's name is `ok`.
    pub fn named(name: &str) -> Self {
        match name {
            "empty" => Self::Empty,
            "truncated" => Self::Truncated,
            "garbage" => Self::Garbage,
            "hang" => Self::Hang,
            "hang-pinging" => Self::HangPinging,
            "stall" => Self::Stall,
            "stall-pinging" => Self::StallPinging,
            "ok-pinging" => Self::OkPinging,
            "refusal" => Self::Refusal,
            "length" => Self::Length,
            "error-body" => Self::ErrorBody,
            "error-event" => Self::ErrorEvent,
            "half-event" => Self::HalfEvent,
            "endless" => Self::Endless,
            "endless-line" => Self::EndlessLine,
            "not-text" => Self::NotText,
            "huge" => Self::Huge,
            "until-date" => Self::UntilDate,
            "redirect" => Self::Redirect,
            "picky" => Self::Picky,
            "tells-key" => Self::TellsKey,
            "echoes-key" => Self::EchoesKey,
            _ => name.parse().ok().filter(|status| (400..600).contains(status)).map_or(Self::Ok, Self::Status),
        }
    }

    /// What the model says; a case in which it says nothing is an empty answer here.
    pub(super) fn say(self, asked: &Asked) -> Said {
        let turn = asked.results.len();
        let plain = Said { text: ANSWER.to_owned(), turn, ..Said::default() };
        match self {
            Self::Ok | Self::OkPinging | Self::HalfEvent | Self::Endless | Self::NotText | Self::Picky => plain,
            Self::Truncated => Said { finish: Finish::Cut, ..plain },
            Self::Stall | Self::StallPinging => Said { finish: Finish::Cut, stalls: true, ..plain },
            Self::Refusal => Said { finish: Finish::Refused, text: "I will not answer that.".to_owned(), ..plain },
            Self::Calls(calls) => match calls.into_iter().nth(turn) {
                Some(call) => Said { text: String::new(), call: Some(call), ..plain },
                None => Said { text: format!("{ANSWER}\nThe tools said:\n{}", asked.results.join("\n")), ..plain },
            },
            Self::Length => Said { finish: Finish::Length, ..plain },
            _ => Said { text: String::new(), ..plain },
        }
    }
}

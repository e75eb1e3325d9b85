//! The matrix: what each tool is led into, and what must come of it.

use rebut_core::debate::{Cause, Effort, Prompt};
use serde_json::{Value, json};

/// A case of the matrix.
pub(crate) struct Case {
    /// Its name, here and in the table.
    pub(crate) name: &'static str,
    /// What it shows, for the document.
    pub(crate) shows: &'static str,
    /// The case of the stand-in provider.
    pub(crate) provider: Provided,
    /// What must come of it.
    pub(crate) expected: Expected,
}

/// What the provider does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Provided {
    /// The case of this name.
    Named(&'static str),
    /// It has the tool's own tools called.
    Deed(Deed),
}

/// What the model has the tool do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Deed {
    /// Write a file into the workspace.
    Write,
    /// Run a command that makes a file in the workspace.
    Shell,
    /// Read a file beside the workspace.
    ReadOutside,
    /// Read a link in the workspace that leads to that file.
    ReadLink,
    /// Read a file of the workspace.
    ReadInside,
    /// The same, for a seat that may not.
    ReadForbidden,
}

/// What must come of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expected {
    /// The whole answer, told as it comes; the whole prompt has arrived.
    Answer(Asking),
    /// A failure with this cause.
    Failure(Cause),
    /// A failure that says that there is no answer; not every tool says why.
    NoAnswer,
    /// It is ended at the limit of silence, with that as the reason, and nothing is left of it.
    Stalled,
    /// It is cancelled, and nothing is left of it.
    Cancelled,
    /// The tool was told to, and told the model that it could not; the deed was not done, and the answer comes.
    Held,
    /// The answer comes and holds what stands in the file.
    Done,
    /// The answer is the JSON that the schema asks for.
    Structured,
}

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asking {
    /// A short question.
    Short,
    /// 200 KB.
    Long,
    /// Scripts, signs and what a shell or a tool might take for its own.
    Strange,
    /// A short question with a model and an effort, both of which must arrive.
    ModelAndEffort,
    /// A short question in a folder with instructions to agents, none of which may arrive.
    AmongInstructions,
    /// A short question of a person who has instructions to agents, none of which may arrive.
    AmongOwnInstructions,
    /// A short question of a person and in a project with hooks and MCP servers, none of which may be started.
    AmongServers,
    /// A short question, of which nothing may be found in the person's home afterwards.
    Forgotten,
}

const fn named(name: &'static str, shows: &'static str, provider: &'static str, expected: Expected) -> Case {
    Case { name, shows, provider: Provided::Named(provider), expected }
}

const fn deed(name: &'static str, shows: &'static str, deed: Deed, expected: Expected) -> Case {
    Case { name, shows, provider: Provided::Deed(deed), expected }
}

/// Every case, one line each.
pub(crate) const CASES: [Case; 26] = [
    named("success", "the answer, streamed as it arrives", "ok", Expected::Answer(Asking::Short)),
    named("model and effort", "both reach the provider", "ok", Expected::Answer(Asking::ModelAndEffort)),
    named("200 KB", "a long prompt arrives whole", "ok", Expected::Answer(Asking::Long)),
    named("non-ASCII", "prompt and answer arrive unchanged", "ok", Expected::Answer(Asking::Strange)),
    named("schema", "an answer by a JSON Schema", "ok", Expected::Structured),
    named("instructions", "the project's files for agents stay out", "ok", Expected::Answer(Asking::AmongInstructions)),
    named("own instructions", "the user's files for agents stay out", "ok", Expected::Answer(Asking::AmongOwnInstructions)),
    named("hooks and MCP", "neither the user's nor the project's are started", "ok", Expected::Answer(Asking::AmongServers)),
    named("history", "no file of the home holds what was asked", "ok", Expected::Answer(Asking::Forgotten)),
    named("401", "named as a sign-in that failed", "401", Expected::Failure(Cause::Auth)),
    named("403", "named as a sign-in that failed", "403", Expected::Failure(Cause::Auth)),
    named("429", "named as a rate limit", "429", Expected::Failure(Cause::RateLimited)),
    named("500", "named as a provider that is down", "500", Expected::Failure(Cause::Unavailable)),
    named("unknown model", "named as such", "ok", Expected::Failure(Cause::UnknownModel)),
    named("empty", "named as such", "empty", Expected::Failure(Cause::Empty)),
    named("truncated", "never taken for an answer", "truncated", Expected::Failure(Cause::Truncated)),
    named("refusal", "never taken for an answer", "refusal", Expected::NoAnswer),
    named("hang", "a silent provider: ended at the limit and named as stalled, nothing left", "hang", Expected::Stalled),
    named("stall", "silent in the middle of the answer: the same", "stall", Expected::Stalled),
    named("kill", "cancelled in the middle of the answer: nothing left", "stall", Expected::Cancelled),
    deed("read inside", "it can read the workspace", Deed::ReadInside, Expected::Done),
    deed("write", "told to write a file, it does not; allowed to, it does", Deed::Write, Expected::Held),
    deed("shell", "told to run a command, it does not; allowed to, it does", Deed::Shell, Expected::Held),
    deed("read outside", "told to read beside the workspace, it does not", Deed::ReadOutside, Expected::Held),
    deed("link", "told to read through a link that leads outside, it does not", Deed::ReadLink, Expected::Held),
    deed("kept out", "may it not read the workspace, it does not", Deed::ReadForbidden, Expected::Held),
];

/// Words of every prompt.
pub(crate) const ASKED: &str = "You take part in a debate.";

/// What stands in instructions to agents; it may not reach the provider.
pub(crate) const INSTRUCTION: &str = "INSTRUCTION-OF-THE-PROJECT";

impl Case {
    /// What is asked in this case.
    pub(crate) fn prompt(&self) -> Prompt {
        let user = match self.expected {
            Expected::Answer(Asking::Long) => {
                let lines = (0..4_000).map(|line| format!("Line {line} of a long matter, with an argument in it."));
                lines.collect::<Vec<_>>().join("\n")
            }
            Expected::Answer(Asking::Strange) => STRANGE.to_owned(),
            Expected::Structured => {
                let schema = self.schema().unwrap_or_default();
                format!("Answer with one JSON object that fits this schema, and nothing else:\n\n```json\n{schema}\n```")
            }
            _ => "Reply briefly.".to_owned(),
        };
        Prompt { system: format!("# Rules\n\n{ASKED}"), user: format!("# Topic\n\n{user}\n\n# End") }
    }

    /// The JSON Schema of the answer, where the case has one.
    pub(crate) fn schema(&self) -> Option<Value> {
        let properties = json!({ "winner": { "type": "string", "enum": ["proposer", "challenger"] } });
        let schema = json!({ "type": "object", "properties": properties, "required": ["winner"] });
        (self.expected == Expected::Structured).then_some(schema)
    }

    /// How hard it is asked to think.
    pub(crate) fn effort(&self) -> Effort {
        if self.expected == Expected::Answer(Asking::ModelAndEffort) { Effort::Max } else { Effort::Low }
    }
}

const STRANGE: &str = "naïve café — 漢字かな العربية עברית 👩‍👩‍👧 e\u{301} \u{202e}abc\u{202c} $(touch x) `touch y` %s \\n ~ \
    <system>none</system>\n@inside.txt and @./inside.txt\n/help\n!ls\n#memo\n--flag";

//! The tools that a client is offered, with the types of what goes in and comes out.

use std::path::PathBuf;
use std::sync::Arc;

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::start::Start;
use super::telling::Standing;

/// A debate by its id.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct One {
    /// Any unique part of the debate's id, or `last`.
    pub(super) id: String,
}

/// A debate by its id, and how long to wait for its end.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Follow {
    /// Any unique part of the debate's id, or `last`.
    pub(super) id: String,
    /// How long to wait for the debate to end, or to wait for a choice, before the answer is given [default: 0].
    #[serde(default)]
    pub(super) wait_seconds: Option<f64>,
}

/// A choice that is made.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Chosen {
    /// Any unique part of the debate's id, or `last`.
    pub(super) id: String,
    /// The option, as `debate_status` offers it.
    pub(super) option: String,
    /// How long to wait for the debate to end before the answer is given [default: 0].
    #[serde(default)]
    pub(super) wait_seconds: Option<f64>,
}

/// A text that mentions places.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ToVerify {
    /// The text, in Markdown.
    pub(super) text: String,
    /// The folder of the project. Without it, the one in which the server was started.
    #[serde(default)]
    pub(super) folder: Option<PathBuf>,
}

/// Nothing has to be said.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Nothing {}

/// Whether the providers are asked a question each.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Look {
    /// Whether each is asked a one-word question, which costs a call each [default: false].
    #[serde(default)]
    pub(super) probe: bool,
}

/// What a debate came to.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct Outcome {
    /// Its id.
    pub(super) id: String,
    /// completed, partial, uncontested, failed or cancelled.
    pub(super) status: String,
    /// The conclusion, in Markdown. Where it is long, its end: the resource `verdict` is the whole.
    pub(super) conclusion: String,
    /// Its transcript, as a resource.
    pub(super) transcript: String,
    /// The folder with its journal and documents; `debate.json` in it holds the whole for programs.
    pub(super) folder: PathBuf,
}

/// Every debate.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct Listed {
    /// Oldest first.
    pub(super) debates: Vec<Line>,
}

/// A debate in a list.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct Line {
    /// Its id.
    pub(super) id: String,
    /// Where it stands.
    pub(super) status: String,
    /// What is debated.
    pub(super) topic: String,
}

/// A place that a text mentions, with what was found of it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub(super) struct Mention {
    /// What is mentioned: `file`, `lines`, `quote`, `commit` or `url`.
    pub(super) evidence: JsonObject,
    /// The line of the text that mentions it.
    pub(super) line: u64,
    /// Where in the text that is, in bytes.
    pub(super) span: ByteSpan,
    /// verified, relocated, mismatch, missing, out_of_scope, ambiguous, changed_since or unchecked.
    pub(super) result: String,
    /// What was found, in words.
    #[serde(default)]
    pub(super) detail: String,
    /// The file that is meant, by its path in the workspace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) file: Option<String>,
    /// The lines where the quote really is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) lines: Option<String>,
}

/// A stretch of a text.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub(super) struct ByteSpan {
    /// Its first byte.
    pub(super) start: u64,
    /// The byte behind it.
    pub(super) end: u64,
}

/// A tool, a service or a model that could take a seat.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub(super) struct Provider {
    /// tool, service or embedded.
    #[serde(rename = "type")]
    pub(super) kind: String,
    /// Its name, which is how a seat is written.
    pub(super) name: String,
    /// Whether it can take a seat now.
    #[serde(default)]
    pub(super) can_be_seated: bool,
    /// What is missing, and how to get it.
    #[serde(default)]
    pub(super) missing: Option<String>,
    /// Its version, where it tells one.
    #[serde(default)]
    pub(super) version: Option<String>,
    /// What came of the one-word question, where it was asked.
    #[serde(default)]
    pub(super) probe: Option<JsonObject>,
    /// What else `rebut doctor --json` tells of it.
    #[serde(flatten)]
    pub(super) more: JsonObject,
}

/// What was found of what a text mentions.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct Verified {
    /// Each mention, with what was found of it.
    pub(super) findings: Vec<Mention>,
    /// How many are not there: mismatch, missing or out of scope.
    pub(super) failed: u64,
}

/// Who can take a seat.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct Providers {
    /// Each tool, service and model, as `rebut doctor --json` tells it.
    pub(super) providers: Vec<Provider>,
}

/// What a tool does to the world.
#[derive(Clone, Copy)]
enum Effect {
    Reads,
    /// It begins something, or may ask models: that is for the person to allow.
    Starts,
    Stops,
}

/// Every tool.
pub(super) fn all() -> Vec<Tool> {
    vec![
        tool::<Start, Standing>(
            "debate_start",
            Effect::Starts,
            "Starts a debate between AI tools: a duel with a judge, a review of a change or text, an ask of several at once, a \
             cross-critique, or a chaired panel. A short one is answered with its result; a long one goes on by itself, and is \
             followed with debate_status. It costs calls to the tools that take part.",
        ),
        tool::<Follow, Standing>(
            "debate_status",
            Effect::Reads,
            "Tells where a debate stands: what was said so far, what is under way, the verdict once there is one, and the \
             choice that it waits for.",
        ),
        tool::<Follow, Outcome>(
            "debate_result",
            Effect::Reads,
            "Tells what a debate came to: the verdict or the synthesis with its evidence, and the documents of it. Of one that \
             has not ended it says so.",
        ),
        tool::<One, Standing>(
            "debate_cancel",
            Effect::Stops,
            "Stops a debate. What was answered is kept, and a person can go on with it.",
        ),
        tool::<Chosen, Standing>(
            "debate_choose",
            Effect::Starts,
            "Makes the choice that a review waits for, on behalf of the person, and lets the review go on.",
        ),
        tool::<Nothing, Listed>("debate_list", Effect::Reads, "Lists every debate with where it stands, oldest first."),
        tool::<ToVerify, Verified>(
            "verify",
            Effect::Reads,
            "Looks up the files, lines, quotes and commits that a Markdown text mentions in the project. No model is asked.",
        ),
        tool::<Look, Providers>(
            "providers",
            Effect::Starts,
            "Tells which tools, services and models can take a seat, and how to get the others.",
        ),
    ]
}

fn tool<In: JsonSchema, Out: JsonSchema>(name: &'static str, effect: Effect, description: &'static str) -> Tool {
    let hints = match effect {
        Effect::Reads => ToolAnnotations::new().read_only(true).open_world(false),
        Effect::Starts => ToolAnnotations::new().read_only(false).destructive(false).open_world(true),
        Effect::Stops => ToolAnnotations::new().read_only(false).destructive(false).idempotent(true).open_world(false),
    };
    let mut tool = Tool::new(name, description, Arc::new(schema::<In>()));
    tool.output_schema = Some(Arc::new(schema::<Out>()));
    tool.annotations = Some(hints);
    tool
}

fn schema<T: JsonSchema>() -> JsonObject {
    let settings = schemars::generate::SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    // The name of a type of ours tells a client nothing, and formats such as `uint64` are unknown to clients, which complain.
    schema.remove("title");
    schemars::transform::transform_subschemas(&mut without_format, &mut schema);
    schema.as_object().cloned().unwrap_or_default()
}

fn without_format(schema: &mut schemars::Schema) {
    schema.remove("format");
    schemars::transform::transform_subschemas(&mut without_format, schema);
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn every_tool_takes_an_object_and_says_what_each_word_of_it_means() {
        for tool in all() {
            assert_eq!(tool.input_schema["type"], "object", "{}", tool.name);
            assert_eq!(tool.output_schema.as_ref().unwrap()["type"], "object", "{}", tool.name);
            let properties = tool.input_schema.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
            for (name, property) in properties {
                assert!(property["description"].is_string(), "{}: {name}", tool.name);
            }
        }
    }

    #[test]
    fn tools() {
        insta::assert_json_snapshot!(all());
    }
}

//! The tools that a client is offered, with the types of their input and output.

use std::path::PathBuf;
use std::sync::Arc;

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::request;
use super::status::DebateStatus;
use crate::commands::verify::Mention;

/// A debate by its id, and how long to wait for its end.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Follow {
    /// Any unique part of the debate's id, or `last`.
    pub(super) id: String,
    /// How long to wait for the debate to end, or to need a choice, before answering [default: 0].
    #[serde(default)]
    pub(super) wait_seconds: Option<f64>,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Chosen {
    /// Any unique part of the debate's id, or `last`.
    pub(super) id: String,
    /// The option, as `debate_status` offers it.
    pub(super) option: String,
    /// For a panel's lineup: what to `change`, or the file to `replace` it with.
    #[serde(default)]
    pub(super) text: Option<String>,
    /// How long to wait for the debate to end before answering [default: 0].
    #[serde(default)]
    pub(super) wait_seconds: Option<f64>,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ToVerify {
    /// The text, in Markdown.
    pub(super) text: String,
    /// The project's folder [default: where this server was started].
    #[serde(default)]
    pub(super) folder: Option<PathBuf>,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Nothing {}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Look {
    /// Also ask each one a short question, which costs a call each [default: false].
    #[serde(default)]
    pub(super) probe: bool,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct Listed {
    /// Oldest first.
    pub(super) debates: Vec<Line>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct Line {
    pub(super) id: String,
    pub(super) status: String,
    pub(super) topic: String,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct Verified {
    pub(super) findings: Vec<Mention>,
    /// How many don't exist: mismatch, missing or out of scope.
    pub(super) failed: usize,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct Providers {
    /// Each tool, service and model, as `rebut doctor --json` prints it: `name`, `can_be_seated`, `missing`, `probe` and more.
    pub(super) providers: Vec<JsonObject>,
}

#[derive(Clone, Copy)]
enum Effect {
    Reads,
    /// It starts something or asks models: the user should agree.
    Starts,
    Stops,
}

pub(super) fn all() -> Vec<Tool> {
    vec![
        tool::<DebateStatus>(
            "debate_start",
            Effect::Starts,
            request::input_schema(),
            "Start a debate between AI tools: a duel with a judge, a review of a change or text, one question to several tools \
             (ask), the same with critique of each other (cross), or a panel. A short debate returns its result; a long one \
             continues in the background, so follow it with debate_status. It makes paid calls; dry_run shows plan and cost \
             first. Seats are `tool` or `tool:model`; by default the best available ones are chosen.",
        ),
        tool::<DebateStatus>(
            "debate_status",
            Effect::Reads,
            schema::<Follow>(),
            "Show the status of a debate: what was said so far, what is in progress, the verdict once there is one, and the \
             choice it is waiting for.",
        ),
        tool::<DebateStatus>(
            "debate_result",
            Effect::Reads,
            schema::<Follow>(),
            "Show the result of a debate that has ended: the verdict or the synthesis with its evidence.",
        ),
        tool::<DebateStatus>(
            "debate_cancel",
            Effect::Stops,
            schema::<Follow>(),
            "Stop a debate. Answers so far are saved, and the user can resume it.",
        ),
        tool::<DebateStatus>(
            "debate_choose",
            Effect::Starts,
            schema::<Chosen>(),
            "Make the choice a debate is waiting for: after a round of a manual review, or about a panel's lineup. Ask the user \
             first.",
        ),
        tool::<Listed>(
            "debate_list",
            Effect::Reads,
            schema::<Nothing>(),
            "List all debates with their status, oldest first.",
        ),
        tool::<Verified>(
            "verify",
            Effect::Reads,
            schema::<ToVerify>(),
            "Check the files, lines, quotes and commits that a Markdown text mentions against the project. Asks no model.",
        ),
        tool::<Providers>(
            "providers",
            Effect::Starts,
            schema::<Look>(),
            "List the tools, services and models that can take a seat, and how to get the others.",
        ),
    ]
}

fn tool<Out: JsonSchema>(name: &'static str, effect: Effect, input: JsonObject, description: &'static str) -> Tool {
    let hints = match effect {
        Effect::Reads => ToolAnnotations::new().read_only(true).open_world(false),
        // With `apply` a review writes to the working tree.
        Effect::Starts => ToolAnnotations::new().read_only(false).destructive(true).open_world(true),
        Effect::Stops => ToolAnnotations::new().read_only(false).destructive(false).idempotent(true).open_world(false),
    };
    let mut tool = Tool::new(name, description, Arc::new(input));
    tool.output_schema = Some(Arc::new(schema::<Out>()));
    tool.annotations = Some(hints);
    tool
}

pub(super) fn schema<T: JsonSchema>() -> JsonObject {
    let settings = schemars::generate::SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    // Clients don't need our types' names, and complain about formats such as `uint64`.
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
    use super::*;

    #[test]
    fn tools() {
        insta::assert_json_snapshot!(all());
    }
}

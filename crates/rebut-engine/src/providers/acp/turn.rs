//! One turn of a session: what the agent reports while it answers, and its answer.

use std::collections::BTreeMap;
use std::path::Path;

use rebut_core::debate::{Answer, Cause, Cost, Failure, Usage};
use serde_json::Value;

use super::agent::{AcpCommand, AgentStatus};
use super::{failure, permission};
use crate::providers::cli::output::{answer, by_words, tokens};
use crate::providers::{Progress, ProgressSink};

pub(super) struct Turn<'a> {
    session: &'a str,
    command: &'a AcpCommand,
    folder: Option<&'a Path>,
    progress: ProgressSink,
    prompted: bool,
    chunks: Vec<Chunk>,
    /// How many tools it has used: a text before and one after are not one sentence.
    part: usize,
    /// Its tool calls, as far as it reported them.
    calls: BTreeMap<String, Value>,
    /// How often it has said or done something, from the prompt on.
    actions: u64,
    first_used: Option<u64>,
    cost: Option<Cost>,
    model: Option<String>,
    /// What the agent said of an error beside its messages.
    error: Option<Failure>,
    /// Whether it said that the error was its last word.
    gave_up: bool,
    started_over: bool,
}

struct Chunk {
    message: Option<String>,
    part: usize,
    text: String,
}

impl<'a> Turn<'a> {
    pub(super) fn new(session: &'a str, command: &'a AcpCommand, folder: Option<&'a Path>, progress: ProgressSink) -> Self {
        Self {
            session,
            command,
            folder,
            progress,
            prompted: false,
            chunks: Vec::new(),
            part: 0,
            calls: BTreeMap::new(),
            actions: 0,
            first_used: None,
            cost: None,
            model: None,
            error: None,
            gave_up: false,
            started_over: false,
        }
    }

    /// The prompt was sent: from now on, what the agent says is its answer.
    pub(super) fn prompted(&mut self) {
        self.prompted = true;
        self.actions = 0;
    }

    pub(super) fn began(&self) -> bool {
        self.prompted && self.actions > 0
    }

    /// How often it has said or done something: only that gives it more time.
    pub(super) fn actions(&self) -> u64 {
        self.actions
    }

    /// What failed, where the agent begins its answer anew because it broke off, and would do so without end.
    pub(super) fn broken_off(&self) -> Option<Failure> {
        self.started_over.then(|| Failure::new(Cause::Truncated, "it began its answer again"))
    }

    /// Reads an update. Those of other sessions and unknown kinds are ignored.
    pub(super) fn hear(&mut self, params: &Value) {
        if params["sessionId"] != self.session {
            return;
        }
        let update = &params["update"];
        match update["sessionUpdate"].as_str() {
            Some("agent_message_chunk") if self.prompted => self.text(update),
            Some("agent_thought_chunk") if !update["content"]["text"].as_str().unwrap_or_default().is_empty() => {
                self.actions += 1;
            }
            Some("tool_call" | "tool_call_update") => self.tool(update),
            Some("usage_update") => self.used(update),
            Some("session_info_update") if self.prompted => self.status((self.command.quirks.status)(update)),
            _ => {}
        }
    }

    pub(super) fn permit(&mut self, params: &Value) -> Value {
        if params["sessionId"] != self.session {
            return permission::cancelled();
        }
        let known = self.remember(&params["toolCall"]);
        permission::decide(&known, &params["options"], self.folder)
    }

    fn text(&mut self, update: &Value) {
        let Some(text) = update["content"]["text"].as_str().filter(|text| !text.is_empty()) else { return };
        let message = update["messageId"].as_str().map(str::to_owned);
        let chunk = Chunk { message, part: self.part, text: text.to_owned() };
        let is_next = |last: &Chunk| last.part == chunk.part && last.message.is_some() && last.message != chunk.message;
        self.started_over |=
            self.command.quirks.restarts_answers && chunk.message.is_some() && self.chunks.last().is_some_and(is_next);
        if !self.is_notice(&chunk) {
            self.actions += 1;
            self.progress.tell(Progress::Text(text.to_owned()));
        }
        self.chunks.push(chunk);
    }

    fn tool(&mut self, update: &Value) {
        let first = update["toolCallId"].as_str().is_some_and(|id| !self.calls.contains_key(id));
        let call = self.remember(update);
        self.actions += 1;
        if first {
            self.part += 1;
        }
        // Its title often comes only with the second update.
        if let Some(title) = update["title"].as_str().filter(|title| !title.is_empty()) {
            let kind = call["kind"].as_str().unwrap_or_default();
            self.progress.tell(Progress::Activity(format!("{kind} {title}").trim().to_owned()));
        }
    }

    /// Adds an update to what is known about a tool call. Places add up: a later update does not revoke an earlier one.
    fn remember(&mut self, update: &Value) -> Value {
        let Some(id) = update["toolCallId"].as_str() else { return update.clone() };
        let known = self.calls.entry(id.to_owned()).or_insert_with(|| Value::Object(serde_json::Map::new()));
        for key in ["kind", "title", "rawInput"] {
            if !update[key].is_null() {
                known[key] = update[key].clone();
            }
        }
        let mut locations = known["locations"].as_array().cloned().unwrap_or_default();
        locations.extend(update["locations"].as_array().cloned().unwrap_or_default());
        locations.dedup();
        known["locations"] = Value::Array(locations);
        known.clone()
    }

    fn used(&mut self, update: &Value) {
        if let Some(model) = (self.command.quirks.model)(update) {
            self.model = Some(model.to_owned());
        }
        if update["cost"]["currency"] == "USD" {
            self.cost = update["cost"]["amount"].as_f64().and_then(Cost::from_dollars).or(self.cost);
        }
        // The update says how full the context is, which grows by the answer.
        if let Some(used) = update["used"].as_u64() {
            let first = *self.first_used.get_or_insert(used);
            if used > first {
                self.progress.tell(Progress::Tokens(used - first));
            }
        }
    }

    fn status(&mut self, status: AgentStatus) {
        if let Some(failure) = status.failure {
            self.error = Some(failure);
            // What it had said is said again from the beginning.
            self.chunks.clear();
        }
        self.gave_up |= status.gave_up;
    }

    fn is_notice(&self, chunk: &Chunk) -> bool {
        chunk.message.is_none() && self.command.quirks.notices.iter().any(|start| chunk.text.starts_with(start))
    }

    /// The answer's text. Where messages have ids, what has none is a remark of the program; pieces on both sides of a
    /// tool's use, and of different messages, are paragraphs.
    fn answer_text(&self) -> String {
        let has_ids = self.chunks.iter().any(|chunk| chunk.message.is_some());
        let mut text = String::new();
        let mut last: Option<&Chunk> = None;
        for chunk in self.chunks.iter().filter(|chunk| !self.is_notice(chunk) && (!has_ids || chunk.message.is_some())) {
            if last.is_some_and(|last| (last.part, &last.message) != (chunk.part, &chunk.message)) {
                text.push_str("\n\n");
            }
            text.push_str(&chunk.text);
            last = Some(chunk);
        }
        text
    }

    /// What came of it, given the reply to the prompt.
    pub(super) fn conclude(mut self, result: &Value) -> Result<Answer, Failure> {
        let usage = usage(result, self.cost);
        let text = self.whole_text(result, usage).map_err(|failure| Failure { usage, ..failure })?;
        let answer = answer(&text, self.model.or_else(|| main_model(result)), usage, Some(self.session))?;
        Ok(Answer { transport: super::NAME.to_owned(), ..answer })
    }

    fn whole_text(&mut self, result: &Value, usage: Usage) -> Result<String, Failure> {
        if let Some(failure) = self.broken_off() {
            return Err(failure);
        }
        let last = self.chunks.last().map_or("", |chunk| chunk.text.as_str());
        if self.gave_up {
            let in_text = self.chunks.last().map(|chunk| by_words(&chunk.text));
            let failure = self.error.take().or(in_text).unwrap_or_else(|| Failure::new(Cause::Exit, "it gave up"));
            return Err(self.advised(failure));
        }
        if let Some(failure) = failure::of_stop(result) {
            return Err(failure);
        }
        if self.command.quirks.errors_as_text && result["usage"].is_null() && last.starts_with("Error: ") {
            return Err(self.advised(by_words(last)));
        }
        let text = self.answer_text();
        if text.trim().is_empty() {
            return Err(Failure::new(Cause::Empty, last));
        }
        let counted = (usage.input_tokens, usage.output_tokens);
        if self.command.quirks.zero_tokens_is_truncated && counted == (Some(0), Some(0)) {
            return Err(Failure::new(Cause::Truncated, "it counted no token of its answer"));
        }
        Ok(text)
    }

    /// A failure with what can be done about it, and what it cost all the same.
    pub(super) fn advised(&self, failure: Failure) -> Failure {
        let failure = self.command.advised(failure);
        Failure { usage: Usage { cost: failure.usage.cost.or(self.cost), ..failure.usage }, ..failure }
    }
}

/// Tokens as they were reported. Agents count cached and thought tokens inside or beside the others; their total tells.
fn usage(result: &Value, cost: Option<Cost>) -> Usage {
    let usage = &result["usage"];
    let count = |name: &str| usage[name].as_u64();
    let quota = &result["_meta"]["quota"]["token_count"];
    let (Some(input), Some(output)) = (count("inputTokens"), count("outputTokens")) else {
        return Usage { cost, ..tokens(quota) };
    };
    let beside = |name: &str| count(name).unwrap_or_default();
    let sum = |counts: &[u64]| counts.iter().copied().fold(0, u64::saturating_add);
    let cached = sum(&[beside("cachedReadTokens"), beside("cachedWriteTokens")]);
    let thought = beside("thoughtTokens");
    let total = count("totalTokens").unwrap_or(sum(&[input, cached, output]));
    let output = if sum(&[input, cached, output, thought]) == total { sum(&[output, thought]) } else { output };
    Usage { input_tokens: Some(total.saturating_sub(output).max(input)), output_tokens: Some(output), cost }
}

/// The model that wrote most; small models run errands beside it.
fn main_model(result: &Value) -> Option<String> {
    let models = result["_meta"]["quota"]["model_usage"].as_array()?;
    let written = |entry: &&Value| {
        let count = &entry["token_count"];
        count["outputTokens"].as_u64().or_else(|| count["output_tokens"].as_u64())
    };
    models.iter().max_by_key(written).and_then(|entry| entry["model"].as_str()).map(str::to_owned)
}

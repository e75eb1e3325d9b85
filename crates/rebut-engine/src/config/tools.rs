//! Who can take a seat beside the built-in model, and which commands claims may run: `[tools.NAME]`, `[services.NAME]`,
//! `[agents.NAME]` and `[checks.NAME]`. All of it is the user's alone to set.

use std::collections::BTreeMap;

use rebut_core::debate::Effort;
use serde::{Deserialize, Serialize};

use super::Takes;
use super::field::{COUNT, settings, words};
use super::names::{is_absolute, is_address, is_agent_name, is_key_variable, is_model_name, is_variable, is_word};
use crate::providers::http::is_price;

pub type ToolsSettings = BTreeMap<String, ToolSettings>;
pub type ServicesSettings = BTreeMap<String, ServiceSettings>;
pub type AgentsSettings = BTreeMap<String, AgentSettings>;

const ENV: Takes = Takes::List("a list of names of environment variables", is_variable);
const MODEL: Takes = Takes::Text("the name of a model, or `auto` for the tool's own", is_model_name);
const EFFORT: Takes = Takes::Text("its own word, or `auto` (of a service `none`) to say nothing", is_word);

settings! {
    ToolSettings {
        /// The program; by default the first on the search path
        program: Option<String> = None => Takes::Text("an absolute path, with `~` written out", is_absolute),
        /// Your environment variables that the tool may see, beside its own
        env: Vec<String> = Vec::new() => ENV,
        /// Its models by effort
        models: ModelSettings = ModelSettings::default() => Takes::Table(ModelSettings::FIELDS),
        /// Its words for an effort
        effort: EffortSettings = EffortSettings::default() => Takes::Table(EffortSettings::FIELDS),
    }

    ServiceSettings {
        /// The API it speaks
        api: Option<ServiceApi> = None => Takes::OneOf(words::<ServiceApi>),
        /// Its address
        base_url: Option<String> = None => Takes::Text("an address that begins with http:// or https://, without a password", is_address),
        /// The variable that holds its key
        key_env: Option<String> = None => Takes::Text("the name of a variable, in capitals", is_key_variable),
        /// The vendor of its models
        family: Option<String> = None => Takes::Text("one word in small letters", is_word),
        /// Context window of its models, in tokens
        context_tokens: Option<u64> = None => COUNT,
        /// Whether it accepts a JSON Schema for an answer
        structured: Option<bool> = None => Takes::Bool,
        /// Allow its key over unencrypted HTTP
        plain_http: Option<bool> = None => Takes::Bool,
        /// Its models by effort
        models: ModelSettings = ModelSettings::default() => Takes::Table(ModelSettings::FIELDS),
        /// Its words for an effort
        effort: EffortSettings = EffortSettings::default() => Takes::Table(EffortSettings::FIELDS),
        /// Prices, in dollars per million tokens
        prices: Vec<String> = Vec::new() => Takes::List(
            "a list of `MODEL INPUT OUTPUT` or `MODEL INPUT OUTPUT CACHED`, dollars per million tokens",
            is_price,
        ),
    }

    ModelSettings {
        /// Model for low effort
        low: Option<String> = None => MODEL,
        /// Model for medium effort
        medium: Option<String> = None => MODEL,
        /// Model for high effort
        high: Option<String> = None => MODEL,
        /// Model for max effort
        max: Option<String> = None => MODEL,
    }

    EffortSettings {
        /// Its word for low effort
        low: Option<String> = None => EFFORT,
        /// Its word for medium effort
        medium: Option<String> = None => EFFORT,
        /// Its word for high effort
        high: Option<String> = None => EFFORT,
        /// Its word for max effort
        max: Option<String> = None => EFFORT,
    }

    AgentSettings {
        /// The agent's command, run without a shell
        command: Vec<String> = Vec::new() => Takes::Command,
        /// The vendor of its model
        family: Option<String> = None => Takes::Text("lowercase letters, digits, - and _", is_agent_name),
        /// Your environment variables that the agent may see
        env: Vec<String> = Vec::new() => ENV,
    }

    CheckSettings {
        /// The command, run without a shell
        command: Vec<String> = Vec::new() => Takes::Command,
        /// Your environment variables that the command may see, beside what builds need
        env: Vec<String> = Vec::new() => ENV,
        /// Time limit in seconds
        time_limit: u64 = 300 => Takes::Whole(1, 86_400),
    }
}

/// An API that services speak.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ServiceApi {
    /// Anthropic's Messages.
    Messages,
    /// OpenAI's Responses.
    Responses,
    /// Gemini's generateContent.
    Gemini,
    /// OpenAI's Chat Completions, which many servers speak.
    Chat,
}

/// A tool's word for an effort.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EffortWord<'a> {
    pub word: &'a str,
    /// Whether it comes from the user's settings.
    pub is_own: bool,
}

impl ToolSettings {
    /// The tool's word for an effort: the user's, else the built-in one.
    pub fn effort_word<'a>(&'a self, effort: Effort, built_in: Option<&[&'a str; 4]>) -> Option<EffortWord<'a>> {
        match self.effort.of(effort) {
            Some("auto") => None,
            Some(word) => Some(EffortWord { word, is_own: true }),
            None => built_in.map(|words| EffortWord { word: words[effort as usize], is_own: false }),
        }
    }
}

impl ModelSettings {
    pub fn of(&self, effort: Effort) -> Option<&str> {
        [&self.low, &self.medium, &self.high, &self.max][effort as usize].as_deref()
    }
}

impl EffortSettings {
    pub fn of(&self, effort: Effort) -> Option<&str> {
        [&self.low, &self.medium, &self.high, &self.max][effort as usize].as_deref()
    }
}

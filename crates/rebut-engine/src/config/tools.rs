//! Who can take a seat beside the built-in model, and which commands claims may run: `[tools.NAME]`, `[services.NAME]`,
//! `[agents.NAME]` and `[checks.NAME]`. All of it is the user's alone to set.

use std::collections::BTreeMap;

use rebut_core::debate::Effort;
use serde::{Deserialize, Serialize};

use super::field::{COUNT, settings, words};
use super::names::{is_absolute, is_key_variable, is_variable, is_word};
use super::{Field, Takes};
use crate::providers::http::{is_address, is_price};
use crate::providers::{is_agent_name, is_model_name};

/// A model or a word for each effort.
pub type ModelSettings = BTreeMap<Effort, String>;
pub type ToolsSettings = BTreeMap<String, ToolSettings>;
pub type ServicesSettings = BTreeMap<String, ServiceSettings>;
pub type AgentsSettings = BTreeMap<String, AgentSettings>;

const ENV: Takes = Takes::List("a list of names of environment variables", is_variable);
const MODEL: Takes = Takes::Text("the name of a model, or `auto` for the tool's own", is_model_name);
const EFFORT: Takes = Takes::Text("the tool's own word, or `auto` to say nothing", is_word);
const API_EFFORT: Takes = Takes::Text("the API's own word, or `none` to say nothing", is_word);

settings! {
    ToolSettings {
        /// The program; by default the first on the search path
        program: Option<String> = None => Takes::Text("an absolute path, with `~` written out", is_absolute),
        /// Your environment variables that the tool may see, beside its own
        env: Vec<String> = Vec::new() => ENV,
        /// Its models by effort
        models: ModelSettings = ModelSettings::new() => Takes::Table(&by_effort(MODEL, "Its model for an effort")),
        /// Its words for an effort
        effort: ModelSettings = ModelSettings::new() => Takes::Table(&by_effort(EFFORT, "Its word for an effort")),
    }

    ServiceSettings {
        /// The API it speaks
        api: Option<ServiceApi> = None => Takes::OneOf(words::<ServiceApi>),
        /// Its address
        base_url: Option<String> = None => Takes::Text("an address that begins with http:// or https://, without a password", is_address),
        /// The variable that holds its key
        key_env: Option<String> = None => Takes::Text("the name of a variable, in capitals", is_key_variable),
        /// The vendor of its models
        family: Option<String> = None => Takes::Text("one lowercase word", is_word),
        /// Context window of its models, in tokens
        context_tokens: Option<u64> = None => COUNT,
        /// Whether it accepts a JSON Schema for an answer
        structured: Option<bool> = None => Takes::Bool,
        /// Allow its key over unencrypted HTTP
        plain_http: Option<bool> = None => Takes::Bool,
        /// Its models by effort
        models: ModelSettings = ModelSettings::new() => Takes::Table(&by_effort(MODEL, "Its model for an effort")),
        /// Its words for an effort
        effort: ModelSettings = ModelSettings::new() => Takes::Table(&by_effort(API_EFFORT, "Its word for an effort")),
        /// Prices, in dollars per million tokens
        prices: Vec<String> = Vec::new() => Takes::List(
            "a list of `MODEL INPUT OUTPUT` or `MODEL INPUT OUTPUT CACHED`, dollars per million tokens",
            is_price,
        ),
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

const fn by_effort(takes: Takes, help: &'static str) -> [Field; 4] {
    const fn field(name: &'static str, help: &'static str, takes: Takes) -> Field {
        Field { name, help, takes, default: || None, user_only: false }
    }
    [field("low", help, takes), field("medium", help, takes), field("high", help, takes), field("max", help, takes)]
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EffortWord<'a> {
    pub word: &'a str,
    /// Whether it comes from the user's settings.
    pub is_own: bool,
}

impl ToolSettings {
    /// The user's word for an effort, else the built-in one.
    pub fn effort_word<'a>(&'a self, effort: Effort, built_in: Option<&[&'a str; 4]>) -> Option<EffortWord<'a>> {
        match self.effort.get(&effort).map(String::as_str) {
            Some("auto") => None,
            Some(word) => Some(EffortWord { word, is_own: true }),
            None => built_in.map(|words| EffortWord { word: words[effort as usize], is_own: false }),
        }
    }
}

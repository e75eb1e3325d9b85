//! Who can take a seat beside the built-in model, and which commands claims may run: `[tools.NAME]`, `[services.NAME]`,
//! `[agents.NAME]` and `[checks.NAME]`. All of it is the user's alone to set.

use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};

use rebut_core::debate::Effort;
use serde::{Deserialize, Serialize};

use super::Takes;
use super::field::{COUNT, settings, words};
use super::names::{is_absolute, is_address, is_agent_name, is_key_variable, is_model_name, is_variable, is_word};

pub type ToolsSettings = Named<ToolSettings>;
pub type ServicesSettings = Named<ServiceSettings>;
pub type AgentsSettings = Named<AgentSettings>;

/// Tables by name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Named<T>(BTreeMap<String, T>);

const ENV: Takes = Takes::List("a list of names of environment variables", is_variable);
const MODEL: Takes = Takes::Text("the name of a model, or `auto` for the tool's own", is_model_name);
const EFFORT: Takes = Takes::Text("its own word, or `auto` (of a service `none`) to say nothing", is_word);

settings! {
    /// `[tools.NAME]`
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

    /// `[services.NAME]`; `None` is the built-in value
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
            |text| WrittenPrice::read(text).is_some(),
        ),
    }

    /// `[tools.NAME.models]`, `[services.NAME.models]`
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

    /// `[tools.NAME.effort]`, `[services.NAME.effort]`
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

    /// `[agents.NAME]`
    AgentSettings {
        /// The agent's command, run without a shell
        command: Vec<String> = Vec::new() => Takes::Command,
        /// The vendor of its model
        family: Option<String> = None => Takes::Text("lowercase letters, digits, - and _", is_agent_name),
        /// Your environment variables that the agent may see
        env: Vec<String> = Vec::new() => ENV,
    }

    /// `[checks.NAME]`
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

/// The price of a model, in dollars per million tokens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WrittenPrice<'a> {
    pub model: &'a str,
    pub input: f64,
    pub output: f64,
    pub cached: Option<f64>,
}

impl<T> Named<T> {
    pub fn of(&self, name: &str) -> Option<&T> {
        self.0.get(name)
    }

    #[must_use]
    pub fn with(mut self, name: &str, table: T) -> Self {
        self.0.insert(name.to_owned(), table);
        self
    }
}

impl<T> Deref for Named<T> {
    type Target = BTreeMap<String, T>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl<T> DerefMut for Named<T> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
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

impl ServiceSettings {
    pub fn written_prices(&self) -> impl Iterator<Item = WrittenPrice<'_>> {
        self.prices.iter().filter_map(|text| WrittenPrice::read(text))
    }
}

impl<'a> WrittenPrice<'a> {
    /// Reads `MODEL INPUT OUTPUT` or `MODEL INPUT OUTPUT CACHED`.
    fn read(text: &'a str) -> Option<Self> {
        let mut words = text.split_whitespace();
        let model = words.next().filter(|model| is_model_name(model))?;
        let amounts: Vec<f64> =
            words.map(|word| word.parse().ok().filter(|dollars| (0.0..=1e6).contains(dollars))).collect::<Option<_>>()?;
        match amounts[..] {
            [input, output] => Some(Self { model, input, output, cached: None }),
            [input, output, cached] => Some(Self { model, input, output, cached: Some(cached) }),
            _ => None,
        }
    }
}

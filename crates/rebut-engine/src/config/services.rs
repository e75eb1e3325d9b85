//! `[services.NAME]`: what the user says about a service that speaks an API, built-in or their own. All of it is the
//! user's alone to set: it names addresses, variables that hold keys, and what is paid for.

use std::collections::BTreeMap;
use std::net::IpAddr;

use rebut_core::debate::Effort;
use serde::{Deserialize, Serialize};

use super::ModelSettings;
use super::tools::{is_model_name, is_tool};

/// `[services]`, a table a service.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ServicesSettings(BTreeMap<String, ServiceSettings>);

/// `[services.NAME]`; `None` is what is built in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ServiceSettings {
    /// The API it speaks.
    pub api: Option<ServiceApi>,
    /// Where it is.
    pub base_url: Option<String>,
    /// The variable that holds its key.
    pub key_env: Option<String>,
    /// The vendor behind its models, in one word.
    pub family: Option<String>,
    /// How many tokens its models read.
    pub context_tokens: Option<u64>,
    /// Whether it takes a JSON Schema for an answer.
    pub structured: Option<bool>,
    /// Whether a key may go to it over HTTP without encryption.
    pub plain_http: Option<bool>,
    /// Its models by effort.
    pub models: ModelSettings,
    /// The API's word for each effort; `none` says nothing.
    pub effort: ModelSettings,
    /// What models cost: `MODEL INPUT OUTPUT` or `MODEL INPUT OUTPUT CACHED`, in dollars a million tokens.
    pub prices: Vec<String>,
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

/// What a model costs, as a person writes it, in dollars a million tokens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WrittenPrice<'a> {
    /// The model.
    pub model: &'a str,
    /// Tokens of the prompt.
    pub input: f64,
    /// Tokens of the answer.
    pub output: f64,
    /// Tokens of the prompt that the service still had.
    pub cached: Option<f64>,
}

/// Names that no service can have, beside those of the tools.
const TAKEN: [&str; 2] = ["script", "local"];

impl ServicesSettings {
    /// What is said of the service of this name.
    pub fn of(&self, name: &str) -> Option<&ServiceSettings> {
        self.0.get(name)
    }

    /// Every service of which something is said.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// The same with this said of a service.
    #[must_use]
    pub fn with(mut self, name: &str, service: ServiceSettings) -> Self {
        self.0.insert(name.to_owned(), service);
        self
    }

    pub(super) fn in_range(&self) -> bool {
        self.0.iter().all(|(name, service)| is_service_name(name) && service.in_range())
    }
}

impl ServiceSettings {
    /// The prices that are written down, as far as they are prices.
    pub fn written_prices(&self) -> impl Iterator<Item = WrittenPrice<'_>> {
        self.prices.iter().filter_map(|text| WrittenPrice::read(text))
    }

    fn in_range(&self) -> bool {
        let words = |words: &ModelSettings, is: fn(&str) -> bool| {
            Effort::ALL.into_iter().filter_map(|effort| words.of(effort)).all(is)
        };
        self.base_url.as_deref().is_none_or(is_address)
            && self.key_env.as_deref().is_none_or(is_variable)
            && self.family.as_deref().is_none_or(is_word)
            && self.context_tokens.is_none_or(|tokens| tokens > 0)
            && words(&self.models, is_model_name)
            && words(&self.effort, is_word)
            && self.prices.iter().all(|text| WrittenPrice::read(text).is_some())
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

/// Whether a service can have this name: one word in small letters that means nothing else.
pub(crate) fn is_service_name(name: &str) -> bool {
    is_word(name) && !TAKEN.contains(&name) && !is_tool(name)
}

/// Whether this is an address that requests can be sent to. One with a password in it is none: addresses are shown.
pub(crate) fn is_address(text: &str) -> bool {
    reqwest::Url::parse(text).is_ok_and(|url| {
        matches!(url.scheme(), "http" | "https")
            && url.has_host()
            && url.username().is_empty()
            && url.password().is_none()
            && url.query().is_none()
            && url.fragment().is_none()
    })
}

/// Whether an address is on this machine.
pub(crate) fn is_loopback(url: &reqwest::Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

pub(super) fn is_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
}

fn is_variable(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_uppercase() || c == '_')
        && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_is_a_model_and_two_or_three_amounts() {
        let price = |text: &'static str| WrittenPrice::read(text).map(|price| (price.model, price.input, price.cached));
        assert_eq!(price("gpt-6.1-sol 2 10"), Some(("gpt-6.1-sol", 2.0, None)));
        assert_eq!(price("m/x:free 0 0.5 0.1"), Some(("m/x:free", 0.0, Some(0.1))));
        for wrong in ["", "m", "m 1", "m 1 2 3 4", "m -1 2", "m nan 2", "m inf 2", "$m 1 2", "m 1 two"] {
            assert_eq!(price(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn an_address_with_a_password_or_without_a_host_is_none() {
        for right in ["https://api.example.com", "http://127.0.0.1:8080/v1", "http://[::1]:9/"] {
            assert!(is_address(right), "{right}");
        }
        for wrong in
            ["", "api.example.com", "ftp://x", "https://u:p@x", "https://u@x", "file:///x", "https://x?k=1", "data:x"]
        {
            assert!(!is_address(wrong), "{wrong}");
        }
    }

    #[test]
    fn this_machine_is_known_by_its_addresses() {
        let on_this_machine = |text: &str| is_loopback(&reqwest::Url::parse(text).unwrap());
        assert!(["http://localhost:1", "http://127.0.0.2", "http://[::1]:8"].into_iter().all(on_this_machine));
        assert!(!["http://10.0.0.1", "http://localhost.example.com", "https://x"].into_iter().any(on_this_machine));
    }

    #[test]
    fn a_name_that_is_taken_is_no_services() {
        assert!(["anthropic", "my-gateway", "vllm2"].into_iter().all(is_service_name));
        assert!(!["claude", "script", "local", "", "-x", "Big", "a.b", "2x"].into_iter().any(is_service_name));
    }
}

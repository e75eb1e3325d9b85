//! The services: rows of a table. The vendor's own variable overrides a row's address, and the user's settings override
//! both.

use std::sync::LazyLock;

use rebut_core::debate::Effort;
use reqwest::Url;
use serde::Deserialize;

use super::api::ChatOptions;
use super::key::Key;
use super::prices::{self, Rates};
use crate::config::{ModelSettings, ServiceApi, ServiceSettings, ServicesSettings};
use crate::providers::cli::Variables;

/// A service, merged from the table, the variables and the settings.
#[derive(Clone, Debug)]
pub struct Service {
    pub name: String,
    pub api: ServiceApi,
    pub base_url: Url,
    /// The variables that may hold its key; none for the user's own server.
    pub keys: Vec<String>,
    pub family: String,
    pub data_goes_to: String,
    /// How much its models read, where known.
    pub context_tokens: Option<u64>,
    /// How to start it, for the user's own server.
    pub start: Option<&'static str>,
    pub(super) structured: bool,
    pub(super) chat_options: ChatOptions,
    models: [Option<String>; 4],
    effort: [Option<String>; 4],
    plain_http: bool,
    /// The user's own, in words.
    prices: Vec<String>,
}

/// Why a service can't be used as it is set up.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ServiceError {
    #[error("the service `{service}` has no {missing}; set `services.{service}.{missing}` in your config.toml")]
    Incomplete { service: String, missing: &'static str },
    #[error("{variable} is not an address for {service}: expected http:// or https://, a host, and no password")]
    BadAddress { service: String, variable: String },
    #[error("{service} has no key; set {variable}")]
    NoKey { service: String, variable: String },
    #[error("{variable} holds no key for {service}: it has white space or other characters that no key has")]
    BadKey { service: String, variable: String },
    #[error(
        "{service} would get its key over http:// without encryption at {host}; use https://, or set \
         `services.{service}.plain_http = true` in your config.toml if you trust the network"
    )]
    Unencrypted { service: String, host: String },
    #[error("{service} has no model of its own; name one as `{service}:MODEL`, or set `services.{service}.models.{effort}`")]
    NoModel { service: String, effort: &'static str },
    #[error("{service} does not answer at {address}; {start}")]
    NotAnswering { service: String, address: String, start: &'static str },
    #[error("{service} at {address} {how}; correct its address in your config.toml, or name its model")]
    AnswersOtherwise { service: String, address: String, how: String },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    service: Vec<Row>,
}

/// What is known of a service; of one of the user's own only what is usual.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Row {
    name: String,
    api: Option<ServiceApi>,
    base_url: String,
    base_url_env: Option<String>,
    keys: Vec<String>,
    family: Option<String>,
    vendor: String,
    models: Option<[String; 4]>,
    effort: Option<[String; 4]>,
    context_tokens: Option<u64>,
    structured: bool,
    cap: Option<String>,
    seed: Option<String>,
    asks_for_usage: bool,
    start: Option<String>,
}

/// A test reads the table; what is not TOML names no service.
static TABLE: LazyLock<Vec<Row>> =
    LazyLock::new(|| toml::from_str::<Table>(include_str!("services.toml")).map_or(Vec::new(), |table| table.service));

/// A service of the user's own is taken for a plain one.
static OWN: LazyLock<Row> =
    LazyLock::new(|| Row { structured: true, cap: Some("max_tokens".to_owned()), asks_for_usage: true, ..Row::default() });

/// The names of the services that are built in, in the order of preference.
pub fn built_in_names() -> impl Iterator<Item = &'static str> {
    TABLE.iter().map(|row| row.name.as_str())
}

/// Every service that is built in or set up, the built-in ones first.
pub fn names(settings: &ServicesSettings) -> Vec<String> {
    let own = settings.keys().filter(|name| !built_in_names().any(|known| known == *name)).cloned();
    built_in_names().map(str::to_owned).chain(own).collect()
}

impl Service {
    /// The service of this name, built in or from the settings.
    pub(in crate::providers) fn find(
        name: &str,
        settings: &ServicesSettings,
        variable: &Variables<'_>,
    ) -> Option<Result<Self, ServiceError>> {
        let row = TABLE.iter().find(|row| row.name == name);
        let own = settings.get(name);
        let row = row.or_else(|| own.map(|_| &*OWN))?;
        Some(Self::put_together(name, row, own.cloned().unwrap_or_default(), variable))
    }

    fn put_together(
        name: &str,
        row: &'static Row,
        own: ServiceSettings,
        variable: &Variables<'_>,
    ) -> Result<Self, ServiceError> {
        let incomplete = |missing| ServiceError::Incomplete { service: name.to_owned(), missing };
        let api = own.api.or(row.api).ok_or_else(|| incomplete("api"))?;
        let base_url = match &own.base_url {
            Some(text) => Url::parse(text).ok(),
            None => address_by_variable(row, variable)?.or_else(|| Url::parse(&row.base_url).ok()),
        };
        let base_url = base_url.ok_or_else(|| incomplete("base_url"))?;
        let keys = own.key_env.clone().map_or_else(|| row.keys.clone(), |key| vec![key]);
        let data_goes_to = if is_loopback(&base_url) && keys.is_empty() {
            "this machine only (a local server)".to_owned()
        } else if is_loopback(&base_url) {
            // A server that asks for a key probably passes requests on.
            "a server on this machine, which may forward them".to_owned()
        } else if Url::parse(&row.base_url).is_ok_and(|url| url.host() == base_url.host()) {
            row.vendor.clone()
        } else {
            format!("{} (your service `{name}`)", base_url.host_str().unwrap_or_default())
        };
        let chosen = |own: &ModelSettings, of_row: Option<&[String; 4]>, unset: &str| {
            Effort::ALL.map(|effort| {
                let word = own.get(&effort).or(of_row.map(|words| &words[effort as usize]));
                word.filter(|word| *word != unset).cloned()
            })
        };
        Ok(Self {
            name: name.to_owned(),
            api,
            chat_options: ChatOptions {
                cap: row.cap.as_deref(),
                seed: row.seed.as_deref(),
                asks_for_usage: row.asks_for_usage,
                takes_bounds: keys.is_empty(),
            },
            keys,
            family: own.family.clone().or(row.family.clone()).unwrap_or_else(|| name.to_owned()),
            data_goes_to,
            context_tokens: own.context_tokens.or(row.context_tokens),
            start: row.start.as_deref(),
            structured: own.structured.unwrap_or(row.structured),
            models: chosen(&own.models, row.models.as_ref(), "auto"),
            effort: chosen(&own.effort, row.effort.as_ref(), "none"),
            plain_http: own.plain_http.unwrap_or(false),
            base_url,
            prices: own.prices,
        })
    }

    /// Whether it is the user's own server, which needs no key.
    pub fn is_own_server(&self) -> bool {
        self.keys.is_empty()
    }

    pub fn is_loopback(&self) -> bool {
        is_loopback(&self.base_url)
    }

    /// The variable that holds its key, and the key, or why it has none that can be used. The user's own server needs none.
    pub(super) fn key(&self, variable: &Variables<'_>) -> Result<(&str, Key), ServiceError> {
        let Some(first) = self.keys.first() else { return Ok(("", Key::default())) };
        let service = self.name.clone();
        let Some((name, text)) = self.keys.iter().find_map(|name| Some((name, variable(name)?))) else {
            return Err(ServiceError::NoKey { service, variable: first.clone() });
        };
        let Some(key) = Key::read(&text) else {
            return Err(ServiceError::BadKey { service, variable: name.clone() });
        };
        if self.base_url.scheme() == "http" && !self.is_loopback() && !self.plain_http {
            let host = self.base_url.host_str().unwrap_or_default().to_owned();
            return Err(ServiceError::Unencrypted { service, host });
        }
        Ok((name, key))
    }

    pub(super) fn not_answering(&self) -> ServiceError {
        let start = self.start.unwrap_or("start it, or correct its address in your config.toml");
        ServiceError::NotAnswering { service: self.name.clone(), address: self.base_url.to_string(), start }
    }

    pub fn model_for(&self, effort: Effort) -> Option<&str> {
        self.models[effort as usize].as_deref()
    }

    pub(super) fn effort_word(&self, effort: Effort) -> Option<&str> {
        self.effort[effort as usize].as_deref()
    }

    /// What a model costs here, as far as known. On this machine it costs nothing.
    pub(super) fn rates(&self, model: &str) -> Option<Rates> {
        let known = prices::rates(&self.name, model, &self.prices);
        known.or_else(|| (self.is_own_server() && self.is_loopback()).then_some(prices::FREE))
    }

    pub(super) fn address(&self, path: &str) -> Option<Url> {
        Url::parse(&format!("{}{path}", self.base_url.as_str().trim_end_matches('/'))).ok()
    }
}

fn address_by_variable(row: &Row, variable: &Variables<'_>) -> Result<Option<Url>, ServiceError> {
    let named = row.base_url_env.as_ref().and_then(|place| Some((place, variable(place)?)));
    let Some((place, text)) = named else { return Ok(None) };
    let text = if place == "OLLAMA_HOST" { ollama_address(&text) } else { text };
    let url = Some(text.trim()).filter(|text| is_address(text)).and_then(|text| Url::parse(text).ok());
    let bad = || ServiceError::BadAddress { service: row.name.clone(), variable: place.clone() };
    url.map(Some).ok_or_else(bad)
}

/// `OLLAMA_HOST` is where the server listens, in any of the forms that Ollama takes: `0.0.0.0`, `host:port`, an address.
fn ollama_address(text: &str) -> String {
    let (scheme, rest) = text.trim().split_once("://").unwrap_or(("http", text.trim()));
    let host = rest.trim_end_matches('/');
    let host = host.replace("0.0.0.0", "127.0.0.1");
    // An IPv6 address alone, which has more colons than a port needs.
    let is_bare_v6 = host.parse::<std::net::Ipv6Addr>().is_ok();
    let host = if is_bare_v6 { format!("[{host}]") } else { host };
    let host = host.replace("[::]", "[::1]");
    let host = if host.is_empty() || host.starts_with(':') { format!("127.0.0.1{host}") } else { host };
    let has_port =
        host.rsplit_once(':').is_some_and(|(_, port)| !port.is_empty() && port.chars().all(|c| c.is_ascii_digit()));
    let port = if has_port || scheme == "https" { "" } else { ":11434" };
    format!("{scheme}://{host}{port}/v1")
}

/// Whether requests can be sent to this address. One with a password is refused: addresses are shown.
pub(crate) fn is_address(text: &str) -> bool {
    Url::parse(text).is_ok_and(|url| {
        matches!(url.scheme(), "http" | "https")
            && url.has_host()
            && url.username().is_empty()
            && url.password().is_none()
            && url.query().is_none()
            && url.fragment().is_none()
    })
}

pub(crate) fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::config::is_service_name;

    fn nothing(_: &str) -> Option<String> {
        None
    }

    fn find(name: &str, settings: &ServicesSettings, variable: &Variables<'_>) -> Result<Service, ServiceError> {
        Service::find(name, settings, variable).expect("a service")
    }

    #[test]
    fn the_table_can_be_read_and_every_row_is_a_service() {
        let table: Table = toml::from_str(include_str!("services.toml")).unwrap();
        let names: BTreeSet<_> = table.service.iter().map(|row| row.name.clone()).collect();
        assert_eq!(names.len(), table.service.len());
        for row in &table.service {
            assert!(is_service_name(&row.name) && is_address(&row.base_url), "{}", row.name);
            let service = find(&row.name, &ServicesSettings::default(), &nothing).unwrap();
            assert_eq!(service.is_own_server(), row.start.is_some(), "{}", row.name);
            assert_eq!(service.is_loopback(), service.is_own_server(), "{}", row.name);
            assert!(service.is_own_server() || row.base_url.starts_with("https://"), "{}", row.name);
            assert_eq!(service.data_goes_to, row.vendor, "{}", row.name);
        }
        assert!(Service::find("nobody", &ServicesSettings::default(), &nothing).is_none());
    }

    #[test]
    fn the_users_word_goes_over_the_vendors_variable_and_that_over_the_table() {
        let mut own = ServiceSettings { base_url: Some("https://gateway.example".to_owned()), ..ServiceSettings::default() };
        own.models.insert(Effort::High, "claude-next".to_owned());
        own.effort.insert(Effort::High, "none".to_owned());
        let settings = ServicesSettings::from([("anthropic".to_owned(), own)]);
        let service = find("anthropic", &settings, &nothing).unwrap();
        assert_eq!(service.base_url.as_str(), "https://gateway.example/");
        assert_eq!(service.data_goes_to, "gateway.example (your service `anthropic`)");
        assert_eq!(service.model_for(Effort::High), Some("claude-next"));
        assert_eq!((service.effort_word(Effort::High), service.effort_word(Effort::Low)), (None, Some("low")));
        let environment = |name: &str| (name == "ANTHROPIC_BASE_URL").then(|| "http://127.0.0.1:7/x/".to_owned());
        assert_eq!(find("anthropic", &settings, &environment).unwrap().base_url.as_str(), "https://gateway.example/");
        let service = find("anthropic", &ServicesSettings::default(), &environment).unwrap();
        assert_eq!(service.address("/v1/messages").unwrap().as_str(), "http://127.0.0.1:7/x/v1/messages");
        assert_eq!(service.data_goes_to, "a server on this machine, which may forward them");
    }

    #[test]
    fn a_key_comes_from_the_first_variable_that_is_set_and_goes_in_the_clear_only_where_the_user_says_so() {
        let key = |name: &str| (name == "GOOGLE_API_KEY").then(|| "abc".to_owned());
        let google = find("google", &ServicesSettings::default(), &nothing).unwrap();
        assert_eq!(google.key(&key).unwrap().0, "GOOGLE_API_KEY");
        let at = |url: &str| ServiceSettings { base_url: Some(url.to_owned()), ..ServiceSettings::default() };
        let is_sent = |own| {
            let settings = ServicesSettings::from([("google".to_owned(), own)]);
            find("google", &settings, &nothing).unwrap().key(&key).is_ok()
        };
        assert!(is_sent(ServiceSettings { plain_http: Some(true), ..at("http://gateway.example") }));
        assert!(is_sent(at("http://127.0.0.1:1")) && !is_sent(at("http://gateway.example")));
    }

    #[test]
    fn an_address_has_a_host_and_no_password() {
        assert!(["https://api.example.com", "http://127.0.0.1:8080/v1", "http://[::1]:9/"].into_iter().all(is_address));
        assert!(!["api.example.com", "ftp://x", "https://u:p@x", "https://x?k=1"].into_iter().any(is_address));
    }

    #[test]
    fn ollama_host_is_read_in_all_its_forms() {
        for (host, expected) in [
            ("0.0.0.0", "http://127.0.0.1:11434/v1"),
            (":7000", "http://127.0.0.1:7000/v1"),
            ("http://gpu-box:9/", "http://gpu-box:9/v1"),
            ("https://ollama.example", "https://ollama.example/v1"),
            ("::", "http://[::1]:11434/v1"),
            ("[::1]:9", "http://[::1]:9/v1"),
        ] {
            assert_eq!(ollama_address(host), expected, "{host}");
        }
    }
}

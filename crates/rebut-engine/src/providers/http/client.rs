//! Requests over HTTP: connections are kept and shared by all seats, no redirect is followed, and the size of every part
//! of a response is limited.

use std::sync::OnceLock;
use std::time::Duration;

use rebut_core::debate::{Cause, Failure};
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION};
use reqwest::{Client, Response, Url, redirect};
use serde_json::Value;

use super::api::{Api, api};
use super::connection::{is_untrusted, other_protocol, reason};
use super::failure::{ErrorBody, error_in};
use super::key::Key;
use super::services::{Service, ServiceError, is_loopback};

/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(10);

/// How long an idle connection is kept: while one side speaks, the other's waits. A server that closes its own
/// sooner is asked again over a new one.
const IDLE: Duration = Duration::from_secs(90);

/// The most of an error's body that is read.
const MOST_ERROR_BYTES: usize = 64 * 1024;

/// The connections of this process, by whether they are encrypted and whether they stay on this machine. None is set up
/// before it is needed: reading the machine's certificates takes time.
#[derive(Debug, Default)]
pub(in crate::providers) struct Clients([OnceLock<Client>; 4]);

/// A response that is no answer.
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) status: u16,
    pub(super) headers: HeaderMap,
    pub(super) error: Option<ErrorBody>,
    pub(super) redirects_to: Option<String>,
}

impl Clients {
    pub(super) fn client(&self, url: &Url) -> Result<&Client, Failure> {
        let (is_secure, is_here) = (url.scheme() == "https", is_loopback(url));
        let place = &self.0[usize::from(is_secure) * 2 + usize::from(is_here)];
        if let Some(client) = place.get() {
            return Ok(client);
        }
        let client = client_for(url).map_err(|error| {
            Failure::new(Cause::Exit, format!("encryption can't be set up: {}", reason(&error))).with_advice(
                "Install the system's root certificates (ca-certificates), or name a file of them in SSL_CERT_FILE.",
            )
        })?;
        Ok(place.get_or_init(|| client))
    }
}

/// A client for the host of a URL.
pub(crate) fn client_for(url: &Url) -> reqwest::Result<Client> {
    // The first to be installed stays, and ours is the only one.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = Client::builder()
        .user_agent(concat!("rebut/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(CONNECT)
        .pool_idle_timeout(IDLE)
        // A key goes to the address that the user named, and to no other.
        .redirect(redirect::Policy::none())
        .referer(false)
        .tcp_nodelay(true);
    // Without encryption no certificates are needed, so that a machine without any can speak to its own server.
    let is_secure = url.scheme() == "https";
    let client = if is_secure { client.https_only(true) } else { client.tls_certs_only([]) };
    if is_loopback(url) { client.no_proxy() } else { client }.build()
}

/// The headers of a request: those of the API, and the key.
pub(super) fn headers(api: &Api, key: &Key) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    for (name, value) in api.headers {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    let (name, before) = api.key;
    if let Some(value) = key.header(before) {
        headers.insert(HeaderName::from_static(name), value);
    }
    headers
}

pub(super) fn no_connection(error: &reqwest::Error, host: &str) -> Failure {
    let why = if error.is_timeout() { "it took too long".to_owned() } else { reason(error) };
    if is_untrusted(error) {
        // It will be no other the next time.
        return Failure::new(Cause::Exit, format!("{host} has a certificate that is not trusted: {why}"))
            .with_advice("Check the address; where the certificate is your own, name its file in SSL_CERT_FILE.");
    }
    if let Some(how) = other_protocol(error) {
        return Failure::new(Cause::Unparsable, format!("{host} answers, but {how}: {why}"))
            .with_advice("Check the address and its port: something else answers there.");
    }
    Failure::new(Cause::Unavailable, format!("no connection to {host}: {why}"))
}

/// A response that is not a stream. The key is removed before anything is truncated, so that no part of it remains.
pub(super) async fn refusal(response: Response, key: &Key) -> Refusal {
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    let redirects_to = response.status().is_redirection().then(|| {
        let target = headers.get(LOCATION).and_then(|location| location.to_str().ok()).unwrap_or_default();
        let url = response.url().join(target).ok();
        key.scrub(url.as_ref().and_then(Url::host_str).unwrap_or("nowhere"))
    });
    let body = read_some(response, MOST_ERROR_BYTES).await;
    let error = serde_json::from_slice::<Value>(&body).ok().and_then(|mut body| {
        key.scrub_all(&mut body);
        error_in(&body)
    });
    Refusal { status, headers, error, redirects_to }
}

/// The beginning of a body, up to where it breaks off.
async fn read_some(mut response: Response, most: usize) -> Vec<u8> {
    let mut body = Vec::new();
    while let Ok(Some(part)) = response.chunk().await {
        body.extend_from_slice(&part[..part.len().min(most - body.len())]);
        if body.len() >= most {
            break;
        }
    }
    body
}

/// How long a server on this machine may take to say what it has.
const SHORT: Duration = Duration::from_millis(800);

/// The most of a list that is read.
const MOST_LIST_BYTES: usize = 4 << 20;

/// The longest name of a model that is taken for one.
const LONGEST_NAME: usize = 300;

/// The models that the user's own server lists; it needs no key.
pub(in crate::providers) async fn models(service: &Service, clients: &Clients) -> Result<Vec<String>, ServiceError> {
    let answers = |how: String| {
        let (service, address) = (service.name.clone(), service.base_url.to_string());
        ServiceError::AnswersOtherwise { service, address, how }
    };
    let api = api(service.api);
    let url = service.address(api.models).ok_or_else(|| service.not_answering())?;
    let client = clients.client(&url).map_err(|_| service.not_answering())?;
    let sent = client.get(url).headers(headers(api, &Key::default())).timeout(SHORT).send().await;
    let response = sent.map_err(|error| match other_protocol(&error) {
        Some(how) => answers(format!("answers, but {how}")),
        None => service.not_answering(),
    })?;
    let status = response.status();
    if !status.is_success() {
        return Err(answers(format!("answers with HTTP {} where its models should be", status.as_u16())));
    }
    let body = read_some(response, MOST_LIST_BYTES).await;
    let models = serde_json::from_slice(&body).ok().and_then(|body| listed(&body));
    models.ok_or_else(|| answers("answers, but not with a list of models".to_owned()))
}

/// The models of a list that can hold a conversation, in its order.
fn listed(body: &Value) -> Option<Vec<String>> {
    let models = body["data"].as_array().or_else(|| body["models"].as_array())?;
    let names = models.iter().filter_map(|model| ["id", "name", "model"].iter().find_map(|name| model[*name].as_str()));
    let talks = |name: &&str| !name.to_lowercase().contains("embed");
    // The names are shown, and go into plans.
    let harmless = |name: &&str| !name.is_empty() && name.len() <= LONGEST_NAME && !name.contains(char::is_control);
    Some(names.filter(talks).filter(harmless).map(|name| name.strip_prefix("models/").unwrap_or(name).to_owned()).collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn models_are_listed_in_order_without_those_that_only_embed() {
        let body = json!({ "object": "list", "data": [{ "id": "llama3.2" }, { "id": "nomic-embed-text" }, { "id": "b" },
            { "id": "\u{1b}[31mred" }, { "id": "" }, { "id": "x".repeat(301) }] });
        assert_eq!(listed(&body).unwrap(), ["llama3.2", "b"]);
        assert_eq!(listed(&json!({ "models": [{ "name": "models/gemini-x" }] })).unwrap(), ["gemini-x"]);
    }
}

//! Requests over HTTP: connections are kept and shared by all seats, no redirect is followed, and the size of every part
//! of a response is limited.

use std::sync::OnceLock;
use std::time::Duration;

use rebut_core::debate::{Cause, Failure};
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION};
use reqwest::{Client, Response, Url, redirect};
use serde_json::Value;

use super::api::Api;
use super::failure::{ErrorBody, error_in};
use super::key::Key;
use super::services::is_loopback;

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
    /// The error in its body, if there is one.
    pub(super) error: Option<ErrorBody>,
    /// Where it redirects to, where it does.
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

/// Why there was no response.
pub(super) fn no_connection(error: &reqwest::Error, host: &str) -> Failure {
    let why = if error.is_timeout() { "it took too long".to_owned() } else { reason(error) };
    if why.contains("peer certificate") {
        // It will be no other the next time.
        return Failure::new(Cause::Exit, format!("{host} has a certificate that is not trusted: {why}"))
            .with_advice("Check the address; where the certificate is your own, name its file in SSL_CERT_FILE.");
    }
    if let Some(how) = other_protocol(&why) {
        return Failure::new(Cause::Unparsable, format!("{host} answers, but {how}: {why}"))
            .with_advice("Check the address and its port: something else answers there.");
    }
    Failure::new(Cause::Unavailable, format!("no connection to {host}: {why}"))
}

/// What answers instead of the expected protocol, by the innermost reason of an error.
pub(super) fn other_protocol(why: &str) -> Option<&'static str> {
    let lower = why.to_lowercase();
    let other = ["invalid http", "message head is too large", "received unexpected message"];
    if other.iter().any(|words| lower.starts_with(words)) {
        Some("not HTTP")
    } else if lower.contains("invalidcontenttype") {
        Some("not HTTPS; an address of plain HTTP begins with http://")
    } else {
        None
    }
}

/// Whether the other side closed the connection before it said anything.
pub(super) fn was_closed(error: &reqwest::Error) -> bool {
    let closed = ["connection closed before message completed", "connection reset", "broken pipe"];
    let reason = reason(error).to_lowercase();
    error.is_request() && !error.is_connect() && !error.is_timeout() && closed.iter().any(|words| reason.contains(words))
}

pub(crate) fn reason(error: &dyn std::error::Error) -> String {
    let mut reason = error;
    while let Some(inner) = reason.source() {
        reason = inner;
    }
    reason.to_string()
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
pub(super) async fn read_some(mut response: Response, most: usize) -> Vec<u8> {
    let mut body = Vec::new();
    while let Ok(Some(part)) = response.chunk().await {
        body.extend_from_slice(&part[..part.len().min(most - body.len())]);
        if body.len() >= most {
            break;
        }
    }
    body
}

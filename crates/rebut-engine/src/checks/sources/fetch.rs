//! One page, fetched: every hop looked at, asked of exactly the hosts that were looked at, and never more taken than may
//! be held.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use rebut_core::evidence::check::Judgement;
use rebut_core::evidence::source::{Fetched, SourcePage};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE, LOCATION};
use reqwest::{Certificate, Client, Response, redirect};

use super::address::{Hop, elsewhere};
use super::names::Names;
use super::text::read_text;
use crate::blocking::aside;
use crate::providers::http::is_untrusted;
use crate::redact::redact;

/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(5);
/// How many redirects are followed.
const MOST_REDIRECTS: usize = 5;
/// The longest page, in bytes.
const MOST_BYTES: usize = 4 * 1024 * 1024;

/// What pages are fetched with. Nothing is set up before it is needed.
#[derive(Debug)]
pub(super) struct Fetcher {
    names: Names,
    limit: Duration,
    known: Arc<Known>,
    plain: OnceLock<Client>,
    secure: OnceLock<Client>,
}

/// The hosts that were looked at, by name: the only ones that a connection is made to.
#[derive(Debug, Default)]
struct Known(Mutex<HashMap<String, Vec<SocketAddr>>>);

impl Resolve for Known {
    fn resolve(&self, name: Name) -> Resolving {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(name.as_str()).cloned();
        Box::pin(async move {
            let known = known.ok_or("this host was not looked at")?;
            Ok(Box::new(known.into_iter()) as Addrs)
        })
    }
}

impl Fetcher {
    /// Fetches by these names, each page within the limit.
    pub(super) fn new(names: Names, limit: Duration) -> Self {
        Self { names, limit, known: Arc::default(), plain: OnceLock::new(), secure: OnceLock::new() }
    }

    /// Fetches a page within the limit, without secrets.
    pub(super) async fn fetch(&self, url: String) -> SourcePage {
        let mut led_to = None;
        let followed = tokio::time::timeout(self.limit, self.follow(&url, &mut led_to)).await;
        let fetched = match followed.unwrap_or_else(|_| Err(Judgement::unchecked("it took too long"))) {
            Ok(text) => Fetched::Read { text },
            Err(Judgement { result, detail: why, .. }) => Fetched::Not { result, why },
        };
        SourcePage { url, led_to, fetched }
    }

    async fn follow(&self, address: &str, led_to: &mut Option<String>) -> Result<String, Judgement> {
        let mut hop = Hop::read(address)?;
        for _ in 0..=MOST_REDIRECTS {
            let asked = self.ask(&hop).await;
            // What is wrong with where it leads is not wrong with the page that was cited.
            let response = asked.map_err(|refused| if led_to.is_some() { elsewhere(&refused) } else { refused })?;
            let status = response.status();
            let location = response.headers().get(LOCATION).filter(|_| status.is_redirection());
            let Some(location) = location else { return read(response).await };
            let location =
                location.to_str().map_err(|_| Judgement::unchecked("it redirects to something that is not an address"))?;
            hop = hop.redirected(location)?;
            *led_to = Some(redact(hop.url.as_str()).into_owned());
        }
        Err(Judgement::unchecked(format!("it redirects more than {MOST_REDIRECTS} times")))
    }

    async fn ask(&self, hop: &Hop) -> Result<Response, Judgement> {
        if let Some(name) = &hop.name {
            let places = self.names.look_up(name).await?;
            self.known.0.lock().unwrap_or_else(PoisonError::into_inner).insert(name.clone(), places);
        }
        hop.admit_port()?;
        let client = self.client(hop.url.scheme())?;
        // No cookies, credentials or referrer, and nothing compressed: what is sent is as long as what is read.
        let wanted = "text/html, application/xhtml+xml, text/markdown, text/plain;q=0.9, text/*;q=0.8, */*;q=0.1";
        let request = client.get(hop.url.clone()).header(ACCEPT, wanted).header(ACCEPT_ENCODING, "identity");
        request.send().await.map_err(|error| {
            let why = if error.is_timeout() { "its host does not answer" } else { "no connection to its host" };
            Judgement::unchecked(if is_untrusted(&error) { "its host has a certificate that is not trusted" } else { why })
        })
    }

    fn client(&self, scheme: &str) -> Result<&Client, Judgement> {
        let place = if scheme == "https" { &self.secure } else { &self.plain };
        if let Some(client) = place.get() {
            return Ok(client);
        }
        // The first to be installed stays, and ours is the only one.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let builder = Client::builder()
            .user_agent(concat!("rebut/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(CONNECT)
            // A connection that is kept could be used for a name that leads elsewhere by now.
            .pool_max_idle_per_host(0)
            .redirect(redirect::Policy::none())
            .referer(false)
            // What a proxy connects to cannot be looked at from here.
            .no_proxy()
            .dns_resolver(Arc::clone(&self.known));
        // Without encryption no certificates are needed.
        let builder = match (scheme, self.names.roots()) {
            ("https", None) => builder.https_only(true),
            ("https", Some(roots)) => {
                let roots = roots.iter().filter_map(|root| Certificate::from_der(root).ok());
                builder.https_only(true).tls_certs_only(roots)
            }
            _ => builder.tls_certs_only([]),
        };
        let client = builder
            .build()
            .map_err(|_| Judgement::unchecked("encryption can't be set up: the system has no certificates"))?;
        Ok(place.get_or_init(|| client))
    }
}

/// Reads a response that leads nowhere else.
async fn read(mut response: Response) -> Result<String, Judgement> {
    match response.status().as_u16() {
        200..=299 => {}
        status @ (404 | 410) => return Err(Judgement::missing(format!("its host has no such page ({status})"))),
        status => return Err(Judgement::unchecked(format!("its host answers with {status}"))),
    }
    let header = |name| response.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned();
    let encoding = header(CONTENT_ENCODING);
    if !matches!(encoding.trim().to_ascii_lowercase().as_str(), "" | "identity") {
        return Err(Judgement::unchecked("it is compressed, which was not requested"));
    }
    let kind = header(CONTENT_TYPE);
    let too_large = || Judgement::unchecked(format!("it is larger than {} MiB", MOST_BYTES / 1024 / 1024));
    if response.content_length().is_some_and(|length| length > MOST_BYTES as u64) {
        return Err(too_large());
    }
    let mut body = Vec::new();
    while let Some(part) = response.chunk().await.map_err(|_| Judgement::unchecked("it broke off"))? {
        if body.len() + part.len() > MOST_BYTES {
            return Err(too_large());
        }
        body.extend_from_slice(&part);
    }
    // Some pages take their time to be read, and everything else waits on this thread. A page is as good a place for a secret
    // as any.
    let text = aside(move || read_text(&kind, &body).map(|text| redact(&text).into_owned()));
    text.await.map_err(Judgement::unchecked)
}

//! Weights over HTTP: continued where they broke off, and never more than is expected.
//!
//! No credentials are involved: none are sent, and an address that holds some is refused. Redirects are followed by hand,
//! so that each is looked at, and because a hub tells the checksum only in the answer that redirects.

use std::fs::File;
use std::io::Write;
use std::time::Duration;

use reqwest::header::{ACCEPT_ENCODING, CONTENT_RANGE, CONTENT_TYPE, ETAG, HeaderMap, IF_RANGE, LOCATION, RANGE};
use reqwest::{Client, Response, StatusCode, Url};
use tokio_util::sync::CancellationToken;

use super::pulling::{Notes, Pulling};
use super::source::plain;
use super::{Checksum, ModelError, Progress, Stage, Watch, address, space};

/// The first bytes of every file of weights.
const MAGIC: [u8; 4] = *b"GGUF";

/// What is said of something else.
pub(super) const NO_GGUF: &str = "is no GGUF file";

/// What is to be downloaded.
pub(super) struct Order<'a> {
    /// The source, as a person writes it.
    pub(super) source: String,
    pub(super) address: Url,
    /// Who is believed about the checksum.
    pub(super) announces: Announces,
    /// How long it must be.
    pub(super) bytes: Option<u64>,
    /// The checksum that it must have.
    pub(super) sha256: Option<Checksum>,
    pub(super) pulling: &'a Pulling,
    /// How long is waited before the first attempt to go on.
    pub(super) retry_wait: Duration,
}

/// Who is believed about the checksum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Announces {
    /// The first host: it is a hub, and knows the checksums of what it keeps.
    TheHub,
    /// Nobody: a checksum is known beforehand.
    Nobody,
}

/// How long it may take to be connected.
const CONNECT_LIMIT: Duration = Duration::from_secs(20);
/// How long nothing may come.
const SILENCE_LIMIT: Duration = Duration::from_mins(1);
/// How many redirects are followed.
const MOST_REDIRECTS: usize = 10;
/// How often it is tried to go on without anything new coming.
const MOST_TRIES: u32 = 5;

/// How an attempt ended, if not with the whole file.
enum Setback {
    /// It may go better the next time.
    Passing(String),
    /// What is here cannot be continued; it is begun anew.
    Anew(String),
    Final(ModelError),
}

impl From<ModelError> for Setback {
    fn from(error: ModelError) -> Self {
        Self::Final(error)
    }
}

/// Downloads into the part of the pull, and gives the checksum that it must have.
pub(super) async fn download(
    order: &Order<'_>,
    watch: Watch<'_>,
    cancel: &CancellationToken,
) -> Result<Checksum, ModelError> {
    if let Some(sum) = all_here(order) {
        return Ok(sum);
    }
    let client = client(&order.address).map_err(|error| bad_answer(order, &chain(&error)))?;
    let mut tries = 0;
    loop {
        let before = order.pulling.arrived();
        let next = Attempt { order, client: &client, watch };
        let attempt = tokio::select! {
            biased;
            () = cancel.cancelled() => return Err(ModelError::Stopped { kept: order.pulling.arrived() }),
            attempt = next.make() => attempt,
        };
        let kept = order.pulling.arrived();
        let detail = match attempt {
            Ok(sum) => return Ok(sum),
            Err(Setback::Final(error)) => return Err(error),
            Err(Setback::Anew(why)) => {
                order.pulling.drop_part()?;
                why
            }
            Err(Setback::Passing(why)) => why,
        };
        tries = if kept > before { 0 } else { tries + 1 };
        if tries >= MOST_TRIES {
            return Err(ModelError::BrokenOff { from: plain(&order.address), kept, detail });
        }
        watch.note(format!("{detail}; trying again"));
        tokio::select! {
            () = cancel.cancelled() => return Err(ModelError::Stopped { kept: order.pulling.arrived() }),
            () = tokio::time::sleep(order.retry_wait * 2_u32.pow(tries.min(4))) => {}
        }
    }
}

/// The checksum of a download that has arrived whole and was not checked any more.
fn all_here(order: &Order<'_>) -> Option<Checksum> {
    let notes = order.pulling.notes().filter(|notes| notes.source == order.source)?;
    let sum = Checksum::parse(&notes.sha256?).ok()?;
    let whole = notes.bytes == Some(order.pulling.arrived());
    (whole && order.sha256.is_none_or(|wanted| wanted == sum)).then_some(sum)
}

fn client(address: &Url) -> reqwest::Result<Client> {
    // Somebody else in this process may have chosen it already, and then it is the same one.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .referer(false)
        .user_agent(concat!("rebut/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(CONNECT_LIMIT)
        .read_timeout(SILENCE_LIMIT);
    // A proxy of the network knows nothing of this machine's own servers.
    if crate::providers::http::is_loopback(address) { builder.no_proxy() } else { builder }.build()
}

struct Attempt<'a> {
    order: &'a Order<'a>,
    client: &'a Client,
    watch: Watch<'a>,
}

/// The answer that brings the bytes.
struct Found {
    response: Response,
    sha256: Checksum,
    /// How long the file must be, as far as is known without this answer.
    bytes: Option<u64>,
    /// Where it begins.
    from: u64,
}

impl Attempt<'_> {
    async fn make(&self) -> Result<Checksum, Setback> {
        let Found { response, sha256, bytes, from } = self.ask().await?;
        let expected = bytes;
        let pulling = self.order.pulling;
        let etag = header(response.headers(), ETAG.as_str());
        let (from, total) = match response.status() {
            StatusCode::PARTIAL_CONTENT => (from, Some(self.continued(&response, from)?)),
            _ => (0, response.content_length()),
        };
        if let (Some(expected), Some(got)) = (expected, total)
            && expected != got
        {
            pulling.drop_part()?;
            return Err(ModelError::WrongSize { from: plain(&self.order.address), expected, got }.into());
        }
        // Without a length there would be no end to it either.
        let total = total.or(expected).ok_or_else(|| bad_answer(self.order, "it does not say how long the file is"))?;
        space::check(pulling.folder(), total.saturating_sub(from))?;
        let file = if from == 0 { pulling.new_part()? } else { pulling.grown_part()? };
        let sum = Some(sha256.to_string());
        pulling.note(&Notes { source: self.order.source.clone(), etag, bytes: Some(total), sha256: sum })?;
        self.receive(response, file, from, total).await?;
        Ok(sha256)
    }

    /// Asks, and follows where it leads.
    async fn ask(&self) -> Result<Found, Setback> {
        let order = self.order;
        let mut url = order.address.clone();
        let (mut sha256, mut bytes) = (order.sha256, order.bytes);
        for _ in 0..MOST_REDIRECTS {
            let start = self.start(sha256);
            let mut request = self.client.get(url.clone()).header(ACCEPT_ENCODING, "identity");
            if let Some((from, etag)) = &start {
                request = request.header(RANGE, format!("bytes={from}-"));
                if let Some(etag) = etag {
                    request = request.header(IF_RANGE, etag);
                }
            }
            let response = request.send().await.map_err(|error| self.unreachable(&error))?;
            if order.announces == Announces::TheHub && url.origin() == order.address.origin() {
                let linked = header(response.headers(), "x-linked-etag").and_then(|tag| from_tag(&tag));
                let announced = linked.or_else(|| header(response.headers(), "etag").and_then(|tag| from_tag(&tag)));
                if let (Some(expected), Some(got)) = (sha256, announced)
                    && expected != got
                {
                    return Err(ModelError::WrongChecksum { from: order.source.clone(), expected, got }.into());
                }
                sha256 = sha256.or(announced);
                bytes = bytes.or_else(|| header(response.headers(), "x-linked-size")?.parse().ok());
            }
            let status = response.status();
            if status.is_redirection() {
                let location = header(response.headers(), LOCATION.as_str());
                let location = location.ok_or_else(|| bad_answer(order, "it redirects to nowhere"))?;
                url = address::follow(&url, &location).map_err(|why| bad_answer(order, &why))?;
                continue;
            }
            self.refuse(&response, start.is_some())?;
            let sha256 = sha256.ok_or_else(|| ModelError::NoChecksum { from: order.source.clone() })?;
            return Ok(Found { response, sha256, bytes, from: start.map_or(0, |(from, _)| from) });
        }
        Err(bad_answer(order, "it redirects without end").into())
    }

    /// Where to go on, and the mark by which the server knows whether it still has the same file. Without a mark it is
    /// gone on only where the checksum is the same as it was: it is what tells in the end.
    fn start(&self, sha256: Option<Checksum>) -> Option<(u64, Option<String>)> {
        let arrived = self.order.pulling.arrived();
        let notes = self.order.pulling.notes().filter(|notes| notes.source == self.order.source)?;
        let same = sha256.is_none_or(|sum| notes.sha256.as_deref() == Some(&sum.to_string()));
        let etag = notes.etag.filter(|etag| etag.starts_with('"'));
        (arrived > 0 && same && (etag.is_some() || sha256.is_some())).then_some((arrived, etag))
    }

    fn unreachable(&self, error: &reqwest::Error) -> Setback {
        let detail = chain(error);
        // With nothing here yet there is nothing to lose: who has no network is told at once.
        if error.is_connect() && self.order.pulling.arrived() == 0 {
            return ModelError::Offline { what: plain(&self.order.address), detail }.into();
        }
        Setback::Passing(detail)
    }

    /// Whether the answer brings bytes that are wanted.
    fn refuse(&self, response: &Response, asked_for_a_part: bool) -> Result<(), Setback> {
        let status = response.status();
        match status.as_u16() {
            200 => {}
            206 if asked_for_a_part => {}
            416 if asked_for_a_part => return Err(Setback::Anew("the server has another file by now".to_owned())),
            408 | 429 | 500 | 502 | 503 | 504 if self.order.pulling.arrived() > 0 => {
                return Err(Setback::Passing(format!("the server answered {status}")));
            }
            status => return Err(ModelError::Refused { from: plain(&self.order.address), status }.into()),
        }
        let kind = header(response.headers(), CONTENT_TYPE.as_str()).unwrap_or_default();
        if kind.starts_with("text/html") {
            let what = "is a web page and no GGUF file".to_owned();
            return Err(ModelError::NotWeights { from: plain(&self.order.address), what }.into());
        }
        Ok(())
    }

    /// The length of the whole, of which a part comes that begins where it should.
    fn continued(&self, response: &Response, from: u64) -> Result<u64, Setback> {
        let anew = || Setback::Anew("the server does not go on where it was asked to".to_owned());
        let range = header(response.headers(), CONTENT_RANGE.as_str()).ok_or_else(anew)?;
        let (span, total) = range.strip_prefix("bytes ").and_then(|range| range.split_once('/')).ok_or_else(anew)?;
        let begins = span.split_once('-').and_then(|(start, _)| start.parse::<u64>().ok());
        let notes = self.order.pulling.notes();
        let (had, has) = (notes.and_then(|notes| notes.etag), header(response.headers(), ETAG.as_str()));
        // A server may send another file's end all the same.
        let changed = had.is_some() && has.is_some() && had != has;
        match total.parse() {
            Ok(total) if begins == Some(from) && !changed => Ok(total),
            _ => Err(anew()),
        }
    }

    async fn receive(&self, mut response: Response, mut file: File, from: u64, total: u64) -> Result<(), Setback> {
        let part = self.order.pulling.part();
        let mut done = from;
        let mut head: Vec<u8> = Vec::new();
        loop {
            self.watch.at(Progress { stage: Stage::Fetching, done, total: Some(total) });
            let piece = match response.chunk().await {
                Ok(Some(piece)) => piece,
                Ok(None) => break,
                Err(error) => return Err(Setback::Passing(chain(&error))),
            };
            done += piece.len() as u64;
            if done > total {
                self.order.pulling.drop_part()?;
                return Err(bad_answer(self.order, "it sends more than there should be").into());
            }
            if from == 0 && head.len() < MAGIC.len() {
                head.extend(piece.iter().take(MAGIC.len() - head.len()));
                self.look_at(&head)?;
            }
            file.write_all(&piece).map_err(ModelError::io("write", &part))?;
        }
        if done < total {
            return Err(Setback::Passing("the connection ended too early".to_owned()));
        }
        Ok(())
    }

    /// The first bytes tell something else apart before all of it has come.
    fn look_at(&self, head: &[u8]) -> Result<(), Setback> {
        if MAGIC.starts_with(head) {
            return Ok(());
        }
        self.order.pulling.drop_part()?;
        let from = plain(&self.order.address);
        Err(ModelError::NotWeights { from, what: NO_GGUF.to_owned() }.into())
    }
}

fn bad_answer(order: &Order<'_>, what: &str) -> ModelError {
    ModelError::BadAnswer { from: plain(&order.address), what: what.to_owned() }
}

fn header(headers: &HeaderMap, name: &str) -> Option<String> {
    headers.get(name)?.to_str().ok().map(str::to_owned)
}

/// The checksum that a mark is, where it is one.
fn from_tag(tag: &str) -> Option<Checksum> {
    Checksum::parse(tag.trim_start_matches("W/").trim_matches('"')).ok()
}

/// An error with its causes, without the address, which is named elsewhere and may hold secrets in its query.
fn chain(error: &reqwest::Error) -> String {
    let mut words = Vec::new();
    let mut cause: Option<&dyn std::error::Error> = std::error::Error::source(error);
    while let Some(error) = cause {
        words.push(error.to_string());
        cause = error.source();
    }
    words.dedup();
    if words.is_empty() { "the connection failed".to_owned() } else { words.join(": ") }
}

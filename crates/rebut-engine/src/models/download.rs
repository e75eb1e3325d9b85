//! Weights over HTTP. What came of a broken download is resumed by the next pull.
//!
//! No credentials are sent. Redirects are followed here, so that each is checked, and because the hub reports the
//! checksum only in the response that redirects.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::time::Duration;

use reqwest::header::{ACCEPT_ENCODING, CONTENT_RANGE, ETAG, LOCATION, RANGE};
use reqwest::{Client, Response, StatusCode, Url};

use super::pull::Pull;
use super::slot::Notes;
use super::source::{follow, plain};
use super::{Checksum, ModelError, PullEvent, Stage, check_space};
use crate::providers::http::is_loopback;

const CONNECT_LIMIT: Duration = Duration::from_secs(20);
const SILENCE_LIMIT: Duration = Duration::from_mins(1);
const MOST_REDIRECTS: usize = 10;

/// A download into the slot of a pull. Which file it resumes is known by its checksum alone: a file that changed meanwhile
/// is found when all of it is checked.
pub(super) struct Download<'a> {
    pub(super) pull: &'a Pull<'a>,
    pub(super) url: Url,
    /// Whether the first host is a hub, which reports the checksums of its files.
    pub(super) from_hub: bool,
    /// The source, as a user writes it.
    pub(super) source: String,
}

/// A response with the file, or the rest of it.
struct Found {
    response: Response,
    /// Its first byte, and the length of the whole file.
    from: u64,
    total: Option<u64>,
    sha256: Checksum,
    /// The length that the hub reports or the catalogue knows.
    expected: Option<u64>,
}

impl Download<'_> {
    /// Downloads into the slot's part file; gives the checksum that it must have.
    pub(super) async fn run(&self) -> Result<Checksum, ModelError> {
        if let Some(sum) = self.complete_part() {
            return Ok(sum);
        }
        let Pull { slot, cancel, .. } = self.pull;
        let client = client(&self.url).map_err(|error| self.unusable(&causes(&error)))?;
        tokio::select! {
            biased;
            () = cancel.cancelled() => Err(ModelError::stopped(slot.received())),
            fetched = self.fetch(&client) => fetched,
        }
    }

    /// The checksum of a part that is complete but was not verified.
    fn complete_part(&self) -> Option<Checksum> {
        let Notes { source, bytes, sha256 } = self.pull.slot.notes()?;
        let is_wanted = self.pull.request.sha256.as_ref().is_none_or(|wanted| wanted.as_str() == sha256);
        let is_complete = source == self.source && bytes == self.pull.slot.received() && is_wanted;
        Checksum::parse(&sha256).ok().filter(|_| is_complete)
    }

    async fn fetch(&self, client: &Client) -> Result<Checksum, ModelError> {
        let Found { response, from, total, sha256, expected } = self.request(client).await?;
        if let (Some(expected), Some(got)) = (expected, total)
            && expected != got
        {
            self.pull.slot.discard()?;
            return Err(super::wrong_size(&self.source, expected, got));
        }
        // Without a length there would be no end to it.
        let total = total.or(expected).ok_or_else(|| self.unusable("the server does not report the file's length"))?;
        let part = self.pull.slot.part();
        check_space(&part, total.saturating_sub(from))?;
        if from == 0 {
            self.pull.slot.discard()?;
        }
        let file = OpenOptions::new().append(true).create(true).open(&part).map_err(ModelError::io("open", &part))?;
        let notes = Notes { source: self.source.clone(), bytes: total, sha256: sha256.to_string() };
        self.pull.slot.note(&notes)?;
        self.receive(response, file, from, total).await?;
        Ok(sha256)
    }

    /// Requests the file, or the rest of it, and follows redirects.
    async fn request(&self, client: &Client) -> Result<Found, ModelError> {
        let (mut url, mut sha256, mut expected) =
            (self.url.clone(), self.pull.request.sha256.clone(), self.pull.request.bytes());
        for _ in 0..MOST_REDIRECTS {
            let resume = self.resume_point(sha256.as_ref());
            let request = client.get(url.clone()).header(ACCEPT_ENCODING, "identity");
            let request = resume.iter().fold(request, |request, from| request.header(RANGE, format!("bytes={from}-")));
            let response = request.send().await.map_err(|error| self.unreachable(&error))?;
            if self.from_hub && url.origin() == self.url.origin() {
                let sum =
                    |name: &str| Checksum::parse(header(&response, name)?.trim_start_matches("W/").trim_matches('"')).ok();
                let reported = sum("x-linked-etag").or_else(|| sum(ETAG.as_str()));
                if let (Some(wanted), Some(got)) = (&sha256, &reported)
                    && wanted != got
                {
                    return Err(super::wrong_checksum(&self.source, wanted, got));
                }
                sha256 = sha256.or(reported);
                expected = expected.or_else(|| header(&response, "x-linked-size")?.parse().ok());
            }
            if response.status().is_redirection() {
                let location = header(&response, LOCATION.as_str());
                let location = location.ok_or_else(|| self.unusable("it redirects to nowhere"))?;
                url = follow(&url, &location).map_err(|why| self.unusable(&why))?;
                continue;
            }
            let (from, total) = match (response.status(), resume) {
                (StatusCode::OK, _) => (0, response.content_length()),
                (StatusCode::PARTIAL_CONTENT, Some(from)) if let Some(total) = total_of_range(&response, from) => {
                    (from, Some(total))
                }
                // The server cannot resume this file, or has another one by now.
                (StatusCode::PARTIAL_CONTENT | StatusCode::RANGE_NOT_SATISFIABLE, Some(_)) => {
                    self.pull.slot.discard()?;
                    url = self.url.clone();
                    continue;
                }
                (status, _) => return Err(self.refused(status)),
            };
            let sha256 = sha256.ok_or_else(|| super::no_checksum(&self.source))?;
            return Ok(Found { response, from, total, sha256, expected });
        }
        Err(self.unusable("it redirects without end"))
    }

    /// How much is here to resume from.
    fn resume_point(&self, sha256: Option<&Checksum>) -> Option<u64> {
        let notes = self.pull.slot.notes().filter(|notes| notes.source == self.source)?;
        let received = self.pull.slot.received();
        (received > 0 && notes.sha256 == sha256?.as_str()).then_some(received)
    }

    fn refused(&self, status: StatusCode) -> ModelError {
        let error = ModelError::failed(format!("{} answered {}", plain(&self.url), status.as_u16()));
        error.hint(match status.as_u16() {
            401 | 403 => {
                "rebut sends no password or token: accept the model's terms, download the file yourself, then run \
                 `rebut model pull --file PATH.gguf`"
            }
            404 => "check owner, repository, file and revision",
            _ => "try again later",
        })
    }

    async fn receive(&self, mut response: Response, mut file: File, from: u64, total: u64) -> Result<(), ModelError> {
        let part = self.pull.slot.part();
        let (mut done, mut head) = (from, Vec::new());
        loop {
            (self.pull.watch)(PullEvent::Progress { stage: Stage::Fetching, done, total: Some(total) });
            let piece = match response.chunk().await {
                Ok(Some(piece)) => piece,
                Ok(None) if done < total => return Err(self.broke_off("the connection ended too early")),
                Ok(None) => return Ok(()),
                Err(error) => return Err(self.broke_off(&causes(&error))),
            };
            done += piece.len() as u64;
            let rejected = if done > total {
                Some(self.unusable("it sends more than it announced"))
            } else if from == 0 && head.len() < 4 {
                // The first bytes show something else before all of it has come.
                head.extend(piece.iter().take(4 - head.len()));
                (!b"GGUF".starts_with(&head)).then(|| super::not_gguf(&self.source))
            } else {
                None
            };
            if let Some(error) = rejected {
                self.pull.slot.discard()?;
                return Err(error);
            }
            file.write_all(&piece).map_err(ModelError::io("write", &part))?;
        }
    }

    fn unreachable(&self, error: &reqwest::Error) -> ModelError {
        let (url, causes) = (plain(&self.url), causes(error));
        if !error.is_connect() {
            return self.broke_off(&causes);
        }
        let hint = if causes.contains("certificate") {
            "if your network has its own certificate, name it with SSL_CERT_FILE"
        } else {
            "check the network; behind a proxy, set HTTPS_PROXY"
        };
        ModelError::failed(format!("{url} can't be reached: {causes}")).hint(hint).hint_alternatives()
    }

    fn broke_off(&self, why: &str) -> ModelError {
        let kept = super::size(self.pull.slot.received());
        ModelError::failed(format!("the download of {} broke off after {kept}: {why}", plain(&self.url)))
            .hint("run the same command to resume")
    }

    fn unusable(&self, why: &str) -> ModelError {
        ModelError::failed(format!("{} can't be downloaded: {why}", plain(&self.url))).hint(super::CHECK_URL)
    }
}

fn client(url: &Url) -> reqwest::Result<Client> {
    // Another part of this process may have chosen it already; then it is the same one.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .referer(false)
        .user_agent(concat!("rebut/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(CONNECT_LIMIT)
        .read_timeout(SILENCE_LIMIT);
    // A network proxy does not reach this machine's own servers.
    if is_loopback(url) { builder.no_proxy() } else { builder }.build()
}

/// The length of the whole file, if the part that comes begins where it should.
fn total_of_range(response: &Response, from: u64) -> Option<u64> {
    let range = header(response, CONTENT_RANGE.as_str())?;
    let (span, total) = range.strip_prefix("bytes ")?.split_once('/')?;
    total.parse().ok().filter(|_| span.split_once('-').is_some_and(|(start, _)| start.parse() == Ok(from)))
}

fn header(response: &Response, name: &str) -> Option<String> {
    response.headers().get(name)?.to_str().ok().map(str::to_owned)
}

/// The causes of an error, without the URL, whose query may contain a secret.
fn causes(error: &reqwest::Error) -> String {
    let first = std::error::Error::source(error);
    let mut words: Vec<String> = std::iter::successors(first, |error| error.source()).map(ToString::to_string).collect();
    words.dedup();
    if words.is_empty() { "the connection failed".to_owned() } else { words.join(": ") }
}

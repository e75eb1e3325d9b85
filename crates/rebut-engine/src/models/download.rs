//! Weights over HTTP: resumed after a broken connection, and never more than expected.
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
use super::{Checksum, ErrorKind, ModelError, PullEvent, Stage, check_space};
use crate::providers::http::is_loopback;

const CONNECT_LIMIT: Duration = Duration::from_secs(20);
const SILENCE_LIMIT: Duration = Duration::from_mins(1);
const MOST_REDIRECTS: usize = 10;
/// How many tries in a row may bring nothing new.
const MOST_TRIES: u32 = 5;

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

impl Download<'_> {
    /// Downloads into the slot's part file; gives the checksum that it must have, and whether it was resumed.
    pub(super) async fn run(&self) -> Result<(Checksum, bool), ModelError> {
        if let Some(sum) = self.complete_part() {
            return Ok((sum, false));
        }
        let Pull { slot, cancel, .. } = self.pull;
        let client = client(&self.url).map_err(|error| self.unusable(&causes(&error)))?;
        let (mut tries, mut was_resumed) = (0, false);
        loop {
            let before = slot.received();
            was_resumed |= before > 0;
            let error = tokio::select! {
                biased;
                () = cancel.cancelled() => return Err(ModelError::stopped(slot.received())),
                attempt = self.attempt(&client) => match attempt {
                    Err(error) if error.kind == ErrorKind::Interrupted => error,
                    end => return end.map(|sum| (sum, was_resumed)),
                },
            };
            let kept = slot.received();
            tries = if kept > before { 0 } else { tries + 1 };
            if tries >= MOST_TRIES {
                let message = format!("the download of {} broke off after {}: {error}", plain(&self.url), super::size(kept));
                return Err(ModelError::failed(message).hint("run the same command to resume"));
            }
            (self.pull.watch)(PullEvent::Note(format!("{error}; trying again")));
            tokio::select! {
                () = cancel.cancelled() => return Err(ModelError::stopped(kept)),
                () = tokio::time::sleep(self.pull.models.options.retry_wait * 2_u32.pow(tries.min(4))) => {}
            }
        }
    }

    /// The checksum of a part that is complete but was not verified.
    fn complete_part(&self) -> Option<Checksum> {
        let Notes { source, bytes, sha256 } = self.pull.slot.notes()?;
        let is_wanted = self.pull.request.sha256.as_ref().is_none_or(|wanted| wanted.as_str() == sha256);
        let is_complete = source == self.source && bytes == self.pull.slot.received() && is_wanted;
        Checksum::parse(&sha256).ok().filter(|_| is_complete)
    }

    async fn attempt(&self, client: &Client) -> Result<Checksum, ModelError> {
        let (response, sha256, expected) = self.request(client).await?;
        let (from, total) = match response.status() {
            StatusCode::PARTIAL_CONTENT => {
                let from = self.pull.slot.received();
                let total = total_of_range(&response, from);
                (from, Some(total.map_or_else(|| self.restart("the server cannot resume this file"), Ok)?))
            }
            _ => (0, response.content_length()),
        };
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

    /// Requests the file and follows redirects; gives the response with the content, its checksum, and its length where
    /// that is known already.
    async fn request(&self, client: &Client) -> Result<(Response, Checksum, Option<u64>), ModelError> {
        let (mut url, mut sha256, mut bytes) =
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
                if let (Some(expected), Some(got)) = (&sha256, &reported)
                    && expected != got
                {
                    return Err(super::wrong_checksum(&self.source, expected, got));
                }
                sha256 = sha256.or(reported);
                bytes = bytes.or_else(|| header(&response, "x-linked-size")?.parse().ok());
            }
            if response.status().is_redirection() {
                let location = header(&response, LOCATION.as_str());
                let location = location.ok_or_else(|| self.unusable("it redirects to nowhere"))?;
                url = follow(&url, &location).map_err(|why| self.unusable(&why))?;
                continue;
            }
            self.check_response(&response, resume.is_some())?;
            let sha256 = sha256.ok_or_else(|| super::no_checksum(&self.source))?;
            return Ok((response, sha256, bytes));
        }
        Err(self.unusable("it redirects without end"))
    }

    /// How much is here to resume from.
    fn resume_point(&self, sha256: Option<&Checksum>) -> Option<u64> {
        let notes = self.pull.slot.notes().filter(|notes| notes.source == self.source)?;
        let received = self.pull.slot.received();
        (received > 0 && notes.sha256 == sha256?.as_str()).then_some(received)
    }

    fn check_response(&self, response: &Response, resumes: bool) -> Result<(), ModelError> {
        let (status, url) = (response.status(), plain(&self.url));
        let refused = || ModelError::failed(format!("{url} answered {}", status.as_u16()));
        let error = match status.as_u16() {
            200 => return Ok(()),
            206 if resumes => return Ok(()),
            416 if resumes => return self.restart("the server has another file now"),
            408 | 429 | 500 | 502 | 503 | 504 if self.pull.slot.received() > 0 => {
                ModelError::interrupted(format!("the server answered {status}"))
            }
            401 | 403 => refused().hint(
                "rebut sends no password or token: accept the model's terms, download the file yourself, then run \
                 `rebut model pull --file PATH.gguf`",
            ),
            404 => refused().hint("check owner, repository, file and revision"),
            _ => refused().hint("try again later"),
        };
        Err(error)
    }

    async fn receive(&self, mut response: Response, mut file: File, from: u64, total: u64) -> Result<(), ModelError> {
        let part = self.pull.slot.part();
        let (mut done, mut head) = (from, Vec::new());
        loop {
            (self.pull.watch)(PullEvent::Progress { stage: Stage::Fetching, done, total: Some(total) });
            let piece = match response.chunk().await {
                Ok(Some(piece)) => piece,
                Ok(None) if done < total => return Err(ModelError::interrupted("the connection ended too early")),
                Ok(None) => return Ok(()),
                Err(error) => return Err(ModelError::interrupted(causes(&error))),
            };
            done += piece.len() as u64;
            let rejected = if done > total {
                Some(self.unusable("it sends more than it said"))
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
        // With nothing received there is nothing to lose by giving up at once.
        if error.is_connect() && self.pull.slot.received() == 0 {
            let (url, causes) = (plain(&self.url), causes(error));
            let hint = if causes.contains("certificate") {
                "if your network has its own certificate, name it with SSL_CERT_FILE"
            } else {
                "check the network; behind a proxy, set HTTPS_PROXY"
            };
            return ModelError::failed(format!("{url} cannot be reached: {causes}")).hint(hint).hint_alternatives();
        }
        ModelError::interrupted(causes(error))
    }

    /// What is here cannot be resumed: the next attempt starts again.
    fn restart<T>(&self, why: &str) -> Result<T, ModelError> {
        self.pull.slot.discard()?;
        Err(ModelError::interrupted(why))
    }

    fn unusable(&self, why: &str) -> ModelError {
        ModelError::failed(format!("{} cannot be downloaded: {why}", plain(&self.url))).hint(super::CHECK_URL)
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

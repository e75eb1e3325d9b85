//! Weights over HTTP. What came of a broken download is resumed by the next pull; whether the pieces are of one file is
//! known once the checksum of all of it is.
//!
//! No credentials are sent. Redirects are followed here, so that each is checked, and because the hub reports the
//! checksum only in the response that redirects.

use std::fs::OpenOptions;
use std::io::Write;
use std::time::Duration;

use futures_util::TryFutureExt;
use reqwest::header::{ACCEPT_ENCODING, ETAG, LOCATION, RANGE};
use reqwest::{Response, StatusCode, Url};

use super::pull::Pull;
use super::source::{follow, plain};
use super::{Checksum, ModelError, PullEvent, Stage, check_space};
use crate::providers::http;

const SILENCE_LIMIT: Duration = Duration::from_mins(1);
const MOST_REDIRECTS: usize = 10;

pub(super) struct Download<'a> {
    pub(super) pull: &'a Pull<'a>,
    pub(super) url: Url,
    /// Whether the first host is a hub, which reports the checksums of its files.
    pub(super) from_hub: bool,
}

impl Download<'_> {
    /// Downloads into the part; gives the checksum that it must have.
    pub(super) async fn run(&self) -> Result<Checksum, ModelError> {
        tokio::select! {
            biased;
            () = self.pull.cancel.cancelled() => Err(self.pull.stopped()),
            sum = self.fetch() => sum,
        }
    }

    async fn fetch(&self) -> Result<Checksum, ModelError> {
        let received = self.pull.received();
        let (response, sum, size) = self.request(received).await?;
        let from = match response.status() {
            // All of it is here, or more than there is.
            StatusCode::RANGE_NOT_SATISFIABLE => return Ok(sum),
            StatusCode::PARTIAL_CONTENT => received,
            _ => 0,
        };
        // Without a length there would be no end to it.
        let length = response.content_length().or_else(|| Some(size?.saturating_sub(from)));
        let length = length.ok_or_else(|| self.unusable("the server does not report the file's length"))?;
        check_space(&self.pull.part, length)?;
        if from == 0 {
            self.pull.remove_part()?;
        }
        self.receive(response, from, from.saturating_add(length)).await?;
        Ok(sum)
    }

    /// Requests the file, or what comes after this many bytes of it; follows redirects. Gives its checksum too, and
    /// the size that a hub reports.
    async fn request(&self, received: u64) -> Result<(Response, Checksum, Option<u64>), ModelError> {
        let request = self.pull.request;
        let (mut url, mut sum, mut size) = (self.url.clone(), request.sha256.clone(), None);
        for _ in 0..MOST_REDIRECTS {
            let client = http::client_for(&url).map_err(|error| self.unusable(&http::reason(&error)))?;
            let mut get = client.get(url.clone()).header(ACCEPT_ENCODING, "identity");
            if received > 0 {
                get = get.header(RANGE, format!("bytes={received}-"));
            }
            let response = self.in_time(get.send()).await?;
            if self.from_hub && url.origin() == self.url.origin() {
                let reported = checksum_in(&response, "x-linked-etag").or_else(|| checksum_in(&response, ETAG.as_str()));
                if let (Some(wanted), Some(got)) = (&sum, &reported)
                    && wanted != got
                {
                    return Err(ModelError::wrong_checksum(&request.source, wanted, got));
                }
                sum = sum.or(reported);
                size = header(&response, "x-linked-size").and_then(|size| size.parse().ok()).or(size);
            }
            match response.status() {
                StatusCode::OK => {}
                StatusCode::PARTIAL_CONTENT | StatusCode::RANGE_NOT_SATISFIABLE if received > 0 => {}
                status if status.is_redirection() => {
                    let location = header(&response, LOCATION.as_str());
                    let location = location.ok_or_else(|| self.unusable("it redirects to nowhere"))?;
                    url = follow(&url, location).map_err(|why| self.unusable(&why))?;
                    continue;
                }
                status => return Err(self.refused(status)),
            }
            let sum = sum.ok_or_else(|| ModelError::no_checksum(&request.source))?;
            request.check_name(&sum)?;
            return Ok((response, sum, size));
        }
        Err(self.unusable("it redirects without end"))
    }

    async fn receive(&self, mut response: Response, from: u64, total: u64) -> Result<(), ModelError> {
        let part = &self.pull.part;
        let file = OpenOptions::new().append(true).create(true).open(part);
        let mut file = file.map_err(ModelError::io("open", part))?;
        let mut done = from;
        loop {
            (self.pull.watch)(PullEvent::Progress { stage: Stage::Fetching, done, total: Some(total) });
            let Some(piece) = self.in_time(response.chunk()).await? else {
                return if done < total { Err(self.broke_off("the connection ended too early")) } else { Ok(()) };
            };
            // A page shows that it is one before all of it has come.
            if done == 0 && !b"GGUF".starts_with(&piece[..piece.len().min(4)]) {
                self.pull.remove_part()?;
                return Err(ModelError::not_gguf(&self.pull.request.source));
            }
            done += piece.len() as u64;
            if done > total {
                self.pull.remove_part()?;
                return Err(self.unusable("it sends more than it announced"));
            }
            file.write_all(&piece).map_err(ModelError::io("write", part))?;
        }
    }

    /// Awaits what a server says next, unless it says nothing for too long.
    async fn in_time<T>(&self, work: impl Future<Output = reqwest::Result<T>>) -> Result<T, ModelError> {
        // The query of a URL may contain a secret.
        let work = work.map_err(reqwest::Error::without_url);
        match tokio::time::timeout(SILENCE_LIMIT, work).await {
            Ok(Ok(said)) => Ok(said),
            Ok(Err(error)) if error.is_connect() => Err(self.unreachable(&error)),
            Ok(Err(error)) => Err(self.broke_off(&http::reason(&error))),
            Err(_) => Err(self.broke_off(&format!("nothing came for {} s", SILENCE_LIMIT.as_secs()))),
        }
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

    fn unreachable(&self, error: &reqwest::Error) -> ModelError {
        let hint = if http::is_untrusted(error) {
            "if your network has its own certificate, name it with SSL_CERT_FILE"
        } else {
            "check the network; behind a proxy, set HTTPS_PROXY"
        };
        let why = http::reason(error);
        let error = ModelError::failed(format!("{} can't be reached: {why}", plain(&self.url)));
        error.hint(hint).hint_alternatives()
    }

    fn broke_off(&self, why: &str) -> ModelError {
        let kept = super::size(self.pull.received());
        ModelError::failed(format!("the download of {} broke off after {kept}: {why}", plain(&self.url)))
            .hint("run the same command to resume")
    }

    fn unusable(&self, why: &str) -> ModelError {
        ModelError::failed(format!("{} can't be downloaded: {why}", plain(&self.url))).hint(super::CHECK_URL)
    }
}

fn header<'a>(response: &'a Response, name: &str) -> Option<&'a str> {
    response.headers().get(name)?.to_str().ok()
}

/// The checksum in an entity tag: `"…"`, or `W/"…"`.
fn checksum_in(response: &Response, name: &str) -> Option<Checksum> {
    Checksum::parse(header(response, name)?.trim_start_matches("W/").trim_matches('"')).ok()
}

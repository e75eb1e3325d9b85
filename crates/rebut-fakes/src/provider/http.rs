//! Just enough of HTTP/1.1: a request is read whole, a response is written, and the connection ends or is kept.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

use super::api::Event;

/// The largest body that is taken.
const MOST_BYTES: usize = 64 * 1024 * 1024;

/// How long events of a stream are apart: a model does not say everything at once.
const BETWEEN_EVENTS: Duration = Duration::from_millis(5);

pub(super) struct Received {
    pub(super) path: String,
    pub(super) headers: BTreeMap<String, String>,
    pub(super) body: Vec<u8>,
}

pub(super) struct Response {
    status: u16,
    headers: Vec<(String, String)>,
    body: Body,
}

enum Body {
    Whole(Vec<u8>),
    /// The length is promised and not kept.
    Cut(Vec<u8>),
    Events(Vec<Event>, Then),
    /// Bytes as they are, without a length, and then the end.
    Raw(Vec<u8>),
    /// These bytes again and again, until the other side has enough.
    Endless(Vec<u8>),
    /// So many bytes are promised, and none come.
    Promised(u64),
    Silence,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Then {
    Close,
    Silence,
    Pings,
    PingEvents,
}

impl Response {
    pub(super) fn json(status: u16, body: &Value) -> Self {
        Self::text(status, "application/json", &body.to_string())
    }

    pub(super) fn text(status: u16, kind: &str, body: &str) -> Self {
        let headers = vec![("content-type".to_owned(), kind.to_owned())];
        Self { status, headers, body: Body::Whole(body.as_bytes().to_vec()) }
    }

    pub(super) fn events(events: Vec<Event>, then: Then) -> Self {
        let headers = vec![("content-type".to_owned(), "text/event-stream".to_owned())];
        Self { status: 200, headers, body: Body::Events(events, then) }
    }

    pub(super) fn raw(bytes: Vec<u8>) -> Self {
        Self { body: Body::Raw(bytes), ..Self::events(Vec::new(), Then::Close) }
    }

    /// A stream of these bytes without end.
    pub(super) fn endless(bytes: Vec<u8>) -> Self {
        Self { body: Body::Endless(bytes), ..Self::events(Vec::new(), Then::Close) }
    }

    /// A stream that says how long it will be.
    pub(super) fn promised(length: u64) -> Self {
        Self { body: Body::Promised(length), ..Self::events(Vec::new(), Then::Close) }
    }

    pub(super) fn keeps_connection(&self) -> bool {
        matches!(self.body, Body::Whole(_) | Body::Events(_, Then::Close))
    }

    /// No response at all.
    pub(super) fn silence() -> Self {
        Self { status: 200, headers: Vec::new(), body: Body::Silence }
    }

    pub(super) fn with_header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(super) fn cut(mut self) -> Self {
        self.body = match self.body {
            Body::Whole(bytes) => Body::Cut(bytes),
            other => other,
        };
        self
    }
}

/// Reads a request; `None` where the connection ended before it was whole.
pub(super) async fn read(stream: &mut TcpStream) -> io::Result<Option<Received>> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).await?;
    let Some(path) = line.split_whitespace().nth(1).map(str::to_owned) else { return Ok(None) };
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).await? == 0 {
            return Ok(None);
        }
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':') {
            headers.insert(name.to_lowercase(), value.trim().to_owned());
        }
    }
    if headers.get("expect").is_some_and(|expect| expect.eq_ignore_ascii_case("100-continue")) {
        reader.get_mut().write_all(b"HTTP/1.1 100 Continue\r\n\r\n").await?;
    }
    let chunked = headers.get("transfer-encoding").is_some_and(|coding| coding.contains("chunked"));
    let length = headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let body = if chunked { read_chunks(&mut reader).await? } else { read_exactly(&mut reader, length).await? };
    Ok(Some(Received { path, headers, body }))
}

async fn read_exactly(reader: &mut BufReader<&mut TcpStream>, length: usize) -> io::Result<Vec<u8>> {
    let mut body = vec![0; length.min(MOST_BYTES)];
    reader.read_exact(&mut body).await?;
    Ok(body)
}

async fn read_chunks(reader: &mut BufReader<&mut TcpStream>) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    while body.len() < MOST_BYTES {
        let mut size = String::new();
        reader.read_line(&mut size).await?;
        let digits = size.trim().split(';').next().unwrap_or_default();
        let size = usize::from_str_radix(digits, 16).map_err(|_| io::ErrorKind::InvalidData)?;
        body.extend(read_exactly(reader, size).await?);
        let mut end = String::new();
        reader.read_line(&mut end).await?;
        if size == 0 {
            break;
        }
    }
    Ok(body)
}

/// Writes a response, and ends the connection unless it is kept.
pub(super) async fn write(stream: &mut TcpStream, response: Response, keeps: bool) -> io::Result<()> {
    let connection = if keeps { "" } else { "connection: close\r\n" };
    let mut head = format!("HTTP/1.1 {} {}\r\n{connection}", response.status, reason(response.status));
    for (name, value) in &response.headers {
        let _ = write!(head, "{name}: {value}\r\n");
    }
    match response.body {
        Body::Silence => return wait_for_the_other(stream).await,
        Body::Whole(bytes) | Body::Cut(bytes) if bytes.is_empty() => {
            stream.write_all(format!("{head}content-length: 0\r\n\r\n").as_bytes()).await?;
        }
        Body::Whole(bytes) => {
            stream.write_all(format!("{head}content-length: {}\r\n\r\n", bytes.len()).as_bytes()).await?;
            stream.write_all(&bytes).await?;
        }
        Body::Cut(bytes) => {
            stream.write_all(format!("{head}content-length: {}\r\n\r\n", bytes.len()).as_bytes()).await?;
            stream.write_all(&bytes[..bytes.len() / 2]).await?;
        }
        Body::Events(events, _) if keeps => {
            // In pieces with their lengths, so that the end of the answer is not the end of the connection; and at once,
            // since a client that keeps connections measures what a call costs.
            let mut all = format!("{head}cache-control: no-cache\r\ntransfer-encoding: chunked\r\n\r\n");
            for event in events {
                let text = event.text();
                let _ = write!(all, "{:x}\r\n{text}\r\n", text.len());
            }
            all.push_str("0\r\n\r\n");
            stream.write_all(all.as_bytes()).await?;
        }
        Body::Raw(bytes) => {
            stream.write_all(format!("{head}\r\n").as_bytes()).await?;
            stream.write_all(&bytes).await?;
        }
        Body::Endless(bytes) => {
            stream.write_all(format!("{head}\r\n").as_bytes()).await?;
            loop {
                stream.write_all(&bytes).await?;
            }
        }
        Body::Promised(length) => {
            stream.write_all(format!("{head}content-length: {length}\r\n\r\n").as_bytes()).await?;
            return wait_for_the_other(stream).await;
        }
        Body::Events(events, then) => {
            stream.write_all(format!("{head}cache-control: no-cache\r\n\r\n").as_bytes()).await?;
            for event in events {
                stream.write_all(event.text().as_bytes()).await?;
                stream.flush().await?;
                tokio::time::sleep(BETWEEN_EVENTS).await;
            }
            match then {
                Then::Close => {}
                Then::Silence => return wait_for_the_other(stream).await,
                Then::Pings | Then::PingEvents => {
                    let ping: &[u8] =
                        if then == Then::Pings { b": ping\n\n" } else { b"event: ping\ndata: {\"type\": \"ping\"}\n\n" };
                    loop {
                        stream.write_all(ping).await?;
                        stream.flush().await?;
                        tokio::time::sleep(BETWEEN_EVENTS).await;
                    }
                }
            }
        }
    }
    if keeps { Ok(()) } else { stream.shutdown().await }
}

/// Says nothing until the other side goes away.
async fn wait_for_the_other(stream: &mut TcpStream) -> io::Result<()> {
    let mut rest = [0; 64];
    while stream.read(&mut rest).await? > 0 {}
    Ok(())
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        307 => "Temporary Redirect",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        429 => "Too Many Requests",
        _ => "Error",
    }
}

//! Just enough HTTP/1.1 for servers that misbehave: reads whole requests, and writes responses that end early, late or never.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

/// The largest body that is read.
const MOST_BYTES: usize = 64 * 1024 * 1024;

/// The pause between the pieces of a stream: a model does not say everything at once.
const BETWEEN_PIECES: Duration = Duration::from_millis(5);

pub(crate) struct Received {
    pub(crate) path: String,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: Vec<u8>,
}

pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) pieces: Vec<Vec<u8>>,
    /// The length that is promised, whatever the pieces have.
    pub(crate) length: Option<usize>,
    pub(crate) then: Then,
}

/// What happens after the last piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Then {
    Close,
    /// The connection stays open.
    Silence,
    /// Not even the head is sent.
    Nothing,
    /// Comments of a stream of events, without end.
    Pings,
    /// The events with which one of the services says that it is still there, without end.
    PingEvents,
    /// These bytes without end.
    Repeat(Vec<u8>),
}

impl Response {
    pub(crate) fn json(status: u16, body: &Value) -> Self {
        Self::text(status, "application/json", &body.to_string())
    }

    pub(crate) fn text(status: u16, kind: &str, body: &str) -> Self {
        let headers = vec![("content-type".to_owned(), kind.to_owned())];
        Self { status, headers, pieces: vec![body.into()], length: Some(body.len()), then: Then::Close }
    }

    pub(crate) fn stream(pieces: Vec<Vec<u8>>, then: Then) -> Self {
        let response = Self::text(200, "text/event-stream", "").with_header("cache-control", "no-cache");
        Self { pieces, length: None, then, ..response }
    }

    /// A body of which only half comes.
    pub(crate) fn cut(mut self) -> Self {
        self.pieces.iter_mut().for_each(|piece| piece.truncate(piece.len() / 2));
        self
    }

    pub(crate) fn with_header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn keeps_connection(&self) -> bool {
        let bytes: usize = self.pieces.iter().map(Vec::len).sum();
        self.then == Then::Close && self.length.is_none_or(|length| length == bytes)
    }
}

/// Reads a request; `None` if the connection ended before it was whole.
pub(crate) async fn read(stream: &mut TcpStream) -> io::Result<Option<Received>> {
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
pub(crate) async fn write(stream: &mut TcpStream, response: Response, keeps: bool) -> io::Result<()> {
    let Response { status, headers, pieces, length, then } = response;
    if then == Then::Nothing {
        return wait_for_the_other(stream).await;
    }
    let mut head = format!("HTTP/1.1 {status} {}\r\n", reason(status));
    for (name, value) in &headers {
        let _ = write!(head, "{name}: {value}\r\n");
    }
    if let Some(length) = length {
        let _ = write!(head, "content-length: {length}\r\n");
    } else if keeps {
        // The end of the answer is not the end of the connection.
        head.push_str("transfer-encoding: chunked\r\n");
    }
    head.push_str(if keeps { "\r\n" } else { "connection: close\r\n\r\n" });
    let mut out = head.into_bytes();
    if keeps && length.is_none() {
        // At once, since a client that keeps connections measures what a call costs.
        for piece in pieces {
            out.extend([format!("{:x}\r\n", piece.len()).as_bytes(), &piece, b"\r\n"].concat());
        }
        out.extend(b"0\r\n\r\n");
        return stream.write_all(&out).await;
    }
    stream.write_all(&out).await?;
    let is_stream = length.is_none();
    for piece in pieces {
        stream.write_all(&piece).await?;
        if is_stream {
            tokio::time::sleep(BETWEEN_PIECES).await;
        }
    }
    match then {
        Then::Close | Then::Nothing => {}
        Then::Silence => return wait_for_the_other(stream).await,
        Then::Pings => return ping(stream, b": ping\n\n").await,
        Then::PingEvents => return ping(stream, b"event: ping\ndata: {\"type\": \"ping\"}\n\n").await,
        Then::Repeat(bytes) => loop {
            stream.write_all(&bytes).await?;
        },
    }
    if keeps { Ok(()) } else { stream.shutdown().await }
}

async fn ping(stream: &mut TcpStream, ping: &[u8]) -> io::Result<()> {
    loop {
        stream.write_all(ping).await?;
        tokio::time::sleep(BETWEEN_PIECES).await;
    }
}

/// Waits until the other side closes the connection.
async fn wait_for_the_other(stream: &mut TcpStream) -> io::Result<()> {
    let mut rest = [0; 64];
    while stream.read(&mut rest).await? > 0 {}
    Ok(())
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        206 => "Partial Content",
        307 => "Temporary Redirect",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        429 => "Too Many Requests",
        _ => "Error",
    }
}

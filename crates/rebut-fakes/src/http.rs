//! Just enough HTTP/1.1 for servers that misbehave: reads whole requests, and writes responses that end early, late or never.

use std::collections::BTreeMap;
use std::fmt::{Display, Write as _};
use std::io;
use std::time::Duration;

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

#[derive(Clone, Debug)]
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
    /// A sign of life in a stream of events, without end.
    Pings(&'static str),
    /// These bytes without end.
    Repeat(Vec<u8>),
}

impl Response {
    pub(crate) fn json(status: u16, body: impl Display) -> Self {
        Self::of(status, "application/json", body.to_string())
    }

    pub(crate) fn of(status: u16, kind: &str, body: impl Into<Vec<u8>>) -> Self {
        let (headers, body) = (vec![("content-type".to_owned(), kind.to_owned())], body.into());
        Self { status, headers, length: Some(body.len()), pieces: vec![body], then: Then::Close }
    }

    pub(crate) fn events(events: impl IntoIterator<Item = String>, then: Then) -> Self {
        let response = Self::of(200, "text/event-stream", "").with_header("cache-control", "no-cache");
        Self { pieces: events.into_iter().map(String::into_bytes).collect(), length: None, then, ..response }
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
    if keeps {
        // At once, since a client that keeps connections measures what a call costs.
        let _ = write!(head, "content-length: {}\r\n\r\n", pieces.iter().map(Vec::len).sum::<usize>());
        return stream.write_all(&[head.into_bytes(), pieces.concat()].concat()).await;
    }
    if let Some(length) = length {
        let _ = write!(head, "content-length: {length}\r\n");
    }
    head.push_str("connection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).await?;
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
        Then::Pings(ping) => loop {
            stream.write_all(ping.as_bytes()).await?;
            tokio::time::sleep(BETWEEN_PIECES).await;
        },
        Then::Repeat(bytes) => loop {
            stream.write_all(&bytes).await?;
        },
    }
    stream.shutdown().await
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

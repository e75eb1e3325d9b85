//! Just enough HTTP/1.1 for servers that misbehave: whole requests are read, and responses end early, late or never.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufStream};
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;

pub(crate) struct Received {
    pub(crate) path: String,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: Vec<u8>,
}

#[derive(Clone, Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    /// The length that is promised, whatever the body has.
    pub(crate) length: Option<usize>,
    pub(crate) then: Then,
}

/// What happens after the body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Then {
    End,
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
        Self { status, headers, length: Some(body.len()), body, then: Then::End }
    }

    pub(crate) fn events(events: impl Into<Vec<u8>>, then: Then) -> Self {
        let response = Self::of(200, "text/event-stream", events).with_header("cache-control", "no-cache");
        Self { length: response.length.filter(|_| then == Then::End), then, ..response }
    }

    pub(crate) fn with_header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Writes it; whether the connection can be used again.
    async fn write(self, stream: &mut BufStream<TcpStream>) -> io::Result<bool> {
        if self.then == Then::Nothing {
            return wait_for_the_other(stream).await;
        }
        let keeps = self.then == Then::End && self.length == Some(self.body.len());
        let length = self.length.map(|length| ("content-length".to_owned(), length.to_string()));
        let close = (!keeps).then(|| ("connection".to_owned(), "close".to_owned()));
        stream.write_all(format!("HTTP/1.1 {} \r\n", self.status).as_bytes()).await?;
        for (name, value) in self.headers.into_iter().chain(length).chain(close) {
            stream.write_all(format!("{name}: {value}\r\n").as_bytes()).await?;
        }
        stream.write_all(b"\r\n").await?;
        stream.write_all(&self.body).await?;
        stream.flush().await?;
        match self.then {
            Then::End | Then::Nothing => Ok(keeps),
            Then::Silence => wait_for_the_other(stream).await,
            Then::Pings(ping) => loop {
                stream.write_all(ping.as_bytes()).await?;
                stream.flush().await?;
                tokio::time::sleep(Duration::from_millis(5)).await;
            },
            Then::Repeat(bytes) => loop {
                stream.write_all(&bytes).await?;
            },
        }
    }
}

/// Waits until the other side closes the connection.
async fn wait_for_the_other(stream: &mut BufStream<TcpStream>) -> io::Result<bool> {
    let mut rest = [0; 64];
    while stream.read(&mut rest).await? > 0 {}
    Ok(false)
}

impl Received {
    /// Reads a request; `None` if the connection ended before it was whole.
    async fn read(stream: &mut BufStream<TcpStream>) -> io::Result<Option<Self>> {
        let Some(path) = line(stream).await?.split(' ').nth(1).map(str::to_owned) else { return Ok(None) };
        let mut headers = BTreeMap::new();
        while let Some((name, value)) = line(stream).await?.split_once(':') {
            headers.insert(name.to_lowercase(), value.trim().to_owned());
        }
        if headers.get("expect").is_some_and(|expect| expect.eq_ignore_ascii_case("100-continue")) {
            stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").await?;
            stream.flush().await?;
        }
        let mut body = Vec::new();
        if headers.get("transfer-encoding").is_some_and(|coding| coding.contains("chunked")) {
            while let size @ 1.. = usize::from_str_radix(&line(stream).await?, 16).unwrap_or(0) {
                read_more(stream, &mut body, size).await?;
                line(stream).await?;
            }
            line(stream).await?;
        } else if let Some(length) = headers.get("content-length").and_then(|length| length.parse().ok()) {
            read_more(stream, &mut body, length).await?;
        }
        Ok(Some(Self { path, headers, body }))
    }
}

async fn line(stream: &mut BufStream<TcpStream>) -> io::Result<String> {
    let mut line = String::new();
    stream.read_line(&mut line).await?;
    Ok(line.trim_end().to_owned())
}

async fn read_more(stream: &mut BufStream<TcpStream>, body: &mut Vec<u8>, bytes: usize) -> io::Result<()> {
    let begun = body.len();
    body.resize(begun + bytes, 0);
    stream.read_exact(&mut body[begun..]).await.map(drop)
}

/// What a server has in its book, whatever became of another test's thread.
pub(crate) fn lock<Book>(book: &Mutex<Book>) -> MutexGuard<'_, Book> {
    book.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A server on loopback with a thread of its own, which ends with all of its connections when this is dropped.
#[derive(Debug)]
pub(crate) struct Server {
    address: SocketAddr,
    connections: Arc<AtomicUsize>,
    /// Each open connection has a receiver of it.
    open: Arc<watch::Sender<()>>,
    runtime: Option<Runtime>,
}

impl Server {
    pub(crate) fn start(answer: impl Fn(Received) -> Response + Clone + Send + Sync + 'static) -> Self {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port on loopback");
        let address = listener.local_addr().expect("its address");
        listener.set_nonblocking(true).expect("a listener for a runtime");
        let (connections, open) = (Arc::<AtomicUsize>::default(), Arc::new(watch::channel(()).0));
        let (counted, subscribed) = (Arc::clone(&connections), Arc::clone(&open));
        runtime.spawn(async move {
            let listener = tokio::net::TcpListener::from_std(listener).expect("a listener");
            while let Ok((stream, _)) = listener.accept().await {
                counted.fetch_add(1, Ordering::Relaxed);
                let _ = stream.set_nodelay(true);
                let (answer, is_open) = (answer.clone(), subscribed.subscribe());
                tokio::spawn(async move {
                    let mut stream = BufStream::new(stream);
                    // A client that goes away is not a fault of the server.
                    while let Ok(Some(received)) = Received::read(&mut stream).await
                        && answer(received).write(&mut stream).await.is_ok_and(|keeps| keeps)
                    {}
                    let _ = stream.shutdown().await;
                    drop(is_open);
                });
            }
        });
        Self { address, connections, open, runtime: Some(runtime) }
    }

    /// The address of a path that begins with a slash.
    pub(crate) fn at(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// How many connections there have been.
    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::Relaxed)
    }

    /// How many of them are open.
    pub(crate) fn open_connections(&self) -> usize {
        self.open.receiver_count()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may be dropped in another runtime, where nobody may wait for it.
        self.runtime.take().into_iter().for_each(Runtime::shutdown_background);
    }
}

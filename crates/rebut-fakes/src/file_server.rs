//! A server of files on loopback, with the faults that servers of large files have.
//!
//! Each path has its replies: the first request gets the first of them, and so on; the last one is given again and
//! again.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use crate::http::{Received, Response, Server, Then, lock};

#[derive(Clone, Debug)]
pub struct FileServer {
    server: &'static Server,
    book: Arc<Mutex<Book>>,
}

#[derive(Debug, Default)]
struct Book {
    replies: BTreeMap<String, Vec<Reply>>,
    asked: Vec<Asked>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    pub path: String,
    pub headers: BTreeMap<String, String>,
}

#[derive(Clone, Debug)]
pub struct Reply {
    response: Response,
    takes_ranges: bool,
    most: usize,
}

impl Reply {
    /// A file; parts of it can be asked for.
    pub fn file(content: &[u8]) -> Self {
        let response = Response::of(200, "application/octet-stream", content);
        Self { response, takes_ranges: true, most: usize::MAX }
    }

    pub fn status(status: u16) -> Self {
        let words = Response { headers: Vec::new(), ..Response::of(status, "", "some words") };
        Self { response: words, takes_ranges: false, most: usize::MAX }
    }

    pub fn redirect(to: &str) -> Self {
        Self::status(302).header("location", to)
    }

    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.response.headers.retain(|(has, _)| has != name);
        Self { response: self.response.with_header(name, value), ..self }
    }

    /// The same from a server that knows no parts.
    pub fn without_ranges(self) -> Self {
        Self { takes_ranges: false, ..self }
    }

    pub fn without_length(mut self) -> Self {
        self.response.length = None;
        self
    }

    pub fn cut_after(self, bytes: usize) -> Self {
        Self { most: bytes, ..self }
    }

    pub fn silent_after(mut self, bytes: usize) -> Self {
        self.response.then = Then::Silence;
        self.cut_after(bytes)
    }

    /// The same without a length and without an end.
    pub fn endless(mut self) -> Self {
        self.response.then = Then::Repeat(vec![7; 8192]);
        self.without_length()
    }
}

impl FileServer {
    pub fn start() -> Self {
        let book = Arc::<Mutex<Book>>::default();
        let taken = Arc::clone(&book);
        // It serves until the test's process ends: some keep only an address.
        Self { server: Box::leak(Box::new(Server::start(move |received| take(received, &taken)))), book }
    }

    /// Answers requests for a path with these, one after the other.
    pub fn with(self, path: &str, replies: &[Reply]) -> Self {
        lock(&self.book).replies.insert(path.to_owned(), replies.to_vec());
        self
    }

    pub fn at(&self, path: &str) -> String {
        self.server.at(path)
    }

    pub fn asked(&self) -> Vec<Asked> {
        lock(&self.book).asked.clone()
    }

    /// The parts that were asked for so far, in order; an empty text where the whole was.
    pub fn ranges(&self) -> Vec<String> {
        self.asked().into_iter().map(|asked| asked.headers.get("range").cloned().unwrap_or_default()).collect()
    }
}

fn take(received: Received, book: &Mutex<Book>) -> Response {
    let asked = Asked { path: received.path, headers: received.headers };
    let mut book = lock(book);
    book.asked.push(asked.clone());
    let replies = book.replies.get_mut(asked.path.split('?').next().unwrap_or_default());
    let reply =
        replies.and_then(|replies| if replies.len() > 1 { Some(replies.remove(0)) } else { replies.first().cloned() });
    response(reply.unwrap_or_else(|| Reply::status(404)), &asked)
}

fn response(reply: Reply, asked: &Asked) -> Response {
    let Reply { response: mut answer, takes_ranges, most } = reply;
    let wanted = asked.headers.get("range").and_then(|range| range.strip_prefix("bytes=")?.strip_suffix('-')?.parse().ok());
    let from: Option<usize> = wanted.filter(|_| takes_ranges);
    if let Some(from) = from {
        let total = answer.body.len();
        let (status, range) =
            if from < total { (206, format!("{from}-{}/{total}", total - 1)) } else { (416, format!("*/{total}")) };
        answer = Response { status, ..answer }.with_header("content-range", &format!("bytes {range}"));
    }
    let mut body = answer.body.split_off(from.unwrap_or(0).min(answer.body.len()));
    let length = answer.length.map(|_| body.len());
    body.truncate(most);
    Response { body, length, ..answer }
}

//! A server of files on loopback, with the faults that servers of large files have.
//!
//! Each path has its replies: the first request gets the first of them, and so on; the last one is given again and
//! again. It runs on its own threads, beside a program as well as beside a runtime.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

#[derive(Clone, Debug)]
pub struct FileServer {
    address: SocketAddr,
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
    status: u16,
    headers: Vec<(String, String)>,
    content: Vec<u8>,
    takes_ranges: bool,
    tells_length: bool,
    then: Then,
    most: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Then {
    Close,
    Silence,
    EndlessNoise,
}

impl Reply {
    /// A file; parts of it can be asked for.
    pub fn file(content: &[u8]) -> Self {
        Self {
            status: 200,
            headers: vec![("content-type".to_owned(), "application/octet-stream".to_owned())],
            content: content.to_vec(),
            takes_ranges: true,
            tells_length: true,
            then: Then::Close,
            most: usize::MAX,
        }
    }

    pub fn status(status: u16) -> Self {
        let words = Self { headers: Vec::new(), ..Self::file(b"some words") };
        Self { status, takes_ranges: false, ..words }
    }

    pub fn redirect(to: &str) -> Self {
        Self::status(302).header("location", to)
    }

    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.retain(|(has, _)| has != name);
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The same from a server that knows no parts.
    pub fn without_ranges(self) -> Self {
        Self { takes_ranges: false, ..self }
    }

    pub fn without_length(self) -> Self {
        Self { tells_length: false, ..self }
    }

    pub fn cut_after(self, bytes: usize) -> Self {
        Self { most: bytes, ..self }
    }

    pub fn silent_after(self, bytes: usize) -> Self {
        Self { most: bytes, then: Then::Silence, ..self }
    }

    /// The same without a length and without an end.
    pub fn endless(self) -> Self {
        Self { tells_length: false, then: Then::EndlessNoise, ..self }
    }
}

impl FileServer {
    pub fn start() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let address = listener.local_addr().expect("its address");
        let server = Self { address, book: Arc::default() };
        let book = Arc::clone(&server.book);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let book = Arc::clone(&book);
                // A client that goes away is no fault of the server.
                std::thread::spawn(move || serve(&book, stream));
            }
        });
        server
    }

    /// Answers requests for a path with these, one after the other.
    pub fn with(self, path: &str, replies: &[Reply]) -> Self {
        lock(&self.book).replies.insert(path.to_owned(), replies.to_vec());
        self
    }

    pub fn at(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub fn asked(&self) -> Vec<Asked> {
        lock(&self.book).asked.clone()
    }

    /// The parts that were asked for so far, in order; an empty text where the whole was.
    pub fn ranges(&self) -> Vec<String> {
        self.asked().into_iter().map(|asked| asked.headers.get("range").cloned().unwrap_or_default()).collect()
    }
}

fn lock(book: &Mutex<Book>) -> MutexGuard<'_, Book> {
    book.lock().unwrap_or_else(PoisonError::into_inner)
}

fn serve(book: &Mutex<Book>, mut stream: TcpStream) -> io::Result<()> {
    let asked = read(&stream)?;
    let reply = {
        let mut book = lock(book);
        book.asked.push(asked.clone());
        let replies = book.replies.get_mut(asked.path.split('?').next().unwrap_or_default());
        match replies {
            Some(replies) if replies.len() > 1 => replies.remove(0),
            Some(replies) => replies.first().cloned().unwrap_or_else(|| Reply::status(404)),
            None => Reply::status(404),
        }
    };
    write(&mut stream, &reply, &asked)
}

fn read(stream: &TcpStream) -> io::Result<Asked> {
    let mut lines = BufReader::new(stream);
    let mut line = String::new();
    lines.read_line(&mut line)?;
    let path = line.split_whitespace().nth(1).unwrap_or_default().to_owned();
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        lines.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.insert(name.to_lowercase(), value.trim().to_owned());
    }
    Ok(Asked { path, headers })
}

fn write(stream: &mut TcpStream, reply: &Reply, asked: &Asked) -> io::Result<()> {
    let total = reply.content.len();
    let wanted = asked.headers.get("range").and_then(|range| range.strip_prefix("bytes=")?.strip_suffix('-')?.parse().ok());
    let from: Option<usize> = wanted.filter(|_| reply.takes_ranges);
    let mut head = match from {
        Some(from) if from >= total => format!("HTTP/1.1 416 Range Not Satisfiable\r\ncontent-range: bytes */{total}\r\n"),
        Some(from) => {
            let last = total - 1;
            format!("HTTP/1.1 206 Partial Content\r\ncontent-range: bytes {from}-{last}/{total}\r\n")
        }
        None => format!("HTTP/1.1 {} Status\r\n", reply.status),
    };
    let content = &reply.content[from.unwrap_or(0).min(total)..];
    head.push_str("connection: close\r\n");
    for (name, value) in &reply.headers {
        let _ = write!(head, "{name}: {value}\r\n");
    }
    if reply.tells_length {
        let _ = write!(head, "content-length: {}\r\n", content.len());
    }
    stream.write_all(format!("{head}\r\n").as_bytes())?;
    stream.write_all(&content[..content.len().min(reply.most)])?;
    match reply.then {
        Then::Close => Ok(()),
        Then::Silence => stream.read_to_end(&mut Vec::new()).map(drop),
        Then::EndlessNoise => loop {
            stream.write_all(&[7; 8192])?;
        },
    }
}

//! What a client sends, line by line. Messages that the protocol's own reader would drop silently are answered with an error.

use std::sync::Arc;

use rmcp::transport::io::{StdioReader, StdioWriter};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt, BufReader, DuplexStream};
use tokio::sync::Mutex;
use tokio::task::JoinHandle;

const LONGEST: usize = 16 << 20;

const BUFFER: usize = 1 << 16;

/// Standard input and output, with every message checked in between.
pub(super) struct Pipes {
    pub(super) input: DuplexStream,
    pub(super) output: DuplexStream,
    /// Ends when all answers are written.
    pub(super) written: JoinHandle<()>,
}

pub(super) fn between((client_in, client_out): (StdioReader, StdioWriter)) -> Pipes {
    let client_out = Arc::new(Mutex::new(client_out));
    let (mut forward, input) = tokio::io::duplex(BUFFER);
    let (output, mut back) = tokio::io::duplex(BUFFER);
    let errors = Arc::clone(&client_out);
    tokio::spawn(async move {
        let (mut from, mut line) = (BufReader::with_capacity(BUFFER, client_in), Vec::new());
        // If nothing can be read or passed on, the connection has ended, which the server notices itself.
        while let Ok(length @ 1..) = next_line(&mut from, &mut line).await {
            let passed_on = match error_in(&line, length) {
                None => forward.write_all(&line).await,
                Some(error) => send(&errors, format!("{error}\n").as_bytes()).await,
            };
            if passed_on.is_err() {
                break;
            }
        }
    });
    let written = tokio::spawn(async move {
        let mut answers = BufReader::new(&mut back);
        let mut line = Vec::new();
        while answers.read_until(b'\n', &mut line).await.is_ok_and(|length| length > 0) {
            if send(&client_out, &line).await.is_err() {
                break;
            }
            line.clear();
        }
    });
    Pipes { input, output, written }
}

async fn send(to: &Mutex<StdioWriter>, line: &[u8]) -> std::io::Result<()> {
    let mut to = to.lock().await;
    to.write_all(line).await?;
    to.flush().await
}

/// Reads the next line and returns its length, 0 at the end. Of one that is longer than the limit only the end is kept.
async fn next_line(from: &mut BufReader<StdioReader>, line: &mut Vec<u8>) -> std::io::Result<usize> {
    let mut length = 0;
    loop {
        line.clear();
        length += (&mut *from).take(LONGEST as u64 + 1).read_until(b'\n', line).await?;
        if line.len() <= LONGEST || line.ends_with(b"\n") {
            return Ok(length);
        }
    }
}

/// The error to answer a line with, if it can't be passed on. Its id is null, as JSON-RPC wants it for what can't be parsed.
fn error_in(line: &[u8], length: usize) -> Option<Value> {
    let (code, message) = if length > LONGEST {
        (-32600, format!("the message has {length} bytes; the limit is {LONGEST}"))
    } else if line.trim_ascii().is_empty() {
        return None;
    } else {
        // Nothing of the message is repeated.
        let error = serde_json::from_slice::<Value>(line).err()?;
        (-32700, format!("the message is not valid JSON, or nested too deeply (column {})", error.column()))
    };
    Some(json!({ "jsonrpc": "2.0", "id": null, "error": { "code": code, "message": message } }))
}

//! What a client sends, line by line. Messages that the protocol's own reader would drop silently are answered with an error
//! here, so that no client waits for ever.

use std::cell::RefCell;
use std::sync::Arc;

use rmcp::transport::io::{StdioReader, StdioWriter};
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt, BufReader, DuplexStream};
use tokio::sync::Mutex;
use tokio::task::JoinHandle;

/// The longest message, in bytes.
const LONGEST: usize = 16 << 20;

/// How much of the beginning and the end of an oversized message is kept: its id is there.
const HEAD: usize = 1 << 16;
const TAIL: usize = 1 << 10;

/// The size of the buffer between the client and the server.
const BUFFER: usize = 1 << 16;

/// Standard input and output, with every message checked in between.
pub(super) struct Pipes {
    pub(super) input: DuplexStream,
    pub(super) output: DuplexStream,
    /// Ends when everything that the server has written is out.
    pub(super) written: JoinHandle<()>,
}

pub(super) fn between((client_in, client_out): (StdioReader, StdioWriter)) -> Pipes {
    let client_out = Arc::new(Mutex::new(client_out));
    let (mut forward, input) = tokio::io::duplex(BUFFER);
    let (output, mut back) = tokio::io::duplex(BUFFER);
    let errors = Arc::clone(&client_out);
    tokio::spawn(async move {
        let mut lines = Lines { from: BufReader::with_capacity(BUFFER, client_in), line: Vec::new() };
        // If nothing can be read or passed on, the connection has ended, which the server notices itself.
        while let Ok(Some(length)) = lines.next().await {
            let passed_on = match wrong_with(&lines.line, length) {
                None => forward.write_all(&lines.line).await,
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

/// Writes a whole line, without another in between.
async fn send(to: &Mutex<StdioWriter>, line: &[u8]) -> std::io::Result<()> {
    let mut to = to.lock().await;
    to.write_all(line).await?;
    to.flush().await
}

/// Lines of any length. Of an oversized one only the beginning and the end are kept.
struct Lines {
    from: BufReader<StdioReader>,
    line: Vec<u8>,
}

impl Lines {
    /// Reads the next line and gives its full length.
    async fn next(&mut self) -> std::io::Result<Option<usize>> {
        self.line.clear();
        let mut length = 0;
        loop {
            let there = self.from.fill_buf().await?;
            if there.is_empty() {
                return Ok((length > 0).then_some(length));
            }
            // The standard library's own search is fast in any build.
            let mut ahead = there;
            let taken = std::io::BufRead::skip_until(&mut ahead, b'\n')?;
            let is_whole = there[..taken].ends_with(b"\n");
            length += taken;
            self.line.extend_from_slice(&there[..taken]);
            if length > LONGEST && self.line.len() > HEAD + TAIL {
                let end = self.line.len() - TAIL;
                self.line.drain(HEAD..end);
            }
            self.from.consume(taken);
            if is_whole {
                return Ok(Some(length));
            }
        }
    }
}

/// The error to answer a line with; none if it can be passed on.
fn wrong_with(line: &[u8], length: usize) -> Option<Value> {
    let (code, message) = if length > LONGEST {
        (-32600, format!("the message has {length} bytes; the limit is {LONGEST}"))
    } else if line.trim_ascii().is_empty() {
        return None;
    } else {
        match serde_json::from_slice::<Value>(line) {
            Ok(_) => return None,
            // Nothing of the message is repeated.
            Err(error) => {
                (-32700, format!("the message is not valid JSON, or nested too deeply (column {})", error.column()))
            }
        }
    };
    let id = id_of(line).or_else(|| if length > LONGEST { id_at_the_end(line) } else { None });
    Some(json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } }))
}

/// The id of a message, if it comes before the part that can't be read.
fn id_of(line: &[u8]) -> Option<Value> {
    let found = RefCell::new(Value::Null);
    let mut message = serde_json::Deserializer::from_slice(line);
    // What comes after the id may be anything.
    let _ = Id(&found).deserialize(&mut message);
    Some(found.into_inner()).filter(|id| !id.is_null())
}

/// The id of a message that ends with it: `…,"id":7}`.
fn id_at_the_end(line: &[u8]) -> Option<Value> {
    let line = line.trim_ascii_end().strip_suffix(b"}")?;
    let name = b"\"id\":";
    let at = line.windows(name.len()).rposition(|window| window == name)?;
    serde_json::from_slice(&line[at + name.len()..]).ok().filter(|id: &Value| id.is_number() || id.is_string())
}

/// Keeps the id of a message as soon as it is read.
struct Id<'a>(&'a RefCell<Value>);

impl<'de> DeserializeSeed<'de> for Id<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, message: D) -> Result<(), D::Error> {
        message.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Id<'_> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a message")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<(), A::Error> {
        while let Some(name) = fields.next_key::<String>()? {
            if name == "id" {
                let id: Value = fields.next_value()?;
                if id.is_number() || id.is_string() {
                    *self.0.borrow_mut() = id;
                }
                return Ok(());
            }
            fields.next_value::<IgnoredAny>()?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_is_found_before_and_after_what_cannot_be_read() {
        let deep = "[".repeat(1_000_000);
        for (line, expected) in [
            (format!("{{\"jsonrpc\":\"2.0\",\"id\":7,\"params\":{deep}"), json!(7)),
            (format!("{{\"params\":{deep}{},\"id\":\"a\"}}\n", "]".repeat(1_000_000)), json!("a")),
            (deep.clone(), Value::Null),
            ("{\"params\":{\"id\":3}".to_owned(), Value::Null),
        ] {
            let error = wrong_with(line.as_bytes(), line.len()).unwrap();
            assert_eq!((&error["id"], &error["error"]["code"]), (&expected, &json!(-32700)), "{}", line.len());
        }
        let long = format!("{{\"id\":9,\"params\":\"{}", "x".repeat(TAIL));
        let error = wrong_with(long.as_bytes(), LONGEST + 1).unwrap();
        assert_eq!((&error["id"], &error["error"]["code"]), (&json!(9), &json!(-32600)));
        let ends = wrong_with(b"{\"params\":\"xxx xxx\"},\"jsonrpc\":\"2.0\",\"id\":10}\n", LONGEST + 1).unwrap();
        assert_eq!(ends["id"], 10);
        assert_eq!(wrong_with(b"{\"id\":1}\n", 9), None);
    }
}

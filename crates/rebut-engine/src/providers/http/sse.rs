//! Server-sent events, read from bytes as they come: half lines, half characters and half events are waited for.
//!
//! Of <https://html.spec.whatwg.org/multipage/server-sent-events.html> what model services use: `data`, in lines that end
//! with a line feed. Names and ids say nothing that the data does not. The length of a line and of an event is limited.

use rebut_core::debate::{Cause, Failure};

/// The longest line, and the longest event, that is waited for.
const LONGEST: usize = 4 << 20;

#[derive(Debug, Default)]
pub(super) struct Events {
    /// The line that has not ended yet.
    line: Vec<u8>,
    data: Option<String>,
}

impl Events {
    /// Takes bytes, and gives the data of the events that are whole with them.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Result<Vec<String>, Failure> {
        let mut events = Vec::new();
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            if self.line.len() + part.len() > LONGEST {
                return Err(endless());
            }
            self.line.extend_from_slice(part);
            if part.ends_with(b"\n") {
                let line = std::mem::take(&mut self.line);
                let line = std::str::from_utf8(&line).map_err(|_| Failure::unparsable("sse", "not_utf8"))?;
                events.extend(self.end_line(line.trim_end_matches(['\r', '\n']).trim_start_matches('\u{feff}'))?);
            }
        }
        Ok(events)
    }

    /// Takes a whole line; an empty one ends an event.
    fn end_line(&mut self, line: &str) -> Result<Option<String>, Failure> {
        if line.is_empty() {
            return Ok(self.data.take());
        }
        if let Some(value) = line.strip_prefix("data:") {
            let value = value.strip_prefix(' ').unwrap_or(value);
            let data = match self.data.take() {
                Some(before) => before + "\n" + value,
                None => value.to_owned(),
            };
            if data.len() > LONGEST {
                return Err(endless());
            }
            self.data = Some(data);
        }
        Ok(None)
    }
}

fn endless() -> Failure {
    Failure::new(Cause::TooLarge, "a line of the stream does not end")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(bytes: &[u8], size: usize) -> Result<Vec<String>, Cause> {
        let mut events = Events::default();
        let parts: Result<Vec<_>, _> = bytes.chunks(size.max(1)).map(|part| events.take(part)).collect();
        parts.map(|parts| parts.concat()).map_err(|failure| failure.cause)
    }

    #[test]
    fn events_are_the_same_however_the_bytes_are_cut() {
        let text = "\u{feff}: hello\r\nevent: a\r\ndata: ä 漢\r\ndata:  two\r\n\r\ndata:\n\nid: 3\ndata: x\n\ndata: half";
        for size in 1..=text.len() {
            assert_eq!(read(text.as_bytes(), size).unwrap(), ["ä 漢\n two", "", "x"], "{size}");
        }
    }

    #[test]
    fn an_event_of_ever_more_lines_does_not_end() {
        let many = "data: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n".repeat(100_000);
        assert_eq!(read(many.as_bytes(), 1 << 16), Err(Cause::TooLarge));
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused_the_same_way_however_they_are_cut(
            bytes in proptest::collection::vec(prop_oneof![Just(b'\n'), Just(b'\r'), Just(b':'), any::<u8>()], 0..200),
            size in 1_usize..50,
        ) {
            prop_assert_eq!(read(&bytes, size), read(&bytes, 1));
        }
    }
}

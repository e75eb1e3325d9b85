//! Server-sent events, read from bytes as they come: half lines, half characters and half events are waited for.
//!
//! Of <https://html.spec.whatwg.org/multipage/server-sent-events.html> what model services use: `data` and `event`.
//! The length of a line is limited.

/// The longest line that is waited for.
const LONGEST_LINE: usize = 4 << 20;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Event {
    /// Its name, empty if it has none.
    pub(super) name: String,
    pub(super) data: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    EndlessLine,
    /// A line is not UTF-8.
    NotText,
}

#[derive(Debug, Default)]
pub(super) struct Events {
    /// The line that has not ended yet.
    line: Vec<u8>,
    event: Event,
    has_data: bool,
    /// Whether the last byte was a carriage return, whose line feed may come with the next bytes.
    after_return: bool,
    began: bool,
}

impl Events {
    /// Takes bytes, and gives the events that are whole with them.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Result<Vec<Event>, Fault> {
        let mut events = Vec::new();
        let mut rest = bytes;
        while !rest.is_empty() {
            if std::mem::take(&mut self.after_return) && rest[0] == b'\n' {
                rest = &rest[1..];
                continue;
            }
            let end = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            let (part, after) = end.map_or((rest, &[][..]), |end| (&rest[..end], &rest[end + 1..]));
            if self.line.len() + part.len() > LONGEST_LINE {
                return Err(Fault::EndlessLine);
            }
            self.line.extend_from_slice(part);
            if let Some(end) = end {
                self.after_return = rest[end] == b'\r';
                let line = std::mem::take(&mut self.line);
                events.extend(self.end_line(&line)?);
            }
            rest = after;
        }
        Ok(events)
    }

    /// Takes a whole line; an empty one ends an event.
    fn end_line(&mut self, line: &[u8]) -> Result<Option<Event>, Fault> {
        let line = std::str::from_utf8(line).map_err(|_| Fault::NotText)?;
        let line = if std::mem::replace(&mut self.began, true) { line } else { line.trim_start_matches('\u{feff}') };
        if line.is_empty() {
            let event = std::mem::take(&mut self.event);
            return Ok(std::mem::take(&mut self.has_data).then_some(event));
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => {
                if std::mem::replace(&mut self.has_data, true) {
                    self.event.data.push('\n');
                }
                if self.event.data.len() + value.len() > LONGEST_LINE {
                    return Err(Fault::EndlessLine);
                }
                self.event.data.push_str(value);
            }
            "event" => value.clone_into(&mut self.event.name),
            // Comments keep a connection open; ids and times are for clients that come back.
            _ => {}
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn event(name: &str, data: &str) -> Event {
        Event { name: name.to_owned(), data: data.to_owned() }
    }

    fn read(bytes: &[u8], size: usize) -> Result<Vec<Event>, Fault> {
        let mut events = Events::default();
        let parts: Result<Vec<_>, _> = bytes.chunks(size.max(1)).map(|part| events.take(part)).collect();
        parts.map(|parts| parts.concat())
    }

    #[test]
    fn events_are_the_same_however_the_bytes_are_cut() {
        let text = "\u{feff}: hello\r\nevent: a\r\ndata: ä 漢\r\ndata:  two\r\n\r\ndata\n\nid: 3\nretry: 5\rdata: x\r\r";
        let expected = vec![event("a", "ä 漢\n two"), event("", ""), event("", "x")];
        for size in 1..=text.len() {
            assert_eq!(read(text.as_bytes(), size).unwrap(), expected, "{size}");
        }
    }

    #[test]
    fn an_event_that_does_not_end_is_none() {
        assert_eq!(read(b"data: whole\n\nevent: x\ndata: half", 7).unwrap(), [event("", "whole")]);
        assert_eq!(read(b"event: without data\n\n", 9).unwrap(), []);
    }

    #[test]
    fn a_line_that_never_ends_is_a_fault() {
        let mut events = Events::default();
        let part = vec![b'x'; 1 << 20];
        let fault = (0..64).find_map(|_| events.take(&part).err());
        assert_eq!(fault, Some(Fault::EndlessLine));
        let many = "data: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n".repeat(100_000);
        assert_eq!(read(many.as_bytes(), 1 << 16), Err(Fault::EndlessLine));
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

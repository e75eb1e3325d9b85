//! Decodes UTF-8 that arrives in pieces: a character is passed on once it is complete.

#[derive(Default)]
pub(crate) struct Utf8Stream {
    pending: Vec<u8>,
}

impl Utf8Stream {
    /// Adds bytes and returns the characters that are now complete. Invalid bytes are replaced.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> String {
        self.pending.extend_from_slice(bytes);
        let mut text = String::new();
        loop {
            match std::str::from_utf8(&self.pending) {
                Ok(complete) => {
                    text.push_str(complete);
                    self.pending.clear();
                    return text;
                }
                Err(error) => {
                    text.push_str(&String::from_utf8_lossy(&self.pending[..error.valid_up_to()]));
                    let Some(invalid) = error.error_len() else {
                        self.pending.drain(..error.valid_up_to());
                        return text;
                    };
                    text.push(char::REPLACEMENT_CHARACTER);
                    self.pending.drain(..error.valid_up_to() + invalid);
                }
            }
        }
    }

    /// Replaces an incomplete character at the end.
    pub(crate) fn finish(self) -> String {
        String::from_utf8_lossy(&self.pending).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::Utf8Stream;

    #[test]
    fn characters_wait_until_they_are_complete() {
        let mut stream = Utf8Stream::default();
        let bytes = "a€🎉".as_bytes();
        let pieces: Vec<String> = bytes.iter().map(|byte| stream.push(&[*byte])).collect();
        assert_eq!(pieces, ["a", "", "", "€", "", "", "", "🎉"]);
        assert_eq!(stream.finish(), "");
    }

    #[test]
    fn invalid_bytes_are_replaced() {
        let mut stream = Utf8Stream::default();
        assert_eq!(stream.push(b"a\xffb\xe2"), "a\u{fffd}b");
        assert_eq!(stream.push(b"c"), "\u{fffd}c");
        assert_eq!(stream.push(b"\xf0\x9f"), "");
        assert_eq!(stream.finish(), "\u{fffd}");
    }
}

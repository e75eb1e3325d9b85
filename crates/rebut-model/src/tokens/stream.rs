//! A text that arrives in pieces of bytes: whole characters are passed on, halves wait.

/// Bytes on their way to being text.
#[derive(Debug, Default)]
pub(crate) struct TextStream {
    waiting: Vec<u8>,
}

impl TextStream {
    /// Takes bytes and gives what has become whole characters. Bytes that can never become any are replaced.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> String {
        self.waiting.extend_from_slice(bytes);
        let mut text = String::new();
        loop {
            match std::str::from_utf8(&self.waiting) {
                Ok(whole) => {
                    text.push_str(whole);
                    self.waiting.clear();
                    return text;
                }
                Err(error) => {
                    text.push_str(&String::from_utf8_lossy(&self.waiting[..error.valid_up_to()]));
                    let Some(wrong) = error.error_len() else {
                        self.waiting.drain(..error.valid_up_to());
                        return text;
                    };
                    text.push(char::REPLACEMENT_CHARACTER);
                    self.waiting.drain(..error.valid_up_to() + wrong);
                }
            }
        }
    }

    /// What is left at the end: half a character is replaced.
    pub(crate) fn finish(self) -> String {
        String::from_utf8_lossy(&self.waiting).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::TextStream;

    #[test]
    fn characters_wait_until_they_are_whole() {
        let mut stream = TextStream::default();
        let bytes = "a€🎉".as_bytes();
        let pieces: Vec<String> = bytes.iter().map(|byte| stream.push(&[*byte])).collect();
        assert_eq!(pieces, ["a", "", "", "€", "", "", "", "🎉"]);
        assert_eq!(stream.finish(), "");
    }

    #[test]
    fn bytes_that_are_no_text_are_replaced() {
        let mut stream = TextStream::default();
        assert_eq!(stream.push(b"a\xffb\xe2"), "a\u{fffd}b");
        assert_eq!(stream.push(b"c"), "\u{fffd}c");
        assert_eq!(stream.push(b"\xf0\x9f"), "");
        assert_eq!(stream.finish(), "\u{fffd}");
    }
}

//! The head of a GGUF file: that it is one, and the little that people want to know of it.
//!
//! Tensors and tokenizer belong to whoever runs the model; here it is only told from a web page or half a file, and its
//! licence, architecture and context are read, which its makers wrote into it.

use std::io::{self, Read};

/// What the head of a file says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Head {
    /// The kind of model, such as `llama`.
    pub(super) architecture: Option<String>,
    /// Its licence, as its makers wrote it.
    pub(super) licence: Option<String>,
    /// How many tokens it can keep in mind.
    pub(super) context: Option<u64>,
}

/// The first bytes of every file of the kind.
pub(super) const MAGIC: [u8; 4] = *b"GGUF";

/// How much of a file is read at most. The largest part of a head is the vocabulary, a few megabytes.
const MOST_BYTES: u64 = 256 * 1024 * 1024;
/// The longest text that is kept.
const LONGEST_TEXT: u64 = 256;
/// How deep arrays may stand in each other.
const DEEPEST: u32 = 4;

/// Reads the head; the error says what is wrong, in words that follow "the file".
pub(super) fn read(file: impl Read) -> Result<Head, String> {
    let mut reader = Reader { file: file.take(MOST_BYTES) };
    reader.head().map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => "ends in the middle of its head".to_owned(),
        io::ErrorKind::InvalidData => error.to_string(),
        _ => format!("cannot be read: {error}"),
    })
}

struct Reader<R> {
    file: io::Take<R>,
}

/// A value of which something is kept.
enum Value {
    Text(String),
    Number(u64),
    Other,
}

impl<R: Read> Reader<R> {
    fn head(&mut self) -> io::Result<Head> {
        if self.bytes::<4>()? != MAGIC {
            return Err(wrong("is no GGUF file"));
        }
        let version = u32::from_le_bytes(self.bytes()?);
        if !matches!(version, 2 | 3) {
            return Err(wrong(&format!("is of GGUF version {version}; 2 and 3 can be read")));
        }
        let _tensors = self.number()?;
        let entries = self.number()?;
        let mut head = Head::default();
        let mut contexts = Vec::new();
        for _ in 0..entries {
            let key = self.text()?;
            let kind = u32::from_le_bytes(self.bytes()?);
            match (key.as_str(), self.value(kind, 0)?) {
                ("general.architecture", Value::Text(text)) => head.architecture = Some(text),
                ("general.license", Value::Text(text)) => head.licence = Some(text),
                (key, Value::Number(number)) if key.ends_with(".context_length") => contexts.push((key.to_owned(), number)),
                _ => {}
            }
            let own = head.architecture.as_ref().map(|architecture| format!("{architecture}.context_length"));
            head.context = contexts.iter().find(|(key, _)| Some(key) == own.as_ref()).map(|(_, number)| *number);
        }
        Ok(head)
    }

    fn value(&mut self, kind: u32, depth: u32) -> io::Result<Value> {
        match kind {
            4 => Ok(Value::Number(u32::from_le_bytes(self.bytes()?).into())),
            10 => Ok(Value::Number(self.number()?)),
            8 => Ok(Value::Text(self.text()?)),
            9 if depth < DEEPEST => {
                let kind = u32::from_le_bytes(self.bytes()?);
                let count = self.number()?;
                if let Some(width) = width(kind) {
                    self.skip(count.checked_mul(width).ok_or_else(|| wrong("has an array without end in its head"))?)?;
                } else {
                    for _ in 0..count {
                        self.value(kind, depth + 1)?;
                    }
                }
                Ok(Value::Other)
            }
            kind => {
                self.skip(width(kind).ok_or_else(|| wrong(&format!("has a value of unknown kind {kind} in its head")))?)?;
                Ok(Value::Other)
            }
        }
    }

    /// A text, of which the beginning is kept.
    fn text(&mut self) -> io::Result<String> {
        let length = self.number()?;
        let kept = length.min(LONGEST_TEXT);
        let mut bytes = vec![0; usize::try_from(kept).unwrap_or(0)];
        self.file.read_exact(&mut bytes)?;
        self.skip(length - kept)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn number(&mut self) -> io::Result<u64> {
        Ok(u64::from_le_bytes(self.bytes()?))
    }

    fn bytes<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let mut bytes = [0; N];
        self.file.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    fn skip(&mut self, count: u64) -> io::Result<()> {
        let skipped = io::copy(&mut self.file.by_ref().take(count), &mut io::sink())?;
        if skipped == count { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }
}

/// How many bytes a value of a kind takes, where that is always the same.
fn width(kind: u32) -> Option<u64> {
    match kind {
        0 | 1 | 7 => Some(1),
        2 | 3 => Some(2),
        4..=6 => Some(4),
        10..=12 => Some(8),
        _ => None,
    }
}

fn wrong(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.to_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn text(text: &str) -> Vec<u8> {
        [&(text.len() as u64).to_le_bytes(), text.as_bytes()].concat()
    }

    fn entry(key: &str, kind: u32, value: &[u8]) -> Vec<u8> {
        [text(key), kind.to_le_bytes().to_vec(), value.to_vec()].concat()
    }

    fn file(version: u32, entries: &[Vec<u8>]) -> Vec<u8> {
        let counts = [0_u64.to_le_bytes(), (entries.len() as u64).to_le_bytes()].concat();
        [MAGIC.to_vec(), version.to_le_bytes().to_vec(), counts, entries.concat()].concat()
    }

    fn whole() -> Vec<u8> {
        let words = [8_u32.to_le_bytes().to_vec(), 2_u64.to_le_bytes().to_vec(), text("a"), text("b")].concat();
        let scores = [6_u32.to_le_bytes().to_vec(), 2_u64.to_le_bytes().to_vec(), vec![0; 8]].concat();
        let entries = [
            entry("llama.context_length", 4, &8192_u32.to_le_bytes()),
            entry("other.context_length", 4, &1_u32.to_le_bytes()),
            entry("general.architecture", 8, &text("llama")),
            entry("tokenizer.ggml.tokens", 9, &words),
            entry("tokenizer.ggml.scores", 9, &scores),
            entry("some.flag", 7, &[1]),
            entry("general.license", 8, &text("apache-2.0")),
        ];
        file(3, &entries)
    }

    #[test]
    fn what_people_want_to_know_is_read_whatever_stands_between() {
        let head = read(whole().as_slice()).unwrap();
        let expected =
            Head { architecture: Some("llama".to_owned()), licence: Some("apache-2.0".to_owned()), context: Some(8192) };
        assert_eq!(head, expected);
        assert_eq!(read(file(2, &[]).as_slice()).unwrap(), Head::default());
    }

    #[test]
    fn what_is_no_such_file_is_told() {
        let fault = |bytes: &[u8]| read(bytes).unwrap_err();
        assert_eq!(fault(b"<!doctype html><html>"), "is no GGUF file");
        assert_eq!(fault(b""), "ends in the middle of its head");
        assert_eq!(fault(&file(1, &[])), "is of GGUF version 1; 2 and 3 can be read");
        assert_eq!(fault(&file(3_u32.swap_bytes(), &[])), "is of GGUF version 50331648; 2 and 3 can be read");
        assert_eq!(fault(&file(3, &[entry("a", 99, &[])])), "has a value of unknown kind 99 in its head");
        let endless = [10_u32.to_le_bytes().to_vec(), u64::MAX.to_le_bytes().to_vec()].concat();
        assert_eq!(fault(&file(3, &[entry("a", 9, &endless)])), "has an array without end in its head");
        let nested: Vec<u8> = std::iter::repeat_n([9_u32.to_le_bytes().to_vec(), 1_u64.to_le_bytes().to_vec()].concat(), 50)
            .flatten()
            .collect();
        assert_eq!(fault(&file(3, &[entry("a", 9, &nested)])), "has a value of unknown kind 9 in its head");
    }

    #[test]
    fn a_file_that_ends_anywhere_in_its_head_is_refused() {
        let whole = whole();
        for end in 0..whole.len() {
            assert!(read(&whole[..end]).is_err(), "{end}");
        }
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_fail_otherwise_than_with_words(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = read([file(3, &[]), bytes.clone()].concat().as_slice());
            let mut counted = file(3, &[]);
            counted[16] = 3;
            let _ = read([counted, bytes].concat().as_slice());
        }
    }
}

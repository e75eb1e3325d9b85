//! The form of a pack: one file that holds the content of all files.
//!
//! ```text
//! magic      8 bytes    "rebutpin"
//! contents   one after another, without anything between them
//! manifest   facts as JSON, behind their length; then the entries, sorted by path:
//!              kind       1 byte     0 file, 1 executable, 2 link, 16 and above: content left out, and why
//!              path       4 bytes of length, then its bytes, with "/" between its parts
//!              size       8 bytes
//!              offset     8 bytes    0 where the content is left out
//!              hash       32 bytes   BLAKE3 of the content; zeros where it is left out
//! footer     offset of the manifest 8, number of entries 8, BLAKE3 of the manifest 32, version 4, magic 8
//! ```
//!
//! Numbers are little-endian. The file's name is the BLAKE3 of all its bytes. Opening it checks the manifest against its
//! hash, and reading checks each content against its own, so that nothing is trusted and little is read.

use super::files::Place;
use super::{Entry, Facts, Kind, Why};

pub(super) const MAGIC: &[u8; 8] = b"rebutpin";
pub(super) const VERSION: u32 = 1;
pub(super) const FOOTER: usize = 8 + 8 + 32 + 4 + 8;

/// What stands for a reason. The numbers are on disk and never change.
const WHYS: [(Why, u8); 5] =
    [(Why::Binary, 16), (Why::TooLarge, 17), (Why::Unreadable, 18), (Why::Special, 19), (Why::Unfetched, 20)];

/// The end of a pack.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Footer {
    pub(super) offset: u64,
    pub(super) entries: u64,
    pub(super) hash: [u8; 32],
    pub(super) version: u32,
}

impl Footer {
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(FOOTER);
        bytes.extend(self.offset.to_le_bytes());
        bytes.extend(self.entries.to_le_bytes());
        bytes.extend(self.hash);
        bytes.extend(self.version.to_le_bytes());
        bytes.extend(MAGIC);
        bytes
    }

    /// Reads a footer; `None` where there is none.
    pub(super) fn decode(bytes: &[u8; FOOTER]) -> Option<Self> {
        let mut bytes = Bytes(bytes);
        let (offset, entries, hash) = (bytes.u64()?, bytes.u64()?, bytes.array()?);
        let footer = Self { offset, entries, hash, version: bytes.u32()? };
        (bytes.0 == MAGIC).then_some(footer)
    }
}

/// The facts and the entries, as they stand in the file.
pub(super) fn encode(facts: &Facts, entries: &[Entry]) -> Result<Vec<u8>, serde_json::Error> {
    let facts = serde_json::to_vec(facts)?;
    let mut bytes = Vec::with_capacity(facts.len() + entries.len() * 96);
    with_length(&mut bytes, &facts);
    for entry in entries {
        bytes.push(match entry.kind {
            Kind::File { executable: false } => 0,
            Kind::File { executable: true } => 1,
            Kind::Link => 2,
            Kind::Left(why) => WHYS.iter().find(|(known, _)| *known == why).map_or(u8::MAX, |(_, number)| *number),
        });
        with_length(&mut bytes, entry.bytes());
        bytes.extend(entry.size.to_le_bytes());
        bytes.extend(entry.place.offset.to_le_bytes());
        bytes.extend(entry.place.hash);
    }
    Ok(bytes)
}

fn with_length(bytes: &mut Vec<u8>, what: &[u8]) {
    // Paths and facts are far from 4 GiB: the system and the limits see to that.
    bytes.extend(u32::try_from(what.len()).unwrap_or(u32::MAX).to_le_bytes());
    bytes.extend(what);
}

/// Reads a manifest that belongs to contents of this length; the error is the rest of a sentence about the file.
pub(super) fn decode(bytes: &[u8], footer: &Footer) -> Result<(Facts, Vec<Entry>), &'static str> {
    let mut bytes = Bytes(bytes);
    let facts = bytes.counted().ok_or("has a manifest that ends too early")?;
    let facts = serde_json::from_slice(facts).map_err(|_| "has facts that cannot be read")?;
    let mut entries: Vec<Entry> = Vec::new();
    for _ in 0..footer.entries {
        let entry = bytes.entry().ok_or("has a manifest that ends too early")?;
        if !is_inside(entry.bytes()) {
            return Err("names a file outside of the workspace");
        }
        if entries.last().is_some_and(|before| before.bytes() >= entry.bytes()) {
            return Err("has a manifest that is not in order");
        }
        let ends = entry.place.offset.checked_add(entry.size);
        let kept = !matches!(entry.kind, Kind::Left(_));
        if kept && (entry.place.offset < MAGIC.len() as u64 || ends.is_none_or(|end| end > footer.offset)) {
            return Err("names contents that are not in it");
        }
        entries.push(entry);
    }
    if bytes.0.is_empty() { Ok((facts, entries)) } else { Err("has more in its manifest than it says") }
}

/// Whether a path is one that stays below a folder, as every path in a manifest does.
fn is_inside(path: &[u8]) -> bool {
    !path.contains(&0) && path.split(|byte| *byte == b'/').all(|part| !matches!(part, b"" | b"." | b".."))
}

/// What is left to be read.
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    fn counted(&mut self) -> Option<&'a [u8]> {
        let length = self.u32()?;
        self.take(usize::try_from(length).ok()?)
    }

    fn entry(&mut self) -> Option<Entry> {
        let kind = match self.array::<1>()?[0] {
            0 => Kind::File { executable: false },
            1 => Kind::File { executable: true },
            2 => Kind::Link,
            number => Kind::Left(WHYS.iter().find(|(_, known)| *known == number).map_or(Why::Other, |(why, _)| *why)),
        };
        let path = self.counted()?.to_vec();
        let mut entry = Entry::new(path, kind, self.u64()?);
        entry.place = Place { offset: self.u64()?, hash: self.array()? };
        Some(entry)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::workspace::pin::Source;

    fn footer(entries: u64) -> Footer {
        Footer { offset: 100, entries, hash: [7; 32], version: VERSION }
    }

    fn entry(path: &[u8], kind: Kind, size: u64) -> Entry {
        let mut entry = Entry::new(path.to_vec(), kind, size);
        entry.place.offset = 8;
        entry
    }

    #[test]
    fn what_is_written_is_read_again() {
        let facts = Facts::new(Source::Git);
        let mut entries = vec![
            entry(b"a", Kind::File { executable: false }, 92),
            entry(b"b/\xff", Kind::File { executable: true }, 0),
            entry(b"c", Kind::Link, 3),
        ];
        entries.extend(WHYS.iter().zip(b"defgh").map(|((why, _), name)| entry(&[*name], Kind::Left(*why), 1 << 40)));
        let bytes = encode(&facts, &entries).unwrap();
        assert_eq!(decode(&bytes, &footer(8)), Ok((facts, entries)));
        let end: [u8; FOOTER] = footer(8).encode().try_into().unwrap();
        assert_eq!(Footer::decode(&end), Some(footer(8)));
    }

    #[test]
    fn a_manifest_that_cannot_be_true_is_refused() {
        let file = Kind::File { executable: false };
        let refused = |entries: &[Entry]| {
            let bytes = encode(&Facts::new(Source::Git), entries).unwrap();
            decode(&bytes, &footer(entries.len() as u64)).unwrap_err()
        };
        for path in [&b"../a"[..], b"/a", b"a//b", b"", b"a/..", b"a\0b", b"./a"] {
            assert_eq!(refused(&[entry(path, file, 0)]), "names a file outside of the workspace", "{path:?}");
        }
        assert_eq!(refused(&[entry(b"a", file, 93)]), "names contents that are not in it");
        assert_eq!(refused(&[entry(b"a", file, u64::MAX)]), "names contents that are not in it");
        assert_eq!(refused(&[entry(b"b", file, 0), entry(b"a", file, 0)]), "has a manifest that is not in order");
        assert_eq!(refused(&[entry(b"a", file, 0), entry(b"a", file, 0)]), "has a manifest that is not in order");
        let bytes = encode(&Facts::new(Source::Git), &[entry(b"a", file, 0)]).unwrap();
        assert_eq!(decode(&bytes, &footer(2)).unwrap_err(), "has a manifest that ends too early");
        assert_eq!(decode(&bytes, &footer(0)).unwrap_err(), "has more in its manifest than it says");
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..300), entries in 0..5_u64) {
            // That it comes back at all is what is tested: no panic, and no memory taken for a number that was read.
            let _ = decode(&bytes, &footer(entries));
            let facts = br#"{"source":"git"}"#;
            let mut whole = Vec::new();
            with_length(&mut whole, facts);
            whole.extend(&bytes);
            let _ = decode(&whole, &footer(u64::MAX));
        }
    }
}

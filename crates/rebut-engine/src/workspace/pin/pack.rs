//! The pack: one blob with the content of all files, named by the BLAKE3 of its bytes.
//!
//! ```text
//! contents   one after another, without anything between them
//! manifest   JSON: the facts, and the entries sorted by path
//! trailer    48 bytes: length of the manifest (8, little-endian), BLAKE3 of it (32), "rebutpin" (8)
//! ```
//!
//! Opening a pack checks the manifest, and reading checks each content against its own hash: a damaged pack never answers
//! with something else than what was pinned.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::survey::Reader;
use super::walker::FileRead;
use super::{Content, Entry, Facts, Files, Kind, PathError, PinError, ReadError, Survey, Why};
use crate::store::files::{create_folder, private_file, sync_folder};

const MAGIC: &[u8; 8] = b"rebutpin";
const TRAILER: usize = 8 + 32 + MAGIC.len();

/// The name of a pack that is being written. A debate has one writer, and what a crash leaves is overwritten.
const UNFINISHED: &str = "pin.part";

#[derive(Serialize, Deserialize)]
struct Manifest {
    facts: Facts,
    entries: Vec<Entry>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packed {
    /// Its hash, which is its name in the folder.
    pub hash: String,
    pub facts: Facts,
}

impl Survey {
    /// Writes the content of all files into one file below `folder`, named by its hash. When this returns, it has reached
    /// the disk; the journal syncs the folder above.
    ///
    /// A file that is gone by now is left out, one that changes meanwhile is taken as it was read; the facts count them.
    pub fn pack(self, folder: &Path) -> Result<Packed, PinError> {
        create_folder(folder).map_err(PathError::at("create", folder))?;
        let unfinished = folder.join(UNFINISHED);
        let packed = self.write(&unfinished).and_then(|packed| {
            let path = folder.join(&packed.hash);
            fs::rename(&unfinished, &path).map_err(PathError::at("create", &path))?;
            sync_folder(folder).map_err(PathError::at("sync", folder))?;
            Ok(packed)
        });
        packed.inspect_err(|_| {
            // The error is reported; half a pack must not stay behind either way.
            let _ = fs::remove_file(&unfinished);
        })
    }

    fn write(mut self, path: &Path) -> Result<Packed, PinError> {
        let failed = || PathError::at("write", path);
        let file = private_file().write(true).create(true).truncate(true).open(path).map_err(failed())?;
        let (mut out, mut hasher) = (BufWriter::with_capacity(256 * 1024, file), blake3::Hasher::new());
        let mut put = |bytes: &[u8]| {
            hasher.update(bytes);
            out.write_all(bytes).map_err(failed())
        };
        let mut reader = Reader::of(&self)?;
        let mut facts = self.facts.clone();
        (facts.files, facts.bytes) = (0, 0);
        let mut entries = Vec::with_capacity(self.entries.len());
        for mut entry in std::mem::take(&mut self.entries) {
            if !matches!(entry.kind, Kind::Left(_)) {
                match reader.read(&self, &entry)? {
                    FileRead::Text { unsteady } => {
                        if unsteady {
                            facts.leave_out(Why::Unsteady, entry.bytes());
                        }
                        entry.size = reader.buffer.len() as u64;
                        entry.hash = short_hash(&reader.buffer);
                        facts.bytes += entry.size;
                        if facts.bytes > self.limits.bytes {
                            return Err(PinError::TooLarge { most: self.limits.bytes });
                        }
                        put(&reader.buffer)?;
                    }
                    FileRead::Left(why, size) => {
                        facts.leave_out(why, entry.bytes());
                        if why == Why::Vanished {
                            continue;
                        }
                        (entry.kind, entry.size) = (Kind::Left(why), size);
                    }
                }
            }
            facts.files += 1;
            entries.push(entry);
        }
        let manifest = Manifest { facts, entries };
        let encoded = serde_json::to_vec(&manifest).map_err(|error| failed()(error.into()))?;
        let length = (encoded.len() as u64).to_le_bytes();
        for part in [&encoded[..], &length, blake3::hash(&encoded).as_bytes(), MAGIC] {
            put(part)?;
        }
        out.flush().and_then(|()| out.get_ref().sync_data()).map_err(failed())?;
        Ok(Packed { hash: hasher.finalize().to_hex().to_string(), facts: manifest.facts })
    }
}

/// The first bytes of the BLAKE3: enough to tell damage.
fn short_hash(bytes: &[u8]) -> u64 {
    number(blake3::hash(bytes).as_bytes())
}

fn number(bytes: &[u8]) -> u64 {
    bytes.first_chunk().map_or(0, |first| u64::from_le_bytes(*first))
}

/// A pinned workspace, open for reading.
#[derive(Debug)]
pub struct Pin {
    file: File,
    facts: Facts,
    entries: Vec<Entry>,
}

impl Pin {
    /// Opens a pack. Its manifest is checked; contents are when they are read.
    pub fn open(path: &Path) -> Result<Self, PinError> {
        let damaged = |what| PinError::Damaged { path: path.to_owned(), what };
        let failed = || PathError::at("read", path);
        let file = File::open(path).map_err(failed())?;
        let length = file.metadata().map_err(failed())?.len();
        let trailer_at = length.checked_sub(TRAILER as u64).ok_or_else(|| damaged("is cut off"))?;
        let mut trailer = [0; TRAILER];
        file.read_exact_at(&mut trailer, trailer_at).map_err(failed())?;
        let (manifest_length, rest) = trailer.split_at(8);
        let (hash, magic) = rest.split_at(32);
        if magic != MAGIC {
            return Err(damaged("is not a pinned workspace, or is cut off"));
        }
        let manifest_length = number(manifest_length);
        let outside = || damaged("has a manifest outside of itself");
        let manifest_at = trailer_at.checked_sub(manifest_length).ok_or_else(outside)?;
        let mut encoded = vec![0; usize::try_from(manifest_length).map_err(|_| outside())?];
        file.read_exact_at(&mut encoded, manifest_at).map_err(failed())?;
        if blake3::hash(&encoded).as_bytes() != hash {
            return Err(damaged("has a manifest that was changed"));
        }
        let manifest = serde_json::from_slice(&encoded).map_err(|_| damaged("has a manifest that can't be read"))?;
        let Manifest { facts, mut entries } = manifest;
        if !entries.is_sorted_by(|one, next| one.bytes() < next.bytes()) {
            return Err(damaged("has a manifest that is not in order"));
        }
        if !entries.iter().all(|entry| is_inside(entry.path())) {
            return Err(damaged("names a file outside of the workspace"));
        }
        let mut offset: u64 = 0;
        for entry in entries.iter_mut().filter(|entry| !matches!(entry.kind, Kind::Left(_))) {
            entry.offset = offset;
            offset = offset.saturating_add(entry.size);
        }
        if offset != manifest_at {
            return Err(damaged("does not hold what its manifest names"));
        }
        Ok(Self { file, facts, entries })
    }

    pub fn facts(&self) -> &Facts {
        &self.facts
    }
}

impl Files for Pin {
    fn entries(&self) -> &[Entry] {
        &self.entries
    }

    fn content(&self, entry: &Entry) -> Result<Content, ReadError> {
        if let Kind::Left(why) = entry.kind {
            return Err(ReadError::Left(why));
        }
        let mut bytes = vec![0; usize::try_from(entry.size).map_err(|_| ReadError::Damaged)?];
        self.file.read_exact_at(&mut bytes, entry.offset)?;
        if short_hash(&bytes) != entry.hash {
            return Err(ReadError::Damaged);
        }
        Ok(Content { bytes, changed_since: false })
    }

    fn listing(&self) -> Option<&Facts> {
        Some(&self.facts)
    }
}

/// Whether a path stays below a folder, as every path in a manifest does.
fn is_inside(path: &str) -> bool {
    !path.contains('\0') && path.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

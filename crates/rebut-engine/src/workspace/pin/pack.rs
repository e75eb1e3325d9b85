//! Writing a pack, and reading from it.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::files::{Place, from_here};
use super::inside::{self, Descent, Gist, is_missing};
use super::manifest::{self, FOOTER, Footer, MAGIC, VERSION};
use super::objects::Contents;
use super::survey::{Found, State, Survey};
use super::{Content, Entry, Facts, Files, Kind, Limits, PinError, ReadError, Why};
use crate::journal::{create_folder, private_file, sync, sync_folder};

/// The name of a pack that is being written. A debate has one writer, and what a crash leaves is written over.
const UNFINISHED: &str = "pin.part";

/// A pack that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packed {
    /// Its hash, which is its name in the folder.
    pub hash: String,
    /// What it holds.
    pub facts: Facts,
}

impl Survey {
    /// Writes the content of all files into one file below `folder`, under its hash. When this returns, it has reached
    /// the disk.
    ///
    /// A file that is gone by now is left out, one that changes meanwhile is taken as it was read; the facts count them.
    pub fn pack(self, folder: &Path) -> Result<Packed, PinError> {
        create_folder(folder).map_err(PinError::io("create", folder))?;
        let unfinished = folder.join(UNFINISHED);
        let packed = self.write(&unfinished).and_then(|packed| {
            let path = folder.join(&packed.hash);
            fs::rename(&unfinished, &path).map_err(PinError::io("create", &path))?;
            let above = folder.parent().unwrap_or(folder);
            for folder in [folder, above] {
                sync_folder(folder).map_err(PinError::io("sync", folder))?;
            }
            Ok(packed)
        });
        packed.inspect_err(|_| {
            // The error is reported; half a pack must not stay behind either way.
            let _ = fs::remove_file(&unfinished);
        })
    }

    fn write(self, path: &Path) -> Result<Packed, PinError> {
        let failed = || PinError::io("write", path);
        let Self { root, limits, repositories, found, mut facts } = self;
        let file = private_file().write(true).create(true).truncate(true).open(path).map_err(failed())?;
        let mut out = Out::new(file);
        out.put(MAGIC).map_err(failed())?;
        let mut reader = Reader::new(&root, repositories, limits)?;
        let mut entries = Vec::with_capacity(found.len());
        (facts.files, facts.bytes) = (0, 0);
        for found in found {
            let Some(mut entry) = reader.read(found, &mut facts)? else { continue };
            if !matches!(entry.kind, Kind::Left(_)) {
                let content = reader.content();
                entry.place = Place { offset: out.written, hash: blake3::hash(content).into() };
                entry.size = content.len() as u64;
                facts.bytes += entry.size;
                if facts.bytes > limits.bytes {
                    return Err(PinError::TooLarge { most: limits.bytes });
                }
                out.put(content).map_err(failed())?;
            }
            facts.files += 1;
            entries.push(entry);
        }
        let encoded = manifest::encode(&facts, &entries).map_err(|error| failed()(error.into()))?;
        let footer = Footer {
            offset: out.written,
            entries: entries.len() as u64,
            hash: blake3::hash(&encoded).into(),
            version: VERSION,
        };
        out.put(&encoded).map_err(failed())?;
        out.put(&footer.encode()).map_err(failed())?;
        Ok(Packed { hash: out.finish().map_err(failed())?, facts })
    }
}

/// A file that is hashed while it is written.
struct Out {
    file: BufWriter<File>,
    hasher: blake3::Hasher,
    written: u64,
}

impl Out {
    fn new(file: File) -> Self {
        Self { file: BufWriter::with_capacity(256 * 1024, file), hasher: blake3::Hasher::new(), written: 0 }
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.hasher.update(bytes);
        self.written += bytes.len() as u64;
        self.file.write_all(bytes)
    }

    fn finish(mut self) -> io::Result<String> {
        self.file.flush()?;
        sync(self.file.get_ref())?;
        Ok(self.hasher.finalize().to_hex().to_string())
    }
}

/// Reads what was found, one file after the other, through one buffer.
struct Reader {
    root: PathBuf,
    descent: Descent,
    contents: Contents,
    limits: Limits,
    buffer: Vec<u8>,
}

impl Reader {
    fn new(root: &Path, repositories: Vec<PathBuf>, limits: Limits) -> Result<Self, PinError> {
        let descent = Descent::from(root).map_err(PinError::io("open", root))?;
        Ok(Self { root: root.to_owned(), descent, contents: Contents::of(repositories), limits, buffer: Vec::new() })
    }

    /// What the entry that was read last holds.
    fn content(&self) -> &[u8] {
        &self.buffer
    }

    /// Reads one file; `None` where it is gone. What is to be said of it goes into the facts.
    fn read(&mut self, found: Found, facts: &mut Facts) -> Result<Option<Entry>, PinError> {
        let Found { path, state } = found;
        let gist = match state {
            // The survey has counted it.
            State::Left(why, size) => return Ok(Some(Entry::new(path, Kind::Left(why), size))),
            State::Link => match self.descent.target(&path) {
                Ok(target) => {
                    self.buffer = from_here(&self.root, &path, target);
                    return Ok(Some(Entry::new(path, Kind::Link, 0)));
                }
                Err(error) => Err(error),
            },
            State::File { .. } => self
                .descent
                .open(&path)
                .and_then(|mut file| inside::read(&mut file, self.limits.file_bytes, &mut self.buffer)),
            State::Object { repository, link, ref object, .. } => {
                let gist = self.contents.read(repository, object, self.limits.file_bytes, &mut self.buffer)?;
                if link && matches!(gist, Gist::Text { .. }) {
                    self.buffer = from_here(&self.root, &path, std::mem::take(&mut self.buffer));
                    return Ok(Some(Entry::new(path, Kind::Link, 0)));
                }
                Ok(gist)
            }
        };
        let executable = matches!(state, State::File { executable: true, .. } | State::Object { executable: true, .. });
        let (kind, size) = match gist {
            Ok(Gist::Text { unsteady }) => {
                if unsteady {
                    facts.leave_out(Why::Unsteady, &path);
                }
                (Kind::File { executable }, 0)
            }
            Ok(Gist::Left(why, size)) => {
                facts.leave_out(why, &path);
                (Kind::Left(why), size)
            }
            // A link that is none any more was replaced since it was seen, as was a file that is a link now.
            Err(error) if is_missing(&error) || error.kind() == io::ErrorKind::InvalidInput => {
                facts.leave_out(Why::Vanished, &path);
                return Ok(None);
            }
            Err(_) => {
                facts.leave_out(Why::Unreadable, &path);
                (Kind::Left(Why::Unreadable), 0)
            }
        };
        Ok(Some(Entry::new(path, kind, size)))
    }
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
        let failed = || PinError::io("read", path);
        let file = File::open(path).map_err(failed())?;
        let length = file.metadata().map_err(failed())?.len();
        let least = (MAGIC.len() + FOOTER) as u64;
        let footer_at =
            length.checked_sub(FOOTER as u64).filter(|_| length >= least).ok_or_else(|| damaged("is cut off"))?;
        let mut magic = [0; MAGIC.len()];
        read_at(&file, &mut magic, 0).map_err(failed())?;
        let mut footer = [0; FOOTER];
        read_at(&file, &mut footer, footer_at).map_err(failed())?;
        if magic != *MAGIC {
            return Err(damaged("is no pinned workspace"));
        }
        let footer = Footer::decode(&footer).ok_or_else(|| damaged("is cut off"))?;
        if footer.version != VERSION {
            return Err(PinError::Version { path: path.to_owned(), version: footer.version });
        }
        let length = footer_at.checked_sub(footer.offset).and_then(|length| usize::try_from(length).ok());
        let mut encoded = vec![0; length.ok_or_else(|| damaged("has a manifest outside of itself"))?];
        read_at(&file, &mut encoded, footer.offset).map_err(failed())?;
        if blake3::hash(&encoded) != footer.hash {
            return Err(damaged("has a manifest that was changed"));
        }
        let (facts, entries) = manifest::decode(&encoded, &footer).map_err(damaged)?;
        Ok(Self { file, facts, entries })
    }

    /// What it holds.
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
        read_at(&self.file, &mut bytes, entry.place.offset)?;
        if blake3::hash(&bytes) != entry.place.hash {
            return Err(ReadError::Damaged);
        }
        Ok(Content { bytes, changed_since: false })
    }

    fn is_live(&self) -> bool {
        false
    }

    fn listed_as(&self) -> Option<&Facts> {
        Some(&self.facts)
    }
}

#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, offset)
}

#[cfg(not(unix))]
fn read_at(file: &File, mut bytes: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        let read = std::os::windows::fs::FileExt::seek_read(file, bytes, offset)?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        bytes = &mut bytes[read..];
        offset += read as u64;
    }
    Ok(())
}

//! Reads a GGUF file's head: metadata and where each tensor lies. Knows nothing of what the numbers mean.
//!
//! Nothing in the file is believed before it is compared with the file's length, so that a broken or hostile file costs
//! no more memory than a small multiple of its bytes: a list of small numbers is kept in wider ones. Tensors are read one at a time into memory of our own: a file that is deleted or cut
//! while a debate runs then changes nothing, where a mapped file would end the process.

mod values;

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use crate::error::ModelError;
use crate::quant::Kind;
pub(crate) use values::Metadata;

/// An open file of weights whose head has been read.
#[derive(Debug)]
pub(crate) struct Gguf {
    path: PathBuf,
    file: File,
    length: u64,
    pub(crate) metadata: Metadata,
    pub(crate) tensors: HashMap<String, TensorInfo>,
}

/// Where a tensor lies and how its numbers are stored.
#[derive(Debug, Clone)]
pub(crate) struct TensorInfo {
    /// The fastest-running dimension first.
    pub(crate) shape: Vec<u64>,
    pub(crate) kind: Kind,
    offset: u64,
    /// How many bytes it takes in the file.
    pub(crate) bytes: u64,
}

const MAGIC: [u8; 4] = *b"GGUF";
const MAX_KEY: u64 = 1 << 16;
const DEFAULT_ALIGNMENT: u64 = 32;
/// A tensor's entry has at least a name's length, a count of dimensions, a type and an offset.
const SMALLEST_ENTRY: u64 = 8 + 4 + 4 + 8;

impl Gguf {
    /// Opens the file and reads its head.
    pub(crate) fn open(path: &Path) -> Result<Self, ModelError> {
        let unreadable = |source| ModelError::Read { path: path.to_owned(), source };
        let file = File::open(path).map_err(unreadable)?;
        let about = file.metadata().map_err(unreadable)?;
        if !about.is_file() {
            return Err(ModelError::NotGguf { path: path.to_owned() });
        }
        let length = about.len();
        let mut head = Head { reader: BufReader::with_capacity(1 << 16, file), path, length, position: 0 };

        if length < 4 || head.array::<4>("the file's mark")? != MAGIC {
            return Err(ModelError::NotGguf { path: path.to_owned() });
        }
        let version = head.u32("the version")?;
        if !(2..=3).contains(&version) {
            return Err(ModelError::Version { version });
        }
        let tensor_count = head.u64("the number of tensors")?;
        let value_count = head.u64("the number of metadata")?;
        if tensor_count > length / SMALLEST_ENTRY {
            return Err(head.truncated(format!("a list of {tensor_count} tensors")));
        }
        let metadata = values::read(&mut head, value_count)?;
        let alignment = match metadata.get("general.alignment") {
            None => DEFAULT_ALIGNMENT,
            Some(_) => metadata.u64("general.alignment")?,
        };
        if !alignment.is_power_of_two() || alignment > 1 << 20 {
            return Err(ModelError::bad("general.alignment", format!("{alignment} is no alignment")));
        }
        let mut tensors = HashMap::new();
        for _ in 0..tensor_count {
            let (name, info) = head.tensor()?;
            if tensors.insert(name.clone(), info).is_some() {
                return Err(ModelError::corrupt(format!("tensor `{name}` is there twice")));
            }
        }
        let data = head.position.next_multiple_of(alignment);
        for (name, tensor) in &mut tensors {
            tensor.offset = tensor.offset.saturating_add(data);
            if tensor.offset.checked_add(tensor.bytes).is_none_or(|end| end > length) {
                return Err(ModelError::Truncated { what: format!("tensor `{name}`"), length });
            }
        }
        let file = head.reader.into_inner();
        Ok(Self { path: path.to_owned(), file, length, metadata, tensors })
    }

    /// The file's length in bytes.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// A tensor by name.
    pub(crate) fn tensor(&self, name: &str) -> Result<&TensorInfo, ModelError> {
        self.tensors.get(name).ok_or_else(|| ModelError::MissingTensor { name: name.to_owned() })
    }

    /// Reads a part of a tensor's bytes into `out`, which must not reach beyond the tensor.
    pub(crate) fn read(&mut self, tensor: &TensorInfo, from: u64, out: &mut [u8]) -> Result<(), ModelError> {
        debug_assert!(from + out.len() as u64 <= tensor.bytes);
        self.file
            .seek(SeekFrom::Start(tensor.offset + from))
            .and_then(|_| self.file.read_exact(out))
            .map_err(|source| ModelError::Read { path: self.path.clone(), source })
    }
}

/// The head while it is being read: no read goes beyond the file's length.
struct Head<'a> {
    reader: BufReader<File>,
    path: &'a Path,
    length: u64,
    position: u64,
}

impl Head<'_> {
    fn truncated(&self, what: impl Into<String>) -> ModelError {
        ModelError::Truncated { what: what.into(), length: self.length }
    }

    fn left(&self) -> u64 {
        self.length - self.position
    }

    fn fill(&mut self, out: &mut [u8], what: &str) -> Result<(), ModelError> {
        if out.len() as u64 > self.left() {
            return Err(self.truncated(what));
        }
        self.reader.read_exact(out).map_err(|source| ModelError::Read { path: self.path.to_owned(), source })?;
        self.position += out.len() as u64;
        Ok(())
    }

    fn array<const N: usize>(&mut self, what: &str) -> Result<[u8; N], ModelError> {
        let mut out = [0; N];
        self.fill(&mut out, what)?;
        Ok(out)
    }

    fn u32(&mut self, what: &str) -> Result<u32, ModelError> {
        Ok(u32::from_le_bytes(self.array(what)?))
    }

    fn u64(&mut self, what: &str) -> Result<u64, ModelError> {
        Ok(u64::from_le_bytes(self.array(what)?))
    }

    fn text(&mut self, limit: u64, what: &str) -> Result<String, ModelError> {
        let length = self.u64(what)?;
        if length > self.left() {
            return Err(self.truncated(what));
        }
        if length > limit {
            return Err(ModelError::corrupt(format!("{what} is {length} bytes long")));
        }
        let mut bytes = vec![0; usize::try_from(length).map_err(|_| self.truncated(what))?];
        self.fill(&mut bytes, what)?;
        String::from_utf8(bytes).map_err(|_| ModelError::corrupt(format!("{what} is no UTF-8")))
    }

    fn tensor(&mut self) -> Result<(String, TensorInfo), ModelError> {
        let name = self.text(MAX_KEY, "a tensor's name")?;
        let dimensions = self.u32("a tensor's dimensions")?;
        if !(1..=4).contains(&dimensions) {
            return Err(ModelError::corrupt(format!("tensor `{name}` has {dimensions} dimensions")));
        }
        let mut shape = Vec::new();
        for _ in 0..dimensions {
            shape.push(self.u64("a tensor's shape")?);
        }
        let number = self.u32("a tensor's type")?;
        let kind = Kind::from_number(number).ok_or_else(|| ModelError::UnknownQuantisation {
            tensor: name.clone(),
            kind: Kind::name_of_number(number),
            known: Kind::known(),
        })?;
        let offset = self.u64("a tensor's place")?;
        let bytes = bytes_of(&shape, kind)
            .ok_or_else(|| ModelError::corrupt(format!("tensor `{name}` has the impossible shape {shape:?}")))?;
        Ok((name, TensorInfo { shape, kind, offset, bytes }))
    }
}

/// What a tensor takes in the file, if that is a number at all and rows are whole blocks.
fn bytes_of(shape: &[u64], kind: Kind) -> Option<u64> {
    let row = *shape.first()?;
    if shape.contains(&0) || !row.is_multiple_of(kind.block_values() as u64) {
        return None;
    }
    let rows = shape[1..].iter().try_fold(1u64, |all, &n| all.checked_mul(n))?;
    (row / kind.block_values() as u64).checked_mul(kind.block_bytes() as u64)?.checked_mul(rows)
}

//! Reads the header of a GGUF file: metadata, and where each tensor is.
//!
//! No count or length is trusted before it is compared with the file's length, so a broken or hostile file costs no more
//! memory than a small multiple of its size. Tensors are copied into memory: a file that is deleted or truncated during a
//! debate changes nothing, where a mapped file would crash the process.

mod metadata;

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use crate::error::ModelError;
use crate::quant::TensorType;
pub(crate) use metadata::Metadata;

/// An open GGUF file whose header has been read.
pub(crate) struct Gguf {
    path: PathBuf,
    file: File,
    pub(crate) metadata: Metadata,
    pub(crate) tensors: HashMap<String, TensorInfo>,
}

#[derive(Debug, Clone)]
pub(crate) struct TensorInfo {
    /// The fastest-running dimension first.
    pub(crate) shape: Vec<u64>,
    pub(crate) dtype: TensorType,
    offset: u64,
    bytes: u64,
}

const MAGIC: [u8; 4] = *b"GGUF";
const MAX_KEY: u64 = 1 << 16;
const DEFAULT_ALIGNMENT: u64 = 32;
/// A tensor entry has at least the length of its name, the number of dimensions, a type and an offset.
const MIN_TENSOR_ENTRY: u64 = 8 + 4 + 4 + 8;

impl Gguf {
    pub(crate) fn open(path: &Path) -> Result<Self, ModelError> {
        let unreadable = |source| ModelError::Read { path: path.to_owned(), source };
        let file = File::open(path).map_err(unreadable)?;
        let about = file.metadata().map_err(unreadable)?;
        if !about.is_file() {
            return Err(ModelError::NotGguf { path: path.to_owned() });
        }
        let length = about.len();
        let mut header = HeaderReader { reader: BufReader::with_capacity(1 << 16, file), path, length, position: 0 };

        if length < 4 || header.array::<4>("the magic number")? != MAGIC {
            return Err(ModelError::NotGguf { path: path.to_owned() });
        }
        let version = header.u32("the version")?;
        if !(2..=3).contains(&version) {
            return Err(ModelError::Version { version });
        }
        let tensor_count = header.u64("the number of tensors")?;
        let metadata_count = header.u64("the number of metadata entries")?;
        if tensor_count > length / MIN_TENSOR_ENTRY {
            return Err(header.truncated(format!("a list of {tensor_count} tensors")));
        }
        let metadata = metadata::read(&mut header, metadata_count)?;
        let alignment = metadata.u64("general.alignment")?.unwrap_or(DEFAULT_ALIGNMENT);
        if !alignment.is_power_of_two() || alignment > 1 << 20 {
            return Err(ModelError::bad("general.alignment", format!("{alignment} is not an alignment")));
        }
        let mut tensors = HashMap::new();
        for _ in 0..tensor_count {
            let (name, info) = header.tensor()?;
            if tensors.insert(name.clone(), info).is_some() {
                return Err(ModelError::corrupt(format!("tensor `{name}` appears twice")));
            }
        }
        let data = header.position.next_multiple_of(alignment);
        for (name, tensor) in &mut tensors {
            tensor.offset = tensor.offset.saturating_add(data);
            if tensor.offset.checked_add(tensor.bytes).is_none_or(|end| end > length) {
                return Err(ModelError::Truncated { what: format!("tensor `{name}`"), length });
            }
        }
        let file = header.reader.into_inner();
        Ok(Self { path: path.to_owned(), file, metadata, tensors })
    }

    /// A tensor that must have this shape.
    pub(crate) fn tensor(&self, name: &str, shape: &[u64]) -> Result<TensorInfo, ModelError> {
        let name = name.to_owned();
        match self.tensors.get(&name).cloned() {
            None => Err(ModelError::MissingTensor { name }),
            Some(tensor) if tensor.shape == shape => Ok(tensor),
            Some(tensor) => Err(ModelError::TensorShape { name, found: tensor.shape, expected: shape.to_vec() }),
        }
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

/// Reads the header. No read goes beyond the file's length.
struct HeaderReader<'a> {
    reader: BufReader<File>,
    path: &'a Path,
    length: u64,
    position: u64,
}

impl HeaderReader<'_> {
    fn truncated(&self, what: impl Into<String>) -> ModelError {
        ModelError::Truncated { what: what.into(), length: self.length }
    }

    fn remaining(&self) -> u64 {
        self.length - self.position
    }

    fn fill(&mut self, out: &mut [u8], what: &str) -> Result<(), ModelError> {
        if out.len() as u64 > self.remaining() {
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

    fn skip(&mut self, bytes: u64) -> Result<(), ModelError> {
        let unreadable = |source| ModelError::Read { path: self.path.to_owned(), source };
        self.reader.seek_relative(bytes.cast_signed()).map_err(unreadable)?;
        self.position += bytes;
        Ok(())
    }

    fn u32(&mut self, what: &str) -> Result<u32, ModelError> {
        Ok(u32::from_le_bytes(self.array(what)?))
    }

    fn u64(&mut self, what: &str) -> Result<u64, ModelError> {
        Ok(u64::from_le_bytes(self.array(what)?))
    }

    fn string(&mut self, limit: u64, what: &str) -> Result<String, ModelError> {
        let length = self.u64(what)?;
        if length > self.remaining() {
            return Err(self.truncated(what));
        }
        if length > limit {
            return Err(ModelError::corrupt(format!("{what} is {length} bytes long")));
        }
        let mut bytes = vec![0; usize::try_from(length).map_err(|_| self.truncated(what))?];
        self.fill(&mut bytes, what)?;
        String::from_utf8(bytes).map_err(|_| ModelError::corrupt(format!("{what} is not UTF-8")))
    }

    fn tensor(&mut self) -> Result<(String, TensorInfo), ModelError> {
        let name = self.string(MAX_KEY, "a tensor's name")?;
        let dimensions = self.u32("a tensor's dimensions")?;
        if !(1..=4).contains(&dimensions) {
            return Err(ModelError::corrupt(format!("tensor `{name}` has {dimensions} dimensions")));
        }
        let mut shape = Vec::new();
        for _ in 0..dimensions {
            shape.push(self.u64("a tensor's shape")?);
        }
        let id = self.u32("a tensor's type")?;
        let dtype = TensorType::from_id(id).ok_or_else(|| ModelError::UnsupportedTensorType {
            tensor: name.clone(),
            dtype: TensorType::name_of(id),
            supported: TensorType::supported(),
        })?;
        let offset = self.u64("a tensor's offset")?;
        let bytes = byte_size(&shape, dtype)
            .ok_or_else(|| ModelError::corrupt(format!("tensor `{name}` has the impossible shape {shape:?}")))?;
        Ok((name, TensorInfo { shape, dtype, offset, bytes }))
    }
}

/// A tensor's size in the file; `None` if it overflows or a row is not whole blocks.
fn byte_size(shape: &[u64], dtype: TensorType) -> Option<u64> {
    let row = *shape.first()?;
    if shape.contains(&0) || !row.is_multiple_of(dtype.block_len() as u64) {
        return None;
    }
    let rows = shape[1..].iter().try_fold(1u64, |all, &n| all.checked_mul(n))?;
    (row / dtype.block_len() as u64).checked_mul(dtype.block_bytes() as u64)?.checked_mul(rows)
}

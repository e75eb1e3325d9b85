//! A GGUF file's metadata: keys with values, and questions that are answered by a value or an error by name.

use std::collections::HashMap;

use super::{Head, MAX_KEY};
use crate::error::ModelError;

/// One value of metadata.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    /// Whole numbers of all widths; what does not fit is an error when the file is read.
    Int(i64),
    Float(f32),
    Bool(bool),
    Text(String),
    Texts(Vec<String>),
    Ints(Vec<i64>),
    Floats(Vec<f32>),
    Bools(Vec<bool>),
}

/// All metadata of a file.
#[derive(Debug, Default)]
pub(crate) struct Metadata(HashMap<String, Value>);

/// The longest single text: chat templates are the longest ones, with some ten thousand bytes.
const MAX_TEXT: u64 = 1 << 24;

impl Metadata {
    pub(crate) fn get(&self, key: &str) -> Option<&Value> {
        self.0.get(key)
    }

    fn need(&self, key: &str) -> Result<&Value, ModelError> {
        self.get(key).ok_or_else(|| ModelError::MissingMetadata { key: key.to_owned() })
    }

    /// A whole number that must be there.
    pub(crate) fn u64(&self, key: &str) -> Result<u64, ModelError> {
        match self.need(key)? {
            Value::Int(value) => u64::try_from(*value).map_err(|_| ModelError::bad(key, format!("{value} is negative"))),
            _ => Err(ModelError::bad(key, "it is no whole number")),
        }
    }

    /// A size that must be there and lie between 1 and `most`.
    pub(crate) fn size(&self, key: &str, most: usize) -> Result<usize, ModelError> {
        let value = self.u64(key)?;
        match usize::try_from(value) {
            Ok(size) if (1..=most).contains(&size) => Ok(size),
            _ => Err(ModelError::bad(key, format!("{value} is not between 1 and {most}"))),
        }
    }

    /// A size that may be missing.
    pub(crate) fn size_or(&self, key: &str, most: usize, otherwise: usize) -> Result<usize, ModelError> {
        if self.get(key).is_some() { self.size(key, most) } else { Ok(otherwise) }
    }

    /// A number that may be missing; never infinite.
    pub(crate) fn float(&self, key: &str) -> Result<Option<f32>, ModelError> {
        match self.get(key) {
            None => Ok(None),
            Some(Value::Float(value)) if value.is_finite() => Ok(Some(*value)),
            Some(_) => Err(ModelError::bad(key, "it is no finite number")),
        }
    }

    /// A text that may be missing.
    pub(crate) fn text(&self, key: &str) -> Result<Option<&str>, ModelError> {
        match self.get(key) {
            None => Ok(None),
            Some(Value::Text(value)) => Ok(Some(value)),
            Some(_) => Err(ModelError::bad(key, "it is no text")),
        }
    }

    /// A yes or no that may be missing.
    pub(crate) fn bool(&self, key: &str) -> Result<Option<bool>, ModelError> {
        match self.get(key) {
            None => Ok(None),
            Some(Value::Bool(value)) => Ok(Some(*value)),
            Some(_) => Err(ModelError::bad(key, "it is no boolean")),
        }
    }

    /// A list of texts that may be missing.
    pub(crate) fn texts(&self, key: &str) -> Result<Option<&[String]>, ModelError> {
        match self.get(key) {
            None => Ok(None),
            Some(Value::Texts(values)) => Ok(Some(values)),
            Some(_) => Err(ModelError::bad(key, "it is no list of texts")),
        }
    }

    /// A list of whole numbers that may be missing.
    pub(crate) fn ints(&self, key: &str) -> Result<Option<&[i64]>, ModelError> {
        match self.get(key) {
            None => Ok(None),
            Some(Value::Ints(values)) => Ok(Some(values)),
            Some(_) => Err(ModelError::bad(key, "it is no list of whole numbers")),
        }
    }

    /// A list of numbers that may be missing.
    pub(crate) fn floats(&self, key: &str) -> Result<Option<&[f32]>, ModelError> {
        match self.get(key) {
            None => Ok(None),
            Some(Value::Floats(values)) => Ok(Some(values)),
            Some(_) => Err(ModelError::bad(key, "it is no list of numbers")),
        }
    }
}

pub(super) fn read(head: &mut Head<'_>, count: u64) -> Result<Metadata, ModelError> {
    // A key has at least the length of its name, a type and one byte of value.
    if count > head.left() / 13 {
        return Err(head.truncated(format!("{count} metadata")));
    }
    let mut values = HashMap::new();
    for _ in 0..count {
        let key = head.text(MAX_KEY, "a metadata's name")?;
        let kind = head.u32("a metadata's type")?;
        let value = value(head, &key, kind)?;
        if values.insert(key.clone(), value).is_some() {
            return Err(ModelError::corrupt(format!("metadata `{key}` is there twice")));
        }
    }
    Ok(Metadata(values))
}

const BOOL: u32 = 7;
const TEXT: u32 = 8;
const ARRAY: u32 = 9;

fn value(head: &mut Head<'_>, key: &str, kind: u32) -> Result<Value, ModelError> {
    Ok(match kind {
        6 | 12 => Value::Float(float(head, key, kind)?),
        BOOL => Value::Bool(head.array::<1>(key)?[0] != 0),
        TEXT => Value::Text(head.text(MAX_TEXT, key)?),
        ARRAY => array(head, key)?,
        _ => Value::Int(int(head, key, kind)?),
    })
}

fn array(head: &mut Head<'_>, key: &str) -> Result<Value, ModelError> {
    let kind = head.u32(key)?;
    let count = head.u64(key)?;
    let smallest = match kind {
        0 | 1 | BOOL => 1,
        2 | 3 => 2,
        4..=6 => 4,
        10..=12 | TEXT => 8,
        _ => return Err(ModelError::corrupt(format!("metadata `{key}` is a list of the unknown type {kind}"))),
    };
    if count > head.left() / smallest {
        return Err(head.truncated(format!("metadata `{key}` with {count} entries")));
    }
    let count = usize::try_from(count).map_err(|_| head.truncated(key))?;
    let mut entries = 0..count;
    Ok(match kind {
        TEXT => Value::Texts(entries.try_fold(Vec::new(), |all, _| push(all, head.text(MAX_TEXT, key)))?),
        BOOL => Value::Bools(entries.try_fold(Vec::new(), |all, _| push(all, Ok(head.array::<1>(key)?[0] != 0)))?),
        6 | 12 => Value::Floats(entries.try_fold(Vec::new(), |all, _| push(all, float(head, key, kind)))?),
        _ => Value::Ints(entries.try_fold(Vec::new(), |all, _| push(all, int(head, key, kind)))?),
    })
}

fn push<T>(mut all: Vec<T>, one: Result<T, ModelError>) -> Result<Vec<T>, ModelError> {
    all.push(one?);
    Ok(all)
}

fn float(head: &mut Head<'_>, key: &str, kind: u32) -> Result<f32, ModelError> {
    Ok(if kind == 6 {
        f32::from_le_bytes(head.array(key)?)
    } else {
        #[expect(clippy::cast_possible_truncation, reason = "inference computes in single precision")]
        {
            f64::from_le_bytes(head.array(key)?) as f32
        }
    })
}

fn int(head: &mut Head<'_>, key: &str, kind: u32) -> Result<i64, ModelError> {
    Ok(match kind {
        0 => u8::from_le_bytes(head.array(key)?).into(),
        1 => i8::from_le_bytes(head.array(key)?).into(),
        2 => u16::from_le_bytes(head.array(key)?).into(),
        3 => i16::from_le_bytes(head.array(key)?).into(),
        4 => u32::from_le_bytes(head.array(key)?).into(),
        5 => i32::from_le_bytes(head.array(key)?).into(),
        10 => i64::try_from(u64::from_le_bytes(head.array(key)?))
            .map_err(|_| ModelError::bad(key, "it is an absurdly large number"))?,
        11 => i64::from_le_bytes(head.array(key)?),
        _ => return Err(ModelError::corrupt(format!("metadata `{key}` has the unknown type {kind}"))),
    })
}

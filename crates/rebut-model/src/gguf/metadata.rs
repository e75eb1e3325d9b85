//! GGUF metadata: typed values by key, and getters that return the value or an error that names the key.

use std::collections::HashMap;

use super::{HeaderReader, MAX_KEY};
use crate::error::ModelError;

pub(crate) enum Value {
    /// Integers of all widths; one that does not fit is an error when the file is read.
    Int(i64),
    Float(f32),
    Bool(bool),
    String(String),
    Strings(Vec<String>),
    Ints(Vec<i64>),
    /// An array that no supported model needs; its bytes were skipped.
    Skipped,
}

pub(crate) struct Metadata(HashMap<String, Value>);

/// The longest string. Chat templates are the longest in practice, with some ten thousand bytes.
const MAX_STRING: u64 = 1 << 24;

/// A getter for an optional value of one type.
macro_rules! optional {
    ($name:ident, $result:ty, $expected:literal, $pattern:pat $(if $guard:expr)? => $value:expr) => {
        pub(crate) fn $name(&self, key: &str) -> Result<Option<$result>, ModelError> {
            match self.0.get(key) {
                None => Ok(None),
                Some($pattern) $(if $guard)? => Ok(Some($value)),
                Some(_) => Err(ModelError::bad(key, concat!("it is not ", $expected))),
            }
        }
    };
}

impl Metadata {
    optional!(int, i64, "an integer", Value::Int(value) => *value);
    optional!(float, f32, "a finite number", Value::Float(value) if value.is_finite() => *value);
    optional!(bool, bool, "a boolean", Value::Bool(value) => *value);
    optional!(string, &str, "a string", Value::String(value) => value);
    optional!(strings, &[String], "a list of strings", Value::Strings(values) => values);
    optional!(ints, &[i64], "a list of integers", Value::Ints(values) => values);

    pub(crate) fn u64(&self, key: &str) -> Result<Option<u64>, ModelError> {
        let to_u64 = |value: i64| u64::try_from(value).map_err(|_| ModelError::bad(key, format!("{value} is negative")));
        self.int(key)?.map(to_u64).transpose()
    }

    /// A size between 1 and `max`, if it is there.
    pub(crate) fn size(&self, key: &str, max: usize) -> Result<Option<usize>, ModelError> {
        let Some(value) = self.u64(key)? else { return Ok(None) };
        match usize::try_from(value) {
            Ok(size) if (1..=max).contains(&size) => Ok(Some(size)),
            _ => Err(ModelError::bad(key, format!("{value} is not between 1 and {max}"))),
        }
    }

    /// A size between 1 and `max` that must be there.
    pub(crate) fn required_size(&self, key: &str, max: usize) -> Result<usize, ModelError> {
        self.size(key, max)?.ok_or_else(|| ModelError::missing(key))
    }
}

pub(super) fn read(header: &mut HeaderReader<'_>, count: u64) -> Result<Metadata, ModelError> {
    // An entry has at least the length of its key, a type and one byte of value.
    if count > header.remaining() / 13 {
        return Err(header.truncated(format!("{count} metadata entries")));
    }
    let mut values = HashMap::new();
    for _ in 0..count {
        let key = header.string(MAX_KEY, "a metadata key")?;
        let value_type = header.u32("a metadata type")?;
        let value = read_value(header, &key, value_type)?;
        if values.insert(key.clone(), value).is_some() {
            return Err(ModelError::corrupt(format!("metadata `{key}` appears twice")));
        }
    }
    Ok(Metadata(values))
}

// The types of metadata values, as the file numbers them. All others are integers.
const F32: u32 = 6;
const BOOL: u32 = 7;
const STRING: u32 = 8;
const ARRAY: u32 = 9;
const F64: u32 = 12;

fn read_value(header: &mut HeaderReader<'_>, key: &str, value_type: u32) -> Result<Value, ModelError> {
    Ok(match value_type {
        F32 => Value::Float(f32::from_le_bytes(header.array(key)?)),
        #[expect(clippy::cast_possible_truncation, reason = "inference computes in f32")]
        F64 => Value::Float(f64::from_le_bytes(header.array(key)?) as f32),
        BOOL => Value::Bool(header.array::<1>(key)?[0] != 0),
        STRING => Value::String(header.string(MAX_STRING, key)?),
        ARRAY => read_array(header, key)?,
        _ => Value::Int(read_int(header, key, value_type)?),
    })
}

fn read_array(header: &mut HeaderReader<'_>, key: &str) -> Result<Value, ModelError> {
    let value_type = header.u32(key)?;
    let count = header.u64(key)?;
    let min_bytes = match value_type {
        0 | 1 | BOOL => 1,
        2 | 3 => 2,
        4 | 5 | F32 => 4,
        10 | 11 | F64 | STRING => 8,
        _ => return Err(ModelError::corrupt(format!("metadata `{key}` is a list of the unknown type {value_type}"))),
    };
    if count > header.remaining() / min_bytes {
        return Err(header.truncated(format!("metadata `{key}` with {count} entries")));
    }
    Ok(match value_type {
        STRING => Value::Strings((0..count).map(|_| header.string(MAX_STRING, key)).collect::<Result<_, _>>()?),
        BOOL | F32 | F64 => {
            header.skip(count * min_bytes)?;
            Value::Skipped
        }
        _ => Value::Ints((0..count).map(|_| read_int(header, key, value_type)).collect::<Result<_, _>>()?),
    })
}

fn read_int(header: &mut HeaderReader<'_>, key: &str, value_type: u32) -> Result<i64, ModelError> {
    Ok(match value_type {
        0 => u8::from_le_bytes(header.array(key)?).into(),
        1 => i8::from_le_bytes(header.array(key)?).into(),
        2 => u16::from_le_bytes(header.array(key)?).into(),
        3 => i16::from_le_bytes(header.array(key)?).into(),
        4 => u32::from_le_bytes(header.array(key)?).into(),
        5 => i32::from_le_bytes(header.array(key)?).into(),
        10 => i64::try_from(u64::from_le_bytes(header.array(key)?))
            .map_err(|_| ModelError::bad(key, "the number is too large"))?,
        11 => i64::from_le_bytes(header.array(key)?),
        _ => return Err(ModelError::corrupt(format!("metadata `{key}` has the unknown type {value_type}"))),
    })
}

//! What only a format can read: its setup, the content of an answer, what it records, what an amendment changes, what a
//! call asks for.

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// A value of a format's own type. A journal holds it as JSON; the fold has the debate's format decode it, once.
#[derive(Clone, Debug)]
pub struct Payload(Held);

#[derive(Clone, Debug)]
enum Held {
    Json(Value),
    Decoded(Arc<dyn Own>),
}

trait Own: Any + Debug + Send + Sync {
    fn json(&self) -> serde_json::Result<Value>;
}

impl<T: Any + Debug + Send + Sync + Serialize> Own for T {
    fn json(&self) -> serde_json::Result<Value> {
        serde_json::to_value(self)
    }
}

impl Payload {
    pub fn of<T: Any + Debug + Send + Sync + Serialize>(value: T) -> Self {
        Self(Held::Decoded(Arc::new(value)))
    }

    /// The value; none where it is of another type, or not decoded yet.
    pub fn get<T: Any>(&self) -> Option<&T> {
        match &self.0 {
            Held::Decoded(own) => (own.as_ref() as &dyn Any).downcast_ref(),
            Held::Json(_) => None,
        }
    }

    /// Changes the value, where it is of this type.
    pub fn edit<T: Any + Clone + Debug + Send + Sync + Serialize>(&mut self, change: impl FnOnce(&mut T)) {
        if let Some(mut value) = self.get::<T>().cloned() {
            change(&mut value);
            *self = Self::of(value);
        }
    }

    /// Turns the JSON of a journal into a value; what is decoded stays as it is.
    pub fn decode<T: Any + Debug + Send + Sync + Serialize + DeserializeOwned>(&mut self) -> serde_json::Result<()> {
        if let Held::Json(json) = &mut self.0 {
            *self = Self::of(serde_json::from_value::<T>(json.take())?);
        }
        Ok(())
    }

    fn json(&self) -> serde_json::Result<Value> {
        match &self.0 {
            Held::Json(json) => Ok(json.clone()),
            Held::Decoded(own) => own.as_ref().json(),
        }
    }
}

/// Decoded or not, the same JSON is the same.
impl PartialEq for Payload {
    fn eq(&self, other: &Self) -> bool {
        matches!((self.json(), other.json()), (Ok(one), Ok(other)) if one == other)
    }
}

impl Serialize for Payload {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.json().map_err(serde::ser::Error::custom)?.serialize(to)
    }
}

impl<'de> Deserialize<'de> for Payload {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Value::deserialize(from).map(|json| Self(Held::Json(json)))
    }
}

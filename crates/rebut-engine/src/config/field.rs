//! A setting is one annotated field. Its name is the key, its doc comment the help text; the default follows `=`, and what
//! it takes follows `=>`. `#[user_only]` keeps a project from setting it. Files, variables, flags, errors, `config show`
//! and the tables in docs/configuration.md all come from these fields.

use std::ops::RangeInclusive;

use rebut_core::debate::Cost;
use rebut_core::formats::cross;
use serde::de::DeserializeOwned;
use serde::de::value::{self, StrDeserializer};
use toml::Value;

use super::Seconds;
use super::names::is_program_name;
use super::seconds::RANGE;
use super::settings::milliseconds;

/// One setting, or a table of them.
#[derive(Debug)]
pub struct Field {
    pub name: &'static str,
    pub help: &'static str,
    pub takes: Takes,
    pub default: fn() -> Option<Value>,
    /// Whether only the user may set it, and no project. True for whatever names a program, an address, a secret key or a
    /// place to write to, and for what decides which model is paid for and how much tools get to see: it must be safe to
    /// debate in a cloned project without reading its files first.
    pub user_only: bool,
}

/// The values that a setting takes.
#[derive(Clone, Copy, Debug)]
pub enum Takes {
    Table(&'static [Field]),
    /// A table with names of the user's choice: what they may be, the same in words, and the fields of each.
    Named(fn(&str) -> bool, &'static str, &'static [Field]),
    Seat,
    /// The partners of a cross: seats, or how many.
    Seats,
    /// A program and its arguments. A table that has such a field needs it.
    Command,
    Whole(u64, u64),
    Seconds,
    Minutes,
    Dollars,
    Bool,
    OneOf(fn() -> Vec<String>),
    Text(&'static str, fn(&str) -> bool),
    List(&'static str, fn(&str) -> bool),
}

macro_rules! settings {
    (@) => { false };
    (@ user_only) => { true };
    ($(
        $(#[$meta:meta])*
        $table:ident {
            $(
                #[doc = $help:literal]
                $(#[$user_only:ident])?
                $field:ident: $type:ty = $default:expr => $takes:expr,
            )*
        }
    )*) => { $(
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct $table {
            $(#[doc = $help] pub $field: $type,)*
        }

        impl $table {
            pub(super) const FIELDS: &'static [$crate::config::Field] = &[$($crate::config::Field {
                name: stringify!($field),
                help: $help.trim_ascii(),
                takes: $takes,
                default: || toml::Value::try_from::<$type>($default).ok(),
                user_only: $crate::config::field::settings!(@ $($user_only)?),
            }),*];
        }

        impl Default for $table {
            fn default() -> Self {
                Self { $($field: $default,)* }
            }
        }
    )* };
}
pub(super) use settings;

pub(super) const COUNT: Takes = Takes::Whole(1, u64::MAX);

/// A whole number in this range.
pub(super) const fn whole(range: &RangeInclusive<u32>) -> Takes {
    Takes::Whole(*range.start() as u64, *range.end() as u64)
}

/// The words of an enum, which serde lists where it meets another.
pub(super) fn words<T: DeserializeOwned>() -> Vec<String> {
    let error =
        T::deserialize(StrDeserializer::<value::Error>::new("?")).map_or_else(|error| error.to_string(), |_| String::new());
    error.split('`').skip(3).step_by(2).map(str::to_owned).collect()
}

impl Takes {
    /// Whether it takes this value.
    pub(super) fn accepts(&self, value: &Value) -> bool {
        let number = || value.clone().try_into::<f64>().ok();
        let list = || value.as_array().and_then(|list| list.iter().map(Value::as_str).collect::<Option<Vec<_>>>());
        match self {
            Self::Table(_) | Self::Named(..) => false,
            Self::Seat => value.as_str().is_some_and(|seat| !seat.trim().is_empty()),
            Self::Seats => list().is_some_and(|seats| match seats[..] {
                [] => true,
                [number] => number.trim().parse().is_ok_and(|count| cross::PARTNERS.contains(&count)),
                _ => cross::PARTNERS.contains(&seats.len()) && seats.iter().all(|seat| !seat.trim().is_empty()),
            }),
            Self::Command => list().is_some_and(|words| {
                words.first().is_some_and(|program| is_program_name(program))
                    && !words.iter().any(|word| word.contains('\0'))
            }),
            Self::Whole(least, most) => {
                value.as_integer().and_then(|n| u64::try_from(n).ok()).is_some_and(|n| (*least..=*most).contains(&n))
            }
            Self::Seconds => number().is_some_and(|number| Seconds::try_from(number).is_ok_and(Seconds::in_range)),
            Self::Minutes => number().and_then(milliseconds).is_some_and(|ms| ms > 0),
            Self::Dollars => number().and_then(Cost::from_dollars).is_some_and(|cost| cost > Cost::default()),
            Self::Bool => value.is_bool(),
            Self::OneOf(words) => value.as_str().is_some_and(|word| words().iter().any(|known| known == word)),
            Self::Text(_, is) => value.as_str().is_some_and(is),
            Self::List(_, is) => list().is_some_and(|texts| texts.into_iter().all(is)),
        }
    }

    /// A value as a variable has it: a list is written with commas.
    pub(super) fn read(&self, text: &str) -> Value {
        let word = text.trim();
        let whole = || word.parse().ok().map(Value::Integer);
        let value = match self {
            Self::Whole(..) => whole(),
            Self::Seconds | Self::Minutes | Self::Dollars => whole().or_else(|| word.parse().ok().map(Value::Float)),
            Self::Bool => word.parse().ok().map(Value::Boolean),
            Self::Seats | Self::Command | Self::List(..) => {
                let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
                Some(items.map(Value::from).collect::<Vec<_>>().into())
            }
            _ => None,
        };
        value.unwrap_or_else(|| text.into())
    }

    /// What it takes, in words that follow "expected".
    pub fn in_words(&self) -> String {
        match self {
            Self::Table(_) => "a table of settings".to_owned(),
            Self::Seat => "a seat: `tool` or `tool:model`".to_owned(),
            Self::Seats => "a list of two to eight seats (`tool` or `tool:model`), or a number from 2 to 8".to_owned(),
            Self::Command => "a list: the program (its name or absolute path) and its arguments".to_owned(),
            Self::Whole(1, u64::MAX) => "a whole number above 0".to_owned(),
            Self::Whole(least, most) => format!("a whole number from {least} to {most}"),
            Self::Seconds => RANGE.to_owned(),
            Self::Minutes => "a number of minutes above 0".to_owned(),
            Self::Dollars => "an amount of dollars above 0".to_owned(),
            Self::Bool => "true or false".to_owned(),
            Self::OneOf(words) => match &words()[..] {
                [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
                words => words.join(""),
            },
            Self::Text(words, _) | Self::List(words, _) | Self::Named(_, words, _) => (*words).to_owned(),
        }
    }
}

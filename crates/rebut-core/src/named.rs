//! Enums whose variants have a name, one each for journals, documents and the command line, and types that are one text.

/// Declares such an enum: `named! { pub enum Side { Left = "left", Right = "right" } }`. With a noun for the error,
/// `pub enum Side: "side" { … }`, it can be read from a text.
macro_rules! named {
    (
        $(#[$attribute:meta])*
        $visible:vis enum $type:ident $(: $noun:literal)? { $($(#[$note:meta])* $variant:ident = $name:literal),+ $(,)? }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ::serde::Serialize, ::serde::Deserialize)]
        $visible enum $type { $($(#[$note])* #[serde(rename = $name)] $variant),+ }

        impl $type {
            /// Every variant, in order.
            $visible const ALL: [Self; [$($name),+].len()] = [$(Self::$variant),+];

            $visible fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }
        }

        impl ::std::fmt::Display for $type {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        $(impl ::std::str::FromStr for $type {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, String> {
                let known = Self::ALL.into_iter().find(|known| known.as_str() == text);
                known.ok_or_else(|| $crate::named::unknown(text, $noun, &Self::ALL.map(Self::as_str)))
            }
        })?
    };
}
pub(crate) use named;

/// Shows a type that is one text: `text!(DebateId);`, and with `text!(SeatName, new);` any text makes one.
macro_rules! text {
    ($type:ident $(, $new:ident)?) => {
        impl $type {
            $(pub fn $new(text: impl Into<String>) -> Self {
                Self(text.into())
            })?

            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl ::std::fmt::Display for $type {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}
pub(crate) use text;

/// ``` unknown mode `slow`; use auto or manual ```
pub(crate) fn unknown(text: &str, noun: &str, names: &[&str]) -> String {
    let (last, others) = names.split_last().map_or(("", &[][..]), |(last, others)| (*last, others));
    format!("unknown {noun} `{text}`; use {} or {last}", others.join(", "))
}

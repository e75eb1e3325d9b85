//! Enums whose variants have a name: one name each for journals, documents and the command line.

/// Declares such an enum: `named! { pub enum Side { Left = "left", Right = "right" } }`.
macro_rules! named {
    (
        $(#[$attribute:meta])*
        $visible:vis enum $type:ident { $($(#[$note:meta])* $variant:ident = $name:literal),+ $(,)? }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ::serde::Serialize, ::serde::Deserialize)]
        $visible enum $type { $($(#[$note])* #[serde(rename = $name)] $variant),+ }

        #[allow(dead_code, reason = "not every enum is listed, or shown, in every build")]
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

        impl ::std::str::FromStr for $type {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, String> {
                let known = Self::ALL.into_iter().find(|known| known.as_str() == text);
                known.ok_or_else(|| $crate::named::unknown(text, stringify!($type), &[$($name),+]))
            }
        }
    };
}
pub(crate) use named;

/// ``` `slow` is no mode; use auto or manual ```
pub(crate) fn unknown(text: &str, what: &str, names: &[&str]) -> String {
    let (last, others) = names.split_last().map_or(("", &[][..]), |(last, others)| (*last, others));
    format!("`{text}` is no {}; use {} or {last}", what.to_lowercase(), others.join(", "))
}

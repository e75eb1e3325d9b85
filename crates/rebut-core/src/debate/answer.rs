//! What a seat gave back, and what it cost.

use serde::{Deserialize, Serialize};

/// A seat's answer to one call, as the tool reported it. What the tool did not report is `None`, never guessed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The text, redacted on arrival and otherwise untouched.
    pub text: String,
    /// The model that really answered.
    pub model: Option<String>,
    #[serde(default)]
    pub usage: Usage,
    /// The tool's own id for the conversation; recorded, never relied on.
    pub session: Option<String>,
    /// How long the whole call took, retries included.
    pub duration_ms: u64,
    /// How the seat was reached: `script`, `cli`, `acp`, `http`, `local`.
    pub transport: String,
}

/// Tokens and cost of a call; unknown is `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    pub input_tokens: Option<u64>,
    /// Tokens of the answer, reasoning included.
    pub output_tokens: Option<u64>,
    pub cost: Option<Cost>,
}

/// Money, in billionths of a US dollar, so that sums are exact and the same on every machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Cost(u64);

impl Cost {
    /// From dollars as tools and people write them; `None` for what is no amount of money.
    pub fn from_dollars(dollars: f64) -> Option<Self> {
        let nanos = (dollars * 1e9).round();
        // Up to 2^53 every whole number has its own f64, so the cast below loses nothing.
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range is checked first")]
        (0.0..=9e15).contains(&nanos).then_some(Self(nanos as u64))
    }

    pub const fn from_nanodollars(nanos: u64) -> Self {
        Self(nanos)
    }

    pub fn nanodollars(self) -> u64 {
        self.0
    }
}

impl std::fmt::Display for Cost {
    /// Dollars with four decimals; a cost is never shown as nothing.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let tenths_of_mills = (self.0 / 100_000 + u64::from(self.0 % 100_000 >= 50_000)).max(u64::from(self.0 > 0));
        write!(f, "${}.{:04}", tenths_of_mills / 10_000, tenths_of_mills % 10_000)
    }
}

/// What a model costs, for a million tokens each way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Price {
    pub input: Cost,
    pub output: Cost,
}

impl Price {
    pub fn of(self, input_tokens: u64, output_tokens: u64) -> Cost {
        let nanos =
            u128::from(self.input.0) * u128::from(input_tokens) + u128::from(self.output.0) * u128::from(output_tokens);
        Cost(u64::try_from(nanos / 1_000_000).unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_is_exact_and_never_shown_as_nothing() {
        assert_eq!(Cost::from_dollars(0.1).unwrap().nanodollars(), 100_000_000);
        assert_eq!(Cost::from_dollars(0.000_000_001).unwrap().to_string(), "$0.0001");
        assert_eq!(Cost::from_dollars(12.5).unwrap().to_string(), "$12.5000");
        assert_eq!(Cost::from_dollars(-1.0), None);
        assert_eq!(Cost::from_dollars(f64::NAN), None);
    }

    #[test]
    fn a_price_is_for_a_million_tokens() {
        let price = Price { input: Cost::from_dollars(3.0).unwrap(), output: Cost::from_dollars(15.0).unwrap() };
        assert_eq!(price.of(1000, 200), Cost::from_dollars(0.006).unwrap());
    }
}

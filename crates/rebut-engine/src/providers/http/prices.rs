//! What models cost: a dated table that the user's prices override. Everything else is unknown.

use std::sync::LazyLock;

use rebut_core::debate::{Cost, Price, Usage};
use serde::Deserialize;

use super::api::Tokens;
use crate::providers::is_model_name;

#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
pub(super) struct Rates {
    input: f64,
    output: f64,
    cached: Option<f64>,
    cache_write: Option<f64>,
    long: Option<Long>,
}

#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Long {
    over: u64,
    input: f64,
    output: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    date: String,
    price: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    service: String,
    model: String,
    #[serde(flatten)]
    rates: Rates,
}

/// A test reads the table; what is not TOML is no price of anything.
static TABLE: LazyLock<Option<Table>> = LazyLock::new(|| toml::from_str(include_str!("prices.toml")).ok());

pub fn date() -> &'static str {
    TABLE.as_ref().map_or("", |table| &table.date)
}

/// What a model of a service costs, as far as known.
pub(super) fn rates(service: &str, model: &str, own: &[String]) -> Option<Rates> {
    let mut own = own.iter().filter_map(|text| read(text));
    if let Some((_, rates)) = own.find(|(priced, _)| *priced == model) {
        return Some(rates);
    }
    TABLE.as_ref()?.price.iter().find(|row| row.service == service && row.model == model).map(|row| row.rates)
}

pub(crate) fn is_price(text: &str) -> bool {
    read(text).is_some()
}

/// Reads `MODEL INPUT OUTPUT` or `MODEL INPUT OUTPUT CACHED`.
fn read(text: &str) -> Option<(&str, Rates)> {
    let mut words = text.split_whitespace();
    let model = words.next().filter(|model| is_model_name(model))?;
    let amount = |word: &str| word.parse().ok().filter(|dollars| (0.0..=1e6).contains(dollars));
    let (input, output, cached) = match words.map(amount).collect::<Option<Vec<f64>>>()?[..] {
        [input, output] => (input, output, None),
        [input, output, cached] => (input, output, Some(cached)),
        _ => return None,
    };
    Some((model, Rates { input, output, cached, cache_write: None, long: None }))
}

pub(super) const FREE: Rates = Rates { input: 0.0, output: 0.0, cached: None, cache_write: None, long: None };

impl Rates {
    /// The price without any of the finer points, for plans and budgets.
    pub(super) fn price(self) -> Option<Price> {
        Some(Price { input: Cost::from_dollars(self.input)?, output: Cost::from_dollars(self.output)? })
    }

    /// What these tokens cost. Tokens that the service does not count separately count as fresh.
    fn cost(self, tokens: Tokens) -> Option<Cost> {
        let (input, output) = (tokens.input?, tokens.output?);
        let is_long = self.long.filter(|long| input > long.over);
        let (input_rate, output_rate) = is_long.map_or((self.input, self.output), |long| (long.input, long.output));
        // What is cheaper for a short prompt is cheaper by the same part for a long one.
        let scale = if self.input > 0.0 { input_rate / self.input } else { 1.0 };
        let (cached, kept) = (tokens.cached.unwrap_or(0).min(input), tokens.kept.unwrap_or(0));
        let fresh = input.saturating_sub(cached).saturating_sub(kept);
        let parts = [
            (fresh, input_rate),
            (cached, self.cached.map_or(input_rate, |rate| rate * scale)),
            (kept, self.cache_write.map_or(input_rate, |rate| rate * scale)),
            (output, output_rate),
        ];
        #[expect(clippy::cast_precision_loss, reason = "no call has 2^53 tokens")]
        Cost::from_dollars(parts.into_iter().map(|(tokens, rate)| tokens as f64 * rate / 1e6).sum())
    }
}

impl Tokens {
    /// The usage of a call. What the service says it cost counts more than any table.
    pub(super) fn usage(self, rates: Option<Rates>) -> Usage {
        let cost = self.cost.or_else(|| rates.and_then(|rates| rates.cost(self)));
        Usage { input_tokens: self.input, output_tokens: self.output, cost }
    }
}

#[cfg(test)]
mod tests {
    use super::super::services::built_in_names;
    use super::*;

    #[test]
    fn the_table_can_be_read_and_names_known_services() {
        let table: Table = toml::from_str(include_str!("prices.toml")).unwrap();
        assert!(table.date.parse::<jiff::civil::Date>().is_ok());
        for row in table.price {
            assert!(built_in_names().any(|name| name == row.service), "{}", row.service);
            assert!(rates(&row.service, &row.model, &[]).unwrap().price().is_some());
        }
    }

    fn tokens(input: u64, cached: u64, kept: u64, output: u64) -> Tokens {
        Tokens { input: Some(input), cached: Some(cached), kept: Some(kept), output: Some(output), cost: None }
    }

    #[test]
    fn what_was_still_there_and_what_is_kept_have_prices_of_their_own() {
        let rates = Rates { input: 4.0, output: 20.0, cached: Some(0.2), cache_write: Some(5.0), long: None };
        let cost = rates.cost(tokens(1_000_000, 500_000, 100_000, 10_000)).unwrap();
        // 400,000 fresh at 4, 500,000 at 0.2, 100,000 at 5, 10,000 at 20.
        assert_eq!(cost, Cost::from_dollars(1.6 + 0.1 + 0.5 + 0.2).unwrap());
    }

    #[test]
    fn a_long_prompt_has_other_prices_for_the_whole_call() {
        let long = Some(Long { over: 100, input: 2.0, output: 3.0 });
        let rates = Rates { input: 1.0, output: 2.0, cached: Some(0.1), cache_write: None, long };
        assert_eq!(rates.cost(tokens(100, 0, 0, 100)), Cost::from_dollars(0.0003));
        assert_eq!(rates.cost(tokens(101, 1, 0, 100)), Cost::from_dollars((100.0 * 2.0 + 0.2 + 300.0) / 1e6));
    }

    #[test]
    fn unknown_stays_unknown_and_the_services_word_counts_most() {
        assert_eq!(rates("anthropic", "claude-next", &[]), None);
        assert_eq!(tokens(1, 0, 0, 1).usage(None).cost, None);
        assert_eq!(FREE.cost(Tokens::default()), None, "nothing is known of what was used");
        let reported = Tokens { cost: Cost::from_dollars(0.5), ..tokens(1, 0, 0, 1) };
        assert_eq!(reported.usage(Some(FREE)).cost, Cost::from_dollars(0.5));
        assert_eq!(rates("anthropic", "claude-next", &["claude-next 1 2 0.5".to_owned()]).unwrap().cached, Some(0.5));
    }
}

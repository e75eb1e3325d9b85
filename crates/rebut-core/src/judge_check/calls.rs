//! Which cases are asked, in which variants and orders.

use serde::{Deserialize, Serialize};

use super::case::Case;
use super::variant::Variant;
use crate::judging::Order;

/// One question to a judge.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckCall {
    /// The case's id.
    pub case: String,
    pub variant: Variant,
    pub order: Order,
}

/// How much is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Extent {
    /// 20 cases, and each variant on 5 of them: 100 calls.
    Sample,
    All,
}

const SAMPLE: usize = 20;
const SAMPLE_PER_VARIANT: usize = 5;

/// The calls of a check in a fixed order: the plain cases, then variant by variant, each in both orders.
///
/// A sample is spread over the whole list, since cases of one kind are neighbours. Each variant is asked on other cases of
/// the sample, so that no single case decides about all pulls.
pub fn calls(cases: &[Case], extent: Extent) -> Vec<CheckCall> {
    let (plain, per_variant) = match extent {
        Extent::Sample => (spread(cases.len(), SAMPLE), SAMPLE_PER_VARIANT),
        Extent::All => (spread(cases.len(), cases.len()), cases.len()),
    };
    let mut asked: Vec<(usize, Variant)> = plain.iter().map(|case| (*case, Variant::Plain)).collect();
    for (variant, shift) in Variant::PULLS.into_iter().zip(0..) {
        let places = spread(plain.len(), per_variant);
        asked.extend(places.iter().map(|place| (plain[(place + shift) % plain.len()], variant)));
    }
    let both = |(case, variant): (usize, Variant)| {
        Order::ALL.map(|order| CheckCall { case: cases[case].id.clone(), variant, order })
    };
    asked.into_iter().flat_map(both).collect()
}

/// At most `count` of `0..len`, evenly spaced.
fn spread(len: usize, count: usize) -> Vec<usize> {
    let count = count.min(len);
    (0..count).map(|n| n * len / count).collect()
}

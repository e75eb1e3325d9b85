//! The likelihoods of next tokens are those that llama.cpp finds for the same weights.

use std::collections::BTreeMap;

use rebut_model::{Instructions, LoadOptions};
use serde_json::Value;

use crate::{kinds, load};

/// Written by `scripts/compare-model`: for each tiny model the logarithms of probabilities after one prompt.
const GOLDEN: &str = include_str!("golden/logits.json");

fn logarithms(logits: &[f32]) -> Vec<f64> {
    let logits: Vec<f64> = logits.iter().map(|logit| f64::from(*logit)).collect();
    let largest = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let total = largest + logits.iter().map(|logit| (logit - largest).exp()).sum::<f64>().ln();
    logits.iter().map(|logit| logit - total).collect()
}

#[test]
fn every_kind_of_model_finds_the_likelihoods_that_llama_cpp_finds() {
    let golden: Value = serde_json::from_str(GOLDEN).expect("JSON");
    let prompt: Vec<u32> = serde_json::from_value(golden["prompt"].clone()).expect("a list of tokens");
    let mut compared = 0;
    let levels = [Instructions::Avx512, Instructions::Avx2, Instructions::Portable];
    for ((name, tiny), at_most) in kinds::all().into_iter().flat_map(|kind| levels.map(|level| (kind.clone(), level))) {
        let Some(wanted) = golden["models"].get(&name) else {
            assert!(name.starts_with("tokens-"), "{name} has no golden likelihoods; run scripts/compare-model");
            continue;
        };
        let wanted: BTreeMap<usize, f64> = serde_json::from_value(wanted.clone()).expect("a table");
        let model = load(&tiny, LoadOptions { threads: 2, at_most, ..LoadOptions::default() }).expect("it loads");
        let found = logarithms(&model.session().logits(&prompt).expect("logits"));
        // Inputs are rounded to eight bits on both sides, by slightly different rules; without quantisation only the cache's
        // half precision is between the two. Blocks of Q6_K have two scales, which are worlds apart in weights of chance, and
        // are rounded to one here.
        let allowed = match name.as_str() {
            "llama-Q6_K" => 0.6,
            name if name.ends_with("F32") || name.ends_with("linear") => 0.002,
            _ => 0.25,
        };
        for (token, wanted) in &wanted {
            assert!(
                (found[*token] - wanted).abs() < allowed,
                "{name} with {at_most:?}, token {token}: {} and {wanted}",
                found[*token]
            );
        }
        let divergence: f64 = wanted.iter().map(|(token, wanted)| wanted.exp() * (wanted - found[*token])).sum();
        assert!(divergence.abs() < 0.01, "{name}: {divergence}");
        compared += 1;
    }
    assert_eq!(compared, 3 * golden["models"].as_object().map_or(0, serde_json::Map::len));
}

#[test]
fn tokens_one_by_one_and_all_at_once_give_the_same_bits() {
    let prompt: Vec<u32> = (0..150).map(|n| 3 + n * 31 % 250).collect();
    for (name, tiny) in kinds::all() {
        let model = load(&tiny, LoadOptions { threads: 2, ..LoadOptions::default() }).expect("it loads");
        let at_once = model.session().logits(&prompt).expect("logits");
        let mut session = model.session();
        for end in 1..=prompt.len() {
            let logits = session.logits(&prompt[..end]).expect("logits");
            if end == prompt.len() {
                assert!(logits == at_once, "{name}");
            }
        }
    }
}

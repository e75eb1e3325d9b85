//! Log-probabilities of the next token, compared with llama.cpp for the same weights.

use std::collections::BTreeMap;

use rebut_model::{LoadOptions, Simd};
use serde_json::Value;

use crate::{kinds, load};

/// Written by `scripts/compare-model`: for each tiny model the log-probabilities after one prompt.
const GOLDEN: &str = include_str!("golden/logits.json");

fn log_softmax(logits: &[f32]) -> Vec<f64> {
    let logits: Vec<f64> = logits.iter().map(|logit| f64::from(*logit)).collect();
    let largest = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let total = largest + logits.iter().map(|logit| (logit - largest).exp()).sum::<f64>().ln();
    logits.iter().map(|logit| logit - total).collect()
}

#[test]
fn every_supported_model_has_the_log_probabilities_of_llama_cpp() {
    let golden: Value = serde_json::from_str(GOLDEN).expect("JSON");
    let prompt: Vec<u32> = serde_json::from_value(golden["prompt"].clone()).expect("a list of tokens");
    let mut compared = 0;
    let levels = [Simd::Avx512, Simd::Avx2, Simd::Portable];
    for ((name, tiny), max_simd) in kinds::all().into_iter().flat_map(|kind| levels.map(|simd| (kind.clone(), simd))) {
        let wanted = golden["models"].get(&name).cloned().expect("golden values; run scripts/compare-model");
        let wanted: BTreeMap<usize, f64> = serde_json::from_value(wanted).expect("a table");
        let model = load(&tiny, LoadOptions { threads: 2, max_simd, ..LoadOptions::default() }).expect("it loads");
        let found = log_softmax(&model.session().logits(&prompt).expect("logits"));
        // Both sides quantize activations to eight bits, by slightly different rules; without quantization they differ only
        // by the f16 of the KV cache. Blocks of Q6_K have two scales, which differ widely in random weights and become one
        // here.
        let allowed = match name.as_str() {
            "llama-Q6_K" => 0.6,
            name if name.ends_with("F32") => 0.002,
            _ => 0.25,
        };
        for (token, wanted) in &wanted {
            assert!(
                (found[*token] - wanted).abs() < allowed,
                "{name} with {max_simd:?}, token {token}: {} and {wanted}",
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

//! Tiny models of every kind that is known: architectures, quantisations, tokenizers, ways of turning.

use rebut_fakes::tiny_model::TinyModel;

/// Each with a name of its own.
pub(crate) fn all() -> Vec<(String, TinyModel)> {
    let mut all = Vec::new();
    // Blocks of 256 need rows of as many numbers.
    let wide = [1, 256, 256, 4, 2];
    for quantisation in ["F32", "F16", "BF16", "Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0"] {
        all.push((
            format!("llama-{quantisation}"),
            TinyModel { quantisation: quantisation.to_owned(), ..TinyModel::default() },
        ));
    }
    for quantisation in ["Q4_K", "Q5_K", "Q6_K"] {
        let tiny = TinyModel { quantisation: quantisation.to_owned(), measures: wide, ..TinyModel::default() };
        all.push((format!("llama-{quantisation}"), tiny));
    }
    for architecture in ["qwen2", "qwen3"] {
        for quantisation in ["F32", "Q8_0"] {
            let tiny = TinyModel {
                architecture: architecture.to_owned(),
                quantisation: quantisation.to_owned(),
                tokenizer: "qwen2".to_owned(),
                ..TinyModel::default()
            };
            all.push((format!("{architecture}-{quantisation}"), tiny));
        }
    }
    // Three query heads to a head of keys, and a head's size that is no multiple of 32.
    let odd = TinyModel { measures: [2, 96, 160, 6, 2], quantisation: "Q8_0".to_owned(), ..TinyModel::default() };
    all.push(("llama-odd".to_owned(), odd));
    let linear = TinyModel {
        quantisation: "F32".to_owned(),
        floats: vec![("llama.rope.scaling.factor".to_owned(), 4.0)],
        texts: vec![("llama.rope.scaling.type".to_owned(), "linear".to_owned())],
        ..TinyModel::default()
    };
    all.push(("llama-linear".to_owned(), linear));
    for tokenizer in ["llama-bpe", "gpt-2", "default", "spm"] {
        let tiny = TinyModel { tokenizer: tokenizer.to_owned(), ..TinyModel::default() };
        all.push((format!("tokens-{tokenizer}"), tiny));
    }
    all
}

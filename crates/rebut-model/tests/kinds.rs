//! Tiny models of every supported architecture, tensor type and tokenizer.

use rebut_fakes::tiny_model::TinyModel;

pub(crate) fn all() -> Vec<(String, TinyModel)> {
    let mut all = Vec::new();
    // Blocks of 256 need rows of a multiple of that.
    let wide = [1, 256, 256, 4, 2];
    for quantisation in ["F32", "Q4_1", "Q8_0"] {
        all.push((
            format!("llama-{quantisation}"),
            TinyModel { quantisation: quantisation.to_owned(), ..TinyModel::default() },
        ));
    }
    for quantisation in ["Q4_K", "Q6_K"] {
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
    // Three query heads per KV head, and a head size that is not a multiple of 32.
    let odd = TinyModel { measures: [2, 96, 160, 6, 2], quantisation: "Q8_0".to_owned(), ..TinyModel::default() };
    all.push(("llama-odd".to_owned(), odd));
    all
}

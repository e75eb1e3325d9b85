//! Tokens of unusual texts.

use proptest::prelude::*;
use rebut_fakes::tiny_model::TinyModel;
use rebut_model::{LoadOptions, Message};

use crate::load;

fn with(tokenizer: &str) -> std::sync::Arc<rebut_model::Model> {
    let tiny = TinyModel { tokenizer: tokenizer.to_owned(), measures: [1, 32, 32, 2, 1], ..TinyModel::default() };
    load(&tiny, LoadOptions { threads: 1, ..LoadOptions::default() }).expect("it loads")
}

#[test]
fn merges_are_done_in_the_order_of_the_list() {
    let model = with("smollm");
    // The vocabulary is three special tokens, 256 bytes, and the merges in their order.
    let merged = |index: u32| 3 + 256 + index;
    assert_eq!(model.tokens(" the"), [merged(2)]);
    assert_eq!(model.tokens("ation"), [merged(21)]);
    assert_eq!(model.tokens(" and the"), [merged(11), merged(2)]);
    assert_eq!(model.tokens(""), [0u32; 0]);
}

#[test]
fn characters_without_a_merge_become_their_bytes() {
    let bytes = with("qwen2").tokens("é");
    assert_eq!(bytes, "é".bytes().map(|byte| 3 + u32::from(byte)).collect::<Vec<_>>());
}

#[test]
fn a_megabyte_without_a_space_is_encoded_fast() {
    let model = with("qwen2");
    let text = "station".repeat(150_000);
    assert!(model.tokens(&text).len() > 150_000);
}

proptest! {
    #[test]
    fn every_text_can_be_a_message(text in "\\PC*|[ -~]*|(<\\|im_end\\|>|<\\|im_start\\|>|\n){0,5}") {
        thread_local!(static MODELS: Vec<std::sync::Arc<rebut_model::Model>> =
            ["smollm", "qwen2"].map(with).to_vec());
        MODELS.with(|models| for model in models {
            let tokens = model.tokens(&text);
            // No text becomes a special token.
            assert!(tokens.iter().all(|token| *token > 2), "{text:?}");
            assert!(model.prompt(&[Message::user(text.clone())]).expect("a prompt").len() >= 5);
        });
    }
}

//! The default model itself, whose file `REBUT_TEST_MODEL` names: `scripts/test` fetches it and runs this.

use std::path::PathBuf;
use std::sync::Arc;

use rebut_model::{GenerateOptions, LoadOptions, Message, Model, Sampling, Stop};
use serde_json::{Value, json};

#[test]
#[ignore = "needs the real weights in REBUT_TEST_MODEL: scripts/test fetches them and runs this"]
fn the_real_model_answers_and_rules_within_its_limits() {
    let path = PathBuf::from(std::env::var_os("REBUT_TEST_MODEL").expect("REBUT_TEST_MODEL names the weights"));
    let model = Arc::new(Model::load(&path, LoadOptions::default()).expect("the model loads"));
    let mut session = model.session();
    let messages = [Message::system("You answer in one word."), Message::user("What is the capital of France?")];
    let options = GenerateOptions { max_tokens: 40, sampling: Sampling::greedy(), ..GenerateOptions::default() };
    let reply = session.chat(&messages, &options, &|| false, &mut |_| {}).expect("an answer");
    assert_eq!(reply.stop, Stop::EndOfTurn);
    assert!(!reply.text.trim().is_empty());

    let schema = json!({
        "type": "object",
        "properties": {
            "ruling": {"enum": ["keep", "change"]},
            "reason": {"type": "string"},
            "points": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["ruling", "reason", "points"],
        "additionalProperties": false,
    });
    for seed in 0..3 {
        let options = GenerateOptions { max_tokens: 100, seed, schema: Some(schema.clone()), ..GenerateOptions::default() };
        let reply = session.chat(&messages, &options, &|| false, &mut |_| {}).expect("a ruling");
        assert_eq!(reply.reused_tokens, reply.prompt_tokens - 1);
        let value: Value = serde_json::from_str(&reply.text).expect("JSON");
        assert!(value["reason"].is_string() && value["points"].is_array() && value["ruling"].is_string());
        assert!(reply.answer_tokens <= 100);
    }
}

//! A debate on the real embedded model. Its weights are fetched by `scripts/test`, which names them in REBUT_TEST_MODEL.
//! What the model says is its own; only the shape is held.

use std::path::PathBuf;

use rebut_fakes::TOPIC;

use crate::machine;

#[test]
fn a_whole_duel_of_one_round_is_held_by_the_embedded_model_alone() {
    let Some(weights) = std::env::var_os("REBUT_TEST_MODEL").map(PathBuf::from) else {
        return eprintln!("REBUT_TEST_MODEL is not set: run scripts/test, which fetches the weights");
    };
    let env = machine().set("REBUT_MODEL_DIR", weights.parent().unwrap().to_str().unwrap());
    let run = env.rebut([TOPIC, "--rounds", "1", "--timeout", "1200"]);
    let run = run.shows("it shows the mechanics of a debate, not wisdom").shows("local argues with itself");
    let debate = env.debate();
    let answers = debate.of_kind("answered");
    let statements: Vec<_> = answers.iter().filter(|line| line.key().starts_with("round-1/")).collect();
    assert_eq!(statements.len(), 2, "{run}");
    for statement in &statements {
        let answer = &statement.happening["answer"];
        assert!(answer["model"].as_str().unwrap().to_lowercase().contains("smollm2"), "{answer}");
        assert!(answer["usage"]["output_tokens"].as_u64().unwrap() > 0, "{answer}");
    }
    assert_ne!(
        statements[0].happening["content"]["body"], statements[1].happening["content"]["body"],
        "each side has a seed of its own"
    );
    // A verdict may break the rules, which are not all in its schema; but it always fits the schema.
    for rejected in debate.of_kind("rejected") {
        let code = rejected.happening["rejection"]["code"].as_str().unwrap().to_owned();
        assert!(!matches!(code.as_str(), "verdict:not_json" | "verdict:does_not_fit"), "{code}");
    }
    assert!(matches!(debate.status().as_str(), "completed" | "partial"), "{run}");
}

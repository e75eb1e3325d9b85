//! The block at the end of a statement: the stand-in model writes one where the prompt asks for it.

use serde_json::{Value, json};

/// The answer with a block of these claims, where the prompt asks for one and the answer is prose that has none.
pub fn ended_as_asked(answer: &str, prompt: &str, claims: &Value) -> String {
    let is_prose = !answer.trim().is_empty() && !answer.trim_start().starts_with('{') && !answer.contains("```json");
    if !is_prose || !prompt.contains("then one fenced JSON block:") {
        return answer.to_owned();
    }
    let options = prompt.split("`position` is exactly one of: ").nth(1).and_then(|rest| rest.split(", ").next());
    with_block(answer, &json!({"position": options.unwrap_or("Do as the statement says."), "claims": claims}))
}

pub fn with_block(prose: &str, block: &Value) -> String {
    format!("{prose}\n\n```json\n{block}\n```\n")
}

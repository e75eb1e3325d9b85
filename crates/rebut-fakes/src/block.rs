//! The block at the end of a statement: a model that is told to write one does.

use serde_json::{Value, json};

/// The answer with a block of these claims, where the prompt asks for one and the answer is prose that has none.
pub(crate) fn ended_as_asked(answer: &str, prompt: &str, claims: &Value) -> String {
    let is_prose = !answer.trim().is_empty() && !answer.trim_start().starts_with('{') && !answer.contains("```json");
    if !is_prose || !prompt.contains("then one fenced JSON block:") {
        return answer.to_owned();
    }
    let options = prompt.split("`position` is exactly one of: ").nth(1).and_then(|rest| rest.split(", ").next());
    with_block(answer, &json!({"position": options.unwrap_or("Do as the statement says."), "claims": claims}))
}

/// A statement of this prose that ends with this block.
pub fn with_block(prose: &str, block: &Value) -> String {
    format!("{prose}\n\n```json\n{block}\n```\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_gets_a_block_where_one_is_asked_for() {
        let asks = "at most 700 words of Markdown, then one fenced JSON block:\n`position` is exactly one of: yes, no, or undecided.";
        let ended = ended_as_asked("We should.", asks, &json!([]));
        let expected = with_block("We should.", &json!({"position": "yes", "claims": []}));
        assert_eq!(ended, expected);
        for answer in [ended.as_str(), "{\"claims\": []}", ""] {
            assert_eq!(ended_as_asked(answer, asks, &json!([])), answer);
        }
        assert_eq!(ended_as_asked("We should.", "What do you think?", &json!([])), "We should.");
    }
}

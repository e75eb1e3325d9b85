//! The vendor of a model, by the model's name alone. Pure.
//!
//! Many models of one vendor think alike, so seats of different families are preferred. A tool that can be pointed at
//! any model says little about that; the name of the model does.

/// Families, and the names of their models and vendors. A name counts if a word of a model begins with it.
#[rustfmt::skip]
const NAMES: [(&str, &[&str]); 18] = [
    ("anthropic", &["claude", "opus", "sonnet", "haiku", "anthropic"]),
    ("openai", &["gpt", "chatgpt", "codex", "o1", "o3", "o4", "openai"]),
    ("google", &["gemini", "gemma", "google"]),
    ("mistral", &["mistral", "mixtral", "ministral", "magistral", "codestral", "devstral", "pixtral"]),
    ("meta", &["llama", "meta"]),
    ("deepseek", &["deepseek"]),
    ("alibaba", &["qwen", "qwq", "alibaba"]),
    ("xai", &["grok", "xai", "x-ai"]),
    ("moonshot", &["kimi", "moonshot"]),
    ("zai", &["glm", "zai", "z-ai", "zhipu"]),
    ("minimax", &["minimax", "abab"]),
    ("cohere", &["command-r", "command-a", "cohere"]),
    ("amazon", &["nova-", "titan-", "amazon."]),
    ("microsoft", &["phi-"]),
    ("nvidia", &["nemotron", "nvidia"]),
    ("ibm", &["granite"]),
    ("ai21", &["jamba"]),
    ("huggingface", &["smollm"]),
];

/// The family of a model; `None` if its name does not show it.
///
/// The last part of a path counts first (`openrouter/anthropic/claude-x`), then the parts before it (`anthropic/x`).
pub(super) fn of_model(model: &str) -> Option<&'static str> {
    let model = model.to_lowercase();
    model.rsplit('/').find_map(of_part)
}

fn of_part(part: &str) -> Option<&'static str> {
    // The vendor may come before the name: `us.anthropic.claude-x`; or what was made of it: `deepseek-r1-llama-70b`.
    let starts = part.match_indices(['.', '-', '_', ':', '@']).map(|(at, _)| at + 1);
    let words = std::iter::once(0).chain(starts).map(|at| &part[at..]);
    words.into_iter().find_map(|word| {
        let names = |names: &[&str]| names.iter().any(|name| begins_with(word, name));
        NAMES.iter().find(|(_, of_family)| names(of_family)).map(|(family, _)| *family)
    })
}

/// Whether a word begins with a name; `o1` is not the beginning of `o1x`, nor `meta` of `metal`.
fn begins_with(word: &str, name: &str) -> bool {
    let Some(rest) = word.strip_prefix(name) else { return false };
    name.ends_with(['-', '.']) || !rest.starts_with(|c: char| c.is_ascii_alphabetic())
        // The vendor's name may end in `ai`: `mistralai`, `moonshotai`, `zhipuai`.
        || rest.strip_prefix("ai").is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_model_tells_its_family_through_any_service() {
        for (model, family) in [
            ("amazon-bedrock/us.anthropic.claude-opus-5-v1:0", Some("anthropic")),
            ("Claude-Opus", Some("anthropic")),
            ("o4-mini", Some("openai")),
            ("mistralai/x", Some("mistral")),
            ("meta-llama/llama-4-maverick", Some("meta")),
            ("deepseek-r1-distill-llama-70b", Some("deepseek")),
            ("qwen3-coder-plus", Some("alibaba")),
            ("amazon.nova-pro-v1:0", Some("amazon")),
            ("", None),
            ("standin/big", None),
            ("o1x", None),
            ("metal-1", None),
            ("sonnets", None),
        ] {
            assert_eq!(of_model(model), family, "{model}");
        }
    }
}

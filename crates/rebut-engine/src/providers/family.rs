//! The vendor behind a model, by the model's name alone. Pure.
//!
//! Many models of one vendor think alike, so seats of different families are preferred. A tool that can be pointed at
//! any model says little about that; the name of the model does.

/// Families, and the names of their models and vendors. A name counts where a word of a model begins with it.
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

/// The family of a model; `None` where its name does not tell.
///
/// The last part of a path tells first: `openrouter/anthropic/claude-x` is Anthropic's
/// whoever passes them on. Where it tells nothing, the parts before it do: `anthropic/x`.
pub(super) fn of_model(model: &str) -> Option<&'static str> {
    let model = model.to_lowercase();
    model.rsplit('/').find_map(of_part)
}

fn of_part(part: &str) -> Option<&'static str> {
    // The vendor may stand before the name: `us.anthropic.claude-x`; or what was made of it: `deepseek-r1-llama-70b`.
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
        // A size or an edition may be grown together with it: `mistralai`, `moonshotai`, `zhipuai`.
        || rest.strip_prefix("ai").is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_model_tells_its_family_whoever_passes_it_on() {
        for (model, family) in [
            ("anthropic/x", "anthropic"),
            ("anthropic/claude-opus-5-5", "anthropic"),
            ("openrouter/anthropic/claude-sonnet-4.5", "anthropic"),
            ("amazon-bedrock/us.anthropic.claude-opus-5-v1:0", "anthropic"),
            ("Claude-Opus", "anthropic"),
            ("opus", "anthropic"),
            ("gpt-5.3-codex[high]", "openai"),
            ("azure/gpt-5", "openai"),
            ("opencode/gpt-5-nano", "openai"),
            ("groq/openai/gpt-oss-120b", "openai"),
            ("o3", "openai"),
            ("o4-mini", "openai"),
            ("google/gemini-3-pro", "google"),
            ("vertex/gemini-2.5-flash", "google"),
            ("gemma3:27b", "google"),
            ("mistralai/x", "mistral"),
            ("mistral/devstral-medium", "mistral"),
            ("meta-llama/llama-4-maverick", "meta"),
            ("llama3.3:70b", "meta"),
            ("deepseek/deepseek-chat", "deepseek"),
            ("deepseek-r1-distill-llama-70b", "deepseek"),
            ("qwen3-coder-plus", "alibaba"),
            ("xai/grok-4", "xai"),
            ("x-ai/grok-4", "xai"),
            ("moonshotai/kimi-k2", "moonshot"),
            ("zai/glm-4.6", "zai"),
            ("zhipuai/x", "zai"),
            ("minimax/minimax-m2", "minimax"),
            ("amazon.nova-pro-v1:0", "amazon"),
            ("phi-4", "microsoft"),
        ] {
            assert_eq!(of_model(model), Some(family), "{model}");
        }
    }

    #[test]
    fn a_name_that_tells_nothing_has_no_family() {
        for model in
            ["", "/", "stand-in-model", "standin/big", "flash", "pro", "auto", "o1x", "metal-1", "my/own", "sonnets"]
        {
            assert_eq!(of_model(model), None, "{model}");
        }
    }
}

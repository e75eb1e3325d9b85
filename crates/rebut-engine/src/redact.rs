//! Secrets are taken out of a text once, on arrival: what is journaled, shown or put into a prompt comes after this.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;

/// What stands in a secret's place.
const REDACTED: &str = "[redacted]";

/// A line of the list below.
macro_rules! secret {
    ($hints:expr, $pattern:expr) => {
        Secret { hints: &$hints, pattern: LazyLock::new(|| Regex::new($pattern).ok()) }
    };
}

/// What a secret looks like.
struct Secret {
    /// One of these stands in every such secret, in lower case. Most texts hold none, and a pattern is slow to build.
    hints: &'static [&'static str],
    /// The part to keep, if any, is the first group.
    pattern: LazyLock<Option<Regex>>,
}

static SECRETS: [Secret; 8] = [
    secret!(["private key-----"], r"()-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|\z)"),
    secret!(["sk-"], r"()\bsk-[A-Za-z0-9_-]{16,}"),
    secret!(["aiza"], r"()\bAIza[A-Za-z0-9_-]{30,}"),
    secret!(["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], r"()\b(?:ghp|gho|ghu|ghs|ghr)_[A-Za-z0-9]{30,}"),
    secret!(["github_pat_"], r"()\bgithub_pat_[A-Za-z0-9_]{30,}"),
    secret!(["akia", "asia"], r"()\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"),
    secret!(["bearer"], r"((?i:bearer)\s+)[A-Za-z0-9._~+/=-]{16,}"),
    secret!(
        ["_key", "_token", "_secret"],
        r#"(\b[A-Z][A-Z0-9_]*_(?:API_)?(?:KEY|TOKEN|SECRET)\s*[=:]\s*["']?)[^\s"'<>{}$]{8,}"#
    ),
];

/// The text without secrets.
pub fn redact(text: &str) -> Cow<'_, str> {
    let lower = text.to_ascii_lowercase();
    let hinted = SECRETS.iter().filter(|secret| secret.hints.iter().any(|hint| lower.contains(hint)));
    let patterns = hinted.filter_map(|secret| secret.pattern.as_ref());
    patterns.fold(Cow::Borrowed(text), |text, pattern| {
        if pattern.is_match(&text) {
            Cow::Owned(pattern.replace_all(&text, format!("${{1}}{REDACTED}")).into_owned())
        } else {
            text
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_is_a_regex() {
        assert!(SECRETS.iter().all(|secret| secret.pattern.is_some()));
    }

    /// Secrets are put together here, so that no scanner takes this file for a leak.
    fn secrets() -> Vec<String> {
        let random = |length: usize| "a1B2c3D4".chars().cycle().take(length).collect::<String>();
        let upper = random(16).to_uppercase();
        vec![
            format!("sk-{}", random(40)),
            format!("sk-{}-{}", "ant", random(40)),
            format!("sk-{}-{}", "proj", random(40)),
            format!("AI{}{}", "za", random(35)),
            format!("gh{}_{}", "p", random(36)),
            format!("gh{}_{}", "o", random(36)),
            format!("github_{}_{}", "pat", random(40)),
            format!("AK{}{upper}", "IA"),
            format!("AS{}{upper}", "IA"),
            format!("-----BEGIN {0} PRIVATE KEY-----\nMIIE\n-----END {0} PRIVATE KEY-----", "RSA"),
        ]
    }

    #[test]
    fn secrets_are_taken_out_and_the_rest_stays() {
        for secret in secrets() {
            assert_eq!(redact(&format!("before {secret} after")), "before [redacted] after", "{secret}");
        }
        let token = format!("ey{}.e30.{}", "JhbGciOiJIUzI1NiJ9", "abc-def_ghi");
        assert_eq!(redact(&format!("Authorization: Bearer {token}, next")), "Authorization: Bearer [redacted], next");
        assert_eq!(redact(&format!("OPENAI_API_KEY={}\nnext", "abcdef123456")), "OPENAI_API_KEY=[redacted]\nnext");
    }

    #[test]
    fn ordinary_text_is_untouched() {
        for text in [
            "commit 3f2a9c1d0b4e5f60718293a4b5c6d7e8f9012345 touches src/pool.rs:88",
            "set OPENAI_API_KEY in the environment",
            "a bearer of news, and the task-list of the risk-averse",
            "let key = env!(\"API_KEY\");",
        ] {
            assert_eq!(redact(text), text);
        }
    }
}

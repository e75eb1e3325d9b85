//! The rules for secrets: one table. Most find a secret by its own form; the last three by what is around it.
//!
//! A pattern redacts its group, or all of its match. No pattern may need something at any distance: a search would go there
//! for every candidate.

use std::sync::LazyLock;

use regex::Regex;

use super::shape::{Kinds, is_wordlike};
use super::{REDACTED, Span, assignments, entropy, pem};

/// When a match is a secret.
#[derive(Clone, Copy, Debug)]
enum When {
    /// Nothing else has this form.
    Always,
    /// If it is not made of words: names have this form too (`sk-fading-circle`).
    NotWords,
    /// If it is not prose about bearers.
    Bearer,
    NotPlaceholder,
    /// If this finds it; without a pattern.
    Found(fn(&str) -> Vec<Span>),
}

/// What may directly precede a key although it ends in a letter or digit: escapes of JSON and URLs, terminal colours.
const BEFORE: &str = r"(?:\\[nrtbf]|\\u[0-9A-Fa-f]{4}|\[[0-9;]{1,8}m|%[0-9A-Fa-f]{2}|(?-u:\b))";

/// Name, pattern, condition.
const RULES: [(&str, &str, When); 33] = [
    ("Anthropic", r"sk-ant-[a-z]{3,8}[0-9]{2}-[A-Za-z0-9_-]{16,}", When::Always),
    ("OpenAI project", r"sk-proj-[A-Za-z0-9_-]{20,}", When::Always),
    (
        "private key in base64",
        r"LS0tLS1CRUdJTi(?:BQUklWQVRF|BSU0Eg|BFQyBQ|BEU0Eg|BPUEVOU1NI|BFTkNSWVBURUQg)[A-Za-z0-9+/]*=*",
        When::Always,
    ),
    ("Google API", r"AIza[A-Za-z0-9_-]{30,}", When::Always),
    ("GitHub", r"gh[oprsu]_[A-Za-z0-9]{20,}", When::Always),
    ("GitHub, fine-grained", r"github_pat_[A-Za-z0-9_]{20,}", When::Always),
    ("AWS access key", r"(?:AKIA|ASIA)[A-Z0-9]{16}(?-u:\b)", When::Always),
    ("Stripe", r"(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,}", When::Always),
    ("GitLab", r"gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|sa|c)[-_][A-Za-z0-9_.=-]{20,}", When::Always),
    ("Hugging Face", r"hf_[A-Za-z0-9]{30,}", When::Always),
    ("npm", r"npm_[A-Za-z0-9]{30,}", When::Always),
    ("Google OAuth", r"ya29\.[A-Za-z0-9_-]{20,}", When::Always),
    ("Google client", r"GOCSPX-[A-Za-z0-9_-]{20,}", When::Always),
    ("SendGrid", r"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{16,}", When::Always),
    ("Vault", r"hv[sb]\.[A-Za-z0-9_-]{24,}", When::Always),
    ("Databricks", r"dapi[0-9a-f]{32}", When::Always),
    ("DigitalOcean", r"do[opr]_v1_[0-9a-f]{32,}", When::Always),
    ("Shopify", r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}", When::Always),
    ("age", r"AGE-SECRET-KEY-1[A-Z0-9]{40,}", When::Always),
    ("Slack webhook", r"hooks\.slack\.com/services/[A-Za-z0-9]{6,16}/[A-Za-z0-9]{6,16}/[A-Za-z0-9]{16,}", When::Always),
    ("OpenAI and others", r"sk-[A-Za-z0-9_-]{16,}", When::NotWords),
    ("Slack", r"(?:xox[abeoprs]|xapp)-[A-Za-z0-9-]{10,}", When::NotWords),
    ("PyPI", r"pypi-[A-Za-z0-9_-]{32,}", When::NotWords),
    ("xAI, Perplexity, …", r"(?:xai|pplx|csk|tvly|nvapi|PMAK)-[A-Za-z0-9_-]{20,}", When::NotWords),
    (
        "Groq, Replicate, …",
        r"(?:gsk|r8|fw|whsec|sbp|ntn|nfp|sntrys|jina|rubygems|dckr_pat|lin_api)_[A-Za-z0-9_-]{20,}",
        When::NotWords,
    ),
    ("basic authorization", r"(?:(?-u:(?i:basic))[ \t]{1,4})([A-Za-z0-9+/]{12,}={0,2})", When::NotWords),
    ("bearer authorization", r"(?:(?-u:(?i:bearer))[ \t]{1,4})([A-Za-z0-9._~+/=-]{7,}[A-Za-z0-9_~+/=-])", When::Bearer),
    // The first part can be of any length, so it is searched for by itself.
    ("JWT", r"(eyJ[A-Za-z0-9_-]{8,}\.\.?[A-Za-z0-9_-]{2,}(?:\.[A-Za-z0-9_-]+)*)", When::Always),
    ("password in a URL", r#"://[^\s/:@"'<>`\\]*:([^\s/"'<>`\\]{2,})@[A-Za-z0-9\[]"#, When::NotPlaceholder),
    ("token in a URL", r"://([A-Za-z0-9_-]{20,})@[A-Za-z0-9\[]", When::NotPlaceholder),
    ("private key between its markers", "", When::Found(pem::private)),
    ("value of a secret's name, as in `token=…`", "", When::Found(assignments::find)),
    ("long mixture of characters that is no word, path, hash or data", "", When::Found(entropy::find)),
];

/// The rules as patterns. Those that redact all of their match are one per condition, so that a text is searched once.
static PATTERNS: LazyLock<Vec<(When, Regex)>> = LazyLock::new(|| {
    let has_group = |pattern: &str| pattern.replace("(?", "").contains('(');
    let joined = [When::Always, When::NotWords].map(|when| {
        let is_of = |rule: &&(&str, &str, When)| std::mem::discriminant(&rule.2) == std::mem::discriminant(&when);
        let rules = RULES.iter().filter(is_of).filter(|rule| !has_group(rule.1));
        (when, format!("({})", rules.map(|rule| rule.1).collect::<Vec<_>>().join("|")))
    });
    let alone = RULES.iter().filter(|rule| has_group(rule.1)).map(|(_, pattern, when)| (*when, (*pattern).to_owned()));
    let all = joined.into_iter().chain(alone);
    all.filter_map(|(when, pattern)| Some((when, Regex::new(&format!("{BEFORE}{pattern}")).ok()?))).collect()
});

pub(super) fn find(text: &str) -> Vec<Span> {
    let by_finders = RULES.iter().filter_map(|rule| if let When::Found(find) = rule.2 { Some(find(text)) } else { None });
    let mut found: Vec<Span> = by_finders.flatten().collect();
    for (when, pattern) in PATTERNS.iter() {
        for secret in pattern.captures_iter(text).filter_map(|found| found.get(1)) {
            if when.holds(secret.as_str()) {
                found.push(secret.range());
            }
        }
    }
    found
}

impl When {
    fn holds(self, secret: &str) -> bool {
        match self {
            Self::Always | Self::Found(_) => true,
            Self::NotWords => is_random(secret),
            // Prose has words there: a short token needs a digit, and must not name something that has one.
            Self::Bearer => (secret.len() >= 16 && is_random(secret)) || (is_mixed(secret) && !names_something(secret)),
            Self::NotPlaceholder => !is_placeholder(secret),
        }
    }
}

fn is_random(secret: &str) -> bool {
    let kinds = Kinds::of(secret);
    (kinds.digit || (kinds.upper && kinds.lower)) && !is_wordlike(secret)
}

fn is_mixed(secret: &str) -> bool {
    let kinds = Kinds::of(secret);
    kinds.digit && kinds.letter()
}

/// `OAuth2.0`, `HTTP/1.1`, `test-token-1`.
fn names_something(secret: &str) -> bool {
    const NAMES: &str = "token tokens key secret test example jwt oauth rfc http auth scheme draft sha";
    let plain = secret.to_ascii_lowercase();
    plain
        .split(|sign: char| !sign.is_ascii_alphabetic())
        .any(|word| !word.is_empty() && NAMES.split(' ').any(|name| name == word))
}

/// Whether a password in a URL only marks where one would be.
fn is_placeholder(password: &str) -> bool {
    let plain = password.to_ascii_lowercase();
    let begins = ["$", "{", "<", "%s", "%(", "[", "*", "..."];
    let words = ["pass", "password", "passwd", "pwd", "pw", "secret", "token", "pat", "xxx", "xxxx"];
    begins.iter().any(|sign| plain.starts_with(sign)) || words.contains(&plain.as_str()) || plain.ends_with(REDACTED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_is_a_pattern() {
        assert_eq!(PATTERNS.len(), 2 + 5);
    }
}

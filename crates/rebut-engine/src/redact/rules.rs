//! The rules for secrets: one table. Most find a secret by its own form, the last by the name of a value.
//!
//! A pattern redacts its group, or all of its match. No pattern may need something at any distance: a search would go there
//! for every candidate.

use std::cell::LazyCell;
use std::sync::{LazyLock, OnceLock};

use regex::{Regex, RegexSet};

use super::random::{is_random, is_unordered};
use super::{REDACTED, Span, assignments};

/// When a match is a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum When {
    /// Nothing else has this form.
    Always,
    /// If it isn't made of words: names have this form too (`sk-fading-circle`).
    NotWords,
    /// If it isn't prose about bearers.
    Bearer,
    NotPlaceholder,
    /// If it is random, and neither a hash nor data.
    Unordered,
}

/// What may directly precede a key although it ends in a letter or digit: escapes of JSON and URLs, terminal colours. It
/// takes the place of `\b` at the beginning of a pattern.
const BEFORE: &str = r"(?:\\[nrtbf]|\\u[0-9A-Fa-f]{4}|\[[0-9;]{1,8}m|%[0-9A-Fa-f]{2}|(?-u:\b))";

/// Name, pattern, condition.
#[rustfmt::skip]
const RULES: [(&str, &str, When); 33] = [
    ("Anthropic", r"\bsk-ant-[a-z]{3,8}[0-9]{2}-[A-Za-z0-9_-]{16,}", When::Always),
    ("OpenAI project", r"\bsk-proj-[A-Za-z0-9_-]{20,}", When::Always),
    ("private key in base64",
        r"\bLS0tLS1CRUdJTi(?:BQUklWQVRF|BSU0Eg|BFQyBQ|BEU0Eg|BPUEVOU1NI|BFTkNSWVBURUQg)[A-Za-z0-9+/]*=*", When::Always),
    ("Google API", r"\bAIza[A-Za-z0-9_-]{30,}", When::Always),
    ("GitHub", r"\bgh[oprsu]_[A-Za-z0-9]{20,}", When::Always),
    ("GitHub, fine-grained", r"\bgithub_pat_[A-Za-z0-9_]{20,}", When::Always),
    ("AWS access key", r"\b(?:AKIA|ASIA)[A-Z0-9]{16}(?-u:\b)", When::Always),
    ("Stripe", r"\b(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,}", When::Always),
    ("GitLab", r"\bgl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|sa|c)[-_][A-Za-z0-9_.=-]{20,}", When::Always),
    ("Hugging Face", r"\bhf_[A-Za-z0-9]{30,}", When::Always),
    ("npm", r"\bnpm_[A-Za-z0-9]{30,}", When::Always),
    ("Google OAuth", r"\bya29\.[A-Za-z0-9_-]{20,}", When::Always),
    ("Google client", r"\bGOCSPX-[A-Za-z0-9_-]{20,}", When::Always),
    ("SendGrid", r"\bSG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{16,}", When::Always),
    ("Vault", r"\bhv[sb]\.[A-Za-z0-9_-]{24,}", When::Always),
    ("Databricks", r"\bdapi[0-9a-f]{32}", When::Always),
    ("DigitalOcean", r"\bdo[opr]_v1_[0-9a-f]{32,}", When::Always),
    ("Shopify", r"\bshp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}", When::Always),
    ("age", r"\bAGE-SECRET-KEY-1[A-Z0-9]{40,}", When::Always),
    ("Slack webhook", r"\bhooks\.slack\.com/services/[A-Za-z0-9]{6,16}/[A-Za-z0-9]{6,16}/[A-Za-z0-9]{16,}", When::Always),
    ("OpenAI and others", r"\bsk-[A-Za-z0-9_-]{16,}", When::NotWords),
    ("Slack", r"\b(?:xox[abeoprs]|xapp)-[A-Za-z0-9-]{10,}", When::NotWords),
    ("PyPI", r"\bpypi-[A-Za-z0-9_-]{32,}", When::NotWords),
    ("xAI, Perplexity, …", r"\b(?:xai|pplx|csk|tvly|nvapi|PMAK)-[A-Za-z0-9_-]{20,}", When::NotWords),
    ("Groq, Replicate, …",
        r"\b(?:gsk|r8|fw|whsec|sbp|ntn|nfp|sntrys|jina|rubygems|dckr_pat|lin_api)_[A-Za-z0-9_-]{20,}", When::NotWords),
    ("basic authorization", r"\b(?-u:(?i:basic))[ \t]{1,4}([A-Za-z0-9+/]{12,}={0,2})", When::NotWords),
    ("bearer authorization", r"\b(?-u:(?i:bearer))[ \t]{1,4}([A-Za-z0-9._~+/=-]{7,}[A-Za-z0-9_~+/=-])", When::Bearer),
    // The first part can be of any length, so it is searched for by itself.
    ("JWT", r"\b(eyJ[A-Za-z0-9_-]{8,}\.\.?[A-Za-z0-9_-]{2,}(?:\.[A-Za-z0-9_-]+)*)", When::Always),
    ("password in a URL", r#"://[^\s/:@"'<>`\\]*:([^\s/"'<>`\\]{2,})@[A-Za-z0-9\[]"#, When::NotPlaceholder),
    ("token in a URL", r"://([A-Za-z0-9_-]{20,})@[A-Za-z0-9\[]", When::NotPlaceholder),
    ("private key between its markers", PEM, When::Always),
    ("AWS secret key",
        r"(?i:secret[_-]?access[_-]?key)[^\n]{1,16}?([A-Za-z0-9+/]{40})(?:[^A-Za-z0-9+/]|\z)", When::Always),
    ("long mixture of characters that is no word, path, hash or data",
        r"BEFORE?([A-Za-z0-9+/_-]{24,}={0,2})", When::Unordered),
];

/// A block with both markers, one without its end, or one without its beginning. Between the pieces of a key is white
/// space, also written `\n`, and what marks lines in source text and diffs. Between two markers a piece of 16 characters
/// shows that there is a key, since source code names the markers side by side; without one of them it takes 24, since
/// words are shorter, except where the text itself breaks off.
const PEM: &str = r"(?x)(
      -----BEGIN\ LABEL----- (?: GAP | HEAD | [A-Za-z0-9+/=]{1,15} GAP )* [A-Za-z0-9+/=]{16} (?: GAP | HEAD | [A-Za-z0-9+/=] )*
        -----END\ [A-Z0-9\x20]{1,40}-----
    | -----BEGIN\ LABEL----- (?: SPACE+ (?: HEAD | [A-Za-z0-9+/=]{24,} ) )+ (?: (?: \n | \\n ) [A-Za-z0-9+/=]{1,23} \z )?
    | [A-Za-z0-9+/=]{24,} (?: SPACE+ [A-Za-z0-9+/=]{24,} )* (?: SPACE+ [A-Za-z0-9+/=]{1,23} )? SPACE* -----END\ LABEL-----
    )";
const SPACE: &str = r#"(?: \\[nrt] | [\x20\t\r\n"',>|\\] )"#;
const GAP: &str = r#"(?: \\[nrt] | [\x20\t\r\n"',>|\\] | - (?: [^-] | \z ) )"#;
const HEAD: &str = r"(?: (?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset):\ [^\r\n\\-]* )";

/// Certificates, public keys and signatures look random and are not secret.
static BLOCKS: LazyLock<Option<Regex>> = LazyLock::new(|| compiled(PEM, r"[A-Z0-9\x20]{1,40}"));

/// A pattern, compiled when a text first has what its matches begin with: most texts have none of it, and the patterns take
/// a megabyte and milliseconds.
struct Pattern {
    when: When,
    text: String,
    regex: OnceLock<Option<Regex>>,
}

impl Pattern {
    fn new(when: When, text: String) -> Self {
        Self { when, text, regex: OnceLock::new() }
    }

    fn regex(&self) -> Option<&Regex> {
        let label = r"[A-Z0-9\x20]{0,30}PRIVATE\ KEY[A-Z\x20]{0,10}";
        self.regex.get_or_init(|| compiled(&self.text, label)).as_ref()
    }
}

/// The rules as patterns, and what a text must have for each. Those that redact all of their match are one per condition, so
/// that a text is searched once.
static PATTERNS: LazyLock<(Vec<Pattern>, Option<RegexSet>)> = LazyLock::new(|| {
    let has_group = |pattern: &str| pattern.replace("(?", "").contains('(');
    let (mut patterns, mut beginnings) = (Vec::new(), Vec::new());
    for when in [When::Always, When::NotWords] {
        let rules: Vec<&str> = RULES.iter().filter(|rule| rule.2 == when && !has_group(rule.1)).map(|rule| rule.1).collect();
        let joined = rules.iter().map(|pattern| &pattern[2..]).collect::<Vec<_>>().join("|");
        patterns.push(Pattern::new(when, format!(r"\b({joined})")));
        beginnings.push(rules.into_iter().map(beginning).collect::<Vec<_>>().join("|"));
    }
    for (_, pattern, when) in RULES.iter().filter(|rule| has_group(rule.1)) {
        patterns.push(Pattern::new(*when, (*pattern).to_owned()));
        beginnings.push(beginning(pattern).to_owned());
    }
    (patterns, RegexSet::new(beginnings).ok())
});

/// What every match of a rule begins with: its pattern before the first repeated class of characters.
fn beginning(pattern: &str) -> &str {
    if pattern == PEM {
        return "-----";
    }
    let pattern = pattern.trim_start_matches(r"\b").trim_start_matches("BEFORE?");
    let pattern = if pattern.starts_with("(?") { pattern } else { pattern.trim_start_matches('(') };
    let mut classes = pattern.match_indices('[').filter(|(at, _)| {
        let after = pattern[*at..].split_once(']').map_or("", |(_, after)| after);
        after.starts_with(['{', '*', '+'])
    });
    match classes.next().map(|(at, _)| pattern[..at].trim_end_matches('(')) {
        // Nothing would be found before every character, and the end is found once.
        Some("") => r"\z",
        begun => begun.unwrap_or(pattern),
    }
}

fn compiled(pattern: &str, label: &str) -> Option<Regex> {
    let pattern = pattern.strip_prefix(r"\b").map_or_else(|| pattern.to_owned(), |rest| format!("BEFORE{rest}"));
    let parts = [("BEFORE", BEFORE), ("LABEL", label), ("SPACE", SPACE), ("GAP", GAP), ("HEAD", HEAD)];
    Regex::new(&parts.iter().fold(pattern, |pattern, (name, part)| pattern.replace(name, part))).ok()
}

pub(super) fn find(text: &str) -> Vec<Span> {
    let mut found = assignments::find(text);
    let (patterns, beginnings) = &*PATTERNS;
    let begun = beginnings.as_ref().map(|set| set.matches(text));
    let is_public = LazyCell::new(|| blocks(text));
    for (pattern, at) in patterns.iter().zip(0..) {
        if begun.as_ref().is_some_and(|begun| !begun.matched(at)) {
            continue;
        }
        let secrets = pattern.regex().into_iter().flat_map(|regex| regex.captures_iter(text));
        found.extend(secrets.filter_map(|found| Some(found.get(1)?.range())).filter(|secret| match pattern.when {
            When::Always => true,
            When::NotWords => is_random(&text[secret.clone()]),
            When::Bearer => is_token(&text[secret.clone()]),
            When::NotPlaceholder => !is_placeholder(&text[secret.clone()]),
            When::Unordered => is_unordered(text, secret) && !is_public.iter().any(|block| block.contains(&secret.start)),
        }));
    }
    found
}

/// Where certificates, public keys and signatures are.
fn blocks(text: &str) -> Vec<Span> {
    if !text.contains("-----") {
        return Vec::new();
    }
    BLOCKS.iter().flat_map(|blocks| blocks.find_iter(text)).map(|block| block.range()).collect()
}

/// Prose has words after "bearer": a short token needs a digit, and must not name something (`OAuth2.0`, `test-token-1`).
fn is_token(text: &str) -> bool {
    const NAMES: &str = "token tokens key secret test example jwt oauth rfc http auth scheme draft sha";
    let plain = text.to_ascii_lowercase();
    let mut words = plain.split(|sign: char| !sign.is_ascii_alphabetic()).filter(|word| !word.is_empty()).peekable();
    (text.len() >= 16 && is_random(text))
        || plain.contains(|sign: char| sign.is_ascii_digit())
            && words.peek().is_some()
            && !words.any(|word| NAMES.split(' ').any(|name| name == word))
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
        let (patterns, beginnings) = &*PATTERNS;
        assert_eq!((patterns.len(), beginnings.as_ref().map(RegexSet::len)), (2 + 8, Some(2 + 8)));
        assert!(patterns.iter().all(|pattern| pattern.regex().is_some()));
        assert!(BLOCKS.is_some());
    }
}

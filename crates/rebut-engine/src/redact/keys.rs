//! Secrets that are told by their own form, wherever they stand.

use std::sync::LazyLock;

use regex::Regex;

use super::Span;
use super::shape::{Kinds, is_wordlike};

/// What may stand directly before a key although it ends in a letter or a digit: escapes of JSON and of addresses, and
/// colours of a terminal.
const BEFORE: &str = r"(?:\\[nrtbf]|\\u[0-9A-Fa-f]{4}|\[[0-9;]{1,8}m|%[0-9A-Fa-f]{2}|(?-u:\b))";

/// Forms that nothing else has.
///
/// None of them may need something that stands any distance away: a search would go there for each key that is found.
const CERTAIN: [&str; 20] = [
    // Prefixes that no word begins with, whatever comes behind them.
    r"sk-ant-[a-z]{3,8}[0-9]{2}-[A-Za-z0-9_-]{16,}",
    r"sk-proj-[A-Za-z0-9_-]{20,}",
    // A private key that was put into base64 as a whole, marks included.
    r"LS0tLS1CRUdJTi(?:BQUklWQVRF|BSU0Eg|BFQyBQ|BEU0Eg|BPUEVOU1NI|BFTkNSWVBURUQg)[A-Za-z0-9+/]*=*",
    r"AIza[A-Za-z0-9_-]{30,}",
    r"gh[oprsu]_[A-Za-z0-9]{20,}",
    r"github_pat_[A-Za-z0-9_]{20,}",
    r"(?:AKIA|ASIA)[A-Z0-9]{16}(?-u:\b)",
    r"(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,}",
    r"gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|sa|c)[-_][A-Za-z0-9_.=-]{20,}",
    r"hf_[A-Za-z0-9]{30,}",
    r"npm_[A-Za-z0-9]{30,}",
    r"ya29\.[A-Za-z0-9_-]{20,}",
    r"GOCSPX-[A-Za-z0-9_-]{20,}",
    r"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{16,}",
    r"hv[sb]\.[A-Za-z0-9_-]{24,}",
    r"dapi[0-9a-f]{32}",
    r"do[opr]_v1_[0-9a-f]{32,}",
    r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}",
    r"AGE-SECRET-KEY-1[A-Z0-9]{40,}",
    r"hooks\.slack\.com/services/[A-Za-z0-9]{6,16}/[A-Za-z0-9]{6,16}/[A-Za-z0-9]{16,}",
];

/// Forms that names of things can have too (`sk-fading-circle`): only what is not made of words is a key.
const LIKELY: [&str; 7] = [
    r"sk-[A-Za-z0-9_-]{16,}",
    r"(?:xox[abeoprs]|xapp)-[A-Za-z0-9-]{10,}",
    r"pypi-[A-Za-z0-9_-]{32,}",
    r"(?:xai|pplx|csk|tvly|nvapi|PMAK)-[A-Za-z0-9_-]{20,}",
    r"(?:gsk|r8|fw|whsec|sbp|ntn|nfp|sntrys|jina|rubygems|dckr_pat|lin_api)_[A-Za-z0-9_-]{20,}",
    r"(?-u:(?i:bearer))[ \t]{1,4}[A-Za-z0-9._~+/=-]{8,}",
    r"(?-u:(?i:basic))[ \t]{1,4}[A-Za-z0-9+/]{12,}={0,2}",
];

/// From how many characters on a token needs no digit.
const LONG_TOKEN: usize = 16;

/// A JWT: a JSON object in base64, then a payload and a signature, or the five parts of an encrypted one. It is searched
/// for by itself, because its first part can be of any length.
const JWT: [&str; 1] = [r"eyJ[A-Za-z0-9_-]{8,}\.\.?[A-Za-z0-9_-]{2,}(?:\.[A-Za-z0-9_-]+)*"];

/// A password, or a token in its place, before the host of an address.
const IN_ADDRESS: &str = r#"://(?:[^\s/:@"'<>`\\]*:([^\s/"'<>`\\]{2,})|([A-Za-z0-9_-]{20,}))@[A-Za-z0-9\[]"#;

static CERTAINLY: LazyLock<Option<Regex>> = LazyLock::new(|| one_of(&CERTAIN));
static JWTS: LazyLock<Option<Regex>> = LazyLock::new(|| one_of(&JWT));
static PROBABLY: LazyLock<Option<Regex>> = LazyLock::new(|| one_of(&LIKELY));
static ADDRESSES: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(IN_ADDRESS).ok());

/// All forms in one pattern, so that a text is gone through once for them.
fn one_of(forms: &[&str]) -> Option<Regex> {
    Regex::new(&format!("{BEFORE}({})", forms.join("|"))).ok()
}

/// Finds what has the form of a secret.
pub(super) fn find(text: &str) -> Vec<Span> {
    let mut found = Vec::new();
    for key in CERTAINLY.iter().chain(JWTS.iter()).flat_map(|forms| forms.captures_iter(text)) {
        found.extend(key.get(1).map(|key| key.range()));
    }
    for key in PROBABLY.iter().flat_map(|forms| forms.captures_iter(text)).filter_map(|key| key.get(1)) {
        // After the word that names the scheme only what follows is the secret.
        let head = key.as_str().rfind([' ', '\t']).map_or(0, |space| space + 1);
        let secret = &key.as_str()[head..];
        // A full stop at the end is the sentence's.
        let secret = if head > 0 { secret.trim_end_matches('.') } else { secret };
        let is_secret = if key.as_str().len() > 6 && key.as_str()[..6].eq_ignore_ascii_case("bearer") {
            is_bearers(secret)
        } else {
            is_drawn(secret)
        };
        if is_secret {
            found.push(key.start() + head..key.start() + head + secret.len());
        }
    }
    for address in ADDRESSES.iter().flat_map(|forms| forms.captures_iter(text)) {
        if let Some(password) = address.get(1).or_else(|| address.get(2)).filter(|password| !is_stand_in(password.as_str()))
        {
            found.push(password.range());
        }
    }
    found
}

/// Whether what follows the word `Bearer` is a token. Prose has words there, so that a short one must have a digit, and be
/// no name of something that has one.
fn is_bearers(secret: &str) -> bool {
    const NAMES: [&str; 14] = [
        "token", "tokens", "key", "secret", "test", "example", "jwt", "oauth", "rfc", "http", "auth", "scheme", "draft",
        "sha",
    ];
    let kinds = Kinds::of(secret);
    let plain = secret.to_ascii_lowercase();
    let names_something = plain.split(|sign: char| !sign.is_ascii_alphabetic()).any(|word| NAMES.contains(&word));
    (secret.len() >= LONG_TOKEN && is_drawn(secret)) || (kinds.digit && kinds.letter() && !names_something)
}

/// Whether something is not made of words: there are digits in it, or both cases in disorder.
fn is_drawn(secret: &str) -> bool {
    let kinds = Kinds::of(secret);
    (kinds.digit || (kinds.upper && kinds.lower)) && !is_wordlike(secret)
}

/// Whether a password in an address only says that there would be one, or where it comes from.
fn is_stand_in(password: &str) -> bool {
    let plain = password.to_ascii_lowercase();
    let begins = ["$", "{", "<", "%s", "%(", "[", "*", "..."];
    let words = ["pass", "password", "passwd", "pwd", "pw", "secret", "token", "pat", "xxx", "xxxx"];
    begins.iter().any(|sign| plain.starts_with(sign)) || words.contains(&plain.as_str()) || plain.ends_with(super::REDACTED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_a_pattern() {
        assert!(CERTAINLY.is_some() && JWTS.is_some() && PROBABLY.is_some() && ADDRESSES.is_some());
    }
}

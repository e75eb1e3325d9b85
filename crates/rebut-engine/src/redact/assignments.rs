//! Values of names like `token`, as environments, JSON, YAML, TOML and source code write them.
//!
//! A name alone is no proof: source code assigns tokens and passwords all day. So the value decides, and how strictly
//! depends on how the assignment is written.

use std::sync::LazyLock;

use regex::Regex;

use super::shape::{Kinds, is_wordlike};
use super::{REDACTED, Span, is_redacted};

/// The end of a secret's name, and what is between it and the value: quotes, a type, the sign itself.
const NAME: &str = r#"(?x-u)
    (?i: (password|passwd|passphrase|pwd)
       | (secret[_-]?(?:access[_-]?)?key)
       | (api[_-]?key|access[_-]?key|private[_-]?key|account[_-]?key|auth[_-]?key|secret|token|_auth)
       | (_key) )
    (?: \\?["'`] )? \]?
    (?: [\x20\t]{0,8} : [\x20\t]{0,8} (?: &(?:'static\x20)?str | [Ss]tring | str ) [\x20\t]{0,8} = [\x20\t]{0,8}
      | ([\x20\t]{0,8}) (?: => | := | = | : ) ([\x20\t]{0,8})
      | (\x20) )"#;

/// The longest value.
const LONGEST: usize = 4_096;
/// The longest name.
const LONGEST_NAME: usize = 64;

static NAMES: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(NAME).ok());

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Holds {
    /// Made up by a person, so it may look like a word.
    Password,
    /// Of one known form.
    AwsSecret,
    /// Random.
    Token,
    /// A key of any kind, a table's too.
    Key,
}

/// How an assignment is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Manner {
    /// `NAME=value`: nothing but an environment is written like this, and there every value is literal.
    Environment,
    /// In quotes.
    Quoted,
    /// As it stands: a literal in YAML, anything in source code.
    Bare,
}

pub(super) fn find(text: &str) -> Vec<Span> {
    let mut found = Vec::new();
    let mut read = 0;
    let Some(names) = NAMES.as_ref() else { return found };
    for name in names.captures_iter(text) {
        let Some(whole) = name.get(0).filter(|whole| whole.start() >= read) else { continue };
        let holds = match (name.get(1), name.get(2), name.get(3)) {
            (Some(_), ..) => Holds::Password,
            (_, Some(_), _) => Holds::AwsSecret,
            (_, _, Some(_)) => Holds::Token,
            _ => Holds::Key,
        };
        let Some(last) = (1..=4).find_map(|group| name.get(group)) else { continue };
        let called = name_before(text, last.end());
        // The name before a password in an address; that is found by the address, which says where it ends.
        if text[..last.end() - called.len()].ends_with("://") {
            continue;
        }
        let spaced = name.get(5).is_none_or(|space| !space.is_empty()) || name.get(6).is_none_or(|space| !space.is_empty());
        // `--token value`: a space is enough after a flag, and only there.
        if name.get(7).is_some() && !(called.starts_with("--") && whole.len() == last.len() + 1) {
            continue;
        }
        let shouted = called.bytes().any(|b| b.is_ascii_uppercase()) && !called.bytes().any(|b| b.is_ascii_lowercase());
        let of_environment = shouted && !spaced && whole.as_str().ends_with('=');
        let Some((value, manner)) = value_at(text, whole.end(), of_environment) else { continue };
        if manner != Manner::Quoted {
            // A value without quotes is read once, whatever other names are in it.
            read = value.end;
        }
        // The shell's folder is called like a password.
        let is_folder = called.ends_with("PWD") && text[value.clone()].starts_with('/');
        let is_key_of_api = shouted && called.ends_with("_API_KEY") && holds == Holds::Token;
        let is_secret = is_secret(text, &value, holds, manner, shouted)
            || is_key_of_api && is_key(text, called, last.end() - called.len(), &value, manner);
        if !is_folder && is_secret {
            found.push(value);
        }
    }
    found
}

/// The whole name that ends here.
fn name_before(text: &str, end: usize) -> &str {
    let is_named = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let length = text.as_bytes()[..end].iter().rev().take(LONGEST_NAME).take_while(|byte| is_named(byte)).count();
    text.get(end - length..end).unwrap_or_default()
}

/// Where the value is that begins here, and how it is written.
fn value_at(text: &str, at: usize, of_environment: bool) -> Option<(Span, Manner)> {
    let rest = text.get(at..)?;
    // Letters that say how a literal is meant, as in `b"…"`.
    let marks = rest.bytes().take(2).take_while(|byte| matches!(byte, b'b' | b'r' | b'u')).count();
    let escaped = usize::from(rest[marks..].starts_with('\\'));
    let quote = rest[marks + escaped..].chars().next().filter(|sign| matches!(sign, '"' | '\'' | '`'));
    let manner = if of_environment { Manner::Environment } else { Manner::Quoted };
    if let Some(quote) = quote {
        let from = marks + escaped + 1;
        let mut before = ' ';
        let length = rest[from..]
            .char_indices()
            .take_while(|(offset, _)| *offset < LONGEST)
            .find(|(_, sign)| {
                let ends = *sign == '\n' || (*sign == quote && (escaped == 1 || before != '\\'));
                before = *sign;
                ends
            })
            .map_or_else(|| rest[from..].len().min(LONGEST), |(offset, _)| offset);
        let inside = rest.get(from..from + length)?;
        // In a text in quotes that is itself in quotes, the backslash belongs to the quote.
        let inside = if escaped == 1 { inside.strip_suffix('\\').unwrap_or(inside) } else { inside };
        return Some((at + from..at + from + inside.len(), manner));
    }
    let ends = |sign: char| {
        sign.is_whitespace()
            || matches!(sign, '"' | '\'' | '`' | '\\' | '<' | '>' | '{' | '}')
            || (!of_environment && matches!(sign, ',' | ';' | '&' | '|' | '(' | ')' | '['))
    };
    let length = rest.char_indices().take_while(|(offset, _)| *offset < LONGEST).find(|(_, sign)| ends(*sign));
    let length = length.map_or_else(|| rest.len().min(LONGEST), |(offset, _)| offset);
    let inside = rest.get(..length)?.trim_end_matches(['.', ',', ';', ':', ')', '!', '?']);
    Some((at..at + inside.len(), if of_environment { manner } else { Manner::Bare }))
}

fn is_secret(text: &str, span: &Span, holds: Holds, manner: Manner, shouted: bool) -> bool {
    let value = &text[span.clone()];
    if value.contains(REDACTED) {
        // What is left beside a secret that was taken out is of the same value.
        return value != REDACTED && manner != Manner::Bare && !value.contains(char::is_whitespace);
    }
    if is_stand_in(value) || value.contains("://") || value.contains(char::is_whitespace) {
        return false;
    }
    let kinds = Kinds::of(value);
    let next = text[span.end..].chars().next().unwrap_or(' ');
    let long_enough = value.len() >= if holds == Holds::Password { 6 } else { 8 };
    if !long_enough || looks_like_code(text, span, value, manner) || is_path(value) {
        return false;
    }
    let mixed = (kinds.letter() && kinds.digit) || kinds.sign;
    match (holds, manner) {
        (Holds::AwsSecret, _)
            if value.len() == 40 && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte)) =>
        {
            true
        }
        (Holds::Key, Manner::Bare) => false,
        (Holds::Key, _) => shouted && kinds.digit && !is_wordlike(value),
        (Holds::Password, Manner::Environment) => true,
        (_, Manner::Environment) => kinds.letter(),
        // A name as a value ends with what ends an expression; a literal of YAML with its line.
        (Holds::Password, Manner::Bare) => mixed && (kinds.sign || !matches!(next, ',' | ')' | ';')),
        (Holds::Password, Manner::Quoted) => mixed || (kinds.digit && !kinds.letter()),
        (Holds::Token | Holds::AwsSecret, _) => mixed && kinds.letter() && !is_wordlike(value),
    }
}

/// `Key2::new(…)`, `self.token1`, `keys[0]`: source code, and the value is elsewhere.
fn looks_like_code(text: &str, span: &Span, value: &str, manner: Manner) -> bool {
    let next = text[span.end..].chars().next().unwrap_or(' ');
    manner != Manner::Quoted
        && (matches!(next, '(' | '[' | '<')
            || value.contains("::")
            || value.contains('(')
            || (value.starts_with('_') && manner == Manner::Bare)
            || (value.contains('.') && is_wordlike(value)))
}

/// Whether the value of a `…_API_KEY` is one, however it looks. Nothing but a key is given to such a name, but source code
/// also refers to it there, and calls errors after what is missing.
fn is_key(text: &str, called: &str, begin: usize, span: &Span, manner: Manner) -> bool {
    let value = &text[span.clone()];
    let kinds = Kinds::of(value);
    let names_error = ["INVALID", "MISSING", "NO_", "UNKNOWN", "BAD_", "WRONG", "ERR"].iter().any(|w| called.contains(w));
    if value.len() < 8 || !kinds.letter() || names_error || is_redacted(value) || is_stand_in(value) || tells_what(value) {
        return false;
    }
    match manner {
        Manner::Environment | Manner::Quoted => true,
        // A name as a value has nothing but letters and is told by that; a line of a file of settings holds nothing else.
        Manner::Bare => {
            let is_name = value.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_');
            !is_name && !looks_like_code(text, span, value, manner) && !is_path(value) && is_alone(text, begin, span.end)
        }
    }
}

/// Whether a value says in words what would stand there.
fn tells_what(value: &str) -> bool {
    const WORDS: &str = "
        key token secret password credential your required optional here none null env config example placeholder
        missing invalid test fake dummy";
    let plain = value.to_ascii_lowercase();
    value.contains("://")
        || plain
            .split(|sign: char| !sign.is_ascii_alphanumeric())
            .any(|word| WORDS.split_whitespace().any(|known| known == word))
}

/// Whether a name and its value are all that stands in their lines, but for what begins an entry and a comment.
fn is_alone(text: &str, begin: usize, end: usize) -> bool {
    let before = text[..begin].rsplit('\n').next().unwrap_or_default();
    let after = text[end..].split('\n').next().unwrap_or_default().trim();
    let before = before.trim_start().trim_end_matches(['"', '\'', '`']).trim_end();
    matches!(before, "" | "-" | "+" | "export" | "ENV" | "{" | "set") && (after.is_empty() || after.starts_with('#'))
}

fn is_path(value: &str) -> bool {
    ["/", "./", "../", "~/"].iter().any(|begin| value.starts_with(begin)) && is_wordlike(value)
}

/// Whether a value only says that there would be one, or names where it is.
fn is_stand_in(value: &str) -> bool {
    let plain = value.to_ascii_lowercase();
    let begins = ["${", "$(", "$", "{", "<", "%", "*", "&", "@", "=", "...", "your", "xxx", "insert", "changeme"];
    let refers = ["password", "passwd", "secret", "token", "key", "placeholder", "example", "redacted"];
    let is_name = plain.bytes().all(|byte| byte.is_ascii_lowercase() || matches!(byte, b'_' | b'-' | b'.' | b':'));
    // A password may begin with any sign; only what is no more than a name after it is a reference.
    let is_reference = |sign: &str| {
        let rest = plain.strip_prefix(sign);
        rest.is_some_and(|rest| {
            sign.len() > 1 || !Kinds::of(rest).sign && (is_wordlike(rest) || rest.len() < 6) || sign == "{" || sign == "<"
        })
    };
    begins.iter().any(|sign| is_reference(sign))
        || plain.bytes().all(|byte| !byte.is_ascii_alphanumeric())
        || (is_name && refers.iter().any(|word| plain.contains(word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_that_hands_secrets_on_is_left_alone() {
        for text in [
            "let token = next_token2(input);",
            "connect(user=user, password=self.password1)",
            "token: Option<String>, password: String",
            "password: hash2,",
            "const API_TOKEN: &str = env!(\"API_TOKEN\");",
            "export GITHUB_TOKEN=$(gh auth token)",
            "GITHUB_TOKEN: ${{ secrets.GITHUB_TOKEN2 }}",
            "OPENAI_API_KEY=your-key-here-123",
            "OPENAI_API_KEY=<key>",
            "max_tokens: 128000, token_count = 12345678901",
            "PWD=/home/user1/project-2",
            "PRIMARY_KEY=\"user_id\"",
            "apiKey: process.env.OPENAI_API_KEY_2,",
            "\"token\": \"utf8-string-value\"",
            "X_API_KEY = default_value",
            "X_API_KEY = settings.of_mine_2",
            "X_API_KEY: undefined,",
            "`OPENAI_API_KEY`: not needed for local servers",
            "- OPENAI_API_KEY: read-from-config",
            "{\"INVALID_API_KEY\": \"Sign in once more\"}",
            "OPENAI_API_KEY=\"put your key here\"",
            "MY_API_KEY = os.environ[\"MY_API_KEY\"]",
        ] {
            assert_eq!(find(text), [] as [Span; 0], "{text}");
        }
    }
}

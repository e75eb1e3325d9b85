//! Values of names like `token`, as environments, JSON, YAML, TOML and source code write them.
//!
//! A name alone is no proof: source code assigns tokens and passwords all day. So the value decides, and how strictly
//! depends on how the assignment is written.

use std::sync::LazyLock;

use regex::Regex;

use super::random::{Kinds, is_wordlike};
use super::{REDACTED, Span};

/// The end of a secret's name, and what is between it and the value: quotes, a type, the sign itself. After a flag
/// (`--token value`) a space is enough.
static NAMES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r#"(?x-u)
        (?i: (password|passwd|passphrase|pwd)
           | (api[_-]?key|access[_-]?key|private[_-]?key|account[_-]?key|auth[_-]?key|secret(?:[_-]?key)?|token|_auth)
           | (_key) )
        (?: (?: \\?["'`] )? \]?
            (?: [\x20\t]{0,8} : [\x20\t]{0,8} (?: &(?:'static\x20)?str | [Ss]tring | str ) [\x20\t]{0,8} = [\x20\t]{0,8}
              | [\x20\t]{0,8} (?: => | := | = | : ) [\x20\t]{0,8} )
          | (\x20) )"#,
    )
    .ok()
});

/// The longest value without quotes, and the longest name.
const LONGEST: usize = 4_096;
const LONGEST_NAME: usize = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Holds {
    /// Made up by a person, so it may look like a word.
    Password,
    /// Random.
    Token,
    /// A key of any kind, a table's too.
    Key,
}

/// How a value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Manner {
    /// `NAME=value`: only an environment is written like this, and there every value is literal.
    Environment,
    Quoted,
    /// A literal in YAML, anything in source code.
    Bare,
}

struct Assignment<'a> {
    text: &'a str,
    /// The whole name.
    name: &'a str,
    /// Whether it is in capitals.
    is_shouted: bool,
    value: Span,
    holds: Holds,
    manner: Manner,
}

pub(super) fn find(text: &str) -> Vec<Span> {
    let mut found = Vec::new();
    let mut read = 0;
    for sign in NAMES.iter().flat_map(|names| names.captures_iter(text)) {
        let (whole, is_spaced) = (sign.get_match(), sign.get(4).is_some());
        let kinds = [Holds::Password, Holds::Token, Holds::Key];
        let named = kinds.into_iter().zip(1..).find_map(|(holds, group)| Some((holds, sign.get(group)?.end())));
        let Some((holds, end)) = named.filter(|_| whole.start() >= read) else { continue };
        let is_of_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.".contains(byte);
        let length = text.as_bytes()[..end].iter().rev().take(LONGEST_NAME).take_while(|byte| is_of_name(byte)).count();
        let name = &text[end - length..end];
        // The name before a password in an address; that is found by the address, which says where it ends.
        if text[..end - length].ends_with("://") || is_spaced && !name.starts_with("--") {
            continue;
        }
        let is_shouted = name.bytes().any(|b| b.is_ascii_uppercase()) && !name.bytes().any(|b| b.is_ascii_lowercase());
        let is_environment = is_shouted && matches!(&text[end..whole.end()], "=" | "\"=" | "'=" | "`=" | "]=");
        let (value, manner) = value_at(text, whole.end(), is_environment);
        if manner != Manner::Quoted {
            // A value without quotes is read once, whatever other names are in it.
            read = value.end;
        }
        let assignment = Assignment { text, name, is_shouted, value, holds, manner };
        if assignment.is_secret() || assignment.is_api_key() {
            found.push(assignment.value);
        }
    }
    found
}

/// Where the value is that begins here, and how it is written.
fn value_at(text: &str, at: usize, is_environment: bool) -> (Span, Manner) {
    let written = |otherwise| if is_environment { Manner::Environment } else { otherwise };
    let rest = &text[at..];
    // Letters that say how a literal is meant, as in `b"…"`.
    let opened = rest.trim_start_matches(['b', 'r', 'u']);
    let inside = opened.strip_prefix('\\').unwrap_or(opened);
    let is_escaped = inside.len() < opened.len();
    let Some(quote) = inside.chars().next().filter(|sign| "\"'`".contains(*sign)) else {
        let ends =
            |sign: char| sign.is_whitespace() || "\"'`\\<>{}".contains(sign) || !is_environment && ",;&|()[".contains(sign);
        let rest = &rest[..rest.floor_char_boundary(LONGEST)];
        let value = rest[..rest.find(ends).unwrap_or(rest.len())].trim_end_matches(['.', ',', ';', ':', ')', '!', '?']);
        return (at..at + value.len(), written(Manner::Bare));
    };
    let from = text.len() - inside.len() + 1;
    let mut before = ' ';
    let length = text[from..].find(|sign: char| {
        let ends = sign == '\n' || (sign == quote && (is_escaped || before != '\\'));
        before = sign;
        ends
    });
    let value = &text[from..length.map_or(text.len(), |length| from + length)];
    // In a text in quotes that is itself in quotes, the backslash belongs to the quote.
    let value = if is_escaped { value.strip_suffix('\\').unwrap_or(value) } else { value };
    (from..from + value.len(), written(Manner::Quoted))
}

impl Assignment<'_> {
    fn value(&self) -> &str {
        &self.text[self.value.clone()]
    }

    fn next(&self) -> char {
        self.text[self.value.end..].chars().next().unwrap_or(' ')
    }

    fn is_secret(&self) -> bool {
        let (value, manner) = (self.value(), self.manner);
        if value.contains(REDACTED) {
            // What is left beside a secret that was taken out is of the same value.
            return value != REDACTED && manner != Manner::Bare && !value.contains(char::is_whitespace);
        }
        let shortest = if self.holds == Holds::Password { 6 } else { 8 };
        if value.len() < shortest || value.contains(char::is_whitespace) || self.refers() {
            return false;
        }
        let kinds = Kinds::of(value);
        let is_mixed = (kinds.letter() && kinds.digit) || kinds.sign;
        match (self.holds, manner) {
            (Holds::Key, Manner::Bare) => false,
            (Holds::Key, _) => self.is_shouted && kinds.digit && !is_wordlike(value),
            (Holds::Password, Manner::Environment) => true,
            (Holds::Token, Manner::Environment) => kinds.letter(),
            // A name as a value ends with what ends an expression; a literal of YAML with its line.
            (Holds::Password, Manner::Bare) => is_mixed && (kinds.sign || !matches!(self.next(), ',' | ')' | ';')),
            (Holds::Password, Manner::Quoted) => is_mixed || (kinds.digit && !kinds.letter()),
            (Holds::Token, _) => is_mixed && kinds.letter() && !is_wordlike(value),
        }
    }

    /// Whether it gives a value of any look to a `…_API_KEY`. Only keys are given to such a name, but source code also
    /// refers to one there, and names errors after it.
    fn is_api_key(&self) -> bool {
        const NOT_KEYS: &str = "
            key token secret password credential your required optional here none null env config example placeholder
            missing invalid test fake dummy redacted";
        const ERRORS: [&str; 7] = ["INVALID", "MISSING", "NO_", "UNKNOWN", "BAD_", "WRONG", "ERR"];
        let value = self.value().to_ascii_lowercase();
        let mut words = value.split(|sign: char| !sign.is_ascii_alphanumeric());
        let is_named = self.is_shouted && self.name.ends_with("_API_KEY") && !ERRORS.iter().any(|w| self.name.contains(w));
        if !is_named || value.len() < 8 || !Kinds::of(&value).letter() || self.refers() {
            return false;
        }
        // A line of a file of settings holds only the assignment, and what begins an entry.
        let start = self.name.as_ptr() as usize - self.text.as_ptr() as usize;
        let before = self.text[..start].rsplit('\n').next().unwrap_or_default();
        let before = before.trim_start().trim_end_matches(['"', '\'', '`']).trim_end();
        let after = self.text[self.value.end..].split('\n').next().unwrap_or_default().trim();
        let is_alone =
            ["", "-", "+", "export", "ENV", "{", "set"].contains(&before) && (after.is_empty() || after.starts_with('#'));
        let is_name = value.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_');
        !words.any(|word| NOT_KEYS.split_whitespace().any(|known| known == word))
            && (self.manner != Manner::Bare || is_alone && !is_name)
    }

    /// Whether the value only says where a secret is or that one would be: a path, a URL, a placeholder, or source code
    /// (`Key2::new(…)`, `self.token1`, `keys[0]`).
    fn refers(&self) -> bool {
        let value = self.value();
        let is_path = ["/", "./", "../", "~/"].iter().any(|begin| value.starts_with(begin)) && is_wordlike(value);
        let is_code = matches!(self.next(), '(' | '[' | '<')
            || value.contains("::")
            || value.contains('(')
            || (value.starts_with('_') && self.manner == Manner::Bare)
            || (value.contains('.') && is_wordlike(value));
        // The shell's folder is called like a password.
        let is_folder = self.name.ends_with("PWD") && value.starts_with('/');
        is_path || is_folder || value.contains("://") || is_placeholder(value) || self.manner != Manner::Quoted && is_code
    }
}

/// Whether a value only says that there would be one, or names where it is.
fn is_placeholder(value: &str) -> bool {
    let plain = value.to_ascii_lowercase();
    let begins = ["${", "$(", "...", "your", "xxx", "insert", "changeme", "{", "<"];
    let words = ["password", "passwd", "secret", "token", "key", "placeholder", "example", "redacted"];
    let is_name = plain.bytes().all(|byte| byte.is_ascii_lowercase() || b"_-.:".contains(&byte));
    // A password may begin with any sign; only a name after it makes a reference.
    let is_reference = plain
        .strip_prefix(['$', '%', '*', '&', '@', '='])
        .is_some_and(|rest| !Kinds::of(rest).sign && (is_wordlike(rest) || rest.len() < 6));
    is_reference
        || begins.iter().any(|begin| plain.starts_with(begin))
        || plain.bytes().all(|byte| !byte.is_ascii_alphanumeric())
        || (is_name && words.iter().any(|word| plain.contains(word)))
}

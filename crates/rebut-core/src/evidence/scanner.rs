//! The places that prose mentions: lines of files, commits and web pages. Matches forms, never words, in linear time, and
//! looks nothing up.
//!
//! - Lines of a file: `path:12`, `path:12-20`, `path:12:5`, `path#L12-L20`, `path line 12`, `path lines 12-20`
//! - `commit HASH`: 7 to 40 hexadecimal digits, not all of them letters, so that "commit defaced" is no commit
//! - `http://` and `https://` URLs
//!
//! [`is_path`] says what a path is. A host with a port (`example.com:443`) looks like a file with a line (`pool.rs:443`) and
//! is read as one, since only a list of extensions could tell them apart.

use std::collections::BTreeMap;
use std::ops::Range;

use super::{Evidence, Lines, fences};

/// A place that prose mentions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mention {
    /// Where the text mentions it, in bytes.
    pub span: Range<usize>,
    /// The place, with what the text quotes from it.
    pub evidence: Evidence,
}

/// Finds the places that a text mentions outside its fenced blocks, in order.
pub fn scan(text: &str) -> Vec<Mention> {
    let mut mentions: Vec<Mention> = Vec::new();
    let mut at = 0;
    for fence in fences(text).into_iter().map(Some).chain([None]) {
        let end = fence.as_ref().map_or(text.len(), |fence| fence.whole.start);
        let mut last_line = at;
        for line in text[at..end].split_inclusive('\n') {
            last_line = at;
            mentions.extend(Line::read(line, at));
            at += line.len();
        }
        let Some(fence) = fence else { break };
        let code = text[fence.inside].trim_matches(['\r', '\n']);
        if let Some(mention) = mentions.last_mut().filter(|mention| mention.span.start >= last_line)
            && text[mention.span.end..end].chars().all(|c| c.is_whitespace() || ":：`*_)".contains(c))
            && mention.evidence.file.is_some()
            && !code.trim().is_empty()
        {
            mention.evidence.quote = Some(code.to_owned());
        }
        at = fence.whole.end;
    }
    mentions
}

struct Line<'a> {
    text: &'a str,
    /// Where the line starts in the whole text.
    start: usize,
    mentions: Vec<Mention>,
    /// The first text after the first place that may be quoted from it.
    quote: Option<&'a str>,
    /// How many places came before the last `[`, which may open the text of a link.
    before_bracket: usize,
    /// Marks that nothing closes in the rest of the line. Looking again for each of them would take quadratic time.
    unclosed: Vec<char>,
}

impl<'a> Line<'a> {
    fn read(text: &'a str, start: usize) -> Vec<Mention> {
        let mut line = Line { text, start, mentions: Vec::new(), quote: None, before_bracket: 0, unclosed: Vec::new() };
        let code_spans = code_spans(text);
        let mut at = 0;
        while let Some(c) = text[at..].chars().next() {
            at = if c == '`' {
                let inside = at + backticks(&text[at..]);
                code_spans.get(&at).map_or(inside, |end| line.code(inside..*end))
            } else {
                line.quotation(c, at).or_else(|| line.link(c, at)).unwrap_or_else(|| line.token(at))
            };
        }
        if let ([only], Some(quote)) = (line.mentions.as_mut_slice(), line.quote)
            && only.evidence.file.is_some()
        {
            only.evidence.quote = Some(quote.to_owned());
        }
        line.mentions
    }

    /// Reads a code span and returns where to continue: after the span, or after line numbers that follow it. A code span
    /// mentions a place if it starts with one; a path in the middle of it may have a name that contains spaces.
    fn code(&mut self, span: Range<usize>) -> usize {
        let inside = self.text[span.clone()].trim();
        let start = span.end - self.text[span.clone()].trim_start().len();
        let before = self.mentions.len();
        let end = self.path_with_spaces(start, inside.len()).unwrap_or_else(|| self.token(start));
        if self.mentions.len() == before {
            self.offer_quote(inside);
        }
        end.max(span.end + backticks(&self.text[span.end..]))
    }

    /// Reads text in quotation marks. With white space in it, it is someone's words, and mentions nothing.
    fn quotation(&mut self, open: char, at: usize) -> Option<usize> {
        let close: &[char] = match open {
            '"' => &['"'],
            '“' | '„' => &['”', '“'],
            '‘' => &['’'],
            '«' => &['»'],
            '「' => &['」'],
            _ => return None,
        };
        let start = at + open.len_utf8();
        let rest = &self.text[start..];
        let is_loose = open == '"' && rest.starts_with(char::is_whitespace);
        if is_loose || self.text[..at].ends_with(is_word) || self.unclosed.contains(&open) {
            return None;
        }
        // A mark inside a word is an apostrophe, or belongs to a string within the quotation.
        let mut marks = rest.match_indices(close);
        let Some((end, mark)) = marks.find(|(end, mark)| !rest[end + mark.len()..].starts_with(is_word)) else {
            self.unclosed.push(open);
            return None;
        };
        let inside = rest[..end].trim();
        let before = self.mentions.len();
        if !inside.contains(char::is_whitespace) {
            self.token(start + end - rest[..end].trim_start().len());
        }
        if self.mentions.len() == before {
            // American typography puts the punctuation of the sentence inside the marks.
            self.offer_quote(inside.trim_end_matches([',', '.']));
        }
        Some(start + end + mark.len())
    }

    /// Skips the target of a link whose text mentions a place.
    fn link(&mut self, c: char, at: usize) -> Option<usize> {
        if c == '[' {
            self.before_bracket = self.mentions.len();
        }
        let is_target = self.text[at..].starts_with("](") && self.mentions.len() > self.before_bracket;
        if !is_target || self.unclosed.contains(&'(') {
            return None;
        }
        let end = self.text[at..].find(')').map(|end| at + end + 1);
        if end.is_none() {
            self.unclosed.push('(');
        }
        end
    }

    /// Reads the URL, commit, path or word that starts here, and returns where it ends.
    fn token(&mut self, at: usize) -> usize {
        let rest = &self.text[at..];
        if let Some(url) = url(rest) {
            return self.found(at..at + url.len(), Evidence::page(url));
        }
        let length = token_length(rest, is_part);
        let (token, after) = rest.split_at(length);
        let end = at + length;
        if token.is_empty() {
            return end + rest.chars().next().map_or(0, char::len_utf8);
        }
        if let Some((gap, hash)) = hash(after).filter(|_| token.eq_ignore_ascii_case("commit")) {
            let end = self.found(at..end + gap + hash.len(), Evidence::commit(hash));
            return end + backticks(&self.text[end..]);
        }
        let path = token.trim_start_matches('-');
        if let Some((lines, length)) = line_numbers(after)
            && starts_path(&self.text[..at], token)
            && is_path(path)
        {
            // Markdown escapes underscores.
            let file = Evidence::file(path.replace("\\_", "_"), Some(lines));
            return self.found(end - path.len()..end + length, file);
        }
        end
    }

    /// Reads a code span that is nothing but a path, which may contain spaces and letters of any script.
    fn path_with_spaces(&mut self, at: usize, length: usize) -> Option<usize> {
        let rest = &self.text[at..];
        let (path, after) = rest.split_at(token_length(rest, |c| is_part(c) || c == ' ' || c.is_alphanumeric()));
        let (lines, numbers) = line_numbers(after)?;
        // `vim a.rs:3`, `cat a.rs b.rs:3`, `tool -v src/a.rs:3` and `error at src/a.rs:3:14` only end in a path.
        let is_text = path.rsplit_once(' ').is_some_and(|(before, _)| {
            !path.contains(['/', '\\'])
                || before.split(' ').any(|word| word.starts_with('-') || has_extension(word))
                || after[..numbers].matches(':').count() > 1
        });
        let end = at + path.len() + numbers;
        let is_whole = end >= at + length;
        (is_whole && !is_text && is_path(path)).then(|| self.found(at..end, Evidence::file(path, Some(lines))))
    }

    fn found(&mut self, span: Range<usize>, evidence: Evidence) -> usize {
        let end = span.end;
        self.mentions.push(Mention { span: self.start + span.start..self.start + end, evidence });
        end
    }

    /// Takes a text as the quote from the only place so far, unless it is a mere name: `get()`, `max_size`, `src/pool.rs`.
    fn offer_quote(&mut self, text: &'a str) {
        let name = text.strip_suffix("()").unwrap_or(text);
        let is_quote = name.contains(|c: char| c.is_whitespace() || "(){}<>=;|\"".contains(c));
        if is_quote && self.mentions.len() == 1 && self.quote.is_none() {
            self.quote = Some(text);
        }
    }
}

/// Maps the start of each run of backticks to the start of the run that would close it: the next one of the same length.
fn code_spans(line: &str) -> BTreeMap<usize, usize> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for (at, _) in line.match_indices('`') {
        match runs.last_mut() {
            Some((start, length)) if *start + *length == at => *length += 1,
            _ => runs.push((at, 1)),
        }
    }
    let mut next = BTreeMap::new();
    runs.iter().rev().filter_map(|(start, length)| Some((*start, next.insert(*length, *start)?))).collect()
}

fn backticks(text: &str) -> usize {
    text.len() - text.trim_start_matches('`').len()
}

fn url(text: &str) -> Option<&str> {
    let is_scheme = |scheme: &&str| text.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme));
    let scheme = ["https://", "http://"].into_iter().find(is_scheme)?;
    let mut depth = 0_usize;
    let is_end = |c: char| {
        match c {
            '(' | '[' => depth += 1,
            // A bracket that opens before the URL closes after it.
            ')' | ']' if depth == 0 => return true,
            ')' | ']' => depth -= 1,
            _ => {}
        }
        !is_word(c) && (!c.is_ascii_graphic() || "<>\"`|\\^{}".contains(c))
    };
    let url = &text[..text.find(is_end).unwrap_or(text.len())];
    let url = url.trim_end_matches(['.', ',', ';', ':', '!', '?', '\'', '*', '_', '~', '(', '[']);
    url.get(scheme.len()..)?.starts_with(|c: char| is_word(c) || c == '[').then_some(url)
}

/// The commit hash after the word "commit", with its distance from that word.
fn hash(text: &str) -> Option<(usize, &str)> {
    let bare = text.strip_prefix(' ')?.trim_start_matches(['`', '*']);
    let rest = bare.trim_start_matches(|c: char| c.is_ascii_hexdigit());
    let hash = &bare[..bare.len() - rest.len()];
    let is_hash = (7..=40).contains(&hash.len()) && hash.contains(is_digit);
    let goes_on = rest.starts_with(|c| is_part(c) && c != '.');
    (is_hash && !goes_on).then(|| (text.len() - bare.len(), hash))
}

/// The length of the run of path characters at the start of a text. A bracket is one of them after a slash
/// (`app/[id]/page.tsx`), a colon after a drive letter (`C:\a.rs`).
fn token_length(text: &str, is_part: impl Fn(char) -> bool) -> usize {
    let (mut depth, mut previous) = (0_usize, ' ');
    for (at, c) in text.char_indices() {
        let after = &text[at + c.len_utf8()..];
        match c {
            '[' | '(' if previous == '/' || previous == '[' => depth += 1,
            ']' | ')' if depth > 0 => depth -= 1,
            ':' if at == 1 && previous.is_ascii_alphabetic() && after.starts_with(['\\', '/']) => {}
            c if is_part(c) => {}
            _ => return at,
        }
        previous = c;
    }
    text.len()
}

/// A letter or digit of a script with upper and lower case. Chinese and Japanese text has no spaces around a path or URL,
/// so their letters end it.
fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c.is_lowercase() || c.is_uppercase() || ('\u{300}'..='\u{36f}').contains(&c)
}

fn is_part(c: char) -> bool {
    is_word(c) || "/\\.-_+@$".contains(c)
}

/// Whether a token is a whole path, and not the rest of `*.rs:3`, `<dir>/a.rs:3`, `my%20dir/a.rs:3`, `HEAD:a.rs:3` or
/// `docs/release notes.md:3`.
fn starts_path(before: &str, token: &str) -> bool {
    if let Some(before) = before.strip_suffix(' ') {
        let word = before.rsplit(char::is_whitespace).next().unwrap_or_default();
        let is_folder = word.contains(['/', '\\']) && word.ends_with(is_word) && !word.contains(':') && !has_extension(word);
        return !is_folder || token.contains(['/', '\\']);
    }
    before.chars().next_back().is_none_or(|c| {
        let ends_path = c.is_alphanumeric() || "*>})]".contains(c);
        !":%~#?&…".contains(c) && (token.starts_with(is_word) || !ends_path)
    })
}

/// A path ends in a name with an extension (`pool.rs`, `.env`). Without one it ends in a name like `Makefile`, starts with a
/// dot (`./build`, `.husky/pre-push`), or has two slashes or more: `and/or`, `TCP/IP` and `org/image` are no paths.
fn is_path(path: &str) -> bool {
    let parts: Vec<&str> = path.split(['/', '\\']).collect();
    let Some((name, folders)) = parts.split_last() else { return false };
    let is_balanced = path.matches(['[', '(']).count() == path.matches([']', ')']).count();
    let is_mail = folders.is_empty() && name.trim_start_matches('@').contains('@');
    if !is_balanced || is_mail || path.contains("//") || parts.contains(&"...") {
        return false;
    }
    let is_deep = match folders {
        [] => false,
        [top, ..] if top.starts_with('.') => true,
        // A dot inside the first one makes it a host: `ghcr.io/org/image`.
        [top, others @ ..] => !top.contains('.') && !others.is_empty(),
    };
    has_extension(name)
        || is_deep && name.contains(char::is_alphabetic)
        || name.starts_with(char::is_uppercase) && name.ends_with("file")
}

fn has_extension(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, extension)| {
        let is_plain = extension.bytes().all(|b| b.is_ascii_alphanumeric());
        is_plain && extension.starts_with(|c: char| c.is_ascii_alphabetic())
    })
}

/// The line numbers that follow a path, and the length of the text up to their end.
fn line_numbers(text: &str) -> Option<(Lines, usize)> {
    let bare = text.trim_start_matches(['`', '*']);
    let (lines, rest) = if let Some(rest) = bare.strip_prefix(':') {
        let (lines, rest) = range(rest)?;
        let column = rest.strip_prefix(':').filter(|column| column.starts_with(is_digit));
        (lines, column.map_or(rest, |column| column.trim_start_matches(is_digit)))
    } else if let Some(rest) = bare.strip_prefix("#L") {
        range(rest)?
    } else {
        let (word, rest) = bare.strip_prefix(' ')?.split_at_checked("line".len())?;
        let rest = rest.strip_prefix('s').unwrap_or(rest).strip_prefix(' ')?;
        range(rest).filter(|_| word.eq_ignore_ascii_case("line"))?
    };
    // `3.5`, `12:30:45`, `2026-05-01`, `3rd`, `443/health`.
    let mut next = rest.chars();
    let goes_on = match next.next() {
        Some('.' | ':' | '-') => next.next().is_some_and(is_digit),
        Some(c) => is_word(c) || "_/\\%@".contains(c),
        None => false,
    };
    (!goes_on).then(|| (lines, text.len() - rest.len()))
}

/// `88`, `88-95` or `L88-L95`, and the text after it.
fn range(text: &str) -> Option<(Lines, &str)> {
    let (first, rest) = number(text)?;
    let last = rest.strip_prefix(['-', '–', '—', '‐', '‑']).and_then(number);
    Some(last.map_or((Lines::one(first), rest), |(last, rest)| (Lines::new(first, last), rest)))
}

fn number(text: &str) -> Option<(u32, &str)> {
    let bare = text.strip_prefix('L').unwrap_or(text);
    let rest = bare.trim_start_matches(is_digit);
    let digits = &bare[..bare.len() - rest.len()];
    // No file has a line whose number is too large to parse, nor one with the largest number.
    (!digits.is_empty()).then(|| (digits.parse().unwrap_or(u32::MAX), rest))
}

fn is_digit(c: char) -> bool {
    c.is_ascii_digit()
}
